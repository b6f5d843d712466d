//! Sending without a copy (`MSG_ZEROCOPY`), and what the kernel says became of it: on loopback, veth and
//! wherever a packet is looked at on its way, it copies after all (kernel documentation, `networking/msg_zerocopy.rst`).

use super::Task;
use crate::net::socket::sockopt;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{SendFlags, send};

/// `MSG_ZEROCOPY`, which rustix does not name.
const ZEROCOPY: SendFlags = SendFlags::from_bits_retain(0x0400_0000);

/// The kernel's notices are collected after this many sends.
const COLLECT_EVERY: u64 = 32;

/// Longest wait for the last notices, and for memory to come free.
const NAP: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// How a lane sends.
pub(super) struct Sender<'a> {
    task: &'a Task,
    flags: SendFlags,
    sends: u64,
    /// Finished without a copy, and copied.
    outcome: [u64; 2],
}

impl<'a> Sender<'a> {
    pub(super) fn new(task: &'a Task) -> Self {
        let wanted = task.plan.zerocopy && sockopt::set_zerocopy(&task.socket).is_ok();
        let flags = if wanted { SendFlags::NOSIGNAL | ZEROCOPY } else { SendFlags::NOSIGNAL };
        Self { task, flags, sends: 0, outcome: [0; 2] }
    }

    pub(super) fn send(&mut self, bytes: &[u8]) -> Result<usize, Errno> {
        if !self.flags.contains(ZEROCOPY) {
            return send(&self.task.socket, bytes, self.flags);
        }
        match send(&self.task.socket, bytes, self.flags) {
            // No more memory may be pinned (RLIMIT_MEMLOCK, optmem_max) until notices are collected.
            Err(Errno::NOBUFS) => {
                self.wait();
                self.collect();
                Err(Errno::INTR)
            }
            Ok(sent) => {
                self.sends += 1;
                if self.sends.is_multiple_of(COLLECT_EVERY) {
                    self.collect();
                }
                Ok(sent)
            }
            Err(errno) => Err(errno),
        }
    }

    /// What became of all sends; `None` when zero copy was not requested, zeros when the kernel has none.
    pub(super) fn finish(mut self) -> Option<[u64; 2]> {
        if !self.flags.contains(ZEROCOPY) {
            return self.task.plan.zerocopy.then_some([0, 0]);
        }
        self.collect();
        if self.outcome.iter().sum::<u64>() < self.sends {
            self.wait();
            self.collect();
        }
        Some(self.outcome)
    }

    fn collect(&mut self) {
        while let Some((count, copied)) = sockopt::zerocopy_notice(&self.task.socket) {
            self.outcome[usize::from(copied)] += count;
        }
    }

    fn wait(&self) {
        // A notice raises POLLERR, which needs no asking for.
        let _ = poll(&mut [PollFd::new(&self.task.socket, PollFlags::empty())], Some(&NAP));
    }
}
