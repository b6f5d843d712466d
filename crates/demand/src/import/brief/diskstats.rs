//! Copies of `/proc/diskstats` with a line `TS` and the time before each, as `pt-stalk` of Percona Toolkit keeps them.

use crate::import::builder::{Builder, recorded};
use crate::{ReadError, page};
use fullwire_model::demand::ImportedSeries;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;

/// The counters with the time before them.
pub(in crate::import) fn is_diskstats(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.next().is_some_and(|first| stamp(first).is_some())
        && lines.next().is_some_and(|next| counters(next).is_some())
}

/// The time of a line `TS 1327510177.628000 2012-01-25T10:49:37`, s.
fn stamp(line: &str) -> Option<f64> {
    line.strip_prefix("TS ")?.split_whitespace().next()?.parse().ok()
}

/// A device and its first eleven counters.
fn counters(line: &str) -> Option<(&str, [f64; 11])> {
    let (device, counts) = page::disk_counters(line)?;
    let counts: [u64; 11] = counts.get(..11)?.try_into().ok()?;
    Some((device, counts.map(|count| count as f64)))
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
pub(in crate::import) fn read(text: &str, name: &str) -> Result<ImportedSeries, ReadError> {
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
        return Err(ReadError::at_end(name, text, what));
    }
    Ok(builder.finish(recorded(name, "diskstats", "utc")))
}
