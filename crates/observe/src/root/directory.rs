//! A directory that stands for a host's `/`: the live one, or a tree on disk.

use super::ATTRIBUTE_BYTES;
use super::kept::Kept;
use super::named::{self, Owner};
use super::open::{self, Directory};
use rustix::fs::{Dir, OFlags};
use rustix::io::Errno;
use std::io;

/// Entries of one directory: `/proc` of a very busy host has some 100,000.
const MAX_ENTRIES: usize = 262_144;

impl Directory {
    /// Up to `limit` bytes, and whether the file goes on. Of a path that a process of the live host named only what its
    /// owner may read; in a captured tree rights and owners are those of the user who unpacked it.
    pub(super) fn read(
        &self,
        path: &str,
        limit: usize,
        owner: Option<&Owner>,
    ) -> io::Result<(Vec<u8>, bool)> {
        if owner.is_none()
            && let Some(kept) = self.kept.as_ref().filter(|_| Kept::keeps(path))
        {
            let mut bytes = Vec::new();
            let cut = kept.read(path, || open::beneath(self, path, OFlags::RDONLY), &mut bytes, limit)?;
            return Ok((bytes, cut));
        }
        let file = match owner.filter(|_| self.live) {
            Some(owner) => named::file(self, path, owner)?,
            None => open::beneath(self, path, OFlags::RDONLY)?,
        };
        let mut bytes = Vec::new();
        let mut buffer = [0_u8; 1 << 14];
        loop {
            match rustix::io::read(&file, &mut buffer) {
                Ok(0) => return Ok((bytes, false)),
                Ok(read) => bytes.extend_from_slice(&buffer[..read]),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
            if bytes.len() > limit {
                bytes.truncate(limit);
                return Ok((bytes, true));
            }
        }
    }

    /// A sysfs attribute in one read.
    pub(super) fn attribute(&self, path: &str) -> io::Result<String> {
        if let Some(kept) = self.kept.as_ref().filter(|_| Kept::keeps(path)) {
            let mut bytes = Vec::new();
            kept.read(path, || open::beneath(self, path, OFlags::RDONLY), &mut bytes, ATTRIBUTE_BYTES)?;
            return Ok(String::from_utf8_lossy(&bytes).trim().to_owned());
        }
        let file = open::beneath(self, path, OFlags::RDONLY)?;
        let mut buffer = [0_u8; ATTRIBUTE_BYTES];
        let read = rustix::io::retry_on_intr(|| rustix::io::read(&file, &mut buffer))?;
        Ok(String::from_utf8_lossy(&buffer[..read]).trim().to_owned())
    }

    pub(super) fn list(&self, path: &str, owner: Option<&Owner>) -> io::Result<Vec<String>> {
        let directory = match owner.filter(|_| self.live) {
            Some(owner) => named::directory(self, path, owner)?,
            None => open::beneath(self, path, OFlags::RDONLY | OFlags::DIRECTORY)?,
        };
        let mut names = Vec::new();
        for entry in Dir::new(directory)?.take(MAX_ENTRIES) {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy();
            if name != "." && name != ".." {
                names.push(name.into_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    pub(super) fn link(&self, path: &str, owner: Option<&Owner>) -> Option<String> {
        let link = match owner.filter(|_| self.live) {
            Some(owner) => named::link(self, path, owner),
            None => open::beneath(self, path, OFlags::PATH | OFlags::NOFOLLOW),
        };
        let link = link.ok()?;
        let target = rustix::fs::readlinkat(&link, "", Vec::new()).ok()?;
        Some(target.to_string_lossy().into_owned())
    }

    pub(super) fn modified_s(&self, path: &str) -> io::Result<i64> {
        let file = open::beneath(self, path, OFlags::PATH)?;
        Ok(rustix::fs::fstat(&file)?.st_mtime)
    }

    /// Whose a file is.
    pub(super) fn uid(&self, path: &str) -> io::Result<u32> {
        let file = open::beneath(self, path, OFlags::PATH)?;
        Ok(rustix::fs::fstat(&file)?.st_uid)
    }

    /// What a file allows: the bits of `st_mode` below its kind.
    pub(super) fn mode(&self, path: &str) -> io::Result<u32> {
        let file = open::beneath(self, path, OFlags::PATH)?;
        Ok(rustix::fs::fstat(&file)?.st_mode & 0o7777)
    }

    /// The device that a node stands for, `MAJOR:MINOR`. It is not opened.
    pub(super) fn device(&self, path: &str) -> io::Result<String> {
        let node = rustix::fs::fstat(open::beneath(self, path, OFlags::PATH)?)?;
        if rustix::fs::FileType::from_raw_mode(node.st_mode) != rustix::fs::FileType::BlockDevice {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(format!("{}:{}", rustix::fs::major(node.st_rdev), rustix::fs::minor(node.st_rdev)))
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        open::beneath(self, path, OFlags::PATH).is_ok()
    }
}
