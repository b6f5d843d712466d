//! What a span of counters comes to, under the names that imported series have: one axis for both.

use crate::Window;
use crate::counters::{Counters, DiskCounters, NfsCounters, NicCounters};
use crate::quantity::Unit;

/// One figure of one subject over a span.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure<'a> {
    /// `disk`, `cpu`, `nic`, `memory`, `nfs`, `system`.
    pub area: &'static str,
    /// The device, interface or mount; `all` for the CPUs, empty for the host.
    pub subject: &'a str,
    /// The metric, with its unit last.
    pub metric: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// The value: a mean over the span, or the level at its end.
    pub value: f64,
}

/// Milliseconds to nanoseconds.
const MS: f64 = 1e6;

/// All figures of a span whose wraps and resets were undone ([`Window::continuous`]). Of a subject that was not read at
/// both ends there is none, and no time of a request where none was completed.
pub fn figures(window: &Window) -> Vec<Figure<'_>> {
    let seconds = window.seconds();
    let mut found = Vec::new();
    if seconds <= 0.0 {
        return found;
    }
    let (from, to) = (&window.from, &window.to);
    cpu(&mut found, from, to);
    for (name, now) in &to.disks {
        if let Some(then) = from.disks.get(name) {
            disk(&mut found, name, then, now, seconds);
        }
    }
    for (name, now) in &to.nics {
        if let Some(then) = from.nics.get(name) {
            nic(&mut found, name, then, now, seconds);
        }
    }
    for (mount, now) in &to.nfs {
        if let Some(then) = from.nfs.get(mount) {
            nfs(&mut found, mount, then, now, seconds);
        }
    }
    host(&mut found, from, to, seconds);
    found
}

fn per_s(now: u64, then: u64, seconds: f64) -> f64 {
    now.saturating_sub(then) as f64 / seconds
}

fn cpu(found: &mut Vec<Figure>, from: &Counters, to: &Counters) {
    let spent = to.cpu.since(&from.cpu);
    let ratios = [
        ("busy_ratio", spent.busy_ns()),
        ("iowait_ratio", spent.iowait_ns),
        ("steal_ratio", spent.steal_ns),
        ("idle_ratio", spent.idle_ns),
    ];
    found.extend(ratios.into_iter().filter_map(|(metric, ns)| {
        Some(Figure { area: "cpu", subject: "all", metric, unit: Unit::Ratio, value: spent.ratio(ns)? })
    }));
}

fn disk<'a>(
    found: &mut Vec<Figure<'a>>,
    subject: &'a str,
    then: &DiskCounters,
    now: &DiskCounters,
    seconds: f64,
) {
    let mut add = |metric, unit, value| found.push(Figure { area: "disk", subject, metric, unit, value });
    add("read_bytes_per_s", Unit::BytesPerS, per_s(now.read_bytes, then.read_bytes, seconds));
    add("write_bytes_per_s", Unit::BytesPerS, per_s(now.write_bytes, then.write_bytes, seconds));
    add("read_io_per_s", Unit::IoPerS, per_s(now.reads, then.reads, seconds));
    add("write_io_per_s", Unit::IoPerS, per_s(now.writes, then.writes, seconds));
    // A device that hangs completes nothing, and its mean queue reads 0 on newer kernels.
    let queue = per_s(now.weighted_ms, then.weighted_ms, seconds) / 1e3;
    add("queue_mean", Unit::Count, queue.max(now.in_flight as f64));
    let times = [
        ("read_await_ns", now.reads.saturating_sub(then.reads), now.read_ms.saturating_sub(then.read_ms)),
        (
            "write_await_ns",
            now.writes.saturating_sub(then.writes),
            now.write_ms.saturating_sub(then.write_ms),
        ),
    ];
    for (metric, requests, ms) in times.into_iter().filter(|(_, requests, _)| *requests > 0) {
        add(metric, Unit::Ns, ms as f64 * MS / requests as f64);
    }
}

fn nic<'a>(
    found: &mut Vec<Figure<'a>>,
    subject: &'a str,
    then: &NicCounters,
    now: &NicCounters,
    seconds: f64,
) {
    let rates = [
        ("rx_bytes_per_s", Unit::BytesPerS, now.rx_bytes, then.rx_bytes),
        ("tx_bytes_per_s", Unit::BytesPerS, now.tx_bytes, then.tx_bytes),
        ("rx_drops_per_s", Unit::PerS, now.rx_dropped, then.rx_dropped),
    ];
    found.extend(rates.map(|(metric, unit, now, then)| Figure {
        area: "nic",
        subject,
        metric,
        unit,
        value: per_s(now, then, seconds),
    }));
}

