//! Curves as data: over time, over latency, over a sweep.

pub(crate) mod bands;
mod subsystem;
mod trend;

use fullwire_model::assessment::{Assessment, PathKind};
use fullwire_model::disk::{DiskResult, DiskStepResult};
use fullwire_model::latency::Latency;
use fullwire_model::net::{NetInterval, NetResult};
use fullwire_model::quantity::Unit;
use fullwire_model::{MeasurementId, PathName, Run};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Curves in one chart: more cannot be distinguished.
pub(super) const MOST_SERIES: usize = 6;

/// Points on the horizontal axis: more than a wide screen has columns is thinned out.
const MOST_POINTS: usize = 2000;

/// An interval of less than this share of the usual length is not drawn.
const SHORT: f64 = 0.8;

/// Bins of a latency distribution in one octave: a cache's mode and a disk's are an octave or more apart.
const BINS_PER_OCTAVE: f64 = 4.0;

/// Curves over one horizontal axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chart {
    /// The path or the subsystem that it belongs to; empty: the run.
    pub path: PathName,
    /// What it shows.
    pub title: String,
    /// What runs to the right.
    pub x: Axis,
    /// What runs up.
    pub y: Axis,
    /// Positions to the right, ascending.
    pub points: Vec<f64>,
    /// The curves.
    pub series: Vec<Series>,
}

/// What an axis means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Axis {
    /// Its name.
    pub label: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// How it is divided.
    pub scale: Scale,
}

/// How an axis is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By powers.
    Log,
    /// Points in time, seconds since the epoch.
    Time,
}

/// One curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// How it is drawn.
    pub kind: SeriesKind,
    /// One value for each point; `None`: no value there.
    pub values: Vec<Option<f64>>,
}

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SeriesKind {
    /// A line through the points.
    Line,
    /// The area under the line.
    Area,
    /// A limit: dashed.
    Limit,
    /// The worst within each step of the curve before it: thin.
    Worst,
    /// The same figure by another tool: dashed.
    Other,
}

pub(super) const SECONDS: Axis = Axis { label: "time", unit: Unit::S, scale: Scale::Linear };
pub(super) const THROUGHPUT: Axis = Axis { label: "throughput", unit: Unit::BytesPerS, scale: Scale::Linear };
const LATENCY: Axis = Axis { label: "latency", unit: Unit::Ns, scale: Scale::Log };
const QUEUE_DEPTH: Axis = Axis { label: "queue depth", unit: Unit::Count, scale: Scale::Log };
const THREADS: Axis = Axis { label: "threads", unit: Unit::Count, scale: Scale::Log };
const BLOCK: Axis = Axis { label: "block", unit: Unit::Bytes, scale: Scale::Log };

/// Every chart that the run has points for.
pub(super) fn charts(run: &Run, assessment: &Assessment) -> Vec<Chart> {
    let mut all = Vec::new();
    for (id, result) in run.net_measurements() {
        let limit = deciding(assessment, PathKind::Network, &result.target, &id);
        all.extend(net_over_time(result, limit));
    }
    for (target, latencies) in net_latencies(run) {
        all.push(distribution(&target, &latencies));
    }
    for result in &run.disk {
        if result.sweep.is_some() {
            all.extend(sweeps(result));
        } else {
            for (id, step) in result.measurements() {
                let limit = deciding(assessment, PathKind::Storage, &result.target, &id);
                all.extend(disk_over_time(result, step, limit));
            }
        }
    }
    all.extend(trend::charts(run));
    all.extend(subsystem::charts(&run.imported, assessment));
    all.retain(|chart| chart.points.len() > 1 && !chart.series.is_empty());
    all
}

/// The ceiling that decides on a measurement, bytes per second.
fn deciding(assessment: &Assessment, kind: PathKind, target: &PathName, id: &MeasurementId) -> Option<f64> {
    let path = assessment.path_of(kind, target)?;
    let ceiling = assessment.ceilings.get(path.measurement_of(id)?.ceiling?)?;
    Some(ceiling.value).filter(|_| ceiling.unit == Unit::BytesPerS)
}

/// Without a last interval that is clearly shorter than the one before: what little fell into it would look like a
/// drop.
fn whole<T>(intervals: &[T], end_s: fn(&T) -> f64) -> &[T] {
    if let [.., before, last_but_one, last] = intervals {
        let (length, usual) = (end_s(last) - end_s(last_but_one), end_s(last_but_one) - end_s(before));
        if length < SHORT * usual {
            return &intervals[..intervals.len() - 1];
        }
    }
    intervals
}

