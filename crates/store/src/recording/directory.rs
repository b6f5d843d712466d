//! Recording into a directory: a file a day, bounded in age and size by removing the oldest.

use super::error::{RecordingError, io};
use super::read::files_of;
use super::write::{bytes_of, length_of};
use super::{Begin, EXTENSION, RecordingWriter};
use fullwire_model::host::Host;
use fullwire_model::recording::{Event, Sample};
use jiff::Timestamp;
use rustix::fs::OFlags;
use std::ffi::OsStr;
use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The file that a recorder holds locked as long as it runs.
const LOCK: &str = "recorder.lock";

const DAY_S: i64 = 86_400;

/// Behind the time in the name of a second file of the same second.
const LETTERS: &str = "bcdef";

/// A checkpoint, and with it the limits, at this interval, s.
const CHECKPOINT_EVERY_S: i64 = 10;

/// A wall clock that is wrong by more than this since the last sample has jumped, s.
const JUMP_S: i64 = 60;

/// What a directory may hold.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of all files together.
    pub total_bytes: u64,
    /// The oldest sample, s.
    pub age_s: u64,
    /// A new file begins at this size.
    pub file_bytes: u64,
    /// Recording pauses while the file system has less than this share free.
    pub free_share: f64,
}

impl Default for Limits {
    /// 2 GB, a week, files of 512 MB, 2 % free.
    fn default() -> Self {
        Self { total_bytes: 2_000_000_000, age_s: 7 * 86_400, file_bytes: 512_000_000, free_share: 0.02 }
    }
}

/// Writes the files of a directory, or one file alone.
#[derive(Debug)]
pub struct ShardWriter {
    place: Place,
    begin: Begin,
    limits: Limits,
    writer: Option<RecordingWriter>,
    host: Option<Host>,
    day: i64,
    checked_s: i64,
    /// When the last sample was taken: by the wall clock, and since the host was started, s.
    last: Option<(i64, i64)>,
    /// The wall clock has jumped: until then, since the host was started, no file is called old, s.
    ageless_until_s: i64,
    /// What could not be written for lack of space, and is written once there is some.
    pending: Vec<Event>,
    lost: u64,
    /// There was room when it was looked at last.
    goes_on: bool,
}

#[derive(Debug)]
enum Place {
    File(PathBuf),
    /// The lock is held as long as the file is open.
    Directory(PathBuf, #[allow(dead_code, reason = "it is locked by another process")] File),
}

/// Events that are kept while there is no room.
const MAX_PENDING: usize = 1000;

impl ShardWriter {
    /// Records into one file, which must not exist.
    pub fn file(path: &Path, begin: Begin, limits: Limits) -> Result<Self, RecordingError> {
        let writer = RecordingWriter::create(path, &begin)?;
        let mut shards = Self::at(Place::File(path.to_path_buf()), begin, limits);
        shards.writer = Some(writer);
        Ok(shards)
    }

