//! Every rule on its fixtures; the list of codes.

mod attribution;
mod network_figures;
mod storage_figures;

use fullwire_model::Run;
use fullwire_rules::{Outcome, Rule, rules};
use std::path::{Path, PathBuf};

fn fixture_dir(code: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(code)
}

/// All fixtures of a rule whose name starts with `kind`: `fires.json`, `fires-by-peer.json`, ...
fn fixtures(rule: &Rule, kind: &str) -> Vec<(PathBuf, Run)> {
    let folder = fixture_dir(rule.code);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(kind))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{}: no fixture {kind}*.json", folder.display());
    found.into_iter().map(|path| (path.clone(), read(&path))).collect()
}

fn read(path: &Path) -> Run {
    let text = std::fs::read_to_string(path).unwrap();
    let value: serde_json::Value =
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let run: Run =
        serde_json::from_value(value.clone()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    // A misspelt field would be ignored and the fixture would prove nothing.
    let back = serde_json::to_value(&run).unwrap();
    if let Some(lost) = lost_field(&value, &back, "") {
        panic!("{}: the model has no field {lost}", path.display());
    }
    run
}

/// The first field of `given` that `kept` does not have.
fn lost_field(given: &serde_json::Value, kept: &serde_json::Value, at: &str) -> Option<String> {
    use serde_json::Value::{Array, Object};
    match (given, kept) {
        (Object(given), Object(kept)) => given.iter().find_map(|(key, value)| match kept.get(key) {
            None => Some(format!("{at}.{key}")),
            Some(inner) => lost_field(value, inner, &format!("{at}.{key}")),
        }),
        (Array(given), Array(kept)) => given
            .iter()
            .zip(kept)
            .enumerate()
            .find_map(|(index, (value, inner))| lost_field(value, inner, &format!("{at}[{index}]"))),
        _ => None,
    }
}

#[test]
fn every_rule_fires_stays_silent_and_says_unknown_on_its_fixtures() {
    for rule in rules() {
        for (path, run) in fixtures(rule, "fires") {
            let fires = (rule.check)(&run).iter().any(|outcome| matches!(outcome, Outcome::Fires(_)));
            assert!(fires, "{} does not fire on {}", rule.code, path.display());
        }
        for (path, run) in fixtures(rule, "silent") {
            let outcomes = (rule.check)(&run);
            assert!(!outcomes.is_empty(), "{} does not apply to {}", rule.code, path.display());
            let silent = outcomes.iter().all(|outcome| matches!(outcome, Outcome::Passes));
            assert!(silent, "{} is not silent on {}", rule.code, path.display());
        }
        for (path, run) in fixtures(rule, "unknown") {
            let outcomes = (rule.check)(&run);
            let unknown = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Unknown(_)))
                && !outcomes.iter().any(|outcome| matches!(outcome, Outcome::Fires(_)));
            assert!(unknown, "{} does not say unknown on {}", rule.code, path.display());
        }
    }
}

#[test]
fn findings_carry_their_rule_evidence_and_advice() {
    for rule in rules() {
        for (path, run) in fixtures(rule, "fires") {
            for outcome in (rule.check)(&run) {
                let Outcome::Fires(finding) = outcome else { continue };
                let at = path.display();
                assert_eq!(finding.code, rule.code, "{at}");
                assert!(finding.severity <= rule.severity, "{at}: worse than the rule says it can be");
                assert!(!finding.subject.is_empty() && !finding.message.is_empty(), "{at}");
                assert!(!finding.evidence.is_empty(), "{at}: no evidence");
                let advice = &finding.advice;
                assert!(
                    !advice.why.is_empty() && !advice.now.is_empty() && !advice.expect.is_empty(),
                    "{at}: {advice:?}"
                );
            }
        }
    }
}

#[test]
fn codes_are_unique_and_listed() {
    let mut codes: Vec<_> = rules().map(|rule| rule.code).collect();
    codes.sort_unstable();
    let listed = codes.join("\n");
    codes.dedup();
    assert_eq!(listed.lines().count(), codes.len(), "a code is used twice");
    insta::assert_snapshot!("codes", listed);
}
