//! `fullwire.net/1`, `fullwire.mtu/1`, `fullwire.disk/1`: a probe's result, judged.

use crate::report::figures;
use fullwire_model::assessment::{
    Answer, Assessment, Cause, Ceiling, Finding, MeasurementAssessment, PathKind, Unknown, Verdict,
};
use fullwire_model::disk::DiskResult;
use fullwire_model::graph::Topology;
use fullwire_model::mtu::MtuResult;
use fullwire_model::net::NetResult;
use fullwire_model::rfc6349::Rfc6349;
use fullwire_model::{Gap, Run};
use serde::Serialize;

/// A network result with what is concluded from it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Net<'a> {
    /// What was measured.
    #[serde(flatten)]
    pub result: &'a NetResult,
    /// What bounds this path.
    pub ceilings: Vec<&'a Ceiling>,
    /// What is wrong on this path or on an end of it.
    pub findings: Vec<&'a Finding>,
    /// How near the path comes to its ceiling.
    pub verdict: Verdict,
    /// The figure that verdict and report use: the rate once slow start is over, with its noise and its ceiling.
    /// `throughput_bytes_per_s` is the mean of the whole run.
    pub assessed: Option<&'a MeasurementAssessment>,
    /// What explains it, in order, where it is the figure that the path is judged by.
    pub causes: Vec<&'a Cause>,
    /// The terms of RFC 6349, of a bulk transfer.
    pub rfc6349: Option<Rfc6349>,
}

/// A path-MTU result with what is concluded from it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mtu<'a> {
    /// What was measured.
    #[serde(flatten)]
    pub result: &'a MtuResult,
    /// What bounds this path.
    pub ceilings: Vec<&'a Ceiling>,
    /// What is wrong on this path or on an end of it.
    pub findings: Vec<&'a Finding>,
}

/// A storage result with what is concluded from it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Disk<'a> {
    /// What was measured.
    #[serde(flatten)]
    pub result: &'a DiskResult,
    /// What bounds this path.
    pub ceilings: Vec<&'a Ceiling>,
    /// What is wrong on this path or on the host.
    pub findings: Vec<&'a Finding>,
    /// How near the path comes to its ceiling.
    pub verdict: Verdict,
    /// The figure of each step with its noise and its ceiling, in the order of the steps.
    pub assessed: Vec<&'a MeasurementAssessment>,
    /// What explains the figure that the path is judged by, in order.
    pub causes: Vec<&'a Cause>,
}

/// `fullwire.net/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NetDocument<'a> {
    /// `fullwire.net/1`.
    pub schema: &'static str,
    /// The run that it is part of.
    pub run_id: &'a str,
    /// The result.
    #[serde(flatten)]
    pub net: Net<'a>,
    /// What the user asked, answered.
    pub answers: &'a [Answer],
    /// Rules that could not be decided, and why.
    pub unknowns: &'a [Unknown],
    /// Codes of the rules that applied and found nothing.
    pub passed: &'a [String],
    /// What could not be read or measured.
    pub gaps: Vec<Gap>,
}

/// `fullwire.mtu/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MtuDocument<'a> {
    /// `fullwire.mtu/1`.
    pub schema: &'static str,
    /// The run that it is part of.
    pub run_id: &'a str,
    /// The result.
    #[serde(flatten)]
    pub mtu: Mtu<'a>,
    /// What the user asked, answered.
    pub answers: &'a [Answer],
    /// Rules that could not be decided, and why.
    pub unknowns: &'a [Unknown],
    /// Codes of the rules that applied and found nothing.
    pub passed: &'a [String],
    /// What could not be read or measured.
    pub gaps: Vec<Gap>,
}

/// `fullwire.disk/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiskDocument<'a> {
    /// `fullwire.disk/1`.
    pub schema: &'static str,
    /// The run that it is part of.
    pub run_id: &'a str,
    /// The result.
    #[serde(flatten)]
    pub disk: Disk<'a>,
    /// What the user asked, answered.
    pub answers: &'a [Answer],
    /// Rules that could not be decided, and why.
    pub unknowns: &'a [Unknown],
    /// Codes of the rules that applied and found nothing.
    pub passed: &'a [String],
    /// What could not be read or measured.
    pub gaps: Vec<Gap>,
}

/// One document for each network result of the run.
pub fn net<'a>(run: &'a Run, assessment: &'a Assessment) -> Vec<NetDocument<'a>> {
    let document = |net| NetDocument {
        schema: "fullwire.net/1",
        run_id: &run.run_id,
        net,
        answers: &assessment.answers,
        unknowns: &assessment.unknowns,
        passed: &assessment.passed,
        gaps: crate::gaps(run),
    };
    nets(run, assessment).map(document).collect()
}

