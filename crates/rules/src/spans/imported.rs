//! What other tools recorded, as windows of counters: the rules of live runs judge them.

pub(crate) mod alike;
mod bursts;
pub(crate) mod conspicuous;
pub(super) mod figures;
pub(crate) mod nfs;
pub(super) mod places;
mod record;
pub(super) mod stalls;

use super::{Judge, Timed, Usual};
use crate::FindingExt;
use figures::Figures;
use fullwire_model::assessment::{Finding, Unknown};
use fullwire_model::counters::{Counters, CpuTime, Pressure};
use fullwire_model::demand::{ImportedSeries, Series};
use fullwire_model::host::{Host, Mount, NfsMount, Nic};
use fullwire_model::subject::At;
use fullwire_model::{Run, Span, Window, WindowKind};
use places::{Place, places};
use std::collections::{BTreeMap, BTreeSet};

/// What imported files come to.
#[derive(Debug, Default)]
pub(crate) struct JudgedFiles {
    /// In the order of their beginnings.
    pub(crate) spans: Vec<Span>,
    /// One for each code and subject of a file, with advice.
    pub(crate) findings: Vec<Finding>,
    /// Codes that had what they need in at least one file.
    pub(crate) decided: BTreeSet<&'static str>,
    /// What the first file lacked that could not decide a rule.
    reasons: BTreeMap<&'static str, String>,
    /// Rules that no file could decide.
    pub(crate) unknowns: Vec<Unknown>,
}

/// Judges every file of a run.
pub(crate) fn judge(run: &Run) -> JudgedFiles {
    let mut judged = JudgedFiles::default();
    for file in &run.imported {
        let (host, windows) = windows(file);
        if windows.is_empty() {
            continue;
        }
        let mut judge = Judge::new(host.clone());
        judge.ignore(&run.command.ignored);
        judge.of_other_tools();
        judge.only(windows.len());
        let usual = learn(file, &windows);
        for mut timed in windows {
            timed.window.usual.clone_from(&usual);
            // Not as steps: these counters begin at 0 in each record and cannot be joined.
            judge.window(&timed);
        }
        judged.take(file, &host, judge);
    }
    super::sort_by_time(&mut judged.spans);
    judged.unknowns = unknowns(run, &judged);
    judged
}

fn learn(file: &ImportedSeries, windows: &[Timed]) -> BTreeMap<String, fullwire_model::UsualDisk> {
    let mut usual = Usual::default();
    for timed in windows {
        usual.learn(&timed.window);
    }
    let mut disks = usual.disks();
    let directions: BTreeSet<&str> =
        subjects_with(file, "read_await_ns").chain(subjects_with(file, "write_await_ns")).collect();
    for name in subjects_with(file, "await_ns").filter(|name| !directions.contains(name)) {
        disks.entry(name.to_owned()).or_default().one_await = true;
    }
    disks
}

/// The disks of which the file has this metric.
fn subjects_with<'a>(file: &'a ImportedSeries, metric: &'static str) -> impl Iterator<Item = &'a str> {
    let of_disks = file.series.iter().filter(move |series| series.area == "disk" && series.metric == metric);
    of_disks.map(|series| series.subject.as_str())
}

/// Why most rules are not decided.
const NOT_THERE: &str = "the imported files do not contain what it needs";

/// Rules of windows that nothing in the files could decide.
fn unknowns(run: &Run, judged: &JudgedFiles) -> Vec<Unknown> {
    if run.imported.is_empty() {
        return Vec::new();
    }
    let missing = super::shown::recorded_by_others().filter(|code| !judged.decided.contains(code));
    missing
        .map(|code| Unknown {
            code: code.into(),
            reason: judged.reasons.get(code).cloned().unwrap_or_else(|| NOT_THERE.into()),
        })
        .collect()
}

impl JudgedFiles {
    fn take(&mut self, file: &ImportedSeries, host: &Host, judge: Judge) {
        // A counter that the file does not have reads as 0, and a rule passes: that is no word of the file.
        let metrics: BTreeSet<&str> = file.series.iter().map(|one| one.metric.as_str()).collect();
        let holds = |code: &&str| super::shown::has_what_it_needs(code, &metrics);
        let decided: Vec<&'static str> = judge.decided().filter(holds).collect();
        for (code, reason) in judge.undecided().filter(|(code, _)| holds(code)) {
            self.reasons.entry(code).or_insert_with(|| format!("{}: {reason}", file.source));
        }
        let untimed = file.times().is_none();
        let mut by_subject: BTreeMap<(String, String), (Vec<Span>, Finding)> = BTreeMap::new();
        for (mut span, finding) in judge.finish_with_findings() {
            span.host.clone_from(&file.host);
            span.source = Some(file.source.clone());
            if untimed {
                span.bad_s = 0.0;
            }
            let key = (span.code.clone(), span.subject.clone());
            let entry = by_subject.entry(key).or_insert_with(|| (Vec::new(), finding.clone()));
            if finding.severity > entry.1.severity || entry.0.iter().all(|one| is_below(one, &span)) {
                entry.1 = finding;
            }
            entry.0.push(span);
        }
        for (spans, finding) in by_subject.into_values() {
            self.findings.push(finding_of(file, host, &spans, finding));
            self.spans.extend(spans);
        }
        // What lasts for two records is trouble: one alone shows none of it.
        let records = file.series.iter().map(|one| one.samples.len()).max().unwrap_or(0);
        for code in decided {
            if records > 1 || self.findings.iter().any(|finding| finding.code == code) {
                self.decided.insert(code);
            } else {
                self.reasons.entry(code).or_insert_with(|| format!("{}: one record alone", file.source));
            }
        }
    }
}

