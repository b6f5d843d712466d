//! Of several explanations of one figure: which sets it, what acts next to it, what comes next, what only follows.

use super::candidate::{ACTS, CPU_BUSY, Candidate, FAR, OWN_LATENCY};
use super::mechanism::brings_about;
use crate::ceiling::{Basis, is_declared};
use crate::measurement::{Measurement, Path};
use crate::verdict::FULL_WIRE;
use fullwire_model::assessment::{
    After, Amount, Bound, Cause, Ceiling, Explanation, Finding, Mechanism, Role, Severity,
};
use fullwire_model::quantity::Unit;
use std::cmp::Reverse;

thresholds! {
    /// A CPU must be 90 % busy to be named as the cause.
    const CPU_LIMITS: f64 = 0.6;
    /// Bounds of one kind that differ by less are one (own choice: less than any measurement's noise).
    const ALIKE: f64 = 0.01;
    /// What a single block takes, at most, of a disk that is in order (Oracle's customary 10 ms for `db file sequential read`).
    const IN_ORDER_MS: f64 = 10.0;
    /// What a read takes of an all-flash array on a network (own choice); so many in flight reach no limit beyond.
    const FLASH_MS: f64 = 0.5;
    /// Of the time: without it the figure would be 15 % more.
    const STOOD: f64 = 0.13;
    /// The rate of a line as two measurements show it (own choice: more than the noise of either).
    const SAME_LINE: f64 = 0.25;
}

/// The causes of one measurement.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    /// In order: the primary one, the contributing ones, what comes next, the effects.
    pub(crate) causes: Vec<Cause>,
    /// How much of the figure the primary cause explains, 0 to 1.
    pub(crate) explained: f64,
    /// The ceiling that the primary cause is, as an index; `None`: a finding.
    pub(crate) ceiling: Option<usize>,
}

impl Choice {
    /// What sets the figure.
    pub(crate) fn primary(&self) -> Option<&Cause> {
        self.causes.first().filter(|cause| cause.role == Role::Primary)
    }
}

/// Weighs all findings and ceilings that are about a measurement.
pub(crate) fn choose(
    path: &Path,
    measurement: &Measurement,
    findings: &[Finding],
    ceilings: &[Ceiling],
) -> Choice {
    let of_path = path.ceilings(ceilings);
    let by_ceiling =
        of_path.filter_map(|(index, ceiling)| Candidate::of_ceiling(index, ceiling, measurement));
    let by_finding = findings
        .iter()
        .enumerate()
        .filter_map(|(index, finding)| Candidate::of_finding(index, finding, path, measurement));
    let candidates = without_repetitions(by_finding.collect(), by_ceiling.collect());
    let (effects, causes) = split_effects(candidates, measurement);
    let (mut acting, waiting): (Vec<Candidate>, Vec<Candidate>) =
        causes.into_iter().partition(|candidate| acts(candidate) && is_named(candidate));
    acting.sort_by_cached_key(|candidate| Rank::of(candidate, measurement));
    let explained = acting.first().map_or(0.0, |first| first.explains);
    let ceiling = acting.first().and_then(|first| first.ceiling);
    let next = what_waits(waiting, &acting, measurement);
    let line = line_of_another(path, measurement, findings);
    let mut causes = in_order(&acting, &next, measurement, line);
    // A ceiling far above the figure is no consequence that is felt.
    let felt = effects.iter().filter(|effect| effect.finding.is_some() || effect.explains >= ACTS);
    causes.extend(felt.map(|effect| cause(effect, Role::Effect, measurement, None)));
    Choice { causes, explained, ceiling }
}

/// A ceiling that a finding of the same mechanism names says nothing more: the finding has the evidence.
fn without_repetitions(findings: Vec<Candidate>, ceilings: Vec<Candidate>) -> Vec<Candidate> {
    let named = |ceiling: &Candidate| {
        findings.iter().any(|finding| finding.mechanism == ceiling.mechanism && acts(finding))
    };
    let rest: Vec<Candidate> =
        ceilings.into_iter().filter(|ceiling| ceiling.wire || !named(ceiling)).collect();
    findings.into_iter().chain(rest).collect()
}

/// It is felt in the figure. A wire is from 90 % on; what is only estimated must be reached as nearly.
fn acts(candidate: &Candidate) -> bool {
    match (candidate.finding, candidate.basis) {
        (Some(_), _) if is_share_of_time(candidate.mechanism) => candidate.explains >= STOOD,
        (Some(_), _) => candidate.explains >= ACTS,
        (None, _) if candidate.mechanism == Mechanism::CpuBusy => candidate.explains > 0.0,
        (None, Basis::Latency) => true,
        (None, Basis::DeviceLatency) => candidate.explains >= OWN_LATENCY * FULL_WIRE,
        (None, _) => candidate.explains >= FULL_WIRE,
    }
}

