//! What the database needs, as tables: its demand, its redo, its reports side by side.

use super::results::Table;
use crate::format;
use fullwire_model::Run;
use fullwire_model::demand::{AwrReport, Demand, RedoHistory};

/// Shows no more events of one report than this: the rest is in the JSON.
const MOST_EVENTS: usize = 10;

/// The waits that tell of the I/O path, as Oracle calls them.
pub(super) const WAITS: [&str; 4] =
    ["log file sync", "log file parallel write", "db file sequential read", "db file scattered read"];

/// Every table that there is something to say in.
pub(super) fn tables(run: &Run) -> Vec<Table> {
    let mut tables: Vec<Table> = run.demand.iter().map(demand).collect();
    tables.extend(run.redo.as_ref().map(redo));
    match run.reports.as_slice() {
        [one] => tables.extend(report(one)),
        [] => {}
        several => tables.push(trend(several)),
    }
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// A value as it stands in a table, and what stands beside it.
type Pair = (String, String);

fn pairs<const N: usize>(title: String, rows: [(&str, Option<Pair>); N]) -> Table {
    let mut table = Table::new(title, &["", "#", "#"]);
    for (name, value) in rows {
        table.rows.extend(value.map(|(value, beside)| vec![name.to_owned(), value, beside]));
    }
    table
}

/// A rate of redo crosses a network: bits beside bytes.
fn both(rate: Option<f64>) -> Option<Pair> {
    rate.map(|rate| (format::rate(rate), format::bit_rate(rate)))
}

fn plain<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> Option<Pair> {
    value.map(|value| (show(value), String::new()))
}

fn per_s(rate: f64) -> String {
    format!("{} /s", format::count(rate.round()))
}

fn pct(percent: f64) -> String {
    format!("{percent:.1} %")
}

/// A mean is not called a peak.
pub(super) fn peak_name(is_lower_bound: bool, mean_over_s: Option<f64>) -> &'static str {
    match (mean_over_s, is_lower_bound) {
        (Some(_), _) => "redo, highest mean",
        (None, true) => "redo, at least",
        (None, false) => "redo at its peak",
    }
}

fn demand(demand: &Demand) -> Table {
    let mut sources = demand.source.split(", ");
    let title = match (sources.next().unwrap_or(""), sources.count()) {
        ("", _) => "What the database needs".to_owned(),
        (one, 0) => format!("What the database needs ({one})"),
        (one, more) => format!("What the database needs ({one} and {more} more)"),
    };
    pairs(
        title,
        [
            (
                peak_name(demand.redo_peak_is_lower_bound, demand.redo_mean_over_s),
                both(demand.redo_peak_bytes_per_s),
            ),
            ("sent by replication", both(demand.shipped_peak_bytes_per_s)),
            ("the path must carry", both(demand.redo_required_bytes_per_s)),
            ("by MAA (peak / 0.7)", both(demand.redo_required_maa_bytes_per_s)),
            ("mean redo write", plain(demand.redo_write_mean_bytes, format::size)),
            ("reads", plain(demand.read_io_per_s, per_s)),
            ("read", plain(demand.read_bytes_per_s, format::rate)),
            ("writes", plain(demand.write_io_per_s, per_s)),
            ("written", plain(demand.write_bytes_per_s, format::rate)),
            ("commits", plain(demand.commits_per_s, per_s)),
            ("one log write", plain(demand.log_write_mean_ns, format::time)),
            ("one commit's wait", plain(demand.commit_wait_mean_ns, format::time)),
        ],
    )
}

fn redo(redo: &RedoHistory) -> Table {
    let mut table = pairs(
        "Redo".to_owned(),
        [
            (
                if redo.peak_mean_over_s.is_some() { "highest mean" } else { "peak" },
                both(redo.peak_bytes_per_s),
            ),
            ("worst single log", both(redo.peak_log_bytes_per_s)),
            ("worst hour", both(redo.peak_hour_bytes_per_s)),
            ("99th percentile", both(redo.p99_bytes_per_s)),
            ("95th percentile", both(redo.p95_bytes_per_s)),
            ("median", both(redo.p50_bytes_per_s)),
            ("mean", both(redo.mean_bytes_per_s)),
            ("headroom", plain(Some(redo.headroom).filter(|share| *share > 0.0), format::percent)),
            ("sent by replication", both(redo.shipped_peak_bytes_per_s)),
            ("the path must carry", both(redo.required_bytes_per_s)),
            ("by MAA (peak / 0.7)", both(redo.required_maa_bytes_per_s)),
            ("mean redo write", plain(redo.mean_redo_write_bytes, format::size)),
        ],
    );
    if let Some(at) = &redo.peak_at {
        let what = if redo.peak_mean_over_s.is_some() { "highest mean" } else { "peak" };
        table.notes.push(format!("The {what} was at {}.", at.replace('T', " ")));
    }
    if let Some(seconds) = redo.peak_mean_over_s {
        let over = format::duration(seconds);
        table.notes.push(format!("Rates are means over up to {over}: the true peak is higher."));
    }
    table.notes.extend(busiest_hour(redo));
    let rates: Vec<f64> = redo.series.iter().map(|point| point.bytes_per_s).collect();
    if rates.len() > 2 {
        // The last point is the end of the last log.
        table.notes.push(format!("over time {}", curve(&rates[..rates.len() - 1])));
    }
    if redo.peak_is_lower_bound && redo.series.is_empty() {
        table.notes.push("The listing has no times: in a cluster the true peak may be higher.".into());
    }
    table
}

