//! The page: shares, the matrix of layers, the codes, what was wrong in which scenario.

use super::answer;
use super::outcome::ScenarioOutcome;
use super::scenario::{Scenario, pattern};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

const LAYERS: [&str; 5] = ["network", "storage", "host", "database", "none"];

pub(super) fn write(outcomes: &[ScenarioOutcome], commit: &str, experiments: Option<&Value>) -> String {
    let sections = [
        head(outcomes, commit),
        shares(outcomes),
        layers(outcomes),
        codes(outcomes),
        alarms(outcomes),
        promises(outcomes),
        experiments.map(experiments_section).unwrap_or_default(),
        each(outcomes),
    ];
    let mut page: Vec<String> = sections.into_iter().filter(|section| !section.is_empty()).collect();
    page.push(String::new());
    page.join("\n").trim_end().to_owned() + "\n"
}

fn head(outcomes: &[ScenarioOutcome], commit: &str) -> String {
    let answers = || outcomes.iter().flat_map(|outcome| &outcome.answers);
    let kernels: BTreeSet<&str> = answers().filter_map(answer::kernel).collect();
    let versions: BTreeSet<&str> = answers().map(|answer| answer::text(answer, "tool_version")).collect();
    let days: BTreeSet<&str> = answers().filter_map(answer::day).collect();
    let listed =
        |set: BTreeSet<&str>| set.into_iter().filter(|one| !one.is_empty()).collect::<Vec<_>>().join(", ");
    format!(
        "# Accuracy

What fullwire reported about faults that were made on purpose and verified with other tools. `cargo xtask accuracy` writes this
page from the output of the fault bench; it contains only what was run. Three tables are kept apart: known scenarios, which were there
while the rules were written; first answers to fresh draws; incidents from public reports when they were first run.

| | |
|---|---|
| fullwire | {} (commit {commit}) |
| guest kernel | {} |
| run on | {} |
",
        listed(versions),
        listed(kernels),
        listed(days)
    )
}

/// What `cargo xtask bench experiments` left: how often `prove` said what was so.
fn experiments_section(results: &Value) -> String {
    let text = |key: &str| results[key].as_str().unwrap_or("?").to_owned();
    let mut section = format!(
        "## Experiments

`cargo xtask bench experiments` ran `fullwire prove` on real paths of one host (6 pairs each, one second per run), some with no change and some with a change of known size. Right means: neither better nor worse if there was no change that matters, otherwise the direction of the change. Commit {}, kernel {}, {}. {}

| state | experiments | better | worse | no difference | cannot tell | right | interval holds the truth | its median width |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
",
        text("commit"),
        text("kernel"),
        text("date"),
        results["note"].as_str().unwrap_or_default()
    );
    for row in results["experiments"].as_array().into_iter().flatten() {
        let count = |key: &str| row[key].as_u64().map_or_else(|| "-".to_owned(), |count| count.to_string());
        let width = row["interval_width_median"].as_f64();
        let _ = writeln!(
            section,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            row["name"].as_str().unwrap_or("?"),
            count("experiments"),
            count("better"),
            count("worse"),
            count("no_difference"),
            count("cannot_tell"),
            count("right"),
            count("interval_holds"),
            width.map_or_else(|| "-".to_owned(), |width| format!("{:.1} %", width * 100.0)),
        );
    }
    section
}

/// How many of each kind of scenario passed.
fn shares(outcomes: &[ScenarioOutcome]) -> String {
    let is =
        |kind: &'static str| move |scenario: &Scenario| scenario.kind() == kind && !scenario.is_healthy();
    let single =
        |scenario: &Scenario| !matches!(scenario.kind(), "compound" | "heal") && !scenario.is_healthy();
    let rows = [
        ("one fault", share(outcomes, single)),
        ("two faults at once", share(outcomes, is("compound"))),
        ("two faults at once: the binding one named", binding_named(outcomes)),
        ("one fault, then the advised steps", share(outcomes, is("heal"))),
        ("no fault", share(outcomes, Scenario::is_healthy)),
        ("all", share(outcomes, |_| true)),
    ];
    let mut text =
        "## Known scenarios\n\n| scenarios | passed | of | share |\n|---|---:|---:|---:|\n".to_owned();
    for (label, (passed, all)) in rows {
        if all > 0 {
            let _ = writeln!(text, "| {label} | {passed} | {all} | {} % |", percent(passed, all));
        }
    }
    text
}

