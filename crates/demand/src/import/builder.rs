//! Collects samples into series. Records repeat their shape, so a value's series is mostly the one that followed last
//! time; memory is bounded by averaging neighbours when there are too many samples.

use super::metric::{self, Metric, metric};
use super::{human, number, unread};
use crate::ReadError;
use crate::page::{self, MOST_COLUMNS};
use fullwire_model::demand::{ImportedSeries, Sample, Series};
use fullwire_model::quantity::Unit;
use fullwire_model::{Gap, GapReason};
use jiff::civil::DateTime;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// More samples than this are thinned: at 32 bytes each, 64 MiB.
const MOST_SAMPLES: usize = 2_000_000;
/// More subjects and metrics than any host has.
const MOST_SERIES: usize = 40_000;
/// Kinds of lines that made no sense, sections and names that are told at most.
const MOST_GAPS: usize = 20;
/// Times at which recording began anew: more than a file of a year with a restart each hour has.
const MOST_STARTS: usize = 10_000;

#[derive(Debug, Default)]
pub(super) struct Builder {
    series: Vec<Series>,
    /// The record that each was last filled in.
    filled: Vec<u64>,
    /// Values as they followed each other in the records so far.
    slots: Vec<Slot>,
    by_key: HashMap<(&'static str, String, String), usize>,
    cursor: usize,
    at: Option<DateTime>,
    record: u64,
    samples: usize,
    /// Neighbours that one sample stands for.
    stride: u64,
    gaps: Vec<Gap>,
    /// Lines that made no sense: of what, and why; the first, and how many.
    bad_lines: BTreeMap<(String, String), (usize, usize)>,
    /// Times at which recording began anew.
    starts: BTreeSet<DateTime>,
    /// What covers the time since boot: kept only where there is nothing else.
    since_boot: Option<Box<Self>>,
    /// The record that is open is one of these.
    of_boot: bool,
    /// Sections of the file that nothing is read of.
    left_out: BTreeSet<String>,
    /// Cells that are no figure.
    unread: unread::Cells,
}

#[derive(Debug)]
struct Slot {
    area: &'static str,
    subject: String,
    printed: String,
    /// Where its samples go; `None` when the column is left out.
    target: Option<(usize, f64)>,
    /// The most that a value can be.
    most: f64,
    /// The record that it was last filled in.
    record: u64,
    /// Sum and count of the samples that the next kept one stands for.
    pending: (f64, u64, Option<DateTime>),
}

impl Slot {
    fn is_of(&self, area: &str, subject: &str) -> bool {
        self.area == area && self.subject == subject
    }
}

impl Builder {
    pub(super) fn new() -> Self {
        Self { stride: 1, ..Self::default() }
    }

    /// Begins a record: all values until the next belong to this time.
    pub(super) fn begin(&mut self, at: Option<DateTime>) {
        self.of_boot = false;
        self.at = at;
        self.record += 1;
        self.cursor = 0;
    }

    /// Begins a record of means since boot.
    pub(super) fn begin_since_boot(&mut self, at: Option<DateTime>) {
        self.of_boot = true;
        self.since_boot.get_or_insert_with(|| Box::new(Self::new())).begin(at);
    }

    /// Takes everything read so far for means since boot.
    pub(super) fn all_since_boot(&mut self) {
        let series = std::mem::take(&mut self.series);
        self.filled.clear();
        self.since_boot = Some(Box::new(Self { series, ..Self::new() }));
    }

    /// Sets the time of the record that is open.
    pub(super) fn set_time(&mut self, at: Option<DateTime>) {
        self.open().at = at;
    }

    /// Where the values of the open record go.
    fn open(&mut self) -> &mut Self {
        if self.of_boot { self.since_boot.get_or_insert_with(|| Box::new(Self::new())) } else { self }
    }

    /// Notes a section that is not read.
    pub(super) fn leave_out(&mut self, section: impl Into<String>) {
        if self.left_out.len() < MOST_GAPS {
            self.left_out.insert(section.into());
        }
    }

    /// Adds a value as printed, in the unit that the column has by its name.
    pub(super) fn push(&mut self, area: &'static str, subject: &str, printed: &str, value: f64) {
        self.open().push_here(area, subject, printed, value);
    }

