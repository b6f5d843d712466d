use crate::path::{Measurement, Path, paths};
use crate::verdict::{GOOD, verdict};
use crate::{Outcome, bottleneck, ceiling, database, rules, unexplained};
use fullwire_model::Run;
use fullwire_model::assessment::{
    Assessment, Bottleneck, Ceiling, Finding, Layer, PathAssessment, PathKind, Unknown, Verdict,
};
use std::cmp::Reverse;

/// Judges a run: ceilings, findings (worst first), paths with their bottleneck, verdict.
pub fn assess(run: &Run) -> Assessment {
    let mut assessment = Assessment { ceilings: ceiling::ceilings(run), ..Assessment::default() };
    for rule in rules().filter(|rule| is_wanted(run, rule)) {
        let outcomes = (rule.check)(run);
        let fires = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Fires(_)));
        if !fires && outcomes.iter().any(|outcome| matches!(outcome, Outcome::Passes)) {
            assessment.passed.push(rule.code.to_owned());
        }
        for outcome in outcomes {
            match outcome {
                Outcome::Passes => {}
                Outcome::Fires(finding) => assessment.findings.push(*finding),
                Outcome::Unknown(reason) => {
                    assessment.unknowns.push(Unknown { code: rule.code.to_owned(), reason });
                }
            }
        }
    }
    let paths = paths(run);
    for path in &paths {
        let (judged, unexplained) = judge(path, &assessment);
        assessment.paths.push(judged);
        assessment.findings.extend(unexplained.filter(|_| is_wanted(run, &unexplained::RULE)));
    }
    conclude(&paths, &mut assessment);
    rank(run, &mut assessment.findings);
    assessment
}

fn is_wanted(run: &Run, rule: &crate::Rule) -> bool {
    let command = &run.command;
    !command.ignored.iter().any(|code| code == rule.code)
        && (command.only.is_empty() || command.only.contains(&rule.layer))
}

/// One path: its figure that falls furthest short, what that is held against, and what limits it. The finding
/// is there when nothing explains a poor figure.
fn judge(path: &Path, assessment: &Assessment) -> (PathAssessment, Option<Finding>) {
    let ceilings: Vec<&Ceiling> = assessment.ceilings.iter().filter(|c| c.path == path.subject).collect();
    let limiting: Vec<&Finding> = assessment
        .findings
        .iter()
        .filter(|finding| finding.limits && bottleneck::concerns(finding, path))
        .collect();
    let measured = shortest(path, &ceilings);
    let wire = measured.and_then(|measured| wire_of(&ceilings, measured));
    let worst = limiting.iter().map(|finding| finding.severity).max();
    let mut judged = PathAssessment {
        kind: path.kind,
        subject: path.subject.clone(),
        verdict: verdict(wire.map(|(_, share)| share), worst),
        bottleneck: bottleneck::choose(&limiting, &ceilings, measured),
        ..PathAssessment::default()
    };
    if let Some(measured) = measured {
        let unit = wire.map_or(measured.unit, |(ceiling, _)| ceiling.unit);
        judged.measurement.clone_from(&measured.label);
        judged.measured = measured.value_in(unit);
        judged.demand = measured.demand.filter(|_| unit == measured.unit);
        judged.ceiling = wire.map(|(ceiling, _)| ceiling.value);
        judged.unit = unit;
    }
    let unexplained = match (measured, wire) {
        (Some(measured), Some((ceiling, share)))
            if share < GOOD && judged.bottleneck.layer == Layer::None =>
        {
            let (excluded, unknowns) = excluded(path, assessment);
            Some(unexplained::finding(path, measured, ceiling, &excluded, &unknowns))
        }
        _ => None,
    };
    if let Some(finding) = &unexplained {
        judged.bottleneck = Bottleneck {
            layer: Layer::None,
            code: finding.code.clone(),
            subject: finding.subject.clone(),
            explained: false,
        };
    }
    (judged, unexplained)
}

