//! Processors, memory, pressure, threads, databases.

use super::per_s;
use fullwire_model::Window;
use fullwire_model::counters::Counters;
use fullwire_model::host::Host;
use fullwire_model::live::{LiveCpu, LiveDatabase, LiveMemory, LivePressure, LiveProcess, LiveThread};

/// A recording reads threads this often, s.
const THREADS_EVERY_S: f64 = 10.0;

pub(super) fn cpu(host: &Host, window: &Window) -> LiveCpu {
    let (from, to) = (&window.from, &window.to);
    let time = window.cpu();
    let busiest = to.cpus.iter().filter_map(|(cpu, time)| {
        let time = time.since(from.cpus.get(cpu)?);
        Some((*cpu, time.ratio(time.busy_ns())?))
    });
    LiveCpu {
        cpus: host.cpu.online,
        busy: time.ratio(time.busy_ns()),
        system: time.ratio(time.system_ns),
        softirq: time.ratio(time.softirq_ns.saturating_add(time.irq_ns)),
        iowait: time.ratio(time.iowait_ns),
        steal: time.ratio(time.steal_ns),
        busiest: busiest.max_by(|one, other| one.1.total_cmp(&other.1)),
        // One of them is the thread that reads.
        running: to.procs_running.map(|running| running.saturating_sub(1)),
        blocked: to.procs_blocked,
    }
}

pub(super) fn memory(host: &Host, window: &Window) -> LiveMemory {
    let vmstat = |name: &str| {
        let read = |counters: &Counters| counters.vmstat.get(name).copied();
        per_s(window, read(&window.from), read(&window.to))
    };
    LiveMemory {
        total_bytes: host.memory.total_bytes.unwrap_or(0),
        available_bytes: window.to.mem_available_bytes,
        swap_in_per_s: vmstat("pswpin"),
        swap_out_per_s: vmstat("pswpout"),
        major_faults_per_s: vmstat("pgmajfault"),
    }
}

pub(super) fn pressure(window: &Window) -> Option<LivePressure> {
    let (from, to) = (window.from.pressure.as_ref()?, window.to.pressure.as_ref()?);
    // µs a second to a share; the kernel adds it up in steps that may run past the window's end.
    let share =
        |from: u64, to: u64| per_s(window, Some(from), Some(to)).map(|us_per_s| (us_per_s / 1e6).min(1.0));
    Some(LivePressure {
        cpu: share(from.cpu_some_us, to.cpu_some_us)?,
        memory: share(from.memory_some_us, to.memory_some_us)?,
        io: share(from.io_some_us, to.io_some_us)?,
        io_full: share(from.io_full_us, to.io_full_us)?,
    })
}

/// Busiest first. A thread's share comes from its own times where both samples have it.
pub(super) fn threads(window: &Window) -> Vec<LiveThread> {
    let seconds = window.seconds();
    let fresh = window.from.threads != window.to.threads;
    let mut threads: Vec<LiveThread> = window
        .to
        .threads
        .iter()
        .map(|thread| {
            let before = window.from.threads.iter().find(|before| before.tid == thread.tid);
            let used =
                |one: &fullwire_model::counters::ThreadCounters| one.user_ns.saturating_add(one.system_ns);
            let cpu = match before.filter(|_| fresh && seconds > 0.0) {
                Some(before) => used(thread).saturating_sub(used(before)) as f64 / 1e9 / seconds,
                None => thread.recent_ns as f64 / 1e9 / THREADS_EVERY_S,
            };
            LiveThread {
                pid: thread.pid,
                tid: thread.tid,
                process: thread.process.clone(),
                name: thread.name.clone(),
                state: thread.state.clone(),
                wait_channel: thread.wait_channel.clone(),
                cpu: Some(cpu.min(1.0)),
            }
        })
        .collect();
    threads.sort_by(|one, other| other.cpu.unwrap_or(0.0).total_cmp(&one.cpu.unwrap_or(0.0)));
    threads
}

/// Those that moved most first.
pub(super) fn processes(window: &Window) -> Vec<LiveProcess> {
    let rated = window.to.processes.iter().filter(|process| process.over_ns > 0);
    rated
        .map(|process| {
            let rate = |bytes: u64| bytes as f64 / (process.over_ns as f64 / 1e9);
            LiveProcess {
                pid: process.pid,
                name: process.name.clone(),
                read_bytes_per_s: rate(process.recent_read_bytes),
                write_bytes_per_s: rate(process.recent_write_bytes),
                mounts: process.mounts.clone(),
            }
        })
        .collect()
}

pub(super) fn databases(host: &Host, window: &Window) -> Vec<LiveDatabase> {
    let usage = |counters: &Counters, path: &str| {
        counters.cgroups.iter().find(|group| group.path == path).and_then(|group| group.usage_us)
    };
    host.databases
        .iter()
        .map(|database| {
            // What is in the root group, or shares a group with another one, is not this database's alone.
            let shared = host.databases.iter().filter(|other| other.cgroup == database.cgroup).count() > 1;
            let group = Some(database.cgroup.as_str()).filter(|group| *group != "/" && !shared).unwrap_or("");
            let used = per_s(window, usage(&window.from, group), usage(&window.to, group));
            let mut mounts: Vec<String> = database
                .locations
                .keys()
                .filter_map(|location| Some(host.mount_of(location)?.target.clone()))
                .collect();
            mounts.sort();
            mounts.dedup();
            LiveDatabase {
                kind: database.kind.clone(),
                name: database.name.clone(),
                cpus: used.filter(|_| !group.is_empty()).map(|us_per_s| us_per_s / 1e6),
                mounts,
            }
        })
        .collect()
}
