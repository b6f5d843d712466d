//! The verdict and its reason in a few sentences.

use super::{answer, causes};
use crate::format;
use fullwire_model::assessment::{Assessment, PathAssessment, PathKind, UserQuestion, Verdict};
use fullwire_model::quantity::Unit;
use fullwire_model::{DiskExpectation, Run};
use std::collections::BTreeSet;

/// What falls furthest short, by how much, and what limits it.
pub(super) fn headline(run: &Run, assessment: &Assessment) -> Vec<String> {
    let mut sentences = Vec::new();
    // Whether a path is enough for the redo was answered: only what limits it is left to say.
    let answered = run.command.name == "redo"
        && assessment.answers.iter().any(|one| one.question == UserQuestion::Enough);
    let rated = |path: &&PathAssessment| !answer::is_round_trip(run, path) && !answer::is_files(run, path);
    let explained = assessment.explained.iter().filter_map(|index| assessment.paths.get(*index));
    for path in explained.filter(rated) {
        if !answered {
            sentences.extend(reach(run, assessment, path));
        }
        if !is_exceeded(path) {
            sentences.extend(causes::sentences(path, assessment));
        }
    }
    sentences
}

/// The peer of a path is this host.
pub(super) fn is_loopback(run: &Run, subject: &str) -> bool {
    run.peer(subject).is_some_and(|peer| peer.loopback)
        || run.net.iter().any(|result| result.target == subject && result.path.loopback)
}

/// What was reached, next to what can be.
fn reach(run: &Run, assessment: &Assessment, path: &PathAssessment) -> Vec<String> {
    let loopback = is_loopback(run, &path.subject);
    // What another tool measured cannot be measured again with another option.
    let imported = ["import", "file"].contains(&run.command.name.as_str());
    let name = if path.measurement.is_none() {
        path.subject.clone()
    } else {
        format!("{} ({})", path.subject, path.measurement)
    };
    let Some(measured) = path.measured else {
        let broken = assessment.answers.iter().filter(|one| one.question == UserQuestion::Complete);
        let told = broken.map(|one| one.subject.as_str()).collect::<BTreeSet<_>>().contains(&*path.subject);
        return if told {
            Vec::new()
        } else {
            vec![format!("{name} could not be measured; the gaps say why.")]
        };
    };
    let reached = figure(path, measured, noise(path));
    let own = if loopback { ", this host's own ceiling without a network" } else { "" };
    let beside = path.ceiling.filter(|ceiling| *ceiling > 0.0);
    let first = match beside {
        Some(ceiling) if measured > EXCEEDED * ceiling => format!(
            "{name} reaches {reached}, more than the {} that were promised.",
            figure(path, ceiling, None)
        ),
        Some(ceiling) => format!(
            "{name} reaches {reached} of {}, {} of its ceiling{own}.",
            figure(path, ceiling, None),
            format::percent(measured / ceiling)
        ),
        None => format!("{name} reaches {reached}{own}."),
    };
    let advice = match (path.verdict, path.kind) {
        (Verdict::NotDriven, kind) => Some(not_driven(kind)),
        (_, PathKind::Network) if beside.is_none() && path.unit == Unit::PerS => Some(
            "Each request waits for its answer, so this is not compared with the wire; --streams shows where it stops growing.",
        ),
        (_, PathKind::Network) if beside.is_none() && imported => {
            Some("No link speed is known to compare it with.")
        }
        // What was asked has its answer.
        _ if beside.is_none() && (is_promised(run, path) || answer::reply(&assessment.answers).is_some()) => {
            None
        }
        (_, PathKind::Network) if beside.is_none() && !loopback => {
            Some("No link speed is known to compare it with; give one with --expect.")
        }
        (_, PathKind::Storage) if beside.is_none() => {
            Some("No link or medium speed is known to compare it with; --expect-disk says what was promised.")
        }
        _ => None,
    };
    let before = earlier(path, measured);
    [Some(first), advice.map(str::to_owned), before].into_iter().flatten().collect()
}

/// The user said what it carries.
fn is_promised(run: &Run, path: &PathAssessment) -> bool {
    match path.kind {
        PathKind::Network => {
            let of_peer = run.peer(&path.subject).and_then(|peer| peer.expect_bytes_per_s);
            of_peer.or(run.command.expect_bytes_per_s).is_some()
        }
        PathKind::Storage => run.command.expect_disk != DiskExpectation::default(),
    }
}

/// More than was promised: what else limits it is no answer to what was asked.
fn is_exceeded(path: &PathAssessment) -> bool {
    let ceiling = path.ceiling.filter(|ceiling| *ceiling > 0.0);
    path.measured.zip(ceiling).is_some_and(|(measured, ceiling)| measured > EXCEEDED * ceiling)
}

/// A figure this much above a ceiling shows that it is none: only of a promise a share of it is told then.
const EXCEEDED: f64 = 1.1;

/// Throughput that differs by less is the same (`diff`'s smallest change that matters).
const AS_BEFORE: f64 = 0.97;

/// An earlier figure that was higher: it is no ceiling.
fn earlier(path: &PathAssessment, measured: f64) -> Option<String> {
    let earlier = path.earlier.as_ref().filter(|earlier| measured < AS_BEFORE * earlier.value)?;
    Some(format!(
        "An earlier run, {} of {}, reached {}: now {} of that.",
        earlier.run_id,
        earlier.at.strftime("%Y-%m-%d"),
        figure(path, earlier.value, None),
        format::percent(measured / earlier.value)
    ))
}

/// What a figure means that more load might have raised, and how to get one that says more.
fn not_driven(kind: PathKind) -> &'static str {
    match kind {
        PathKind::Storage => {
            "The load did not reach a limit, so this figure does not show what the path can carry; measure with more I/Os in flight: fullwire disk --sweep depth."
        }
        PathKind::Network => {
            "The load did not reach a limit, so this figure does not show what the path can carry; measure with more streams: fullwire net --streams 4."
        }
    }
}

/// How far the judged figure scatters.
fn noise(path: &PathAssessment) -> Option<f64> {
    path.judged()?.noise()
}

fn figure(path: &PathAssessment, number: f64, noise: Option<f64>) -> String {
    let noise = format::noise(noise);
    match (path.kind, path.unit) {
        (PathKind::Network, Unit::PerS) => {
            format!("{}{noise} messages a second", format::count(number.round()))
        }
        (kind, unit) => {
            let text = format!("{}{noise}", format::value(number, unit));
            let bits = kind == PathKind::Network && unit == Unit::BytesPerS;
            if bits { format!("{text} ({})", format::bit_rate(number)) } else { text }
        }
    }
}
