//! The host's clock when it was captured: it turns the time of day of a log line into seconds since boot.
//!
//! `dmesg -T` and the system log have the time of day alone. What `date` said and how long the host had been up by then
//! date them. All are the host's local time, so no zone is needed; across a change to or from summer time a line is an
//! hour off. A copy of `/proc` without that tells when it was taken as well, in UTC: `btime` of `/proc/stat` and the
//! uptime. Then a line needs a stamp with its zone.

use crate::Root;

/// Where captured trees have what `date` said.
const DATES: [&str; 3] = ["/sos_commands/date/date", "/sos_commands/general/date", "/date"];
const TIMEDATECTL: &str = "/sos_commands/systemd/timedatectl";

const STAT: &str = "/proc/stat";

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAY_S: i64 = 86_400;
/// `date` and the log are read within the minutes of one capture.
const CAPTURE_S: f64 = 3600.0;
/// `uptime` tells minutes.
const ROUNDING_S: f64 = 60.0;

/// When the host was captured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Clock {
    /// Its local time, as seconds since 1970 of a clock that knows no zones.
    local_s: i64,
    /// How long it had been up.
    uptime_s: f64,
    /// It is the time of UTC: the host's zone is not known.
    is_utc: bool,
}

impl Clock {
    /// The clock of a captured tree that says both the time of day and the time since boot.
    #[expect(clippy::cast_precision_loss, reason = "an uptime in nanoseconds, of which seconds count")]
    pub(super) fn of(root: &Root) -> Option<Self> {
        let uptime_s = crate::system::uptime_ns(root)? as f64 / 1e9;
        let mut dates = DATES.iter().filter_map(|path| date(&root.attribute(path)?, None));
        let local_s = dates.next().or_else(|| date(&local_time(&root.attribute(TIMEDATECTL)?)?, None));
        if let Some(local_s) = local_s {
            return Some(Self { local_s, uptime_s, is_utc: false });
        }
        let booted_s = boot_time(&root.try_read(STAT, crate::MAX_READ_BYTES).ok()?.0)?;
        Some(Self { local_s: booted_s.checked_add(whole(uptime_s))?, uptime_s, is_utc: true })
    }

    /// Seconds since boot of a line with this stamp; `None`: it has none, or is older than this boot.
    #[expect(clippy::cast_precision_loss, reason = "within centuries")]
    pub(super) fn since_boot(&self, stamp: &str) -> Option<f64> {
        let zone_s = if self.is_utc { zone(stamp)? } else { 0 };
        let age_s = (self.local_s - date(stamp, Some(self.local_s))? + zone_s) as f64;
        let seconds = self.uptime_s - age_s;
        // A log that goes on while it is captured is no trouble of later.
        let last = (self.uptime_s - 1.0).max(0.0);
        (age_s > -CAPTURE_S && seconds > -ROUNDING_S).then(|| seconds.clamp(0.0, last))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "an uptime in seconds")]
fn whole(seconds: f64) -> i64 {
    seconds as i64
}

/// When the host was booted, seconds since 1970 (proc(5), `btime`).
fn boot_time(stat: &str) -> Option<i64> {
    stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}

/// How far the zone of an ISO 8601 stamp is ahead of UTC, seconds: `2026-11-03T14:22:30.123456+01:00`, or `Z`.
fn zone(stamp: &str) -> Option<i64> {
    let (_, time) = stamp.split_whitespace().next()?.split_once('T')?;
    if time.ends_with('Z') {
        return Some(0);
    }
    let place = time.rfind(['+', '-'])?;
    let digits: String = time.get(place + 1..)?.chars().filter(|digit| *digit != ':').collect();
    let number: i64 = digits.parse().ok().filter(|_| digits.len() == 4)?;
    let seconds = (number / 100) * 3600 + (number % 100) * 60;
    Some(if time[place..].starts_with('-') { -seconds } else { seconds })
}

/// `Local time: Tue 2026-11-03 14:22:30 UTC` of timedatectl.
fn local_time(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("Local time:")?;
    let mut words = rest.lines().next()?.split_whitespace().skip(1);
    Some(format!("{}T{}", words.next()?, words.next()?))
}

