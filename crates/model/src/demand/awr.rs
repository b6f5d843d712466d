//! An AWR or Statspack report, as printed: one record for every release and layout.

use crate::{Gap, PathName};
use fullwire_record::record;
use jiff::civil::DateTime;
use std::collections::BTreeMap;

/// Which report it is.
#[record(Default)]
pub enum AwrKind {
    /// One instance, or one instance of a cluster (`awrrpt.sql`), also of a pluggable database.
    #[default]
    Awr,
    /// All instances of a cluster (`awrgrpt.sql`): sums over the instances.
    AwrGlobal,
    /// Two periods side by side (`awrddrpt.sql`): the record is the first, [`AwrReport::second`] the second.
    AwrDiff,
    /// Statspack (`spreport.sql`).
    Statspack,
}

/// An AWR or Statspack report (`fullwire.awr/1` without the findings).
#[record]
pub struct AwrReport {
    /// The file that it was read from.
    pub source: String,
    /// Which report it is.
    pub kind: AwrKind,
    /// The database's name; Statspack may print none.
    pub db_name: Option<String>,
    /// The database's number.
    pub db_id: Option<u64>,
    /// The instance's name; in a global report the names of all, with commas.
    pub instance: Option<String>,
    /// The instance's number.
    pub instance_number: Option<u64>,
    /// As printed: `19.0.0.0.0`.
    pub release: Option<String>,
    /// A cluster database.
    pub rac: Option<bool>,
    /// A container database.
    pub cdb: Option<bool>,
    /// The pluggable database that the report is limited to.
    pub pdb: Option<String>,
    /// The host's name.
    pub host: Option<String>,
    /// The host's platform: `Linux x86 64-bit`.
    pub platform: Option<String>,
    /// The host's CPUs.
    pub cpus: Option<u64>,
    /// The host's memory, bytes.
    pub memory_bytes: Option<u64>,
    /// When the interval began, by the host's clock (reports carry no zone).
    pub begin: Option<DateTime>,
    /// When it ended.
    pub end: Option<DateTime>,
    /// Snapshot at the beginning.
    pub begin_snap: Option<u64>,
    /// Snapshot at the end.
    pub end_snap: Option<u64>,
    /// Length, minutes.
    pub elapsed_min: Option<f64>,
    /// Time in user calls, minutes.
    pub db_time_min: Option<f64>,
    /// Size of the standard block, bytes.
    pub block_bytes: Option<u64>,
    /// Redo made, bytes per second.
    pub redo_size_per_s: Option<f64>,
    /// Redo made, bytes.
    pub redo_size_total: Option<u64>,
    /// Writes that the log writer made.
    pub redo_writes_total: Option<u64>,
    /// `redo size / redo writes`: what a write carries.
    pub mean_redo_write_bytes: Option<f64>,
    /// `redo blocks written × 512 / redo writes`: what a write puts on one member, wastage included.
    pub mean_redo_write_on_disk_bytes: Option<f64>,
    /// All that the log writer wrote (every member, wastage included), bytes per second.
    pub log_writer_bytes_per_s: Option<f64>,
    /// Blocks got from the cache, per second.
    pub logical_reads_per_s: Option<f64>,
    /// Blocks read from disk, per second.
    pub physical_reads_per_s: Option<f64>,
    /// Blocks written to disk, per second.
    pub physical_writes_per_s: Option<f64>,
    /// Read requests per second.
    pub read_io_per_s: Option<f64>,
    /// Write requests per second.
    pub write_io_per_s: Option<f64>,
    /// Bytes read a second.
    pub read_bytes_per_s: Option<f64>,
    /// Bytes written a second.
    pub write_bytes_per_s: Option<f64>,
    /// Transactions per second, rollbacks included.
    pub transactions_per_s: Option<f64>,
    /// User commits per second.
    pub commits_per_s: Option<f64>,
    /// Buffer hit ratio, percent.
    pub buffer_hit_pct: Option<f64>,
    /// Latch hit ratio, percent.
    pub latch_hit_pct: Option<f64>,
    /// Library cache hit ratio, percent.
    pub library_hit_pct: Option<f64>,
    /// Redo log switches in the interval.
    pub log_switches: Option<f64>,
    /// The events at the top of the report, as listed.
    pub top_events: Vec<TopEvent>,
    /// Every wait event by name: of the foreground, or of the background when the foreground has none.
    pub waits: BTreeMap<String, WaitStat>,
    /// Wait events of the background processes.
    pub background_waits: BTreeMap<String, WaitStat>,
    /// How long single waits lasted, by event.
    pub histograms: BTreeMap<String, WaitHistogram>,
    /// The load profile, per second, by the label printed (`redo size`, `logical reads`, ...).
    pub load_profile: BTreeMap<String, f64>,
    /// The I/O profile (11.2.0.4 and later), per second, by label.
    pub io_profile: BTreeMap<String, IoProfileLine>,
    /// I/O by database function (`LGWR`, `DBWR`, `Direct Reads`).
    pub io_functions: Vec<IoFunction>,
    /// I/O by kind of file (`Data File`, `Log File`).
    pub io_file_types: Vec<IoFunction>,
    /// I/O by tablespace.
    pub tablespaces: Vec<FileIo>,
    /// I/O by file.
    pub files: Vec<FileIo>,
    /// The time model, s, by statistic.
    pub time_model_s: BTreeMap<String, f64>,
    /// What the operating system said, by statistic, in its own units (`*_TIME` in centiseconds).
    pub os_statistics: BTreeMap<String, f64>,
    /// Instance activity, by statistic.
    pub activity: BTreeMap<String, Activity>,
    /// Initialisation parameters, value at the beginning.
    pub init_parameters: BTreeMap<String, String>,
    /// What a cluster's report adds.
    pub rac_statistics: Option<RacStatistics>,
    /// Instances of a global report.
    pub instances: Vec<InstanceSummary>,
    /// The other period of a compare-period report.
    pub second: Option<Box<AwrReport>>,
    /// What the report does not contain, or what could not be parsed.
    pub gaps: Vec<Gap>,
}

