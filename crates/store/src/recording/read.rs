//! Reading a file, or the files of a directory as one.

use super::error::{RecordingError, io, sql};
use super::{APPLICATION_ID, EXTENSION, VERSION, frame};
use crate::open::read_only;
use crate::own::{Place, odd};
use crate::sealed::{self, Bounded};
use fullwire_model::counters::Counters;
use fullwire_model::host::Host;
use fullwire_model::recording::{Event, EventKind, Sample};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Files of a directory that are taken up: a year of days.
const MAX_FILES: usize = 4096;

/// Events that are read of one span.
const MAX_EVENTS: i64 = 100_000;

/// The columns of a [`RawSample`].
const COLUMNS: &str = "SELECT seq, host, boottime_ns, wall_us, took_ns, key, body FROM sample";

/// A writer holds the file for milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// A recording: one file, or the files of a directory in the order of time.
#[derive(Debug)]
pub struct Recording {
    shards: Vec<Shard>,
    damage: Vec<String>,
    /// Ends all reading.
    stopped: fn() -> bool,
}

/// One file.
#[derive(Debug)]
struct Shard {
    connection: Bounded,
    path: PathBuf,
    first_us: i64,
    last_us: i64,
}

/// From when to when something is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first sample.
    pub from: Timestamp,
    /// The last sample.
    pub to: Timestamp,
}

/// A sample with the row of the host that held then.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Which file and host row: [`Recording::host`] reads it.
    pub host: (usize, i64),
    /// The sample.
    pub sample: Sample,
}

/// A sample's row as it is in the file.
struct RawSample {
    seq: i64,
    host: i64,
    boottime_ns: u64,
    wall_us: i64,
    took_ns: u64,
    key: i64,
    body: Vec<u8>,
}

