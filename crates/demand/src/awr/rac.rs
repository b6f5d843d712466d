//! What the report of a cluster's instance adds: global cache, messaging, interconnect.

use super::header::yes;
use super::table::{Pair, Row, Table};
use super::{find_all, number};
use fullwire_model::demand::{AwrKind, AwrReport, Interconnect, PingLatency, RacStatistics};

/// More interconnects than the instances of any cluster have: each device is looked up among them.
const MOST_INTERCONNECTS: usize = 1024;
/// MB per second of the interconnect sections.
const MIB: f64 = 1_048_576.0;

/// Reads the cluster's sections, when there are any.
pub(super) fn read(tables: &[Table], report: &mut AwrReport) {
    if report.kind == AwrKind::AwrDiff {
        return;
    }
    let mut rac = RacStatistics::default();
    load_profile(tables, &mut rac);
    workload(tables, &mut rac);
    global_latency(tables, &mut rac);
    interconnects(tables, &mut rac);
    devices(tables, &mut rac);
    pings(tables, report.release.as_deref(), &mut rac);
    clients(tables, &mut rac);
    let lost = |name: &str| report.activity.get(name).map(|activity| activity.total);
    rac.blocks_lost = lost("gc blocks lost").or_else(|| lost_blocks(tables));
    rac.blocks_corrupt = lost("gc blocks corrupt");
    // Every instance counts lost blocks; only a cluster has the other sections.
    let is_cluster = report.rac == Some(true) || !rac.mean_ms.is_empty() || !rac.interconnects.is_empty();
    if is_cluster {
        report.rac_statistics = Some(rac);
    }
}

fn load_profile(tables: &[Table], rac: &mut RacStatistics) {
    for table in find_all(
        tables,
        &["this table displays information about global cache load", "global cache load profile"],
    ) {
        for row in &table.rows {
            let label = row.label();
            let Some(value) = table.number(row, &["persecond"]) else { continue };
            if label.starts_with("estd interconnect traffic") {
                rac.traffic_bytes_per_s = Some(value * 1024.0);
            } else if !label.is_empty() {
                rac.load_per_s.insert(label, value);
            }
        }
    }
}

fn workload(tables: &[Table], rac: &mut RacStatistics) {
    let titles = [
        "this table displays workload characteristics for global cache",
        "this table displays messaging statistics for global cache",
        "this table displays global cache efficiency percentages",
        "global cache and enqueue services",
        "global cache efficiency percentages",
    ];
    for table in find_all(tables, &titles).filter(|table| table.column(&["i#"]).is_none()) {
        for pair in table.pairs() {
            take_mean(&pair, rac);
        }
    }
}

/// `Avg global cache cr block receive time (us): 145.1`, or a share: `% of direct sent messages: 33.05`.
fn take_mean(pair: &Pair, rac: &mut RacStatistics) {
    let Some(cell) = pair.values.first() else { return };
    let label = pair.label.to_lowercase();
    let (bare, unit) = match label.rsplit_once(" (") {
        Some((bare, unit)) => (bare.to_owned(), unit.trim_end_matches(')')),
        None => (label.clone(), ""),
    };
    if unit == "ms" || unit == "us" {
        if let Some(time) = number::time(cell, unit) {
            rac.mean_ms.entry(bare).or_insert(time.millis());
        }
    } else if label.contains('%')
        && let Some(value) = number::number(cell)
    {
        rac.share_pct.entry(label.replace('%', "").trim().to_owned()).or_insert(value);
    }
}

/// Global report: a row for each instance; the worst counts.
fn global_latency(tables: &[Table], rac: &mut RacStatistics) {
    const MEANS: [(&str, &str); 8] = [
        ("cr|receivetime", "avg global cache cr block receive time"),
        ("cr|buildtime", "avg global cache cr block build time"),
        ("cr|flushtime", "avg global cache cr block flush time"),
        ("cu|receivetime", "avg global cache current block receive time"),
        ("cu|pintime", "avg global cache current block pin time"),
        ("cu|flushtime", "avg global cache current block flush time"),
        ("queuetime|sent", "avg message sent queue time"),
        ("queuetime|onksxp", "avg message sent queue time on ksxp"),
    ];
    for table in find_all(tables, &["global latency characteristics", "global messaging statistics"]) {
        for (column, label) in MEANS {
            let column = table.column(&[column]);
            // In the messaging table the unit is in the group: "Queue Time (us)".
            let unit = match table.unit(column) {
                "" => "us",
                unit => unit,
            };
            let times = table.rows.iter().filter_map(|row| number::time(row.cell(column)?, unit));
            let worst = times
                .map(number::Time::millis)
                .fold(None, |worst: Option<f64>, ms| Some(worst.map_or(ms, |worst| worst.max(ms))));
            if let Some(worst) = worst {
                rac.mean_ms.entry(label.to_owned()).or_insert(worst);
            }
        }
    }
}

