//! Every rule on its fixtures; the list of codes.

mod absurd;
mod advice;
mod answers;
mod attribution;
mod ceilings_network;
mod ceilings_storage;
mod demand;
mod experiments;
mod fixtures;
mod hosts;
mod network_figures;
mod one_cause;
mod one_value;
mod pairs;
mod probes;
mod remedies;
mod renamed;
mod residence;
mod sandbox;
mod shared_devices;
mod shared_paths;
mod simulation;
mod sizing;
#[path = "../../../../tests/skips.rs"]
mod skips;
mod speaking;
mod storage_figures;
mod taking_back;
mod tools;

use fixtures::{case, cases, fires, lost_field, of_kind};
use fullwire_model::Run;
use fullwire_model::assessment::Severity;
use fullwire_rules::{Facts, Outcome, Rule, assess, rules};
/// Lays one run over another: what both have is taken from `over`, except for lists, whose entries are matched by what
/// names them. Nothing and empty text yield.
fn merge(into: &mut serde_json::Value, over: &serde_json::Value) {
    use serde_json::Value::{Array, Null, Object, String};
    match (into, over) {
        (_, Null) => {}
        (Object(into), Object(over)) => {
            for (key, value) in over {
                merge(into.entry(key).or_insert(Null), value);
            }
        }
        (Array(into), Array(over)) if over.iter().all(serde_json::Value::is_object) => {
            for value in over {
                match into.iter_mut().find(|known| names(known).is_some() && names(known) == names(value)) {
                    Some(known) => merge(known, value),
                    None => into.push(value.clone()),
                }
            }
        }
        (String(_), String(over)) if over.is_empty() => {}
        (into, over) => *into = over.clone(),
    }
}

/// What tells an entry of a list from the others: its name, its target with the way it was measured.
fn names(value: &serde_json::Value) -> Option<String> {
    const KEYS: [&str; 9] =
        ["name", "target", "mode", "reverse", "kind", "subject", "operation", "pattern", "queue_depth"];
    let found: Vec<String> = KEYS.iter().filter_map(|key| Some(value.get(key)?.to_string())).collect();
    (!found.is_empty()).then(|| found.join(" "))
}

