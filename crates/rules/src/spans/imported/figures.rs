//! The figures of one record as counters at both ends of its interval.

use super::{CpuTime, Pressure};
use fullwire_model::counters::{Counters, DiskCounters, NfsCounters, NfsOperation, NicCounters, Softnet};
use std::collections::BTreeMap;

thresholds! {
    /// What sar and vmstat count memory in on all but a few architectures.
    pub(super) const PAGE_BYTES: u64 = 4096;
    /// The kernel counts the task that reads among the runnable ones; sadc and vmstat print what is left without themselves
    /// (sysstat `rd_stats.c`, `read_loadavg`; procps `sysinfo.c`, `getstat`).
    const ITSELF: u64 = 1;
    /// Busy for nearly all of an interval in which nothing completed: something was in flight for all of it.
    const STUCK: f64 = 0.95;
}

/// Values of one subject by metric.
type Values = BTreeMap<String, f64>;

/// Columns of `sar -n SOFT`, with or without `/s`.
const SOFTNET: [&str; 3] = ["total", "dropd", "squeezd"];

/// Everything that one record contains.
#[derive(Debug, Clone, Default)]
pub(super) struct Figures {
    disks: BTreeMap<String, Values>,
    nics: BTreeMap<String, Values>,
    nfs: BTreeMap<String, Values>,
    cpu: Values,
    /// Each CPU, by number.
    cpus: BTreeMap<u32, Values>,
    /// `sar -n SOFT`: each CPU by number, and their sum.
    softnet: BTreeMap<String, Values>,
    /// Memory, queues, TCP.
    host: Values,
}

impl Figures {
    pub(super) fn set(&mut self, area: &str, subject: &str, metric: &str, value: f64) {
        let values = match area {
            "disk" => self.disks.entry(subject.to_owned()).or_default(),
            "nic" => self.nics.entry(subject.to_owned()).or_default(),
            "nfs" => self.nfs.entry(subject.to_owned()).or_default(),
            // Single processes: their host's figures are elsewhere.
            "process" => return,
            "cpu" if subject == "all" => &mut self.cpu,
            "cpu" => match subject.parse() {
                Ok(number) => self.cpus.entry(number).or_default(),
                Err(_) => return,
            },
            _ if !subject.is_empty() && SOFTNET.contains(&metric.trim_end_matches("_per_s")) => {
                self.softnet.entry(subject.to_owned()).or_default()
            }
            _ => &mut self.host,
        };
        values.insert(metric.to_owned(), value);
    }

    /// Counters at the beginning and the end; levels at the beginning are those of the record before.
    pub(super) fn ends(self, seconds: f64, cpus: f64, before: Option<&Counters>) -> (Counters, Counters) {
        let mut to = Counters {
            cpu: cpu(&self.cpu, seconds * cpus),
            cpus: self.cpus.iter().map(|(number, values)| (*number, cpu(values, seconds))).collect(),
            softnet: softnet(&self.softnet, seconds),
            procs_running: level(&self.host, "runnable").map(|others| others.saturating_add(ITSELF)),
            procs_blocked: level(&self.host, "blocked"),
            pressure: pressure(&self.host, seconds),
            mem_available_bytes: level(&self.host, "available_bytes"),
            vmstat: vmstat(&self.host, seconds),
            snmp: snmp(&self.host, seconds),
            ..Counters::default()
        };
        let whole: Vec<String> =
            self.disks.keys().filter(|name| !is_part(name, &self.disks)).cloned().collect();
        to.disks = whole.into_iter().map(|name| (name.clone(), disk(&self.disks[&name], seconds))).collect();
        to.nics = self.nics.iter().map(|(name, values)| (name.clone(), nic(values, seconds))).collect();
        to.nfs = nfs(&self.nfs, seconds);
        to.rpc_client = self.nfs.get("").and_then(|values| rpc_client(values, seconds));
        let mut from = zero(&to);
        from.procs_running = before.and_then(|before| before.procs_running);
        from.procs_blocked = before.and_then(|before| before.procs_blocked).or(to.procs_blocked);
        (from, to)
    }
}

