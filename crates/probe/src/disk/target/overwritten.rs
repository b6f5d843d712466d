//! A part of a device that holds our content until it is zeroed, and the note that says so to `clean` if it never is.

use crate::disk::DiskError;
use crate::disk::hang::{ANSWER, within};
use crate::disk::manifest::{DeviceNote, Manifest};
use rustix::fs::{FallocateFlags, fallocate, fsync};
use rustix::io::{Errno, pwrite};
use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Zeroing a device that has no command for it, at least.
const ZEROED_BYTES_PER_S: u64 = 20_000_000;
/// Written with one call where the kernel has no command for zeros.
const PIECE_BYTES: usize = 1 << 20;

/// Zeroed by [`Overwritten::zero`], or when dropped: the next probe finds it empty again.
pub(crate) struct Overwritten {
    fd: Arc<OwnedFd>,
    region: Range<u64>,
    manifest: Option<Manifest>,
}

impl Overwritten {
    /// Notes that the region is about to be written.
    pub(crate) fn begin(
        fd: Arc<OwnedFd>,
        region: Range<u64>,
        device: &Path,
        identity: &str,
        state: &Path,
    ) -> Result<Self, DiskError> {
        let note = DeviceNote { identity: identity.to_owned(), start: region.start, end: region.end };
        let manifest = Manifest::write_device(state, device, note)?;
        Ok(Self { fd, region, manifest: Some(manifest) })
    }

    /// Zeroes the region and forgets the note. If this fails the note stays, and `clean` finds it.
    pub(crate) fn zero(&mut self) -> Result<(), String> {
        let Some(manifest) = self.manifest.take() else { return Ok(()) };
        let (fd, region) = (Arc::clone(&self.fd), self.region.clone());
        let limit = ANSWER * 8 + Duration::from_secs((region.end - region.start) / ZEROED_BYTES_PER_S);
        let zeroed = within(limit, "the device", "zeroing", move || zero(&fd, &region))
            .map_err(|error| error.to_string())?;
        zeroed.map_err(|error| error.to_string())?;
        manifest.forget();
        Ok(())
    }
}

impl Drop for Overwritten {
    fn drop(&mut self) {
        // The error that led here is the one that is reported; the note stays if this fails, too.
        let _ = self.zero();
    }
}

fn zero(fd: &OwnedFd, region: &Range<u64>) -> io::Result<()> {
    match fallocate(fd, FallocateFlags::ZERO_RANGE, region.start, region.end - region.start) {
        // Block devices have it since 4.9.
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::NODEV | Errno::PERM) => write_zeros(fd, region)?,
        result => result?,
    }
    Ok(fsync(fd)?)
}

fn write_zeros(fd: &OwnedFd, region: &Range<u64>) -> io::Result<()> {
    let zeros = vec![0; PIECE_BYTES];
    let mut at = region.start;
    while at < region.end {
        let length = usize::try_from(region.end - at).map_or(PIECE_BYTES, |left| left.min(PIECE_BYTES));
        match pwrite(fd, &zeros[..length], at) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => at += written as u64,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn zeros_are_written_where_the_kernel_has_no_command_for_them() {
        let file = tempfile::tempfile().expect("file");
        file.write_all_at(&vec![7; 3 << 20], 0).expect("written");
        let fd = OwnedFd::from(file.try_clone().expect("descriptor"));
        write_zeros(&fd, &(1000..(2 << 20) + 5)).expect("zeroed");
        let mut bytes = vec![0; 3 << 20];
        file.read_exact_at(&mut bytes, 0).expect("read");
        assert!(bytes[1000..(2 << 20) + 5].iter().all(|byte| *byte == 0));
        assert!((bytes[999], bytes[(2 << 20) + 5]) == (7, 7));
    }
}
