//! A recording folded for its page: charts over one axis of time, lanes of trouble and events, tables.

use super::beside::{self, Beside};
use super::chart::bands::Bands;
use super::chart::{Axis, Chart, MOST_SERIES, Scale, Series, SeriesKind};
use super::results::Table;
use crate::format;
use fullwire_model::assessment::Severity;
use fullwire_model::quantity::Unit;
use fullwire_model::recording::{Curve, Curves, Event, EventKind};
use fullwire_model::{Gap, Moment, PathName, Span};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;
use std::collections::BTreeMap;

/// Lanes of trouble that are drawn; the table has more.
const MOST_LANES: usize = 24;
/// Spans that are listed and drawn.
const MOST_SPANS: usize = 500;
/// Events that are listed and drawn; of more the first of each kind and subject come first.
const MOST_EVENTS: usize = 1_000;

/// Columns of time in which latencies are counted.
const LATENCY_COLUMNS: usize = 72;
/// Devices and directions whose latencies are drawn.
const MOST_LATENCIES: usize = 6;

/// What the page of a recording is made of.
#[derive(Debug, Clone, Copy)]
pub struct Recorded<'a> {
    /// The host.
    pub host: &'a str,
    /// The version of fullwire that draws.
    pub tool_version: &'a str,
    /// The first sample of the stretch.
    pub from: Timestamp,
    /// The last sample.
    pub to: Timestamp,
    /// The host's zone.
    pub zone: &'a TimeZone,
    /// Samples that were judged.
    pub samples: u64,
    /// What moved, and what was in trouble.
    pub curves: &'a Curves,
    /// What a subject is called beside its name: where it is mounted.
    pub labels: &'a BTreeMap<String, String>,
    /// Trouble.
    pub spans: &'a [Span],
    /// What happened.
    pub events: &'a [Event],
    /// What could not be read.
    pub gaps: &'a [Gap],
    /// Another tool's file on the same axis.
    pub beside: Option<&'a Beside>,
}

/// Lanes and events for the script of the page, seconds since the epoch.
#[derive(Debug, Serialize)]
pub(crate) struct Timeline {
    from: f64,
    to: f64,
    /// A zone that the browser knows; without it UTC, and times are shifted by the offset.
    zone: Option<String>,
    offset_s: i32,
    pub(crate) rows: Vec<Lane>,
    pub(crate) events: Vec<Mark>,
}

/// One trouble: a code and a subject.
#[derive(Debug, Serialize)]
pub(crate) struct Lane {
    pub(crate) name: String,
    severity: &'static str,
    bars: Vec<Bar>,
}

#[derive(Debug, Serialize)]
struct Bar {
    from: f64,
    to: f64,
    text: String,
}

/// Something that happened.
#[derive(Debug, Serialize)]
pub(crate) struct Mark {
    at: f64,
    text: String,
}

/// Axis of the whole page.
const TIME: Axis = Axis { label: "time", unit: Unit::S, scale: Scale::Time };

