//! What limits a path, as sentences: the cause, what is left once it is gone, what else acts, what follows.

use super::{answer, names};
use crate::format;
use fullwire_model::assessment::{
    Amount, Answer, Assessment, Cause, Mechanism, PathAssessment, Reply, Role, UserQuestion, Verdict,
};

/// A ceiling that lies this many times above the figure says nothing about it.
pub(super) const FAR: f64 = 1000.0;

/// Steps of the chain: what is left further up is in the JSON.
const MOST_STEPS: usize = 3;

/// One sentence for each; none where nothing was measured or nothing limits.
pub(super) fn sentences(path: &PathAssessment, assessment: &Assessment) -> Vec<String> {
    let rest = [also(path), effects(path)].into_iter().flatten();
    if is_answered(path, assessment) || is_broken(path, assessment) {
        return rest.collect();
    }
    limited(path, assessment).into_iter().chain(chain(path, assessment)).chain(rest).collect()
}

/// The time of one write or message was the answer: that each waits for the one before says no more.
fn is_answered(path: &PathAssessment, assessment: &Assessment) -> bool {
    const OF_ONE: [&str; 2] = ["durable-write", "one-in-flight"];
    let asked = [UserQuestion::Commit, UserQuestion::Message, UserQuestion::CommitDelay];
    let told = |answer: &Answer| {
        asked.contains(&answer.question)
            && path.is_called(&answer.subject)
            && answer.answer == Reply::Measured
    };
    let itself = primary(path).is_some_and(|cause| cause.finding.is_none() && OF_ONE.contains(&&*cause.code));
    itself && assessment.answers.iter().any(told)
}

/// Why nothing was measured was the answer, and nothing is left once it is gone.
fn is_broken(path: &PathAssessment, assessment: &Assessment) -> bool {
    let finding = primary(path).and_then(|cause| assessment.findings.get(cause.finding?));
    let is_told = |message: &str| answer::says_broken(assessment, message.trim_end_matches('.'));
    path.measured.is_none() && finding.is_some_and(|finding| is_told(&finding.message))
}

/// What sets the figure, in the finding's own words.
fn limited(path: &PathAssessment, assessment: &Assessment) -> Option<String> {
    let named = &path.bottleneck;
    if !named.explained && !named.code.is_empty() {
        return Some(format!(
            "No check explains the shortfall; finding {} lists what was ruled out.",
            named.code
        ));
    }
    let cause = primary(path)?;
    let place = names::place(cause.layer);
    let Some(finding) = cause.finding.and_then(|index| assessment.findings.get(index)) else {
        return Some(limited_by_ceiling(path, cause));
    };
    let sentence = finding.message.trim_end_matches('.');
    Some(format!("Limited by {place}: {sentence} (finding {}).", cause.code))
}

fn limited_by_ceiling(path: &PathAssessment, cause: &Cause) -> String {
    let by = if cause.mechanism == Mechanism::Wire && path.verdict == Verdict::FullWire {
        "only by the wire".to_owned()
    } else {
        format!("by {}", names::place(cause.layer))
    };
    let what = names::cause(&cause.code, cause.mechanism);
    let subject = if cause.subject.is_empty() { String::new() } else { format!(", {}", cause.subject) };
    format!("Limited {by}: the {what}{subject} (ceiling {}).", cause.code)
}

