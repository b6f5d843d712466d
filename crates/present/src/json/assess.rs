//! `fullwire.assess/1`: everything about one run.

use super::check::{Facts, facts};
use super::imported::{Imported, imported};
use super::probe::{Disk, Mtu, Net, disks, mtus, nets};
use fullwire_model::assessment::{
    Answer, Assessment, Bottleneck, Ceiling, Finding, PathAssessment, Unknown, Verdict,
};
use fullwire_model::demand::Demand;
use fullwire_model::{Gap, Run, Span};
use jiff::Timestamp;
use serde::Serialize;

/// `fullwire.assess/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AssessDocument<'a> {
    /// `fullwire.assess/1`.
    pub schema: &'static str,
    /// The run's name in the store.
    pub run_id: &'a str,
    /// The version of fullwire that made the run.
    pub tool_version: &'a str,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Timestamp,
    /// The user's label.
    pub tag: Option<&'a str>,
    /// The worst verdict of all paths.
    pub verdict: Verdict,
    /// What the user asked, answered.
    pub answers: &'a [Answer],
    /// What limits the path that falls furthest short.
    pub bottleneck: &'a Bottleneck,
    /// One entry for each peer and each storage target.
    pub paths: &'a [PathAssessment],
    /// The most that each layer can carry.
    pub ceilings: &'a [Ceiling],
    /// What is wrong or worth knowing, worst first.
    pub findings: &'a [Finding],
    /// Rules that could not be decided, and why.
    pub unknowns: &'a [Unknown],
    /// Codes of the rules that applied and found nothing.
    pub passed: &'a [String],
    /// What the host says of itself.
    pub check: Facts<'a>,
    /// Network results.
    pub net: Vec<Net<'a>>,
    /// Path-MTU results.
    pub mtu: Vec<Mtu<'a>>,
    /// Storage results.
    pub disk: Vec<Disk<'a>>,
    /// What the database needs.
    pub demand: Option<&'a Demand>,
    /// What other tools recorded.
    pub imported: Vec<Imported<'a>>,
    /// Trouble in what was recorded over time, in the order of its beginnings.
    pub spans: &'a [Span],
    /// What could not be read or measured.
    pub gaps: Vec<Gap>,
}

/// The document of a whole run; also of a run of any other command that is shown again.
pub fn assess<'a>(run: &'a Run, assessment: &'a Assessment) -> AssessDocument<'a> {
    AssessDocument {
        schema: "fullwire.assess/1",
        run_id: &run.run_id,
        tool_version: &run.tool_version,
        started: run.started,
        finished: run.finished,
        tag: run.tag.as_deref(),
        verdict: assessment.verdict,
        answers: &assessment.answers,
        bottleneck: &assessment.bottleneck,
        paths: &assessment.paths,
        ceilings: &assessment.ceilings,
        findings: &assessment.findings,
        unknowns: &assessment.unknowns,
        passed: &assessment.passed,
        check: facts(run),
        net: nets(run, assessment).collect(),
        mtu: mtus(run, assessment).collect(),
        disk: disks(run, assessment).collect(),
        demand: run.demand.as_ref(),
        imported: imported(&run.imported),
        spans: &assessment.spans,
        gaps: crate::gaps(run),
    }
}
