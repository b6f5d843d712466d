//! Metrics of a disk or a link as the clouds' monitors export them: CSV with a time in the first column, and the JSON of
//! `aws cloudwatch get-metric-statistics` and `get-metric-data`, which becomes such a table first.

use crate::import::builder::{Builder, recorded};
use crate::import::{Options, number};
use crate::{ReadError, page};
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;
use std::collections::BTreeMap;

/// What a column means.
enum Column {
    /// A sum over the period.
    Sum(&'static str, f64),
    /// A mean or a level of the period.
    Mean(&'static str, f64),
    /// What is used of something whose rest counts, %.
    Used(&'static str),
}

/// Metrics by their names without spaces, in lower case: Amazon EBS, EC2 and RDS in `CloudWatch` (sums over the period, levels), Azure
/// Monitor (rates and percentages; of a data disk, the OS disk or both), Oracle Cloud (`VolumeReadOps` as well).
const METRICS: &[(&str, Column)] = &[
    ("volumereadops", Column::Sum("r/s", 1.0)),
    ("volumewriteops", Column::Sum("w/s", 1.0)),
    ("volumereadbytes", Column::Sum("rkB/s", 1.0 / 1024.0)),
    ("volumewritebytes", Column::Sum("wkB/s", 1.0 / 1024.0)),
    ("volumequeuelength", Column::Mean("aqu-sz", 1.0)),
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
    ("readiops", Column::Mean("r/s", 1.0)),
    ("writeiops", Column::Mean("w/s", 1.0)),
    ("readthroughput", Column::Mean("rkB/s", 1.0 / 1024.0)),
    ("writethroughput", Column::Mean("wkB/s", 1.0 / 1024.0)),
    ("readlatency", Column::Mean("r_await", 1e3)),
    ("writelatency", Column::Mean("w_await", 1e3)),
    ("diskreadoperations/sec", Column::Mean("r/s", 1.0)),
    ("diskwriteoperations/sec", Column::Mean("w/s", 1.0)),
    ("diskreadbytes/sec", Column::Mean("rkB/s", 1.0 / 1024.0)),
    ("diskwritebytes/sec", Column::Mean("wkB/s", 1.0 / 1024.0)),
    ("diskqueuedepth", Column::Mean("aqu-sz", 1.0)),
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
    ("avg.disksec/read", Column::Mean("r_await", 1e3)),
    ("avg.disksec/write", Column::Mean("w_await", 1e3)),
    ("avg.disksec/transfer", Column::Mean("await", 1e3)),
    ("diskreads/sec", Column::Mean("r/s", 1.0)),
    ("diskwrites/sec", Column::Mean("w/s", 1.0)),
    ("disktransfers/sec", Column::Mean("tps", 1.0)),
    ("avg.diskqueuelength", Column::Mean("aqu-sz", 1.0)),
    ("currentdiskqueuelength", Column::Mean("aqu-sz", 1.0)),
    ("averageguestmillisec/command", Column::Mean("await", 1.0)),
    ("averagedevicemillisec/command", Column::Mean("await", 1.0)),
    ("reads/sec", Column::Mean("r/s", 1.0)),
    ("writes/sec", Column::Mean("w/s", 1.0)),
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
        return ["\"Datapoints\"", "\"MetricDataResults\""].iter().any(|key| text.contains(key));
    }
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| heading(line).is_some())
}

/// For each column its metric; the first is the time.
fn heading(line: &str) -> Option<Vec<Option<(String, &'static Column)>>> {
    let fields = page::fields(line, ',');
    let first = fields.first()?.trim().trim_matches('"').to_lowercase();
    let is_time = ["time", "timestamp", "date", "label", "start time", "(pdh-csv"]
        .iter()
        .any(|name| first.starts_with(name));
    let of = |field: &String| counter(field).map_or("volume", |(of, _)| of).to_owned();
    let columns: Vec<_> =
        fields.iter().map(|field| metric(field).map(|column| (of(field), column))).collect();
    (is_time && columns.iter().any(Option::is_some)).then_some(columns)
}

/// `VolumeReadOps`, `Data Disk Read Operations/Sec (Avg), db1`: what stands in front counts.
fn metric(field: &str) -> Option<&'static Column> {
    let field = counter(field).map_or(field, |(_, counter)| counter);
    let bare: String = field.to_lowercase().chars().filter(|c| !c.is_whitespace() && *c != '"').collect();
    let bare = bare.split(['(', ',']).next().unwrap_or("");
    let bare = ["os", "data"].into_iter().find_map(|disk| bare.strip_prefix(disk)).unwrap_or(bare);
    METRICS
        .iter()
        .find(|(name, _)| *name == bare || bare.ends_with(&format!(".{name}")))
        .map(|(_, column)| column)
}

