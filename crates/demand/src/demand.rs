//! What reports and redo histories ask of the I/O path.

use crate::redo;
use crate::together;
use fullwire_model::demand::{AwrReport, Demand, RedoHistory, WaitHistogram};
use fullwire_model::{Gap, GapReason};
use std::collections::{BTreeMap, BTreeSet};

/// What one database needs, and its redo over time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Needs {
    /// For the verdict.
    pub demand: Demand,
    /// For tables and charts.
    pub redo: RedoHistory,
}

/// What the reports show, one entry for each database, the heaviest first. Instances of a cluster are summed for the same
/// time, the same instance at several times counts by its highest. Rates are means over the reports' intervals.
pub fn of_reports(reports: &[AwrReport], headroom: f64) -> Vec<Needs> {
    let mut databases: BTreeMap<Option<String>, Vec<&AwrReport>> = BTreeMap::new();
    for report in reports {
        databases.entry(key(report)).or_default().push(report);
        // The second period of a comparison may be of another database.
        if let Some(second) = report.second.as_deref() {
            databases.entry(key(second).or_else(|| key(report))).or_default().push(second);
        }
    }
    let mut needs: Vec<Needs> =
        databases.into_values().map(|of_one| of_database(&of_one, headroom)).collect();
    needs.sort_by(|a, b| weight(&b.demand).total_cmp(&weight(&a.demand)));
    needs
}

/// What distinguishes databases: the number where it is printed, for names repeat.
fn key(report: &AwrReport) -> Option<String> {
    let number = report.db_id.map(|id| id.to_string());
    let key = number.or_else(|| report.db_name.as_ref().map(|name| name.to_lowercase()))?;
    Some(format!("{key}/{}", report.pdb.as_deref().unwrap_or("")))
}

/// As a person calls it.
fn name(report: &AwrReport) -> Option<String> {
    let name = report.db_name.clone().or_else(|| report.db_id.map(|id| id.to_string()))?;
    Some(report.pdb.as_ref().map_or(name.clone(), |pdb| format!("{name}/{pdb}")))
}

fn of_database(reports: &[&AwrReport], headroom: f64) -> Needs {
    let history = redo::from_reports(reports, headroom);
    let at_worst = |figure: fn(&AwrReport) -> Option<f64>| together::at_worst(reports, figure);
    let log_write = weighted_wait(reports, "log file parallel write");
    let commit_wait = weighted_wait(reports, "log file sync");
    let mut demand = Demand {
        database_name: reports.iter().find_map(|report| name(report)),
        read_io_per_s: at_worst(|report| report.read_io_per_s),
        read_bytes_per_s: at_worst(|report| report.read_bytes_per_s),
        write_io_per_s: at_worst(|report| report.write_io_per_s),
        write_bytes_per_s: at_worst(|report| report.write_bytes_per_s),
        commits_per_s: at_worst(|report| report.commits_per_s),
        log_write_mean_ns: log_write.map(|(mean, _)| mean),
        log_writes: log_write.map(|(_, waits)| waits),
        log_write_histogram: histogram(reports),
        commit_wait_mean_ns: commit_wait.map(|(mean, _)| mean),
        commit_waits: commit_wait.map(|(_, waits)| waits),
        redo_threads: Some(together::most_instances(reports)),
        ..of_redo(&history)
    };
    demand.gaps = distinct(reports.iter().flat_map(|report| &report.gaps).chain(&history.gaps));
    if demand.commits_per_s.is_none() && reports.iter().any(|report| report.transactions_per_s.is_some()) {
        let detail = "the reports give only transactions, which include rollbacks";
        demand.gaps.push(Gap::new("commits", GapReason::Absent, detail));
    }
    Needs { demand, redo: history }
}

/// Mean of a wait over all reports, ns, and how many waits it is of.
fn weighted_wait(reports: &[&AwrReport], event: &str) -> Option<(f64, f64)> {
    let waits = reports.iter().filter_map(|report| report.waits.get(event));
    let (ns, count) = waits
        .filter_map(|wait| Some((wait.mean_ms? * 1e6, wait.waits as f64)))
        .fold((0.0, 0.0), |(ns, count), (mean, waits)| (ns + mean * waits, count + waits));
    (count > 0.0).then(|| (ns / count, count))
}

/// The log writes of the report that has the most of them.
fn histogram(reports: &[&AwrReport]) -> Option<WaitHistogram> {
    let known = reports.iter().filter_map(|report| {
        let writes = report.waits.get("log file parallel write").map_or(0, |wait| wait.waits);
        Some((writes, report.end, report.histograms.get("log file parallel write")?))
    });
    known.max_by_key(|(writes, end, _)| (*writes, *end)).map(|(_, _, histogram)| histogram.clone())
}

