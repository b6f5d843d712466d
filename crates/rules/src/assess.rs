//! A run judged: ceilings, findings, the causes of each figure, the verdict.

use crate::Facts;
use crate::attribution::{Choice, choose, severity};
use crate::ceiling::own_best;
use crate::facts::stream;
use crate::measurement::{Measurement, Path};
use crate::verdict::{GOOD, Reached, is_wire, verdict};
use crate::{Outcome, advice, imported, rules, spans, unexplained};
use fullwire_model::assessment::{
    Amount, Assessment, Bottleneck, Cause, Ceiling, Finding, Layer, MeasurementAssessment, Mechanism,
    PathAssessment, PathKind, Role, Severity, Unknown, Verdict,
};
use fullwire_model::disk::Operation;
use fullwire_model::quantity::Unit;
use fullwire_model::{Run, Window};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Judges a run: ceilings, findings (worst first), paths with their causes, verdict.
pub fn assess(run: &Run) -> Assessment {
    let run = &*continuous(run);
    let mut facts = Facts::of(run);
    let mut assessment = Assessment::default();
    let mut in_part = Vec::new();
    for rule in rules().filter(|rule| is_wanted(run, rule) && !is_recording_alone(run)) {
        if take((rule.check)(&facts), rule.code, &mut assessment) {
            in_part.push(rule.code);
        }
    }
    name_no_window(run, &mut assessment.unknowns, &in_part);
    drop_repeated(&mut assessment.unknowns);
    fold_measurements(&mut assessment.findings);
    advice::agree(&mut assessment.findings);
    assessment.ceilings = std::mem::take(&mut facts.ceilings);
    imported::name_files(run, &mut assessment);
    let judged: Vec<Judged> = facts.paths.iter().map(|path| judge(path, &assessment)).collect();
    let causes: Vec<&Cause> = judged.iter().flat_map(|one| &one.causes).collect();
    severity::lower_effects(&causes, &mut assessment.findings);
    for one in judged {
        let characteristic = facts.characteristics.remove(&one.path.subject).unwrap_or_default();
        assessment.paths.push(PathAssessment { characteristic, ..one.path });
        assessment.findings.extend(one.unexplained.filter(|_| is_wanted(run, &unexplained::RULE)));
    }
    conclude(&facts, &mut assessment);
    take_recordings(run, &mut assessment);
    assessment.conspicuous = crate::remarks::remarks(run);
    assessment.database_time = crate::database::time::database_time(run);
    rank(&mut assessment);
    assessment
}

/// A fault that several measurements of a path show is one finding that explains them all, so that its remedy is given once.
fn fold_measurements(findings: &mut Vec<Finding>) {
    let mut folded: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings.drain(..) {
        let same = |other: &&mut Finding| {
            other.code == finding.code && other.subject == finding.subject && !other.explains.is_empty()
        };
        match folded.iter_mut().find(same) {
            Some(first) if !finding.explains.is_empty() => {
                first.severity = first.severity.max(finding.severity);
                first.explains.extend(finding.explains);
            }
            _ => folded.push(finding),
        }
    }
    *findings = folded;
}

/// There is nothing but what other tools recorded: rules about this host's settings have nothing to look at.
fn is_recording_alone(run: &Run) -> bool {
    let measured =
        !run.net.is_empty() || !run.disk.is_empty() || !run.mtu.is_empty() || !run.peers.is_empty();
    !run.imported.is_empty()
        && !measured
        && run.windows.is_empty()
        && run.reports.is_empty()
        && run.logged.is_empty()
        && run.totals.is_empty()
        && run.demand.is_none()
}

