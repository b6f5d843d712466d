//! The verdict and its reason in a few sentences.

use super::{answer, causes};
use crate::format;
use fullwire_model::assessment::{Assessment, PathAssessment, PathKind, Severity, UserQuestion, Verdict};
use fullwire_model::demand::Demand;
use fullwire_model::quantity::Unit;
use fullwire_model::{Run, Span};
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
    // A report is read for what the database waits for; a listing of redo, for what its path must carry.
    if !answered {
        sentences.extend(waited(assessment));
    }
    if assessment.paths.is_empty() && assessment.database_time.is_empty() {
        sentences.extend(run.demand.as_ref().and_then(needed));
    }
    if sentences.is_empty() && !answered && !run.reports.is_empty() {
        sentences.push(
            "The report does not tell what the database waited for: it lists no events with their times."
                .to_owned(),
        );
    }
    if run.imported.is_empty() {
        sentences.splice(0..0, assessment.conspicuous.iter().cloned());
    }
    sentences.extend(recorded(run, assessment));
    // What a line, a counter or a result itself tells stands before figures of which nothing is known.
    let told = assessment.findings.first().is_some_and(|finding| {
        let message = finding.message.trim_end_matches('.');
        finding.severity > Severity::Info && !sentences.iter().any(|sentence| sentence.contains(message))
    });
    if run.command.name == "file" && run.reports.is_empty() && (sentences.is_empty() || told) {
        sentences.insert(0, worst(assessment));
    }
    sentences
}

/// The worst that is said of a file that has no figures of its own.
fn worst(assessment: &Assessment) -> String {
    match assessment.findings.first() {
        Some(finding) => {
            let (subject, message) = (finding.subject.as_str(), finding.message.trim_end_matches('.'));
            if message.starts_with(subject) {
                format!("{message}.")
            } else {
                format!("{subject}: {message}.")
            }
        }
        None if assessment.passed.is_empty() => {
            "No known sign of trouble in this file; nothing more of it could be judged.".to_owned()
        }
        None => {
            format!("Judged and passed: {}. More is not known of this host.", assessment.passed.join(", "))
        }
    }
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

/// More than was promised: what else limits it is no answer to what was asked.
fn is_exceeded(path: &PathAssessment) -> bool {
    let ceiling = path.ceiling.filter(|ceiling| *ceiling > 0.0);
    path.measured.zip(ceiling).is_some_and(|(measured, ceiling)| measured > EXCEEDED * ceiling)
}

/// A figure this much above a ceiling shows that it is none: only of a promise a share of it is told then.
const EXCEEDED: f64 = 1.1;

/// An earlier figure that was higher: it is no ceiling.
fn earlier(path: &PathAssessment, measured: f64) -> Option<String> {
    let earlier = path.earlier.as_ref().filter(|earlier| earlier.value > measured)?;
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
    let text = format!("{}{}", format::value(number, path.unit), format::noise(noise));
    match (path.kind, path.unit) {
        (PathKind::Network, Unit::BytesPerS) => format!("{text} ({})", format::bit_rate(number)),
        _ => text,
    }
}

/// What other tools recorded, in a sentence.
fn recorded(run: &Run, assessment: &Assessment) -> Option<String> {
    if run.imported.is_empty() {
        return None;
    }
    let worst = assessment.findings.iter().find(|finding| {
        let of_span = |span: &&Span| span.code == finding.code && finding.message.contains(&span.message);
        assessment.spans.iter().any(|span| of_span(&span))
    });
    let Some(worst) = worst else {
        return Some(judged(run, assessment));
    };
    let count = assessment.spans.len();
    let spans = if count == 1 {
        "One span of trouble".to_owned()
    } else {
        format!("{count} spans of trouble, the worst")
    };
    // What is used up there, where the figures tell.
    let beside = assessment.conspicuous.first().map(|text| format!(" {text}")).unwrap_or_default();
    Some(format!("{spans}: {}, {}.{beside}", worst.subject, worst.message))
}

/// What the database spent its time on; of several reports, in the interval with the most load.
fn waited(assessment: &Assessment) -> Vec<String> {
    let Some(first) = assessment.database_time.first() else { return Vec::new() };
    let mut sentences = first.sentences.clone();
    if let (Some(sentence), true) = (sentences.first_mut(), assessment.database_time.len() > 1) {
        *sentence = format!("{}: {sentence}", first.subject);
    }
    sentences
}

/// Nothing was found: what is conspicuous all the same, and what was looked at.
fn judged(run: &Run, assessment: &Assessment) -> String {
    let rules = |count: usize| if count == 1 { "1 rule".to_owned() } else { format!("{count} rules") };
    let open = assessment.unknowns.len();
    let looked = if assessment.passed.is_empty() {
        let why = if run.imported.iter().all(|file| file.first_since_boot) {
            "the files contain only means since boot"
        } else if run.imported.iter().flat_map(|file| &file.series).all(|one| one.samples.len() < 2) {
            "the files have one record each, and trouble is what lasts for two"
        } else {
            "the files have too little for any rule"
        };
        format!("Nothing could be judged by rules: {why} (-v lists what {} lacked).", rules(open))
    } else {
        let clean = if assessment.conspicuous.is_empty() { "No trouble found: " } else { "" };
        let passed = rules(assessment.passed.len());
        format!("{clean}{passed} passed, {open} could not be judged (-v lists both).")
    };
    assessment.conspicuous.iter().cloned().chain([looked]).collect::<Vec<_>>().join(" ")
}

/// What a path to be must carry.
fn needed(demand: &Demand) -> Option<String> {
    let both = |rate: f64| format!("{} ({})", format::rate(rate), format::bit_rate(rate));
    let required = both(demand.redo_required_bytes_per_s?);
    let (least, reaches) = match (demand.redo_mean_over_s, demand.redo_peak_is_lower_bound) {
        (Some(seconds), _) => {
            ("at least ", format!("; its highest mean over {} is", format::duration(seconds)))
        }
        (None, true) => ("at least ", "; the highest rate in the report is".to_owned()),
        (None, false) => ("", "; redo peaks at".to_owned()),
    };
    let peak = demand.redo_peak_bytes_per_s.map(|peak| format!("{reaches} {}", both(peak)));
    Some(format!("The redo needs a path of {least}{required}{}.", peak.unwrap_or_default()))
}
