//! `--with FILE`: what another tool recorded on the axis of a recording, and whether its clock is right.

use super::curves::curves_of;
use crate::cli::WithArgs;
use crate::command::import;
use anyhow::{Context, Result, bail};
use fullwire_compare::clock::{self, Both, Clock, ClockCheck, Interval};
use fullwire_demand::import::Options;
use fullwire_model::demand::{ImportedSeries, Series};
use fullwire_model::host::Host;
use fullwire_model::recording::{Curves, Figure};
use fullwire_model::{Moment, Run, Span};
use fullwire_present::{Beside, BesideClock, BesideFigure, BesideLine};
use fullwire_store::recording::Recording;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeSet;

/// Series of a file that are compared at most: a file of a thousand disks has many.
const MOST_COMPARED: usize = 400;

/// Intervals of a file that are drawn of one series at most.
const MOST_DRAWN: usize = 5_000;

/// Reads the file and lays it beside the recording. An error: it cannot be read, or nothing in it is recorded here too.
pub(super) fn beside(
    args: &WithArgs,
    recording: &Recording,
    host: &Host,
    zone: &TimeZone,
) -> Result<Option<Beside>> {
    let Some(path) = &args.with else { return Ok(None) };
    let options = Options { date_order: args.date_order.map(Into::into), ..Options::default() };
    let files = import::read(path, options)?.series;
    let shift = shift_of(args)?;
    let name = path.display();
    let timed: Vec<&ImportedSeries> = files.iter().filter(|file| file.times().is_some()).collect();
    let of_host = |file: &&&ImportedSeries| file.host.as_deref().is_none_or(|name| is_same_host(name, host));
    let Some(file) = timed.iter().find(of_host).or(timed.first()) else {
        bail!(
            "{name} has no times: it cannot be laid beside a recording; record with times (iostat -t, vmstat -t)"
        );
    };
    let whole = recording.span();
    let lines = lines(file, host, zone, shift)?;
    let keys: BTreeSet<(&str, &str, &str)> = lines.iter().map(Line::key).collect();
    let curves = curves_of(recording, whole, |figure: &Figure| {
        keys.contains(&(figure.area, figure.subject, figure.metric))
    });
    let compared: Vec<(Line, Both)> = lines
        .into_iter()
        .filter_map(|line| Some((both(&line, &curves)?, line)))
        .map(|(both, line)| (line, both))
        .collect();
    if compared.is_empty() {
        bail!("{name} and this recording have no figure in common; is it from another host?");
    }
    let check = clock::check(&clocked(&compared));
    let figures = compared.iter().map(|(line, both)| figure(line, both)).collect();
    let (from, to) = ends(&compared);
    Ok(Some(Beside {
        source: name.to_string(),
        tool: file.tool.clone(),
        host: file.host.clone(),
        from,
        to,
        shift_s: shift.as_secs_f64(),
        clock: words(check),
        figures,
        spans: spans(file, zone, shift),
        lines: compared.into_iter().map(|(line, both)| line.drawn(&both)).collect(),
    }))
}

fn shift_of(args: &WithArgs) -> Result<SignedDuration> {
    let Some(text) = &args.shift else { return Ok(SignedDuration::ZERO) };
    let (bare, sign) = text.strip_prefix('-').map_or((text.as_str(), 1), |bare| (bare, -1));
    let ns = fullwire_model::quantity::parse_duration_ns(bare.trim_start_matches('+'))
        .or_else(|error| crate::usage::wrong(error.to_string()))?;
    Ok(SignedDuration::from_nanos(i64::try_from(ns).unwrap_or(i64::MAX)) * sign)
}

fn is_same_host(name: &str, host: &Host) -> bool {
    let bare = |name: &str| name.split('.').next().unwrap_or("").to_lowercase();
    bare(name) == bare(&host.hostname)
}

/// One series of the file under our name for its subject.
struct Line {
    area: &'static str,
    subject: String,
    metric: &'static str,
    unit: fullwire_model::quantity::Unit,
    intervals: Vec<Interval>,
}

impl Line {
    fn key(&self) -> (&str, &str, &str) {
        (self.area, &self.subject, self.metric)
    }

