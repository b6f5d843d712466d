//! Where fullwire keeps what must outlive it: notes of what it makes, the journal of what it changes. Root may run it over
//! anyone's files, so a directory counts only if it is ours alone, and all in it is reached by its descriptor.

use fullwire_way::{Sticky, Way};
use rustix::fs::{AtFlags, Dir, FlockOperation, Mode, OFlags, flock, fstat, openat, renameat, unlinkat};
use rustix::io::Errno;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{Error, ErrorKind, Result};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Root's state without a home of its own. Not below `/var/lib/fullwire`: agent and responder go through that, and this is
/// closed to all others.
const ROOT_STATE: &str = "/var/lib/fullwire-root";
/// Root's lock is the same whatever `HOME` is: `/run` is root's own, and empty after each start (Filesystem Hierarchy
/// Standard 3.0, 3.15).
const ROOT_RUN: &str = "/run/fullwire";
/// The folder of the lock, and its file.
const LOCK: &str = "lock";
/// What files are called, followed by 16 hexadecimal digits and an extension.
const PREFIX: &str = "fullwire-";
/// Of a file that was not finished.
const DRAFT: &str = "draft";

/// Where fullwire keeps state: `$XDG_STATE_HOME/fullwire`, else `~/.local/state/fullwire` (XDG base directories). Without
/// a home that is this user's (a service, sudo that keeps HOME), a directory that no one else can have made first.
pub fn state_dir() -> PathBuf {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let uid = rustix::process::geteuid();
    let own = |home: &PathBuf| {
        fs::metadata(home).is_ok_and(|home| home.uid() == uid.as_raw()) && is_of_no_other(home)
    };
    let home = absolute("XDG_STATE_HOME")
        .filter(|path| is_of_no_other(path))
        .or_else(|| absolute("HOME").filter(own).map(|home| home.join(".local/state")));
    match home {
        Some(parent) => parent.join("fullwire"),
        None if uid.is_root() => ROOT_STATE.into(),
        None => PathBuf::from(format!("/var/tmp/fullwire-{}", uid.as_raw())),
    }
}

/// No other user has made it, or can make it first: what is not there yet is made in the directory above it, and in one that all
/// write, such as /tmp, it may become a link before that. Root is led there by nobody else either; an ordinary user's home may
/// lie below another's.
pub fn is_of_no_other(path: &Path) -> bool {
    let uid = rustix::process::geteuid();
    let own = |way: Way| {
        if uid.is_root() { way.is_of(0, Sticky::CountsAbove) } else { way.end.is_of(uid.as_raw(), false) }
    };
    Way::to(path).is_ok_and(own)
}

/// The lock of whoever changes this host, held while the file is open: one for root, one for each other user. `None`: it is
/// held.
pub fn lock_host() -> Result<Option<File>> {
    let is_root = rustix::process::geteuid().is_root();
    let place = if is_root { PathBuf::from(ROOT_RUN) } else { state_dir() };
    Folder::make(&place, LOCK)?.lock()
}

/// A directory of state that is ours alone: owned by this user, and writable by no one else.
#[derive(Debug)]
pub struct Folder {
    descriptor: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// The folder of this name in the state directory; `None`: there is none.
    pub fn open(state: &Path, name: &str) -> Result<Option<Self>> {
        let Some(state) = Self::at(rustix::fs::CWD, state, state)? else { return Ok(None) };
        let path = state.path.join(name);
        Self::at(&state.descriptor, Path::new(name), &path)
    }

    /// The same, made where it is missing.
    pub fn make(state: &Path, name: &str) -> Result<Self> {
        if let Some(parent) = state.parent() {
            fs::create_dir_all(parent)?;
        }
        made(fs::DirBuilder::new().mode(0o700).create(state))?;
        let outer = Self::at(rustix::fs::CWD, state, state)?.ok_or(ErrorKind::NotFound)?;
        made(rustix::fs::mkdirat(&outer.descriptor, name, Mode::RWXU).map_err(Error::from))?;
        let path = state.join(name);
        Self::at(&outer.descriptor, Path::new(name), &path)?.ok_or(ErrorKind::NotFound.into())
    }

