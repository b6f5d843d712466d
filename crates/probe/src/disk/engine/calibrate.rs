//! What the generator does when the target costs nothing: every result can say how far it was from being the limit.

use crate::disk::engine::null::NullRing;
use crate::disk::engine::queue;
use crate::disk::load::tally::Tally;
use crate::disk::load::thread::{Clock, Job, Shared, Stream};
use fullwire_model::disk::{Operation, Pattern};
use std::sync::Arc;

const BLOCK_BYTES: usize = 8 << 10;
const DEPTH: u32 = 32;
/// The first pass over code and tables meets page faults, and any other one may be interrupted: the best one counts.
const PASSES: u32 = 6;
const PASS_NS: u64 = 1_000_000;

/// Random 8 KiB reads of a null target at depth 32 on the calling thread, I/Os per second.
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
        duration_ns: PASS_NS,
        arrivals: None,
        seed: 1,
    };
    let interval_ns = 1_000_000_000;
    let mut tally = Tally::new(0, interval_ns, false, Arc::new(Shared::new(1, interval_ns, PASS_NS)));
    let mut ring = NullRing::new(BLOCK_BYTES);
    let passes = (0..PASSES).map(|_| {
        let before = tally.ios;
        let ended = queue::run(&mut ring, &mut job, Clock::start(), &mut tally);
        debug_assert!(ended.is_ok(), "a null target does not fail");
        (tally.ios - before) as f64 * 1e9 / tally.end_ns.max(1) as f64
    });
    passes.fold(0.0, f64::max)
}
