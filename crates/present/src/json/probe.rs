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
use fullwire_model::{Gap, PathName, Run};
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

/// A document about what a probe found in a run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Probed<'a, T> {
    /// The kind of document, with its version.
    pub schema: &'static str,
    /// The run that it is part of.
    pub run_id: &'a str,
    /// The result.
    #[serde(flatten)]
    pub result: T,
    /// What the user asked, answered.
    pub answers: &'a [Answer],
    /// Rules that could not be decided, and why.
    pub unknowns: &'a [Unknown],
    /// Codes of the rules that applied and found nothing.
    pub passed: &'a [String],
    /// What could not be read or measured.
    pub gaps: Vec<Gap>,
}

/// `fullwire.net/1`.
pub type NetDocument<'a> = Probed<'a, Net<'a>>;
/// `fullwire.sweep/1`.
pub type SweepDocument<'a> = Probed<'a, Sweep<'a>>;
/// `fullwire.mtu/1`.
pub type MtuDocument<'a> = Probed<'a, Mtu<'a>>;
/// `fullwire.disk/1`.
pub type DiskDocument<'a> = Probed<'a, Disk<'a>>;

/// Streams over several sizes of the socket buffers.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sweep<'a> {
    /// One for each size of the socket buffers (`plan.sockbuf_bytes`).
    pub results: Vec<Net<'a>>,
}

fn probed<'a, T>(run: &'a Run, assessment: &'a Assessment, schema: &'static str, result: T) -> Probed<'a, T> {
    Probed {
        schema,
        run_id: &run.run_id,
        result,
        answers: &assessment.answers,
        unknowns: &assessment.unknowns,
        passed: &assessment.passed,
        gaps: crate::gaps(run),
    }
}

/// One document for each network result of the run.
pub fn net<'a>(run: &'a Run, assessment: &'a Assessment) -> Vec<NetDocument<'a>> {
    nets(run, assessment).map(|net| probed(run, assessment, "fullwire.net/1", net)).collect()
}

/// The document of a window sweep: one object, whatever the number of its results.
pub fn sweep<'a>(run: &'a Run, assessment: &'a Assessment) -> SweepDocument<'a> {
    let results = nets(run, assessment).collect();
    probed(run, assessment, "fullwire.sweep/1", Sweep { results })
}

/// One document for each path-MTU result of the run.
pub fn mtu<'a>(run: &'a Run, assessment: &'a Assessment) -> Vec<MtuDocument<'a>> {
    mtus(run, assessment).map(|mtu| probed(run, assessment, "fullwire.mtu/1", mtu)).collect()
}

/// One document for each storage result of the run.
pub fn disk<'a>(run: &'a Run, assessment: &'a Assessment) -> Vec<DiskDocument<'a>> {
    disks(run, assessment).map(|disk| probed(run, assessment, "fullwire.disk/1", disk)).collect()
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

fn ceilings<'a>(assessment: &'a Assessment, target: &PathName) -> Vec<&'a Ceiling> {
    assessment.ceilings.iter().filter(|ceiling| ceiling.path == *target).collect()
}

/// What is said of this path by name, and what is said of every path of its kind.
fn findings<'a>(
    topology: &Topology,
    assessment: &'a Assessment,
    kind: PathKind,
    target: &PathName,
) -> Vec<&'a Finding> {
    assessment.findings.iter().filter(|finding| topology.concerns(finding, kind, target)).collect()
}

fn verdict(assessment: &Assessment, kind: PathKind, target: &PathName) -> Verdict {
    assessment.path_of(kind, target).map_or_else(Verdict::default, |path| path.verdict)
}