/// The demand that a redo history shows.
pub fn of_redo(history: &RedoHistory) -> Demand {
    let mut threads: Vec<u64> = history.logs.iter().map(|log| log.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    Demand {
        source: history.source.clone(),
        database: history.database.clone(),
        redo_peak_bytes_per_s: history.peak_bytes_per_s,
        redo_peak_is_lower_bound: history.peak_is_lower_bound,
        redo_mean_over_s: history.peak_mean_over_s,
        redo_threads: (!threads.is_empty()).then_some(threads.len() as u64),
        shipped_peak_bytes_per_s: history.shipped_peak_bytes_per_s,
        headroom: history.headroom,
        redo_required_bytes_per_s: history.required_bytes_per_s,
        redo_required_maa_bytes_per_s: history.required_maa_bytes_per_s,
        redo_write_mean_bytes: history.mean_redo_write_bytes,
        gaps: history.gaps.clone(),
        ..Demand::default()
    }
}

/// How the heavier of two databases is named.
fn weight(demand: &Demand) -> f64 {
    demand.redo_required_bytes_per_s.or(demand.redo_peak_bytes_per_s).unwrap_or(0.0)
}

/// Several sources as one demand, whatever their order. Sources of one database are merged: of each rate the highest, of
/// each mean the weighted one. Different databases never are: the heaviest is kept, and a gap names each other. A
/// listing names no database and counts as of the one that the others name.
pub fn combine(demands: &[Demand]) -> Option<Demand> {
    let mut named: Vec<Demand> = Vec::new();
    let mut nameless: Vec<Demand> = Vec::new();
    for demand in demands {
        let same = |known: &&mut Demand| {
            known.database == demand.database && known.database_name == demand.database_name
        };
        let list = if demand.database_name.is_some() { &mut named } else { &mut nameless };
        match list.iter_mut().find(same) {
            Some(known) => merge(known, demand),
            None => list.push(demand.clone()),
        }
    }
    for demand in nameless {
        let of_kind = |known: &&mut Demand| known.database == demand.database;
        let mut candidates = named.iter_mut().filter(of_kind);
        match (candidates.next(), candidates.next()) {
            (Some(only), None) => merge(only, &demand),
            _ => named.push(demand),
        }
    }
    heaviest(named)
}

fn heaviest(mut databases: Vec<Demand>) -> Option<Demand> {
    databases.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then_with(|| a.source.cmp(&b.source)));
    let mut databases = databases.into_iter();
    let mut kept = databases.next()?;
    let called = |demand: &Demand| demand.database_name.clone().unwrap_or_else(|| demand.source.clone());
    for other in databases {
        let rate = weight(&other) / 1e6;
        let detail = format!(
            "not the same database as {}: its {rate:.1} MB/s are not included in the demand; run it separately",
            called(&kept)
        );
        kept.gaps.push(Gap::new(called(&other), GapReason::Skipped, detail));
    }
    Some(kept)
}

/// Adds another source of the same database.
fn merge(all: &mut Demand, other: &Demand) {
    let known: BTreeSet<&str> = all.source.split(", ").collect();
    let new: Vec<&str> = other.source.split(", ").filter(|source| !known.contains(source)).collect();
    let sources = [&[all.source.as_str()][..], &new].concat();
    all.source = sources.into_iter().filter(|source| !source.is_empty()).collect::<Vec<_>>().join(", ");
    merge_redo(all, other);
    for (field, rate) in [
        (&mut all.read_io_per_s, other.read_io_per_s),
        (&mut all.read_bytes_per_s, other.read_bytes_per_s),
        (&mut all.write_io_per_s, other.write_io_per_s),
        (&mut all.write_bytes_per_s, other.write_bytes_per_s),
        (&mut all.commits_per_s, other.commits_per_s),
        (&mut all.shipped_peak_bytes_per_s, other.shipped_peak_bytes_per_s),
        (&mut all.redo_required_bytes_per_s, other.redo_required_bytes_per_s),
        (&mut all.redo_required_maa_bytes_per_s, other.redo_required_maa_bytes_per_s),
    ] {
        *field = larger(*field, rate);
    }
    let log_writes = (all.log_writes, other.log_writes);
    all.redo_write_mean_bytes = mean((all.redo_write_mean_bytes, other.redo_write_mean_bytes), log_writes);
    all.log_write_mean_ns = mean((all.log_write_mean_ns, other.log_write_mean_ns), log_writes);
    let commits = (all.commit_waits, other.commit_waits);
    all.commit_wait_mean_ns = mean((all.commit_wait_mean_ns, other.commit_wait_mean_ns), commits);
    if all.log_write_histogram.is_none() || all.log_writes < other.log_writes {
        all.log_write_histogram = other.log_write_histogram.clone().or(all.log_write_histogram.take());
    }
    all.log_writes = sum(log_writes);
    all.commit_waits = sum(commits);
    all.headroom = all.headroom.max(other.headroom);
    all.redo_threads = all.redo_threads.max(other.redo_threads);
    all.gaps = distinct(all.gaps.iter().chain(&other.gaps));
}

/// The higher redo rate brings along what kind of rate it is.
fn merge_redo(all: &mut Demand, other: &Demand) {
    let rates = (all.redo_peak_bytes_per_s, other.redo_peak_bytes_per_s);
    let other_wins = match rates {
        (Some(own), Some(rate)) => rate > own,
        (None, Some(_)) => true,
        _ => false,
    };
    if other_wins {
        all.redo_peak_bytes_per_s = other.redo_peak_bytes_per_s;
        all.redo_peak_is_lower_bound = other.redo_peak_is_lower_bound;
        all.redo_mean_over_s = other.redo_mean_over_s;
    }
}

fn larger(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(f64::max)
}

fn sum((one, other): (Option<f64>, Option<f64>)) -> Option<f64> {
    one.into_iter().chain(other).reduce(|a, b| a + b)
}

/// The mean of two means by their weights; without weights the larger, so that the order does not matter.
fn mean(values: (Option<f64>, Option<f64>), weights: (Option<f64>, Option<f64>)) -> Option<f64> {
    match (values, weights) {
        ((Some(a), Some(b)), (Some(m), Some(n))) if m + n > 0.0 => Some((a * m + b * n) / (m + n)),
        ((a, b), _) => larger(a, b),
    }
}

fn distinct<'a>(gaps: impl Iterator<Item = &'a Gap>) -> Vec<Gap> {
    let mut seen = BTreeSet::new();
    gaps.filter(|gap| seen.insert((&gap.subject, &gap.detail))).cloned().collect()
}