fn nfs<'a>(
    found: &mut Vec<Figure<'a>>,
    subject: &'a str,
    then: &NfsCounters,
    now: &NfsCounters,
    seconds: f64,
) {
    let sum = |of: fn(&crate::counters::NfsOperation) -> u64| -> u64 {
        let grown = now.operations.iter().map(|(name, operation)| {
            then.operations.get(name).map_or(0, |then| of(operation).saturating_sub(of(then)))
        });
        grown.sum()
    };
    let operations = sum(|one| one.operations);
    let mut add = |metric, unit, value| found.push(Figure { area: "nfs", subject, metric, unit, value });
    add("io_per_s", Unit::IoPerS, operations as f64 / seconds);
    if operations > 0 {
        add("await_ns", Unit::Ns, sum(|one| one.execute_ms) as f64 * MS / operations as f64);
    }
}

/// Counters of the whole host: their kernel's name, the figure's area and name.
const COUNTED: [(&str, &str, &str); 5] = [
    ("TcpRetransSegs", "system", "tcp_retransmits_per_s"),
    ("TcpOutSegs", "system", "tcp_segments_out_per_s"),
    ("pswpin", "memory", "swap_in_pages_per_s"),
    ("pswpout", "memory", "swap_out_pages_per_s"),
    ("pgmajfault", "memory", "major_faults_per_s"),
];

fn host(found: &mut Vec<Figure>, from: &Counters, to: &Counters, seconds: f64) {
    let mut add = |area, metric, unit, value| found.push(Figure { area, subject: "", metric, unit, value });
    for (name, area, metric) in COUNTED {
        let of = |counters: &Counters| counters.snmp.get(name).or(counters.vmstat.get(name)).copied();
        if let (Some(now), Some(then)) = (of(to), of(from)) {
            add(area, metric, Unit::PerS, per_s(now, then, seconds));
        }
    }
    if let Some(bytes) = to.mem_available_bytes {
        add("memory", "available_bytes", Unit::Bytes, bytes as f64);
    }
    if let Some(running) = to.procs_running {
        add("system", "runnable", Unit::Count, running as f64);
    }
    if let Some(blocked) = to.procs_blocked {
        add("system", "blocked", Unit::Count, blocked as f64);
    }
    if let (Some(now), Some(then)) = (&to.pressure, &from.pressure) {
        let ratios = [
            ("cpu_pressure_ratio", now.cpu_some_us, then.cpu_some_us),
            ("io_pressure_ratio", now.io_some_us, then.io_some_us),
            ("memory_pressure_ratio", now.memory_some_us, then.memory_some_us),
        ];
        for (metric, now, then) in ratios {
            add("system", metric, Unit::Ratio, per_s(now, then, seconds) / 1e6);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::CpuTime;

    #[test]
    fn figures_are_means_over_the_span() {
        let disk = |reads, read_bytes, read_ms| DiskCounters {
            reads,
            read_bytes,
            read_ms,
            in_flight: 3,
            ..DiskCounters::default()
        };
        let from = Counters {
            disks: [("sda".to_owned(), disk(10, 1000, 5))].into(),
            cpu: CpuTime { user_ns: 100, idle_ns: 100, ..CpuTime::default() },
            ..Counters::default()
        };
        let mut to = from.clone();
        to.monotonic_ns = 2_000_000_000;
        to.disks.insert("sda".into(), disk(30, 5000, 45));
        to.cpu = CpuTime { user_ns: 400, idle_ns: 200, ..CpuTime::default() };
        let window = Window { from, to, ..Window::default() };
        let all = figures(&window);
        let of = |metric: &str| all.iter().find(|one| one.metric == metric).map(|one| one.value);
        assert_eq!(of("read_bytes_per_s"), Some(2000.0));
        assert_eq!(of("read_io_per_s"), Some(10.0));
        assert_eq!(of("read_await_ns"), Some(2e6));
        assert_eq!(of("write_await_ns"), None, "nothing was written");
        assert_eq!(of("queue_mean"), Some(3.0), "requests that wait now");
        assert_eq!(of("busy_ratio"), Some(0.75));
    }

    #[test]
    fn a_span_without_a_length_has_no_figures() {
        assert_eq!(figures(&Window::default()), []);
    }
}
