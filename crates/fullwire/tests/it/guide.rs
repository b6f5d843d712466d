//! Every command in the guide, the README and the help texts is one that the program takes.

mod promises;

use crate::tool::{Desk, stderr, stdout};
use std::path::{Path, PathBuf};

/// Markdown files of the repository that a user reads.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md"), root.join("packaging/README.md")];
    for folder in ["docs", "docs/questions"] {
        let entries = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        pages.extend(entries.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    }
    pages
}

/// A page by its name.
fn page(name: &str) -> String {
    let path = pages().into_iter().find(|path| path.file_name().is_some_and(|own| own == name));
    std::fs::read_to_string(path.unwrap_or_else(|| panic!("{name}"))).unwrap()
}

/// Commands in code: lines of blocks and words between backticks that begin with the program's name, after a prompt and
/// variables.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        } else if code || line.starts_with("    ") {
            found.extend(line.split("; ").flat_map(|part| part.split(" && ")).filter_map(command));
        } else {
            found.extend(line.split('`').skip(1).step_by(2).filter_map(command));
        }
    }
    found
}

fn command(line: &str) -> Option<Vec<String>> {
    let line = line.split(" #").next()?.split(" | ").next()?.split(" >").next()?;
    // The head of an answer: `fullwire assess · db1 · 2026-11-22`.
    if line.contains(" · ") {
        return None;
    }
    let line = line.split_once("$ ").map_or(line, |(_, command)| command);
    // The time and the user of cron.
    let line = line.split_once("* root ").map_or(line, |(_, command)| command);
    let mut words = line.split_whitespace().skip_while(|word| word.contains('=') && !word.starts_with('-'));
    let program = words.next()?;
    if !matches!(program, "fullwire" | "./fullwire") {
        return None;
    }
    // Prose after a command, and places for others, are no arguments.
    let arguments = unquoted(&words.collect::<Vec<_>>().join(" "));
    (!arguments.is_empty() && !arguments[0].chars().any(char::is_uppercase)).then_some(arguments)
}

/// Words as a shell takes them: what is in single quotes is one; a line that goes on ends there.
fn unquoted(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in text.trim_end_matches('\\').split('\'').enumerate() {
        match index % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// Shown with its help, a command has its options checked and does nothing.
fn refused(desk: &Desk, arguments: &[String]) -> Option<String> {
    // A file alone is judged: which command that takes is seen in the file.
    if let [file] = arguments
        && file.contains('.')
    {
        return None;
    }
    let output = desk.command().args(arguments).arg("--help").output().unwrap();
    // A plugin answers its help with 3, as Nagios has it.
    let plugin = arguments.iter().any(|word| word == "--nagios") && output.status.code() == Some(3);
    (!output.status.success() && !plugin)
        .then(|| format!("fullwire {}: {}", arguments.join(" "), stderr(&output)))
}

/// Commands that are there with the feature `estate`.
const ESTATE: [&str; 3] = ["agent", "coordinator", "estate"];

#[test]
fn every_command_of_the_guide_is_taken() {
    let desk = Desk::new();
    let mut looked_at = 0;
    for page in pages().iter().filter(|page| !page.ends_with("commands.md")) {
        let text = std::fs::read_to_string(page).unwrap();
        for arguments in commands(&text) {
            // Built with the feature of the estate alone; its own tests run this with it.
            let built = cfg!(feature = "estate") || !ESTATE.contains(&arguments[0].as_str());
            if !built {
                continue;
            }
            looked_at += 1;
            assert_eq!(refused(&desk, &arguments), None, "{}", page.display());
        }
    }
    assert!(looked_at > 30, "{looked_at}");
}

#[test]
fn every_example_of_the_help_is_taken() {
    let desk = Desk::new();
    let names = stdout(&desk.run(&["--help"]));
    // Under headings, the first of which is this one, up to the options.
    let listed = names.lines().skip_while(|line| *line != "Measure:");
    let listed = listed.take_while(|line| *line != "Output:" && *line != "Options:");
    let listed = listed.filter(|line| line.starts_with("  "));
    let names: Vec<&str> = listed
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(names.contains(&"assess") && names.len() > 15, "{names:?}");
    for name in names.iter().filter(|name| !["help", "oratcptest"].contains(*name)) {
        let help = stdout(&desk.run(&[name, "--help"]));
        let examples = help.lines().skip_while(|line| *line != "Examples:").skip(1);
        for line in examples.filter(|line| line.starts_with("  fullwire ")) {
            // Two blanks part an example from its explanation.
            let line = line.trim().split("  ").next().unwrap();
            let arguments = command(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(refused(&desk, &arguments), None, "help of {name}");
        }
    }
}
