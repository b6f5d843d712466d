//! What files tell without a measurement: what redo needs, what a database waited for, what a recording or a log shows.

use super::enough::basis;
use super::words::{both, count, duration};
use crate::database::time::class_name;
use crate::said;
use fullwire_model::assessment::{Answer, Assessment, DatabaseTime, Reply, Role, Severity, UserQuestion};
use fullwire_model::demand::Demand;
use fullwire_model::quantity::Unit;
use fullwire_model::{PathName, Run, Span};

/// `before`: what was answered already. The worst that a file says stands before figures of which nothing is known.
pub(super) fn answers(run: &Run, assessment: &Assessment, before: &[Answer]) -> Vec<Answer> {
    let command = run.command.name.as_str();
    let sized = before.iter().any(|one| one.question == UserQuestion::Enough);
    let mut all = Vec::new();
    if run.imported.is_empty() {
        all.extend(assessment.conspicuous.iter().map(|sentence| remark(run, sentence)));
    }
    // Of redo the rate is asked; what else the database waits for is `awr`'s to say.
    if command != "redo" {
        all.extend(waits(&assessment.database_time));
    }
    let of_redo = command == "redo" || assessment.database_time.is_empty();
    if of_redo && assessment.paths.is_empty() && !sized {
        all.extend(run.demand.as_ref().and_then(need));
    }
    if all.is_empty() && command != "redo" && assessment.paths.is_empty() {
        all.extend(no_waits(run));
    }
    all.extend(recorded(run, assessment));
    // A report speaks for itself, and not for the logs beside it.
    let of_logs = run.reports.is_empty() || !run.logged.is_empty();
    if command == "file" && of_logs && is_untold(assessment, &all) {
        all.insert(0, worst(run, assessment));
    }
    all
}

fn trouble(answer: Reply, basis: &str, text: String) -> Answer {
    Answer { question: UserQuestion::Trouble, answer, basis: basis.to_owned(), text, ..Answer::default() }
}

/// What results of other tools say at first sight.
fn remark(run: &Run, sentence: &str) -> Answer {
    let mut names = run.net.iter().map(|one| &one.imported_from);
    let basis = names.next().map_or("results", String::as_str);
    trouble(Reply::Measured, basis, sentence.to_owned())
}

/// What a path to be must carry.
fn need(demand: &Demand) -> Option<Answer> {
    let required = demand.redo_required_bytes_per_s?;
    if required <= 0.0 {
        return Some(Answer {
            question: UserQuestion::Need,
            basis: basis(demand),
            text: "No redo was written in the time that was looked at, so what the path must carry is not known: look again under load.".to_owned(),
            ..Answer::default()
        });
    }
    let (least, reaches) = match (demand.redo_mean_over_s, demand.redo_peak_is_lower_bound) {
        (Some(seconds), _) => ("at least ", format!("; its highest mean over {} is", duration(seconds))),
        (None, true) => ("at least ", "; the highest rate that is listed is".to_owned()),
        (None, false) => ("", "; redo peaks at".to_owned()),
    };
    let peak = demand.redo_peak_bytes_per_s.map(|peak| format!("{reaches} {}", both(peak)));
    Some(Answer {
        question: UserQuestion::Need,
        answer: Reply::Measured,
        figure: Some(required),
        unit: Some(Unit::BytesPerS),
        of: "required".to_owned(),
        basis: basis(demand),
        text: format!("The redo needs a path of {least}{}{}.", both(required), peak.unwrap_or_default()),
        ..Answer::default()
    })
}

/// What the database spent its time on; of several reports, in the interval with the most load.
fn waits(times: &[DatabaseTime]) -> Option<Answer> {
    let first = times.first().filter(|first| !first.sentences.is_empty())?;
    let of_which = if times.len() > 1 { format!("{}: ", first.subject) } else { String::new() };
    Some(Answer {
        question: UserQuestion::Waits,
        subject: first.subject.as_str().into(),
        answer: Reply::Measured,
        figure: first.parts.first().map(|part| part.share),
        unit: first.parts.first().map(|_| Unit::Ratio),
        of: first.parts.first().map(|part| class_name(part.class).to_owned()).unwrap_or_default(),
        basis: first.source.clone(),
        text: format!("{of_which}{}", first.sentences.join(" ")),
        ..Answer::default()
    })
}

fn no_waits(run: &Run) -> Option<Answer> {
    let report = run.reports.first()?;
    Some(Answer {
        question: UserQuestion::Waits,
        basis: report.source.clone(),
        text: "The report does not tell what the database waited for: it lists no events with their times."
            .to_owned(),
        ..Answer::default()
    })
}

