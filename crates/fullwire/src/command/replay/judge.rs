//! `replay --judge`: the spans of trouble of a recording, by the rules that judge a live run.
//!
//! Short recordings are judged sample by sample. Of long ones each minute is judged first, from its key frames, and sample
//! by sample only where a minute or its neighbours showed something, or an event lies.

use super::awr;
use super::hosts::Hosts;
use crate::output::Show;
use crate::recorder::follows;
use fullwire_model::assessment::Severity;
use fullwire_model::host::Host;
use fullwire_model::recording::{EventKind, Sample, window};
use fullwire_model::{Gap, GapReason, Moment, SPANS_SCHEMA, Span, Window};
use fullwire_present::Beside;
use fullwire_rules::spans::{Judge, Timed, Usual, may_hide_trouble, sort_by_time};
use fullwire_store::recording::{Recorded, Recording, Span as Stretch};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Up to this many samples every one is judged: some five hours at a second.
const JUDGED_WHOLE: usize = 20_000;

/// So many minutes tell what is usual of a device.
const TELLING_KEYS: usize = 20;

/// Of a shorter recording stretches of so many seconds do.
const LEARNT_S: f64 = 10.0;

/// Windows shorter than this do not show what is read every ten seconds.
const DEAR_NS: u64 = 10_000_000_000;

const MINUTE: SignedDuration = SignedDuration::from_secs(60);

/// The spans of a recording.
#[derive(Debug, Serialize)]
pub(super) struct Document {
    schema: &'static str,
    pub(super) from: Timestamp,
    pub(super) to: Timestamp,
    /// Samples that were judged.
    pub(super) samples: u64,
    /// Minutes that were looked at first; samples are judged where a minute may hold trouble. 0: every sample was judged.
    minutes: u64,
    pub(super) spans: Vec<Span>,
    /// What could not be read.
    pub(super) gaps: Vec<Gap>,
    /// With `--awr`: the database's figures next to its devices'.
    #[serde(skip_serializing_if = "Option::is_none")]
    database: Option<awr::Beside>,
    /// With `--with`: another tool's file on the same axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) beside: Option<Beside>,
}

impl Document {
    /// Trouble of the recording and of the file beside it.
    pub(super) fn all_spans(&self) -> Vec<Span> {
        let others = self.beside.as_ref().map_or(&[][..], |beside| &beside.spans);
        let mut spans = [&self.spans[..], others].concat();
        sort_by_time(&mut spans);
        spans
    }
}

/// Judges a stretch of a recording.
pub(super) fn judge(
    recording: &Recording,
    stretch: Stretch,
    database: Option<awr::Beside>,
    beside: Option<Beside>,
) -> Document {
    let mut run = Judging::new(recording);
    let keys = recording.keys(stretch.from, stretch.to);
    let keys: Vec<Recorded> = keys.into_iter().filter_map(Result::ok).collect();
    run.learn(&keys, stretch);
    if keys.len() < 3 || recording.times(stretch.from, stretch.to).len() <= JUDGED_WHOLE {
        run.fine(stretch);
    } else {
        run.minutes = keys.len() as u64;
        for part in run.suspicious_parts(&keys, stretch) {
            run.fine(part);
            // Between two parts lie minutes in which nothing was wrong.
            run.judge.hole();
            run.last = None;
        }
    }
    Document {
        schema: SPANS_SCHEMA,
        from: stretch.from,
        to: stretch.to,
        samples: run.samples,
        minutes: run.minutes,
        spans: run.judge.finish(),
        gaps: run.damage.into_iter().map(damaged).collect(),
        database,
        beside,
    }
}

/// A part of the recording that cannot be read.
fn damaged(detail: String) -> Gap {
    Gap::new("recording", GapReason::Malformed, detail)
}

struct Judging<'a> {
    recording: &'a Recording,
    judge: Judge,
    usual: Usual,
    /// The row that the judge was given last.
    host: Option<(usize, i64)>,
    hosts: Hosts,
    last: Option<Sample>,
    samples: u64,
    /// Key frames that were looked at, where not every sample was.
    minutes: u64,
    damage: Vec<String>,
}

impl<'a> Judging<'a> {
    fn new(recording: &'a Recording) -> Self {
        Self {
            recording,
            judge: Judge::new(Host::default()),
            usual: Usual::default(),
            host: None,
            hosts: Hosts::of(recording),
            last: None,
            samples: 0,
            minutes: 0,
            damage: recording.damage().to_vec(),
        }
    }

    /// What each device usually takes: from its minutes, and in a short recording from each ten seconds.
    fn learn(&mut self, keys: &[Recorded], stretch: Stretch) {
        for pair in keys.windows(2).filter(|pair| follows(&pair[0].sample, &pair[1].sample)) {
            self.usual.learn(&window(&pair[0].sample, &pair[1].sample).continuous());
        }
        if keys.len() >= TELLING_KEYS {
            return;
        }
        let mut first: Option<Sample> = None;
        for one in self.recording.samples(stretch.from, stretch.to).flatten() {
            let goes_on = first.as_ref().is_some_and(|first| follows(first, &one.sample));
            if let Some(from) = first.as_ref().filter(|_| goes_on) {
                if one.sample.seconds_since(from) < LEARNT_S {
                    continue;
                }
                self.usual.learn(&window(from, &one.sample).continuous());
            }
            first = Some(one.sample);
        }
    }