/// A chart of one figure for several subjects: title, area, metric, unit.
type OfSubjects = (&'static str, &'static str, &'static str, Unit);

const BY_SUBJECT: [OfSubjects; 9] = [
    ("Storage: read", "disk", "read_bytes_per_s", Unit::BytesPerS),
    ("Storage: written", "disk", "write_bytes_per_s", Unit::BytesPerS),
    ("Storage: time of a read", "disk", "read_await_ns", Unit::Ns),
    ("Storage: time of a write", "disk", "write_await_ns", Unit::Ns),
    ("Storage: requests in flight", "disk", "queue_mean", Unit::Count),
    ("Network: received", "nic", "rx_bytes_per_s", Unit::BytesPerS),
    ("Network: sent", "nic", "tx_bytes_per_s", Unit::BytesPerS),
    ("NFS: requests", "nfs", "io_per_s", Unit::IoPerS),
    ("NFS: time of a request", "nfs", "await_ns", Unit::Ns),
];

/// A chart of several figures of the host: title, unit, area, and the metrics with their names.
type OfHost = (&'static str, Unit, &'static str, &'static [(&'static str, &'static str)]);

const CPU: [OfHost; 2] = [
    (
        "CPU",
        Unit::Ratio,
        "cpu",
        &[("busy_ratio", "busy"), ("iowait_ratio", "waits for I/O"), ("steal_ratio", "stolen")],
    ),
    (
        "Pressure: some task waits",
        Unit::Ratio,
        "system",
        &[
            ("cpu_pressure_ratio", "for a CPU"),
            ("io_pressure_ratio", "for I/O"),
            ("memory_pressure_ratio", "for memory"),
        ],
    ),
];
const REST_OF_HOST: [OfHost; 4] = [
    ("Tasks", Unit::Count, "system", &[("runnable", "runnable"), ("blocked", "blocked")]),
    ("Memory available", Unit::Bytes, "memory", &[("available_bytes", "available")]),
    (
        "Paging",
        Unit::PerS,
        "memory",
        &[
            ("swap_in_pages_per_s", "pages swapped in"),
            ("swap_out_pages_per_s", "pages swapped out"),
            ("major_faults_per_s", "major faults"),
        ],
    ),
    ("TCP: segments sent again", Unit::PerS, "system", &[("tcp_retransmits_per_s", "sent again")]),
];

/// A span, its two times as shown, and the seconds to zoom to.
pub(crate) type SpanRow<'a> = (&'a Span, [String; 2], Option<(f64, f64)>);

/// What was wrong in so many seconds of a recording, in a sentence or two.
pub fn trouble(spans: &[Span], seconds: f64) -> Vec<String> {
    let count = |severity| spans.iter().filter(|span| span.severity == severity).count();
    let (critical, warning) = (count(Severity::Critical), count(Severity::Warning));
    let spans_of = |number: usize, what: &str| {
        format!("{number} {what} span{} of trouble", if number == 1 { "" } else { "s" })
    };
    let found = match (critical, warning) {
        (0, 0) => "No trouble was found".to_owned(),
        (0, warning) => spans_of(warning, "warning"),
        (critical, 0) => spans_of(critical, "critical"),
        (critical, warning) => format!("{critical} critical and {}", spans_of(warning, "warning")),
    };
    let mut sentences = vec![format!("{found} in {}.", format::duration(seconds))];
    if let Some(worst) = spans.iter().max_by_key(|span| (span.severity, span.bad_s.to_bits())) {
        sentences.push(format!("The worst: {}.", worst.message.trim_end_matches('.')));
    }
    sentences
}

impl Recorded<'_> {
    /// What the recording comes to, as sentences.
    pub fn headline(&self) -> Vec<String> {
        let mut sentences = trouble(self.spans, self.to.duration_since(self.from).as_secs_f64());
        sentences
            .extend(self.beside.map(|beside| format!("{}: {}.", beside.source, beside.clock_sentence())));
        sentences
    }

    /// The lanes first, then every figure that has a value.
    pub(crate) fn charts(&self) -> Vec<Chart> {
        let ends = vec![seconds(self.from), seconds(self.to)];
        let lanes = Series { name: "trouble".into(), kind: SeriesKind::Line, values: vec![None, None] };
        let count = Axis { label: "", unit: Unit::Count, scale: Scale::Linear };
        let title = "Trouble and events".to_owned();
        let mut all = vec![Chart {
            path: PathName::none(),
            title,
            x: TIME,
            y: count,
            points: ends,
            series: vec![lanes],
        }];
        let axis = Axes::new(self.curves);
        let host = |of: &OfHost| self.of_host(&axis, *of);
        all.extend(CPU.iter().filter_map(host));
        all.extend(BY_SUBJECT.iter().filter_map(|of| self.of_subjects(&axis, *of)));
        all.extend(REST_OF_HOST.iter().filter_map(host));
        all
    }

    /// Reads and writes of the devices that waited most, each with the time of its requests in bands.
    pub(crate) fn latencies(&self) -> Vec<(String, Bands)> {
        const WAYS: [(&str, &str, &str); 2] =
            [("reads", "read_io_per_s", "read_await_ns"), ("writes", "write_io_per_s", "write_await_ns")];
        let (from, to) = (seconds(self.from), seconds(self.to));
        let mut found: Vec<(String, Bands)> = Vec::new();
        for ((area, subject, metric), waits) in &self.curves.curves {
            let way = WAYS.iter().find(|(.., wait)| *area == "disk" && metric == wait);
            let Some((way, rate, _)) = way else { continue };
            let Some(rates) = self.curves.curves.get(&(*area, subject.clone(), *rate)) else { continue };
            let mut bands = Bands::new(LATENCY_COLUMNS);
            let steps = self.curves.begins.iter().zip(&self.curves.times);
            for ((begin, end), (rate, wait)) in steps.zip(rates.mean.iter().zip(&waits.mean)) {
                let place = (end - from) / (to - from).max(1e-9) * LATENCY_COLUMNS as f64;
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a column")]
                let column = (place.ceil() as usize).saturating_sub(1).min(LATENCY_COLUMNS - 1);
                bands.add(column, rate.unwrap_or(0.0) * (end - begin), wait.unwrap_or(0.0));
            }
            found.push((format!("{subject}: {way}"), bands));
        }
        found.retain(|(_, bands)| bands.took_ns() > 0.0);
        found.sort_by(|(_, one), (_, other)| other.took_ns().total_cmp(&one.took_ns()));
        found.truncate(MOST_LATENCIES);
        found
    }

    fn of_host(&self, axis: &Axes, (title, unit, area, figures): OfHost) -> Option<Chart> {
        let subject = if area == "cpu" { "all" } else { "" };
        let curve = |metric| self.curves.curves.get(&(area, subject.to_owned(), metric));
        let known = figures.iter().filter_map(|(metric, name)| Some((name, curve(*metric)?)));
        let series = known.flat_map(|(name, curve)| self.drawn(axis, name, curve)).collect();
        chart(axis, title, unit, series)
    }

    fn of_subjects(&self, axis: &Axes, (title, area, metric, unit): OfSubjects) -> Option<Chart> {
        let mut found: Vec<(&str, &Curve)> = self
            .curves
            .curves
            .iter()
            .filter(|((one, _, name), _)| *one == area && *name == metric)
            .map(|((_, subject, _), curve)| (subject.as_str(), curve))
            .collect();
        found.sort_by(|(_, one), (_, other)| largest(other).total_cmp(&largest(one)));
        let mut series = Vec::new();
        for (subject, curve) in found.into_iter().filter(|(_, curve)| largest(curve) > 0.0).take(MOST_SERIES)
        {
            let name =
                self.labels.get(subject).map_or(subject.to_owned(), |label| format!("{subject} {label}"));
            series.extend(self.drawn(axis, &name, curve));
            series.extend(self.beside.and_then(|beside| of_other(axis, beside, (area, subject, metric))));
        }
        chart(axis, title, unit, series)
    }

    /// The mean, and the worst where steps hold several samples.
    fn drawn(&self, axis: &Axes, name: &str, curve: &Curve) -> Vec<Series> {
        let mean = Series { name: name.to_owned(), kind: SeriesKind::Line, values: axis.placed(&curve.mean) };
        if !self.curves.merged {
            return vec![mean];
        }
        let worst = Series {
            name: format!("{name}, worst"),
            kind: SeriesKind::Worst,
            values: axis.placed(&curve.max),
        };
        vec![mean, worst]
    }

    pub(crate) fn timeline(&self) -> Timeline {
        let mut lanes: Vec<Lane> = Vec::new();
        let mut drawn: Vec<&Span> = self.spans.iter().take(MOST_SPANS).collect();
        drawn.sort_by_key(|span| std::cmp::Reverse(span.severity));
        for span in drawn {
            let name = format!("{} {}", span.code, span.subject);
            let (Some(from), Some(to)) = (instant(span.from), instant(span.to)) else { continue };
            let bar = Bar { from: seconds(from), to: seconds(to), text: span.message.clone() };
            if let Some(lane) = lanes.iter_mut().find(|lane| lane.name == name) {
                lane.bars.push(bar);
            } else if lanes.len() < MOST_LANES {
                lanes.push(Lane { name, severity: span.severity.name(), bars: vec![bar] });
            }
        }
        let events = self.listed_events().into_iter();
        let marks = events.map(|event| Mark { at: seconds(event.wall), text: words(event) }).collect();
        let zone = self.zone.iana_name().map(str::to_owned);
        let offset_s = if zone.is_some() { 0 } else { self.zone.to_offset(self.from).seconds() };
        Timeline {
            from: seconds(self.from),
            to: seconds(self.to),
            zone,
            offset_s,
            rows: lanes,
            events: marks,
        }
    }

    /// Where there are too many, those that come rarely stay.
    fn listed_events(&self) -> Vec<&Event> {
        if self.events.len() <= MOST_EVENTS {
            return self.events.iter().collect();
        }
        let mut seen: BTreeMap<(EventKind, &str), usize> = BTreeMap::new();
        let mut numbered: Vec<(usize, &Event)> = Vec::with_capacity(self.events.len());
        for event in self.events {
            let count = seen.entry((event.kind, event.subject.as_str())).or_default();
            *count += 1;
            numbered.push((*count, event));
        }
        numbered.sort_by_key(|(count, event)| (*count, event.wall));
        numbered.truncate(MOST_EVENTS);
        let mut events: Vec<&Event> = numbered.into_iter().map(|(_, event)| event).collect();
        events.sort_by_key(|event| event.wall);
        events
    }

    /// Each span with its times in the host's zone, and the seconds to zoom to.
    pub(crate) fn span_rows(&self) -> Vec<SpanRow<'_>> {
        let place = |moment| instant(moment).map_or(String::new(), |at| self.shown(at));
        let ends = |span: &Span| Some((seconds(instant(span.from)?), seconds(instant(span.to)?)));
        self.spans
            .iter()
            .take(MOST_SPANS)
            .map(|span| (span, [place(span.from), place(span.to)], ends(span)))
            .collect()
    }

    pub(crate) fn events_table(&self) -> Table {
        let mut table = Table::new("Events", &["at", "kind", "where", "what"]);
        let listed = self.listed_events();
        if self.events.len() > listed.len() {
            table
                .notes
                .push(format!("{} more repeat those that are listed.", self.events.len() - listed.len()));
        }
        let row = |event: &Event| {
            vec![
                self.shown(event.wall),
                event.kind.name().to_owned(),
                event.subject.clone(),
                event.detail.clone(),
            ]
        };
        table.rows = listed.into_iter().map(row).collect();
        table
    }

    pub(crate) fn beside_table(&self) -> Option<Table> {
        let beside = self.beside?;
        let title = format!("{} beside the recording", beside.source);
        let mut table = Table::new(&title, &["figure", "#the file", "#recorded", "#agree"]);
        table.rows = beside.listed().into_iter().map(|figure| beside::row(figure).to_vec()).collect();
        table.notes.push(format!("{}.", beside.clock_sentence()));
        Some(table)
    }

    pub(crate) fn shown(&self, at: Timestamp) -> String {
        at.to_zoned(self.zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string()
    }

    /// How much of the recording a point stands for.
    pub(crate) fn resolution(&self) -> String {
        let lengths = self.curves.begins.iter().zip(&self.curves.times).map(|(from, to)| to - from);
        let longest = lengths.fold(0.0, f64::max);
        let step = format::duration(longest);
        if self.curves.merged {
            format!("Each point is the mean of up to {step}; the thin line is the worst sample within.")
        } else {
            format!("Each point is the mean of up to {step}.")
        }
    }
}

