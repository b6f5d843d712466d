//! A comparison as its own page: the answer, both sides' curves over each other, the configuration.

use super::{CHART_SCRIPTS, STYLE, UPLOT_STYLE, charts, charts_by, document, drawn, head, table};
use crate::Printed;
use crate::report::{Chart, ComparisonReport, overlays};
use fullwire_model::Run;
use fullwire_model::comparison::Answer;
use maud::{Markup, html};

/// The whole page.
pub fn comparison(report: &ComparisonReport<'_>, a: &[&Run], b: &[&Run]) -> Printed {
    let all = overlays(report.comparison, a, b);
    let version = b.last().map_or("", |run| run.tool_version.as_str());
    let title = format!("fullwire diff: {}", report.sides);
    let body = html! {
        (header(report))
        main { (sections(report, &all)) }
        footer { (charts_by()) }
        (drawn(&all))
    };
    document(&head(version, &title, &[UPLOT_STYLE, STYLE], &CHART_SCRIPTS), ["figures", "figures"], &body)
}

fn header(report: &ComparisonReport<'_>) -> Markup {
    // The colours of the verdicts.
    let class = match report.comparison.answer {
        Answer::Better | Answer::Same => "full-wire",
        Answer::Worse => "poor",
        Answer::CannotTell | Answer::NotComparable => "unknown",
    };
    html! {
        header {
            div class="brand" { b { "fullwire diff" } span { (report.sides) } }
            div class={ "verdict is-" (class) } {
                div class={ "word " (class) } { (report.word()) }
                div { @for sentence in &report.headline { p { (sentence) } } }
            }
        }
    }
}

fn sections(report: &ComparisonReport<'_>, all: &[Chart]) -> Markup {
    let indexed: Vec<(usize, &Chart)> = all.iter().enumerate().collect();
    html! {
        h2 id="figures" { "Figures" }
        @for (path, figures) in &report.figures {
            section class="card" {
                (table(figures))
                @let own: Vec<(usize, &Chart)> =
                    indexed.iter().filter(|(_, chart)| chart.path == **path).copied().collect();
                @if !own.is_empty() { (charts(&own)) }
            }
        }
        h2 id="configuration" { "Configuration" }
        section class="card" {
            @for one in report.settings.iter().chain(&report.others).chain(&report.conditions) { (table(one)) }
            @if report.comparison.settings.is_empty() { p { "No setting that was read differs." } }
        }
        @if !report.notes.is_empty() {
            section class="card" { @for note in &report.notes { p class="caveat" { (note) } } }
        }
    }
}
