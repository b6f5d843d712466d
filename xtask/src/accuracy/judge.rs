//! Scores the answers against the expectations, by the rules of the bench.

use super::answer::{self, text};
use super::scenario::{Scenario, pattern};
use anyhow::{Context, Result};
use serde_json::Value;

/// Verdicts that accuse no one.
const HEALTHY: [&str; 4] = ["full-wire", "good", "unknown", ""];

/// Why the answers do not pass; empty if they do.
pub(super) fn wrong(scenario: &Scenario, answers: &[Value]) -> Result<Vec<String>> {
    let Some(first) = answers.first() else { return Ok(vec!["no answer".to_owned()]) };
    let mut wrong = Vec::new();
    if let Some(expected) = scenario.one("expect-layer") {
        let layer = answer::layer(first, scenario.pattern("expect-any")?.as_ref());
        if !expected.split('|').any(|one| one == layer) {
            wrong.push(format!("layer {layer}"));
        }
    }
    wrong.extend(accused(scenario, answers)?);
    wrong.extend(verdicts(scenario, answers));
    wrong.extend(causes(scenario, answers)?);
    wrong.extend(healed(scenario, answers)?);
    wrong.extend(values(scenario, answers)?);
    wrong.extend(healthy(scenario, answers)?);
    Ok(wrong)
}

/// `expect-any`, `expect-not` and `expect-primary-not`.
fn accused(scenario: &Scenario, answers: &[Value]) -> Result<Vec<String>> {
    let accused: Vec<&str> = answers.iter().flat_map(answer::accusations).collect();
    let mut wrong = Vec::new();
    if scenario.pattern("expect-any")?.is_some_and(|fault| !accused.iter().any(|text| fault.is_match(text))) {
        wrong.push("fault not named".to_owned());
    }
    if let Some(innocent) = scenario.pattern("expect-primary-not")? {
        let primary = answer::causes(answers, Some("primary"));
        let hit = primary.iter().find(|cause| innocent.is_match(&answer::blamed(cause)));
        wrong.extend(hit.map(|cause| format!("wrongly primary {}", text(cause, "code"))));
    }
    if let Some(innocent) = scenario.pattern("expect-not")? {
        let hit = accused.iter().find(|text| innocent.is_match(text));
        wrong.extend(hit.map(|text| format!("wrongly blames “{text}”")));
    }
    Ok(wrong)
}

fn verdicts(scenario: &Scenario, answers: &[Value]) -> Option<String> {
    let refused: Vec<&str> = scenario.one("expect-verdict-not")?.split('|').collect();
    let verdict =
        answers.iter().map(|answer| text(answer, "verdict")).find(|verdict| refused.contains(verdict))?;
    Some(format!("verdict {verdict}"))
}

/// `expect-primary`, `expect-cause` and `expect-next`: each pattern must be found.
fn causes(scenario: &Scenario, answers: &[Value]) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for (word, role) in [("primary", Some("primary")), ("cause", None), ("next", Some("next"))] {
        let named = answer::causes(answers, role);
        for expression in scenario.all(&format!("expect-{word}")) {
            let expected = pattern(expression)?;
            if !named.iter().any(|cause| expected.is_match(&answer::blamed(cause))) {
                let codes: Vec<&str> = named.iter().map(|cause| text(cause, "code")).take(3).collect();
                let said = if codes.is_empty() { "absent".to_owned() } else { codes.join(", ") };
                wrong.push(format!("{word} is {said}, not {expression}"));
            }
        }
    }
    Ok(wrong)
}

fn healed(scenario: &Scenario, answers: &[Value]) -> Result<Option<String>> {
    let Some(bounds) = scenario.one("expect-healed") else { return Ok(None) };
    let (low, high) = range(bounds)?;
    let (promised, healed) = answer::promised_and_healed(answers);
    let kept = match (promised, healed) {
        (Some(promised), Some(healed)) if promised > 0.0 => (low..=high).contains(&(healed / promised)),
        _ => false,
    };
    let shown =
        |value: Option<f64>| value.map_or_else(|| "nothing".to_owned(), |value| format!("{value:.4e}"));
    let asked_again = answers.len() > 1;
    Ok((!kept || !asked_again).then(|| format!("promised {}, healed {}", shown(promised), shown(healed))))
}

fn values(scenario: &Scenario, answers: &[Value]) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for rule in scenario.all("expect-value") {
        let (path, bounds) =
            rule.split_once(' ').with_context(|| format!("{}: expect-value: {rule}", scenario.name))?;
        let (low, high) = range(bounds.trim())?;
        let steps: Vec<&str> = path.split('.').collect();
        let found: Vec<f64> = answers.iter().flat_map(|answer| answer::values(answer, &steps)).collect();
        if !found.iter().any(|value| (low..=high).contains(value)) {
            let shown = found.first().map_or_else(|| "absent".to_owned(), f64::to_string);
            wrong.push(format!("{path} is {shown}"));
        }
    }
    Ok(wrong)
}

/// `expect-healthy`: no verdict and no finding that accuses, except for those that are allowed.
fn healthy(scenario: &Scenario, answers: &[Value]) -> Result<Vec<String>> {
    if !scenario.is_healthy() {
        return Ok(Vec::new());
    }
    let allowed = scenario.pattern("allow")?;
    let is_allowed =
        |finding: &Value| allowed.as_ref().is_some_and(|allowed| allowed.is_match(&answer::said(finding)));
    let verdicts =
        answers.iter().map(|answer| text(answer, "verdict")).filter(|verdict| !HEALTHY.contains(verdict));
    let alarms = answers.iter().flat_map(answer::severe).filter(|finding| !is_allowed(finding));
    let alarms = alarms.map(|finding| format!("warns of {}", text(finding, "code")));
    Ok(verdicts.map(|verdict| format!("verdict {verdict}")).chain(alarms).collect())
}

/// `LOW..HIGH`
fn range(text: &str) -> Result<(f64, f64)> {
    let bounds = text.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    bounds.with_context(|| format!("read the range {text}: LOW..HIGH is meant"))
}
