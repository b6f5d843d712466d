//! What the database needs, read from its reports or asked of it live.

mod awr;
mod import;
mod redo;
mod sizing;
pub mod transport;
mod views;

pub use awr::{
    Activity, AwrKind, AwrReport, FileIo, HistogramBucket, InstanceSummary, Interconnect, IoFunction,
    IoProfileLine, PingLatency, RacStatistics, TopEvent, WaitHistogram, WaitStat,
};
pub use import::{ImportedSeries, Places, Sample, Series, Summary, origin};
pub use redo::{RedoHistory, RedoHour, RedoLog, RedoPoint};
pub use sizing::{Delay, Sizing, SyncCommit};
pub use views::{
    ArchiveDestination, AsmDisk, AsmGroup, AsmOperation, DataguardStat, OracleDatabase, OracleViews,
    RecoveryArea, RedoGroup,
};

use crate::Gap;
use fullwire_record::record;

/// What the database needs of its I/O path.
#[record]
pub struct Demand {
    /// The file or data source name that it was read from (password left out).
    pub source: String,
    /// `oracle`, `postgresql`, `mysql`.
    pub database: String,
    /// Which database: its name, `NAME/PDB` of a pluggable one, or the data source name of a live server.
    pub database_name: Option<String>,
    /// Redo or WAL at its highest, bytes per second: what the log device takes. Instances of a cluster are summed.
    pub redo_peak_bytes_per_s: Option<f64>,
    /// True when the true peak is higher: the rate is the mean of an interval, or misses threads of a cluster.
    pub redo_peak_is_lower_bound: bool,
    /// The rate is the mean of an interval of this length, s.
    pub redo_mean_over_s: Option<f64>,
    /// Threads of redo (instances of a cluster): ASYNC transport has one connection for each.
    pub redo_threads: Option<u64>,
    /// What replication sends at its highest where that is not the redo: MySQL's binary log, bytes per second.
    pub shipped_peak_bytes_per_s: Option<f64>,
    /// What is added to the peak: 0.3 is 30 %.
    pub headroom: f64,
    /// What the path must carry: the peak of what is sent, with headroom.
    pub redo_required_bytes_per_s: Option<f64>,
    /// The same by Oracle's MAA: peak / 0.7.
    pub redo_required_maa_bytes_per_s: Option<f64>,
    /// Mean size of a redo write, bytes.
    pub redo_write_mean_bytes: Option<f64>,
    /// Reads per second.
    pub read_io_per_s: Option<f64>,
    /// Bytes read a second.
    pub read_bytes_per_s: Option<f64>,
    /// Writes per second.
    pub write_io_per_s: Option<f64>,
    /// Bytes written a second.
    pub write_bytes_per_s: Option<f64>,
    /// Commits per second, rollbacks not counted.
    pub commits_per_s: Option<f64>,
    /// The database's own measure of one log write that is safe on disk, ns.
    pub log_write_mean_ns: Option<f64>,
    /// The log writes behind that mean.
    pub log_writes: Option<f64>,
    /// How long single log writes took, if the report shows it: of the report with the most of them.
    pub log_write_histogram: Option<WaitHistogram>,
    /// The database's own measure of a commit's wait, ns.
    pub commit_wait_mean_ns: Option<f64>,
    /// The waits behind that mean.
    pub commit_waits: Option<f64>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}