    /// The host as it was at a sample, from here on.
    fn take_host(&mut self, one: &Recorded) {
        let row = self.hosts.row_at(one.host, one.sample.wall);
        if self.host == Some(row) {
            return;
        }
        self.host = Some(row);
        match self.recording.host(row) {
            Ok(host) => self.judge.host(host),
            Err(error) => self.damage.push(error),
        }
    }

    /// Every sample of a part.
    fn fine(&mut self, part: Stretch) {
        let usual = self.usual.disks();
        for one in self.recording.samples(part.from, part.to) {
            match one {
                Ok(one) => {
                    self.take_host(&one);
                    self.step(one.sample, &usual);
                }
                Err(damage) => {
                    self.damage.push(damage);
                    self.last = None;
                }
            }
        }
    }

    fn step(&mut self, sample: Sample, usual: &BTreeMap<String, fullwire_model::UsualDisk>) {
        self.samples += 1;
        let Some(last) = self.last.replace(sample) else { return };
        let Some(sample) = &self.last else { return };
        if sample.boottime_ns == last.boottime_ns {
            return;
        }
        if !follows(&last, sample) {
            self.judge.hole();
            return;
        }
        let mut window = shortened(window(&last, sample));
        window.usual.clone_from(usual);
        let moment = |sample: &Sample| Some(Moment::Instant(sample.wall));
        self.judge.step(&Timed { window, from: moment(&last), to: moment(sample), record: None });
    }

    /// The parts of the stretch that are to be looked at closely, in the order of time.
    fn suspicious_parts(&mut self, keys: &[Recorded], stretch: Stretch) -> Vec<Stretch> {
        let suspicious = self.suspicious(keys, stretch);
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return vec![stretch] };
        let mut parts = vec![Stretch { from: stretch.from, to: first.sample.wall }];
        let close = keys.windows(2).filter(|pair| suspicious.contains(&minute(pair[0].sample.wall)));
        for pair in close {
            let part = Stretch { from: pair[0].sample.wall, to: pair[1].sample.wall };
            match parts.last_mut() {
                Some(last) if last.to == part.from => last.to = part.to,
                _ => parts.push(part),
            }
        }
        match parts.last_mut() {
            Some(part) if part.to == last.sample.wall => part.to = stretch.to,
            _ => parts.push(Stretch { from: last.sample.wall, to: stretch.to }),
        }
        parts
    }

    /// Minutes in which the rules say something or may have something to say, in which something happened, and their
    /// neighbours.
    fn suspicious(&mut self, keys: &[Recorded], stretch: Stretch) -> BTreeSet<i64> {
        let mut minutes = BTreeSet::new();
        let usual = self.usual.disks();
        for pair in keys.windows(2) {
            let (from, to) = (&pair[0].sample, &pair[1].sample);
            self.take_host(&pair[1]);
            let mut window = window(from, to);
            window.usual.clone_from(&usual);
            let hides = || may_hide_trouble(&window.continuous());
            if !follows(from, to) || hides() || !self.judge.findings(&window).is_empty() {
                minutes.insert(minute(from.wall));
            }
        }
        for event in self.recording.events(stretch.from, stretch.to) {
            if !matches!(event.kind, EventKind::Recorder | EventKind::Setting) {
                minutes.insert(minute(event.wall));
            }
        }
        minutes.iter().flat_map(|minute| [minute - 1, *minute, minute + 1]).collect()
    }
}

fn minute(at: Timestamp) -> i64 {
    at.as_second().div_euclid(MINUTE.as_secs())
}

/// A short window without what is read only every ten seconds: its growth would belong to all ten.
fn shortened(mut window: Window) -> Window {
    if window.to.monotonic_ns.saturating_sub(window.from.monotonic_ns) < DEAR_NS {
        for counters in [&mut window.from, &mut window.to] {
            counters.interrupts.clear();
            counters.sockets.clear();
            counters.threads.clear();
        }
    }
    window
}

/// What a person reads.
pub(super) fn text(document: &Document, shown: impl Fn(Timestamp) -> String) -> String {
    use std::fmt::Write as _;
    let (from, to) = (shown(document.from), shown(document.to));
    let mut text = match document.minutes {
        0 => format!("{} samples from {from} to {to}\n", document.samples),
        minutes => format!(
            "{minutes} minutes from {from} to {to}; {} samples of those that may hold trouble\n",
            document.samples
        ),
    };
    text.extend(document.database.iter().map(awr::text));
    text.extend(document.beside.iter().map(|beside| beside.text(&shown)));
    let spans = document.all_spans();
    for span in &spans {
        let time = |moment: Option<Moment>| match moment {
            Some(Moment::Instant(at)) => shown(at),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        let seconds = span.to.zip(span.from).and_then(|(to, from)| to.seconds_since(from)).unwrap_or(0.0);
        let severity = match span.severity {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Critical => "critical",
        };
        let by = span.source.as_ref().map_or(String::new(), |source| format!("  (by {source})"));
        let _ = write!(
            text,
            "\n{} to {} ({seconds:.0} s)  {severity}  {}{by}\n  {}: {}\n",
            time(span.from),
            time(span.to),
            span.code,
            span.subject,
            span.message
        );
    }
    if spans.is_empty() {
        text.push_str("no span of trouble\n");
    }
    for gap in &document.gaps {
        Show::warn(&gap.detail);
    }
    text
}
