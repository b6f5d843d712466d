//! Where a series changed: E-divisive (Matteson & James 2014) with a rank test instead of permutations, so that the same
//! series always gives the same answer.

use super::rank::rank_sum_p;
use fullwire_model::median;

/// A place in a series from which on it is another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// Index of the first value after the change.
    pub index: usize,
    /// Median of the segment after it less that of the segment before.
    pub shift: f64,
    /// Probability of such a split by chance, not corrected for having searched.
    pub p: f64,
}

/// A segment has at least this many values: one bad run is no change.
const SHORTEST: usize = 3;
/// A longer series is judged by its newest part: the search is quadratic.
const MOST: usize = 500;

/// The changes of a series, in order. `alpha`: the chance of calling a split of the whole series by luck; `least`: a
/// smaller shift is none.
pub fn change_points(values: &[f64], alpha: f64, least: f64) -> Vec<ChangePoint> {
    let from = values.len().saturating_sub(MOST);
    let mut splits = Vec::new();
    search(&values[from..], 0, alpha, &mut splits);
    splits.sort_unstable();
    merge(&values[from..], splits, alpha, least)
        .into_iter()
        .map(|point| ChangePoint { index: point.index + from, ..point })
        .collect()
}

fn search(values: &[f64], offset: usize, alpha: f64, splits: &mut Vec<usize>) {
    let Some(split) = best_split(values) else { return };
    let (before, after) = values.split_at(split);
    // Of all splits the best was taken: its p is the smallest of many.
    let tried = (values.len() + 1 - 2 * SHORTEST) as f64;
    // The first pass is generous, as in Hunter: a change in the middle hides between two others.
    if rank_sum_p(before, after) * tried.sqrt() > 10.0 * alpha {
        return;
    }
    splits.push(offset + split);
    search(before, offset, alpha, splits);
    search(after, offset + split, alpha, splits);
}

/// The split with the largest energy: distances across, less those within.
fn best_split(values: &[f64]) -> Option<usize> {
    let n = values.len();
    if n < 2 * SHORTEST {
        return None;
    }
    let energy = |split: usize| {
        let (before, after) = values.split_at(split);
        let (k, m) = (before.len() as f64, after.len() as f64);
        k * m / (k + m) * (2.0 * mean_distance(before, after) - within(before) - within(after))
    };
    (SHORTEST..=n - SHORTEST)
        .map(|split| (split, energy(split)))
        .filter(|(_, energy)| *energy > 0.0)
        .max_by(|one, other| one.1.total_cmp(&other.1))
        .map(|(split, _)| split)
}

fn mean_distance(a: &[f64], b: &[f64]) -> f64 {
    let sum: f64 = a.iter().flat_map(|a| b.iter().map(move |b| (a - b).abs())).sum();
    sum / (a.len() * b.len()) as f64
}

fn within(values: &[f64]) -> f64 {
    let n = values.len();
    if n < 2 { 0.0 } else { mean_distance(values, values) * n as f64 / (n - 1) as f64 }
}

/// Drops the weakest split until all hold against their neighbours.
fn merge(values: &[f64], mut splits: Vec<usize>, alpha: f64, least: f64) -> Vec<ChangePoint> {
    loop {
        let points: Vec<ChangePoint> = splits
            .iter()
            .enumerate()
            .filter_map(|(position, &index)| {
                let from = if position == 0 { 0 } else { splits[position - 1] };
                let to = splits.get(position + 1).copied().unwrap_or(values.len());
                let (before, after) = (&values[from..index], &values[index..to]);
                let p = rank_sum_p(before, after) * ((to - from) as f64).sqrt();
                Some(ChangePoint { index, shift: median(after)? - median(before)?, p: p.min(1.0) })
            })
            .collect();
        let fails = |point: &&ChangePoint| point.p > alpha || point.shift.abs() < least;
        let weakest = points.iter().filter(fails).max_by(|one, other| one.p.total_cmp(&other.p));
        let Some(weakest) = weakest.map(|point| point.index) else { return points };
        splits.retain(|split| *split != weakest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noisy(levels: &[(usize, f64)], seed: u64) -> Vec<f64> {
        let mut random = fastrand::Rng::with_seed(seed);
        levels
            .iter()
            .flat_map(|(length, level)| std::iter::repeat_n(*level, *length))
            .map(|level| level + 0.01 * (random.f64() + random.f64() + random.f64() - 1.5))
            .collect()
    }

    #[test]
    fn changes_are_found_where_they_are_and_one_bad_run_is_none() {
        let series = noisy(&[(20, 1.0), (15, 0.9), (15, 1.05)], 1);
        let found: Vec<usize> = change_points(&series, 0.01, 0.02).iter().map(|point| point.index).collect();
        assert_eq!(found, [20, 35]);
        let mut spiked = noisy(&[(40, 1.0)], 2);
        spiked[17] = 0.2;
        assert!(change_points(&spiked, 0.01, 0.02).is_empty());
        assert!(change_points(&[1.0; 5], 0.01, 0.0).is_empty());
    }

    #[test]
    fn series_without_a_change_have_none() {
        let false_ones =
            (0..400).filter(|seed| !change_points(&noisy(&[(40, 1.0)], *seed), 0.01, 0.0).is_empty());
        let share = false_ones.count() as f64 / 400.0;
        assert!(share <= 0.06, "{share}");
    }
}
