//! `pt-diskstats` of Percona Toolkit: a line for each device and interval (its manual, OUTPUT); and what it reads, copies of
//! `/proc/diskstats` with a line `TS` and the time before each, as `pt-stalk` keeps them.

use crate::ReadError;
use crate::import::builder::{Builder, recorded};
use crate::import::{clean, number, words};
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;

/// Its columns, and those of iostat that mean the same; times are in milliseconds, sizes in KiB.
const COLUMNS: [(&str, &str); 10] = [
    ("rd_s", "r/s"),
    ("rd_avkb", "rareq-sz"),
    ("rd_mb_s", "rMB/s"),
    ("rd_rt", "r_await"),
    ("wr_s", "w/s"),
    ("wr_avkb", "wareq-sz"),
    ("wr_mb_s", "wMB/s"),
    ("wr_rt", "w_await"),
    ("busy", "%util"),
    ("in_prg", "aqu-sz"),
];

/// True for its heading, and for copies of the counters.
pub(in crate::import) fn is_diskstats(text: &str) -> bool {
    text.lines().take(200).any(|line| heading(line).is_some()) || is_copied(text)
}

/// The counters with the time before them.
fn is_copied(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.next().is_some_and(|first| stamp(first).is_some())
        && lines.next().is_some_and(|next| counters(next).is_some())
}

/// The time of a line `TS 1327510177.628000 2012-01-25T10:49:37`, s.
fn stamp(line: &str) -> Option<f64> {
    line.strip_prefix("TS ")?.split_whitespace().next()?.parse().ok()
}

/// A device and its first eleven counters (Linux Documentation/admin-guide/iostats.rst).
fn counters(line: &str) -> Option<(&str, [f64; 11])> {
    let mut words = line.split_whitespace();
    let (_, _, device) =
        (words.next()?.parse::<u32>().ok()?, words.next()?.parse::<u32>().ok()?, words.next()?);
    let mut found = [0.0; 11];
    for counter in &mut found {
        *counter = words.next()?.parse::<u64>().ok()? as f64;
    }
    Some((device, found))
}

