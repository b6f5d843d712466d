//! What the counters of live servers mean. Figures by hand.

use crate::close;
use fullwire_demand::redo::{Reading, mysql, postgres};

/// Two readings 10 s apart: of each counter 0, then this value; settings stay.
fn readings(values: &[(&str, f64)]) -> [Reading; 2] {
    let reading = |at_s: f64, share: f64| Reading {
        at_s,
        at: None,
        values: values
            .iter()
            .map(|(name, value)| {
                let value = if name.starts_with("setting_") { *value } else { value * share };
                ((*name).to_owned(), value)
            })
            .collect(),
    };
    [reading(0.0, 0.0), reading(10.0, 1.0)]
}

const POSTGRES: [(&str, f64); 9] = [
    ("wal_lsn_bytes", 50e6),
    ("wal_bytes", 50e6),
    ("wal_write", 5000.0),
    ("wal_write_time", 100.0),
    ("wal_sync", 1000.0),
    ("wal_sync_time", 1900.0),
    ("data_write", 20_000.0),
    ("data_write_bytes", 163_840_000.0),
    ("commits", 900.0),
];

#[test]
fn a_postgresql_log_write_is_the_write_and_its_sync() {
    let (history, demand) = postgres::reckon_window("postgres://db", &readings(&POSTGRES), 0.3);
    // (100 + 1900) ms over 1000 syncs.
    close(demand.log_write_mean_ns, 2e6, 1e-12);
    assert_eq!(demand.log_writes, Some(1000.0));
    assert_eq!(demand.redo_peak_bytes_per_s, Some(5e6));
    assert_eq!(demand.redo_required_bytes_per_s, Some(6.5e6));
    assert!(demand.redo_peak_is_lower_bound && history.peak_is_lower_bound);
    // 20,000 of the data and 5,000 of the log in 10 s.
    assert_eq!(demand.write_io_per_s, Some(2500.0));
    assert_eq!(demand.commits_per_s, Some(90.0), "rollbacks are no commits");
}

#[test]
fn with_open_datasync_the_write_is_the_sync() {
    let mut values = POSTGRES.to_vec();
    values.retain(|(name, _)| !name.starts_with("wal_sync"));
    values.extend([("wal_sync", 0.0), ("wal_sync_time", 0.0)]);
    let mean = |values: &[(&str, f64)]| postgres::reckon_window("p", &readings(values), 0.3).1;
    // fsync switched off: a copy into the page cache is no log write.
    let off = mean(&values);
    assert_eq!(off.log_write_mean_ns, None);
    assert!(off.gaps.iter().any(|gap| gap.subject == "log write time"), "{:?}", off.gaps);
    values.push(("setting_wal_open_sync", 1.0));
    // 100 ms over 5000 writes.
    close(mean(&values).log_write_mean_ns, 20_000.0, 1e-12);
    let (history, _) = postgres::reckon_window("p", &readings(&values), 0.3);
    assert!(!history.rates_per_s.contains_key("setting_wal_open_sync"), "a setting is no rate");
}

#[test]
fn postgresql_blocks_read_are_no_device_reads() {
    let mut values = POSTGRES.to_vec();
    values.push(("blocks_read", 1e6));
    let (_, demand) = postgres::reckon_window("p", &readings(&values), 0.3);
    assert_eq!((demand.read_io_per_s, demand.read_bytes_per_s), (None, None));
    assert!(demand.gaps.iter().any(|gap| gap.subject == "device reads"), "{:?}", demand.gaps);
}

#[test]
fn postgresql_18_leaves_the_filling_of_segments_out() {
    let of = |version| postgres::queries(version).join("\n");
    assert!(of(180_000).contains("object = 'wal' and context = 'normal'"));
    assert!(of(180_000).contains("extend_bytes") && of(160_000).contains("op_bytes"));
    assert!(of(150_000).contains("buffers_checkpoint") && !of(160_000).contains("buffers_checkpoint"));
    assert!(of(150_000).contains("xact_rollback"));
}

#[test]
fn mysql_writes_its_redo_and_sends_its_binary_log() {
    let values = [("innodb_lsn_current", 40e6), ("binlog_bytes_written", 60e6)];
    let (history, demand) = mysql::reckon_window("mysql://db", &readings(&values), 0.3);
    assert_eq!(demand.redo_peak_bytes_per_s, Some(4e6), "the device's");
    assert_eq!(demand.shipped_peak_bytes_per_s, Some(6e6), "the network's");
    close(demand.redo_required_bytes_per_s, 7.8e6, 1e-12);
    close(history.required_maa_bytes_per_s, 8.571_428_57e6, 1e-8);
    // MySQL itself: the sizes of the binary logs.
    let values = [("innodb_redo_log_current_lsn", 40e6), (mysql::BINARY_LOG_BYTES, 20e6)];
    let (_, demand) = mysql::reckon_window("mysql://db", &readings(&values), 0.3);
    close(demand.redo_required_bytes_per_s, 2.6e6, 1e-12);
}

#[test]
fn mysql_without_a_binary_log_tells_nothing_of_the_network() {
    let (_, demand) = mysql::reckon_window("mysql://db", &readings(&[("innodb_lsn_current", 40e6)]), 0.3);
    assert_eq!((demand.redo_peak_bytes_per_s, demand.redo_required_bytes_per_s), (Some(4e6), None));
    assert!(demand.gaps.iter().any(|gap| gap.subject == "replication"), "{:?}", demand.gaps);
}
