//! CPU time of the calling thread, user and system apart, in microseconds' resolution: `/proc` has ticks of 10 ms only.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// CPU time since the thread began, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ThreadCpu {
    /// In user mode.
    pub(crate) user_ns: u64,
    /// In the kernel.
    pub(crate) system_ns: u64,
}

impl ThreadCpu {
    /// Of the calling thread until now.
    pub(crate) fn now() -> Self {
        // It fails only for a `who` that the kernel does not know.
        getrusage(UsageWho::RUSAGE_THREAD).map_or_else(
            |_| Self::default(),
            |usage| Self {
                user_ns: nanoseconds(usage.user_time()),
                system_ns: nanoseconds(usage.system_time()),
            },
        )
    }

    /// What passed since an earlier reading.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            system_ns: self.system_ns.saturating_sub(earlier.system_ns),
        }
    }
}

fn nanoseconds(time: TimeVal) -> u64 {
    u64::try_from(time.tv_sec()).unwrap_or(0) * 1_000_000_000
        + u64::try_from(time.tv_usec()).unwrap_or(0) * 1_000
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn work_is_counted_as_user_time() {
        let before = ThreadCpu::now();
        let begin = Instant::now();
        let mut sum = 0u64;
        while ThreadCpu::now().since(before).user_ns < 20_000_000 && begin.elapsed() < Duration::from_secs(10)
        {
            sum = (0..100_000u64)
                .fold(sum, |sum, n| sum.wrapping_mul(31).wrapping_add(std::hint::black_box(n)));
        }
        assert!(ThreadCpu::now().since(before).user_ns >= 20_000_000, "{sum}");
    }
}
