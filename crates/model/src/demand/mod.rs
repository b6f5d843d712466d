//! What the database needs, read from its reports or asked of it live.

mod awr;
mod import;
mod redo;

pub use awr::{
    Activity, AwrKind, AwrReport, FileIo, HistogramBucket, InstanceSummary, Interconnect, IoFunction,
    IoProfileLine, PingLatency, RacStatistics, TopEvent, WaitHistogram, WaitStat,
};
pub use import::{ImportedSeries, Sample, Series};
pub use redo::{RedoHistory, RedoLog, RedoPoint};

use crate::Gap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the database needs of its I/O path.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Demand {
    /// The file or data source name that it was read from (password left out).
    pub source: String,
    /// `oracle`, `postgresql`, `mysql`.
    pub database: String,
    /// Redo or WAL at its worst, bytes a second.
    pub redo_peak_bytes_per_s: Option<f64>,
    /// The same with headroom: what the path must carry.
    pub redo_required_bytes_per_s: Option<f64>,
    /// Mean size of a redo write, bytes.
    pub redo_write_mean_bytes: Option<f64>,
    /// Reads a second.
    pub read_io_per_s: Option<f64>,
    /// Bytes read a second.
    pub read_bytes_per_s: Option<f64>,
    /// Writes a second.
    pub write_io_per_s: Option<f64>,
    /// Bytes written a second.
    pub write_bytes_per_s: Option<f64>,
    /// Commits a second.
    pub commits_per_s: Option<f64>,
    /// The database's own measure of one log write, ns.
    pub log_write_mean_ns: Option<f64>,
    /// The database's own measure of a commit's wait, ns.
    pub commit_wait_mean_ns: Option<f64>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}