impl Recording {
    /// Opens a file or a directory of files. A damaged file of several is left out and told by [`Recording::damage`].
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        Self::open_until(path, || false)
    }

    /// The same; once `stopped` is true nothing more is read.
    pub fn open_until(path: &Path, stopped: fn() -> bool) -> Result<Self, RecordingError> {
        let Ok(meta) = std::fs::metadata(path) else {
            return Err(RecordingError::Missing { path: path.to_path_buf() });
        };
        let mut recording = Self { shards: Vec::new(), damage: Vec::new(), stopped };
        if !meta.is_dir() {
            recording.shards.push(Shard::open(path, stopped)?);
            return Ok(recording);
        }
        for file in files_of(path) {
            match Shard::open(&file, stopped) {
                Ok(shard) => recording.shards.push(shard),
                Err(error) => recording.damage.push(error.to_string()),
            }
        }
        recording.shards.sort_by_key(|shard| shard.first_us);
        if recording.shards.is_empty() {
            let detail = recording.damage.pop().unwrap_or_else(|| "no .fwr file in it has a sample".into());
            return Err(RecordingError::NotARecording { path: path.to_path_buf(), detail });
        }
        Ok(recording)
    }

    /// What could not be read when the recording was opened.
    pub fn damage(&self) -> &[String] {
        &self.damage
    }

    /// From the first sample to the last.
    pub fn span(&self) -> Span {
        let from = self.shards.iter().map(|shard| shard.first_us).min().unwrap_or(0);
        let to = self.shards.iter().map(|shard| shard.last_us).max().unwrap_or(0);
        Span { from: timestamp(from), to: timestamp(to) }
    }

    /// What the recording says of itself: `interval_ns`, `zone`, `tool_version`.
    pub fn meta(&self, key: &str) -> Option<String> {
        let query = |shard: &Shard| {
            shard.connection.query_row("SELECT value FROM meta WHERE key = ?1", [key], |row| row.get(0))
        };
        self.shards.last().and_then(|shard| query(shard).ok())
    }

    /// The host's settings and topology of a row.
    pub fn host(&self, row: (usize, i64)) -> Result<Host, String> {
        let shard = self.shards.get(row.0).ok_or("no such file")?;
        let query = "SELECT body FROM host WHERE id = ?1";
        let body: Vec<u8> = shard
            .connection
            .query_row(query, [row.1], |row| row.get(0))
            .map_err(|error| format!("the host's record of {}: {error}", shard.path.display()))?;
        frame::unpack(&body)
    }

    /// The rows of hosts' settings and topology, each with when it was taken up.
    pub fn hosts(&self) -> Vec<((usize, i64), Timestamp)> {
        let mut found = Vec::new();
        for (index, shard) in self.shards.iter().enumerate() {
            let mut read = || -> rusqlite::Result<()> {
                let mut statement =
                    shard.connection.prepare_cached("SELECT id, from_us FROM host ORDER BY id")?;
                let mut last = i64::MIN;
                let rows = statement.query_map([], |row| {
                    Ok(((index, in_order(&mut last, row.get(0)?)?), timestamp(row.get(1)?)))
                })?;
                sealed::gather(rows, &mut found, |_| 0)
            };
            // What was read before the damage stays.
            let _ = read();
        }
        found
    }

    /// The samples of a span, in order. An unreadable one is an error item; the next key frame goes on.
    pub fn samples(&self, from: Timestamp, to: Timestamp) -> Samples<'_> {
        Samples {
            recording: self,
            shard: 0,
            from_us: from.as_microsecond(),
            to_us: to.as_microsecond(),
            after_seq: None,
            last_seq: i64::MAX,
            tree: None,
            grown_bytes: 0,
            failed: false,
        }
    }

    /// One sample of each minute of a span, the key frames: counters between them are exact. Each is read when it is asked for.
    pub fn keys(&self, from: Timestamp, to: Timestamp) -> Keys<'_> {
        let mut left = VecDeque::new();
        for (index, shard) in self.shards.iter().enumerate() {
            let query = "SELECT seq FROM sample WHERE key = seq AND wall_us BETWEEN ?1 AND ?2 ORDER BY seq";
            let mut read = || -> rusqlite::Result<()> {
                let mut statement = shard.connection.prepare_cached(query)?;
                let mut rows = statement.query(params![from.as_microsecond(), to.as_microsecond()])?;
                let mut last = i64::MIN;
                while let Some(row) = rows.next()? {
                    let seq = in_order(&mut last, row.get(0)?)?;
                    left.push_back((index, Ok(seq)));
                }
                Ok(())
            };
            // What was read before the damage stays.
            if let Err(error) = read() {
                left.push_back((index, Err(error.to_string())));
            }
        }
        Keys { recording: self, left }
    }

    /// When the samples of a span were taken, in order.
    pub fn times(&self, from: Timestamp, to: Timestamp) -> Vec<Timestamp> {
        let mut times = Vec::new();
        for shard in &self.shards {
            let mut read = || -> rusqlite::Result<()> {
                let query = "SELECT seq, wall_us FROM sample WHERE wall_us BETWEEN ?1 AND ?2 ORDER BY seq";
                let mut statement = shard.connection.prepare_cached(query)?;
                let mut rows = statement.query(params![from.as_microsecond(), to.as_microsecond()])?;
                let mut last = i64::MIN;
                while let Some(row) = rows.next()? {
                    in_order(&mut last, row.get(0)?)?;
                    times.push(timestamp(row.get(1)?));
                }
                Ok(())
            };
            // What was read before the damage stays.
            let _ = read();
        }
        times
    }

    /// The last sample at or before a moment; the first one when the moment is before all.
    pub fn sample_at(&self, at: Timestamp) -> Option<Recorded> {
        let at_us = at.as_microsecond();
        let shard = self.shards.iter().rev().find(|shard| shard.first_us <= at_us).or(self.shards.first())?;
        let query = "SELECT wall_us FROM sample WHERE wall_us <= ?1 ORDER BY wall_us DESC LIMIT 1";
        let found: Option<i64> =
            shard.connection.query_row(query, [at_us], |row| row.get(0)).optional().ok()?;
        let at = timestamp(found.unwrap_or(shard.first_us));
        self.samples(at, at).find_map(Result::ok)
    }

    /// The events of a span, in order.
    pub fn events(&self, from: Timestamp, to: Timestamp) -> Vec<Event> {
        let mut events = Vec::new();
        for shard in &self.shards {
            let mut read = || -> rusqlite::Result<()> {
                let mut statement = shard.connection.prepare_cached(
                    "SELECT boottime_ns, wall_us, kind, substr(subject, 1, 1024), substr(detail, 1, 4096), id FROM event
                     WHERE wall_us BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3",
                )?;
                let mut last = i64::MIN;
                let span = params![from.as_microsecond(), to.as_microsecond(), MAX_EVENTS];
                let rows = statement.query_map(span, |row| {
                    in_order(&mut last, row.get(5)?)?;
                    event(row)
                })?;
                let known = rows.filter_map(Result::transpose);
                sealed::gather(known, &mut events, |event| event.subject.len() + event.detail.len())
            };
            // What was read before the damage stays.
            let _ = read();
        }
        events
    }

    /// Samples in all files; 0 where they cannot be counted.
    pub fn len(&self) -> u64 {
        let count = |shard: &Shard| -> rusqlite::Result<u64> {
            shard.connection.query_row("SELECT count(*) FROM sample", [], |row| row.get(0))
        };
        self.shards.iter().filter_map(|shard| count(shard).ok()).sum()
    }

    /// True without a sample.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Numbers that do not grow are rows or pages that lead back to themselves: a damaged file would otherwise be read without end.
