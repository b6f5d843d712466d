//! Whether another tool's file tells of the same time as a recording: the shift of its clock at which both agree best.
//!
//! Figures are compared by Lin's concordance (Biometrics 45, 1989: 255): 1 where two tools read the same values, lower where
//! they only rise and fall together, about 0 where they have nothing to do with each other.

/// A value over an interval, seconds since the epoch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Its beginning.
    pub from_s: f64,
    /// Its end.
    pub to_s: f64,
    /// The mean over it.
    pub value: f64,
}

/// The same figure as both tell it, each in the order of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Both {
    /// What was recorded.
    pub ours: Vec<Interval>,
    /// What the file tells.
    pub theirs: Vec<Interval>,
}

/// What is known of the file's clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Clock {
    /// Within an interval of the file it is ours.
    Same,
    /// Add so many seconds to the file's times.
    Off(f64),
    /// Too little overlaps or varies, or the load repeats itself.
    CannotTell,
}

/// The answer, with what it rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockCheck {
    /// The answer.
    pub clock: Clock,
    /// Concordance as the times are, give or take what the file's stamps leave open; `None`: they do not overlap.
    pub as_told: Option<f64>,
    /// The best concordance, and the seconds that the file is shifted for it.
    pub best: Option<(f64, f64)>,
}

/// Zones lie no farther apart, s.
const FARTHEST_S: f64 = 14.0 * 3600.0;
/// Fewer intervals in common agree by chance.
const FEWEST: usize = 8;
/// Figures that are compared at most: those that vary most.
const MOST_FIGURES: usize = 4;
/// Intervals of a figure in the coarse search.
const MOST_BLOCKS: usize = 600;
/// Shifts that the coarse search tries at most.
const MOST_SHIFTS: f64 = 4000.0;
/// Shifts are told apart to this, s.
const FINEST_S: f64 = 0.25;
/// Both tell of the same thing (own choice: seconds that two tools read half a second apart agree to 0.8 and more).
const AGREES: f64 = 0.8;
/// A shift must be better than none by this much (own choice).
const BETTER: f64 = 0.2;
/// Another shift that is as good within this makes the answer ambiguous (own choice).
const RIVAL: f64 = 0.1;
/// An interval counts when so much of it was recorded.
const COVERED: f64 = 0.8;

/// Compares the clocks of a recording and a file by the figures that both have.
///
/// Figures of one unit: those that move most decide.
pub fn check(figures: &[Both]) -> ClockCheck {
    let figures = telling(figures);
    let step = figures.iter().map(|one| one.step_s).fold(f64::MAX, f64::min).max(1.0);
    // A stamp is of whole seconds, and of the beginning or the end of its interval.
    let open = step.max(2.0);
    let over = |figures: &[Prepared], low, high, spacing| -> Vec<(f64, f64)> {
        shifts(low, high, spacing).filter_map(|shift| Some((agreement(figures, shift)?, shift))).collect()
    };
    let as_told = best_of(over(&figures, -open, open, (open / 20.0).max(FINEST_S)).into_iter());
    let as_told = as_told.map(|(agreement, _)| agreement);
    let mut answer = ClockCheck { clock: Clock::CannotTell, as_told, best: None };
    let Some((low, high)) = range(&figures) else { return answer };
    let spacing = (step / 2.0).max((high - low) / MOST_SHIFTS);
    let blocks: Vec<Prepared> = figures.iter().map(|one| one.blocks(4.0 * spacing)).collect();
    let coarse = over(&blocks, low, high, spacing);
    let Some(peak) = best_of(coarse.iter().copied()) else { return answer };
    let width = 4.0 * spacing + step;
    let refined = over(&figures, peak.1 - width, peak.1 + width, (2.0 * width / MOST_SHIFTS).max(FINEST_S));
    let Some(best) = best_of(refined.into_iter()) else { return answer };
    answer.best = Some(best);
    let as_told = as_told.unwrap_or(0.0);
    let rival = best_of(coarse.iter().copied().filter(|(_, shift)| (shift - peak.1).abs() > 4.0 * width));
    let ambiguous = rival.is_some_and(|rival| rival.0 > peak.0 - RIVAL);
    answer.clock = if best.0 >= AGREES && best.1.abs() > open && best.0 > as_told + BETTER {
        if ambiguous { Clock::CannotTell } else { Clock::Off(best.1) }
    } else if as_told >= AGREES - BETTER {
        Clock::Same
    } else {
        Clock::CannotTell
    };
    answer
}

/// How well one figure agrees as the times are; `None`: fewer than eight intervals in common, or neither varies.
pub fn agreement_of(figure: &Both) -> Option<f64> {
    agreement(&[Prepared::of(figure)?], 0.0)
}

/// The mean of what was recorded over each interval of the file, where enough of it was.
pub fn over_their_intervals(figure: &Both) -> Vec<(Interval, Option<f64>)> {
    let Some(prepared) = Prepared::of(figure) else { return Vec::new() };
    figure.theirs.iter().map(|one| (*one, prepared.ours.mean(one.from_s, one.to_s))).collect()
}

