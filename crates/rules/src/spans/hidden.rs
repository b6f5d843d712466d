//! What a long window may hide: trouble of some seconds that is diluted in a minute's means. Says where to look closely, and
//! errs toward looking.

use crate::facts;
use fullwire_model::Window;

thresholds! {
    /// Requests took so much longer in all than they usually do, ms: five seconds with one request waiting.
    const EXCESS_MS: f64 = 5_000.0;
    /// Requests took 1.5 times as long as usual, at least.
    const TIMES_USUAL: f64 = 1.5;
    /// Segments sent again, of all: a tenth of what is too much in ten seconds.
    const RETRANSMITTED: f64 = 0.001;
    /// Fewer are never too many.
    const FEWEST_RETRANSMITTED: u64 = 10;
    /// Pages swapped out, from which on it may be a storm.
    const SWAPPED_PAGES: u64 = 1_000;
    /// Periods in which a control group's quota ran out, of all.
    const THROTTLED: f64 = 0.02;
    /// A mean time of an NFS request that is felt, ms.
    const NFS_FELT_MS: f64 = 10.0;
}

/// The rules may fire on a part of this window even if they pass on the whole.
pub fn may_hide_trouble(window: &Window) -> bool {
    let grown = |name: &'static str| {
        facts::grown(window, move |counters| counters.snmp.get(name).or(counters.vmstat.get(name)).copied())
            .unwrap_or(0)
    };
    let again = grown("TcpRetransSegs");
    let retransmitted = again as f64 / grown("TcpOutSegs").max(1) as f64;
    (again >= FEWEST_RETRANSMITTED && retransmitted >= RETRANSMITTED)
        || grown("pswpout") >= SWAPPED_PAGES
        || a_disk_waits(window)
        || a_mount_waits(window)
        || a_group_is_throttled(window)
}

/// The requests of some disk took longer in all than as many usually do, or none was completed.
fn a_disk_waits(window: &Window) -> bool {
    window.to.disks.iter().any(|(name, to)| {
        let Some(from) = window.from.disks.get(name) else { return false };
        let usual = window.usual.get(name).copied().unwrap_or_default();
        let of = |count: u64, usual_ms: Option<f64>| count as f64 * usual_ms.unwrap_or(1.0);
        let (reads, writes) = (to.reads.saturating_sub(from.reads), to.writes.saturating_sub(from.writes));
        let took = to.read_ms.saturating_sub(from.read_ms) + to.write_ms.saturating_sub(from.write_ms);
        let expected = of(reads, usual.read_await_ms) + of(writes, usual.write_await_ms);
        let waited = took as f64 - expected >= EXCESS_MS && took as f64 >= TIMES_USUAL * expected;
        waited || (to.in_flight > 0 && reads + writes == 0)
    })
}

fn a_mount_waits(window: &Window) -> bool {
    window.to.nfs.iter().any(|(mount, to)| {
        let Some(from) = window.from.nfs.get(mount) else { return false };
        let sums = to.operations.iter().filter_map(|(name, to)| {
            let from = from.operations.get(name)?;
            Some((
                to.operations.saturating_sub(from.operations),
                to.execute_ms.saturating_sub(from.execute_ms),
            ))
        });
        let (operations, took_ms) = sums.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        took_ms as f64 >= EXCESS_MS && took_ms as f64 >= NFS_FELT_MS * operations as f64
    })
}

fn a_group_is_throttled(window: &Window) -> bool {
    window.to.cgroups.iter().any(|to| {
        let from = window.from.cgroups.iter().find(|from| from.path == to.path);
        let grown =
            |now: Option<u64>, then: Option<u64>| now.zip(then).map(|(now, then)| now.saturating_sub(then));
        let Some(from) = from else { return false };
        let throttled = grown(to.nr_throttled, from.nr_throttled).unwrap_or(0);
        let periods = grown(to.nr_periods, from.nr_periods).unwrap_or(0);
        throttled > 0 && throttled as f64 >= THROTTLED * periods as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::UsualDisk;
    use fullwire_model::counters::{Counters, DiskCounters};

    /// A minute in which a disk did so many reads that took so long in all; each usually takes 1 ms.
    fn minute(reads: u64, read_ms: u64) -> Window {
        let disk = |reads, read_ms| DiskCounters { reads, read_ms, ..DiskCounters::default() };
        let counters = |disk, seconds: u64| Counters {
            monotonic_ns: seconds * 1_000_000_000,
            disks: [("sda".to_owned(), disk)].into(),
            ..Counters::default()
        };
        let usual = UsualDisk { read_await_ms: Some(1.0), ..UsualDisk::default() };
        Window {
            from: counters(disk(0, 0), 0),
            to: counters(disk(reads, read_ms), 60),
            usual: [("sda".to_owned(), usual)].into(),
            ..Window::default()
        }
    }

    #[test]
    fn ten_seconds_of_slow_reads_in_a_busy_minute_are_looked_at() {
        // 50 s of 500 reads of 1 ms, and 10 s with four that wait for 400 ms each.
        assert!(!may_hide_trouble(&minute(30_000, 30_000)));
        assert!(may_hide_trouble(&minute(25_100, 25_000 + 40_000)));
        assert!(!may_hide_trouble(&minute(60_000, 64_000)), "as many as usual take as long");
        assert!(!may_hide_trouble(&Window::default()));
    }
}
