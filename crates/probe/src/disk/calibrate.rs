//! What the generator does when the target costs nothing: every result can say how far it was from being the limit.

use super::null::NullRing;
use super::queue;
use super::tally::Tally;
use super::work::{Clock, Job, Shared, Stream};
use fullwire_model::disk::{Operation, Pattern};
use std::sync::Arc;

const BLOCK_BYTES: usize = 8 << 10;
const DEPTH: u32 = 32;
const DURATION_NS: u64 = 5_000_000;

/// Random 8 KiB reads of a null target at depth 32 on the calling thread, I/Os a second.
pub fn generator_io_per_s() -> f64 {
    let block = BLOCK_BYTES as u64;
    let mut job = Job {
        operation: Operation::Read,
        read_share: 1.0,
        block: BLOCK_BYTES,
        depth: DEPTH,
        stream: Arc::new(Stream::new(&(0..1 << 40), block, Pattern::Random, 0)),
        flush: None,
        flush_every: 1,
        start_writeback: false,
        duration_ns: DURATION_NS,
        arrivals: None,
        seed: 1,
    };
    let interval_ns = 1_000_000_000;
    let mut tally = Tally::new(0, interval_ns, false, Arc::new(Shared::new(1, interval_ns, DURATION_NS)));
    let mut ring = NullRing::new(BLOCK_BYTES);
    let clock = Clock::start();
    let ended = queue::run(&mut ring, &mut job, clock, &mut tally);
    debug_assert!(ended.is_ok(), "a null target does not fail");
    tally.ios as f64 * 1e9 / tally.end_ns.max(1) as f64
}