/// Adds what imported files show over time.
fn take_recordings(run: &Run, assessment: &mut Assessment) {
    if run.imported.is_empty() {
        return;
    }
    let wanted = |code: &str| crate::rule(code).is_some_and(|rule| is_wanted(run, rule));
    let judged = spans::imported::judge(run);
    assessment.spans = judged.spans.into_iter().filter(|span| wanted(&span.code)).collect();
    assessment.findings.extend(judged.findings.into_iter().filter(|finding| wanted(&finding.code)));
    // What this host could not tell, the files can.
    assessment.unknowns.retain(|unknown| !spans::is_shown(&unknown.code));
    assessment.unknowns.extend(judged.unknowns);
    let fires = |code: &str| assessment.findings.iter().any(|finding| finding.code == code);
    for code in judged.decided {
        let is_unknown = assessment.unknowns.iter().any(|unknown| unknown.code == code);
        if !fires(code)
            && !is_unknown
            && wanted(code)
            && !assessment.passed.iter().any(|passed| passed == code)
        {
            assessment.passed.push(code.to_owned());
        }
    }
}

/// The run with counters that wrapped or were reset joined; itself where there are none.
fn continuous(run: &Run) -> Cow<'_, Run> {
    let own = run.windows.iter();
    let all = own.chain(run.peers.iter().flat_map(|peer| &peer.windows));
    if all.clone().all(|window| matches!(window.continuous(), Cow::Borrowed(_))) {
        return Cow::Borrowed(run);
    }
    let mut run = run.clone();
    let own = run.windows.iter_mut();
    for window in own.chain(run.peers.iter_mut().flat_map(|peer| &mut peer.windows)) {
        *window = window.continuous().into_owned();
    }
    Cow::Owned(run)
}

/// A window of no length (`--window 0s`) has levels and no growth: that nothing was read would be wrong. Of a rule that
/// knows a part, the reason says which part it does not.
fn name_no_window(run: &Run, unknowns: &mut [Unknown], in_part: &[&str]) {
    let is_glance = |window: &Window| window.from.monotonic_ns == window.to.monotonic_ns;
    if run.windows.is_empty() || !run.windows.iter().all(is_glance) {
        return;
    }
    let reason = if run.host.captured {
        "the capture has one reading of each counter, so no rates are known"
    } else {
        "the counters were not watched: the window was 0 s"
    };
    let whole = unknowns.iter_mut().filter(|unknown| !in_part.contains(&unknown.code.as_str()));
    for unknown in whole.filter(|unknown| unknown.reason.contains("window")) {
        reason.clone_into(&mut unknown.reason);
    }
}

/// A reason that a rule gives for each of its subjects is said once.
fn drop_repeated(unknowns: &mut Vec<Unknown>) {
    let mut seen = BTreeSet::new();
    unknowns.retain(|unknown| seen.insert((unknown.code.clone(), unknown.reason.clone())));
}

/// Sorts what a rule said into findings, unknowns and passes. What is unknown of one subject is no pass, whatever is known
/// of the others: `true` where that is so.
fn take(outcomes: Vec<Outcome>, code: &str, assessment: &mut Assessment) -> bool {
    let fires = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Fires(_)));
    let passes = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Passes));
    let unknown = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Unknown(_)));
    if passes && !fires && !unknown {
        assessment.passed.push(code.to_owned());
    }
    for outcome in outcomes {
        match outcome {
            Outcome::Passes => {}
            Outcome::Fires(finding) => assessment.findings.push(*finding),
            Outcome::Unknown(reason) => {
                assessment.unknowns.push(Unknown { code: code.to_owned(), reason });
            }
        }
    }
    unknown && (passes || fires)
}

fn is_wanted(run: &Run, rule: &crate::Rule) -> bool {
    let command = &run.command;
    !command.ignored.iter().any(|code| code == rule.code)
        && (command.only.is_empty() || command.only.contains(&rule.layer))
}

/// A path with the causes of all its figures.
struct Judged {
    path: PathAssessment,
    causes: Vec<Cause>,
    unexplained: Option<Finding>,
}

/// One figure with what explains it.
struct Weighed<'a> {
    measurement: &'a Measurement,
    wire: Option<(usize, f64)>,
    choice: Choice,
    felt: Option<Severity>,
    /// How many times the figure could be what it is without its cause; 1: not known.
    lost: f64,
}

