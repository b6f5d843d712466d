//! What limits a path: the limiting findings about it and the ceilings that it reaches, causes first.

use crate::path::{Measurement, Path};
use crate::verdict::{FULL_WIRE, GOOD};
use fullwire_model::assessment::{
    Advice, Bottleneck, Cause, Ceiling, Evidence, Finding, Layer, PathKind, Severity, Unknown,
};
use fullwire_model::net::NetMode;
use fullwire_model::quantity::Unit;
use std::cmp::Reverse;

/// The code of the finding that says that nothing explains a shortfall.
pub(crate) const UNEXPLAINED: &str = "unexplained";

/// A soft ceiling (the speed that a virtual link claims) that was passed by so much is none.
const REFUTED: f64 = 1.1;

/// A limiting finding is about this path.
pub(crate) fn concerns(finding: &Finding, path: &Path) -> bool {
    let own_layer = match path.kind {
        PathKind::Network => Layer::Network,
        PathKind::Storage => Layer::Storage,
    };
    match &finding.path {
        Some(subject) => *subject == path.subject,
        None => finding.layer == Layer::Host || finding.layer == own_layer,
    }
}

/// What names the bottleneck: what is broken before all else, then a setting that gives the very rate that was
/// measured, then the first kind of cause, of these the worst, else the nearest ceiling.
pub(crate) fn choose(
    findings: &[&Finding],
    ceilings: &[&Ceiling],
    measured: Option<&Measurement>,
) -> Bottleneck {
    let findings = of_measurement(findings, measured);
    let rank = |finding: &&&Finding| {
        let broken = finding.cause == Cause::Fault && finding.severity == Severity::Critical;
        (!broken, !sets_the_rate(finding), finding.cause, Reverse(finding.severity))
    };
    if let Some(finding) = findings.iter().min_by_key(rank) {
        return Bottleneck {
            layer: finding.layer,
            code: finding.code.clone(),
            subject: finding.subject.clone(),
            explained: true,
        };
    }
    let nearest = measured.and_then(|measured| nearest(ceilings.iter().copied(), measured));
    match nearest {
        Some((ceiling, share)) if share >= FULL_WIRE || (share >= GOOD && !ceiling.soft) => Bottleneck {
            layer: ceiling.layer,
            code: ceiling.kind.clone(),
            subject: ceiling.subject.clone(),
            explained: share >= FULL_WIRE,
        },
        _ => Bottleneck::default(),
    }
}

/// Without what holds another stream than the measured one, the other direction say, unless nothing else is left.
fn of_measurement<'a>(findings: &[&'a Finding], measured: Option<&Measurement>) -> Vec<&'a Finding> {
    let is_stream = |label: &str| label.starts_with(NetMode::ASYNC_LABEL);
    let other = |finding: &&&Finding| match (&finding.measurement, measured) {
        (Some(about), Some(measured)) => {
            is_stream(about) && is_stream(&measured.label) && *about != measured.label
        }
        _ => false,
    };
    let own: Vec<&Finding> = findings.iter().filter(|finding| !other(finding)).copied().collect();
    if own.is_empty() { findings.to_vec() } else { own }
}

/// A setting whose rate is the one that was measured, within a tenth: it explains the figure whole, however busy the
/// host is beside it.
fn sets_the_rate(finding: &Finding) -> bool {
    let share = match (finding.measured, finding.limit, finding.unit) {
        (Some(measured), Some(limit), Some(Unit::BytesPerS)) if limit > 0.0 => measured / limit,
        _ => return false,
    };
    finding.cause == Cause::Setting && (0.9..=1.1).contains(&share)
}

/// The ceiling that a measurement comes nearest to, and the share of it that was reached.
pub(crate) fn nearest<'a>(
    ceilings: impl Iterator<Item = &'a Ceiling>,
    measured: &Measurement,
) -> Option<(&'a Ceiling, f64)> {
    ceilings
        .filter_map(|ceiling| Some((ceiling, measured.share_of(ceiling)?)))
        .filter(|(ceiling, share)| !ceiling.soft || *share <= REFUTED)
        .max_by(|(_, one), (_, other)| one.total_cmp(other))
}

/// Says that a path stays far below its ceiling and that nothing seen explains it, with what was excluded.
pub(crate) fn unexplained(
    path: &Path,
    measured: &Measurement,
    ceiling: &Ceiling,
    excluded: &[String],
    unknowns: &[Unknown],
) -> Finding {
    let value = measured.value_in(ceiling.unit).unwrap_or(0.0);
    let share = 100.0 * value / ceiling.value;
    let mut evidence = vec![Evidence {
        text: format!("excluded, looked at and not so: {}", listed(excluded)),
        source: "rules that passed".into(),
    }];
    if !unknowns.is_empty() {
        let codes: Vec<String> = unknowns.iter().map(|unknown| unknown.code.clone()).collect();
        evidence.push(Evidence {
            text: format!("not excluded, could not be decided: {}", listed(&codes)),
            source: "rules without their facts".into(),
        });
    }
    Finding {
        code: UNEXPLAINED.into(),
        severity: Severity::Info,
        layer: ceiling.layer,
        subject: path.subject.clone(),
        message: format!(
            "{} reaches {share:.0} % of what {} allows ({}), and nothing that was looked at explains it",
            measured.label, ceiling.subject, ceiling.kind
        ),
        measured: Some(value),
        limit: Some(ceiling.value),
        unit: Some(ceiling.unit),
        evidence,
        advice: Advice {
            why: "A shortfall without a cause on this host lies beyond it or in what could not be read."
                .into(),
            now: vec![
                "repeat with --duration 60s, and from the other end, to see whether it holds".into(),
                "run `fullwire check` as root on both ends: gaps close, more can be excluded".into(),
            ],
            expect: "either the cause shows, or the path between the ends is what is left".into(),
            ..Advice::default()
        },
        limits: false,
        cause: Cause::Symptom,
        path: Some(path.subject.clone()),
        measurement: Some(measured.label.clone()),
    }
}

fn listed(codes: &[String]) -> String {
    if codes.is_empty() { "nothing".into() } else { codes.join(", ") }
}
