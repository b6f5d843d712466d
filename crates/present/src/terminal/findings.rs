//! Findings worst first, then what passed, what is unknown, and the gaps.

use super::text::{Line, Role, Text, WIDTH, cut};
use super::{head, severity};
use crate::format;
use crate::report::{Plan, Report, layer_name, plans, sentence};
use fullwire_model::assessment::{Finding, Severity};
use std::collections::BTreeMap;

/// Names no more subjects of one reason than this on a terminal; the JSON has all.
const MOST_SUBJECTS: usize = 12;

/// Where the text of a finding begins.
const INDENT: usize = 12;

const SEVERITIES: [Severity; 3] = [Severity::Critical, Severity::Warning, Severity::Info];

/// How many findings there are of each kind.
pub(super) fn summary(report: &Report<'_>) -> Text {
    let mut line = Line::new();
    for of in SEVERITIES.into_iter().filter(|of| report.count(*of) > 0) {
        let (role, name) = severity(of);
        line = line.add(role, format!("{name} {}", report.count(of))).plain("   ");
    }
    let (passed, unknown) = (report.passed.len(), report.unknowns.len());
    let mut text = Text::new();
    text.push(
        line.add(Role::Good, format!("✔ passed {passed}")).plain("   ").dim(format!("? unknown {unknown}")),
    );
    text.gap();
    text
}

/// Every finding with its evidence and remedy.
pub(super) fn findings(report: &Report<'_>) -> Text {
    let mut text = Text::new();
    if report.findings.is_empty() {
        text.push(head("Findings").add(Role::Good, "  none"));
        text.gap();
        return text;
    }
    let counted: Vec<String> = SEVERITIES
        .into_iter()
        .filter(|of| report.count(*of) > 0)
        .map(|of| format!("{} {}", report.count(of), crate::report::severity_name(of)))
        .collect();
    text.push(head("Findings").dim(format!("  {}", counted.join(", "))));
    for finding in report.findings {
        text.gap();
        text.append(draw(finding));
    }
    text.gap();
    text
}

fn draw(finding: &Finding) -> Text {
    let mut text = Text::new();
    let (role, name) = severity(finding.severity);
    let whose = format!("{} · {}", layer_name(finding.layer), cut(&finding.subject, 32));
    let begin = Line::new().add(role, name).to(12).strong(&finding.code);
    text.push(if begin.width() + whose.len() + 2 > WIDTH {
        begin
    } else {
        begin.right(WIDTH, Role::Dim, &whose)
    });
    text.wrap(Line::new().plain("  "), Role::Plain, &finding.message);
    for (position, evidence) in finding.evidence.iter().enumerate() {
        let begin = field(if position == 0 { "seen" } else { "" });
        let source =
            if evidence.source.is_empty() { String::new() } else { format!("  ({})", evidence.source) };
        text.wrap(begin, Role::Dim, &format!("{}{source}", evidence.text));
    }
    let advice = &finding.advice;
    if !advice.why.is_empty() {
        text.wrap(field("why"), Role::Plain, &advice.why);
    }
    for plan in plans(advice) {
        text.append(draw_steps(&plan));
    }
    if !advice.expect.is_empty() {
        text.wrap(field("expect"), Role::Plain, &advice.expect);
    }
    text
}

/// One group of steps: what it needs before, then what is done, with the command below.
fn draw_steps(plan: &Plan<'_>) -> Text {
    let mut text = Text::new();
    for (position, step) in plan.steps.iter().enumerate() {
        if position == 0 && plan.in_window {
            text.push(
                Line::new().plain("  ").add(Role::Warn, format!("{}, in a maintenance window", plan.name)),
            );
        }
        let name = if position == 0 && !plan.in_window { plan.name } else { "" };
        text.wrap(field(name), Role::Plain, &sentence(step));
        for condition in &step.needs {
            text.wrap(Line::new().to(INDENT).dim("if "), Role::Dim, condition);
        }
        if let Some(run) = &step.run {
            // Not wrapped: it is to be copied.
            text.push(Line::new().to(INDENT).add(Role::Code, run));
        }
    }
    text
}

fn field(name: &str) -> Line {
    Line::new().plain("  ").dim(name).to(INDENT)
}

/// Rules that could not be decided, by what is missing.
pub(super) fn unknowns(report: &Report<'_>) -> Text {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for unknown in report.unknowns {
        by_reason.entry(&unknown.reason).or_default().push(&unknown.code);
    }
    let mut text = Text::new();
    if by_reason.is_empty() {
        return text;
    }
    text.push(head("Unknown").dim(format!("  {} rules could not be decided", report.unknowns.len())));
    for (reason, codes) in by_reason {
        text.wrap(Line::new().plain("  "), Role::Plain, reason);
        text.wrap(Line::new().plain("    "), Role::Dim, &listed(&codes));
    }
    text.gap();
    text
}

/// What passed, what is unknown, and every gap.
pub(super) fn rest(report: &Report<'_>) -> Text {
    let mut text = Text::new();
    let (passed, unknown) = (report.passed.len(), report.unknowns.len());
    if passed + unknown > 0 && report.title.command != "check" {
        let unknown = match unknown {
            0 => String::new(),
            _ => format!("; {unknown} need facts that are not in this report (-v lists them)"),
        };
        text.wrap(head("Checks").plain("  "), Role::Dim, &format!("{passed} passed{unknown}"));
        text.gap();
    }
    text.append(gaps(report));
    text.push(foot(report));
    text
}

fn gaps(report: &Report<'_>) -> Text {
    let mut text = Text::new();
    if report.gaps.is_empty() {
        return text;
    }
    text.push(head("Gaps").dim(format!("  {} things could not be read or measured", report.gaps.len())));
    let mut groups: BTreeMap<(String, &str), Vec<&str>> = BTreeMap::new();
    for gap in &report.gaps {
        groups.entry((gap.reason.to_string(), &gap.detail)).or_default().push(&gap.subject);
    }
    for ((reason, detail), subjects) in groups {
        text.wrap(Line::new().plain("  ").add(Role::Warn, reason).to(14), Role::Plain, &listed(&subjects));
        if !detail.is_empty() {
            text.wrap(Line::new().to(14), Role::Dim, detail);
        }
    }
    text.gap();
    text
}

fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(MOST_SUBJECTS).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_SUBJECTS) {
        0 => shown,
        more => format!("{shown} and {more} more (--json has all)"),
    }
}

fn foot(report: &Report<'_>) -> Line {
    let took = format!("took {}", format::duration(report.title.duration_s));
    let line = Line::new().dim(took);
    match report.title.run_id {
        "" => line,
        run_id => line.dim(format!(" · fullwire report {run_id} -o report.html draws it")),
    }
}
