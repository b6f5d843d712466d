//! The report on a terminal, as wide as it is: the answer and the verdict first, what could not be read last.
//!
//! Each function draws one command's answer as [`Text`]; the caller renders it with or without colours.

mod ascii;
mod comparison;
mod estate;
mod findings;
mod ladder;
mod lists;
mod markdown;
mod mesh;
mod table;
mod text;
mod tree;
mod why;

pub use ascii::ascii;
pub use comparison::{diff, prove};
pub use estate::estate;
pub use findings::{MORE, finding, reasons, shortened};
pub use lists::{history, rules, series};
pub use markdown::explain;
pub use mesh::{mesh, mesh_changes};
pub use text::{Line, Role, Text, WIDTH, fit, harmless_styled, width};
pub use why::why;

use std::collections::BTreeSet;
use text::cut;
use unicode_width::UnicodeWidthStr;

use crate::report::{Fact, Report, Table};
use fullwire_model::assessment::{Severity, Verdict};

/// What a command draws, and `show` of its run.
pub fn report(report: &Report<'_>) -> Text {
    let measured = !report.paths.is_empty();
    match report.title.command {
        "check" => check(report),
        "disk" => disk(report),
        "redo" | "awr" => demand(report),
        "import" if !measured => demand(report),
        "file" if !measured => piece(report),
        _ => assess(report),
    }
}

/// `assess`: everything. `net`, `mtu`: what they have of it.
pub fn assess(report: &Report<'_>) -> Text {
    let mut text = title(report);
    text.append(verdict(report));
    text.append(ladder::paths(report));
    text.append(tables(&report.mtu));
    text.append(tables(report.spans.as_slice()));
    text.append(tables(&report.demand));
    ended(text, report)
}

/// `awr`, `redo`, `import`: what the database needs, findings.
pub fn demand(report: &Report<'_>) -> Text {
    let mut text = opened(report);
    text.append(tables(&report.demand));
    ended(text, report)
}

/// `fullwire FILE`: what is said of it first, then the findings, then its figures.
pub fn piece(report: &Report<'_>) -> Text {
    let mut text = opened(report);
    text.append(findings::findings(report));
    text.append(tables(&report.demand));
    text.append(findings::rest(report));
    text
}

/// `import --spans`: trouble over time alone.
pub fn spans(report: &Report<'_>) -> Text {
    let mut text = opened(report);
    text.append(findings::rest(report));
    text
}

/// What is said first where no path is drawn, and trouble over time.
fn opened(report: &Report<'_>) -> Text {
    let mut text = title(report);
    for sentence in &report.headline {
        text.wrap(Line::new(), Role::Strong, sentence);
    }
    text.gap();
    text.append(tables(report.spans.as_slice()));
    text
}

fn ended(mut text: Text, report: &Report<'_>) -> Text {
    text.append(findings::findings(report));
    text.append(findings::rest(report));
    text
}

/// `disk`: steps and layers, the ladder, the findings.
pub fn disk(report: &Report<'_>) -> Text {
    let mut text = title(report);
    text.append(verdict(report));
    text.append(ladder::paths_with_layers(report));
    ended(text, report)
}

/// `check`: findings ranked, the topology, what passed, what is unknown.
pub fn check(report: &Report<'_>) -> Text {
    let mut text = title(report);
    text.append(findings::findings(report));
    text.append(tree::topology(report));
    text.append(described(report));
    text.append(first_row("Storage", report.processes.as_ref()));
    text.append(first_row("CPU", report.threads.as_ref()));
    if report.gaps.is_empty() {
        text.gap();
    }
    text.append(findings::rest(report));
    text
}

/// The first row of a table in a line; what it has twice is said once.
fn first_row(name: &str, table: Option<&Table>) -> Text {
    let mut text = Text::new();
    if let Some((table, row)) = table.and_then(|table| Some((table, table.rows.first()?))) {
        let mut seen = BTreeSet::from([""]);
        let cells = table.columns.iter().zip(row).filter(|(_, cell)| seen.insert(cell.as_str()));
        let said =
            cells.map(|(column, cell)| format!("{} {cell}", column.name)).collect::<Vec<_>>().join(", ");
        text.push(entry(name).plain(cut(&said, width() - INDENT)));
    }
    text
}

