//! From observations to an answer: the interval, what it excludes, and what would settle it.

use crate::figure::Kind;
use crate::statistics::{
    Compare, Estimate, FAR, Interval, coefficient_of_variation, detectable, groups, median_interval, needed,
    normal_quantile, pairs, spread, standard_deviation, t_cdf, t_quantile, without_one_excursion,
};
use fullwire_model::comparison::{Answer, Compared, Direction, Method, SideFigure};
use fullwire_model::median;

/// Fewer observations on a side allow no interval by ranks.
pub(crate) const LEAST_GROUP: usize = 4;
/// Fewer pairs allow none: all of five point one way by chance once in 16 times.
const LEAST_PAIRS: usize = 6;
/// A side with this many runs tells the scatter of one more.
pub(crate) const LEAST_HISTORY: usize = 6;
/// Fewer degrees of freedom do not tell the scatter of runs: three runs against one have two, as have two against two.
const LEAST_DEGREES: usize = 2;
/// What one invocation differs from the next by, as far as is known before there is a history: measured on quiet hosts.
/// Repeats within one run cannot show it.
const LEAST_BETWEEN_RUNS: f64 = 0.01;

/// The half width of a 95 % interval in standard errors.
const NORMAL_975: f64 = 1.96;
/// Degrees of freedom at which Student's distribution is the normal one.
const AS_NORMAL: u32 = 1000;

/// The observations of one figure: for each run of a side its repeats.
#[derive(Debug, Clone, Default)]
pub(crate) struct Observed {
    pub(crate) a: Vec<Vec<f64>>,
    pub(crate) b: Vec<Vec<f64>>,
    /// The same figure in earlier runs of the same plan on this host.
    pub(crate) history: Vec<f64>,
    /// Run `i` of one side was made next to run `i` of the other.
    pub(crate) paired: bool,
}

/// What the observations say, on the scale on which they are compared (logarithms of ratios, or differences).
struct Finding {
    method: Method,
    shift: f64,
    wide: Option<Interval>,
    narrow: Option<Interval>,
    p: Option<f64>,
    scatter: Option<f64>,
    compare: Compare,
    n: usize,
}

/// A figure with its interval, not answered yet: that needs all figures.
pub(crate) struct Weighed {
    pub(crate) compared: Compared,
    finding: Option<Finding>,
    delta: f64,
}

impl Weighed {
    pub(crate) fn p(&self) -> f64 {
        self.finding.as_ref().and_then(|finding| finding.p).unwrap_or(1.0)
    }

    /// What remains of this difference without that of the control path: difference in differences. Both have errors of
    /// their own, so that the half widths add as squares.
    pub(crate) fn take_off(&mut self, control: &Self) {
        let (Some(own), Some(other)) = (&mut self.finding, &control.finding) else { return };
        let shift = own.shift - other.shift;
        let without = |own_interval: Option<Interval>, other_interval: Option<Interval>| {
            let (mine, its) = (own_interval?, other_interval?);
            Some(Interval {
                low: shift - (own.shift - mine.low).hypot(its.high - other.shift),
                high: shift + (mine.high - own.shift).hypot(other.shift - its.low),
            })
        };
        let (wide, narrow) = (without(own.wide, other.wide), without(own.narrow, other.narrow));
        own.p = wide.map(|wide| {
            let z = NORMAL_975 * shift.abs() / ((wide.high - wide.low) / 2.0).max(f64::MIN_POSITIVE);
            2.0 * (1.0 - t_cdf(z, AS_NORMAL))
        });
        own.scatter = own.scatter.zip(other.scatter).map(|(mine, its)| mine.hypot(its));
        (own.shift, own.wide, own.narrow) = (shift, wide, narrow);
        if own.wide.is_none() {
            own.method = Method::None;
        }
        self.compared.control = control.compared.change;
        show(own, &mut self.compared);
    }
}

