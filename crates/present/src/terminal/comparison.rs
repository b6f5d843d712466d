//! `diff` and `prove`: the answer first, then the figures, then what differs in the configuration.

use super::table::table;
use super::text::{Line, Role, Text};
use crate::report::ComparisonReport;
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
            "the host is not as it was before; run the first command by hand:",
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
    let tables =
        report.figures.iter().chain(&report.settings).chain(&report.others).chain(&report.conditions);
    for shown in tables {
        text.append(table(shown));
        text.gap();
    }
    for note in &report.notes {
        text.wrap(Line::new().dim("  "), Role::Dim, note);
    }
    text.gap();
    text
}

fn role(answer: Answer) -> Role {
    match answer {
        Answer::Better | Answer::Same => Role::Good,
        Answer::Worse => Role::Bad,
        Answer::CannotTell | Answer::NotComparable => Role::Strong,
    }
}
