//! The busiest threads, with what they wait for: a process may show 0 % while its threads burn, and a thread
//! that sleeps in `io_schedule` tells more than any load average.

use super::process::{ProcessStat, ProcessTimes, all, parse_stat};
use super::stat;
use crate::{CountersAsk, Root};
use fullwire_model::counters::ThreadCounters;
use std::time::Duration;

/// Without an earlier reading to compare with, this long a look tells who runs now.
const LOOK: Duration = Duration::from_millis(50);

/// Processes whose threads are listed.
const MAX_PROCESSES: usize = 16;

/// Threads of one process that are looked at.
const MAX_THREADS: usize = 4096;

pub(super) fn busiest(root: &Root, ask: &CountersAsk) -> Vec<ThreadCounters> {
    let earlier = match &ask.busy_since {
        Some(times) => times.clone(),
        None if root.is_live() => {
            let times = ProcessTimes::read(root);
            std::thread::sleep(LOOK);
            times
        }
        None => ProcessTimes::default(),
    };
    let tick_ns = stat::tick_ns(root);
    let mut threads: Vec<(u64, ThreadCounters)> = Vec::new();
    for (busy_ns, process) in busiest_processes(all(root, &mut Vec::new()), &earlier) {
        threads.extend(of_process(root, &process, tick_ns).into_iter().map(|thread| (busy_ns, thread)));
    }
    // Those that run or wait for a device first, then by the process's recent and the thread's own time.
    threads.sort_by_key(|(busy_ns, thread)| {
        let rank = match thread.state.as_str() {
            "R" => 0,
            "D" => 1,
            _ => 2,
        };
        (rank, std::cmp::Reverse(*busy_ns), std::cmp::Reverse(thread.user_ns + thread.system_ns))
    });
    let mut threads: Vec<ThreadCounters> =
        threads.into_iter().map(|(_, thread)| thread).take(ask.threads).collect();
    for thread in &mut threads {
        thread.wait_channel = wait_channel(root, thread);
    }
    threads
}

/// The processes that used most CPU since then, and those that wait for a device.
fn busiest_processes(all: Vec<ProcessStat>, earlier: &ProcessTimes) -> Vec<(u64, ProcessStat)> {
    let mut order: Vec<(u64, ProcessStat)> = all
        .into_iter()
        .map(|process| {
            let before = earlier.0.get(&process.pid).copied().unwrap_or(0);
            (process.cpu_ns().saturating_sub(before), process)
        })
        .collect();
    order.sort_by_key(|(busy_ns, process)| {
        (std::cmp::Reverse(*busy_ns), process.state != 'D', std::cmp::Reverse(process.cpu_ns()))
    });
    order.truncate(MAX_PROCESSES);
    order
}

fn of_process(root: &Root, process: &ProcessStat, tick_ns: u64) -> Vec<ThreadCounters> {
    let directory = format!("/proc/{}/task", process.pid);
    let tids = root.list(&directory).into_iter().take(MAX_THREADS);
    tids.filter_map(|tid| {
        let thread = parse_stat(&root.attribute(&format!("{directory}/{tid}/stat"))?, tick_ns, 0)?;
        Some(ThreadCounters {
            pid: process.pid,
            tid: thread.pid,
            process: process.name.clone(),
            name: thread.name,
            state: thread.state.to_string(),
            wait_channel: String::new(),
            user_ns: thread.user_ns,
            system_ns: thread.system_ns,
        })
    })
    .collect()
}

/// The kernel function that it sleeps in; empty for a thread that runs, or another user's.
fn wait_channel(root: &Root, thread: &ThreadCounters) -> String {
    let path = format!("/proc/{}/task/{}/wchan", thread.pid, thread.tid);
    root.attribute(&path).filter(|name| name != "0").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, state: char, cpu_ns: u64) -> ProcessStat {
        ProcessStat { pid, state, user_ns: cpu_ns, ..ProcessStat::default() }
    }

    #[test]
    fn what_was_busy_since_counts_and_not_the_total() {
        let earlier = ProcessTimes([(1, 9_000), (2, 10), (3, 5)].into());
        let all = vec![process(1, 'S', 9_000), process(2, 'S', 500), process(3, 'D', 5)];
        let order: Vec<u32> =
            busiest_processes(all, &earlier).iter().map(|(_, process)| process.pid).collect();
        assert_eq!(order, [2, 3, 1]);
    }

    #[test]
    fn a_thread_that_burns_is_seen_behind_a_sleeping_leader() {
        let stop = std::sync::atomic::AtomicBool::new(false);
        let root = Root::live().expect("opened");
        std::thread::scope(|scope| {
            let burner = std::thread::Builder::new().name("burner".to_owned());
            let spin = || {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            };
            burner.spawn_scoped(scope, spin).expect("started");
            let ask = CountersAsk { threads: 64, ..CountersAsk::default() };
            let threads = busiest(&root, &ask);
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            assert!(threads.iter().any(|thread| thread.name == "burner"), "{threads:?}");
        });
    }
}
