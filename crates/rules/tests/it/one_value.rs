//! A kernel parameter has one value in all advice of a report, whatever rules name it.

use super::fixtures::{case, fires};
use super::merge;
use fullwire_model::Run;
use fullwire_model::assessment::{Finding, Phase};
use fullwire_model::json::{of_tree, tree};
use fullwire_rules::{Facts, Outcome, Rule, assess, rules};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What advice sets now: the values of each key on each host.
fn values<'a>(
    findings: impl IntoIterator<Item = &'a Finding>,
) -> BTreeMap<(String, String), BTreeSet<String>> {
    let mut found: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for step in findings.into_iter().flat_map(|finding| finding.advice.phase(Phase::Now)) {
        let set = step.run.as_deref().and_then(|run| run.strip_prefix("sysctl -w ")?.split_once('='));
        if let Some((key, value)) = set {
            found.entry((step.on.clone(), key.to_owned())).or_default().insert(value.to_owned());
        }
    }
    found
}

fn said(rule: &Rule, facts: &Facts<'_>) -> Vec<Finding> {
    let outcomes = (rule.check)(facts).into_iter();
    outcomes.filter_map(|one| if let Outcome::Fires(finding) = one { Some(*finding) } else { None }).collect()
}

/// A rule that writes kernel parameters, a case in which it does, and what it writes in any of its cases.
struct Writing {
    rule: &'static Rule,
    run: Value,
    keys: Rc<BTreeSet<String>>,
}

fn writing() -> Vec<Writing> {
    let mut all = Vec::new();
    for rule in rules() {
        let cases = fires(rule).map(|case| (&case.run, values(&said(rule, &Facts::of(&case.run)))));
        let cases: Vec<_> = cases.filter(|(_, set)| !set.is_empty()).collect();
        let keys = cases.iter().flat_map(|(_, set)| set.keys().map(|(_, key)| key.clone()));
        let keys = Rc::new(keys.collect());
        let each =
            cases.iter().map(|(run, _)| Writing { rule, run: tree(run).unwrap(), keys: Rc::clone(&keys) });
        all.extend(each);
    }
    all
}

#[test]
fn two_rules_never_give_a_key_two_values() {
    let all = writing();
    assert!(all.len() > 30, "{}", all.len());
    let mut disputed = 0;
    let mut writers: Vec<&Rule> = all.iter().map(|one| one.rule).collect();
    writers.dedup_by_key(|rule| rule.code);
    for (place, one) in all.iter().enumerate() {
        // Rules that never name the same key cannot differ.
        for other in all[place + 1..].iter().filter(|other| !other.keys.is_disjoint(&one.keys)) {
            let mut both = one.run.clone();
            merge(&mut both, &other.run);
            let run: Run = of_tree(&both).unwrap();
            let facts = Facts::of(&run);
            let each: Vec<Finding> = writers.iter().flat_map(|rule| said(rule, &facts)).collect();
            if values(&each).values().all(|values| values.len() == 1) {
                continue;
            }
            disputed += 1;
            for (key, values) in values(&assess(&run).findings) {
                assert_eq!(values.len(), 1, "{key:?}: {values:?}");
            }
        }
    }
    assert!(disputed > 0, "no two rules want different values: nothing was tried");
}

/// A host that drops datagrams, with Oracle, and TCP buffers above the largest of a socket.
#[test]
fn the_largest_value_is_the_one() {
    let mut run = case("udp-receive-drops", "fires/plain").run.clone();
    run.host.sysctls.insert("net.core.rmem_max".into(), "3145728".into());
    run.host.sysctls.insert("net.core.rmem_default".into(), "212992".into());
    run.host.sysctls.insert("net.ipv4.tcp_rmem".into(), "4096 131072 4194304".into());
    let oracle = r#"[{ "kind": "oracle", "name": "ORCL" }]"#;
    run.host.databases = serde_json::from_str(oracle).unwrap();
    let findings = assess(&run).findings;
    let naming: Vec<&Finding> = findings
        .iter()
        .filter(|one| {
            one.advice
                .steps
                .iter()
                .any(|step| step.run.as_deref().is_some_and(|run| run.contains("net.core.rmem_max=")))
        })
        .collect();
    assert!(naming.len() > 1, "{naming:#?}");
    let all: BTreeSet<String> = values(naming.iter().copied())
        .into_iter()
        .filter(|((_, key), _)| key == "net.core.rmem_max")
        .flat_map(|(_, values)| values)
        .collect();
    assert_eq!(all, BTreeSet::from(["6291456".to_owned()]));
    for finding in naming {
        let kept = |value: &str| {
            finding
                .advice
                .phase(Phase::Persist)
                .any(|step| step.run.as_deref().is_some_and(|run| run.contains(value)))
        };
        assert!(kept("net.core.rmem_max = 6291456"), "{finding:#?}");
    }
}
