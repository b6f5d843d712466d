//! The file that a responder writes a client's messages to: private, below the directory that its owner
//! named, without a name from the moment it is open, so that nothing is left whatever happens.

use super::NetError;
use super::payload;
use super::plan::LENGTH_LIMIT_BYTES;
use crate::disk::target::space;
use memmap2::MmapMut;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FallocateFlags, Mode, OFlags, fallocate, openat, unlinkat};
use rustix::io::{Errno, pwrite};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Direct I/O wants lengths, offsets and memory in multiples of the logical block: 4096 suits all devices.
const ALIGN_BYTES: u64 = 4096;

/// Written before the test, so that the test overwrites as redo logs do, and allocates nothing.
const REGION_BYTES: u64 = 64 * 1024 * 1024;

/// Written with one call while preparing, at least.
const PREPARE_BYTES: u64 = 1024 * 1024;

/// Longest preparation of one file: a slow disk gets a smaller region.
const PREPARE: Duration = Duration::from_secs(3);

/// The directory below which a responder may write, and what its clients' files may take of it together.
#[derive(Clone)]
pub(crate) struct WriteDir {
    directory: Arc<OwnedFd>,
    most_bytes: u64,
    taken: Arc<Mutex<Taken>>,
}

/// What all files take.
#[derive(Debug, Default)]
struct Taken {
    /// Reserved for files, whether they have it yet or not.
    reserved_bytes: u64,
    /// That the file system no longer counts as free.
    allocated_bytes: u64,
}

impl WriteDir {
    /// Opened once: what happens to the path later does not matter.
    pub(crate) fn open(path: &Path, most_bytes: u64) -> Result<Self, NetError> {
        let directory = fullwire_way::directory(path).map_err(|error| {
            NetError::local(format!("open the write directory {}", path.display()), error)
        })?;
        Ok(Self { directory: Arc::new(directory), most_bytes, taken: Arc::default() })
    }

