//! `fullwire.spans/1`: trouble in a recording, ours or imported.

use crate::report::{Beside, DatabaseBeside};
use fullwire_model::{Gap, SPANS_SCHEMA, Span};
use jiff::Timestamp;
use serde::Serialize;

/// `fullwire.spans/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpansDocument<'a> {
    /// `fullwire.spans/1`.
    pub schema: &'static str,
    /// What was judged of a recording of ours; absent for other tools' files.
    #[serde(flatten)]
    pub stretch: Option<Stretch>,
    /// In the order of their beginnings.
    pub spans: &'a [Span],
    /// What could not be read.
    pub gaps: &'a [Gap],
    /// With `--awr`: the database's figures beside its devices'.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<&'a DatabaseBeside>,
    /// With `--with`: another tool's file on the same axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<&'a Beside>,
}

/// The part of a recording that was judged.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stretch {
    /// Its beginning.
    pub from: Timestamp,
    /// Its end.
    pub to: Timestamp,
    /// Samples that were judged.
    pub samples: u64,
    /// Minutes that were judged first; samples are judged where a minute may hide trouble. 0: every sample was judged.
    pub minutes: u64,
}

/// The document of what was judged.
pub fn spans<'a>(spans: &'a [Span], gaps: &'a [Gap]) -> SpansDocument<'a> {
    SpansDocument { schema: SPANS_SCHEMA, stretch: None, spans, gaps, database: None, beside: None }
}
