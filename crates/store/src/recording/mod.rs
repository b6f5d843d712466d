//! Recordings: one `SQLite` file each, with all counters as key frames and differences, and the events between them.
//!
//! A sample is one transaction in a write-ahead log: a recorder that is killed loses at most the sample that it was writing,
//! a power cut what the last checkpoint (every ten seconds) had not synced. Bodies are JSON under the field names of
//! [`Counters`](fullwire_model::counters::Counters), so that a file outlives the versions of the program. Findings are
//! never kept: they are computed again when a recording is judged.

mod codec;
mod directory;
mod error;
mod frame;
mod read;
mod write;

pub use directory::{Limits, ShardWriter};
pub use error::RecordingError;
pub use read::{Keys, Recorded, Recording, Samples, Span};
pub use write::{Begin, RecordingWriter};

/// The format, in `meta` and in documents.
pub const FORMAT: &str = "fullwire.recording/1";

/// `application_id` of a recording: "fwrr" in ASCII.
const APPLICATION_ID: i64 = 0x6677_7272;

/// The version of the tables.
const VERSION: i64 = 1;

/// What a recording's file is called.
pub const EXTENSION: &str = "fwr";
