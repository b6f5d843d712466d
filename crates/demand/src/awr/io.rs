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
    let name = table.cell(row, name)?.trim_end_matches(':').to_owned();
    let volume = |names: &[&str]| table.cell(row, names).and_then(|cell| number::bytes(cell, MIB));
    // Service times without a unit are in milliseconds.
    let ms = |names: &[&str]| table.millis(row, names, "ms");
    Some(IoFunction {
        name: complete(&name),
        read_bytes: volume(&["read|data", "read|datavolume"]),
        read_io_per_s: table.number(row, &["read|reqspersec", "read|requests/sec", "read|requestssec"]),
        read_bytes_per_s: volume(&["read|datapersec", "read|datavolsec"]),
        write_bytes: volume(&["write|data", "write|datavolume"]),
        write_io_per_s: table.number(row, &["write|reqspersec", "write|requestssec"]),
        write_bytes_per_s: volume(&["write|datapersec", "write|datavolsec"]),
        waits: table.count(row, &["wait|count", "waits|count", "count"]),
        mean_ms: ms(&["wait|avgtm", "waits|avgtm", "waits|avgtime", "avgtm", "avgtime"]),
        small_read_ms: ms(&["smallread"]),
        large_read_ms: ms(&["largeread"]),
    })
}

/// Text reports cut the name to 15 characters.
fn complete(name: &str) -> String {
    const FUNCTIONS: [&str; 3] = ["Buffer Cache Reads", "Streams AQ", "Inmemory Populate"];
    let full = FUNCTIONS.iter().find(|full| name.len() >= 14 && full.starts_with(name));
    full.map_or(name, |full| full).to_owned()
}

fn file_lines(table: &Table) -> Vec<FileIo> {
    let line = |row: &Row| {
        let wait = |names: &[&str]| table.cell(row, names).and_then(|cell| number::time(cell, "ms"));
        Some(FileIo {
            tablespace: table.owned(row, &["tablespace"])?,
            file: table.owned(row, &["filename", "file"]),
            pdb: table.owned(row, &["pdbname"]),
            reads: table.count(row, &["reads"]),
            reads_per_s: table.number(row, &["avreadss", "avrdss"]),
            read_mean_ms: wait(&["avrd", "avrdms", "avgread", "avgrd"]).map(Time::millis),
            blocks_per_read: table.number(row, &["avblksrd"]),
            single_block_read_mean_ms: wait(&["av1bkrd"]).map(Time::millis),
            writes: table.count(row, &["writes"]),
            writes_per_s: table.number(row, &["avwritess", "writesavgs"]),
            buffer_waits: table.count(row, &["bufferwaits", "totalwaits", "totwaits"]),
            buffer_wait_mean_ms: wait(&["avbufwt", "avbufwtms", "avgwait"]).map(Time::millis),
        })
    };
    table.rows.iter().filter_map(line).collect()
}
