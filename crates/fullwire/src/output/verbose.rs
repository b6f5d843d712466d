//! What `--verbose` adds below a report: the rules that passed, those that could not be decided and why, and how each
//! ceiling was reckoned.

use fullwire_model::assessment::{Assessment, Ceiling};
use fullwire_present::terminal::{Line, Role, Text};
use std::collections::BTreeMap;

/// All of it.
pub(crate) fn details(assessment: &Assessment) -> String {
    let mut text = Text::new();
    passed(&mut text, &assessment.passed);
    undecided(&mut text, assessment);
    if !assessment.ceilings.is_empty() {
        text.push(Line::new().strong("How each ceiling was reckoned"));
        assessment.ceilings.iter().for_each(|ceiling| reckoned(&mut text, ceiling));
        text.gap();
    }
    format!("\n{}", text.render(true))
}

fn passed(text: &mut Text, codes: &[String]) {
    text.push(Line::new().strong("Passed").dim(format!("  {} checks", codes.len())));
    if !codes.is_empty() {
        text.wrap(Line::new().plain("  "), Role::Plain, &codes.join(", "));
    }
    text.gap();
}

fn undecided(text: &mut Text, assessment: &Assessment) {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for unknown in &assessment.unknowns {
        by_reason.entry(&unknown.reason).or_default().push(&unknown.code);
    }
    let head = format!("  {} rules", assessment.unknowns.len());
    text.push(Line::new().strong("Could not be decided").dim(head));
    for (reason, codes) in by_reason {
        text.wrap(Line::new().plain("  "), Role::Plain, reason);
        text.wrap(Line::new().plain("    "), Role::Dim, &codes.join(", "));
    }
    text.gap();
}

fn reckoned(text: &mut Text, ceiling: &Ceiling) {
    let Ceiling { kind, subject, path, value, unit, derivation, .. } = ceiling;
    text.wrap(Line::new().plain("  "), Role::Plain, &format!("{kind} of {subject}, for {path}"));
    let result = fullwire_present::format::value(*value, *unit);
    let how = fullwire_present::format::derivation(derivation);
    text.wrap(Line::new().plain("    "), Role::Dim, &format!("{result} = {how}"));
}
