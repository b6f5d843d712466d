//! `fullwire.mesh/1`.

use crate::report::mesh_answer;
use fullwire_model::assessment::{Answer, Finding, Reply, UserQuestion};
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
    /// Is every path as good as the others?
    pub answers: Vec<Answer>,
    /// Hosts, links and paths that are off, worst first.
    pub findings: &'a [Finding],
}

/// The document of a mesh.
pub fn mesh<'a>(mesh: &'a Mesh, findings: &'a [Finding]) -> MeshDocument<'a> {
    let worst = findings.first();
    let answer = Answer {
        question: UserQuestion::Healthy,
        subject: worst.map(|worst| worst.subject.clone()).unwrap_or_default(),
        answer: if worst.is_some() { Reply::Unhealthy } else { Reply::Healthy },
        limited_by: worst.map(|worst| worst.code.clone()).unwrap_or_default(),
        basis: "all pairs".to_owned(),
        text: mesh_answer(findings),
        ..Answer::default()
    };
    MeshDocument { schema: "fullwire.mesh/1", mesh, answers: vec![answer], findings }
}