fn in_order(last: &mut i64, seq: i64) -> rusqlite::Result<i64> {
    if seq <= *last {
        return Err(sealed::damaged(format!("damaged: row {seq} comes after row {last}")));
    }
    *last = seq;
    Ok(seq)
}

/// The key frames of a span, in order. One that cannot be read is an error item.
#[derive(Debug)]
pub struct Keys<'a> {
    recording: &'a Recording,
    /// File and number of those that were not read yet.
    left: VecDeque<(usize, Result<i64, String>)>,
}

impl Keys<'_> {
    /// About so many of them, evenly spread.
    #[must_use]
    pub fn thinned(mut self, most: usize) -> Self {
        let stride = self.left.len().div_ceil(most.max(1)).max(1);
        let mut index = 0;
        self.left.retain(|_| {
            index += 1;
            (index - 1) % stride == 0
        });
        self
    }
}

impl Iterator for Keys<'_> {
    type Item = Result<Recorded, String>;

    fn next(&mut self) -> Option<Self::Item> {
        if (self.recording.stopped)() {
            return None;
        }
        let (index, seq) = self.left.pop_front()?;
        let shard = self.recording.shards.get(index)?;
        let seq = match seq {
            Ok(seq) => seq,
            Err(error) => return Some(Err(format!("{}: {error}", shard.path.display()))),
        };
        let read = || -> rusqlite::Result<RawSample> {
            let query = format!("{COLUMNS} WHERE seq = ?1");
            shard.connection.prepare_cached(&query)?.query_row([seq], raw)
        };
        let failed = |detail: &dyn std::fmt::Display| format!("{}: {detail}", shard.path.display());
        Some(read().map_err(|error| failed(&error)).and_then(|row| {
            let counters: Counters = frame::unpack(&row.body)
                .map_err(|detail| failed(&format!("sample {seq} cannot be read: {detail}")))?;
            Ok(row.with(index, counters))
        }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left.len(), Some(self.left.len()))
    }
}

impl ExactSizeIterator for Keys<'_> {}

/// Walks the samples of a span, folding differences onto their key frames.
#[derive(Debug)]
pub struct Samples<'a> {
    recording: &'a Recording,
    shard: usize,
    from_us: i64,
    to_us: i64,
    /// The number of the sample that was read last in this file.
    after_seq: Option<i64>,
    /// The number of the last sample of this file that is wanted. Numbers and not times lead through a file: a clock that was
    /// set back tells some times twice.
    last_seq: i64,
    /// The tree of that sample, where it could be read.
    tree: Option<(i64, Value)>,
    /// Bytes of the differences since its size was looked at.
    grown_bytes: usize,
    failed: bool,
}

