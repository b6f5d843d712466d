//! The report as one page that needs nothing else: it opens from a disk, without a network, for years.
//!
//! Text is escaped by maud. A content security policy allows the styles and scripts that the page was made with, by
//! their hashes, and nothing else: even a mistake here could run, load or send nothing.

mod comparison;
mod estate;
mod findings;
mod mesh;
mod path;
mod policy;
mod recording;
mod topology;

pub use comparison::comparison;
pub use estate::estate;
pub use mesh::{mesh, mesh_changes};
pub use recording::recording;

use crate::Printed;
use crate::report::{Chart, FactGroup, Report, Table};
use fullwire_model::Gap;
use fullwire_model::assessment::{Unknown, Verdict};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("../../assets/report/style.css");
const SCRIPT: &str = include_str!("../../assets/report/charts.js");
const UPLOT_STYLE: &str = include_str!("../../assets/uplot/uPlot-1.6.32.min.css");
const UPLOT_SCRIPT: &str = include_str!("../../assets/uplot/uPlot-1.6.32.iife.min.js");
const UPLOT_LICENCE: &str = include_str!("../../assets/uplot/LICENSE");

/// What draws the charts, in the order in which it stands in the page.
const CHART_SCRIPTS: [&str; 2] = [UPLOT_SCRIPT, SCRIPT];

/// The whole page.
pub fn page(report: &Report<'_>) -> Printed {
    let of = if report.title.host.is_empty() { String::new() } else { format!(" of {}", report.title.host) };
    let title = format!("fullwire {}{of}", report.title.command);
    let head = head(report.title.tool_version, &title, &[UPLOT_STYLE, STYLE], &CHART_SCRIPTS);
    let body = html! {
        (header(report))
        main { (sections(report)) }
        (footer(report))
        (drawn(&report.charts))
    };
    document(&head, ["findings", "findings"], &body)
}

/// Any page; `skip`: the section that a reader without a screen jumps to, by its id and name.
fn document(head: &Markup, skip: [&str; 2], body: &Markup) -> Printed {
    Printed::page(html! {
        (DOCTYPE)
        html lang="en" {
            (head)
            body {
                a class="skip" href={ "#" (skip[0]) } { "Skip to the " (skip[1]) }
                (body)
            }
        }
    })
}

/// Whose work the curves are.
fn charts_by() -> Markup {
    html! { details { summary { "Charts by uPlot 1.6.32" } pre { (UPLOT_LICENCE) } } }
}

/// The head of every page: who made it, what it may run, and its styles.
fn head(version: &str, title: &str, styles: &[&str], scripts: &[&str]) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta http-equiv="Content-Security-Policy" content=(policy::policy(styles, scripts));
            meta name="generator" content={ "fullwire " (version) };
            title { (title) }
            @for style in styles { style { (PreEscaped(style)) } }
        }
    }
}

/// The figures of the charts, and the scripts that draw them.
fn drawn(charts: &[Chart]) -> Markup {
    html! {
        script type="application/json" id="charts" { (PreEscaped(json(charts))) }
        @for script in CHART_SCRIPTS { script { (PreEscaped(script)) } }
    }
}

fn json(charts: &[Chart]) -> String {
    harmless_json(&serde_json::json!(charts))
}

