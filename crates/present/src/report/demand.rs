//! What the database needs, as tables: its demand, its redo, its reports side by side.

use super::files::Files;
use super::results::Table;
use crate::bars::bar;
use crate::format;
use fullwire_model::Run;
use fullwire_model::demand::{AwrReport, Demand, RedoHistory, RedoPoint};
use jiff::civil::DateTime;

/// Shows no more events of one report than this: the rest is in the JSON.
const MOST_EVENTS: usize = 10;

/// The waits that tell of the I/O path, as Oracle calls them.
pub(super) const WAITS: [&str; 4] =
    ["log file sync", "log file parallel write", "db file sequential read", "db file scattered read"];

/// Every table that there is something to say in.
pub(super) fn tables(run: &Run, files: &Files) -> Vec<Table> {
    let mut tables: Vec<Table> = run.demand.iter().map(|needed| demand(needed, files)).collect();
    tables.extend(run.redo.as_ref().map(redo));
    tables.extend(run.redo.as_ref().and_then(hours));
    match run.reports.as_slice() {
        [one] if one.second.is_none() => tables.extend(report(one)),
        [one] => {
            tables.extend(report(one));
            tables.push(trend(run.reports.as_slice()));
        }
        [] => {}
        several => tables.push(trend(several)),
    }
    tables.retain(|table| !table.rows.is_empty());
    fold(run, &mut tables);
    tables
}

/// Of a question about a path or about redo, the reports' other tables are details; where a report's own means are all there
/// is, a table of redo says nothing that the demand does not.
fn fold(run: &Run, tables: &mut [Table]) {
    let command = run.command.name.as_str();
    let of_path = matches!(command, "redo" | "assess");
    let listed = run.redo.as_ref().is_some_and(|redo| redo.peak_mean_over_s.is_none());
    // Beside a path the rate is asked; the rates over time are another question.
    let measured = !run.net.is_empty();
    let redo_alone = command == "redo" && listed && !measured;
    // Of redo on its way to a peer: what the data files read and write is another question.
    let of_files = ["reads", "read", "writes", "written"];
    if command == "redo" && !run.net.is_empty() {
        for table in tables.iter_mut().filter(|table| table.title.starts_with(DEMAND)) {
            table.rows.retain(|row| !of_files.contains(&row[0].as_str()));
        }
    }
    for table in tables {
        table.detail = match table.title.as_str() {
            REDO if listed => measured || command == "assess",
            REDO => of_path || run.redo.as_ref().is_some_and(|redo| redo.series.len() <= FEW_REPORTS),
            title if title.starts_with(DEMAND) => redo_alone || command == "assess",
            title if title.starts_with(HOURS) => of_path && (measured || command == "assess"),
            _ => of_path,
        };
    }
}

const REDO: &str = "Redo";
const DEMAND: &str = "What the database needs";
const HOURS: &str = "Redo by hour";

/// Points of redo, of which percentiles would be the same figure in other words.
const FEW_REPORTS: usize = 6;
/// Events that explain less of DB time than this leave something that the report does not tell.
const EXPLAINED_PCT: f64 = 80.0;

/// A value as it is in a table, and what is next to it.
type Pair = (String, String);

fn pairs<const N: usize>(title: String, rows: [(&str, Option<Pair>); N]) -> Table {
    let mut table = Table::new(title, &["", "#", "#"]);
    for (name, value) in rows {
        table.rows.extend(value.map(|(value, beside)| vec![name.to_owned(), value, beside]));
    }
    table
}

/// A rate of redo crosses a network: bits next to bytes.
fn both(rate: Option<f64>) -> Option<Pair> {
    rate.map(|rate| (format::rate(rate), format::bit_rate(rate)))
}

fn plain<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> Option<Pair> {
    value.map(|value| (show(value), String::new()))
}

/// Below ten a second the fraction matters: 0.12 commits per second are not none.
fn per_s(rate: f64) -> String {
    format!("{} /s", format::count(if rate >= 10.0 { rate.round() } else { rate }))
}

