//! What a mount's counters came to: over the windows, or, where they were read once, since the mount.

use crate::facts::{self, DAY_S, Since, Span, is_glance};
use fullwire_model::counters::{NfsCounters, NfsOperation, NfsTransport};
use fullwire_model::host::Mount;
use fullwire_model::{Run, Window};

/// Operations of a kind of which a mean time means something.
pub(super) const ENOUGH: u64 = 50;
/// Waiting that a read feels, ms (own choice).
pub(super) const NOTABLE_MS: f64 = 1.0;
/// The same as the mean of a mount's whole life: a nightly backup queues for hours, and nobody waits for it (own choice).
const NOTABLE_SINCE_MOUNT_MS: f64 = 5.0;
/// Of the bytes written: what else was written went through the page cache (own choice).
const MOSTLY: f64 = 0.9;

/// Counters of a mount at both ends of each window; of counters that were read once, from nothing to their value.
pub(super) struct Counted<'a> {
    ends: Vec<(Option<&'a NfsCounters>, &'a NfsCounters)>,
    pub(super) span: Span,
}

impl<'a> Counted<'a> {
    /// `None`: not read at both ends of a window, nor once a day or more after the mount: what came while it was mounted
    /// weighs most before (own choice, as since boot).
    pub(super) fn of(run: &'a Run, mount: &Mount) -> Option<Self> {
        if facts::side::own(run).is_read_once() {
            return Self::since_the_mount(run, mount);
        }
        facts::windows(run).filter_map(|window| Self::of_window(window, mount)).reduce(|mut all, one| {
            all.ends.extend(one.ends);
            all.span.seconds += one.span.seconds;
            all
        })
    }

    /// Of one window.
    pub(super) fn of_window(window: &'a Window, mount: &Mount) -> Option<Self> {
        let (from, to) = (window.from.nfs.get(&mount.target)?, window.to.nfs.get(&mount.target)?);
        Some(Self { ends: vec![(Some(from), to)], span: Span::window(window.seconds()) })
    }

    fn since_the_mount(run: &'a Run, mount: &Mount) -> Option<Self> {
        let seconds = mount.nfs.as_ref()?.age_s? as f64;
        let glance = run.windows.iter().rfind(|window| is_glance(window))?;
        let counters = glance.to.nfs.get(&mount.target).filter(|_| seconds >= DAY_S)?;
        Some(Self { ends: vec![(None, counters)], span: Span { seconds, since: Since::Mount } })
    }

    /// By how much a figure grew over all of them.
    pub(super) fn sum(&self, read: impl Fn(&NfsCounters) -> u64) -> u64 {
        let grown = self.ends.iter().map(|(from, to)| read(to).saturating_sub(from.map_or(0, &read)));
        grown.fold(0, u64::saturating_add)
    }

    /// Mean times of an operation; `None`: too few to time.
    pub(super) fn times(&self, name: &'static str) -> Option<Times> {
        let of = |pick: fn(&NfsOperation) -> u64| {
            self.sum(|counters| counters.operations.get(name).map_or(0, pick))
        };
        let count = of(|operation| operation.operations);
        let mean = |ms: u64| ms as f64 / count as f64;
        (count >= ENOUGH).then(|| Times {
            name,
            queue_ms: mean(of(|operation| operation.queue_ms)),
            rtt_ms: mean(of(|operation| operation.rtt_ms)),
        })
    }

    /// The operations whose time a program waits for. Pages that the kernel writes back go to the server all at once, and
    /// no program waits for them; what was written past the page cache is waited for.
    pub(super) fn waited_for(&self) -> &'static [&'static str] {
        let direct = self.sum(|counters| counters.direct_write_bytes) as f64;
        let all = self.sum(|counters| counters.server_write_bytes) as f64;
        if all > 0.0 && direct >= MOSTLY * all { &["READ", "WRITE"] } else { &["READ"] }
    }

    /// Of what programs wait for, the operation that was longest in the client's queue, where that is longer than its
    /// time on the network and in the server, and is felt.
    pub(super) fn queued(&self) -> Option<Times> {
        let notable = if self.span.is_total() { NOTABLE_SINCE_MOUNT_MS } else { NOTABLE_MS };
        let times = self.waited_for().iter().filter_map(|name| self.times(name));
        worst(times.filter(|time| time.queue_ms > notable))
    }
}

/// Mean times of an operation.
#[derive(Clone, Copy)]
pub(super) struct Times {
    pub(super) name: &'static str,
    pub(super) queue_ms: f64,
    pub(super) rtt_ms: f64,
}

/// The one that waits longest in the client's queue, of those that wait there longer than anywhere else.
pub(super) fn worst(times: impl Iterator<Item = Times>) -> Option<Times> {
    times
        .filter(|time| time.queue_ms > time.rtt_ms && time.queue_ms > NOTABLE_MS)
        .max_by(|a, b| a.queue_ms.total_cmp(&b.queue_ms))
}

/// A figure of all operations together.
pub(super) fn operations(counters: &NfsCounters, pick: fn(&NfsOperation) -> u64) -> u64 {
    counters.operations.values().map(pick).fold(0, u64::saturating_add)
}

/// A figure of all transports together.
pub(super) fn transports(counters: &NfsCounters, pick: fn(&NfsTransport) -> u64) -> u64 {
    counters.transports.iter().map(pick).fold(0, u64::saturating_add)
}
