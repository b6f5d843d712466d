//! Every command that a remedy, a hint, a help text or a page names is one that this program takes.

use super::Cli;
use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};
use std::path::{Path, PathBuf};

/// A command as it is in a text, and where.
struct Named {
    place: String,
    words: Vec<String>,
}

#[test]
fn every_command_that_is_named_is_parsed() {
    let mut wrong = Vec::new();
    let named = all();
    assert!(named.len() > 150, "{}", named.len());
    for Named { place, words } in &named {
        let parsed = Cli::try_parse_from(words);
        let fault = match parsed {
            Ok(_) => name_that_is_none(words),
            Err(error) => match error.kind() {
                // A text may name a command without its target, an option without its value, and stand-ins are no values.
                ErrorKind::DisplayHelp
                | ErrorKind::DisplayVersion
                | ErrorKind::MissingRequiredArgument
                | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                | ErrorKind::MissingSubcommand => None,
                ErrorKind::InvalidValue if words.last().is_some_and(|word| word.starts_with("--")) => None,
                ErrorKind::ValueValidation | ErrorKind::InvalidValue
                    if words.iter().any(|word| is_stand_in(word)) =>
                {
                    None
                }
                _ => Some(error.to_string().lines().next().unwrap_or_default().to_owned()),
            },
        };
        wrong.extend(fault.map(|fault| format!("{place}: {}: {fault}", words.join(" "))));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// `CODE`, `FILE`, `…`, `{target}`: what the reader puts in.
fn is_stand_in(word: &str) -> bool {
    let word = word.split('=').next_back().unwrap_or(word);
    word.contains(['{', '}', '…', '[', ']']) || word.chars().all(|c| !c.is_lowercase())
}

/// A profile, a code or a document that there is not.
fn name_that_is_none(words: &[String]) -> Option<String> {
    let is_profile = |name: &str| name == "list" || fullwire_probe::disk::profile(name).is_some();
    let is_explained = |code: &str| {
        let is_rule = fullwire_rules::rule(code).is_some() || fullwire_mesh::code(code).is_some();
        is_rule || fullwire_rules::ceiling::kind(code).is_some() || crate::words::word(code).is_some()
    };
    let after = |option: &'static str| {
        words.windows(2).filter(move |pair| pair[0] == option).map(|pair| pair[1].as_str())
    };
    let mut given = after("--profile").filter(|name| !is_stand_in(name) && !is_profile(name));
    if let Some(name) = given.next() {
        return Some(format!("no profile is called {name}"));
    }
    let codes = match words.get(1).map(String::as_str) {
        Some("explain") => &words[2..],
        _ => &[],
    };
    let mut codes = codes.iter().map(String::as_str).chain(after("--finding"));
    let code = codes.find(|code| !code.starts_with('-') && !is_stand_in(code) && !is_explained(code))?;
    Some(format!("nothing is called {code}"))
}

/// Of the source, the pages and the help of every command.
fn all() -> Vec<Named> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![root.join("README.md"), root.join("CONTRIBUTING.md"), root.join("CHANGELOG.md")];
    walk(&root.join("docs"), &["md"], &mut files);
    walk(&root.join("crates"), &["rs"], &mut files);
    walk(&root.join("packaging"), &["service", "md", "sh"], &mut files);
    let mut named = Vec::new();
    for path in files.iter().filter(|path| !path.ends_with("named.rs") && !is_test(path)) {
        let text = std::fs::read_to_string(path).unwrap();
        let place = path.strip_prefix(&root).unwrap().display().to_string();
        named.extend(in_text(&text).into_iter().map(|words| Named { place: place.clone(), words }));
    }
    named.extend(in_help(&Cli::command()));
    named
}

fn is_test(path: &Path) -> bool {
    path.components().any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "fuzz" | "snapshots")))
}

fn walk(folder: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, extensions, files);
        } else if path
            .extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|one| extensions.contains(&one))
        {
            files.push(path);
        }
    }
}

