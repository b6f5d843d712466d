//! Open loop: I/Os arrive by the clock, whether or not earlier ones are done, and their latency counts from the
//! moment at which they should have begun. That shows the wait that a closed loop hides ("coordinated omission").

use crate::disk::load::random::Random;
use std::time::Duration;

/// An arrival that could not begin within this time is skipped and counted: a database's session would have queued
/// behind it or failed, and an unbounded backlog would measure the length of the test.
const LATEST_NS: f64 = 1e9;

/// The scheduler wakes a sleeper about this late; the rest of a wait is spent spinning.
const WAKE_UP_NS: u64 = 80_000;

/// Arrivals of one thread.
#[derive(Debug)]
pub(crate) struct Arrivals {
    next_ns: f64,
    mean_gap_ns: f64,
    poisson: bool,
    random: Random,
    skipped: u64,
}

impl Arrivals {
    /// `rate_per_s` arrivals per second, evenly spaced or as a Poisson process.
    pub(crate) fn new(rate_per_s: f64, poisson: bool, seed: u64) -> Self {
        let mut arrivals = Self {
            next_ns: 0.0,
            mean_gap_ns: 1e9 / rate_per_s.max(1e-3),
            poisson,
            random: Random::new(seed),
            skipped: 0,
        };
        // Threads do not all begin at zero.
        arrivals.next_ns = arrivals.random.unit() * arrivals.mean_gap_ns;
        arrivals
    }

    fn advance(&mut self) {
        let gap = if self.poisson { self.random.exponential() } else { 1.0 };
        self.next_ns += gap * self.mean_gap_ns;
    }

    /// An arrival that is due: the moment at which it should have begun.
    pub(crate) fn due(&mut self, now_ns: u64) -> Option<u64> {
        let now = now_ns as f64;
        while self.next_ns + LATEST_NS < now {
            self.skipped += 1;
            self.advance();
        }
        (self.next_ns <= now).then(|| {
            let intended = as_ns(self.next_ns);
            self.advance();
            intended
        })
    }

    /// When the next one is due.
    pub(crate) fn next_ns(&self) -> u64 {
        as_ns(self.next_ns)
    }

    /// Arrivals that found no room so far.
    pub(crate) fn skipped(&self) -> u64 {
        self.skipped
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time since the start, never negative"
)]
fn as_ns(time: f64) -> u64 {
    time as u64
}

/// Waits for a moment that lies `wait_ns` ahead: asleep for most of it, then returns immediately so that the caller spins.
pub(crate) fn doze(wait_ns: u64) {
    if wait_ns > WAKE_UP_NS {
        std::thread::sleep(Duration::from_nanos(wait_ns - WAKE_UP_NS));
    } else {
        std::hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_arrivals_come_at_the_rate() {
        let mut arrivals = Arrivals::new(1000.0, false, 1);
        let due = std::iter::from_fn(|| arrivals.due(999_999_999)).count();
        assert_eq!(due, 1000);
        assert_eq!(arrivals.skipped(), 0);
    }

    #[test]
    fn poisson_arrivals_come_at_the_rate_and_vary() {
        let mut arrivals = Arrivals::new(1000.0, true, 1);
        let mut times = Vec::new();
        for now in (0..100).map(|s| s * 500_000_000) {
            times.extend(std::iter::from_fn(|| arrivals.due(now)));
        }
        let seconds = 49.5;
        let rate = times.len() as f64 / seconds;
        assert!((rate - 1000.0).abs() < 30.0, "{rate}");
        let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!(
            (variance.sqrt() / mean - 1.0).abs() < 0.05,
            "coefficient of variation {}",
            variance.sqrt() / mean
        );
    }

    #[test]
    fn what_is_a_second_late_is_skipped_and_counted() {
        let mut arrivals = Arrivals::new(100.0, false, 1);
        let first = arrivals.due(3_000_000_000).expect("one is due");
        assert!(first >= 2_000_000_000);
        assert!((199..=201).contains(&arrivals.skipped()), "{}", arrivals.skipped());
    }
}
