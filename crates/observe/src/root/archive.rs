//! Loads a packed tree into memory, within limits, whatever the archive claims.

use super::memory::{MAX_PATH_BYTES, MemoryTree, clean};
use super::packed::{Ratio, Unpacking};
use super::{HOST_DIRECTORIES, MAX_READ_BYTES, oswatcher, supportconfig};
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::rc::Rc;

/// Entries of one archive; a large sosreport has some 50,000.
const MAX_ENTRIES: usize = 1_000_000;

/// Bytes that may come out of the decompressor: a bomb ends here.
const MAX_UNPACKED_BYTES: u64 = 8 << 30;

/// A host has files that are nothing but zeros for gigabytes (`/var/log/lastlog`), which archives hold packed to nothing.
const HOST: Ratio = Ratio { free_bytes: 2 << 30, times: 100 };

/// Bytes that are kept of all files together.
const MAX_KEPT_BYTES: usize = 512 << 20;

/// Bytes of all headers of one entry: long names and extended attributes, which the tar crate reads whole.
const MAX_HEADERS_BYTES: u64 = 64 << 10;

/// A header, and what all that follows it is rounded up to.
const BLOCK_BYTES: u64 = 512;

/// What no reader asks for, and what fills sosreports: journals, what sosreport says of itself.
const NOT_KEPT: &[&str] = &["var/log/journal/", "sos_reports/", "sos_logs/"];

/// Where databases and distributions have settings among much else. All names are kept, for directories are listed; of
/// the files those that are small enough to be settings.
const MIXED: &[&str] = &["var/lib/", "usr/", "home/", "root/", "opt/", "srv/"];

/// Bytes of a file there that is kept, and of all of them together.
const MAX_MIXED_FILE_BYTES: u64 = 256 << 10;
const MAX_MIXED_BYTES: usize = 64 << 20;

/// Why an archive cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// Not a tar archive that we know to unpack.
    #[error("it is not a tar archive (uncompressed, gzip, bzip2, xz or zstd)")]
    Unknown,
    /// It ends early or is damaged.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// It holds no file that any reader knows.
    #[error("it contains no files of a host")]
    Empty,
}

/// Reads an archive's tree.
pub(super) fn load(file: File) -> Result<MemoryTree, ArchiveError> {
    let mut file = BufReader::with_capacity(1 << 16, file);
    let mut magic = [0_u8; 6];
    let known = read_up_to(&mut file, &mut magic)?;
    let whole = io::Cursor::new(magic).take(known as u64).chain(file);
    unpack(Unpacking::new(whole, magic, HOST)?)
}

/// Reads a tar archive's tree from bytes, plain or compressed.
pub(super) fn load_bytes(bytes: &[u8]) -> Result<MemoryTree, ArchiveError> {
    let mut magic = [0_u8; 6];
    let known = bytes.len().min(magic.len());
    magic[..known].copy_from_slice(&bytes[..known]);
    unpack(Unpacking::new(bytes, magic, HOST)?)
}