/// The points of all charts: the end of each step, and a break where nothing was recorded.
struct Axes {
    points: Vec<f64>,
    /// For each point the step that it stands for.
    steps: Vec<Option<usize>>,
    begins: Vec<f64>,
}

impl Axes {
    fn new(curves: &Curves) -> Self {
        let mut axis = Self { points: Vec::new(), steps: Vec::new(), begins: curves.begins.clone() };
        let mut last: Option<f64> = None;
        for (step, (begin, end)) in curves.begins.iter().zip(&curves.times).enumerate() {
            if last.is_some_and(|last| begin - last > 1e-3) {
                axis.points.push(*begin);
                axis.steps.push(None);
            }
            // Points must ascend: a clock that was set back shows nothing until it has caught up.
            if axis.points.last().is_none_or(|point| point < end) {
                axis.points.push(*end);
                axis.steps.push(Some(step));
            }
            last = Some(*end);
        }
        axis
    }

    fn placed(&self, values: &[Option<f64>]) -> Vec<Option<f64>> {
        let value = |step: &Option<usize>| values.get((*step)?).copied().flatten().map(short);
        self.steps.iter().map(value).collect()
    }
}

/// The file's values at our points: each holds for its interval.
fn of_other(axis: &Axes, beside: &Beside, key: (&str, &str, &str)) -> Option<Series> {
    let line = beside.lines.iter().find(|line| (line.area, line.subject.as_str(), line.metric) == key)?;
    let at = |point: f64, step: Option<usize>| {
        let middle = step.map_or(point, |step| f64::midpoint(axis.begins[step], point));
        let place = line.intervals.partition_point(|(_, to, _)| *to <= middle);
        line.intervals.get(place).filter(|(from, ..)| *from <= middle).map(|(_, _, value)| short(*value))
    };
    let values: Vec<Option<f64>> =
        axis.points.iter().zip(&axis.steps).map(|(point, step)| at(*point, *step)).collect();
    let name = format!("{} by {}", line.subject, beside.tool);
    values.iter().any(Option::is_some).then_some(Series { name, kind: SeriesKind::Other, values })
}

