//! Counters and gauges that change all the time. Rules judge their differences over a window, never totals.

pub(crate) mod continuity;

pub use continuity::{grown, grown_in_32_bits};

use crate::Gap;
use fullwire_record::record;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// All counters of a host at one moment. Counters that were not read are missing, never zero.
#[record]
pub struct Counters {
    /// A clock that never jumps, ns; its zero means nothing.
    pub monotonic_ns: u64,
    /// The whole host's CPU time.
    pub cpu: CpuTime,
    /// Each CPU's time, by number.
    pub cpus: BTreeMap<u32, CpuTime>,
    /// Each CPU's softnet backlog, by number.
    pub softnet: BTreeMap<u32, Softnet>,
    /// Load averages over 1, 5 and 15 minutes.
    pub load: Option<[f64; 3]>,
    /// Tasks that run or could.
    pub procs_running: Option<u64>,
    /// Tasks in uninterruptible sleep.
    pub procs_blocked: Option<u64>,
    /// `/proc/vmstat`, the fields that rules read, by kernel name (`pswpin`, `pgmajfault`, `oom_kill`).
    pub vmstat: BTreeMap<String, u64>,
    /// `MemAvailable`, bytes.
    pub mem_available_bytes: Option<u64>,
    /// `SwapFree`, bytes.
    pub swap_free_bytes: Option<u64>,
    /// Pressure-stall totals.
    pub pressure: Option<Pressure>,
    /// By interface.
    pub nics: BTreeMap<String, NicCounters>,
    /// By interface, then the queueing disciplines on it.
    pub qdiscs: BTreeMap<String, Vec<QdiscCounters>>,
    /// `/proc/net/{snmp,snmp6,netstat}` under nstat's names (`TcpRetransSegs`, `TcpExtTCPTimeouts`).
    pub snmp: BTreeMap<String, u64>,
    /// Memory of TCP sockets, pages (`/proc/net/sockstat`).
    pub tcp_mem_pages: Option<u64>,
    /// `nf_conntrack_count`.
    pub conntrack_count: Option<u64>,
    /// IPv4 neighbours that the kernel knows (ARP), entries.
    pub neighbours: Option<u64>,
    /// Times that a neighbour found no room in that table.
    pub neighbour_overflows: Option<u64>,
    /// Who answers for the neighbours that were asked about: hardware addresses.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub neighbour_macs: BTreeMap<IpAddr, String>,
    /// TCP sockets: those that listen, and of the connected ones those that moved most.
    pub sockets: Vec<SocketCounters>,
    /// By kernel device name (`sda`, `dm-0`, `sda1`).
    pub disks: BTreeMap<String, DiskCounters>,
    /// Own control group and its parents, outermost first; then others that were requested.
    pub cgroups: Vec<CgroupCounters>,
    /// By mount point.
    pub nfs: BTreeMap<String, NfsCounters>,
    /// `/proc/net/rpc/nfs`: calls, retransmissions, authentication refreshes.
    pub rpc_client: Option<[u64; 3]>,
    /// Interrupts by line name (`eth0-rx-0`) and CPU.
    pub interrupts: BTreeMap<String, Vec<u64>>,
    /// Times that a CPU entered an idle state, all CPUs together, by the state's name (`C6`).
    pub idle_states: BTreeMap<String, u64>,
    /// `/proc/sys/fs/{file-nr,aio-nr}`.
    pub files_open: Option<u64>,
    /// Asynchronous I/O contexts' events in use.
    pub aio_nr: Option<u64>,
    /// By FC host, SAS phy, EDAC controller, thermal zone: error counters under kernel names
    /// (`host5/invalid_crc_count`).
    pub errors: BTreeMap<String, u64>,
    /// Busiest threads, when requested.
    pub threads: Vec<ThreadCounters>,
    /// Processes that read or wrote storage since the window began, when requested: those that moved most first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<ProcessIo>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// CPU time since boot, in ns (the kernel's ticks scaled).
#[record]
pub struct CpuTime {
    /// Normal processes in user mode.
    pub user_ns: u64,
    /// Niced processes in user mode.
    pub nice_ns: u64,
    /// Kernel mode.
    pub system_ns: u64,
    /// Idle.
    pub idle_ns: u64,
    /// Idle with I/O outstanding.
    pub iowait_ns: u64,
    /// Hard interrupts.
    pub irq_ns: u64,
    /// Soft interrupts.
    pub softirq_ns: u64,
    /// Taken by the hypervisor.
    pub steal_ns: u64,
}

impl CpuTime {
    /// All of it. A file that someone made may hold any number: it is bounded, not wrapped.
    pub fn total_ns(&self) -> u64 {
        let rest = [self.idle_ns, self.iowait_ns, self.steal_ns];
        rest.into_iter().fold(self.busy_ns(), u64::saturating_add)
    }

