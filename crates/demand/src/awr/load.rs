//! Load profile, instance efficiency, I/O profile.

use super::header::put;
use super::table::{Table, reduce};
use super::{absent, find, number};
use fullwire_model::demand::{AwrKind, AwrReport, IoProfileLine};

/// Reads what the first page says of the load.
pub(super) fn read(tables: &[Table], report: &mut AwrReport) {
    if matches!(report.kind, AwrKind::AwrGlobal | AwrKind::AwrDiff) {
        return;
    }
    match find(tables, &["load profile", "this table displays load profile"]) {
        Some(table) => load_profile(table, report),
        None => absent(report, "load profile"),
    }
    // The title of the paragraph differs by release: "Percentages (Target 100%)", "Indicators".
    match find(tables, &["instance efficiency", "this table displays instance efficiency"]) {
        Some(table) => efficiency(table, report),
        None => absent(report, "instance efficiency"),
    }
    if let Some(table) = find(tables, &["io profile", "this table displays io profile"]) {
        io_profile(table, report);
    }
}

fn load_profile(table: &Table, report: &mut AwrReport) {
    for row in &table.rows {
        let label = row.label();
        let Some(value) = table.number(row, &["persecond"]) else { continue };
        if !label.is_empty() {
            report.load_profile.insert(label, value);
        }
    }
    let profile = &report.load_profile;
    let get = |names: &[&str]| {
        names
            .iter()
            .find_map(|wanted| profile.iter().find(|(label, _)| reduce(label) == *wanted).map(|(_, v)| *v))
    };
    put(&mut report.redo_size_per_s, get(&["redosize", "redosizebytes"]));
    put(&mut report.logical_reads_per_s, get(&["logicalreads", "logicalread", "logicalreadblocks"]));
    put(&mut report.physical_reads_per_s, get(&["physicalreads", "physicalread", "physicalreadblocks"]));
    put(&mut report.physical_writes_per_s, get(&["physicalwrites", "physicalwrite", "physicalwriteblocks"]));
    put(&mut report.transactions_per_s, get(&["transactions"]));
    put(&mut report.read_io_per_s, get(&["readiorequests"]));
    put(&mut report.write_io_per_s, get(&["writeiorequests"]));
    put(&mut report.read_bytes_per_s, get(&["readiomb"]).map(mib));
    put(&mut report.write_bytes_per_s, get(&["writeiomb"]).map(mib));
    if report.redo_size_per_s.is_none() {
        absent(report, "redo size in the load profile");
    }
}

fn mib(value: f64) -> f64 {
    value * 1_048_576.0
}

fn efficiency(table: &Table, report: &mut AwrReport) {
    for pair in table.pairs() {
        let field = match reduce(&pair.label).as_str() {
            // 8i says "Ratio".
            "bufferhit%" | "bufferhitratio" => &mut report.buffer_hit_pct,
            "latchhit%" | "latchhitratio" => &mut report.latch_hit_pct,
            "libraryhit%" | "libraryhitratio" => &mut report.library_hit_pct,
            _ => continue,
        };
        put(field, pair.values.first().and_then(|value| number::number(value)));
    }
}

fn io_profile(table: &Table, report: &mut AwrReport) {
    for row in &table.rows {
        let label = row.label();
        let total = ["read+writepersecond", "readwritepersecond", "readwritesecond"];
        let line = IoProfileLine {
            total_per_s: table.number(row, &total),
            read_per_s: table.number(row, &["readpersecond", "readsecond"]),
            write_per_s: table.number(row, &["writepersecond", "writesecond"]),
        };
        if !label.is_empty() && line != IoProfileLine::default() {
            report.io_profile.insert(label, line);
        }
    }
}
