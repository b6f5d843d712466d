//! Curves over days and hours: redo, reports side by side.

use super::{Axis, Chart, Scale, Series, SeriesKind, chart, line, thinned};
use crate::report::demand::{Figure, WAITS, in_order, load, mean_ns};
use fullwire_model::Run;
use fullwire_model::demand::{AwrReport, RedoHistory};
use fullwire_model::quantity::Unit;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

const TIME: Axis = Axis { label: "time", unit: Unit::S, scale: Scale::Time };

/// Every chart over civil time.
pub(super) fn charts(run: &Run) -> Vec<Chart> {
    let mut all: Vec<Chart> = run.redo.iter().map(redo).collect();
    if run.reports.len() > 1 {
        all.extend(reports(&run.reports));
    }
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