    /// Records into a directory, which is made, and in which no other recorder may write.
    pub fn directory(path: &Path, begin: Begin, limits: Limits) -> Result<Self, RecordingError> {
        let owned = || {
            let is_open = crate::own::is_exchangeable(&path.join(LOCK));
            let place = (!is_open).then_some(());
            place.ok_or_else(|| RecordingError::Exchangeable { path: path.to_path_buf() })
        };
        owned()?;
        DirBuilder::new().recursive(true).mode(0o750).create(path).map_err(io(path, "make"))?;
        // Somebody else may have made it meanwhile, in a directory such as /tmp.
        owned()?;
        if crate::open::is_on_shared_file_system(path) {
            return Err(RecordingError::Shared { path: path.to_path_buf() });
        }
        let lock = path.join(LOCK);
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o640)
            .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
            .open(&lock)
            .map_err(io(&lock, "open"))?;
        rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| RecordingError::Busy { path: path.to_path_buf() })?;
        Ok(Self::at(Place::Directory(path.to_path_buf(), file), begin, limits))
    }

    fn at(place: Place, begin: Begin, limits: Limits) -> Self {
        Self {
            place,
            begin,
            limits,
            writer: None,
            host: None,
            day: 0,
            checked_s: 0,
            last: None,
            ageless_until_s: i64::MIN,
            pending: Vec::new(),
            lost: 0,
            goes_on: true,
        }
    }

    /// Settings and topology for the samples that follow.
    pub fn host(&mut self, sample: &Sample, host: &Host) -> Result<(), RecordingError> {
        self.host = Some(host.clone());
        match &mut self.writer {
            Some(writer) => writer.host(sample, host),
            None => Ok(()),
        }
    }

    /// A clock that jumps makes what was just written look old, and it is what somebody wants to see.
    fn look_at_the_clock(&mut self, sample: &Sample) {
        let now =
            (sample.wall.as_second(), i64::try_from(sample.boottime_ns / 1_000_000_000).unwrap_or(i64::MAX));
        let jumps = |(wall, boot): (i64, i64)| ((now.0 - wall) - (now.1 - boot)).abs() > JUMP_S;
        if self.last.replace(now).is_some_and(jumps) {
            self.ageless_until_s = now.1.saturating_add(DAY_S);
        }
    }

    /// Writes a sample and its events. Without room the sample is lost and counted, its events wait; the recording goes on
    /// when there is room again. Other errors are the caller's.
    pub fn sample(&mut self, sample: &Sample, events: &[Event]) -> Result<(), RecordingError> {
        self.look_at_the_clock(sample);
        self.pending.extend(events.iter().take(MAX_PENDING.saturating_sub(self.pending.len())).cloned());
        if self.checkpoint_is_due(sample.wall) {
            self.checkpoint(sample.wall)?;
        }
        if !self.goes_on {
            self.lost += 1;
            return Ok(());
        }
        let events = std::mem::take(&mut self.pending);
        match self.write(sample, &events) {
            Err(RecordingError::Full { .. }) => {
                self.goes_on = false;
                self.lost += 1;
                self.pending = events;
                Ok(())
            }
            Ok(()) => {
                self.lost = 0;
                Ok(())
            }
            other => other,
        }
    }

    fn write(&mut self, sample: &Sample, events: &[Event]) -> Result<(), RecordingError> {
        self.begin_file(sample)?;
        let Some(writer) = &mut self.writer else { return Ok(()) };
        if self.lost > 0 {
            let detail = format!("{} samples were lost because the disk was full", self.lost);
            let full = Event::at(sample, fullwire_model::recording::EventKind::Full, "", detail);
            writer.events(&[full])?;
        }
        writer.sample(sample, events)?;
        // Of a small directory the log would be the largest part.
        if bytes_of(writer.path()).saturating_sub(length_of(writer.path())) > self.limits.file_bytes {
            writer.empty_log();
        }
        Ok(())
    }

    /// Gives up a file that cannot be written any more; the next sample begins another one. False where there is but one.
    pub fn begin_again(&mut self) -> bool {
        self.writer = None;
        matches!(self.place, Place::Directory(..))
    }

    /// The last word: the event is written, and all is synced.
    pub fn end(&mut self, event: &Event) -> Result<(), RecordingError> {
        if let Some(writer) = &mut self.writer
            && self.lost == 0
        {
            writer.events(std::slice::from_ref(event))?;
            writer.checkpoint()?;
        }
        Ok(())
    }

    /// Samples that are being lost for lack of space; 0: it is written.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        match &self.place {
            Place::File(path) => bytes_of(path),
            Place::Directory(path, _) => files_of(path).iter().map(|file| bytes_of(file)).sum(),
        }
    }

    /// The file that is being written.
    pub fn path(&self) -> Option<&Path> {
        self.writer.as_ref().map(RecordingWriter::path)
    }

    /// A new file at midnight UTC, and when the old one is large.
    fn begin_file(&mut self, sample: &Sample) -> Result<(), RecordingError> {
        let day = sample.wall.as_second().div_euclid(DAY_S);
        let full =
            self.writer.as_ref().is_some_and(|writer| length_of(writer.path()) >= self.limits.file_bytes);
        let fresh = self.writer.is_none();
        if let Place::Directory(directory, _) = &self.place
            && (fresh || day != self.day || full)
        {
            self.writer = None;
            self.writer = Some(new_file(directory, sample.wall, &self.begin)?);
            self.retire(sample.wall);
        }
        if (fresh || day != self.day || full)
            && let (Some(writer), Some(host)) = (&mut self.writer, &self.host)
            && (fresh || matches!(self.place, Place::Directory(..)))
        {
            writer.host(sample, host)?;
        }
        self.day = day;
        Ok(())
    }

    fn checkpoint_is_due(&self, now: Timestamp) -> bool {
        (now.as_second() - self.checked_s).abs() >= CHECKPOINT_EVERY_S
    }

    /// Syncs, and removes what is too old or too much.
    pub fn checkpoint(&mut self, now: Timestamp) -> Result<(), RecordingError> {
        self.checked_s = now.as_second();
        self.retire(now);
        self.goes_on = self.has_room();
        match &mut self.writer {
            Some(writer) => match writer.checkpoint() {
                Err(RecordingError::Full { .. }) => Ok(()),
                other => other,
            },
            None => Ok(()),
        }
    }

    /// The oldest files go until age and size hold; never the one that is written.
    fn retire(&self, now: Timestamp) {
        let Place::Directory(directory, _) = &self.place else { return };
        let current = self.path();
        let mut files: Vec<(PathBuf, u64)> = files_of(directory)
            .into_iter()
            .filter(|path| is_of_a_recorder(path))
            .map(|path| {
                let bytes = bytes_of(&path);
                (path, bytes)
            })
            .collect();
        let ages = self.last.is_none_or(|(_, boot)| boot >= self.ageless_until_s);
        let mut total: u64 = files.iter().map(|(_, bytes)| bytes).sum();
        files.retain(|(path, _)| Some(path.as_path()) != current);
        for (path, bytes) in files {
            let old = last_written_s(&path).is_some_and(|written| {
                now.as_second().saturating_sub(written) > i64::try_from(self.limits.age_s).unwrap_or(i64::MAX)
            });
            if !(old && ages) && total <= self.limits.total_bytes {
                break;
            }
            remove(&path);
            total = total.saturating_sub(bytes);
        }
    }

    fn has_room(&self) -> bool {
        let path = match &self.place {
            Place::File(path) | Place::Directory(path, _) => path,
        };
        rustix::fs::statvfs(path)
            .is_ok_and(|space| space.f_bavail as f64 > space.f_blocks as f64 * self.limits.free_share)
    }
}

