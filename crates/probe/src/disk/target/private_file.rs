//! The private file that is written and read in a directory, and its certain removal.

use crate::disk::DiskError;
use crate::disk::hang::{ANSWER, within};
use crate::disk::manifest::{self, Manifest};
use rustix::fs::{AtFlags, Mode, OFlags, openat};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

/// A file that no one else sees. Gone when this value is dropped; and after SIGKILL too, because it has no name,
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
        // Closing frees all blocks of a nameless file, which takes time and, on a dead device, forever.
        let _ = within(ANSWER, "", "closing", move || drop(fd));
    }
}

/// A directory that no one else may enter. It is used and removed by its descriptor: in a directory of another user, its
/// name may come to mean something else at any time.
#[derive(Debug)]
pub(crate) struct PrivateDir {
    parent: Arc<OwnedFd>,
    name: String,
    directory: Arc<OwnedFd>,
    manifest: Option<Manifest>,
}

impl PrivateDir {
    /// Makes one below `parent`.
    pub(crate) fn create(parent: &Path, state: &Path) -> Result<Self, DiskError> {
        let name = manifest::private_name();
        let manifest = Manifest::write(state, parent, &name)?;
        let shown = parent.display().to_string();
        let made = within(ANSWER, &shown, "creating a private directory", {
            let (parent, name) = (parent.to_owned(), name.clone());
            move || make(&parent, &name)
        })?;
        let (parent, directory) =
            made.map_err(|error| DiskError::io("create a private directory in", shown, error))?;
        Ok(Self { parent: Arc::new(parent), name, directory: Arc::new(directory), manifest: Some(manifest) })
    }

    /// The open directory.
    pub(crate) fn fd(&self) -> &Arc<OwnedFd> {
        &self.directory
    }
}

/// Opens the parent, and makes and opens a directory in it: a private one or, of a file system that keeps no modes, an empty one.
fn make(parent: &Path, name: &str) -> std::io::Result<(OwnedFd, OwnedFd)> {
    let parent = fullwire_way::directory(parent)?;
    rustix::fs::mkdirat(&parent, name, manifest::PRIVATE)?;
    let opened = manifest::open_private(&parent, name).and_then(|opened| {
        let (directory, is_private) = opened.ok_or(std::io::ErrorKind::NotFound)?;
        if is_private || manifest::is_empty(&directory)? { Ok(directory) } else { Err(manifest::not_ours()) }
    });
    match opened {
        Ok(directory) => Ok((parent, directory)),
        Err(error) => {
            // Only an empty directory goes.
            let _ = rustix::fs::unlinkat(&parent, name, AtFlags::REMOVEDIR);
            Err(error)
        }
    }
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        let (parent, name) = (Arc::clone(&self.parent), self.name.clone());
        let directory = Arc::clone(&self.directory);
        let removed = within(ANSWER, "", "removal", move || manifest::remove(&parent, &name, &directory));
        // What could not be removed keeps its note, and `clean` tries again.
        if let (Ok(Ok(())), Some(manifest)) = (removed, self.manifest.take()) {
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
            let opened = within(ANSWER, &directory.display().to_string(), "creating a private file", {
                let directory = directory.to_owned();
                move || {
                    let directory = fullwire_way::directory(&directory)?;
                    Ok::<_, std::io::Error>(openat(directory, ".", flags, Mode::RUSR | Mode::WUSR)?)
                }
            })?;
            if let Ok(fd) = opened {
                return Ok(Self { fd: Some(Arc::new(fd)), _directory: None });
            }
            // EOPNOTSUPP, EISDIR or EINVAL: an old kernel or a file system without nameless files.
        }
        let private = PrivateDir::create(directory, state)?;
        let made = within(ANSWER, &directory.display().to_string(), "creating a private file", {
            let inside = Arc::clone(private.fd());
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
            move || openat(&*inside, "data", flags, Mode::RUSR | Mode::WUSR)
        })?;
        let fd = made.map_err(|error| {
            DiskError::io("create a private file in", directory.display().to_string(), error)
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

    /// In a directory of another user, the name may come to mean something else between any two calls.
    #[test]
    fn what_takes_the_name_of_a_private_directory_is_neither_used_nor_emptied() {
        let state = tempfile::tempdir().expect("temporary directory");
        let data = tempfile::tempdir().expect("temporary directory");
        let precious = data.path().join("oradata");
        std::fs::create_dir(&precious).expect("directory");
        std::fs::write(precious.join("t0"), "precious").expect("file");
        let private = PrivateDir::create(data.path(), state.path()).expect("directory");
        let place = data.path().join(&private.name);
        for replace in
            [&(|| std::os::unix::fs::symlink(&precious, &place)) as &dyn Fn() -> std::io::Result<()>, &|| {
                std::fs::remove_file(&place).and_then(|()| std::fs::rename(&precious, &place))
            }]
        {
            let _ = std::fs::rename(&place, data.path().join("moved"));
            replace().expect("replaced");
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY;
            let name = if place.is_symlink() { "a" } else { "b" };
            rustix::fs::openat(&**private.fd(), name, flags, Mode::RWXU).expect("made where it belongs");
            assert!(data.path().join("moved").join(name).exists());
        }
        // What is there now is another directory of this user: its content is not ours.
        std::fs::rename(&place, &precious).expect("moved back");
        std::os::unix::fs::symlink(&precious, &place).expect("link");
        drop(private);
        assert_eq!(std::fs::read(precious.join("t0")).expect("file"), b"precious");
    }

    /// Whoever owns a directory can rename what root has in it, and not remove it: fullwire must not do that for them.
    #[test]
    fn another_directory_of_root_is_not_emptied_in_the_place_of_a_private_one() {
        if !rustix::process::geteuid().is_root() {
            return crate::skips::skipped("needs root");
        }
        let state = tempfile::tempdir().expect("temporary directory");
        let data = tempfile::tempdir().expect("temporary directory");
        let roots = data.path().join("roots");
        std::fs::create_dir(&roots).expect("directory");
        std::fs::write(roots.join("t0"), "precious").expect("file");
        std::os::unix::fs::chown(data.path(), Some(65_534), None).expect("given");
        let exchange = |name: &str| {
            std::fs::rename(data.path().join(name), data.path().join("moved")).expect("by its owner");
            std::fs::rename(&roots, data.path().join(name)).expect("by its owner");
        };
        let restore = |name: &str| {
            assert_eq!(std::fs::read(data.path().join(name).join("t0")).expect("file"), b"precious");
            std::fs::rename(data.path().join(name), &roots).expect("moved back");
        };
        // At its end, and by `clean` after a kill.
        let mut private = PrivateDir::create(data.path(), state.path()).expect("directory");
        let name = private.name.clone();
        let inside = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY;
        openat(&**private.fd(), "data", inside, Mode::RWXU).expect("file");
        exchange(&name);
        private.manifest.take();
        drop(private);
        assert_eq!(std::fs::read_dir(data.path().join("moved")).expect("listing").count(), 0);
        let report = crate::disk::clean(state.path());
        assert!(report.removed.is_empty() && report.failed.len() == 1, "{report:?}");
        restore(&name);
        std::fs::rename(data.path().join("moved"), data.path().join(&name)).expect("moved back");
        assert_eq!(crate::disk::clean(state.path()).removed, [data.path().join(&name)]);
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
