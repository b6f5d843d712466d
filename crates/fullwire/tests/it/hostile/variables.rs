//! Whoever starts a program chooses its variables: those that are read are written down, with what they can do to root.

use crate::documents::sources;
use std::collections::BTreeSet;
use std::path::Path;

/// Upper case, as the names of variables are.
fn is_name(text: &str) -> bool {
    text.len() > 1
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// The names between these marks.
fn names(text: &str, mark: char) -> BTreeSet<String> {
    text.split(mark).skip(1).step_by(2).filter(|name| is_name(name)).map(str::to_owned).collect()
}

/// In the sources that ask for variables every text in upper case is the name of one; clap asks for those of its options.
fn read() -> BTreeSet<String> {
    let mut read = BTreeSet::new();
    for file in sources() {
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let of_clap = |line: &str| line.split_once(", env = ").map(|(_, name)| name.to_owned());
        let asks = code.contains("env::var");
        let of_line = |line: &str| if asks { Some(line.to_owned()) } else { of_clap(line) };
        let all: String = lines.filter_map(of_line).collect();
        read.extend(names(&all, '"'));
    }
    // The name of this one is where its completions are.
    assert!(read.insert("FULLWIRE_COMPLETE".into()), "it has moved");
    read
}

#[test]
fn every_variable_that_is_read_is_in_the_threat_model() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md");
    let text = std::fs::read_to_string(document).unwrap();
    let table = text.split_once("| variable |").unwrap().1.split_once("\n\n").unwrap().0;
    let first = table.lines().filter_map(|line| line.split('|').nth(1));
    let written = first.flat_map(|cell| names(cell, '`')).collect::<BTreeSet<String>>();
    assert_eq!(read(), written);
    assert!(written.len() >= 15, "{written:?}");
}

/// Programs that are started with the variables of whoever started fullwire, and why: `(what is started, in which file)`.
const INHERITS: [(&str, &str); 6] = [
    // The user's own connection: its agent, its configuration.
    ("\"ssh\"", "estate/operator.rs"),
    ("\"ssh\"", "net/ssh.rs"),
    // fullwire itself: they have done to it what they can.
    ("\"/proc/self/exe\"", "session/disk.rs"),
    ("\"/proc/self/exe\"", "live/apart.rs"),
    ("program", "agent/node.rs"),
    ("program", "remedy/watchdog.rs"),
];

/// `LD_PRELOAD` and its like reach no program of the host: each is started without variables.
#[test]
fn a_program_of_the_host_gets_no_variable_of_ours() {
    let (mut cleared, mut inherits) = (0, BTreeSet::new());
    for file in sources() {
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        for started in code.split("Command::new(").skip(1) {
            let what = started.split(')').next().unwrap();
            if started.split("spawn()").next().unwrap().contains(".env_clear()") {
                cleared += 1;
                continue;
            }
            let listed = INHERITS.iter().find(|(one, place)| *one == what && file.ends_with(place));
            assert!(listed.is_some(), "{} starts {what} with all variables", file.display());
            inherits.insert(listed);
        }
    }
    assert_eq!((cleared, inherits.len()), (3, INHERITS.len()));
}
