//! What limits a path: the limiting findings about it and the ceilings that it reaches, causes first.

use crate::path::{Measurement, Path};
use crate::verdict::{FULL_WIRE, GOOD};
use fullwire_model::assessment::{Bottleneck, Cause, Ceiling, Finding, Layer, PathKind, Severity};
use fullwire_model::net::NetMode;
use fullwire_model::quantity::Unit;
use std::cmp::Reverse;

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
/// measured, then the first kind of cause, of these the worst, of equals one with a figure, else the nearest ceiling.
pub(crate) fn choose(
    findings: &[&Finding],
    ceilings: &[&Ceiling],
    measured: Option<&Measurement>,
) -> Bottleneck {
    let findings = of_measurement(findings, measured);
    let rank = |finding: &&&Finding| {
        let broken = finding.cause == Cause::Fault && finding.severity == Severity::Critical;
        let figure = finding.measured.is_some();
        (!broken, !sets_the_rate(finding), finding.cause, Reverse(finding.severity), !figure)
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
