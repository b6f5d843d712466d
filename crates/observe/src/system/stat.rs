//! CPU time, load, pressure, virtual-memory and file counters.

use super::uptime::load_said;
use crate::Root;
use crate::root::malformed;
use fullwire_model::counters::{Counters, CpuTime, Pressure};
use fullwire_model::{Gap, GapReason};
use std::collections::BTreeMap;

/// Nearly every kernel is built with this many ticks a second as user space sees them.
const CAPTURED_TICKS_PER_S: u64 = 100;

/// The fields of `/proc/vmstat` that rules read; the other hundred are left out. A prefix takes in the
/// zones of older kernels (`allocstall_normal`, `pgscan_direct_normal`).
const VMSTAT: [&str; 24] = [
    "balloon_inflate", "balloon_deflate", "pswpin", "pswpout", "pgpgin", "pgpgout", "pgmajfault",
    "allocstall", "pgscan_direct", "pgscan_kswapd", "pgsteal_direct", "pgsteal_kswapd", "oom_kill",
    "numa_miss", "numa_foreign", "numa_pages_migrated", "compact_stall", "thp_fault_alloc", "thp_split_page",
    "workingset_refault", "nr_dirty", "nr_writeback", "balance_dirty", "zone_reclaim_failed",
];

/// ns of one tick.
pub(super) fn tick_ns(root: &Root) -> u64 {
    let ticks = root.answer("ticks per second", || Ok(rustix::param::clock_ticks_per_second()));
    let ticks = ticks.unwrap_or(CAPTURED_TICKS_PER_S);
    1_000_000_000 / ticks.max(1)
}

pub(super) fn read(root: &Root, counters: &mut Counters) {
    if let Some(text) = root.read("/proc/stat", &mut counters.gaps) {
        stat(&text, tick_ns(root), counters);
    }
    counters.load = load_said(root);
    if counters.load.is_none()
        && let Some(text) = root.read("/proc/loadavg", &mut counters.gaps)
    {
        counters.load = loadavg(&text);
        if counters.load.is_none() {
            counters.gaps.push(malformed("/proc/loadavg", 1, "not three load averages"));
        }
    }
    if let Some(text) = root.read("/proc/vmstat", &mut counters.gaps) {
        counters.vmstat = vmstat(&text, &mut counters.gaps);
    }
    counters.pressure = pressure(root, &mut counters.gaps);
    let first = |text: String| text.split_whitespace().next()?.parse().ok();
    counters.files_open = super::sysctl::value(root, "fs/file-nr").and_then(first);
    counters.aio_nr = super::sysctl::value(root, "fs/aio-nr").and_then(first);
}

fn stat(text: &str, tick_ns: u64, counters: &mut Counters) {
    for (index, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        let Some(name) = words.next() else { continue };
        let number = |word: Option<&str>| word.and_then(|word| word.parse::<u64>().ok());
        let understood = match name.strip_prefix("cpu") {
            Some(cpu) => match (cpu_time(words, tick_ns), cpu.parse::<u32>()) {
                (Some(time), Ok(cpu)) => counters.cpus.insert(cpu, time).is_none(),
                (Some(time), Err(_)) if cpu.is_empty() => {
                    counters.cpu = time;
                    true
                }
                _ => false,
            },
            None if name == "procs_running" => {
                counters.procs_running = number(words.next());
                counters.procs_running.is_some()
            }
            None if name == "procs_blocked" => {
                counters.procs_blocked = number(words.next());
                counters.procs_blocked.is_some()
            }
            None => true,
        };
        if !understood {
            counters.gaps.push(malformed("/proc/stat", index + 1, "not the expected numbers"));
        }
    }
}

/// user nice system idle iowait irq softirq steal; guest time is part of user time.
fn cpu_time<'a>(words: impl Iterator<Item = &'a str>, tick_ns: u64) -> Option<CpuTime> {
    let mut ns = [0_u64; 8];
    let mut count = 0;
    for (slot, word) in ns.iter_mut().zip(words) {
        *slot = word.parse::<u64>().ok()?.saturating_mul(tick_ns);
        count += 1;
    }
    let [user_ns, nice_ns, system_ns, idle_ns, iowait_ns, irq_ns, softirq_ns, steal_ns] = ns;
    (count >= 4).then_some(CpuTime {
        user_ns,
        nice_ns,
        system_ns,
        idle_ns,
        iowait_ns,
        irq_ns,
        softirq_ns,
        steal_ns,
    })
}

fn loadavg(text: &str) -> Option<[f64; 3]> {
    let mut words =
        text.split_whitespace().map(|word| word.parse::<f64>().ok().filter(|load| load.is_finite()));
    Some([words.next()??, words.next()??, words.next()??])
}

fn vmstat(text: &str, gaps: &mut Vec<Gap>) -> BTreeMap<String, u64> {
    let mut fields = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        if !VMSTAT.iter().any(|prefix| name.starts_with(prefix)) {
            continue;
        }
        match value.trim().parse() {
            Ok(value) => {
                fields.insert(name.to_owned(), value);
            }
            Err(_) => gaps.push(malformed("/proc/vmstat", index + 1, "no number")),
        }
    }
    fields
}