fn judge(path: &Path, assessment: &Assessment) -> Judged {
    let weighed: Vec<Weighed> =
        path.measurements.iter().map(|measurement| weigh(path, measurement, assessment)).collect();
    let mut judged = PathAssessment {
        kind: path.kind,
        subject: path.subject.clone(),
        measurements: weighed.iter().map(shown).collect(),
        ..PathAssessment::default()
    };
    let shortest = shortest(path, &weighed);
    let mut unexplained = None;
    if let Some(weighed) = shortest {
        fill(&mut judged, weighed, assessment);
        unexplained = unexplained_by(path, weighed, assessment);
    } else {
        // Nothing was measured: what broke the probe is all there is to say.
        let nothing = Measurement::nothing();
        let choice = choose(path, &nothing, &assessment.findings, &[]);
        let felt = severity::felt(&choice, &assessment.findings);
        judged.verdict = verdict(None, felt, false);
        judged.bottleneck = choice.primary().map(bottleneck).unwrap_or_default();
        judged.causes = choice.causes;
    }
    if let Some(finding) = &unexplained {
        judged.bottleneck = Bottleneck {
            layer: Layer::None,
            code: finding.code.clone(),
            subject: finding.subject.clone(),
            explained: false,
        };
    }
    let causes = weighed.into_iter().flat_map(|one| one.choice.causes).chain(judged.causes.clone()).collect();
    Judged { path: judged, causes, unexplained }
}

fn weigh<'a>(path: &Path, measurement: &'a Measurement, assessment: &Assessment) -> Weighed<'a> {
    let choice = choose(path, measurement, &assessment.findings, &assessment.ceilings);
    let wire = wire_of(path, &assessment.ceilings, measurement);
    let felt = severity::felt(&choice, &assessment.findings);
    let lost = lost(path, measurement, &choice, assessment);
    Weighed { measurement, wire, choice, felt, lost }
}

/// A random read of a disk of 15,000 rpm, and a write that a cache takes; only the order of figures depends on it (own choice).
const USUAL_READ_NS: f64 = 5e6;
const USUAL_WRITE_NS: f64 = 2e6;

/// What is left once the primary cause is gone, over what was measured; where that is not known, how far its
/// latency is beyond what storage usually takes.
fn lost(path: &Path, measurement: &Measurement, choice: &Choice, assessment: &Assessment) -> f64 {
    let Some(primary) = choice.primary() else { return 1.0 };
    let now = measurement.value_in(measurement.unit).filter(|now| *now > 0.0);
    let gained = primary.after.as_ref().zip(now).map(|(after, now)| after.value / now);
    let beyond = || {
        let finding = assessment.findings.get(primary.finding?)?;
        let is_ns = finding.measured.filter(|_| finding.unit == Some(Unit::Ns))?;
        let of_each =
            [Mechanism::DeviceLatency, Mechanism::Flush, Mechanism::NfsServer].contains(&primary.mechanism);
        let usual_ns =
            if measurement.operation == Some(Operation::Write) { USUAL_WRITE_NS } else { USUAL_READ_NS };
        of_each.then_some(is_ns / usual_ns)
    };
    // Of a limit in requests: what as many in flight would do if each took no longer than one alone.
    let alone = || {
        let limited = primary.bound.is_some_and(|bound| bound.unit == Unit::IoPerS);
        let alike = path.measurements.iter().filter(|other| other.kind == measurement.kind);
        let single = alike.min_by_key(|other| other.in_flight)?;
        let each = single.io_per_s? / single.in_flight as f64 * measurement.in_flight as f64;
        (limited && primary.mechanism == Mechanism::ProvisionedRate).then_some(each / measurement.io_per_s?)
    };
    gained.or_else(beyond).or_else(alone).filter(|times| times.is_finite()).unwrap_or(1.0).clamp(1.0, 1e3)
}