impl Iterator for Samples<'_> {
    type Item = Result<Recorded, String>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if (self.recording.stopped)() {
                return None;
            }
            let shard = self.recording.shards.get(self.shard)?;
            if shard.first_us > self.to_us || shard.last_us < self.from_us {
                self.next_shard();
                continue;
            }
            match self.next_row(shard) {
                Ok(Some(row)) => {
                    self.after_seq = Some(row.seq);
                    match self.fold(&row) {
                        // Differences after a damaged one are worthless until the next key frame: said once.
                        Err(_) if self.failed => {}
                        Err(detail) => {
                            self.failed = true;
                            return Some(Err(format!("{}: {detail}", shard.path.display())));
                        }
                        Ok(None) => {}
                        Ok(Some(sample)) => {
                            self.failed = false;
                            return Some(Ok(sample));
                        }
                    }
                }
                Ok(None) => self.next_shard(),
                Err(error) => {
                    self.next_shard();
                    return Some(Err(format!("{}: {error}", shard.path.display())));
                }
            }
        }
    }
}

impl Samples<'_> {
    fn next_shard(&mut self) {
        self.shard += 1;
        self.after_seq = None;
        self.tree = None;
        self.failed = false;
    }

    fn next_row(&mut self, shard: &Shard) -> rusqlite::Result<Option<RawSample>> {
        if let Some(mut after) = self.after_seq {
            let query = format!("{COLUMNS} WHERE seq > ?1 AND seq <= ?2 ORDER BY seq LIMIT 1");
            let mut next = shard.connection.prepare_cached(&query)?;
            let row = next.query_row([after, self.last_seq], raw).optional()?;
            if let Some(row) = &row {
                in_order(&mut after, row.seq)?;
            }
            return Ok(row);
        }
        let ends: (Option<i64>, Option<i64>) = shard
            .connection
            .prepare_cached("SELECT min(seq), max(seq) FROM sample WHERE wall_us BETWEEN ?1 AND ?2")?
            .query_row([self.from_us, self.to_us], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (Some(first), Some(last)) = ends else { return Ok(None) };
        self.last_seq = last;
        // The key frame of the first sample that is wanted.
        let query =
            format!("{COLUMNS} WHERE seq >= (SELECT key FROM sample WHERE seq = ?1) ORDER BY seq LIMIT 1");
        shard.connection.prepare_cached(&query)?.query_row([first], raw).optional()
    }

    /// The sample of a row; `None`: it only leads to one that is wanted.
    fn fold(&mut self, row: &RawSample) -> Result<Option<Recorded>, String> {
        let tree = if row.key == row.seq {
            frame::unpack::<Value>(&row.body)
        } else {
            match self.tree.take() {
                Some((seq, mut tree)) if seq + 1 == row.seq => {
                    frame::apply(&mut tree, &row.body, &mut self.grown_bytes).map(|()| tree)
                }
                _ => Err(format!("sample {} has lost its key frame", row.seq)),
            }
        };
        let tree = tree.map_err(|detail| format!("sample {} cannot be read: {detail}", row.seq))?;
        if row.wall_us < self.from_us || row.wall_us > self.to_us {
            self.tree = Some((row.seq, tree));
            return Ok(None);
        }
        let counters = serde::Deserialize::deserialize(&tree)
            .map_err(|error| format!("sample {} cannot be read: {error}", row.seq))?;
        self.tree = Some((row.seq, tree));
        Ok(Some(row.with(self.shard, counters)))
    }
}

impl RawSample {
    fn with(&self, shard: usize, counters: Counters) -> Recorded {
        let wall = timestamp(self.wall_us);
        let sample = Sample { boottime_ns: self.boottime_ns, wall, took_ns: self.took_ns, counters };
        Recorded { host: (shard, self.host), sample }
    }
}

