//! What columns mean: the name that a tool prints, the metric that it becomes, its unit, and the factor.

use fullwire_model::quantity::Unit;

/// Of one printed value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Metric {
    pub(super) name: String,
    pub(super) unit: Unit,
    pub(super) factor: f64,
}

/// Printed names (`%` in front where a percentage is meant), metric, unit, factor.
type Line = (&'static [&'static str], &'static str, Unit, f64);

const SECTOR: f64 = 512.0;
/// sysstat's kB is 1024 bytes (sysstat FAQ 2.6).
const KIB: f64 = 1024.0;
const MIB: f64 = 1_048_576.0;
/// Milliseconds to nanoseconds.
const MS: f64 = 1e6;
const PERCENT: f64 = 0.01;

use Unit::{Bytes, BytesPerS, Count, IoPerS, Ns, PerS, Ratio};

/// iostat(1), sar(1) -d.
const DISK: &[Line] = &[
    (&["r/s"], "read_io_per_s", IoPerS, 1.0),
    (&["w/s"], "write_io_per_s", IoPerS, 1.0),
    (&["d/s"], "discard_io_per_s", IoPerS, 1.0),
    (&["f/s"], "flush_io_per_s", IoPerS, 1.0),
    (&["tps"], "io_per_s", IoPerS, 1.0),
    (&["rkb/s", "kb_read/s", "rkb"], "read_bytes_per_s", BytesPerS, KIB),
    (&["wkb/s", "kb_wrtn/s", "wkb"], "write_bytes_per_s", BytesPerS, KIB),
    (&["dkb/s", "kb_dscd/s", "dkb"], "discard_bytes_per_s", BytesPerS, KIB),
    (&["kb/s"], "bytes_per_s", BytesPerS, KIB),
    (&["rmb/s", "mb_read/s"], "read_bytes_per_s", BytesPerS, MIB),
    (&["wmb/s", "mb_wrtn/s"], "write_bytes_per_s", BytesPerS, MIB),
    (&["dmb/s", "mb_dscd/s"], "discard_bytes_per_s", BytesPerS, MIB),
    (&["mb/s"], "bytes_per_s", BytesPerS, MIB),
    (&["rsec/s", "rd_sec/s", "blk_read/s", "rd_sec"], "read_bytes_per_s", BytesPerS, SECTOR),
    (&["wsec/s", "wr_sec/s", "blk_wrtn/s", "wr_sec"], "write_bytes_per_s", BytesPerS, SECTOR),
    (&["dsec/s", "dc_sec/s", "blk_dscd/s", "dc_sec"], "discard_bytes_per_s", BytesPerS, SECTOR),
    (&["rrqm/s"], "read_merges_per_s", PerS, 1.0),
    (&["wrqm/s"], "write_merges_per_s", PerS, 1.0),
    (&["drqm/s"], "discard_merges_per_s", PerS, 1.0),
    (&["rqm/s"], "merges_per_s", PerS, 1.0),
    (&["%rrqm", "rrqm"], "read_merged_ratio", Ratio, PERCENT),
    (&["%wrqm", "wrqm"], "write_merged_ratio", Ratio, PERCENT),
    (&["%drqm", "drqm"], "discard_merged_ratio", Ratio, PERCENT),
    (&["%rqm", "rqm"], "merged_ratio", Ratio, PERCENT),
    (&["r_await"], "read_await_ns", Ns, MS),
    (&["w_await"], "write_await_ns", Ns, MS),
    (&["d_await"], "discard_await_ns", Ns, MS),
    (&["f_await"], "flush_await_ns", Ns, MS),
    (&["await"], "await_ns", Ns, MS),
    (&["areq-sz"], "request_mean_bytes", Bytes, KIB),
    (&["avgrq-sz"], "request_mean_bytes", Bytes, SECTOR),
    (&["rareq-sz"], "read_request_mean_bytes", Bytes, KIB),
    (&["wareq-sz"], "write_request_mean_bytes", Bytes, KIB),
    (&["dareq-sz"], "discard_request_mean_bytes", Bytes, KIB),
    (&["aqu-sz", "avgqu-sz"], "queue_mean", Count, 1.0),
    (&["%util", "util"], "util_ratio", Ratio, PERCENT),
    // Of clouds' monitors: what is left of the burst credits, and what is used of the rate that was bought.
    (&["burst_balance"], "burst_balance_ratio", Ratio, PERCENT),
    (&["allowance_used"], "allowance_used_ratio", Ratio, PERCENT),
];

/// Sums since boot or over the interval, and what must not be trusted: svctm is computed from utilisation and was
/// removed from sysstat 12.1.2 (`CHANGES`).
const DISK_IGNORED: &[&str] = &[
    "svctm", "kb_read", "kb_wrtn", "kb_dscd", "mb_read", "mb_wrtn", "mb_dscd", "blk_read", "blk_wrtn",
    "blk_dscd",
];

