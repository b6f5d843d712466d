//! The difference of two long series, of which each value resembles the one before it.

use super::estimate::Interval;
use fullwire_model::median;

/// Resamples of each side.
const RESAMPLES: usize = 2000;
/// Independent values that a side must be worth.
const LEAST_INDEPENDENT: f64 = 10.0;
/// More would leave too few blocks.
const MOST_CORRELATED: f64 = 0.99;

/// The difference of the medians, with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// Second less first.
    pub value: f64,
    /// By circular blocks; `None`: the values are worth too few independent ones.
    pub interval: Option<Interval>,
    /// Independent values that the smaller side is worth.
    pub independent: f64,
}

/// Circular block bootstrap with a fixed seed (Künsch 1989; Politis and Romano 1992), blocks of the length that Carlstein (1986) gives for a
/// first-order autoregression. `alpha` is the error of both tails together.
pub fn shift_of_series(a: &[f64], b: &[f64], alpha: f64, seed: u64) -> Option<Shift> {
    let value = median(b)? - median(a)?;
    let independent = independent(a).min(independent(b));
    if independent < LEAST_INDEPENDENT {
        return Some(Shift { value, interval: None, independent });
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let mut shifts: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| Some(median(&resample(b, &mut random))? - median(&resample(a, &mut random))?))
        .collect();
    shifts.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the list")]
    let at = |share: f64| shifts.get(((shifts.len() - 1) as f64 * share).round() as usize).copied();
    let interval = at(alpha / 2.0).zip(at(1.0 - alpha / 2.0)).map(|(low, high)| Interval { low, high });
    Some(Shift { value, interval, independent })
}

/// Correlation of each value with the one before it.
fn correlation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let square: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let product: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    if square > 0.0 { (product / square).clamp(0.0, MOST_CORRELATED) } else { 0.0 }
}

/// Of a first-order autoregression.
fn independent(values: &[f64]) -> f64 {
    let rho = correlation(values);
    values.len() as f64 * (1.0 - rho) / (1.0 + rho)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive, and less than the list is long"
)]
fn block_length(values: &[f64]) -> usize {
    let rho = correlation(values);
    let length = (values.len() as f64).cbrt() * (2.0 * rho / (1.0 - rho * rho)).powf(2.0 / 3.0);
    (length.ceil() as usize).clamp(1, (values.len() / 3).max(1))
}

fn resample(values: &[f64], random: &mut fastrand::Rng) -> Vec<f64> {
    let length = block_length(values);
    let mut drawn = Vec::with_capacity(values.len() + length);
    while drawn.len() < values.len() {
        let start = random.usize(..values.len());
        drawn.extend((start..start + length).map(|place| values[place % values.len()]));
    }
    drawn.truncate(values.len());
    drawn
}
