//! The private file that is written and read in a directory, and its certain removal.

use super::DiskError;
use super::manifest::{self, Manifest};
use super::within::{ANSWER, within};
use rustix::fs::{Mode, OFlags};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that nobody else sees. Gone when this value is dropped; and after SIGKILL too, because it has no name,
/// or because a note of its name was kept for `clean`.
#[derive(Debug)]
pub(crate) struct PrivateFile {
    fd: Option<Arc<OwnedFd>>,
    /// Removed after the file was closed; none for a file without a name.
    _directory: Option<PrivateDir>,
}

impl Drop for PrivateFile {
    fn drop(&mut self) {
        let fd = self.fd.take();
        // Closing frees all blocks of a nameless file, which takes time and, on a dead device, for ever.
        let _ = within(ANSWER, "", "closing", move || drop(fd));
    }
}

/// A directory that nobody else may enter.
#[derive(Debug)]
pub(crate) struct PrivateDir {
    path: PathBuf,
    manifest: Option<Manifest>,
}

impl PrivateDir {
    /// Makes one below `parent`.
    pub(crate) fn create(parent: &Path, state: &Path) -> Result<Self, DiskError> {
        let name = manifest::private_name();
        let manifest = Manifest::write(state, parent, &name)?;
        let path = parent.join(&name);
        let made = within(ANSWER, &parent.display().to_string(), "making a private directory", {
            let path = path.clone();
            move || rustix::fs::mkdir(&path, Mode::RWXU)
        })?;
        let directory = Self { path, manifest: Some(manifest) };
        made.map_err(|error| {
            DiskError::io("make a private directory in", parent.display().to_string(), error)
        })?;
        Ok(directory)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        let path = self.path.clone();
        let removed = within(ANSWER, "", "removal", move || manifest::remove(&path));
        // What could not be removed keeps its note, and `clean` tries again.
        if let (Ok(Ok(_)), Some(manifest)) = (removed, self.manifest.take()) {
            manifest.forget();
        }
    }
}

/// File systems of this kind rename a file that is removed while open (`.nfs…`), which survives a crash of this host.
fn needs_a_name(fs_type: &str) -> bool {
    fs_type.starts_with("nfs") || fs_type.starts_with("fuse") || fs_type == "cifs" || fs_type == "smb3"
}

impl PrivateFile {
    /// Makes an empty one in `directory`: without a name where the file system can, else in a private directory.
    pub(crate) fn create(directory: &Path, fs_type: &str, state: &Path) -> Result<Self, DiskError> {
        if !needs_a_name(fs_type) {
            let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
            let opened = open(directory, flags, directory)?;
            if let Ok(fd) = opened {
                return Ok(Self { fd: Some(Arc::new(fd)), _directory: None });
            }
            // EOPNOTSUPP, EISDIR or EINVAL: an old kernel or a file system without nameless files.
        }
        let private = PrivateDir::create(directory, state)?;
        let path = private.path().join("data");
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
        let fd = open(&path, flags, directory)?.map_err(|error| {
            DiskError::io("make a private file in", directory.display().to_string(), error)
        })?;
        Ok(Self { fd: Some(Arc::new(fd)), _directory: Some(private) })
    }

    /// The open file.
    ///
    /// # Panics
    /// Never: only `drop` takes it.
    pub(crate) fn fd(&self) -> &Arc<OwnedFd> {
        self.fd.as_ref().expect("there until dropped")
    }
}

fn open(path: &Path, flags: OFlags, directory: &Path) -> Result<rustix::io::Result<OwnedFd>, DiskError> {
    let path = path.to_owned();
    within(ANSWER, &directory.display().to_string(), "making a private file", move || {
        rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_named_file_is_private_and_gone_after_drop() {
        let state = tempfile::tempdir().expect("temporary directory");
        let data = tempfile::tempdir().expect("temporary directory");
        let file = PrivateFile::create(data.path(), "nfs4", state.path()).expect("file");
        let entry = std::fs::read_dir(data.path()).expect("listing").next().expect("one").expect("entry");
        assert_eq!(entry.metadata().expect("metadata").mode() & 0o777, 0o700);
        let inner = entry.path().join("data");
        assert_eq!(inner.metadata().expect("metadata").mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(state.path().join("manifests")).expect("listing").count(), 1);
        drop(file);
        assert_eq!(std::fs::read_dir(data.path()).expect("listing").count(), 0);
        assert_eq!(std::fs::read_dir(state.path().join("manifests")).expect("listing").count(), 0);
    }

    #[test]
    fn a_nameless_file_leaves_no_trace_while_it_lives() {
        let state = tempfile::tempdir().expect("temporary directory");
        let data = tempfile::tempdir().expect("temporary directory");
        let file = PrivateFile::create(data.path(), "ext4", state.path()).expect("file");
        // A file system without nameless files gives it a name, and then there is a note of it.
        let visible = std::fs::read_dir(data.path()).expect("listing").count();
        let notes = std::fs::read_dir(state.path().join("manifests")).map_or(0, Iterator::count);
        assert_eq!(visible, notes);
        drop(file);
    }
}