/// Computes the interval of one figure.
pub(crate) fn weigh(kind: &Kind, observed: &Observed, mut compared: Compared) -> Weighed {
    let (a, b) = (medians(&observed.a), medians(&observed.b));
    let all = || observed.a.iter().chain(&observed.b).flatten();
    let ratio = kind.ratio && all().all(|value| *value > 0.0);
    compared.relative = ratio;
    compared.delta = kind.delta;
    (compared.a, compared.b) = (side(&observed.a), side(&observed.b));
    let scaled = |values: &[f64]| -> Vec<f64> {
        values.iter().map(|value| if ratio { value.ln() } else { *value }).collect()
    };
    let flat = |runs: &[Vec<f64>]| scaled(&runs.iter().flatten().copied().collect::<Vec<_>>());
    // A smallest round trip of 20 ms may move by more than one of 50 µs before it matters.
    let floor = if ratio { 0.0 } else { 0.05 * median(&a).unwrap_or(0.0) };
    compared.delta = compared.delta.max(floor);
    let delta = if ratio { compared.delta.ln_1p() } else { compared.delta };
    let history = if !ratio || observed.history.iter().all(|value| *value > 0.0) {
        scaled(&observed.history)
    } else {
        Vec::new()
    };
    let finding = if observed.paired {
        of_pairs(&scaled(&a), &scaled(&b), ratio)
    } else {
        of_groups(&scaled(&a), &scaled(&b), (&flat(&observed.a), &flat(&observed.b)), &history, ratio)
    };
    if let Some(finding) = &finding {
        show(finding, &mut compared);
    }
    if compared.low.is_none() {
        without_interval(&mut compared);
    }
    Weighed { compared, finding, delta }
}

/// What is shown of a figure that has no interval: the change from one median to the other, for no other can be checked.
pub(crate) fn without_interval(compared: &mut Compared) {
    (compared.low, compared.high, compared.p) = (None, None, None);
    let (Some(a), Some(b)) = (compared.a.median, compared.b.median) else { return };
    compared.change = if compared.relative { (a != 0.0).then(|| b / a - 1.0) } else { Some(b - a) };
}

fn show(finding: &Finding, compared: &mut Compared) {
    let relative = compared.relative;
    let shown = |value: f64| if relative { value.exp_m1() } else { value };
    compared.method = finding.method;
    compared.change = Some(shown(finding.shift));
    compared.low = finding.wide.map(|interval| shown(interval.low));
    compared.high = finding.wide.map(|interval| shown(interval.high));
    compared.p = finding.p;
    let n = u32::try_from(finding.n).unwrap_or(u32::MAX);
    compared.detectable =
        finding.scatter.and_then(|scatter| detectable(n, scatter, finding.compare)).map(shown);
}

fn medians(runs: &[Vec<f64>]) -> Vec<f64> {
    runs.iter().filter_map(|repeats| median(repeats)).collect()
}

/// What is shown of a side: its runs, or the repeats of its only run.
fn side(runs: &[Vec<f64>]) -> SideFigure {
    let values = if runs.len() == 1 { runs[0].clone() } else { medians(runs) };
    let middle = median_interval(&values);
    let interval = middle.and_then(|(_, interval)| interval);
    SideFigure {
        median: middle.map(|(median, _)| median),
        n: u32::try_from(values.len()).unwrap_or(u32::MAX),
        scatter: coefficient_of_variation(&values),
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
        values,
    }
}

fn of_pairs(a: &[f64], b: &[f64], ratio: bool) -> Option<Finding> {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| b - a).collect();
    let estimate = pairs(&differences)?;
    let (scatter, n) = (standard_deviation(&differences), differences.len());
    let by_ranks = by_ranks(&estimate, Method::SignedRank, scatter, Compare::Pairs, n);
    if by_ranks.wide.is_some() || n <= LEAST_DEGREES {
        return Some(by_ranks);
    }
    // As with groups: what lies far outside the scatter of few pairs is told all the same.
    let least = 2_f64.sqrt() * least_between_runs(a, ratio)?;
    let scatter = Scatter { deviation: scatter?.max(least), degrees: n - 1 };
    let of_mean = Mean { variance_share: 1.0 / n as f64, n, compare: Compare::Pairs };
    Some(scatter.finding(estimate.shift, &of_mean, [0.995, 0.99], 0.0))
}

/// What runs differ by at least, on the scale of the comparison.
fn least_between_runs(a: &[f64], ratio: bool) -> Option<f64> {
    Some(if ratio { LEAST_BETWEEN_RUNS } else { LEAST_BETWEEN_RUNS * median(a)?.abs() })
}

fn by_ranks(
    estimate: &Estimate,
    method: Method,
    scatter: Option<f64>,
    compare: Compare,
    n: usize,
) -> Finding {
    let wide = estimate.interval(0.95);
    Finding {
        method: if wide.is_some() { method } else { Method::None },
        shift: estimate.shift,
        wide,
        narrow: estimate.interval(0.90),
        p: Some(estimate.p),
        scatter,
        compare,
        n,
    }
}

