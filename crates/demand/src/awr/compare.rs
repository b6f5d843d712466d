//! The compare-period report (`awrddrpt.sql`): each figure twice. The first period fills the record itself, the second
//! its own record.

use super::header::{put, yes};
use super::table::{Row, Table, reduce};
use super::{absent, event_name, find_all, number};
use crate::clock::Calendar;
use fullwire_model::demand::{Activity, AwrKind, AwrReport, TopEvent, WaitStat};
use std::collections::BTreeMap;

/// How the report's columns call a period.
const PERIODS: [&str; 2] = ["1st", "2nd"];

/// Reads both periods.
pub(super) fn read(tables: &[Table], report: &mut AwrReport) {
    if report.kind != AwrKind::AwrDiff {
        return;
    }
    let mut second = AwrReport { source: report.source.clone(), kind: report.kind, ..AwrReport::default() };
    for (index, period) in [&mut *report, &mut second].into_iter().enumerate() {
        periods(tables, index, period);
        workload(tables, index, period);
        top_events(tables, index, period);
        wait_events(tables, index, period);
        statistics(tables, index, period);
        parameters(tables, index, period);
    }
    for (subject, present) in [
        ("release", report.release.is_some()),
        ("load profile", !report.load_profile.is_empty()),
        ("wait events", !report.waits.is_empty()),
        ("init parameters", !report.init_parameters.is_empty()),
        ("instance efficiency", false),
    ] {
        if !present {
            absent(report, subject);
        }
    }
    super::derive::complete(&mut second);
    super::plausible::check(&mut second);
    report.second = Some(Box::new(second));
}

/// The two tables at the head, a row for each period: `First (1st)`, `1st`.
fn periods(tables: &[Table], index: usize, report: &mut AwrReport) {
    for table in tables.iter().filter(|table| table.column(&["snapshotset"]).is_some()) {
        let set = table.column(&["snapshotset"]);
        let of_period = |row: &&Row| row.cell(set).is_some_and(|cell| cell.contains(PERIODS[index]));
        let Some(row) = table.rows.iter().find(of_period) else { continue };
        let count = |name: &str| table.count(row, &[name]);
        put(&mut report.db_name, table.owned(row, &["dbname"]));
        put(&mut report.db_id, count("dbid"));
        put(&mut report.instance, table.owned(row, &["instance"]));
        put(&mut report.instance_number, count("instnum"));
        put(&mut report.release, table.owned(row, &["release"]));
        put(&mut report.rac, table.cell(row, &["cluster", "rac"]).and_then(yes));
        put(&mut report.cdb, table.cell(row, &["cdb"]).and_then(yes));
        put(&mut report.host, table.owned(row, &["host", "hostname"]));
        put(&mut report.block_bytes, count("stdblocksize"));
        put(&mut report.begin_snap, count("beginsnapid"));
        put(&mut report.end_snap, count("endsnapid"));
        let time = |name: &str| Calendar::default().date_time(table.cell(row, &[name])?);
        put(&mut report.begin, time("beginsnaptime"));
        put(&mut report.end, time("endsnaptime"));
        put(&mut report.elapsed_min, table.number(row, &["elapsedtime"]));
        put(&mut report.db_time_min, table.number(row, &["dbtime"]));
    }
}

fn workload(tables: &[Table], index: usize, report: &mut AwrReport) {
    let column = format!("{}persec", PERIODS[index]);
    let Some(table) = tables.iter().find(|table| table.column(&[&column]).is_some()) else { return };
    for row in &table.rows {
        if let Some(value) = table.number(row, &[&column]) {
            report.load_profile.insert(row.label(), value);
        }
    }
    let get = |names: &[&str]| {
        let found = |(label, _): &(&String, &f64)| names.contains(&reduce(label).as_str());
        report.load_profile.iter().find(found).map(|(_, value)| *value)
    };
    report.redo_size_per_s = get(&["redosize", "redosizebytes"]);
    report.logical_reads_per_s = get(&["logicalreads", "logicalread", "logicalreadblocks"]);
    report.physical_reads_per_s = get(&["physicalreads", "physicalread", "physicalreadblocks"]);
    report.physical_writes_per_s = get(&["physicalwrites", "physicalwrite", "physicalwriteblocks"]);
    report.transactions_per_s = get(&["transactions"]);
}

