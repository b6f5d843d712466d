//! `sadf -p`: a line for each value, in tabs: host, interval, time, subject, name, value.

use super::builder::{Builder, recorded};
use super::metric;
use super::number;
use crate::ReadError;
use fullwire_model::demand::ImportedSeries;
use jiff::civil::DateTime;

/// True for lines of six fields whose last is a number behind a name.
pub(super) fn is_sadf(text: &str) -> bool {
    let lines: Vec<Option<Line<'_>>> =
        text.lines().take(20).filter(|line| !line.trim().is_empty()).map(line).collect();
    lines.len() > 1
        && lines.iter().all(|line| line.as_ref().is_some_and(|line| line.name != "LINUX-RESTART"))
        && lines.iter().flatten().any(|line| metric::area_of(line.name).is_some())
}

struct Line<'a> {
    host: &'a str,
    at: Option<DateTime>,
    utc: bool,
    subject: &'a str,
    name: &'a str,
    value: f64,
}

fn line(text: &str) -> Option<Line<'_>> {
    let fields: Vec<&str> = text.split('\t').map(str::trim).collect();
    let [host, interval, stamp, subject, name, value] = fields.as_slice() else { return None };
    interval.parse::<i64>().ok()?;
    let (at, utc) = stamp_of(stamp)?;
    Some(Line { host, at: Some(at), utc, subject, name, value: number(value)? })
}

/// Seconds since 1970, or `2026-11-23 00:10:01 UTC`.
fn stamp_of(text: &str) -> Option<(DateTime, bool)> {
    if let Ok(seconds) = text.parse::<i64>() {
        let at = jiff::Timestamp::from_second(seconds).ok()?;
        return Some((at.to_zoned(jiff::tz::TimeZone::UTC).datetime(), true));
    }
    let (date, rest) = text.split_once(' ')?;
    let (time, zone) = rest.split_once(' ').unwrap_or((rest, ""));
    Some((format!("{date}T{time}").parse().ok()?, zone == "UTC"))
}

/// Reads a file.
pub(super) fn read(text: &str, name: &str) -> Result<ImportedSeries, ReadError> {
    let mut builder = Builder::new();
    let mut origin = recorded(name, "sadf", "local");
    let mut open: Option<DateTime> = None;
    for (index, text) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let Some(line) = line(text) else {
            builder.malformed("sadf", index + 1, "not six fields with a number at the end");
            continue;
        };
        let Some(area) = metric::area_of(line.name) else { continue };
        if open != line.at {
            builder.begin(line.at);
            open = line.at;
        }
        if line.utc {
            "UTC".clone_into(&mut origin.clock);
        }
        origin.host.get_or_insert_with(|| line.host.to_owned());
        let subject = match (area, line.subject) {
            ("cpu" | "softnet", subject) => subject.trim_start_matches("cpu"),
            (_, "-") => "",
            (_, subject) => subject,
        };
        builder.push(area, subject, line.name, line.value);
    }
    builder.done(origin)
}