/// Commands between backticks, in string literals that begin with one, and in lines that are drawn as typed.
fn in_text(text: &str) -> Vec<Vec<String>> {
    let joined = joined(text);
    let mut found = Vec::new();
    for quote in ['`', '"'] {
        let begin = format!("{quote}fullwire ");
        let spans = joined.match_indices(&begin).map(|(at, _)| &joined[at + 1..]);
        found.extend(
            spans
                .filter_map(|rest| rest.split([quote, '\n']).next())
                .filter_map(|span| words(span, quote == '`')),
        );
    }
    let drawn = |line: &&str| {
        let line = line.trim_start_matches(['/', '!']);
        line.starts_with("    fullwire ") || line.starts_with("ExecStart=") || line.starts_with("$ fullwire ")
    };
    found
        .extend(text.lines().filter(drawn).filter_map(|line| words(&line[line.find("fullwire ")?..], false)));
    found
}

/// Comments and literals go on in the next line: there the span goes on too.
fn joined(text: &str) -> String {
    let mut joined = String::new();
    for line in text.lines() {
        let comment = line.trim_start().strip_prefix("//!").or_else(|| line.trim_start().strip_prefix("///"));
        match comment {
            Some(comment) => joined.push_str(comment),
            None if line.ends_with('\\') => joined.push_str(line.trim_end_matches('\\')),
            None => {
                joined.push_str(line);
                joined.push('\n');
            }
        }
    }
    joined
}

/// The examples of every help.
fn in_help(command: &clap::Command) -> Vec<Named> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let lines = help.lines().filter(|line| line.starts_with("  ") && line.contains("fullwire "));
    let own = lines.filter_map(|line| words(&line[line.find("fullwire ")?..], false));
    let place = format!("the help of {}", command.get_name());
    let mut named: Vec<Named> = own.map(|words| Named { place: place.clone(), words }).collect();
    named.extend(command.get_subcommands().flat_map(in_help));
    named
}

/// Help is wrapped at 100 columns: a longer line of ours would leave a rag of a few words below it.
#[test]
fn no_line_below_the_options_is_wrapped() {
    fn wide(command: &clap::Command, found: &mut Vec<String>) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let lines = help.lines().filter(|line| line.chars().count() > 100);
        found.extend(lines.map(|line| format!("{}: {line}", command.get_name())));
        command.get_subcommands().for_each(|one| wide(one, found));
    }
    let mut found = Vec::new();
    wide(&Cli::command(), &mut found);
    assert!(found.is_empty(), "{found:#?}");
}

/// Commands that are being built: texts may name them already.
const COMING: [&str; 3] = ["agent", "coordinator", "estate"];

/// The words as a shell takes them: what is in single quotes is one.
fn unquoted(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in text.split('\'').enumerate() {
        if index % 2 == 1 && text.matches('\'').count().is_multiple_of(2) {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(|word| word.trim_matches('"').to_owned()));
        }
    }
    words
}

/// The words of a command; `None` for prose that begins like one ("fullwire changes nothing itself"): between backticks
/// there is none.
fn words(text: &str, is_code: bool) -> Option<Vec<String>> {
    // The head of a report, as a test draws it: `fullwire check · db1`.
    if text.contains(" · ") {
        return None;
    }
    // What is in another column says what the example does; what follows is for the shell.
    let text = text.split("  ").next()?.split(['|', '>', ';', '#', '\\']).next()?;
    let text = text.split("&&").next()?.trim().trim_end_matches(['.', ',', ':']);
    let words = unquoted(text);
    let known = |name: &str| {
        Cli::command()
            .get_subcommands()
            .any(|one| one.get_name() == name || one.get_all_aliases().any(|alias| alias == name))
    };
    let second = words.get(1)?;
    let is_command = is_code || second.starts_with('-') || known(second) || is_literal(text);
    let is_coming = COMING.contains(&second.as_str()) && !known(second);
    (is_command && !is_coming && !is_stand_in(second)).then_some(words)
}

/// Looks like a command though its name is none: a path, an option or a stand-in follows.
fn is_literal(text: &str) -> bool {
    text.contains(" --") || text.contains("://")
}
