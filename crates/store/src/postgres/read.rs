//! The questions that the SQLite store answers, answered by the shared one.

use super::{Shared, stamp, system};
use crate::store::GOLDEN;
use crate::{Filter, StoreError, body};
use fullwire_model::Run;
use fullwire_model::history::Entry;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// Names at most this many runs when a prefix fits several.
const CANDIDATES: i64 = 5;

const NEWEST: &str = "SELECT run_id FROM run ORDER BY started DESC, run_id DESC LIMIT 1";
const NEWEST_LABELLED: &str =
    "SELECT run_id FROM run WHERE tag = $1 ORDER BY started DESC, run_id DESC LIMIT 1";
const NEWEST_OF_BASELINE: &str = "SELECT run_id FROM baseline_run JOIN run USING (run_id) WHERE name = $1
    ORDER BY started DESC, run_id DESC LIMIT 1";

impl Shared {
    /// As [`crate::Store::load`].
    pub fn load(&self, name: &str) -> Result<Run, StoreError> {
        let run_id = self.resolve(name)?;
        let rows = self.query("load the run", "SELECT body FROM run WHERE run_id = $1", &[&run_id])?;
        let row = rows.first().ok_or_else(|| self.not_found(name))?;
        body::unpack(&run_id, row.get(0))
    }

    /// As [`crate::Store::resolve`].
    pub fn resolve(&self, name: &str) -> Result<String, StoreError> {
        match name {
            "last" => self.first_id(NEWEST, &[])?.ok_or_else(|| StoreError::Empty { path: self.as_path() }),
            "baseline" => self
                .first_id(NEWEST_OF_BASELINE, &[&GOLDEN])?
                .ok_or_else(|| StoreError::NoBaseline { host: "any host".into(), name: GOLDEN.into() }),
            _ => self.resolve_prefix(name),
        }
    }

    /// As [`crate::Store::history`].
    pub fn history(&self, filter: &Filter) -> Result<Vec<Entry>, StoreError> {
        let since = filter.since.map(system);
        let limit = filter.limit.map(i64::from);
        let arguments: [&(dyn ToSql + Sync); 6] =
            [&filter.host, &filter.command, &filter.tag, &filter.target, &since, &limit];
        let rows = self.query("list the runs", include_str!("../schema/postgres/history.sql"), &arguments)?;
        Ok(rows.iter().map(entry).collect())
    }

    /// As [`crate::Store::delete`].
    pub fn delete(&mut self, name: &str) -> Result<String, StoreError> {
        let run_id = self.resolve(name)?;
        self.execute("delete the run", "DELETE FROM baseline_run WHERE run_id = $1", &[&run_id])?;
        self.execute("delete the run", "DELETE FROM run WHERE run_id = $1", &[&run_id])?;
        Ok(run_id)
    }

    fn resolve_prefix(&self, prefix: &str) -> Result<String, StoreError> {
        // The exact name sorts first; not LIKE, for the user may type its wildcards.
        let sql =
            "SELECT DISTINCT run_id FROM run WHERE left(run_id, length($1)) = $1 ORDER BY run_id LIMIT $2";
        let rows = self.query("find the run", sql, &[&prefix, &CANDIDATES])?;
        let mut found: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        match found.as_slice() {
            _ if prefix.is_empty() => Err(self.not_found(prefix)),
            [] => self.first_id(NEWEST_LABELLED, &[&prefix])?.ok_or_else(|| self.not_found(prefix)),
            [first, ..] if first == prefix || found.len() == 1 => Ok(found.swap_remove(0)),
            _ => Err(StoreError::Ambiguous { prefix: prefix.to_owned(), candidates: found.join(", ") }),
        }
    }

    fn not_found(&self, id: &str) -> StoreError {
        StoreError::NotFound { path: self.as_path(), id: id.to_owned() }
    }

    fn first_id(&self, sql: &str, arguments: &[&(dyn ToSql + Sync)]) -> Result<Option<String>, StoreError> {
        Ok(self.query("find the run", sql, arguments)?.first().map(|row| row.get(0)))
    }
}

fn entry(row: &Row) -> Entry {
    let arguments: String = row.get("arguments");
    let stored: i64 = row.get("stored_bytes");
    Entry {
        run_id: row.get("run_id"),
        started: stamp(row.get("started")),
        finished: stamp(row.get("finished")),
        command: row.get("command"),
        arguments: serde_json::from_str(&arguments).unwrap_or_default(),
        host: row.get("host"),
        tag: row.get("tag"),
        tool_version: row.get("tool_version"),
        targets: row.get("targets"),
        stored_bytes: stored.unsigned_abs(),
        baseline: row.get("baseline"),
    }
}
