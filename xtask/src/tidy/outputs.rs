//! What the program says passes through `crates/fullwire/src/output/`, which takes nothing but a text that steers no terminal
//! (`fullwire_present::Printed`). This finds the writer that goes around it.

use super::code_lines;
use std::path::{Path, PathBuf};

/// Where the program speaks.
const OUTPUT: &str = "crates/fullwire/src/output";

/// What writes to a terminal, a pipe or a file of the user's without it.
const GOES_AROUND: [&str; 8] = [
    "print!(", "println!(", "io::stdout()", "io::stderr()", "anstream::", "fs::write(", "crossterm::execute",
    "PreEscaped(",
];

/// Files that may, and why.
const MAY: [(&str, &str); 8] = [
    ("crates/fullwire/src/command/capture.rs", "the bytes of an archive"),
    ("crates/fullwire/src/man.rs", "man pages of our own words"),
    ("crates/fullwire/src/mesh/worker.rs", "orders and reports between our own programs, as JSON"),
    (
        "crates/fullwire/src/remedy/watchdog.rs",
        "a journal that is inherited, and one word to our own program",
    ),
    ("crates/present/src/html/mod.rs", "our own styles and scripts, and JSON that cannot end its element"),
    ("crates/present/src/html/recording.rs", "our own scripts, and JSON that cannot end its element"),
    ("crates/observe/src/capture.rs", "the bytes of an archive"),
    ("crates/fullwire/src/screen/terminal.rs", "the terminal that ratatui draws on"),
];

/// Writers that go around the output.
pub(super) fn wrong(files: &[PathBuf]) -> Vec<String> {
    let mut wrong = Vec::new();
    for path in files.iter().filter(|path| is_concerned(path)) {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        wrong.extend(found(&text).map(|(line, what)| {
            format!("{}:{line}: {what}: {OUTPUT} writes what fullwire says", path.display())
        }));
    }
    wrong
}

/// A source of the program that is no test.
fn is_concerned(path: &Path) -> bool {
    let is_test = path.file_name().is_some_and(|name| name.to_string_lossy().ends_with("tests.rs"));
    let is_source = path.starts_with("crates") && path.iter().nth(2).is_some_and(|folder| folder == "src");
    is_source && !is_test && !path.starts_with(OUTPUT) && MAY.iter().all(|(file, _)| path != Path::new(file))
}

/// Lines that write; that a stream is a terminal may be asked.
fn found(text: &str) -> impl Iterator<Item = (usize, &'static str)> {
    code_lines(text).filter_map(|(number, line)| {
        let line = line.replace("io::stdout().is_terminal()", "").replace("io::stderr().is_terminal()", "");
        let line = line.replace("terminal_size_of(std::io::stdout())", "");
        Some((number, *GOES_AROUND.iter().find(|what| line.contains(**what))?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_that_goes_around_the_output_is_found() {
        let text = "if std::io::stdout().is_terminal() {\n    println!(\"{name}\");\n}\n// print!(x)\n\
                    std::fs::write(path, page)?;\nwriteln!(anstream::stderr(), \"{name}\")\n\
                    #[cfg(test)]\nmod tests { fn c() { println!(); } }\n";
        let found: Vec<_> = found(text).collect();
        assert_eq!(found, [(2, "println!("), (5, "fs::write("), (6, "anstream::")]);
    }

    #[test]
    fn sources_count_and_tests_and_named_files_do_not() {
        let is = |path: &str| is_concerned(Path::new(path));
        assert!(is("crates/fullwire/src/command/net.rs") && is("crates/present/src/csv.rs"));
        assert!(!is("crates/fullwire/src/output/mod.rs") && !is("crates/fullwire/tests/it/main.rs"));
        assert!(!is("crates/fullwire/src/man.rs") && !is("xtask/src/main.rs"));
    }
}
