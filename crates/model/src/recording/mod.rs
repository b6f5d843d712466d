//! A recording: counters sampled over time, with the events that explain its holes.
//!
//! Order and rates come from the clock that counts suspended time (`CLOCK_BOOTTIME`); the wall clock is a label that may jump.

mod breaks;
mod busiest;
mod curves;
mod figures;
mod settings;

pub use busiest::Busiest;
pub use curves::{Curve, CurveKey, CurveMaker, Curves};
pub use figures::{Figure, figures};
pub use settings::{setting_changes, settings};

use crate::counters::Counters;
use crate::{Window, WindowKind};
use fullwire_record::record;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The wall clock or a suspension must differ by more than this to be reported, ns. NTP slews far less between two samples.
const CLOCK_JUMP_NS: i64 = 500_000_000;

/// A reading that takes longer than this is reported.
const SLOW_NS: u64 = 500_000_000;

/// One reading of all counters.
#[record]
pub struct Sample {
    /// `CLOCK_BOOTTIME` when the reading began, ns: it goes on while the host is suspended.
    pub boottime_ns: u64,
    /// The wall clock at the same moment.
    pub wall: Timestamp,
    /// How long the reading took, ns.
    pub took_ns: u64,
    /// What was read.
    pub counters: Counters,
}

/// What the figures of a span of samples cannot show.
#[record(PartialOrd, Ord)]
pub enum EventKind {
    /// The wall clock was set.
    ClockStep,
    /// The host was suspended.
    Suspend,
    /// The host was booted: counters begin again.
    Reboot,
    /// A reading took longer than half a second.
    SlowSample,
    /// Samples are missing: the reader came too late.
    Missed,
    /// A counter was reset.
    Reset,
    /// A device or interface came.
    Appeared,
    /// A device or interface went.
    Vanished,
    /// A link, a bond's member or a port changed its state.
    Link,
    /// A path to storage, an array or a device changed its state.
    Path,
    /// A file system was mounted, unmounted, or its options changed.
    Mount,
    /// A setting changed.
    Setting,
    /// A kernel-log line that reports trouble.
    KernelLog,
    /// The recording had no room.
    Full,
    /// A part of the recording cannot be read.
    Damaged,
    /// The recording began or ended.
    Recorder,
}

/// Something that happened at one moment of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Event {
    /// `CLOCK_BOOTTIME`, ns.
    pub boottime_ns: u64,
    /// The wall clock.
    pub wall: Timestamp,
    /// What kind of thing.
    pub kind: EventKind,
    /// Device, interface, mount point, setting; empty: the host.
    pub subject: String,
    /// What happened, as a reader would say it.
    pub detail: String,
}

impl Event {
    /// An event at the moment of a sample.
    pub fn at(
        sample: &Sample,
        kind: EventKind,
        subject: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            boottime_ns: sample.boottime_ns,
            wall: sample.wall,
            kind,
            subject: subject.into(),
            detail: detail.into(),
        }
    }
}

/// States that may change at any moment (links, paths, mounts), each with the kind of event that its change is.
pub type States = BTreeMap<(EventKind, String), String>;

/// What changed between two readings of the states.
pub fn state_changes(before: &States, after: &States, sample: &Sample) -> Vec<Event> {
    let mut events = Vec::new();
    for ((kind, subject), state) in after {
        match before.get(&(*kind, subject.clone())) {
            Some(old) if old == state => {}
            Some(old) => events.push(Event::at(sample, *kind, subject, format!("{old} → {state}"))),
            None => events.push(Event::at(sample, *kind, subject, format!("appeared: {state}"))),
        }
    }
    for ((kind, subject), state) in before {
        if !after.contains_key(&(*kind, subject.clone())) {
            events.push(Event::at(sample, *kind, subject, format!("gone; was {state}")));
        }
    }
    events
}

impl Sample {
    /// Seconds since an earlier sample of the same boot, without the time in which the host was suspended.
    pub fn seconds_since(&self, earlier: &Self) -> f64 {
        self.counters.monotonic_ns.saturating_sub(earlier.counters.monotonic_ns) as f64 / 1e9
    }

