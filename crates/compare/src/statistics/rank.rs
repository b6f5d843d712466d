//! Exact distributions of rank statistics, with ties, and the ranks at which intervals end.

/// More observations than this are compared by the normal approximation: the exact count takes cubic time, and by then
/// the two agree to three digits.
pub(super) const MOST_EXACT: usize = 60;

/// Probability, under no change, of a signed-rank sum as far from its middle as this one: Wilcoxon's test on
/// differences, both sides. Zeros carry no sign and are dropped; ties get their mean rank and the exact distribution of
/// the ranks as they are. 1 when nothing is left.
pub fn signed_rank_p(differences: &[f64]) -> f64 {
    let moved: Vec<f64> = differences.iter().copied().filter(|value| *value != 0.0).collect();
    let magnitudes: Vec<f64> = moved.iter().map(|value| value.abs()).collect();
    let ranks = doubled_ranks(&magnitudes);
    let total: usize = ranks.iter().sum();
    let positive: usize =
        ranks.iter().zip(&moved).filter(|(_, value)| **value > 0.0).map(|(rank, _)| rank).sum();
    if moved.is_empty() {
        return 1.0;
    }
    let smaller = positive.min(total - positive);
    if moved.len() > MOST_EXACT {
        let squares: f64 = ranks.iter().map(|rank| (*rank as f64).powi(2)).sum();
        return two_sided_normal(smaller as f64 - total as f64 / 2.0, (squares / 4.0).sqrt(), 1.0);
    }
    let mut counts = vec![0.0; total + 1];
    counts[0] = 1.0;
    for &rank in &ranks {
        for sum in (rank..=total).rev() {
            counts[sum] += counts[sum - rank];
        }
    }
    let below: f64 = counts[..=smaller].iter().sum();
    (2.0 * below / 2f64.powi(i32::try_from(moved.len()).unwrap_or(i32::MAX))).min(1.0)
}

/// Probability, under no change, of a rank sum as far from its middle as this one: the test of Mann, Whitney and
/// Wilcoxon on two groups, both sides, exact with ties. 1 when a group is empty or all are equal.
pub fn rank_sum_p(a: &[f64], b: &[f64]) -> f64 {
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let ranks = doubled_ranks(&all);
    if a.is_empty() || b.is_empty() || ranks.iter().all(|rank| *rank == ranks[0]) {
        return 1.0;
    }
    let total: usize = ranks.iter().sum();
    let own: usize = ranks[..a.len()].iter().sum();
    let middle = total as f64 * a.len() as f64 / all.len() as f64;
    let away = (own as f64 - middle).abs();
    if all.len() > 2 * MOST_EXACT {
        let mean = total as f64 / all.len() as f64;
        let variance: f64 =
            ranks.iter().map(|rank| (*rank as f64 - mean).powi(2)).sum::<f64>() / all.len() as f64;
        let drawn = a.len() as f64 * b.len() as f64 / (all.len() as f64 - 1.0);
        return two_sided_normal(-away, (variance * drawn).sqrt(), 1.0);
    }
    let counts = sums_of_subsets(&ranks, a.len());
    let ways: f64 = counts.iter().sum();
    // Half a step: sums are whole numbers, their middle may be none.
    let as_far = |sum: usize| (sum as f64 - middle).abs() > away - 0.25;
    let far: f64 = counts.iter().enumerate().filter(|(sum, _)| as_far(*sum)).map(|(_, count)| count).sum();
    (far / ways).min(1.0)
}

/// How many subsets of this size have each sum.
fn sums_of_subsets(ranks: &[usize], size: usize) -> Vec<f64> {
    let total: usize = ranks.iter().sum();
    let mut counts = vec![vec![0.0; total + 1]; size + 1];
    counts[0][0] = 1.0;
    for &rank in ranks {
        for chosen in (1..=size).rev() {
            let (fewer, more) = counts.split_at_mut(chosen);
            for (sum, count) in more[0].iter_mut().enumerate().skip(rank) {
                *count += fewer[chosen - 1][sum - rank];
            }
        }
    }
    counts.swap_remove(size)
}