/// The same subjects at 0: what the interval began with does not matter.
fn zero(to: &Counters) -> Counters {
    let disk = |disk: &DiskCounters| DiskCounters {
        in_flight: disk.in_flight,
        flushes: disk.flushes.map(|_| 0),
        flush_ms: disk.flush_ms.map(|_| 0),
        discards: disk.discards.map(|_| 0),
        ..DiskCounters::default()
    };
    let operations = |mount: &NfsCounters| NfsCounters {
        operations: mount.operations.keys().map(|name| (name.clone(), NfsOperation::default())).collect(),
        ..NfsCounters::default()
    };
    Counters {
        cpus: to.cpus.keys().map(|number| (*number, CpuTime::default())).collect(),
        softnet: to.softnet.keys().map(|number| (*number, Softnet::default())).collect(),
        disks: to.disks.iter().map(|(name, one)| (name.clone(), disk(one))).collect(),
        nics: to.nics.keys().map(|name| (name.clone(), NicCounters::default())).collect(),
        nfs: to.nfs.iter().map(|(name, one)| (name.clone(), operations(one))).collect(),
        vmstat: to.vmstat.keys().map(|name| (name.clone(), 0)).collect(),
        snmp: to.snmp.keys().map(|name| (name.clone(), 0)).collect(),
        pressure: to.pressure.as_ref().map(|_| Pressure::default()),
        rpc_client: to.rpc_client.map(|_| [0; 3]),
        ..Counters::default()
    }
}

/// `sar -n NFS`: the calls of all mounts together, and those that were sent again.
fn rpc_client(values: &Values, seconds: f64) -> Option<[u64; 3]> {
    let of = |metric: &str| values.get(metric).map(|rate| count(rate * seconds));
    Some([of("calls_per_s")?, of("retransmits_per_s")?, 0])
}

/// A partition of a disk that is listed as well: `sda1`, `nvme0n1p2`, `dev8-5`.
fn is_part(name: &str, all: &BTreeMap<String, Values>) -> bool {
    if let Some(whole) = scsi_disk(name) {
        return whole != name && all.contains_key(&whole);
    }
    let whole = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let nvme = whole.strip_suffix('p').filter(|disk| disk.ends_with(|c: char| c.is_ascii_digit()));
    whole != name && (all.contains_key(whole) || nvme.is_some_and(|disk| all.contains_key(disk)))
}