    fn push_here(&mut self, area: &'static str, subject: &str, printed: &str, value: f64) {
        if let Some(slot) = self.slot(area, subject, printed) {
            let factor = self.slots[slot].target.map_or(0.0, |(_, factor)| factor);
            let value = if (factor - 1.0).abs() < f64::EPSILON { value } else { tidy(value * factor) };
            self.store(slot, value.min(self.slots[slot].most));
        }
    }

    /// Adds a cell as printed: a number, `12.5%`, or bytes with a suffix (`--human`). What is none of them is counted, and
    /// becomes a gap.
    pub(super) fn cell(&mut self, area: &'static str, subject: &str, printed: &str, cell: &str) {
        if let Some(value) = number(cell.strip_suffix('%').unwrap_or(cell)) {
            return self.push(area, subject, printed, value);
        }
        let unit = metric(area, printed).map(|metric| metric.unit);
        match (human(cell), unit) {
            (Some(_), None) => {}
            (Some(bytes), Some(Unit::Bytes | Unit::BytesPerS)) => {
                self.push_scaled(area, subject, printed, bytes);
            }
            _ => self.unread.add(printed, cell),
        }
    }

    /// Adds a value that is in the metric's own unit already.
    pub(super) fn push_scaled(&mut self, area: &'static str, subject: &str, printed: &str, value: f64) {
        let open = self.open();
        if let Some(slot) = open.slot(area, subject, printed) {
            open.store(slot, value);
        }
    }

    /// Notes a line that made no sense.
    pub(super) fn malformed(&mut self, subject: &str, line: usize, what: &str) {
        let kinds = self.bad_lines.len();
        let key = (subject.to_owned(), what.to_owned());
        if let Some((_, count)) = self.bad_lines.get_mut(&key) {
            *count += 1;
        } else if kinds < MOST_GAPS {
            self.bad_lines.insert(key, (line, 1));
        }
    }

    /// Notes that the next record reaches from here, whatever came before.
    pub(super) fn start(&mut self, at: Option<DateTime>) {
        if self.starts.len() < MOST_STARTS {
            self.starts.extend(at);
        }
    }

    pub(super) fn gap(&mut self, subject: &str, reason: GapReason, detail: impl Into<String>) {
        self.gaps.push(Gap::new(subject, reason, detail));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.series.is_empty()
            && self.since_boot.as_ref().is_none_or(|since_boot| since_boot.series.is_empty())
    }

    /// Records of intervals so far.
    pub(super) fn has_intervals(&self) -> bool {
        !self.series.is_empty()
    }

    fn slot(&mut self, area: &'static str, subject: &str, printed: &str) -> Option<usize> {
        let (subject, printed) = (page::name(subject), page::name(printed));
        let fits = |slot: &Slot| slot.is_of(area, subject) && slot.printed == printed;
        let index = if self.slots.get(self.cursor).is_some_and(fits) {
            self.cursor
        } else {
            self.find_or_add(area, subject, printed)?
        };
        self.cursor = index + 1;
        Some(index)
    }

    fn find_or_add(&mut self, area: &'static str, subject: &str, printed: &str) -> Option<usize> {
        let key = (area, subject.to_owned(), printed.to_owned());
        if let Some(&index) = self.by_key.get(&key) {
            return Some(index);
        }
        if self.slots.len() >= MOST_SERIES {
            if self.slots.len() == MOST_SERIES && !self.gaps.iter().any(|gap| gap.subject == "series") {
                self.gap(
                    "series",
                    GapReason::Skipped,
                    "more than 40,000 subjects and metrics: the rest is ignored",
                );
            }
            return None;
        }
        let target =
            metric(area, printed).map(|metric| (self.series_of(area, subject, &metric), metric.factor));
        let slot = Slot {
            area,
            subject: subject.to_owned(),
            printed: printed.to_owned(),
            target,
            most: metric::most(area, printed),
            record: 0,
            pending: (0.0, 0, None),
        };
        self.slots.push(slot);
        self.by_key.insert(key, self.slots.len() - 1);
        Some(self.slots.len() - 1)
    }

