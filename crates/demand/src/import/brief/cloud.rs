//! Metrics of a disk or a link as the clouds' monitors export them: CSV with a time in the first column, and the JSON of
//! `aws cloudwatch get-metric-statistics` and `get-metric-data`, which becomes such a table first.

use crate::clock::{Calendar, DateOrder, offset};
use crate::import::builder::{Builder, recorded};
use crate::import::{Options, number};
use crate::{ReadError, page};
use fullwire_model::demand::ImportedSeries;
use fullwire_model::{GapReason, json};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What a column means.
enum Column {
    /// A sum over the period.
    Sum(&'static str, f64),
    /// A mean or a level of the period.
    Mean(&'static str, f64),
    /// What is used of something whose rest counts, %.
    Used(&'static str),
    /// A part of what the guest waits, ms: where its own figure is not there, their sum is it.
    Part(&'static str),
    /// What is counted there happened: all of it.
    Any(&'static str),
}

/// Metrics by their names without spaces, in lower case: Google's of `instance/disk/` (rates, as its charts draw them), Amazon EBS, EC2 and RDS in `CloudWatch` (sums over the period, levels), Azure
/// Monitor (rates and percentages; of a data disk, the OS disk or both), Oracle Cloud (`VolumeReadOps` as well).
const METRICS: &[(&str, Column)] = &[
    ("read_ops_count", Column::Mean("r/s", 1.0)),
    ("write_ops_count", Column::Mean("w/s", 1.0)),
    ("read_bytes_count", Column::Mean("rkB/s", 1.0 / 1024.0)),
    ("write_bytes_count", Column::Mean("wkB/s", 1.0 / 1024.0)),
    ("average_io_queue_depth", Column::Mean("aqu-sz", 1.0)),
    // Microseconds.
    ("average_io_latency", Column::Mean("await", 1e-3)),
    ("throttled_read_ops_count", Column::Any("allowance_used")),
    ("throttled_write_ops_count", Column::Any("allowance_used")),
    ("throttled_read_bytes_count", Column::Any("allowance_used")),
    ("throttled_write_bytes_count", Column::Any("allowance_used")),
    ("volumereadops", Column::Sum("r/s", 1.0)),
    ("volumewriteops", Column::Sum("w/s", 1.0)),
    ("volumereadbytes", Column::Sum("rkB/s", 1.0 / 1024.0)),
    ("volumewritebytes", Column::Sum("wkB/s", 1.0 / 1024.0)),
    ("volumeavgreadlatency", Column::Mean("r_await", 1.0)),
    ("volumeavgwritelatency", Column::Mean("w_await", 1.0)),
    // 1 where the rate that was bought was exceeded within the period.
    ("volumeiopsexceededcheck", Column::Mean("allowance_used", 100.0)),
    ("volumethroughputexceededcheck", Column::Mean("allowance_used", 100.0)),
    ("instanceebsiopsexceededcheck", Column::Mean("allowance_used", 100.0)),
    ("instanceebsthroughputexceededcheck", Column::Mean("allowance_used", 100.0)),
    ("burstbalance", Column::Mean("burst_balance", 1.0)),
    ("ebsiobalance%", Column::Mean("burst_balance", 1.0)),
    ("ebsbytebalance%", Column::Mean("burst_balance", 1.0)),
    // Of RDS: rates, and seconds.
    ("readthroughput", Column::Mean("rkB/s", 1.0 / 1024.0)),
    ("writethroughput", Column::Mean("wkB/s", 1.0 / 1024.0)),
    ("readlatency", Column::Mean("r_await", 1e3)),
    ("writelatency", Column::Mean("w_await", 1e3)),
    ("diskreadoperations/sec", Column::Mean("r/s", 1.0)),
    ("diskwriteoperations/sec", Column::Mean("w/s", 1.0)),
    ("diskreadbytes/sec", Column::Mean("rkB/s", 1.0 / 1024.0)),
    ("diskwritebytes/sec", Column::Mean("wkB/s", 1.0 / 1024.0)),
    ("disklatency", Column::Mean("await", 1.0)),
    ("diskiopsconsumedpercentage", Column::Mean("allowance_used", 1.0)),
    ("diskbandwidthconsumedpercentage", Column::Mean("allowance_used", 1.0)),
    ("diskusedburstiocreditspercentage", Column::Used("burst_balance")),
    ("diskusedburstbpscreditspercentage", Column::Used("burst_balance")),
    ("vmcachediopsconsumedpercentage", Column::Mean("allowance_used", 1.0)),
    ("vmcachedbandwidthconsumedpercentage", Column::Mean("allowance_used", 1.0)),
    ("vmuncachediopsconsumedpercentage", Column::Mean("allowance_used", 1.0)),
    ("vmuncachedbandwidthconsumedpercentage", Column::Mean("allowance_used", 1.0)),
    // Counters of Windows (typeperf, perfmon) and of ESXi (esxtop -b), `\\\\HOST\\OBJECT(INSTANCE)\\COUNTER`: times are seconds here,
    // and milliseconds there, where the guest's have the kernel's and the device's in them.
    ("cpuutilization", Column::Used("%idle")),
    ("percentagecpu", Column::Used("%idle")),
    ("avg.disksec/read", Column::Mean("r_await", 1e3)),
    ("avg.disksec/write", Column::Mean("w_await", 1e3)),
    ("avg.disksec/transfer", Column::Mean("await", 1e3)),
    ("diskreads/sec", Column::Mean("r/s", 1.0)),
    ("diskwrites/sec", Column::Mean("w/s", 1.0)),
    ("disktransfers/sec", Column::Mean("tps", 1.0)),
    ("averageguestmillisec/command", Column::Mean("await", 1.0)),
    ("averagedevicemillisec/command", Column::Part("await")),
    ("averagekernelmillisec/command", Column::Part("await")),
    ("reads/sec", Column::Mean("r/s", 1.0)),
    ("writes/sec", Column::Mean("w/s", 1.0)),
    ("commands/sec", Column::Mean("tps", 1.0)),
    ("mbytesread/sec", Column::Mean("rMB/s", 1.0)),
    ("mbyteswritten/sec", Column::Mean("wMB/s", 1.0)),
];

/// The counter of a path of Windows and what it is of: `\\\\db7\\PhysicalDisk(0 C:)\\Disk Reads/sec`.
fn counter(field: &str) -> Option<(&str, &str)> {
    let (path, counter) = field.trim_matches('"').strip_prefix("\\\\")?.rsplit_once('\\')?;
    let (_, instance) = path.split_once('(')?;
    Some((instance.trim_end_matches(')'), counter))
}

/// True for a heading with a time and a known metric.
pub(in crate::import) fn is_cloud(text: &str) -> bool {
    // Its beginning is enough to know it.
    if text.trim_start().starts_with('{') {
        return ["\"Datapoints\"", "\"MetricDataResults\"", "\"timeseries\""]
            .iter()
            .any(|key| text.contains(key));
    }
    let head = page::prefix(text, HEAD_BYTES);
    let head = of_gcp(head).or_else(|| time_first(head)).or_else(|| of_names(head));
    let mut lines = head.as_deref().unwrap_or(text).lines();
    lines.find(|line| !line.trim().is_empty()).is_some_and(|line| heading(line).is_some())
}

/// So much of a file holds its heading and a row.
const HEAD_BYTES: usize = 64 << 10;

/// A chart that Google Cloud's Metrics Explorer downloads: a row for the name of each series, rows for their labels, and times as
/// JavaScript prints them.
fn of_gcp(text: &str) -> Option<String> {
    let text = text.trim_start().strip_prefix("TimeSeries ID").map(|_| text.trim_start())?;
    let mut rows = text.lines().map(|line| page::fields(line, ','));
    let mut titles: Vec<String> = Vec::new();
    let mut out = String::new();
    for row in &mut rows {
        let Some(at) = row.first().and_then(|stamp| spelt(stamp)) else {
            titles.resize(titles.len().max(row.len()).min(page::MOST_COLUMNS), String::new());
            for (title, cell) in titles.iter_mut().zip(&row) {
                let _ = write!(title, " {}", cell.replace([',', '"'], " "));
            }
            continue;
        };
        if out.is_empty() {
            out = format!("Timestamp,{}\n", titles.get(1..)?.join(","));
        }
        let _ = writeln!(out, "{at},{}", row[1..].join(","));
    }
    (!out.is_empty()).then_some(out)
}

/// A table that names what each row is of in front of its time, with the time first.
fn time_first(text: &str) -> Option<String> {
    let mut rows = text.lines().filter(|line| !line.trim().is_empty()).map(|line| page::fields(line, ','));
    let (head, first) = (rows.next()?, rows.next()?);
    let is_time = |field: &String| field.contains(':') && moment(field).is_some();
    let at = first.iter().position(is_time).filter(|at| (1..head.len()).contains(at))?;
    let rows = [head, first].into_iter().chain(rows).filter(|row| row.len() > at);
    let turned = rows.map(|mut row| {
        row[..=at].rotate_right(1);
        row.join(",") + "\n"
    });
    Some(turned.collect())
}

/// A table with the time first that names the metric of each row in a cell, as a table with a column for each; what the rows are of
/// stays beside the time.
fn of_names(text: &str) -> Option<String> {
    let mut rows = text.lines().filter(|line| !line.trim().is_empty()).map(|line| page::fields(line, ','));
    let head: Vec<String> = rows.next()?.iter().map(|name| name.to_lowercase()).collect();
    let place = |names: &[&str]| names.iter().find_map(|name| head.iter().position(|own| own == name));
    let named = place(&["metric", "metricname", "metric name", "metric_name"])?;
    let mean = place(&["average", "mean", "avg", "value", "maximum", "max"]);
    let (sum, owner) = (place(&["sum", "total", "value"]), place(&OWNERS));
    let mut names: Vec<String> = Vec::new();
    let mut table: BTreeMap<(String, String), BTreeMap<usize, String>> = BTreeMap::new();
    for row in rows {
        let cell = |place: usize| row.get(place).cloned().unwrap_or_default();
        let name = cell(named);
        let is_sum = matches!(metric(&name), Some(Column::Sum(..)));
        let Some(value) = (if is_sum { sum } else { mean }) else { continue };
        let column = names.iter().position(|own| *own == name).unwrap_or(names.len());
        if column == names.len() {
            names.push(name);
        }
        let of = (cell(0), owner.map(cell).unwrap_or_default());
        table.entry(of).or_default().insert(column, cell(value));
    }
    let mut out = format!("{},Resource,{}\n", head[0], names.join(","));
    for ((at, of), cells) in table {
        let cell = |column| cells.get(&column).map_or("", String::as_str);
        let cells: Vec<&str> = (0..names.len()).map(cell).collect();
        let _ = writeln!(out, "{at},{of},{}", cells.join(","));
    }
    Some(out)
}

/// What each row is of, by the name of its column in lower case.
const OWNERS: [&str; 7] = [
    "timeseries id", "instance", "instance id", "volume id", "resource", "resource name",
    "dbinstanceidentifier",
];

/// `Thu Jun 05 2025 10:00:00 GMT+0200 (Central European Summer Time)`
fn spelt(text: &str) -> Option<Timestamp> {
    let mut words = text.split_whitespace().skip(1);
    let (month, day, year, clock) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let zone = words.next().unwrap_or("").trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let at = Calendar::default().date_time(&format!("{day}-{month}-{year} {clock}"))?;
    offset(&format!("{clock}{zone}")).unwrap_or(Offset::UTC).to_timestamp(at).ok()
}

/// For each column its metric; the first is the time.
fn heading(line: &str) -> Option<Vec<Option<(String, &'static Column)>>> {
    let fields = page::fields(line, ',');
    let first = fields.first()?.trim().trim_matches('"').to_lowercase();
    let is_time = ["time", "timestamp", "date", "label", "start time", "(pdh-csv"]
        .iter()
        .any(|name| first.starts_with(name));
    let of = |field: &String| {
        let disk = || field.split(['"', ' ', '{', '}', '=', '(', ')']).find(|word| is_disk(word));
        counter(field).map(|(of, _)| of).or_else(disk).unwrap_or("volume").to_owned()
    };
    let meant = |field: &String| metric(field).or_else(|| by_words(&field.to_lowercase()));
    let columns: Vec<_> = fields.iter().map(|field| meant(field).map(|column| (of(field), column))).collect();
    (is_time && columns.iter().any(Option::is_some)).then_some(columns)
}

/// `VolumeReadOps`, `Data Disk Read Operations/Sec (Avg), db1`: what stands in front counts.
fn metric(field: &str) -> Option<&'static Column> {
    let field = counter(field).map_or(field, |(_, counter)| counter);
    let bare: String = field.to_lowercase().chars().filter(|c| !c.is_whitespace() && *c != '"').collect();
    let is_of_gcp = |name: &str| name.contains('_');
    let words = || field.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    if let Some((_, column)) =
        METRICS.iter().find(|(name, _)| is_of_gcp(name) && words().any(|word| word == *name))
    {
        return Some(column);
    }
    let bare = bare.split(['(', ',']).next().unwrap_or("");
    let bare = ["os", "data"].into_iter().find_map(|disk| bare.strip_prefix(disk)).unwrap_or(bare);
    METRICS
        .iter()
        .find(|(name, _)| *name == bare || bare.ends_with(&format!(".{name}")))
        .map(|(_, column)| column)
}

/// `sdb`, `nvme1n1`, `dm-4`.
fn is_disk(word: &str) -> bool {
    ["sd", "vd", "xvd", "nvme", "dm-", "hdisk"].iter().any(|start| word.starts_with(start))
        && (3..=10).contains(&word.len())
}

/// What people title a column of a dashboard: these words, this unit, and the figure of reads, of writes, of both.
type Title = (&'static [&'static str], &'static [&'static str], [Column; 3]);

const fn each(names: [&'static str; 3], factor: f64) -> [Column; 3] {
    let [read, write, both] = names;
    [Column::Mean(read, factor), Column::Mean(write, factor), Column::Mean(both, factor)]
}

const WAITS: &[&str] = &["latency", "await", "response time", "service time"];
const AWAITS: [&str; 3] = ["r_await", "w_await", "await"];
const TITLES: &[Title] = &[
    (WAITS, &["(ms", "[ms", "_ms", " ms"], each(AWAITS, 1.0)),
    (WAITS, &["(us", "(µs", "_us", " us"], each(AWAITS, 1e-3)),
    (WAITS, &["(s)", "_s", "seconds"], each(AWAITS, 1e3)),
    (&["utili", "busy"], &["disk", "io ", "i/o", "device", "volume"], each(["%util"; 3], 1.0)),
    (&["iops"], &[""], each(["r/s", "w/s", "tps"], 1.0)),
    (&["queue"], &["disk", "io ", "i/o", "device", "volume"], each(["aqu-sz"; 3], 1.0)),
];

/// A metric by the words of its title, in lower case.
fn by_words(title: &str) -> Option<&'static Column> {
    let has = |words: &[&str]| words.iter().any(|word| title.contains(word));
    let (.., columns) = TITLES
        .iter()
        .find(|(words, unit, _)| has(words) && has(unit) && !has(&["limit", "max", "provision"]))?;
    columns.get(if has(&["read"]) {
        0
    } else if has(&["write"]) {
        1
    } else {
        2
    })
}

/// The table of one metric, or of several at the same times; `None`: it is no such JSON.
fn of_json(text: &str) -> Option<String> {
    let document: Value = text.trim_start().starts_with('{').then(|| json::read(text.as_bytes()).ok())??;
    let mut names: Vec<&str> = Vec::new();
    let mut rows: BTreeMap<&str, BTreeMap<usize, f64>> = BTreeMap::new();
    let of_azure = document["value"].as_array().into_iter().flatten();
    let azure = of_azure.map(|one| (one["name"]["value"].as_str(), &one["timeseries"][0]["data"]));
    for (label, points) in std::iter::once((document["Label"].as_str(), &document["Datapoints"])).chain(azure)
    {
        let (Some(label), Some(points)) = (label, points.as_array()) else { continue };
        // What is counted over the period needs the sum.
        let counted = matches!(metric(label), Some(Column::Sum(..)));
        let statistics: &[&str] = if counted {
            &["Sum", "total"]
        } else {
            &["Average", "average", "Maximum", "maximum", "Minimum", "minimum"]
        };
        for point in points {
            let asked = statistics.iter().find_map(|statistic| point[*statistic].as_f64());
            // Percentiles: `{"p99": 41.2}`.
            let percentile = || point["ExtendedStatistics"].as_object()?.values().next()?.as_f64();
            let at = point["Timestamp"].as_str().or_else(|| point["timeStamp"].as_str());
            if let (Some(value), Some(at)) = (asked.or_else(percentile), at) {
                rows.entry(at).or_default().insert(names.len(), value);
            }
        }
        names.push(label);
    }
    for (column, metric) in document["MetricDataResults"].as_array().into_iter().flatten().enumerate() {
        names.push(metric["Label"].as_str()?);
        let points = metric["Timestamps"].as_array()?.iter().zip(metric["Values"].as_array()?);
        for (at, value) in points {
            rows.entry(at.as_str()?).or_default().insert(column, value.as_f64()?);
        }
    }
    let row = |(at, values): (&&str, &BTreeMap<usize, f64>)| {
        let cell = |column| values.get(&column).map_or(String::new(), f64::to_string);
        let cells: Vec<String> = (0..names.len()).map(cell).collect();
        format!("{at},{}\n", cells.join(","))
    };
    let body: String = rows.iter().map(row).collect();
    (!names.is_empty()).then(|| format!("Timestamp,{}\n{body}", names.join(",")))
}

/// Reads the file: one volume or host.
pub(in crate::import) fn read(text: &str, name: &str, options: Options) -> Result<ImportedSeries, ReadError> {
    let table =
        of_json(text).or_else(|| of_gcp(text)).or_else(|| time_first(text)).or_else(|| of_names(text));
    let text = table.as_deref().unwrap_or(text);
    // The counters of Windows and of ESXi have the month first, in any language (PDH).
    let is_pdh = text.trim_start_matches('"').starts_with("(PDH-CSV");
    let date_order = options.date_order.or(is_pdh.then_some(DateOrder::MonthDayYear));
    let options = Options { date_order, ..options };
    let owner = text.lines().next().and_then(|head| {
        page::fields(head, ',').iter().position(|name| OWNERS.contains(&name.to_lowercase().as_str()))
    });
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let columns = lines.next().and_then(|(_, line)| heading(line)).unwrap_or_default();
    let mut rows: Vec<(DateTime, Vec<String>)> = Vec::new();
    let mut builder = Builder::new();
    // A spreadsheet writes `11/20/2025 10:10:00 AM`.
    let first = |line: &'_ str| line.split(',').next().unwrap_or("").trim().trim_matches('"').to_owned();
    let stamps: Vec<String> = text.lines().skip(1).map(first).filter(|stamp| stamp.contains('/')).collect();
    let (calendar, assumed) =
        options.calendar(stamps.iter().filter_map(|stamp| stamp.split(' ').next()), (text, name));
    if let Some(assumed) = assumed.filter(|_| !stamps.is_empty()) {
        builder.gap("date", GapReason::Absent, assumed);
    }
    let moment =
        |stamp: &str| moment(stamp).or_else(|| calendar.date_time(stamp).filter(|_| stamp.contains('/')));
    for (index, line) in lines {
        let fields = page::fields(line, ',');
        match fields.first().and_then(|field| moment(field.trim().trim_matches('"'))) {
            Some(at) => rows.push((at, fields)),
            None => builder.malformed("metrics", index + 1, "no time in the first column"),
        }
    }
    rows.sort_by_key(|(at, _)| *at);
    let period_s = period(&rows);
    for (at, fields) in &rows {
        builder.begin(Some(*at));
        let mut parts: BTreeMap<(&str, &'static str), f64> = BTreeMap::new();
        for (column, field) in columns.iter().zip(fields) {
            let Some((of, column)) = column else { continue };
            let Some(value) = figure(field.trim().trim_matches('"'), column) else { continue };
            let own = owner.and_then(|owner| fields.get(owner)).filter(|_| of == "volume");
            let of = own.unwrap_or(of);
            match (column, period_s) {
                (Column::Mean(printed, factor), _) => builder.push("disk", of, printed, value * factor),
                (Column::Part(printed), _) => *parts.entry((of, *printed)).or_default() += value,
                (Column::Any(printed), _) => {
                    builder.push("disk", of, printed, if value > 0.0 { 100.0 } else { 0.0 });
                }
                (Column::Used("%idle"), _) => builder.push("cpu", "all", "%idle", 100.0 - value),
                (Column::Used(printed), _) => builder.push("disk", of, printed, 100.0 - value),
                (Column::Sum(printed, factor), Some(seconds)) => {
                    builder.push("disk", of, printed, value * factor / seconds);
                }
                (Column::Sum(..), None) => {}
            }
        }
        for ((of, printed), sum) in parts {
            builder.push("disk", of, printed, sum);
        }
    }
    let sums = columns.iter().flatten().any(|(_, column)| matches!(column, Column::Sum(..)));
    let said = match period_s {
        Some(seconds) if sums => format!("sums are taken to be over the {seconds} s between two rows"),
        _ if sums => "one row has no period: its sums were left out".to_owned(),
        _ => "means of a period hide what is shorter".to_owned(),
    };
    builder.gap("period", GapReason::Absent, said);
    let tool = if is_pdh { "performance counters" } else { "cloud metrics" };
    builder.done(recorded(name, tool, "UTC"))
}

/// A cell, which may have its unit: `99.1 %`, `44.2 ms`. A time is in that unit whatever the title says.
fn figure(cell: &str, column: &Column) -> Option<f64> {
    let bare = cell.trim_end_matches(|c: char| !c.is_ascii_digit());
    match (cell[bare.len()..].trim(), column) {
        ("" | "%", _) => number(bare),
        (unit, Column::Mean(printed, factor)) if AWAITS.contains(printed) => {
            Some(number(bare)? * page::nanoseconds(unit)? / 1e6 / factor)
        }
        _ => None,
    }
}

/// The usual distance of two rows, s.
fn period(rows: &[(DateTime, Vec<String>)]) -> Option<f64> {
    let mut steps: Vec<i64> = rows
        .windows(2)
        .map(|pair| pair[0].0.duration_until(pair[1].0).as_secs())
        .filter(|step| *step > 0)
        .collect();
    steps.sort_unstable();
    steps.get(steps.len() / 2).map(|step| *step as f64)
}

/// `2024-03-05T10:00:00Z`, `2024-03-05 10:00:00`, seconds since 1970.
fn moment(text: &str) -> Option<DateTime> {
    let utc = |at: Timestamp| at.to_zoned(TimeZone::UTC).datetime();
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(utc(at));
    }
    if let Ok(seconds) = text.parse::<i64>() {
        return Timestamp::from_second(if seconds > 100_000_000_000 { seconds / 1000 } else { seconds })
            .ok()
            .map(utc);
    }
    text.trim_end_matches(" UTC").parse().ok().or_else(|| spelt(text).map(utc))
}
