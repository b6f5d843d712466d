//! What can go wrong with a store, told so that the reader knows what to do.

use std::path::{Path, PathBuf};

/// Why the store did not do what was requested.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Its directory is missing and could not be made.
    #[error("cannot create {path}, the directory of the run store: {source}; use another file with --store")]
    Directory {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file could not be opened.
    #[error("cannot open the run store {path}: {detail}; use another file with --store")]
    Open {
        /// The store.
        path: PathBuf,
        /// SQLite's words.
        detail: String,
    },
    /// Another process holds it.
    #[error("the run store {path} is locked by another process; try again")]
    Locked {
        /// The store.
        path: PathBuf,
    },
    /// It can be read, not written.
    #[error("the run store {path} cannot be written (read-only); use another file with --store")]
    ReadOnly {
        /// The store.
        path: PathBuf,
    },
    /// The disk is full.
    #[error("no space to keep the run in {path}; free some space, or use another file with --store")]
    Full {
        /// The store.
        path: PathBuf,
    },
    /// It is damaged.
    #[error(
        "the run store {path} is damaged ({detail}); move it away to start a new one, or recover what is readable: sqlite3 {path} .recover"
    )]
    Corrupt {
        /// The store.
        path: PathBuf,
        /// What was found.
        detail: String,
    },
    /// The file is something else.
    #[error("{path} is not a run store: {detail}; use another file with --store")]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// What it seems to be.
        detail: String,
    },
    /// A later fullwire made it.
    #[error(
        "the run store {path} has schema {found}, but this fullwire supports up to {known}; use a newer fullwire, or another file with --store"
    )]
    Newer {
        /// The store.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest schema known here.
        known: usize,
    },
    /// There is no store.
    #[error(
        "there is no run store {path}; create one with `fullwire assess`, or use another file with --store"
    )]
    Missing {
        /// Where it would be.
        path: PathBuf,
    },
    /// Nothing is kept yet.
    #[error("the run store {path} is empty; `fullwire assess` keeps a run")]
    Empty {
        /// The store.
        path: PathBuf,
    },
    /// No run of that name.
    #[error("no run {id} in {path}; `fullwire history` lists them")]
    NotFound {
        /// The store.
        path: PathBuf,
        /// What was requested.
        id: String,
    },
    /// Several runs begin like this.
    #[error("{prefix} matches {candidates}; give more characters")]
    Ambiguous {
        /// What was requested.
        prefix: String,
        /// The first few that begin so.
        candidates: String,
    },
    /// No baseline was set for the host.
    #[error("no baseline {name} is set for {host}; set one with `fullwire baseline set RUN`")]
    NoBaseline {
        /// The host.
        host: String,
        /// The baseline.
        name: String,
    },
    /// The run is there already.
    #[error("run {run_id} is already kept")]
    Duplicate {
        /// The run.
        run_id: String,
    },
    /// The run would not come back as it is.
    #[error("run {run_id} cannot be kept: {detail}")]
    Unkeepable {
        /// The run.
        run_id: String,
        /// What stands against it.
        detail: String,
    },
    /// Another place has not acknowledged the run yet.
    #[error(
        "run {run_id} has not reached the shared store yet and is not removed; `fullwire agent` sends it"
    )]
    Owed {
        /// The run.
        run_id: String,
    },
    /// The server of the shared store cannot be spoken to.
    #[error("cannot {action}: the shared store {place} does not answer ({detail}); is the server there?")]
    SharedGone {
        /// The store.
        place: String,
        /// What was tried.
        action: &'static str,
        /// The client's words.
        detail: String,
    },
    /// The role lacks a right.
    #[error(
        "cannot {action} in the shared store {place}: {detail}; the role needs fullwire_write to write, \
         fullwire_read to read, and to own the schema to change it"
    )]
    SharedDenied {
        /// The store.
        place: String,
        /// What was tried.
        action: &'static str,
        /// The server's words.
        detail: String,
    },
    /// The server's disk is full.
    #[error("there is no space left on the server of the shared store {place}")]
    SharedFull {
        /// The store.
        place: String,
    },
    /// A later fullwire made the schema.
    #[error(
        "the shared store {place} has schema {found}, this fullwire knows up to {known}; use the newer fullwire"
    )]
    NewerShared {
        /// The store.
        place: String,
        /// Its schema.
        found: i32,
        /// The newest schema known here.
        known: i32,
    },
    /// The schema is that of an earlier fullwire.
    #[error("the shared store {place} has an older schema; `fullwire estate up` brings it up to date")]
    OlderShared {
        /// The store.
        place: String,
    },
    /// Somebody made the schema whose triggers, views and defaults would run with this login's rights.
    #[error(
        "the schema fullwire of {place} belongs to {owner}, whose code would run with your rights: use {owner}'s own login, or \
         `fullwire estate up` in a database that {owner} cannot create in"
    )]
    ForeignSchema {
        /// The store.
        place: String,
        /// Who owns it, or something in it.
        owner: String,
    },
    /// There is no schema.
    #[error("the database {place} has no fullwire schema; `fullwire estate up` makes it")]
    Unprepared {
        /// The store.
        place: String,
    },
    /// The server is too old.
    #[error("the server of the shared store {place} is PostgreSQL {found}; 13 or later is needed")]
    OldServer {
        /// The store.
        place: String,
        /// Its major version.
        found: i32,
    },
    /// Anything else that the server says.
    #[error("cannot {action} in the shared store {place}: {detail}")]
    Shared {
        /// The store.
        place: String,
        /// What was tried.
        action: &'static str,
        /// The server's words.
        detail: String,
    },
    /// A kept run is unreadable, the store itself is sound.
    #[error("run {run_id} cannot be read back: {detail}; other runs are not affected")]
    Malformed {
        /// The run.
        run_id: String,
        /// What was found.
        detail: String,
    },
    /// Anything else that SQLite says.
    #[error("cannot {action} in the run store {path}: {source}")]
    Sql {
        /// The store.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// SQLite's words.
        source: rusqlite::Error,
    },
}

/// Names the store and what was tried on it in an SQLite error, sorted by what the user can do about it.
pub(crate) fn explain(
    path: &Path,
    action: &'static str,
) -> impl FnOnce(rusqlite::Error) -> StoreError + use<> {
    let path = path.to_path_buf();
    move |source| {
        let detail = source.to_string();
        match source.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                StoreError::Locked { path }
            }
            Some(rusqlite::ErrorCode::ReadOnly) => StoreError::ReadOnly { path },
            Some(rusqlite::ErrorCode::DiskFull) => StoreError::Full { path },
            Some(rusqlite::ErrorCode::DatabaseCorrupt) => StoreError::Corrupt { path, detail },
            Some(rusqlite::ErrorCode::NotADatabase) => StoreError::NotAStore { path, detail },
            Some(rusqlite::ErrorCode::CannotOpen | rusqlite::ErrorCode::PermissionDenied) => {
                StoreError::Open { path, detail }
            }
            _ => StoreError::Sql { path, action, source },
        }
    }
}