const CPU: &[Line] = &[
    (&["%user", "%usr", "user", "usr", "us"], "user_ratio", Ratio, PERCENT),
    (&["%nice", "nice"], "nice_ratio", Ratio, PERCENT),
    (&["%system", "%sys", "system", "sys", "sy"], "system_ratio", Ratio, PERCENT),
    (&["%iowait", "iowait", "wa"], "iowait_ratio", Ratio, PERCENT),
    (&["%steal", "steal", "st"], "steal_ratio", Ratio, PERCENT),
    (&["%irq", "irq"], "irq_ratio", Ratio, PERCENT),
    (&["%soft", "soft"], "softirq_ratio", Ratio, PERCENT),
    (&["%guest", "guest", "gu"], "guest_ratio", Ratio, PERCENT),
    (&["%gnice", "gnice"], "guest_nice_ratio", Ratio, PERCENT),
    (&["%idle", "idle", "id"], "idle_ratio", Ratio, PERCENT),
];

/// sar(1) -n DEV, -n EDEV.
const NIC: &[Line] = &[
    (&["rxpck/s", "rxpck"], "rx_packets_per_s", PerS, 1.0),
    (&["txpck/s", "txpck"], "tx_packets_per_s", PerS, 1.0),
    (&["rxkb/s", "rxkb"], "rx_bytes_per_s", BytesPerS, KIB),
    (&["txkb/s", "txkb"], "tx_bytes_per_s", BytesPerS, KIB),
    (&["rxbyt/s"], "rx_bytes_per_s", BytesPerS, 1.0),
    (&["txbyt/s"], "tx_bytes_per_s", BytesPerS, 1.0),
    (&["%ifutil", "ifutil"], "util_ratio", Ratio, PERCENT),
    (&["rxerr/s", "rxerr"], "rx_errors_per_s", PerS, 1.0),
    (&["txerr/s", "txerr"], "tx_errors_per_s", PerS, 1.0),
    (&["rxdrop/s", "rxdrop"], "rx_drops_per_s", PerS, 1.0),
    (&["txdrop/s", "txdrop"], "tx_drops_per_s", PerS, 1.0),
    (&["rxfifo/s", "rxfifo"], "rx_fifo_errors_per_s", PerS, 1.0),
    (&["txfifo/s", "txfifo"], "tx_fifo_errors_per_s", PerS, 1.0),
];

/// sar(1) -r, -S, -W, -B; vmstat(8).
const MEMORY: &[Line] = &[
    (&["kbmemfree", "memfree", "free"], "free_bytes", Bytes, KIB),
    (&["kbavail", "avail"], "available_bytes", Bytes, KIB),
    (&["kbmemused", "memused"], "used_bytes", Bytes, KIB),
    (&["kbbuffers", "buffers", "buff"], "buffers_bytes", Bytes, KIB),
    (&["kbcached", "cached", "cache"], "cached_bytes", Bytes, KIB),
    (&["kbdirty", "dirty"], "dirty_bytes", Bytes, KIB),
    (&["kbcommit", "commit"], "committed_bytes", Bytes, KIB),
    (&["kbactive", "active"], "active_bytes", Bytes, KIB),
    (&["kbinact", "inactive", "inact"], "inactive_bytes", Bytes, KIB),
    (&["kbanonpg", "anonpg"], "anonpg_bytes", Bytes, KIB),
    (&["kbslab", "slab"], "slab_bytes", Bytes, KIB),
    (&["kbkstack", "kstack"], "kstack_bytes", Bytes, KIB),
    (&["kbpgtbl", "pgtbl"], "pgtbl_bytes", Bytes, KIB),
    (&["kbvmused", "vmused"], "vmused_bytes", Bytes, KIB),
    (&["kbswpfree", "swpfree"], "swap_free_bytes", Bytes, KIB),
    (&["kbswpused", "swpused", "swpd"], "swap_used_bytes", Bytes, KIB),
    (&["pswpin/s", "pswpin"], "swap_in_pages_per_s", PerS, 1.0),
    (&["pswpout/s", "pswpout"], "swap_out_pages_per_s", PerS, 1.0),
    (&["si"], "swap_in_bytes_per_s", BytesPerS, KIB),
    (&["so"], "swap_out_bytes_per_s", BytesPerS, KIB),
    (&["pgpgin/s", "pgpgin"], "paged_in_bytes_per_s", BytesPerS, KIB),
    (&["pgpgout/s", "pgpgout"], "paged_out_bytes_per_s", BytesPerS, KIB),
    (&["majflt/s", "majflt"], "major_faults_per_s", PerS, 1.0),
    (&["pgscand/s", "pgscand"], "direct_scan_pages_per_s", PerS, 1.0),
    (&["scan/s"], "scan_pages_per_s", PerS, 1.0),
    (&["fault/s", "fault"], "faults_per_s", PerS, 1.0),
];