/// The disk of `dev8-21`, as sar names it: a SCSI disk has sixteen minor numbers (Linux devices.txt, majors 8, 65 to 71).
fn scsi_disk(name: &str) -> Option<String> {
    let (major, minor) = name.strip_prefix("dev")?.split_once('-')?;
    let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
    (major == 8 || (65..=71).contains(&major)).then(|| format!("dev{major}-{}", minor / 16 * 16))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of what happened")]
fn count(value: f64) -> u64 {
    value.max(0.0).round() as u64
}

fn level(values: &Values, metric: &str) -> Option<u64> {
    values.get(metric).map(|value| count(*value))
}

fn disk(values: &Values, seconds: f64) -> DiskCounters {
    let get = |metric: &str| values.get(metric).copied();
    let (read_share, total) = split(values);
    let rate = |own: &str, share: f64| get(own).unwrap_or(total * share) * seconds;
    let (reads, writes) = (rate("read_io_per_s", read_share), rate("write_io_per_s", 1.0 - read_share));
    let await_ms = |own: &str| get(own).or_else(|| get("await_ns")).unwrap_or(0.0) / 1e6;
    // Of whole requests: the mean of what is counted is then the printed one.
    let (read_ms, write_ms) =
        (await_ms("read_await_ns") * reads.round(), await_ms("write_await_ns") * writes.round());
    let busy = get("util_ratio").unwrap_or(0.0).min(1.0);
    let queue = get("queue_mean").unwrap_or((read_ms + write_ms) / (seconds * 1e3).max(1e-9));
    let bytes = |own: &str, share: f64| get(own).unwrap_or_else(|| get("bytes_per_s").unwrap_or(0.0) * share);
    // Bytes that moved were some request's, however its count was rounded.
    let bytes_of = ["read_bytes_per_s", "write_bytes_per_s", "bytes_per_s"].map(get);
    let moved = bytes_of.iter().any(|rate| *rate > Some(0.0));
    // A monitor may have the busy time alone, and says nothing of what was completed.
    let requests_of = ["read_io_per_s", "write_io_per_s", "io_per_s"].map(get);
    let is_counted = requests_of.iter().chain(&bytes_of).any(Option::is_some);
    let stuck = is_counted && reads + writes <= 0.0 && !moved && busy >= STUCK;
    DiskCounters {
        reads: count(reads),
        read_bytes: count(bytes("read_bytes_per_s", read_share) * seconds),
        read_ms: count(read_ms),
        writes: count(writes),
        write_bytes: count(bytes("write_bytes_per_s", 1.0 - read_share) * seconds),
        write_ms: count(write_ms),
        in_flight: if stuck { count(queue).max(1) } else { 0 },
        busy_ms: count(busy * seconds * 1e3),
        weighted_ms: count(queue * seconds * 1e3),
        flushes: get("flush_io_per_s").map(|rate| count(rate * seconds)),
        flush_ms: get("flush_io_per_s")
            .zip(get("flush_await_ns"))
            .map(|(rate, ns)| count(rate * seconds * ns / 1e6)),
        discards: get("discard_io_per_s").map(|rate| count(rate * seconds)),
        ..DiskCounters::default()
    }
}

/// The share of reads, and all requests per second, if only their sum is reported: by the bytes of either direction.
fn split(values: &Values) -> (f64, f64) {
    let get = |metric: &str| values.get(metric).copied().unwrap_or(0.0);
    let (read, written) = (get("read_bytes_per_s"), get("write_bytes_per_s"));
    let share = if read + written > 0.0 { read / (read + written) } else { 0.5 };
    (share, get("io_per_s"))
}

fn nic(values: &Values, seconds: f64) -> NicCounters {
    let grown = |metric: &str| count(values.get(metric).copied().unwrap_or(0.0) * seconds);
    // `sar -n EDEV` alone has errors and no packets: none of their shares is known.
    let share = |metric: &str| if values.contains_key("rx_packets_per_s") { grown(metric) } else { 0 };
    NicCounters {
        rx_bytes: grown("rx_bytes_per_s"),
        tx_bytes: grown("tx_bytes_per_s"),
        rx_packets: grown("rx_packets_per_s"),
        tx_packets: grown("tx_packets_per_s"),
        rx_errors: grown("rx_errors_per_s"),
        tx_errors: grown("tx_errors_per_s"),
        rx_dropped: share("rx_drops_per_s"),
        tx_dropped: grown("tx_drops_per_s"),
        rx_frame_errors: share("rxfram_per_s"),
        rx_fifo_errors: grown("rx_fifo_errors_per_s"),
        collisions: grown("coll_per_s"),
        ..NicCounters::default()
    }
}

fn cpu(values: &Values, cpu_seconds: f64) -> CpuTime {
    let ns = |metric: &str| count(values.get(metric).copied().unwrap_or(0.0) * cpu_seconds * 1e9);
    CpuTime {
        user_ns: ns("user_ratio"),
        nice_ns: ns("nice_ratio"),
        system_ns: ns("system_ratio"),
        idle_ns: ns("idle_ratio"),
        iowait_ns: ns("iowait_ratio"),
        irq_ns: ns("irq_ratio"),
        softirq_ns: ns("softirq_ratio"),
        steal_ns: ns("steal_ratio"),
    }
}

/// Each CPU's input queue; where the file has only their sum, that sum as one.
fn softnet(subjects: &BTreeMap<String, Values>, seconds: f64) -> BTreeMap<u32, Softnet> {
    let read = |values: &Values| {
        let grown = |name: &str| {
            let rate = values.get(name).or_else(|| values.get(&format!("{name}_per_s")));
            count(rate.copied().unwrap_or(0.0) * seconds)
        };
        Softnet { processed: grown("total"), dropped: grown("dropd"), time_squeeze: grown("squeezd") }
    };
    let own: BTreeMap<u32, Softnet> =
        subjects.iter().filter_map(|(subject, values)| Some((subject.parse().ok()?, read(values)))).collect();
    if own.is_empty() { subjects.values().take(1).map(|values| (0, read(values))).collect() } else { own }
}

/// `sar -q PSI`: the last column of each block is the share over the interval (sar(1)).
fn pressure(values: &Values, seconds: f64) -> Option<Pressure> {
    let us = |metric: &str| values.get(metric).map(|share| count(share * seconds * 1e6));
    let (cpu, memory, io) = (us("cpu_pressure_ratio"), us("memory_pressure_ratio"), us("io_pressure_ratio"));
    if cpu.is_none() && memory.is_none() && io.is_none() {
        return None;
    }
    Some(Pressure {
        cpu_some_us: cpu.unwrap_or(0),
        memory_some_us: memory.unwrap_or(0),
        memory_full_us: us("memory_full_pressure_ratio").unwrap_or(0),
        io_some_us: io.unwrap_or(0),
        io_full_us: us("io_full_pressure_ratio").unwrap_or(0),
        memory_some_300s_ratio: None,
    })
}

/// `sar -W`, `sar -B`, `vmstat`: pages per second, or bytes.
fn vmstat(values: &Values, seconds: f64) -> BTreeMap<String, u64> {
    let pages = |metric: &str, bytes: &str| {
        let of_bytes = || values.get(bytes).map(|rate| rate / PAGE_BYTES as f64);
        values.get(metric).copied().or_else(of_bytes)
    };
    let read = [
        ("pswpin", pages("swap_in_pages_per_s", "swap_in_bytes_per_s")),
        ("pswpout", pages("swap_out_pages_per_s", "swap_out_bytes_per_s")),
        ("pgmajfault", values.get("major_faults_per_s").copied()),
    ];
    read.into_iter().filter_map(|(name, rate)| Some((name.to_owned(), count(rate? * seconds)))).collect()
}

/// `sar -n TCP,ETCP,UDP,IP,EIP` under nstat's names.
const SNMP: [(&str, &str); 4] = [
    ("tcp_segments_out_per_s", "TcpOutSegs"),
    ("tcp_retransmits_per_s", "TcpRetransSegs"),
    ("reassembly_failures_per_s", "IpReasmFails"),
    ("reassembly_requests_per_s", "IpReasmReqds"),
];

fn snmp(values: &Values, seconds: f64) -> BTreeMap<String, u64> {
    let read = SNMP.into_iter().filter_map(|(metric, name)| Some((name, *values.get(metric)?)));
    read.map(|(name, rate)| (name.to_owned(), count(rate * seconds))).collect()
}

/// `filer:/vol /mnt read`: the mount and the operation. Totals of a mount, and of the host, have none.
pub(super) fn mount_of(subject: &str) -> Option<(String, &'static str)> {
    let (mount, operation) = match subject.strip_suffix(" read") {
        Some(mount) => (mount, "READ"),
        None => (subject.strip_suffix(" write")?, "WRITE"),
    };
    let target = mount.rsplit_once(' ').map_or(mount, |(_, target)| target);
    Some((target.to_owned(), operation))
}

fn nfs(subjects: &BTreeMap<String, Values>, seconds: f64) -> BTreeMap<String, NfsCounters> {
    let mut mounts: BTreeMap<String, NfsCounters> = BTreeMap::new();
    for (subject, values) in subjects {
        let Some((mount, name)) = mount_of(subject) else { continue };
        let get = |metric: &str| values.get(metric).copied().unwrap_or(0.0);
        // nfsiostat's retransmissions are a count over its own interval.
        let operations = count(values.get("operations").copied().unwrap_or(get("io_per_s") * seconds));
        let ms = |ns: f64| count(ns / 1e6 * operations as f64);
        let queue_ns =
            values.get("queue_ns").copied().unwrap_or_else(|| (get("await_ns") - get("rtt_ns")).max(0.0));
        let operation = NfsOperation {
            operations,
            transmissions: operations + count(get("retransmits")),
            rtt_ms: ms(get("rtt_ns")),
            execute_ms: ms(get("await_ns")),
            queue_ms: ms(queue_ns),
            ..NfsOperation::default()
        };
        mounts.entry(mount).or_default().operations.insert(name.to_owned(), operation);
    }
    mounts
}
