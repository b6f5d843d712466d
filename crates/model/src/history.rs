//! The history of kept runs: its lines, and its figures as series.

use crate::PathName;
use crate::comparison::{Direction, SettingChange};
use crate::median;
use crate::quantity::Unit;
use fullwire_record::record;
use jiff::Timestamp;

/// Longest id of a run, and label that a shell is offered, bytes.
pub const ID_LONGEST_BYTES: usize = 64;

/// A kept run without its content.
#[record(Eq)]
pub struct Entry {
    /// The run's name.
    pub run_id: String,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Timestamp,
    /// `assess`, `net`, `disk`, ...
    pub command: String,
    /// Arguments as given.
    pub arguments: Vec<String>,
    /// The host that it was made on.
    pub host: String,
    /// The user's label.
    pub tag: Option<String>,
    /// The version of fullwire that made it.
    pub tool_version: String,
    /// Peers, directories and devices that were measured.
    pub targets: Vec<String>,
    /// Bytes that it takes in the store.
    pub stored_bytes: u64,
    /// It is its host's baseline.
    pub baseline: bool,
}

/// One figure over all runs that asked the same question.
#[record]
pub struct Series {
    /// The peer or the storage target.
    pub path: PathName,
    /// The measurement and the figure.
    pub label: String,
    /// The unit of the values.
    pub unit: Unit,
    /// Which direction is good.
    pub better: Direction,
    /// Oldest first.
    pub points: Vec<Point>,
    /// Where it changed.
    pub changes: Vec<Change>,
    /// Median ratio of one run to the next, less 1, whichever is larger: what two runs differ by when nothing changed.
    pub noise_floor: Option<f64>,
    /// Index of the point with the best value.
    pub best: usize,
}

impl Series {
    /// Runs on each side below which a look at them says nothing.
    const LEAST_SIDE: usize = 3;
    /// Times the usual difference of two runs, from which on a shift is worth a word (own choice).
    const CLEAR: f64 = 2.0;

    /// Where all runs lie on one side of all before them, and by what share: what a reader of the curve sees, and no claim
    /// that a test would make of so few.
    pub fn apart(&self) -> Option<(usize, f64)> {
        let values: Vec<f64> = self.points.iter().map(|point| point.value).collect();
        let shift_at = |at: usize| {
            let (before, after) = values.split_at(at);
            let shift = median(after)? / median(before)? - 1.0;
            let (lower, higher) = if shift < 0.0 { (after, before) } else { (before, after) };
            let split =
                lower.iter().copied().fold(0.0, f64::max) < higher.iter().copied().fold(f64::MAX, f64::min);
            let clear = shift.abs() > Self::CLEAR * self.noise_floor.unwrap_or(0.0);
            (split && clear).then_some((at, shift))
        };
        let places = Self::LEAST_SIDE..=values.len().saturating_sub(Self::LEAST_SIDE);
        places.filter_map(shift_at).max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
    }
}

/// One run of a series.
#[record]
pub struct Point {
    /// The run.
    pub run_id: String,
    /// When it began.
    pub at: Timestamp,
    /// Median of its repeats.
    pub value: f64,
}

/// A place where a series changed.
#[record]
pub struct Change {
    /// Index of the first point after it.
    pub at: usize,
    /// As a share of the level before.
    pub shift: f64,
    /// In the good direction.
    pub better: bool,
    /// What differs in the configuration between the two neighbours.
    pub settings: Vec<SettingChange>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(values: &[f64], noise_floor: f64) -> Series {
        let points = values.iter().map(|value| Point { value: *value, ..Point::default() }).collect();
        Series { points, noise_floor: Some(noise_floor), ..Series::default() }
    }

    #[test]
    fn what_a_reader_sees_in_a_few_runs_is_a_split_without_overlap() {
        let fallen = series(&[45.0, 44.0, 46.0, 45.5, 44.5, 32.0, 31.0, 33.0, 32.5], 0.065);
        let (at, shift) = fallen.apart().expect("five above, four below");
        assert_eq!((at, (shift * 1000.0).round()), (5, -283.0), "32.25 of 45");
        assert!(
            series(&[45.0, 44.0, 32.0, 45.5, 44.5, 32.0, 31.0, 33.0], 0.065).apart().is_none(),
            "they overlap"
        );
        assert!(
            series(&[45.0, 44.0, 46.0, 43.0, 42.5, 43.5], 0.065).apart().is_none(),
            "within what two runs differ by"
        );
        assert!(series(&[45.0, 44.0, 46.0, 20.0, 21.0], 0.065).apart().is_none(), "two runs are no side");
    }
}
