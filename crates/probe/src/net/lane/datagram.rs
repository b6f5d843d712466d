//! Datagrams one way, at a rate or as fast as they can be sent: a source that numbers them, a sink that finds out what became of them.
//!
//! A datagram begins with 32 bytes: magic, kind, sequence, time of sending, length of the answer wanted.

use super::pace::Pace;
use super::{LaneResult, Signal, Task, failure, nanos};
use crate::net::account::DatagramCount;
use crate::net::plan::DATAGRAM_MIN_BYTES;
use crate::net::socket::sockopt;
use fullwire_model::net::INTERCONNECT_SMALL_BYTES;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send, sockopt as option};
use std::time::{Duration, Instant};

/// Begins every datagram of ours.
const MAGIC: u32 = u32::from_be_bytes(*b"FWDG");

/// Bytes of a header.
pub(super) const HEADER_BYTES: usize = 32;

/// What needs no fragment on any path (RFC 8200: 1280).
pub(super) const SMALL_BYTES: u64 = INTERCONNECT_SMALL_BYTES;

/// Longer ones need fragments on an Ethernet: then small ones go as well, to tell fragments from packets.
const FRAGMENTED_FROM_BYTES: u64 = 1400;

/// One in this many is a small one.
const SMALL_EVERY: u64 = 8;

/// The receive timeout: how often a waiting lane looks around.
pub(super) const NAP: Duration = Duration::from_millis(50);

/// After the end, stragglers are waited for this long.
pub(super) const STRAGGLERS: Duration = Duration::from_millis(500);

/// However many of them come.
const LONGEST_STRAGGLERS: Duration = Duration::from_secs(2);

/// The word that it is over is said this often: it may get lost.
const FAREWELLS: usize = 5;

/// What a datagram is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Block,
    Small,
    End,
}

/// A datagram's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) kind: Kind,
    pub(super) sequence: u64,
    pub(super) sent_ns: u64,
    pub(super) answer_bytes: u32,
}

impl Header {
    pub(super) fn write(self, datagram: &mut [u8]) {
        let kind = match self.kind {
            Kind::Block => 0u32,
            Kind::Small => 1,
            Kind::End => 2,
        };
        datagram[0..4].copy_from_slice(&MAGIC.to_be_bytes());
        datagram[4..8].copy_from_slice(&kind.to_be_bytes());
        datagram[8..16].copy_from_slice(&self.sequence.to_be_bytes());
        datagram[16..24].copy_from_slice(&self.sent_ns.to_be_bytes());
        datagram[24..28].copy_from_slice(&self.answer_bytes.to_be_bytes());
    }

    /// `None` for what is not ours.
    pub(super) fn read(datagram: &[u8]) -> Option<Self> {
        let word =
            |at: usize| datagram.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_be_bytes);
        let long =
            |at: usize| datagram.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_be_bytes);
        if datagram.len() < HEADER_BYTES || word(0)? != MAGIC {
            return None;
        }
        let kind = match word(4)? {
            0 => Kind::Block,
            1 => Kind::Small,
            2 => Kind::End,
            _ => return None,
        };
        Some(Self { kind, sequence: long(8)?, sent_ns: long(16)?, answer_bytes: word(24)? })
    }
}

/// Memory for one datagram of a plan, filled with the plan's payload.
pub(super) fn buffer(task: &Task) -> Vec<u8> {
    let length =
        usize::try_from(task.plan.length_bytes.max(DATAGRAM_MIN_BYTES).max(SMALL_BYTES)).unwrap_or(0);
    let mut buffer = vec![0; length];
    if let Some(block) = &task.block {
        buffer.copy_from_slice(&block.bytes()[..length]);
    }
    buffer
}

/// Sends a datagram. An ICMP answer to an earlier one, or a full queue of the device, is not the end of a test.
pub(super) fn put(socket: &OwnedFd, datagram: &[u8]) -> Result<bool, Errno> {
    loop {
        match send(socket, datagram, SendFlags::NOSIGNAL) {
            Ok(_) => return Ok(true),
            Err(Errno::INTR) => {}
            Err(Errno::CONNREFUSED | Errno::NOBUFS | Errno::HOSTUNREACH | Errno::NETUNREACH) => {
                return Ok(false);
            }
            Err(errno) => return Err(errno),
        }
    }
}

/// Waits for a datagram for one nap: its length as it was on the wire, 0 when none came.
pub(super) fn take(socket: &OwnedFd, buffer: &mut [u8]) -> Result<usize, Errno> {
    match recv(socket, buffer, RecvFlags::TRUNC) {
        Ok((_, length)) => Ok(length),
        Err(Errno::AGAIN | Errno::INTR | Errno::CONNREFUSED) => Ok(0),
        Err(errno) => Err(errno),
    }
}

