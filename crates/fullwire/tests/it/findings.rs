//! Every finding that a rule can make, as a terminal shows it: one snapshot for each room of rules, made from all
//! `fires*.json` fixtures of the room. Each sentence, severity and step can be reviewed here.
//!
//! A better sentence changes them: look at the difference with `cargo insta review`.

use fullwire_model::Run;
use fullwire_present::terminal;
use fullwire_rules::{Facts, Outcome, Rule, rules};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[test]
fn every_finding_is_drawn_as_reviewed() {
    let rooms = rooms();
    let mut drawn: BTreeMap<&str, String> = BTreeMap::new();
    for rule in rules() {
        let room = rooms.get(rule.code).unwrap_or_else(|| panic!("{}: no file declares it", rule.code));
        let text = drawn.entry(room).or_default();
        for fixture in fires(rule) {
            let before = text.len();
            draw(rule, &fixture, text);
            assert!(text.len() > before, "{}: draws nothing", fixture.display());
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/findings");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| {
        for (room, text) in drawn {
            insta::assert_snapshot!(room, text);
        }
    });
}

/// The findings of one rule on one fixture, below the fixture's name.
fn draw(rule: &Rule, fixture: &Path, into: &mut String) {
    let text = std::fs::read_to_string(fixture).unwrap();
    let run: Run =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", fixture.display()));
    for outcome in (rule.check)(&Facts::of(&run)) {
        let Outcome::Fires(finding) = outcome else { continue };
        let name = fixture.file_name().unwrap().to_string_lossy();
        write!(into, "── {}/{name}\n{}\n", rule.code, terminal::finding(&finding).render(false)).unwrap();
    }
}

fn fires(rule: &Rule) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(in_rules("fixtures").join(rule.code)).unwrap();
    let fires = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("fires");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(fires).collect();
    found.sort();
    found
}

/// The room of each code, such as `network-bond`: the folder of the file that declares it.
fn rooms() -> BTreeMap<String, String> {
    fn walk(folder: &Path, top: &Path, rooms: &mut BTreeMap<String, String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, top, rooms);
                continue;
            }
            let room = folder.strip_prefix(top).unwrap();
            let room: Vec<_> = room.iter().map(|part| part.to_string_lossy().replace('_', "-")).collect();
            let text = std::fs::read_to_string(&path).unwrap();
            let codes =
                text.lines().filter_map(|line| line.trim().strip_prefix("code: \"")?.split('"').next());
            rooms.extend(codes.map(|code| (code.to_owned(), room.join("-"))));
        }
    }
    let top = in_rules("src");
    let mut rooms = BTreeMap::new();
    for layer in ["network", "storage", "host", "database"] {
        walk(&top.join(layer), &top, &mut rooms);
    }
    rooms
}

fn in_rules(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules").join(folder)
}
