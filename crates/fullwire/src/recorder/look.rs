//! Samples in a row turned into looks: rates over the last step, trouble over the last ten seconds.

use fullwire_model::host::Host;
use fullwire_model::live::{Live, Seen, Trouble};
use fullwire_model::recording::{Event, EventKind, Sample, window};
use fullwire_model::{Moment, Span};
use fullwire_rules::spans::{Judge, Timed, Usual};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Events that a look shows.
const EVENTS: usize = 32;

/// Trouble is judged over this long: what drivers, sockets and threads tell is read once in that time.
const JUDGED_NS: u64 = 10_000_000_000;

/// Samples that are kept for it, whatever the interval.
const MOST_SAMPLES: usize = 128;

/// Holds what the next look needs of those before it.
pub(crate) struct Looker {
    host: Arc<Host>,
    judge: Judge,
    usual: Usual,
    samples: VecDeque<Sample>,
    /// Since when each stalled device has not completed anything, ns of the monotonic clock.
    stalled_since: BTreeMap<String, u64>,
    events: VecDeque<Event>,
}

impl Default for Looker {
    fn default() -> Self {
        Self {
            host: Arc::default(),
            judge: Judge::new(Host::default()),
            usual: Usual::default(),
            samples: VecDeque::new(),
            stalled_since: BTreeMap::new(),
            events: VecDeque::new(),
        }
    }
}

impl Looker {
    /// The host as it is from now on.
    pub(crate) fn host(&mut self, host: &Arc<Host>) {
        if !Arc::ptr_eq(&self.host, host) {
            self.host = Arc::clone(host);
            self.judge.host(Host::clone(host));
        }
    }

    /// The look that a sample gives after those before.
    pub(crate) fn look(&mut self, sample: &Sample, events: &[Event]) -> Live {
        self.take_events(sample, events);
        let last = self.samples.back().unwrap_or(sample);
        let since = last.counters.monotonic_ns;
        let seen = Seen {
            window: window(last, sample).continuous().into_owned(),
            at: sample.wall,
            trouble: self.trouble(sample),
        };
        let mut live = fullwire_rules::live(&self.host, &seen);
        self.lengthen_stalls(&mut live, since, sample);
        live.events = self.events.iter().cloned().collect();
        self.samples.push_back(sample.clone());
        live
    }

    fn take_events(&mut self, sample: &Sample, events: &[Event]) {
        self.events.extend(events.iter().cloned());
        let surplus = self.events.len().saturating_sub(EVENTS);
        self.events.drain(..surplus);
        // After a reboot the counters have nothing to do with those before.
        let rebooted = self.samples.back().is_some_and(|last| last.boottime_ns > sample.boottime_ns);
        let slept = events.iter().any(|event| matches!(event.kind, EventKind::Suspend | EventKind::Reboot));
        if rebooted || slept {
            self.samples.clear();
            self.stalled_since.clear();
            self.judge.hole();
        }
    }

    /// What the rules say of the last ten seconds.
    fn trouble(&mut self, sample: &Sample) -> Vec<Trouble> {
        let now = sample.counters.monotonic_ns;
        let is_old = |next: Option<&Sample>| {
            next.is_some_and(|next| now.saturating_sub(next.counters.monotonic_ns) >= JUDGED_NS)
        };
        while self.samples.len() > MOST_SAMPLES || is_old(self.samples.get(1)) {
            self.samples.pop_front();
        }
        let Some(first) = self.samples.front() else { return Vec::new() };
        let mut window = window(first, sample);
        self.usual.learn(&window.continuous());
        window.usual = self.usual.disks();
        let (from, to) = (Some(Moment::Instant(first.wall)), Some(Moment::Instant(sample.wall)));
        self.judge.window(&Timed { window, from, to, record: None });
        self.judge.ended();
        self.judge.going_on().into_iter().map(trouble).collect()
    }

    /// A device that hung in the look before hangs since then.
    fn lengthen_stalls(&mut self, live: &mut Live, from_ns: u64, sample: &Sample) {
        let mut stalled = BTreeMap::new();
        for row in live.storage.iter_mut().filter(|row| row.stalled_s.is_some()) {
            let since = self.stalled_since.get(&row.device).copied().unwrap_or(from_ns);
            row.stalled_s = Some(sample.counters.monotonic_ns.saturating_sub(since) as f64 / 1e9);
            stalled.insert(row.device.clone(), since);
        }
        self.stalled_since = stalled;
    }
}

fn trouble(span: Span) -> Trouble {
    Trouble {
        code: span.code,
        subject: span.subject,
        subject_ref: span.subject_ref,
        layer: span.layer,
        severity: span.severity,
        message: span.message,
    }
}