/// Without what begins after the test was over: the responder's account is collected then, and nothing moves.
fn during(intervals: &[NetInterval], test_s: f64) -> &[NetInterval] {
    let over = |index: usize| index > 0 && test_s > 0.0 && intervals[index - 1].t_s >= 0.99 * test_s;
    let end = (0..intervals.len()).find(|&index| over(index)).unwrap_or(intervals.len());
    &intervals[..end]
}

pub(super) fn line(name: impl Into<String>, values: Vec<Option<f64>>) -> Series {
    Series { name: name.into(), kind: SeriesKind::Line, values }
}

/// A chart from rows of one position and several values; empty curves are dropped.
pub(super) fn chart(
    path: impl Into<PathName>,
    title: String,
    x: Axis,
    y: Axis,
    points: Vec<f64>,
    mut series: Vec<Series>,
) -> Chart {
    series.retain(|series| series.values.iter().any(Option::is_some));
    Chart { path: path.into(), title, x, y, points, series }
}

fn with_limit(mut series: Vec<Series>, limit: Option<f64>, points: usize) -> Vec<Series> {
    let limit = limit.map(|limit| vec![Some(limit); points]);
    series.extend(limit.map(|values| Series { name: "ceiling".into(), kind: SeriesKind::Limit, values }));
    series
}

/// Every n-th element, so that at most [`MOST_POINTS`] are left.
pub(super) fn thinned<T>(all: &[T]) -> impl Iterator<Item = &T> + Clone {
    all.iter().step_by(all.len().div_ceil(MOST_POINTS).max(1))
}

fn net_over_time(result: &NetResult, limit: Option<f64>) -> [Chart; 2] {
    let told = during(&result.intervals, result.duration_s);
    let slices = thinned(whole(told, |slice| slice.t_s));
    let points: Vec<f64> = slices.clone().map(|slice| slice.t_s).collect();
    let of = |pick: fn(&NetInterval) -> Option<f64>| slices.clone().map(pick).collect::<Vec<_>>();
    let label = result.label();
    let throughput =
        Series { kind: SeriesKind::Area, ..line(&label, of(|slice| Some(slice.throughput_bytes_per_s))) };
    let rates = with_limit(vec![throughput], limit, points.len());
    let times = vec![
        line("p50", of(|slice| slice.p50_ns.map(|ns| ns as f64))),
        line("p99", of(|slice| slice.p99_ns.map(|ns| ns as f64))),
        line("round trip (TCP)", of(|slice| slice.rtt_ns.map(|ns| ns as f64))),
    ];
    [
        chart(&result.target, format!("Throughput, {label}"), SECONDS, THROUGHPUT, points.clone(), rates),
        chart(&result.target, format!("Latency, {label}"), SECONDS, LATENCY, points, times),
    ]
}

fn disk_over_time(result: &DiskResult, step: &DiskStepResult, limit: Option<f64>) -> [Chart; 2] {
    let slices = thinned(whole(&step.intervals, |slice| slice.t_s));
    let points: Vec<f64> = slices.clone().map(|slice| slice.t_s).collect();
    let label = step.label();
    let rate = slices.clone().map(|slice| Some(slice.throughput_bytes_per_s)).collect();
    let rates =
        with_limit(vec![Series { kind: SeriesKind::Area, ..line(&label, rate) }], limit, points.len());
    let of = |pick: fn(&fullwire_model::disk::DiskInterval) -> u64| {
        slices.clone().map(|slice| Some(pick(slice) as f64)).collect::<Vec<_>>()
    };
    let times =
        vec![line("p50", of(|s| s.p50_ns)), line("p99", of(|s| s.p99_ns)), line("largest", of(|s| s.max_ns))];
    [
        chart(&result.target, format!("Throughput, {label}"), SECONDS, THROUGHPUT, points.clone(), rates),
        chart(&result.target, format!("Latency, {label}"), SECONDS, LATENCY, points, times),
    ]
}

/// The distributions of each target's message latencies.
fn net_latencies(run: &Run) -> BTreeMap<PathName, Vec<(String, &Latency)>> {
    let mut by_target: BTreeMap<PathName, Vec<(String, &Latency)>> = BTreeMap::new();
    for result in &run.net {
        let of = by_target.entry(result.target.clone()).or_default();
        of.extend(result.latency_ns.as_ref().map(|latency| (result.label(), latency)));
        of.extend(result.rtt_idle_ns.as_ref().map(|latency| ("round trip, idle".to_owned(), latency)));
        of.extend(result.rtt_loaded_ns.as_ref().map(|latency| ("round trip, loaded".to_owned(), latency)));
        of.truncate(MOST_SERIES);
    }
    by_target
}

