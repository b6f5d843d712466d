//! A mesh as one page: heat maps, each cell a link to its own figures, findings.

use super::{STYLE, document, findings, gaps, head};
use crate::Printed;
use crate::format;
use crate::report::{Heat, Report, Shade, frame, heats, mesh_answer, mesh_changes_answer, mesh_summary};
use fullwire_model::assessment::Finding;
use fullwire_model::mesh::{Mesh, MeshCell, MeshStorage};
use maud::{Markup, html};

/// Shades next to the colours of every page.
const HEAT_STYLE: &str = "
table.heat { border-collapse: separate; border-spacing: 2px; font-variant-numeric: tabular-nums; }
table.heat th { font-weight: 500; text-align: right; padding: 2px 6px; color: var(--muted); }
table.heat td { min-width: 3.2em; text-align: right; padding: 0; border: 0; border-radius: 3px; }
table.heat td a, table.heat td span { display: block; padding: 4px 6px; color: var(--text); text-decoration: none; }
table.heat td a:focus-visible, table.heat td a:hover { outline: 2px solid var(--accent); }
.heat .same { background: color-mix(in srgb, var(--good) 28%, var(--card)); }
.heat .less { background: color-mix(in srgb, var(--good) 10%, var(--card)); }
.heat .half { background: color-mix(in srgb, var(--warn) 35%, var(--card)); }
.heat .least { background: color-mix(in srgb, var(--bad) 45%, var(--card)); }
.heat .missing { background: var(--track); }
details.path:target { outline: 2px solid var(--accent); }
";

/// The whole page.
pub fn mesh(mesh: &Mesh, list: &[Finding]) -> Printed {
    page("fullwire mesh", mesh, list, &[mesh_answer(list)])
}

/// What became better or worse between two meshes, over the later one.
pub fn mesh_changes(now: &Mesh, changes: &[Finding], still: &[Finding]) -> Printed {
    page("fullwire diff", now, changes, &mesh_changes_answer(changes, still))
}

fn page(command: &str, mesh: &Mesh, list: &[Finding], answer: &[String]) -> Printed {
    let (run, assessment) = frame(mesh, list);
    let report = Report::new(&run, &assessment);
    let title = format!("{command} of {} hosts", mesh.hosts.len());
    let body = html! {
        (header(command, mesh, list, answer))
        main {
            h2 id="matrix" { "Matrix" }
            @for network in &mesh.networks {
                @for heat in heats(mesh, network) { section class="card" { (square(mesh, network, &heat)) } }
            }
            @if !mesh.storage.is_empty() { (storage(&mesh.storage)) }
            (findings::findings(&report))
            h2 id="paths" { "Paths" }
            section class="card" {
                @for cell in &mesh.cells { (details(mesh, cell)) }
            }
            (gaps(&report.gaps))
        }
        footer { p { "Made by fullwire " (mesh.tool_version) "." } }
    };
    document(&head(&mesh.tool_version, &title, &[STYLE, HEAT_STYLE], &[]), ["findings", "findings"], &body)
}

fn header(command: &str, mesh: &Mesh, list: &[Finding], answer: &[String]) -> Markup {
    html! {
        header {
            div class="brand" {
                b { (command) }
                span { (mesh.started.strftime("%Y-%m-%d %H:%M UTC").to_string()) }
                span { (mesh.mesh_id) }
            }
            h1 { (answer.first().map_or("", String::as_str)) }
            @for line in answer.iter().skip(1) { p { (line) } }
            p { (mesh_summary(mesh)) "." }
            @if mesh.interrupted { p { "Interrupted: what was measured until then is shown." } }
            nav aria-label="Sections" {
                a href="#matrix" { "Matrix" }
                a href="#findings" { "Findings (" (list.len()) ")" }
                a href="#paths" { "Paths" }
                @if !mesh.gaps.is_empty() { a href="#gaps" { "Gaps (" (mesh.gaps.len()) ")" } }
            }
        }
    }
}

