//! The `io_uring` engine: one ring for each thread, files and buffers registered where the kernel lets us, one call
//! for a whole turn of submissions and completions.
#![allow(unsafe_code, reason = "the kernel reads and writes memory through raw addresses in the ring")]

use crate::disk::engine::buffer::Buffers;
use crate::disk::engine::queue::{Request, Ring};
use crate::disk::load::thread::Flush;
use ::io_uring::{CompletionQueue, IoUring, Probe, SubmissionQueue, Submitter, opcode, squeue, types};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// A ring with its file and its memory. Its parts are kept apart: what is pushed and reaped is made known to the
/// kernel once for a whole turn, and the submitter remembers the registered descriptor of the ring.
pub(crate) struct UringRing<'r> {
    submitter: Submitter<'r>,
    submission: SubmissionQueue<'r>,
    completion: CompletionQueue<'r>,
    fd: OwnedFd,
    buffers: Buffers,
    block: u32,
    /// The buffers are registered: pages are pinned once instead of for each I/O.
    fixed_buffers: bool,
    /// The file is registered: no reference is taken for each I/O.
    fixed_file: bool,
    can_time_out: bool,
    in_flight: u32,
}

/// The kernel has `io_uring`, lets this process use it, and knows the operations that are needed. A filter may allow the
/// ring to be made and forbid its use: only something that went through it shows that.
pub(crate) fn probe() -> io::Result<()> {
    let mut ring = IoUring::new(2)?;
    // SAFETY: the operation refers to no memory, and the new ring has room for it.
    let pushed = unsafe { ring.submission().push(&opcode::Nop::new().build()) };
    debug_assert!(pushed.is_ok(), "a new ring is empty");
    match ring.submit_and_wait(1) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
        result => {
            result?;
        }
    }
    let mut probe = Probe::new();
    ring.submitter().register_probe(&mut probe)?;
    let needed = [
        opcode::Read::CODE,
        opcode::Write::CODE,
        opcode::ReadFixed::CODE,
        opcode::WriteFixed::CODE,
        opcode::Fsync::CODE,
    ];
    if needed.iter().all(|code| probe.is_supported(*code)) {
        Ok(())
    } else {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// A ring for this many I/Os in flight, of the calling thread alone, with the cheapest flags that this kernel takes:
/// `DEFER_TASKRUN` came with 6.1, `SINGLE_ISSUER` with 6.0, `COOP_TASKRUN` with 5.19; an older kernel answers EINVAL.
/// With one in flight there is nothing to put off, and the newer flags gain nothing (I/Os per second and user CPU alike).
pub(crate) fn build(depth: u32) -> io::Result<IoUring> {
    let entries = depth.next_power_of_two().max(2);
    let cooperative =
        || IoUring::builder().setup_coop_taskrun().build(entries).or_else(|_| IoUring::new(entries));
    if depth == 1 {
        return cooperative();
    }
    IoUring::builder()
        .setup_coop_taskrun()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .build(entries)
        .or_else(|_| IoUring::builder().setup_coop_taskrun().setup_single_issuer().build(entries))
        .or_else(|_| cooperative())
}

impl<'r> UringRing<'r> {
    /// On a ring of the calling thread. Buffers and file stay unregistered where the kernel refuses (memory lock limit).
    pub(crate) fn new(
        ring: &'r mut IoUring,
        fd: OwnedFd,
        buffers: Buffers,
        block: usize,
    ) -> io::Result<Self> {
        let block = u32::try_from(block).map_err(|_| io::ErrorKind::InvalidInput)?;
        let can_time_out = ring.params().is_feature_ext_arg();
        let (mut submitter, submission, completion) = ring.split();
        // SAFETY: the memory lives until the buffers are unregistered or the ring is gone: `drop` does the one, and
        // leaks the memory when I/Os may still be in flight.
        let fixed_buffers = unsafe { submitter.register_buffers(&[buffers.whole()]) }.is_ok();
        let fixed_file = submitter.register_files(&[fd.as_raw_fd()]).is_ok();
        // Saves the reference to the ring's own descriptor in each call; needs 5.18, and is only ever an improvement.
        let _ = submitter.register_ring_fd();
        Ok(Self {
            submitter,
            submission,
            completion,
            fd,
            buffers,
            block,
            fixed_buffers,
            fixed_file,
            can_time_out,
            in_flight: 0,
        })
    }

    fn entry(&self, slot: u32, request: Request) -> squeue::Entry {
        // With the flag FIXED_FILE the number is an index into the registered files, and ours has index 0.
        let file = types::Fd(if self.fixed_file { 0 } else { self.fd.as_raw_fd() });
        let address = self.buffers.address(slot as usize);
        let entry = match (request, self.fixed_buffers) {
            (Request::Read(offset), true) => {
                opcode::ReadFixed::new(file, address, self.block, 0).offset(offset).build()
            }
            (Request::Read(offset), false) => {
                opcode::Read::new(file, address, self.block).offset(offset).build()
            }
            (Request::Write(offset), true) => {
                opcode::WriteFixed::new(file, address, self.block, 0).offset(offset).build()
            }
            (Request::Write(offset), false) => {
                opcode::Write::new(file, address, self.block).offset(offset).build()
            }
            (Request::Flush(flush), _) => {
                let flags = match flush {
                    Flush::Data => types::FsyncFlags::DATASYNC,
                    Flush::All => types::FsyncFlags::empty(),
                };
                opcode::Fsync::new(file).flags(flags).build()
            }
        };
        let flags = if self.fixed_file { squeue::Flags::FIXED_FILE } else { squeue::Flags::empty() };
        entry.flags(flags).user_data(u64::from(slot))
    }
}

impl Ring for UringRing<'_> {
    fn memory(&mut self, slot: u32) -> &mut [u8] {
        self.buffers.slot(slot as usize)
    }

    fn push(&mut self, slot: u32, request: Request) {
        let entry = self.entry(slot, request);
        // SAFETY: the entry points into `buffers`, which live until its completion (see `drop`). The ring has at
        // least as many entries as there are slots and a slot has at most one entry, so there is room.
        let pushed = unsafe { self.submission.push(&entry) };
        debug_assert!(pushed.is_ok(), "one entry for each slot");
        self.in_flight += 1;
    }

    fn submit(&mut self) -> io::Result<()> {
        self.submission.sync();
        loop {
            match self.submitter.submit() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result.map(drop),
            }
        }
    }

    fn submit_and_wait(&mut self, limit_ns: Option<u64>) -> io::Result<()> {
        self.submission.sync();
        let result = match limit_ns {
            None => self.submitter.submit_and_wait(1),
            Some(limit_ns) if self.can_time_out => {
                let limit = types::Timespec::from(std::time::Duration::from_nanos(limit_ns));
                self.submitter.submit_with_args(1, &types::SubmitArgs::new().timespec(&limit))
            }
            // Before 5.11 a call knows no time limit: the caller polls.
            Some(_) => self.submitter.submit_and_wait(0),
        };
        match result {
            Ok(_) => Ok(()),
            // Interrupted, out of time or short of memory: what completed is in the ring, the rest goes next turn.
            Err(error)
                if matches!(
                    error.raw_os_error(),
                    Some(libc::EINTR | libc::ETIME | libc::EAGAIN | libc::EBUSY)
                ) =>
            {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn reap(&mut self, into: &mut Vec<(u32, i32)>) {
        // What the kernel took of the submissions makes room for new ones.
        self.submission.sync();
        self.completion.sync();
        let before = into.len();
        into.extend(
            self.completion
                .by_ref()
                .map(|completion| (u32::try_from(completion.user_data()).unwrap_or(0), completion.result())),
        );
        self.completion.sync();
        self.in_flight =
            self.in_flight.saturating_sub(u32::try_from(into.len() - before).unwrap_or(u32::MAX));
    }
}

impl Drop for UringRing<'_> {
    fn drop(&mut self) {
        if self.in_flight > 0 {
            // The call itself failed: the kernel may yet write into the buffers.
            self.buffers.leak();
        }
        // The kernel takes a ring apart some time after its descriptor is closed; until then a registered file stays
        // open, and NFS cannot remove it.
        let _ = self.submitter.unregister_files();
        // While an I/O is in flight its buffers stay registered, and the ring keeps them.
        if self.in_flight == 0 {
            let _ = self.submitter.unregister_buffers();
        }
        let _ = self.submitter.unregister_ring_fd();
    }
}
