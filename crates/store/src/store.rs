//! The store itself: keep, load, list.

use crate::error::explain;
use crate::{Filter, StoreError, body, open, sealed};
use fullwire_model::Run;
use fullwire_model::history::Entry;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Params, Row, TransactionBehavior, params};
use std::path::{Path, PathBuf};

/// A baseline without a name: set by hand, and never moved but by hand.
pub const GOLDEN: &str = "golden";

/// An open store.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    path: PathBuf,
    is_own: bool,
}

/// Names at most this many runs when a prefix fits several.
const CANDIDATES: usize = 5;

const NEWEST_LABELLED: &str =
    "SELECT run_id FROM run WHERE tag = ?1 ORDER BY started_us DESC, rowid DESC LIMIT 1";

const NEWEST_OF_BASELINE: &str = "SELECT run_id FROM baseline_run JOIN run USING (run_id) WHERE name = ?1
                                  ORDER BY started_us DESC, run.rowid DESC LIMIT 1";

/// Separates targets in a joined column; no host name, path or option holds it.
const SEPARATOR: char = '\u{1f}';

impl Store {
    /// Opens the store at a path, and makes it (with its directory) when it is not there. Where it cannot be
    /// written it is opened for reading.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let (connection, place) = open::open(path.as_ref())?;
        Ok(Self { connection, path: path.as_ref().to_path_buf(), is_own: place.is_own })
    }

    /// Opens a store that is there, and makes nothing when there is none.
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let (connection, place) = open::open_existing(path.as_ref())?;
        Ok(Self { connection, path: path.as_ref().to_path_buf(), is_own: place.is_own })
    }

    /// Nobody else can have written to it.
    pub fn is_own(&self) -> bool {
        self.is_own
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps a run, in one transaction: afterwards all of it is there, or nothing.
    pub fn keep(&mut self, run: &Run) -> Result<(), StoreError> {
        if run.run_id.is_empty() {
            return Err(StoreError::Unkeepable { run_id: "(unnamed)".into(), detail: "it has no id".into() });
        }
        let packed = body::pack(run)?;
        let failed = || explain(&self.path, "keep the run");
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed())?;
        let added = insert(&transaction, run, &packed).map_err(failed())?;
        if !added {
            return Err(StoreError::Duplicate { run_id: run.run_id.clone() });
        }
        transaction.commit().map_err(failed())
    }

    /// The run of an id, of a beginning that only one id has, the newest of a label, `last`, or `baseline` (the newest
    /// one set).
    pub fn load(&self, name: &str) -> Result<Run, StoreError> {
        let run_id = self.resolve(name)?;
        let packed: Vec<u8> = self
            .connection
            .query_row("SELECT body FROM run WHERE run_id = ?1", [&run_id], |row| row.get(0))
            .map_err(self.failed("load the run"))?;
        body::unpack(&run_id, &packed)
    }

    /// The full id of what [`Store::load`] would load.
    pub fn resolve(&self, name: &str) -> Result<String, StoreError> {
        match name {
            "last" => self
                .first_id("SELECT run_id FROM run ORDER BY started_us DESC, rowid DESC LIMIT 1", [])?
                .ok_or_else(|| StoreError::Empty { path: self.path.clone() }),
            "baseline" => self
                .first_id(NEWEST_OF_BASELINE, [GOLDEN])?
                .ok_or_else(|| StoreError::NoBaseline { host: "any host".into(), name: GOLDEN.into() }),
            _ => self.resolve_prefix(name),
        }
    }

    /// Kept runs, newest first.
    pub fn history(&self, filter: &Filter) -> Result<Vec<Entry>, StoreError> {
        let failed = || self.failed("list the runs");
        let mut statement = self.connection.prepare(include_str!("schema/history.sql")).map_err(failed())?;
        let arguments = params![
            filter.host,
            filter.command,
            filter.tag,
            filter.target,
            filter.since.map(Timestamp::as_microsecond),
            filter.limit.map_or(-1, i64::from),
            SEPARATOR.to_string(),
        ];
        let rows = statement.query_map(arguments, entry).map_err(failed())?;
        let mut entries = Vec::new();
        sealed::gather(rows, &mut entries, text_bytes).map_err(failed())?;
        Ok(entries)
    }

    /// Removes a run for good, with what refers to it, and says which run it was.
    pub fn delete(&mut self, name: &str) -> Result<String, StoreError> {
        let run_id = self.resolve(name)?;
        if self.owed(u32::MAX)?.iter().any(|owed| owed.run_id == run_id) {
            return Err(StoreError::Owed { run_id });
        }
        self.connection
            .execute("DELETE FROM run WHERE run_id = ?1", [&run_id])
            .map_err(self.failed("delete the run"))?;
        Ok(run_id)
    }

    /// Gives the space of deleted runs back to the file system; needs as much again while it works.
    pub fn shrink(&self) -> Result<(), StoreError> {
        self.connection.execute_batch("VACUUM").map_err(self.failed("shrink"))
    }

    /// Reads every page and every index: an error names what is damaged.
    pub fn verify(&self) -> Result<(), StoreError> {
        let detail: String = self
            .connection
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(self.failed("verify"))?;
        if detail == "ok" { Ok(()) } else { Err(StoreError::Corrupt { path: self.path.clone(), detail }) }
    }

    fn resolve_prefix(&self, prefix: &str) -> Result<String, StoreError> {
        let failed = || self.failed("find the run");
        // The exact name sorts first; not LIKE, for the user may type its wildcards.
        let sql = "SELECT run_id FROM run WHERE substr(run_id, 1, length(?1)) = ?1 ORDER BY run_id LIMIT ?2";
        let mut statement = self.connection.prepare(sql).map_err(failed())?;
        let rows = statement.query_map(params![prefix, CANDIDATES], |row| row.get(0)).map_err(failed())?;
        let mut found: Vec<String> = rows.collect::<rusqlite::Result<_>>().map_err(failed())?;
        match found.as_slice() {
            _ if prefix.is_empty() => Err(self.not_found(prefix)),
            [] => self.first_id(NEWEST_LABELLED, [prefix])?.ok_or_else(|| self.not_found(prefix)),
            [first, ..] if first == prefix || found.len() == 1 => Ok(found.swap_remove(0)),
            _ => Err(StoreError::Ambiguous { prefix: prefix.to_owned(), candidates: found.join(", ") }),
        }
    }

    fn not_found(&self, id: &str) -> StoreError {
        StoreError::NotFound { path: self.path.clone(), id: id.to_owned() }
    }

    fn first_id(&self, sql: &str, arguments: impl Params) -> Result<Option<String>, StoreError> {
        self.connection
            .query_row(sql, arguments, |row| row.get(0))
            .optional()
            .map_err(self.failed("find the run"))
    }

    pub(crate) fn failed(&self, action: &'static str) -> impl FnOnce(rusqlite::Error) -> StoreError + use<> {
        explain(&self.path, action)
    }
}

