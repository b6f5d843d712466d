//! Both sides of a comparison as curves over each other.

use super::chart::{
    Axis, Chart, MOST_SERIES, SECONDS, Scale, Series, SeriesKind, THROUGHPUT, chart, distribution, line,
};
use fullwire_model::comparison::{Compared, Comparison};
use fullwire_model::disk::DiskResult;
use fullwire_model::latency::Latency;
use fullwire_model::quantity::Unit;
use fullwire_model::{MeasurementId, PathName, Run};
use std::collections::BTreeMap;

/// Runs of one side in one chart: half of what can be distinguished.
const MOST_RUNS: usize = MOST_SERIES / 2;

/// Percentiles at which two distributions are compared with each other.
const PERCENTILES: [f64; 21] = [
    1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0, 70.0, 75.0, 80.0, 85.0, 90.0, 95.0, 98.0,
    99.0, 99.5, 99.9,
];

/// The curves of every primary figure: run by run, over time, and of latencies the whole distribution and its shift.
pub fn overlays(comparison: &Comparison, a: &[&Run], b: &[&Run]) -> Vec<Chart> {
    let mut all = Vec::new();
    for compared in comparison.primaries() {
        all.extend(by_run(compared));
        let path_b = compared.path_b.as_ref().unwrap_or(&compared.path);
        let (of_a, of_b) = (measured(a, &compared.path, compared), measured(b, path_b, compared));
        all.extend(over_time(compared, &of_a, &of_b));
        all.extend(latencies(compared, &of_a, &of_b));
    }
    all.retain(|chart| chart.points.len() > 1);
    all
}

/// What one run has of a measurement.
struct Measured<'a> {
    /// End of the slice, s, and bytes per second in it.
    slices: Vec<(f64, f64)>,
    latency: Option<&'a Latency>,
}

fn measured<'a>(runs: &[&'a Run], path: &PathName, compared: &Compared) -> Vec<Measured<'a>> {
    let id = &compared.measurement;
    runs.iter().filter_map(|run| of_net(run, path, id).or_else(|| of_step(run, path, id))).collect()
}

fn of_net<'a>(run: &'a Run, path: &PathName, wanted: &MeasurementId) -> Option<Measured<'a>> {
    let mut results = run.net_measurements();
    let (_, result) = results.find(|(id, result)| result.target == *path && id == wanted)?;
    let slices = result.intervals.iter().map(|slice| (slice.t_s, slice.throughput_bytes_per_s)).collect();
    Some(Measured { slices, latency: result.latency_ns.as_ref() })
}

fn of_step<'a>(run: &'a Run, path: &PathName, wanted: &MeasurementId) -> Option<Measured<'a>> {
    let results = run.disk_of(path);
    let (_, step) = results.flat_map(DiskResult::measurements).find(|(id, _)| id == wanted)?;
    let slices = step.intervals.iter().map(|slice| (slice.t_s, slice.throughput_bytes_per_s)).collect();
    Some(Measured { slices, latency: Some(&step.latency_ns) })
}

fn title(what: &str, compared: &Compared) -> String {
    format!("{what}, {}", compared.measurement)
}

/// Every observation, in the order in which it was made.
fn by_run(compared: &Compared) -> Option<Chart> {
    let longest = compared.a.values.len().max(compared.b.values.len());
    let padded = |values: &[f64]| (0..longest).map(|index| values.get(index).copied()).collect();
    let unit = compared.unit;
    let scale = if unit == Unit::Ns { Scale::Log } else { Scale::Linear };
    let x = Axis { label: "run", unit: Unit::Count, scale: Scale::Linear };
    let y = Axis { label: "figure", unit, scale };
    let series = vec![line("before", padded(&compared.a.values)), line("after", padded(&compared.b.values))];
    let points = (1..=longest).map(|run| run as f64).collect();
    (longest > 1)
        .then(|| chart(&compared.path, format!("Run by run, {}", compared.label), x, y, points, series))
}