fn blocks(rate: f64) -> String {
    format!("{} blocks/s", format::count(if rate >= 10.0 { rate.round() } else { rate }))
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

/// The path of the report is in the head of its own table.
fn demand(demand: &Demand, files: &Files) -> Table {
    let short = files.shorten(&demand.source);
    let mut sources = short.split(", ");
    let title = match (sources.next().unwrap_or(""), sources.count()) {
        ("", _) => DEMAND.to_owned(),
        (one, 0) => format!("{DEMAND} ({one})"),
        (one, more) => format!("{DEMAND} ({one} and {more} more)"),
    };
    let mut table = pairs(
        title,
        [
            (
                peak_name(demand.redo_peak_is_lower_bound, demand.redo_mean_over_s),
                both(demand.redo_peak_bytes_per_s),
            ),
            ("sent by replication", both(demand.shipped_peak_bytes_per_s)),
            ("required of the path", both(demand.redo_required_bytes_per_s)),
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
    );
    if let Some(seconds) = demand.redo_mean_over_s {
        table
            .notes
            .push(format!("Redo is a mean over {}: the true peak is higher.", format::duration(seconds)));
    }
    table
}

fn redo(redo: &RedoHistory) -> Table {
    // Means of reports know no single logs, and few of them no percentiles.
    let of_logs = redo.peak_mean_over_s.is_none();
    let many = of_logs || redo.series.len() > FEW_REPORTS;
    let logs = |rate: Option<f64>| both(rate.filter(|_| of_logs));
    let spread = |rate: Option<f64>| both(rate.filter(|_| many));
    let mut table = pairs(
        REDO.to_owned(),
        [
            (
                if redo.peak_mean_over_s.is_some() { "highest mean" } else { "peak" },
                both(redo.peak_bytes_per_s),
            ),
            ("busiest single log", logs(redo.peak_log_bytes_per_s)),
            ("worst hour", logs(redo.peak_hour_bytes_per_s)),
            ("99th percentile", spread(redo.p99_bytes_per_s)),
            ("95th percentile", spread(redo.p95_bytes_per_s)),
            ("median", spread(redo.p50_bytes_per_s)),
            ("mean", spread(redo.mean_bytes_per_s)),
            (
                "headroom",
                plain(
                    redo.required_bytes_per_s.map(|_| redo.headroom).filter(|share| *share > 0.0),
                    format::percent,
                ),
            ),
            ("sent by replication", both(redo.shipped_peak_bytes_per_s)),
            ("mean redo write", plain(redo.mean_redo_write_bytes, format::size)),
        ],
    );
    let what = if redo.peak_mean_over_s.is_some() { "highest mean" } else { "peak" };
    if let Some(at) = &redo.peak_at {
        table.notes.push(format!("The {what} was at {}.", at.replace('T', " ")));
    }
    if let Some(peak) = redo.peak_bytes_per_s {
        // Scripts on v$archived_log divide by 1024 twice.
        table.notes.push(format!(
            "MB is 10^6 bytes; in units of 1024 x 1024 (SQL, oratcptest) the {what} is {:.1} MiB/s.",
            peak / 1_048_576.0
        ));
    }
    if let Some((required, maa)) = redo.required_bytes_per_s.zip(redo.required_maa_bytes_per_s) {
        table.notes.push(format!(
            "Size the path for {}; for {} where Oracle's MAA is to be kept, which leaves 30 % of the path free at the peak.",
            format::rate(required),
            format::rate(maa)
        ));
    }
    if let Some(seconds) = redo.peak_mean_over_s {
        let over = format::duration(seconds);
        table.notes.push(format!("Rates are means over up to {over}: the true peak is higher."));
    }
    table.notes.extend(busiest_hour(redo));
    table.notes.extend(over_time(&redo.series));
    if redo.peak_is_lower_bound && redo.series.is_empty() {
        table.notes.push("The listing has no times, so in a cluster the true peak may be higher.".into());
    }
    table
}

/// A curve whose columns are equal spans of time, each at its mean, a dot where nothing is known; none where fewer than
/// three rates are covered.
fn over_time(series: &[RedoPoint]) -> Option<String> {
    let (first, last) = (series.first()?, series.last()?);
    let span = seconds(first.at, last.at);
    if series.len() < 4 || span <= 0.0 {
        return None;
    }
    // Bytes, and the time that they are told of.
    let mut columns = vec![(0.0, 0.0); WIDEST];
    let column_s = span / WIDEST as f64;
    for pair in series.windows(2).filter(|pair| pair[0].bytes_per_s > 0.0) {
        let (from, to) = (seconds(first.at, pair[0].at), seconds(first.at, pair[1].at));
        for (index, (bytes, told_s)) in columns.iter_mut().enumerate() {
            let begin = index as f64 * column_s;
            let shared = (to.min(begin + column_s) - from.max(begin)).max(0.0);
            *bytes += pair[0].bytes_per_s * shared;
            *told_s += shared;
        }
    }
    let means: Vec<Option<f64>> =
        columns.iter().map(|(bytes, told_s)| (*told_s > 0.0).then(|| bytes / told_s)).collect();
    let largest = means.iter().flatten().copied().fold(f64::MIN_POSITIVE, f64::max);
    let bars: String = means.iter().map(|mean| mean.map_or('·', |mean| bar(mean / largest))).collect();
    let untold = if means.contains(&None) { "; a dot: no data" } else { "" };
    Some(format!("over time {bars} one column is {}{untold}", format::duration(column_s)))
}

/// Time between two readings of one clock, s.
fn seconds(from: DateTime, to: DateTime) -> f64 {
    to.duration_since(from).as_secs_f64()
}

const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Hours against days of the week: the mean of each hour as a bar, and each day's highest hour. For a day at least.
fn hours(redo: &RedoHistory) -> Option<Table> {
    let largest = redo.hours.iter().map(|hour| hour.mean_bytes_per_s).fold(0.0, f64::max);
    if redo.hours.len() < 24 || largest <= 0.0 {
        return None;
    }
    let columns = ["", "0     6     12    18   23 h", "#highest hour", "#", "#"];
    let mut table = Table::new(format!("{HOURS} and day of the week (mean of each hour)"), &columns);
    table.rows = (1..).zip(DAYS).filter_map(|(weekday, name)| day(redo, weekday, name, largest)).collect();
    table.notes.push("A dot marks an hour that the listing does not cover.".into());
    Some(table)
}

fn day(redo: &RedoHistory, weekday: u8, name: &str, largest: f64) -> Option<Vec<String>> {
    let told = |hour: u8| redo.hours.iter().find(|one| one.weekday == weekday && one.hour == hour);
    let highest =
        (0..24).filter_map(told).max_by(|a, b| a.mean_bytes_per_s.total_cmp(&b.mean_bytes_per_s))?;
    let drawn = |hour: u8| told(hour).map_or('·', |one| bar(one.mean_bytes_per_s / largest));
    Some(vec![
        name.to_owned(),
        (0..24).map(drawn).collect(),
        format!("{:02}:00", highest.hour),
        format::rate(highest.mean_bytes_per_s),
        format::bit_rate(highest.mean_bytes_per_s),
    ])
}

/// The hour of the week with the highest mean, when the listing covers a day at least.
fn busiest_hour(redo: &RedoHistory) -> Option<String> {
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
            ("host", host(report)),
            ("begin", plain(report.begin, |begin| begin.strftime("%Y-%m-%d %H:%M").to_string())),
            ("end", plain(report.end, |end| end.strftime("%Y-%m-%d %H:%M").to_string())),
            ("length", plain(report.elapsed_min, |minutes| format::duration(minutes * 60.0))),
            ("DB time", plain(report.db_time_min, |minutes| format::duration(minutes * 60.0))),
            ("active sessions", plain(load(report), |load| format!("{load:.1}"))),
            ("logical reads", plain(report.logical_reads_per_s, blocks)),
            ("physical reads", plain(report.physical_reads_per_s, blocks)),
            ("physical writes", plain(report.physical_writes_per_s, blocks)),
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
            event.time_s.filter(|time| *time > 0.0).map(format::duration).unwrap_or_default(),
            event.mean_wait_ms.map(|ms| format::time(ms * 1e6)).unwrap_or_default(),
            event.share_pct.map(pct).unwrap_or_default(),
            event.class.clone().unwrap_or_default(),
        ]
    };
    events.rows = report.top_events.iter().take(MOST_EVENTS).map(row).collect();
    events.notes.extend(unexplained(report));
    [head, events]
}