/// What it explains is the share of the time in which nothing else went on.
const fn is_share_of_time(mechanism: Mechanism) -> bool {
    matches!(mechanism, Mechanism::Stalls | Mechanism::ForeignLoad | Mechanism::CpuStarved)
}

/// It may be called the cause. A CPU that is three quarters busy causes much, and is not yet what limits.
fn is_named(candidate: &Candidate) -> bool {
    candidate.finding.is_some()
        || candidate.mechanism != Mechanism::CpuBusy
        || candidate.explains >= CPU_LIMITS
}

/// Findings that are effects of another acting cause, and the rest.
fn split_effects(candidates: Vec<Candidate>, measurement: &Measurement) -> (Vec<Candidate>, Vec<Candidate>) {
    let is_effect = |effect: &Candidate| {
        // What is not named itself takes no bound away that explains the figure better; a rate that was read off the figure
        // itself explains nothing where a CPU is busy.
        let computed = effect.bound.is_some_and(|bound| !bound.inferred);
        let may_cause = |other: &&Candidate| {
            acts(other) && (is_named(other) || !computed || other.explains >= effect.explains)
        };
        candidates.iter().filter(may_cause).any(|other| {
            let better_bound = effect.by_bound && effect.explains > other.explains;
            brings_about(other.mechanism, effect.mechanism)
                .is_some_and(|when| when.is_possible(&measurement.signals, better_bound))
        })
    };
    let flags: Vec<bool> =
        candidates.iter().map(|one| (one.finding.is_some() || acts(one)) && is_effect(one)).collect();
    let (effects, causes): (Vec<_>, Vec<_>) =
        candidates.into_iter().zip(flags).partition(|(_, effect)| *effect);
    let bare = |both: Vec<(Candidate, bool)>| both.into_iter().map(|(candidate, _)| candidate).collect();
    (bare(effects), bare(causes))
}

/// A cause's place among those that act; the smallest is the primary one. Neither the order nor the names of rules
/// decide: what is left is ordered by what they say.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    no_full_wire: bool,
    /// It only says that each takes as long as it takes, or is a sign that says less: what is seen to act on that comes before.
    own_latency: bool,
    /// What it leaves unexplained, in twentieths: what differs by less is within the noise of a probe.
    unexplained_twentieths: i64,
    is_ceiling: bool,
    /// How far its bound is from the figure, in hundredths of a logarithm.
    distance: i64,
    severity: Reverse<Option<Severity>>,
    subject: String,
    says: String,
}

impl Rank {
    #[expect(clippy::cast_possible_truncation, reason = "shares and logarithms of ratios, in small steps")]
    fn of(candidate: &Candidate, measurement: &Measurement) -> Self {
        let ratio = |bound: Bound| Some(measurement.value_in(bound.unit)? / bound.value);
        let distance = candidate.bound.and_then(ratio).map(|ratio| (ratio.ln().abs() * 100.0).round() as i64);
        Self {
            no_full_wire: !(candidate.wire && candidate.explains >= FULL_WIRE),
            own_latency: matches!(candidate.basis, Basis::Latency | Basis::DeviceLatency)
                || candidate.active.is_none() && candidate.explains < OWN_LATENCY,
            unexplained_twentieths: ((1.0 - candidate.explains) * 20.0).round() as i64,
            is_ceiling: candidate.finding.is_none(),
            distance: distance.unwrap_or(i64::MAX),
            severity: Reverse(candidate.severity),
            subject: candidate.subject.clone(),
            says: candidate.says.clone(),
        }
    }
}

/// What would limit if the acting causes were gone: bounds above the figure, lowest first, up to the wire.
fn what_waits(waiting: Vec<Candidate>, acting: &[Candidate], measurement: &Measurement) -> Vec<Candidate> {
    let at = |candidate: &Candidate| candidate.bound_of(measurement).unwrap_or(f64::INFINITY);
    let value = measurement.value_in(measurement.unit).unwrap_or(0.0);
    let lowest_wire = waiting.iter().filter(|one| one.wire).map(at).fold(f64::INFINITY, f64::min);
    let mut next: Vec<Candidate> = waiting
        .into_iter()
        .filter(|one| at(one).is_finite() && at(one) >= value && at(one) <= lowest_wire)
        .filter(|one| value <= 0.0 || at(one) < FAR * value)
        .filter(|one| acting.iter().all(|other| !goes_with(other, one)))
        .filter(|one| one.basis != Basis::Generator)
        .filter(|one| one.mechanism != Mechanism::IoLimit || is_in_reach(at(one), measurement))
        .collect();
    next.sort_by(|one, other| {
        let order = |one: &Candidate| (one.finding.is_none(), one.says.clone());
        at(one).total_cmp(&at(other)).then_with(|| order(one).cmp(&order(other)))
    });
    // What another one at the same bound brings about is no further link.
    let follows: Vec<bool> = next
        .iter()
        .map(|one| {
            let same = next.iter().filter(|other| (at(one) - at(other)).abs() <= ALIKE * at(other));
            let mut when = same.filter_map(|other| brings_about(other.mechanism, one.mechanism));
            when.any(|when| when.is_possible(&measurement.signals, false))
        })
        .collect();
    let mut follows = follows.into_iter();
    next.retain(|_| !follows.next().unwrap_or(false));
    // Both ends of a path often have the same ceiling, and a finding the same as its ceiling: one link of the chain.
    next.dedup_by(|one, before| {
        let repeats = one.finding.is_some() != before.finding.is_some() && one.mechanism == before.mechanism;
        let same = (one.code == before.code || repeats) && (at(one) - at(before)).abs() <= ALIKE * at(before);
        // The finding has the evidence, whichever of the two is a hair lower.
        if same && one.finding.is_some() && before.finding.is_none() {
            std::mem::swap(one, before);
        }
        same
    });
    next
}

