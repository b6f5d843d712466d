//! Figures of several instances and times: summed over the instances at one time, the highest over the times.

use fullwire_model::demand::{AwrKind, AwrReport};
use jiff::civil::DateTime;
use std::collections::BTreeMap;

/// One instance of a database.
type Instance<'a> = (Option<u64>, Option<&'a str>);
type Timed<'a> = (DateTime, DateTime, &'a AwrReport);

/// A figure at its highest: instances whose intervals hold the middle of one report's interval are summed. A report of
/// the whole cluster stands for all its instances. A report without times counts at every time.
pub(crate) fn at_worst(reports: &[&AwrReport], figure: fn(&AwrReport) -> Option<f64>) -> Option<f64> {
    let with_figure: Vec<&AwrReport> =
        reports.iter().copied().filter(|report| figure(report).is_some()).collect();
    let times = Times::of(&with_figure);
    let sums = times.instants().map(|at| {
        let mut by_instance: BTreeMap<Instance<'_>, f64> = BTreeMap::new();
        let mut cluster: f64 = 0.0;
        for report in times.at(at) {
            let value = figure(report).unwrap_or(0.0);
            if report.kind == AwrKind::AwrGlobal {
                cluster = cluster.max(value);
            } else {
                let entry = by_instance.entry(instance(report)).or_insert(value);
                *entry = entry.max(value);
            }
        }
        cluster.max(by_instance.values().sum())
    });
    sums.reduce(f64::max)
}

/// The most instances that tell of one time.
pub(crate) fn most_instances(reports: &[&AwrReport]) -> u64 {
    let times = Times::of(reports);
    let counts = times.instants().map(|at| {
        let single = |report: &&AwrReport| report.kind != AwrKind::AwrGlobal;
        let mut instances: Vec<Instance<'_>> = times.at(at).filter(single).map(instance).collect();
        instances.sort_unstable();
        instances.dedup();
        let cluster = times.at(at).map(|report| report.instances.len()).max().unwrap_or(0);
        instances.len().max(cluster) as u64
    });
    counts.max().unwrap_or(1).max(1)
}

fn instance(report: &AwrReport) -> Instance<'_> {
    (report.instance_number, report.instance.as_deref())
}

/// Reports by the time that they tell of.
struct Times<'a> {
    /// In order of their begin.
    timed: Vec<Timed<'a>>,
    untimed: Vec<&'a AwrReport>,
    longest_s: f64,
}

impl<'a> Times<'a> {
    fn of(reports: &[&'a AwrReport]) -> Self {
        let interval = |report: &&'a AwrReport| Some((report.begin?, report.end?, *report));
        let mut timed: Vec<Timed<'a>> = reports.iter().filter_map(interval).collect();
        timed.sort_by_key(|(begin, ..)| *begin);
        let untimed = reports.iter().filter(|report| report.begin.is_none() || report.end.is_none()).copied();
        let longest_s = timed.iter().map(|(begin, end, _)| seconds(*begin, *end)).fold(0.0, f64::max);
        Self { untimed: untimed.collect(), timed, longest_s }
    }

    /// The middle of each interval: snapshots of two instances are seconds apart, and their edges overlap. Without any
    /// times, one.
    fn instants(&self) -> impl Iterator<Item = Option<DateTime>> {
        let none = (self.timed.is_empty() && !self.untimed.is_empty()).then_some(None);
        self.timed.iter().map(|(begin, end, _)| middle(*begin, *end)).chain(none)
    }

    fn at(&self, at: Option<DateTime>) -> impl Iterator<Item = &'a AwrReport> {
        let (from, to) = match at {
            Some(at) => (
                self.timed.partition_point(|(begin, ..)| seconds(*begin, at) > self.longest_s),
                self.timed.partition_point(|(begin, ..)| *begin <= at),
            ),
            None => (0, 0),
        };
        let open =
            self.timed[from..to.max(from)].iter().filter(move |(_, end, _)| at.is_some_and(|at| at < *end));
        open.map(|(.., report)| *report).chain(self.untimed.iter().copied())
    }
}

fn seconds(from: DateTime, to: DateTime) -> f64 {
    to.duration_since(from).as_secs_f64()
}

fn middle(begin: DateTime, end: DateTime) -> Option<DateTime> {
    begin.checked_add(end.duration_since(begin) / 2).ok()
}
