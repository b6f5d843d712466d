//! Results that are owed to another place: kept here until it acknowledges them, whatever happens meanwhile.

use crate::error::explain;
use crate::store::{Store, insert};
use crate::{StoreError, body};
use fullwire_model::Run;
use rusqlite::{OptionalExtension as _, TransactionBehavior, params};

/// A result that is owed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owed {
    /// The run.
    pub run_id: String,
    /// What the receiver is sent with it, JSON.
    pub about: String,
}

impl Store {
    /// Keeps a run that is owed to another place, in one transaction.
    pub fn keep_owed(&mut self, run: &Run, about: &str) -> Result<(), StoreError> {
        let packed = body::pack(run)?;
        let failed = || explain(self.path(), "keep the run");
        let failed = (failed(), failed(), failed(), failed());
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed.0)?;
        if !insert(&transaction, run, &packed).map_err(failed.1)? {
            return Err(StoreError::Duplicate { run_id: run.run_id.clone() });
        }
        transaction.execute("INSERT INTO outbox VALUES (?1, ?2)", [&run.run_id, about]).map_err(failed.2)?;
        transaction.commit().map_err(failed.3)
    }

    /// What is owed, oldest first, at most `limit`.
    pub fn owed(&self, limit: u32) -> Result<Vec<Owed>, StoreError> {
        let failed = || self.failed("list what is not sent yet");
        let sql = "SELECT run_id, about FROM outbox ORDER BY run_id LIMIT ?1";
        let mut statement = self.connection.prepare_cached(sql).map_err(failed())?;
        let rows = statement
            .query_map([limit], |row| Ok(Owed { run_id: row.get(0)?, about: row.get(1)? }))
            .map_err(failed())?;
        rows.collect::<rusqlite::Result<_>>().map_err(failed())
    }

    /// How many results are owed.
    pub fn count_owed(&self) -> Result<u64, StoreError> {
        let count = self.connection.query_row("SELECT count(*) FROM outbox", [], |row| row.get(0));
        count.map_err(self.failed("count what is not sent yet"))
    }

    /// The other place has it for good; false: it was not owed.
    pub fn settle(&mut self, run_id: &str) -> Result<bool, StoreError> {
        let settled = self.connection.execute("DELETE FROM outbox WHERE run_id = ?1", [run_id]);
        Ok(settled.map_err(self.failed("note what was sent"))? > 0)
    }

    /// Removes runs that began before a time and are not owed; how many.
    pub fn forget_before(&mut self, time: jiff::Timestamp) -> Result<u64, StoreError> {
        let removed = self.connection.execute(
            "DELETE FROM run WHERE started_us < ?1 AND run_id NOT IN (SELECT run_id FROM outbox)
             AND run_id NOT IN (SELECT run_id FROM baseline_run)",
            [time.as_microsecond()],
        );
        Ok(removed.map_err(self.failed("remove old runs"))? as u64)
    }

    /// What was noted under a key.
    pub fn note(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.connection
            .query_row("SELECT value FROM note WHERE key = ?1", [key], |row| row.get(0))
            .optional()
            .map_err(self.failed("read a note"))
    }

    /// Notes something under a key, in place of what was there.
    pub fn set_note(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO note VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        self.connection.execute(sql, params![key, value]).map_err(self.failed("write a note"))?;
        Ok(())
    }
}
