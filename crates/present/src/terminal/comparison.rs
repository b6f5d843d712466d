//! `diff` and `prove`: the answer first, then the figures, then what differs in the configuration.

use super::text::{Line, Role, Text, cut};
use crate::report::{ComparisonReport, Table};
use fullwire_model::comparison::{Answer, Proof};

/// A comparison.
pub fn diff(report: &ComparisonReport<'_>) -> Text {
    let mut text = Text::new();
    text.wrap(Line::new().strong("fullwire diff").dim(" · "), Role::Dim, &report.sides);
    text.gap();
    text.append(body(report));
    text
}

/// An experiment: the comparison, what was promised, the sentence for the ticket.
pub fn prove(proof: &Proof, report: &ComparisonReport<'_>) -> Text {
    let mut text = Text::new();
    let what = proof.finding.as_deref().unwrap_or("a change");
    text.wrap(
        Line::new().strong("fullwire prove").dim(" · "),
        Role::Dim,
        &format!("{what}, order {}", proof.order),
    );
    text.gap();
    text.append(body(report));
    if !proof.restored {
        text.wrap(
            Line::new().add(Role::Bad, "NOT RESTORED").plain("  "),
            Role::Plain,
            "the host is not in its original state; run the first command by hand:",
        );
        text.push(Line::new().plain("  ").add(Role::Code, &proof.a_command));
        text.gap();
    }
    if !proof.ticket.is_empty() {
        text.wrap(Line::new().strong("For the ticket").plain("  "), Role::Plain, &proof.ticket);
    }
    text
}

fn body(report: &ComparisonReport<'_>) -> Text {
    let mut text = Text::new();
    let mut begin = Line::new().add(role(report.comparison.answer), report.word().to_uppercase()).plain("  ");
    let indent = begin.width();
    for sentence in &report.headline {
        text.wrap(begin, Role::Plain, sentence);
        begin = Line::new().to(indent);
    }
    text.gap();
    for (_, path) in &report.figures {
        text.append(figures(path));
        text.gap();
    }
    for list in report.settings.iter().chain(&report.others).chain(&report.conditions) {
        text.append(changes(list));
        text.gap();
    }
    for note in &report.notes {
        text.wrap(Line::new().dim("  "), Role::Dim, note);
    }
    text.gap();
    text
}

/// Two lines for each figure: what it is and the answer, then the numbers. Six columns do not fit next to the names of
/// storage steps.
fn figures(path: &Table) -> Text {
    const ANSWER: usize = 62;
    let mut text = Text::new();
    text.push(Line::new().strong(&path.title));
    for row in &path.rows {
        let [label, before, after, change, interval, answer] = row.as_slice() else { continue };
        text.push(Line::new().plain("  ").plain(cut(label, ANSWER - 4)).to(ANSWER).strong(answer));
        let change = if change.is_empty() { String::new() } else { format!("   {change}") };
        let interval = if interval.is_empty() { String::new() } else { format!("   95 %: {interval}") };
        text.push(Line::new().plain("    ").dim(format!("{before} → {after}{change}{interval}")));
    }
    for note in &path.notes {
        text.wrap(Line::new().plain("  "), Role::Dim, note);
    }
    text
}

/// One setting a line, and what it affects below.
fn changes(list: &Table) -> Text {
    let mut text = Text::new();
    text.push(Line::new().strong(&list.title));
    for row in &list.rows {
        let [field, before, after, codes @ ..] = row.as_slice() else { continue };
        text.wrap(Line::new().plain("  "), Role::Plain, &format!("{field}: {before} → {after}"));
        if let Some(codes) = codes.first().filter(|codes| !codes.is_empty()) {
            text.wrap(Line::new().plain("    "), Role::Dim, &format!("affects {codes}"));
        }
    }
    for note in &list.notes {
        text.wrap(Line::new().plain("  "), Role::Dim, note);
    }
    text
}

fn role(answer: Answer) -> Role {
    match answer {
        Answer::Better | Answer::Same => Role::Good,
        Answer::Worse => Role::Bad,
        Answer::CannotTell | Answer::NotComparable => Role::Strong,
    }
}