/// The hour of the week with the highest mean, when the listing covers a day at least.
fn busiest_hour(redo: &RedoHistory) -> Option<String> {
    const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    let busiest = redo.hours.iter().max_by(|a, b| a.mean_bytes_per_s.total_cmp(&b.mean_bytes_per_s))?;
    let day = DAYS.get(usize::from(busiest.weekday).checked_sub(1)?)?;
    let rate = format::rate(busiest.mean_bytes_per_s);
    let enough = redo.hours.len() >= 24;
    enough.then(|| {
        format!("The busiest hour of the week is {day} {:02}:00, with {rate} on average.", busiest.hour)
    })
}

fn report(report: &AwrReport) -> [Table; 2] {
    let name = [&report.db_name, &report.instance, &report.release].into_iter().flatten();
    let name = name.map(String::as_str).collect::<Vec<_>>().join(" ");
    let head = pairs(
        format!("{name} ({})", report.source),
        [
            ("begin", plain(report.begin, |begin| begin.strftime("%Y-%m-%d %H:%M").to_string())),
            ("length", plain(report.elapsed_min, |minutes| format::duration(minutes * 60.0))),
            ("DB time", plain(report.db_time_min, |minutes| format::duration(minutes * 60.0))),
            ("redo", both(report.redo_size_per_s)),
            ("mean redo write", plain(report.mean_redo_write_bytes, format::size)),
            ("read", plain(report.read_bytes_per_s, format::rate)),
            ("written", plain(report.write_bytes_per_s, format::rate)),
            ("transactions", plain(report.transactions_per_s, per_s)),
            ("buffer hits", plain(report.buffer_hit_pct, pct)),
            ("latch hits", plain(report.latch_hit_pct, pct)),
            ("library cache hits", plain(report.library_hit_pct, pct)),
        ],
    );
    let mut events = Table::new("Top events", &["", "#waits", "#time", "#mean", "#of DB time", "class"]);
    let row = |event: &fullwire_model::demand::TopEvent| {
        vec![
            event.name.clone(),
            event.waits.map(|waits| format::count(waits as f64)).unwrap_or_default(),
            event.time_s.map(format::duration).unwrap_or_default(),
            event.mean_wait_ms.map(|ms| format::time(ms * 1e6)).unwrap_or_default(),
            event.share_pct.map(pct).unwrap_or_default(),
            event.class.clone().unwrap_or_default(),
        ]
    };
    events.rows = report.top_events.iter().take(MOST_EVENTS).map(row).collect();
    [head, events]
}

/// Several reports, one a line, in the order of their time.
fn trend(reports: &[AwrReport]) -> Table {
    let columns = ["begin", "#load", "#redo", "#redo write", "#sync", "#log write", "#read", "#tx /s"];
    let mut table = Table::new("Reports side by side", &columns);
    let told = |value: Option<String>| value.unwrap_or_default();
    let wait = |report: &AwrReport, name: &str| told(mean_ns(report, name).map(format::time));
    let row = |report: &&AwrReport| {
        vec![
            told(report.begin.map(|begin| begin.strftime("%m-%d %H:%M").to_string())),
            told(load(report).map(|load| format!("{load:.1}"))),
            told(report.redo_size_per_s.map(|rate| format::rate(rate).trim_end_matches(" MB/s").to_owned())),
            told(report.mean_redo_write_bytes.map(format::size)),
            wait(report, WAITS[0]),
            wait(report, WAITS[1]),
            wait(report, WAITS[2]),
            told(report.transactions_per_s.map(|rate| format::count(rate.round()))),
        ]
    };
    table.rows = in_order(reports).iter().map(row).collect();
    table.notes.push("load: sessions active at once; redo: MB/s; sync, log write, read: mean waits.".into());
    let wait = |name: &'static str| move |report: &AwrReport| mean_ns(report, name);
    let curves: [(&str, Figure<'_>); 5] = [
        ("load", &load),
        ("redo", &|report| report.redo_size_per_s),
        ("sync", &wait(WAITS[0])),
        ("log write", &wait(WAITS[1])),
        ("read", &wait(WAITS[2])),
    ];
    let sorted = in_order(reports);
    for (name, pick) in curves {
        let values: Vec<f64> = sorted.iter().filter_map(|report| pick(report)).collect();
        if values.len() > 1 {
            table.notes.push(format!("{name:<9} {}", curve(&values)));
        }
    }
    table
}

/// A curve of one line for the terminal, from zero to the largest; of more values than fit, each span's largest.
fn curve(values: &[f64]) -> String {
    const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const WIDEST: usize = 60;
    let largest = values.iter().copied().fold(0.0, f64::max);
    let level = |span: &[f64]| {
        let share = if largest > 0.0 { span.iter().copied().fold(0.0, f64::max) / largest } else { 0.0 };
        let above = (1..LEVELS.len()).take_while(|&step| share * 8.0 > step as f64).count();
        LEVELS[above]
    };
    values.chunks(values.len().div_ceil(WIDEST).max(1)).map(level).collect()
}

/// A figure of a report.
pub(super) type Figure<'a> = &'a dyn Fn(&AwrReport) -> Option<f64>;

/// Reports by the time when they end.
pub(super) fn in_order(reports: &[AwrReport]) -> Vec<&AwrReport> {
    let mut sorted: Vec<&AwrReport> = reports.iter().collect();
    sorted.sort_by_key(|report| report.end.or(report.begin));
    sorted
}

/// Sessions active at once: DB time over time.
pub(super) fn load(report: &AwrReport) -> Option<f64> {
    let elapsed = report.elapsed_min.filter(|elapsed| *elapsed > 0.0)?;
    Some(report.db_time_min? / elapsed)
}

/// The mean of a wait, wherever the report has it.
pub(super) fn mean_ns(report: &AwrReport, name: &str) -> Option<f64> {
    let wait = report.waits.get(name).or_else(|| report.background_waits.get(name))?;
    wait.mean_ms.map(|ms| ms * 1e6)
}
