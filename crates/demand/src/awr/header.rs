//! Who, where, when: the tables at the head of a report.

use super::table::{Pair, Table};
use super::{absent, find, number};
use crate::clock::Calendar;
use crate::page;
use fullwire_model::demand::{AwrKind, AwrReport};
use fullwire_model::{Gap, GapReason};

/// Reads the head of a single-instance report.
pub(super) fn read(tables: &[Table], report: &mut AwrReport) {
    if matches!(report.kind, AwrKind::Awr | AwrKind::Statspack) {
        for table in tables.iter().filter(|table| !table.columns.is_empty()).take(12) {
            database(table, report);
            host(table, report);
            snapshots(table, report);
            both_snapshots(table, report);
        }
        interval(tables, report);
        check(report);
    }
    if let Some(table) = find(tables, &["cache sizes", "this table displays cache sizes"]) {
        block_size(table, report);
    }
}

/// A value, unless the field has one already: the first table of a kind counts.
pub(super) fn put<T>(field: &mut Option<T>, value: Option<T>) {
    if field.is_none() {
        *field = value;
    }
}

/// `YES`, `NO`, `Y`, `N`.
pub(super) fn yes(text: &str) -> Option<bool> {
    match text.to_ascii_uppercase().as_str() {
        "YES" | "Y" => Some(true),
        "NO" | "N" => Some(false),
        _ => None,
    }
}

fn database(table: &Table, report: &mut AwrReport) {
    let Some(row) = table.rows.first() else { return };
    // `Container DB Id | Container Name | Open Time`, in the report of one.
    put(&mut report.pdb, table.owned(row, &["containername"]));
    if table.column(&["instnum"]).is_some() {
        put(&mut report.instance, table.owned(row, &["instance"]));
        put(&mut report.instance_number, table.count(row, &["instnum"]));
    }
    if table.column(&["dbid"]).is_none() || table.column(&["snapid"]).is_some() {
        return;
    }
    put(&mut report.db_name, table.owned(row, &["dbname", "database"]));
    put(&mut report.db_id, table.count(row, &["dbid"]));
    put(&mut report.release, table.owned(row, &["release"]));
    put(&mut report.rac, table.cell(row, &["rac", "cluster", "ops"]).and_then(yes));
    put(&mut report.cdb, table.cell(row, &["cdb"]).and_then(yes));
    // Before 11g the host is in the same row.
    put(&mut report.host, table.owned(row, &["host"]));
    put(&mut report.pdb, table.owned(row, &["pdbname"]));
}

fn host(table: &Table, report: &mut AwrReport) {
    let Some(row) = table.rows.first().filter(|_| table.has(&["platform"]) && !table.has(&["i#"])) else {
        return;
    };
    put(&mut report.host, table.owned(row, &["hostname", "name", "host"]));
    put(&mut report.platform, table.owned(row, &["platform"]));
    put(&mut report.cpus, table.count(row, &["cpus"]));
    let memory = table.number(row, &["memorygb", "memoryg", "memory"]);
    put(&mut report.memory_bytes, memory.filter(|gib| *gib > 0.0).and_then(gib));
}

fn gib(value: f64) -> Option<u64> {
    // Express Edition prints .00.
    page::whole((value * 1_073_741_824.0).round()).filter(|bytes| *bytes > 0)
}

/// `Begin Snap: | 1822 | 23-Apr-14 18:30:05 | ...`
fn snapshots(table: &Table, report: &mut AwrReport) {
    let (Some(id), Some(time)) = (table.column(&["snapid"]), table.column(&["snaptime"])) else { return };
    for row in &table.rows {
        let label = row.label();
        let (snap, at) = if label.starts_with("begin snap") {
            (&mut report.begin_snap, &mut report.begin)
        } else if label.starts_with("end snap") {
            (&mut report.end_snap, &mut report.end)
        } else {
            continue;
        };
        put(&mut report.cdb, table.cell(row, &["cdb"]).and_then(yes));
        put(snap, row.cell(Some(id)).and_then(number::count));
        let Some(text) = row.cell(Some(time)).filter(|_| at.is_none()) else { continue };
        *at = Calendar::default().date_time(text);
        if at.is_none() {
            let detail = format!("line {}: \"{text}\" is not a recognised date", row.line);
            report.gaps.push(Gap::new("snapshot time", GapReason::Malformed, detail));
        }
    }
}

/// 8i has both in one row: `Start Id | End Id | Start Time | End Time | Snap Length (Minutes)`.
fn both_snapshots(table: &Table, report: &mut AwrReport) {
    let Some(row) = table.rows.first().filter(|_| table.has(&["startid"])) else { return };
    let time = |name: &str| Calendar::default().date_time(table.cell(row, &[name])?);
    put(&mut report.begin_snap, table.count(row, &["startid"]));
    put(&mut report.end_snap, table.count(row, &["endid"]));
    put(&mut report.begin, time("starttime"));
    put(&mut report.end, time("endtime"));
    put(&mut report.elapsed_min, table.number(row, &["snaplength"]));
}

/// `Elapsed: 15.03 (mins)`, `DB Time: 106.74 (mins)`.
fn interval(tables: &[Table], report: &mut AwrReport) {
    for table in tables.iter().take(16) {
        for pair in table.pairs() {
            let field = match pair.label.to_lowercase().as_str() {
                "elapsed" => &mut report.elapsed_min,
                "db time" => &mut report.db_time_min,
                _ => continue,
            };
            // 0.00 is less than the last digit: nothing is a share of it.
            put(field, minutes(&pair).filter(|minutes| *minutes > 0.0));
        }
    }
}

/// The value is in minutes when the word `mins` is behind it.
fn minutes(pair: &Pair) -> Option<f64> {
    let joined = pair.values.join(" ");
    joined.contains("(min").then(|| number::number(joined.split(" (").next().unwrap_or("")))?
}

fn block_size(table: &Table, report: &mut AwrReport) {
    for pair in table.pairs() {
        let label = pair.label.to_lowercase();
        if label.contains("std block size") || label.contains("db_block_size") {
            let bytes = pair.values.first().and_then(|value| number::bytes(value, 1.0));
            put(&mut report.block_bytes, bytes.and_then(|bytes| number::count(&bytes.to_string())));
        }
    }
}

fn check(report: &mut AwrReport) {
    if report.release.is_none() {
        absent(report, "release");
    }
    if report.elapsed_min.is_none() {
        absent(report, "elapsed time");
    }
    if report.begin.is_none() || report.end.is_none() {
        absent(report, "snapshot times");
    }
}