fn is_below(one: &Span, other: &Span) -> bool {
    one.worst.unwrap_or(0.0) < other.worst.unwrap_or(0.0)
}

thresholds! {
    /// Spans that are listed as evidence of one finding.
    const MOST_LISTED: usize = 5;
    /// sar prints utilisation with two digits: below this it is too coarse to derive a speed.
    const TELLING: f64 = 0.02;
}

/// The worst span's finding, with when and how often, on the host of the file.
fn finding_of(file: &ImportedSeries, host: &Host, spans: &[Span], worst: Finding) -> Finding {
    let mut finding = worst;
    let time = match spans {
        [only] => when(only),
        several => {
            let most = several.iter().max_by(|one, other| {
                one.severity
                    .cmp(&other.severity)
                    .then(one.worst.unwrap_or(0.0).total_cmp(&other.worst.unwrap_or(0.0)))
            });
            format!("{} times, at worst {}", several.len(), most.map(when).unwrap_or_default())
        }
    };
    finding.message = format!("{time}: {}", finding.message);
    if let Some(name) = file.host.as_ref().filter(|name| !name.is_empty()) {
        finding.subject_ref = finding.subject_ref.at(At::File(name.clone()));
        finding.subject = finding.subject_ref.to_string();
    }
    // The rule names the kernel's files; here it was the other tool's.
    let source = file.origin();
    for evidence in &mut finding.evidence {
        evidence.source.clone_from(&source);
    }
    for span in spans.iter().take(MOST_LISTED).filter(|_| spans.len() > 1) {
        finding = finding.evidence(format!("{}: {}", when(span), span.message), source.clone());
    }
    if spans.len() > MOST_LISTED {
        let more = format!("{} further spans of this kind", spans.len() - MOST_LISTED);
        finding = finding.evidence(more, source.clone());
    }
    for step in &mut finding.advice.steps {
        if !host.hostname.is_empty() {
            step.on.clone_from(&host.hostname);
        }
    }
    finding
}

/// `2026-11-22 02:10:00 to 02:40:00`, `record 7`, `records 7 to 9`.
fn when(span: &Span) -> String {
    match (span.from, span.to, span.first_record, span.last_record) {
        (Some(from), Some(to), ..) => {
            let (from, to) = (words_of(from), words_of(to));
            let same_day = from.split(' ').next() == to.split(' ').next();
            let end = to.split_once(' ').map_or(to.as_str(), |(_, time)| time);
            format!("{from} to {}", if same_day { end } else { &to })
        }
        (_, _, Some(first), Some(last)) if first == last => format!("record {first}"),
        (_, _, Some(first), Some(last)) => format!("records {first} to {last}"),
        _ => String::new(),
    }
}

fn words_of(moment: fullwire_model::Moment) -> String {
    moment.to_string().replacen('T', " ", 1)
}

/// The windows of a file, with what it reports about its host. A file that contains only means since boot has none.
pub(crate) fn windows(file: &ImportedSeries) -> (Host, Vec<Timed>) {
    let host = host(file);
    if file.first_since_boot {
        return (host, Vec::new());
    }
    let places = places(file);
    let mut figures: Vec<Figures> = places.iter().map(|_| Figures::default()).collect();
    for series in &file.series {
        fill(&mut figures, &places, series);
    }
    let cpus = f64::from(host.cpu.online.max(1));
    let mut before: Option<Counters> = None;
    let mut windows = Vec::with_capacity(figures.len());
    for (place, figures) in places.list.iter().zip(figures) {
        let (from, to) = figures.ends(place.seconds(), cpus, before.as_ref());
        before = Some(to.clone());
        windows.push(place.timed(from, to));
    }
    stalls::found_afterwards(&mut windows);
    if host.cpu.online == 0 {
        bursts::leave_out(&mut windows);
    }
    if !file.series.iter().any(|series| series.metric == "flush_io_per_s") {
        stalls::leave_out_flushes(&mut windows);
    }
    (host, windows)
}

