//! MySQL 8 and MariaDB: what to ask, and what the answers mean.

use super::window::{Counters, Reading, Window, reckon};
use fullwire_model::demand::{Demand, RedoHistory};

/// Rows of name and value; what is no number is left aside.
pub const STATUS: &str = "show global status";

/// The binary logs and their sizes (`Log_name`, `File_size`, ...): needs REPLICATION CLIENT, or BINLOG MONITOR in MariaDB.
/// MySQL, other than MariaDB, has no status variable for the bytes written.
pub const BINARY_LOGS: &str = "show binary logs";
/// Under this name a client keeps the sum of the sizes that [`BINARY_LOGS`] lists; a purge makes it fall, and a window
/// with a fall counts for nothing.
pub const BINARY_LOG_BYTES: &str = "binary_log_bytes";

/// The status variables that are kept.
pub fn is_wanted(name: &str) -> bool {
    const OTHERS: [&str; 5] =
        ["com_commit", "handler_commit", "binlog_bytes_written", "binlog_cache_disk_use", "questions"];
    // Semi-synchronous replication: the plugin of MySQL 8.0.26 says source, all before and MariaDB say master.
    const SEMI_SYNC: [&str; 6] = [
        "rpl_semi_sync_master_no_tx",
        "rpl_semi_sync_master_tx_avg_wait_time",
        "rpl_semi_sync_master_yes_tx",
        "rpl_semi_sync_source_no_tx",
        "rpl_semi_sync_source_tx_avg_wait_time",
        "rpl_semi_sync_source_yes_tx",
    ];
    const INNODB: [&str; 12] = [
        "innodb_os_log_written",
        "innodb_log_writes",
        "innodb_log_waits",
        "innodb_os_log_fsyncs",
        "innodb_lsn_current",
        "innodb_redo_log_current_lsn",
        "innodb_data_reads",
        "innodb_data_read",
        "innodb_data_writes",
        "innodb_data_written",
        "innodb_data_fsyncs",
        "innodb_redo_log_capacity_resized",
    ];
    let name = name.to_ascii_lowercase();
    [&OTHERS[..], &SEMI_SYNC, &INNODB].iter().any(|names| names.contains(&name.as_str()))
}

/// A history and a demand from readings of [`STATUS`], names in lower case. The log sequence number counts what was
/// made and the device takes; bytes written count padding to whole blocks as well. Replication sends the binary log.
pub fn reckon_window(source: &str, readings: &[Reading], headroom: f64) -> (RedoHistory, Demand) {
    let counters = Counters {
        database: "mysql",
        redo_bytes: &["innodb_redo_log_current_lsn", "innodb_lsn_current", "innodb_os_log_written"],
        shipped_bytes: Some(&["binlog_bytes_written", BINARY_LOG_BYTES]),
        log_writes: &[["innodb_os_log_written", "innodb_log_writes"]],
        log_write: no_log_write,
        reads: Some("innodb_data_reads"),
        read_bytes: Some("innodb_data_read"),
        writes: &["innodb_data_writes"],
        write_bytes: &["innodb_data_written"],
        commits: &["handler_commit", "com_commit"],
    };
    reckon(source, readings, &counters, headroom)
}

/// The status variables count log writes, and time none of them.
fn no_log_write(_: &Window<'_>) -> Option<(f64, f64)> {
    None
}
