//! What the user asked, answered in a line or two before anything else.
use fullwire_model::assessment::{Answer, Assessment, Finding, PathAssessment, Reply, UserQuestion, Verdict};
use fullwire_model::{Gap, GapReason};

/// One sentence for each question that the run answers; none where the headline is the answer.
pub(super) fn answer(assessment: &Assessment) -> Vec<String> {
    assessment.answers.iter().map(|answer| answer.text.clone()).collect()
}

/// A result in a word, with the verdict whose colour it has: what was asked before the verdict of the paths. `None`: something
/// was answered, and that there is no verdict besides is no news.
pub(super) fn word(assessment: &Assessment) -> Option<(&'static str, Verdict)> {
    let verdict = assessment.verdict;
    match outcome(&assessment.answers) {
        Some(reply) => Some((reply.name(), colour(reply))),
        None if verdict == Verdict::Unknown && !assessment.answers.is_empty() => None,
        None => Some((verdict.name(), verdict)),
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

/// An answer says what was not measured, and why.
pub(super) fn tells(assessment: &Assessment, gap: &Gap) -> bool {
    let open =
        |answer: &&Answer| answer.question == UserQuestion::CommitDelay && answer.answer == Reply::Unknown;
    let why = gap.detail.trim_end_matches('.');
    let is_said = !why.is_empty() && says_broken(assessment, why);
    let is_open = || assessment.answers.iter().filter(open).any(|answer| gap.is_about(&answer.subject));
    is_said || (gap.reason == GapReason::Denied && is_open())
}

/// An answer that tells of a measurement that broke, or could not be made, has this text.
pub(super) fn says_broken(assessment: &Assessment, text: &str) -> bool {
    assessment.answers.iter().any(|answer| answer.answer == Reply::Broken && answer.text.contains(text))
}

/// Its measurement broke: the figures are of the time before.
pub(super) fn is_broken(assessment: &Assessment, path: &PathAssessment) -> bool {
    let broken = |answer: &Answer| answer.answer == Reply::Broken && path.is_called(&answer.subject);
    assessment.answers.iter().any(broken)
}

/// More than was promised: what else limits it is no answer to what was asked.
pub(super) fn is_exceeded(assessment: &Assessment, path: &PathAssessment) -> bool {
    let exceeded = |answer: &Answer| answer.answer == Reply::Exceeded && path.is_called(&answer.subject);
    assessment.answers.iter().any(exceeded)
}

/// Something was asked of a path, and all of it is met.
pub(super) fn is_enough(assessment: &Assessment) -> bool {
    let mut asked = assessment.answers.iter().filter(|one| one.question == UserQuestion::Enough).peekable();
    asked.peek().is_some() && asked.all(|one| one.answer == Reply::Enough)
}

/// Whether the host is in order cannot be said.
pub(super) fn is_open(assessment: &Assessment) -> bool {
    let open = (UserQuestion::Healthy, Reply::Unknown);
    assessment.answers.iter().any(|answer| (answer.question, answer.answer) == open)
}

/// The answer to what the run was made for: is it enough, is the promise kept, did it break. `None`: nothing was asked, or
/// its figures are the answer and have their own verdict.
pub(super) fn reply(answers: &[Answer]) -> Option<Reply> {
    let says = |answer: &Reply| !matches!(answer, Reply::Unknown | Reply::Measured);
    asked(answers).map(|answer| answer.answer).find(says)
}

/// The same, also where the question that was asked has no answer: the verdict of a path does not stand in for it.
pub(crate) fn outcome(answers: &[Answer]) -> Option<Reply> {
    let open = |answer: &Answer| {
        answer.answer == Reply::Unknown
            && matches!(answer.question, UserQuestion::Enough | UserQuestion::Kept)
    };
    reply(answers).or_else(|| answers.iter().any(open).then_some(Reply::Unknown))
}

/// The answer with the figure that a person reads first of a path or, without one, of the run. A count of findings and a path
/// MTU are no rates: they are the result in words.
pub(crate) fn with_figure<'a>(answers: &'a [Answer], path: Option<&PathAssessment>) -> Option<&'a Answer> {
    let is_of = |answer: &&Answer| path.is_none_or(|path| path.is_called(&answer.subject));
    let is_figure = |answer: &&Answer| {
        let in_words = [UserQuestion::Healthy, UserQuestion::PathMtu, UserQuestion::Trouble];
        answer.figure.is_some() && answer.unit.is_some() && !in_words.contains(&answer.question)
    };
    answers.iter().filter(is_of).find(is_figure)
}

/// What was asked of a path: is it enough, is the promise kept, was it measured to its end.
pub(crate) fn asked(answers: &[Answer]) -> impl Iterator<Item = &Answer> {
    let of_path = |answer: &&Answer| {
        matches!(answer.question, UserQuestion::Complete | UserQuestion::Enough | UserQuestion::Kept)
    };
    answers.iter().filter(of_path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interrupted among repeats: the figures of those that were made are whole, and BROKEN is not their word.
    #[test]
    fn figures_that_are_the_answer_have_the_word_of_their_verdict() {
        let of = |answer| {
            let answers = vec![Answer { question: UserQuestion::Complete, answer, ..Answer::default() }];
            word(&Assessment { answers, verdict: Verdict::Good, ..Assessment::default() })
        };
        assert_eq!(of(Reply::Measured), Some((Verdict::Good.name(), Verdict::Good)));
        assert_eq!(of(Reply::Broken), Some(("broken", Verdict::Poor)));
    }

    /// "Is it enough?" without a rate of redo: that the path is far below its ceiling is another question.
    #[test]
    fn the_verdict_of_a_path_does_not_stand_in_for_an_open_question() {
        let of = |question| Answer { question, answer: Reply::Unknown, ..Answer::default() };
        let judged = |answers| word(&Assessment { answers, verdict: Verdict::Poor, ..Assessment::default() });
        assert_eq!(judged(vec![of(UserQuestion::Enough)]), Some(("unknown", Verdict::Unknown)));
        assert_eq!(judged(vec![of(UserQuestion::CommitDelay)]), Some(("poor", Verdict::Poor)));
    }
}
