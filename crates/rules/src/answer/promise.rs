//! Does the path carry what was promised?

use super::words::{both, value};
use crate::Facts;
use crate::ceiling::{REFUTED, is_declared};
use crate::facts::says_nothing;
use crate::measurement::{Measurement, Path};
use crate::verdict::FULL_WIRE;
use fullwire_model::assessment::{
    Answer, Assessment, Ceiling, PathAssessment, PathKind, Reply, UserQuestion, Verdict,
};
use fullwire_model::quantity::Unit;

/// A promise counts as kept from this share on (own choice): a probe of seconds knows a rate no better, and one of a
/// network carries pauses of TCP's own.
const KEPT: f64 = 0.95;

/// No storage is sold for so much less than it does (own choice).
const FAR_ABOVE: f64 = 5.0;

/// The user says that the path carries this.
pub(crate) fn is_promise(ceiling: &Ceiling) -> bool {
    is_declared(&ceiling.kind)
}

/// A figure that is beyond a promise: the promise is no ceiling of it, and is kept.
pub(crate) fn is_kept(ceiling: &Ceiling, share: f64) -> bool {
    is_promise(ceiling) && share > REFUTED
}

pub(super) fn answers(facts: &Facts, assessment: &Assessment) -> Vec<Answer> {
    let judged = facts.paths.iter().zip(&assessment.paths);
    let of_path = |(path, judged)| {
        let mut answers = of_path(path, assessment, judged);
        // A second promise beside the one that is answered is not passed over.
        if path.kind == PathKind::Storage || answers.is_empty() {
            let is_open = |unit| answers.iter().all(|answer| answer.unit != Some(unit));
            let open = open(facts, path, assessment, judged, is_open);
            answers.extend(open);
        }
        answers
    };
    judged.flat_map(of_path).collect()
}

fn of_path(path: &Path, assessment: &Assessment, judged: &PathAssessment) -> Vec<Answer> {
    let own = assessment.ceilings_of(judged).map(|(_, ceiling)| ceiling);
    let promised = own.filter(|ceiling| is_promise(ceiling));
    let held = promised.filter_map(|ceiling| {
        let shares = path
            .measurements
            .iter()
            .filter_map(|one| Some((one, one.share_of(ceiling)?)))
            // What others left of the device can show that a promise is kept, not that it is missed.
            .filter(|(one, share)| one.flat_out || *share >= KEPT)
            // What a line carries is asked of streams; a message that waits for the one before may ride on a shaper's burst.
            .filter(|(one, _)| path.kind == PathKind::Storage || one.unit == ceiling.unit);
        let (measurement, share) = shares.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        Some((ceiling, measurement, share))
    });
    let mut held: Vec<(&Ceiling, &Measurement, f64)> = held.collect();
    if path.kind == PathKind::Network {
        // One line was promised: what shows it best decides, in each direction.
        held.sort_by(|(.., one), (.., other)| other.total_cmp(one));
        let mut seen = Vec::new();
        held.retain(|(_, measurement, _)| {
            let back = measurement.question.as_ref().is_some_and(|asked| asked.forward().is_some());
            let first = !seen.contains(&back);
            seen.push(back);
            first
        });
        // Worst first: the first line is read.
        held.reverse();
    }
    // A path at full wire has met its limit: the promise is judged as the verdict is.
    let kept = if judged.verdict == Verdict::FullWire { FULL_WIRE } else { KEPT };
    held.into_iter()
        .map(|(ceiling, measurement, share)| answer(path, ceiling, measurement, (share, kept)))
        .collect()
}

/// Promises that no figure answers: none means what it seems to, or none is of what was promised.
fn open(
    facts: &Facts,
    path: &Path,
    assessment: &Assessment,
    judged: &PathAssessment,
    is_open: impl Fn(Unit) -> bool,
) -> Vec<Answer> {
    let own = assessment.ceilings_of(judged).map(|(_, ceiling)| ceiling);
    let promises: Vec<&Ceiling> = own.filter(|ceiling| is_promise(ceiling)).collect();
    let expected = facts.command.expect_disk;
    let given = [(expected.io_per_s, Unit::IoPerS), (expected.bytes_per_s, Unit::BytesPerS)];
    let of_unit = |(given, unit): (Option<f64>, Unit)| {
        let ceiling = promises.iter().find(|ceiling| ceiling.unit == unit);
        match (ceiling, given) {
            _ if path.measurements.is_empty() || !is_open(unit) => None,
            (Some(ceiling), _) => Some(unjudged(path, ceiling)),
            (None, Some(given)) if path.kind == PathKind::Storage && !is_mute(facts, path) => {
                Some(unmeasured(path, given, unit))
            }
            _ => None,
        }
    };
    given.into_iter().filter_map(of_unit).collect()
}