fn chart(axis: &Axes, title: &str, unit: Unit, series: Vec<Series>) -> Option<Chart> {
    let told = series.iter().any(|one| one.values.iter().flatten().any(|value| *value > 0.0));
    (told && axis.points.len() > 1).then(|| Chart {
        path: PathName::none(),
        title: title.to_owned(),
        x: TIME,
        y: Axis { label: "", unit, scale: Scale::Linear },
        points: axis.points.clone(),
        series,
    })
}

fn largest(curve: &Curve) -> f64 {
    curve.max.iter().flatten().copied().fold(0.0, f64::max)
}

/// Four digits: more are noise, and bytes of the page.
fn short(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    #[expect(clippy::cast_possible_truncation, reason = "the decimal exponent of a finite number")]
    let digits = 3 - value.abs().log10().floor() as i32;
    let factor = 10_f64.powi(digits);
    if digits > 0 { (value * factor).round() / factor } else { value.round() }
}

fn seconds(at: Timestamp) -> f64 {
    at.as_millisecond() as f64 / 1e3
}

fn instant(moment: Option<Moment>) -> Option<Timestamp> {
    match moment {
        Some(Moment::Instant(at)) => Some(at),
        _ => None,
    }
}

fn words(event: &Event) -> String {
    if event.subject.is_empty() {
        event.detail.clone()
    } else {
        format!("{}: {}", event.subject, event.detail)
    }
}
