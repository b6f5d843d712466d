//! A line of the history, and which lines are wanted.

use jiff::Timestamp;

/// A kept run without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// Which runs are wanted; an empty filter wants all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only of this host.
    pub host: Option<String>,
    /// Only of this command.
    pub command: Option<String>,
    /// Only with this label.
    pub tag: Option<String>,
    /// Only those that measured this.
    pub target: Option<String>,
    /// Only those that began at or after this time.
    pub since: Option<Timestamp>,
    /// No more than this, the newest.
    pub limit: Option<u32>,
}
