//! Finds what is off in a matrix of logarithms, where more is better.

use crate::judge::cover::{Place, cover};
use crate::judge::matrix::Matrix;
use crate::judge::polish::polish;
use fullwire_model::median;
use std::collections::BTreeSet;

/// From this many hosts on a row has cells enough that its median is not moved by one of them.
const POLISH_FROM: usize = 4;
/// Streams of one path scatter by this much at least, whatever a quiet matrix shows: 2 %.
const QUIET: f64 = 0.02;

/// How far off is off.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question {
    /// A difference of logarithms that matters.
    pub(super) least: f64,
    /// It also is this many times the scatter.
    pub(super) sigmas: f64,
}

/// A place that is off.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Located {
    pub(super) place: Place,
    /// The median of what such cells would have without it, a logarithm.
    pub(super) usual: f64,
}

/// What is off, and how much the rest scatters.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Found {
    pub(super) places: Vec<Located>,
    pub(super) bad: BTreeSet<(usize, usize)>,
    pub(super) sigma: f64,
}

/// Takes the matrix apart and covers what is off.
pub(super) fn locate(matrix: &Matrix, question: Question) -> Found {
    let size = matrix.size();
    let measured: BTreeSet<(usize, usize)> = matrix.known().map(|(from, to, _)| (from, to)).collect();
    if size < 3 || measured.len() < 3 {
        // Of two ways alone no one can say which is the usual one.
        return Found { sigma: QUIET, ..Found::default() };
    }
    let (shortfall, sigma) = shortfalls(matrix, question);
    let least = question.least.max(question.sigmas * sigma);
    let bad: BTreeSet<(usize, usize)> =
        shortfall.known().filter(|(_, _, lost)| *lost > least).map(|(from, to, _)| (from, to)).collect();
    let usual = |place: &Place| {
        let own =
            matrix.known().filter(|(from, to, _)| place.holds(*from, *to) && bad.contains(&(*from, *to)));
        let without: Vec<f64> =
            own.map(|(from, to, value)| value + shortfall.get(from, to).unwrap_or(0.0)).collect();
        median(&without).unwrap_or(0.0)
    };
    let places = cover(size, &measured, &bad);
    let places = places.into_iter().map(|place| Located { usual: usual(&place), place }).collect();
    Found { places, bad, sigma }
}

/// How much each cell lacks of what its hosts let expect, and the scatter. A sender's or receiver's own effect counts
/// as lacking only where it is off itself: hosts differ a little, and that is no fault.
fn shortfalls(matrix: &Matrix, question: Question) -> (Matrix, f64) {
    let size = matrix.size();
    if size < POLISH_FROM {
        let all: Vec<f64> = matrix.known().map(|(_, _, value)| value).collect();
        let usual = median(&all).unwrap_or(0.0);
        return (Matrix::of(size, |from, to| Some(usual - matrix.get(from, to)?)), QUIET);
    }
    let polished = polish(matrix);
    let sigma = polished.sigma().max(QUIET);
    let least = question.least.max(question.sigmas * sigma);
    let own = |effect: f64| if effect < -least { effect } else { 0.0 };
    let shortfall = Matrix::of(size, |from, to| {
        let effects = own(polished.rows[from]) + own(polished.columns[to]);
        // Of two slow ends the slower one sets the figure, not their sum.
        let (row, column) = (own(polished.rows[from]), own(polished.columns[to]));
        let both = row < 0.0 && column < 0.0;
        let residue = polished.residues.get(from, to)?;
        Some(if both { -(row.min(column)) } else { -(effects + residue) })
    });
    (shortfall, sigma)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: Question = Question { least: 0.223, sigmas: 4.0 };

    /// 100 MB/s with a scatter of some percent, times what the fault leaves.
    fn located(size: usize, left: impl Fn(usize, usize) -> f64) -> Vec<Place> {
        let scatter = |from: usize, to: usize| 1.0 + 0.01 * ((from * 7 + to * 13) % 5) as f64;
        let matrix = Matrix::of(size, |from, to| Some((100e6 * scatter(from, to) * left(from, to)).ln()));
        locate(&matrix, QUESTION).places.into_iter().map(|one| one.place).collect()
    }

    #[test]
    fn each_fault_is_named_by_its_place() {
        for size in [4, 5, 8, 22] {
            assert_eq!(located(size, |_, _| 1.0), [], "{size}");
            assert_eq!(
                located(size, |from, _| if from == 1 { 0.2 } else { 1.0 }),
                [Place::Sender(1)],
                "{size}"
            );
            assert_eq!(
                located(size, |_, to| if to == 1 { 0.2 } else { 1.0 }),
                [Place::Receiver(1)],
                "{size}"
            );
            let host = |from, to| if from == 1 || to == 1 { 0.2 } else { 1.0 };
            assert_eq!(located(size, host), [Place::Host(1)], "{size}");
            let path = |from, to| if (from, to) == (2, 0) { 0.2 } else { 1.0 };
            assert_eq!(located(size, path), [Place::Path(2, 0)], "{size}");
        }
        assert_eq!(located(3, |from, _| if from == 1 { 0.2 } else { 1.0 }), [Place::Sender(1)]);
        assert_eq!(located(3, |from, to| if (from, to) == (1, 2) { 0.2 } else { 1.0 }), [Place::Path(1, 2)]);
    }

    #[test]
    fn several_faults_do_not_hide_each_other() {
        let fault = |from: usize, to: usize| -> f64 {
            match (from, to) {
                (1, _) => 0.3,
                (_, 6) => 0.2,
                (4, 5) => 0.1,
                _ => 1.0,
            }
        };
        let mut places = located(8, |from, to| fault(from, to).min(if to == 6 { 0.2 } else { 1.0 }));
        places.sort();
        assert_eq!(places, [Place::Sender(1), Place::Receiver(6), Place::Path(4, 5)]);
        let bond = |from, to: usize| if from == 3 && to.is_multiple_of(2) { 0.1 } else { 1.0 };
        assert_eq!(located(9, bond), [Place::SenderInPart(3, vec![0, 2, 4, 6, 8])]);
    }

    #[test]
    fn hosts_that_differ_a_little_are_no_fault() {
        assert_eq!(located(8, |from, to| 1.0 - 0.02 * (from + to) as f64 / 2.0), []);
    }
}
