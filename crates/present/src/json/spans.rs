//! `fullwire.spans/1`: trouble in a recording, ours or imported.

use fullwire_model::{Gap, SPANS_SCHEMA, Span};
use schemars::JsonSchema;
use serde::Serialize;

/// `fullwire.spans/1`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SpansDocument<'a> {
    /// `fullwire.spans/1`.
    pub schema: &'static str,
    /// In the order of their beginnings.
    pub spans: &'a [Span],
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// The document of a judged recording.
pub fn spans(spans: &[Span], gaps: Vec<Gap>) -> SpansDocument<'_> {
    SpansDocument { schema: SPANS_SCHEMA, spans, gaps }
}