fn share(outcomes: &[ScenarioOutcome], wanted: impl Fn(&Scenario) -> bool) -> (usize, usize) {
    let wanted: Vec<&ScenarioOutcome> = outcomes.iter().filter(|outcome| wanted(&outcome.scenario)).collect();
    (wanted.iter().filter(|outcome| outcome.passed()).count(), wanted.len())
}

/// Of the scenarios of two faults, those whose first answer named the one that binds, whatever it said of the other.
fn binding_named(outcomes: &[ScenarioOutcome]) -> (usize, usize) {
    let compound = outcomes.iter().filter(|outcome| outcome.scenario.kind() == "compound");
    let asked: Vec<bool> = compound
        .filter_map(|outcome| Some(is_right(outcome.answers.first()?, expected(&outcome.scenario)?)))
        .collect();
    (asked.iter().filter(|right| **right).count(), asked.len())
}

fn percent(part: usize, whole: usize) -> usize {
    (part * 200 + whole) / (whole * 2)
}

/// Expected layers against the layer of the first answer.
fn layers(outcomes: &[ScenarioOutcome]) -> String {
    let mut rows = BTreeMap::<String, BTreeMap<&str, usize>>::new();
    for outcome in outcomes {
        let said = said_layer(outcome);
        let row = outcome.scenario.expected_layer().replace('|', " or ");
        *rows.entry(row).or_default().entry(said).or_default() += 1;
    }
    let mut text = format!(
        "## Layers\n\nRows: the fault. Columns: the layer named by the first answer.\n\n| | {} | no answer |\n|---|{}\n",
        LAYERS.join(" | "),
        "---:|".repeat(LAYERS.len() + 1)
    );
    for (expected, said) in rows {
        let counts = LAYERS.iter().chain(&["no answer"]).map(|layer| count(said.get(layer)));
        let _ = writeln!(text, "| {expected} | {} |", counts.collect::<Vec<_>>().join(" | "));
    }
    text
}

fn said_layer(outcome: &ScenarioOutcome) -> &str {
    let fault = outcome.scenario.pattern("expect-any").ok().flatten();
    let layer = outcome.answers.first().map(|first| answer::layer(first, fault.as_ref()));
    layer.map_or("no answer", |layer| LAYERS.into_iter().find(|known| *known == layer).unwrap_or("none"))
}

fn count(count: Option<&usize>) -> String {
    count.map_or_else(String::new, usize::to_string)
}

/// Each code that was named as what limits, and in which scenarios it was right and wrong. Where nothing is at fault
/// something limits too, so those scenarios are not here.
fn codes(outcomes: &[ScenarioOutcome]) -> String {
    let mut rows = BTreeMap::<&str, [Vec<&str>; 2]>::new();
    for outcome in outcomes.iter().filter(|outcome| !outcome.scenario.is_healthy()) {
        let (Some(first), Some(expected)) = (outcome.answers.first(), expected(&outcome.scenario)) else {
            continue;
        };
        let code = answer::named(first);
        let right = is_right(first, expected);
        rows.entry(code).or_default()[usize::from(!right)].push(&outcome.scenario.name);
    }
    if rows.is_empty() {
        return String::new();
    }
    let mut text = "## Codes

What the first answer named as the cause (its primary cause, otherwise its bottleneck, otherwise its worst finding), and whether that was the fault.

| code | right | wrong | wrong in |
|---|---:|---:|---|
"
    .to_owned();
    for (code, [right, wrong]) in rows {
        let _ = writeln!(text, "| {code} | {} | {} | {} |", right.len(), wrong.len(), wrong.join(", "));
    }
    text
}

