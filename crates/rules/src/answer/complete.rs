//! What broke, or could not be measured at all: it is said before everything else.

use crate::facts::stream;
use fullwire_model::assessment::{Answer, Assessment, Reply, UserQuestion};
use fullwire_model::net::{NetResult, UNTIL_STOPPED_NS};
use fullwire_model::quantity::Unit;
use fullwire_model::{GapReason, Run};

pub(super) fn answers(run: &Run, assessment: &Assessment) -> Vec<Answer> {
    let broken = run.net.iter().filter_map(|result| broken(result).or_else(|| silent(result)));
    let unmeasured =
        unmeasured(run, assessment).into_iter().filter_map(|subject| unmeasured_of(run, &subject));
    broken.chain(unmeasured).collect()
}

/// A test that ended before its time; an interrupt by the user is none.
fn broken(result: &NetResult) -> Option<Answer> {
    let (after_s, why) = (result.broke_after_s?, result.incomplete.as_ref()?);
    let planned_s = match result.plan.duration_ns {
        0 | UNTIL_STOPPED_NS => None,
        ns => Some(ns as f64 / 1e9),
    };
    let planned = planned_s.map(|seconds| format!(" of {seconds}")).unwrap_or_default();
    let text = format!(
        "The test broke after {after_s:.1}{planned} s ({} to {}): {why}. The figures are of the time before.",
        result.mode.name(),
        result.target
    );
    Some(incomplete(result, after_s, planned_s, text))
}

/// A stream of which not a byte arrived from its first to its last second.
fn silent(result: &NetResult) -> Option<Answer> {
    let all_s = result.intervals.last()?.t_s;
    let own = result.imported_from.is_empty() && result.throughput_bytes_per_s == 0.0;
    let text = format!(
        "The test carried nothing ({} to {}): the connection was made, and in {all_s:.0} s not a byte arrived.",
        result.mode.name(),
        result.target
    );
    let silent = own && all_s > 0.0 && stream::silent_s(result) >= all_s;
    silent.then(|| incomplete(result, 0.0, Some(all_s), text))
}

/// A network test that carried something for so many seconds of those that were planned.
fn incomplete(result: &NetResult, carried_s: f64, planned_s: Option<f64>, text: String) -> Answer {
    Answer {
        question: UserQuestion::Complete,
        subject: result.target.clone(),
        answer: Reply::Broken,
        figure: Some(carried_s),
        limit: planned_s,
        unit: Some(Unit::S),
        basis: result.mode.name().to_owned(),
        text,
        ..Answer::default()
    }
}

/// Paths without a figure, and what the user named that did not even become a path.
fn unmeasured(run: &Run, assessment: &Assessment) -> Vec<String> {
    let without = assessment.paths.iter().filter(|path| path.measurements.is_empty());
    let mut subjects: Vec<String> = without
        .filter(|path| !run.has_no_rate(path.kind, &path.subject))
        .map(|path| path.subject.clone())
        .collect();
    // What is imported was measured elsewhere: its names are files.
    let arguments = if run.command.name == "import" { &[][..] } else { &run.command.arguments };
    let named = arguments.iter().map(|word| word.rsplit_once('=').map_or(word.as_str(), |(_, value)| value));
    for name in named.filter(|name| !name.is_empty() && !name.starts_with('-') && !assessment.has_path(name))
    {
        if run.mtu.iter().all(|one| one.target != name) && !subjects.iter().any(|known| known == name) {
            subjects.push(name.to_owned());
        }
    }
    subjects
}

/// Why, by the gap that the probe left.
fn unmeasured_of(run: &Run, subject: &str) -> Option<Answer> {
    let of_disk = run.disk_of(subject).flat_map(|result| &result.gaps);
    let named = run.gaps.iter().filter(|gap| gap.is_of(subject));
    let own = named.chain(of_disk).filter(|gap| !gap.detail.is_empty());
    let gap = own.min_by_key(|gap| gap.reason == GapReason::Skipped)?;
    let why = gap.detail.trim_end_matches('.');
    Some(Answer {
        question: UserQuestion::Complete,
        subject: subject.to_owned(),
        answer: Reply::Broken,
        basis: "gap".to_owned(),
        text: format!("{subject} could not be measured: {why}{}", if why.ends_with('?') { "" } else { "." }),
        ..Answer::default()
    })
}
