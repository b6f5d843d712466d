use fullwire_model::counters::{CgroupCounters, Counters, DiskCounters};
use fullwire_model::{Run, Window, WindowKind};
use std::collections::BTreeMap;

thresholds! {
    /// A window shorter than this proves nothing: counters tick in centiseconds.
    const SHORTEST_S: f64 = 0.05;
    /// Of all CPUs together: from here on tasks may have to queue.
    pub(crate) const CPU_BUSY: f64 = 0.90;
    /// Share of the time in which some task waited for a CPU.
    const WAITED: f64 = 0.50;
    /// Runnable tasks for each CPU, where the kernel keeps no pressure.
    const QUEUED: f64 = 2.0;
    /// No CPU was idle for longer than counters of hundredths of a second and printed digits can err (own choice).
    pub(crate) const ALL_BUSY: f64 = 0.98;
    /// From this length on, s, such a stretch is no burst, and tasks that queue at its end are no chance (own choice).
    pub(crate) const LASTING_S: f64 = 60.0;
    /// Share of a window from which on processes noticeably waited for I/O.
    const IO_WAITED: f64 = 0.10;
    /// A CPU that is busy all the time shows no wait for I/O.
    const IDLE: f64 = 0.05;
}

/// The stretches of a recording, ours or imported.
pub(crate) fn recorded(run: &Run) -> impl Iterator<Item = &Window> {
    windows(run).filter(|window| window.kind == WindowKind::Recorded)
}

/// The devices of a recorded window that are judged: neither parts of others nor made of memory.
pub(crate) fn recorded_disks<'a>(run: &Run, window: &'a Window) -> Vec<&'a str> {
    // Each window of a day asks for each of a thousand disks.
    let kinds: BTreeMap<&str, &str> =
        run.host.disks.iter().map(|disk| (disk.name.as_str(), disk.kind.as_str())).collect();
    let judged = |name: &&str| match kinds.get(name) {
        Some(kind) => !matches!(*kind, "partition" | "ram" | "zram" | "rom"),
        None => !["ram", "zram", "sr", "fd"].iter().any(|prefix| is_numbered(name, prefix)),
    };
    window.to.disks.keys().map(String::as_str).filter(judged).collect()
}

fn is_numbered(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|c| c.is_ascii_digit()))
}

/// What was recorded of waiting tasks says that there were none: a count of requests in progress has leaked.
pub(crate) fn nobody_waits_for_io(window: &Window) -> bool {
    let blocked = window.to.procs_blocked.map(|blocked| blocked > 0);
    let pressure =
        rate(window, |counters| Some(counters.pressure.as_ref()?.io_some_us)).map(|us| us / 1e6 >= IO_WAITED);
    // One task that waits leaves one CPU waiting, unless that has other work.
    let time = window.cpu();
    let may_wait = time.idle_ns.saturating_add(time.iowait_ns) as f64 > IDLE * time.total_ns() as f64;
    let waited = may_wait.then(|| time.iowait_ns as f64 / 1e9 >= IO_WAITED * window.seconds());
    let signs = [blocked, pressure, waited];
    signs.iter().any(Option::is_some) && !signs.contains(&Some(true))
}

/// Every span that is long enough to tell a rate.
pub(crate) fn windows(run: &Run) -> impl Iterator<Item = &Window> {
    run.windows.iter().filter(|window| window.seconds() >= SHORTEST_S)
}

/// How much a counter grew in a window; `None`: it was not read at both ends.
pub(crate) fn grown(window: &Window, read: impl Fn(&Counters) -> Option<u64>) -> Option<u64> {
    Some(read(&window.to)?.saturating_sub(read(&window.from)?))
}

/// How fast a counter grew in a window, per second.
pub(crate) fn rate(window: &Window, read: impl Fn(&Counters) -> Option<u64>) -> Option<f64> {
    let seconds = window.seconds();
    (seconds > 0.0).then_some(())?;
    Some(grown(window, read)? as f64 / seconds)
}

