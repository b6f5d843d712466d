//! What a mistyped command suggests: never the program's own internal commands and options, and for an option of iperf, fio or dd
//! the one of the same meaning.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

/// The error of these arguments without suggestions that no help lists: clap takes them from all commands and options.
pub(crate) fn without_hidden(mut error: Error, program: &Command, arguments: &[String]) -> Error {
    let given = arguments.iter().find_map(|word| program.find_subcommand(word));
    let options = given.map(hidden_options).unwrap_or_default();
    for (kind, hidden) in
        [(ContextKind::SuggestedSubcommand, hidden_commands(program)), (ContextKind::SuggestedArg, options)]
    {
        let shown = match error.remove(kind) {
            Some(ContextValue::Strings(names)) => {
                let names: Vec<String> = names.into_iter().filter(|name| !hidden.contains(name)).collect();
                (!names.is_empty()).then_some(ContextValue::Strings(names))
            }
            Some(ContextValue::String(name)) if hidden.contains(&name) => None,
            other => other,
        };
        if let Some(shown) = shown {
            error.insert(kind, shown);
        }
    }
    // No target or file of ours begins with a dash: to pass it as a value is no help.
    error.remove(ContextKind::TrailingArg);
    if let Some(known) = of_another_tool(&error, arguments).or_else(|| of_another_command(&error, arguments))
    {
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(known)]));
    }
    error
}

/// Where something that a command needs was not given: its examples, and what they name.
pub(crate) fn examples(error: &Error, program: &Command, arguments: &[String]) -> Option<String> {
    const PARAGRAPHS: usize = 2;
    let given = arguments.iter().find_map(|word| program.find_subcommand(word))?;
    let help = given.get_after_help().filter(|_| error.kind() == ErrorKind::MissingRequiredArgument)?;
    let help = help.to_string();
    let first: Vec<&str> = help.split("\n\n").take(PARAGRAPHS).collect();
    Some(format!("\n{}\n", first.join("\n\n")))
}

/// A tool, how it names an option, and what means the same here.
type OldName = (&'static str, &'static str, &'static str);

/// iperf3(1), iperf(1).
const OF_IPERF: &[OldName] = &[
    ("iperf", "-P", "--streams"),
    ("iperf", "--parallel", "--streams"),
    ("iperf", "-t", "--duration"),
    ("iperf", "--time", "--duration"),
    ("iperf", "-R", "--reverse"),
    ("iperf", "-d", "--bidir"),
    ("iperf", "-u", "--mode udp"),
    ("iperf", "--udp", "--mode udp"),
    ("iperf", "-b", "--rate"),
    ("iperf", "--bitrate", "--rate"),
    ("iperf", "--bandwidth", "--rate"),
    ("iperf", "-w", "--sockbuf"),
    ("iperf", "--window", "--sockbuf"),
    ("iperf", "-l", "--length"),
    ("iperf", "--len", "--length"),
    ("iperf", "-M", "--mss"),
    ("iperf", "--set-mss", "--mss"),
    ("iperf", "-i", "--interval"),
    ("iperf", "-O", "--warmup"),
    ("iperf", "--omit", "--warmup"),
    ("iperf", "-B", "--source"),
    ("iperf", "--bind", "--source"),
    ("iperf", "-C", "--congestion"),
    ("iperf", "-Z", "--zerocopy"),
    ("iperf", "-J", "--json"),
    ("iperf", "-p", "the port behind the host, HOST:PORT"),
    ("iperf", "--port", "the port behind the host, HOST:PORT"),
    ("iperf", "-c", "the host itself, `fullwire net HOST`"),
    ("iperf", "--client", "the host itself, `fullwire net HOST`"),
];

/// fio(1), dd(1).
const OF_FIO_AND_DD: &[OldName] = &[
    ("fio", "--bs", "--block"),
    ("fio", "--blocksize", "--block"),
    ("fio", "--rw", "--operation and --pattern"),
    ("fio", "--readwrite", "--operation and --pattern"),
    ("fio", "--iodepth", "--depth"),
    ("fio", "--numjobs", "--threads"),
    ("fio", "--runtime", "--duration"),
    ("fio", "--time_based", "--duration, which is always kept"),
    ("fio", "--filename", "the target itself, `fullwire disk FILE`"),
    ("fio", "--directory", "the target itself, `fullwire disk DIR`"),
    ("fio", "--direct", "the default; --buffered goes through the page cache"),
    ("fio", "--ioengine", "--engine"),
    ("fio", "--rwmixread", "--read-share"),
    ("fio", "--fsync", "--sync fsync"),
    ("fio", "--fdatasync", "--sync fdatasync"),
    ("fio", "--rate_iops", "--rate"),
    ("fio", "--loops", "--repeats"),
    ("fio", "--nrfiles", "--files"),
    ("dd", "bs", "--block"),
    ("dd", "count", "--size"),
    ("dd", "if", "the target itself with --operation read"),
    ("dd", "of", "the target itself with --operation write"),
    ("dd", "iflag", "the default; --buffered goes through the page cache"),
    ("dd", "oflag", "the default; --buffered goes through the page cache"),
    ("dd", "conv", "--sync"),
];

/// The option that is not known, without its value.
fn unknown_option(error: &Error) -> Option<&str> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    given.split(['=', ' ']).next()
}

