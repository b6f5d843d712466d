//! Who, where, when: the tables at the head of a report.

use super::table::{Pair, Row, Table};
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

pub(super) fn owned(row: &Row, column: Option<usize>) -> Option<String> {
    row.cell(column).map(str::to_owned)
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
    put(&mut report.pdb, owned(row, table.column(&["containername"])));
    if table.column(&["instnum"]).is_some() {
        put(&mut report.instance, owned(row, table.column(&["instance"])));
        put(&mut report.instance_number, row.cell(table.column(&["instnum"])).and_then(number::count));
    }
    if table.column(&["dbid"]).is_none() || table.column(&["snapid"]).is_some() {
        return;
    }
    put(&mut report.db_name, owned(row, table.column(&["dbname", "database"])));
    put(&mut report.db_id, row.cell(table.column(&["dbid"])).and_then(number::count));
    put(&mut report.release, owned(row, table.column(&["release"])));
    put(&mut report.rac, row.cell(table.column(&["rac", "cluster", "ops"])).and_then(yes));
    put(&mut report.cdb, row.cell(table.column(&["cdb"])).and_then(yes));
    // Before 11g the host is in the same row.
    put(&mut report.host, owned(row, table.column(&["host"])));
    put(&mut report.pdb, owned(row, table.column(&["pdbname"])));
}

fn host(table: &Table, report: &mut AwrReport) {
    let (Some(row), Some(platform)) = (table.rows.first(), table.column(&["platform"])) else { return };
    if table.column(&["i#"]).is_some() {
        return;
    }
    put(&mut report.host, owned(row, table.column(&["hostname", "name", "host"])));
    put(&mut report.platform, owned(row, Some(platform)));
    put(&mut report.cpus, row.cell(table.column(&["cpus"])).and_then(number::count));
    let memory = table.column(&["memorygb", "memoryg", "memory"]);
    put(
        &mut report.memory_bytes,
        row.cell(memory).and_then(number::number).filter(|gib| *gib > 0.0).and_then(gib),
    );
}

fn gib(value: f64) -> Option<u64> {
    // Express Edition prints .00.
    page::whole((value * 1_073_741_824.0).round()).filter(|bytes| *bytes > 0)
}

/// `Begin Snap: | 1822 | 23-Apr-14 18:30:05 | ...`
fn snapshots(table: &Table, report: &mut AwrReport) {
    let (Some(id), Some(time)) = (table.column(&["snapid"]), table.column(&["snaptime"])) else { return };
    for row in &table.rows {
        let label = row.cells.first().map_or("", String::as_str).to_lowercase();
        let (snap, at) = if label.starts_with("begin snap") {
            (&mut report.begin_snap, &mut report.begin)
        } else if label.starts_with("end snap") {
            (&mut report.end_snap, &mut report.end)
        } else {
            continue;
        };
        put(&mut report.cdb, row.cell(table.column(&["cdb"])).and_then(yes));
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
    let (Some(row), Some(start)) = (table.rows.first(), table.column(&["startid"])) else { return };
    let cell = |name: &str| row.cell(table.column(&[name]));
    let time = |name: &str| cell(name).and_then(|text| Calendar::default().date_time(text));
    put(&mut report.begin_snap, row.cell(Some(start)).and_then(number::count));
    put(&mut report.end_snap, cell("endid").and_then(number::count));
    put(&mut report.begin, time("starttime"));
    put(&mut report.end, time("endtime"));
    put(&mut report.elapsed_min, cell("snaplength").and_then(number::number));
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
