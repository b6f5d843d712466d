//! The redo by the time for which each rate lasted: percentiles, and the hours of the week.

use fullwire_model::demand::{RedoHour, RedoPoint};
use jiff::ToSpan;
use jiff::civil::DateTime;
use std::collections::BTreeMap;

/// The hours of the week of a longer listing tell of another time, and dates may be damaged.
const LONGEST_S: f64 = 20.0 * 366.0 * 86_400.0;

/// For each share the smallest rate that is not exceeded for that share of the time. A rate and how long it lasted, s.
pub(super) fn percentiles<const N: usize>(
    mut lasting: Vec<(f64, f64)>,
    shares: [f64; N],
) -> [Option<f64>; N] {
    lasting.retain(|&(_, seconds)| seconds > 0.0);
    lasting.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = lasting.iter().map(|(_, seconds)| seconds).sum();
    shares.map(|share| {
        let mut sum = 0.0;
        let reached = lasting.iter().find(|(_, seconds)| {
            sum += seconds;
            // Sums of fractions may miss the whole by their noise.
            sum >= share * all * (1.0 - 1e-12)
        });
        reached.map(|(rate, _)| *rate)
    })
}

/// Mean and peak of each hour of the week. What is not reported is not idle: it counts in no hour.
pub(super) fn by_hour(steps: &[RedoPoint]) -> Vec<RedoHour> {
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return Vec::new() };
    if seconds_between(first.at, last.at) > LONGEST_S {
        return Vec::new();
    }
    let mut hours: BTreeMap<(u8, u8), RedoHour> = BTreeMap::new();
    for pair in steps.windows(2).filter(|pair| pair[0].bytes_per_s > 0.0) {
        let (mut from, rate) = (pair[0].at, pair[0].bytes_per_s);
        while from < pair[1].at {
            let to = next_hour(from).map_or(pair[1].at, |next| next.min(pair[1].at));
            let (weekday, hour) = (unsigned(from.weekday().to_monday_one_offset()), unsigned(from.hour()));
            let entry =
                hours.entry((weekday, hour)).or_insert(RedoHour { weekday, hour, ..RedoHour::default() });
            let seconds = seconds_between(from, to);
            // The mean is divided out below.
            entry.mean_bytes_per_s += rate * seconds;
            entry.told_s += seconds;
            entry.peak_bytes_per_s = entry.peak_bytes_per_s.max(rate);
            from = to;
        }
    }
    let mean = |hour: RedoHour| RedoHour { mean_bytes_per_s: hour.mean_bytes_per_s / hour.told_s, ..hour };
    hours.into_values().map(mean).collect()
}

pub(crate) fn seconds_between(from: DateTime, to: DateTime) -> f64 {
    to.duration_since(from).as_secs_f64()
}

fn unsigned(small: i8) -> u8 {
    u8::try_from(small).unwrap_or(0)
}

/// The full hour after a time.
fn next_hour(at: DateTime) -> Option<DateTime> {
    let hour = at.date().to_datetime(jiff::civil::time(at.hour(), 0, 0, 0));
    hour.checked_add(1.hour()).ok()
}