/// What other tools recorded, in a sentence.
fn recorded(run: &Run, assessment: &Assessment) -> Option<Answer> {
    let file = run.imported.first()?;
    let worst = assessment.findings.iter().find_map(|finding| {
        let of_span = |span: &&Span| span.code == finding.code && finding.message.contains(&span.message);
        Some((finding, assessment.spans.iter().find(of_span)?))
    });
    let Some((worst, span)) = worst else {
        return Some(judged(run, assessment, &file.source));
    };
    let spans = match assessment.spans.len() {
        1 => "One span of trouble".to_owned(),
        several => format!("{several} spans of trouble, the worst"),
    };
    // What is used up there, where the figures tell: of the same device that has the span's own figures, which it replaces.
    let beside = assessment.conspicuous.first();
    let brief = span.message.split_once(": ").map_or(span.message.as_str(), |(first, _)| first);
    let same = beside.is_some_and(|text| text.starts_with(&span.subject));
    let message = if same { worst.message.replace(&span.message, brief) } else { worst.message.clone() };
    let beside = beside.map(|text| format!(" {text}")).unwrap_or_default();
    let text = format!("{spans}: {}, {message}.{beside}", worst.subject);
    let subject = worst.subject.as_str().into();
    let limited_by = worst.code.clone();
    Some(Answer { subject, limited_by, ..trouble(Reply::Unhealthy, &file.source, text) })
}

/// Nothing was found: what is conspicuous all the same, and what was looked at.
fn judged(run: &Run, assessment: &Assessment, source: &str) -> Answer {
    let rules = |number: usize| {
        if number == 1 { "1 rule".to_owned() } else { format!("{} rules", count(number as f64)) }
    };
    let (passed, open) = (assessment.passed.len(), assessment.unknowns.len());
    let (answer, looked) = if passed == 0 {
        let why = if run.imported.iter().all(|file| file.first_since_boot) {
            "the files contain only means since boot"
        } else if run.imported.iter().flat_map(|file| &file.series).all(|one| one.samples.len() < 2) {
            "the files have one record each, and trouble is what lasts for two"
        } else {
            "the files have too little for any rule"
        };
        let lacked = rules(open);
        (Reply::Unknown, format!("Nothing could be judged by rules: {why} (-v lists what {lacked} lacked)."))
    } else if assessment.conspicuous.is_empty() {
        // Where most of it is open, that nothing was found is no all-clear.
        let answer = if passed > open { Reply::Healthy } else { Reply::Unknown };
        (
            answer,
            format!(
                "No trouble found: {} passed, {open} could not be judged (-v lists both).",
                rules(passed)
            ),
        )
    } else {
        (Reply::Unknown, format!("{} passed, {open} could not be judged (-v lists both).", rules(passed)))
    };
    let text = assessment.conspicuous.iter().cloned().chain([looked]).collect::<Vec<_>>().join(" ");
    trouble(answer, source, text)
}

/// The worst finding stands nowhere else: neither in an answer nor as what limits a path.
fn is_untold(assessment: &Assessment, all: &[Answer]) -> bool {
    let explained = assessment.explained.iter().filter_map(|index| assessment.paths.get(*index));
    let explained: Vec<_> = explained.collect();
    if all.is_empty() && explained.is_empty() {
        return true;
    }
    let first = assessment.findings.first().filter(|finding| finding.severity > Severity::Info);
    first.is_some_and(|finding| {
        let message = finding.message.trim_end_matches('.');
        let mut causes = explained.iter().filter_map(|path| path.causes.first());
        let limits = causes.any(|cause| cause.role == Role::Primary && cause.finding == Some(0));
        let name = PathName::from(finding.subject.as_str());
        let names = |answer: &Answer| {
            answer.text.contains(message) || (&answer.limited_by, &answer.subject) == (&finding.code, &name)
        };
        !limits && !all.iter().any(names)
    })
}

/// Of a list, what is named in a sentence.
const FEW: usize = 3;

/// The titles of rules that found nothing: the first few, and how many more.
fn absent(passed: &[String]) -> String {
    let titles =
        passed.iter().take(FEW).map(|code| crate::rule(code).map_or(code.as_str(), |rule| rule.title));
    let mut named: Vec<String> = titles.map(str::to_owned).collect();
    if passed.len() > FEW {
        named.push(format!("and {} more (-v)", passed.len() - FEW));
    }
    named.join("; ")
}

/// The worst that is said of a file that has no figures of its own.
fn worst(run: &Run, assessment: &Assessment) -> Answer {
    let Some(finding) = assessment.findings.first() else {
        let bonds = run.host.bonds.iter().map(|bond| format!("{}: {}. ", bond.name, bond.state()));
        let maps = run.host.multipath.iter().map(|map| format!("{}. ", map.state()));
        let read: String = bonds.chain(maps).take(FEW).collect();
        // Lines that are known are none of the figures beside them.
        let judged: Vec<String> = run.logged.iter().filter_map(said::judged).take(FEW).collect();
        let text = if assessment.passed.iter().all(|code| code == "log-line") {
            let judged = if judged.is_empty() { String::new() } else { format!(" {}", judged.join(" ")) };
            format!("No line of this file is a known sign of trouble.{judged} Other figures were not judged.")
        } else {
            let absent = absent(&assessment.passed);
            format!("{read}Checked and not found: {absent}. Nothing else is known of this host.")
        };
        return trouble(Reply::Unknown, "rules", text);
    };
    let (subject, message) = (finding.subject.as_str(), finding.message.trim_end_matches('.'));
    let text =
        if message.starts_with(subject) { format!("{message}.") } else { format!("{subject}: {message}.") };
    let answer = if finding.severity > Severity::Info { Reply::Unhealthy } else { Reply::Measured };
    Answer {
        subject: finding.subject.as_str().into(),
        limited_by: finding.code.clone(),
        ..trouble(answer, finding.evidence.first().map_or("rules", |seen| &seen.source), text)
    }
}
