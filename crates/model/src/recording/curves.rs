//! A recording as curves: figures over time in steps that are wide enough for a page, with the worst of each step.

use super::figures::{Figure, figures};
use super::{Sample, window};
use crate::quantity::Unit;
use std::collections::BTreeMap;

/// Samples that lie farther apart than this have a hole between them, s: nothing is drawn across it.
const HOLE_S: f64 = 150.0;

/// One figure over time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve {
    /// Its unit.
    pub unit: Unit,
    /// Over each step; `None`: not told there. Exact, for it is made of counters at both ends.
    pub mean: Vec<Option<f64>>,
    /// The largest of any two neighbouring samples within the step.
    pub max: Vec<Option<f64>>,
}

/// Area, subject and metric of a curve.
pub type CurveKey = (&'static str, String, &'static str);

/// Curves over one axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curves {
    /// The end of each step, seconds since the epoch.
    pub times: Vec<f64>,
    /// The beginning of each step; where it is not the end of the step before it, nothing was recorded between.
    pub begins: Vec<f64>,
    /// By area, subject and metric.
    pub curves: BTreeMap<CurveKey, Curve>,
    /// Steps that hold more than two samples: their worst differs from their mean.
    pub merged: bool,
}

/// Makes curves of samples in the order of time.
pub struct CurveMaker<W> {
    step_s: f64,
    wanted: W,
    made: Curves,
    /// The sample that the step began with.
    first: Option<Sample>,
    last: Option<Sample>,
    worst: BTreeMap<CurveKey, f64>,
}

impl<W: Fn(&Figure) -> bool> CurveMaker<W> {
    /// Steps of at least so many seconds, and the figures that are wanted.
    pub fn new(step_s: f64, wanted: W) -> Self {
        Self { step_s, wanted, made: Curves::default(), first: None, last: None, worst: BTreeMap::new() }
    }

    /// Takes the next sample.
    pub fn take(&mut self, sample: Sample) {
        let Some(last) = self.last.take() else {
            self.first = Some(sample.clone());
            self.last = Some(sample);
            return;
        };
        if !goes_on(&last, &sample) {
            self.last = Some(last);
            self.close();
            self.first = Some(sample.clone());
            self.last = Some(sample);
            return;
        }
        let between = window(&last, &sample);
        for figure in figures(&between.continuous()).into_iter().filter(|figure| (self.wanted)(figure)) {
            let worst = self.worst.entry(key(&figure)).or_insert(figure.value);
            *worst = worst.max(figure.value);
        }
        let begun = self.first.as_ref().map_or(0.0, |first| sample.seconds_since(first));
        self.last = Some(sample);
        // Half a sample short of the step is as near as it gets.
        if begun >= self.step_s * 0.999 {
            self.close();
            self.first.clone_from(&self.last);
        }
    }

    /// The curves, the last step however short it is.
    pub fn finish(mut self) -> Curves {
        self.close();
        self.made
    }

    /// Ends the step.
    fn close(&mut self) {
        let worst = std::mem::take(&mut self.worst);
        let (Some(first), Some(last)) = (&self.first, &self.last) else { return };
        if last.seconds_since(first) <= 0.0 {
            return;
        }
        let place = self.made.times.len();
        self.made.begins.push(seconds(first));
        self.made.times.push(seconds(last));
        let whole = window(first, last);
        for figure in figures(&whole.continuous()).into_iter().filter(|figure| (self.wanted)(figure)) {
            let key = key(&figure);
            let max = worst.get(&key).copied().unwrap_or(figure.value);
            let curve = self.made.curves.entry(key).or_default();
            curve.unit = figure.unit;
            // What appears late has no value before.
            curve.mean.resize(place, None);
            curve.max.resize(place, None);
            curve.mean.push(Some(figure.value));
            curve.max.push(Some(max.max(figure.value)));
            self.made.merged |= max > figure.value * 1.0001;
        }
        for curve in self.made.curves.values_mut() {
            curve.mean.resize(place + 1, None);
            curve.max.resize(place + 1, None);
        }
    }
}

fn key(figure: &Figure) -> CurveKey {
    (figure.area, figure.subject.to_owned(), figure.metric)
}

fn seconds(sample: &Sample) -> f64 {
    sample.wall.as_millisecond() as f64 / 1e3
}

/// The same boot, the recorder was on, and the clock was not set back.
fn goes_on(from: &Sample, to: &Sample) -> bool {
    to.boottime_ns > from.boottime_ns
        && to.counters.monotonic_ns > from.counters.monotonic_ns
        && to.wall > from.wall
        && to.seconds_since(from) < HOLE_S
        && seconds(to) - seconds(from) < HOLE_S
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::{Counters, DiskCounters};
    use jiff::Timestamp;

    fn sample(second: u64, read_bytes: u64) -> Sample {
        let disk = DiskCounters { read_bytes, ..DiskCounters::default() };
        Sample {
            boottime_ns: second * 1_000_000_000,
            wall: Timestamp::from_second(1_000_000 + i64::try_from(second).unwrap()).unwrap(),
            counters: Counters {
                monotonic_ns: second * 1_000_000_000,
                disks: [("sda".to_owned(), disk)].into(),
                ..Counters::default()
            },
            ..Sample::default()
        }
    }

    fn curves(step_s: f64, samples: &[(u64, u64)]) -> Curves {
        let mut maker = CurveMaker::new(step_s, |figure: &Figure| figure.metric == "read_bytes_per_s");
        for (second, bytes) in samples {
            maker.take(sample(*second, *bytes));
        }
        maker.finish()
    }

    #[test]
    fn a_step_has_its_mean_and_its_worst() {
        let made = curves(4.0, &[(0, 0), (1, 10), (2, 20), (3, 130), (4, 140), (5, 150)]);
        let curve = made.curves.values().next().unwrap();
        assert_eq!(made.times, [1_000_004.0, 1_000_005.0]);
        assert_eq!((curve.mean[0], curve.max[0]), (Some(35.0), Some(110.0)));
        assert_eq!((curve.mean[1], curve.max[1]), (Some(10.0), Some(10.0)), "what is left at the end");
        assert!(made.merged);
    }

    #[test]
    fn nothing_is_drawn_across_a_hole_or_a_reset() {
        let made = curves(1.0, &[(0, 0), (1, 10), (1000, 500), (1001, 520), (1002, 5), (1003, 6)]);
        let curve = made.curves.values().next().unwrap();
        assert_eq!(made.begins, [1_000_000.0, 1_001_000.0, 1_001_001.0, 1_001_002.0]);
        assert_eq!(curve.mean, [Some(10.0), Some(20.0), None, Some(1.0)]);
    }
}
