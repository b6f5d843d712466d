//! The crates that compute and draw read no file, ask no clock, start nothing and print nothing: what they say is a function
//! of what they are given, so that a kept run is judged and drawn alike everywhere.

use super::code_lines;
use std::path::{Path, PathBuf};

/// Crates without input and output (ARCHITECTURE.md, "must not know").
const PURE: [&str; 6] = ["compare", "demand", "mesh", "model", "present", "rules"];

/// What reaches out of a program, or asks for the time.
const REACHES_OUT: [&str; 16] = [
    "std::fs", "File::open", "TcpStream", "TcpListener", "UdpSocket", "std::process", "Command::new",
    "std::env", "std::thread", "Instant::now", "SystemTime", "Timestamp::now", "Zoned::now",
    "TimeZone::system", "println!", "eprint!",
];

/// What reaches out of a pure crate.
pub(super) fn wrong(files: &[PathBuf]) -> Vec<String> {
    let mut wrong = Vec::new();
    for path in files.iter().filter(|path| is_pure(path)) {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        wrong.extend(found(&text).map(|(line, what)| {
            format!("{}:{line}: {what}: this crate computes and draws only what it is given", path.display())
        }));
    }
    wrong
}

/// A source of such a crate that is no test.
fn is_pure(path: &Path) -> bool {
    let is_test = path.file_name().is_some_and(|name| name.to_string_lossy().ends_with("tests.rs"));
    !is_test && PURE.iter().any(|name| path.starts_with(Path::new("crates").join(name).join("src")))
}

/// Lines that reach out.
fn found(text: &str) -> impl Iterator<Item = (usize, &'static str)> {
    code_lines(text)
        .filter_map(|(number, line)| Some((number, *REACHES_OUT.iter().find(|what| line.contains(**what))?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_files_or_the_clock_is_found_outside_tests() {
        let text = "//! std::fs is not used.\nfn a() { std::fs::read(\"x\"); }\nlet b = Instant::now();\n\
                    #[cfg(test)]\nmod tests { fn c() { std::fs::read(\"y\"); } }\n";
        assert_eq!(found(text).collect::<Vec<_>>(), [(2, "std::fs"), (3, "Instant::now")]);
    }

    #[test]
    fn sources_of_pure_crates_count_and_their_tests_do_not() {
        let is = |path: &str| is_pure(Path::new(path));
        assert!(is("crates/rules/src/assess.rs") && is("crates/present/src/html/mod.rs"));
        assert!(!is("crates/rules/tests/it/main.rs") && !is("crates/rules/src/attribution/choose/tests.rs"));
        assert!(!is("crates/observe/src/root.rs") && !is("crates/rules/build.rs"));
    }
}
