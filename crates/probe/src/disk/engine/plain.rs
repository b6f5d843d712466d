//! The plain engine: one pread or pwrite for each I/O, on the thread that measures it, and nothing else.

use crate::disk::engine::buffer::Buffers;
use crate::disk::load::pace;
use crate::disk::load::random::{Payload, Random};
use crate::disk::load::tally::Tally;
use crate::disk::load::thread::{Clock, Flush, Job};
use fullwire_model::disk::Operation;
use rustix::fs::{Advice, fadvise};
use rustix::io::{Errno, pread, pwrite};
use std::io;
use std::num::NonZeroU64;
use std::os::fd::BorrowedFd;

/// Runs a job of depth 1 until its end.
pub(crate) fn run(
    fd: BorrowedFd<'_>,
    buffers: &mut Buffers,
    job: &mut Job,
    clock: Clock,
    tally: &mut Tally,
) -> io::Result<()> {
    let mut random = Random::new(job.seed);
    let mut payload = Payload::new(!job.seed);
    let mut writes = 0;
    let mut now_ns = clock.now_ns();
    while !job.over(now_ns) && !tally.stopped() {
        let intended_ns = match &mut job.arrivals {
            None => None,
            Some(arrivals) => match arrivals.due(now_ns) {
                None => {
                    pace::doze(arrivals.next_ns().saturating_sub(now_ns).min(100_000_000));
                    now_ns = clock.now_ns();
                    continue;
                }
                due => due,
            },
        };
        let Some(offset) = job.stream.next(&mut random) else { break };
        let reads = job.reads(offset, &mut random);
        let block = buffers.slot(0);
        // A copy writes what it has read.
        if !reads && job.operation != Operation::Copy {
            payload.fill(block);
            now_ns = clock.now_ns();
        }
        let start_ns = intended_ns.unwrap_or(now_ns);
        let bytes = if reads {
            again(|| pread(fd, &mut *block, offset))
        } else {
            again(|| pwrite(fd, &*block, offset))
        }?;
        now_ns = clock.now_ns();
        if bytes == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        writes += u64::from(!reads);
        if job.start_writeback && !reads {
            again(|| fadvise(fd, offset, NonZeroU64::new(bytes as u64), Advice::DontNeed))?;
        }
        if let (Some(flush), false) = (job.flush_after(writes), reads) {
            let flush_start_ns = now_ns;
            again(|| call(fd, flush))?;
            now_ns = clock.now_ns();
            tally.flushed(now_ns - flush_start_ns);
        }
        tally.complete(start_ns, now_ns, bytes as u64);
        tally.announce();
    }
    tally.skipped = job.arrivals.as_ref().map_or(0, pace::Arrivals::skipped);
    Ok(())
}

/// One flush.
fn call(fd: BorrowedFd<'_>, flush: Flush) -> rustix::io::Result<()> {
    match flush {
        Flush::Data => rustix::fs::fdatasync(fd),
        Flush::All => rustix::fs::fsync(fd),
    }
}

fn again<T>(mut call: impl FnMut() -> rustix::io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            result => return result.map_err(io::Error::from),
        }
    }
}