    fn drawn(self, both: &Both) -> BesideLine {
        let drawn = |of: &[Interval]| {
            let stride = of.len().div_ceil(MOST_DRAWN).max(1);
            of.iter().step_by(stride).map(|one| (one.from_s, one.to_s, one.value)).collect()
        };
        BesideLine {
            area: self.area,
            subject: self.subject,
            metric: self.metric,
            unit: self.unit,
            intervals: drawn(&both.theirs),
            ours: drawn(&both.ours),
        }
    }
}

/// Figures that both tell in the same way.
const SHARED: [(&str, &[&str]); 5] = [
    (
        "disk",
        &[
            "read_bytes_per_s", "write_bytes_per_s", "read_io_per_s", "write_io_per_s", "read_await_ns",
            "write_await_ns",
        ],
    ),
    ("nic", &["rx_bytes_per_s", "tx_bytes_per_s"]),
    ("cpu", &["idle_ratio"]),
    ("memory", &["swap_out_pages_per_s"]),
    ("system", &["tcp_segments_out_per_s"]),
];

fn lines(file: &ImportedSeries, host: &Host, zone: &TimeZone, shift: SignedDuration) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for series in &file.series {
        let Some((area, metrics)) = SHARED.iter().find(|(area, _)| *area == series.area) else { continue };
        let Some(metric) = metrics.iter().find(|metric| **metric == series.metric) else { continue };
        let Some(subject) = subject_of(series, host) else { continue };
        let intervals = intervals(file, series, zone, shift)?;
        lines.push(Line { area, subject, metric, unit: series.unit, intervals });
        if lines.len() >= MOST_COMPARED {
            break;
        }
    }
    Ok(lines)
}

/// What we call the subject: sar names a disk by its numbers, iostat -N a map by its name.
fn subject_of(series: &Series, host: &Host) -> Option<String> {
    let name = series.subject.as_str();
    if series.area != "disk" {
        // One CPU of many is not recorded as a curve.
        return (series.area != "cpu" || name == "all").then(|| name.to_owned());
    }
    let by_number = || {
        let (major, minor) = name.strip_prefix("dev")?.split_once('-')?;
        host.disk_by_number(&format!("{major}:{minor}"))
    };
    let by_map = || host.disks.iter().find(|disk| disk.dm.as_ref().is_some_and(|dm| dm.name == name));
    let known = host.disk(name).or_else(by_number).or_else(by_map);
    Some(known.map_or_else(|| name.to_owned(), |disk| disk.name.clone()))
}

/// Each value over its interval, which ends at its time.
fn intervals(
    file: &ImportedSeries,
    series: &Series,
    zone: &TimeZone,
    shift: SignedDuration,
) -> Result<Vec<Interval>> {
    let zone = match file.clock.as_str() {
        "local" | "" => zone.clone(),
        name => TimeZone::get(name).unwrap_or_else(|_| zone.clone()),
    };
    let mut ends: Vec<(f64, f64)> = Vec::with_capacity(series.samples.len());
    for sample in &series.samples {
        let Some(at) = sample.at else { continue };
        let at = moment(at, &zone)?.checked_add(shift).context("shift the file's times")?;
        ends.push((at.as_millisecond() as f64 / 1e3, sample.value));
    }
    let mut steps: Vec<f64> =
        ends.windows(2).map(|pair| pair[1].0 - pair[0].0).filter(|step| *step > 0.0).collect();
    steps.sort_by(f64::total_cmp);
    let Some(usual) = steps.get(steps.len() / 2).copied() else { return Ok(Vec::new()) };
    let mut before: Option<f64> = None;
    let mut found = Vec::with_capacity(ends.len());
    for (to_s, value) in ends {
        let length = before.map_or(usual, |before| to_s - before);
        before = Some(to_s);
        // Back in time: the end of summer time, or two files in one.
        if length <= 0.0 {
            continue;
        }
        let length = if length > 3.0 * usual { usual } else { length };
        found.push(Interval { from_s: to_s - length, to_s, value });
    }
    Ok(found)
}

