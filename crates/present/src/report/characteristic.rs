//! What a path is like by all its figures, in two lines, and what speaks for each explanation, in full.

use crate::format;
use fullwire_model::MeasurementId;
use fullwire_model::assessment::PathAssessment;
use fullwire_model::characteristic::Prediction;
use fullwire_model::characteristic::{
    Characteristic, Course, Estimate, ExperimentOutcome, Open, Parameter, Quantity, Why,
};
use fullwire_model::quantity::Unit;

/// Parameters that one line has room for.
const MOST: usize = 4;

/// Two lines: what is known of the path, and what was tried or would settle what is open.
pub(super) fn lines(path: &PathAssessment) -> Vec<String> {
    let known = &path.characteristic;
    let told = known.parameters.iter().filter(|one| matches!(one.estimate, Estimate::Determined { .. }));
    let told: Vec<String> = told.take(MOST).map(parameter).collect();
    let first = (!told.is_empty()).then(|| format!("From all measurements together: {}.", told.join("; ")));
    let about = |one: &&ExperimentOutcome| one.about == path.measurement;
    let tried = known.experiments.iter().find(about).or_else(|| known.experiments.first());
    let open = known.open.iter().find(|one| one.measurement == path.measurement);
    first.into_iter().chain(open.map(would_settle).or_else(|| tried.map(outcome))).collect()
}

fn would_settle(open: &Open) -> String {
    format!(
        "{} may be {}, or else {} ({}): {} would tell (--budget).",
        open.measurement,
        open.limit.says(),
        open.or.says(),
        format::percent(open.weight),
        open.by.says()
    )
}

fn outcome(one: &ExperimentOutcome) -> String {
    let Some(value) = one.value else {
        return format!("{} could not be tried.", format::capital(one.experiment.says()));
    };
    let left = match one.left.as_slice() {
        [] => "which none of the explanations gives".to_owned(),
        left => format!("as {} gives", alternatives(left)),
    };
    format!("Tried for {}: {}: {}, {left}.", one.about, one.experiment.says(), amount(value, one.unit))
}

fn alternatives(limits: &[Quantity]) -> String {
    limits.iter().map(|limit| limit.says()).collect::<Vec<_>>().join(" or ")
}

/// Evenness is a share of what a clock's may be.
fn amount(value: f64, unit: Unit) -> String {
    if unit == Unit::Ratio { format!("{value:.3}") } else { format::value(value, unit) }
}

/// `random read 8k, latency of a single request: 5.2 ms`.
fn parameter(one: &Parameter) -> String {
    let name = match one.quantity {
        Quantity::Latency => "latency of a single request",
        Quantity::ServedAtOnce => "requests served in parallel",
        Quantity::RequestRate => "limit in requests per second",
        Quantity::ByteRate => "limit in bytes per second",
        Quantity::FlowRate => "rate of one flow",
        Quantity::PathRate => "rate of all flows together",
        Quantity::RandomLoss => "loss at half the rate",
    };
    format!("{}, {name}: {}", one.of, estimate(one.estimate, one.unit))
}

fn estimate(estimate: Estimate, unit: Unit) -> String {
    match estimate {
        Estimate::Determined { low, high } if high <= 1.03 * low => amount((low * high).sqrt(), unit),
        Estimate::Determined { low, high } => format!("{} to {}", amount(low, unit), amount(high, unit)),
        Estimate::AtLeast { low } => format!("at least {}", amount(low, unit)),
        Estimate::AtMost { high } => format!("at most {}", amount(high, unit)),
        Estimate::Between { low, high, by } => {
            let by = by.map(|by| format!(" ({} would tell)", by.says())).unwrap_or_default();
            format!("{} to {}{by}", amount(low, unit), amount(high, unit))
        }
        Estimate::Undetermined { why, by } => {
            let why = match why {
                Why::TooFew => "no measurement shows it",
                Why::Confounded => "something else has the same effect on every figure",
                Why::Noise => "the figures scatter too much",
            };
            let by = by.map(|by| format!("; {} would tell", by.says()));
            format!("not known: {why}{}", by.unwrap_or_default())
        }
    }
}