/// `iperf's -P is --streams`.
fn of_another_tool(error: &Error, arguments: &[String]) -> Option<String> {
    let given = unknown_option(error)?;
    let is = |command: &str| arguments.iter().any(|word| word == command);
    let names = match () {
        () if is("net") => OF_IPERF,
        () if is("disk") => OF_FIO_AND_DD,
        () => return None,
    };
    let (tool, old, ours) = names.iter().find(|(_, old, _)| *old == given)?;
    Some(format!("{tool}'s {old} is {ours}"))
}

/// A command, an option that people expect of it, and what does that.
const EXPECTED: &[(&str, &str, &str)] = &[
    ("assess", "--dir", "--path"),
    ("assess", "--directory", "--path"),
    ("assess", "--disk", "--path"),
    ("assess", "--host", "--peer"),
    ("assess", "--standby", "--peer"),
    ("assess", "--awr", "--demand"),
    ("check", "--peer", "measured by `fullwire assess --peer HOST`; check loads nothing"),
    ("check", "--path", "measured by `fullwire assess --path DIR`; check loads nothing"),
    ("disk", "--expect", "--expect-disk"),
    ("disk", "--quick", "--duration 1s"),
    ("history", "--limit", "--last"),
    ("history", "-n", "--last"),
    ("net", "--quick", "--duration 2s"),
    ("net", "--peer", "the host itself, `fullwire net HOST`"),
    ("record", "--duration", "--for"),
    ("redo", "--standby", "--peer"),
    ("redo", "--target", "--peer"),
    ("serve", "--port", "--listen ADDRESS:PORT"),
    ("serve", "-p", "--listen ADDRESS:PORT"),
    ("watch", "--duration", "--count"),
    ("watch", "--for", "--count"),
];

/// `--standby is --peer`.
fn of_another_command(error: &Error, arguments: &[String]) -> Option<String> {
    if let (ErrorKind::InvalidValue, Some(ContextValue::String(given))) =
        (error.kind(), error.get(ContextKind::InvalidValue))
    {
        return (given == "tcp").then(|| "streams of TCP are --mode async, which is the default".to_owned());
    }
    let given = unknown_option(error)?;
    let is = |command: &&str| arguments.iter().any(|word| word == command);
    let (_, expected, ours) = EXPECTED.iter().find(|(command, name, _)| *name == given && is(command))?;
    Some(format!("{expected} is {ours}"))
}

fn hidden_commands(program: &Command) -> Vec<String> {
    let hidden = program.get_subcommands().filter(|command| command.is_hide_set());
    hidden.map(|command| command.get_name().to_owned()).collect()
}

