//! What the matrix of a mesh says: hosts before their paths, paths only where no host, uplink or group explains them.

mod change;
mod cover;
mod finding;
mod matrix;
mod polish;
mod reach;
mod storage;
mod throughput;
mod view;

pub use change::changes;
pub use cover::{Place, cover};
pub use matrix::Matrix;
pub use polish::{Polished, polish};
pub use throughput::suspects;

use fullwire_model::assessment::Finding;
use fullwire_model::mesh::Mesh;
use std::cmp::Reverse;
use view::View;

/// Everything that the rules of the mesh say, worst first.
pub fn judge(mesh: &Mesh) -> Vec<Finding> {
    let mesh = &View::of(mesh);
    let mut findings: Vec<Finding> = reach::absent(mesh)
        .into_iter()
        .chain(reach::unreachable(mesh))
        .chain(reach::other_versions(mesh))
        .collect();
    findings.extend(reach::bonds(mesh));
    for network in &mesh.networks {
        findings.extend(reach::blocked(mesh, network));
        findings.extend(reach::mtu(mesh, network));
        findings.extend(throughput::throughput(mesh, network));
        findings.extend(throughput::round_trip(mesh, network));
        findings.extend(throughput::ceilings(mesh, network));
    }
    findings.extend(storage::storage(mesh));
    findings.sort_by_key(|finding| Reverse(finding.severity));
    findings
}