/// A heading of the trail, and its lines.
pub(crate) type Section = (&'static str, Vec<String>);

/// Everything that speaks for and against the explanations of a path's figures.
pub(crate) fn trail(known: &Characteristic) -> Vec<Section> {
    let mut cases = shares(known);
    if known.contradictory {
        cases.push(
            "No explanation gives all figures: at least one of them contradicts the others.".to_owned(),
        );
    }
    let tried = known.experiments.iter().flat_map(|one| {
        let predicted = one.predictions.iter().map(|each| prediction(each, one.unit));
        [outcome(one), format!("  {}.", one.why)].into_iter().chain(predicted).collect::<Vec<_>>()
    });
    vec![
        ("What limits each measurement, by all figures", cases),
        ("What all figures say together", known.parameters.iter().map(parameter).collect()),
        ("What the means hide", known.courses.iter().map(course).collect()),
        ("What was tried", tried.collect()),
        ("What would settle the rest", known.open.iter().map(would_settle).collect()),
    ]
}

fn course(one: &Course) -> String {
    let rate = |bytes_per_s| format::value(bytes_per_s, Unit::BytesPerS);
    let time = |ns| format::value(ns, Unit::Ns);
    let fell = one.fell.map(|fell| {
        let (from, to) = (rate(fell.from_bytes_per_s), rate(fell.to_bytes_per_s));
        format!("fell from {from} to {to} and stayed there for {}", time(fell.lasted_s * 1e9))
    });
    let stalls = one.stalls.map(|stalls| {
        let (longest, all) = (time(stalls.longest_ns as f64), time(stalls.stood_s * 1e9));
        format!("stalled {} times, {longest} at most, {all} together", stalls.count)
    });
    let scatter = one.scatter.map(|share| format!("repeats differ by {}", format::percent(share)));
    let again = one.read_again.map(|share| format!("read again in {} of the time", format::percent(share)));
    let even = one.even.map(|share| format!("one rate, within {}", format::percent(share)));
    let set = one.set.then(|| "as even as a clock, or slower than any medium".to_owned());
    let all: Vec<String> = [fell, stalls, scatter, again, even, set].into_iter().flatten().collect();
    format!("{}: {}", one.measurement, all.join("; "))
}

fn prediction(one: &Prediction, unit: Unit) -> String {
    let range = match one.high {
        Some(high) if one.low > 0.0 => format!("{} to {}", amount(one.low, unit), amount(high, unit)),
        Some(high) => format!("at most {}", amount(high, unit)),
        None => format!("at least {}", amount(one.low, unit)),
    };
    format!("  predicted by {}: {range}", one.limit.says())
}

/// Explanations with less of the weight are not listed.
const LISTED: f64 = 0.01;

/// Of each measurement what may limit it, the likeliest first.
fn shares(known: &Characteristic) -> Vec<String> {
    let Some(best) = known.cases.first() else { return Vec::new() };
    let of = |measurement: &MeasurementId| {
        let mut found: Vec<(Option<Quantity>, f64)> = Vec::new();
        for case in &known.cases {
            let acting = case.acts.iter().find(|acting| acting.measurement == *measurement);
            let Some(acting) = acting else { continue };
            match found.iter_mut().find(|(limit, _)| *limit == acting.quantity) {
                Some((_, weight)) => *weight += case.weight,
                None => found.push((acting.quantity, case.weight)),
            }
        }
        found.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let named = found.into_iter().filter(|(_, weight)| *weight >= LISTED).map(|(limit, weight)| {
            let limit = limit.map_or("the program that makes the load", Quantity::says);
            format!("{limit} {}", format::percent(weight))
        });
        format!("{measurement}: {}", named.collect::<Vec<_>>().join(", "))
    };
    best.acts.iter().map(|acting| of(&acting.measurement)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::characteristic::Experiment;

    #[test]
    fn a_path_is_told_in_two_lines() {
        let latency = Parameter {
            quantity: Quantity::Latency,
            of: "random read 8k".into(),
            unit: Unit::Ns,
            estimate: Estimate::Determined { low: 4.9e6, high: 5.1e6 },
        };
        let open = Open {
            measurement: MeasurementId::of_recording("write"),
            limit: Quantity::Latency,
            or: Quantity::RequestRate,
            weight: 0.5,
            by: Experiment::SingleIos,
        };
        let path = PathAssessment {
            measurement: open.measurement.clone(),
            characteristic: Characteristic {
                parameters: vec![latency],
                open: vec![open],
                ..Characteristic::default()
            },
            ..PathAssessment::default()
        };
        assert_eq!(
            lines(&path),
            [
                "From all measurements together: random read 8k, latency of a single request: 4.9 ms to 5.1 ms.",
                "recorded writes may be the time of each I/O, or else a limit of requests per second (50 %): \
                 single I/Os with pauses would tell (--budget)."
            ]
        );
    }
}
