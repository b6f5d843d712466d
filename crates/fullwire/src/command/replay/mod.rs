//! `fullwire replay`: a recording on the screen, as lines, or judged.

mod awr;
mod curves;
mod foreign;
mod hosts;
mod judge;
mod page;
pub(crate) mod time;

pub(crate) use page::{is_recording, report};

use crate::cli::{Color, ReplayArgs};
use crate::output::Show;
use crate::recorder::Looker;
use crate::screen::{Played, face, play};
use crate::signals;
use crate::usage;
use anyhow::{Context, Result, bail};
use fullwire_model::Moment;
use fullwire_model::host::Host;
use fullwire_model::live::Live;
use fullwire_model::recording::Event;
use fullwire_present::json::RecordingDocument;
use fullwire_present::screen::{Screen, look};
use fullwire_present::{Beside, format};
use fullwire_store::recording::{Recorded, Recording, Span};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

/// Events that a summary lists.
const EVENTS: usize = 200;

pub(crate) fn run(args: &ReplayArgs, show: &Show) -> Result<ExitCode> {
    let stop = signals::on_signals()?;
    let recording = Recording::open_until(&args.recording, signals::raised)?;
    for damage in recording.damage() {
        Show::warn(damage);
    }
    let zone = time::zone(recording.meta("zone").as_deref());
    let whole = recording.span();
    let read = |text: &Option<String>, default| match text {
        Some(text) => time::parse(text, whole, &zone),
        None => Ok(default),
    };
    let mut span = Span { from: read(&args.from, whole.from)?, to: read(&args.to, whole.to)? };
    if whole.from > whole.to {
        bail!("the recording is damaged: its first sample is later than its last");
    }
    if span.from > span.to {
        return usage::wrong("--from is after --to");
    }
    let mut beside = None;
    if let Some(path) = &args.awr {
        let (report, covered) = awr::read(path, &zone, whole)?;
        span = covered;
        beside = awr::beside(&report, covered, &recording);
    }
    let mut reader = Reader { recording: &recording, hosts: BTreeMap::new(), zone };
    let host = recording.sample_at(span.to).map(|last| reader.host(last.host)).unwrap_or_default();
    let foreign = foreign::beside(&args.with, &recording, &host, &reader.zone)?;
    let on_screen = on_terminal() && !show.json();
    if args.judge || args.awr.is_some() || (foreign.is_some() && !on_screen) {
        let judged = judge::judge(&recording, span, beside, foreign);
        if signals::raised() {
            return Ok(ExitCode::from(signals::INTERRUPTED));
        }
        show.result(&judged.document(), || judge::text(&judged, |at| reader.shown(at)))?;
        let failed = judged.all_spans().iter().any(|span| args.fail_on.reached_by(span.severity));
        return Ok(ExitCode::from(u8::from(failed)));
    }
    if let Some(at) = &args.at {
        let at = time::parse(at, whole, &reader.zone)?;
        if at < whole.from || at > whole.to {
            return usage::wrong(format!(
                "{} is outside the recording, which goes from {} to {}",
                reader.shown(at),
                reader.shown(whole.from),
                reader.shown(whole.to)
            ));
        }
        if !on_screen {
            return reader.moment(at, show);
        }
        let times = recording.times(whole.from, whole.to);
        let begin = times.partition_point(|time| *time <= at).saturating_sub(1);
        return reader.screen(times, begin, foreign, show, &stop);
    }
    let limited = args.from.is_some() || args.to.is_some();
    if show.json() && limited {
        return reader.lines(span, show, &stop);
    }
    if !on_screen {
        return reader.summary(args, span, show);
    }
    let times = recording.times(span.from, span.to);
    if times.is_empty() {
        bail!(
            "no sample between {} and {}; the recording goes from {} to {}",
            span.from,
            span.to,
            whole.from,
            whole.to
        );
    }
    // The first sample has no rates yet.
    let begin = usize::from(times.len() > 1);
    reader.screen(times, begin, foreign, show, &stop)
}

fn on_terminal() -> bool {
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal()
}

/// A recording with the hosts that its samples name.
struct Reader<'a> {
    recording: &'a Recording,
    hosts: BTreeMap<(usize, i64), Arc<Host>>,
    zone: TimeZone,
}