/// JSON that cannot end the script element that it stands in.
fn harmless_json(value: &serde_json::Value) -> String {
    let text = value.to_string();
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn header(report: &Report<'_>) -> Markup {
    let title = &report.title;
    let (word, verdict) = report.word.unwrap_or(("", Verdict::Unknown));
    let verdict = verdict.name();
    html! {
        header {
            div class="brand" {
                b { "fullwire " (title.command) }
                span { (title.started.strftime("%Y-%m-%d %H:%M UTC").to_string()) }
                @if !title.run_id.is_empty() { span { "run " (title.run_id) } }
                @if let Some(tag) = title.tag { span { (tag) } }
            }
            h1 { (title.host) }
            div class={ "verdict is-" (verdict) } {
                @if !report.paths.is_empty() && !word.is_empty() { div class={ "word " (verdict) } { (word.replace('-', " ")) } }
                div {
                    @for sentence in &report.answer { p class="answer" { strong { (sentence) } } }
                    @for sentence in &report.headline { p { (sentence) } }
                }
            }
            nav aria-label="Sections" {
                @if !report.paths.is_empty() { a href="#paths" { "Paths" } }
                @if report.spans.is_some() { a href="#trouble" { "Trouble" } }
                @if !report.demand.is_empty() {
                    a href="#demand" { @if report.of_records { "Figures" } @else { "Demand" } }
                }
                a href="#findings" { "Findings (" (report.findings.len()) ")" }
                @if !report.topology.is_empty() { a href="#topology" { "Topology" } }
                @if !report.facts.is_empty() { a href="#host" { "Host" } }
                @if !report.unknowns.is_empty() { a href="#unknown" { "Unknown (" (report.unknowns.len()) ")" } }
                @if !report.gaps.is_empty() { a href="#gaps" { "Gaps (" (report.gaps.len()) ")" } }
            }
        }
    }
}

fn sections(report: &Report<'_>) -> Markup {
    let other: Vec<(usize, &Chart)> = report
        .charts
        .iter()
        .enumerate()
        .filter(|(_, chart)| !report.paths.iter().any(|path| path.has(chart)))
        .collect();
    html! {
        @if !report.paths.is_empty() { h2 id="paths" { "Paths" } }
        @for section in &report.paths { (path::path(section, &report.charts)) }
        @for measured in &report.mtu { section class="card" { (table(measured)) } }
        @if let Some(trouble) = &report.spans {
            h2 id="trouble" { "Trouble over time" }
            section class="card" { (table(trouble)) }
        }
        @if !report.demand.is_empty() && !report.of_records {
            h2 id="demand" { "Demand" }
            section class="card" { @for needed in &report.demand { (table(needed)) } }
        }
        @if !other.is_empty() {
            @for group in other.chunk_by(|(_, one), (_, next)| one.path == next.path) {
                section class="card" {
                    h3 { @if group[0].1.path.is_none() { "Curves" } @else { (group[0].1.path) } }
                    (charts(group))
                }
            }
        }
        // Of a recording the curves are what is looked for.
        @if !report.demand.is_empty() && report.of_records {
            section class="card" id="demand" {
                details {
                    summary { "Figures" }
                    @for needed in &report.demand { (table(needed)) }
                }
            }
        }
        (findings::findings(report))
        (topology::topology(report))
        @if let Some(processes) = &report.processes { section class="card" { (table(processes)) } }
        @if let Some(threads) = &report.threads { section class="card" { (table(threads)) } }
        (facts(&report.facts))
        (unknowns(report.unknowns))
        (gaps(&report.gaps))
    }
}

/// Charts side by side, each with its values as a table.
fn charts(charts: &[(usize, &Chart)]) -> Markup {
    html! {
        div class="charts" {
            @for (index, chart) in charts {
                figure {
                    figcaption { (chart.title) }
                    div class="plot" role="img" data-chart=(index)
                        aria-label={ (chart.title) ", " (chart.points.len()) " points; the values follow as a table" } {}
                    details data-table=(index) { summary { "Values" } }
                }
            }
        }
    }
}

fn table(table: &Table) -> Markup {
    let class = |numeric: bool| numeric.then_some("n");
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(table.title) {
            table {
                caption { (table.title) }
                @if table.columns.iter().any(|column| !column.name.is_empty()) {
                    thead { tr {
                        @for column in &table.columns { th scope="col" class=[class(column.numeric)] { (column.name) } }
                    } }
                }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (column, cell) in table.columns.iter().zip(row) {
                                td class=[class(column.numeric)] { (cell) }
                            }
                        }
                    }
                }
            }
        }
        @for note in &table.notes { p class="note" { (note) } }
    }
}

fn facts(groups: &[FactGroup]) -> Markup {
    html! {
        @if !groups.is_empty() {
            h2 id="host" { "Host" }
            section class="card columns" {
                @for group in groups {
                    div {
                        h3 { (group.title) }
                        dl { @for fact in &group.facts { dt { (fact.name) } dd { (fact.value) } } }
                        @if group.more > 0 { p class="note" { "and " (group.more) " more (the JSON of this run has all)" } }
                    }
                }
            }
        }
    }
}

fn unknowns(unknowns: &[Unknown]) -> Markup {
    html! {
        @if !unknowns.is_empty() {
            h2 id="unknown" { "Unknown" }
            section class="card" {
                details {
                    summary { (unknowns.len()) " checks could not be decided" }
                    dl { @for unknown in unknowns { dt { code { (unknown.code) } } dd { (unknown.reason) } } }
                }
            }
        }
    }
}

fn gaps(gaps: &[Gap]) -> Markup {
    html! {
        @if !gaps.is_empty() {
            h2 id="gaps" { "Gaps" }
            section class="card" {
                p class="note" { "What could not be read or measured, and why." }
                dl {
                    @for gap in gaps {
                        dt { (gap.reason) }
                        dd { code { (gap.subject) } " " span class="muted" { (gap.obstacle()) } }
                    }
                }
            }
        }
    }
}

fn footer(report: &Report<'_>) -> Markup {
    html! {
        footer {
            p {
                "Made by fullwire " (report.title.tool_version) " in "
                (crate::format::duration(report.title.duration_s)) ". "
                (report.passed.len()) " checks passed."
            }
            (charts_by())
        }
    }
}