fn shown(weighed: &Weighed) -> MeasurementAssessment {
    let measurement = weighed.measurement;
    let value = measurement.value_in(measurement.unit);
    let scattered = value.filter(|_| measurement.noise > 0.0);
    let explaining = weighed.choice.causes.iter().filter(|cause| cause.role != Role::Next);
    MeasurementAssessment {
        id: measurement.id.clone(),
        label: measurement.label.clone(),
        value,
        low: scattered.map(|value| value * (1.0 - measurement.noise)),
        high: scattered.map(|value| value * (1.0 + measurement.noise)),
        unit: measurement.unit,
        also: also(measurement),
        ceiling: weighed.wire.map(|(index, _)| index),
        share: weighed.wire.map(|(_, share)| share),
        demand: measurement.demand,
        demand_share: measurement.demand_share,
        driven: measurement.driven,
        causes: explaining.map(|cause| cause.code.clone()).collect(),
    }
}

/// The figure in the unit that it is not shown in.
fn also(measurement: &Measurement) -> Option<Amount> {
    let unit = if measurement.unit == Unit::BytesPerS { Unit::IoPerS } else { Unit::BytesPerS };
    Some(Amount { value: measurement.value_in(unit)?, unit })
}

/// The judged figure's part of the path.
fn fill(judged: &mut PathAssessment, weighed: &Weighed, assessment: &Assessment) {
    let measurement = weighed.measurement;
    let ceiling = weighed.wire.and_then(|(index, _)| assessment.ceilings.get(index));
    let unit = ceiling.map_or(measurement.unit, |ceiling| ceiling.unit);
    judged.measurement.clone_from(&measurement.id);
    judged.measured = measurement.value_in(unit);
    judged.demand = measurement.demand.filter(|_| unit == measurement.unit);
    judged.demand_share = measurement.demand_share;
    judged.ceiling = ceiling.map(|ceiling| ceiling.value);
    judged.unit = unit;
    let is_wire = ceiling.is_some_and(|ceiling| ceiling.kind != own_best::KIND);
    let reached = weighed.wire.map(|(_, share)| Reached { share, driven: measurement.driven, is_wire });
    judged.verdict = verdict(reached, weighed.felt, measurement.falls_short());
    judged.bottleneck = weighed.choice.primary().map(bottleneck).unwrap_or_default();
    judged.causes.clone_from(&weighed.choice.causes);
}

fn bottleneck(cause: &Cause) -> Bottleneck {
    Bottleneck {
        layer: cause.layer,
        code: cause.code.clone(),
        subject: cause.subject.clone(),
        explained: true,
    }
}

/// The finding that says that nothing explains a poor figure.
fn unexplained_by(path: &Path, weighed: &Weighed, assessment: &Assessment) -> Option<Finding> {
    let (index, share) = weighed.wire?;
    let measurement = weighed.measurement;
    if share >= GOOD || !measurement.driven || weighed.choice.primary().is_some() {
        return None;
    }
    let (excluded, unknowns) = excluded(path, assessment);
    Some(unexplained::finding(path, measurement, &assessment.ceilings[index], &excluded, &unknowns))
}

