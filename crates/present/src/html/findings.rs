//! Findings with evidence and remedy.

use crate::report::{Report, layer_name, severity_name};
use fullwire_model::assessment::Finding;
use maud::{Markup, html};

pub(super) fn findings(report: &Report<'_>) -> Markup {
    html! {
        h2 id="findings" { "Findings" }
        @if report.findings.is_empty() {
            p class="card" { "None." }
        }
        @for finding in report.findings { (draw(finding)) }
    }
}

fn draw(finding: &Finding) -> Markup {
    let severity = severity_name(finding.severity);
    let advice = &finding.advice;
    let steps = [("Now", &advice.now), ("Lasting", &advice.persist), ("Way back", &advice.undo)];
    html! {
        article class={ "card finding " (severity) } id={ "finding-" (finding.code) } {
            header {
                span class={ "severity " (severity) } { (severity) }
                code { (finding.code) }
                span class="muted" { (layer_name(finding.layer)) " · " (finding.subject) }
            }
            p { (finding.message) }
            dl {
                @for evidence in &finding.evidence {
                    dt { "Seen" }
                    dd { (evidence.text) @if !evidence.source.is_empty() { " " span class="muted" { "(" (evidence.source) ")" } } }
                }
                @if !advice.why.is_empty() { dt { "Why" } dd { (advice.why) } }
                @for (name, steps) in steps {
                    @if !steps.is_empty() { dt { (name) } dd { @for step in steps { pre { (step) } } } }
                }
                @if !advice.expect.is_empty() { dt { "Expect" } dd { (advice.expect) } }
            }
        }
    }
}