    /// The series of a metric; two columns (`rd_sec` and `rkB`) may mean the same.
    fn series_of(&mut self, area: &str, subject: &str, metric: &Metric) -> usize {
        let same = |slot: &&Slot| slot.is_of(area, subject);
        let known =
            self.slots.iter().rev().take_while(same).take(MOST_COLUMNS).filter_map(|slot| slot.target);
        for (index, _) in known {
            if self.series[index].metric == metric.name {
                return index;
            }
        }
        self.series.push(Series {
            area: area.to_owned(),
            subject: subject.to_owned(),
            metric: metric.name.clone(),
            unit: metric.unit,
            first_record: self.record.saturating_sub(1) / self.stride,
            samples: Vec::new(),
        });
        self.filled.push(0);
        self.series.len() - 1
    }

    fn store(&mut self, slot: usize, value: f64) {
        let Some((series, _)) = self.slots[slot].target else { return };
        let (record, at, stride) = (self.record, self.at, self.stride);
        let entry = &mut self.slots[slot];
        if entry.record == record && record != 0 {
            return;
        }
        entry.record = record;
        let (sum, count, first) = &mut entry.pending;
        (*sum, *count, *first) = (*sum + value, *count + 1, first.or(at));
        if *count < stride {
            return;
        }
        let sample = Sample { at: *first, value: *sum / *count as f64 };
        entry.pending = (0.0, 0, None);
        let samples = &mut self.series[series].samples;
        // Another column of the same record has filled it already.
        let same = at.is_some() && samples.last().is_some_and(|last| last.at == at);
        if stride == 1 && (same || record != 0 && self.filled[series] == record) {
            return;
        }
        self.filled[series] = record;
        samples.push(sample);
        self.samples += 1;
        if self.samples > MOST_SAMPLES {
            self.thin();
        }
    }

    /// Halves every series: each pair becomes its mean.
    fn thin(&mut self) {
        for series in &mut self.series {
            let halved = series.samples.chunks(2).map(|pair| Sample {
                at: pair[0].at,
                value: pair.iter().map(|sample| sample.value).sum::<f64>() / pair.len() as f64,
            });
            series.samples = halved.collect();
            series.first_record /= 2;
        }
        self.stride *= 2;
        self.samples = self.series.iter().map(|series| series.samples.len()).sum();
    }

    /// The series, with what is known of their origin. An error: there was a heading, and no figure below it.
    pub(super) fn done(self, origin: ImportedSeries) -> Result<ImportedSeries, ReadError> {
        if self.is_empty() {
            let what = format!("{}: a heading, and no figures below it that are known", origin.tool);
            return Err(ReadError::new(&origin.source, 1, what));
        }
        Ok(self.finish(origin))
    }

    /// The same where nothing is missed.
    pub(super) fn finish(mut self, mut origin: ImportedSeries) -> ImportedSeries {
        self.conclude_since_boot(&mut origin);
        if !self.left_out.is_empty() {
            let sections = self.left_out.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            self.gap("sections", GapReason::Skipped, format!("not read: {sections}"));
        }
        self.gaps.extend(std::mem::take(&mut self.unread).gap());
        if self.stride > 1 {
            let detail = format!("too many samples: each one kept is the mean of {} records", self.stride);
            self.gap("samples", GapReason::Skipped, detail);
        }
        for ((subject, what), (line, count)) in std::mem::take(&mut self.bad_lines) {
            let detail = match count {
                1 => format!("line {line}: {what}"),
                2 => format!("line {line} and one more: {what}"),
                _ => format!("line {line} and {} more: {what}", count - 1),
            };
            self.gap(&subject, GapReason::Malformed, detail);
        }
        origin.starts = self.starts.iter().copied().collect();
        self.leave_out_nominal_shares();
        self.series.extend(request_sizes(&self.series));
        self.series.retain(|series| !series.samples.is_empty());
        for series in &mut self.series {
            // Times tell the place better.
            if series.samples.iter().any(|sample| sample.at.is_some()) {
                series.first_record = 0;
            }
        }
        origin.series = self.series;
        origin.gaps.append(&mut self.gaps);
        origin
    }

