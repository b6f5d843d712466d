//! Writing one file.

use super::error::{RecordingError, io, sql};
use super::{APPLICATION_ID, FORMAT, VERSION, frame};
use fullwire_model::host::Host;
use fullwire_model::recording::{Event, Sample};
use rusqlite::{Connection, OpenFlags, params};
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// A key frame at least this often, s: a reader folds at most a minute of differences.
const KEY_EVERY_S: i64 = 60;

/// The log is checkpointed at this size, pages of 4 KiB: 1 MiB, some minutes of a small host.
const LOG_PAGES: i64 = 256;

/// What a recording says of itself.
#[derive(Debug, Clone)]
pub struct Begin {
    /// Time between samples, ns.
    pub interval_ns: u64,
    /// The version of fullwire that writes.
    pub tool_version: String,
    /// The host's time zone, for showing times as its people know them.
    pub zone: String,
    /// `/proc/sys/kernel/random/boot_id`.
    pub boot_id: String,
}

/// Writes a recording.
#[derive(Debug)]
pub struct RecordingWriter {
    connection: Connection,
    path: PathBuf,
    boot_id: String,
    host: i64,
    next: i64,
    last: Option<Sample>,
    key: i64,
}

impl RecordingWriter {
    /// Makes the file, readable for its group. One that is there is never continued: [`RecordingError::Exists`].
    pub fn create(path: &Path, begin: &Begin) -> Result<Self, RecordingError> {
        if crate::own::is_exchangeable(path) {
            return Err(RecordingError::Exchangeable { path: path.to_path_buf() });
        }
        let made = OpenOptions::new().write(true).create_new(true).mode(0o640).open(path);
        match made {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(RecordingError::Exists { path: path.to_path_buf() });
            }
            made => _ = made.map_err(io(path, "create"))?,
        }
        if crate::open::is_on_shared_file_system(path) {
            let _ = std::fs::remove_file(path);
            return Err(RecordingError::Shared { path: path.to_path_buf() });
        }
        let connection = prepare(path, begin).map_err(sql(path, "begin"))?;
        Ok(Self {
            connection,
            path: path.to_path_buf(),
            boot_id: begin.boot_id.clone(),
            host: 0,
            next: 1,
            last: None,
            key: 0,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes up a host's settings and topology, for the samples that follow.
    pub fn host(&mut self, sample: &Sample, host: &Host) -> Result<(), RecordingError> {
        let body = frame::pack(host).map_err(io(&self.path, "pack the host for"))?;
        let row = params![self.boot_id, sample.wall.as_microsecond(), body];
        self.connection
            .execute("INSERT INTO host (boot_id, from_us, body) VALUES (?1, ?2, ?3)", row)
            .map_err(sql(&self.path, "write"))?;
        self.host = self.connection.last_insert_rowid();
        self.last = None;
        Ok(())
    }

    /// Writes a sample and what happened since the one before, in one transaction.
    pub fn sample(&mut self, sample: &Sample, events: &[Event]) -> Result<(), RecordingError> {
        let seq = self.next;
        let (key, body) = self.frame(sample, seq).map_err(io(&self.path, "pack a sample for"))?;
        let failed = || sql(&self.path, "write");
        let transaction = self.connection.transaction().map_err(failed())?;
        {
            let mut insert = transaction
                .prepare_cached(
                    "INSERT INTO sample (seq, host, boottime_ns, wall_us, took_ns, key, body)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )
                .map_err(failed())?;
            let wall_us = sample.wall.as_microsecond();
            let row = params![seq, self.host, sample.boottime_ns, wall_us, sample.took_ns, key, body];
            insert.execute(row).map_err(failed())?;
        }
        add_events(&transaction, events).map_err(failed())?;
        transaction.commit().map_err(failed())?;
        self.next += 1;
        self.key = key;
        self.last = Some(sample.clone());
        Ok(())
    }

    /// Writes events alone.
    pub fn events(&mut self, events: &[Event]) -> Result<(), RecordingError> {
        let transaction = self.connection.transaction().map_err(sql(&self.path, "write"))?;
        add_events(&transaction, events).map_err(sql(&self.path, "write"))?;
        transaction.commit().map_err(sql(&self.path, "write"))
    }

    /// Syncs what was written: from now on a power cut does not lose it.
    pub fn checkpoint(&mut self) -> Result<(), RecordingError> {
        let done =
            self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get::<_, i64>(0));
        done.map(|_| ()).map_err(sql(&self.path, "sync"))
    }

    /// Bytes on the disk, the log included.
    pub fn bytes(&self) -> u64 {
        bytes_of(&self.path)
    }

    /// Takes the log into the file.
    pub(super) fn empty_log(&self) {
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }

    /// A key frame begins each minute of the wall clock, and after a hole.
    fn frame(&self, sample: &Sample, seq: i64) -> std::io::Result<(i64, Vec<u8>)> {
        let minute = |sample: &Sample| sample.wall.as_second().div_euclid(KEY_EVERY_S);
        match &self.last {
            Some(last) if minute(last) == minute(sample) && last.boottime_ns < sample.boottime_ns => {
                Ok((self.key, frame::pack_difference(&last.counters, &sample.counters)?))
            }
            _ => Ok((seq, frame::pack(&sample.counters)?)),
        }
    }
}

impl Drop for RecordingWriter {
    /// The file alone holds all: it can be copied, and whoever reads it leaves nothing beside it.
    fn drop(&mut self) {
        self.empty_log();
        let _ = self.connection.pragma_update(None, "journal_mode", "delete");
    }
}

/// A file without its log, which has its own bound.
pub(super) fn length_of(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |meta| meta.len())
}

/// What a file takes on the disk, with its log.
pub(super) fn bytes_of(path: &Path) -> u64 {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    length_of(path) + length_of(Path::new(&log))
}

fn add_events(connection: &Connection, events: &[Event]) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO event (boottime_ns, wall_us, kind, subject, detail) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for event in events {
        let wall_us = event.wall.as_microsecond();
        insert.execute(params![
            event.boottime_ns,
            wall_us,
            event.kind.name(),
            event.subject,
            event.detail
        ])?;
    }
    Ok(())
}

fn prepare(path: &Path, begin: &Begin) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_update(None, "page_size", 4096)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    // A commit a second: the log is synced by the checkpoint every ten seconds, not by each of them.
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    connection.execute_batch(include_str!("../schema/recording.sql"))?;
    let interval = begin.interval_ns.to_string();
    let meta = [
        ("format", FORMAT),
        ("tool_version", &begin.tool_version),
        ("interval_ns", &interval),
        ("zone", &begin.zone),
    ];
    for (key, value) in meta {
        connection.execute("INSERT INTO meta (key, value) VALUES (?1, ?2)", [key, value])?;
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", VERSION)?;
    connection.execute_batch("COMMIT")?;
    Ok(connection)
}