fn instance(table: &Table, row: &Row) -> Option<u64> {
    table.count(row, &["i#"])
}

fn interconnects(tables: &[Table], rac: &mut RacStatistics) {
    for table in find_all(tables, &["cluster interconnect"]) {
        for row in &table.rows {
            let Some(interface) = table.owned(row, &["interface", "name"]) else { continue };
            if rac.interconnects.len() == MOST_INTERCONNECTS {
                return;
            }
            let cell = |column: &str| table.cell(row, &[column]);
            rac.interconnects.push(Interconnect {
                instance: instance(table, row),
                interface,
                address: cell("ipaddress").unwrap_or("").to_owned(),
                public: cell("pub").and_then(yes),
                origin: cell("source").map(str::to_owned),
                ..Interconnect::default()
            });
        }
    }
}

/// Traffic and errors as the operating system counted them; other devices of the host are listed as well.
fn devices(tables: &[Table], rac: &mut RacStatistics) {
    let titles = ["this table displays interconnect device statistics", "interconnect device statistics"];
    for table in find_all(tables, &titles) {
        let per_s = table.column(&["sendmbytes/sec", "sendmbytessec"]).is_some()
            || table.titled(&["interconnect device statistics (per"]);
        for row in &table.rows {
            let device = table.cell(row, &["devicename", "name"]);
            let at = instance(table, row);
            let Some(entry) = rac
                .interconnects
                .iter_mut()
                .find(|known| Some(known.interface.as_str()) == device && known.instance == at)
            else {
                continue;
            };
            let rate = |names: &[&str]| table.number(row, names).map(|mb| mb * MIB);
            let sum = |names: &[&str]| {
                let cells = names.iter().filter_map(|name| table.count(row, &[name]));
                cells.reduce(|a, b| a + b)
            };
            if per_s {
                entry.sent_bytes_per_s = rate(&["sendmbytessec", "sent|mbytes"]);
                entry.received_bytes_per_s = rate(&["receivembytessec", "received|mbytes"]);
            }
            // The global report has a table of totals, which comes first, and one of rates.
            entry.errors =
                entry.errors.or(sum(&["senderrors", "receiveerrors", "sent|errors", "received|errors"]));
            entry.dropped = entry.dropped.or(sum(&[
                "senddropped", "sendbufferoverrun", "receivedropped", "receivebufferoverrun",
                "sent|packetsdropped", "sent|bufferovrrun", "received|packetsdropped",
                "received|bufferovrrun",
            ]));
        }
    }
}

/// Round trips; the table has no unit before the global report, and changed from ms to µs at 12.2.
fn pings(tables: &[Table], release: Option<&str>, rac: &mut RacStatistics) {
    let default = if release.is_some_and(|release| at_least(release, 12, 2)) { "us" } else { "ms" };
    for table in find_all(
        tables,
        &["this table displays ic ping latency", "interconnect ping latency", "ping statistics"],
    ) {
        for row in &table.rows {
            let Some(target) = table.count(row, &["targetinstance", "target"]) else { continue };
            rac.pings.push(PingLatency {
                from: table.count(row, &["src"]),
                target,
                count: table.count(row, &["500bpingcount", "500bpincount", "500bytes|pingcount"]),
                small_ms: table.millis(row, &["avglatency500bmsg", "500bytes|avgtime"], default),
                large_ms: table.millis(row, &["avglatency8kmsg", "8kbytes|avgtime"], default),
            });
        }
    }
}

/// True for a release of at least this much.
pub(super) fn at_least(release: &str, major: u32, minor: u32) -> bool {
    let mut parts = release.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= (major, minor)
}

fn clients(tables: &[Table], rac: &mut RacStatistics) {
    let titles =
        ["this table displays interconnect throughput by client", "interconnect throughput by client"];
    for table in find_all(tables, &titles) {
        for row in &table.rows {
            let rate = |name: &str| table.number(row, &[name]).map(|mb| mb * MIB);
            if let (Some(user), Some(sent), Some(received)) =
                (table.cell(row, &["usedby"]), rate("sendmbytessec"), rate("receivembytessec"))
            {
                rac.clients.insert(user.to_owned(), [sent, received]);
            }
        }
    }
}

/// Global report: lost blocks of all instances.
fn lost_blocks(tables: &[Table]) -> Option<f64> {
    let table = tables.iter().find(|table| &*table.title == "sysstat and global messaging - rac")?;
    table.rows.iter().filter_map(|row| table.number(row, &["gcblks|lost"])).reduce(|a, b| a + b)
}