/// The totals of `/proc/pressure`, or why there are none: old kernels lack it, some distributions switch it off.
fn pressure(root: &Root, gaps: &mut Vec<Gap>) -> Option<Pressure> {
    let read = |name: &str| root.try_read(&format!("/proc/pressure/{name}"), 4096).map(|(text, _)| text);
    let cpu = match read("cpu") {
        Ok(text) => text,
        Err(error) => {
            let mut gap = crate::root::gap_of("/proc/pressure", &error);
            if gap.reason != GapReason::Denied {
                gap.detail += "; the kernel is older than 4.20, or needs psi=1 on its command line";
            }
            gaps.push(gap);
            return None;
        }
    };
    let (memory, io) = (read("memory").unwrap_or_default(), read("io").unwrap_or_default());
    let total = |path: &str, text: &str, kind: &str, gaps: &mut Vec<Gap>| {
        pressure_total_us(text, kind).unwrap_or_else(|| {
            gaps.push(malformed(path, 1, &format!("no total of \"{kind}\"")));
            0
        })
    };
    Some(Pressure {
        cpu_some_us: total("/proc/pressure/cpu", &cpu, "some", gaps),
        memory_some_us: total("/proc/pressure/memory", &memory, "some", gaps),
        memory_full_us: total("/proc/pressure/memory", &memory, "full", gaps),
        io_some_us: total("/proc/pressure/io", &io, "some", gaps),
        io_full_us: total("/proc/pressure/io", &io, "full", gaps),
        memory_some_300s_ratio: pressure_mean(&memory, "some"),
    })
}

/// `some avg10=0.00 avg60=0.00 avg300=0.00 total=1234`.
pub(super) fn pressure_total_us(text: &str, kind: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.split(' ').next() == Some(kind))?;
    line.rsplit_once("total=")?.1.trim().parse().ok()
}

/// `avg300` of such a line, as a share: the file has percent.
pub(super) fn pressure_mean(text: &str, kind: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.split(' ').next() == Some(kind))?;
    let percent = line.split(' ').find_map(|word| word.strip_prefix("avg300="))?;
    percent.parse().ok().filter(|percent| (0.0..=100.0).contains(percent)).map(|percent: f64| percent / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STAT: &str = "cpu  10 1 5 100 7 2 3 4 9 0\ncpu0 10 1 5 100 7 2 3 4 9 0\nintr 5 0 1\nctxt 9\n\
                        procs_running 3\nprocs_blocked 1\nsoftirq 8 1\n";

    #[test]
    fn reads_cpu_times_with_steal() {
        let mut counters = Counters::default();
        stat(STAT, 10_000_000, &mut counters);
        assert_eq!(counters.gaps, []);
        assert_eq!((counters.cpu.user_ns, counters.cpu.steal_ns), (100_000_000, 40_000_000));
        assert_eq!(counters.cpus[&0].iowait_ns, 70_000_000);
        assert_eq!((counters.procs_running, counters.procs_blocked), (Some(3), Some(1)));
    }

    #[test]
    fn a_bad_line_is_a_gap_with_its_number() {
        let mut counters = Counters::default();
        stat("cpu 1 2 3 4\ncpu0 1 x 3 4\n", 1, &mut counters);
        assert_eq!(counters.gaps[0].detail, "/proc/stat:2: not the expected numbers");
    }

    #[test]
    fn reads_totals_of_pressure() {
        let text = "some avg10=0.00 avg60=0.12 avg300=0.00 total=98765\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=4\n";
        assert_eq!(pressure_total_us(text, "some"), Some(98_765));
        assert_eq!(pressure_total_us(text, "full"), Some(4));
        assert_eq!(pressure_total_us("some total=x", "some"), None);
        assert_eq!(pressure_mean("some avg10=0.00 avg60=0.12 avg300=12.50 total=9", "some"), Some(0.125));
        assert_eq!(pressure_mean("some avg10=0.00 avg300=nan total=9", "some"), None);
    }

    #[test]
    fn vmstat_keeps_what_rules_read() {
        let fields = vmstat("nr_free_pages 5\npswpout 7\nallocstall_normal 2\noom_kill x\n", &mut Vec::new());
        assert_eq!(fields, BTreeMap::from([("pswpout".to_owned(), 7), ("allocstall_normal".to_owned(), 2)]));
    }

    proptest! {
        #[test]
        fn mangled_text_never_panics(at in 0..STAT.len(), byte in any::<char>(), noise in ".{0,200}") {
            let mut mangled: String = STAT.chars().take(at).collect();
            mangled.push(byte);
            mangled.push_str(&noise);
            let mut counters = Counters::default();
            stat(&mangled, u64::MAX, &mut counters);
            vmstat(&mangled, &mut counters.gaps);
            let _ = (loadavg(&noise), pressure_total_us(&noise, "some"));
            prop_assert!(counters.gaps.iter().all(|gap| gap.detail.contains(": ")));
        }
    }
}
