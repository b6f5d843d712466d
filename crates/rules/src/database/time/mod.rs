//! What a database's sessions spent their time on: the question that ADDM asks, answered from one report. Classes of
//! waits and the CPU, each as a share of DB time; what the largest one means; what changed between reports.

mod alone;
mod changed;
mod classes;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use words::name as class_name;

use super::report;
use classes::{Kind, kind_of};
use fullwire_model::Run;
use fullwire_model::assessment::{DatabaseTime, TimeClass, TimePart};
use fullwire_model::demand::AwrReport;
use std::collections::BTreeMap;

/// A class below this share does not answer what the database waits for (own choice: less than half, and more than
/// any other can have beside it).
const DOMINANT: f64 = 0.4;

/// What the databases of a run spent their time on: the interval with the most load first, and what changed.
pub(crate) fn database_time(run: &Run) -> Vec<DatabaseTime> {
    let mut reports: Vec<&AwrReport> = report::all(run).collect();
    reports.sort_by(|one, other| load(other).unwrap_or(0.0).total_cmp(&load(one).unwrap_or(0.0)));
    let changed = changed::sentences(&reports);
    let mut times: Vec<DatabaseTime> = reports.iter().filter_map(|report| of(report)).collect();
    if let Some(first) = times.first_mut() {
        first.sentences.extend(changed);
    }
    times
}

/// The share of DB time that is I/O, commits that wait for the log device among it; `None`: the report does not tell.
pub(super) fn io_share(report: &AwrReport) -> Option<f64> {
    if report.waits.is_empty() {
        return None;
    }
    let of_io = |one: &&Spent| one.kind.class == TimeClass::Io;
    // The sum of nothing is -0.
    Some(spent(report).iter().filter(of_io).map(|one| one.share).sum::<f64>() + 0.0)
}

/// Active sessions: DB time over time.
fn load(report: &AwrReport) -> Option<f64> {
    let elapsed = report.elapsed_min.filter(|elapsed| *elapsed > 0.0)?;
    Some(report.db_time_min? / elapsed)
}

/// One event, or the CPU.
struct Spent {
    event: String,
    kind: Kind,
    /// Of DB time, 1 is all.
    share: f64,
    mean_ms: Option<f64>,
    waits: u64,
}

fn of(report: &AwrReport) -> Option<DatabaseTime> {
    if let Some(sum) = listed_s(report).filter(|sum| {
        // Samples have no count of waits: each is of about a second.
        let counted = report.waits.values().any(|wait| wait.waits > 0);
        *sum < FEW_S && counted && report.db_time_min.is_none()
    }) {
        let little = format!("The waits listed come to {sum:.1} s in all: so little tells no cause.");
        return Some(told(report, TimeClass::default(), vec![little]));
    }
    let spent = spent(report);
    let parts = parts(report, &spent);
    let class = match parts.first() {
        None => return without_events(report),
        Some(first) if first.share >= DOMINANT => first.class,
        Some(_) => TimeClass::Mixed,
    };
    let sentences = words::sentences(report, class, &parts, &spent);
    Some(DatabaseTime { parts, ..told(report, class, sentences) })
}

fn told(report: &AwrReport, class: TimeClass, sentences: Vec<String>) -> DatabaseTime {
    let (source, subject) = (report.source.clone(), report::subject(report).to_string());
    DatabaseTime { source, subject, class, sentences, ..DatabaseTime::default() }
}

/// Waits that a listing without DB time must come to, s (own choice).
const FEW_S: f64 = 10.0;

/// Half a second is less than half a percent from here on.
const COARSE_S: f64 = 100.0;

/// Lists of the largest events have five lines or more; a shorter one may be cut.
const FEWEST: usize = 5;

/// What a piece tells in which no session's waits are listed.
fn without_events(report: &AwrReport) -> Option<DatabaseTime> {
    let tables = [alone::background, alone::histogram, alone::files, alone::loaded, alone::host];
    let (class, sentence) = tables.iter().find_map(|table| table(report))?;
    Some(told(report, class, vec![sentence]))
}

/// A listing of waits alone: what they come to together. A report has shares of its own.
fn listed_s(report: &AwrReport) -> Option<f64> {
    let printed = report.waits.values().map(|wait| wait.share_pct);
    let shares =
        printed.chain(report.top_events.iter().map(|event| event.share_pct)).any(|share| share.is_some());
    let own = report.waits.iter().filter(|(event, _)| kind_of(report, event, None).is_some());
    let sum: f64 = own.filter_map(|(_, wait)| wait.time_s).sum();
    (!shares && sum > 0.0).then_some(sum)
}

/// What is left of the printed shares without an idle event that Statspack counts among the time of calls (a sleep of PL/SQL);
/// a list that adds up to more than the whole has shares of another time.
fn without_idle(report: &AwrReport) -> f64 {
    const WHOLE: f64 = 105.0;
    const MUCH: f64 = 20.0;
    let shares = |idle: bool| -> f64 {
        let own = report
            .top_events
            .iter()
            .filter(|event| !idle || kind_of(report, &event.name, event.class.as_deref()).is_none());
        own.filter_map(|event| event.share_pct).sum()
    };
    let idle = shares(true);
    if (MUCH..100.0).contains(&idle) && shares(false) <= WHOLE { 1.0 - idle / 100.0 } else { 1.0 }
}

