//! CPU time of the calling thread, and how long it was ready to run and had no CPU.

use rustix::time::{ClockId, clock_gettime};

/// CPU time since the thread began, ns.
pub(crate) fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

/// Time since the thread began for which it was ready and waited for a CPU, ns: the second figure of `schedstat`
/// (Linux Documentation/scheduler/sched-stats.rst). `None`: this kernel does not count it.
pub(crate) fn waited_ns() -> Option<u64> {
    waited_of(&std::fs::read_to_string("/proc/thread-self/schedstat").ok()?)
}

/// Time on a CPU, time ready without one, times that it was put on one: a thread that asks ran at least once.
fn waited_of(schedstat: &str) -> Option<u64> {
    let mut figures = schedstat.split_whitespace().map(|figure| figure.parse::<u64>().ok());
    let (_, waited_ns, times) = (figures.next()??, figures.next()??, figures.next()??);
    (times > 0).then_some(waited_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_does_not_count_says_nothing() {
        assert_eq!(waited_of("550000000 500000000 138\n"), Some(500_000_000));
        assert_eq!(waited_of("0 0 0\n"), None);
        assert_eq!(waited_of(""), None);
    }
}
