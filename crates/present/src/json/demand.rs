//! `fullwire.awr/1` and `fullwire.redo/1`: what the database needs, judged.

use fullwire_model::Run;
use fullwire_model::assessment::{Answer, Assessment, Finding};
use fullwire_model::demand::{AwrReport, RedoHistory, Sizing};
use serde::Serialize;

/// `fullwire.awr/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AwrDocument<'a> {
    /// `fullwire.awr/1`.
    pub schema: &'static str,
    /// The run that it is part of.
    pub run_id: &'a str,
    /// What the report contains, its gaps included.
    #[serde(flatten)]
    pub report: &'a AwrReport,
    /// What the user asked, answered; of several reports, with the first.
    pub answers: &'a [Answer],
    /// What is wrong, by share of DB time.
    pub findings: Vec<&'a Finding>,
    /// The other reports of the run, in the order in which they were named.
    pub others: Vec<Self>,
}

/// `fullwire.redo/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RedoDocument<'a> {
    /// `fullwire.redo/1`.
    pub schema: &'static str,
    /// The run that it is part of.
    pub run_id: &'a str,
    /// The redo over time, its gaps included.
    #[serde(flatten)]
    pub redo: &'a RedoHistory,
    /// What the user asked, answered.
    pub answers: &'a [Answer],
    /// What is wrong or worth knowing.
    pub findings: Vec<&'a Finding>,
    /// What it means for a path, where one was measured or named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizing: Option<&'a Sizing>,
}

/// The document of the run's AWR and Statspack reports: the first, and with it the others. `None`: there is none.
pub fn awr<'a>(run: &'a Run, assessment: &'a Assessment) -> Option<AwrDocument<'a>> {
    let document = |report: &'a AwrReport| {
        let about = |finding: &&Finding| finding.path.as_ref().is_none_or(|path| *path == report.path());
        let findings = assessment.findings.iter().filter(about).collect();
        let answers = &[][..];
        let (schema, run_id) = ("fullwire.awr/1", run.run_id.as_str());
        AwrDocument { schema, run_id, report, answers, findings, others: Vec::new() }
    };
    let mut documents = run.reports.iter().map(document);
    let mut first = documents.next()?;
    first.others = documents.collect();
    first.answers = &assessment.answers;
    Some(first)
}

/// The document of the run's redo history.
pub fn redo<'a>(run: &'a Run, assessment: &'a Assessment) -> Option<RedoDocument<'a>> {
    let findings = assessment.findings.iter().collect();
    run.redo.as_ref().map(|redo| RedoDocument {
        schema: "fullwire.redo/1",
        run_id: &run.run_id,
        redo,
        answers: &assessment.answers,
        findings,
        sizing: None,
    })
}
