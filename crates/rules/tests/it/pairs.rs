//! Two faults at the same time: the cases of every pair of rules that explain a figure, laid over one another.
//!
//! The snapshot is the whole matrix: for each pair what is named as the primary cause. A line that changes says which
//! pairs a change of the table of mechanisms or of a bound decides in another way.

use super::fixtures::fires;
use super::merge;
use fullwire_model::Run;
use fullwire_model::assessment::{Assessment, Role};
use fullwire_model::json::{of_tree, tree};
use fullwire_rules::{Facts, Outcome, Rule, assess, rules};
use serde_json::Value;
use std::collections::BTreeMap;

/// A rule with the first of its fixtures in which it explains a figure.
struct Limiting {
    rule: &'static Rule,
    run: Value,
}

fn limiting() -> Vec<Limiting> {
    let explains = |rule: &Rule, run: &Run| {
        (rule.check)(&Facts::of(run))
            .iter()
            .any(|outcome| matches!(outcome, Outcome::Fires(finding) if !finding.explains.is_empty()))
    };
    let found = rules().filter_map(|rule| {
        // The plain one is the first: another case of a rule is no reason for another matrix.
        let run = fires(rule).map(|case| &case.run).find(|run| explains(rule, run))?;
        Some(Limiting { rule, run: tree(run).unwrap() })
    });
    found.collect()
}

/// The code of the primary cause, and whether the two of a pair are both among the causes of the judged figure.
fn answer(assessment: &Assessment, pair: [&str; 2]) -> Option<String> {
    let both = |path: &&fullwire_model::assessment::PathAssessment| {
        pair.iter().all(|code| path.causes.iter().any(|cause| cause.code == *code))
    };
    let path = assessment.paths.iter().find(both)?;
    let primary = path.causes.iter().find(|cause| cause.role == Role::Primary)?;
    Some(primary.code.clone())
}

#[test]
fn every_pair_of_faults_has_one_primary_cause() {
    let all = limiting();
    let mut matrix: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (place, one) in all.iter().enumerate() {
        for other in &all[place + 1..] {
            let pair = [one.rule.code, other.rule.code];
            let judged = |first: &Value, second: &Value| {
                let mut run = second.clone();
                merge(&mut run, first);
                assess(&of_tree(&run).unwrap())
            };
            let Some(primary) = answer(&judged(&one.run, &other.run), pair) else { continue };
            matrix.entry(pair[0]).or_default().push(format!("{}: {primary}", pair[1]));
        }
    }
    let lines: Vec<String> =
        matrix.iter().map(|(code, pairs)| format!("{code}\n  with {}", pairs.join("\n  with "))).collect();
    insta::assert_snapshot!("pairs", lines.join("\n"));
}