/// Receives wake up to look around.
pub(super) fn set_nap(socket: &OwnedFd) {
    // If it could not be set, the driver's cut still ends the lane.
    let _ = option::set_socket_timeout(socket, option::Timeout::Recv, Some(NAP));
}

/// Says that no more will come.
pub(super) fn say_end(socket: &OwnedFd, sequence: u64) {
    let mut datagram = [0; HEADER_BYTES];
    Header { kind: Kind::End, sequence, sent_ns: 0, answer_bytes: 0 }.write(&mut datagram);
    for _ in 0..FAREWELLS {
        // Lost or refused: the other end knows the time, too.
        let _ = put(socket, &datagram);
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Sends numbered datagrams at the plan's rate.
pub(super) fn source(task: &Task) -> LaneResult {
    let mut result = LaneResult::default();
    let mut count = DatagramCount::default();
    let mut datagram = buffer(task);
    let mut pace = Pace::new(task);
    let beside = task.plan.length_bytes > FRAGMENTED_FROM_BYTES;
    pace.wait_until(task.begin, &task.signal);
    let mut turn = 0u64;
    while task.goes_on(result.bytes) {
        turn += 1;
        let small = beside && turn.is_multiple_of(SMALL_EVERY);
        let (kind, sequence, wanted) = if small {
            (Kind::Small, count.small_sent, SMALL_BYTES)
        } else {
            (Kind::Block, count.sent, pace.next_length())
        };
        let sent_ns = nanos(task.begin.elapsed());
        Header { kind, sequence, sent_ns, answer_bytes: 0 }.write(&mut datagram);
        let length =
            usize::try_from(wanted.max(DATAGRAM_MIN_BYTES)).unwrap_or(usize::MAX).min(datagram.len());
        match put(&task.socket, &datagram[..length]) {
            Ok(true) if small => {
                count.small_sent += 1;
                task.gauge.count_beside(length as u64);
            }
            Ok(true) => {
                count.sent += 1;
                result.bytes += length as u64;
                task.gauge.count(result.bytes, count.sent);
            }
            Ok(false) => std::thread::sleep(Duration::from_millis(1)),
            Err(errno) => {
                result.failure = failure(task, errno);
                break;
            }
        }
        pace.after_bytes(length, &task.signal);
        pace.after_message(&task.signal);
    }
    say_end(&task.socket, count.sent);
    result.messages = count.sent;
    result.datagrams = Some(count);
    result
}

/// Takes numbered datagrams until the source says that it is over.
pub(super) fn sink(task: &Task) -> LaneResult {
    let mut result = LaneResult::default();
    let mut arrivals = Arrivals::default();
    let mut small = Arrivals::default();
    let mut buffer = vec![0; HEADER_BYTES];
    let mut until = Patience::new();
    set_nap(&task.socket);
    while until.more(&task.signal) {
        let length = match take(&task.socket, &mut buffer) {
            Ok(0) => continue,
            Ok(length) => length,
            Err(errno) => {
                result.failure = failure(task, errno);
                break;
            }
        };
        let now = Instant::now();
        let Some(header) = Header::read(&buffer[..length.min(HEADER_BYTES)]) else {
            task.gauge.count_beside(length as u64);
            continue;
        };
        until.heard(now);
        match header.kind {
            Kind::End => until.over(now),
            Kind::Small => {
                task.gauge.count_beside(length as u64);
                small.arrive(header.sequence);
            }
            Kind::Block => {
                arrivals.jitter.arrive(nanos(now.saturating_duration_since(task.begin)), header.sent_ns);
                if arrivals.arrive(header.sequence) {
                    result.first.get_or_insert(now);
                    result.last = Some(now);
                    result.bytes += length as u64;
                    task.gauge.count(result.bytes, arrivals.arrived);
                } else {
                    task.gauge.count_beside(length as u64);
                }
            }
        }
    }
    result.datagrams = Some(DatagramCount {
        arrived: arrivals.arrived,
        small_arrived: small.arrived,
        reordered: arrivals.reordered,
        duplicated: arrivals.duplicated,
        jitter_ns: Some(arrivals.jitter.mean_ns()),
        receive_buffer_drops: sockopt::receive_drops(&task.socket).unwrap_or(0),
        ..DatagramCount::default()
    });
    result
}

/// How long a receiving lane goes on: until the end is said or told, and then for stragglers. Anyone who goes on sending is
/// no straggler.
pub(super) struct Patience {
    last: Instant,
    over: bool,
    ended: Option<Instant>,
}

impl Patience {
    pub(super) fn new() -> Self {
        Self { last: Instant::now(), over: false, ended: None }
    }

    pub(super) fn heard(&mut self, now: Instant) {
        self.last = now;
    }

    pub(super) fn over(&mut self, _now: Instant) {
        self.over = true;
    }

    pub(super) fn more(&mut self, signal: &Signal) -> bool {
        if !self.over && !signal.stopped() {
            return true;
        }
        let ended = self.ended.get_or_insert_with(Instant::now).elapsed();
        !signal.is_cut() && ended <= LONGEST_STRAGGLERS && self.last.elapsed() <= STRAGGLERS
    }
}

/// The last this many sequence numbers are remembered, to tell a duplicate from a late one.
const WINDOW: u64 = 1 << 16;

/// What has arrived of a numbered sequence. Memory is fixed; one that comes later than [`WINDOW`] others
/// counts as a duplicate.
pub(super) struct Arrivals {
    next: u64,
    seen: Vec<u64>,
    pub(super) arrived: u64,
    pub(super) reordered: u64,
    pub(super) duplicated: u64,
    pub(super) jitter: Jitter,
}

impl Default for Arrivals {
    fn default() -> Self {
        let seen = vec![0; usize::try_from(WINDOW / 64).unwrap_or(0)];
        Self { next: 0, seen, arrived: 0, reordered: 0, duplicated: 0, jitter: Jitter::default() }
    }
}

impl Arrivals {
    /// Books one; false for a duplicate.
    pub(super) fn arrive(&mut self, sequence: u64) -> bool {
        if sequence >= self.next {
            self.forget(self.next, sequence);
            self.next = sequence.saturating_add(1);
        } else if self.next - sequence > WINDOW || self.mark(sequence).1 {
            self.duplicated += 1;
            return false;
        } else {
            self.reordered += 1;
        }
        let (word, _) = self.mark(sequence);
        self.seen[word] |= 1 << (sequence % 64);
        self.arrived += 1;
        true
    }

    fn mark(&self, sequence: u64) -> (usize, bool) {
        let word = usize::try_from(sequence % WINDOW / 64).unwrap_or(0);
        (word, self.seen[word] & (1 << (sequence % 64)) != 0)
    }

    /// The numbers from..=to come into the window: what were in their places is history.
    fn forget(&mut self, from: u64, to: u64) {
        if to - from >= WINDOW {
            self.seen.fill(0);
            return;
        }
        for sequence in from..=to {
            let (word, _) = self.mark(sequence);
            self.seen[word] &= !(1 << (sequence % 64));
        }
    }
}

/// Interarrival jitter, RFC 3550, 6.4.1: J += (|D| - J) / 16.
#[derive(Default)]
pub(super) struct Jitter {
    transit_ns: Option<i128>,
    sixteenths: i128,
}

impl Jitter {
    fn arrive(&mut self, arrived_ns: u64, sent_ns: u64) {
        let transit = i128::from(arrived_ns) - i128::from(sent_ns);
        if let Some(before) = self.transit_ns.replace(transit) {
            self.sixteenths += (transit - before).abs() - (self.sixteenths + 8) / 16;
        }
    }

    pub(super) fn mean_ns(&self) -> u64 {
        u64::try_from(self.sixteenths / 16).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn late_twice_and_lost_are_told_apart() {
        let mut arrivals = Arrivals::default();
        for sequence in [0, 1, 3, 2, 2, 5, 200_000, 4] {
            arrivals.arrive(sequence);
        }
        assert_eq!((arrivals.arrived, arrivals.reordered, arrivals.duplicated), (6, 1, 2));
    }

    #[test]
    fn steady_transit_has_no_jitter_and_a_constant_swing_converges() {
        let mut jitter = Jitter::default();
        for n in 0..100u64 {
            jitter.arrive(n * 1000 + 77, n * 1000);
        }
        assert_eq!(jitter.mean_ns(), 0);
        for n in 0..1000u64 {
            jitter.arrive(n * 1000 + (n % 2) * 500, n * 1000);
        }
        assert!((490..=500).contains(&jitter.mean_ns()), "{}", jitter.mean_ns());
    }

    proptest! {
        #[test]
        fn each_number_arrives_once_however_they_are_mixed(mut order in proptest::collection::vec(0u64..500, 1..300)) {
            let mut arrivals = Arrivals::default();
            for sequence in &order {
                arrivals.arrive(*sequence);
            }
            let total = order.len() as u64;
            order.sort_unstable();
            order.dedup();
            prop_assert_eq!(arrivals.arrived, order.len() as u64);
            prop_assert_eq!(arrivals.arrived + arrivals.duplicated, total);
        }

        #[test]
        fn any_bytes_are_a_header_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..64), sequence: u64) {
            let _ = Header::read(&bytes);
            let header = Header { kind: Kind::Small, sequence, sent_ns: 1, answer_bytes: 9 };
            let mut datagram = [0; HEADER_BYTES];
            header.write(&mut datagram);
            prop_assert_eq!(Header::read(&datagram), Some(header));
        }
    }
}
