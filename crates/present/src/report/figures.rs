//! Results of probes next to what the rules made of them.

use fullwire_model::Run;
use fullwire_model::assessment::{MeasurementAssessment, PathAssessment, PathKind};
use fullwire_model::disk::{DiskResult, DiskStepResult};
use fullwire_model::net::NetResult;

/// The storage results of a path.
pub(crate) fn disks<'a>(
    run: &'a Run,
    path: &PathAssessment,
) -> impl Iterator<Item = &'a DiskResult> + use<'a> {
    let (wanted, subject) = (path.kind == PathKind::Storage, path.target.clone());
    run.disk.iter().filter(move |result| wanted && result.target == subject)
}

/// The network results of a path.
pub(crate) fn nets<'a>(
    run: &'a Run,
    path: &'a PathAssessment,
) -> Vec<(&'a NetResult, Option<&'a MeasurementAssessment>)> {
    let own = |result: &NetResult| path.kind == PathKind::Network && path.is_called(&result.target);
    let found = run.net_measurements().filter(|(_, result)| own(result));
    found.map(|(id, result)| (result, path.measurement_of(&id))).collect()
}

/// The steps of a storage result.
pub(crate) fn steps<'a>(
    result: &'a DiskResult,
    path: Option<&'a PathAssessment>,
) -> impl Iterator<Item = (&'a DiskStepResult, Option<&'a MeasurementAssessment>)> {
    result.measurements().map(move |(id, step)| (step, path.and_then(|path| path.measurement_of(&id))))
}
