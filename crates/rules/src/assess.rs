//! A run judged: ceilings, findings, the causes of each figure, the verdict.

use crate::Facts;
use crate::answer;
use crate::attribution::{choose, effects, severity};
use crate::measurement::{Measurement, Path};
use crate::speaks::{self, Thousandths, Weighed};
use crate::verdict::{FULL_WIRE, GOOD, Reached, is_wire, verdict};
use crate::{Outcome, advice, database, imported, rules, spans, unexplained};
use fullwire_model::assessment::{
    Amount, Assessment, Bottleneck, Cause, Ceiling, Earlier, Finding, Layer, MeasurementAssessment,
    Mechanism, PathAssessment, PathKind, Role, Severity, Unknown, Verdict,
};
use fullwire_model::quantity::Unit;
use fullwire_model::{Run, Window};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Findings of one rule that are kept (own choice: more than the disks of a large host).
const MOST_FINDINGS: usize = 1_000;

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
    effects::of_links(&mut assessment.findings);
    advice::agree(&mut assessment.findings);
    advice::in_place_of_drives(&run.host, &mut assessment.findings);
    advice::without_systemd(&run.host, &mut assessment.findings);
    advice::with_settings_managers(&run.host, &mut assessment.findings);
    advice::on_read_only(&run.host, &mut assessment.findings);
    database::with_managers(&run.host, &mut assessment.findings);
    assessment.ceilings = std::mem::take(&mut facts.ceilings);
    imported::name_files(run, &mut assessment);
    let judged: Vec<Judged> = facts.paths.iter().map(|path| judge(&facts, path, &assessment)).collect();
    let causes: Vec<&Cause> = judged.iter().flat_map(|one| &one.causes).collect();
    effects::of_figures(&causes, &mut assessment.findings);
    for one in judged {
        let characteristic = facts.characteristics.remove(&one.path.target).unwrap_or_default();
        assessment.paths.push(PathAssessment { characteristic, ..one.path });
        assessment.findings.extend(one.unexplained.filter(|_| is_wanted(run, &unexplained::RULE)));
    }
    conclude(&facts, &mut assessment);
    take_recordings(run, &mut assessment);
    assessment.conspicuous = crate::remarks::remarks(run);
    assessment.conspicuous_series =
        run.imported.iter().flat_map(crate::spans::imported::conspicuous::series).collect();
    assessment.database_time = crate::database::time::database_time(run);
    rank(&mut assessment, run.command.sga_bytes.is_some());
    assessment.answers = answer::answers(&facts, &assessment);
    assessment
}

/// The ceiling of the first path alone: no rule is asked what else it concludes. Who takes the runs of many hosts asks this of
/// each of them, and a run may list whatever its host likes.
pub fn ceiling(run: &Run) -> Option<f64> {
    let run = &*continuous(run);
    let mut facts = Facts::of(run);
    let assessment = Assessment { ceilings: std::mem::take(&mut facts.ceilings), ..Assessment::default() };
    judge(&facts, facts.paths.first()?, &assessment).path.ceiling
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
    let own = assessment.findings.len();
    let (outcomes, left_out) = worst(outcomes);
    if left_out > 0 {
        let reason = format!(
            "{left_out} more findings like those shown are left out: the {MOST_FINDINGS} worst are kept"
        );
        assessment.unknowns.push(Unknown { code: code.to_owned(), reason });
    }
    for outcome in outcomes {
        match outcome {
            Outcome::Passes => {}
            Outcome::Fires(finding) => add(&mut assessment.findings, own, *finding),
            Outcome::Unknown(reason) => {
                assessment.unknowns.push(Unknown { code: code.to_owned(), reason });
            }
        }
    }
    unknown && (passes || fires)
}

/// What a rule says, with no more findings than anyone reads, and how many were left out: records that a stranger sent name
/// as many things as they like, and each finding is a hundred times as large as what it is about.
fn worst(mut outcomes: Vec<Outcome>) -> (Vec<Outcome>, usize) {
    let severity = |outcome: &Outcome| match outcome {
        Outcome::Fires(finding) => Some(Reverse(finding.severity)),
        _ => None,
    };
    let fired = outcomes.iter().filter(|outcome| severity(outcome).is_some()).count();
    if fired > MOST_FINDINGS {
        // What is no finding sorts first, and stays.
        outcomes.sort_by_key(severity);
        outcomes.truncate(outcomes.len() - (fired - MOST_FINDINGS));
    }
    (outcomes, fired.saturating_sub(MOST_FINDINGS))
}