/// What `--verbose` adds of a report's tables.
pub fn details(report: &Report<'_>) -> Text {
    let mut text = Text::new();
    if report.title.command == "check" {
        text.append(tree::without_trouble(report));
        text.append(described_in_full(report));
        text.append(findings::gaps_in_full(report));
    }
    text.append(ladder::left_out(report));
    let measured = report.mtu.iter().chain(&report.demand).filter(|table| table.detail);
    for table in measured.chain(&report.processes).chain(&report.threads) {
        text.append(table::table(table));
        text.gap();
    }
    text
}

/// What the host is: the first thing that a colleague or a vendor's support asks.
fn described(report: &Report<'_>) -> Text {
    let mut text = Text::new();
    let told = host(report).iter().filter(|fact| !fact.detail);
    let told: Vec<String> = told.map(|fact| format!("{} {}", fact.name, fact.value)).collect();
    if !told.is_empty() {
        text.wrap(entry("Host"), Role::Plain, &told.join("; "));
    }
    text
}

/// The same, and what configures it.
fn described_in_full(report: &Report<'_>) -> Text {
    let mut text = Text::new();
    text.push(head("Description of the host"));
    let column = if width() < 60 { 16 } else { 26 };
    for fact in host(report) {
        let name = cut(&fact.name, column - 3);
        text.wrap(Line::new().plain("  ").dim(name).to(column), Role::Plain, &fact.value);
    }
    text.gap();
    text
}

fn host<'r>(report: &'r Report<'_>) -> &'r [Fact] {
    report.facts.iter().find(|group| group.title == "Host").map_or(&[], |group| &group.facts)
}

fn tables(tables: &[Table]) -> Text {
    let mut text = Text::new();
    for table in tables.iter().filter(|table| !table.detail) {
        text.append(table::table(table));
        text.gap();
    }
    text
}

fn title(report: &Report<'_>) -> Text {
    let title = &report.title;
    let when = title.started.strftime("%Y-%m-%d %H:%M UTC").to_string();
    let mut line = Line::new().strong(format!("fullwire {}", title.command));
    let mut text = Text::new();
    for part in [title.host, &when, title.tag.unwrap_or_default()] {
        if part.is_empty() {
            continue;
        }
        if line.width() + part.width() + 3 > width() {
            text.push(line);
            line = Line::new().plain("  ");
        } else {
            line = line.dim(" · ");
        }
        line = line.dim(cut(part, width() - 2));
    }
    text.push(line);
    if report.answer.is_empty() {
        text.gap();
        return text;
    }
    // Before all else, without an empty line: anyone who reads three lines has read it.
    for sentence in &report.answer {
        text.wrap(Line::new(), Role::Strong, sentence);
    }
    text.gap();
    text
}

fn verdict(report: &Report<'_>) -> Text {
    let mut text = Text::new();
    if report.headline.is_empty() {
        return text;
    }
    let mut begin = report.word.map_or_else(Line::new, |(word, verdict)| {
        let word = word.replace('-', " ").to_uppercase();
        Line::new().add(verdict_role(verdict), word).plain("  ")
    });
    let indent = begin.width();
    for sentence in &report.headline {
        text.wrap(begin, Role::Plain, sentence);
        begin = Line::new().to(indent);
    }
    text.gap();
    text
}

fn verdict_role(verdict: Verdict) -> Role {
    match verdict {
        Verdict::FullWire => Role::Good,
        Verdict::Good | Verdict::Unknown | Verdict::NotDriven => Role::Warn,
        Verdict::Poor => Role::Bad,
    }
}

fn severity_role(severity: Severity) -> Role {
    match severity {
        Severity::Critical => Role::Bad,
        Severity::Warning => Role::Warn,
        Severity::Info => Role::Dim,
    }
}

fn severity_mark(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "✖",
        Severity::Warning => "▲",
        Severity::Info => "●",
    }
}

/// A severity's marked name.
fn severity(severity: Severity) -> (Role, String) {
    (severity_role(severity), format!("{} {}", severity_mark(severity), severity.name()))
}

/// The head of what is said in a line or two.
fn entry(name: &str) -> Line {
    head(name).to(INDENT)
}

/// Where the text of a finding and of an entry begins.
const INDENT: usize = 12;

/// A section's head.
fn head(title: &str) -> Line {
    Line::new().strong(title)
}
