//! I/O by function, kind of file, tablespace and file.

use super::number::Time;
use super::table::{Row, Table};
use super::{find_all, number};
use fullwire_model::demand::{AwrKind, AwrReport, FileIo, IoFunction};
use std::collections::BTreeSet;

/// Volumes without a suffix are MB of 1024 × 1024.
const MIB: f64 = 1_048_576.0;

/// Reads the I/O statistics.
pub(super) fn read(tables: &[Table], report: &mut AwrReport) {
    if matches!(report.kind, AwrKind::AwrDiff | AwrKind::AwrGlobal) {
        return;
    }
    let functions = [
        "this table displays the io statistics for different functions",
        "iostat by function summary",
        "io stat by function - summary",
    ];
    let types = ["this table displays io statistics for different file types", "iostat by filetype summary"];
    report.io_functions = lines(tables, &functions, &["functionname", "function"]);
    report.io_file_types = lines(tables, &types, &["filetypename", "filetype"]);
    let spaces = ["this table displays io statistics for different tablespaces", "tablespace io s"];
    let files = ["this table displays io statistics for different physical files", "file io stat"];
    report.tablespaces = find_all(tables, &spaces).flat_map(file_lines).collect();
    report.files = find_all(tables, &files).flat_map(file_lines).collect();
}

fn lines(tables: &[Table], titles: &[&str], name: &[&str]) -> Vec<IoFunction> {
    let mut found: Vec<IoFunction> = Vec::new();
    let mut known = BTreeSet::new();
    for table in find_all(tables, titles) {
        for row in &table.rows {
            if let Some(line) = function_line(table, row, name)
                && known.insert(line.name.clone())
            {
                found.push(line);
            }
        }
    }
    found
}

fn function_line(table: &Table, row: &Row, name: &[&str]) -> Option<IoFunction> {
    let name = row.cell(table.column(name))?.trim_end_matches(':').to_owned();
    let volume = |columns: &[&str]| row.cell(table.column(columns)).and_then(|cell| number::bytes(cell, MIB));
    let rate = |columns: &[&str]| row.cell(table.column(columns)).and_then(number::number);
    let mean = table.column(&["wait|avgtm", "waits|avgtm", "waits|avgtime", "avgtm", "avgtime"]);
    let small = table.column(&["smallread"]);
    let large = table.column(&["largeread"]);
    // Service times without a unit are in milliseconds.
    let ms = |column: Option<usize>| {
        let unit = match table.unit(column) {
            "" => "ms",
            unit => unit,
        };
        row.cell(column).and_then(|cell| number::time(cell, unit)).map(Time::millis)
    };
    Some(IoFunction {
        name: complete(&name),
        read_bytes: volume(&["read|data", "read|datavolume"]),
        read_io_per_s: rate(&["read|reqspersec", "read|requests/sec", "read|requestssec"]),
        read_bytes_per_s: volume(&["read|datapersec", "read|datavolsec"]),
        write_bytes: volume(&["write|data", "write|datavolume"]),
        write_io_per_s: rate(&["write|reqspersec", "write|requestssec"]),
        write_bytes_per_s: volume(&["write|datapersec", "write|datavolsec"]),
        waits: row.cell(table.column(&["wait|count", "waits|count", "count"])).and_then(number::count),
        mean_ms: ms(mean),
        small_read_ms: ms(small),
        large_read_ms: ms(large),
    })
}

/// Text reports cut the name to 15 characters.
fn complete(name: &str) -> String {
    const FUNCTIONS: [&str; 3] = ["Buffer Cache Reads", "Streams AQ", "Inmemory Populate"];
    let full = FUNCTIONS.iter().find(|full| name.len() >= 14 && full.starts_with(name));
    full.map_or(name, |full| full).to_owned()
}

fn file_lines(table: &Table) -> Vec<FileIo> {
    let Some(tablespace) = table.column(&["tablespace"]) else { return Vec::new() };
    let wait = |row: &Row, names: &[&str]| {
        let column = table.column(names);
        row.cell(column).and_then(|cell| number::time(cell, "ms")).map(Time::millis)
    };
    let rate = |row: &Row, names: &[&str]| row.cell(table.column(names)).and_then(number::number);
    let whole = |row: &Row, names: &[&str]| row.cell(table.column(names)).and_then(number::count);
    let line = |row: &Row| {
        Some(FileIo {
            tablespace: row.cell(Some(tablespace))?.to_owned(),
            file: row.cell(table.column(&["filename", "file"])).map(str::to_owned),
            pdb: row.cell(table.column(&["pdbname"])).map(str::to_owned),
            reads: whole(row, &["reads"]),
            reads_per_s: rate(row, &["avreadss", "avrdss"]),
            read_mean_ms: wait(row, &["avrd", "avrdms", "avgread", "avgrd"]),
            blocks_per_read: rate(row, &["avblksrd"]),
            single_block_read_mean_ms: wait(row, &["av1bkrd"]),
            writes: whole(row, &["writes"]),
            writes_per_s: rate(row, &["avwritess", "writesavgs"]),
            buffer_waits: whole(row, &["bufferwaits", "totalwaits", "totwaits"]),
            buffer_wait_mean_ms: wait(row, &["avbufwt", "avbufwtms", "avgwait"]),
        })
    };
    table.rows.iter().filter_map(line).collect()
}
