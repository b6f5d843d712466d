//! `fullwire.mesh/1`.

use crate::report::{mesh_answer, mesh_changes_answer};
use fullwire_model::assessment::{Answer, Finding, Reply, Severity, UserQuestion};
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
    let reply = if findings.is_empty() { Reply::Healthy } else { Reply::Unhealthy };
    document(mesh, findings, (UserQuestion::Healthy, reply), mesh_answer(findings))
}

/// The document of two meshes: the later one, and what changed.
pub fn mesh_changes<'a>(now: &'a Mesh, changes: &'a [Finding], still: &[Finding]) -> MeshDocument<'a> {
    let reply = match changes.first() {
        Some(worst) if worst.severity >= Severity::Warning => Reply::Worse,
        Some(_) => Reply::Better,
        None => Reply::Same,
    };
    let text = mesh_changes_answer(changes, still).join(" ");
    document(now, changes, (UserQuestion::Better, reply), text)
}

fn document<'a>(
    mesh: &'a Mesh,
    findings: &'a [Finding],
    (question, reply): (UserQuestion, Reply),
    text: String,
) -> MeshDocument<'a> {
    let worst = findings.first();
    let answer = Answer {
        question,
        subject: worst.map(|worst| worst.subject.as_str().into()).unwrap_or_default(),
        answer: reply,
        limited_by: worst.map(|worst| worst.code.clone()).unwrap_or_default(),
        basis: "all pairs".to_owned(),
        text,
        ..Answer::default()
    };
    MeshDocument { schema: "fullwire.mesh/1", mesh, answers: vec![answer], findings }
}
