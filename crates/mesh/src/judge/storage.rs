//! The same disk plan on each host: who is slower than the rest.

use super::finding::{Draft, rate};
use fullwire_model::MeasurementId;
use fullwire_model::assessment::{Finding, Layer, Severity};
use fullwire_model::median;
use fullwire_model::mesh::{CellState, Mesh, MeshStorage};
use fullwire_model::quantity::Unit;

/// A host is slow when it has less than this share of the median of all.
const SLOW: f64 = 0.7;
/// Of two hosts no one can say which is the usual one.
const HOSTS: usize = 3;

/// Hosts whose storage is slower than that of the others, by the step that shows it most.
pub(super) fn storage(mesh: &Mesh) -> Vec<Finding> {
    let measured: Vec<&MeshStorage> =
        mesh.storage.iter().filter(|one| one.state == CellState::Measured).collect();
    measured.iter().filter_map(|one| slow(&measured, one)).collect()
}

fn slow(all: &[&MeshStorage], one: &MeshStorage) -> Option<Finding> {
    let share = |measurement: &MeasurementId, own: f64| {
        let same = all.iter().filter(|other| other.target == one.target).flat_map(|other| &other.steps);
        let rates: Vec<f64> = same
            .filter(|step| step.measurement == *measurement)
            .map(|step| step.throughput_bytes_per_s)
            .collect();
        let usual = median(&rates).filter(|&usual| usual > 0.0 && rates.len() >= HOSTS)?;
        Some((own / usual, usual))
    };
    let steps = one.steps.iter().filter_map(|step| {
        let (share, usual) = share(&step.measurement, step.throughput_bytes_per_s)?;
        (share < SLOW).then_some((share, usual, step))
    });
    let (_, usual, step) = steps.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let own = step.throughput_bytes_per_s;
    let draft = Draft::new(
        "mesh-storage-slow",
        Severity::Warning,
        one.host.clone(),
        format!("{} on {}: {} reaches {}; the others reach {}", one.target, one.host, step.measurement, rate(own), rate(usual)),
    )
    .layer(Layer::Storage)
    .measured(own, usual, Unit::BytesPerS)
    .evidence(format!("storage: {}", one.identities.join(", ")), "the same plan on each host")
    .why("The same plan on the same kind of storage should give the same result on each host. A path, an HBA, a queue setting or a neighbour differs.")
    .step("Look at the kept run of this host: `fullwire show` names what limits it. Compare paths and queue settings with a fast host.")
    .expect("All hosts reach the same.");
    Some(draft.done())
}
