//! Writes the private file from end to end with content that no array compresses, so that every later read finds
//! written blocks: a hole, or space that is only reserved, is answered from nothing at the speed of memory.

use crate::disk::DiskError;
use crate::disk::hang::{ANSWER, within};
use crate::disk::load::run::{self, Live, Load};
use crate::disk::target::space;
use crate::disk::target::{Access, reopen};
use fullwire_model::disk::{DiskStep, Engine, Operation, Pattern};
use rustix::fs::{Advice, FallocateFlags, OFlags};
use rustix::io::Errno;
use std::num::NonZeroU64;
use std::ops::{ControlFlow, Range};
use std::os::fd::OwnedFd;
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

/// What is to be written.
pub(crate) struct Layout<'a> {
    /// Any open descriptor of the file or device.
    pub(crate) fd: &'a Arc<OwnedFd>,
    /// For error texts.
    pub(crate) target: &'a str,
    /// The part that is written.
    pub(crate) region: Range<u64>,
    /// A file, whose space is reserved first and whose length becomes what was written.
    pub(crate) is_file: bool,
    /// Ends early after this time.
    pub(crate) limit: Option<Duration>,
    /// How it is written.
    pub(crate) engine: Engine,
}

/// Writes the region, or as much of it from its start as the time limit allows.
pub(crate) fn write(
    layout: &Layout<'_>,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(&Live) -> ControlFlow<()>,
) -> Result<Laid, DiskError> {
    let started = Instant::now();
    let bytes = layout.region.end - layout.region.start;
    let direct = takes_direct(layout)?;
    if layout.is_file {
        reserve(layout)?;
    }
    let mut watch_limited = |live: &Live| {
        let late = layout.limit.is_some_and(|limit| live.elapsed >= limit);
        let enough = live.bytes >= space::SMALLEST_BYTES.min(bytes);
        let too_late = layout.limit.is_some_and(|limit| live.elapsed >= limit + EXTRA);
        if (late && enough) || too_late { ControlFlow::Break(()) } else { watch(live) }
    };
    let block_bytes = BLOCK_BYTES.min(bytes);
    let load = Load {
        step: DiskStep {
            operation: Operation::Write,
            pattern: Pattern::Sequential,
            block_bytes,
            queue_depth: DEPTH,
            threads: 1,
            duration_bytes: bytes / block_bytes * block_bytes,
            ..DiskStep::default()
        },
        region: layout.region.clone(),
        fd: Arc::clone(layout.fd),
        target: layout.target.to_owned(),
        engine: layout.engine,
        direct,
        seed: 0x6c61_796f_7574,
    };
    let outcomes = run::run(&[load], stop, &|| (), &mut watch_limited)?;
    // Blocks go out in order and all that were begun are done: what was written is one piece from the start.
    let written = outcomes.iter().map(|outcome| outcome.tally.bytes).sum();
    finish(layout, written)?;
    Ok(Laid { bytes: written, seconds: started.elapsed().as_secs_f64(), direct })
}

/// An attempt is the only proof that the file system takes direct I/O.
fn takes_direct(layout: &Layout<'_>) -> Result<bool, DiskError> {
    let fd = Arc::clone(layout.fd);
    within(ANSWER, layout.target, "opening for direct I/O", move || {
        let access = Access { read: true, write: true, direct: true, durable: OFlags::empty() };
        reopen(&*fd, access).is_ok()
    })
}

/// Reserves the space in as few pieces as the file system can; where it cannot (NFS before 4.2), or where a container's
/// filter of system calls says no (old ones answer EPERM), writing will do it.
/// Never `posix_fallocate`, which emulates by writing a byte into every block.
fn reserve(layout: &Layout<'_>) -> Result<(), DiskError> {
    let (fd, bytes) = (Arc::clone(layout.fd), layout.region.end);
    let reserved = within(ANSWER, layout.target, "reserving space", move || {
        match rustix::fs::fallocate(&*fd, FallocateFlags::empty(), 0, bytes) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::PERM) => rustix::fs::ftruncate(&*fd, bytes),
            result => result,
        }
    })?;
    reserved.map_err(|error| DiskError::io("reserve space for a private file in", layout.target, error))
}

fn finish(layout: &Layout<'_>, bytes: u64) -> Result<(), DiskError> {
    let (fd, is_file, start) = (Arc::clone(layout.fd), layout.is_file, layout.region.start);
    // As long as a cache of a few hundred MiB takes to reach a slow disk.
    let synced = within(ANSWER * 4, layout.target, "flushing the layout", move || {
        if is_file {
            rustix::fs::ftruncate(&*fd, bytes)?;
        }
        rustix::fs::fsync(&*fd)?;
        // What the layout left in the page cache must not answer buffered reads.
        rustix::fs::fadvise(&*fd, start, NonZeroU64::new(bytes), Advice::DontNeed)
    })?;
    synced.map_err(|error| DiskError::io("flush what was written to", layout.target, error))
}