fn read_up_to(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

fn unpack(unpacked: impl Read) -> Result<MemoryTree, ArchiveError> {
    let room = Rc::new(Cell::new(MAX_HEADERS_BYTES));
    let gate = Gate { inner: unpacked.take(MAX_UNPACKED_BYTES), room: Rc::clone(&room) };
    let mut archive = tar::Archive::new(gate);
    let mut tree = MemoryTree::default();
    let mut kept = Kept::default();
    let mut left_out = None;
    for (index, entry) in archive.entries()?.enumerate() {
        match entry {
            _ if index == MAX_ENTRIES => {
                left_out = Some(format!("what comes after {MAX_ENTRIES} entries"));
                break;
            }
            Ok(entry) => {
                room.set(packed_bytes(&entry).saturating_add(MAX_HEADERS_BYTES));
                if let Err(error) = keep(entry, &mut tree, &mut kept) {
                    left_out = Some(format!("what comes after {index} entries: {error}"));
                    break;
                }
            }
            Err(_) if index == 0 => return Err(ArchiveError::Unknown),
            Err(error) if tree.top().is_empty() => return Err(error.into()),
            // Cut short (a broken upload): what came through is worth reading.
            Err(error) => {
                left_out = Some(format!("what comes after {index} entries: {error}"));
                break;
            }
        }
    }
    if tree.top().is_empty() {
        return Err(ArchiveError::Empty);
    }
    let mut tree = supportconfig::translate(oswatcher::translate(at_host_top(tree)));
    tree.left_out = left_out;
    Ok(tree)
}

/// Lets no more through than an entry has, and the headers of the next one may have: what the tar crate reads of
/// headers for itself has no limit.
struct Gate<R> {
    inner: R,
    room: Rc<Cell<u64>>,
}

impl<R: Read> Read for Gate<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.room.get()).unwrap_or(usize::MAX);
        if room == 0 && !buffer.is_empty() {
            return Err(io::Error::other("the headers of an entry are too long"));
        }
        let length = buffer.len().min(room);
        let read = self.inner.read(&mut buffer[..length])?;
        self.room.set(self.room.get() - read as u64);
        Ok(read)
    }
}

/// What an entry's content takes in the archive: of a file with holes less than its size.
fn packed_bytes(entry: &tar::Entry<impl Read>) -> u64 {
    match entry.header().entry_type() {
        tar::EntryType::GNUSparse => entry.header().entry_size().unwrap_or(0),
        _ => entry.size(),
    }
    .saturating_add(BLOCK_BYTES)
}

/// Bytes of the files that are kept.
#[derive(Default)]
struct Kept {
    all: usize,
    mixed: usize,
}

fn keep(
    mut entry: tar::Entry<impl Read>,
    tree: &mut MemoryTree,
    kept: &mut Kept,
) -> Result<(), ArchiveError> {
    let raw = entry.path_bytes();
    if raw.len() > MAX_PATH_BYTES {
        return Ok(());
    }
    let Some(path) = clean(&String::from_utf8_lossy(&raw)) else { return Ok(()) };
    let kind = entry.header().entry_type();
    if kind.is_dir() {
        tree.insert_directory(&path);
    } else if kind.is_symlink() || kind.is_hard_link() {
        if let Some(target) = entry.link_name_bytes() {
            let target = String::from_utf8_lossy(&target).into_owned();
            tree.insert_link(&path, if kind.is_hard_link() { format!("/{target}") } else { target });
        }
    } else if kind.is_file() && !is_below(&path, NOT_KEPT) {
        let is_mixed = is_below(&path, MIXED);
        let mut room = MAX_READ_BYTES.min(MAX_KEPT_BYTES - kept.all);
        if is_mixed {
            let is_small = entry.size() <= MAX_MIXED_FILE_BYTES;
            room = if is_small { room.min(MAX_MIXED_BYTES - kept.mixed) } else { 0 };
        }
        let mut bytes = Vec::new();
        entry.by_ref().take(room as u64).read_to_end(&mut bytes)?;
        let cut = entry.size() > bytes.len() as u64;
        let length = bytes.len();
        if tree.insert_file(&path, bytes, cut) {
            kept.all += length;
            kept.mixed += if is_mixed { length } else { 0 };
        }
    }
    Ok(())
}

/// Below one of these directories, of the host or of the archive's one directory around it.
fn is_below(path: &str, directories: &[&str]) -> bool {
    let below_top = path.split_once('/').map_or(path, |(_, rest)| rest);
    directories.iter().any(|start| path.starts_with(start) || below_top.starts_with(start))
}

/// Archives hold one directory around the host's files, named after it.
fn at_host_top(tree: MemoryTree) -> MemoryTree {
    let only = match tree.top().as_slice() {
        [only] if !HOST_DIRECTORIES.contains(only) && !oswatcher::is_directory(only) => (*only).to_owned(),
        _ => return tree,
    };
    tree.without_top(&only)
}
