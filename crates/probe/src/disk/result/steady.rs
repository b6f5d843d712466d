//! Whether a measurement had settled, and how far its repeats differ.
//!
//! The window is that of the SNIA Solid State Storage Performance Test Specification (Enterprise), section 2.1.24:
//! over five rounds, no round's figure differs from another's by more than 20 % of the mean, and a straight line fitted
//! to them does not change by more than 10 % of the mean within the window.

use fullwire_model::disk::DiskInterval;

/// Rounds of the window.
pub const WINDOW: usize = 5;
const MOST_EXCURSION: f64 = 0.2;
const MOST_SLOPE: f64 = 0.1;
/// Fewer I/Os than that in a round are too coarse: one more or less is 5 %.
const LEAST_IOS: usize = 20;

/// The window that ends with the last round is steady; `None`: there are fewer than five rounds.
pub fn is_steady(rounds: &[f64]) -> Option<bool> {
    let window = rounds.len().checked_sub(WINDOW).map(|first| &rounds[first..])?;
    let mean = window.iter().sum::<f64>() / WINDOW as f64;
    let most = window.iter().copied().fold(f64::MIN, f64::max);
    let least = window.iter().copied().fold(f64::MAX, f64::min);
    let change = slope(window).abs() * (WINDOW - 1) as f64;
    Some(most - least <= MOST_EXCURSION * mean && change <= MOST_SLOPE * mean)
}

/// Least squares, per round.
fn slope(rounds: &[f64]) -> f64 {
    let mean_x = (rounds.len() - 1) as f64 / 2.0;
    let mean_y = rounds.iter().sum::<f64>() / rounds.len() as f64;
    let (mut covariance, mut variance) = (0.0, 0.0);
    for (x, y) in rounds.iter().enumerate() {
        covariance += (x as f64 - mean_x) * (y - mean_y);
        variance += (x as f64 - mean_x).powi(2);
    }
    covariance / variance
}

/// A time series in five rounds of equal length, judged as above; a remainder at the start is left out as warm-up.
/// `None`: too few slices, or too few I/Os in them.
pub fn of_intervals(intervals: &[DiskInterval]) -> Option<bool> {
    let length = intervals.len() / WINDOW;
    if length == 0 {
        return None;
    }
    let width_s = intervals.get(1).map_or(0.0, |second| second.t_s - intervals[0].t_s);
    let settled = &intervals[intervals.len() - length * WINDOW..];
    let ios: f64 = settled.iter().map(|interval| interval.iops * width_s).sum();
    if ios < (WINDOW * LEAST_IOS) as f64 {
        return None;
    }
    let rounds: Vec<f64> = settled
        .chunks(length)
        .map(|round| round.iter().map(|interval| interval.iops).sum::<f64>() / length as f64)
        .collect();
    is_steady(&rounds)
}

/// (max - min) / median of repeats; `None` below two.
pub fn noise(repeats: &[f64]) -> Option<f64> {
    let mut sorted = repeats.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (least, most) = (sorted.first()?, sorted.last()?);
    let half = sorted.len() / 2;
    let median =
        if sorted.len() % 2 == 1 { sorted[half] } else { f64::midpoint(sorted[half - 1], sorted[half]) };
    (sorted.len() > 1 && median > 0.0).then(|| (most - least) / median)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_snia_window() {
        assert_eq!(is_steady(&[100.0, 100.0, 100.0, 100.0]), None);
        assert_eq!(is_steady(&[500.0, 100.0, 101.0, 99.0, 100.0, 102.0]), Some(true));
        // An excursion of 21 % without slope.
        assert_eq!(is_steady(&[100.0, 110.5, 89.5, 110.5, 100.0]), Some(false));
        // No excursion, but a slope of 3 % a round: 12 % within the window.
        assert_eq!(is_steady(&[94.0, 97.0, 100.0, 103.0, 106.0]), Some(false));
        assert_eq!(is_steady(&[96.0, 98.0, 100.0, 102.0, 104.0]), Some(true));
    }

    #[test]
    fn noise_is_the_spread_over_the_median() {
        assert_eq!(noise(&[100.0]), None);
        assert!((noise(&[90.0, 100.0, 120.0]).expect("three") - 0.3).abs() < 1e-12);
        assert!((noise(&[90.0, 110.0]).expect("two") - 0.2).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn scale_does_not_matter(rounds in proptest::collection::vec(1.0f64..1e6, 5..10), factor in 0.001f64..1000.0) {
            let scaled: Vec<f64> = rounds.iter().map(|round| round * factor).collect();
            let noise = |rounds: &[f64]| noise(rounds).expect("several");
            prop_assert!((noise(&rounds) - noise(&scaled)).abs() < 1e-6);
        }

        #[test]
        fn any_series_is_survived(rounds in proptest::collection::vec(proptest::num::f64::ANY, 0..12)) {
            let _ = is_steady(&rounds);
            let _ = noise(&rounds);
        }
    }
}
