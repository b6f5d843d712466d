//! The topology as nested lists.

use crate::report::{Node, Report};
use maud::{Markup, html};

pub(super) fn topology(report: &Report<'_>) -> Markup {
    html! {
        @if !report.topology.is_empty() {
            h2 id="topology" { "Topology" }
            section class="card" {
                ul class="tree" { @for root in &report.topology { (node(report, root)) } }
            }
        }
    }
}

fn node(report: &Report<'_>, drawn: &Node<'_>) -> Markup {
    html! {
        li {
            span class={ "node" @if drawn.broken { " broken" } } { @if drawn.broken { "✖ " } (drawn.name) }
            span class="details" { (drawn.details.join(" · ")) }
            @for finding in &drawn.findings {
                a class={ "pin " (finding.severity.name()) } href={ "#" (report.anchor(finding)) } { (finding.code) }
            }
            @if !drawn.children.is_empty() {
                ul { @for child in &drawn.children { (node(report, child)) } }
            }
        }
    }
}
