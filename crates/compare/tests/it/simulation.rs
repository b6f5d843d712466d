//! Error rates by simulation: experiments whose truth is known, thousands of them, each family with its own seed.

use crate::made::{beside_control, primary};
use fastrand::Rng;
use fullwire_compare::statistics::{Compare, detectable, groups, pairs};
use fullwire_model::comparison::{Answer, Compared, Design};
use std::f64::consts::TAU;

/// Samples of which only an estimate is made.
const CASES: usize = 2000;
/// Experiments of one family that are compared as users' runs are: each costs twenty times as much.
const EXPERIMENTS: usize = 500;

/// How runs scatter around their level, on the scale of logarithms.
#[derive(Clone, Copy, Debug)]
enum Family {
    Normal,
    /// Most runs near, a few far off.
    HeavyTail,
    /// One run in twenty is a tenth slower.
    Spikes,
    /// Two paths of a bond: one of two levels.
    TwoLevels,
    /// A coarse clock: many ties.
    Coarse,
}

const FAMILIES: [Family; 5] =
    [Family::Normal, Family::HeavyTail, Family::Spikes, Family::TwoLevels, Family::Coarse];

fn normal(random: &mut Rng) -> f64 {
    (-2.0 * (1.0 - random.f64()).ln()).sqrt() * (TAU * random.f64()).cos()
}

impl Family {
    fn draw(self, scatter: f64, random: &mut Rng) -> f64 {
        match self {
            Self::Normal => scatter * normal(random),
            Self::HeavyTail => scatter * 0.4 * normal(random).sinh(),
            Self::Spikes => scatter * normal(random) - if random.f64() < 0.05 { 0.1 } else { 0.0 },
            Self::TwoLevels => {
                scatter * 0.3 * normal(random) + if random.bool() { scatter } else { -scatter }
            }
            Self::Coarse => (normal(random) * 2.0).round() / 2.0 * scatter,
        }
    }
}

/// Rates of `n` runs around 1 GB/s times `level`.
fn side(family: Family, scatter: f64, n: usize, level: f64, random: &mut Rng) -> Vec<f64> {
    (0..n).map(|_| 1e9 * level * family.draw(scatter, random).exp()).collect()
}

fn share(cases: usize, mut happens: impl FnMut(&mut Rng) -> bool, seed: u64) -> f64 {
    let mut random = Rng::with_seed(seed);
    (0..cases).filter(|_| happens(&mut random)).count() as f64 / cases as f64
}

fn moved(compared: &Compared) -> bool {
    matches!(compared.answer, Answer::Better | Answer::Worse)
}

/// The count that something which happens in one of twenty cases exceeds in one of a thousand series (binomial distribution):
/// there are a hundred series.
fn most(cases: usize) -> usize {
    let p = 0.05_f64;
    let mut exactly = (1.0 - p).powf(cases as f64);
    let (mut count, mut at_most) = (0, exactly);
    while at_most < 0.999 {
        count += 1;
        exactly *= (cases - count + 1) as f64 / count as f64 * p / (1.0 - p);
        at_most += exactly;
    }
    count
}

/// In no family, nor in all together, does it happen more often than in one of twenty cases, but for chance. The sum of the
/// families finds what is wrong by little with all of them.
fn rare(what: &str, seed: u64, happens: impl Fn(Family, &mut Rng) -> bool) {
    let mut sum = 0;
    for (family, seed) in FAMILIES.into_iter().zip((seed..).step_by(100)) {
        let mut random = Rng::with_seed(seed);
        let count = (0..EXPERIMENTS).filter(|_| happens(family, &mut random)).count();
        assert!(count <= most(EXPERIMENTS), "{what}, {family:?}: {count} of {EXPERIMENTS}");
        sum += count;
    }
    let all = EXPERIMENTS * FAMILIES.len();
    println!("{what}: {sum} of {all}");
    assert!(sum <= most(all), "{what}, all families: {sum} of {all}");
}

#[test]
fn without_a_change_at_most_one_of_twenty_comparisons_claims_one() {
    for (n, design) in [(4, Design::Blocks), (8, Design::Blocks), (6, Design::Abba), (12, Design::Abba)] {
        rare(&format!("{n}, {design:?}"), n as u64, |family, random| {
            let (a, b) = (side(family, 0.05, n, 1.0, random), side(family, 0.05, n, 1.0, random));
            moved(&primary(&a, &b, design))
        });
    }
}

/// Sides too small for ranks: they are judged by Student's interval, which knows nothing of two levels or spikes.
#[test]
fn of_a_few_runs_without_a_change_at_most_one_of_twenty_comparisons_claims_one() {
    for (a, b) in [(4, 1), (5, 1), (3, 1), (2, 2), (3, 3)] {
        rare(&format!("{a} and {b}"), (10 * a + b) as u64, |family, random| {
            let (a, b) = (side(family, 0.05, a, 1.0, random), side(family, 0.05, b, 1.0, random));
            moved(&primary(&a, &b, Design::Blocks))
        });
    }
}

