//! The systemd units: they must start on systemd 219, 239 and 252 alike.

use crate::skips::installed;
use crate::tool::{Desk, PROGRAM, stderr, stdout};
use std::path::Path;

/// The lines `NAME=VALUE` of a section, comments left out.
fn lines(text: &str) -> Vec<(&str, &str)> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('=')).collect()
}

const UNITS: [&str; 2] = ["fullwire-serve.service", "fullwire-record.service"];

fn text(unit: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging").join(unit);
    std::fs::read_to_string(path).unwrap()
}

/// What the start depends on must be known to the oldest systemd; the rest may be left out by it (NEWS of systemd).
#[test]
fn nothing_that_the_start_needs_is_newer_than_systemd_219() {
    for unit in UNITS {
        starts_on_219(&text(unit));
    }
}

pub(crate) fn starts_on_219(text: &str) {
    let unit = lines(text);
    let value = |name: &str| unit.iter().rev().find(|(found, _)| *found == name).map(|(_, value)| *value);
    // 247, 247, 235, 235: without them there would be no key, no user, no directory.
    for newer in ["LoadCredential", "SetCredential", "DynamicUser", "StateDirectory"] {
        assert_eq!(value(newer), None, "{newer}");
    }
    assert!(!text.contains("${"), "no variable that an old systemd leaves empty");
    assert_eq!(value("Type"), Some("simple"), "exec came with 240");
    assert!(matches!(value("User"), Some("fullwire" | "nats")), "a user without privileges");
    // A list of what is allowed whose groups are unknown (before 231) allows nothing.
    let filters: Vec<&str> =
        unit.iter().filter(|(name, _)| *name == "SystemCallFilter").map(|(_, value)| *value).collect();
    assert!(filters[0].starts_with('~'), "{filters:?}");
    assert!(filters[1..].iter().all(|filter| !filter.contains('@')), "{filters:?}");
    // `strict` came with 232: where it is not understood, the line before it counts.
    let protect: Vec<&str> =
        unit.iter().filter(|(name, _)| *name == "ProtectSystem").map(|(_, value)| *value).collect();
    assert_eq!(protect, ["full", "strict"]);
}

#[test]
fn systemd_of_this_host_takes_the_unit_and_finds_it_tight() {
    if !installed("systemd-analyze") {
        return;
    }
    for unit in UNITS {
        is_taken_and_tight(unit);
    }
}

fn is_taken_and_tight(name: &str) {
    is_tight(name, &text(name));
}

/// Any text of a unit: systemd of this host understands each line, and finds it tight.
pub(crate) fn is_tight(name: &str, text: &str) {
    if !installed("systemd-analyze") {
        return;
    }
    let desk = Desk::new();
    let unit = desk.work.path().join(name);
    std::fs::write(
        &unit,
        text.replace("/usr/bin/fullwire", PROGRAM).replace("/usr/local/bin/nats-server", "/bin/true"),
    )
    .unwrap();
    let analyze = |words: &[&str]| desk.program("systemd-analyze").args(words).arg(&unit).output().unwrap();
    let verified = analyze(&["verify", "--man=no"]);
    assert!(verified.status.success(), "{}", stderr(&verified));
    assert_eq!(stderr(&verified), "", "every line is understood here");
    let scored = analyze(&["security", "--offline=yes", "--no-pager"]);
    let last = stdout(&scored);
    let score =
        last.lines().rev().find(|line| line.contains("exposure level")).unwrap_or_else(|| panic!("{last}"));
    let number: f64 = score.split_whitespace().find_map(|word| word.parse().ok()).unwrap();
    assert!(number <= 2.0, "{name}: {score}");
}