fn two_sided_normal(away: f64, deviation: f64, correction: f64) -> f64 {
    if deviation <= 0.0 {
        return 1.0;
    }
    let z = (away.abs() - correction).max(0.0) / deviation;
    // Student's distribution with many degrees of freedom is the normal one.
    (2.0 * (1.0 - super::t_cdf(z, 10_000))).min(1.0)
}

/// Twice the rank of each value, the mean rank for ties: whole numbers.
fn doubled_ranks(values: &[f64]) -> Vec<usize> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| other.total_cmp(value).is_eq()).count();
        2 * below + equal + 1
    };
    values.iter().map(rank).collect()
}

/// How many values at each end of the sorted Walsh averages are outside the interval of this level: the largest `k` with
/// P(W < k) <= alpha / 2. 0: no interval of this level exists.
pub(super) fn signed_rank_cut(pairs: usize, alpha: f64) -> usize {
    let most = pairs * (pairs + 1) / 2;
    if pairs > MOST_EXACT {
        let (n, count) = (pairs as f64, most as f64);
        let deviation = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
        return normal_cut(count / 2.0, deviation, alpha);
    }
    let mut counts = vec![0.0; most + 1];
    counts[0] = 1.0;
    for rank in 1..=pairs {
        for sum in (rank..=most).rev() {
            counts[sum] += counts[sum - rank];
        }
    }
    cut(&counts, 2f64.powi(i32::try_from(pairs).unwrap_or(i32::MAX)), alpha)
}

/// The same for the sorted differences of two groups.
pub(super) fn rank_sum_cut(a: usize, b: usize, alpha: f64) -> usize {
    if a == 0 || b == 0 {
        return 0;
    }
    if a + b > 2 * MOST_EXACT {
        let (n, m) = (a as f64, b as f64);
        return normal_cut(n * m / 2.0, (n * m * (n + m + 1.0) / 12.0).sqrt(), alpha);
    }
    // U is the rank sum less its smallest value.
    let ranks: Vec<usize> = (1..=a + b).collect();
    let counts = sums_of_subsets(&ranks, a);
    let smallest = a * (a + 1) / 2;
    let ways: f64 = counts.iter().sum();
    cut(&counts[smallest..], ways, alpha)
}

