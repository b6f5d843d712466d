//! A line of the history of kept runs.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kept run without its content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Entry {
    /// The run's name.
    pub run_id: String,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Timestamp,
    /// `assess`, `net`, `disk`, ...
    pub command: String,
    /// Arguments as given.
    pub arguments: Vec<String>,
    /// The host that it was made on.
    pub host: String,
    /// The user's label.
    pub tag: Option<String>,
    /// The version of fullwire that made it.
    pub tool_version: String,
    /// Peers, directories and devices that were measured.
    pub targets: Vec<String>,
    /// Bytes that it takes in the store.
    pub stored_bytes: u64,
    /// It is its host's baseline.
    pub baseline: bool,
}