/// Adds the run and its targets; false when it is there already.
pub(crate) fn insert(connection: &Connection, run: &Run, packed: &[u8]) -> rusqlite::Result<bool> {
    let arguments = serde_json::Value::from(run.command.arguments.clone()).to_string();
    let added = connection.execute(
        "INSERT INTO run VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (run_id) DO NOTHING",
        params![
            run.run_id,
            run.started.as_microsecond(),
            run.finished.as_microsecond(),
            run.command.name,
            arguments,
            run.host.hostname,
            run.tag,
            run.tool_version,
            packed,
        ],
    )?;
    let mut statement = connection.prepare("INSERT INTO target VALUES (?1, ?2, ?3)")?;
    for (position, name) in targets(run).iter().enumerate().filter(|_| added > 0) {
        statement.execute(params![run.run_id, position, name])?;
    }
    Ok(added > 0)
}

/// What the run measured, each once, in the order of its results; of one that measured nothing, the peers that it tried.
pub(crate) fn targets(run: &Run) -> Vec<&str> {
    let net = run.net.iter().map(|result| result.target.as_str());
    let mtu = run.mtu.iter().map(|result| result.target.as_str());
    let disk = run.disk.iter().map(|result| result.target.as_str());
    let mut names: Vec<&str> = Vec::new();
    for name in net.chain(mtu).chain(disk) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        names.extend(run.peers.iter().filter(|peer| !peer.loopback).map(|peer| peer.target.as_str()));
    }
    names
}

/// What an entry takes beside itself.
fn text_bytes(entry: &Entry) -> usize {
    let texts =
        [&entry.run_id, &entry.command, &entry.host, &entry.tool_version].into_iter().chain(&entry.tag);
    let listed = entry.arguments.iter().chain(&entry.targets);
    texts.map(String::len).sum::<usize>() + listed.map(|text| size_of::<String>() + text.len()).sum::<usize>()
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let time = |column| {
        let us: i64 = row.get(column)?;
        Ok::<_, rusqlite::Error>(Timestamp::from_microsecond(us).unwrap_or_default())
    };
    let arguments: String = row.get("arguments")?;
    let targets: Option<String> = row.get("targets")?;
    Ok(Entry {
        run_id: row.get("run_id")?,
        started: time("started_us")?,
        finished: time("finished_us")?,
        command: row.get("command")?,
        arguments: serde_json::from_str(&arguments).unwrap_or_default(),
        host: row.get("host")?,
        tag: row.get("tag")?,
        tool_version: row.get("tool_version")?,
        targets: targets
            .map(|joined| joined.split(SEPARATOR).map(str::to_owned).collect())
            .unwrap_or_default(),
        stored_bytes: row.get("stored_bytes")?,
        baseline: row.get("baseline")?,
    })
}
