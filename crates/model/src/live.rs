//! A host at work: what its devices, links, CPUs and memory did over the last span, each with its ceiling.

use crate::assessment::{Layer, Severity};
use crate::recording::Event;
use crate::subject::Subject;
use crate::{Gap, Window};
use fullwire_record::record;
use jiff::Timestamp;

/// The schema name of one look.
pub const LIVE_SCHEMA: &str = "fullwire.live/1";

/// One look at a host at work. Rates are means over [`Live::seconds`]; what could not be computed (the first sample, a reset,
/// a device that has just come) is `None`, never 0.
#[record]
pub struct Live {
    /// [`LIVE_SCHEMA`].
    pub schema: String,
    /// The host's name.
    pub host: String,
    /// The end of the span.
    pub at: Timestamp,
    /// Its length; 0: there is but one sample.
    pub seconds: f64,
    /// The bottleneck, in a sentence.
    pub headline: Headline,
    /// Processors.
    pub cpu: LiveCpu,
    /// Memory.
    pub memory: LiveMemory,
    /// Time in which tasks waited; `None`: the kernel does not keep it.
    pub pressure: Option<LivePressure>,
    /// Storage as trees, each row after the one above it.
    pub storage: Vec<StorageRow>,
    /// The network as trees, likewise.
    pub network: Vec<NetworkRow>,
    /// Segments that TCP sent again, of those sent.
    pub retransmitted_share: Option<f64>,
    /// Busiest threads first.
    pub threads: Vec<LiveThread>,
    /// Processes that read or wrote storage, those that moved most first.
    pub processes: Vec<LiveProcess>,
    /// Databases that run here.
    pub databases: Vec<LiveDatabase>,
    /// What happened lately.
    pub events: Vec<Event>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

impl Live {
    /// Neither the CPUs nor any device could be read: nothing can be said of this host.
    pub fn is_blind(&self) -> bool {
        self.cpu.busy.is_none() && self.storage.iter().all(|row| row.io.is_none())
    }
}

/// What limits the host now.
#[record]
pub struct Headline {
    /// How bad it is; `None`: nothing is wrong, or nothing is known.
    pub severity: Option<Severity>,
    /// The layer.
    pub layer: Option<Layer>,
    /// The device, interface or mount; empty: the host.
    pub subject: String,
    /// The finding's code; empty: the busiest resource, which is no finding.
    pub code: String,
    /// The whole sentence.
    pub sentence: String,
    /// The share of the ceiling that is used, where the ceiling is known.
    pub share: Option<f64>,
}

/// Processors over the span, as shares of all of them.
#[record]
pub struct LiveCpu {
    /// How many are online.
    pub cpus: u32,
    /// Neither idle nor stolen.
    pub busy: Option<f64>,
    /// In the kernel.
    pub system: Option<f64>,
    /// In soft interrupts.
    pub softirq: Option<f64>,
    /// Idle with I/O outstanding.
    pub iowait: Option<f64>,
    /// Taken by the hypervisor.
    pub steal: Option<f64>,
    /// The busiest one: its number and how busy it was.
    pub busiest: Option<(u32, f64)>,
    /// Tasks that run or could.
    pub running: Option<u64>,
    /// Tasks in uninterruptible sleep.
    pub blocked: Option<u64>,
}

/// Memory now.
#[record]
pub struct LiveMemory {
    /// All of it, bytes.
    pub total_bytes: u64,
    /// What programs could still have, bytes.
    pub available_bytes: Option<u64>,
    /// Pages read from swap, per second.
    pub swap_in_per_s: Option<f64>,
    /// Pages written to swap, per second.
    pub swap_out_per_s: Option<f64>,
    /// Faults that needed a device, per second.
    pub major_faults_per_s: Option<f64>,
}

/// Shares of the span in which some task waited.
#[record]
pub struct LivePressure {
    /// For a CPU.
    pub cpu: f64,
    /// For memory.
    pub memory: f64,
    /// For I/O.
    pub io: f64,
    /// All non-idle tasks, for I/O.
    pub io_full: f64,
}

/// One device of a storage tree.
#[record]
pub struct StorageRow {
    /// Its place below the mount, which is 0.
    pub depth: u32,
    /// The mount point, or the device below it.
    pub name: String,
    /// The kernel's name of the device; of NFS the server's export.
    pub device: String,
    /// `mount`, `lvm`, `mpath`, `crypt`, `raid1`, `disk`, `part`, `nfs4`, ...
    pub kind: String,
    /// Its state, if reported (`path failed`); empty: it works.
    pub state: String,
    /// A database keeps files here.
    pub database: bool,
    /// What it did.
    pub io: Option<StorageRates>,
    /// What its link carries, bytes per second.
    pub limit_bytes_per_s: Option<f64>,
    /// Where the limit comes from.
    pub limit_source: String,
    /// The share of the limit that is used.
    pub share: Option<f64>,
    /// I/Os are in flight and none has completed for this long, s.
    pub stalled_s: Option<f64>,
    /// Processes that use it, those that moved most first.
    pub users: Vec<String>,
}

/// What a device did over the span.
#[record]
pub struct StorageRates {
    /// Reads completed.
    pub reads_per_s: f64,
    /// Writes completed.
    pub writes_per_s: f64,
    /// Bytes read.
    pub read_bytes_per_s: f64,
    /// Bytes written.
    pub write_bytes_per_s: f64,
    /// Mean time of a read; `None`: none completed.
    pub read_await_ms: Option<f64>,
    /// Mean time of a write.
    pub write_await_ms: Option<f64>,
    /// The mean queue, or what is in flight now when that is more.
    pub queue: f64,
    /// Requests merged with another before they went to the device.
    pub merges_per_s: f64,
    /// Share of the time with a request in flight, as `%util`; `None`: not counted (NFS).
    pub busy: Option<f64>,
}

impl StorageRates {
    /// Mean size of a request, bytes; `None`: none completed.
    pub fn request_bytes(&self) -> Option<f64> {
        let requests = self.reads_per_s + self.writes_per_s;
        (requests > 0.0).then(|| (self.read_bytes_per_s + self.write_bytes_per_s) / requests)
    }
}

/// One interface of a network tree.
#[record]
pub struct NetworkRow {
    /// Its place below the top interface, which is 0.
    pub depth: u32,
    /// Its name.
    pub name: String,
    /// `physical`, `bond`, `vlan`, `veth`, ...
    pub kind: String,
    /// `up`, `down`.
    pub state: String,
    /// What it did.
    pub io: Option<NetworkRates>,
    /// What it carries in one direction, bytes per second.
    pub limit_bytes_per_s: Option<f64>,
    /// Where the limit comes from.
    pub limit_source: String,
    /// The share of the limit that the busier direction uses.
    pub share: Option<f64>,
}

/// What an interface did over the span.
#[record]
pub struct NetworkRates {
    /// Bytes received.
    pub rx_bytes_per_s: f64,
    /// Bytes sent.
    pub tx_bytes_per_s: f64,
    /// Packets received.
    pub rx_packets_per_s: f64,
    /// Packets sent.
    pub tx_packets_per_s: f64,
    /// Dropped in either direction.
    pub drops_per_s: f64,
    /// Errors in either direction.
    pub errors_per_s: f64,
}

/// One thread.
#[record]
pub struct LiveThread {
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
    /// Of one CPU.
    pub cpu: Option<f64>,
}

/// One process that reads or writes storage.
#[record]
pub struct LiveProcess {
    /// Its number.
    pub pid: u32,
    /// Its command name.
    pub name: String,
    /// Bytes read from storage.
    pub read_bytes_per_s: f64,
    /// Bytes written to storage.
    pub write_bytes_per_s: f64,
    /// Mount points and devices of its open files.
    pub mounts: Vec<String>,
}

/// One database.
#[record]
pub struct LiveDatabase {
    /// `oracle`, `postgresql`, `mysql`.
    pub kind: String,
    /// Its instance.
    pub name: String,
    /// CPUs that its control group used, if it has its own.
    pub cpus: Option<f64>,
    /// Mount points of its files.
    pub mounts: Vec<String>,
}

/// A look in the making: the span and the current trouble according to a judge.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    /// The span, made continuous.
    pub window: Window,
    /// Its end.
    pub at: Timestamp,
    /// The trouble that is going on, worst first.
    pub trouble: Vec<Trouble>,
}

/// Trouble that is going on.
#[derive(Debug, Clone, PartialEq)]
pub struct Trouble {
    /// The rule's code.
    pub code: String,
    /// What it is about.
    pub subject: String,
    /// The same, to be joined by.
    pub subject_ref: Subject,
    /// The layer.
    pub layer: Layer,
    /// How bad.
    pub severity: Severity,
    /// What the rule says.
    pub message: String,
}
