//! Writes the private file from end to end with content that no array compresses, so that every later read finds
//! written blocks: a hole, or space that is only reserved, is answered from nothing at the speed of memory.

use super::DiskError;
use super::private::PrivateFile;
use super::run::{self, Live, Load};
use super::space;
use super::target::{Access, reopen};
use super::within::{ANSWER, within};
use fullwire_model::disk::{DiskStep, Engine, Operation, Pattern};
use rustix::fs::{FallocateFlags, OFlags};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const BLOCK_BYTES: u64 = 1 << 20;
const DEPTH: u32 = 8;
/// After the end of the time limit, so many seconds more to reach the smallest file that tells something.
const EXTRA: Duration = Duration::from_secs(10);

/// A file that is ready to be measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Laid {
    /// Written bytes from the start.
    pub(crate) bytes: u64,
    /// Time it took.
    pub(crate) seconds: f64,
    /// The file system takes direct I/O.
    pub(crate) direct: bool,
}

/// Writes up to `bytes` of the file. Ends early at `limit`, and then the file is as long as what was written.
pub(crate) fn write(
    file: &PrivateFile,
    target: &str,
    bytes: u64,
    limit: Option<Duration>,
    engine: Engine,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(&Live) -> ControlFlow<()>,
) -> Result<Laid, DiskError> {
    let started = Instant::now();
    let direct = takes_direct(file, target)?;
    reserve(file, target, bytes)?;
    let mut written = 0;
    let mut watch_limited = |live: &Live| {
        let late = limit.is_some_and(|limit| live.elapsed >= limit);
        let enough = live.bytes >= space::SMALLEST_BYTES.min(bytes);
        let too_late = limit.is_some_and(|limit| live.elapsed >= limit + EXTRA);
        if (late && enough) || too_late { ControlFlow::Break(()) } else { watch(live) }
    };
    let load = Load {
        step: DiskStep {
            operation: Operation::Write,
            pattern: Pattern::Sequential,
            block_bytes: BLOCK_BYTES,
            queue_depth: DEPTH,
            threads: 1,
            duration_bytes: bytes / BLOCK_BYTES * BLOCK_BYTES,
            ..DiskStep::default()
        },
        region: 0..bytes,
        fd: Arc::clone(file.fd()),
        target: target.to_owned(),
        engine,
        direct,
        seed: 0x6c61_796f_7574,
    };
    for outcome in run::run(&[load], stop, &mut watch_limited)? {
        written += outcome.tally.bytes;
    }
    // Blocks go out in order and all that were begun are done: what was written is one piece from the start.
    finish(file, target, written)?;
    Ok(Laid { bytes: written, seconds: started.elapsed().as_secs_f64(), direct })
}

/// An attempt is the only proof: opening may succeed where reading fails.
fn takes_direct(file: &PrivateFile, target: &str) -> Result<bool, DiskError> {
    let fd = Arc::clone(file.fd());
    within(ANSWER, target, "opening for direct I/O", move || {
        let access = Access { read: true, write: true, direct: true, durable: OFlags::empty() };
        reopen(&*fd, access).is_ok()
    })
}

/// Reserves the space in as few pieces as the file system can; where it cannot (NFS before 4.2), writing will do it.
/// Never `posix_fallocate`, which emulates by writing a byte into every block.
fn reserve(file: &PrivateFile, target: &str, bytes: u64) -> Result<(), DiskError> {
    let fd = Arc::clone(file.fd());
    let reserved = within(ANSWER, target, "reserving space", move || {
        match rustix::fs::fallocate(&*fd, FallocateFlags::empty(), 0, bytes) {
            Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {
                rustix::fs::ftruncate(&*fd, bytes)
            }
            result => result,
        }
    })?;
    reserved.map_err(|error| DiskError::io("reserve space for a private file in", target, error))
}

fn finish(file: &PrivateFile, target: &str, bytes: u64) -> Result<(), DiskError> {
    let fd = Arc::clone(file.fd());
    // As long as a cache of a few hundred MiB takes to reach a slow disk.
    let synced = within(ANSWER * 4, target, "flushing the layout", move || {
        rustix::fs::ftruncate(&*fd, bytes)?;
        rustix::fs::fsync(&*fd)?;
        // What the layout left in the page cache must not answer buffered reads.
        let length = std::num::NonZeroU64::new(bytes);
        rustix::fs::fadvise(&*fd, 0, length, rustix::fs::Advice::DontNeed)
    })?;
    synced.map_err(|error| DiskError::io("flush the private file in", target, error))
}
