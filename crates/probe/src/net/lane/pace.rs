//! When the next bytes may go: rates, pauses, random lengths.

use super::{Signal, Task};
use std::time::{Duration, Instant};

/// Bytes of a paced stream go in pieces of this much time: short against any queue, long against a system call.
const PIECE: Duration = Duration::from_millis(1);

/// What a stream may catch up after a stall: the kernel's pacing keeps it from being a burst.
const STREAM_CATCH_UP: Duration = Duration::from_secs(1);

/// What datagrams may catch up, which nothing but us paces.
const DATAGRAM_CATCH_UP: Duration = Duration::from_millis(20);

/// Longest sleep between two looks at the stop signal.
const NAP: Duration = Duration::from_millis(20);

/// Shortest random message (the oratcptest documentation's figure).
const RANDOM_LENGTH_MIN_BYTES: u64 = 512;

/// A lane's clock.
pub(super) struct Pace {
    length: u64,
    random_length: bool,
    delay_ns: u64,
    random_delay: bool,
    rate_bytes_per_s: f64,
    catch_up: Duration,
    due: Instant,
    random: fastrand::Rng,
}

impl Pace {
    pub(super) fn new(task: &Task) -> Self {
        let rate = task.rate_bytes_per_s;
        if rate > 0.0 || task.plan.delay_ns > 0 {
            // The default slack of 50 µs would be a twentieth of a piece.
            let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1000));
        }
        Self {
            length: task.plan.length_bytes,
            random_length: task.plan.random_length,
            delay_ns: task.plan.delay_ns,
            random_delay: task.plan.random_delay,
            rate_bytes_per_s: rate,
            catch_up: if task.plan.mode.is_datagrams() { DATAGRAM_CATCH_UP } else { STREAM_CATCH_UP },
            due: task.begin,
            random: fastrand::Rng::new(),
        }
    }

    /// Length of the next message.
    pub(super) fn next_length(&mut self) -> u64 {
        if self.random_length && self.length > RANDOM_LENGTH_MIN_BYTES {
            self.random.u64(RANDOM_LENGTH_MIN_BYTES..=self.length)
        } else {
            self.length
        }
    }

    /// How much of `left` may go with one system call.
    pub(super) fn piece(&self, left: u64) -> usize {
        let most = if self.rate_bytes_per_s > 0.0 {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a positive float saturates"
            )]
            let piece = (self.rate_bytes_per_s * PIECE.as_secs_f64()) as u64;
            left.min(piece.max(1))
        } else {
            left
        };
        usize::try_from(most).unwrap_or(usize::MAX)
    }

    /// Keeps to the rate after bytes have gone.
    pub(super) fn after_bytes(&mut self, bytes: usize, signal: &Signal) {
        if self.rate_bytes_per_s > 0.0 {
            self.due = next_due(self.due, Instant::now(), self.catch_up, bytes, self.rate_bytes_per_s);
            self.wait_until(self.due, signal);
        }
    }

    /// Pauses after a message.
    pub(super) fn after_message(&mut self, signal: &Signal) {
        if self.delay_ns > 0 {
            let pause = self.pause();
            self.wait_until(Instant::now() + pause, signal);
        }
    }

    /// From the start of a message of this many bytes to the next one's.
    pub(super) fn gap(&mut self, length: u64) -> Duration {
        let rate = self.rate_bytes_per_s;
        let by_rate = if rate > 0.0 { seconds(length as f64 / rate) } else { Duration::ZERO };
        self.pause().max(by_rate)
    }

    fn pause(&mut self) -> Duration {
        let most = self.delay_ns;
        Duration::from_nanos(if self.random_delay && most > 0 { self.random.u64(0..=most) } else { most })
    }

    /// Sleeps until then, or until told to stop.
    #[expect(clippy::unused_self, reason = "a pace is needed to wait: it has set the thread's timer slack")]
    pub(super) fn wait_until(&self, when: Instant, signal: &Signal) {
        loop {
            let left = when.saturating_duration_since(Instant::now());
            if left.is_zero() || signal.stopped() {
                return;
            }
            std::thread::sleep(left.min(NAP));
        }
    }
}

/// Longest time that is added to a clock: any rate above nothing may be requested, and a clock ends somewhere.
const LONGEST_S: f64 = 1e7;

/// This many seconds, within what a clock takes.
pub(super) fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.clamp(0.0, LONGEST_S))
}

/// When the bytes after these are due. What a stall has lost is caught up only in part.
fn next_due(due: Instant, now: Instant, catch_up: Duration, bytes: usize, rate_bytes_per_s: f64) -> Instant {
    let earliest = now.checked_sub(catch_up).unwrap_or(now);
    due.max(earliest) + seconds(bytes as f64 / rate_bytes_per_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_kept_on_average_and_a_stall_is_no_licence_for_a_burst() {
        let start = Instant::now();
        let mut due = start;
        for _ in 0..1000 {
            due = next_due(due, start, STREAM_CATCH_UP, 1000, 1e6);
        }
        assert_eq!((due - start).as_millis(), 1000);
        assert!(next_due(start, start, STREAM_CATCH_UP, usize::MAX, 1e-300) > start, "however slow");
        let late = start + Duration::from_secs(60);
        assert!(next_due(start, late, STREAM_CATCH_UP, 1000, 1e6) >= start + Duration::from_secs(59));
    }
}