    /// Room for this many files of this many bytes each, at least of `least` bytes; refused when the file system is too full
    /// for that, or other clients' files take what may be taken.
    pub(crate) fn reserve(&self, files: u32, bytes: u64, least: u64) -> Result<Vec<Room>, NetError> {
        let space = rustix::fs::fstatvfs(&*self.directory)
            .map_err(|errno| NetError::local("read the free space of the write directory", errno))?;
        let mut taken = self.taken();
        // As if none of our files was there: what they may take together does not grow with their number.
        let total = space.f_blocks.saturating_mul(space.f_frsize);
        let free = space.f_bavail.saturating_mul(space.f_frsize).saturating_add(taken.allocated_bytes);
        let wanted = bytes.saturating_mul(files.into());
        let together = taken.reserved_bytes.saturating_add(wanted).min(self.most_bytes);
        let allowed = space::allowed(together, total, free).unwrap_or(0);
        let each = allowed.saturating_sub(taken.reserved_bytes).min(wanted) / u64::from(files.max(1));
        let each = each / ALIGN_BYTES * ALIGN_BYTES;
        if each < least {
            return Err(NetError::Refused(format!(
                "its write directory is too full for {files} files of {least} bytes and the space that must stay free"
            )));
        }
        taken.reserved_bytes += each * u64::from(files);
        let room = || Room { directory: self.clone(), bytes: each, allocated: false };
        Ok((0..files).map(|_| room()).collect())
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one file may take; given back when dropped, after the file.
pub(crate) struct Room {
    directory: WriteDir,
    bytes: u64,
    allocated: bool,
}

impl Room {
    /// The file system no longer counts it as free.
    fn allocated(&mut self) {
        self.allocated = true;
        self.directory.taken().allocated_bytes += self.bytes;
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut taken = self.directory.taken();
        taken.reserved_bytes -= self.bytes;
        if self.allocated {
            taken.allocated_bytes -= self.bytes;
        }
    }
}

/// A file to write messages of one lane to.
pub(crate) struct RemoteFile {
    file: OwnedFd,
    buffer: MmapMut,
    region_bytes: u64,
    offset: u64,
    /// The page cache is bypassed.
    pub(crate) direct: bool,
    /// Fields are dropped in order: the file is closed before its room is given back.
    room: Room,
}

impl RemoteFile {
    /// What a file for messages of up to this many bytes takes.
    pub(crate) fn region_bytes(length_bytes: u64) -> u64 {
        let piece = piece_bytes(length_bytes);
        REGION_BYTES.max(piece) / piece * piece
    }

    /// And what it takes at least: one message.
    pub(crate) fn least_bytes(length_bytes: u64) -> u64 {
        piece_bytes(length_bytes)
    }

    /// Creates it, for messages of up to this many bytes.
    pub(crate) fn create(
        directory: &WriteDir,
        length_bytes: u64,
        room: Room,
        within: Duration,
    ) -> Result<Self, NetError> {
        let (file, direct) = open_private(&directory.directory)?;
        let size = usize::try_from(piece_bytes(length_bytes))
            .map_err(|_| NetError::Plan("the message is too long".into()))?;
        let mut buffer = payload::untouched(size)?;
        payload::random(&mut buffer[..size.min(4096)])?;
        let mut made = Self { file, buffer, region_bytes: room.bytes, offset: 0, direct, room };
        made.prepare(within.min(PREPARE))?;
        Ok(made)
    }

    /// Where a message of this many bytes is to be received.
    pub(crate) fn buffer(&mut self, length: u64) -> Result<&mut [u8], String> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        self.buffer.get_mut(..length).ok_or_else(|| "a message longer than planned".to_owned())
    }

    /// Writes the message in the buffer, rounded up to whole blocks, and returns when it is on stable storage.
    pub(crate) fn write(&mut self, length: u64) -> Result<(), std::io::Error> {
        let length = whole_blocks(length.max(1)).min(self.buffer.len() as u64);
        if self.offset + length > self.region_bytes {
            self.offset = 0;
        }
        let mut done = 0;
        while done < length {
            let from = usize::try_from(done).unwrap_or(usize::MAX);
            let to = usize::try_from(length).unwrap_or(usize::MAX);
            match pwrite(&self.file, &self.buffer[from..to], self.offset + done) {
                Ok(0) => return Err(std::io::ErrorKind::WriteZero.into()),
                Ok(written) => done += written as u64,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        self.offset += length;
        Ok(())
    }

    /// Writes the region that the test will overwrite: at least one message, as much as fits the time and the room.
    fn prepare(&mut self, within: Duration) -> Result<(), NetError> {
        let piece = self.buffer.len() as u64;
        let failed = |error| NetError::local("write in the write directory", error);
        let wanted = self.room.bytes / piece * piece;
        // A hint against fragments; file systems without it allocate while writing.
        let _ = fallocate(&self.file, FallocateFlags::empty(), 0, wanted);
        self.room.allocated();
        let begun = Instant::now();
        self.region_bytes = wanted;
        loop {
            self.write(piece).map_err(failed)?;
            if self.offset >= wanted || begun.elapsed() > within {
                break;
            }
        }
        self.region_bytes = self.offset;
        self.offset = 0;
        Ok(())
    }
}

/// A new file under a name that no one can guess, taken away immediately. `O_EXCL` and `O_NOFOLLOW`: never one
/// that is already there. Where direct I/O is refused (tmpfs, some NFS), synchronous I/O alone.
fn open_private(directory: &OwnedFd) -> Result<(OwnedFd, bool), NetError> {
    let mut random = [0; 16];
    payload::random(&mut random)?;
    let name = format!("fullwire-{:032x}.tmp", u128::from_ne_bytes(random));
    let base =
        OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::DSYNC;
    let mode = Mode::RUSR | Mode::WUSR;
    let open = |flags| openat(directory, name.as_str(), flags, mode);
    let remove = || unlinkat(directory, name.as_str(), AtFlags::empty());
    let outcome = match open(base | OFlags::DIRECT) {
        Ok(file) => Ok((file, true)),
        Err(Errno::INVAL) => {
            // ext4 and others create the file before they refuse the flag.
            let _ = remove();
            open(base).map(|file| (file, false))
        }
        Err(errno) => Err(errno),
    };
    let opened = outcome.map_err(|errno| NetError::local("create a file in the write directory", errno))?;
    remove().map_err(|errno| NetError::local("unlink the written file", errno))?;
    Ok(opened)
}

/// Bytes of one write while preparing: a message, or more.
fn piece_bytes(length_bytes: u64) -> u64 {
    whole_blocks(length_bytes.clamp(1, LENGTH_LIMIT_BYTES)).max(PREPARE_BYTES)
}

fn whole_blocks(bytes: u64) -> u64 {
    bytes.div_ceil(ALIGN_BYTES) * ALIGN_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_no_name_and_wraps_within_its_region() {
        let folder = tempfile::tempdir().unwrap();
        let directory = WriteDir::open(folder.path(), 1 << 30).unwrap();
        let region = RemoteFile::region_bytes(20_000_000);
        let room = directory.reserve(1, region, RemoteFile::least_bytes(20_000_000)).unwrap().remove(0);
        let mut file = RemoteFile::create(&directory, 20_000_000, room, PREPARE).unwrap();
        assert!(file.region_bytes >= whole_blocks(20_000_000));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(file.region_bytes % whole_blocks(20_000_000), 0);
        for _ in 0..5 {
            file.buffer(20_000_000).unwrap()[0] = 1;
            file.write(20_000_000).unwrap();
            assert!(file.offset <= file.region_bytes);
        }
        assert!(file.buffer(u64::MAX).is_err());
    }

    #[test]
    fn all_files_together_take_no_more_than_they_may_and_give_it_back() {
        let folder = tempfile::tempdir().unwrap();
        let directory = WriteDir::open(folder.path(), 64 << 20).unwrap();
        let first = directory.reserve(2, 24 << 20, 1 << 20).unwrap();
        // 16 MiB are left for two.
        let second = directory.reserve(2, 24 << 20, 1 << 20).unwrap();
        assert_eq!((first[0].bytes, second[0].bytes), (24 << 20, 8 << 20));
        assert!(matches!(directory.reserve(1, 1 << 20, 1 << 20), Err(NetError::Refused(_))));
        drop(first);
        let third = directory.reserve(1, 64 << 20, 1 << 20).unwrap();
        assert_eq!(third[0].bytes, 48 << 20);
        drop((second, third));
        assert_eq!(directory.taken().reserved_bytes, 0);
    }

    #[test]
    fn a_directory_that_is_not_there_is_named() {
        let error =
            WriteDir::open(Path::new("/nonexistent/fullwire"), 1).err().expect("an error").to_string();
        assert!(error.contains("/nonexistent/fullwire"), "{error}");
    }
}
