//! Two stretches of recordings: what each disk took for a request under the same load.
//!
//! Latency follows load, so that a disk is compared only where it carried about as much. Each figure is the mean of
//! ten seconds, weighted by I/Os, and one resembles the next: the interval comes from resampling blocks.

use crate::settings;
use crate::statistics::{Interval, Shift, shift_of_series, standard_deviation};
use fullwire_model::comparison::{
    Answer, Compared, Comparison, ComparisonCause, Design, Direction, Method, SideFigure,
};
use fullwire_model::counters::DiskCounters;
use fullwire_model::quantity::Unit;
use fullwire_model::recording::Sample;
use fullwire_model::{MeasurementId, Run, Window, median};
use std::collections::BTreeMap;

/// Length of what is one observation, ns: shorter means of a disk with few I/Os are mostly chance (own choice).
const SLICE_NS: u64 = 10_000_000_000;
/// Five minutes of observations.
const LEAST_SLICES: usize = 30;
/// Fewer I/Os in ten seconds tell no mean.
const LEAST_IOS: u64 = 10;
/// Loads that differ by more are not compared (compare.md section 8: device bytes within 20 %).
const SAME_LOAD: f64 = 1.2;
/// All primary figures together are wrong in so many comparisons at most.
const ALPHA: f64 = 0.05;
/// The resampling is the same each time.
const SEED: u64 = 0x5eed;

/// One side: the samples between two moments, and the host as it was then.
pub struct Stretch<'a> {
    /// What it is called; its host's record.
    pub run: &'a Run,
    /// In the order of time.
    pub samples: &'a [Sample],
}

/// What a disk did in each slice.
#[derive(Default)]
struct Series {
    read_ns: Vec<f64>,
    write_ns: Vec<f64>,
    bytes_per_s: Vec<f64>,
}

/// Compares two stretches. `delta`: the smallest change of a latency that matters, as a share.
pub fn stretches(
    a: &Stretch<'_>,
    b: &Stretch<'_>,
    delta: f64,
    conclude: Option<crate::Conclude<'_>>,
) -> Comparison {
    let mut comparison = Comparison {
        a: vec![a.run.run_id.clone()],
        b: vec![b.run.run_id.clone()],
        design: Design::Blocks,
        ..Comparison::default()
    };
    let same_host = a.run.host.hostname == b.run.host.hostname;
    (comparison.settings, comparison.conditions) = settings::between(&[a.run], &[b.run], conclude, same_host);
    let (before, after) = (by_disk(a.samples), by_disk(b.samples));
    let both: Vec<(&String, &Series, &Series)> =
        before.iter().filter_map(|(name, one)| Some((name, one, after.get(name)?))).collect();
    let count = both.iter().map(|(_, one, other)| figures(one, other).len()).sum::<usize>().max(1);
    // Each figure has its share of the error.
    let alpha = ALPHA / count as f64;
    for (name, one, other) in both {
        for (label, first, second) in figures(one, other) {
            comparison.comparisons.push(compared(name, label, (first, second), (one, other), delta, alpha));
        }
    }
    comparison.answer = crate::compare::overall(&comparison);
    comparison.caveats.push(
        "two stretches of time differ in more than what was changed: the same hour of the week, with the same jobs, says most"
            .into(),
    );
    comparison.cause = match comparison.answer {
        Answer::Better | Answer::Worse => crate::cause::cause(&comparison, false),
        _ => None::<ComparisonCause>,
    };
    comparison
}

/// The figures that both sides have enough of.
fn figures<'a>(one: &'a Series, other: &'a Series) -> Vec<(&'static str, &'a [f64], &'a [f64])> {
    let all = [("read", &one.read_ns, &other.read_ns), ("write", &one.write_ns, &other.write_ns)];
    let enough = |values: &[f64]| values.len() >= LEAST_SLICES;
    all.into_iter()
        .filter(|(_, first, second)| enough(first) && enough(second))
        .map(|(label, first, second)| (label, first.as_slice(), second.as_slice()))
        .collect()
}

