//! What can go wrong with a recording.

use std::path::{Path, PathBuf};

/// Why a recording could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// Nothing is there.
    #[error("there is no recording {}; make one with `fullwire record`", path.display())]
    Missing {
        /// What was requested.
        path: PathBuf,
    },
    /// The file is there already.
    #[error("{} already exists; use another file, or record to a directory with --dir", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another recorder writes here.
    #[error("another recorder is writing to {}; stop it first, or use another directory", path.display())]
    Busy {
        /// The directory.
        path: PathBuf,
    },
    /// A file system of several hosts.
    #[error(
        "{} is on a network file system, where a recording cannot be read while it is written; use a local directory",
        path.display()
    )]
    Shared {
        /// The file.
        path: PathBuf,
    },
    /// Root would obey what another user lays beside the file.
    #[error(
        "another user can exchange {} or lay files beside it: as root, record where root alone can write (in /tmp: --dir with a directory that is made there)",
        path.display()
    )]
    Exchangeable {
        /// The file or the directory.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{} is not a recording: {detail}", path.display())]
    NotARecording {
        /// The file.
        path: PathBuf,
        /// What was found.
        detail: String,
    },
    /// There is no room.
    #[error("no space for the recording in {}", path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the kernel said.
        source: std::io::Error,
    },
    /// `SQLite` refused.
    #[error("cannot {action} the recording {}: {source}", path.display())]
    Sql {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Its words.
        source: rusqlite::Error,
    },
}

/// Names the file and what was tried on it.
pub(super) fn sql(path: &Path, action: &'static str) -> impl FnOnce(rusqlite::Error) -> RecordingError {
    move |source| {
        let path = path.to_path_buf();
        match source.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DiskFull) => RecordingError::Full { path },
            Some(rusqlite::ErrorCode::NotADatabase) => {
                RecordingError::NotARecording { path, detail: source.to_string() }
            }
            _ => RecordingError::Sql { path, action, source },
        }
    }
}

/// The same of the operating system.
pub(super) fn io(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> RecordingError {
    move |source| {
        let path = path.to_path_buf();
        if source.raw_os_error() == Some(rustix::io::Errno::NOSPC.raw_os_error()) {
            return RecordingError::Full { path };
        }
        RecordingError::Io { path, action, source }
    }
}