impl AwrReport {
    /// As the findings about it name it.
    pub fn path(&self) -> PathName {
        self.source.as_str().into()
    }
}

/// An event at the top of a report. `DB CPU` has neither waits nor a class.
#[record]
pub struct TopEvent {
    /// The event's name, completed where the text report cuts it.
    pub name: String,
    /// Waits.
    pub waits: Option<u64>,
    /// Time waited, s.
    pub time_s: Option<f64>,
    /// Mean wait, ms; see [`WaitStat::mean_ms`].
    pub mean_wait_ms: Option<f64>,
    /// Mean wait as printed, ms.
    pub printed_mean_wait_ms: Option<f64>,
    /// Share of DB time (of call or elapsed time in old Statspack), percent.
    pub share_pct: Option<f64>,
    /// Wait class.
    pub class: Option<String>,
}

/// What one wait event cost.
#[record]
pub struct WaitStat {
    /// Waits.
    pub waits: u64,
    /// Time waited, s.
    pub time_s: Option<f64>,
    /// The more exact of the two below.
    pub mean_ms: Option<f64>,
    /// As printed: rounded to whole ms before 12.2.
    pub printed_mean_ms: Option<f64>,
    /// `time / waits`.
    pub recomputed_mean_ms: Option<f64>,
    /// Share of DB time (background: of background time), percent.
    pub share_pct: Option<f64>,
    /// Waits that ended by a timeout, percent.
    pub timeouts_pct: Option<f64>,
    /// Background processes waited: their time is no part of DB time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub background: bool,
}

/// How long the waits for one event lasted.
#[record]
pub struct WaitHistogram {
    /// Waits, when printed whole.
    pub waits: Option<u64>,
    /// Ascending; the last is open.
    pub buckets: Vec<HistogramBucket>,
}

/// A share of the waits.
#[record(Copy)]
pub struct HistogramBucket {
    /// Upper edge, µs, as the heading names it (`<1ms` is 1000; Oracle's own edge may be the next power of two,
    /// 2.4 % above); `None`: open.
    pub upto_us: Option<f64>,
    /// Share of the waits, percent.
    pub pct: f64,
}

/// A line of the I/O profile, per second.
#[record(Copy)]
pub struct IoProfileLine {
    /// Both.
    pub total_per_s: Option<f64>,
    /// Reads.
    pub read_per_s: Option<f64>,
    /// Writes.
    pub write_per_s: Option<f64>,
}