/// The figure that gives less than the database needs, else the one that falls furthest short, of those that show what
/// the path can do. Of a network's streams that nothing else distinguishes, the one that reaches less than half of another.
fn shortest<'w, 'a>(path: &Path, weighed: &'w [Weighed<'a>]) -> Option<&'w Weighed<'a>> {
    let weighed: Vec<&Weighed> = weighed.iter().filter(|one| shows_the_path(path, one, weighed)).collect();
    let worst = |one: &&&Weighed| {
        let severity = one.felt.filter(|severity| *severity >= Severity::Warning);
        // Of figures that one cause explains alike, the one that was driven hardest shows what comes next.
        let driven = Reverse(one.measurement.in_flight);
        let met = !one.measurement.falls_short();
        // What explains a figure whole says more than what is louder and explains it in part; in tenths, for no figure is
        // explained to the thousandth.
        let unexplained = ordered(1.0 - one.choice.explained) / 100;
        // What loses most to its cause speaks before what loses a little.
        let lost = Reverse(severity.map(|_| ordered(one.lost.ln()) / 100));
        (met, ordered(shortness(one)), lost, unexplained, Reverse(severity), driven)
    };
    let first = *weighed.iter().min_by_key(worst)?;
    let streams =
        weighed.iter().copied().filter(|other| other.measurement.flat_out && path.kind == PathKind::Network);
    let slower = streams.filter(|other| {
        shortness(other) <= shortness(first)
            && first.measurement.flat_out
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
    let label = chosen.measurement.label.strip_suffix(" reverse")?;
    let forward = weighed.iter().copied().find(|other| other.measurement.label == label)?;
    let alike = forward.measurement.bytes_per_s <= SAME_BOTH_WAYS * chosen.measurement.bytes_per_s;
    let same_cause =
        forward.choice.primary().map(|cause| &cause.code) == chosen.choice.primary().map(|cause| &cause.code);
    (alike && same_cause).then_some(forward)
}

/// Streams that reach this share of what more of them reach show the path as well.
const AS_MUCH: f64 = 0.95;

/// Of measurements that differ in streams or I/Os in flight alone the one with the fewest that reaches as much as any
/// shows what the path can do. The others keep their causes. One that falls short of its demand counts all the same, and
/// so does one that something limits: what one session or the one connection of redo transport waits for is felt.
/// A rate that the path or a provider sets for each flow is no fault of the path.
fn shows_the_path(path: &Path, one: &Weighed, all: &[Weighed]) -> bool {
    let own = one.measurement;
    let each_flow = |cause: &Cause| matches!(cause.mechanism, Mechanism::PathRate | Mechanism::FlowLimit);
    let held = one.felt.is_some_and(|severity| severity >= Severity::Warning)
        && !one.choice.primary().is_some_and(each_flow);
    if own.kind.is_empty() || own.falls_short() || held {
        return true;
    }
    let alike = || all.iter().map(|other| other.measurement).filter(|other| other.kind == own.kind);
    // A link of storage is stated as the ceiling of the best step alone.
    let nearly = if path.kind == PathKind::Network { AS_MUCH } else { 1.0 };
    let enough = nearly * alike().map(|other| other.bytes_per_s).fold(0.0, f64::max);
    let fewest = alike().filter(|other| other.bytes_per_s >= enough).map(|other| other.in_flight).min();
    own.bytes_per_s >= enough && fewest == Some(own.in_flight)
}

/// A share that can be sorted by, to a thousandth.
#[expect(clippy::cast_possible_truncation, reason = "shares of a figure, in thousandths")]
fn ordered(share: f64) -> i64 {
    (share * 1e3).round() as i64
}

/// The ceiling that the verdict rests on: of wire or medium, believable, for a figure taken flat out; where there is none, the
/// best that was reached before.
fn wire_of(path: &Path, ceilings: &[Ceiling], measurement: &Measurement) -> Option<(usize, f64)> {
    if !measurement.flat_out {
        return None;
    }
    let of_path = ceilings.iter().enumerate().filter(|(_, ceiling)| ceiling.path == path.subject);
    let shares =
        of_path.filter_map(|(index, ceiling)| Some((index, ceiling, measurement.share_of(ceiling)?)));
    let wires = shares.clone().filter(|(_, ceiling, share)| is_wire(ceiling, *share));
    let wire = wires.max_by(|(.., one), (.., other)| one.total_cmp(other));
    let own_best = || shares.clone().find(|(_, ceiling, _)| ceiling.kind == own_best::KIND);
    wire.or_else(own_best).map(|(index, _, share)| (index, share))
}

/// The share of a demand that is not met, or else of its ceiling, that a figure reaches. One without either that a
/// finding limits is at the upper edge of poor; otherwise it has no shortfall.
fn shortness(weighed: &Weighed) -> f64 {
    let measurement = weighed.measurement;
    let of_demand = measurement.demand_share.filter(|_| measurement.falls_short());
    let held = weighed.felt.is_some_and(|severity| severity >= Severity::Warning).then_some(GOOD);
    let of_wire = weighed.wire.map(|(_, share)| share);
    let none = if measurement.flat_out { 2.0 } else { 3.0 };
    of_demand.or(of_wire).or(held).unwrap_or(none)
}

/// Codes that passed and unknowns of rules that could explain a shortfall of this path. A rule that limits no figure rules
/// nothing out.
fn excluded(path: &Path, assessment: &Assessment) -> (Vec<String>, Vec<Unknown>) {
    let own = if path.kind == PathKind::Network { Layer::Network } else { Layer::Storage };
    let bears = |code: &str| {
        crate::rule(code).is_some_and(|rule| rule.limits() && [own, Layer::Host].contains(&rule.layer))
    };
    let passed = assessment.passed.iter().filter(|code| bears(code)).cloned().collect();
    let unknowns = assessment.unknowns.iter().filter(|unknown| bears(&unknown.code)).cloned().collect();
    (passed, unknowns)
}

/// The run's verdict and bottleneck. Loopback is the host's own ceiling and no wire: it counts only where
/// nothing else was measured, or if something limits it.
fn conclude(facts: &Facts, assessment: &mut Assessment) {
    let real = facts.paths.iter().any(|path| !path.loopback);
    let counted = || {
        facts
            .paths
            .iter()
            .zip(assessment.paths.iter().enumerate())
            .filter(|(path, (_, judged))| !path.loopback || !real || judged.verdict == Verdict::Poor)
            .map(|(_, counted)| counted)
    };
    let worst = counted().map(|(_, judged)| judged.verdict).max();
    // A path that gives less than the database needs comes first; of those that are as bad, one that someone asked
    // something of.
    let shortest = counted().min_by_key(|(index, judged)| {
        let class = match judged.verdict {
            Verdict::Poor => 0,
            Verdict::Good => 1,
            _ => 2,
        };
        let wanted = is_wanted_of(facts, &facts.paths[*index]);
        (!falls_short(judged), class, !wanted, ordered(reached(judged).min(1e6)), Reverse(judged.verdict))
    });
    let (shortest, bottleneck) = shortest.map(|(index, judged)| (index, judged.bottleneck.clone())).unzip();
    assessment.verdict = worst.unwrap_or_default();
    assessment.shortest = shortest;
    assessment.bottleneck = bottleneck.unwrap_or_default();
}

/// The database needs something of it, or the user says what it should carry.
fn is_wanted_of(facts: &Facts, path: &Path) -> bool {
    let needed = path.measurements.iter().any(|measurement| measurement.demand.is_some());
    needed || (path.kind == PathKind::Network && stream::declared(facts, &path.subject).is_some())
}

/// The judged figure is less than the database needs.
fn falls_short(judged: &PathAssessment) -> bool {
    judged.verdict == Verdict::Poor && judged.demand_share.is_some_and(|share| share < 1.0)
}

/// The share of an unmet demand or of the ceiling that a judged path reaches. A path that is limited without a known
/// ceiling is at the upper edge of poor; one of which nothing is known falls short of nothing.
fn reached(judged: &PathAssessment) -> f64 {
    let of_demand = judged.demand_share.filter(|_| falls_short(judged));
    let of_ceiling = judged
        .measured
        .zip(judged.ceiling.filter(|ceiling| *ceiling > 0.0))
        .map(|(got, ceiling)| got / ceiling);
    let held = (judged.verdict == Verdict::Poor).then_some(GOOD);
    of_demand.or(of_ceiling).or(held).unwrap_or(f64::MAX)
}

/// Worst first; what explains a path before what is merely untidy; then by what it is called. The causes keep
/// pointing at their findings.
fn rank(assessment: &mut Assessment) {
    // What a report says is ranked by its share of DB time, as ADDM ranks.
    let share = |finding: &Finding| ordered(finding.db_time_share.unwrap_or(0.0));
    let mut findings: Vec<(usize, Finding)> =
        std::mem::take(&mut assessment.findings).into_iter().enumerate().collect();
    findings.sort_by_cached_key(|(_, finding)| {
        let name = (finding.code.clone(), finding.subject.clone());
        (Reverse(finding.severity), finding.explains.is_empty(), Reverse(share(finding)), name)
    });
    let mut places = vec![0; findings.len()];
    for (place, (before, finding)) in findings.into_iter().enumerate() {
        places[before] = place;
        assessment.findings.push(finding);
    }
    for cause in assessment.paths.iter_mut().flat_map(|path| &mut path.causes) {
        cause.finding = cause.finding.and_then(|before| places.get(before).copied());
    }
}