fn shifts(low: f64, high: f64, spacing: f64) -> impl Iterator<Item = f64> {
    let first = (low / spacing).ceil();
    let count = ((high - low) / spacing).clamp(0.0, 2.0 * MOST_SHIFTS);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped above")]
    (0..=count as usize).map(move |index| (first + index as f64) * spacing)
}

/// The greatest agreement; of equals the one with the smallest shift.
fn best_of(tried: impl Iterator<Item = (f64, f64)>) -> Option<(f64, f64)> {
    tried.max_by(|one, other| one.0.total_cmp(&other.0).then(other.1.abs().total_cmp(&one.1.abs())))
}

/// Those that move most in the file.
fn telling(figures: &[Both]) -> Vec<Prepared> {
    let mut prepared: Vec<(f64, Prepared)> = figures
        .iter()
        .filter_map(|figure| {
            let values: Vec<f64> = figure.theirs.iter().map(|one| one.value).collect();
            let (mean, variance) = moments(&values);
            (variance.sqrt() > 0.01 * mean.abs()).then_some((variance, Prepared::of(figure)?))
        })
        .collect();
    prepared.sort_by(|one, other| other.0.total_cmp(&one.0));
    prepared.into_iter().take(MOST_FIGURES).map(|(_, prepared)| prepared).collect()
}

/// Shifts at which enough overlaps.
fn range(figures: &[Prepared]) -> Option<(f64, f64)> {
    let ranges = figures.iter().filter_map(|one| {
        let (ours, theirs) = (one.ours.ends()?, (one.theirs.first()?.from_s, one.theirs.last()?.to_s));
        let least = FEWEST as f64 * one.step_s;
        Some((ours.0 - theirs.1 + least, ours.1 - theirs.0 - least))
    });
    let (low, high) = ranges.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))?;
    let (low, high) = (low.max(-FARTHEST_S), high.min(FARTHEST_S));
    (low < high).then_some((low, high))
}

/// Concordance of all figures together, each weighing as much as it moves.
fn agreement(figures: &[Prepared], shift_s: f64) -> Option<f64> {
    let all = figures.iter().filter_map(|one| one.shared(shift_s));
    let (together, spread) = all.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    (spread > 0.0).then(|| 2.0 * together / spread)
}

/// A figure made ready for many shifts.
#[derive(Debug, Clone)]
struct Prepared {
    ours: Summed,
    theirs: Vec<Interval>,
    /// The usual length of the file's intervals.
    step_s: f64,
}

impl Prepared {
    fn of(figure: &Both) -> Option<Self> {
        let mut lengths: Vec<f64> = figure.theirs.iter().map(|one| one.to_s - one.from_s).collect();
        lengths.sort_by(f64::total_cmp);
        let step_s = *lengths.get(lengths.len() / 2)?;
        (step_s > 0.0).then(|| Self { ours: Summed::of(&figure.ours), theirs: figure.theirs.clone(), step_s })
    }

    /// The file in coarser intervals, evenly thinned.
    fn blocks(&self, length_s: f64) -> Self {
        let mut blocks: Vec<Interval> = Vec::new();
        for one in &self.theirs {
            match blocks.last_mut() {
                Some(block)
                    if one.to_s - block.from_s <= length_s && one.from_s <= block.to_s + self.step_s =>
                {
                    let (old, new) = (block.to_s - block.from_s, one.to_s - one.from_s);
                    block.value = (block.value * old + one.value * new) / (old + new).max(1e-9);
                    block.to_s = one.to_s;
                }
                _ => blocks.push(*one),
            }
        }
        let stride = blocks.len().div_ceil(MOST_BLOCKS).max(1);
        let theirs = blocks.into_iter().step_by(stride).collect();
        Self { ours: self.ours.clone(), theirs, step_s: self.step_s.max(length_s) }
    }

    /// Covariance, and both variances with the square of the distance of the means; `None`: too little overlaps.
    fn shared(&self, shift_s: f64) -> Option<(f64, f64)> {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for one in &self.theirs {
            if let Some(mean) = self.ours.mean(one.from_s + shift_s, one.to_s + shift_s) {
                x.push(mean);
                y.push(one.value);
            }
        }
        let enough = x.len() >= FEWEST.min(self.theirs.len()).max(3);
        enough.then(|| shared(&x, &y))
    }
}

/// Running sums over time: the mean over any interval in two look-ups.
#[derive(Debug, Clone)]
struct Summed {
    /// Ends of the intervals with the value and the recorded time summed up to there.
    rows: Vec<(f64, f64, f64)>,
    intervals: Vec<Interval>,
}

impl Summed {
    fn of(intervals: &[Interval]) -> Self {
        let (mut sum, mut covered) = (0.0, 0.0);
        let row = |one: &Interval| {
            let length = (one.to_s - one.from_s).max(0.0);
            sum += one.value * length;
            covered += length;
            (one.to_s, sum, covered)
        };
        Self { rows: intervals.iter().map(row).collect(), intervals: intervals.to_vec() }
    }