/// Storage may let so many in flight come so far; a limit beyond waits for nobody.
fn is_in_reach(value: f64, measurement: &Measurement) -> bool {
    measurement.each_ms_at(value).is_none_or(|each_ms| each_ms >= FLASH_MS)
}

/// What is left of a bound once a cause is gone is not known where that cause sets it as well.
fn goes_with(cause: &Candidate, bound: &Candidate) -> bool {
    cause.mechanism == bound.mechanism || brings_about(cause.mechanism, bound.mechanism).is_some()
}

/// The chain: each with what is left once it and those before it are gone.
fn in_order(
    acting: &[Candidate],
    next: &[Candidate],
    measurement: &Measurement,
    line: Option<f64>,
) -> Vec<Cause> {
    let all: Vec<&Candidate> = acting.iter().chain(next).collect();
    // Where a bound explains the whole figure, only another one that does so as well can have a part in it.
    let whole = acting.first().is_some_and(|first| first.by_bound);
    let role = |place: usize, candidate: &Candidate| match place {
        0 if !acting.is_empty() => Role::Primary,
        place if place < acting.len() && (candidate.by_bound || !whole) => Role::Contributing,
        _ => Role::Next,
    };
    let causes = all.iter().enumerate().map(|(place, candidate)| {
        // A wire is no fault, and nothing is promised of another one.
        let mended = !candidate.wire && candidate.mechanism != Mechanism::Wire;
        let after = after(&all[..=place], &all[place + 1..], measurement).filter(|_| mended);
        let after = after.filter(|after| is_declared(&after.limited_by) || within(line, after.value));
        cause(candidate, role(place, candidate), measurement, after)
    });
    causes.collect()
}

/// The rate that something on this path sets for another measurement, read off its own figure: most lines carry the same both
/// ways, so that nothing beyond it is a promise.
fn line_of_another(path: &Path, measurement: &Measurement, findings: &[Finding]) -> Option<f64> {
    let explanations = findings.iter().flat_map(|finding| &finding.explains);
    let covers = |one: &Explanation, id| one.covers(&path.subject, id);
    let others = explanations.filter(|one| {
        one.mechanism == Mechanism::PathRate
            && path.measurements.iter().any(|other| covers(one, &other.id))
            && !covers(one, &measurement.id)
    });
    let rates = others.filter_map(|one| one.bound.filter(|bound| bound.unit == Unit::BytesPerS));
    rates.map(|bound| bound.value).reduce(f64::max)
}

/// More than that line's noise beyond it is not known.
fn within(line: Option<f64>, value: f64) -> bool {
    line.is_none_or(|line| value <= line * (1.0 + SAME_LINE))
}