/// Everything on the host drifts by up to 20 % between the blocks; the path and its control scatter on their own.
#[test]
fn what_drifts_with_the_control_path_is_claimed_in_at_most_one_of_twenty_cases() {
    for n in [4, 8] {
        rare(&format!("{n}"), n as u64 + 31, |family, random| {
            let drift = 0.8 + 0.4 * random.f64();
            let mut side = |level| side(family, 0.05, n, level, random);
            let (a, b) = ([side(1.0), side(1.0)], [side(drift), side(drift)]);
            moved(&beside_control([&a[0], &a[1]], [&b[0], &b[1]]))
        });
    }
}

#[test]
fn a_change_as_large_as_matters_is_rarely_called_none() {
    for (n, design) in [(4, Design::Blocks), (10, Design::Blocks), (6, Design::Abba), (12, Design::Abba)] {
        rare(&format!("{n}, {design:?}"), n as u64 + 7, |family, random| {
            let (a, b) = (side(family, 0.01, n, 1.0, random), side(family, 0.01, n, 1.03, random));
            primary(&a, &b, design).answer == Answer::Same
        });
    }
}

#[test]
fn a_change_that_did_nothing_is_called_none_with_twelve_quiet_pairs() {
    let called_same = |random: &mut Rng| {
        let (a, b) =
            (side(Family::Normal, 0.02, 12, 1.0, random), side(Family::Normal, 0.02, 12, 1.0, random));
        primary(&a, &b, Design::Abba).answer == Answer::Same
    };
    let share = share(EXPERIMENTS, called_same, 5);
    assert!(share >= 0.8, "{share}");
}

#[test]
fn a_change_of_one_percent_is_never_called_more() {
    for design in [Design::Blocks, Design::Abba] {
        let overstated = |random: &mut Rng| {
            let (a, b) =
                (side(Family::Normal, 0.005, 8, 1.0, random), side(Family::Normal, 0.005, 8, 0.99, random));
            let compared = primary(&a, &b, design);
            moved(&compared) && !compared.less_than_delta
        };
        let share = share(CASES, overstated, 6);
        assert!(share < 0.001, "{design:?}: {share}");
    }
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    for (index, family) in FAMILIES.into_iter().enumerate() {
        for n in [4, 6, 10] {
            let truth = 0.04;
            let holds = |random: &mut Rng| {
                let draw = |level: f64, random: &mut Rng| -> Vec<f64> {
                    (0..n).map(|_| level + family.draw(0.05, random)).collect()
                };
                let (a, b) = (draw(0.0, random), draw(truth, random));
                let estimate = if n == 6 {
                    pairs(&a.iter().zip(&b).map(|(a, b)| b - a).collect::<Vec<_>>())
                } else {
                    groups(&a, &b)
                };
                let interval = estimate.and_then(|estimate| estimate.interval(0.95)).expect("enough runs");
                interval.low - 1e-9 <= truth && truth <= interval.high + 1e-9
            };
            let share = share(CASES, holds, (index * 10 + n) as u64);
            assert!((0.93..=0.995).contains(&share), "{family:?}, {n}: {share}");
        }
    }
}

#[test]
fn what_is_said_to_be_seen_is_seen_in_eighty_of_a_hundred_cases() {
    let scatter = 0.04;
    for (n, how) in [
        (4, Compare::Groups),
        (5, Compare::Groups),
        (6, Compare::Groups),
        (10, Compare::Groups),
        (6, Compare::Pairs),
        (8, Compare::Pairs),
        (12, Compare::Pairs),
        (20, Compare::Pairs),
    ] {
        let difference = detectable(n, scatter, how).expect("enough");
        let seen = |random: &mut Rng| {
            let n = n as usize;
            let estimate = match how {
                Compare::Groups => {
                    let a: Vec<f64> = (0..n).map(|_| scatter * normal(random)).collect();
                    let b: Vec<f64> = (0..n).map(|_| difference + scatter * normal(random)).collect();
                    groups(&a, &b)
                }
                Compare::Pairs => {
                    pairs(&(0..n).map(|_| difference + scatter * normal(random)).collect::<Vec<_>>())
                }
            };
            estimate.and_then(|estimate| estimate.interval(0.95)).is_some_and(|interval| interval.low > 0.0)
        };
        let share = share(CASES, seen, u64::from(n));
        assert!((0.75..=0.88).contains(&share), "{n} {how:?}: {share}");
    }
}

#[test]
fn alternating_runs_are_not_deceived_by_drift() {
    // The level falls by a tenth over the experiment, steadily, or wanders.
    for wanders in [false, true] {
        let claimed = |random: &mut Rng| {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            let mut level = 0.0;
            for run in 0..24 {
                level = if wanders { level + 0.01 * normal(random) } else { -0.1 * f64::from(run) / 24.0 };
                let rate = 1e9 * (level + 0.02 * normal(random)).exp();
                let first = matches!(run % 4, 0 | 3);
                if first { a.push(rate) } else { b.push(rate) }
            }
            moved(&primary(&a, &b, Design::Abba))
        };
        let share = share(EXPERIMENTS, claimed, 11);
        assert!(share <= most(EXPERIMENTS) as f64 / EXPERIMENTS as f64, "wanders {wanders}: {share}");
    }
}