/// A fault that several measurements of a path show is one finding that explains them all, so that its remedy is given once;
/// and what is said in the same words is said once. The findings of its rule begin at `own`.
fn add(findings: &mut Vec<Finding>, own: usize, finding: Finding) {
    let explain = |other: &Finding| !other.explains.is_empty() && !finding.explains.is_empty();
    let same = |other: &&mut Finding| {
        other.subject_ref == finding.subject_ref && (explain(other) || other.message == finding.message)
    };
    match findings[own..].iter_mut().find(same) {
        Some(first) => {
            first.severity = first.severity.max(finding.severity);
            first.explains.extend(finding.explains);
        }
        None => findings.push(finding),
    }
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

/// A busy host or disk breaks no probe.
const NO_BREAK: [Mechanism; 3] = [Mechanism::CpuBusy, Mechanism::CpuStarved, Mechanism::ForeignLoad];

fn judge(run: &Run, path: &Path, assessment: &Assessment) -> Judged {
    let weighed: Vec<Weighed> =
        path.measurements.iter().map(|measurement| weigh(path, measurement, assessment)).collect();
    let of_sweep = answer::step_of_sweep(run, &path.target);
    let mut judged = PathAssessment {
        kind: path.kind,
        target: path.target.clone(),
        measurements: weighed.iter().map(shown).collect(),
        ..PathAssessment::default()
    };
    let mut unexplained = None;
    if let Some(speaks) = speaks::for_path(path, &weighed, of_sweep.as_ref()) {
        fill(&mut judged, speaks, assessment);
        judged.earlier = earlier(run, path, speaks.measurement);
        unexplained = unexplained_by(path, speaks, assessment);
        if let Some(other) = speaks::contradicting(path, speaks, &weighed) {
            judged.verdict = Verdict::Poor;
            let measured = [speaks, other].map(|one| one.measurement);
            unexplained = Some(unexplained::beside(path, measured, &excluded(path, assessment)));
        }
    } else {
        // Nothing was measured: what broke the probe is all there is to say.
        let nothing = Measurement::nothing();
        let mut choice = choose(path, &nothing, &assessment.findings, &[]);
        let felt = severity::felt(&choice, &assessment.findings);
        let breaks = |cause: &Cause| !NO_BREAK.contains(&cause.mechanism);
        if choice.primary().is_some_and(breaks) {
            choice.causes.retain(breaks);
            judged.verdict = verdict(None, felt, false);
            judged.bottleneck = choice.primary().map(bottleneck).unwrap_or_default();
            judged.causes = choice.causes;
        }
    }
    if run.has_no_rate(path.kind, &path.target) {
        judged.verdict = Verdict::Unknown;
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
    let lost = speaks::lost(path, measurement, &choice, &assessment.findings);
    let limited_by = choice
        .ceiling
        .or_else(|| acting(path, measurement, choice.primary()?.mechanism, &assessment.ceilings));
    let held = wire.and_then(|(index, _)| assessment.ceilings.get(index));
    let asked = held.is_some_and(answer::is_promise);
    Weighed { measurement, wire, choice, felt, limited_by, lost, asked }
}

/// The lowest ceiling that acts as a finding does.
fn acting(
    path: &Path,
    measurement: &Measurement,
    mechanism: Mechanism,
    ceilings: &[Ceiling],
) -> Option<usize> {
    let bounds = !matches!(mechanism, Mechanism::Wire | Mechanism::Other);
    let is_it = |ceiling: &Ceiling| !ceiling.refuted && bounds && ceiling.mechanism == mechanism;
    let own = path.ceilings(ceilings).filter(|(_, one)| is_it(one));
    let shares = own.filter_map(|(index, one)| Some((index, one.value, measurement.share_of(one)?)));
    let lowest = shares.max_by(|(_, value, share), (_, other_value, other)| {
        share.total_cmp(other).then(other_value.total_cmp(value))
    });
    lowest.map(|(index, ..)| index)
}

fn shown(weighed: &Weighed) -> MeasurementAssessment {
    let measurement = weighed.measurement;
    let value = measurement.value_in(measurement.unit);
    let scattered = |sign: f64| {
        value.zip(measurement.noise).map(|(value, noise)| (value * (1.0 + sign * noise)).max(0.0))
    };
    let explaining = weighed.choice.causes.iter().filter(|cause| cause.role != Role::Next);
    MeasurementAssessment {
        id: measurement.id.clone(),
        label: measurement.label(),
        value,
        low: scattered(-1.0),
        high: scattered(1.0),
        unit: measurement.unit,
        also: also(measurement),
        ceiling: weighed.wire.map(|(index, _)| index),
        share: weighed.wire.map(|(_, share)| share),
        demand: measurement.demand,
        demand_share: measurement.demand_share,
        driven: measurement.driven,
        causes: explaining.map(|cause| cause.code.clone()).collect(),
        limited_by: weighed.limited_by,
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
    judged.measurement.clone_from(&measurement.id);
    judged.measured = measurement.value_in(measurement.unit);
    judged.demand = measurement.demand;
    judged.demand_share = measurement.demand_share;
    // A figure has one unit wherever it is shown.
    judged.ceiling = ceiling.and_then(|ceiling| measurement.in_own_unit(ceiling.value, ceiling.unit));
    judged.unit = measurement.unit;
    let reached = weighed.wire.map(|(_, share)| Reached { share, driven: measurement.driven });
    // What limits a figure that is not the path's own limits that figure alone.
    let felt = weighed.felt.filter(|_| !measurement.is_void());
    judged.verdict = verdict(reached, felt, measurement.falls_short());
    judged.bottleneck = weighed.choice.primary().map(bottleneck).unwrap_or_default();
    judged.causes.clone_from(&weighed.choice.causes);
}

/// What the same measurement reached in earlier runs: no ceiling, and no verdict rests on it.
fn earlier(run: &Run, path: &Path, measurement: &Measurement) -> Option<Earlier> {
    let best = run.best.iter().find(|best| best.is_of(&path.target, &measurement.id))?;
    let value = measurement.in_own_unit(best.value, best.unit)?;
    Some(Earlier { value, run_id: best.run_id.clone(), at: best.at, runs: best.runs })
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
    Some(unexplained::finding(path, measurement, &assessment.ceilings[index], &excluded(path, assessment)))
}

/// The ceiling that the verdict rests on: of wire or medium, believable, for a figure taken flat out; or a promise that it
/// exceeds.
fn wire_of(path: &Path, ceilings: &[Ceiling], measurement: &Measurement) -> Option<(usize, f64)> {
    let of_path = path.ceilings(ceilings);
    let shares =
        of_path.filter_map(|(index, ceiling)| Some((index, ceiling, measurement.share_of(ceiling)?)));
    let decides = |ceiling: &Ceiling, share: f64| {
        if measurement.flat_out {
            return is_wire(ceiling, share) || answer::is_kept(ceiling, share);
        }
        // What was paced shows that a promise is kept, and no more; messages that wait for each other do not even that.
        answer::is_promise(ceiling) && measurement.unit == ceiling.unit && share >= FULL_WIRE
    };
    let wires = shares.filter(|(_, ceiling, share)| decides(ceiling, *share));
    wires.max_by(|(.., one), (.., other)| one.total_cmp(other)).map(|(index, _, share)| (index, share))
}

/// Codes that passed and unknowns of rules that could explain a shortfall of this path. A rule that limits no figure rules
/// nothing out.
fn excluded(path: &Path, assessment: &Assessment) -> (Vec<String>, Vec<Unknown>) {
    let own = if path.kind == PathKind::Network { Layer::Network } else { Layer::Storage };
    let bears = |code: &str| {
        crate::rule(code)
            .is_some_and(|rule| !rule.limits.is_empty() && [own, Layer::Host].contains(&rule.layer))
    };
    let passed = assessment.passed.iter().filter(|code| bears(code)).cloned().collect();
    let unknowns = assessment.unknowns.iter().filter(|unknown| bears(&unknown.code)).cloned().collect();
    (passed, unknowns)
}

/// The run's verdict and bottleneck.
fn conclude(facts: &Facts, assessment: &mut Assessment) {
    let (worst, shortest) = speaks::for_run(facts, &assessment.paths);
    assessment.verdict = worst.unwrap_or_default();
    assessment.shortest = shortest;
    let verdict = assessment.verdict;
    let is_of = |index: &usize| assessment.paths[*index].verdict == verdict;
    let same = shortest.is_some_and(|index| is_of(&index));
    let worst = (0..assessment.paths.len()).find(|index| !same && is_of(index));
    assessment.explained = worst.into_iter().chain(shortest).collect();
    assessment.bottleneck =
        shortest.map(|index| assessment.paths[index].bottleneck.clone()).unwrap_or_default();
}

/// What answers whether an SGA fits.
const OF_SGA: [&str; 7] = [
    "sga-exceeds-memory", "shmmax", "shmall", "huge-pages-absent", "huge-pages-few", "limit-memlock",
    "cgroup-memory",
];

/// What says that memory is short, whoever takes it.
const SHORTAGES: [&str; 6] =
    ["direct-reclaim", "major-faults", "memory-low", "memory-pressure", "out-of-memory", "swapping"];

/// A finding's place in the list; the smallest comes first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    severity: Reverse<Severity>,
    /// What was requested comes first: `--sga` asks about one.
    beside_the_question: bool,
    /// What explains a path comes before what is merely untidy.
    explains_nothing: bool,
    /// What takes the memory comes before what says that it is short.
    is_shortage: bool,
    /// What a report says is ranked by its share of DB time, as ADDM ranks.
    db_time: Reverse<Thousandths>,
    code: String,
    subject: String,
}

impl Rank {
    fn of(finding: &Finding, sga: bool) -> Self {
        Self {
            severity: Reverse(finding.severity),
            beside_the_question: sga && !OF_SGA.contains(&finding.code.as_str()),
            explains_nothing: finding.explains.is_empty(),
            is_shortage: SHORTAGES.contains(&finding.code.as_str()),
            db_time: Reverse(Thousandths::of(finding.db_time_share.unwrap_or(0.0))),
            code: finding.code.clone(),
            subject: finding.subject.clone(),
        }
    }
}

/// Worst first. Causes and consequences keep pointing at their findings.
fn rank(assessment: &mut Assessment, sga: bool) {
    let mut findings: Vec<(usize, Finding)> =
        std::mem::take(&mut assessment.findings).into_iter().enumerate().collect();
    findings.sort_by_cached_key(|(_, finding)| Rank::of(finding, sga));
    let mut places = vec![0; findings.len()];
    for (place, (before, finding)) in findings.into_iter().enumerate() {
        places[before] = place;
        assessment.findings.push(finding);
    }
    let moved = |before: usize| places.get(before).copied();
    for cause in assessment.paths.iter_mut().flat_map(|path| &mut path.causes) {
        cause.finding = cause.finding.and_then(moved);
    }
    for place in assessment.findings.iter_mut().flat_map(|finding| &mut finding.consequence_of) {
        *place = moved(*place).unwrap_or(*place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_more_findings_than_anyone_reads_the_worst_are_kept_and_the_rest_is_counted() {
        let fires = |number: usize, severity| {
            let subject = fullwire_model::subject::Kind::Disk.named(format!("sd{number}"));
            let finding =
                Finding { severity, ..crate::unexplained::RULE.finding(subject, format!("{severity:?}")) };
            Outcome::Fires(Box::new(finding))
        };
        let mut outcomes: Vec<Outcome> =
            (0..MOST_FINDINGS + 7).map(|number| fires(number, Severity::Info)).collect();
        outcomes.extend([Outcome::Unknown("no size".into()), fires(0, Severity::Critical)]);
        let mut assessment = Assessment::default();
        assert!(take(outcomes, "code", &mut assessment));
        assert_eq!(assessment.findings.len(), MOST_FINDINGS);
        assert_eq!(assessment.findings[0].severity, Severity::Critical);
        let reasons: Vec<&str> = assessment.unknowns.iter().map(|unknown| unknown.reason.as_str()).collect();
        let left_out = "8 more findings like those shown are left out: the 1000 worst are kept";
        assert_eq!(reasons, [left_out, "no size"]);
    }

    #[test]
    fn who_takes_the_memory_comes_before_that_it_is_short() {
        let of = |code: &str| {
            crate::rule(code).unwrap().finding(fullwire_model::subject::Kind::Memory.only(), code)
        };
        let mut assessment = Assessment::default();
        assessment.findings.extend(["memory-low", "mysql-pool-too-large"].map(of));
        for finding in &mut assessment.findings {
            finding.severity = Severity::Warning;
        }
        rank(&mut assessment, false);
        assert_eq!(assessment.findings[0].code, "mysql-pool-too-large");
    }

    #[test]
    fn what_two_measurements_say_in_the_same_words_is_said_once() {
        let fires = |message: &str| {
            let path = fullwire_model::subject::Kind::Path.named("db2:5555");
            Outcome::Fires(Box::new(crate::unexplained::RULE.finding(path, message.to_owned())))
        };
        let mut assessment = Assessment::default();
        take(vec![fires("3 % twice"), fires("3 % twice"), fires("4 % twice")], "code", &mut assessment);
        assert_eq!(assessment.findings.len(), 2);
    }
}
