//! What broke, or could not be measured at all: it is said before everything else.

use crate::facts::stream;
use fullwire_model::assessment::{Answer, Assessment, Reply, UserQuestion};
use fullwire_model::net::{NetResult, UNTIL_STOPPED_NS};
use fullwire_model::quantity::Unit;
use fullwire_model::{Gap, GapReason, PathName, Run};

pub(super) fn answers(run: &Run, assessment: &Assessment) -> Vec<Answer> {
    let broken = run.net.iter().filter_map(|result| broken(result).or_else(|| silent(result)));
    let missing = if is_of_files(run) { Vec::new() } else { unmeasured(run, assessment) };
    let unmeasured = missing.into_iter().filter_map(|subject| unmeasured_of(run, &subject));
    interrupted(run).into_iter().chain(broken).chain(unmeasured).collect()
}

fn is_of_files(run: &Run) -> bool {
    run.command.name == "file"
}

/// Of several files those that were not read, or not all of them, and why: after what the others tell.
pub(super) fn unread(run: &Run) -> Option<Answer> {
    let of_file = |gap: &&Gap| is_of_files(run) && !gap.subject.is_empty() && !gap.detail.is_empty();
    let gaps: Vec<&Gap> = run.gaps.iter().filter(of_file).collect();
    // Of a folder nobody asked for each file.
    let asked = gaps.iter().any(|gap| run.command.arguments.contains(&gap.subject));
    let told = gaps.iter().map(|gap| {
        let (name, why) = (gap.subject.as_str(), gap.detail.as_str());
        // `messages:1: ...`: the name stands before.
        let is_place = |c: char| c.is_ascii_digit() || c == ':' || c == ' ';
        let why = why.strip_prefix(name).map_or(why, |rest| rest.trim_start_matches(is_place));
        format!("{name} ({})", why.trim_end_matches('.'))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| Answer {
        question: UserQuestion::Complete,
        answer: if asked { Reply::Broken } else { Reply::Measured },
        figure: Some(told.len() as f64),
        unit: Some(Unit::Count),
        basis: "gap".to_owned(),
        text: format!("Not read: {}.", told.join("; ")),
        ..Answer::default()
    })
}

/// A reader must not take a part for the whole. Repeats that were made are whole: their figures have a verdict of their own.
fn interrupted(run: &Run) -> Option<Answer> {
    if !run.is_interrupted() {
        return None;
    }
    let (answer, text) = match (part(run), among_repeats(run)) {
        (Some(part), _) => (Reply::Broken, part),
        (None, Some(made)) => (Reply::Measured, made),
        (None, None) => (Reply::Broken, Run::INTERRUPTED.to_owned()),
    };
    Some(Answer {
        question: UserQuestion::Complete,
        answer,
        basis: "interrupted".to_owned(),
        text: format!("{}.", fullwire_model::format::capital(&text)),
        ..Answer::default()
    })
}

/// How many of its repeats the last network test made.
fn among_repeats(run: &Run) -> Option<String> {
    let fewer = run.net.iter().rfind(|result| result.repeats_asked.is_some())?;
    Some(format!(
        "interrupted after {} of {} repeats ({} to {}): the figures are of these",
        fewer.repeats_bytes_per_s.len().max(1),
        fewer.repeats_asked?,
        fewer.mode.name(),
        fewer.target
    ))
}

/// How much of the last network test there is.
fn part(run: &Run) -> Option<String> {
    let cut = run.net.iter().rfind(|result| result.incomplete.is_some() && result.broke_after_s.is_none())?;
    let of = planned_s(cut).map(|seconds| format!(" of {seconds}")).unwrap_or_default();
    Some(format!(
        "interrupted after {:.1}{of} s ({} to {}): the figures are of the time before",
        cut.duration_s,
        cut.mode.name(),
        cut.target
    ))
}

/// A test that ended before its time; an interrupt by the user is none.
fn broken(result: &NetResult) -> Option<Answer> {
    let (after_s, why) = (result.broke_after_s?, result.incomplete.as_ref()?);
    let planned_s = planned_s(result);
    let planned = planned_s.map(|seconds| format!(" of {seconds}")).unwrap_or_default();
    let text = format!(
        "The test broke after {after_s:.1}{planned} s ({} to {}): {why}. The figures are of the time before.",
        result.mode.name(),
        result.target
    );
    Some(incomplete(result, after_s, planned_s, text))
}

/// How long it was to run; `None`: not by time.
fn planned_s(result: &NetResult) -> Option<f64> {
    let ns = result.plan.duration_ns;
    (!matches!(ns, 0 | UNTIL_STOPPED_NS)).then_some(ns as f64 / 1e9)
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
fn unmeasured(run: &Run, assessment: &Assessment) -> Vec<PathName> {
    let without = assessment.paths.iter().filter(|path| path.measurements.is_empty());
    let mut subjects: Vec<PathName> = without
        .filter(|path| !run.has_no_rate(path.kind, &path.target))
        .map(|path| path.target.clone())
        .collect();
    // What is imported was measured elsewhere: its names are files.
    let arguments = if run.command.name == "import" { &[][..] } else { &run.command.arguments };
    let named = arguments.iter().map(|word| word.rsplit_once('=').map_or(word.as_str(), |(_, value)| value));
    for name in named.filter(|name| !name.is_empty() && !name.starts_with('-')).map(PathName::from) {
        let is_known = assessment.has_path(&name) || run.mtu.iter().any(|one| one.target == name);
        if !is_known && !subjects.contains(&name) {
            subjects.push(name);
        }
    }
    subjects
}

/// Why, by the gap that the probe left.
fn unmeasured_of(run: &Run, subject: &PathName) -> Option<Answer> {
    let of_disk = run.disk_of(subject).flat_map(|result| &result.gaps);
    let named = run.gaps.iter().filter(|gap| gap.is_about(subject));
    let own = named.chain(of_disk).filter(|gap| !gap.detail.is_empty());
    let gap = own.min_by_key(|gap| (gap.reason == GapReason::Skipped, gap.follows))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::net::NetPlan;

    /// Why nothing can be connected tells more than what follows from it.
    #[test]
    fn a_peer_that_refuses_says_so_before_its_path_mtu() {
        let gap = |detail: &str| Gap::new("db2", GapReason::Absent, detail);
        let gaps =
            vec![gap("the path MTU is not known").following(), gap("cannot connect to db2:5555: refused")];
        let told = unmeasured_of(&Run { gaps, ..Run::default() }, &"db2".into()).expect("an answer");
        assert_eq!(told.text, "db2 could not be measured: cannot connect to db2:5555: refused.");
    }

    /// A figure of the first moments is that of the buffers: it is not read as the path's.
    #[test]
    fn an_interrupted_test_says_first_how_much_of_it_there_is() {
        let cut = NetResult {
            target: "db2".into(),
            plan: NetPlan { duration_ns: 6_000_000_000, ..NetPlan::default() },
            duration_s: 0.05,
            incomplete: Some("interrupted".into()),
            ..NetResult::default()
        };
        let mut run = Run { net: vec![cut], ..Run::default() };
        assert!(interrupted(&run).is_none(), "nothing says that a signal came");
        run.gaps.push(Gap::new("this run", GapReason::Skipped, Run::INTERRUPTED));
        let told = interrupted(&run).expect("an answer");
        assert_eq!(
            told.text,
            "Interrupted after 0.1 of 6 s (async to db2): the figures are of the time before."
        );
        assert_eq!((told.question, told.answer), (UserQuestion::Complete, Reply::Broken));
        let fewer = NetResult { repeats_asked: Some(5), incomplete: None, ..run.net[0].clone() };
        run.net = vec![NetResult { repeats_bytes_per_s: vec![5.0, 6.0], ..fewer.clone() }];
        let told = interrupted(&run).expect("an answer");
        assert_eq!(told.text, "Interrupted after 2 of 5 repeats (async to db2): the figures are of these.");
        assert_eq!(told.answer, Reply::Measured, "their verdict is theirs");
        run.net = vec![fewer];
        assert!(interrupted(&run).expect("an answer").text.starts_with("Interrupted after 1 of 5 repeats"));
        run.net.clear();
        let text = interrupted(&run).expect("an answer").text;
        assert_eq!(text, "Interrupted: what was measured until then is shown.");
    }
}
