//! What can go wrong with a storage probe, for a caller that branches on it.

use fullwire_model::GapReason;
use std::io;
use std::path::PathBuf;

/// Why a storage probe could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiskError {
    /// The plan makes no sense: the text says which field and why.
    #[error("cannot carry out the plan: {0}")]
    Plan(String),
    /// Nothing of that name, or not something that can be measured.
    #[error("cannot use {target} as a target: {problem}")]
    Target {
        /// As the user wrote it.
        target: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Not allowed: measuring would, or could, destroy data. The text names what was found and where.
    #[error("refused to write to {target}: {reason}")]
    Refused {
        /// As the user wrote it.
        target: String,
        /// What was found.
        reason: String,
    },
    /// Too little space for a file that could be measured.
    #[error(
        "not enough space on {path}: {} available; the smallest file needs {}, and {} must stay free; free some space or give another directory",
        amount(*available_bytes), amount(*needed_bytes), amount(*margin_bytes)
    )]
    NoSpace {
        /// The directory.
        path: PathBuf,
        /// Available to ordinary users.
        available_bytes: u64,
        /// What the smallest meaningful file takes.
        needed_bytes: u64,
        /// What must stay free.
        margin_bytes: u64,
    },
    /// The control group would have to slow down or kill its processes, the database's too.
    #[error(
        "not enough memory in the control group {group}: {} left, and the buffers take {}; measure from outside of it, or with smaller blocks or less depth",
        amount(*available_bytes), amount(*needed_bytes)
    )]
    NoMemory {
        /// Its path.
        group: String,
        /// Left below its limit.
        available_bytes: u64,
        /// Of the buffers.
        needed_bytes: u64,
    },
    /// The storage did not answer within the time that is allowed for it.
    #[error(
        "{target} did not answer: {action} had not finished after {seconds:.0} s{}; check for failed paths or a server that is down",
        asleep_in(wait_channel)
    )]
    NoAnswer {
        /// The target or file.
        target: String,
        /// What was tried.
        action: String,
        /// How long was waited.
        seconds: f64,
        /// The kernel function in which the call sleeps; empty when it is not known.
        wait_channel: String,
    },
    /// The stop flag was raised before anything was measured.
    #[error("stopped before anything was measured")]
    Stopped,
    /// A call failed.
    #[error("cannot {action} {target}: {source}")]
    Io {
        /// What was tried (`open`, `write the layout of`).
        action: String,
        /// On what.
        target: String,
        /// What the kernel said.
        source: io::Error,
    },
}

fn asleep_in(wait_channel: &str) -> String {
    if wait_channel.is_empty() { String::new() } else { format!(" (sleeping in {wait_channel})") }
}

/// What the block layer and file systems return when the medium, the path or the server fails (Linux
/// `block/blk-core.c`, the table of status codes), not when a request was wrong.
const DEVICE_FAILURES: [i32; 9] = [
    libc::EIO,
    libc::ENXIO,
    libc::ENODEV,
    libc::EREMOTEIO,
    libc::ENOLINK,
    libc::ENODATA,
    libc::EBADE,
    libc::ETIMEDOUT,
    libc::ESTALE,
];

/// As people read sizes.
fn amount(bytes: u64) -> String {
    let bytes = bytes as f64;
    if bytes < 1e9 { format!("{:.1} MB", bytes / 1e6) } else { format!("{:.1} GB", bytes / 1e9) }
}

impl DiskError {
    /// The device, the way to it, or the server failed the call.
    pub fn is_device_failure(&self) -> bool {
        let Self::Io { source, .. } = self else { return false };
        source.raw_os_error().is_some_and(|code| DEVICE_FAILURES.contains(&code))
    }

    /// The kernel function in which the call sleeps that did not come back, empty when it is not known; `None`: every call
    /// came back.
    pub fn wait_channel(&self) -> Option<&str> {
        let Self::NoAnswer { wait_channel, .. } = self else { return None };
        Some(wait_channel)
    }

    /// Why what it kept from being measured is missing.
    pub fn gap_reason(&self) -> GapReason {
        match self {
            Self::NoAnswer { .. } => GapReason::Timeout,
            Self::Refused { .. }
            | Self::NoSpace { .. }
            | Self::NoMemory { .. }
            | Self::Stopped
            | Self::Plan(_) => GapReason::Skipped,
            _ => GapReason::Unsupported,
        }
    }

    pub(crate) fn io(action: &str, target: impl Into<String>, source: impl Into<io::Error>) -> Self {
        Self::Io { action: action.to_owned(), target: target.into(), source: source.into() }
    }
}
