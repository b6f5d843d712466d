//! Man pages, from the command line's own definition and from what all commands have in common.

use crate::output::write_file;
use anyhow::{Context, Result};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use fullwire_present::Printed;
use std::io::Write as _;
use std::path::Path;

/// Exit statuses, as every command has them.
const STATUSES: [(&str, &str); 5] = [
    ("0", "Done, with no finding at or above --fail-on."),
    ("1", "A finding at or above --fail-on (default: critical)."),
    ("2", "Usage error; nothing was called, read or written."),
    ("3", "Could not be done, or nothing could be measured; the reason is on stderr."),
    ("130", "Interrupted. What was measured until then is shown and marked as incomplete."),
];

/// Variables that are read.
const VARIABLES: [(&str, &str); 9] = [
    ("FULLWIRE_KEY", "The responder's key, if neither --key nor --key-file is given."),
    ("FULLWIRE_STORE", "The store of kept runs, if --store is not given."),
    ("NO_COLOR", "Disables colours if set to any value."),
    ("PGPASSWORD, PGPASSFILE, PGUSER", "For postgres:// addresses, as PostgreSQL's own clients read them."),
    ("PGSSLROOTCERT, SSL_CERT_FILE", "Certificates that are trusted, for databases over TLS."),
    ("MYSQL_PWD", "The password for mysql:// addresses."),
    ("LC_ALL, LC_CTYPE, LANG, TERM", "Whether the terminal shows more than ASCII."),
    ("XDG_STATE_HOME", "Directory of fullwire/runs.db, if set."),
    ("HOME", "Directory of .pgpass, .my.cnf and .local/state/fullwire."),
];

/// Files that are read or written.
const FILES: [(&str, &str); 3] = [
    ("~/.local/state/fullwire/runs.db", "Kept runs (SQLite). Created by the first kept run."),
    ("~/.local/state/fullwire/", "Notes about private files and overwritten devices, for fullwire-clean(1)."),
    ("~/.pgpass, ~/.my.cnf", "Database passwords; only read."),
];

/// Commands of the feature `estate`, which packages are built without: so no page is about them, whatever was built.
const ESTATE: [&str; 3] = ["agent", "coordinator", "estate"];

/// Writes a page for each command into a folder. No date is in them: the same source makes the same file.
pub(crate) fn write(command: Command, folder: &Path) -> Result<()> {
    let made = fullwire_way::real(folder).and_then(std::fs::create_dir_all);
    made.with_context(|| format!("make {}", folder.display()))?;
    let mut command = command.disable_help_subcommand(true);
    for name in ESTATE.into_iter().filter(|name| command.find_subcommand(name).is_some()).collect::<Vec<_>>()
    {
        command = command.mut_subcommand(name, |one| one.hide(true));
    }
    command.build();
    let mut names = Vec::new();
    list(&command, &mut names);
    write_all(&command, folder, &names)
}

fn list(command: &Command, names: &mut Vec<String>) {
    names.push(name(command).to_owned());
    command.get_subcommands().filter(|one| !one.is_hide_set()).for_each(|one| list(one, names));
}

fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

fn write_all(command: &Command, folder: &Path, names: &[String]) -> Result<()> {
    for one in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        write_all(one, folder, names)?;
    }
    let path = folder.join(format!("{}.1", name(command)));
    let page = page(command, names).context("draw a man page")?;
    write_file(&path, &Printed::lines(&String::from_utf8(page)?), 0o644)
}

fn page(command: &Command, names: &[String]) -> std::io::Result<Vec<u8>> {
    let man = Man::new(command.clone());
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    out.write_all(synopsis(command).as_bytes())?;
    man.render_description_section(&mut out)?;
    // The jar's look-alike has its own options, with one dash; ours are not for it.
    if name(command) != "fullwire-oratcptest" {
        man.render_options_section(&mut out)?;
    }
    if command.get_subcommands().any(|one| !one.is_hide_set()) {
        man.render_subcommands_section(&mut out)?;
    }
    out.write_all(examples(command).as_bytes())?;
    out.write_all(listed("EXIT STATUS", &STATUSES).as_bytes())?;
    out.write_all(listed("ENVIRONMENT", &VARIABLES).as_bytes())?;
    out.write_all(listed("FILES", &FILES).as_bytes())?;
    out.write_all(see_also(name(command), names).as_bytes())?;
    Ok(out)
}

/// As `--help` has it: options with their values.
fn synopsis(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").lines().map(str::trim).collect::<Vec<_>>();
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    for (position, line) in usage.iter().filter(|line| !line.is_empty()).enumerate() {
        if position > 0 {
            roff.control("br", []);
        }
        roff.text([roman(*line)]);
    }
    roff.render()
}

/// What is below the options of `--help`, line by line as it is there: examples are in columns.
fn examples(command: &Command) -> String {
    let Some(text) = command.get_after_help() else { return String::new() };
    let text = text.to_string();
    let mut roff = Roff::new();
    let (head, rest) = match text.split_once(":\n") {
        Some((head, rest)) if head.starts_with("Example") => (head.to_uppercase(), rest),
        _ => ("NOTES".to_owned(), text.as_str()),
    };
    // Examples are drawn as they are typed; the prose behind them is filled.
    let (drawn, prose) = rest.split_once("\n\n").unwrap_or((rest, ""));
    roff.control("SH", [head.as_str()]);
    roff.control("nf", []);
    for line in drawn.lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    for paragraph in prose.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()) {
        // The statuses have their own section.
        if paragraph.starts_with("Exit status") {
            continue;
        }
        roff.control("PP", []);
        roff.text([roman(paragraph.split_whitespace().collect::<Vec<_>>().join(" "))]);
    }
    roff.render()
}

fn listed(head: &str, entries: &[(&str, &str)]) -> String {
    let mut roff = Roff::new();
    roff.control("SH", [head]);
    for (name, text) in entries {
        roff.control("TP", []);
        roff.text([bold(*name)]);
        roff.text([roman(*text)]);
    }
    roff.render()
}

/// Every other page: there are not many.
fn see_also(own: &str, names: &[String]) -> String {
    let others: Vec<String> =
        names.iter().filter(|name| *name != own).map(|name| format!("{name}(1)")).collect();
    let mut roff = Roff::new();
    roff.control("SH", ["SEE ALSO"]);
    roff.text([roman(others.join(", "))]);
    roff.render()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn every_page_has_its_sections_and_its_values() {
        let folder = tempfile::tempdir().unwrap();
        write(crate::cli::Cli::command(), folder.path()).unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let mut pages = 0;
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            for section in ["SYNOPSIS", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"] {
                assert!(text.contains(section), "{section}: {text}");
            }
            assert!(!text.contains("EXTRA") && !text.contains("touch"), "{text}");
            pages += 1;
        }
        assert!(pages >= 20, "{pages}");
        assert!(read("fullwire-net.1").contains("<TARGET>"), "{}", read("fullwire-net.1"));
        assert!(read("fullwire-history-prune.1").contains("baselines are kept"));
        let oratcptest = read("fullwire-oratcptest.1");
        assert!(!oratcptest.contains("json") && !oratcptest.contains("verbose"), "{oratcptest}");
    }
}