    /// What ran here: neither idle nor stolen.
    pub fn busy_ns(&self) -> u64 {
        let parts = [self.user_ns, self.nice_ns, self.system_ns, self.irq_ns, self.softirq_ns];
        parts.into_iter().fold(0, u64::saturating_add)
    }

    /// A part of it as a share of all; `None`: no time passed.
    pub fn ratio(&self, part_ns: u64) -> Option<f64> {
        let total_ns = self.total_ns();
        (total_ns > 0).then(|| part_ns as f64 / total_ns as f64)
    }

    /// With what another stretch of time has.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.with(other, u64::saturating_add)
    }

    /// What passed since an earlier reading.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        self.with(earlier, u64::saturating_sub)
    }

    fn with(&self, other: &Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            user_ns: of(self.user_ns, other.user_ns),
            nice_ns: of(self.nice_ns, other.nice_ns),
            system_ns: of(self.system_ns, other.system_ns),
            idle_ns: of(self.idle_ns, other.idle_ns),
            iowait_ns: of(self.iowait_ns, other.iowait_ns),
            irq_ns: of(self.irq_ns, other.irq_ns),
            softirq_ns: of(self.softirq_ns, other.softirq_ns),
            steal_ns: of(self.steal_ns, other.steal_ns),
        }
    }
}

/// One CPU's line of `/proc/net/softnet_stat`.
#[record]
pub struct Softnet {
    /// Packets processed.
    pub processed: u64,
    /// Dropped because the backlog was full.
    pub dropped: u64,
    /// Times the budget ran out.
    pub time_squeeze: u64,
}

/// `/proc/pressure`: time in which some or all tasks waited, total µs since boot.
#[record]
pub struct Pressure {
    /// Some task waited for a CPU.
    pub cpu_some_us: u64,
    /// Some task waited for memory.
    pub memory_some_us: u64,
    /// All non-idle tasks waited for memory.
    pub memory_full_us: u64,
    /// Some task waited for I/O.
    pub io_some_us: u64,
    /// All non-idle tasks waited for I/O.
    pub io_full_us: u64,
    /// Share of the last 300 s in which some task waited for memory (`avg300`): the kernel's own mean, no total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_some_300s_ratio: Option<f64>,
}

/// An interface's counters (`/sys/class/net/X/statistics`, ethtool statistics).
#[record]
pub struct NicCounters {
    /// Bytes received.
    pub rx_bytes: u64,
    /// Bytes sent.
    pub tx_bytes: u64,
    /// Packets received.
    pub rx_packets: u64,
    /// Packets sent.
    pub tx_packets: u64,
    /// Receive errors of any kind.
    pub rx_errors: u64,
    /// Send errors of any kind.
    pub tx_errors: u64,
    /// Received and dropped (also for unknown VLANs and protocols).
    pub rx_dropped: u64,
    /// Dropped on sending.
    pub tx_dropped: u64,
    /// Bad checksum on the wire.
    pub rx_crc_errors: u64,
    /// Bad framing.
    pub rx_frame_errors: u64,
    /// Bad length.
    pub rx_length_errors: u64,
    /// Missed: the ring was full.
    pub rx_missed_errors: u64,
    /// FIFO overruns.
    pub rx_fifo_errors: u64,
    /// Ring overruns.
    pub rx_over_errors: u64,
    /// Collisions: half duplex.
    pub collisions: u64,
    /// Link went up or down.
    pub carrier_changes: Option<u64>,
    /// A bond slave's link failures, where it is one.
    pub link_failures: Option<u64>,
    /// Driver's own counters by name, the error-like ones and the per-queue packets.
    pub driver: BTreeMap<String, u64>,
}

