//! Sampling this host in time: one feed for `record` and `watch`.

mod cost;
mod end;
mod keep;
mod look;
pub(crate) mod watched;
mod watcher;

pub(crate) use cost::{Cost, rss_peak_bytes};
pub(crate) use end::{RECORDED, end_of, follows};
pub(crate) use keep::{Keeper, begin};
pub(crate) use look::Looker;

use crate::ask;
use crate::signals;
use anyhow::{Context, Result};
use fullwire_model::host::Host;
use fullwire_model::recording::{Event, EventKind, Sample, States, setting_changes, state_changes};
use fullwire_observe::{Root, Sampler, SamplerAsk};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use watcher::Watcher;

/// One look at the host.
#[derive(Debug, Clone)]
pub(crate) struct Tick {
    /// The counters.
    pub(crate) sample: Sample,
    /// What happened since the look before.
    pub(crate) events: Vec<Event>,
    /// Settings and topology, when they are new.
    pub(crate) host: Option<Arc<Host>>,
}

/// Looks at the host at fixed times.
pub(crate) struct Feed {
    sampler: Sampler,
    interval: Duration,
    due: Instant,
    host: Arc<Host>,
    host_is_new: bool,
    watcher: Option<Watcher>,
    last: Option<(Sample, States)>,
}

impl Feed {
    /// Reads the host and prepares to sample it. With a tree in place of the host its settings are read once.
    pub(crate) fn begin(tree: Option<&Path>, interval: Duration, mut ask: SamplerAsk) -> Result<Self> {
        let root = || match tree {
            Some(path) => Root::tree(path).with_context(|| format!("open {}", path.display())),
            None => Root::live().context("open this host's /proc and /sys"),
        };
        let host = Arc::new(fullwire_observe::host(&root()?, &ask::of_host(Vec::new())));
        ask.cgroups = cgroups_of(&host);
        Ok(Self {
            sampler: Sampler::new(root()?.keeping_files(), ask),
            interval,
            due: Instant::now(),
            host,
            host_is_new: true,
            watcher: tree.is_none().then(|| Watcher::start(root)).transpose()?,
            last: None,
        })
    }

    /// Waits until the next look is due; false when a signal has come. A look that was missed is not made up for.
    pub(crate) fn wait(&mut self, stop: &AtomicBool) -> bool {
        let goes_on = signals::sleep_until(self.due, stop);
        let now = Instant::now();
        while self.due <= now {
            self.due += self.interval;
        }
        goes_on
    }

    /// Looks now.
    pub(crate) fn tick(&mut self) -> Tick {
        let sample = self.sampler.sample();
        let states = self.sampler.states();
        let mut events = Vec::new();
        if let Some((last, known)) = &self.last {
            let interval_ns = u64::try_from(self.interval.as_nanos()).unwrap_or(0);
            events.extend(sample.events_since(last, interval_ns));
            let changes = state_changes(known, &states, &sample);
            if let Some(watcher) = self.watcher.as_ref().filter(|_| !changes.is_empty()) {
                watcher.look_now();
            }
            events.extend(changes);
        }
        if let Some(host) = self.watcher.as_ref().and_then(Watcher::news) {
            events.extend(setting_changes(&self.host, &host, &sample));
            self.sampler.watch_cgroups(cgroups_of(&host));
            self.host_is_new = self.host_is_new || is_other(&self.host, &host);
            self.host = Arc::new(host);
        }
        self.last = Some((sample.clone(), states));
        let host = std::mem::take(&mut self.host_is_new).then(|| Arc::clone(&self.host));
        Tick { sample, events, host }
    }
}

/// Whether rules could read anything else from a host: settings, topology, the kernel's log.
fn is_other(before: &Host, after: &Host) -> bool {
    !setting_changes(before, after, &Sample::default()).is_empty()
}

/// The databases' control groups are sampled next to our own.
fn cgroups_of(host: &Host) -> Vec<String> {
    let databases = host.databases.iter().map(|database| database.cgroup.clone());
    databases.filter(|path| !path.is_empty()).collect()
}

/// An event of the recorder's own at the moment of a sample.
pub(crate) fn own_event(sample: &Sample, detail: impl Into<String>) -> Event {
    Event::at(sample, EventKind::Recorder, "", detail)
}
