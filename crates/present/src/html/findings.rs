//! Findings with evidence and remedy.

use crate::report::{Files, PhaseSteps, Report, plans, sentence};
use fullwire_model::assessment::Finding;
use maud::{Markup, html};

pub(super) fn findings(report: &Report<'_>) -> Markup {
    html! {
        h2 id="findings" { "Findings" }
        @if report.findings.is_empty() {
            p class="card" { "None." }
        }
        @for finding in report.findings { (draw(finding, &report.anchor(finding), &report.files)) }
    }
}

fn draw(finding: &Finding, anchor: &str, files: &Files) -> Markup {
    let severity = finding.severity.name();
    let advice = &finding.advice;
    html! {
        article class={ "card finding " (severity) } id=(anchor) {
            header {
                span class={ "severity " (severity) } { (severity) }
                code { (finding.code) }
                span class="muted" { (finding.layer.name()) " · " (finding.subject) }
            }
            p { (prose(&finding.message)) }
            dl {
                @for evidence in &finding.evidence {
                    dt { "Seen" }
                    dd { (evidence.text) @if !evidence.source.is_empty() { " " span class="muted" { "(" (files.shorten(&evidence.source)) ")" } } }
                }
                @if !advice.why.is_empty() { dt { "Why" } dd { (prose(&advice.why)) } }
                @for plan in plans(advice) { (draw_steps(&plan)) }
                @if !advice.expect.is_empty() { dt { "Expect" } dd { (prose(&advice.expect)) } }
            }
        }
    }
}

fn draw_steps(plan: &PhaseSteps<'_>) -> Markup {
    html! {
        dt { (plan.name) @if plan.in_window { br; span class="muted" { "in a maintenance window" } } }
        dd {
            @for step in &plan.steps {
                p { (prose(&sentence(step))) }
                @for condition in step.checks.iter().map(|check| &check.text).chain(&step.needs) { p class="muted" { "if " (prose(condition)) } }
                @if let Some(run) = &step.run { pre { (run) } }
            }
        }
    }
}

/// Text with what is between backticks as code; as it is when a backtick has no partner.
fn prose(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! {
        @for (index, part) in parts.into_iter().enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_between_backticks_are_code() {
        assert_eq!(prose("run `ls <a>` now").into_string(), "run <code>ls &lt;a&gt;</code> now");
        assert_eq!(prose("a lone ` stays").into_string(), "a lone ` stays");
    }
}
