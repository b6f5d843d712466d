//! Over what a counter was counted: a window between two readings, or, where it was read once, the time since boot or
//! since the mount.

use fullwire_model::Window;
use fullwire_model::assessment::Severity;

thresholds! {
    /// Seconds of an hour.
    const HOUR_S: f64 = 3_600.0;
    /// Seconds of a day.
    pub(crate) const DAY_S: f64 = 86_400.0;
}

/// The time that a count is of.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Span {
    /// Of a total at least those of a day: see `Side::since_boot`.
    pub(crate) seconds: f64,
    pub(crate) since: Since,
}

/// What a count began with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Since {
    /// The first of two readings.
    #[default]
    Reading,
    /// The boot of the host.
    Boot,
    /// The mount of the file system.
    Mount,
}

impl Since {
    fn text(self) -> &'static str {
        match self {
            Self::Reading => "the first reading",
            Self::Boot => "boot",
            Self::Mount => "the mount",
        }
    }
}

impl Span {
    /// Between two readings.
    pub(crate) fn window(seconds: f64) -> Self {
        Self { seconds, since: Since::Reading }
    }

    /// The counter was read once: its value is what has happened since boot or the mount, not what happens now.
    pub(crate) fn is_total(self) -> bool {
        self.since != Since::Reading
    }

    /// More than an accident. What is few in a window of seconds is nothing over months: in a total it must have come
    /// to as many an hour on average (own choice: what a window of seconds could have seen at all).
    pub(crate) fn has(self, count: u64, few: u64) -> bool {
        let hours = if self.is_total() { self.seconds / HOUR_S } else { 1.0 };
        count as f64 >= few as f64 * hours
    }

    /// How much a count says that is more than an accident: the rule's own word where its share is felt. Below that share
    /// a window passes, and what has come together in a total is worth a note. `None`: nothing.
    pub(crate) fn weight(self, (count, few): (u64, u64), felt: bool, worst: Severity) -> Option<Severity> {
        match (self.has(count, few), felt) {
            (true, true) => Some(worst),
            (true, false) if self.is_total() => Some(Severity::Info),
            _ => None,
        }
    }

    /// To be put behind what was counted: ` since boot (2300 a day over 181 days)`; nothing of a window.
    pub(crate) fn when(self, count: u64) -> String {
        if !self.is_total() {
            return String::new();
        }
        format!(" since {} ({:.0} a day over {})", self.since.text(), self.a_day(count), self.days())
    }

    /// `in 4.0 s`, `since boot, 181 days ago`: for evidence.
    pub(crate) fn text(self) -> String {
        if self.is_total() {
            format!("since {}, {} ago", self.since.text(), self.days())
        } else {
            format!("in {:.1} s", self.seconds)
        }
    }

    /// `in 4 s`, `since boot, 181 days ago`.
    pub(crate) fn in_seconds(self) -> String {
        if self.is_total() { self.text() } else { format!("in {:.0} s", self.seconds) }
    }

    /// `over 4 s`, `since boot, 181 days ago`.
    pub(crate) fn over_seconds(self) -> String {
        if self.is_total() { self.text() } else { format!("over {:.0} s", self.seconds) }
    }

    /// `name +12` of a window, `name 12` since boot.
    pub(crate) fn count(self, name: &str, count: u64) -> String {
        if self.is_total() { format!("{name} {count}") } else { format!("{name} +{count}") }
    }

    /// The mean of a count, per day.
    pub(crate) fn a_day(self, count: u64) -> f64 {
        count as f64 * DAY_S / self.seconds
    }

    fn days(self) -> String {
        match (self.seconds / DAY_S).floor() {
            days if days < 2.0 => "1 day".into(),
            days => format!("{days:.0} days"),
        }
    }
}

/// The counters were read once, at the start and end of no window.
pub(crate) fn is_glance(window: &Window) -> bool {
    window.from.monotonic_ns == window.to.monotonic_ns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_in_a_window_are_nothing_over_months() {
        let window = Span::window(4.0);
        let boot = Span { seconds: 100.0 * DAY_S, since: Since::Boot };
        assert!(window.has(10, 10) && !window.has(9, 10));
        assert!(!boot.has(10, 10) && !boot.has(23_999, 10) && boot.has(24_000, 10));
        assert_eq!(window.when(10), "");
        assert_eq!(boot.when(24_000), " since boot (240 a day over 100 days)");
        let mount = Span { since: Since::Mount, ..boot };
        assert_eq!(mount.when(24_000), " since the mount (240 a day over 100 days)");
        assert_eq!([window.text(), boot.text()], ["in 4.0 s", "since boot, 100 days ago"]);
        assert_eq!([window.count("a", 1), boot.count("a", 1)], ["a +1", "a 1"]);
    }
}
