//! What one thread of a load is given, what it shares with the others, and what it hands back.

use crate::disk::load::pace::Arrivals;
use crate::disk::load::random::Random;
use crate::disk::load::series::Series;
use fullwire_model::disk::{DiskInterval, Operation, Pattern, Sync};
use fullwire_model::latency::LatencyRecorder;
use rustix::time::{ClockId, clock_gettime};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, TryLockError};

/// Where the I/Os of one stream go. Threads that stand for one queue share a stream, so that a sequential stream
/// stays one however many threads carry it.
#[derive(Debug)]
pub(crate) struct Stream {
    issued: AtomicU64,
    limit: u64,
    start: u64,
    blocks: u64,
    block: u64,
    pattern: Pattern,
    /// Reads from the first half and writes to the second, in turn.
    copies: bool,
}

impl Stream {
    /// I/Os of `block` bytes within `region`, at most `limit` of them (0: no limit).
    pub(crate) fn new(region: &Range<u64>, block: u64, pattern: Pattern, limit: u64) -> Self {
        let blocks = (region.end.saturating_sub(region.start) / block.max(1)).max(1);
        let limit = if limit == 0 { u64::MAX } else { limit };
        Self { issued: AtomicU64::new(0), limit, start: region.start, blocks, block, pattern, copies: false }
    }

    /// The same, for a copy: every other I/O goes as far into the second half as the one before it went into the first.
    pub(crate) fn copying(self) -> Self {
        Self { copies: true, ..self }
    }

    /// Of a copy: an I/O here reads.
    fn is_source(&self, offset: u64) -> bool {
        offset < self.start + (self.blocks / 2).max(1) * self.block
    }

    /// The next I/O's offset; `None`: all are issued.
    #[inline]
    pub(crate) fn next(&self, random: &mut Random) -> Option<u64> {
        let index = match self.pattern {
            // No one needs its number: spares the threads of a queue the cache line that they would fight for.
            Pattern::Random if self.limit == u64::MAX => random.below(self.blocks),
            Pattern::Random => {
                self.number()?;
                random.below(self.blocks)
            }
            Pattern::Sequential if self.copies => {
                let (number, half) = (self.number()?, (self.blocks / 2).max(1));
                (number / 2) % half + (number % 2) * half
            }
            Pattern::Sequential | Pattern::Unknown => self.number()? % self.blocks,
        };
        Some(self.start + index * self.block)
    }

    /// The next I/O's number; `None`: all are issued.
    fn number(&self) -> Option<u64> {
        let number = self.issued.fetch_add(1, Ordering::Relaxed);
        (number < self.limit).then_some(number)
    }
}

/// One thread's part of a load.
#[derive(Debug)]
pub(crate) struct Job {
    /// What an I/O does.
    pub(crate) operation: Operation,
    /// Share of reads in a mixed load.
    pub(crate) read_share: f64,
    /// Bytes of one I/O.
    pub(crate) block: usize,
    /// I/Os in flight.
    pub(crate) depth: u32,
    /// Where they go.
    pub(crate) stream: Arc<Stream>,
    /// The flush after writes, where it is its own call.
    pub(crate) flush: Option<Flush>,
    /// After this many writes of a thread one flush.
    pub(crate) flush_every: u64,
    /// Starts the write-back of each buffered write immediately (plain engine).
    pub(crate) start_writeback: bool,
    /// Ends after this time, ns; 0: by the stream's limit.
    pub(crate) duration_ns: u64,
    /// Open loop.
    pub(crate) arrivals: Option<Arrivals>,
    /// Decides offsets and content.
    pub(crate) seed: u64,
}

impl Job {
    /// The time is over.
    pub(crate) fn over(&self, now_ns: u64) -> bool {
        self.duration_ns > 0 && now_ns >= self.duration_ns
    }

    /// The flush that follows the thread's `number`th write, counted from 1.
    pub(crate) fn flush_after(&self, number: u64) -> Option<Flush> {
        self.flush.filter(|_| number.is_multiple_of(self.flush_every.max(1)))
    }

    /// The I/O at this offset is a read.
    pub(crate) fn reads(&self, offset: u64, random: &mut Random) -> bool {
        match self.operation {
            Operation::Copy => self.stream.is_source(offset),
            Operation::Read => true,
            Operation::Write => false,
            Operation::Mixed => random.unit() < self.read_share,
        }
    }
}

/// A flush by its own call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flush {
    /// `fdatasync`.
    Data,
    /// `fsync`.
    All,
}

impl Flush {
    /// The flush of a way of syncing; `None`: a flag of `open` or nothing.
    pub(crate) fn of(sync: Sync) -> Option<Self> {
        match sync {
            Sync::Fdatasync => Some(Self::Data),
            Sync::Fsync => Some(Self::All),
            Sync::None | Sync::Dsync | Sync::Osync => None,
        }
    }
}

/// What the watcher reads of a thread and tells it, in their own cache line: between two I/Os a thread that has just
/// been woken touches as little memory as it can.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Watched {
    ios: AtomicU64,
    stop: AtomicBool,
}

impl Watched {
    /// The thread has completed this many I/Os.
    pub(crate) fn announce(&self, ios: u64) {
        self.ios.store(ios, Ordering::Relaxed);
    }

    /// The thread should end.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// What the threads of a load and the one that watches them share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// By thread.
    watched: Vec<Arc<Watched>>,
    recorded: Mutex<Recorded>,
    gate: Mutex<Gate>,
    opened: Condvar,
}

/// What all threads of a load measured: one for all of them, so that its memory stays in the caches.
#[derive(Debug)]
struct Recorded {
    latency: LatencyRecorder,
    series: Series,
}

#[derive(Debug, Clone, Copy)]
enum Gate {
    Closed,
    Open(Clock),
    Aborted,
}