fn fill(figures: &mut [Figures], places: &places::Places, series: &Series) {
    let first = usize::try_from(series.first_record).unwrap_or(usize::MAX);
    for (index, sample) in series.samples.iter().enumerate() {
        let place = match sample.at {
            Some(at) => places.of(at),
            None => Some(first.saturating_add(index)),
        };
        if let Some(figures) = place.and_then(|place| figures.get_mut(place)) {
            figures.set(&series.area, &series.subject, &series.metric, sample.value);
        }
    }
}

/// What a file reports about its host.
fn host(file: &ImportedSeries) -> Host {
    let mut host = Host { hostname: file.host.clone().unwrap_or_default(), ..Host::default() };
    host.os.kernel_release = file.kernel.clone().unwrap_or_default();
    host.os.page_bytes = figures::PAGE_BYTES;
    host.cpu.online = file.cpus.and_then(|cpus| u32::try_from(cpus).ok()).unwrap_or(0);
    host.nics = subjects(file, "nic").into_iter().map(|name| nic(file, name)).collect();
    let mounts: BTreeSet<String> = subjects(file, "nfs")
        .into_iter()
        .filter_map(|subject| figures::mount_of(subject))
        .map(|(mount, _)| mount)
        .collect();
    host.mounts = mounts.into_iter().map(mount).collect();
    host
}

fn subjects<'a>(file: &'a ImportedSeries, area: &str) -> Vec<&'a str> {
    let mut names: Vec<&str> = file
        .series
        .iter()
        .filter(|series| series.area == area)
        .map(|series| series.subject.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn mount(target: String) -> Mount {
    Mount { target, fs_type: "nfs".into(), nfs: Some(NfsMount::default()), ..Mount::default() }
}

/// Names of interfaces that are made of others, or of nothing.
const VIRTUAL: [&str; 13] =
    ["lo", "veth", "docker", "virbr", "br", "vnet", "tap", "tun", "bond", "team", "sit", "dummy", "cali"];

/// An interface of a recording. Its addresses are not reported; what is counted is in use.
fn nic(file: &ImportedSeries, name: &str) -> Nic {
    let is_virtual = name.contains('.')
        || VIRTUAL.iter().any(|prefix| {
            name.strip_prefix(prefix).is_some_and(|rest| {
                rest.is_empty() || !rest.starts_with(char::is_alphabetic) || prefix.len() > 2
            })
        });
    Nic {
        name: name.to_owned(),
        kind: if is_virtual { "bridge".into() } else { "physical".into() },
        up: Some(true),
        addresses: vec!["not recorded".into()],
        speed_mbit_per_s: speed(file, name),
        ..Nic::default()
    }
}

/// The speeds that interfaces have, Mbit/s.
const SPEEDS: [f64; 12] = [10.0, 100.0, 1e3, 2.5e3, 5e3, 10e3, 20e3, 25e3, 40e3, 50e3, 100e3, 200e3];

/// What sar divided by for `%ifutil` (the larger direction over the speed): the nearest speed that there is.
fn speed(file: &ImportedSeries, name: &str) -> Option<u64> {
    let of = |metric: &str| file.series_of("nic", name, metric);
    let (share, received, sent) = (of("util_ratio")?, of("rx_bytes_per_s")?, of("tx_bytes_per_s")?);
    let largest =
        share.samples.iter().enumerate().max_by(|(_, one), (_, other)| one.value.total_cmp(&other.value));
    let (index, sample) = largest.filter(|(_, sample)| sample.value >= TELLING)?;
    let bytes = received.samples.get(index)?.value.max(sent.samples.get(index)?.value);
    let mbit = bytes * 8.0 / 1e6 / sample.value;
    let nearest = SPEEDS.into_iter().find(|speed| (mbit / speed - 1.0).abs() < 0.05)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "one of the list above")]
    Some(nearest as u64)
}

impl Place {
    fn timed(&self, from: Counters, to: Counters) -> Timed {
        let from = Counters { monotonic_ns: self.from_ns, ..from };
        let to = Counters { monotonic_ns: self.to_ns, ..to };
        let window = Window { kind: WindowKind::Recorded, from, to, ..Window::default() };
        Timed { window, from: self.from, to: self.to, record: self.record }
    }
}

/// `921 ms`, `2.73 s`, `14.0 s`.
fn ms(ns: f64) -> String {
    match ns / 1e6 {
        ms if ms >= 10_000.0 => format!("{:.1} s", ms / 1e3),
        ms if ms >= 1_000.0 => format!("{:.2} s", ms / 1e3),
        ms if ms >= 10.0 => format!("{ms:.0} ms"),
        ms => format!("{ms:.1} ms"),
    }
}

#[cfg(test)]
mod tests;
