//! Results of probes next to what the rules made of them: the figures of a path are in the order of its results.

use fullwire_model::Run;
use fullwire_model::assessment::{MeasurementAssessment, PathAssessment, PathKind};
use fullwire_model::disk::{DiskResult, DiskStepResult};
use fullwire_model::net::NetResult;

/// The storage results of a path.
pub(crate) fn disks<'a>(
    run: &'a Run,
    path: &PathAssessment,
) -> impl Iterator<Item = &'a DiskResult> + use<'a> {
    let (wanted, subject) = (path.kind == PathKind::Storage, path.subject.clone());
    run.disk.iter().filter(move |result| wanted && result.target == subject)
}

/// The network results of a path.
pub(crate) fn nets<'a>(
    run: &'a Run,
    path: &'a PathAssessment,
) -> Vec<(&'a NetResult, Option<&'a MeasurementAssessment>)> {
    let own = run.net.iter().filter(|result| path.kind == PathKind::Network && result.target == path.subject);
    let with = |(index, result): (usize, &'a NetResult)| (result, path.measurements.get(index));
    own.enumerate().map(with).collect()
}

/// The storage steps of a path.
pub(crate) fn steps<'a>(
    run: &'a Run,
    path: &'a PathAssessment,
) -> Vec<(&'a DiskStepResult, Option<&'a MeasurementAssessment>)> {
    let with = |(index, step): (usize, &'a DiskStepResult)| (step, path.measurements.get(index));
    disks(run, path).flat_map(|result| &result.steps).enumerate().map(with).collect()
}