/// sar(1) -b, -q, -w; vmstat(8): its blocks are 1024 bytes.
const SYSTEM: &[Line] = &[
    (&["tps"], "io_per_s", IoPerS, 1.0),
    (&["rtps"], "read_io_per_s", IoPerS, 1.0),
    (&["wtps"], "write_io_per_s", IoPerS, 1.0),
    (&["dtps"], "discard_io_per_s", IoPerS, 1.0),
    (&["bread/s", "bread"], "read_bytes_per_s", BytesPerS, SECTOR),
    (&["bwrtn/s", "bwrtn"], "write_bytes_per_s", BytesPerS, SECTOR),
    (&["bdscd/s", "bdscd"], "discard_bytes_per_s", BytesPerS, SECTOR),
    (&["bi"], "read_bytes_per_s", BytesPerS, KIB),
    (&["bo"], "write_bytes_per_s", BytesPerS, KIB),
    (&["proc/s", "proc"], "processes_per_s", PerS, 1.0),
    (&["cswch/s", "cswch", "cs"], "context_switches_per_s", PerS, 1.0),
    (&["in"], "interrupts_per_s", PerS, 1.0),
    (&["runq-sz", "r"], "runnable", Count, 1.0),
    (&["blocked", "b"], "blocked", Count, 1.0),
    (&["oseg/s", "oseg"], "tcp_segments_out_per_s", PerS, 1.0),
    (&["iseg/s", "iseg"], "tcp_segments_in_per_s", PerS, 1.0),
    (&["retrans/s", "retrans"], "tcp_retransmits_per_s", PerS, 1.0),
    (&["idgm/s", "idgm"], "udp_datagrams_in_per_s", PerS, 1.0),
    (&["idgmerr/s", "idgmer/s", "idgmerr"], "udp_errors_in_per_s", PerS, 1.0),
    (&["asmf/s", "asmf"], "reassembly_failures_per_s", PerS, 1.0),
    (&["asmrq/s", "asmrq"], "reassembly_requests_per_s", PerS, 1.0),
    (&["%scpu", "psi-cpu_some_avg"], "cpu_pressure_ratio", Ratio, PERCENT),
    (&["%sio", "psi-io_some_avg"], "io_pressure_ratio", Ratio, PERCENT),
    (&["%fio", "psi-io_full_avg"], "io_full_pressure_ratio", Ratio, PERCENT),
    (&["%smem", "psi-mem_some_avg"], "memory_pressure_ratio", Ratio, PERCENT),
    (&["%fmem", "psi-mem_full_avg"], "memory_full_pressure_ratio", Ratio, PERCENT),
];

/// nfsiostat(8).
const NFS: &[Line] = &[
    (&["ops/s"], "io_per_s", IoPerS, 1.0),
    (&["kb/s"], "bytes_per_s", BytesPerS, KIB),
    (&["kb/op"], "request_mean_bytes", Bytes, KIB),
    (&["retrans"], "retransmits", Count, 1.0),
    (&["%retrans"], "retransmits_ratio", Ratio, PERCENT),
    (&["avg rtt (ms)"], "rtt_ns", Ns, MS),
    (&["avg exe (ms)"], "await_ns", Ns, MS),
    (&["avg queue (ms)"], "queue_ns", Ns, MS),
    (&["errors"], "errors", Count, 1.0),
    (&["operations"], "operations", Count, 1.0),
    (&["rpc bklog"], "rpc_backlog", Count, 1.0),
    (&["call/s", "call"], "calls_per_s", PerS, 1.0),
    (&["retrans/s"], "retransmits_per_s", PerS, 1.0),
];

/// pgbench.
const DATABASE: &[Line] = &[
    (&["transactions/s"], "transactions_per_s", PerS, 1.0),
    (&["transaction_ns"], "transaction_ns", Ns, 1.0),
    (&["commit_ns"], "commit_ns", Ns, 1.0),
    (&["connect_ns"], "connect_ns", Ns, 1.0),
    (&["scale"], "scale", Count, 1.0),
];