/// Its figures are not the storage's: their caveat is the answer.
fn is_mute(facts: &Facts, path: &Path) -> bool {
    facts.disk.iter().any(|result| path.is_called(&result.target) && says_nothing(result))
}

/// No figure of the promise's kind means what it seems to.
fn unjudged(path: &Path, ceiling: &Ceiling) -> Answer {
    let most = path.measurements.iter().filter_map(|one| one.value_in(ceiling.unit)).reduce(f64::max);
    let reached = most.map(|most| value(most, ceiling.unit)).unwrap_or_default();
    let why = format!("Not known: the {reached} that were reached do not show what it can carry.");
    unknown(path, (most, ceiling.value, ceiling.unit), &promised(ceiling, path.kind), &why)
}

/// No step was of the kind that shows it.
fn unmeasured(path: &Path, given: f64, unit: Unit) -> Answer {
    let how = match unit {
        Unit::BytesPerS => "--pattern sequential --block 1M --depth 8",
        _ => "--pattern random --block 8k --depth 32",
    };
    let why = format!("Not measured (fullwire disk --operation read {how} would tell).");
    unknown(path, (None, given, unit), &value(given, unit), &why)
}

fn unknown(
    path: &Path,
    (figure, limit, unit): (Option<f64>, f64, Unit),
    promised: &str,
    why: &str,
) -> Answer {
    Answer {
        question: UserQuestion::Kept,
        subject: path.target.clone(),
        figure,
        limit: Some(limit),
        unit: Some(unit),
        basis: "no figure of its own".to_owned(),
        text: format!("Promised for {}: {promised}. {why}", path.target),
        ..Answer::default()
    }
}

/// The share of the promise that was measured, and the share from which on it counts as kept.
fn answer(path: &Path, ceiling: &Ceiling, measurement: &Measurement, (share, kept): (f64, f64)) -> Answer {
    let reached = measurement.value_in(ceiling.unit);
    // With one in flight the time of each sets the rate, and a load that met no limit shows none.
    let alone = ceiling.bound_only && share < FULL_WIRE;
    let driven = measurement.driven || share >= kept;
    let reply = match share {
        _ if alone || !driven => Reply::Unknown,
        share if share > REFUTED => Reply::Exceeded,
        share if share >= kept => Reply::Kept,
        _ => Reply::Missed,
    };
    let show = |number: f64| match (path.kind, ceiling.unit) {
        (PathKind::Network, Unit::BytesPerS) => both(number),
        (_, unit) => value(number, unit),
    };
    let said = match reply {
        Reply::Unknown if path.kind == PathKind::Network => {
            "not known: it may carry more than this load (--streams 4 would tell)".to_owned()
        }
        Reply::Unknown => {
            "not known: it may carry more than this load (fullwire disk --sweep depth would tell)".to_owned()
        }
        Reply::Missed => format!("missed, {:.0} % of it", share * 100.0),
        Reply::Kept => format!("kept ({:.0} %)", share * 100.0),
        _ if path.kind == PathKind::Storage && share >= FAR_ABOVE => {
            format!("exceeded ({share:.1} times): a cache answered, or the promise is for other storage")
        }
        _ => format!("exceeded ({share:.1} times)"),
    };
    let (subject, promised) = (&path.target, promised(ceiling, path.kind));
    Answer {
        question: UserQuestion::Kept,
        subject: subject.clone(),
        answer: reply,
        figure: reached,
        limit: Some(ceiling.value),
        unit: Some(ceiling.unit),
        basis: measurement.id.to_string(),
        text: format!(
            "Promised for {subject}: {promised}. Measured: {} ({}): {said}.",
            reached.map(show).unwrap_or_default(),
            measurement.label().trim()
        ),
        ..Answer::default()
    }
}

/// The promise as it was given; of a line also what is left of it for payload.
fn promised(ceiling: &Ceiling, kind: PathKind) -> String {
    let given = ceiling.derivation.inputs.iter().find(|input| input.name.starts_with("declared_"));
    match (kind, given) {
        (PathKind::Network, Some(given)) => {
            let bits = given.value * 8.0;
            let line = if bits >= 1e9 {
                format!("{} Gbit/s", bits / 1e9)
            } else {
                format!("{:.0} Mbit/s", bits / 1e6)
            };
            format!("{line}, {} of payload", value(ceiling.value, ceiling.unit))
        }
        _ => value(ceiling.value, ceiling.unit),
    }
}
