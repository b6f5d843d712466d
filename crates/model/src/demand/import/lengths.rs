//! How long the interval of each record is: a mean weighs records by it.

use crate::median;
use jiff::civil::DateTime;

/// A record that comes this many intervals after the previous one follows a hole and covers only one interval.
const HOLE: f64 = 2.5;
/// Stamps have whole seconds: two intervals that differ by no more are the same, s.
const ROUNDED_S: f64 = 1.0;

/// The length of each record, s, that ends at these times: the tool's own interval. A record begins where the one before it
/// ends, or at a later time at which recording began anew (`starts`, ascending): a heading after a restart or a gap.
/// Without a second record the length is not known, and 1 stands for it.
pub(super) fn lengths_s(times: &[DateTime], starts: &[DateTime]) -> Vec<f64> {
    let between = |from: DateTime, to: DateTime| to.duration_since(from).as_secs_f64();
    let begin = |index: usize| {
        let (at, before) = (times[index], index.checked_sub(1).map(|before| times[before]));
        let anew = starts[..starts.partition_point(|start| *start < at)].last().copied();
        anew.filter(|start| before.is_none_or(|before| *start > before)).map(|start| between(start, at))
    };
    let steps: Vec<f64> =
        times.windows(2).map(|pair| between(pair[0], pair[1])).filter(|step| *step > 0.0).collect();
    let Some(usual) = median(&steps) else {
        return (0..times.len()).map(|index| begin(index).unwrap_or(1.0)).collect();
    };
    let first = steps.first().copied().filter(|step| *step <= HOLE * usual).unwrap_or(usual);
    let tidy = |step: f64| if (step - usual).abs() <= ROUNDED_S { usual } else { step };
    let of = |index: usize| {
        if let Some(length) = begin(index).filter(|length| *length <= HOLE * usual) {
            return tidy(length);
        }
        match index.checked_sub(1).map(|before| between(times[before], times[index])) {
            None => tidy(first),
            Some(step) if step > 0.0 && step <= HOLE * usual => tidy(step),
            Some(_) => usual,
        }
    };
    (0..times.len()).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: &[i64]) -> Vec<DateTime> {
        let midnight = jiff::civil::date(2026, 11, 22).at(0, 0, 0, 0);
        seconds.iter().map(|second| midnight + jiff::SignedDuration::from_secs(*second)).collect()
    }

    /// Two captures, 70 minutes apart: the first row of the second is as long as any other.
    #[test]
    fn a_record_after_a_hole_is_as_long_as_its_heading_says() {
        let times = at(&[10, 15, 20, 4225, 4230]);
        assert_eq!(lengths_s(&times, &at(&[5, 4220])), [5.0; 5]);
        assert_eq!(lengths_s(&times, &[]), [5.0; 5], "without headings the usual interval is taken");
    }

    /// After a restart the first interval may be shorter than the others.
    #[test]
    fn an_interval_that_a_restart_cut_is_short() {
        let times = at(&[600, 1200, 1800, 2400, 3000]);
        assert_eq!(lengths_s(&times, &at(&[0, 1500])), [600.0, 600.0, 300.0, 600.0, 600.0]);
    }

    #[test]
    fn a_stamp_that_skips_a_second_is_no_longer_record() {
        assert_eq!(lengths_s(&at(&[1, 2, 3, 5, 6]), &[]), [1.0; 5]);
    }
}