/// pidstat(1).
const PROCESS: &[Line] = &[
    (&["kb_rd/s"], "read_bytes_per_s", BytesPerS, KIB),
    (&["kb_wr/s"], "write_bytes_per_s", BytesPerS, KIB),
    (&["kb_ccwr/s"], "cancelled_bytes_per_s", BytesPerS, KIB),
    (&["iodelay"], "io_delay_ticks", Count, 1.0),
    // iotop(8): taskstats, delays of block I/O.
    (&["%iodelay"], "io_wait_ratio", Ratio, PERCENT),
    (&["%usr"], "user_ratio", Ratio, PERCENT),
    (&["%system"], "system_ratio", Ratio, PERCENT),
    (&["%guest"], "guest_ratio", Ratio, PERCENT),
    (&["%wait"], "cpu_wait_ratio", Ratio, PERCENT),
    (&["%cpu"], "cpu_ratio", Ratio, PERCENT),
    (&["minflt/s"], "minor_faults_per_s", PerS, 1.0),
    (&["majflt/s"], "major_faults_per_s", PerS, 1.0),
    (&["vsz"], "virtual_bytes", Bytes, KIB),
    (&["rss"], "resident_bytes", Bytes, KIB),
    (&["%mem"], "memory_ratio", Ratio, PERCENT),
    (&["cswch/s"], "voluntary_switches_per_s", PerS, 1.0),
    (&["nvcswch/s"], "involuntary_switches_per_s", PerS, 1.0),
];

/// sar(1) -n SOFT, each CPU's input queue.
const SOFTNET: &[Line] = &[
    (&["total/s", "total"], "total_per_s", PerS, 1.0),
    (&["dropd/s", "dropd"], "dropd_per_s", PerS, 1.0),
    (&["squeezd/s", "squeezd"], "squeezd_per_s", PerS, 1.0),
    (&["rx_rps/s", "rx_rps"], "rx_rps_per_s", PerS, 1.0),
    (&["flw_lim/s", "flw_lim"], "flw_lim_per_s", PerS, 1.0),
];

/// The most that a column can say. After a hang iostat divides all the busy time by one short interval and prints 2050 %.
pub(super) fn most(area: &str, printed: &str) -> f64 {
    if area == "disk" && matches!(key(printed).as_str(), "%util" | "util") { 1.0 } else { f64::INFINITY }
}

/// A share of a link's speed beyond this is of no real speed: what is sent within an interval may be counted a moment later.
pub(super) const MOST_OF_SPEED: f64 = 1.1;

/// True for interfaces whose speed the kernel makes up: 10 Mbit/s for tun and tap (drivers/net/tun.c), 10 Gbit/s for veth
/// (drivers/net/veth.c), or none.
pub(super) fn has_nominal_speed(name: &str) -> bool {
    const PREFIXES: [&str; 8] = ["tap", "tun", "veth", "vnet", "cali", "dummy", "ifb", "lxc"];
    name == "lo" || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// The area that a column of sar belongs to by its name; `None`: it is not known.
pub(super) fn area_of(printed: &str) -> Option<&'static str> {
    let key = key(printed);
    // `tps` is of a disk where it has one; the sums of all devices have names of their own beside it.
    let tables: [(&str, &[Line]); 7] = [
        ("cpu", CPU),
        ("disk", DISK),
        ("nic", NIC),
        ("memory", MEMORY),
        ("softnet", SOFTNET),
        ("nfs", NFS),
        ("system", SYSTEM),
    ];
    let found =
        tables.into_iter().find(|(_, lines)| lines.iter().any(|(names, ..)| names.contains(&key.as_str())));
    found.map(|(area, _)| area)
}

/// The metric of a column; `None` for what is left out. Unknown columns keep their names.
pub(super) fn metric(area: &str, printed: &str) -> Option<Metric> {
    let key = key(printed);
    let table = match area {
        "disk" if DISK_IGNORED.contains(&key.as_str()) => return None,
        "disk" => DISK,
        "cpu" => CPU,
        "nic" => NIC,
        "memory" => MEMORY,
        "nfs" => NFS,
        "softnet" => SOFTNET,
        "process" => PROCESS,
        "database" => DATABASE,
        _ => SYSTEM,
    };
    let found = table.iter().find(|(names, ..)| names.contains(&key.as_str()));
    Some(match found {
        Some((_, name, unit, factor)) => Metric { name: (*name).to_owned(), unit: *unit, factor: *factor },
        None => unknown(&key),
    })
}

/// Lower case; `util-percent` as `%util`.
fn key(printed: &str) -> String {
    let lower = printed.to_lowercase();
    match lower.strip_suffix("-percent") {
        Some(bare) => format!("%{bare}"),
        None => lower,
    }
}

fn unknown(key: &str) -> Metric {
    let word =
        |text: &str| -> String { text.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect() };
    if let Some(bare) = key.strip_prefix('%') {
        return Metric { name: format!("{}_ratio", word(bare)), unit: Ratio, factor: PERCENT };
    }
    if let Some(bare) = key.strip_suffix("/s") {
        return Metric { name: format!("{}_per_s", word(bare)), unit: PerS, factor: 1.0 };
    }
    if let Some(bare) = key.strip_prefix("kb") {
        return Metric { name: format!("{}_bytes", word(bare)), unit: Bytes, factor: KIB };
    }
    Metric { name: word(key), unit: Count, factor: 1.0 }
}
