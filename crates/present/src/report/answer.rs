//! What the user asked, answered in a line or two before anything else.

use fullwire_model::Run;
use fullwire_model::assessment::{Answer, Assessment, PathAssessment, PathKind, Reply, UserQuestion};
use fullwire_model::net::NetMode;

/// One sentence for each question that the run answers; none where the headline is the answer.
pub(super) fn answer(assessment: &Assessment) -> Vec<String> {
    assessment.answers.iter().map(|answer| answer.text.clone()).collect()
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
