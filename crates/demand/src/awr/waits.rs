//! Top events, and the wait events of foreground and background.

use super::header::put;
use super::number::Time;
use super::table::{Row, Table};
use super::{absent, event_name, find_all, number};
use fullwire_model::demand::{AwrKind, AwrReport, TopEvent, WaitStat};
use std::collections::BTreeMap;

const TOP: [&str; 4] =
    ["top 5 ", "top 10 ", "top timed", "this table displays top 10 wait events by total wait time"];
const FOREGROUND: [&str; 5] = [
    "this table displays foreground wait events and their wait statistics",
    "foreground wait events",
    "wait events for db",
    "wait events (fg",
    "wait events",
];
const BACKGROUND: [&str; 3] = [
    "this table displays background wait events statistics",
    "background wait events",
    "background wait event",
];

/// Reads every wait that the report lists.
pub(super) fn read(tables: &[Table], report: &mut AwrReport) {
    if matches!(report.kind, AwrKind::AwrGlobal | AwrKind::AwrDiff) {
        return;
    }
    top_events(tables, report);
    for start in FOREGROUND {
        collect(find_all(tables, &[start]), &mut report.waits);
        if !report.waits.is_empty() {
            break;
        }
    }
    collect(find_all(tables, &BACKGROUND), &mut report.background_waits);
    if report.waits.is_empty() {
        absent(report, "wait events");
    }
    event_name::rename_cut(report);
    from_top_events(report);
    for (name, wait) in &report.background_waits {
        report.waits.entry(name.clone()).or_insert_with(|| WaitStat { background: true, ..wait.clone() });
    }
}

/// A report cut to its first page still tells the largest waits.
fn from_top_events(report: &mut AwrReport) {
    for event in &report.top_events {
        let Some(waits) = event.waits else { continue };
        report.waits.entry(event.name.clone()).or_insert_with(|| WaitStat {
            waits,
            time_s: event.time_s,
            mean_ms: event.mean_wait_ms,
            printed_mean_ms: event.printed_mean_wait_ms,
            share_pct: event.share_pct,
            ..WaitStat::default()
        });
    }
}

fn top_events(tables: &[Table], report: &mut AwrReport) {
    // Only the first such table: ADDM findings, channels and SQL have "Top 10" headings too.
    let is_top = |table: &&Table| table.titled(&TOP) && table.has(&["event", "waits"]);
    let Some(table) = tables.iter().find(is_top) else {
        absent(report, "top events");
        return;
    };
    for row in &table.rows {
        let Some((name, wait)) = wait_of(table, row) else { continue };
        let has_waits = table.count(row, &["waits"]).is_some();
        report.top_events.push(TopEvent {
            name,
            waits: has_waits.then_some(wait.waits),
            time_s: wait.time_s,
            mean_wait_ms: wait.mean_ms,
            printed_mean_wait_ms: wait.printed_mean_ms,
            share_pct: wait.share_pct,
            class: table.cell(row, &["waitclass", "class"]).map(event_name::complete_class),
        });
    }
}

pub(super) fn collect<'a>(tables: impl Iterator<Item = &'a Table>, into: &mut BTreeMap<String, WaitStat>) {
    for table in tables.filter(|table| table.has(&["event", "waits"])) {
        for row in &table.rows {
            // Lines without a count are `DB CPU` or the rest of a wrapped name.
            if table.count(row, &["waits"]).is_none() {
                continue;
            }
            if let Some((name, wait)) = wait_of(table, row) {
                into.entry(name).or_insert(wait);
            }
        }
    }
}

/// Names of a view's column of times, and those that people give it, with its unit, s.
const VIEW_TIMES: [(&[&str], f64); 4] = [
    (&["timewaitedmicro", "us", "timeus", "timewaitedus"], 1e-6),
    (&["timewaited", "timewaitedfg"], 1e-2),
    (
        &[
            "s", "sec", "secs", "seconds", "times", "timesec", "timesecs", "timewaiteds", "timewaitedsec",
            "timewaitedsecs",
        ],
        1.0,
    ),
    (&["ms", "timems", "timewaitedms"], 1e-3),
];

/// The same for its mean, ms; the view's own is in centiseconds.
const VIEW_MEANS: [(&[&str], f64); 3] = [
    (&["avgms", "avgwaitms", "averagewaitms", "msavg", "meanms", "avgtimems"], 1.0),
    (&["averagewait", "averagewaitfg"], 10.0),
    (&["avgus", "avgwaitus", "avgmicro"], 1e-3),
];

/// Names of a column of samples.
const SAMPLES: [&str; 8] = ["totalseconds", "count", "samples", "cnt", "pct", "percent", "aas", "%event"];