fn cut(counts: &[f64], ways: f64, alpha: f64) -> usize {
    let mut below = 0.0;
    // A hair more than alpha / 2: sums of fractions round.
    counts
        .iter()
        .take_while(|count| {
            below += **count;
            below / ways <= alpha / 2.0 + 1e-12
        })
        .count()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, below the number of pairs"
)]
fn normal_cut(middle: f64, deviation: f64, alpha: f64) -> usize {
    (middle + super::normal_quantile(alpha / 2.0) * deviation).floor().max(0.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn smallest_p_and_cuts_are_those_of_the_published_tables() {
        // Hollander & Wolfe, tables A.4 and A.6; compare golang/perf benchmath.
        let p = |n: usize| signed_rank_p(&(1..=n).map(|i| i as f64).collect::<Vec<_>>());
        for (n, expected) in [(4, 0.125), (5, 0.0625), (6, 0.03125), (7, 0.015_625), (8, 0.007_812_5)] {
            assert!((p(n) - expected).abs() < 1e-12, "{n}");
        }
        let apart = |n: usize| {
            let a: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let b: Vec<f64> = (0..n).map(|i| 100.0 + i as f64).collect();
            rank_sum_p(&a, &b)
        };
        for (n, expected) in [(3, 0.1), (4, 0.028_571), (5, 0.007_937), (6, 0.002_165)] {
            assert!((apart(n) - expected).abs() < 1e-6, "{n}: {}", apart(n));
        }
        let signed: Vec<usize> = [5, 6, 8, 10].map(|n| signed_rank_cut(n, 0.05)).into();
        assert_eq!(signed, [0, 1, 4, 9]);
        let sums: Vec<usize> = [3, 4, 5, 6, 8, 10].map(|n| rank_sum_cut(n, n, 0.05)).into();
        assert_eq!(sums, [0, 1, 3, 6, 14, 24]);
        assert_eq!([rank_sum_cut(3, 3, 0.10), signed_rank_cut(5, 0.10), signed_rank_cut(4, 0.10)], [1, 1, 0]);
    }

    #[test]
    fn equal_values_are_no_difference() {
        assert!((signed_rank_p(&[0.0; 6]) - 1.0).abs() < f64::EPSILON);
        assert!((rank_sum_p(&[5.0; 5], &[5.0; 5]) - 1.0).abs() < f64::EPSILON);
        assert!((rank_sum_p(&[], &[1.0]) - 1.0).abs() < f64::EPSILON);
    }

    /// Every way to give signs or sides, counted one by one.
    fn enumerated(
        values: &[f64],
        take: Option<usize>,
        statistic: impl Fn(&[bool]) -> f64,
        seen: &[bool],
    ) -> f64 {
        let (mut ways, mut far, mut sum) = (0.0, 0.0, 0.0);
        let choices: Vec<Vec<bool>> = (0u32..1 << values.len())
            .map(|bits| (0..values.len()).map(|bit| bits >> bit & 1 == 1).collect::<Vec<_>>())
            .filter(|choice: &Vec<bool>| take.is_none_or(|n| choice.iter().filter(|yes| **yes).count() == n))
            .collect();
        for choice in &choices {
            sum += statistic(choice);
            ways += 1.0;
        }
        let middle = sum / ways;
        let away = (statistic(seen) - middle).abs();
        for choice in &choices {
            if (statistic(choice) - middle).abs() >= away - 1e-9 {
                far += 1.0;
            }
        }
        far / ways
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn p_of_pairs_is_the_share_of_all_sign_patterns(values in proptest::collection::vec(-4i8..=4, 1..9)) {
            let moved: Vec<f64> = values.iter().filter(|v| **v != 0).map(|v| f64::from(*v)).collect();
            let ranks = doubled_ranks(&moved.iter().map(|v| v.abs()).collect::<Vec<_>>());
            let statistic = |signs: &[bool]| -> f64 {
                ranks.iter().zip(signs).filter(|(_, yes)| **yes).map(|(rank, _)| *rank as f64).sum()
            };
            let seen: Vec<bool> = moved.iter().map(|v| *v > 0.0).collect();
            let expected = if moved.is_empty() { 1.0 } else { enumerated(&moved, None, statistic, &seen) };
            let p = signed_rank_p(&values.iter().map(|v| f64::from(*v)).collect::<Vec<_>>());
            prop_assert!((p - expected).abs() < 1e-9, "{p} {expected}");
        }

        #[test]
        fn p_of_groups_is_the_share_of_all_divisions(
            a in proptest::collection::vec(0u8..6, 1..6),
            b in proptest::collection::vec(0u8..6, 1..6),
        ) {
            let (a, b): (Vec<f64>, Vec<f64>) = (a.into_iter().map(f64::from).collect(), b.into_iter().map(f64::from).collect());
            let all: Vec<f64> = a.iter().chain(&b).copied().collect();
            let ranks = doubled_ranks(&all);
            let statistic = |sides: &[bool]| -> f64 {
                ranks.iter().zip(sides).filter(|(_, yes)| **yes).map(|(rank, _)| *rank as f64).sum()
            };
            let seen: Vec<bool> = (0..all.len()).map(|i| i < a.len()).collect();
            let expected = enumerated(&all, Some(a.len()), statistic, &seen);
            prop_assert!((rank_sum_p(&a, &b) - expected).abs() < 1e-9);
        }
    }
}
