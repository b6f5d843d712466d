//! Moments of a recording as people write them.

use crate::usage;
use anyhow::Result;
use fullwire_model::quantity;
use fullwire_store::recording::Span;
use jiff::civil::{DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

/// The zone that a recording names: by its name, or its distance from UTC.
pub(crate) fn zone(name: Option<&str>) -> TimeZone {
    let name = name.unwrap_or("UTC");
    TimeZone::get(name).ok().or_else(|| Some(TimeZone::fixed(offset(name)?))).unwrap_or(TimeZone::UTC)
}

/// `+05:30`, `-03`.
fn offset(text: &str) -> Option<Offset> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+')?),
    };
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "0"));
    let seconds = hours.parse::<i32>().ok()? * 3600 + minutes.parse::<i32>().ok()? * 60;
    Offset::from_seconds(sign * seconds).ok()
}

/// A moment as the host's people know it.
pub(crate) fn shown(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S %:z").to_string()
}

/// `14:02`, `14:02:31`, `2026-11-22T14:02`, RFC 3339, or `-10m` before the end.
pub(crate) fn parse(text: &str, whole: Span, zone: &TimeZone) -> Result<Timestamp> {
    parsed(text, whole, zone).map_or_else(
        || {
            usage::wrong(format!(
                "cannot read the time {text}: expected 14:02, 2026-11-22T14:02, RFC 3339, or -10m (before the end)"
            ))
        },
        Ok,
    )
}

fn parsed(text: &str, whole: Span, zone: &TimeZone) -> Option<Timestamp> {
    if let Some(back) = text.strip_prefix('-') {
        let back = i64::try_from(quantity::parse_duration_ns(back).ok()?).ok()?;
        return whole.to.checked_sub(SignedDuration::from_nanos(back)).ok();
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at);
    }
    let of_zone = |civil: DateTime| Some(civil.to_zoned(zone.clone()).ok()?.timestamp());
    if let Ok(civil) = text.replace(' ', "T").parse::<DateTime>() {
        return of_zone(civil);
    }
    // The last such time of day within the recording.
    let time: Time = text.parse().ok()?;
    let last = whole.to.to_zoned(zone.clone()).datetime();
    let on_day = of_zone(DateTime::from_parts(last.date(), time))?;
    if on_day <= whole.to {
        return Some(on_day);
    }
    let before = of_zone(DateTime::from_parts(last.date().yesterday().ok()?, time))?;
    Some(if before >= whole.from { before } else { on_day })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_the_zone_of_the_recording() {
        let whole = Span {
            from: "2026-11-21T20:00:00Z".parse().unwrap(),
            to: "2026-11-22T13:30:00Z".parse().unwrap(),
        };
        let zone = zone(Some("+01:00"));
        let read = |text: &str| parse(text, whole, &zone).map(|at| at.to_string());
        assert_eq!(read("14:02").unwrap(), "2026-11-22T13:02:00Z");
        // That time of day came last on the day before.
        assert_eq!(read("23:15:30").unwrap(), "2026-11-21T22:15:30Z");
        assert_eq!(read("2026-11-22 08:00").unwrap(), "2026-11-22T07:00:00Z");
        assert_eq!(read("2026-11-22T08:00:00Z").unwrap(), "2026-11-22T08:00:00Z");
        assert_eq!(read("-10m").unwrap(), "2026-11-22T13:20:00Z");
        for wrong in ["", "noon", "25:00", "-", "-x", "2026-13-01T00:00"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