#[test]
fn every_rule_fires_stays_silent_and_says_unknown_on_its_fixtures() {
    let mut wrong = Vec::new();
    for rule in rules() {
        for (kind, is_right, says) in EXPECTED {
            if of_kind(rule, kind).next().is_none() {
                wrong.push(format!("{}: no case of the kind {kind}", rule.code));
            }
            for case in of_kind(rule, kind) {
                if !is_right(&(rule.check)(&Facts::of(&case.run))) {
                    wrong.push(format!("{case}: the rule {says}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

type Check = fn(&[Outcome]) -> bool;

/// What the outcomes must be on each kind of fixture, and what is said when they are not.
const EXPECTED: [(&str, Check, &str); 3] = [
    ("fires", |outcomes| outcomes.iter().any(is_fire), "does not fire"),
    (
        "silent",
        |outcomes| !outcomes.is_empty() && outcomes.iter().all(|outcome| matches!(outcome, Outcome::Passes)),
        "does not apply or is not silent",
    ),
    (
        "unknown",
        |outcomes| {
            outcomes.iter().any(|outcome| matches!(outcome, Outcome::Unknown(_)))
                && !outcomes.iter().any(is_fire)
        },
        "does not say unknown",
    ),
];

fn is_fire(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Fires(_))
}

/// What grew in a window, read once and without the time since boot: no rule may take that for a pass.
#[test]
fn counters_that_were_read_once_are_no_pass() {
    // It judges the record of the host, which is of the time since boot.
    const BY_OTHER_FACTS: [&str; 1] = ["memory-errors"];
    let mut wrong = Vec::new();
    for rule in rules().filter(|rule| !BY_OTHER_FACTS.contains(&rule.code)) {
        for case in fires(rule) {
            let mut run = case.run.clone();
            // What was measured is judged by its own figures.
            let measured = !run.net.is_empty() || !run.disk.is_empty() || !run.peers.is_empty();
            if measured || run.windows.is_empty() {
                continue;
            }
            for window in &mut run.windows {
                window.from = window.to.clone();
            }
            run.host.os.uptime_s = None;
            let outcomes = (rule.check)(&Facts::of(&run));
            if outcomes.iter().any(|outcome| matches!(outcome, Outcome::Passes))
                && !outcomes.iter().any(is_fire)
            {
                wrong.push(case.to_string());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `effect`: the rule fires, and another cause of the same run causes it: it is worth knowing, no more.
#[test]
fn what_another_cause_brings_about_steps_back() {
    let mut wrong = Vec::new();
    for rule in rules() {
        for case in of_kind(rule, "effect") {
            let assessment = assess(&case.run);
            let own: Vec<_> = assessment.findings.iter().filter(|one| one.code == rule.code).collect();
            let stepped_back = own.iter().all(|finding| finding.severity == Severity::Info);
            if own.is_empty() || !stepped_back || assessment.bottleneck.code == rule.code {
                wrong.push(format!("{case}: {own:?}, causes {:?}", assessment.paths));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// `info`: an oddity of a healthy host, which is worth a note and no more.
#[test]
fn oddities_of_healthy_hosts_are_notes() {
    let mut wrong = Vec::new();
    for rule in rules() {
        for case in of_kind(rule, "info") {
            let severities: Vec<Severity> = (rule.check)(&Facts::of(&case.run))
                .into_iter()
                .filter_map(|outcome| match outcome {
                    Outcome::Fires(finding) => Some(finding.severity),
                    Outcome::Passes | Outcome::Unknown(_) => None,
                })
                .collect();
            if severities.is_empty() || severities.iter().any(|severity| *severity > Severity::Info) {
                wrong.push(format!("{case}: {severities:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A rule that makes a note of an oddity must still say more of a fault.
#[test]
fn what_makes_notes_of_oddities_still_names_faults() {
    for rule in rules().filter(|rule| rule.severity > Severity::Info) {
        if of_kind(rule, "info").next().is_none() {
            continue;
        }
        let is_fault = |outcome: &Outcome| matches!(outcome, Outcome::Fires(finding) if finding.severity > Severity::Info);
        let mut all = fires(rule);
        let fault = all.any(|case| (rule.check)(&Facts::of(&case.run)).iter().any(is_fault));
        assert!(fault, "{}: no case of `fires` is more than a note", rule.code);
    }
}

#[test]
fn findings_carry_their_rule_evidence_and_advice() {
    for rule in rules() {
        for at in fires(rule) {
            for outcome in (rule.check)(&Facts::of(&at.run)) {
                let Outcome::Fires(finding) = outcome else { continue };
                assert_eq!(finding.code, rule.code, "{at}");
                assert!(finding.severity <= rule.severity, "{at}: worse than the rule says it can be");
                assert!(!finding.subject.is_empty() && !finding.message.is_empty(), "{at}");
                assert!(!finding.evidence.is_empty(), "{at}: no evidence");
                let advice = &finding.advice;
                assert!(
                    !advice.why.is_empty() && !advice.steps.is_empty() && !advice.expect.is_empty(),
                    "{at}: {advice:?}"
                );
            }
        }
    }
}

/// A rule that is never as bad as it declares makes `fullwire rules` and the documentation wrong.
#[test]
fn every_declared_severity_is_reached() {
    let worst = |rule: &Rule, run: &Run| {
        let reaches =
            |outcome: &Outcome| matches!(outcome, Outcome::Fires(one) if one.severity == rule.severity);
        (rule.check)(&Facts::of(run)).iter().any(reaches)
    };
    let reached = |rule: &&Rule| fires(rule).any(|case| worst(rule, &case.run));
    let wrong: Vec<&str> = rules().filter(|rule| !reached(rule)).map(|rule| rule.code).collect();
    assert!(wrong.is_empty(), "no case of `fires` reaches the declared severity: {}", wrong.join(" "));
}

/// What a rule declares of its findings, held against all that it finds in its cases: what they are about, and how they limit.
#[test]
fn findings_are_what_their_rule_declares() {
    let mut unshown = Vec::new();
    for rule in rules() {
        let mut shown = Vec::new();
        for case in cases(rule.code) {
            for outcome in (rule.check)(&Facts::of(&case.run)) {
                let Outcome::Fires(finding) = outcome else { continue };
                let (kind, name) = (finding.subject_ref.kind, &case.name);
                assert!(rule.on.contains(&kind), "{} {name}: a finding about a {kind:?}", rule.code);
                shown.extend(finding.explains.iter().map(|one| one.mechanism));
            }
        }
        let undeclared = shown.iter().find(|mechanism| !rule.limits.contains(mechanism));
        assert_eq!(undeclared, None, "{} limits in a way that it does not declare", rule.code);
        let silent = rule.limits.iter().filter(|mechanism| !shown.contains(mechanism));
        unshown.extend(silent.map(|mechanism| format!("{} {mechanism:?}", rule.code)));
    }
    // What no case shows of what is declared: this list only gets shorter.
    unshown.sort_unstable();
    insta::assert_snapshot!("limits_unshown", unshown.join("\n"));
}

/// Findings of one severity about a database's time are in the order of the time that they are about, as each says itself.
#[test]
fn findings_of_reports_are_ranked_by_their_share_of_db_time() {
    let shares = |code: &str| {
        let fires = &case(code, "fires/plain").run;
        let assessment = assess(fires);
        let found = assessment.findings.iter().find(|finding| finding.code == code);
        (found.and_then(|finding| finding.db_time_share), fires.clone())
    };
    let (commits, one) = shares("commit-wait-log-write");
    let (reads, other) = shares("single-block-read-slow");
    let (switches, _) = shares("log-switch-waits");
    for share in [commits, reads, switches] {
        assert!(share.is_some_and(|share| share > 0.0 && share <= 1.0), "{share:?}");
    }
    let mut run = one;
    run.reports.extend(other.reports);
    let ranked = assess(&run).findings;
    let of_reports: Vec<f64> = ranked
        .iter()
        .filter(|finding| finding.severity == Severity::Warning)
        .filter_map(|finding| finding.db_time_share)
        .collect();
    assert!(of_reports.len() >= 2, "{ranked:?}");
    assert!(of_reports.windows(2).all(|pair| pair[0] >= pair[1]), "{of_reports:?}");
}

/// Every rule explains itself under the same headings, and says when it passes.
#[test]
fn explanations_have_the_same_headings() {
    const HEADINGS: [&str; 5] = ["What it checks", "Why it matters", "Evidence", "Remedy", "Source"];
    for rule in rules() {
        let text = rule.explanation();
        let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# ")).collect();
        let listed = if rule.thresholds.is_empty() { &[][..] } else { &["Thresholds"] };
        assert_eq!(headings, [&HEADINGS, listed].concat(), "{}", rule.code);
        assert!(!text.contains("Fires when"), "{}: say \"Passes when\" or \"Passes unless\"", rule.code);
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

/// What each rule checks, in its own words: one list, to be read by a person.
#[test]
fn first_sentences_are_as_reviewed() {
    let first = |rule: &Rule| {
        let text = rule.explanation();
        let (_, text) = text.split_once("# What it checks").expect("the heading");
        let words = text.split("\n\n").map(str::trim).find(|part| !part.is_empty()).expect("a paragraph");
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{}: {}", rule.code, words.split_inclusive(". ").next().unwrap_or_default().trim())
    };
    let mut sentences: Vec<String> = rules().map(first).collect();
    sentences.sort();
    insta::assert_snapshot!("first_sentences", sentences.join("\n"));
}
