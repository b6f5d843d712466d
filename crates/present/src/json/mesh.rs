//! `fullwire.mesh/1`.

use fullwire_model::assessment::Finding;
use fullwire_model::mesh::Mesh;
use serde::Serialize;

/// `fullwire.mesh/1`: all pairs of a cluster, and what the matrix says.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeshDocument<'a> {
    /// `fullwire.mesh/1`.
    pub schema: &'static str,
    /// As it was measured.
    #[serde(flatten)]
    pub mesh: &'a Mesh,
    /// Hosts, links and paths that are off, worst first.
    pub findings: &'a [Finding],
}

/// The document of a mesh.
pub fn mesh<'a>(mesh: &'a Mesh, findings: &'a [Finding]) -> MeshDocument<'a> {
    MeshDocument { schema: "fullwire.mesh/1", mesh, findings }
}