impl Reader<'_> {
    fn host(&mut self, row: (usize, i64)) -> Arc<Host> {
        let recording = self.recording;
        let host = self.hosts.entry(row).or_insert_with(|| {
            Arc::new(recording.host(row).unwrap_or_else(|error| {
                Show::warn(&error);
                Host::default()
            }))
        });
        Arc::clone(host)
    }

    fn shown(&self, at: Timestamp) -> String {
        time::shown(at, &self.zone)
    }

    /// The looks of samples in a row; the first of them only gives the second one its rates.
    fn look(&mut self, looker: &mut Looker, before: &mut Option<Timestamp>, one: &Recorded) -> Live {
        let host = self.host(one.host);
        looker.host(&host);
        let since = before.unwrap_or(one.sample.wall);
        let events = self.recording.events(since, one.sample.wall);
        let new: Vec<Event> =
            events.into_iter().filter(|event| before.is_none_or(|before| event.wall > before)).collect();
        *before = Some(one.sample.wall);
        looker.look(&one.sample, &new)
    }

    /// One look at a moment.
    fn moment(&mut self, at: Timestamp, show: &Show) -> Result<ExitCode> {
        let times = self.recording.times(self.recording.span().from, at);
        let index = times.len().saturating_sub(1);
        let mut looks = self.looks_of(&times, index, 0);
        let Some((live, time)) = looks.pop() else { bail!("no sample at or before {}", self.shown(at)) };
        show.result(&live, || format!("{time}\n{}", look(&live)))?;
        Ok(ExitCode::SUCCESS)
    }

    /// One JSON object a sample.
    fn lines(&mut self, span: Span, show: &Show, stop: &std::sync::atomic::AtomicBool) -> Result<ExitCode> {
        let (mut looker, mut before) = (Looker::default(), None);
        for one in self.recording.samples(span.from, span.to) {
            if stop.load(std::sync::atomic::Ordering::Relaxed) {
                return Ok(ExitCode::from(signals::INTERRUPTED));
            }
            match one {
                Ok(one) => {
                    let live = self.look(&mut looker, &mut before, &one);
                    Show::json_line(&live)?;
                }
                Err(damage) => show.note(&damage),
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn summary(&mut self, args: &ReplayArgs, span: Span, show: &Show) -> Result<ExitCode> {
        let events = self.recording.events(span.from, span.to);
        let first = self.recording.sample_at(span.from).context("no sample of the recording can be read")?;
        let host = self.host(first.host);
        let summary = RecordingDocument {
            schema: RecordingDocument::SCHEMA,
            path: args.recording.display().to_string(),
            host: host.hostname.clone(),
            from: span.from,
            to: span.to,
            samples: self.recording.len(),
            interval_ns: self.interval_ns(),
            events: events.get(events.len().saturating_sub(EVENTS)..).unwrap_or_default(),
            damage: self.recording.damage(),
            lost: None,
            bytes: None,
            cost: None,
        };
        show.result(&summary, || self.summary_text(&summary))?;
        Ok(ExitCode::SUCCESS)
    }

    fn interval_ns(&self) -> Option<u64> {
        self.recording.meta("interval_ns").and_then(|text| text.parse().ok())
    }

    fn summary_text(&self, summary: &RecordingDocument) -> String {
        let mut text = format!(
            "{}: {} samples from {} to {}\n",
            summary.host,
            summary.samples,
            self.shown(summary.from),
            self.shown(summary.to)
        );
        for event in summary.events {
            let subject =
                if event.subject.is_empty() { String::new() } else { format!(" {}", event.subject) };
            let _ = writeln!(
                text,
                "{}  {}{subject}: {}",
                self.shown(event.wall),
                event.kind.name(),
                event.detail
            );
        }
        text
    }

    fn screen(
        self,
        times: Vec<Timestamp>,
        begin: usize,
        foreign: Option<Beside>,
        show: &Show,
        stop: &std::sync::atomic::AtomicBool,
    ) -> Result<ExitCode> {
        let interval = format::time(self.interval_ns().map_or(0.0, |ns| ns as f64));
        let mut screen = Screen::new(face(show.color() != Color::Never));
        if let Some(beside) = foreign {
            screen.lay(beside, self.zone.clone());
        }
        let mut played = Playing { reader: self, times, trouble: None };
        play(&mut played, begin, &interval, screen, stop)?;
        Ok(ExitCode::SUCCESS)
    }

    /// The look at one of these times, and this many of those before.
    fn looks_of(&mut self, times: &[Timestamp], index: usize, before: usize) -> Vec<(Live, String)> {
        let Some(to) = times.get(index).copied() else { return Vec::new() };
        let Some(from) = times.get(index.saturating_sub(before + 1)).copied() else { return Vec::new() };
        let (mut looker, mut last) = (Looker::default(), None);
        let mut looks = Vec::new();
        for one in self.recording.samples(from, to).flatten() {
            let live = self.look(&mut looker, &mut last, &one);
            looks.push((live, self.shown(one.sample.wall)));
        }
        let surplus = looks.len().saturating_sub(before + 1);
        looks.drain(..surplus);
        looks
    }
}

/// A recording on the screen.
struct Playing<'a> {
    reader: Reader<'a>,
    times: Vec<Timestamp>,
    /// Where trouble begins; judged at the first jump.
    trouble: Option<Vec<usize>>,
}

impl Played for Playing<'_> {
    fn len(&self) -> usize {
        self.times.len()
    }

    fn looks(&mut self, index: usize, before: usize) -> Vec<(Live, String)> {
        self.reader.looks_of(&self.times, index, before)
    }

    fn trouble(&mut self) -> Vec<usize> {
        let (recording, times) = (self.reader.recording, &self.times);
        let places = self.trouble.get_or_insert_with(|| {
            let (Some(from), Some(to)) = (times.first(), times.last()) else { return Vec::new() };
            let judged = judge::judge(recording, Span { from: *from, to: *to }, None, None);
            let begins = judged.all_spans().into_iter().filter_map(|span| match span.from {
                Some(Moment::Instant(at)) => Some(at),
                _ => None,
            });
            let mut places: Vec<usize> = begins
                .map(|at| times.partition_point(|time| *time < at))
                .filter(|at| *at < times.len())
                .collect();
            places.sort_unstable();
            places.dedup();
            places
        });
        places.clone()
    }

    fn at(&mut self, text: &str) -> Result<usize, String> {
        let whole = self.reader.recording.span();
        let at = time::parse(text, whole, &self.reader.zone).map_err(|error| error.to_string())?;
        if at < whole.from || at > whole.to {
            return Err(format!("{text} is outside the recording"));
        }
        Ok(self.times.partition_point(|time| *time <= at).saturating_sub(1))
    }
}
