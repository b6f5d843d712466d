//! `fullwire.diff/1` and `fullwire.prove/1`.

use crate::report::answers;
use fullwire_model::assessment::Answer;
use fullwire_model::comparison::{Comparison, Proof};
use serde::Serialize;

/// `fullwire.diff/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffDocument<'a> {
    /// `fullwire.diff/1`.
    pub schema: &'static str,
    /// Whether it is better than before, one answer for each path: `figure` is after, `limit` before.
    pub answers: Vec<Answer>,
    /// The comparison.
    #[serde(flatten)]
    pub comparison: &'a Comparison,
}

/// `fullwire.prove/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProveDocument<'a> {
    /// `fullwire.prove/1`.
    pub schema: &'static str,
    /// Whether the change helps, one answer for each path: `figure` is with it, `limit` without it.
    pub answers: Vec<Answer>,
    /// The experiment and what came of it.
    #[serde(flatten)]
    pub proof: &'a Proof,
}

/// The document of a comparison.
pub fn diff(comparison: &Comparison) -> DiffDocument<'_> {
    DiffDocument { schema: "fullwire.diff/1", answers: answers(comparison), comparison }
}

/// The document of an experiment.
pub fn prove(proof: &Proof) -> ProveDocument<'_> {
    ProveDocument { schema: "fullwire.prove/1", answers: answers(&proof.comparison), proof }
}
