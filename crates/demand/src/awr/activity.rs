//! Instance activity, time model, operating-system statistics, initialisation parameters.

use super::table::Table;
use super::{absent, find_all, number};
use fullwire_model::demand::{Activity, AwrKind, AwrReport};

/// `V$PARAMETER.VALUE` has 4000 bytes; a list with a line for each value may have some more.
const LONGEST_PARAMETER_BYTES: usize = 16 << 10;

/// Reads the statistics that come as name and value.
pub(super) fn read(tables: &[Table], report: &mut AwrReport) {
    match report.kind {
        AwrKind::AwrDiff => return,
        AwrKind::AwrGlobal => return parameters(tables, report),
        AwrKind::Awr | AwrKind::Statspack => {}
    }
    instance_activity(tables, report);
    thread_activity(tables, report);
    time_model(tables, report);
    os_statistics(tables, report);
    host_cpu(tables, report);
    parameters(tables, report);
    if report.activity.is_empty() {
        absent(report, "instance activity");
    }
    if report.init_parameters.is_empty() {
        absent(report, "init parameters");
    }
}

/// `redo size | 354,559,548 | 393,267.0 | 1,931.8`; key and other statistics are apart since 11.2.0.4.
fn instance_activity(tables: &[Table], report: &mut AwrReport) {
    let has_columns = |table: &&Table| table.has(&["statistic", "total", "persecond"]);
    for table in find_all(
        tables,
        &[
            "this table displays instance activity",
            "this table displays key instance activity",
            "this table displays non-key instance activity",
            "instance activity stats",
            "key instance activity",
            "other instance activity",
        ],
    )
    .filter(has_columns)
    {
        for row in &table.rows {
            if let (Some(name), Some(total)) =
                (table.owned(row, &["statistic"]), table.number(row, &["total"]))
            {
                report.activity.entry(name).or_insert(Activity {
                    total,
                    per_s: table.number(row, &["persecond"]),
                    per_transaction: table.number(row, &["pertrans", "pertransaction"]),
                });
            }
        }
    }
}

fn thread_activity(tables: &[Table], report: &mut AwrReport) {
    for table in find_all(tables, &["this table displays thread activity", "instance activity stats"]) {
        if !table.has(&["perhour"]) {
            continue;
        }
        for row in &table.rows {
            if table.cell(row, &["statistic"]).is_some_and(|name| name.starts_with("log switches")) {
                report.log_switches = table.number(row, &["total"]);
            }
        }
    }
}

fn time_model(tables: &[Table], report: &mut AwrReport) {
    for table in find_all(tables, &["this table displays different time model", "time model"]) {
        let (name, time) = (table.column(&["statisticname", "statistic"]), table.column(&["time"]));
        for row in &table.rows {
            let value = row.cell(time).and_then(|cell| number::time(cell, table.unit(time)));
            if let (Some(name), Some(value)) = (row.cell(name), value) {
                report.time_model_s.entry(name.to_owned()).or_insert(value.seconds());
            }
        }
    }
}

fn os_statistics(tables: &[Table], report: &mut AwrReport) {
    for table in find_all(
        tables,
        &["this table displays operating systems statistics", "operating system statistics", "os statistics"],
    ) {
        for row in &table.rows {
            let name = table.owned(row, &["statistic", "statisticname"]);
            if let (Some(name), Some(value)) = (name, table.number(row, &["value", "total"])) {
                report.os_statistics.entry(name).or_insert(value);
            }
        }
    }
}

/// Percentages of the summary's line on the host, which is all that a piece or a Statspack report may have; of the list by
/// snapshots the last line has them.
fn host_cpu(tables: &[Table], report: &mut AwrReport) {
    const TITLES: [&str; 3] =
        ["this table displays system load statistics", "host cpu", "operating system statistics - detail"];
    const COLUMNS: [(&str, [&str; 2]); 2] = [("%Idle", ["%idle", "idle"]), ("%WIO", ["%wio", "%iowait"])];
    for table in find_all(tables, &TITLES) {
        for (key, names) in COLUMNS {
            let mut values = table.rows.iter().filter_map(|row| table.number(row, &names));
            if let Some(value) = values.next_back().filter(|value| (0.0..=100.0).contains(value)) {
                report.os_statistics.entry(key.to_owned()).or_insert(value);
            }
        }
    }
}

fn parameters(tables: &[Table], report: &mut AwrReport) {
    let mut last: Option<String> = None;
    for table in find_all(
        tables,
        &[
            "this table displays name and value of init.ora parameters",
            "this table displays name and value of modified init",
            "this table displays name and value of multi-valued init",
            "this table displays values for init.ora parameters",
            "init.ora parameters",
            "init.ora multi-valued parameters",
            "modified parameters",
            "modified multi-valued parameters",
        ],
    ) {
        let (name, value) =
            (table.column(&["parametername", "parameter"]), table.column(&["beginvalue", "value"]));
        for row in &table.rows {
            match (row.cell(name), row.cell(value)) {
                (Some(name), value) => {
                    let text = value.unwrap_or("").to_owned();
                    let entry = report.init_parameters.entry(name.to_lowercase());
                    entry.and_modify(|old| join(old, &text)).or_insert(text);
                    last = Some(name.to_lowercase());
                }
                // A long value goes on in the next line.
                (None, Some(more)) => {
                    let value = last.as_ref().and_then(|name| report.init_parameters.get_mut(name));
                    if let Some(value) = value.filter(|value| value.len() < LONGEST_PARAMETER_BYTES) {
                        value.push_str(more);
                    }
                }
                (None, None) => {}
            }
        }
    }
}

/// A parameter with several values has a line for each.
fn join(old: &mut String, more: &str) {
    if old.len() < LONGEST_PARAMETER_BYTES
        && !more.is_empty()
        && old != more
        && !old.split(", ").any(|value| value == more)
    {
        old.push_str(", ");
        old.push_str(more);
    }
}