fn square(mesh: &Mesh, network: &str, heat: &Heat) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(heat.title) {
            table class="heat" {
                caption { (heat.title) ": rows send, columns receive" }
                thead { tr { th {} @for name in &heat.hosts { th scope="col" { (name) } } } }
                tbody {
                    @for (from, cells) in heat.hosts.iter().zip(&heat.cells) {
                        tr {
                            th scope="row" { (from) }
                            @for (to, (figure, shade)) in heat.hosts.iter().zip(cells) {
                                td class=(class(*shade)) { (linked(mesh, network, from, to, figure)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A figure leads to its path's own section.
fn linked(mesh: &Mesh, network: &str, from: &str, to: &str, figure: &str) -> Markup {
    let anchor = mesh.cell(network, from, to).map(|cell| anchor(mesh, cell));
    html! {
        @match anchor {
            Some(anchor) if !figure.is_empty() => {
                a href={ "#" (anchor) } title={ (from) " to " (to) } { (figure) }
            }
            _ => { span { (figure) } }
        }
    }
}

/// Positions, as names may hold anything.
fn anchor(mesh: &Mesh, cell: &MeshCell) -> String {
    let network = mesh.networks.iter().position(|network| *network == cell.network).unwrap_or(0);
    let host = |name: &str| mesh.position(name).unwrap_or(0);
    format!("path-{network}-{}-{}", host(&cell.from), host(&cell.to))
}

fn class(shade: Shade) -> &'static str {
    match shade {
        Shade::None => "none",
        Shade::Same => "same",
        Shade::Less => "less",
        Shade::Half => "half",
        Shade::Least => "least",
        Shade::Missing => "missing",
    }
}

/// What is known of one path, and how to see its run.
fn details(mesh: &Mesh, cell: &MeshCell) -> Markup {
    let network = if mesh.networks.len() > 1 { format!(" on {}", cell.network) } else { String::new() };
    let rate = cell.throughput_bytes_per_s.map_or_else(|| "not measured".to_owned(), format::rate);
    html! {
        details class="path" id=(anchor(mesh, cell)) open[!cell.detail.is_empty()] {
            summary { (cell.from) " → " (cell.to) (network) ": " (rate) }
            dl {
                @if !cell.detail.is_empty() { dt { "Why not" } dd { (cell.detail) } }
                @if let Some(ceiling) = cell.ceiling_bytes_per_s {
                    dt { "Ceiling" } dd { (format::rate(ceiling)) " (" (cell.ceiling_kind) "), verdict " (cell.verdict.name()) }
                }
                @if !cell.cause.is_empty() { dt { "Limited by" } dd { code { (cell.cause) } } }
                @if let Some(ns) = cell.p50_ns {
                    dt { "Round trip" }
                    dd { (format::time(ns as f64)) @if let Some(ns) = cell.p99_ns { ", 99 % within " (format::time(ns as f64)) } }
                }
                @if let Some(bytes) = cell.mtu_bytes {
                    dt { "MTU" } dd { (bytes) " bytes" @if cell.black_hole { ", larger packets are dropped silently" } }
                }
                @if let Some(share) = cell.retransmitted_share.filter(|share| *share > 0.0) {
                    dt { "Retransmitted" } dd { (format::percent(share)) }
                }
                @for stream in &cell.streams {
                    dt { "Stream" }
                    dd {
                        (format::rate(stream.throughput_bytes_per_s)) @if stream.alone { ", alone" }
                        ", " (stream.started.strftime("%H:%M:%S").to_string()) ": "
                        code { "fullwire show " (stream.run_id) }
                    }
                }
                @if !cell.light_run_id.is_empty() {
                    dt { "MTU run" } dd { code { "fullwire show " (cell.light_run_id) } }
                }
            }
        }
    }
}

fn storage(list: &[MeshStorage]) -> Markup {
    html! {
        h2 id="storage" { "Storage" }
        section class="card" {
            div class="scroll" tabindex="0" role="region" aria-label="Storage" {
                table {
                    thead { tr { th scope="col" { "Host" } th scope="col" { "Target" } th scope="col" { "Step" } th scope="col" class="n" { "Throughput" } th scope="col" class="n" { "Median" } th scope="col" { "Run" } } }
                    tbody {
                        @for one in list {
                            @if one.steps.is_empty() { tr { td { (one.host) } td { (one.target) } td { "not measured: " (one.detail) } } }
                            @for step in &one.steps {
                                tr {
                                    td { (one.host) } td { (one.target) } td { (step.measurement) }
                                    td class="n" { (format::rate(step.throughput_bytes_per_s)) }
                                    td class="n" { (step.p50_ns.map(|ns| format::time(ns as f64)).unwrap_or_default()) }
                                    td { code { (one.run_id) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