/// A listing of `v$system_event` and its like: times in centiseconds, or in the unit that the name says.
pub(super) fn of_views(tables: &[Table], report: &mut AwrReport) {
    // Samples of ASH or v$session: one is about a second of each event, and of the CPU where none is named.
    // The first table of an ASH report is of the sessions; others repeat its events by session and by statement.
    let ash = tables.iter().position(|table| table.has(&["event", "eventclass", "%event"]));
    let tables_of = ash.map_or(tables, |at| &tables[at..=at]);
    for table in tables_of.iter().filter(|table| table.has(&["event"]) && !table.has(&["totalwaits"])) {
        let column = table.column(&SAMPLES);
        if column.is_none() && table.column(&["sid"]).is_none() {
            continue;
        }
        for row in &table.rows {
            // A session is a sample.
            let time_s = column.map_or(Some(1.0), |column| row.cell(Some(column)).and_then(number::number));
            let name = table.cell(row, &["event"]).map_or("", str::trim);
            // What it waited for last is over.
            let is_over = table.cell(row, &["state"]).is_some_and(|state| state.starts_with("WAITED"));
            let on_cpu =
                is_over || name.is_empty() || name.to_uppercase().contains("CPU") && !name.contains(':');
            let name = if on_cpu { "CPU time".to_owned() } else { event_name::complete(name) };
            let wait =
                report.waits.entry(name).or_insert(WaitStat { time_s: Some(0.0), ..WaitStat::default() });
            wait.time_s = wait.time_s.zip(time_s).map(|(sum, more)| sum + more);
        }
        // Shares of all activity: the table lists the largest alone.
        let listed: f64 = report.waits.values().filter_map(|wait| wait.time_s).sum();
        if table.has(&["%event"]) && listed < 100.0 {
            let rest = WaitStat { time_s: Some(100.0 - listed), ..WaitStat::default() };
            report.waits.insert("events not listed".to_owned(), rest);
        }
    }
    for table in tables.iter().filter(|table| table.has(&["event", "totalwaits"])) {
        let times = VIEW_TIMES.iter().find_map(|(names, unit_s)| Some((table.column(names)?, unit_s)));
        let means = VIEW_MEANS.iter().find_map(|(names, unit_ms)| Some((table.column(names)?, unit_ms)));
        for row in &table.rows {
            let value = |column: Option<usize>| row.cell(column).and_then(number::number);
            let name = table.cell(row, &["event"]);
            let waits = table.count(row, &["totalwaits"]);
            let (Some(name), Some(waits)) = (name, waits) else { continue };
            let time_s = times.and_then(|(column, unit_s)| Some(value(Some(column))? * unit_s));
            let by_mean = || {
                means.and_then(|(column, unit_ms)| Some(value(Some(column))? * unit_ms * waits as f64 / 1e3))
            };
            let time_s = time_s.or_else(by_mean);
            let mean_ms = time_s.filter(|_| waits > 0).map(|seconds| seconds * 1e3 / waits as f64);
            let wait =
                WaitStat { waits, time_s, mean_ms, recomputed_mean_ms: mean_ms, ..WaitStat::default() };
            report.waits.entry(event_name::complete(name.trim())).or_insert(wait);
        }
    }
}

const TIME: [&str; 9] = [
    "totalwaittime", "waittime|total", "waittime|totals", "waittotals", "time", "totatime", "totaltime",
    "timewaited", "waittime",
];
const MEAN: [&str; 6] = ["avgwait", "waitavg", "avgwaittime", "averagewait", "waittime|avgwait", "avgtime"];
const SHARE: [&str; 9] = [
    "%dbtime", "%bgtime", "%totalcalltime", "totalcalltime%", "%totaldbtime", "%totalelatime",
    "%totalwttime", "totalelatime%", "%total",
];

/// One row of any wait table.
pub(super) fn wait_of(table: &Table, row: &Row) -> Option<(String, WaitStat)> {
    let name = table.cell(row, &["event"])?.trim().to_owned();
    let (time, mean) = (table.column(&TIME), table.column(&MEAN));
    let waits = table.count(row, &["waits"]).unwrap_or(0);
    let time = row.cell(time).and_then(|cell| number::time(cell, table.unit(time)));
    let mean = row.cell(mean).and_then(|cell| number::time(cell, table.unit(mean)));
    let mut wait = WaitStat { waits, time_s: time.map(Time::seconds), ..WaitStat::default() };
    put(&mut wait.share_pct, table.number(row, &SHARE));
    put(&mut wait.timeouts_pct, table.number(row, &["%timeouts", "%timout", "timeouts%"]));
    set_means(&mut wait, time, mean);
    Some((event_name::complete(&name), wait))
}

/// Keeps both means; takes the one that rounding has hurt less.
fn set_means(wait: &mut WaitStat, time: Option<Time>, printed: Option<Time>) {
    let total = time.filter(|_| wait.waits > 0);
    wait.printed_mean_ms = printed.map(Time::millis);
    wait.recomputed_mean_ms = total.map(|total| total.millis() / wait.waits as f64);
    wait.mean_ms = match (total, printed) {
        (Some(total), Some(printed)) if printed.rounding() < total.rounding() => wait.printed_mean_ms,
        (Some(_), _) => wait.recomputed_mean_ms,
        (None, _) => wait.printed_mean_ms,
    };
}
