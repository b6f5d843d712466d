//! `replay --judge`: the spans of trouble of a recording, by the rules that judge a live run.
//!
//! Short recordings are judged sample by sample. Of long ones each minute is judged first, from its key frames, and sample
//! by sample only where a minute or its neighbours showed something, or an event lies.

use super::hosts::Hosts;
use crate::output::Show;
use crate::recorder::follows;
use fullwire_model::host::Host;
use fullwire_model::recording::{EventKind, Sample, window};
use fullwire_model::{Gap, GapReason, Moment, Span, Window, WindowKind};
use fullwire_present::{Beside, DatabaseBeside, json, trouble};
use fullwire_rules::spans::{Judge, Timed, Usual, may_hide_trouble, sort_by_time};
use fullwire_store::recording::{Recorded, Recording, Span as Stretch};
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// Up to this many samples every one is judged: some five hours at a second.
const JUDGED_WHOLE: usize = 20_000;

/// So many minutes tell what is usual of a device.
const TELLING_KEYS: usize = 20;

/// So many key frames of a long recording are read for that.
const LEARNT_KEYS: usize = 300;

/// Of a shorter recording stretches of so many seconds do.
const LEARNT_S: f64 = 10.0;

/// Windows shorter than this do not show what is read every ten seconds.
const DEAR_NS: u64 = 10_000_000_000;

const MINUTE: SignedDuration = SignedDuration::from_secs(60);

/// The spans of a recording.
#[derive(Debug)]
pub(super) struct JudgedRecording {
    pub(super) stretch: json::Stretch,
    spans: Vec<Span>,
    /// What could not be read.
    pub(super) gaps: Vec<Gap>,
    /// With `--awr`: the database's figures next to its devices'.
    database: Option<DatabaseBeside>,
    /// With `--with`: another tool's file on the same axis.
    pub(super) beside: Option<Beside>,
}

impl JudgedRecording {
    /// Trouble of the recording and of the file beside it.
    pub(super) fn all_spans(&self) -> Vec<Span> {
        let others = self.beside.as_ref().map_or(&[][..], |beside| &beside.spans);
        let mut spans = [&self.spans[..], others].concat();
        sort_by_time(&mut spans);
        spans
    }

    /// What scripts read.
    pub(super) fn document(&self) -> json::SpansDocument<'_> {
        json::SpansDocument {
            stretch: Some(self.stretch),
            database: self.database.as_ref(),
            beside: self.beside.as_ref(),
            ..json::spans(&self.spans, &self.gaps)
        }
    }
}

