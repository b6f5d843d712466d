//! The report of a whole cluster (`awrgrpt.sql`): a row for each instance, `*` or `Sum` for all.

use super::header::{put, yes};
use super::table::{Row, Table};
use super::{absent, event_name, find, find_all, number, waits};
use crate::clock::Calendar;
use fullwire_model::demand::{
    Activity, AwrKind, AwrReport, InstanceSummary, IoFunction, IoProfileLine, TopEvent, WaitStat,
};

/// More instances than any cluster has: each is looked up in other tables.
const MOST_INSTANCES: usize = 256;
const MIB: f64 = 1_048_576.0;

/// Reads what only a global report has, or has in its own form.
pub(super) fn read(tables: &[Table], report: &mut AwrReport) {
    if report.kind != AwrKind::AwrGlobal {
        return;
    }
    database(tables, report);
    instances(tables, report);
    hosts(tables, report);
    activity(tables, report);
    events(tables, report);
    time_model(tables, report);
    io(tables, report);
    for (subject, present) in [
        ("release", report.release.is_some()),
        ("instance activity", !report.activity.is_empty()),
        ("wait events", !report.waits.is_empty()),
        ("instance efficiency", false),
    ] {
        if !present {
            absent(report, subject);
        }
    }
}

fn database(tables: &[Table], report: &mut AwrReport) {
    let Some(table) = find(tables, &["database summary"]) else {
        absent(report, "database summary");
        return;
    };
    let Some(row) = table.rows.first() else { return };
    report.db_id = table.count(row, &["database|id", "id"]);
    report.db_name = table.owned(row, &["database|name", "name"]);
    report.rac = table.cell(row, &["rac"]).and_then(yes).or(Some(true));
    report.cdb = table.cell(row, &["cdb"]).and_then(yes);
    report.block_bytes = table.count(row, &["blocksize"]);
    report.begin_snap = table.count(row, &["snapshotids|begin"]);
    report.end_snap = table.count(row, &["snapshotids|end"]);
    report.db_time_min = table.number(row, &["dbtime"]);
    report.elapsed_min = table.number(row, &["elapsedtime"]);
}

fn instances(tables: &[Table], report: &mut AwrReport) {
    let Some(table) = find(tables, &["database instances included"]) else { return };
    let calendar = Calendar::default();
    for row in table.rows.iter().take(MOST_INSTANCES) {
        let Some(number) = table.count(row, &["i#"]) else { continue };
        let time = |name: &str| calendar.date_time(table.cell(row, &[name])?);
        put(&mut report.release, table.owned(row, &["release"]));
        put(&mut report.platform, table.owned(row, &["platform"]));
        put(&mut report.begin, time("beginsnaptime"));
        put(&mut report.end, time("endsnaptime"));
        report.instances.push(InstanceSummary {
            number,
            name: table.owned(row, &["instance"]).unwrap_or_default(),
            host: table.owned(row, &["host"]),
            release: table.owned(row, &["release"]),
            redo_size_per_s: redo_of(tables, number),
            db_time_min: table.number(row, &["dbtime"]),
            elapsed_min: table.number(row, &["elapsedtime"]),
        });
    }
    let join = |part: fn(&InstanceSummary) -> Option<&str>| {
        let parts: Vec<&str> = report.instances.iter().filter_map(part).collect();
        (!parts.is_empty()).then(|| parts.join(","))
    };
    (report.instance, report.host) = (join(|one| Some(&one.name)), join(|one| one.host.as_deref()));
}

/// CPUs, memory and busy time of the instances' hosts: sums, in the units of a report of one instance.
fn hosts(tables: &[Table], report: &mut AwrReport) {
    let Some(table) = find(tables, &["os statistics by instance"]) else { return };
    let sum = |names: &[&str]| -> Option<f64> {
        let rows = table.rows.iter().filter(|row| table.count(row, &["i#"]).is_some());
        let values: Vec<f64> = rows.filter_map(|row| table.number(row, names)).collect();
        (!values.is_empty()).then(|| values.iter().sum())
    };
    report.cpus = sum(&["cpu|#cpus", "#cpus"]).and_then(|cpus| number::count(&cpus.to_string()));
    let bytes = sum(&["memory|mb", "mb"]).map(|mb| (mb * MIB).round());
    report.memory_bytes = bytes.and_then(|bytes| number::count(&bytes.to_string()));
    for (name, columns, factor) in [
        ("NUM_CPUS", &["cpu|#cpus", "#cpus"][..], 1.0),
        ("BUSY_TIME", &["times|busy", "time|busy", "busy"][..], 100.0),
        ("IDLE_TIME", &["times|idle", "time|idle", "idle"][..], 100.0),
        ("LOAD", &["load|end"][..], 1.0),
    ] {
        if let Some(value) = sum(columns) {
            report.os_statistics.entry(name.to_owned()).or_insert(value * factor);
        }
    }
}

/// `Redo Size (k)/s` of an instance; k is 1024, as the totals in bytes of the same report show.
fn redo_of(tables: &[Table], instance: u64) -> Option<f64> {
    let table = find(tables, &["system statistics - per second"])?;
    let row = table.rows.iter().find(|row| table.count(row, &["i#"]) == Some(instance))?;
    table.number(row, &["redosizeks"]).map(|k| k * 1024.0)
}