/// As they are typed.
fn hidden_options(command: &Command) -> Vec<String> {
    let hidden = command.get_arguments().filter(|option| option.is_hide_set());
    hidden.filter_map(|option| Some(format!("--{}", option.get_long()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::{CommandFactory as _, Parser as _};

    /// What clap says by itself, and what is shown.
    fn said(words: &[&str]) -> (String, String) {
        let words: Vec<String> =
            [&["fullwire"], words].concat().iter().map(|word| (*word).to_owned()).collect();
        let error = || Cli::try_parse_from(&words).expect_err("a mistake");
        (error().to_string(), without_hidden(error(), &Cli::command(), &words).to_string())
    }

    #[test]
    fn no_hidden_command_is_suggested() {
        let hidden = hidden_commands(&Cli::command());
        for name in ["touch", "node", "watchdog", "client"] {
            assert!(hidden.iter().any(|one| one == name), "{name} is not hidden: {hidden:?}");
        }
        for name in &hidden {
            // The last letter twice: near enough that clap suggests the name.
            let mistyped = format!("{name}{}", &name[name.len() - 1..]);
            let (by_clap, shown) = said(&[&mistyped]);
            assert!(by_clap.contains(&format!("'{name}'")), "{by_clap}");
            assert!(!shown.contains(&format!("'{name}'")), "{shown}");
            assert!(shown.contains(&mistyped) && shown.contains("Usage:"), "{shown}");
        }
    }

    #[test]
    fn a_command_without_what_it_needs_says_what_that_can_be() {
        let told = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let error =
                Cli::try_parse_from([&["fullwire".to_owned()], &words[..]].concat()).expect_err("a mistake");
            examples(&error, &Cli::command(), &words)
        };
        let diff = told(&["diff"]).unwrap_or_default();
        for word in ["fullwire diff before after", "A side is one of these", "`last`", "a capture"] {
            assert!(diff.contains(word), "{word}: {diff}");
        }
        assert_eq!(told(&["diff", "a", "b", "--no-such"]), None, "another mistake has its own words");
    }

    #[test]
    fn no_hidden_option_is_suggested() {
        let (by_clap, shown) = said(&["record", "--roott", "x"]);
        assert!(by_clap.contains("'--root'") && !shown.contains("'--root'"), "{by_clap}{shown}");
        assert!(said(&["check", "--roott", "x"]).1.contains("'--root'"), "there it is listed");
    }

    /// A tip that names an option of ours names one that the command has.
    #[test]
    fn what_is_expected_is_named_by_what_there_is() {
        let program = Cli::command();
        for (command, expected, ours) in EXPECTED {
            let known = program.find_subcommand(command).expect(command);
            let has = |name: &str| known.get_arguments().any(|one| one.get_long() == Some(name));
            let first = ours.split([' ', '=']).next().unwrap_or_default();
            assert!(!has(expected.trim_start_matches('-')), "{command} has {expected}");
            if let Some(name) = first.strip_prefix("--") {
                assert!(has(name), "{command} has no {ours}");
            }
        }
    }

    #[test]
    fn options_of_other_tools_are_named_by_ours() {
        let cases: [(&[&str], &str); 9] = [
            (&["net", "db2", "-P", "4"], "iperf's -P is --streams"),
            (&["net", "db2", "--bitrate", "100M"], "iperf's --bitrate is --rate"),
            (&["disk", "/u01", "--bs=8k"], "fio's --bs is --block"),
            (&["disk", "/u01", "--iodepth=32"], "fio's --iodepth is --depth"),
            (&["disk", "/u01", "bs=8k"], "dd's bs is --block"),
            (&["serve", "--port", "5555"], "--port is --listen ADDRESS:PORT"),
            (&["redo", "r.txt", "--standby=db2"], "--standby is --peer"),
            (&["net", "db2", "--mode", "tcp"], "--mode async, which is the default"),
            (&["check", "--peer", "db2"], "`fullwire assess --peer HOST`"),
        ];
        for (words, tip) in cases {
            let (_, shown) = said(words);
            assert!(shown.contains(tip) && !shown.contains("as a value"), "{shown}");
        }
    }

    /// What is named is an option of that command, and no option of ours is explained as another tool's.
    #[test]
    fn every_old_name_leads_to_an_option() {
        for (command, names) in [("net", OF_IPERF), ("disk", OF_FIO_AND_DD)] {
            let mut program = Cli::command();
            program.build();
            let own = program.find_subcommand(command).expect("the command");
            let has = |long: &str| own.get_arguments().any(|option| option.get_long() == Some(long));
            for (tool, old, ours) in names {
                let options = ours.split([' ', ';']).filter_map(|word| word.strip_prefix("--"));
                for option in options.filter(|option| !option.is_empty()) {
                    assert!(has(option.trim_end_matches(',')), "{tool} {old}: no --{option}");
                }
                assert!(!has(old.trim_start_matches('-')) || !old.starts_with("--"), "{old} is our own");
            }
        }
    }

    #[test]
    fn what_users_type_is_still_suggested() {
        assert!(said(&["chekc"]).1.contains("'check'")); // typos: as it is
        assert!(said(&["net", "db2", "--stream", "4"]).1.contains("'--streams'"));
    }
}