/// Every wait of the foreground and the CPU, as shares of DB time.
fn spent(report: &AwrReport) -> Vec<Spent> {
    let db_time_s = report.db_time_min.map(|minutes| minutes * 60.0).filter(|seconds| *seconds > 0.0);
    let db_time_s = db_time_s.or_else(|| listed_s(report));
    // Times are printed in whole seconds: of so little DB time the printed share is the better figure.
    let is_coarse = db_time_s.is_some_and(|seconds| seconds < COARSE_S);
    let base = without_idle(report);
    let of = |time_s: Option<f64>, printed: Option<f64>| {
        let printed = printed.map(|percent| percent / 100.0 / base);
        let shared = time_s.zip(db_time_s).map(|(time, db)| time / db);
        printed.filter(|_| is_coarse).or(shared).or(printed)
    };
    let mut found: BTreeMap<String, Spent> = BTreeMap::new();
    let mut add = |name: &str, class: Option<&str>, share: Option<f64>, mean_ms: Option<f64>, waits: u64| {
        let kind = kind_of(report, name, class);
        if let (Some(kind), Some(share)) = (kind, share.filter(|share| *share > 0.0)) {
            let one = Spent { event: name.to_owned(), kind, share: share.min(1.0), mean_ms, waits };
            found.entry(name.to_owned()).or_insert(one);
        }
    };
    let classes: BTreeMap<&str, &str> = report
        .top_events
        .iter()
        .filter_map(|event| Some((event.name.as_str(), event.class.as_deref()?)))
        .collect();
    // What would be in the list of the largest and is not there is idle, whatever this release calls it.
    let shares = report.top_events.iter().filter_map(|event| of(event.time_s, event.share_pct));
    let least = shares.reduce(f64::min).filter(|_| report.top_events.len() >= FEWEST);
    let is_listed = |event: &str| report.top_events.iter().any(|top| top.name == event);
    for (event, wait) in report.waits.iter().filter(|(_, wait)| !wait.background) {
        // The report's own share is of DB time too, and all there is where DB time is not printed.
        let share = of(wait.time_s, wait.share_pct);
        let is_idle =
            !is_listed(event) && share.zip(least).is_some_and(|(share, least)| share > least * 1.05 + 0.001);
        if is_idle {
            continue;
        }
        let class = classes.get(event.as_str()).copied();
        add(event, class, share, wait.mean_ms, wait.waits);
    }
    for event in &report.top_events {
        if !report.waits.get(&event.name).is_some_and(|wait| wait.background) {
            let share = of(event.time_s, event.share_pct);
            add(&event.name, event.class.as_deref(), share, event.mean_wait_ms, event.waits.unwrap_or(0));
        }
    }
    let has_cpu = found.values().any(|one| one.kind.class == TimeClass::Cpu);
    let cpu = of(report.time_model_s.get("DB CPU").copied(), None).filter(|_| !has_cpu);
    let mut spent: Vec<Spent> = found.into_values().collect();
    spent.extend(cpu.map(|share| Spent {
        event: "DB CPU".to_owned(),
        kind: Kind::CPU,
        share: share.min(1.0),
        mean_ms: None,
        waits: 0,
    }));
    spent.sort_by(|one, other| other.share.total_cmp(&one.share));
    spent
}

/// The classes, the largest first; what no event and no CPU explains is named by what the host says.
fn parts(report: &AwrReport, spent: &[Spent]) -> Vec<TimePart> {
    let mut parts: BTreeMap<TimeClass, TimePart> = BTreeMap::new();
    for one in spent {
        let part = parts
            .entry(one.kind.class)
            .or_insert_with(|| TimePart { class: one.kind.class, ..TimePart::default() });
        part.share += one.share;
        if one.share > part.event_share {
            (part.event, part.event_share) = (one.event.clone(), one.share);
        }
    }
    let told: f64 = spent.iter().map(|one| one.share).sum();
    let has_cpu = parts.contains_key(&TimeClass::Cpu);
    // Printed lists end somewhere; only with DB time and the CPU is the rest known.
    let whole = report.db_time_min.is_some_and(|minutes| minutes > 0.0)
        && has_cpu
        && report.waits.len() > report.top_events.len();
    // On a host without a CPU left the rest is the run queue, also where the list ends with the largest events.
    let is_known = whole || (has_cpu && report.top_events.len() >= FEWEST);
    if is_known && told < 1.0 - REST && words::waits_for_cpu(report) {
        let cpu = parts.entry(TimeClass::Cpu).or_default();
        cpu.share += 1.0 - told;
        (cpu.event, cpu.event_share) = (words::RUN_QUEUE.to_owned(), 1.0 - told);
    } else if whole && told < 1.0 - REST {
        let part = TimePart { class: TimeClass::Unknown, share: 1.0 - told, ..TimePart::default() };
        parts.insert(TimeClass::Unknown, part);
    }
    let mut parts: Vec<TimePart> = parts.into_values().collect();
    for part in &mut parts {
        part.share = part.share.min(1.0);
    }
    parts.sort_by(|one, other| other.share.total_cmp(&one.share));
    parts
}

/// DB time that neither waits nor the CPU explain, and that is worth a word: what rounding and instrumentation leave is
/// less.
const REST: f64 = 0.2;
