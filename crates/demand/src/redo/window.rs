//! Redo of a live server: its counters at two or more instants. The client asks, this computes.

use super::history::{require, summarise};
use fullwire_model::demand::{Demand, RedoHistory, RedoLog};
use fullwire_model::{Gap, GapReason};
use jiff::civil::DateTime;
use std::collections::BTreeMap;

/// Names of settings among the counters begin so.
pub(super) const SETTING: &str = "setting_";

/// The name of what is no counter and may fall, under which the highest of the window is kept. Queries of ours begin it
/// with `gauge_`; MySQL's own names of means end so.
fn gauge(name: &str) -> Option<&str> {
    name.strip_prefix("gauge_").or_else(|| name.ends_with("_avg_wait_time").then_some(name))
}

/// What a server said at one instant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// By the client's monotonic clock, s.
    pub at_s: f64,
    /// The same by the client's wall clock.
    pub at: Option<DateTime>,
    /// Counters by name.
    pub values: BTreeMap<String, f64>,
}

/// Which counters mean what, for one kind of server.
pub(super) struct Counters<'a> {
    pub(super) database: &'a str,
    /// Bytes of redo made; the first that the server has.
    pub(super) redo_bytes: &'a [&'a str],
    /// Bytes that replication sends, where that is not the redo; the first that the server has.
    pub(super) shipped_bytes: Option<&'a [&'a str]>,
    /// Bytes and number of writes to the log, first pair that the server has.
    pub(super) log_writes: &'a [[&'a str; 2]],
    /// Mean of one log write that is safe on disk, ns, and how many there were.
    pub(super) log_write: fn(&Window<'_>) -> Option<(f64, f64)>,
    pub(super) reads: Option<&'a str>,
    pub(super) read_bytes: Option<&'a str>,
    /// The sum of those that the server has; without the first, none.
    pub(super) writes: &'a [&'a str],
    pub(super) write_bytes: &'a [&'a str],
    pub(super) commits: &'a [&'a str],
}

/// The first reading and the last.
pub(super) struct Window<'a> {
    first: &'a Reading,
    last: &'a Reading,
}

impl Window<'_> {
    /// What a counter grew by.
    pub(super) fn delta(&self, name: &str) -> Option<f64> {
        delta(self.first, self.last, name)
    }

    /// A setting that is read as a number.
    pub(super) fn setting(&self, name: &str) -> Option<f64> {
        self.last.values.get(name).copied()
    }

    fn sum(&self, names: &[&str]) -> Option<f64> {
        let (first, others) = names.split_first()?;
        Some(
            others
                .iter()
                .filter_map(|name| self.delta(name))
                .fold(self.delta(first)?, |sum, more| sum + more),
        )
    }
}

/// A history and a demand from a series of readings.
pub(super) fn reckon(
    source: &str,
    readings: &[Reading],
    counters: &Counters<'_>,
    headroom: f64,
) -> (RedoHistory, Demand) {
    let logs: Vec<RedoLog> = readings
        .windows(2)
        .enumerate()
        .filter_map(|(index, pair)| slice(index, &pair[0], &pair[1], counters.redo_bytes))
        .collect();
    let mut history = summarise(source, counters.database, logs, headroom);
    if let Some(names) = counters.shipped_bytes {
        ship(&mut history, readings, names);
    }
    history.peak_is_lower_bound = true;
    let mut demand = Demand { database_name: Some(source.to_owned()), ..crate::of_redo(&history) };
    let (Some(first), Some(last)) = (readings.first(), readings.last()) else {
        return (history, demand);
    };
    let seconds = last.at_s - first.at_s;
    if readings.len() < 2 || seconds <= 0.0 {
        history.gaps.push(Gap::new(
            "window",
            GapReason::Timeout,
            "fewer than two readings, so no rate can be computed",
        ));
        return (history, demand);
    }
    let window = Window { first, last };
    let delta = |name: &str| window.delta(name);
    let total = counters.redo_bytes.iter().find_map(|name| delta(name));
    history.mean_bytes_per_s = total.map(|bytes| bytes / seconds);
    let log_writes =
        counters.log_writes.iter().find_map(|[bytes, count]| Some((delta(bytes)?, delta(count)?)));
    if let Some((bytes, count)) = log_writes.filter(|&(_, count)| count > 0.0) {
        history.mean_redo_write_bytes = Some(bytes / count);
    }
    let log_write = (counters.log_write)(&window);
    demand.log_write_mean_ns = log_write.map(|(mean, _)| mean);
    demand.log_writes = log_write.map(|(_, count)| count);
    let per_s = |name: Option<&str>| name.and_then(delta).map(|delta| delta / seconds);
    demand.redo_write_mean_bytes = history.mean_redo_write_bytes;
    demand.read_io_per_s = per_s(counters.reads);
    demand.read_bytes_per_s = per_s(counters.read_bytes);
    demand.write_io_per_s = window.sum(counters.writes).map(|sum| sum / seconds);
    demand.write_bytes_per_s = window.sum(counters.write_bytes).map(|sum| sum / seconds);
    demand.commits_per_s = counters.commits.iter().find_map(|name| per_s(Some(name)));
    for name in first.values.keys().filter(|name| !name.starts_with(SETTING) && gauge(name).is_none()) {
        if let Some(delta) = delta(name) {
            history.rates_per_s.insert(name.clone(), delta / seconds);
            history.totals.extend(last.values.get(name).map(|total| (name.clone(), *total)));
        }
    }
    for reading in readings {
        for (name, value) in &reading.values {
            if let Some(name) = gauge(name) {
                let highest = history.totals.entry(name.to_owned()).or_insert(*value);
                *highest = highest.max(*value);
            }
        }
    }
    let detail = format!("the window was {seconds:.0} s: the day's peak may be higher");
    history.gaps.push(Gap::new("peak", GapReason::Unsupported, detail));
    demand.gaps.clone_from(&history.gaps);
    (history, demand)
}

/// What replication sends is what the path must carry.
fn ship(history: &mut RedoHistory, readings: &[Reading], names: &[&str]) {
    let slices = readings.windows(2).enumerate();
    let rates = slices.filter_map(|(index, pair)| slice(index, &pair[0], &pair[1], names)?.bytes_per_s);
    history.shipped_peak_bytes_per_s = rates.reduce(f64::max);
    let peak = history.shipped_peak_bytes_per_s;
    require(history, peak);
    if peak.is_none() {
        let detail = format!(
            "the server does not report how much binary log it writes ({}), so what replication sends is not known",
            names.join(", ")
        );
        history.gaps.push(Gap::new("replication", GapReason::Absent, detail));
    }
}

/// The redo between two readings; none after a restart, when counters fall.
fn slice(index: usize, from: &Reading, to: &Reading, names: &[&str]) -> Option<RedoLog> {
    let bytes = names.iter().find_map(|name| delta(from, to, name))?;
    let seconds = to.at_s - from.at_s;
    if seconds <= 0.0 {
        return None;
    }
    Some(RedoLog {
        thread: 1,
        sequence: index as u64 + 1,
        bytes,
        seconds: Some(seconds),
        bytes_per_s: Some(bytes / seconds),
        begin: from.at,
        end: to.at,
    })
}

fn delta(from: &Reading, to: &Reading, name: &str) -> Option<f64> {
    let (from, to) = (from.values.get(name)?, to.values.get(name)?);
    (to >= from).then_some(to - from)
}