/// Runs against runs where there are enough; a few against the scatter of many; else repeats, widened by what differs
/// between runs as far as is known without a history.
fn of_groups(
    a: &[f64],
    b: &[f64],
    repeats: (&[f64], &[f64]),
    history: &[f64],
    ratio: bool,
) -> Option<Finding> {
    let (few, many) = (a.len().min(b.len()), a.len().max(b.len()));
    if few >= LEAST_GROUP {
        let scatter = pooled(a, b);
        return Some(by_ranks(&groups(a, b)?, Method::RankSum, scatter, Compare::Groups, few));
    }
    let shift = groups(a, b)?.shift;
    let of_many = if a.len() == many { a } else { b };
    let steady = without_one_excursion(history);
    let known = [of_many, &steady].into_iter().find(|values| values.len() >= LEAST_HISTORY);
    let has_repeats = repeats.0.len().min(repeats.1.len()) >= LEAST_GROUP;
    match known {
        Some(known) => predicted(shift, known, a.len(), b.len()),
        None if a.len() + b.len() >= LEAST_DEGREES + 2 => by_few(shift, (a, b), ratio),
        None if has_repeats => by_repeats(repeats, (a.len(), b.len()), ratio),
        None => Some(Finding {
            method: Method::None,
            shift,
            wide: None,
            narrow: None,
            p: None,
            scatter: pooled(a, b),
            compare: Compare::Groups,
            n: few,
        }),
    }
}

/// The scatter within both groups together.
fn pooled(a: &[f64], b: &[f64]) -> Option<f64> {
    let squares = |values: &[f64]| {
        standard_deviation(values).map_or(0.0, |deviation| deviation.powi(2) * (values.len() - 1) as f64)
    };
    let degrees = (a.len() + b.len()).checked_sub(2).filter(|degrees| *degrees > 0)?;
    Some(((squares(a) + squares(b)) / degrees as f64).sqrt())
}

/// A few runs against the scatter of many: Student's prediction interval, and never narrower than what is far for a
/// series with a heavy tail.
fn predicted(shift: f64, known: &[f64], a: usize, b: usize) -> Option<Finding> {
    let scatter = Scatter { deviation: standard_deviation(known)?, degrees: known.len() - 1 };
    let far = FAR * spread(known)? / (a.min(b) as f64).sqrt();
    Some(scatter.finding(shift, &Mean::of_groups(a, b), [0.975, 0.95], far))
}

/// So few runs that no ranks decide: what lies far outside their own scatter is told all the same. Student's interval at
/// 99 %, never narrower than what runs are known to differ by: a bond's two speeds look like one in an eighth of all
/// sides of four.
fn by_few(shift: f64, (a, b): (&[f64], &[f64]), ratio: bool) -> Option<Finding> {
    let least = least_between_runs(a, ratio)?;
    let scatter = Scatter { deviation: pooled(a, b)?.max(least), degrees: a.len() + b.len() - 2 };
    Some(scatter.finding(shift, &Mean::of_groups(a.len(), b.len()), [0.995, 0.99], 0.0))
}

/// What runs differ by, as far as this many degrees of freedom tell.
struct Scatter {
    deviation: f64,
    degrees: usize,
}

/// The mean difference of so many runs or pairs.
struct Mean {
    /// Its variance as a share of that of one.
    variance_share: f64,
    n: usize,
    compare: Compare,
}

impl Mean {
    fn of_groups(a: usize, b: usize) -> Self {
        Self { variance_share: 1.0 / a as f64 + 1.0 / b as f64, n: a.min(b), compare: Compare::Groups }
    }
}

impl Scatter {
    /// Student's interval for a difference. `quantiles`: of the wide interval and the narrow one; `least`: the smallest half width
    /// of the wide one.
    fn finding(&self, shift: f64, mean: &Mean, quantiles: [f64; 2], least: f64) -> Finding {
        let degrees = u32::try_from(self.degrees).unwrap_or(u32::MAX);
        let error = self.deviation * mean.variance_share.sqrt();
        let around = |p: f64, least: f64| {
            let half = (t_quantile(p, degrees) * error).max(least);
            Interval { low: shift - half, high: shift + half }
        };
        let p = match error {
            error if error > 0.0 => 2.0 * (1.0 - t_cdf((shift / error).abs(), degrees)),
            _ => f64::from(shift == 0.0),
        };
        Finding {
            method: Method::Prediction,
            shift,
            wide: Some(around(quantiles[0], least)),
            narrow: Some(around(quantiles[1], 0.0)),
            p: Some(p.clamp(0.0, 1.0)),
            scatter: Some(self.deviation),
            compare: mean.compare,
            n: mean.n,
        }
    }
}

