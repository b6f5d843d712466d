//! The page of an estate: what is bad and since when, the hosts, the rounds. It is served by the coordinator and only
//! reads: its links lead to rounds and runs.

use super::{STYLE, document, head};
use crate::Printed;
use crate::report::{Table, bad_paths, estate_hosts, estate_rounds, estate_summary};
use fullwire_model::estate::Estate;
use maud::{Markup, html};

/// Next to the colours of every page.
const ESTATE_STYLE: &str = "
table.estate { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
table.estate th, table.estate td { text-align: left; padding: 4px 10px 4px 0; vertical-align: top; }
table.estate .number { text-align: right; }
";

/// The whole page.
pub fn estate(estate: &Estate) -> Printed {
    let title = format!("an estate of {} hosts", estate.hosts.len());
    let body = html! {
        header {
            div class="brand" {
                b { "fullwire estate" }
                span { (estate.at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()) }
            }
            h1 { (estate.hosts.len()) " hosts" }
            @for sentence in estate_summary(estate) { p { (sentence) } }
            nav aria-label="Sections" {
                a href="#bad" { "Bad paths (" (estate.bad.len()) ")" }
                a href="#hosts" { "Hosts (" (estate.hosts.len()) ")" }
                a href="#rounds" { "Rounds" }
            }
        }
        main {
            (section("bad", &bad_paths(estate).without_empty_columns(), "No path is bad."))
            (section("hosts", &estate_hosts(estate).without_empty_columns(), "No host was ever heard."))
            (section("rounds", &estate_rounds(estate), "No round was made yet."))
        }
        footer { p { "Made by fullwire " (estate.tool_version) "." } }
    };
    document(&head(&estate.tool_version, &title, &[STYLE, ESTATE_STYLE], &[]), ["bad", "bad paths"], &body)
}

fn section(id: &str, table: &Table, none: &str) -> Markup {
    let number = |index: usize| table.columns[index].numeric;
    html! {
        h2 id=(id) { (table.title) }
        section class="card" {
            @if table.rows.is_empty() { p { (none) } }
            @else {
                div class="scroll" tabindex="0" role="region" aria-label=(table.title) {
                    table class="estate" {
                        thead { tr { @for (index, column) in table.columns.iter().enumerate() {
                            th scope="col" class=[number(index).then_some("number")] { (column.name) }
                        } } }
                        tbody { @for row in &table.rows { tr { @for (index, cell) in row.iter().enumerate() {
                            td class=[number(index).then_some("number")] { (linked(table.columns[index].name, cell)) }
                        } } } }
                    }
                }
            }
        }
    }
}

/// Rounds and runs have their own pages.
fn linked(column: &str, cell: &str) -> Markup {
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    html! {
        @match column {
            "round" | "run" if !cell.is_empty() && plain(cell) => { a href={ "/" (column) "/" (cell) } { (cell) } }
            _ => { (cell) }
        }
    }
}