/// One queueing discipline's counters.
#[record]
pub struct QdiscCounters {
    /// `fq_codel`, `tbf`, `netem`, ...
    pub kind: String,
    /// Handle or parent as tc prints it (`root`, `8001:`).
    pub parent: String,
    /// Bytes that passed.
    pub bytes: u64,
    /// Packets that passed.
    pub packets: u64,
    /// Dropped.
    pub drops: u64,
    /// Times the rate limit delayed a packet.
    pub overlimits: u64,
    /// Waiting now, bytes.
    pub backlog_bytes: u64,
}

/// A block device's counters (`/proc/diskstats`). Sectors are always 512 bytes and given in bytes here.
#[record]
pub struct DiskCounters {
    /// Reads completed.
    pub reads: u64,
    /// Reads merged into others.
    pub reads_merged: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Time that reads took, ms.
    pub read_ms: u64,
    /// Writes completed.
    pub writes: u64,
    /// Writes merged into others.
    pub writes_merged: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Time that writes took, ms.
    pub write_ms: u64,
    /// In flight now (a gauge).
    pub in_flight: u64,
    /// Time with at least one I/O in flight, ms (field 10; jiffy-sampled since 5.0).
    pub busy_ms: u64,
    /// In-flight I/Os summed over time, ms (field 11): its rate is the mean queue.
    pub weighted_ms: u64,
    /// Discards completed.
    pub discards: Option<u64>,
    /// Bytes discarded.
    pub discard_bytes: Option<u64>,
    /// Flushes completed (not tracked for partitions).
    pub flushes: Option<u64>,
    /// Time that flushes took, ms.
    pub flush_ms: Option<u64>,
    /// `device/ioerr_cnt` of a SCSI disk.
    pub io_errors: Option<u64>,
    /// `device/iotmo_cnt` of a SCSI disk.
    pub io_timeouts: Option<u64>,
}

impl DiskCounters {
    /// Requests completed, of every kind; bounded, not wrapped.
    pub fn completed(&self) -> u64 {
        let parts = [self.reads, self.writes, self.discards.unwrap_or(0), self.flushes.unwrap_or(0)];
        parts.into_iter().fold(0, u64::saturating_add)
    }
}

/// One control group's counters.
#[record]
pub struct CgroupCounters {
    /// Path below the control-group mount.
    pub path: String,
    /// Scheduling periods (`cpu.stat nr_periods`).
    pub nr_periods: Option<u64>,
    /// Periods in which the quota ran out.
    pub nr_throttled: Option<u64>,
    /// Time throttled, µs.
    pub throttled_us: Option<u64>,
    /// CPU used, µs.
    pub usage_us: Option<u64>,
    /// `memory.events high`.
    pub memory_high_events: Option<u64>,
    /// `memory.events max`.
    pub memory_max_events: Option<u64>,
    /// `memory.events oom_kill`.
    pub memory_oom_kills: Option<u64>,
    /// `memory.current`, bytes.
    pub memory_current_bytes: Option<u64>,
    /// Time in which some task of the group waited for memory (`memory.pressure`, `some total`), µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_stalled_us: Option<u64>,
    /// The same as a share of the last 300 s (`avg300`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_stalled_300s_ratio: Option<f64>,
}

/// One NFS mount's counters (`/proc/self/mountstats`).
#[record]
pub struct NfsCounters {
    /// Bytes read by read(2).
    pub normal_read_bytes: u64,
    /// Bytes written by write(2).
    pub normal_write_bytes: u64,
    /// Bytes read with `O_DIRECT`.
    pub direct_read_bytes: u64,
    /// Bytes written with `O_DIRECT`.
    pub direct_write_bytes: u64,
    /// Bytes read from the server.
    pub server_read_bytes: u64,
    /// Bytes written to the server.
    pub server_write_bytes: u64,
    /// One per transport (`nconnect`).
    pub transports: Vec<NfsTransport>,
    /// By operation (`READ`, `WRITE`, `COMMIT`).
    pub operations: BTreeMap<String, NfsOperation>,
}

/// One transport's line (`xprt:`).
#[record]
pub struct NfsTransport {
    /// `tcp`, `udp`, `rdma`.
    pub protocol: String,
    /// Local port.
    pub port: u64,
    /// Connections made.
    pub connects: u64,
    /// Requests sent.
    pub sends: u64,
    /// Replies received.
    pub receives: u64,
    /// Replies to no known request.
    pub bad_xids: u64,
    /// In-flight requests summed over sends.
    pub inflight: u64,
    /// Backlog summed over sends.
    pub backlog: u64,
    /// Slots used at most, if the kernel shows it.
    pub max_slots: Option<u64>,
}

