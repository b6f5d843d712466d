//! The history of kept runs: its lines, and its figures as series.

use crate::comparison::{Direction, SettingChange};
use crate::quantity::Unit;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Longest id of a run, and label that a shell is offered, bytes.
pub const ID_LONGEST_BYTES: usize = 64;

/// A kept run without its content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// One figure over all runs that asked the same question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Series {
    /// The peer or the storage target.
    pub path: String,
    /// The measurement and the figure.
    pub label: String,
    /// The unit of the values.
    pub unit: Unit,
    /// Which direction is good.
    pub better: Direction,
    /// Oldest first.
    pub points: Vec<Point>,
    /// Where it changed.
    pub changes: Vec<Change>,
    /// Median ratio of one run to the next, less 1, whichever is larger: what two runs differ by when nothing changed.
    pub noise_floor: Option<f64>,
    /// Index of the point with the best value.
    pub best: usize,
}

/// One run of a series.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Point {
    /// The run.
    pub run_id: String,
    /// When it began.
    pub at: Timestamp,
    /// Median of its repeats.
    pub value: f64,
}

/// A place where a series changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Change {
    /// Index of the first point after it.
    pub at: usize,
    /// As a share of the level before.
    pub shift: f64,
    /// In the good direction.
    pub better: bool,
    /// What differs in the configuration between the two neighbours.
    pub settings: Vec<SettingChange>,
}
