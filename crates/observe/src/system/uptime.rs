//! How long the host has been up, and its load averages: from `/proc`, or from what `uptime` said in a sosreport, which
//! has no copy of either file.

use crate::Root;

/// Where sosreports keep what `uptime` said: since 3.0, and before.
const SAID: [&str; 2] = ["/sos_commands/host/uptime", "/uptime"];

/// Nanoseconds since the host started: `/proc/uptime` to 10 ms, `uptime` to the minute.
pub(crate) fn uptime_ns(root: &Root) -> Option<u64> {
    let exact = root.attribute("/proc/uptime").and_then(|text| seconds_ns(&text));
    exact.or_else(|| Some(up_minutes(&said(root)?)? * 60_000_000_000))
}

/// The load averages that `uptime` showed, where `/proc/loadavg` was not kept.
pub(super) fn load_said(root: &Root) -> Option<[f64; 3]> {
    load(&said(root)?)
}

fn said(root: &Root) -> Option<String> {
    if root.is_live() {
        return None;
    }
    SAID.iter().find_map(|path| root.attribute(path).filter(|text| text.contains(" up ")))
}

/// The first number of `/proc/uptime`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
fn seconds_ns(text: &str) -> Option<u64> {
    let seconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    (0.0..1e9).contains(&seconds).then_some((seconds * 1e9) as u64)
}

/// `up 17:41,`, `up 3 days,  1:05,`, `up 1 day, 3 min,` (procps, `sprint_uptime`).
fn up_minutes(text: &str) -> Option<u64> {
    /// A thousand years.
    const MOST_DAYS: u64 = 365_000;
    let (_, after) = text.split_once(" up ")?;
    let mut minutes = None;
    for part in after.split(',').map(str::trim) {
        let more = match part.split_once(' ') {
            Some((days, "day" | "days")) => days.parse::<u64>().ok().filter(|days| *days < MOST_DAYS)? * 1440,
            Some((some, "min")) => some.parse::<u64>().ok().filter(|some| *some < 60)?,
            None => {
                let (hours, rest) = part.split_once(':')?;
                let (hours, rest) = (hours.parse::<u64>().ok()?, rest.parse::<u64>().ok()?);
                (hours < 24 && rest < 60).then(|| hours * 60 + rest)?
            }
            // The users follow.
            _ => break,
        };
        minutes = Some(minutes.unwrap_or(0) + more);
    }
    minutes
}

/// `load average: 3.58, 3.27, 2.58`; a comma may be the decimal point as well.
fn load(text: &str) -> Option<[f64; 3]> {
    let (_, after) = text.rsplit_once("load average: ")?;
    let mut loads = after.trim().split(", ").map(|load| {
        let load: f64 = load.replace(',', ".").parse().ok()?;
        (load.is_finite() && load >= 0.0).then_some(load)
    });
    Some([loads.next()??, loads.next()??, loads.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_uptime_says_is_understood() {
        for (text, minutes) in [
            (" 16:19:19 up 17:41,  2 users,  load average: 3.58, 3.27, 2.58", Some(17 * 60 + 41)),
            (" 10:02:11 up 3 days,  1:05,  1 user,  load average: 0.00, 0.01, 0.05", Some(3 * 1440 + 65)),
            (" 10:02:11 up 1 day, 3 min,  0 users,  load average: 0,10, 0,20, 0,30", Some(1443)),
            (" 10:02:11 up 45 min,  load average: 0.10, 0.20, 0.30", Some(45)),
            (" 10:02:11 up 99999999999999999999 days, 1:05", None),
            (" 10:02:11 up 25:61, 1 user", None),
            ("nothing", None),
        ] {
            assert_eq!(up_minutes(text), minutes, "{text}");
        }
        assert_eq!(load("x load average: 3.58, 3.27, 2.58\n"), Some([3.58, 3.27, 2.58]));
        assert_eq!(load("x load average: 0,10, 0,20, 0,30"), Some([0.1, 0.2, 0.3]));
        assert_eq!(load("load average: 1, NaN, 2"), None);
        assert_eq!(seconds_ns("12.50 3.1\n"), Some(12_500_000_000));
        assert_eq!(seconds_ns("NaN"), None);
    }
}