/// The table of one metric, or of several at the same times; `None`: it is no such JSON.
fn of_json(text: &str) -> Option<String> {
    let document: Value = text.trim_start().starts_with('{').then(|| serde_json::from_str(text).ok())??;
    let mut names: Vec<&str> = Vec::new();
    let mut rows: BTreeMap<&str, BTreeMap<usize, f64>> = BTreeMap::new();
    if let Some(points) = document["Datapoints"].as_array() {
        let label = document["Label"].as_str()?;
        // What is counted over the period needs the sum.
        let counted = matches!(metric(label), Some(Column::Sum(..)));
        let statistics: &[&str] = if counted { &["Sum"] } else { &["Average", "Maximum", "Minimum"] };
        names.push(label);
        for point in points {
            let asked = statistics.iter().find_map(|statistic| point[*statistic].as_f64());
            // Percentiles: `{"p99": 41.2}`.
            let percentile = || point["ExtendedStatistics"].as_object()?.values().next()?.as_f64();
            let value = asked.or_else(percentile)?;
            rows.entry(point["Timestamp"].as_str()?).or_default().insert(0, value);
        }
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
    let table = of_json(text);
    let text = table.as_deref().unwrap_or(text);
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
        for (column, field) in columns.iter().zip(fields) {
            let Some(value) = number(field.trim().trim_matches('"')) else { continue };
            let Some((of, column)) = column else { continue };
            match (column, period_s) {
                (Column::Mean(printed, factor), _) => builder.push("disk", of, printed, value * factor),
                (Column::Used(printed), _) => builder.push("disk", of, printed, 100.0 - value),
                (Column::Sum(printed, factor), Some(seconds)) => {
                    builder.push("disk", of, printed, value * factor / seconds);
                }
                (Column::Sum(..), None) => {}
            }
        }
    }
    let sums = columns.iter().flatten().any(|(_, column)| matches!(column, Column::Sum(..)));
    let said = match period_s {
        Some(seconds) if sums => format!("sums are taken to be over the {seconds} s between two rows"),
        _ if sums => "one row has no period: its sums were left out".to_owned(),
        _ => "means of a period hide what is shorter".to_owned(),
    };
    builder.gap("period", GapReason::Absent, said);
    builder.done(recorded(name, "cloud metrics", "UTC"))
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
    text.trim_end_matches(" UTC").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_of_cloudwatch_is_the_same_table() {
        let one = r#"{"Label": "BurstBalance", "Datapoints": [
            {"Timestamp": "2024-03-05T10:05:00+00:00", "Average": 12.5, "Unit": "Percent"},
            {"Timestamp": "2024-03-05T10:00:00+00:00", "Average": 38.0, "Unit": "Percent"}]}"#;
        let several = r#"{"MetricDataResults": [
            {"Id": "m1", "Label": "VolumeQueueLength", "Timestamps": ["2024-03-05T10:05:00Z", "2024-03-05T10:00:00Z"], "Values": [41.5, 0.5]},
            {"Id": "m2", "Label": "BurstBalance", "Timestamps": ["2024-03-05T10:00:00Z"], "Values": [38.0]}]}"#;
        let azure = "TimeStamp,Data Disk Latency (Preview) (Avg),OS Disk Used Burst IO Credits Percentage (Avg)\n2024-03-05T10:00:00Z,211.5,90\n";
        let of = |text: &str, metric: &str| -> Vec<f64> {
            assert!(is_cloud(text), "{text}");
            let file = read(text, "x", Options::default()).unwrap();
            let one = file.series.iter().find(|one| one.metric == metric).unwrap();
            one.samples.iter().map(|sample| (sample.value * 1e3).round() / 1e3).collect()
        };
        assert_eq!(of(one, "burst_balance_ratio"), [0.38, 0.125]);
        assert_eq!(of(&one.replace("Average", "Minimum"), "burst_balance_ratio"), [0.38, 0.125]);
        assert_eq!(of(several, "queue_mean"), [0.5, 41.5]);
        assert_eq!(of(several, "burst_balance_ratio"), [0.38]);
        assert_eq!((of(azure, "await_ns"), of(azure, "burst_balance_ratio")), (vec![211.5e6], vec![0.1]));
        let sheet =
            "Time,Data Disk Queue Depth (Avg)\n11/20/2025 10:10:00 AM,31.5\n11/20/2025 10:15:00 AM,41.5\n";
        assert_eq!(of(sheet, "queue_mean"), [31.5, 41.5]);
        assert!(!is_cloud(r#"{"Label": "x"}"#));
    }

    #[test]
    fn sums_become_rates_and_levels_stay() {
        let text = "Timestamp,VolumeReadOps,VolumeWriteOps,VolumeQueueLength,BurstBalance\n2024-03-05T10:05:00Z,30000,870000,41.2,3\n\
                    2024-03-05T10:00:00Z,12000,168000,0.9,44\n2024-03-05T10:10:00Z,28100,871200,44.8,0\n";
        assert!(is_cloud(text));
        let file = read(text, "x", Options::default()).unwrap();
        let of = |metric: &str| -> Vec<f64> {
            let one = file.series.iter().find(|one| one.metric == metric).unwrap();
            one.samples.iter().map(|sample| sample.value).collect()
        };
        assert_eq!(of("write_io_per_s"), [560.0, 2900.0, 2904.0]);
        assert_eq!(of("queue_mean"), [0.9, 41.2, 44.8]);
        assert_eq!(of("burst_balance_ratio"), [0.44, 0.03, 0.0]);
    }
}
