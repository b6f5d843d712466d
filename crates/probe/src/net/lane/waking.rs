//! How often a fast stream wakes the one who takes it: with each burst, or when a good deal has come.
//!
//! A wake-up is paid for by anyone who sends on the same host, and costs more than the bytes that it is for: with paced
//! sending (BBR) a loopback stream ran at 5 GB/s with one for each burst and at 7 GB/s with one for each MiB. Where
//! the bytes are in a cache that the queue outgrows (CUBIC) it is the other way round, 13 and 10 GB/s; over a veth pair
//! a quarter of a MiB was best. So all are tried.

use crate::net::socket::sockopt;
use rustix::fd::OwnedFd;
use std::time::{Duration, Instant};

/// As much is waited for, bytes: each burst first. The queue of a stream that is fast holds several times the last.
const GATHERED: [i32; 3] = [1, 256 << 10, 1 << 20];

/// Below this, wake-ups are no burden and a receiver that waits would hold the sender's window back.
const FAST_BYTES_PER_S: f64 = 1e9;

/// One turn of the trial: thousands of wake-ups.
const TURN: Duration = Duration::from_millis(50);

/// Each is tried this often, for this many turns of which the last counts: what the sender believes of the path outlives the
/// change by some round trips.
const ROUNDS: usize = 2;
const HOLDS: usize = 2;

/// Gathering stays only where it was this much faster than waking for each burst.
const WORTH: f64 = 1.05;

/// The trial of one stream, in its first two thirds of a second.
pub(super) struct Waking {
    began: Instant,
    bytes_before: u64,
    /// It was fast for a turn: no longer in slow start, which would speak for whatever is tried last.
    ramped: bool,
    turns: usize,
    /// Of each choice, over all its turns.
    rates_bytes_per_s: [f64; GATHERED.len()],
    over: bool,
}

impl Waking {
    /// Begins when the load does, or not at all.
    pub(super) fn new(begin: Instant, may_gather: bool) -> Self {
        Self {
            began: begin,
            bytes_before: 0,
            ramped: false,
            turns: 0,
            rates_bytes_per_s: [0.0; GATHERED.len()],
            over: !may_gather,
        }
    }

    /// This many bytes have come by now.
    pub(super) fn see(&mut self, socket: &OwnedFd, now: Instant, bytes: u64) {
        let past = now.saturating_duration_since(self.began);
        if self.over || past < TURN {
            return;
        }
        let rate = bytes.saturating_sub(self.bytes_before) as f64 / past.as_secs_f64();
        (self.began, self.bytes_before) = (now, bytes);
        if !self.ramped {
            self.ramped = rate >= FAST_BYTES_PER_S;
            return;
        }
        self.turns += 1;
        if !self.turns.is_multiple_of(HOLDS) {
            return;
        }
        let tried = self.turns / HOLDS;
        self.rates_bytes_per_s[(tried - 1) % GATHERED.len()] += rate;
        self.over = tried == ROUNDS * GATHERED.len();
        let choice = if self.over { self.best() } else { tried % GATHERED.len() };
        // Refused: then each burst wakes, as without this.
        let _ = sockopt::set_receive_low_water(socket, GATHERED[choice]);
    }

    fn best(&self) -> usize {
        let [burst, some, much] = self.rates_bytes_per_s;
        let (best, rate) = if much > some { (2, much) } else { (1, some) };
        if rate > WORTH * burst { best } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a trial of these rates leaves set, as the kernel reports it: an option of a real socket.
    fn low_water_after(rates_mb_per_s: &[u64]) -> u32 {
        let socket = OwnedFd::from(std::net::UdpSocket::bind("127.0.0.1:0").unwrap());
        let begin = Instant::now();
        let mut waking = Waking::new(begin, true);
        let (mut now, mut bytes) = (begin, 0);
        // The first one is the ramp; of the others each is held.
        for (index, rate) in rates_mb_per_s.iter().enumerate() {
            for _ in 0..if index == 0 { 1 } else { HOLDS } {
                now += TURN;
                bytes += rate * 1000 * u64::from(TURN.subsec_millis());
                waking.see(&socket, now, bytes);
            }
        }
        let mut value = [0; 4];
        sockopt::get(&socket, libc::SOL_SOCKET, libc::SO_RCVLOWAT, &mut value).unwrap();
        u32::from_ne_bytes(value)
    }

    #[test]
    fn what_made_the_stream_faster_stays() {
        assert_eq!(low_water_after(&[4000, 4557, 6300, 7366, 4400, 6200, 6897]), 1 << 20, "BBR on loopback");
        assert_eq!(
            low_water_after(&[1500, 1890, 2850, 2480, 2150, 3100, 2360]),
            256 << 10,
            "BBR over a veth pair"
        );
        assert_eq!(
            low_water_after(&[9000, 13_090, 9280, 10_270, 12_090, 9310, 10_210]),
            1,
            "CUBIC on loopback"
        );
        assert_eq!(low_water_after(&[4000; 7]), 1, "a wire that sets the rate either way");
    }

    #[test]
    fn a_slower_stream_is_left_alone() {
        assert_eq!(low_water_after(&[100; 3]), 1);
        assert_eq!(low_water_after(&[100, 4000, 4000]), 256 << 10, "the trial begins once it is fast");
    }
}
