//! The store that many hosts share, in PostgreSQL 13 or later. It answers what the SQLite store answers, and also holds
//! the hosts, rounds and points of an estate.
//!
//! Anyone who opens it brings the connection: TLS and passwords are no business of a store.

mod baseline;
mod estate;
mod ingest;
mod leader;
mod migrate;
mod partition;
mod read;

pub use estate::{HostRow, PointRow, RoundRow, Suspect};
pub use ingest::{Ingested, Item, Point};
pub use leader::Term;
pub use migrate::KNOWN;

use crate::StoreError;
use fullwire_model::Run;
use std::path::PathBuf;
use std::time::SystemTime;
use tokio::runtime::Runtime;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Row};

/// Where everything is kept in the database.
pub const SCHEMA: &str = "fullwire";

/// What a session needs for the store, as PostgreSQL's `options`: no lock or answer is waited for without limit.
pub const SESSION: &str =
    "-c search_path=fullwire -c statement_timeout=30000 -c lock_timeout=10000 -c timezone=UTC";

/// What a connection does, and may do: no more than the role of that name in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duty {
    /// Keeps what hosts bring; it reads back nothing of it.
    Ingest,
    /// Shows; it changes nothing.
    Show,
}

impl Duty {
    /// The group that `roles.sql` makes.
    fn role(self) -> &'static str {
        match self {
            Self::Ingest => "fullwire_ingest",
            Self::Show => "fullwire_read",
        }
    }
}

/// An open shared store.
pub struct Shared {
    runtime: Runtime,
    pub(crate) client: Client,
    place: String,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("place", &self.place).finish_non_exhaustive()
    }
}

impl Shared {
    /// Over a connection that `runtime` drives; `place` is the name that may be shown. The schema must be there, and
    /// not newer than this program.
    pub fn open(runtime: Runtime, client: Client, place: &str) -> Result<Self, StoreError> {
        let store = Self::connected(runtime, client, place);
        match store.schema_version()? {
            Some(KNOWN) => Ok(store),
            Some(found) if found > KNOWN => Err(store.newer(found)),
            Some(_) => Err(StoreError::OlderShared { place: store.place }),
            None => Err(StoreError::Unprepared { place: store.place }),
        }
    }

    /// The same, for a caller that creates the schema or brings it up to date: see [`Shared::migrate`].
    pub fn connected(runtime: Runtime, client: Client, place: &str) -> Self {
        Self { runtime, client, place: place.to_owned() }
    }

    /// From now on the connection does this alone. False: the database has no such role, or this login is no member of it.
    pub fn limit(&self, duty: Duty) -> Result<bool, StoreError> {
        const ACTION: &str = "take a role";
        if duty == Duty::Show {
            self.batch(ACTION, "SET default_transaction_read_only = on")?;
        }
        match self.batch(ACTION, &format!("SET ROLE {}", duty.role())) {
            Ok(()) => Ok(true),
            Err(StoreError::Shared { .. } | StoreError::SharedDenied { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Its name, without a password.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Keeps a run that was made by hand.
    pub fn keep(&mut self, run: &Run) -> Result<(), StoreError> {
        let item = Item { agent: String::new(), run: run.clone(), point: None };
        match self.ingest(&[item])?.as_slice() {
            [Ingested::Added] => Ok(()),
            _ => Err(StoreError::Duplicate { run_id: run.run_id.clone() }),
        }
    }

    fn query(
        &self,
        action: &'static str,
        sql: &str,
        arguments: &[&(dyn tokio_postgres::types::ToSql + Sync)],
    ) -> Result<Vec<Row>, StoreError> {
        self.runtime.block_on(self.client.query(sql, arguments)).map_err(self.failed(action))
    }

    fn execute(
        &self,
        action: &'static str,
        sql: &str,
        arguments: &[&(dyn tokio_postgres::types::ToSql + Sync)],
    ) -> Result<u64, StoreError> {
        self.runtime.block_on(self.client.execute(sql, arguments)).map_err(self.failed(action))
    }

    fn batch(&self, action: &'static str, sql: &str) -> Result<(), StoreError> {
        self.runtime.block_on(self.client.batch_execute(sql)).map_err(self.failed(action))
    }

    fn newer(&self, found: i32) -> StoreError {
        StoreError::NewerShared { place: self.place.clone(), found, known: KNOWN }
    }

    fn failed(&self, action: &'static str) -> impl Fn(tokio_postgres::Error) -> StoreError + use<> {
        let place = self.place.clone();
        move |error| explain(&place, action, &error)
    }

    fn as_path(&self) -> PathBuf {
        PathBuf::from(&self.place)
    }
}

/// Names the store and what was tried on it, sorted by what the user can do about it.
fn explain(place: &str, action: &'static str, error: &tokio_postgres::Error) -> StoreError {
    let place = place.to_owned();
    if error.is_closed() || error.as_db_error().is_none() {
        return StoreError::SharedGone { place, action, detail: words(error) };
    }
    match error.code() {
        Some(&SqlState::INSUFFICIENT_PRIVILEGE | &SqlState::READ_ONLY_SQL_TRANSACTION) => {
            StoreError::SharedDenied { place, action, detail: words(error) }
        }
        Some(&SqlState::DISK_FULL) => StoreError::SharedFull { place },
        Some(&SqlState::ADMIN_SHUTDOWN | &SqlState::CRASH_SHUTDOWN | &SqlState::CANNOT_CONNECT_NOW) => {
            StoreError::SharedGone { place, action, detail: words(error) }
        }
        _ => StoreError::Shared { place, action, detail: words(error) },
    }
}

/// The server's own words, or the client's with their cause: its own `Display` says "db error".
fn words(error: &tokio_postgres::Error) -> String {
    use std::error::Error as _;
    match (error.as_db_error(), error.source()) {
        (Some(said), _) => said.message().to_owned(),
        (None, Some(cause)) => format!("{error}: {cause}"),
        (None, None) => error.to_string(),
    }
}

fn system(time: jiff::Timestamp) -> SystemTime {
    time.into()
}

fn stamp(time: SystemTime) -> jiff::Timestamp {
    jiff::Timestamp::try_from(time).unwrap_or_default()
}