/// What is left once the cause is gone, then the next one: up to the wire, or to what is not known.
fn chain(path: &PathAssessment, assessment: &Assessment) -> Option<String> {
    let first = primary(path).filter(|cause| cause.mechanism != Mechanism::Wire)?;
    let near = |bound: &Amount| !is_far(path, *bound);
    // What has no bound of its own is not said to have the figure as one.
    let at = first.bound.filter(near).map(|at| format!(" {}", shown(path, at)));
    let what = names::cause(&first.code, first.mechanism);
    let mut steps = vec![format::capital(&format!("{what}{}", at.unwrap_or_default()))];
    let mut said = first.code.as_str();
    for (place, cause) in path.causes.iter().take_while(|cause| cause.role != Role::Effect).enumerate() {
        // What is beyond the ladder is no promise.
        let Some(after) = cause
            .after
            .as_ref()
            .filter(|after| !is_far(path, Amount { value: after.value, unit: after.unit }))
        else {
            steps.push("the next limit is not known".into());
            break;
        };
        if after.limited_by == said {
            continue;
        }
        said = &after.limited_by;
        let here = |value| shown(path, Amount { value, unit: after.unit });
        let value = match (after.low, after.high) {
            (Some(low), Some(high)) => format!("{} to {}", here(low), here(high)),
            _ => here(after.value),
        };
        let without = without(place + 1);
        let estimate = assessment.ceilings_of(path).any(|(_, one)| one.soft && one.kind == *said);
        steps.push(if estimate {
            format!("{without} ~{value} by an estimate, the {}", name(path, said))
        } else {
            format!("{without} {value}, the {}", name(path, said))
        });
        if is_wire(path, said) || steps.len() > MOST_STEPS {
            break;
        }
    }
    Some(steps.join("; ") + ".")
}

/// A bound in the unit of the figure that it bounds, by the size that was measured.
fn shown(path: &PathAssessment, bound: Amount) -> String {
    let figure = path.judged();
    let here = figure.and_then(|figure| figure.value_in(bound.unit)).filter(|here| *here > 0.0);
    match here.zip(path.measured) {
        Some((here, own)) => format::value(bound.value / here * own, path.unit),
        None => format::value(bound.value, bound.unit),
    }
}

fn is_far(path: &PathAssessment, bound: Amount) -> bool {
    let figure = path.judged();
    let value = figure.and_then(|figure| figure.value_in(bound.unit));
    value.is_some_and(|value| value > 0.0 && bound.value >= FAR * value)
}

fn without(causes: usize) -> String {
    match causes {
        1 => "without it".into(),
        2 => "without both".into(),
        3 => "without all three".into(),
        more => format!("without all {more}"),
    }
}

/// What acts on the figure as well.
fn also(path: &PathAssessment) -> Option<String> {
    Some(format!("Also limited by: {}.", listed(path, Role::Contributing)?))
}

/// Effects of another cause.
fn effects(path: &PathAssessment) -> Option<String> {
    Some(format!("Consequences: {}.", listed(path, Role::Effect)?))
}

fn listed(path: &PathAssessment, role: Role) -> Option<String> {
    // A ceiling that only follows from what limits is no news; a finding is. What looks like a limit of the path because of
    // what limits is no limit that is there.
    let is_told = |cause: &&Cause| {
        cause.role != Role::Effect || (cause.finding.is_some() && cause.mechanism != Mechanism::PathRate)
    };
    let of_role = path.causes.iter().filter(|cause| cause.role == role).filter(is_told);
    let named = |cause: &Cause| {
        let what = names::cause(&cause.code, cause.mechanism);
        let kind = if cause.finding.is_some() { "finding" } else { "ceiling" };
        // Beside another of its kind it says which it is.
        let again = primary(path).is_some_and(|first| first.code == cause.code && !cause.subject.is_empty());
        let which = if again { format!(", {}", cause.subject) } else { String::new() };
        format!("{what}{which} ({kind} {})", cause.code)
    };
    let mut all: Vec<String> = of_role.map(named).collect();
    all.dedup();
    (!all.is_empty()).then(|| all.join(", "))
}

/// Findings that are what limits a path, as indices.
pub(super) fn limiting(assessment: &Assessment) -> Vec<usize> {
    assessment.paths.iter().filter_map(|path| primary(path)?.finding).collect()
}

/// What sets the judged figure.
pub(super) fn primary(path: &PathAssessment) -> Option<&Cause> {
    path.causes.first().filter(|cause| cause.role == Role::Primary)
}

fn of_code<'a>(path: &'a PathAssessment, code: &str) -> Option<&'a Cause> {
    path.causes.iter().find(|cause| cause.code == code)
}

fn is_wire(path: &PathAssessment, code: &str) -> bool {
    of_code(path, code).is_some_and(|cause| cause.mechanism == Mechanism::Wire)
}

fn name<'a>(path: &PathAssessment, code: &'a str) -> &'a str {
    names::cause(code, of_code(path, code).map_or(Mechanism::Other, |cause| cause.mechanism))
}