/// Seconds since 1970 of a date in words (`Tue Nov  3 14:22:30 UTC 2026`, `Nov  3 14:22:30 db1`) or in ISO 8601
/// (`2026-11-03T14:22:30,123456+01:00`), whatever its zone. A date without a year is the last one before `now`.
fn date(text: &str, now: Option<i64>) -> Option<i64> {
    let words: Vec<&str> = text.split_whitespace().take(8).collect();
    if let Some((day, time)) = words.first()?.split_once('T').filter(|(day, _)| day.contains('-')) {
        let mut parts = day.split('-').map(str::parse::<i64>);
        let (year, month, day) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
        return at(year, month, day, time.get(..8)?);
    }
    let place = words.iter().position(|word| MONTHS.contains(word)).filter(|place| *place < 2)?;
    let month = 1 + i64::try_from(MONTHS.iter().position(|month| *month == words[place])?).ok()?;
    let day = words.get(place + 1)?.parse().ok()?;
    let time = *words.get(place + 2)?;
    let rest = &words[place + 3..];
    // `02:22:30 PM UTC 2026` of some languages.
    let half = match rest.first() {
        Some(&"PM") if !time.starts_with("12") => DAY_S / 2,
        Some(&"AM") if time.starts_with("12") => -DAY_S / 2,
        _ => 0,
    };
    let is_year = |word: &&str| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let year = rest.iter().take(3).find(|word| is_year(word)).and_then(|word| word.parse().ok());
    match (year, now) {
        (Some(year), _) => Some(at(year, month, day, time)? + half),
        (None, Some(now)) => {
            let this = 1970 + now.div_euclid(DAY_S) * 400 / 146_097;
            let years = [this + 1, this, this - 1];
            years.into_iter().filter_map(|year| at(year, month, day, time)).find(|at| *at < now + DAY_S)
        }
        (None, None) => None,
    }
}

/// A day of the Gregorian calendar and a time of day `14:22:30`.
fn at(year: i64, month: i64, day: i64, time: &str) -> Option<i64> {
    let mut parts = time.split(':').map(str::parse::<i64>);
    let (hour, minute, second) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    let is_known = (1970..10_000).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..61).contains(&second);
    is_known.then(|| days(year, month, day) * DAY_S + hour * 3600 + minute * 60 + second)
}

/// Days since 1 January 1970. Source: H. Hinnant, chrono-Compatible Low-Level Date Algorithms, `days_from_civil`.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tue Nov 3 14:22:30 2026, two days after the boot.
    const CLOCK: Clock = Clock { local_s: 1_793_715_750, uptime_s: 172_800.0, is_utc: false };

    #[test]
    fn dates_in_each_form() {
        for text in [
            "Tue Nov  3 14:22:30 UTC 2026",
            "Tue Nov  3 02:22:30 PM CET 2026",
            "Tue Nov  3 14:22:30 2026",
            "2026-11-03T14:22:30,123456+01:00",
            &local_time("      Local time: Tue 2026-11-03 14:22:30 UTC\n  Universal time: x")
                .expect("a time"),
        ] {
            assert_eq!(date(text, None), Some(CLOCK.local_s), "{text}");
        }
        assert_eq!(date("Mon Jan  1 00:00:00 UTC 1970", None), Some(0));
        assert_eq!(date("Thu Feb 29 12:00:00 UTC 2024", None), Some(1_709_208_000));
        for text in [
            "",
            "Nov  3 14:22:30 db1",
            "Tue Nov  3 25:22:30 UTC 2026",
            "99999-01-01T00:00:00",
            "2026-11-03T1é:00:00",
        ] {
            assert_eq!(date(text, None), None, "{text}");
        }
    }

    #[test]
    fn the_boot_and_the_uptime_date_stamps_with_a_zone() {
        let clock = Clock { is_utc: true, ..CLOCK };
        for stamp in [
            "2026-11-03T13:22:30.123456+00:00 db1",
            "2026-11-03T14:22:30+01:00 db1",
            "2026-11-03T08:22:30-0500 db1",
            "2026-11-03T13:22:30Z",
        ] {
            assert_eq!(clock.since_boot(stamp), Some(169_200.0), "{stamp}");
        }
        for stamp in ["Nov  3 13:22:30 db1", "2026-11-03T13:22:30 db1", "Tue Nov  3 13:22:30 2026"] {
            assert_eq!(clock.since_boot(stamp), None, "{stamp}");
        }
        assert_eq!(boot_time("cpu 1 2\nbtime 1793542950\nprocesses 9\n"), Some(1_793_542_950));
    }

    #[test]
    fn the_time_of_day_dates_a_line() {
        let since = |stamp: &str| CLOCK.since_boot(stamp);
        assert_eq!(since("Tue Nov  3 13:22:30 2026"), Some(169_200.0));
        assert_eq!(since("Nov  3 13:22:30 db1"), Some(169_200.0));
        assert_eq!(since("2026-11-03T13:22:30.123456+01:00 db1"), Some(169_200.0));
        // Written while the tree was captured.
        assert_eq!(since("Tue Nov  3 14:22:33 2026"), Some(172_799.0));
        // Of the boot before, of another year, of another clock.
        for stamp in ["Nov  1 14:00:00 db1", "Dec 24 14:00:00 db1", "Wed Nov  4 14:00:00 2026", "x"] {
            assert_eq!(since(stamp), None, "{stamp}");
        }
    }
}