/// Judges a stretch of a recording.
pub(super) fn judge(
    recording: &Recording,
    stretch: Stretch,
    database: Option<DatabaseBeside>,
    beside: Option<Beside>,
) -> JudgedRecording {
    let mut run = Judging::new(recording);
    run.learn(stretch);
    let keys = recording.keys(stretch.from, stretch.to).len();
    if keys < 3 || recording.times(stretch.from, stretch.to).len() <= JUDGED_WHOLE {
        run.fine(stretch);
    } else {
        for part in run.suspicious_parts(stretch) {
            run.fine(part);
            // Between two parts lie minutes in which nothing was wrong.
            run.judge.hole();
            run.last = None;
        }
    }
    JudgedRecording {
        stretch: json::Stretch {
            from: stretch.from,
            to: stretch.to,
            samples: run.samples,
            minutes: run.minutes,
        },
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

    /// What each device usually takes: from some hundred stretches between key frames, and in a short recording from each ten
    /// seconds.
    fn learn(&mut self, stretch: Stretch) {
        let keys = self.recording.keys(stretch.from, stretch.to);
        let few = keys.len() < TELLING_KEYS;
        let mut last: Option<Sample> = None;
        for one in keys.thinned(LEARNT_KEYS).flatten() {
            if let Some(last) = last.as_ref().filter(|last| goes_on(last, &one.sample)) {
                self.usual.learn(&window(last, &one.sample).continuous());
            }
            last = Some(one.sample);
        }
        if few {
            self.learn_closely(stretch);
        }
    }

    fn learn_closely(&mut self, stretch: Stretch) {
        let mut first: Option<Sample> = None;
        for one in self.recording.samples(stretch.from, stretch.to).flatten() {
            if let Some(from) = first.as_ref().filter(|first| follows(first, &one.sample)) {
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
    fn suspicious_parts(&mut self, stretch: Stretch) -> Vec<Stretch> {
        let (keys, suspicious) = self.suspicious(stretch);
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return vec![stretch] };
        let mut parts = vec![Stretch { from: stretch.from, to: *first }];
        for pair in keys.windows(2).filter(|pair| suspicious.contains(&minute(pair[0]))) {
            let part = Stretch { from: pair[0], to: pair[1] };
            match parts.last_mut() {
                Some(last) if last.to == part.from => last.to = part.to,
                _ => parts.push(part),
            }
        }
        match parts.last_mut() {
            Some(part) if part.to == *last => part.to = stretch.to,
            _ => parts.push(Stretch { from: *last, to: stretch.to }),
        }
        parts
    }

    /// The times of the key frames, and the minutes in which the rules say something or may have something to say, in which
    /// something happened, and their neighbours.
    fn suspicious(&mut self, stretch: Stretch) -> (Vec<Timestamp>, BTreeSet<i64>) {
        let (mut times, mut minutes) = (Vec::new(), BTreeSet::new());
        // One window for all minutes: counters of a thousand disks are moved in and out, never copied.
        let mut window =
            Window { kind: WindowKind::Recorded, usual: self.usual.disks(), ..Window::default() };
        let (mut last, mut damaged): (Option<Sample>, bool) = (None, false);
        for one in self.recording.keys(stretch.from, stretch.to) {
            // The close look says what is damaged.
            let Ok(mut one) = one else {
                damaged = true;
                continue;
            };
            self.take_host(&one);
            times.push(one.sample.wall);
            let damaged = std::mem::take(&mut damaged);
            if let Some(mut from) = last {
                let close = damaged || !follows(&from, &one.sample);
                window.from = std::mem::take(&mut from.counters);
                window.to = std::mem::take(&mut one.sample.counters);
                if close || self.is_suspicious(&window) {
                    minutes.insert(minute(from.wall));
                }
                one.sample.counters = std::mem::take(&mut window.to);
            }
            last = Some(one.sample);
        }
        self.minutes = times.len() as u64;
        for event in self.recording.events(stretch.from, stretch.to) {
            if !matches!(event.kind, EventKind::Recorder | EventKind::Setting) {
                minutes.insert(minute(event.wall));
            }
        }
        let minutes = minutes.iter().flat_map(|minute| [minute - 1, *minute, minute + 1]).collect();
        (times, minutes)
    }

    fn is_suspicious(&mut self, window: &Window) -> bool {
        may_hide_trouble(&window.continuous()) || !self.judge.findings(window).is_empty()
    }
}

/// Of the same boot. Whether the recorder was on between them does not matter to a mean.
fn goes_on(from: &Sample, to: &Sample) -> bool {
    to.boottime_ns > from.boottime_ns && to.counters.monotonic_ns > from.counters.monotonic_ns
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
pub(super) fn text(judged: &JudgedRecording, shown: impl Fn(Timestamp) -> String) -> String {
    use std::fmt::Write as _;
    let json::Stretch { from, to, samples, minutes } = judged.stretch;
    let spans = judged.all_spans();
    let told = trouble(&spans, to.duration_since(from).as_secs_f64()).join(" ");
    let (from, to) = (shown(from), shown(to));
    let looked_at = match minutes {
        0 => format!("{samples} samples from {from} to {to}\n"),
        _ => format!(
            "{minutes} minutes from {from} to {to}; {samples} samples of those that may hold trouble\n"
        ),
    };
    let mut text = format!("{told}\n{looked_at}");
    text.extend(judged.database.iter().map(DatabaseBeside::text));
    text.extend(judged.beside.iter().map(|beside| beside.text(&shown)));
    for span in &spans {
        let time = |moment: Option<Moment>| match moment {
            Some(Moment::Instant(at)) => shown(at),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        let seconds = span.to.zip(span.from).and_then(|(to, from)| to.seconds_since(from)).unwrap_or(0.0);
        let severity = span.severity.name();
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
    for gap in &judged.gaps {
        Show::warn(&gap.detail);
    }
    text
}
