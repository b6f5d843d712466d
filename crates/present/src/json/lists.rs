//! Lists, and what small commands answer: `fullwire.rules/1`, `fullwire.explain/1`, `fullwire.history/1`, ...

use crate::report::{outcome, with_figure};
use fullwire_model::Gap;
use fullwire_model::assessment::{Answer, Assessment, Layer, PathAssessment, Reply, Severity, Step, Verdict};
use fullwire_model::history::{Entry, Series};
use fullwire_model::quantity::Unit;
use serde::Serialize;
use std::collections::BTreeMap;

/// A rule as it introduces itself.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuleCard {
    /// Stable and unique.
    pub code: &'static str,
    /// What is wrong when it fires.
    pub title: &'static str,
    /// The worst that it says.
    pub severity: Severity,
    /// Whose floor.
    pub area: Layer,
    /// Where its limit comes from.
    pub source: String,
}

/// `fullwire.rules/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RulesDocument<'a> {
    /// `fullwire.rules/1`.
    pub schema: &'static str,
    /// Every rule.
    pub rules: &'a [RuleCard],
}

/// A rule, and all that it says of itself.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainedRule {
    /// As in `fullwire.rules/1`.
    #[serde(flatten)]
    pub rule: RuleCard,
    /// What it checks, why it matters, evidence, remedy, source: Markdown.
    pub explanation: String,
}

/// A kind of ceiling.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainedCeiling {
    /// As the headlines name it.
    pub kind: &'static str,
    /// What it is.
    pub title: &'static str,
    /// How it follows from what is read.
    pub explanation: &'static str,
}

/// A word that the output uses for a result: a verdict, an answer, a reason of a gap.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainedWord {
    /// As documents write it.
    pub word: &'static str,
    /// What it is.
    pub title: &'static str,
    /// What it means and what to do about it.
    pub explanation: &'static str,
}

/// `fullwire.explain/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainDocument {
    /// `fullwire.explain/1`.
    pub schema: &'static str,
    /// The rules that were requested, in that order.
    pub rules: Vec<ExplainedRule>,
    /// The kinds of ceilings that were requested.
    pub ceilings: Vec<ExplainedCeiling>,
    /// The words of results that were requested.
    pub words: Vec<ExplainedWord>,
}

/// A kept run, and what today's rules say of it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HistoryLine {
    /// The run without its content.
    #[serde(flatten)]
    pub entry: Entry,
    /// Of its worst path; `None`: it measured no path, or it cannot be read.
    pub verdict: Option<Verdict>,
    /// The figure of its first answer about that path; without one, what the verdict rests on.
    pub measured: Option<f64>,
    /// Its unit.
    pub unit: Option<Unit>,
    /// What it is where the command does not say it: `CPU`, `required`.
    pub of: String,
    /// What the user asked, answered.
    pub answers: Vec<Answer>,
    /// Findings that are critical.
    pub critical: usize,
    /// Findings that warn.
    pub warning: usize,
}

impl HistoryLine {
    /// An entry with the judgement of its run, where that could be read.
    pub fn new(entry: Entry, assessment: Option<&Assessment>) -> Self {
        let path = assessment.and_then(worst);
        let count = |severity| {
            let findings = assessment.map_or(&[][..], |judged| &judged.findings);
            findings.iter().filter(|finding| finding.severity == severity).count()
        };
        let answers = assessment.map(|judged| judged.answers.clone()).unwrap_or_default();
        let reply = outcome(&answers);
        // What a broken test carried for a moment is no figure of the path.
        let judged = path.filter(|_| reply != Some(Reply::Broken));
        let judged = judged.and_then(|path| Some((path.measured?, path.unit)));
        // The figure of another answer is none beside a question that is open, or a test that broke.
        let is_open = matches!(reply, Some(Reply::Unknown | Reply::Broken));
        let answered = with_figure(&answers, path).filter(|_| !is_open);
        let of = answered.map(|answer| answer.of.clone()).unwrap_or_default();
        let figure = answered.and_then(|answer| answer.figure.zip(answer.unit));
        let (measured, unit) = figure.or(judged).unzip();
        Self {
            verdict: path.map(|path| path.verdict),
            measured,
            unit: unit.or(path.map(|path| path.unit)),
            of,
            answers,
            critical: count(Severity::Critical),
            warning: count(Severity::Warning),
            entry,
        }
    }
}

