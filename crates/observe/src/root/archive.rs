//! Loads a packed tree into memory, within limits, whatever the archive claims.

use super::memory::{MemoryTree, clean};
use super::{HOST_DIRECTORIES, MAX_READ_BYTES, oswatcher};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// Entries of one archive; a large sosreport has some 50,000.
const MAX_ENTRIES: usize = 1_000_000;

/// Bytes that may come out of the decompressor: a bomb ends here.
const MAX_UNPACKED_BYTES: u64 = 8 << 30;

/// Bytes that are kept of all files together.
const MAX_KEPT_BYTES: usize = 512 << 20;

/// Length of a path that is kept.
const MAX_PATH_BYTES: usize = 4096;

/// What no reader asks for, and what fills sosreports: journals, core files, package lists.
const NOT_KEPT: &[&str] =
    &["var/log/journal/", "var/lib/", "usr/", "home/", "root/", "sos_reports/", "sos_logs/"];

/// Why an archive cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// Not a tar archive that we know to unpack.
    #[error("it is no tar archive, plain or compressed by gzip, bzip2, xz or zstd")]
    Unknown,
    /// It ends early or is damaged.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// It holds no file that any reader knows.
    #[error("it holds no file of a host")]
    Empty,
}

/// Reads an archive's tree.
pub(super) fn load(path: &Path) -> Result<MemoryTree, ArchiveError> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut magic = [0_u8; 6];
    let known = read_up_to(&mut file, &mut magic)?;
    let whole = io::Cursor::new(magic).take(known as u64).chain(file);
    unpack(decompressed(whole, magic)?)
}

/// Reads a tar archive's tree from bytes, plain or compressed.
pub(super) fn load_bytes(bytes: &[u8]) -> Result<MemoryTree, ArchiveError> {
    let mut magic = [0_u8; 6];
    let known = bytes.len().min(magic.len());
    magic[..known].copy_from_slice(&bytes[..known]);
    unpack(decompressed(bytes, magic)?)
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

fn decompressed<'a>(packed: impl Read + 'a, magic: [u8; 6]) -> Result<Box<dyn Read + 'a>, ArchiveError> {
    Ok(match magic {
        [0x1f, 0x8b, ..] => Box::new(flate2::read::MultiGzDecoder::new(packed)),
        [0xfd, b'7', b'z', b'X', b'Z', 0] => Box::new(liblzma::read::XzDecoder::new_multi_decoder(packed)),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Box::new(zstd::stream::read::Decoder::new(packed)?),
        [b'B', b'Z', b'h', ..] => Box::new(bzip2::read::MultiBzDecoder::new(packed)),
        _ => Box::new(packed),
    })
}

fn unpack(unpacked: impl Read) -> Result<MemoryTree, ArchiveError> {
    let mut archive = tar::Archive::new(unpacked.take(MAX_UNPACKED_BYTES));
    let mut tree = MemoryTree::default();
    let mut kept_bytes = 0;
    for (index, entry) in archive.entries()?.take(MAX_ENTRIES).enumerate() {
        match entry {
            Ok(entry) => kept_bytes += keep(entry, &mut tree, MAX_KEPT_BYTES - kept_bytes)?,
            Err(_) if index == 0 => return Err(ArchiveError::Unknown),
            Err(error) if tree.top().is_empty() => return Err(error.into()),
            Err(_) => break, // cut short (a broken upload): what came through is worth reading
        }
    }
    if tree.top().is_empty() {
        return Err(ArchiveError::Empty);
    }
    Ok(oswatcher::translate(at_host_top(tree)))
}

/// Keeps one entry and says how many bytes that took.
fn keep(mut entry: tar::Entry<impl Read>, tree: &mut MemoryTree, room: usize) -> Result<usize, ArchiveError> {
    let raw = entry.path_bytes();
    if raw.len() > MAX_PATH_BYTES {
        return Ok(0);
    }
    let Some(path) = clean(&String::from_utf8_lossy(&raw)) else { return Ok(0) };
    let kind = entry.header().entry_type();
    if kind.is_dir() {
        tree.insert_directory(&path);
    } else if kind.is_symlink() || kind.is_hard_link() {
        if let Some(target) = entry.link_name_bytes() {
            let target = String::from_utf8_lossy(&target).into_owned();
            tree.insert_link(&path, if kind.is_hard_link() { format!("/{target}") } else { target });
        }
    } else if kind.is_file() && is_kept(&path) {
        let limit = room.min(MAX_READ_BYTES);
        let mut bytes = Vec::new();
        entry.by_ref().take(limit as u64).read_to_end(&mut bytes)?;
        let cut = entry.size() > bytes.len() as u64;
        let length = bytes.len();
        tree.insert_file(&path, bytes, cut);
        return Ok(length);
    }
    Ok(0)
}

fn is_kept(path: &str) -> bool {
    let below_top = path.split_once('/').map_or(path, |(_, rest)| rest);
    !NOT_KEPT.iter().any(|start| path.starts_with(start) || below_top.starts_with(start))
}

/// Archives hold one directory around the host's files, named after it.
fn at_host_top(tree: MemoryTree) -> MemoryTree {
    let only = match tree.top().as_slice() {
        [only] if !HOST_DIRECTORIES.contains(only) && !oswatcher::is_directory(only) => (*only).to_owned(),
        _ => return tree,
    };
    tree.without_top(&only)
}
