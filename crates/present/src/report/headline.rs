//! The verdict and its reason in a few sentences.

use super::{answer, causes};
use crate::format;
use fullwire_model::assessment::{Assessment, PathAssessment, PathKind, Verdict};
use fullwire_model::quantity::Unit;
use fullwire_model::{DiskExpectation, Run};

/// What there is to say of the paths that fall furthest short beside their figures, which the answers have.
pub(super) fn headline(run: &Run, assessment: &Assessment) -> Vec<String> {
    let mut sentences = Vec::new();
    let rated = |path: &&PathAssessment| !run.has_no_rate(path.kind, &path.target);
    let explained = assessment.explained.iter().filter_map(|index| assessment.paths.get(*index));
    for path in explained.filter(rated) {
        let mut own = Vec::new();
        if !answer::is_exceeded(assessment, path) {
            own = causes::sentences(path, assessment);
        }
        own.extend(beside(run, assessment, path));
        // Of two paths each says whose it is.
        if let Some(first) = own.first_mut().filter(|_| assessment.explained.len() > 1) {
            first.insert_str(0, &format!("{}: ", path.target));
        }
        sentences.extend(own);
    }
    sentences
}

/// What it could be compared with, and what it was before.
fn beside(run: &Run, assessment: &Assessment, path: &PathAssessment) -> Vec<String> {
    let Some(measured) = path.measured else { return Vec::new() };
    // What another tool measured cannot be measured again with another option.
    let imported = ["import", "file"].contains(&run.command.name.as_str());
    let alone = path.ceiling.is_none_or(|ceiling| ceiling <= 0.0);
    let advice = match (path.verdict, path.kind) {
        (Verdict::NotDriven, kind) => Some(not_driven(kind)),
        _ if !alone => None,
        (_, PathKind::Network) if path.unit == Unit::PerS => Some(
            "Each request waits for its answer, so this is not compared with the wire; --streams shows where it stops growing.",
        ),
        (_, PathKind::Network) if imported => Some("No link speed is known to compare it with."),
        // What was asked has its answer.
        _ if is_promised(run, path) || answer::reply(&assessment.answers).is_some() => None,
        (_, PathKind::Network) => (!run.is_loopback(&path.target))
            .then_some("No link speed is known to compare it with; give one with --expect."),
        (_, PathKind::Storage) => {
            Some("No link or medium speed is known to compare it with; --expect-disk says what was promised.")
        }
    };
    [advice.map(str::to_owned), earlier(path, measured)].into_iter().flatten().collect()
}

/// The user said what it carries.
fn is_promised(run: &Run, path: &PathAssessment) -> bool {
    match path.kind {
        PathKind::Network => {
            let of_peer = run.peer(&path.target).and_then(|peer| peer.expect_bytes_per_s);
            of_peer.or(run.command.expect_bytes_per_s).is_some()
        }
        PathKind::Storage => run.command.expect_disk != DiskExpectation::default(),
    }
}

/// Throughput that differs by less is the same (`diff`'s smallest change that matters).
const AS_BEFORE: f64 = 0.97;

/// An earlier figure that was higher: it is no ceiling.
fn earlier(path: &PathAssessment, measured: f64) -> Option<String> {
    let earlier = path.earlier.as_ref().filter(|earlier| measured < AS_BEFORE * earlier.value)?;
    Some(format!(
        "An earlier run, {} of {}, reached {}: now {} of that.",
        earlier.run_id,
        earlier.at.strftime("%Y-%m-%d"),
        figure(path, earlier.value),
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

fn figure(path: &PathAssessment, number: f64) -> String {
    let text = format::value(number, path.unit);
    let bits = path.kind == PathKind::Network && path.unit == Unit::BytesPerS;
    if bits { format!("{text} ({})", format::bit_rate(number)) } else { text }
}