    fn ends(&self) -> Option<(f64, f64)> {
        Some((self.intervals.first()?.from_s, self.intervals.last()?.to_s))
    }

    /// Sum and recorded time up to a moment.
    fn up_to(&self, at_s: f64) -> (f64, f64) {
        let whole = self.rows.partition_point(|(end, ..)| *end <= at_s);
        let (mut sum, mut covered) = match whole.checked_sub(1) {
            Some(last) => (self.rows[last].1, self.rows[last].2),
            None => (0.0, 0.0),
        };
        if let Some(next) = self.intervals.get(whole).filter(|next| next.from_s < at_s) {
            sum += next.value * (at_s - next.from_s);
            covered += at_s - next.from_s;
        }
        (sum, covered)
    }

    fn mean(&self, from_s: f64, to_s: f64) -> Option<f64> {
        let (first, last) = (self.up_to(from_s), self.up_to(to_s));
        let covered = last.1 - first.1;
        (to_s > from_s && covered >= COVERED * (to_s - from_s)).then(|| (last.0 - first.0) / covered)
    }
}

fn moments(values: &[f64]) -> (f64, f64) {
    let count = (values.len() as f64).max(1.0);
    let mean = values.iter().sum::<f64>() / count;
    (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count)
}

/// What Lin's concordance is made of: twice the first over the second.
fn shared(x: &[f64], y: &[f64]) -> (f64, f64) {
    let ((mean_x, variance_x), (mean_y, variance_y)) = (moments(x), moments(y));
    let together = x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / x.len() as f64;
    (together, variance_x + variance_y + (mean_x - mean_y).powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A load that does not repeat itself, one value a second.
    fn load(seconds: u32, seed: u64) -> Vec<Interval> {
        let (mut state, mut level) = (seed, 50.0_f64);
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1_u32 << 31)
        };
        (0..seconds)
            .map(|second| {
                level = (level + 10.0 * (next() - 0.5)).clamp(0.0, 100.0);
                let from_s = 1e9 + f64::from(second);
                Interval { from_s, to_s: from_s + 1.0, value: level + 20.0 * next() }
            })
            .collect()
    }

    /// The same in coarser steps by a clock that is off.
    fn told(ours: &[Interval], step: usize, off_s: f64) -> Vec<Interval> {
        let mean = |part: &[Interval]| part.iter().map(|one| one.value).sum::<f64>() / part.len() as f64;
        ours.chunks_exact(step)
            .map(|part| Interval {
                from_s: part[0].from_s + off_s,
                to_s: part[step - 1].to_s + off_s,
                value: mean(part),
            })
            .collect()
    }

    fn checked(seconds: u32, step: usize, off_s: f64) -> ClockCheck {
        let ours = load(seconds, 7);
        let theirs = told(&ours, step, off_s);
        check(&[Both { ours, theirs }])
    }

    #[test]
    fn a_clock_that_is_right_is_called_so() {
        for (seconds, step) in [(600, 1), (3600, 10), (7200, 60), (36_000, 600)] {
            assert_eq!(checked(seconds, step, 0.0).clock, Clock::Same, "{seconds} s by {step}");
        }
    }

    #[test]
    fn a_clock_that_is_off_is_found_to_the_second() {
        for (seconds, step, off_s) in [
            (1800, 1, 60.0),
            (1800, 1, -37.0),
            (3600, 10, 900.0),
            (14_400, 60, -3600.0),
            (14_400, 60, 5400.0),
        ] {
            let found = checked(seconds, step, off_s);
            let Clock::Off(shift) = found.clock else { panic!("{step} {off_s}: {found:?}") };
            assert!((shift + off_s).abs() <= 1.0, "{step} {off_s}: {found:?}");
        }
    }

    #[test]
    fn times_that_do_not_overlap_are_brought_together() {
        let found = checked(1800, 5, 7200.0);
        assert_eq!(found.as_told, None);
        assert_eq!(found.clock, Clock::Off(-7200.0));
    }

    #[test]
    fn another_hosts_file_and_a_steady_load_tell_nothing() {
        let foreign = Both { ours: load(3600, 7), theirs: told(&load(3600, 99), 10, 0.0) };
        assert_eq!(check(&[foreign]).clock, Clock::CannotTell);
        let flat = |step| {
            let steady = load(3600, 7).into_iter().map(|one| Interval { value: 5.0, ..one });
            told(&steady.collect::<Vec<_>>(), step, 0.0)
        };
        assert_eq!(check(&[Both { ours: flat(1), theirs: flat(10) }]).clock, Clock::CannotTell);
        assert_eq!(check(&[]).clock, Clock::CannotTell);
    }

    #[test]
    fn a_load_that_repeats_itself_does_not_accuse_the_clock() {
        let ours: Vec<Interval> = load(7200, 7)
            .into_iter()
            .enumerate()
            .map(|(second, one)| Interval { value: if second % 900 < 60 { 100.0 } else { 1.0 }, ..one })
            .collect();
        let theirs = told(&ours, 10, 450.0);
        assert_eq!(check(&[Both { ours, theirs }]).clock, Clock::CannotTell);
    }
}
