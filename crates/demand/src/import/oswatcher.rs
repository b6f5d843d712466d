//! What OSWatcher adds to the output of the commands that it calls: a heading in each file, and a line with the time
//! in front of each snapshot. A snapshot is one call such as `vmstat 1 3`, whose first record covers the time since boot.

use super::Options;
use super::sysstat::banner;
use crate::clock::{Calendar, time_of_day};
use fullwire_model::demand::{ImportedSeries, Series};
use fullwire_model::{Gap, GapReason};
use jiff::ToSpan;
use jiff::civil::DateTime;
use std::collections::BTreeMap;

/// In front of the tool's name in [`ImportedSeries::tool`].
const TOOL: &str = "oswatcher ";
/// More samples than this in one archive are thinned: at 32 bytes each, 256 MiB.
const MOST_SAMPLES: usize = 8_000_000;

/// `zzz ***Wed Feb 29 11:01:52 EST 2012 Sample interval: 5 secconds`: when a command was called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) at: DateTime,
    /// The zone's letters.
    pub(super) zone: Option<String>,
    /// Between the records of the snapshot, s: OSWatcher calls its commands with 1 where it says nothing else.
    interval_s: i64,
}

/// Reads such a line, in the order in which `date` prints it in any language: the month has letters, the year four digits.
pub(super) fn stamp(line: &str) -> Option<Stamp> {
    let rest = line.strip_prefix("zzz")?.trim_start_matches([' ', '*']);
    let (date, interval) = rest.split_once("Sample interval:").unwrap_or((rest, ""));
    let words: Vec<&str> = date.split_whitespace().collect();
    let digits = |word: &str| word.bytes().all(|c| c.is_ascii_digit());
    let clock = words.iter().position(|word| word.matches(':').count() == 2)?;
    let half = words.get(clock + 1).filter(|word| matches!(word.to_lowercase().as_str(), "am" | "pm"));
    let time = time_of_day(&format!("{} {}", words[clock], half.unwrap_or(&"")))?;
    let year = words.iter().find(|word| word.len() == 4 && digits(word))?;
    let plain = |word: &&str| word.trim_end_matches(['.', ',']).to_owned();
    let day = words.iter().map(plain).find(|word| word.len() <= 2 && digits(word))?;
    let calendar = Calendar::default();
    // The name of the weekday comes first: "Mar" is a Tuesday in Spanish.
    let mut names =
        words.iter().map(plain).skip(1).filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
    let date = names.find_map(|month| calendar.date(&format!("{day}-{month}-{year}")))?;
    let zone = words[clock + 1..]
        .iter()
        .find(|word| Some(*word) != half && word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase()));
    let interval_s = interval.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(1);
    Some(Stamp { at: date.to_datetime(time), zone: zone.map(|&zone| zone.to_owned()), interval_s })
}

/// A line that OSWatcher wrote itself: `Linux OSWbb v8.4.0 db1`, `SNAP_INTERVAL 30`, a time.
pub(super) fn is_own_line(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or("");
    let is_setting = first.contains('_') && first.bytes().all(|c| c.is_ascii_uppercase() || c == b'_');
    line.starts_with("zzz") || line.starts_with("Linux OSW") || is_setting
}

/// True for a file of an archive.
pub(super) fn is_archive(text: &str) -> bool {
    text.lines().take(50).any(|line| line.starts_with("zzz ***") || line.starts_with("Linux OSW"))
}

/// The records of one snapshot, and their times.
#[derive(Debug)]
pub(super) struct Snapshot {
    called: DateTime,
    interval_s: i64,
    records: i64,
}

impl Snapshot {
    pub(super) fn of(stamp: &Stamp) -> Self {
        Self { called: stamp.at, interval_s: stamp.interval_s, records: 0 }
    }

    /// The time at which the next record ends. The first is printed at once.
    pub(super) fn next(&mut self) -> Option<DateTime> {
        let after_s = self.interval_s.checked_mul(self.records)?;
        self.records += 1;
        self.called.checked_add(after_s.seconds()).ok()
    }
}

/// The month has letters in OSWatcher's own lines: they settle the order of the dates that the commands print.
pub(super) fn settle_dates(text: &str, options: Options) -> Options {
    if options.date_order.is_some() || !is_archive(text) {
        return options;
    }
    let called = text.lines().find_map(stamp);
    let printed = text.lines().find_map(banner);
    let learnt =
        called.zip(printed).and_then(|(called, banner)| Calendar::that_reads(&banner.date, called.at.date()));
    Options { date_order: learnt.and_then(Calendar::order), ..options }
}

