//! Every command that a rule or a builder of advice writes down is shown by a snapshot of a finding: then the tests of
//! `crates/rules/tests/it/{advice,sandbox}.rs` have read it and run it.

use anyhow::Result;
use regex::Regex;
use std::path::{Path, PathBuf};

const SOURCES: &str = "crates/rules/src";
const SNAPSHOTS: &str = "crates/fullwire/tests/it/snapshots/findings";

pub(super) fn check(files: &[PathBuf]) -> Result<Vec<String>> {
    let shown: Vec<String> = below(files, SNAPSHOTS).flat_map(|(_, text)| commands(&text)).collect();
    let mut wrong = Vec::new();
    for (path, text) in below(files, SOURCES) {
        for template in templates(&text)? {
            let pattern = Regex::new(&pattern(&template))?;
            if !shown.iter().any(|command| pattern.is_match(command)) {
                wrong.push(format!(
                    "{}: no fixture shows the command `{template}`: give its rule a case of `fires` that does",
                    path.display()
                ));
            }
        }
    }
    Ok(wrong)
}

fn below<'a>(files: &'a [PathBuf], folder: &'a str) -> impl Iterator<Item = (&'a Path, String)> {
    let own = files.iter().filter(move |path| path.starts_with(folder));
    own.filter_map(|path| Some((path.as_path(), std::fs::read_to_string(path).ok()?)))
}

/// The lines of a snapshot; a command is always one.
fn commands(snapshot: &str) -> Vec<String> {
    snapshot.lines().map(|line| line.trim().to_owned()).collect()
}

/// The literals that steps are made of, without those of tests. A command that is put together elsewhere has none here.
fn templates(source: &str) -> Result<Vec<String>> {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let call = Regex::new(
        r#"\.(?:run|look|persist_run|undo_run|undo_persist_run)\(\s*(?:sh!\(|format!\()?\s*"((?:[^"\\]|\\[\s\S])*)""#,
    )?;
    let found = call.captures_iter(source).filter_map(|found| found.get(1));
    let continued = Regex::new(r"\\\n\s*")?;
    let plain = |text: &str| continued.replace_all(text, "").replace("\\\"", "\"").replace("\\\\", "\\");
    Ok(found.map(|literal| plain(literal.as_str())).filter(|text| !text.trim().is_empty()).collect())
}

/// A template as a pattern: whatever is put in, the rest must be there.
fn pattern(template: &str) -> String {
    let mut pattern = String::from("^");
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        pattern += &regex::escape(&rest[..at]);
        let brace = &rest[at..];
        if brace.starts_with("{{") || brace.starts_with("}}") {
            pattern += &regex::escape(&brace[..1]);
            rest = &brace[2..];
        } else {
            pattern += ".*";
            rest = brace.split_once('}').map_or("", |(_, rest)| rest);
        }
    }
    pattern + &regex::escape(rest) + "$"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_step_is_made_of() {
        let source = r#"because("why").run(sh!("ip link set dev {} mtu {}", nic, 9000), "sets it")
            .undo_run("sysctl \
                       -w a=1", "back").run(write(disk), "x")
            #[cfg(test)] mod tests { .run("not this", "") }"#;
        assert_eq!(templates(source).unwrap(), ["ip link set dev {} mtu {}", "sysctl -w a=1"]);
    }

    #[test]
    fn whatever_is_put_in_the_rest_must_be_there() {
        let matches =
            |template: &str, command: &str| Regex::new(&pattern(template)).unwrap().is_match(command);
        assert!(matches("ip link set dev {} mtu {0}", "ip link set dev eth0 mtu 9000"));
        assert!(!matches("ip link set dev {} up", "ip link set dev eth0 down"));
        assert!(matches("awk '{{print $1}}' {}", "awk '{print $1}' /etc/fstab"));
    }
}