    fn at(parent: impl std::os::fd::AsFd, name: &Path, path: &Path) -> Result<Option<Self>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let descriptor = match openat(parent, name, flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::NOTDIR | Errno::LOOP) => return Err(not_ours(path)),
            opened => opened?,
        };
        let status = fstat(&descriptor)?;
        let others = Mode::WGRP | Mode::WOTH;
        let is_ours = status.st_uid == rustix::process::geteuid().as_raw()
            && !Mode::from_raw_mode(status.st_mode).intersects(others);
        if is_ours { Ok(Some(Self { descriptor, path: path.to_owned() })) } else { Err(not_ours(path)) }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is in it, in order: names of our form, and what else is there.
    pub fn entries(&self) -> Result<Entries> {
        let mut found = Entries::default();
        for entry in Dir::read_from(&self.descriptor)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            match name.as_str() {
                "." | ".." => {}
                _ if is_ours(&name, DRAFT) => found.drafts.push(name),
                _ if name.rsplit_once('.').is_some_and(|(_, kind)| is_ours(&name, kind)) => {
                    found.files.push(name);
                }
                _ => found.strange.push(name),
            }
        }
        found.files.sort();
        found.drafts.sort();
        found.strange.sort();
        Ok(found)
    }

    /// Makes a file that only we read and write, with this content, locked while it is open. It is there whole or not at
    /// all, also after a loss of power.
    pub fn create(&self, name: &str, content: &[u8]) -> Result<File> {
        use std::io::Write as _;
        let draft = Path::new(name).with_extension(DRAFT);
        let flags = OFlags::CREATE
            | OFlags::EXCL
            | OFlags::APPEND
            | OFlags::NOFOLLOW
            | OFlags::RDWR
            | OFlags::CLOEXEC;
        let mut file = File::from(openat(&self.descriptor, &draft, flags, Mode::RUSR | Mode::WUSR)?);
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        file.write_all(content)?;
        file.sync_all()?;
        renameat(&self.descriptor, &draft, &self.descriptor, name)?;
        self.sync()?;
        Ok(file)
    }

    /// The lock of this folder; `None`: another has it.
    fn lock(&self) -> Result<Option<File>> {
        let (file, locked) = self.opened(LOCK, OFlags::CREATE)?;
        Ok(locked.then_some(file))
    }

    /// A file of ours for reading and writing at its end, and whether its owner is gone: if so it is locked now.
    pub fn file(&self, name: &str) -> Result<(File, bool)> {
        self.opened(name, OFlags::empty())
    }

    fn opened(&self, name: &str, how: OFlags) -> Result<(File, bool)> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(openat(&self.descriptor, name, flags | how, Mode::RUSR | Mode::WUSR)?);
        let status = file.metadata()?;
        let is_ours =
            status.is_file() && status.nlink() == 1 && status.uid() == rustix::process::geteuid().as_raw();
        if !is_ours {
            return Err(not_ours(&self.path.join(name)));
        }
        let locked = flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
        Ok((file, locked))
    }

    /// Removes a file by its name in this directory.
    pub fn remove(&self, name: &str) -> Result<()> {
        unlinkat(&self.descriptor, name, AtFlags::empty())?;
        self.sync()
    }

    fn sync(&self) -> Result<()> {
        Ok(rustix::fs::fsync(&self.descriptor)?)
    }
}

/// An error where a state directory is there and not ours alone.
pub fn check(state: &Path) -> Result<()> {
    Folder::at(rustix::fs::CWD, state, state).map(|_| ())
}

/// What a folder contains.
#[derive(Debug, Default)]
pub struct Entries {
    /// Files with a name of ours.
    pub files: Vec<String>,
    /// Files that were never finished: nothing was done yet.
    pub drafts: Vec<String>,
    /// What is not ours; it is never touched.
    pub strange: Vec<String>,
}

/// A name in a folder that no one else has or guesses.
pub fn new_name(kind: &str) -> String {
    format!("{PREFIX}{}.{kind}", digits())
}