fn over_time(compared: &Compared, a: &[Measured<'_>], b: &[Measured<'_>]) -> Option<Chart> {
    // Milliseconds, so that times can be keys; slices of two runs end within a few of each other.
    const STEP_MS: f64 = 50.0;
    let sides = [("before", a), ("after", b)];
    let curves: Vec<(String, &Measured<'_>)> = sides
        .into_iter()
        .flat_map(|(name, runs)| {
            runs.iter()
                .take(MOST_RUNS)
                .enumerate()
                .map(move |(index, run)| (format!("{name} {}", index + 1), run))
        })
        .collect();
    let mut rows: BTreeMap<i64, Vec<Option<f64>>> = BTreeMap::new();
    for (column, (_, run)) in curves.iter().enumerate() {
        for (at_s, rate) in &run.slices {
            #[expect(clippy::cast_possible_truncation, reason = "a test ends within days")]
            let key = (at_s * 1e3 / STEP_MS).round() as i64;
            rows.entry(key).or_insert_with(|| vec![None; curves.len()])[column] = Some(*rate);
        }
    }
    let points: Vec<f64> = rows.keys().map(|key| *key as f64 * STEP_MS / 1e3).collect();
    let series = curves
        .iter()
        .enumerate()
        .map(|(column, (name, _))| line(name.as_str(), rows.values().map(|row| row[column]).collect()))
        .collect();
    (points.len() > 1).then(|| {
        chart(&compared.path, title("Throughput over time", compared), SECONDS, THROUGHPUT, points, series)
    })
}

fn latencies(compared: &Compared, a: &[Measured<'_>], b: &[Measured<'_>]) -> Vec<Chart> {
    let with = |runs: &[Measured<'_>]| runs.iter().any(|run| run.latency.is_some_and(|one| one.count > 0));
    if !with(a) || !with(b) {
        return Vec::new();
    }
    let (Some(before), Some(after)) = (middle(a), middle(b)) else { return Vec::new() };
    let named = [("before, middle run".to_owned(), before), ("after, middle run".to_owned(), after)];
    let both = distribution(&compared.path, &named);
    let both = Chart { title: title("Latency distribution", compared), ..both };
    vec![both, shift(compared, a, b)]
}

/// The distribution whose median is in the middle of the side's.
fn middle<'a>(runs: &[Measured<'a>]) -> Option<&'a Latency> {
    let mut all: Vec<&Latency> =
        runs.iter().filter_map(|run| run.latency).filter(|one| one.count > 0).collect();
    all.sort_by_key(|latency| latency.p50);
    all.get(all.len() / 2).copied()
}

/// At each percentile: the median of the runs after against that of the runs before. Flat at 0: nothing changed; rising to
/// the right: the tail grew more than the middle.
fn shift(compared: &Compared, a: &[Measured<'_>], b: &[Measured<'_>]) -> Chart {
    let at = |runs: &[Measured<'_>], percentile: f64| {
        let mut values: Vec<f64> =
            runs.iter().filter_map(|run| quantile(run.latency?, percentile / 100.0)).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    let change = |percentile: &f64| Some(at(b, *percentile)? - at(a, *percentile)?);
    let values: Vec<Option<f64>> = PERCENTILES.iter().map(change).collect();
    let x = Axis { label: "percentile", unit: Unit::Count, scale: Scale::Linear };
    let y = Axis { label: "after minus before", unit: Unit::Ns, scale: Scale::Linear };
    let series = vec![Series { kind: SeriesKind::Line, ..line("shift", values) }];
    chart(
        &compared.path,
        title("Shift of the whole distribution", compared),
        x,
        y,
        PERCENTILES.to_vec(),
        series,
    )
}

/// From the buckets, which are 9 % wide: for drawing. `None` where too few samples are beyond.
fn quantile(latency: &Latency, share: f64) -> Option<f64> {
    let total: u64 = latency.buckets.iter().map(|bucket| bucket.count).fold(0, u64::saturating_add);
    if (total as f64) * (1.0 - share) < 10.0 {
        return None;
    }
    let (mut below, mut from) = (0.0, latency.min as f64);
    for bucket in &latency.buckets {
        let count = bucket.count as f64;
        if below + count >= share * total as f64 {
            let within = (share * total as f64 - below) / count;
            return Some(from + within * (bucket.upto_ns as f64 - from));
        }
        (below, from) = (below + count, bucket.upto_ns as f64);
    }
    None
}
