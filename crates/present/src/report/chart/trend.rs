//! Curves over days and hours: redo, reports side by side, what other tools recorded.

use super::{Axis, Chart, MOST_SERIES, Scale, Series, SeriesKind, chart, line, thinned};
use crate::report::demand::{Figure, WAITS, in_order, load, mean_ns};
use crate::report::imported::name_of;
use fullwire_model::Run;
use fullwire_model::demand::{AwrReport, ImportedSeries, RedoHistory};
use fullwire_model::quantity::Unit;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::collections::BTreeMap;

/// Charts of one imported file: a host with hundreds of disks has more curves than anyone looks at.
const MOST_CHARTS: usize = 24;

/// Files without times are drawn in their order.
const ORDER: Axis = Axis { label: "sample", unit: Unit::Count, scale: Scale::Linear };
const TIME: Axis = Axis { label: "time", unit: Unit::S, scale: Scale::Time };

/// Every chart over civil time.
pub(super) fn charts(run: &Run) -> Vec<Chart> {
    let mut all: Vec<Chart> = run.redo.iter().map(redo).collect();
    if run.reports.len() > 1 {
        all.extend(reports(&run.reports));
    }
    all.extend(run.imported.iter().flat_map(imported));
    all
}

fn up(label: &'static str, unit: Unit) -> Axis {
    Axis { label, unit, scale: if unit == Unit::Ns { Scale::Log } else { Scale::Linear } }
}

/// Seconds of a time without a zone, as if it were UTC: the page shows it the same way, so it reads as it was.
fn seconds(at: DateTime) -> Option<f64> {
    let zoned = at.to_zoned(TimeZone::UTC).ok()?;
    Some(zoned.timestamp().as_millisecond() as f64 / 1e3)
}

fn redo(redo: &RedoHistory) -> Chart {
    let placed = thinned(&redo.series).filter_map(|point| Some((seconds(point.at)?, point.bytes_per_s)));
    // A rate lasts until the next one begins: a step, not a slope.
    let mut before = None;
    let steps = placed.flat_map(|(at, rate)| {
        let held = before.replace(rate).filter(|held: &f64| held.total_cmp(&rate).is_ne());
        held.map(|held| (at, Some(held))).into_iter().chain([(at, Some(rate))])
    });
    let (points, rates): (Vec<f64>, Vec<Option<f64>>) = steps.unzip();
    let required = redo.required_bytes_per_s.map(|rate| Series {
        name: "required of the path".into(),
        kind: SeriesKind::Limit,
        values: vec![Some(rate); points.len()],
    });
    let mut series = vec![Series { kind: SeriesKind::Area, ..line("redo, all threads", rates) }];
    series.extend(required);
    chart("", "Redo".into(), TIME, up("redo", Unit::BytesPerS), points, series)
}

fn reports(reports: &[AwrReport]) -> Vec<Chart> {
    let dated: Vec<(f64, &AwrReport)> = in_order(reports)
        .into_iter()
        .filter_map(|report| Some((seconds(report.end.or(report.begin)?)?, report)))
        .collect();
    let over = |title: &str, y: Axis, curves: &[(&str, Figure<'_>)]| {
        let values =
            |pick: &dyn Fn(&AwrReport) -> Option<f64>| dated.iter().map(|(_, report)| pick(report)).collect();
        let series = curves.iter().map(|(name, pick)| line(*name, values(pick))).collect();
        let points = dated.iter().map(|(at, _)| *at).collect();
        chart("", title.to_owned(), TIME, y, points, series)
    };
    let wait = |name: &'static str| move |report: &AwrReport| mean_ns(report, name);
    let (sync, log, single, multi) = (wait(WAITS[0]), wait(WAITS[1]), wait(WAITS[2]), wait(WAITS[3]));
    vec![
        over(
            "Redo of the reports",
            up("redo", Unit::BytesPerS),
            &[("redo", &|report| report.redo_size_per_s)],
        ),
        over(
            "Database I/O",
            up("throughput", Unit::BytesPerS),
            &[("read", &|report| report.read_bytes_per_s), ("written", &|report| report.write_bytes_per_s)],
        ),
        over(
            "Mean waits",
            up("mean wait", Unit::Ns),
            &[(WAITS[0], &sync), (WAITS[1], &log), (WAITS[2], &single), (WAITS[3], &multi)],
        ),
        over("Active sessions", up("sessions", Unit::Count), &[("DB time / time", &load)]),
    ]
}

/// One chart for each metric, a curve for each subject.
fn imported(file: &ImportedSeries) -> Vec<Chart> {
    let mut by_metric: BTreeMap<(&str, &str), Vec<&fullwire_model::demand::Series>> = BTreeMap::new();
    for series in &file.series {
        by_metric.entry((&series.area, &series.metric)).or_default().push(series);
    }
    by_metric
        .into_iter()
        .take(MOST_CHARTS)
        .map(|((area, metric), all)| metric_chart(file, area, metric, &all))
        .collect()
}

fn metric_chart(
    file: &ImportedSeries,
    area: &str,
    metric: &str,
    all: &[&fullwire_model::demand::Series],
) -> Chart {
    let shown = &all[..all.len().min(MOST_SERIES)];
    let timed = shown.iter().flat_map(|series| &series.samples).any(|sample| sample.at.is_some());
    // Milliseconds, so that times can be keys; places, where there are no times.
    let mut rows: BTreeMap<i64, Vec<Option<f64>>> = BTreeMap::new();
    for (column, series) in shown.iter().enumerate() {
        for (place, sample) in (0..).zip(thinned(&series.samples)) {
            let at = sample.at.and_then(|at| at.to_zoned(TimeZone::UTC).ok());
            let at = at.map(|at| at.timestamp().as_millisecond());
            let Some(key) = (if timed { at } else { Some(place * 1000) }) else { continue };
            rows.entry(key).or_insert_with(|| vec![None; shown.len()])[column] = Some(sample.value);
        }
    }
    let points = rows.keys().map(|key| *key as f64 / 1e3).collect();
    let x = if timed { TIME } else { ORDER };
    let curve = |(column, series): (usize, &&fullwire_model::demand::Series)| {
        let name = if series.subject.is_empty() { area } else { &series.subject };
        line(name, rows.values().map(|row| row[column]).collect())
    };
    let series = shown.iter().enumerate().map(curve).collect();
    let left_out = all.len() - shown.len();
    let more = if left_out > 0 { format!(", {left_out} more in the JSON") } else { String::new() };
    let unit = shown.first().map_or(Unit::Count, |series| series.unit);
    chart(
        "",
        format!("{area}, {} ({}{more})", name_of(metric), file.tool),
        x,
        up("value", unit),
        points,
        series,
    )
}