/// Shares of the samples over latency, all curves on one grid of bins.
pub(super) fn distribution(path: &PathName, latencies: &[(String, &Latency)]) -> Chart {
    let binned: Vec<(&str, BTreeMap<i64, f64>)> = latencies
        .iter()
        .filter(|(_, latency)| !latency.buckets.is_empty())
        .map(|(name, latency)| (name.as_str(), bins(latency)))
        .collect();
    let all: BTreeSet<i64> = binned.iter().flat_map(|(_, bins)| bins.keys().copied()).collect();
    // One empty bin on either side, so that each curve begins and ends at zero.
    let grid: Vec<i64> = match (all.first(), all.last()) {
        (Some(first), Some(last)) => (first - 1..=last + 1).collect(),
        _ => Vec::new(),
    };
    let series = binned.iter().map(|(name, bins)| {
        let values = grid.iter().map(|bin| Some(bins.get(bin).copied().unwrap_or(0.0))).collect();
        Series { kind: SeriesKind::Area, ..line(*name, values) }
    });
    let y = Axis { label: "share of samples", unit: Unit::Ratio, scale: Scale::Linear };
    let series = series.collect();
    let points = grid.iter().map(|bin| (*bin as f64 / BINS_PER_OCTAVE).exp2()).collect();
    chart(path, "Latency distribution".into(), LATENCY, y, points, series)
}

#[expect(clippy::cast_possible_truncation, reason = "the logarithm of a u64 is below 64")]
fn bins(latency: &Latency) -> BTreeMap<i64, f64> {
    let total: f64 = latency.buckets.iter().map(|bucket| bucket.count as f64).sum();
    let mut bins = BTreeMap::new();
    for bucket in &latency.buckets {
        let bin = ((bucket.upto_ns.max(1) as f64).log2() * BINS_PER_OCTAVE).round() as i64;
        *bins.entry(bin).or_insert(0.0) += bucket.count as f64 / total.max(1.0);
    }
    bins
}

/// For each dimension that was swept: throughput and tail latency over it.
fn sweeps(result: &DiskResult) -> Vec<Chart> {
    let over = result.sweep.as_ref().map(|sweep| sweep.over.as_slice()).unwrap_or_default();
    over.iter()
        .filter_map(|dimension| axis_of(dimension))
        .flat_map(|(axis, pick)| sweep(result, axis, pick))
        .collect()
}

type Position = fn(&DiskStepResult) -> u64;

fn axis_of(dimension: &str) -> Option<(Axis, Position)> {
    match dimension {
        "depth" => Some((QUEUE_DEPTH, |step| u64::from(step.queue_depth))),
        "threads" => Some((THREADS, |step| u64::from(step.threads))),
        "block" => Some((BLOCK, |step| step.block_bytes)),
        _ => None,
    }
}

fn sweep(result: &DiskResult, x: Axis, position: Position) -> [Chart; 2] {
    let at: BTreeSet<u64> = result.steps.iter().map(position).collect();
    let names: BTreeSet<String> = result.steps.iter().map(|step| curve(step, x)).collect();
    let series = |pick: fn(&DiskStepResult) -> f64| -> Vec<Series> {
        let values = |name: &String| {
            let value = |place: &u64| {
                result.steps.iter().find(|step| position(step) == *place && curve(step, x) == *name).map(pick)
            };
            line(name, at.iter().map(value).collect())
        };
        names.iter().take(MOST_SERIES).map(values).collect()
    };
    let points: Vec<f64> = at.iter().map(|place| *place as f64).collect();
    let rate = series(|step| step.throughput_bytes_per_s);
    let tail = series(|step| step.latency_ns.p99 as f64);
    let title = |what: &str| format!("{what} over {}", x.label);
    [
        chart(&result.target, title("Throughput"), x, THROUGHPUT, points.clone(), rate),
        chart(&result.target, title("99th percentile of latency"), x, LATENCY, points, tail),
    ]
}

/// A step's name without the dimension that runs to the right.
fn curve(step: &DiskStepResult, x: Axis) -> String {
    let mut name = step.pattern.of(step.operation.name());
    if x != BLOCK {
        name = format!("{name} {}", crate::format::size(step.block_bytes as f64));
    }
    if x != QUEUE_DEPTH && step.queue_depth > 1 {
        name = format!("{name} depth {}", step.queue_depth);
    }
    if x != THREADS && step.threads > 1 {
        name = format!("{name} {} threads", step.threads);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_after_the_test_is_not_drawn() {
        let slices: Vec<NetInterval> =
            [0.25, 0.5, 0.7, 0.95, 1.2].map(|t_s| NetInterval { t_s, ..NetInterval::default() }).into();
        let drawn = |test_s| during(&slices, test_s).len();
        assert_eq!((drawn(0.7), drawn(0.699), drawn(1.2), drawn(0.0)), (3, 3, 5, 5));
    }
}
