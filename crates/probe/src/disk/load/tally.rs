//! What one thread measured. Between two I/Os a sample is only noted; histograms, which touch memory all over, are
//! filled a batch at a time: their cache misses then overlap, and most I/Os pay for none. All threads of a load fill the
//! same ones: histograms for each thread, with many of them, would not stay in any cache.

use crate::disk::load::thread::{Shared, Watched};
use crate::disk::load::thread_cpu::ThreadCpu;
use fullwire_model::latency::LatencyRecorder;
use std::io;
use std::sync::Arc;

/// Samples that go to the histograms at the same time: 2 KiB, some microseconds of work.
const BATCH: usize = 256;
/// Samples that a thread keeps while another one is recording.
const MOST_NOTED: usize = 4 * BATCH;

/// What one thread measured. In the order that is written here: the first cache line has all that an I/O touches.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Tally {
    /// I/Os.
    pub(crate) ios: u64,
    /// Bytes.
    pub(crate) bytes: u64,
    /// The last completion since the start, ns.
    pub(crate) end_ns: u64,
    slice_end_ns: u64,
    noted: Vec<u64>,
    watched: Arc<Watched>,
    interval_ns: u64,
    /// Bytes of the I/Os that are recorded already.
    bytes_before: u64,
    shared: Arc<Shared>,
    /// Until the call that submits returned, of samples.
    pub(crate) submission: Option<LatencyRecorder>,
    /// Of the flush alone.
    pub(crate) flush: Option<LatencyRecorder>,
    /// The buffers are in huge pages.
    pub(crate) huge_pages: bool,
    /// Arrivals that found no room.
    pub(crate) skipped: u64,
    /// CPU that the thread used.
    pub(crate) cpu: ThreadCpu,
    /// For how long the threads were ready and had no CPU, ns.
    pub(crate) waited_ns: Option<u64>,
    /// The time of all threads, ns.
    pub(crate) threads_ns: u64,
    /// What ended the thread early.
    pub(crate) error: Option<io::Error>,
}

impl Tally {
    /// For thread `number`.
    pub(crate) fn new(number: usize, interval_ns: u64, flushes: bool, shared: Arc<Shared>) -> Self {
        Self {
            ios: 0,
            bytes: 0,
            end_ns: 0,
            slice_end_ns: interval_ns,
            noted: Vec::with_capacity(MOST_NOTED),
            watched: shared.watched(number),
            interval_ns,
            bytes_before: 0,
            shared,
            submission: None,
            flush: flushes.then(LatencyRecorder::new),
            huge_pages: false,
            skipped: 0,
            cpu: ThreadCpu::default(),
            waited_ns: None,
            threads_ns: 0,
            error: None,
        }
    }

    /// Someone wants the load to end.
    pub(crate) fn stopped(&self) -> bool {
        self.watched.stopped()
    }

    /// An I/O completed.
    #[inline]
    pub(crate) fn complete(&mut self, start_ns: u64, now_ns: u64, bytes: u64) {
        if now_ns >= self.slice_end_ns || self.noted.len() >= BATCH {
            self.make_room(now_ns);
        }
        self.ios += 1;
        self.bytes += bytes;
        self.end_ns = now_ns;
        self.noted.push(now_ns.saturating_sub(start_ns));
    }

    /// For a sample of this time.
    #[cold]
    fn make_room(&mut self, now_ns: u64) {
        let sliced = now_ns >= self.slice_end_ns;
        self.record(sliced || self.noted.len() == MOST_NOTED);
        if sliced {
            self.slice_end_ns = (now_ns / self.interval_ns + 1) * self.interval_ns;
        }
    }

    /// Lets the watcher see how far this thread is.
    pub(crate) fn announce(&self) {
        self.watched.announce(self.ios);
    }

    /// Brings what was noted into the histograms, unless they are in use and it can `wait` no longer.
    fn record(&mut self, wait: bool) {
        let bytes = self.bytes - self.bytes_before;
        if self.shared.record(self.slice_end_ns - 1, &self.noted, bytes, wait) {
            self.bytes_before = self.bytes;
            self.noted.clear();
        }
    }

    /// A flush took this long.
    pub(crate) fn flushed(&mut self, flush_ns: u64) {
        if let Some(flush) = &mut self.flush {
            flush.record(flush_ns);
        }
    }

    /// A submission took this long.
    pub(crate) fn submitted(&mut self, submission_ns: u64) {
        self.submission.get_or_insert_default().record(submission_ns);
    }

    /// Hands over the last samples.
    pub(crate) fn close(&mut self) {
        self.record(true);
        self.announce();
    }

    /// Adds another thread's; both are closed.
    pub(crate) fn merge(&mut self, other: Self) {
        self.ios += other.ios;
        self.bytes += other.bytes;
        self.skipped += other.skipped;
        self.cpu.user_ns += other.cpu.user_ns;
        self.cpu.system_ns += other.cpu.system_ns;
        self.waited_ns = self.waited_ns.zip(other.waited_ns).map(|(own, others)| own + others);
        self.threads_ns += other.threads_ns;
        self.end_ns = self.end_ns.max(other.end_ns);
        self.error = self.error.take().or(other.error);
        merge_optional(&mut self.submission, other.submission);
        merge_optional(&mut self.flush, other.flush);
    }
}

fn merge_optional(mine: &mut Option<LatencyRecorder>, theirs: Option<LatencyRecorder>) {
    match (mine.as_mut(), theirs) {
        (Some(mine), Some(theirs)) => mine.merge(&theirs),
        (None, Some(theirs)) => *mine = Some(theirs),
        (_, None) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples are noted and recorded later; none is lost, and each is in the slice of its own time.
    #[test]
    fn every_sample_reaches_its_slice_and_the_whole() {
        let interval_ns = 1_000_000;
        let shared = Arc::new(Shared::new(1, interval_ns, 10 * interval_ns));
        let mut tally = Tally::new(0, interval_ns, false, Arc::clone(&shared));
        for io in 1..=3_000u64 {
            let now_ns = io * 1_000;
            tally.complete(now_ns - (io % 7 + 1) * 100, now_ns, 8192);
        }
        tally.close();
        let (latency, intervals) = shared.recorded(3 * interval_ns);
        assert_eq!((tally.ios, latency.count(), shared.completed()), (3_000, 3_000, 3_000));
        assert_eq!(intervals.len(), 3);
        // The I/O at exactly 1 ms belongs to the second slice.
        let ios: Vec<f64> = intervals.iter().map(|slice| slice.iops / 1e3).collect();
        assert!((ios[0] - 999.0).abs() < 1e-6 && (ios[1] - 1_000.0).abs() < 1e-6, "{ios:?}");
        assert!((intervals[1].throughput_bytes_per_s - 8192e6).abs() < 1.0, "{intervals:?}");
        assert_eq!(latency.percentile(100.0), 700);
    }
}
