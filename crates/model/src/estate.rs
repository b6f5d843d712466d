//! An estate at one moment: its hosts, the paths that are bad, the rounds that were made.

use fullwire_record::record;
use jiff::Timestamp;

/// The estate (`fullwire.estate/1`).
#[record]
pub struct Estate {
    /// The version of fullwire that looked.
    pub tool_version: String,
    /// When it looked.
    pub at: Timestamp,
    /// Who plans the rounds; `None`: no one ever has.
    pub coordinator: Option<EstateCoordinator>,
    /// Each host, by name.
    pub hosts: Vec<EstateHost>,
    /// Paths that are bad now, the worst kind first, then by name.
    pub bad: Vec<BadPath>,
    /// The newest rounds, newest first.
    pub rounds: Vec<EstateRound>,
    /// Runs that are kept.
    pub runs: u64,
    /// Points of paths that are kept.
    pub points: u64,
    /// Bytes that all of it takes in the database.
    pub stored_bytes: u64,
}

/// Who plans the rounds.
#[record(Eq)]
pub struct EstateCoordinator {
    /// Its host.
    pub host: String,
    /// Since when.
    pub since: Timestamp,
    /// Its fencing token.
    pub term: u64,
    /// It holds the lock now; false: no one plans rounds.
    pub leading: bool,
}

/// A host of the estate.
#[record]
pub struct EstateHost {
    /// Its name.
    pub name: String,
    /// The version of fullwire that runs there.
    pub version: String,
    /// Its agent was heard lately.
    pub present: bool,
    /// When it was heard last.
    pub last_seen: Option<Timestamp>,
    /// Results that wait on the host.
    pub unsent: u64,
    /// What it says of itself; empty: no trouble.
    pub trouble: String,
    /// Paths that begin there and were measured.
    pub paths: u64,
    /// Of those that begin or end there, so many are bad.
    pub bad_paths: u64,
    /// Median of the last streams that begin there, bytes a second.
    pub throughput_median_bytes_per_s: Option<f64>,
    /// The worst of them.
    pub throughput_worst_bytes_per_s: Option<f64>,
    /// Median of the last median round trips that begin there, ns.
    pub round_trip_median_ns: Option<f64>,
    /// The worst of them.
    pub round_trip_worst_ns: Option<f64>,
}

/// What a point of a path tells.
#[record(Default, PartialOrd, Ord)]
pub enum PathKind {
    /// Bytes a second.
    #[default]
    Stream,
    /// Round trips and the path MTU.
    Light,
}

/// A path that is bad now.
#[record]
pub struct BadPath {
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// Which network.
    pub network: String,
    /// What is bad.
    pub kind: PathKind,
    /// The first reading of those in a row that are bad.
    pub since: Timestamp,
    /// It was bad in every reading that is kept.
    pub always: bool,
    /// In words.
    pub why: String,
    /// The last reading: bytes a second, or ns.
    pub value: Option<f64>,
    /// What it was before.
    pub before: Option<f64>,
    /// The run of the last reading; empty: there is none.
    pub run_id: String,
}

/// A round.
#[record(Eq)]
pub struct EstateRound {
    /// Its id: the label of its runs.
    pub round_id: String,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// `running`, `done` or `interrupted`.
    pub state: String,
}