    /// What happened between two consecutive samples: jumps of the clock, suspension, late readings, resets, devices that
    /// came and went. `interval_ns` is the time that should be between them.
    pub fn events_since(&self, earlier: &Self, interval_ns: u64) -> Vec<Event> {
        let mut events = Vec::new();
        let mut tell = |kind, subject: &str, detail: String| {
            events.push(Event::at(self, kind, subject, detail));
        };
        let grown = |now: u64, then: u64| i64::try_from(now).unwrap_or(0) - i64::try_from(then).unwrap_or(0);
        let boot_ns = grown(self.boottime_ns, earlier.boottime_ns);
        let awake_ns = grown(self.counters.monotonic_ns, earlier.counters.monotonic_ns);
        let wall_ns =
            i64::try_from(self.wall.as_nanosecond() - earlier.wall.as_nanosecond()).unwrap_or(i64::MAX);
        let step = wall_ns.saturating_sub(boot_ns);
        if step.abs() > CLOCK_JUMP_NS {
            tell(EventKind::ClockStep, "", format!("the clock was set by {:+.1} s", step as f64 / 1e9));
        }
        let asleep = boot_ns.saturating_sub(awake_ns);
        if asleep > CLOCK_JUMP_NS {
            tell(EventKind::Suspend, "", format!("suspended for {:.1} s", asleep as f64 / 1e9));
        }
        if self.took_ns > SLOW_NS {
            tell(EventKind::SlowSample, "", format!("reading took {:.2} s", self.took_ns as f64 / 1e9));
        }
        if interval_ns > 0 && awake_ns > i64::try_from(interval_ns.saturating_mul(2)).unwrap_or(i64::MAX) {
            let missed = u64::try_from(awake_ns).unwrap_or(0) / interval_ns - 1;
            tell(EventKind::Missed, "", format!("{missed} samples are missing: the recorder was too slow"));
        }
        for gone in breaks::breaks(&earlier.counters, &self.counters) {
            tell(gone.kind, &gone.subject, gone.detail);
        }
        events
    }
}

/// The span between two samples, for rules to read. Wraps and resets are [`Window::continuous`]'s to undo.
pub fn window(from: &Sample, to: &Sample) -> Window {
    let (from, to) = (from.counters.clone(), to.counters.clone());
    Window { kind: WindowKind::Recorded, from, to, ..Window::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::DiskCounters;

    fn sample(boottime_s: u64, monotonic_s: u64, wall_s: i64) -> Sample {
        Sample {
            boottime_ns: boottime_s * 1_000_000_000,
            wall: Timestamp::from_second(wall_s).unwrap(),
            counters: Counters { monotonic_ns: monotonic_s * 1_000_000_000, ..Counters::default() },
            ..Sample::default()
        }
    }

    fn kinds(events: &[Event]) -> Vec<&'static str> {
        events.iter().map(|event| event.kind.name()).collect()
    }

    #[test]
    fn clocks_tell_steps_and_suspension_apart() {
        let second = 1_000_000_000;
        let before = sample(100, 100, 1_000);
        assert_eq!(kinds(&sample(101, 101, 1_001).events_since(&before, second)), [""; 0]);
        assert_eq!(kinds(&sample(101, 101, 900).events_since(&before, second)), ["clock-step"]);
        assert_eq!(kinds(&sample(161, 101, 1_061).events_since(&before, second)), ["suspend"]);
        let late = sample(105, 105, 1_005).events_since(&before, second);
        assert_eq!(kinds(&late), ["missed"]);
        assert!(late[0].detail.starts_with("4 samples"), "{late:?}");
    }

    #[test]
    fn a_device_that_comes_or_is_reset_is_an_event() {
        let with = |reads: Option<u64>, second: i64| {
            let mut sample = sample(second.unsigned_abs(), second.unsigned_abs(), second);
            sample.counters.disks.extend(
                reads.map(|reads| ("sda".to_owned(), DiskCounters { reads, ..DiskCounters::default() })),
            );
            sample
        };
        let events = |from, to| kinds(&with(to, 2).events_since(&with(from, 1), 1_000_000_000));
        assert_eq!(events(Some(5), Some(6)), [""; 0]);
        assert_eq!(events(Some(5), Some(1)), ["reset"]);
        assert_eq!(events(None, Some(1)), ["appeared"]);
        assert_eq!(events(Some(1), None), ["vanished"]);
    }

    #[test]
    fn a_state_that_changes_is_told_with_both_values() {
        let states = |state: &str| States::from([((EventKind::Link, "eth0".to_owned()), state.to_owned())]);
        let at = sample(1, 1, 1);
        let events = state_changes(&states("up"), &states("down"), &at);
        assert_eq!((events[0].subject.as_str(), events[0].detail.as_str()), ("eth0", "up → down"));
        assert_eq!(state_changes(&states("up"), &states("up"), &at), []);
        assert_eq!(state_changes(&States::new(), &states("up"), &at).len(), 1);
        assert_eq!(state_changes(&states("up"), &States::new(), &at).len(), 1);
    }
}
