//! The page of a recording: charts that zoom together, with trouble and events on the same axis.

use super::{SCRIPT, STYLE, UPLOT_SCRIPT, UPLOT_STYLE, charts_by, document, head, json, table};
use crate::Printed;
use crate::format;
use crate::report::chart::bands::{Bands, NAMES, Weight};
use crate::report::{Chart, Recorded};
use maud::{Markup, PreEscaped, html};

const TIMELINE: &str = include_str!("../../assets/report/timeline.js");

/// What draws the page: the axis of time must be there before the charts are drawn.
const SCRIPTS: [&str; 3] = [UPLOT_SCRIPT, TIMELINE, SCRIPT];

/// The whole page.
pub fn recording(recorded: &Recorded<'_>) -> Printed {
    let all = recorded.charts();
    let title = format!("fullwire recording of {}", recorded.host);
    let timeline = super::harmless_json(&serde_json::json!(recorded.timeline()));
    let body = html! {
        (header(recorded))
        main { (sections(recorded, &all)) }
        footer {
            p { "Made by fullwire " (recorded.tool_version) " of " (recorded.samples) " samples." }
            (charts_by())
        }
        script type="application/json" id="charts" { (PreEscaped(json(&all))) }
        script type="application/json" id="timeline" { (PreEscaped(timeline)) }
        @for script in SCRIPTS { script { (PreEscaped(script)) } }
    };
    let head = head(recorded.tool_version, &title, &[UPLOT_STYLE, STYLE], &SCRIPTS);
    document(&head, ["trouble", "trouble"], &body)
}

fn header(recorded: &Recorded<'_>) -> Markup {
    html! {
        header {
            div class="brand" {
                b { "fullwire recording" }
                span { (recorded.shown(recorded.from)) " to " (recorded.shown(recorded.to)) }
                span { (recorded.zone.iana_name().map_or_else(|| recorded.zone.to_offset(recorded.from).to_string(), str::to_owned)) }
            }
            h1 { (recorded.host) }
            div class="verdict" { div { @for sentence in recorded.headline() { p { (sentence) } } } }
            nav aria-label="Sections" {
                a href="#charts-of-time" { "Charts" }
                @if !recorded.latencies().is_empty() { a href="#latency" { "Time of a request" } }
                a href="#trouble" { "Trouble (" (recorded.spans.len()) ")" }
                a href="#events" { "Events (" (recorded.events.len()) ")" }
                @if !recorded.gaps.is_empty() { a href="#gaps" { "Gaps (" (recorded.gaps.len()) ")" } }
            }
        }
    }
}

fn sections(recorded: &Recorded<'_>, all: &[Chart]) -> Markup {
    html! {
        h2 id="charts-of-time" { "Over time" }
        section class="card" {
            div class="steps" role="toolbar" aria-label="Zoom of time" {
                @for (step, name) in [("back", "‹"), ("on", "›"), ("in", "+"), ("out", "−"), ("whole", "whole")] {
                    button type="button" data-step=(step) aria-label=(label(step)) { (name) }
                }
                output id="at" aria-live="polite" {}
            }
            p class="note" { "Drag over a chart to zoom all of them, double-click for the whole. " (recorded.resolution()) }
            div class="charts timed" { @for (index, chart) in all.iter().enumerate() { (figure(index, chart)) } }
        }
        (latencies(&recorded.latencies()))
        (trouble(recorded))
        @if let Some(beside) = recorded.beside_table() { section class="card" { (table(&beside)) } }
        h2 id="events" { "Events" }
        section class="card" {
            @if recorded.events.is_empty() { p { "None." } } @else { (table(&recorded.events_table())) }
        }
        (super::gaps(recorded.gaps))
    }
}

/// Each device by the number of its requests, and by the time that they took.
fn latencies(all: &[(String, Bands)]) -> Markup {
    html! {
        @if !all.is_empty() {
            h2 id="latency" { "Time of a request" }
            section class="card" {
                p class="note" { "Each column is a stretch of the recording, each row a band of time. A request counts by the mean of its sample." }
                div class="charts" {
                    @for (title, bands) in all {
                        (squares(&format!("{title}, share of the requests"), bands, Weight::Requests))
                        (squares(&format!("{title}, share of the time"), bands, Weight::Time))
                    }
                }
            }
        }
    }
}

fn squares(title: &str, bands: &Bands, weight: Weight) -> Markup {
    const SIDE: usize = 10;
    const NAME: usize = 86;
    let shades = bands.shades(weight);
    let (width, height) = (NAME + SIDE * shades[0].len(), SIDE * shades.len());
    html! {
        figure {
            figcaption { (title) }
            svg class="bands" viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(title) {
                @for (row, (name, band)) in NAMES.iter().zip(&shades).enumerate() {
                    text x="0" y=(row * SIDE + SIDE - 2) { (name) }
                    @for (column, shade) in band.iter().enumerate().filter(|(_, shade)| **shade > 0) {
                        rect class={ "shade" (shade) } x=(NAME + column * SIDE) y=(row * SIDE) width=(SIDE) height=(SIDE) {}
                    }
                }
            }
        }
    }
}

fn label(step: &str) -> &'static str {
    match step {
        "back" => "Earlier",
        "on" => "Later",
        "in" => "Zoom in",
        "out" => "Zoom out",
        _ => "Show the whole recording",
    }
}

fn figure(index: usize, chart: &Chart) -> Markup {
    // The lanes come first; their values are the table of trouble.
    let lanes = (index == 0).then_some("");
    html! {
        figure {
            figcaption { (chart.title) }
            div class="plot" role="img" data-chart=(index) data-lanes=[lanes]
                aria-label={ (chart.title) ", " (chart.points.len()) " points" } {}
            @if index > 0 { details data-table=(index) { summary { "Values" } } }
        }
    }
}

fn trouble(recorded: &Recorded<'_>) -> Markup {
    html! {
        h2 id="trouble" { "Trouble" }
        section class="card" {
            @if recorded.spans.is_empty() {
                p { "No span of trouble." }
            } @else {
                div class="scroll" tabindex="0" role="region" aria-label="Trouble" {
                    table {
                        thead { tr {
                            @for name in ["from", "to", "what", "where", "worst", "", ""] { th scope="col" { (name) } }
                        } }
                        tbody { @for (span, [from, to], ends) in recorded.span_rows() { tr {
                            td { (from) }
                            td { (to) }
                            td { code { (span.code) } }
                            td { (span.subject) @if let Some(source) = &span.source { " (" (source) ")" } }
                            td title=(span.message) {
                                @if let Some(worst) = span.worst { (format::value(worst, span.unit.unwrap_or_default())) }
                            }
                            td { span class={ "severity " (span.severity.name()) } { (span.severity.name()) } }
                            td { @if let Some((from, to)) = ends {
                                button type="button" data-from=(from) data-to=(to) { "show" }
                            } }
                        } } }
                    }
                }
                dl { @for (span, [from, _], _) in recorded.span_rows().into_iter().take(12) { dt { (from) } dd { (span.message) } } }
            }
        }
    }
}