/// `fullwire.sweep/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SweepDocument<'a> {
    /// `fullwire.sweep/1`.
    pub schema: &'static str,
    /// The run that it is part of.
    pub run_id: &'a str,
    /// One for each size of the socket buffers (`plan.sockbuf_bytes`).
    pub results: Vec<Net<'a>>,
    /// What the user asked, answered.
    pub answers: &'a [Answer],
    /// Rules that could not be decided, and why.
    pub unknowns: &'a [Unknown],
    /// Codes of the rules that applied and found nothing.
    pub passed: &'a [String],
    /// What could not be read or measured.
    pub gaps: Vec<Gap>,
}

/// The document of a window sweep: one object, whatever the number of its results.
pub fn sweep<'a>(run: &'a Run, assessment: &'a Assessment) -> SweepDocument<'a> {
    SweepDocument {
        schema: "fullwire.sweep/1",
        run_id: &run.run_id,
        results: nets(run, assessment).collect(),
        answers: &assessment.answers,
        unknowns: &assessment.unknowns,
        passed: &assessment.passed,
        gaps: crate::gaps(run),
    }
}

/// One document for each path-MTU result of the run.
pub fn mtu<'a>(run: &'a Run, assessment: &'a Assessment) -> Vec<MtuDocument<'a>> {
    let document = |mtu| MtuDocument {
        schema: "fullwire.mtu/1",
        run_id: &run.run_id,
        mtu,
        answers: &assessment.answers,
        unknowns: &assessment.unknowns,
        passed: &assessment.passed,
        gaps: crate::gaps(run),
    };
    mtus(run, assessment).map(document).collect()
}

/// One document for each storage result of the run.
pub fn disk<'a>(run: &'a Run, assessment: &'a Assessment) -> Vec<DiskDocument<'a>> {
    let document = |disk| DiskDocument {
        schema: "fullwire.disk/1",
        run_id: &run.run_id,
        disk,
        answers: &assessment.answers,
        unknowns: &assessment.unknowns,
        passed: &assessment.passed,
        gaps: crate::gaps(run),
    };
    disks(run, assessment).map(document).collect()
}

pub(super) fn nets<'a>(run: &'a Run, assessment: &'a Assessment) -> impl Iterator<Item = Net<'a>> {
    let topology = Topology::of_run(run);
    run.net_measurements().map(move |(id, result)| {
        let path = assessment.path_of(PathKind::Network, &result.target);
        let assessed = path.and_then(|path| path.measurement_of(&id));
        let causes = path.into_iter().flat_map(|path| &path.causes);
        Net {
            ceilings: ceilings(assessment, &result.target),
            findings: findings(&topology, assessment, PathKind::Network, &result.target),
            verdict: verdict(assessment, PathKind::Network, &result.target),
            assessed,
            causes: causes.filter(|cause| assessed.is_some_and(|one| one.id == cause.measurement)).collect(),
            rfc6349: Rfc6349::of(result, &assessment.ceilings),
            result,
        }
    })
}

pub(super) fn mtus<'a>(run: &'a Run, assessment: &'a Assessment) -> impl Iterator<Item = Mtu<'a>> {
    let topology = Topology::of_run(run);
    run.mtu.iter().map(move |result| Mtu {
        ceilings: ceilings(assessment, &result.target),
        findings: findings(&topology, assessment, PathKind::Network, &result.target),
        result,
    })
}

pub(super) fn disks<'a>(run: &'a Run, assessment: &'a Assessment) -> impl Iterator<Item = Disk<'a>> {
    let topology = Topology::of_run(run);
    run.disk.iter().map(move |result| {
        let path = assessment.path_of(PathKind::Storage, &result.target);
        Disk {
            ceilings: ceilings(assessment, &result.target),
            findings: findings(&topology, assessment, PathKind::Storage, &result.target),
            verdict: verdict(assessment, PathKind::Storage, &result.target),
            assessed: figures::steps(result, path).filter_map(|(_, assessed)| assessed).collect(),
            causes: path.into_iter().flat_map(|path| &path.causes).collect(),
            result,
        }
    })
}

fn ceilings<'a>(assessment: &'a Assessment, target: &str) -> Vec<&'a Ceiling> {
    assessment.ceilings.iter().filter(|ceiling| ceiling.path == target).collect()
}

/// What is said of this path by name, and what is said of every path of its kind.
fn findings<'a>(
    topology: &Topology,
    assessment: &'a Assessment,
    kind: PathKind,
    target: &str,
) -> Vec<&'a Finding> {
    assessment.findings.iter().filter(|finding| topology.concerns(finding, kind, target)).collect()
}

fn verdict(assessment: &Assessment, kind: PathKind, target: &str) -> Verdict {
    assessment.path_of(kind, target).map_or_else(Verdict::default, |path| path.verdict)
}