/// What should be named as the cause: `expect-primary` or, of a single fault that limits something, `expect-any`.
fn expected(scenario: &Scenario) -> Option<&str> {
    let limits = |layers: &str| layers.split('|').all(|layer| layer != "none");
    let single =
        || scenario.one("expect-layer").filter(|layers| limits(layers)).and(scenario.one("expect-any"));
    scenario.one("expect-primary").or_else(single)
}

/// Whether what the answer names, its code or its subject, is what was expected.
fn is_right(first: &serde_json::Value, expected: &str) -> bool {
    let culprits = answer::culprits(first);
    pattern(expected).is_ok_and(|expected| culprits.iter().any(|one| expected.is_match(&answer::blamed(one))))
}

/// What was said against a host without a fault, and against the innocent in one with a fault.
fn alarms(outcomes: &[ScenarioOutcome]) -> String {
    let wrongly = |why: &&String| why.starts_with("wrongly");
    let healthy = |outcome: &&ScenarioOutcome| outcome.scenario.is_healthy();
    let quiet = outcomes.iter().filter(healthy).filter(|outcome| outcome.passed()).count();
    let all = outcomes.iter().filter(healthy).count();
    let mut lines = Vec::new();
    for outcome in outcomes {
        let is_alarm = |why: &&String| outcome.scenario.is_healthy() || wrongly(why);
        let hits: Vec<&str> = outcome.wrong.iter().filter(is_alarm).map(String::as_str).collect();
        if !hits.is_empty() {
            lines.push(format!("- {}: {}", outcome.scenario.name, cell(&hits.join(", "))));
        }
    }
    let accused = outcomes.iter().filter(|outcome| !outcome.scenario.is_healthy());
    let accused = accused.filter(|outcome| outcome.wrong.iter().any(|why| wrongly(&why))).count();
    let mut text = format!(
        "## False alarms\n\n{} of {all} healthy scenarios raised an alarm; {accused} of {} others blamed something harmless.\n",
        all - quiet,
        outcomes.len() - all
    );
    if !lines.is_empty() {
        let _ = writeln!(text, "\n{}", lines.join("\n"));
    }
    text
}

/// What was promised, and what was there after the advised steps.
fn promises(outcomes: &[ScenarioOutcome]) -> String {
    let mut text = "## Healed

The advised steps were run on the hosts, and the measurement was repeated. Values in units of the measurement.

| scenario | required share | predicted | measured | share |
|---|---|---:|---:|---:|
"
    .to_owned();
    let mut any = false;
    for outcome in outcomes {
        let Some(wanted) = outcome.scenario.one("expect-healed") else { continue };
        any = true;
        let (promised, healed) = answer::promised_and_healed(&outcome.answers);
        let share = promised
            .zip(healed)
            .filter(|(promised, _)| *promised > 0.0)
            .map(|(promised, healed)| healed / promised);
        let figure =
            |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| format!("{value:.0}"));
        let share = share.map_or_else(String::new, |share| format!("{share:.2}"));
        let name = &outcome.scenario.name;
        let _ = writeln!(text, "| {name} | {wanted} | {} | {} | {share} |", figure(promised), figure(healed));
    }
    if any { text } else { String::new() }
}

/// Every scenario with what was said and what was wrong with it.
fn each(outcomes: &[ScenarioOutcome]) -> String {
    let mut text =
        "## Every scenario\n\n| scenario | result | named | why it failed |\n|---|---|---|---|\n".to_owned();
    for outcome in outcomes {
        let result = if outcome.passed() { "passed" } else { "failed" };
        let named = outcome.answers.first().map_or("no answer", answer::named);
        let why = cell(&outcome.wrong.join("; "));
        let _ = writeln!(text, "| {} | {result} | {named} | {why} |", outcome.scenario.name);
    }
    text
}

/// Fit for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
