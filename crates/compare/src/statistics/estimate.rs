//! How large is the difference, and how sure is that: Hodges-Lehmann with its exact interval.

use super::rank::{MOST_EXACT, rank_sum_cut, rank_sum_p, signed_rank_cut, signed_rank_p};
use fullwire_model::median;

/// Two ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower one.
    pub low: f64,
    /// The upper one.
    pub high: f64,
}

impl Interval {
    /// Zero is outside.
    pub fn excludes_zero(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// All of it lies closer to zero than this.
    pub fn within(self, limit: f64) -> bool {
        self.low > -limit && self.high < limit
    }
}

/// A difference: second less first.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Hodges-Lehmann estimate.
    pub shift: f64,
    /// Two-sided probability of such a difference by chance.
    pub p: f64,
    /// All averages or differences, ascending: where intervals end.
    sorted: Vec<f64>,
    ends: Ends,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Ends {
    Pairs(usize),
    Groups(usize, usize),
}

impl Estimate {
    /// The interval that holds the true difference with at least this confidence; `None`: so few observations allow none.
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        let alpha = 1.0 - confidence;
        let cut = match self.ends {
            Ends::Pairs(pairs) => signed_rank_cut(pairs, alpha),
            Ends::Groups(a, b) => rank_sum_cut(a, b, alpha),
        };
        let low = *self.sorted.get(cut.checked_sub(1)?)?;
        let high = *self.sorted.get(self.sorted.len().checked_sub(cut)?)?;
        (low <= high).then_some(Interval { low, high })
    }
}

/// Of pairs: differences second less first. `None` without any.
pub fn pairs(differences: &[f64]) -> Option<Estimate> {
    let mut averages = Vec::with_capacity(differences.len() * (differences.len() + 1) / 2);
    for (index, first) in differences.iter().enumerate() {
        averages.extend(differences[index..].iter().map(|second| f64::midpoint(*first, *second)));
    }
    averages.sort_by(f64::total_cmp);
    let shift = median(&averages)?;
    Some(Estimate {
        shift,
        p: signed_rank_p(differences),
        sorted: averages,
        ends: Ends::Pairs(differences.len()),
    })
}

/// Of two groups. `None` when one is empty.
pub fn groups(a: &[f64], b: &[f64]) -> Option<Estimate> {
    let mut differences: Vec<f64> = a.iter().flat_map(|a| b.iter().map(move |b| b - a)).collect();
    differences.sort_by(f64::total_cmp);
    let shift = median(&differences)?;
    Some(Estimate { shift, p: rank_sum_p(a, b), sorted: differences, ends: Ends::Groups(a.len(), b.len()) })
}

/// The median and the order statistics around it that hold the true one with at least 95 %; no interval below six values.
pub fn median_interval(values: &[f64]) -> Option<(f64, Option<Interval>)> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = median(&sorted)?;
    // P(fewer than k of n are below the median), by the binomial distribution with one half.
    let n = sorted.len();
    if n > 4 * MOST_EXACT {
        return Some((middle, None));
    }
    let mut probability = 0.5f64.powi(i32::try_from(n).unwrap_or(i32::MAX));
    let (mut below, mut cut) = (0.0, 0usize);
    for k in 0..n / 2 {
        below += probability;
        if below > 0.025 {
            break;
        }
        cut = k + 1;
        probability *= (n - k) as f64 / (k + 1) as f64;
    }
    let interval = (cut > 0).then(|| Interval { low: sorted[cut - 1], high: sorted[n - cut] });
    Some((middle, interval))
}

#[cfg(test)]
#[expect(clippy::approx_constant, reason = "3.14 is a patient's score")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_worked_example_of_pairs() {
        // Hollander & Wolfe, Nonparametric Statistical Methods, example 3.1 (Hamilton depression scale): estimate -0.46,
        // P(T+ <= 5) = 0.020 one-sided, 96 % interval (-0.786, -0.010).
        let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let differences: Vec<f64> = after.iter().zip(before).map(|(after, before)| after - before).collect();
        let estimate = pairs(&differences).unwrap();
        assert!((estimate.shift + 0.46).abs() < 1e-9, "{}", estimate.shift);
        assert!((estimate.p - 0.0391).abs() < 1e-4, "{}", estimate.p);
        let interval = estimate.interval(0.95).unwrap();
        assert!((interval.low + 0.786).abs() < 1e-9 && (interval.high + 0.010).abs() < 1e-9, "{interval:?}");
    }

    #[test]
    fn too_few_allow_no_interval() {
        assert_eq!(pairs(&[0.1; 5]).unwrap().interval(0.95), None);
        assert!(pairs(&[0.1; 6]).unwrap().interval(0.95).is_some());
        assert_eq!(groups(&[1.0; 3], &[2.0; 3]).unwrap().interval(0.95), None);
        assert!(groups(&[1.0; 4], &[2.0; 4]).unwrap().interval(0.95).is_some());
        assert_eq!(median_interval(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap(), (3.0, None));
        let (middle, interval) = median_interval(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert_eq!((middle, interval), (3.5, Some(Interval { low: 1.0, high: 6.0 })));
        assert!(pairs(&[]).is_none() && groups(&[], &[1.0]).is_none() && median_interval(&[]).is_none());
    }

    proptest! {
        #[test]
        fn swapping_the_sides_mirrors_the_answer_and_order_does_not_matter(
            a in proptest::collection::vec(-1e3f64..1e3, 4..9),
            b in proptest::collection::vec(-1e3f64..1e3, 4..9),
        ) {
            let (there, back) = (groups(&a, &b).unwrap(), groups(&b, &a).unwrap());
            prop_assert!((there.shift + back.shift).abs() < 1e-9);
            prop_assert!((there.p - back.p).abs() < 1e-9);
            let (one, other) = (there.interval(0.95).unwrap(), back.interval(0.95).unwrap());
            prop_assert!((one.low + other.high).abs() < 1e-9 && (one.high + other.low).abs() < 1e-9);
            prop_assert!(one.low <= there.shift && there.shift <= one.high);
            let reversed: Vec<f64> = a.iter().rev().copied().collect();
            prop_assert!((groups(&reversed, &b).unwrap().shift - there.shift).abs() < 1e-9);
            // What the interval excludes, the test rejects, and the other way round (there are no ties here).
            prop_assert_eq!(one.excludes_zero(), there.p <= 0.05);
        }

        #[test]
        fn a_scaled_set_of_pairs_has_a_scaled_answer(
            values in proptest::collection::vec(-10f64..10.0, 6..12), factor in 0.1f64..10.0,
        ) {
            let scaled: Vec<f64> = values.iter().map(|value| value * factor).collect();
            let (one, other) = (pairs(&values).unwrap(), pairs(&scaled).unwrap());
            prop_assert!((one.shift * factor - other.shift).abs() < 1e-9);
            prop_assert!((one.p - other.p).abs() < 1e-9);
            prop_assert_eq!(one.interval(0.95).unwrap().excludes_zero(), one.p <= 0.05);
        }
    }
}