/// One NFS operation's counters.
#[record]
pub struct NfsOperation {
    /// Operations.
    pub operations: u64,
    /// Transmissions; more than operations are retransmissions.
    pub transmissions: u64,
    /// Major timeouts.
    pub timeouts: u64,
    /// Bytes sent, headers included.
    pub sent_bytes: u64,
    /// Bytes received, headers included.
    pub received_bytes: u64,
    /// Time in the client's queue, ms.
    pub queue_ms: u64,
    /// Time on the wire and in the server, ms.
    pub rtt_ms: u64,
    /// Time from request to completion, ms.
    pub execute_ms: u64,
    /// Operations that failed.
    pub errors: Option<u64>,
}

/// One thread.
#[record]
pub struct ThreadCounters {
    /// Its process.
    pub pid: u32,
    /// Its own number.
    pub tid: u32,
    /// The process's command name.
    pub process: String,
    /// The thread's name.
    pub name: String,
    /// `R`, `S`, `D`, ...
    pub state: String,
    /// The kernel function that it sleeps in.
    pub wait_channel: String,
    /// CPU time in user mode, ns.
    pub user_ns: u64,
    /// CPU time in kernel mode, ns.
    pub system_ns: u64,
    /// CPU time of either kind since the window began, ns.
    pub recent_ns: u64,
}

/// What a process read from storage and wrote to it (`/proc/PID/io`, proc(5)), the page cache not counted.
#[record]
pub struct ProcessIo {
    /// Its number.
    pub pid: u32,
    /// Its command name.
    pub name: String,
    /// Read since the window began, bytes.
    pub recent_read_bytes: u64,
    /// Written since the window began, bytes; what was written and deleted before it reached the device does not count.
    pub recent_write_bytes: u64,
    /// How long that is, ns.
    pub over_ns: u64,
    /// Mount points and devices of its open files.
    pub mounts: Vec<String>,
}

/// One TCP socket, as the kernel reports it (`sock_diag(7)`, `TCP_INFO`).
#[record]
pub struct SocketCounters {
    /// Its own address and port (`10.0.0.1:1521`, `[::]:5432`).
    pub local: String,
    /// The far address and port; empty where it listens.
    pub remote: String,
    /// `listen`, `established`, `close-wait`, ...
    pub state: String,
    /// Owner.
    pub uid: u32,
    /// Its inode: with both addresses it distinguishes one socket from another.
    pub inode: u64,
    /// Bytes received and not yet read; of a listener: connections that wait to be accepted.
    pub receive_queue: u64,
    /// Bytes sent and not yet acknowledged; of a listener: how many connections may wait.
    pub send_queue: u64,
    /// What TCP knows of a connection; `None`: it listens, or the kernel did not report it.
    pub tcp: Option<SocketTcp>,
}

/// `struct tcp_info` of a connection, the part that shows what limits a stream.
#[record]
pub struct SocketTcp {
    /// Payload of a full segment, bytes.
    pub mss_bytes: u64,
    /// Smoothed round trip, ns.
    pub rtt_ns: u64,
    /// Smallest round trip, ns.
    pub rtt_min_ns: u64,
    /// Congestion window, segments.
    pub cwnd_segments: u64,
    /// Segments sent again.
    pub retransmits: u64,
    /// Segments sent.
    pub segments_out: u64,
    /// Bytes sent and acknowledged.
    pub acknowledged_bytes: u64,
    /// Bytes received.
    pub received_bytes: u64,
    /// Time with something to send, ns.
    pub busy_ns: u64,
    /// Part of it limited by the far end's receive window, ns.
    pub rwnd_limited_ns: u64,
    /// Part of it limited by this end's send buffer, ns.
    pub sndbuf_limited_ns: u64,
    /// Rate at which it lately delivered, bytes per second.
    pub delivery_bytes_per_s: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_a_made_file_are_bounded_and_do_not_wrap() {
        let most = CpuTime { user_ns: u64::MAX, idle_ns: u64::MAX, ..CpuTime::default() };
        assert_eq!((most.busy_ns(), most.total_ns()), (u64::MAX, u64::MAX));
    }
}