/// `dbserver1, Linux x86 64-bit`, next to it CPUs and memory.
fn host(report: &AwrReport) -> Option<Pair> {
    let name = [&report.host, &report.platform].into_iter().flatten().map(String::as_str).collect::<Vec<_>>();
    let cpus = report.cpus.map(|cpus| format!("{cpus} CPUs"));
    let memory = report.memory_bytes.map(|bytes| format::size(bytes as f64));
    let size = [cpus, memory].into_iter().flatten().collect::<Vec<_>>().join(", ");
    (!name.is_empty() || !size.is_empty()).then(|| (name.join(", "), size))
}

/// DB time that none of the events tells of. Shares of the top list are of all its lines, shown or not.
fn unexplained(report: &AwrReport) -> Option<String> {
    let told: f64 = report.top_events.iter().filter_map(|event| event.share_pct).sum();
    (told > 0.0 && told < EXPLAINED_PCT).then(|| {
        format!(
            "The top events explain {told:.0} % of DB time; the other {:.0} % is not in the list: waits for a CPU \
             (run queue, resource manager), or time in calls that Oracle does not instrument.",
            100.0 - told
        )
    })
}

/// Several reports, one a line, in the order of their time.
fn trend(reports: &[AwrReport]) -> Table {
    let all: Vec<&AwrReport> = in_order(reports);
    // Reports of several databases or instances are distinguished.
    let several = all.iter().any(|report| whose(report) != whose(all[0]));
    let columns = ["begin", "#load", "#redo", "#redo write", "#sync", "#log write", "#read", "#tx /s", ""];
    let mut table = Table::new("Reports side by side", &columns[..columns.len() - usize::from(!several)]);
    let told = |value: Option<String>| value.unwrap_or_default();
    let wait = |report: &AwrReport, name: &str| told(mean_ns(report, name).map(format::time));
    let row = |report: &&AwrReport| {
        let mut cells = vec![
            told(report.begin.map(|begin| begin.strftime("%m-%d %H:%M").to_string())),
            told(load(report).map(|load| format!("{load:.1}"))),
            told(report.redo_size_per_s.map(|rate| format::rate(rate).trim_end_matches(" MB/s").to_owned())),
            told(report.mean_redo_write_bytes.map(format::size)),
            wait(report, WAITS[0]),
            wait(report, WAITS[1]),
            wait(report, WAITS[2]),
            told(report.transactions_per_s.map(|rate| format::count(rate.round()))),
        ];
        cells.extend(several.then(|| whose(report)));
        cells
    };
    table.rows = all.iter().map(row).collect();
    table.notes.push("load: active sessions; redo: MB/s; sync, log write, read: mean waits.".into());
    let wait = |name: &'static str| move |report: &AwrReport| mean_ns(report, name);
    let curves: [(&str, Figure<'_>); 5] = [
        ("load", &load),
        ("redo", &|report| report.redo_size_per_s),
        ("sync", &wait(WAITS[0])),
        ("log write", &wait(WAITS[1])),
        ("read", &wait(WAITS[2])),
    ];
    if several {
        table.notes.push(
            "The reports are from several databases or instances: their loads are not drawn as one curve."
                .into(),
        );
        return table;
    }
    for (name, pick) in curves {
        let values: Vec<f64> = all.iter().filter_map(|report| pick(report)).collect();
        if values.len() > 1 {
            table.notes.push(format!("{name:<9} {}", curve(&values)));
        }
    }
    table
}

/// Columns of a curve in one line.
const WIDEST: usize = 60;

/// A curve of one line for the terminal, from zero to the largest; of more values than fit, each span's largest.
fn curve(values: &[f64]) -> String {
    let largest = values.iter().copied().fold(0.0, f64::max);
    let drawn = |span: &[f64]| {
        bar(if largest > 0.0 { span.iter().copied().fold(0.0, f64::max) / largest } else { 0.0 })
    };
    values.chunks(values.len().div_ceil(WIDEST).max(1)).map(drawn).collect()
}

/// A figure of a report.
pub(super) type Figure<'a> = &'a dyn Fn(&AwrReport) -> Option<f64>;

/// `ORCL orcl1`: the database and instance of a report.
fn whose(report: &AwrReport) -> String {
    [&report.db_name, &report.instance]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Reports by the time when they end; a comparison has two periods.
pub(super) fn in_order(reports: &[AwrReport]) -> Vec<&AwrReport> {
    fn periods(report: &AwrReport) -> impl Iterator<Item = &AwrReport> {
        std::iter::once(report).chain(report.second.as_deref())
    }
    let mut sorted: Vec<&AwrReport> = reports.iter().flat_map(periods).collect();
    sorted.sort_by_key(|report| report.end.or(report.begin));
    sorted
}

/// Active sessions: DB time over time.
pub(super) fn load(report: &AwrReport) -> Option<f64> {
    let elapsed = report.elapsed_min.filter(|elapsed| *elapsed > 0.0)?;
    Some(report.db_time_min? / elapsed)
}

/// The mean of a wait, wherever the report has it.
pub(super) fn mean_ns(report: &AwrReport, name: &str) -> Option<f64> {
    let wait = report.waits.get(name).or_else(|| report.background_waits.get(name))?;
    wait.mean_ms.map(|ms| ms * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hour: i8, bytes_per_s: f64) -> RedoPoint {
        RedoPoint { at: jiff::civil::date(2026, 11, 20).at(hour, 0, 0, 0), bytes_per_s }
    }

    /// A batch of two hours that fills many logs is two hours of the day, not most of it.
    #[test]
    fn a_column_is_a_span_of_time() {
        let mut series = vec![at(0, 1e6)];
        let minutes = |minute: i8| jiff::civil::date(2026, 11, 20).at(2, minute, 0, 0);
        series.extend((0..50).map(|minute| RedoPoint { at: minutes(minute), bytes_per_s: 46e6 }));
        series.extend([at(4, 1e6), at(20, 0.0)]);
        let text = over_time(&series).unwrap();
        let bars: Vec<char> = text.chars().filter(|c| ('▁'..='█').contains(c)).collect();
        // 20 hours in 60 columns: three for each hour, six of them for the batch from 2 to 4.
        let high = bars.iter().filter(|bar| **bar == '█').count();
        assert_eq!((bars.len(), high), (60, 6), "{text}");
        assert!(text.ends_with("one column is 20 min"), "{text}");
    }

    /// No report says that nothing was written between two reports.
    #[test]
    fn a_time_without_data_is_a_dot_and_not_a_low_rate() {
        let series = [at(0, 1e6), at(1, 0.0), at(19, 2e6), at(20, 0.0)];
        let text = over_time(&series).unwrap();
        let bars: String = text.chars().filter(|c| "▁▂▃▄▅▆▇█·".contains(*c)).collect();
        assert_eq!(bars, format!("{}{}{}", "▄".repeat(3), "·".repeat(54), "█".repeat(3)), "{text}");
        assert!(text.ends_with("a dot: no data"), "{text}");
    }

    #[test]
    fn hours_and_days_stand_in_a_matrix() {
        let hour = |weekday: u8, hour: u8, rate: f64| fullwire_model::demand::RedoHour {
            weekday,
            hour,
            mean_bytes_per_s: rate,
            ..Default::default()
        };
        let mut redo = RedoHistory::default();
        redo.hours.extend((0..24).map(|one| hour(1, one, if one == 2 { 80e6 } else { 10e6 })));
        redo.hours.push(hour(7, 23, 40e6));
        let table = hours(&redo).unwrap();
        assert_eq!(table.rows[0][..3], ["Monday", "▁▁█▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁", "02:00"]);
        assert_eq!(table.rows[1][..2], ["Sunday", "·······················▄"]);
        assert_eq!(table.rows.len(), 2);
        redo.hours.truncate(23);
        assert!(hours(&redo).is_none(), "less than a day has no pattern");
    }
}