fn by_repeats((a, b): (&[f64], &[f64]), (runs_a, runs_b): (usize, usize), ratio: bool) -> Option<Finding> {
    let estimate = groups(a, b)?;
    let within = pooled(a, b).unwrap_or(0.0);
    let least = least_between_runs(a, ratio)?;
    let between = within.max(least);
    let error = between * (1.0 / runs_a as f64 + 1.0 / runs_b as f64).sqrt();
    let widened = |interval: Interval, p: f64| {
        let more = normal_quantile(p) * error;
        Interval {
            low: estimate.shift - (estimate.shift - interval.low).hypot(more),
            high: estimate.shift + (interval.high - estimate.shift).hypot(more),
        }
    };
    let wide = widened(estimate.interval(0.95)?, 0.975);
    let narrow = widened(estimate.interval(0.90)?, 0.95);
    let half = (wide.high - wide.low) / 2.0;
    let z = NORMAL_975 * estimate.shift.abs() / half.max(f64::MIN_POSITIVE);
    Some(Finding {
        method: Method::Repeats,
        shift: estimate.shift,
        wide: Some(wide),
        narrow: Some(narrow),
        p: Some((2.0 * (1.0 - t_cdf(z, AS_NORMAL))).max(estimate.p).min(1.0)),
        scatter: Some(between.max(within)),
        compare: Compare::Groups,
        n: runs_a.min(runs_b),
    })
}

/// Concludes. `holds`: the difference remains one after the correction for the number of figures.
pub(crate) fn answer(weighed: Weighed, holds: bool) -> Compared {
    let Weighed { mut compared, finding, delta } = weighed;
    let Some(finding) = finding else {
        compared.answer = Answer::CannotTell;
        return compared;
    };
    let good = match compared.better {
        Direction::Higher => finding.shift > 0.0,
        Direction::Lower => finding.shift < 0.0,
    };
    let moved = holds && finding.wide.is_some_and(Interval::excludes_zero);
    let direction = if good { Answer::Better } else { Answer::Worse };
    let identical = compared.control.is_none()
        && compared.a.values == compared.b.values
        && finding.n > 0
        && finding.wide.is_some();
    compared.answer = if moved && finding.shift.abs() >= delta {
        direction
    } else if identical || finding.narrow.is_some_and(|interval| interval.within(delta)) {
        Answer::Same
    } else if moved {
        compared.less_than_delta = true;
        direction
    } else {
        Answer::CannotTell
    };
    if compared.answer == Answer::CannotTell {
        compared.pairs_needed = more(&finding, delta);
        compared.why = compared.why.or_else(|| why_not(&finding, holds));
        if compared.why.is_none() && compared.pairs_needed.is_none() && finding.shift.abs() >= delta {
            compared.why = by_order(&finding);
        }
    }
    compared
}

/// About this many more would settle it.
fn more(finding: &Finding, delta: f64) -> Option<u32> {
    let n = u32::try_from(finding.n).unwrap_or(u32::MAX);
    let wanted = needed(delta, finding.scatter?, finding.compare)?;
    if wanted > n {
        return Some(wanted - n);
    }
    // There are enough to see delta, and the truth is close to it: the interval must shrink to the distance.
    let interval = finding.wide?;
    let half = (interval.high - interval.low) / 2.0;
    let distance = (delta - finding.shift.abs()).abs();
    let factor = (half / distance).powi(2) - 1.0;
    let more = (f64::from(n) * factor).ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 1000")]
    (more.is_finite() && more <= 1000.0).then(|| more.max(1.0) as u32)
}

/// What settles a large difference of a few runs whose scatter is large as well.
fn by_order(finding: &Finding) -> Option<String> {
    let (least, what) = match finding.compare {
        Compare::Pairs => (LEAST_PAIRS, "pairs"),
        Compare::Groups => (LEAST_GROUP, "runs on each side"),
    };
    (finding.n < least).then(|| {
        format!("fewer than {least} {what} show only what lies far outside their own scatter; {least} are compared by their order")
    })
}

fn why_not(finding: &Finding, holds: bool) -> Option<String> {
    if finding.wide.is_none() {
        let least = if finding.compare == Compare::Pairs { "3 pairs" } else { "3 runs on one side" };
        let have = match (finding.compare, finding.n) {
            (Compare::Pairs, 1) => "1 pair".to_owned(),
            (Compare::Pairs, n) => format!("{n} pairs"),
            (Compare::Groups, 1) => "1 run on a side".to_owned(),
            (Compare::Groups, n) => format!("{n} runs on a side"),
        };
        return Some(format!("{have}: at least {least} are needed"));
    }
    let moved = finding.wide.is_some_and(Interval::excludes_zero);
    (moved && !holds).then(|| "with this many figures, a difference of this size can be chance".to_owned())
}