/// I/O of a database function or of a kind of file.
#[record]
pub struct IoFunction {
    /// `LGWR`, `Data File`, ...
    pub name: String,
    /// Read, bytes.
    pub read_bytes: Option<f64>,
    /// Read requests per second.
    pub read_io_per_s: Option<f64>,
    /// Read, bytes per second.
    pub read_bytes_per_s: Option<f64>,
    /// Written, bytes.
    pub write_bytes: Option<f64>,
    /// Write requests per second.
    pub write_io_per_s: Option<f64>,
    /// Written, bytes per second.
    pub write_bytes_per_s: Option<f64>,
    /// Waits.
    pub waits: Option<u64>,
    /// Mean wait, ms.
    pub mean_ms: Option<f64>,
    /// Kinds of file: mean service time of a small read, ms.
    pub small_read_ms: Option<f64>,
    /// Kinds of file: mean service time of a large read, ms.
    pub large_read_ms: Option<f64>,
}

/// I/O of a tablespace or a file.
#[record]
pub struct FileIo {
    /// The tablespace.
    pub tablespace: String,
    /// The file.
    pub file: Option<String>,
    /// The pluggable database.
    pub pdb: Option<String>,
    /// Reads.
    pub reads: Option<u64>,
    /// Reads per second.
    pub reads_per_s: Option<f64>,
    /// Mean read, ms.
    pub read_mean_ms: Option<f64>,
    /// Blocks in a read.
    pub blocks_per_read: Option<f64>,
    /// Mean single-block read, ms (12.1).
    pub single_block_read_mean_ms: Option<f64>,
    /// Writes.
    pub writes: Option<u64>,
    /// Writes per second.
    pub writes_per_s: Option<f64>,
    /// Waits for a buffer.
    pub buffer_waits: Option<u64>,
    /// Mean wait for a buffer, ms.
    pub buffer_wait_mean_ms: Option<f64>,
}

/// An instance statistic over the interval.
#[record(Copy)]
pub struct Activity {
    /// Over the interval.
    pub total: f64,
    /// Per second.
    pub per_s: Option<f64>,
    /// A transaction.
    pub per_transaction: Option<f64>,
}

/// What a cluster's report adds.
#[record]
pub struct RacStatistics {
    /// Global cache load profile, per second, by label.
    pub load_per_s: BTreeMap<String, f64>,
    /// Estimated traffic of the interconnect, bytes per second.
    pub traffic_bytes_per_s: Option<f64>,
    /// Mean times of global cache and messaging, ms, by label without its unit; several instances: the worst.
    pub mean_ms: BTreeMap<String, f64>,
    /// Shares of global cache work, percent, by label.
    pub share_pct: BTreeMap<String, f64>,
    /// `gc blocks lost` over the interval.
    pub blocks_lost: Option<f64>,
    /// `gc blocks corrupt` over the interval.
    pub blocks_corrupt: Option<f64>,
    /// Interconnects that the instances use.
    pub interconnects: Vec<Interconnect>,
    /// Round trips between instances.
    pub pings: Vec<PingLatency>,
    /// Sent and received by the interconnect's users, bytes per second.
    pub clients: BTreeMap<String, [f64; 2]>,
}

/// An interconnect of an instance.
#[record]
pub struct Interconnect {
    /// The instance's number, in a global report.
    pub instance: Option<u64>,
    /// The interface.
    pub interface: String,
    /// Its address.
    pub address: String,
    /// `Pub = Y`: a public network.
    pub public: Option<bool>,
    /// Where Oracle has it from.
    pub origin: Option<String>,
    /// Sent, bytes per second.
    pub sent_bytes_per_s: Option<f64>,
    /// Received, bytes per second.
    pub received_bytes_per_s: Option<f64>,
    /// Errors, both ways.
    pub errors: Option<u64>,
    /// Drops and overruns, both ways.
    pub dropped: Option<u64>,
}

/// Round trips of messages between two instances.
#[record(Copy)]
pub struct PingLatency {
    /// The instance that asks, in a global report.
    pub from: Option<u64>,
    /// The instance that answers.
    pub target: u64,
    /// Messages of 500 bytes.
    pub count: Option<u64>,
    /// 500 bytes, mean, ms.
    pub small_ms: Option<f64>,
    /// 8 KiB, mean, ms.
    pub large_ms: Option<f64>,
}

/// One instance of a global report.
#[record]
pub struct InstanceSummary {
    /// Number.
    pub number: u64,
    /// Name.
    pub name: String,
    /// Host.
    pub host: Option<String>,
    /// Release.
    pub release: Option<String>,
    /// Redo, bytes per second.
    pub redo_size_per_s: Option<f64>,
    /// DB time, minutes.
    pub db_time_min: Option<f64>,
    /// Elapsed, minutes.
    pub elapsed_min: Option<f64>,
}
