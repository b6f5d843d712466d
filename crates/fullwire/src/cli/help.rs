//! `fullwire --help`: the commands under headings, in the order of the work. clap lists them in one column.

use super::{Cli, STYLES};
use clap::{Command, CommandFactory as _};
use std::fmt::Write as _;

/// Every command that is shown, under its heading.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Measure", &["assess", "net", "mtu", "disk", "array", "redo", "oratcptest", "serve"]),
    ("Look", &["check", "watch", "record", "replay", "capture"]),
    ("Read a report", &["file", "awr", "import"]),
    ("Compare and change", &["prove", "diff", "baseline", "script", "apply", "clean"]),
    ("Over time", &["history", "show", "report", "export"]),
    ("Many hosts", &["mesh", "agent", "coordinator", "estate"]),
    ("Help", &["explain", "rules", "schema", "completions", "man", "monitoring", "help"]),
];

/// Where the descriptions begin.
const INDENT: usize = 15;
/// Lines of the list are no longer, however wide the terminal is.
const WIDEST: usize = 100;

/// What most people want, for those who typed the name alone.
pub(crate) const FIRST_STEPS: &str = "\
fullwire tells whether the I/O path of this database server runs at full wire.

  fullwire assess                        audit, measure and judge this host
  fullwire assess --peer HOST:5555       and the network to another host, where `fullwire serve` runs
  fullwire awr REPORT                    what an AWR or Statspack report says

fullwire --help lists all commands.
";

/// The program as it is parsed, with its help.
pub(crate) fn program() -> Command {
    let program = Cli::command();
    let width =
        terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0)).clamp(60, WIDEST);
    let list = listed(&program, width);
    program.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{{options}}{{after-help}}"
    ))
}

/// The commands under their headings; those that this build lacks are left out.
fn listed(program: &Command, width: usize) -> String {
    let (heading, literal) = (STYLES.get_header(), STYLES.get_literal());
    let mut text = String::new();
    for (title, names) in GROUPS {
        let known: Vec<&Command> = names.iter().filter_map(|name| program.find_subcommand(name)).collect();
        if known.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{heading}{title}:{heading:#}");
        for command in known {
            let (name, about) = (command.get_name(), command.get_about().map(ToString::to_string));
            let pad = " ".repeat(INDENT.saturating_sub(name.len() + 2));
            let about = wrapped(&about.unwrap_or_default(), width);
            let _ = writeln!(text, "  {literal}{name}{literal:#}{pad}{about}");
        }
        text.push('\n');
    }
    text
}

/// The words of a description, broken before this width and indented from the second line on.
fn wrapped(about: &str, width: usize) -> String {
    let mut text = String::new();
    let mut column = INDENT;
    for word in about.split_whitespace() {
        let length = word.chars().count();
        if column > INDENT && column + 1 + length > width {
            let _ = write!(text, "\n{}", " ".repeat(INDENT));
            column = INDENT;
        } else if column > INDENT {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_that_is_shown_stands_under_one_heading() {
        let program = Cli::command();
        for command in program.get_subcommands().filter(|command| !command.is_hide_set()) {
            let name = command.get_name();
            let places = GROUPS.iter().filter(|(_, names)| names.contains(&name)).count();
            assert_eq!(places, 1, "{name}: give it one heading in GROUPS");
        }
    }

    #[test]
    fn the_list_keeps_to_the_width_and_to_the_order_of_the_work() {
        let text = program().render_help().to_string();
        let places = ["Measure:", "Look:", "Read a report:", "Compare and change:", "Over time:", "Help:"];
        let found: Vec<Option<usize>> = places.iter().map(|place| text.find(place)).collect();
        assert!(found.iter().all(Option::is_some) && found.is_sorted(), "{text}");
        let list = listed(&Cli::command(), 80);
        let plain = anstream::adapter::strip_str(&list).to_string();
        assert!(plain.lines().all(|line| line.chars().count() <= 80), "{plain}");
        assert!(plain.contains("  assess       Audit, measure and judge"), "{plain}");
        assert!(plain.contains("  completions  Print shell completions"), "{plain}");
        for hidden in ["touch", "node", "watchdog", "client"] {
            assert!(!plain.contains(&format!("  {hidden} ")), "{plain}");
        }
    }
}
