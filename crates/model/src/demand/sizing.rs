//! What a measured path means for the redo that a database makes.

use super::transport::Carried;
use crate::Gap;
use crate::latency::Latency;
use serde::Serialize;

/// What a path means for redo transport.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sizing {
    /// What the path must carry, bytes per second.
    pub required_bytes_per_s: Option<f64>,
    /// The same by Oracle's MAA: peak / 0.7.
    pub required_maa_bytes_per_s: Option<f64>,
    /// What ASYNC transport would carry: one connection for each thread of redo.
    pub async_transport: Option<Carried>,
    /// The most that one measurement showed with all its connections, bytes per second.
    pub measured_bytes_per_s: Option<f64>,
    /// Socket buffer for one connection: three times `required × round trip`, bytes.
    pub buffer_needed_bytes: Option<f64>,
    /// SYNC AFFIRM: the standby answers when the redo is on its disk.
    pub sync_affirm: Option<SyncCommit>,
    /// SYNC NOAFFIRM (`FASTSYNC`): the standby answers when it has the redo in memory.
    pub sync_noaffirm: Option<SyncCommit>,
    /// Time to close a gap while the database goes on at its peak, s; `None` when it never closes.
    pub gap_closes_s: Option<f64>,
    /// What limits the closing of the gap: `network`, `archive read` or `apply`.
    pub gap_limited_by: Option<&'static str>,
    /// What is not known.
    pub gaps: Vec<Gap>,
}

/// What SYNC transport means for a commit.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SyncCommit {
    /// Until the standby has answered, ns.
    pub remote_ns: Delay,
    /// What that adds to the local log write, which runs at the same time, ns.
    pub added_ns: Delay,
    /// What the local write was taken as: `histogram`, `mean` or `unknown` (then the whole remote time is added: an upper
    /// bound).
    pub local: &'static str,
}

/// Percentiles of a delay, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Delay {
    /// Median.
    pub p50: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 99th percentile.
    pub p99: u64,
}

impl From<&Latency> for Delay {
    fn from(latency: &Latency) -> Self {
        Self { p50: latency.p50, p90: latency.p90, p99: latency.p99 }
    }
}
