//! What watching costs: CPU time of this process.

use rustix::time::{ClockId, clock_gettime};
use std::time::Instant;

/// Measures from one call to the next.
#[derive(Debug)]
pub(crate) struct Cost {
    since: Instant,
    used_s: f64,
}

impl Cost {
    pub(crate) fn new() -> Self {
        Self { since: Instant::now(), used_s: used_s() }
    }

    /// CPU time since it began, s.
    pub(crate) fn cpu_s(&self) -> f64 {
        used_s() - self.used_s
    }

    /// Of one CPU since it began.
    pub(crate) fn share(&self) -> f64 {
        self.cpu_s() / self.since.elapsed().as_secs_f64().max(1e-3)
    }
}

fn used_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The most memory that this process ever had resident, bytes; `None` without `/proc`.
pub(crate) fn rss_peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}
