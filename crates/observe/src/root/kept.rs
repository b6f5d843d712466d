//! Files that stay open between readings: a sampler reads the same ones each second, and opening a file of sysfs costs four
//! times as much as reading it.

use rustix::io::Errno;
use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Kept at most, whatever the limit of open files: 1,000 disks have some 3,000.
const MOST: u64 = 16_384;

/// Files of a directory that stay open.
#[derive(Debug)]
pub(super) struct Kept {
    files: Mutex<HashMap<String, OwnedFd>>,
    limit: usize,
}

impl Kept {
    /// Keeps up to half of what this process may open.
    pub(super) fn new() -> Self {
        let soft = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        let limit = usize::try_from(soft.unwrap_or(MOST).min(2 * MOST) / 2).unwrap_or(0);
        Self { files: Mutex::new(HashMap::new()), limit }
    }

    /// True for what is read again and again: the kernel's files, not those of processes, which come and go.
    pub(super) fn keeps(path: &str) -> bool {
        match path.strip_prefix("/proc/") {
            Some(rest) => !rest.starts_with(|first: char| first.is_ascii_digit()),
            None => path.starts_with("/sys/"),
        }
    }

    fn files(&self) -> MutexGuard<'_, HashMap<String, OwnedFd>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A file from its beginning into `bytes`, up to `limit` bytes; true when it goes on. A file whose device went away is
    /// opened once more: another device may have its name by now.
    pub(super) fn read(
        &self,
        path: &str,
        open: impl FnOnce() -> Result<OwnedFd, Errno>,
        bytes: &mut Vec<u8>,
        limit: usize,
    ) -> io::Result<bool> {
        if let Some(file) = self.files().get(path) {
            bytes.clear();
            if let Ok(cut) = read_from_start(file, bytes, limit) {
                return Ok(cut);
            }
        }
        self.files().remove(path);
        let file = open()?;
        bytes.clear();
        let cut = read_from_start(&file, bytes, limit)?;
        let mut files = self.files();
        if files.len() < self.limit {
            files.insert(path.to_owned(), file);
        }
        Ok(cut)
    }
}

fn read_from_start(file: &OwnedFd, bytes: &mut Vec<u8>, limit: usize) -> Result<bool, Errno> {
    let mut buffer = [0_u8; 1 << 14];
    loop {
        let offset = bytes.len() as u64;
        match rustix::io::pread(file, &mut buffer, offset) {
            Ok(0) => return Ok(false),
            Ok(read) => {
                bytes.extend_from_slice(&buffer[..read]);
                if bytes.len() > limit {
                    bytes.truncate(limit);
                    return Ok(true);
                }
                // An attribute is one page at most and ends with a newline: no second read asks for its end.
                if read < buffer.len() && is_attribute(offset, read, &buffer) {
                    return Ok(false);
                }
            }
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}

/// One short line is a whole attribute.
fn is_attribute(offset: u64, read: usize, buffer: &[u8]) -> bool {
    let first = buffer[..read].iter().position(|&byte| byte == b'\n');
    offset == 0 && read < 256 && first.is_some_and(|first| !buffer[first + 1..read].contains(&b'\n'))
}

#[cfg(test)]
mod tests {
    use super::super::open::{Directory, beneath};
    use super::*;
    use rustix::fs::OFlags;

    #[test]
    fn a_kept_file_is_read_anew_each_time_and_opened_again_when_it_was_replaced() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(place.path().join("proc")).unwrap();
        let file = place.path().join("proc/diskstats");
        let long = "8 0 sda 1 2 3 4\n".repeat(4000);
        std::fs::write(&file, &long).unwrap();
        let directory = Directory::open(place.path(), false).unwrap();
        let open = || beneath(&directory, "/proc/diskstats", OFlags::RDONLY);
        let kept = Kept::new();
        let mut bytes = Vec::new();
        assert!(!kept.read("/proc/diskstats", open, &mut bytes, 1 << 20).unwrap());
        assert_eq!(bytes, long.as_bytes());
        std::fs::write(&file, "short\n").unwrap();
        assert!(!kept.read("/proc/diskstats", open, &mut bytes, 1 << 20).unwrap());
        assert_eq!(bytes, b"short\n");
        assert!(kept.read("/proc/diskstats", open, &mut bytes, 3).unwrap(), "it is truncated");
        assert!(kept.read("/proc/none", || Err(Errno::NOENT), &mut bytes, 3).is_err());
        assert_eq!(kept.files().len(), 1);
    }

    #[test]
    fn files_of_processes_are_not_kept() {
        assert!(Kept::keeps("/proc/diskstats") && Kept::keeps("/sys/block/sda/stat"));
        assert!(!Kept::keeps("/proc/1/stat") && !Kept::keeps("/etc/fstab"));
    }
}
