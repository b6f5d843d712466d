//! What `--verbose` adds below a report: the notes of which the report names the subject only, the rules that passed,
//! those that could not be decided and why, and how each ceiling was computed.

use fullwire_model::Run;
use fullwire_model::assessment::{Assessment, Ceiling, Layer};
use fullwire_model::format::counted;
use fullwire_present::Report;
use fullwire_present::terminal::{
    Line, MORE, Role, Text, details as terminal_details, finding, reasons, shortened,
};

/// The report, and all of it below.
pub(crate) fn with_details(above: &str, run: &Run, assessment: &Assessment, report: &Report<'_>) -> String {
    let mut text = Text::new();
    text.append(terminal_details(report));
    for note in shortened(report) {
        text.append(finding(note));
        text.gap();
    }
    passed(&mut text, &assessment.passed);
    undecided(&mut text, run, assessment);
    if !assessment.ceilings.is_empty() {
        text.push(Line::new().strong("How each ceiling was derived"));
        assessment.ceilings.iter().for_each(|ceiling| reckoned(&mut text, ceiling));
        text.gap();
    }
    format!("{}\n{}", above.replace(MORE, ""), text.render(true))
}

fn passed(text: &mut Text, codes: &[String]) {
    text.push(Line::new().strong("Passed").dim(format!("  {}", counted(codes.len(), "check"))));
    let layer_of = |code: &&String| fullwire_rules::rule(code).map_or(Layer::None, |rule| rule.layer);
    let layers = [Layer::Network, Layer::Storage, Layer::Host, Layer::Database, Layer::None];
    for layer in layers {
        let own: Vec<&str> =
            codes.iter().filter(|code| layer_of(code) == layer).map(String::as_str).collect();
        if !own.is_empty() {
            let head = Line::new().dim(format!("  {:<9}", layer.name()));
            text.wrap(head, Role::Plain, &own.join(", "));
        }
    }
    text.gap();
}

fn undecided(text: &mut Text, run: &Run, assessment: &Assessment) {
    let head = format!("  {}", counted(assessment.unknowns.len(), "rule"));
    text.push(Line::new().strong("Could not be decided").dim(head));
    text.append(reasons(run, &assessment.unknowns));
    text.gap();
}

fn reckoned(text: &mut Text, ceiling: &Ceiling) {
    let Ceiling { kind, subject, path, value, unit, derivation, .. } = ceiling;
    text.wrap(Line::new().plain("  "), Role::Plain, &format!("{kind} of {subject}, for {path}"));
    let result = fullwire_present::format::value(*value, *unit);
    let how = fullwire_present::format::derivation(derivation);
    text.wrap(Line::new().plain("    "), Role::Dim, &format!("{result} = {how}"));
}