/// The lowest bound of what is left, or what one of the causes that are gone says is left without it; unknown where a
/// counter says that something acts which has none. A bare sign (a round trip that varies, a route that looks odd)
/// promises nothing and forbids nothing.
fn after(gone: &[&Candidate], rest: &[&Candidate], measurement: &Measurement) -> Option<After> {
    // A limit that someone set hides what the storage itself can do, unless an experiment showed it.
    let by_someone =
        |one: &&&Candidate| matches!(one.mechanism, Mechanism::ProvisionedRate | Mechanism::IoLimit);
    let mut set = gone.iter().filter(by_someone).peekable();
    if set.peek().is_some() {
        return set.find_map(|one| one.after_of(measurement));
    }
    // What others take meanwhile is not known once the figure is another one; and what they leave is no promise.
    let others = gone.iter().any(|one| one.mechanism == Mechanism::ForeignLoad);
    if measurement.is_void() && !others {
        return None;
    }
    // A queue delays what arrives and takes none of it.
    if gone.iter().all(|one| one.mechanism == Mechanism::PathQueue) {
        return None;
    }
    // A policer on the way may hold what a line would carry, and its rate is not read.
    if measurement.signals.filtered {
        return None;
    }
    // CPUs that others use are a sign: how long the figure waited for one is not counted, nor what it would be without them.
    if gone.iter().any(|one| one.mechanism == Mechanism::CpuStarved && one.active.is_none()) {
        return None;
    }
    // Who waits for a CPU or for the peer's disk sees each answer late: that latency goes with its cause.
    let waits = |one: &&Candidate| matches!(one.mechanism, Mechanism::CpuStarved | Mechanism::RemoteWrite);
    let late = |one: &Candidate| one.basis == Basis::Latency && gone.iter().any(waits);
    let bound = |one: &Candidate| one.bound_of(measurement);
    // Queues of disks side by side are one cause: a remedy of one is one of all.
    let beside = |one: &Candidate| {
        one.mechanism == Mechanism::QueueDepth && gone.iter().any(|other| other.code == one.code)
    };
    let more_links = gone.iter().any(|one| one.mechanism == Mechanism::BondLinks);
    let goes = |one: &Candidate| beside(one) || late(one) || (more_links && one.by_links);
    let rest: Vec<&Candidate> = rest.iter().copied().filter(|one| !goes(one)).collect();
    if rest.iter().any(|one| acts(one) && one.active.is_some() && bound(one).is_none()) {
        return None;
    }
    // A rate that was read off the figure itself says nothing of another one.
    // What a queue would let through says nothing of large I/Os, which fill the bytes that a device moves before it.
    let large =
        measurement.operation.is_some() && measurement.unit == Unit::BytesPerS && measurement.in_flight > 1;
    if large && rest.iter().all(|one| one.mechanism != Mechanism::Wire) {
        return None;
    }
    let by_bound =
        rest.iter().filter(|one| !one.bound.is_some_and(|bound| bound.inferred)).filter_map(|one| {
            let low = bound(one)?;
            let value = low * one.upper();
            let [low, high] = [low, value].map(|end| Some(end).filter(|_| value > low));
            let after = After { value, low, high, unit: measurement.unit, limited_by: one.code.clone() };
            Some((after, one.estimated))
        });
    let shown = gone.iter().filter_map(|one| Some((one.after_of(measurement)?, false)));
    let all = by_bound.chain(shown);
    let (after, estimated) = all.min_by(|(one, _), (other, _)| one.value.total_cmp(&other.value))?;
    // More than an estimate is not to be expected, and an estimate is no promise.
    if estimated {
        return None;
    }
    // NFS requests wait for slots: the remedy gives more of them, and what they let through now is what was measured.
    let slots = |one: &&Candidate| one.mechanism == Mechanism::QueueDepth && one.code == after.limited_by;
    if gone.iter().any(|one| one.mechanism == Mechanism::NfsQueue) && rest.iter().any(slots) {
        return None;
    }
    // How fast a slow device becomes, or one without its other users, is not known: a limit that it could reach only by being
    // quick is no promise.
    let slowed = [Mechanism::DeviceLatency, Mechanism::ForeignLoad];
    let mended = gone.iter().any(|one| slowed.contains(&one.mechanism) && one.without.is_none());
    if mended && measurement.each_ms_at(after.value).is_some_and(|each_ms| each_ms < IN_ORDER_MS) {
        return None;
    }
    // What a CPU would do that is not busy is no promise: the work for a byte falls as the rate grows, and at a held rate each
    // packet wakes the program by itself.
    let idle = |one: &&Candidate| {
        one.mechanism == Mechanism::CpuBusy
            && one.code == after.limited_by
            && one.active.is_some_and(|share| share < CPU_BUSY)
    };
    (!rest.iter().any(idle)).then_some(after)
}

/// What is so far above the figure is no evidence.
fn is_far(candidate: &Candidate, measurement: &Measurement) -> bool {
    let value = measurement.value_in(measurement.unit).filter(|value| *value > 0.0);
    candidate.bound_of(measurement).zip(value).is_some_and(|(bound, value)| bound >= FAR * value)
}

fn cause(candidate: &Candidate, role: Role, measurement: &Measurement, after: Option<After>) -> Cause {
    Cause {
        role,
        measurement: measurement.id.clone(),
        code: candidate.code.clone(),
        subject: candidate.subject.clone(),
        layer: candidate.layer,
        mechanism: candidate.mechanism,
        finding: candidate.finding,
        bound: candidate
            .bound
            .filter(|_| !is_far(candidate, measurement))
            .map(|bound| Amount { value: bound.value, unit: bound.unit }),
        active_share: candidate.active,
        after,
    }
}

#[cfg(test)]
mod tests;