/// Adds what the heading of the file says: the host, its CPUs, and that OSWatcher called the tool.
pub(super) fn complete(text: &str, all: &mut [ImportedSeries]) {
    if !is_archive(text) {
        return;
    }
    let head = || text.lines().take_while(|line| !line.starts_with("zzz"));
    let host =
        head().find(|line| line.starts_with("Linux OSW")).and_then(|line| line.split_whitespace().nth(3));
    let cpus = head().find_map(|line| line.strip_prefix("CPU_COUNT")?.trim().parse::<u64>().ok());
    for series in all {
        series.host = series.host.take().or_else(|| host.map(str::to_owned));
        series.cpus = series.cpus.or(cpus.filter(|cpus| *cpus > 0));
        if !series.tool.starts_with(TOOL) {
            series.tool.insert_str(0, TOOL);
        }
    }
}

/// Puts the files of one folder of an archive together, each of which covers an hour. The heading of any file may tell
/// the host's CPUs.
pub fn together(all: Vec<ImportedSeries>) -> Vec<ImportedSeries> {
    let mut cpus: BTreeMap<String, u64> = BTreeMap::new();
    for file in &all {
        cpus.extend(file.host.clone().zip(file.cpus));
    }
    let mut out: Vec<ImportedSeries> = Vec::new();
    for mut file in all {
        if file.tool.starts_with(TOOL) && file.cpus.is_none() {
            file.cpus = file.host.as_ref().and_then(|host| cpus.get(host)).copied();
        }
        match out.iter_mut().find(|one| is_one(one, &file)) {
            Some(one) => append(one, file),
            None => out.push(file),
        }
    }
    for archive in out.iter_mut().filter(|one| one.tool.starts_with(TOOL)) {
        in_order(archive);
    }
    out
}

fn folder(file: &ImportedSeries) -> Option<&str> {
    file.source.rsplit_once('/').map(|(folder, _)| folder)
}

fn is_one(one: &ImportedSeries, other: &ImportedSeries) -> bool {
    // What has been put together has its folder's name.
    let same_folder = folder(other).is_some_and(|name| folder(one) == Some(name) || one.source == name);
    let timed = |file: &ImportedSeries| file.times().is_some() && !file.first_since_boot;
    let same = (&one.tool, &one.host, &one.clock) == (&other.tool, &other.host, &other.clock);
    one.tool.starts_with(TOOL) && same && same_folder && timed(one) && timed(other)
}

/// Area, subject and metric.
type Key = (String, String, String);

fn append(one: &mut ImportedSeries, other: ImportedSeries) {
    if let Some(name) = folder(&other) {
        name.clone_into(&mut one.source);
    }
    let key =
        |series: &Series| -> Key { (series.area.clone(), series.subject.clone(), series.metric.clone()) };
    let places: BTreeMap<Key, usize> =
        one.series.iter().enumerate().map(|(index, own)| (key(own), index)).collect();
    for series in other.series {
        match places.get(&key(&series)) {
            Some(&index) => one.series[index].samples.extend(series.samples),
            None => one.series.push(series),
        }
    }
    one.cpus = one.cpus.or(other.cpus);
    one.starts.extend(other.starts);
    for gap in other.gaps {
        if !one.gaps.contains(&gap) {
            one.gaps.push(gap);
        }
    }
}

/// By time, whatever the order of the files was; more samples than can be kept become means of neighbours.
fn in_order(archive: &mut ImportedSeries) {
    archive.starts.sort_unstable();
    for series in &mut archive.series {
        series.samples.sort_by_key(|sample| sample.at);
    }
    let total: usize = archive.series.iter().map(|series| series.samples.len()).sum();
    let stride = total.div_ceil(MOST_SAMPLES);
    if stride < 2 {
        return;
    }
    for series in &mut archive.series {
        let means = series.samples.chunks(stride).map(|some| fullwire_model::demand::Sample {
            at: some[0].at,
            value: some.iter().map(|sample| sample.value).sum::<f64>() / some.len() as f64,
        });
        series.samples = means.collect();
    }
    let detail = format!("too many samples: each one kept is the mean of {stride} records");
    archive.gaps.push(Gap::new("samples", GapReason::Skipped, detail));
}