/// The figure that falls furthest short. Of a network's streams that nothing else tells apart, the one that reaches
/// less than half of another.
fn shortest<'a>(path: &'a Path, ceilings: &[&Ceiling]) -> Option<&'a Measurement> {
    let short = |measured: &Measurement| shortness(measured, ceilings);
    let first = path.measurements.iter().min_by(|one, other| short(one).total_cmp(&short(other)))?;
    let streams = path.measurements.iter().filter(|other| other.flat_out && path.kind == PathKind::Network);
    let slower = streams.filter(|other| {
        short(other) <= short(first) && first.flat_out && other.bytes_per_s < 0.5 * first.bytes_per_s
    });
    slower.min_by(|one, other| one.bytes_per_s.total_cmp(&other.bytes_per_s)).or(Some(first))
}

/// The ceiling that the verdict rests on: of wire or medium, believable, for a figure taken flat out.
fn wire_of<'a>(ceilings: &[&'a Ceiling], measured: &Measurement) -> Option<(&'a Ceiling, f64)> {
    let hard = ceilings.iter().copied().filter(|ceiling| !ceiling.soft && !ceiling.removable);
    bottleneck::nearest(hard, measured).filter(|_| measured.flat_out)
}

/// The share of its demand, or else of its ceiling, that a figure reaches; a figure without either is short of
/// nothing, and one that is not to be held against a wire comes last.
fn shortness(measured: &Measurement, ceilings: &[&Ceiling]) -> f64 {
    let of_demand = measured
        .demand
        .filter(|demand| *demand > 0.0)
        .and_then(|demand| Some(measured.value_in(measured.unit)? / demand));
    let of_wire = wire_of(ceilings, measured).map(|(_, share)| share);
    of_demand.or(of_wire).unwrap_or(if measured.flat_out { 2.0 } else { 3.0 })
}

/// Codes that passed and unknowns of the layers that could explain a shortfall of this path.
fn excluded(path: &Path, assessment: &Assessment) -> (Vec<String>, Vec<Unknown>) {
    let own = if path.kind == PathKind::Network { Layer::Network } else { Layer::Storage };
    let bears =
        |code: &str| crate::rule(code).is_some_and(|rule| rule.layer == own || rule.layer == Layer::Host);
    let passed = assessment.passed.iter().filter(|code| bears(code)).cloned().collect();
    let unknowns = assessment.unknowns.iter().filter(|unknown| bears(&unknown.code)).cloned().collect();
    (passed, unknowns)
}

/// The run's verdict and bottleneck. Loopback is the host's own ceiling and no wire: it counts only where
/// nothing else was measured, or where it is held back.
fn conclude(paths: &[Path], assessment: &mut Assessment) {
    let real = paths.iter().any(|path| !path.loopback);
    let counted = || {
        paths
            .iter()
            .zip(&assessment.paths)
            .filter(|(path, judged)| !path.loopback || !real || judged.verdict == Verdict::Poor)
    };
    let worst = counted().map(|(_, judged)| judged.verdict).max();
    let shortest = counted()
        .map(|(_, judged)| judged)
        .min_by(|one, other| reached(one).total_cmp(&reached(other)).then(other.verdict.cmp(&one.verdict)));
    let bottleneck = shortest.map(|judged| judged.bottleneck.clone());
    assessment.verdict = worst.unwrap_or_default();
    assessment.bottleneck = bottleneck.unwrap_or_default();
}

/// The share of demand or ceiling that a judged path reaches. A path that is held back without a known
/// ceiling stands at the upper edge of poor; one of which nothing is known falls short of nothing.
fn reached(judged: &PathAssessment) -> f64 {
    let against = judged.demand.or(judged.ceiling).filter(|against| *against > 0.0);
    match (judged.measured, against) {
        (Some(measured), Some(against)) => measured / against,
        _ if judged.verdict == Verdict::Poor => GOOD,
        _ => f64::MAX,
    }
}

/// Worst first; what explains a path before what is merely untidy; otherwise as the rules stand.
fn rank(run: &Run, findings: &mut [Finding]) {
    // What a report says is ranked by its share of DB time, as ADDM ranks.
    let share = |finding: &Finding| database::share_of_db_time(run, finding);
    findings.sort_by(|one, other| {
        let key = |finding: &Finding| (Reverse(finding.severity), Reverse(finding.limits));
        key(one).cmp(&key(other)).then_with(|| share(other).total_cmp(&share(one)))
    });
}
