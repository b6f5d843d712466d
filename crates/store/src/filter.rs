//! Which lines of the history are wanted.

use jiff::Timestamp;

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
    /// At most this, the newest.
    pub limit: Option<u32>,
}