fn moment(at: DateTime, zone: &TimeZone) -> Result<Timestamp> {
    Ok(at.to_zoned(zone.clone()).context("a time of the file in the recording's zone")?.timestamp())
}

/// The same figure of the recording; `None`: it has none.
fn both(line: &Line, curves: &Curves) -> Option<Both> {
    let curve = curves.curves.iter().find(|((area, subject, metric), _)| {
        (*area, subject.as_str(), *metric) == (line.area, line.subject.as_str(), line.metric)
    });
    let (_, curve) = curve?;
    let times = curves.begins.iter().zip(&curves.times);
    let ours: Vec<Interval> = times
        .zip(&curve.mean)
        .filter_map(|((from_s, to_s), value)| {
            Some(Interval { from_s: *from_s, to_s: *to_s, value: (*value)? })
        })
        .collect();
    (!ours.is_empty() && !line.intervals.is_empty()).then(|| Both { ours, theirs: line.intervals.clone() })
}

fn ends(compared: &[(Line, Both)]) -> (Option<Timestamp>, Option<Timestamp>) {
    let at = |seconds: f64| {
        #[expect(clippy::cast_possible_truncation, reason = "a time of this millennium in ms")]
        Timestamp::from_millisecond((seconds * 1e3) as i64).ok()
    };
    let all = || compared.iter().flat_map(|(_, both)| &both.theirs);
    let first = all().map(|one| one.from_s).min_by(f64::total_cmp);
    let last = all().map(|one| one.to_s).max_by(f64::total_cmp);
    (first.and_then(at), last.and_then(at))
}

/// What tells the time best: bytes, which both count; without any the CPUs' idle time.
fn clocked(compared: &[(Line, Both)]) -> Vec<Both> {
    let of = |metric: &str| -> Vec<Both> {
        compared
            .iter()
            .filter(|(line, _)| line.metric.ends_with(metric))
            .map(|(_, both)| both.clone())
            .collect()
    };
    let bytes = of("bytes_per_s");
    if bytes.is_empty() { of("idle_ratio") } else { bytes }
}

/// Both means over the intervals that both have.
fn figure(line: &Line, both: &Both) -> BesideFigure {
    let pairs: Vec<(f64, f64)> = clock::over_their_intervals(both)
        .into_iter()
        .filter_map(|(theirs, ours)| Some((theirs.value, ours?)))
        .collect();
    let mean = |of: fn(&(f64, f64)) -> f64| {
        (!pairs.is_empty()).then(|| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64)
    };
    BesideFigure {
        area: line.area.to_owned(),
        subject: line.subject.clone(),
        metric: line.metric.to_owned(),
        unit: line.unit,
        intervals: pairs.len() as u64,
        theirs_mean: mean(|pair| pair.0),
        ours_mean: mean(|pair| pair.1),
        concordance: clock::agreement_of(both),
    }
}

fn words(check: ClockCheck) -> BesideClock {
    let (answer, off_s) = match check.clock {
        Clock::Same => ("same", Some(0.0)),
        Clock::Off(seconds) => ("off", Some(seconds)),
        Clock::CannotTell => ("cannot-tell", None),
    };
    BesideClock {
        answer: answer.to_owned(),
        add_s: off_s,
        concordance_as_told: check.as_told,
        concordance_best: check.best.map(|(best, _)| best),
    }
}

/// What the rules say of the file, on the recording's axis.
fn spans(file: &ImportedSeries, zone: &TimeZone, shift: SignedDuration) -> Vec<Span> {
    let run = Run { imported: vec![file.clone()], ..Run::default() };
    let mut spans = fullwire_rules::assess(&run).spans;
    for span in &mut spans {
        for moment in [&mut span.from, &mut span.to, &mut span.worst_at] {
            *moment = moment.take().and_then(|moment| on_axis(moment, zone, shift));
        }
    }
    spans
}

fn on_axis(moment: Moment, zone: &TimeZone, shift: SignedDuration) -> Option<Moment> {
    let at = match moment {
        Moment::Instant(at) => at,
        Moment::Local(at) => at.to_zoned(zone.clone()).ok()?.timestamp(),
    };
    at.checked_add(shift).ok().map(Moment::Instant)
}