    /// Takes off shares of a speed that is only nominal, whatever a virtual interface carries.
    fn leave_out_nominal_shares(&mut self) {
        let mut names = Vec::new();
        for series in &mut self.series {
            if series.area != "nic" || series.metric != "util_ratio" {
                continue;
            }
            let most = series.samples.iter().fold(0.0, |most: f64, sample| most.max(sample.value));
            // Without a speed sar prints 0.
            let nominal = metric::has_nominal_speed(&series.subject) || most > metric::MOST_OF_SPEED;
            if nominal && most > 0.0 {
                series.samples.clear();
                names.push(series.subject.clone());
            }
        }
        if !names.is_empty() {
            let more = names.len().saturating_sub(MOST_GAPS);
            names.truncate(MOST_GAPS);
            names.extend((more > 0).then(|| format!("{more} more")));
            let what = "not read: the speed that it is a share of is only nominal";
            self.gap("utilisation", GapReason::Skipped, format!("{}: {what}", names.join(", ")));
        }
    }

    /// Means since boot count only where the file has nothing else, and are then no intervals.
    fn conclude_since_boot(&mut self, origin: &mut ImportedSeries) {
        let Some(since_boot) = self.since_boot.take().filter(|since_boot| !since_boot.series.is_empty())
        else {
            return;
        };
        if self.has_intervals() {
            self.gap(
                "means since boot",
                GapReason::Skipped,
                format!("the first report of {} covers the time since boot: ignored", origin.tool),
            );
            return;
        }
        self.series = since_boot.series;
        origin.first_since_boot = true;
        self.gap(
            "intervals",
            GapReason::Absent,
            format!(
                "{} printed only means since boot, which hide short trouble: record with an interval ({})",
                origin.tool,
                with_interval(&origin.tool)
            ),
        );
    }
}

/// Sizes of requests where a tool prints only requests and bytes: their quotient, as `avgrq-sz` is (sysstat, `rd_stats.c`).
fn request_sizes(all: &[Series]) -> Vec<Series> {
    let disks = all.iter().filter(|one| one.area == "disk");
    let by: BTreeMap<(&str, &str), &Series> =
        disks.map(|one| ((one.subject.as_str(), one.metric.as_str()), one)).collect();
    let of = |subject: &str, metric: &str| by.get(&(subject, metric)).copied();
    let sizes = |requests: &Series| {
        let bytes = [of(&requests.subject, "read_bytes_per_s"), of(&requests.subject, "write_bytes_per_s")];
        let [Some(read), Some(written)] = bytes else { return None };
        let alike = [read, written].iter().all(|one| one.samples.len() == requests.samples.len());
        let printed = of(&requests.subject, "request_mean_bytes").is_some();
        let samples = requests.samples.iter().zip(read.samples.iter().zip(&written.samples));
        let size = |(requests, (read, written)): (&Sample, (&Sample, &Sample))| {
            let value =
                if requests.value > 0.0 { (read.value + written.value) / requests.value } else { 0.0 };
            Sample { at: requests.at, value: tidy(value) }
        };
        (alike && !printed).then(|| Series {
            metric: "request_mean_bytes".into(),
            unit: Unit::Bytes,
            samples: samples.map(size).collect(),
            ..requests.clone()
        })
    };
    all.iter().filter(|one| one.area == "disk" && one.metric == "io_per_s").filter_map(sizes).collect()
}

/// How a tool is told to print intervals.
fn with_interval(tool: &str) -> &'static str {
    match tool {
        "vmstat" => "vmstat -t 10",
        "mpstat" => "mpstat -P ALL 10",
        "nfsiostat" => "nfsiostat 10",
        _ => "iostat -xt 10",
    }
}

/// Powers of ten, by which a value gets its twelve digits.
const POWERS: [f64; 21] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20,
];

/// Takes off the noise of a factor such as 0.01: no tool prints more than twelve digits.
fn tidy(value: f64) -> f64 {
    let magnitude = value.abs();
    if !(1e-9..1e15).contains(&magnitude) {
        return value;
    }
    let scale = POWERS[POWERS.partition_point(|power| magnitude * power < 1e11).min(POWERS.len() - 1)];
    (value * scale).round() / scale
}

/// A file of this tool, whose stamps are of this clock.
pub(super) fn recorded(source: &str, tool: &str, clock: &str) -> ImportedSeries {
    let [source, tool, clock] = [source, tool, clock].map(str::to_owned);
    ImportedSeries { source, tool, clock, ..ImportedSeries::default() }
}
