//! `fullwire.recording/1`: what `record` wrote, and what `replay` finds in a recording.

use fullwire_model::recording::Event;
use jiff::Timestamp;
use serde::Serialize;

/// `fullwire.recording/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordingDocument<'a> {
    /// `fullwire.recording/1`.
    pub schema: &'static str,
    /// The file, or the directory of files.
    pub path: String,
    /// The host.
    pub host: String,
    /// The first sample.
    pub from: Timestamp,
    /// The last sample.
    pub to: Timestamp,
    /// Samples in it.
    pub samples: u64,
    /// Time between samples, ns.
    pub interval_ns: Option<u64>,
    /// What happened, at most the last 200 events (`replay`).
    pub events: &'a [Event],
    /// What cannot be read of it (`replay`).
    pub damage: &'a [String],
    /// Samples that could not be written: the disk was too slow or full (`record`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<u64>,
    /// Size of the file (`record`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// What recording cost (`record`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<RecordingCost>,
}

/// What recording cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordingCost {
    /// CPU time of all threads, without the start of the program, s.
    pub cpu_s: f64,
    /// The sample that took longest to read, ns.
    pub slowest_sample_ns: u64,
    /// Memory at its highest, bytes.
    pub rss_peak_bytes: Option<u64>,
}

impl RecordingDocument<'_> {
    /// The name of its schema.
    pub const SCHEMA: &'static str = "fullwire.recording/1";
}
