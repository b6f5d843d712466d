use crate::measurement::{Measurement, Path};
use crate::prelude::*;
use fullwire_model::assessment::{Ceiling, Evidence, Unknown};

rule! {
    /// # What it checks
    /// Nothing: it is said of a measured path that stays below 70 % of its ceiling, or of a stream that carries less than a third
    /// of another one on its path, when no rule, counter or ceiling explains why.
    /// # Why it matters
    /// A cause that is not on this host cannot be read here. What was looked at and excluded narrows down where to
    /// look next: the far end, the wire and its switches, the array.
    /// # Evidence
    /// The codes of the rules that applied and passed, and of those that could not be decided because a fact is missing.
    /// # Remedy
    /// Repeat for longer and from the other end, run as root so that gaps close, give the path's true rate with
    /// `--expect` if the ceiling is fiction.
    /// # Source
    /// Brendan Gregg, The USE Method (known unknowns are listed, not passed over); this project's own rule that a
    /// claim without evidence is not made.
    code: "unexplained",
    title: "no check explains why a path stays below its ceiling",
    layer: None, severity: Info, on: [Path],
}

fn check(_facts: &Facts) -> Vec<Outcome> {
    Vec::new()
}

/// What was looked at: codes that passed, and what could not be decided.
type Excluded = (Vec<String>, Vec<Unknown>);

/// Says that a path stays far below its ceiling and that nothing seen explains it, with what was excluded.
pub(crate) fn finding(
    path: &Path,
    measured: &Measurement,
    ceiling: &Ceiling,
    excluded: &Excluded,
) -> Finding {
    let value = measured.value_in(ceiling.unit).unwrap_or(0.0);
    let share = 100.0 * value / ceiling.value;
    let message = format!(
        "{} reaches {share:.0} % of what {} allows ({}), and no check explains the rest",
        measured.label(),
        ceiling.subject,
        ceiling.kind
    );
    Finding {
        measured: Some(value),
        limit: Some(ceiling.value),
        unit: Some(ceiling.unit),
        ..about(path, ceiling.layer, message, excluded)
    }
}

/// Says that a stream stays far below another one on the same path, and that nothing seen explains it.
pub(crate) fn beside(path: &Path, [slow, fast]: [&Measurement; 2], excluded: &Excluded) -> Finding {
    let message = format!(
        "{} carries {} where {} carries {}, and no check explains the difference",
        slow.label(),
        words::rate(slow.bytes_per_s),
        fast.label(),
        words::rate(fast.bytes_per_s)
    );
    Finding {
        measured: Some(slow.bytes_per_s),
        limit: Some(fast.bytes_per_s),
        unit: Some(Unit::BytesPerS),
        ..about(path, Layer::Network, message, excluded)
    }
}

fn about(path: &Path, layer: Layer, message: String, (excluded, unknowns): &Excluded) -> Finding {
    let mut evidence = vec![Evidence {
        text: format!("ruled out: {}", listed(excluded)),
        source: "rules that passed".into(),
    }];
    if !unknowns.is_empty() {
        let codes: Vec<String> = unknowns.iter().map(|unknown| unknown.code.clone()).collect();
        evidence.push(Evidence {
            text: format!("could not be checked: {}", listed(&codes)),
            source: "rules without their facts".into(),
        });
    }
    Finding {
        subject: path.target.to_string(),
        evidence,
        advice: because(
            "A shortfall without a cause on this host is caused elsewhere, or by something that could not be read.",
        )
        .now("Repeat with --duration 60s, and from the other end, to see whether it persists")
        .now("Run `fullwire check` as root on both ends: with fewer gaps, more can be ruled out")
        .expecting("either a cause is found, or only the path between the ends remains"),
        path: Some(path.target.clone()),
        ..Finding::new(RULE.code, RULE.severity, layer, path.thing(), message)
    }
}

fn listed(codes: &[String]) -> String {
    if codes.is_empty() { "nothing".into() } else { codes.join(", ") }
}