/// Whether a recorder gave it its name: others may have been put there to be kept.
fn is_of_a_recorder(path: &Path) -> bool {
    let name = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    let stamp = name.trim_end_matches(|c: char| LETTERS.contains(c));
    let is_stamp = |(at, c): (usize, char)| if at == 8 { c == '-' } else { c.is_ascii_digit() };
    stamp.len() == 15
        && name.len() <= 16
        && stamp.char_indices().all(is_stamp)
        && std::fs::symlink_metadata(path).is_ok_and(|status| status.is_file())
}

fn last_written_s(path: &Path) -> Option<i64> {
    let modified = std::fs::metadata(path).ok()?.modified().ok()?;
    let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

/// A reader that has the file open keeps it.
fn remove(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let _ = std::fs::remove_file(&name);
    }
}

/// `20261122-140000.fwr`, UTC; a second one of the same second gets a letter.
fn new_file(directory: &Path, now: Timestamp, begin: &Begin) -> Result<RecordingWriter, RecordingError> {
    let stamp = now.strftime("%Y%m%d-%H%M%S").to_string();
    let letters = std::iter::once(String::new()).chain(LETTERS.chars().map(String::from));
    for letter in letters {
        match RecordingWriter::create(&directory.join(format!("{stamp}{letter}.{EXTENSION}")), begin) {
            Err(RecordingError::Exists { .. }) => {}
            made => return made,
        }
    }
    Err(RecordingError::Exists { path: directory.join(format!("{stamp}.{EXTENSION}")) })
}
