//! What follows from what was read.

use super::header::put;
use crate::page;
use fullwire_model::demand::AwrReport;

/// Oracle's redo block on Linux, bytes (`V$ARCHIVED_LOG.BLOCK_SIZE` of a 512-byte sector; the report does not print it).
const REDO_BLOCK_BYTES: f64 = 512.0;

/// A rate of this much is printed with four digits, two of them behind the point.
const PRECISE: f64 = 10.0;

/// Fills what other figures of the report determine.
pub(super) fn complete(report: &mut AwrReport) {
    let total = |name: &str| report.activity.get(name).map(|activity| activity.total);
    let seconds = report.elapsed_min.map(|minutes| minutes * 60.0).filter(|&seconds| seconds > 0.0);
    let (size, writes, blocks) = (total("redo size"), total("redo writes"), total("redo blocks written"));
    let printed = |name: &str| report.activity.get(name).and_then(|activity| activity.per_s);
    // As printed, where it has more digits than the rounded minutes of a short report.
    let rate = |name: &str, total: Option<f64>| {
        printed(name).filter(|per_s| *per_s >= PRECISE).or_else(|| Some(total? / seconds?))
    };
    let per_s = |value: Option<f64>| Some(value? / seconds?);
    let redo_size = size.or_else(|| Some(report.redo_size_per_s? * seconds?));
    let of = |name: &str| rate(name, total(name));
    let (read_io, write_io) = (of("physical read total IO requests"), of("physical write total IO requests"));
    let (read_bytes, write_bytes) = (of("physical read total bytes"), of("physical write total bytes"));
    let transactions = total("user commits").map(|commits| commits + total("user rollbacks").unwrap_or(0.0));
    let transactions_per_s = per_s(transactions);
    put(&mut report.redo_size_total, redo_size.and_then(page::whole));
    put(&mut report.redo_size_per_s, per_s(size));
    put(&mut report.redo_writes_total, writes.and_then(page::whole));
    put(&mut report.mean_redo_write_bytes, quotient(size, writes));
    put(
        &mut report.mean_redo_write_on_disk_bytes,
        quotient(blocks.map(|blocks| blocks * REDO_BLOCK_BYTES), writes),
    );
    let log_writer = report.io_functions.iter().find(|line| line.name == "LGWR");
    let log_writer = log_writer.and_then(|line| line.write_bytes_per_s);
    put(&mut report.log_writer_bytes_per_s, log_writer);
    // Totals are exact where the profile is rounded to one place.
    if read_io.is_some() {
        (report.read_io_per_s, report.write_io_per_s) = (read_io, write_io);
    }
    if read_bytes.is_some() {
        (report.read_bytes_per_s, report.write_bytes_per_s) = (read_bytes, write_bytes);
    }
    put(&mut report.transactions_per_s, transactions_per_s);
    // The load profile prints rollbacks next to transactions since 11.2.
    let profile = report.transactions_per_s.zip(report.load_profile.get("rollbacks").copied());
    let from_profile = profile.map(|(all, rollbacks)| (all - rollbacks).max(0.0));
    put(&mut report.commits_per_s, per_s(total("user commits")).or(from_profile));
}

fn quotient(value: Option<f64>, by: Option<f64>) -> Option<f64> {
    Some(value? / by.filter(|&by| by > 0.0)?)
}