/// 16 hexadecimal digits that no one else has or guesses.
pub(crate) fn digits() -> String {
    // Each `RandomState` has fresh keys that came from the kernel.
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// Whether it is what [`digits`] makes.
pub(crate) fn are_digits(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_ours(name: &str, kind: &str) -> bool {
    let id = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(kind)?.strip_suffix('.'));
    id.is_some_and(are_digits)
}

fn made(result: Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn not_ours(path: &Path) -> Error {
    let problem = format!(
        "{} is not of this user alone: another owns it, may write to it, or it is a link; set HOME or XDG_STATE_HOME",
        path.display()
    );
    Error::new(ErrorKind::PermissionDenied, problem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn place() -> tempfile::TempDir {
        tempfile::tempdir().expect("temporary directory")
    }

    #[test]
    fn a_directory_that_another_user_may_have_made_is_not_used() {
        let place = place();
        let state = place.path().join("fullwire");
        assert!(Folder::open(&state, "notes").expect("not there").is_none());
        Folder::make(&state, "notes").expect("ours");
        assert_eq!(fs::metadata(&state).expect("made").mode() & 0o777, 0o700);
        for (folder, mode) in [(state.join("notes"), 0o777), (state.clone(), 0o770)] {
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).expect("mode");
            assert!(Folder::open(&state, "notes").is_err(), "others may write to {}", folder.display());
            assert!(Folder::make(&state, "notes").is_err());
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("mode");
        }
    }

    #[test]
    fn what_is_not_there_yet_is_not_made_where_all_may_make_it_first() {
        let place = place();
        let inside = place.path().join("not/there/yet");
        assert!(is_of_no_other(place.path()) && is_of_no_other(&inside));
        let as_tmp = fs::Permissions::from_mode(0o1777);
        fs::set_permissions(place.path(), as_tmp).expect("mode");
        assert!(!is_of_no_other(&inside));
    }

    #[test]
    fn another_users_link_leads_root_to_no_state() {
        if !rustix::process::geteuid().is_root() {
            crate::skips::skipped("needs root");
            return;
        }
        let place = place();
        let (home, link) = (place.path().join("home"), place.path().join("link"));
        fs::create_dir(&home).expect("directory");
        symlink(&home, &link).expect("link");
        assert!(is_of_no_other(&home.join("not/there")) && is_of_no_other(&link.join("not/there")));
        std::os::unix::fs::lchown(&link, Some(65_534), None).expect("given");
        assert!(!is_of_no_other(&link) && !is_of_no_other(&link.join("not/there")));
    }

    #[test]
    fn a_link_in_place_of_a_folder_is_not_followed() {
        let place = place();
        let victim = place.path().join("victim");
        fs::create_dir(&victim).expect("directory");
        let state = place.path().join("fullwire");
        fs::create_dir(&state).expect("directory");
        symlink(&victim, state.join("notes")).expect("link");
        assert!(Folder::open(&state, "notes").is_err() && Folder::make(&state, "notes").is_err());
        let linked = place.path().join("linked");
        symlink(&state, &linked).expect("link");
        assert!(Folder::open(&linked, "notes").is_err() && Folder::make(&linked, "notes").is_err());
    }

    #[test]
    fn a_lock_is_held_once_and_nothing_else_is_taken_for_it() {
        let place = place();
        let folder = Folder::make(&place.path().join("fullwire"), LOCK).expect("folder");
        let held = folder.lock().expect("a lock");
        assert!(held.is_some() && folder.lock().expect("a lock").is_none());
        drop(held);
        assert!(folder.lock().expect("a lock").is_some());
        let file = folder.path().join(LOCK);
        fs::remove_file(&file).expect("removed");
        rustix::fs::mknodat(rustix::fs::CWD, &file, rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
            .expect("a pipe");
        assert!(folder.lock().is_err(), "a pipe is no lock, and nobody waits for it");
    }

    #[test]
    fn only_files_of_our_form_are_ours() {
        let place = place();
        let folder = Folder::make(&place.path().join("fullwire"), "notes").expect("folder");
        let name = new_name("json");
        drop(folder.create(&name, b"{}").expect("file"));
        for other in ["passwd", "fullwire-xyz.json", "fullwire-0123456789abcdef", "README"] {
            fs::write(folder.path().join(other), "x").expect("file");
        }
        fs::write(folder.path().join("fullwire-0123456789abcdef.draft"), "x").expect("file");
        let entries = folder.entries().expect("entries");
        assert_eq!((entries.files, entries.drafts.len(), entries.strange.len()), (vec![name.clone()], 1, 4));
        // A second name of a file elsewhere, a link, something that is no file.
        fs::hard_link(folder.path().join(&name), folder.path().join("again")).expect("link");
        assert!(folder.file(&name).is_err());
        symlink("/etc/passwd", folder.path().join("fullwire-00000000000000aa.json")).expect("link");
        assert!(folder.file("fullwire-00000000000000aa.json").is_err());
    }
}