fn compared(
    disk: &str,
    label: &str,
    (a, b): (&[f64], &[f64]),
    (one, other): (&Series, &Series),
    delta: f64,
    alpha: f64,
) -> Compared {
    let mut compared = Compared {
        path: disk.into(),
        measurement: MeasurementId::of_recording(label),
        figure: "time of a request".into(),
        label: format!("{label} time"),
        unit: Unit::Ns,
        better: Direction::Lower,
        a: side(a),
        b: side(b),
        relative: true,
        delta,
        primary: true,
        ..Compared::default()
    };
    let loads = median(&one.bytes_per_s).zip(median(&other.bytes_per_s));
    if let Some((before, after)) = loads.filter(|(before, after)| !is_same_load(*before, *after)) {
        compared.answer = Answer::NotComparable;
        compared.why = Some(format!(
            "the load differs: {:.1} and {:.1} MB/s; latency follows load",
            before / 1e6,
            after / 1e6
        ));
        return compared;
    }
    let logs = |values: &[f64]| values.iter().map(|value| value.max(1.0).ln()).collect::<Vec<f64>>();
    let Some(shift) = shift_of_series(&logs(a), &logs(b), alpha, SEED) else { return compared };
    conclude(&mut compared, shift);
    compared
}

fn is_same_load(before: f64, after: f64) -> bool {
    before <= SAME_LOAD * after && after <= SAME_LOAD * before
}

fn conclude(compared: &mut Compared, shift: Shift) {
    compared.change = Some(shift.value.exp_m1());
    let Some(Interval { low, high }) = shift.interval else {
        compared.why = Some(format!(
            "the values resemble one another so much that they are worth {:.0} independent ones: take longer stretches",
            shift.independent
        ));
        return;
    };
    compared.method = Method::BlockBootstrap;
    (compared.low, compared.high) = (Some(low.exp_m1()), Some(high.exp_m1()));
    let matters = compared.delta.ln_1p();
    compared.answer = if low > 0.0 && shift.value >= matters {
        Answer::Worse
    } else if high < 0.0 && shift.value <= -matters {
        Answer::Better
    } else if low >= -matters && high <= matters {
        Answer::Same
    } else {
        Answer::CannotTell
    };
    if compared.answer == Answer::CannotTell {
        compared.why = Some("take longer stretches".into());
    }
}

fn side(values: &[f64]) -> SideFigure {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    SideFigure {
        median: median(values),
        n: u32::try_from(values.len()).unwrap_or(u32::MAX),
        scatter: standard_deviation(values).filter(|_| mean > 0.0).map(|deviation| deviation / mean),
        values: values.to_vec(),
        ..SideFigure::default()
    }
}

/// The figures of each disk over slices of ten seconds.
fn by_disk(samples: &[Sample]) -> BTreeMap<String, Series> {
    let mut all: BTreeMap<String, Series> = BTreeMap::new();
    let Some((mut from, rest)) = samples.split_first() else { return all };
    for to in rest {
        let ns = to.boottime_ns.saturating_sub(from.boottime_ns);
        if ns < SLICE_NS {
            continue;
        }
        let window = Window { from: from.counters.clone(), to: to.counters.clone(), ..Window::default() };
        let window = window.continuous();
        for (name, after) in &window.to.disks {
            if let Some(before) = window.from.disks.get(name) {
                all.entry(name.clone()).or_default().add(before, after, ns as f64 / 1e9);
            }
        }
        from = to;
    }
    all
}

impl Series {
    fn add(&mut self, before: &DiskCounters, after: &DiskCounters, seconds: f64) {
        let grown = |read: fn(&DiskCounters) -> u64| read(after).saturating_sub(read(before));
        let mean = |ios: u64, ms: u64| (ios >= LEAST_IOS).then(|| ms as f64 * 1e6 / ios as f64);
        self.read_ns.extend(mean(grown(|disk| disk.reads), grown(|disk| disk.read_ms)));
        self.write_ns.extend(mean(grown(|disk| disk.writes), grown(|disk| disk.write_ms)));
        let bytes = grown(|disk| disk.read_bytes) + grown(|disk| disk.write_bytes);
        self.bytes_per_s.push(bytes as f64 / seconds);
    }
}