/// What iostat would have printed between two copies.
fn rates(from: &[f64; 11], to: &[f64; 11], seconds: f64) -> Option<[(&'static str, f64); 8]> {
    let mut grown = [0.0; 11];
    for (index, one) in grown.iter_mut().enumerate() {
        *one = to[index] - from[index];
        // A counter of 32 bits began anew; the eighth is a level.
        if *one < 0.0 && index != 8 {
            return None;
        }
    }
    let [reads, _, read_sectors, read_ms, writes, _, written_sectors, write_ms, _, busy_ms, queue_ms] = grown;
    let mean = |ms: f64, requests: f64| if requests > 0.0 { ms / requests } else { 0.0 };
    (reads + writes > 0.0).then(|| {
        [
            ("r/s", reads / seconds),
            ("w/s", writes / seconds),
            ("rkB/s", read_sectors / 2.0 / seconds),
            ("wkB/s", written_sectors / 2.0 / seconds),
            ("r_await", mean(read_ms, reads)),
            ("w_await", mean(write_ms, writes)),
            ("aqu-sz", queue_ms / 1e3 / seconds),
            ("%util", (busy_ms / 10.0 / seconds).min(100.0)),
        ]
    })
}

/// Copies of the counters, one after the other.
fn copied(text: &str, name: &str) -> Result<ImportedSeries, ReadError> {
    let mut builder = Builder::new();
    let mut last: BTreeMap<&str, (f64, [f64; 11])> = BTreeMap::new();
    let mut now = 0.0;
    for line in text.lines() {
        if let Some(time) = stamp(line) {
            now = time;
            let since = SignedDuration::try_from_secs_f64(time).ok();
            let at = since.and_then(|since| Timestamp::from_duration(since).ok());
            builder.begin(at.map(|at| at.to_zoned(TimeZone::UTC).datetime()));
        } else if let Some((device, to)) = counters(line) {
            let before = last.insert(device, (now, to));
            let grown = before.filter(|(at, _)| now > *at).and_then(|(at, from)| rates(&from, &to, now - at));
            for (printed, value) in grown.into_iter().flatten() {
                builder.push("disk", device, printed, value);
            }
        }
    }
    if builder.is_empty() {
        let what = "one copy of /proc/diskstats, or copies between which nothing was read or written: two with I/O between them are rates";
        return Err(ReadError::new(name, text.lines().count().max(1), what));
    }
    Ok(builder.finish(recorded(name, "diskstats", "utc")))
}

fn heading(line: &str) -> Option<Vec<&str>> {
    let words = words(line);
    let own = words.contains(&"device") && words.contains(&"rd_avkb") && words.contains(&"wr_rt");
    own.then_some(words)
}

/// Reads every interval: a device that comes again begins the next one.
pub(in crate::import) fn read(text: &str, name: &str) -> Result<ImportedSeries, ReadError> {
    if is_copied(text) {
        return copied(text, name);
    }
    let mut builder = Builder::new();
    let mut columns: Vec<String> = Vec::new();
    let mut listed: Vec<String> = Vec::new();
    let mut stamp = String::new();
    for (index, line) in text.lines().enumerate() {
        let line = clean(line);
        if let Some(found) = heading(&line) {
            columns = found.iter().map(|&word| word.to_owned()).collect();
            continue;
        }
        let cells = words(&line);
        if columns.is_empty() || cells.is_empty() {
            continue;
        }
        if cells.len() != columns.len() {
            builder.malformed(
                "pt-diskstats",
                index + 1,
                "the line and its heading differ in the number of columns",
            );
            continue;
        }
        let of = |column: &str| columns.iter().position(|one| one == column).map(|place| cells[place]);
        let Some(device) = of("device") else { continue };
        // `{8}`: as many added up, of which the busy time is the mean.
        let added = device.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let named = added.filter(|count| *count != "1").map(|count| format!("{count} devices together"));
        let is_mean = named.is_some();
        let device = named.as_deref().unwrap_or(device);
        let at = of("#ts").unwrap_or("").to_owned();
        if listed.is_empty() || at != stamp || listed.iter().any(|one| one == device) {
            builder.begin(None);
            listed.clear();
            stamp = at;
        }
        listed.push(device.to_owned());
        for (own, printed) in COLUMNS.into_iter().filter(|(own, _)| !(is_mean && *own == "busy")) {
            let value = of(own).and_then(|cell| number(cell.trim_end_matches('%')));
            if let Some(value) = value {
                builder.push("disk", device, printed, value);
            }
        }
    }
    if builder.is_empty() {
        return Err(ReadError::new(
            name,
            text.lines().count().max(1),
            "pt-diskstats' heading without figures",
        ));
    }
    builder.gap(
        "times",
        GapReason::Absent,
        "pt-diskstats prints seconds since its start: the samples have no times",
    );
    Ok(builder.finish(recorded(name, "pt-diskstats", "local")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_the_counters_are_what_iostat_prints() {
        let text = "TS 1700000000.0 2023-11-14T22:13:20\n   8 16 sdb 100 0 800 1000 200 0 1600 400 0 900 1400 0 0 0 0\n\
                    TS 1700000002.0 2023-11-14T22:13:22\n   8 16 sdb 300 0 4000 9000 400 0 4800 800 7 2900 9800 0 0 0 0\n";
        let file = read(text, "x").unwrap();
        let of = |metric: &str| {
            let one = file.series.iter().find(|one| one.subject == "sdb" && one.metric == metric).unwrap();
            one.samples.iter().map(|sample| sample.value).collect::<Vec<_>>()
        };
        assert_eq!(of("read_io_per_s"), [100.0]);
        assert_eq!(of("read_await_ns"), [40e6]);
        assert_eq!(of("util_ratio"), [1.0]);
        assert_eq!(of("queue_mean"), [4.2]);
        let one = text.lines().take(2).collect::<Vec<_>>().join("\n");
        assert!(read(&one, "x").unwrap_err().what.contains("one copy"));
    }

    #[test]
    fn each_device_has_its_intervals() {
        let text = "  #ts device    rd_s rd_avkb rd_mb_s rd_mrg rd_cnc   rd_rt    wr_s wr_avkb wr_mb_s wr_mrg wr_cnc   wr_rt busy in_prg    io_s  qtime stime\n\
            \x20 1.0 sda        0.0     0.0     0.0     0%    0.0     0.0    12.0    10.7     0.1    33%    0.0     1.2   1%      0    12.0    0.8   0.4\n\
            \x20 1.0 sdb      402.0    16.0     6.3     0%   24.1    60.0   388.0    15.9     6.0     0%   29.0    74.8 100%     51   790.0   66.1   1.3\n\
            \x20 2.0 sdb      398.0    16.0     6.2     0%   25.0    62.8   391.0    15.9     6.1     0%   30.2    77.2 100%     57   789.0   68.7   1.3\n";
        let file = read(text, "x").unwrap();
        let of = |metric: &str| -> Vec<f64> {
            let one = file.series.iter().find(|one| one.subject == "sdb" && one.metric == metric).unwrap();
            one.samples.iter().map(|sample| sample.value).collect()
        };
        assert_eq!(of("write_await_ns"), [74.8e6, 77.2e6]);
        assert_eq!(of("util_ratio"), [1.0, 1.0]);
        assert_eq!(of("read_io_per_s"), [402.0, 398.0]);
    }
}
