//! Reads a claimed device past the page cache. A cache that another opener keeps alive answers with what this host saw
//! once, not with what another host has written since.

use super::signatures::Bytes;
use crate::disk::engine::buffer::Buffers;
use crate::disk::target::{self, Access};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::cell::RefCell;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Read with one call.
const PIECE_BYTES: usize = 1 << 20;
/// Offsets and lengths are multiples of this at least: larger than the logical block of nearly all devices.
const UNIT_BYTES: u64 = 4096;

/// How far a search is, and whether it is still wanted.
#[derive(Debug, Default)]
pub(super) struct Search {
    read_bytes: AtomicU64,
    stop: AtomicBool,
}

impl Search {
    pub(super) fn read_bytes(&self) -> u64 {
        self.read_bytes.load(Ordering::Relaxed)
    }

    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// An open device.
pub(super) struct Device<'a> {
    fd: OwnedFd,
    size: u64,
    unit: u64,
    buffer: RefCell<Buffers>,
    search: &'a Search,
}

impl<'a> Device<'a> {
    /// Opens what `fd` refers to once more, for direct I/O.
    pub(super) fn open(fd: impl AsFd, size: u64, search: &'a Search) -> io::Result<Self> {
        let access = Access { read: true, write: false, direct: true, durable: OFlags::empty() };
        let fd = target::reopen(fd, access)?;
        let unit = target::direct_unit(&fd).unwrap_or(0).max(UNIT_BYTES);
        let bytes = usize::try_from(PIECE_BYTES as u64 + 2 * unit).map_err(|_| io::ErrorKind::OutOfMemory)?;
        Ok(Self { fd, size, unit, buffer: RefCell::new(Buffers::new(1, bytes)?), search })
    }

    /// Fills the buffer, which is no longer than a piece; the number of bytes that there are.
    fn read_piece(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let skip = offset % self.unit;
        let wanted = (skip + into.len() as u64).next_multiple_of(self.unit);
        let wanted = usize::try_from(wanted).map_err(|_| io::ErrorKind::InvalidInput)?;
        let skip = usize::try_from(skip).map_err(|_| io::ErrorKind::InvalidInput)?;
        let mut buffers = self.buffer.borrow_mut();
        let buffer = &mut buffers.slot(0)[..wanted];
        let mut done = 0;
        while done < wanted {
            match rustix::io::pread(&self.fd, &mut buffer[done..], offset - skip as u64 + done as u64) {
                Ok(0) => break,
                Ok(more) => done += more,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if !(done as u64).is_multiple_of(UNIT_BYTES) {
                // The end of a device whose size is no multiple of the unit.
                break;
            }
        }
        self.search.read_bytes.fetch_add(done as u64, Ordering::Relaxed);
        let usable = done.saturating_sub(skip).min(into.len());
        into[..usable].copy_from_slice(&buffer[skip..skip + usable]);
        Ok(usable)
    }
}

impl Bytes for Device<'_> {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut done = 0;
        while done < buffer.len() {
            if self.search.stop.load(Ordering::Relaxed) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let piece = (buffer.len() - done).min(PIECE_BYTES);
            match self.read_piece(offset + done as u64, &mut buffer[done..done + piece])? {
                0 => break,
                more => done += more,
            }
        }
        Ok(done)
    }
}