/// How fast a counter of `/proc/vmstat` grew, per second.
pub(crate) fn vmstat_rate(window: &Window, name: &str) -> Option<f64> {
    rate(window, |counters| counters.vmstat.get(name).copied())
}

/// How much a counter grew over all windows together; `None`: no window has it at both ends.
pub(crate) fn grown_in_all(run: &Run, read: impl Fn(&Counters) -> Option<u64> + Copy) -> Option<u64> {
    windows(run).filter_map(|window| grown(window, read)).reduce(u64::saturating_add)
}

/// More tasks wanted the CPUs than there are: how busy these were, and what shows that tasks queued for them.
pub(crate) fn cpu_saturation(run: &Run, window: &Window) -> Option<(f64, String)> {
    let time = window.cpu();
    let busy = time.ratio(time.busy_ns().saturating_add(time.steal_ns))?;
    if busy <= CPU_BUSY {
        return None;
    }
    // One of them is the thread that reads.
    let others = |counters: &Counters| Some(counters.procs_running?.saturating_sub(1) as f64);
    let at_end = others(&window.to)?;
    let Some(cpus) = Some(run.host.cpu.online).filter(|online| *online > 0).map(f64::from) else {
        // Some recordings do not tell how many there are: only that none was idle.
        let none_idle = window.kind == WindowKind::Recorded && busy >= ALL_BUSY && at_end > QUEUED;
        let share = super::percent(busy);
        return none_idle.then(|| (busy, format!("busy {share}, {at_end:.0} runnable, no CPU idle")));
    };
    let at_both = others(&window.from).map(|at_start| at_start.min(at_end));
    // Runnable tasks are a sample, the CPU time is not: with no CPU idle over a long stretch the sample at its end suffices.
    let lasting = window.seconds() >= LASTING_S && busy >= ALL_BUSY && at_end > QUEUED * cpus;
    let running = if lasting { at_end } else { at_both? };
    let waited =
        rate(window, |counters| Some(counters.pressure.as_ref()?.cpu_some_us)).map(|us| (us / 1e6).min(1.0));
    let queued = match waited {
        Some(waited) => waited > WAITED && running >= cpus,
        // Where the kernel counts no waiting, no idle moment and a task without a CPU at both ends say the same.
        None => running > QUEUED * cpus || (busy >= ALL_BUSY && running > cpus),
    };
    let waited = waited
        .map_or(String::new(), |waited| format!(", tasks waited {} of the time", super::percent(waited)));
    queued.then(|| {
        let cpus = super::words::counted(run.host.cpu.online, "CPU");
        (busy, format!("busy {}, {running:.0} runnable on {cpus}{waited}", super::percent(busy)))
    })
}

/// How much a counter of a control group grew over all windows together.
pub(crate) fn grown_in_group(run: &Run, path: &str, pick: fn(&CgroupCounters) -> Option<u64>) -> Option<u64> {
    grown_in_all(run, |counters| counters.cgroups.iter().find(|group| group.path == path).and_then(pick))
}

/// What a device did in a window, and for how long, s.
pub(crate) fn disk_activity(window: &Window, device: &str) -> Option<Activity> {
    let (from, to) = (window.from.disks.get(device)?, window.to.disks.get(device)?);
    let seconds = window.seconds();
    (seconds > 0.0).then(|| Activity::between(from, to, seconds))
}

/// A device's work over a window (`iostat`'s columns).
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Activity {
    /// Reads and writes completed.
    pub(crate) ios: u64,
    /// The same, per second.
    pub(crate) io_per_s: f64,
    /// Bytes moved a second.
    pub(crate) bytes_per_s: f64,
    /// Mean time of one in the queue and the device, ms.
    pub(crate) await_ms: f64,
    /// Reads completed.
    pub(crate) reads: u64,
    /// Writes completed.
    pub(crate) writes: u64,
    /// Mean time of a read, ms; `None`: there was none.
    pub(crate) read_await_ms: Option<f64>,
    /// Mean time of a write, ms.
    pub(crate) write_await_ms: Option<f64>,
    /// Share of the time with a request in flight; `None`: not counted.
    pub(crate) busy: Option<f64>,
    /// Busy time for each request, ms.
    pub(crate) service_ms: Option<f64>,
    /// Mean number in queue and device.
    pub(crate) queue_mean: f64,
    /// Mean time of a flush, ms, where flushes were counted and some completed.
    pub(crate) flush_await_ms: Option<f64>,
}

