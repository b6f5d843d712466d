//! What a path reaches, where nothing else was asked of it: the figure that speaks for it, beside its ceiling.

use super::words::{bits, bytes, count, noise, share, time, value};
use crate::facts::stream;
use fullwire_model::Run;
use fullwire_model::assessment::{
    Answer, Assessment, Finding, MeasurementAssessment, PathAssessment, PathKind, Reply, UserQuestion,
};
use fullwire_model::quantity::Unit;

/// `before`: what was answered already. Of a path whose figures were told nothing more is said.
pub(super) fn answers(run: &Run, assessment: &Assessment, before: &[Answer]) -> Vec<Answer> {
    let explained = assessment.explained.iter().filter_map(|index| assessment.paths.get(*index));
    // How large a packet passes is no figure of the path's load.
    let of_load = || before.iter().filter(|answer| answer.question != UserQuestion::PathMtu);
    let untold = explained.filter(|path| of_load().all(|answer| !path.is_called(&answer.subject)));
    // Whoever asked for the path MTU alone asked for no load.
    let sized = |path: &PathAssessment| {
        path.measured.is_none() && before.iter().any(|answer| path.is_called(&answer.subject))
    };
    untold.filter(|path| !sized(path)).filter_map(|path| of_path(run, assessment, path)).collect()
}

/// What a link that went down says of a pause: it needs no weighing against other causes.
const LINK: &str = "nic-link-flaps";

/// Seconds in which nothing arrived, and why where a link says it.
fn paused(run: &Run, assessment: &Assessment, path: &PathAssessment) -> String {
    let spoken = run.net_of(&path.target).find(|one| run.name_of(one) == path.measurement);
    let pauses = spoken.map(stream::paused).unwrap_or_default();
    let of_path = |finding: &&Finding| finding.explains_path(&path.target);
    let mut links = assessment.findings.iter().filter(|finding| finding.code == LINK).filter(of_path);
    match links.next().filter(|_| !pauses.is_empty()) {
        Some(link) => format!("{pauses}: {}", link.message),
        None => pauses,
    }
}

fn of_path(run: &Run, assessment: &Assessment, path: &PathAssessment) -> Option<Answer> {
    let subject = &path.target;
    if run.has_no_rate(path.kind, subject) {
        return None;
    }
    let Some(measured) = path.measured else {
        let text = format!("{subject} could not be measured; the gaps say why.");
        return Some(Answer { text, ..answer(path) });
    };
    let id = path.measurement.to_string();
    let name = if id.is_empty() { subject.to_string() } else { format!("{subject} ({id})") };
    let scatter = noise(path.judged().and_then(MeasurementAssessment::noise));
    let own = if run.is_loopback(subject) { ", this host's own ceiling without a network" } else { "" };
    let ceiling = path.ceiling.filter(|ceiling| *ceiling > 0.0);
    let beside = match ceiling {
        Some(ceiling) => {
            format!(" of {}, {} of its ceiling{own}", figure(path, ceiling, ""), share(measured / ceiling))
        }
        None => own.to_owned(),
    };
    Some(Answer {
        answer: Reply::Measured,
        figure: Some(measured),
        limit: ceiling,
        unit: Some(path.unit),
        basis: id,
        text: format!(
            "{name} reaches {}{beside}{}{}.",
            figure(path, measured, &scatter),
            each(run, path),
            paused(run, assessment, path)
        ),
        ..answer(path)
    })
}

/// What one I/O takes, where they are counted: a session that reads a block waits for it.
fn each(run: &Run, path: &PathAssessment) -> String {
    let steps = run.disk_of(&path.target).filter(|_| path.unit == Unit::IoPerS);
    let mut named = steps.flat_map(|result| result.measurements().filter(|(id, _)| *id == path.measurement));
    let mean_ns = named.next().map(|(_, step)| step.latency_ns.mean).filter(|ns| *ns > 0.0);
    mean_ns.map_or(String::new(), |ns| format!(", {} each on average", time(ns)))
}

fn answer(path: &PathAssessment) -> Answer {
    Answer { question: UserQuestion::Rate, subject: path.target.clone(), ..Answer::default() }
}

fn figure(path: &PathAssessment, number: f64, scatter: &str) -> String {
    match (path.kind, path.unit) {
        (PathKind::Network, Unit::PerS) => {
            format!("{}{scatter} messages a second", count(number))
        }
        (PathKind::Network, Unit::BytesPerS) => {
            format!("{}{scatter} ({})", bytes(number), bits(number))
        }
        (_, unit) => format!("{}{scatter}", value(number, unit)),
    }
}
