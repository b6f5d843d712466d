//! The redo or WAL that a database made over time, and the bandwidth that it needs.

use crate::Gap;
use fullwire_record::record;
use jiff::civil::DateTime;
use std::collections::BTreeMap;

/// Redo over time (`fullwire.redo/1`).
#[record]
pub struct RedoHistory {
    /// Files or data source names that it was read from (passwords left out).
    pub source: String,
    /// `oracle`, `postgresql`, `mysql`.
    pub database: String,
    /// Each archived log, report interval or sampling window, as listed.
    pub logs: Vec<RedoLog>,
    /// The rate at its highest, bytes per second: over all threads together when the times are known, otherwise of
    /// the worst single log, which is a lower bound in a cluster.
    pub peak_bytes_per_s: Option<f64>,
    /// When that was: a time, or `thread 2 sequence 2295` when no times are known.
    pub peak_at: Option<String>,
    /// True when the true peak is higher: the listing has no times to add up threads by, or the rates are means of
    /// intervals, or the window was short.
    pub peak_is_lower_bound: bool,
    /// The peak is the mean of an interval of this length, s: from reports.
    pub peak_mean_over_s: Option<f64>,
    /// The worst single log, bytes per second.
    pub peak_log_bytes_per_s: Option<f64>,
    /// The worst hour, threads together, bytes per second.
    pub peak_hour_bytes_per_s: Option<f64>,
    /// All bytes over all of the time, bytes per second.
    pub mean_bytes_per_s: Option<f64>,
    /// Median over the time that is covered, bytes per second.
    pub p50_bytes_per_s: Option<f64>,
    /// 95th percentile over time, bytes per second.
    pub p95_bytes_per_s: Option<f64>,
    /// 99th percentile over time, bytes per second.
    pub p99_bytes_per_s: Option<f64>,
    /// What is added to the peak, 0.3 by default.
    pub headroom: f64,
    /// What replication sends at its highest where that is not the redo: MySQL's binary log, bytes per second.
    pub shipped_peak_bytes_per_s: Option<f64>,
    /// `peak × (1 + headroom)` of what is sent: what the path must carry, bytes per second.
    pub required_bytes_per_s: Option<f64>,
    /// The same by Oracle's MAA: `peak / 0.7`, bytes per second.
    pub required_maa_bytes_per_s: Option<f64>,
    /// Mean size of a write of the log writer, bytes.
    pub mean_redo_write_bytes: Option<f64>,
    /// Live servers: all counters that did not fall, by their growth a second over the whole window
    /// (`binlog_bytes_written`, `wal_buffers_full`, `archive_failed`).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rates_per_s: BTreeMap<String, f64>,
    /// Live servers: the same counters as they stood at the end of the window, since the server's statistics were reset;
    /// of what may fall (`slots_inactive_bytes`, `sync_flush_lag_ms`) the highest.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub totals: BTreeMap<String, f64>,
    /// The rate over time, threads together: for charts.
    pub series: Vec<RedoPoint>,
    /// The rate by weekday and hour, where the logs have times: the hours that are covered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hours: Vec<RedoHour>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// One archived log, report interval or window.
#[record]
pub struct RedoLog {
    /// Redo thread (instance of a cluster); 1 where there are none.
    pub thread: u64,
    /// Log sequence, snapshot or number of the window.
    pub sequence: u64,
    /// Size, bytes; in a listing that shows only rates, computed from them.
    pub bytes: f64,
    /// Time that it took to fill, s.
    pub seconds: Option<f64>,
    /// `bytes / seconds`.
    pub bytes_per_s: Option<f64>,
    /// When it was begun.
    pub begin: Option<DateTime>,
    /// When it was full.
    pub end: Option<DateTime>,
}

/// An hour of the week: all weeks of the listing together.
#[record(Copy)]
pub struct RedoHour {
    /// Monday is 1, Sunday 7.
    pub weekday: u8,
    /// 0 to 23, by the database host's clock.
    pub hour: u8,
    /// Mean of the time covered, bytes per second.
    pub mean_bytes_per_s: f64,
    /// Highest rate, bytes per second.
    pub peak_bytes_per_s: f64,
    /// Time covered, s.
    pub told_s: f64,
}

/// A rate from a time until the next point.
#[record]
pub struct RedoPoint {
    /// When.
    pub at: DateTime,
    /// All threads together, bytes per second.
    pub bytes_per_s: f64,
}
