//! The redo of one database from its AWR or Statspack reports: each interval counts as one log of its instance.

use super::history::summarise;
use super::over_time::seconds_between;
use fullwire_model::demand::{AwrKind, AwrReport, RedoHistory, RedoLog};
use fullwire_model::{Gap, GapReason};
use jiff::civil::DateTime;
use std::collections::BTreeMap;

/// The instances of a cluster take one snapshot within seconds of each other.
const SAME_SNAPSHOT_S: f64 = 300.0;

/// Begin and end of an interval.
type Interval = (DateTime, DateTime);

/// A history from the reports of one database. Instances that overlap in time add up; text and HTML of the same interval
/// count once, and so does an instance next to the report of its whole cluster.
pub(crate) fn from_reports(reports: &[&AwrReport], headroom: f64) -> RedoHistory {
    let names: Vec<&str> = reports.iter().map(|report| report.source.as_str()).collect();
    let mut twice = Vec::new();
    let mut counted: Vec<&AwrReport> = Vec::new();
    // What tells of the whole cluster first: its instances are within it.
    let whole = |report: &&&AwrReport| report.kind == AwrKind::AwrGlobal;
    let ordered = reports.iter().filter(whole).chain(reports.iter().filter(|report| !whole(report)));
    for report in ordered {
        match counted.iter().find(|known| covers(known, report)) {
            Some(known) => twice.push(format!("{} overlaps {}", report.source, known.source)),
            None => counted.push(report),
        }
    }
    let mut snapshots = BTreeMap::new();
    let mut logs = Vec::new();
    for (index, report) in counted.iter().enumerate() {
        let interval = aligned(report, &mut snapshots);
        logs.extend(log_of(index, report, interval));
    }
    let mut history = summarise(&names.join(", "), "oracle", logs, headroom);
    let (size, writes) = counted
        .iter()
        .filter_map(|report| Some((report.redo_size_total?, report.redo_writes_total?)))
        .fold((0.0, 0.0), |(size, writes), (s, w)| (size + s as f64, writes + w as f64));
    history.mean_redo_write_bytes = (writes > 0.0).then(|| size / writes);
    for detail in twice {
        history.gaps.push(Gap::new("redo", GapReason::Skipped, detail + ": its redo is counted once"));
    }
    history.peak_is_lower_bound = true;
    let longest = history.logs.iter().filter_map(|log| log.seconds).reduce(f64::max);
    history.peak_mean_over_s = longest;
    if longest.is_some_and(|seconds| seconds > TELLS_HOURS_S) {
        history.hours.clear();
    }
    if let Some(longest) = longest.filter(|seconds| *seconds > 0.0) {
        let detail = format!(
            "reports contain means over up to {}; the true peak is higher (use a listing of archived logs)",
            span(longest)
        );
        history.gaps.push(Gap::new("peak within a report", GapReason::Unsupported, detail));
    }
    for report in reports.iter().filter(|report| report.redo_size_per_s.is_none()) {
        history.gaps.push(Gap::new(&report.source, GapReason::Absent, "the report has no redo size"));
    }
    history
}

/// A mean over more than this says nothing about the hours within it.
const TELLS_HOURS_S: f64 = 2.0 * 3600.0;

/// A length of time in its largest unit: `15 minutes`, `3 hours`, `6.4 days`.
fn span(seconds: f64) -> String {
    let (value, unit) = match seconds {
        seconds if seconds < 7200.0 => (seconds / 60.0, "minutes"),
        seconds if seconds < 2.0 * 86_400.0 => (seconds / 3600.0, "hours"),
        seconds => (seconds / 86_400.0, "days"),
    };
    let text = format!("{value:.1}");
    format!("{} {unit}", text.strip_suffix(".0").unwrap_or(&text))
}

/// True when the redo of the second is within that of the first: one instance at overlapping times, or an instance of
/// the cluster that the first tells of.
fn covers(one: &AwrReport, other: &AwrReport) -> bool {
    let instance = |report: &AwrReport| (report.instance.clone(), report.instance_number);
    let overlap = one.begin < other.end && other.begin < one.end;
    let same = instance(one) == instance(other) || one.kind == AwrKind::AwrGlobal;
    same && one.redo_size_per_s.is_some() && one.begin.is_some() && other.begin.is_some() && overlap
}

/// The times of a report, each by the clock of the first instance that took that snapshot.
fn aligned(report: &AwrReport, snapshots: &mut BTreeMap<u64, DateTime>) -> Option<Interval> {
    let (begin, end) = report.begin.zip(report.end)?;
    // Statspack numbers the snapshots of each instance by themselves.
    let of_cluster = report.kind == AwrKind::Awr;
    let mut at = |snap: Option<u64>, own: DateTime| {
        let Some(snap) = snap.filter(|_| of_cluster) else { return own };
        let first = *snapshots.entry(snap).or_insert(own);
        if seconds_between(first, own).abs() <= SAME_SNAPSHOT_S { first } else { own }
    };
    Some((at(report.begin_snap, begin), at(report.end_snap, end)))
}

fn log_of(index: usize, report: &AwrReport, interval: Option<Interval>) -> Option<RedoLog> {
    let rate = report.redo_size_per_s?;
    let seconds = report.elapsed_min.map(|minutes| minutes * 60.0);
    let bytes = report.redo_size_total.map(|bytes| bytes as f64).or_else(|| Some(rate * seconds?))?;
    Some(RedoLog {
        thread: report.instance_number.unwrap_or(1),
        sequence: report.end_snap.unwrap_or(index as u64 + 1),
        bytes,
        seconds,
        bytes_per_s: Some(rate),
        begin: interval.map(|interval| interval.0),
        end: interval.map(|interval| interval.1),
    })
}
