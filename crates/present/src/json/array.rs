//! `fullwire.array/1`: the arithmetic of an array of disks.

use fullwire_model::array::{DiskArray, RaidLevel};
use serde::Serialize;

/// `fullwire.array/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArrayDocument {
    /// `fullwire.array/1`.
    pub schema: &'static str,
    /// As described.
    pub array: DiskArray,
    /// Random I/Os of one disk, per second.
    pub disk_io_per_s: f64,
    /// Share of reads: 1 is all.
    pub read_share: f64,
    /// Bytes of one I/O.
    pub block_bytes: u64,
    /// I/Os in flight; `None`: as many as keep all disks busy.
    pub in_flight: Option<u64>,
    /// The demand, I/Os per second.
    pub needed_io_per_s: Option<f64>,
    /// The same disks in each level.
    pub levels: Vec<ArrayLevel>,
}

/// What the disks do in one level.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArrayLevel {
    /// The level.
    pub level: RaidLevel,
    /// Disk operations for one I/O of this mix.
    pub operations_per_io: f64,
    /// Random I/Os per second; `None`: too few disks, or their number is the question.
    pub io_per_s: Option<f64>,
    /// The same in bytes per second.
    pub bytes_per_s: Option<f64>,
    /// Time of one I/O at the given number in flight (Little's law), ns.
    pub latency_ns: Option<f64>,
    /// Disks that the demand takes.
    pub disks_needed: Option<u64>,
}