impl Activity {
    /// From the counters at both ends (Linux Documentation/admin-guide/iostats.rst, fields 1 to 17).
    pub(crate) fn between(from: &DiskCounters, to: &DiskCounters, seconds: f64) -> Self {
        let since = |read: fn(&DiskCounters) -> u64| read(to).saturating_sub(read(from));
        let (reads, writes) = (since(|c| c.reads), since(|c| c.writes));
        let ios = reads.saturating_add(writes);
        let mean = |ms: u64, count: u64| (count > 0).then(|| ms as f64 / count as f64);
        let busy_ms = since(|c| c.busy_ms);
        // A recording without utilisation has work and no busy time.
        let busy = (busy_ms > 0 || ios == 0).then(|| busy_ms as f64 / (seconds * 1e3));
        let bytes = since(|c| c.read_bytes).saturating_add(since(|c| c.write_bytes));
        let time_ms = since(|c| c.read_ms).saturating_add(since(|c| c.write_ms));
        let flushes = to.flushes.zip(from.flushes).map(|(to, from)| to.saturating_sub(from));
        let flush_ms = to.flush_ms.zip(from.flush_ms).map(|(to, from)| to.saturating_sub(from));
        Self {
            ios,
            io_per_s: ios as f64 / seconds,
            bytes_per_s: bytes as f64 / seconds,
            await_ms: if ios == 0 { 0.0 } else { time_ms as f64 / ios as f64 },
            reads,
            writes,
            read_await_ms: mean(since(|c| c.read_ms), reads),
            write_await_ms: mean(since(|c| c.write_ms), writes),
            busy,
            service_ms: busy.and(mean(busy_ms, ios)).filter(|ms| *ms > 0.0),
            queue_mean: since(|c| c.weighted_ms) as f64 / (seconds * 1e3),
            flush_await_ms: flushes
                .zip(flush_ms)
                .filter(|(count, _)| *count > 0)
                .map(|(count, ms)| ms as f64 / count as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The founding iostat lines: 311296 sectors/s at 303 requests/s, 308 r/s at 14.49 ms.
    #[test]
    fn activity_follows_iostat() {
        let to = DiskCounters {
            reads: 308,
            read_bytes: 319_488 * 512,
            read_ms: 4_463,
            weighted_ms: 4_463,
            ..DiskCounters::default()
        };
        let activity = Activity::between(&DiskCounters::default(), &to, 1.0);
        assert!((activity.await_ms - 14.49).abs() < 0.01);
        assert!((activity.queue_mean - 4.46).abs() < 0.01);
        assert!((activity.bytes_per_s / activity.io_per_s / 1024.0 - 518.6).abs() < 0.1);
        assert_eq!(activity.flush_await_ms, None);
    }

    #[test]
    fn the_mean_request_of_the_founding_lines() {
        let request = |sectors: u64, requests: u64| {
            let to = DiskCounters { reads: requests, read_bytes: sectors * 512, ..DiskCounters::default() };
            let activity = Activity::between(&DiskCounters::default(), &to, 1.0);
            activity.bytes_per_s / activity.io_per_s
        };
        // A 1 MiB read is split in two: the driver's limit is 512 KiB.
        assert!((request(311_296, 303) / 512.0 - 1027.4).abs() < 0.05);
        assert!((request(311_296, 303) / 1024.0 - 513.7).abs() < 0.05);
        assert!((request(21_868, 5_467) - 2048.0).abs() < 0.5);
    }
}
