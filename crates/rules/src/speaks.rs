//! Which measurement speaks for its path, and which path for the run.
//!
//! Criteria are the fields of one struct each, in the order in which they decide: of two figures the first criterion in
//! which they differ names the one that speaks.

use crate::Facts;
use crate::attribution::Choice;
use crate::facts::stream;
use crate::measurement::{Measurement, Path};
use crate::verdict::GOOD;
use fullwire_model::assessment::{Cause, Mechanism, PathAssessment, PathKind, Severity, Verdict};
use std::cmp::Reverse;

/// One figure with what explains it.
pub(crate) struct Weighed<'a> {
    pub(crate) measurement: &'a Measurement,
    /// The ceiling that the verdict rests on, and the share of it that was reached.
    pub(crate) wire: Option<(usize, f64)>,
    pub(crate) choice: Choice,
    /// The severity of the finding that is the primary cause.
    pub(crate) felt: Option<Severity>,
    /// The ceiling by which the primary cause acts.
    pub(crate) limited_by: Option<usize>,
    /// How many times the figure could be what it is without its cause; 1: not known.
    pub(crate) lost: f64,
    /// The user says what it should reach, or it is what a sweep looks for.
    pub(crate) asked: bool,
}

/// A figure's claim to speak for its path; the smallest does.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    /// It gives what the database needs, or nothing is known to be needed.
    meets_demand: bool,
    /// Nothing is asked about it: what is speaks first.
    unasked: bool,
    /// The share of an unmet demand, or else of the ceiling.
    reached: Thousandths,
    /// How many times more it could be without its cause, as tenths of a logarithm: what loses most speaks before what
    /// loses a little. Nothing for a figure that no warning limits.
    lost_tenths: Reverse<Option<i64>>,
    /// What no cause explains of it, in tenths: no figure is explained to the thousandth, and what explains one whole says
    /// more than what is louder and explains it in part.
    unexplained_tenths: i64,
    severity: Reverse<Option<Severity>>,
    /// Of figures that one cause explains alike, the one that was driven hardest shows what comes next.
    in_flight: Reverse<u64>,
}

impl Claim {
    fn of(weighed: &Weighed) -> Self {
        let severity = weighed.felt.filter(|severity| *severity >= Severity::Warning);
        // A load that the plan paced, or that waits for each answer, loses less than what it does shows.
        let paced = !weighed.measurement.flat_out
            || weighed.choice.primary().is_some_and(|cause| cause.mechanism == Mechanism::Paced);
        Self {
            meets_demand: !weighed.measurement.falls_short(),
            unasked: !weighed.asked,
            reached: Thousandths::of(reached(weighed)),
            lost_tenths: Reverse(
                severity.filter(|_| !paced).map(|_| Thousandths::of(weighed.lost.ln()).0 / 100),
            ),
            unexplained_tenths: Thousandths::of(1.0 - weighed.choice.explained).0 / 100,
            severity: Reverse(severity),
            in_flight: Reverse(weighed.measurement.in_flight),
        }
    }
}

/// A share that can be sorted by.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
pub(crate) struct Thousandths(i64);

impl Thousandths {
    #[expect(clippy::cast_possible_truncation, reason = "shares of a figure, in thousandths")]
    pub(crate) fn of(share: f64) -> Self {
        Self((share * 1e3).round() as i64)
    }
}

/// The figure that speaks for a path: of those that show what the path can do, the one whose claim comes first. Of a
/// network's streams that nothing else distinguishes, the one that reaches less than half of another.
pub(crate) fn for_path<'w, 'a>(path: &Path, weighed: &'w [Weighed<'a>]) -> Option<&'w Weighed<'a>> {
    let weighed: Vec<&Weighed> = weighed.iter().filter(|one| shows_the_path(path, one, weighed)).collect();
    let first = *weighed.iter().min_by_key(|one| Claim::of(one))?;
    let streams =
        weighed.iter().copied().filter(|other| other.measurement.flat_out && path.kind == PathKind::Network);
    let slower = streams.filter(|other| {
        reached(other) <= reached(first)
            && first.measurement.flat_out
            && (other.asked || !first.asked)
            && !first.measurement.falls_short()
            && other.measurement.bytes_per_s < 0.5 * first.measurement.bytes_per_s
    });
    let slowest =
        slower.min_by(|one, other| one.measurement.bytes_per_s.total_cmp(&other.measurement.bytes_per_s));
    let chosen = slowest.unwrap_or(first);
    Some(forward_of(chosen, &weighed).unwrap_or(chosen))
}

/// Two directions that differ by less are the same figure, and chance must not choose between them (own choice).
const SAME_BOTH_WAYS: f64 = 1.1;

/// The same measurement the way that redo goes, where it gives as little.
fn forward_of<'w, 'a>(chosen: &Weighed, weighed: &[&'w Weighed<'a>]) -> Option<&'w Weighed<'a>> {
    let asked = chosen.measurement.question.as_ref()?.forward()?;
    let forward =
        weighed.iter().copied().find(|other| other.measurement.question.as_ref() == Some(&asked))?;
    let alike = forward.measurement.bytes_per_s <= SAME_BOTH_WAYS * chosen.measurement.bytes_per_s;
    let same_cause =
        forward.choice.primary().map(|cause| &cause.code) == chosen.choice.primary().map(|cause| &cause.code);
    (alike && same_cause).then_some(forward)
}

/// Streams that reach this share of what more of them reach show the path as well.
const AS_MUCH: f64 = 0.95;

/// What a queue costs of a figure that it is named for, as a factor (own choice: more than any measurement's noise).
const QUEUED: f64 = 1.3;

