//! What the user asked, answered in a line or two before anything else.

use super::verdict_name;
use fullwire_model::Run;
use fullwire_model::assessment::{
    Answer, Assessment, Finding, PathAssessment, PathKind, Reply, UserQuestion, Verdict,
};
use fullwire_model::net::NetMode;

/// One sentence for each question that the run answers; none where the headline is the answer.
pub(super) fn answer(assessment: &Assessment) -> Vec<String> {
    assessment.answers.iter().map(|answer| answer.text.clone()).collect()
}

/// A result in a word, with the verdict whose colour it has: what was asked before the verdict of the paths. `None`: something
/// was answered, and that there is no verdict besides is no news.
pub(super) fn word(assessment: &Assessment) -> Option<(&'static str, Verdict)> {
    let verdict = assessment.verdict;
    match reply(&assessment.answers) {
        Some(reply) => Some((reply.name(), colour(reply))),
        None if verdict == Verdict::Unknown && !assessment.answers.is_empty() => None,
        None => Some((verdict_name(verdict), verdict)),
    }
}

fn colour(reply: Reply) -> Verdict {
    match reply {
        Reply::Enough | Reply::Kept | Reply::Exceeded => Verdict::FullWire,
        Reply::NotEnough | Reply::Missed | Reply::Broken => Verdict::Poor,
        _ => Verdict::Unknown,
    }
}

/// Findings that say what an answer says: the same figure beside the same limit. As indices.
pub(super) fn findings(assessment: &Assessment) -> Vec<usize> {
    let same = |finding: &Finding, answer: &Answer| {
        answer.limit.is_some() && (finding.measured, finding.limit) == (answer.figure, answer.limit)
    };
    let all = assessment.findings.iter().enumerate();
    let answered = all.filter(|(_, finding)| assessment.answers.iter().any(|answer| same(finding, answer)));
    answered.map(|(index, _)| index).collect()
}

/// Something was asked of a path, and all of it is met.
pub(super) fn is_enough(assessment: &Assessment) -> bool {
    let mut asked = assessment.answers.iter().filter(|one| one.question == UserQuestion::Enough).peekable();
    asked.peek().is_some() && asked.all(|one| one.answer == Reply::Enough)
}

/// The answer to what the run was made for: is it enough, is the promise kept, did it break. `None`: nothing was asked.
pub(crate) fn reply(answers: &[Answer]) -> Option<Reply> {
    let asked = |answer: &&Answer| {
        matches!(answer.question, UserQuestion::Complete | UserQuestion::Enough | UserQuestion::Kept)
    };
    let mut asked = answers.iter().filter(asked).map(|answer| answer.answer);
    asked.find(|answer| *answer != Reply::Unknown)
}

/// Only round trips were measured: there is no rate that could be judged.
pub(super) fn is_round_trip(run: &Run, path: &PathAssessment) -> bool {
    let mut own = run.net_of(&path.subject).peekable();
    path.kind == PathKind::Network && own.peek().is_some() && own.all(|result| result.mode == NetMode::Rtt)
}

/// Only small files were made, or bonnie's table: neither has a rate that could be judged.
pub(super) fn is_files(run: &Run, path: &PathAssessment) -> bool {
    let mut own = run.disk_of(&path.subject).peekable();
    path.kind == PathKind::Storage
        && own.peek().is_some()
        && own.all(|one| one.steps.is_empty() && (!one.small_files.is_empty() || one.bonnie.is_some()))
}
