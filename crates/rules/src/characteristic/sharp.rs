//! Whether a rate is held by a limit that someone set: completions at the ticks of a clock, not as a device gets to them.

use fullwire_model::disk::DiskStepResult;

/// Fewer I/Os tell nothing of their distances.
const FEWEST: u64 = 50;
/// Length of the windows that are looked at, s.
const WINDOW_S: f64 = 0.3;
/// How far the count of a window may lie from a straight line, I/Os, next to a share of it: a device with four servers
/// and exponential times scatters by 9 I/Os of 90.
const APART_IOS: f64 = 2.0;
/// The share.
const APART_SHARE: f64 = 0.03;
/// At a higher rate a device whose times are exponential is as even: of about 1,000 I/Os in a window one standard deviation,
/// which one of ten windows exceeds nearly always, is 3 % of them.
pub(crate) const MOST_IO_PER_S: f64 = 3_200.0;

/// The completions of a step lie on a straight line; `None`: too few or too many to tell.
pub(crate) fn is_sharp(step: &DiskStepResult) -> Option<bool> {
    unevenness(step).map(|most| most <= 1.0)
}

/// How far the count of any window lies from a straight line, as a share of what a clock's may; `None`: too few or too many to
/// tell.
pub(crate) fn unevenness(step: &DiskStepResult) -> Option<f64> {
    let (mut ends_s, mut counts, mut since) = (vec![0.0], vec![0.0], 0.0);
    // What comes after the time was in flight when it ended.
    for slice in step.intervals.iter().filter(|slice| slice.t_s <= step.duration_s + 1e-9) {
        counts.push(counts.last().copied().unwrap_or(0.0) + slice.iops * (slice.t_s - since));
        ends_s.push(slice.t_s);
        since = slice.t_s;
    }
    if step.ios < FEWEST || since < 2.0 * WINDOW_S || step.iops > MOST_IO_PER_S {
        return None;
    }
    // The first slice fills the queue.
    let (first_s, first) = (ends_s[1], counts[1]);
    let rate = (counts.last()? - first) / (since - first_s);
    let off = |from: usize, to: usize| {
        let due = rate * (ends_s[to] - ends_s[from]);
        (counts[to] - counts[from] - due).abs() / (APART_IOS + APART_SHARE * due)
    };
    let windows = (1..ends_s.len()).filter_map(|from| {
        let to = (from..ends_s.len()).find(|to| ends_s[*to] - ends_s[from] >= WINDOW_S - 1e-9)?;
        Some(off(from, to))
    });
    windows.reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_times_are_told_from_a_clock_up_to_the_highest_rate() {
        let due = MOST_IO_PER_S * WINDOW_S;
        assert!(due.sqrt() >= APART_IOS + APART_SHARE * due);
        assert!((1.1 * due).sqrt() < APART_IOS + APART_SHARE * 1.1 * due);
    }
}