/// The path that the verdict of the run is of.
fn worst(assessment: &Assessment) -> Option<&PathAssessment> {
    let shortest = assessment.shortest.and_then(|index| assessment.paths.get(index));
    let same = shortest.filter(|path| path.verdict == assessment.verdict);
    same.or_else(|| assessment.paths.iter().find(|path| path.verdict == assessment.verdict))
}

/// `fullwire.history/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HistoryDocument<'a> {
    /// `fullwire.history/1`.
    pub schema: &'static str,
    /// Kept runs, newest first.
    pub runs: &'a [HistoryLine],
    /// With `--changes`: the primary figure of each path over all runs of one plan.
    #[serde(skip_serializing_if = "<[Series]>::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub series: &'a [Series],
}

/// `fullwire.deleted/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeletedDocument {
    /// `fullwire.deleted/1`.
    pub schema: &'static str,
    /// The runs that were removed from the store.
    pub deleted: Vec<String>,
}

/// `fullwire.capture/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CaptureDocument<'a> {
    /// `fullwire.capture/1`.
    pub schema: &'static str,
    /// The archive that was written.
    pub path: String,
    /// Files in it.
    pub files: u64,
    /// Their size before compression.
    pub bytes: u64,
    /// What could not be read.
    pub gaps: &'a [Gap],
}

/// `fullwire.apply/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApplyDocument {
    /// `fullwire.apply/1`.
    pub schema: &'static str,
    /// The run that says which findings are meant; empty: all that was applied is taken back.
    pub run_id: String,
    /// The host; empty: what was applied here is taken back.
    pub hostname: String,
    /// What becomes or became of each finding.
    pub findings: Vec<AppliedDocument>,
    /// The journal of what was changed and can be taken back; null: there is none.
    pub journal: Option<String>,
}

/// What becomes or became of a finding.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AppliedDocument {
    /// Its code.
    pub code: String,
    /// What it is about.
    pub subject: String,
    /// `planned`: it would be applied. `applied`. `already-so`: all of it was in effect. `skipped`: it was left out. `failed`:
    /// what was done of it was taken back. `gone`: it does not fire any more. `taken-back`, `not-taken-back`.
    pub state: &'static str,
    /// Why; empty: there is nothing to say.
    pub why: String,
    /// Its steps, by the rules as they judge the host now.
    pub steps: Vec<Step>,
}

/// `fullwire.clean/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CleanDocument {
    /// `fullwire.clean/1`.
    pub schema: &'static str,
    /// Files and directories that were removed.
    pub removed: Vec<String>,
    /// What is still there, and why.
    pub failed: BTreeMap<String, String>,
    /// Devices that an interrupted run has overwritten, and what is left to do.
    pub overwritten: BTreeMap<String, String>,
    /// What interrupted commands left changed, the last change first.
    pub changed: Vec<ChangedDocument>,
}

/// A change that was not taken back.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangedDocument {
    /// The command that made it: `prove`, `apply`.
    pub by: String,
    /// What was changed.
    pub what: String,
    /// Commands that take it back.
    pub undo: Vec<String>,
    /// They were run now, and succeeded.
    pub undone: bool,
}

/// The document of the rules.
pub fn rules(rules: &[RuleCard]) -> RulesDocument<'_> {
    RulesDocument { schema: "fullwire.rules/1", rules }
}

/// The document of the kept runs.
pub fn history<'a>(runs: &'a [HistoryLine], series: &'a [Series]) -> HistoryDocument<'a> {
    HistoryDocument { schema: "fullwire.history/1", runs, series }
}

/// The document of what was asked about.
pub fn explain(
    rules: Vec<ExplainedRule>,
    ceilings: Vec<ExplainedCeiling>,
    words: Vec<ExplainedWord>,
) -> ExplainDocument {
    ExplainDocument { schema: "fullwire.explain/1", rules, ceilings, words }
}

/// The document of the runs that were removed.
pub fn deleted(deleted: Vec<String>) -> DeletedDocument {
    DeletedDocument { schema: "fullwire.deleted/1", deleted }
}
