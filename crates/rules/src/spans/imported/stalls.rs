//! Requests in flight while a disk completes nothing: what other tools print of it, and what they leave out.

use super::Timed;
use fullwire_model::counters::DiskCounters;
use std::collections::BTreeSet;

thresholds! {
    /// A disk that is busy and completes nothing may be at a flush, which kernels before 5.5 do not count and sar does not print.
    /// None takes this long, ns (own choice: disks with 256 MB of cache at 30 MB/s of scattered writes).
    const LONGEST_FLUSH_NS: u64 = 10_000_000_000;
    /// A mean of fewer requests is one of them: a disk that starts its motor, a lost command.
    const FEWEST: u64 = 3;
    /// A wait as long as this is a stall, ms: as long as a window must be that proves a trouble alone.
    const PROOF_MS: f64 = 10_000.0;
}

/// Takes back requests in flight where nothing was completed for less than the longest flush.
pub(super) fn leave_out_flushes(windows: &mut [Timed]) {
    for name in names(windows) {
        let stuck = |timed: &Timed| timed.window.to.disks.get(&name).is_some_and(|disk| disk.in_flight > 0);
        let runs: Vec<&mut [Timed]> = windows.chunk_by_mut(|one, next| stuck(one) == stuck(next)).collect();
        for run in runs.into_iter().filter(|run| run.first().is_some_and(stuck)) {
            let from_ns = run.first().map_or(0, |first| first.window.from.monotonic_ns);
            let to_ns = run.last().map_or(0, |last| last.window.to.monotonic_ns);
            if to_ns.saturating_sub(from_ns) >= LONGEST_FLUSH_NS {
                continue;
            }
            for counters in run.iter_mut().flat_map(|timed| [&mut timed.window.from, &mut timed.window.to]) {
                if let Some(disk) = counters.disks.get_mut(&name) {
                    disk.in_flight = 0;
                }
            }
        }
    }
}

/// Finds what was in flight over records in which nothing completed. Since 5.0 the kernel counts busy time only when a
/// request starts or completes (Documentation/admin-guide/iostats.rst, field 10), so iostat prints a disk at rest. The
/// record in which the requests complete at last tells: of those whose mean wait is w at least one has waited for w, and
/// was in flight from w before the end of that record on at the latest.
pub(super) fn found_afterwards(windows: &mut [Timed]) {
    for name in names(windows) {
        for end in 1..windows.len() {
            let Some(wait_ns) = wait_ns(&windows[end], &name) else { continue };
            let since_ns = windows[end].window.to.monotonic_ns.saturating_sub(wait_ns);
            mark(&mut windows[..=end], &name, since_ns);
        }
    }
}

/// Goes back from the last record while the disk was at rest and the request was in flight.
fn mark(windows: &mut [Timed], name: &str, since_ns: u64) {
    for index in (0..windows.len().saturating_sub(1)).rev() {
        let follows = windows[index].window.to.monotonic_ns == windows[index + 1].window.from.monotonic_ns;
        let window = &mut windows[index].window;
        let at_rest = window.to.disks.get(name).is_some_and(|disk| disk.completed() == 0);
        if !follows || !at_rest || window.from.monotonic_ns < since_ns {
            return;
        }
        for counters in [&mut window.from, &mut window.to] {
            if let Some(disk) = counters.disks.get_mut(name) {
                disk.in_flight = disk.in_flight.max(1);
            }
        }
    }
}

/// The mean wait of reads or of writes that completed in this record, if it is long enough to prove a stall, ns.
fn wait_ns(timed: &Timed, name: &str) -> Option<u64> {
    let disk: &DiskCounters = timed.window.to.disks.get(name)?;
    let directions = [(disk.reads, disk.read_ms), (disk.writes, disk.write_ms)];
    let means =
        directions.into_iter().filter(|(ios, _)| *ios >= FEWEST).map(|(ios, ms)| ms as f64 / ios as f64);
    let longest_ms = means.fold(0.0, f64::max);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a wait of a recording")]
    (longest_ms >= PROOF_MS).then_some((longest_ms * 1e6) as u64)
}

fn names(windows: &[Timed]) -> BTreeSet<String> {
    windows.iter().flat_map(|timed| timed.window.to.disks.keys()).cloned().collect()
}
