//! The busiest threads, with what they wait for: a process may show 0 % while its threads burn, and a thread
//! that sleeps in `io_schedule` says more than any load average.

use super::process::all;
use super::process_io;
use super::process_stat::parse_stat;
use super::stat;
use crate::system::process_stat::ProcessStat;
use crate::{CountersAsk, Root, monotonic_ns};
use fullwire_model::counters::ThreadCounters;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

/// Without an earlier reading to compare with, this long a look tells who runs now.
const LOOK: Duration = Duration::from_millis(50);

/// Processes whose threads are listed.
const MAX_PROCESSES: usize = 16;

/// Threads of one process that are looked at.
const MAX_THREADS: usize = 4096;

/// Threads of all processes together whose times are kept.
const MAX_TIMES: usize = 65_536;

/// CPU time of all processes and threads at one moment, for telling later which were busy since.
#[derive(Debug, Clone, Default)]
pub struct CpuTimes {
    processes: BTreeMap<u32, u64>,
    /// Of processes with several threads; the number of a thread is that of no other one.
    threads: BTreeMap<u32, u64>,
    /// Bytes read and written by each thread that we may look at.
    pub(super) io: BTreeMap<u32, [u64; 2]>,
    /// When that was, by the monotonic clock.
    pub(super) read_ns: u64,
}

impl CpuTimes {
    /// Reads them now.
    pub fn read(root: &Root) -> Self {
        let tick_ns = stat::tick_ns(root);
        let mut times = Self { read_ns: monotonic_ns(root), ..Self::default() };
        for process in all(root, &mut Vec::new()) {
            if process.threads > 1 && times.threads.len() < MAX_TIMES {
                let threads = stats_of(root, process.pid, tick_ns);
                times.threads.extend(threads.map(|thread| (thread.pid, thread.cpu_ns())));
            }
            if root.is_live() && times.io.len() < MAX_TIMES {
                times.io.extend(process_io::of_threads(root, process.pid));
            }
            times.processes.insert(process.pid, process.cpu_ns());
        }
        times
    }

    /// A thread's time then; a process of one thread is that thread. One that was not there had used none.
    fn of_thread(&self, tid: u32) -> u64 {
        self.threads.get(&tid).or_else(|| self.processes.get(&tid)).copied().unwrap_or(0)
    }
}

pub(super) fn busiest(root: &Root, ask: &CountersAsk) -> Vec<ThreadCounters> {
    let earlier = match &ask.busy_since {
        Some(times) => times.clone(),
        None if root.is_live() => {
            let times = CpuTimes::read(root);
            std::thread::sleep(LOOK);
            times
        }
        None => CpuTimes::default(),
    };
    let tick_ns = stat::tick_ns(root);
    let mut threads: Vec<(u64, ThreadCounters)> = Vec::new();
    for (busy_ns, process) in busiest_processes(all(root, &mut Vec::new()), &earlier) {
        let own = of_process(root, &process, &earlier, tick_ns);
        threads.extend(own.into_iter().map(|thread| (busy_ns, thread)));
    }
    // By what each used lately; of those that used none the waiting ones first, then those of busy processes.
    threads.sort_by_key(|(busy_ns, thread)| {
        let rank = match thread.state.as_str() {
            "D" => 0,
            "R" => 1,
            _ => 2,
        };
        (
            Reverse(thread.recent_ns),
            rank,
            Reverse(*busy_ns),
            Reverse(thread.user_ns.saturating_add(thread.system_ns)),
        )
    });
    let mut threads: Vec<ThreadCounters> =
        threads.into_iter().map(|(_, thread)| thread).take(ask.threads).collect();
    for thread in &mut threads {
        thread.wait_channel = wait_channel(root, thread);
    }
    threads
}

/// The processes that used most CPU since then, and those that wait for a device.
fn busiest_processes(all: Vec<ProcessStat>, earlier: &CpuTimes) -> Vec<(u64, ProcessStat)> {
    let mut order: Vec<(u64, ProcessStat)> = all
        .into_iter()
        .map(|process| {
            let before = earlier.processes.get(&process.pid).copied().unwrap_or(0);
            (process.cpu_ns().saturating_sub(before), process)
        })
        .collect();
    order.sort_by_key(|(busy_ns, process)| {
        (Reverse(*busy_ns), process.state != 'D', Reverse(process.cpu_ns()))
    });
    order.truncate(MAX_PROCESSES);
    order
}

/// The `stat` lines of a process's threads.
fn stats_of(root: &Root, pid: u32, tick_ns: u64) -> impl Iterator<Item = ProcessStat> {
    let directory = format!("/proc/{pid}/task");
    let tids = root.list(&directory).into_iter().take(MAX_THREADS);
    tids.filter_map(move |tid| parse_stat(&root.attribute(&format!("{directory}/{tid}/stat"))?, tick_ns, 0))
}

fn of_process(root: &Root, process: &ProcessStat, earlier: &CpuTimes, tick_ns: u64) -> Vec<ThreadCounters> {
    let known = !earlier.processes.is_empty();
    let counters = |thread: ProcessStat| ThreadCounters {
        pid: process.pid,
        tid: thread.pid,
        process: process.name.clone(),
        recent_ns: if known { thread.cpu_ns().saturating_sub(earlier.of_thread(thread.pid)) } else { 0 },
        name: thread.name,
        state: thread.state.to_string(),
        wait_channel: String::new(),
        user_ns: thread.user_ns,
        system_ns: thread.system_ns,
    };
    stats_of(root, process.pid, tick_ns).map(counters).collect()
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
        let earlier = CpuTimes { processes: [(1, 9_000), (2, 10), (3, 5)].into(), ..CpuTimes::default() };
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
            let burner = threads.iter().find(|thread| thread.name == "burner").expect("listed");
            assert!(burner.recent_ns > 0, "{burner:?}");
        });
    }
}