impl Shared {
    /// For this many threads.
    pub(crate) fn new(threads: usize, interval_ns: u64, duration_ns: u64) -> Self {
        Self {
            watched: (0..threads).map(|_| Arc::default()).collect(),
            recorded: Mutex::new(Recorded {
                latency: LatencyRecorder::new(),
                series: Series::new(interval_ns, duration_ns),
            }),
            gate: Mutex::new(Gate::Closed),
            opened: Condvar::new(),
        }
    }

    /// Lets all threads begin; the load started with the clock.
    pub(crate) fn open(&self, clock: Clock) {
        *self.gate.lock().unwrap_or_else(PoisonError::into_inner) = Gate::Open(clock);
        self.opened.notify_all();
    }

    /// Sends all threads home before they begin.
    pub(crate) fn abort(&self) {
        *self.gate.lock().unwrap_or_else(PoisonError::into_inner) = Gate::Aborted;
        self.opened.notify_all();
    }

    /// Waits for the start; `None`: there will be none.
    pub(crate) fn wait(&self) -> Option<Clock> {
        let mut gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match *gate {
                Gate::Closed => gate = self.opened.wait(gate).unwrap_or_else(PoisonError::into_inner),
                Gate::Open(clock) => return Some(clock),
                Gate::Aborted => return None,
            }
        }
    }

    /// Ends the load early.
    pub(crate) fn stop(&self) {
        self.watched.iter().for_each(|thread| thread.stop.store(true, Ordering::Relaxed));
    }

    /// What is watched of thread `number`.
    pub(crate) fn watched(&self, number: usize) -> Arc<Watched> {
        self.watched.get(number).map(Arc::clone).unwrap_or_default()
    }

    /// I/Os that all threads completed.
    pub(crate) fn completed(&self) -> u64 {
        self.watched.iter().map(|thread| thread.ios.load(Ordering::Relaxed)).sum()
    }

    /// Records I/Os of the slice of time that contains `at_ns`, unless another thread is just recording and this one
    /// does not want to `wait`: how long each took, and their bytes together. False: not recorded.
    pub(crate) fn record(&self, at_ns: u64, latencies_ns: &[u64], bytes: u64, wait: bool) -> bool {
        let mut recorded = match self.recorded.try_lock() {
            Ok(recorded) => recorded,
            Err(TryLockError::Poisoned(recorded)) => recorded.into_inner(),
            Err(TryLockError::WouldBlock) if wait => {
                self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
            }
            Err(TryLockError::WouldBlock) => return false,
        };
        recorded.latency.record_all(latencies_ns);
        recorded.series.add(at_ns, latencies_ns, bytes);
        true
    }

    /// This program was late by so much at this moment.
    pub(crate) fn record_late(&self, at_ns: u64, late_ns: u64) {
        let mut recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        recorded.series.add_late(at_ns, late_ns);
    }

    /// The latencies and the slices, once the threads have ended.
    pub(crate) fn recorded(&self, end_ns: u64) -> (LatencyRecorder, Vec<DiskInterval>) {
        let recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        (recorded.latency.clone(), recorded.series.finish(end_ns))
    }
}

/// Time since the start of a load. `CLOCK_MONOTONIC` as [`std::time::Instant`] has it, but in plain nanoseconds and
/// without the C library in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Clock {
    start_ns: u64,
}

impl Clock {
    /// Starts now.
    pub(crate) fn start() -> Self {
        Self { start_ns: monotonic_ns() }
    }

    /// Since the start, ns.
    #[inline]
    pub(crate) fn now_ns(self) -> u64 {
        monotonic_ns().wrapping_sub(self.start_ns)
    }
}

/// The clock starts at boot and has no negative times: the casts lose nothing.
#[inline]
#[expect(clippy::cast_sign_loss, reason = "the clock counts from boot")]
fn monotonic_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_sequential_stream_wraps_and_ends_at_its_limit() {
        let stream = Stream::new(&(4096..4096 + 3 * 8192), 8192, Pattern::Sequential, 4);
        let mut random = Random::new(1);
        let offsets: Vec<_> = std::iter::from_fn(|| stream.next(&mut random)).collect();
        assert_eq!(offsets, [4096, 12_288, 20_480, 4096]);
    }

    #[test]
    fn a_copy_reads_from_the_first_half_and_writes_to_the_second_in_turn() {
        let stream = Stream::new(&(4096..4096 + 4 * 8192), 8192, Pattern::Sequential, 6).copying();
        let mut random = Random::new(1);
        let offsets: Vec<_> = std::iter::from_fn(|| stream.next(&mut random)).collect();
        assert_eq!(offsets, [4096, 20_480, 12_288, 28_672, 4096, 20_480]);
        assert_eq!(offsets[..2].iter().map(|at| stream.is_source(*at)).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn a_gate_lets_all_through_or_none() {
        let shared = Arc::new(Shared::new(1, 1, 0));
        let waiter = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.wait()
        });
        shared.abort();
        assert_eq!(waiter.join().expect("no panic"), None);
    }

    proptest! {
        #[test]
        fn offsets_stay_inside_and_aligned(
            start in 0u64..1000, length in 1u64..100_000, block in 1u64..5000, random in any::<bool>(), seed: u64,
        ) {
            prop_assume!(length >= block);
            let region = start * 4096..start * 4096 + length;
            let pattern = if random { Pattern::Random } else { Pattern::Sequential };
            let stream = Stream::new(&region, block, pattern, 0);
            let mut random = Random::new(seed);
            for _ in 0..50 {
                let offset = stream.next(&mut random).expect("no limit");
                prop_assert!(offset >= region.start && offset + block <= region.end);
                prop_assert_eq!((offset - region.start) % block, 0);
            }
        }
    }
}
