//! What only the host itself can say of a file: whose it is, what it allows, when it changed. A capture remembers what was asked.

use super::open::Directory;
use super::{Owner, Root, Source, gap_of, unknown};
use fullwire_model::Gap;
use serde::{Serialize, de::DeserializeOwned};
use std::io;

impl Root {
    /// What the live host, or a capture of it, says of a file.
    fn told<T: Serialize + DeserializeOwned>(
        &self,
        what: &str,
        path: &str,
        ask: impl FnOnce(&Directory, &str) -> io::Result<T>,
    ) -> Result<T, Gap> {
        let ask = || match self.source.as_ref() {
            Source::Directory(directory) => ask(directory, path).map_err(|error| gap_of(path, &error)),
            Source::Memory(_) => Err(unknown(path)),
        };
        self.answer(&format!("{what} {path}"), ask)
    }

    /// Whose a file or directory is; `None` where only the host itself could tell. With an owner that of a process that named it.
    pub(crate) fn uid_of(&self, path: &str, owner: Option<&Owner>) -> Option<u32> {
        self.owner_of(path, owner).ok()
    }

    /// The same, or why it is not known.
    pub(crate) fn owner_of(&self, path: &str, owner: Option<&Owner>) -> Result<u32, Gap> {
        self.told("owner", path, |own, path| Ok(own.stat(path, owner)?.st_uid))
    }

    /// A process sees another tree than this one; `None` where only the host itself could tell.
    pub(crate) fn has_other_root(&self, pid: u32) -> Option<bool> {
        self.told("root of process", &format!("/proc/{pid}/root"), Directory::is_other).ok()
    }

    /// What a file allows, and so too.
    pub(crate) fn mode_of(&self, path: &str, owner: Option<&Owner>) -> Option<u32> {
        self.told("mode", path, |own, path| Ok(own.stat(path, owner)?.st_mode & 0o7777)).ok()
    }

    /// The block device that a node below `/dev` stands for, `MAJOR:MINOR`; `None` where only the host itself could tell.
    pub(crate) fn device_number(&self, path: &str) -> Option<String> {
        self.told("device", path, Directory::device).ok()
    }

    /// When a file was last changed, seconds since 1970. A capture knows it of the files that a reader asked
    /// about; other trees do not tell, for unpacking may have changed it.
    pub(crate) fn modified_s(&self, path: &str) -> Option<i64> {
        self.told("modified", path, |own, path| Ok(own.stat(path, None)?.st_mtime)).ok()
    }
}