/// Two lists side by side, each below the name of its period.
fn top_events(tables: &[Table], index: usize, report: &mut AwrReport) {
    let under = |name: &str| format!("{}|{name}", PERIODS[index]);
    let event = under("event");
    let Some(table) =
        find_all(tables, &["top timed events", "top"]).find(|table| table.column(&[&event]).is_some())
    else {
        absent(report, "top events");
        return;
    };
    for row in &table.rows {
        let cell = |name: &str| table.cell(row, &[&under(name)]);
        // "-": not among the top of this period.
        let Some(name) = cell("event").filter(|name| !name.starts_with('-')) else { continue };
        let waits = cell("waits").and_then(number::count);
        let time_s = cell("time").and_then(number::number);
        let recomputed =
            time_s.zip(waits.filter(|&waits| waits > 0)).map(|(s, waits)| s * 1e3 / waits as f64);
        let printed = cell("avgtime").and_then(|cell| number::time(cell, "ms")).map(number::Time::millis);
        report.top_events.push(TopEvent {
            name: event_name::complete(name),
            waits,
            time_s,
            mean_wait_ms: recomputed.or(printed),
            printed_mean_wait_ms: printed,
            share_pct: cell("%dbtime").and_then(number::number),
            class: cell("waitclass").map(event_name::complete_class),
        });
    }
}

/// Waits come as a rate over the elapsed time: the count follows, rounded as the rate is.
fn wait_events(tables: &[Table], index: usize, report: &mut AwrReport) {
    let period = PERIODS[index];
    let seconds = report.elapsed_min.unwrap_or(0.0) * 60.0;
    let known: BTreeMap<String, u64> =
        report.top_events.iter().filter_map(|event| Some((event.name.clone(), event.waits?))).collect();
    for table in find_all(tables, &["wait events", "this table displays wait event"]) {
        let under = |group: &str| table.column(&[&format!("{group}|{period}")]);
        let (rate, time, mean, share) =
            (under("#waits"), under("totalwaittime"), under("avgwaittime"), under("%ofdbtime"));
        for row in &table.rows {
            let number = |column| row.cell(column).and_then(number::number);
            let (Some(name), Some(per_s)) = (table.cell(row, &["event"]), number(rate)) else {
                continue;
            };
            let name = event_name::complete(name);
            let exact = known.get(&name).copied();
            let waits = exact.or_else(|| number::count(&(per_s * seconds).to_string())).unwrap_or(0);
            let time_s = number(time);
            let wait = WaitStat {
                waits,
                time_s,
                printed_mean_ms: number(mean),
                recomputed_mean_ms: time_s.filter(|_| waits > 0).map(|time| time * 1e3 / waits as f64),
                share_pct: number(share),
                ..WaitStat::default()
            };
            // A count that is itself rounded makes no better mean than the printed one.
            let mean_ms = if exact.is_some() { wait.recomputed_mean_ms } else { wait.printed_mean_ms };
            report.waits.entry(name).or_insert(WaitStat { mean_ms, ..wait });
        }
    }
}

fn statistics(tables: &[Table], index: usize, report: &mut AwrReport) {
    let period = PERIODS[index];
    for table in tables {
        let under = |group: &str| table.column(&[&format!("{group}|{period}")]);
        let name = table.column(&["statistic", "statisticname"]);
        let rows = table.rows.iter().filter_map(|row| Some((row.cell(name)?.to_owned(), row)));
        if table.titled(&["key instance activity", "other instance activity", "instance activity"]) {
            for (name, row) in rows {
                let number = |column| row.cell(column).and_then(number::number);
                let Some(total) = number(under("value")) else { continue };
                let per_s = number(under("persecondelapsedtime"));
                report.activity.entry(name).or_insert(Activity {
                    total,
                    per_s,
                    per_transaction: number(under("pertrans")),
                });
            }
        } else if table.titled(&["time model"]) {
            for (name, row) in rows {
                if let Some(value) = row.cell(under("time")).and_then(number::number) {
                    report.time_model_s.entry(name).or_insert(value);
                }
            }
        } else if table.titled(&["operating system statistics"]) {
            for (name, row) in rows {
                if let Some(value) = row.cell(under("value")).and_then(number::number) {
                    report.os_statistics.entry(name).or_insert(value);
                }
            }
        }
    }
}

/// A period's value is in the column of its end, and in that of its beginning when that differs; the second period
/// shows only what differs from the first.
fn parameters(tables: &[Table], index: usize, report: &mut AwrReport) {
    for table in find_all(tables, &["init.ora parameters", "this table displays init.ora"]) {
        let value = |row: &Row, period: &str| {
            let cell = |name: &str| table.owned(row, &[&format!("{period}|{name}")]);
            cell("beginsnapvalue").or_else(|| cell("endsnapvalue"))
        };
        for row in &table.rows {
            let Some(name) = table.cell(row, &["parametername"]) else { continue };
            let first = value(row, PERIODS[0]);
            let own = if index == 0 { first } else { value(row, PERIODS[1]).or(first) };
            report.init_parameters.insert(name.to_lowercase(), own.unwrap_or_default());
        }
    }
}
