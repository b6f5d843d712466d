//! Samples in a row turned into looks: rates over the last step, trouble over the last ten seconds.

use fullwire_model::host::Host;
use fullwire_model::live::{Live, Seen};
use fullwire_model::recording::{Event, Sample, window};
use std::collections::VecDeque;
use std::sync::Arc;

/// Events that a look shows.
const EVENTS: usize = 32;

/// Holds what the next look needs of those before it.
#[derive(Debug, Default)]
pub(crate) struct Looker {
    host: Arc<Host>,
    last: Option<Sample>,
    /// Since when each stalled device has not completed anything, ns of the monotonic clock.
    stalled_since: std::collections::BTreeMap<String, u64>,
    events: VecDeque<Event>,
}

impl Looker {
    /// The host as it is from now on.
    pub(crate) fn host(&mut self, host: Arc<Host>) {
        self.host = host;
    }

    /// The look that a sample gives after the one before.
    pub(crate) fn look(&mut self, sample: &Sample, events: &[Event]) -> Live {
        self.events.extend(events.iter().cloned());
        while self.events.len() > EVENTS {
            self.events.pop_front();
        }
        // After a reboot the counters have nothing to do with those before.
        let last = self.last.take().filter(|last| last.boottime_ns <= sample.boottime_ns);
        let from = last.as_ref().unwrap_or(sample);
        let seen = Seen { window: window(from, sample), at: sample.wall, trouble: Vec::new() };
        let mut live = fullwire_rules::live(&self.host, &seen);
        self.lengthen_stalls(&mut live, from, sample);
        live.events = self.events.iter().cloned().collect();
        self.last = Some(sample.clone());
        live
    }

    /// A device that hung in the look before hangs since then.
    fn lengthen_stalls(&mut self, live: &mut Live, from: &Sample, sample: &Sample) {
        let mut stalled = std::collections::BTreeMap::new();
        for row in live.storage.iter_mut().filter(|row| row.stalled_s.is_some()) {
            let since = self.stalled_since.get(&row.device).copied().unwrap_or(from.counters.monotonic_ns);
            row.stalled_s = Some(sample.counters.monotonic_ns.saturating_sub(since) as f64 / 1e9);
            stalled.insert(row.device.clone(), since);
        }
        self.stalled_since = stalled;
    }
}