fn activity(tables: &[Table], report: &mut AwrReport) {
    let titles = ["system statistics (global)", "global messaging statistics (global)"];
    for table in find_all(tables, &titles) {
        for row in &table.rows {
            let rate = |name: &str| table.number(row, &[name]);
            if let (Some(name), Some(total)) = (table.cell(row, &["statistic"]), rate("total")) {
                report.activity.entry(name.to_owned()).or_insert(Activity {
                    total,
                    per_s: rate("persecond"),
                    per_transaction: rate("pertrans"),
                });
            }
        }
    }
    let per_s = |name: &str| report.activity.get(name).and_then(|activity| activity.per_s);
    report.redo_size_per_s = per_s("redo size");
    report.logical_reads_per_s = per_s("session logical reads");
    report.physical_reads_per_s = per_s("physical reads");
    report.physical_writes_per_s = per_s("physical writes");
    report.transactions_per_s =
        per_s("user commits").map(|commits| commits + per_s("user rollbacks").unwrap_or(0.0));
}

fn events(tables: &[Table], report: &mut AwrReport) {
    let of_all = |table: &Table, row: &Row| table.cell(row, &["i#"]).is_none_or(|cell| cell == "*");
    // The other list has background events too, which are no part of DB time.
    let top = |title: &'static [&'static str]| find_all(tables, title).find(|table| table.has(&["event"]));
    if let Some(table) = top(&["top timed foreground events"]).or_else(|| top(&["top timed events"])) {
        for row in table.rows.iter().filter(|row| of_all(table, row)) {
            let Some((name, wait)) = waits::wait_of(table, row) else { continue };
            report.top_events.push(TopEvent {
                name,
                waits: (wait.waits > 0).then_some(wait.waits),
                time_s: wait.time_s,
                mean_wait_ms: wait.mean_ms,
                printed_mean_wait_ms: wait.printed_mean_ms,
                share_pct: wait.share_pct,
                class: table.cell(row, &["wait|class", "class", "waitclass"]).map(event_name::complete_class),
            });
        }
    }
    let foreground =
        ["this table displays foreground wait event information", "foreground wait events (global)"];
    let background =
        ["this table displays background wait event information", "background wait events (global)"];
    waits::collect(find_all(tables, &foreground), &mut report.waits);
    waits::collect(find_all(tables, &background), &mut report.background_waits);
    for (name, wait) in &report.background_waits {
        report.waits.entry(name.clone()).or_insert_with(|| WaitStat { background: true, ..wait.clone() });
    }
}

/// A row for each instance and one with the sums.
fn time_model(tables: &[Table], report: &mut AwrReport) {
    const NAMES: [(&str, &str); 5] = [
        ("dbtime", "DB time"),
        ("dbcpu", "DB CPU"),
        ("sqlexecela", "sql execute elapsed time"),
        ("bgtime", "background elapsed time"),
        ("bgcpu", "background cpu time"),
    ];
    let Some(table) = tables.iter().find(|table| &*table.title == "time model") else { return };
    let Some(sum) = table.rows.iter().find(|row| row.cells.first().is_some_and(|cell| cell == "Sum")) else {
        return;
    };
    for (column, name) in NAMES {
        if let Some(seconds) = sum.cell(table.column(&[column])).and_then(number::number) {
            report.time_model_s.insert(name.to_owned(), seconds);
        }
    }
}

fn io(tables: &[Table], report: &mut AwrReport) {
    if let Some(table) = find(tables, &["io profile (global)"]) {
        let rate = |row: &Row, name: &str| table.number(row, &[name]);
        for row in &table.rows {
            let Some(label) = table.cell(row, &["statistic"]) else { continue };
            let line = IoProfileLine {
                total_per_s: rate(row, "readwrites"),
                read_per_s: rate(row, "readss").or_else(|| rate(row, "reads")),
                write_per_s: rate(row, "writess").or_else(|| rate(row, "writes")),
            };
            report.io_profile.insert(label.trim_end_matches(':').to_lowercase(), line);
        }
    }
    report.io_functions = lines(tables, "iostat by function", "functionname");
    report.io_file_types = lines(tables, "iostat by file type", "filetypename");
}

fn lines(tables: &[Table], title: &str, name: &str) -> Vec<IoFunction> {
    let Some(table) = tables.iter().find(|table| &*table.title == title) else { return Vec::new() };
    let all = table.rows.iter().filter(|row| table.cell(row, &["i#"]) == Some("*"));
    let line = |row: &Row| {
        let rate = |name: &str| table.number(row, &[name]);
        let ms = |name: &str| number::time(table.cell(row, &[name])?, "ms").map(number::Time::millis);
        Some(IoFunction {
            name: table.cell(row, &[name])?.to_owned(),
            read_io_per_s: rate("requests|readss"),
            write_io_per_s: rate("requests|writess"),
            read_bytes_per_s: rate("mb|readmbs").map(|mb| mb * MIB),
            write_bytes_per_s: rate("mb|writembs").map(|mb| mb * MIB),
            waits: table.count(row, &["waits|count", "count"]),
            mean_ms: ms("avgtime"),
            small_read_ms: ms("smallread"),
            large_read_ms: ms("largeread"),
            ..IoFunction::default()
        })
    };
    all.filter_map(line).collect()
}