/// Of measurements that differ in streams or I/Os in flight alone the one with the fewest that reaches as much as any
/// shows what the path can do. The others keep their causes. One that falls short of its demand counts all the same, and
/// so does one that something limits: what one session or the one connection of redo transport waits for is felt.
/// A rate that the path or a provider sets for each flow is no fault of the path.
fn shows_the_path(path: &Path, one: &Weighed, all: &[Weighed]) -> bool {
    let own = one.measurement;
    let alike = || all.iter().map(|other| other.measurement).filter(|other| other.kind == own.kind);
    // A stream that was still growing says nothing beside one that came to its end, unless reordering ended its slow start.
    let grown = |other: &Measurement| other.driven && other.bytes_per_s > own.bytes_per_s;
    let slowed = one.choice.primary().is_some_and(|cause| cause.mechanism == Mechanism::Reordering);
    let begins =
        path.kind == PathKind::Network && own.flat_out && own.kind.is_some() && !own.driven && !slowed;
    if begins && alike().any(grown) {
        return false;
    }
    let each_flow = |cause: &Cause| matches!(cause.mechanism, Mechanism::PathRate | Mechanism::FlowLimit);
    let held = one.felt.is_some_and(|severity| severity >= Severity::Warning)
        && !one.choice.primary().is_some_and(each_flow);
    // A queue of this host that a shallow load just fills holds the deep one, though it gives no more.
    let queued = one.choice.primary().is_some_and(|cause| cause.mechanism == Mechanism::QueueDepth)
        && one.lost >= QUEUED;
    if queued || own.kind.is_none() || own.falls_short() || held {
        return true;
    }
    // A link of storage is stated as the ceiling of the best step alone.
    let nearly = if path.kind == PathKind::Network { AS_MUCH } else { 1.0 };
    let enough = nearly * alike().map(|other| other.bytes_per_s).fold(0.0, f64::max);
    let fewest = alike().filter(|other| other.bytes_per_s >= enough).map(|other| other.in_flight).min();
    own.bytes_per_s >= enough && fewest == Some(own.in_flight)
}

/// The share of a demand that is not met, or else of its ceiling, that a figure reaches. One without either that a
/// finding limits is at the upper edge of poor; otherwise it has no shortfall.
fn reached(weighed: &Weighed) -> f64 {
    let measurement = weighed.measurement;
    let of_demand = measurement.demand_share.filter(|_| measurement.falls_short());
    let held = weighed.felt.is_some_and(|severity| severity >= Severity::Warning).then_some(GOOD);
    let of_wire = weighed.wire.map(|(_, share)| share);
    let none = if measurement.flat_out { 2.0 } else { 3.0 };
    of_demand.or(of_wire).or(held).unwrap_or(none)
}

/// A judged path's claim to speak for the run; the smallest does.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct PathClaim {
    /// It gives what the database needs, or nothing is known to be needed.
    meets_demand: bool,
    /// Poor before good, and good before what reached its ceiling or has none.
    verdict: Standing,
    /// Nobody asks anything of it: neither the database nor the user.
    unwanted: bool,
    reached: Thousandths,
    worse: Reverse<Verdict>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    Poor,
    Good,
    Other,
}

impl PathClaim {
    fn of(facts: &Facts, path: &Path, judged: &PathAssessment) -> Self {
        Self {
            meets_demand: !falls_short(judged),
            verdict: match judged.verdict {
                Verdict::Poor => Standing::Poor,
                Verdict::Good => Standing::Good,
                _ => Standing::Other,
            },
            unwanted: !is_wanted(facts, path),
            reached: Thousandths::of(path_reached(judged).min(1e6)),
            worse: Reverse(judged.verdict),
        }
    }
}

/// The run's verdict, the worst of its paths, and the path that speaks for it. Loopback is the host's own ceiling and no
/// wire: it counts only where nothing else was measured.
pub(crate) fn for_run(facts: &Facts, judged: &[PathAssessment]) -> (Option<Verdict>, Option<usize>) {
    let real = facts.paths.iter().any(|path| !path.loopback);
    let counted: Vec<(usize, &Path, &PathAssessment)> = (0..)
        .zip(&facts.paths)
        .zip(judged)
        .map(|((index, path), judged)| (index, path, judged))
        .filter(|(_, path, _)| !path.loopback || !real)
        .collect();
    let worst = counted.iter().map(|(.., judged)| judged.verdict).max();
    let speaks = counted.iter().min_by_key(|(_, path, judged)| PathClaim::of(facts, path, judged));
    (worst, speaks.map(|(index, ..)| *index))
}

/// The database needs something of it, or the user says what it should carry.
fn is_wanted(facts: &Facts, path: &Path) -> bool {
    let needed = path.measurements.iter().any(|measurement| measurement.demand.is_some());
    needed || (path.kind == PathKind::Network && stream::declared(facts, &path.subject).is_some())
}

/// The judged figure is less than the database needs.
fn falls_short(judged: &PathAssessment) -> bool {
    judged.verdict == Verdict::Poor && judged.demand_share.is_some_and(|share| share < 1.0)
}

/// The share of an unmet demand or of the ceiling that a judged path reaches. A path that is limited without a known
/// ceiling is at the upper edge of poor; one of which nothing is known falls short of nothing.
fn path_reached(judged: &PathAssessment) -> f64 {
    let of_demand = judged.demand_share.filter(|_| falls_short(judged));
    let of_ceiling = judged
        .measured
        .zip(judged.ceiling.filter(|ceiling| *ceiling > 0.0))
        .map(|(got, ceiling)| got / ceiling);
    let held = (judged.verdict == Verdict::Poor).then_some(GOOD);
    of_demand.or(of_ceiling).or(held).unwrap_or(f64::MAX)
}