fn raw(row: &Row) -> rusqlite::Result<RawSample> {
    Ok(RawSample {
        seq: row.get(0)?,
        host: row.get(1)?,
        boottime_ns: row.get(2)?,
        wall_us: row.get(3)?,
        took_ns: row.get(4)?,
        key: row.get(5)?,
        body: row.get(6)?,
    })
}

/// A row of the table of events; `None`: of a kind that a later fullwire knows.
fn event(row: &Row) -> rusqlite::Result<Option<Event>> {
    let kind: String = row.get(2)?;
    let kind: Option<EventKind> = serde_json::from_value(Value::String(kind)).ok();
    let Some(kind) = kind else { return Ok(None) };
    Ok(Some(Event {
        boottime_ns: row.get(0)?,
        wall: timestamp(row.get(1)?),
        kind,
        subject: row.get(3)?,
        detail: row.get(4)?,
    }))
}

impl Shard {
    fn open(path: &Path, stopped: fn() -> bool) -> Result<Self, RecordingError> {
        let connection = connect(path)?;
        let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
        let application = number("application_id").map_err(sql(path, "open"))?;
        let version = number("user_version").map_err(sql(path, "open"))?;
        let not = |detail: String| RecordingError::NotARecording { path: path.to_path_buf(), detail };
        if application != APPLICATION_ID {
            let empty = std::fs::metadata(path).is_ok_and(|file| file.len() == 0);
            let found = if empty { "the file is empty" } else { "it is another program's SQLite file" };
            return Err(not(found.into()));
        }
        if version > VERSION {
            return Err(not(format!(
                "it was written by a newer fullwire (version {version}; this one supports {VERSION})"
            )));
        }
        let own = &[include_str!("../schema/recording.sql")];
        sealed::has_schema(&connection, own).map_err(sql(path, "read"))?.map_err(not)?;
        let connection = Bounded::new(connection, stopped).map_err(sql(path, "open"))?;
        let query = "SELECT min(wall_us), max(wall_us) FROM sample";
        let ends: (Option<i64>, Option<i64>) = connection
            .query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(sql(path, "read"))?;
        let (Some(first_us), Some(last_us)) = ends else { return Err(not("it has no sample".into())) };
        Ok(Self { connection, path: path.to_path_buf(), first_us, last_us })
    }
}

/// For reading alone; where the log cannot be shared (a read-only place) the file is taken as it lies.
fn connect(path: &Path) -> Result<Connection, RecordingError> {
    // Links in a path that was given are the caller's own.
    let place = Place::of(path).map_err(io(path, "open"))?;
    if let Some(detail) = odd(&place.path) {
        return Err(RecordingError::NotARecording { path: path.to_path_buf(), detail });
    }
    // Files of the kernel have no size either, and SQLite would wait for what such a one (/proc/kmsg) says next.
    if std::fs::metadata(path).is_ok_and(|file| file.len() == 0) {
        return Err(RecordingError::NotARecording { path: path.to_path_buf(), detail: "it is empty".into() });
    }
    let open = |how: &str| {
        let connection = read_only(&place.path, how)?;
        connection.busy_timeout(PATIENCE)?;
        sealed::distrust(&connection)?;
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(connection)
    };
    let or_as_it_lies = |how: &str| {
        open(how).or_else(|error: rusqlite::Error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::CannotOpen | rusqlite::ErrorCode::ReadOnly) => open("&immutable=1"),
            _ => Err(error),
        })
    };
    place.read(or_as_it_lies).map_err(sql(path, "open"))
}

/// The recordings of a directory.
pub(super) fn files_of(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION))
        .take(MAX_FILES)
        .collect();
    files.sort();
    files
}

fn timestamp(microseconds: i64) -> Timestamp {
    Timestamp::from_microsecond(microseconds).unwrap_or_default()
}
