//! A note of what an invocation is about to create, so that `fullwire clean` finds it after a SIGKILL or a power loss.
//! Written and synced before the thing exists, locked while its owner lives, removed after the thing is gone.

use crate::disk::DiskError;
use crate::disk::hang::within;
use crate::disk::target::safety;
use crate::state::{self, Folder};
use rustix::fs::{AtFlags, Dir, Mode, OFlags, fstat, openat, unlinkat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// In the state directory.
const FOLDER: &str = "manifests";
const SCHEMA: &str = "fullwire.manifest/1";
/// Of a device; an older version leaves it alone.
const DEVICE_SCHEMA: &str = "fullwire.manifest/2";
/// What private directories are called, followed by 16 hexadecimal digits.
const PREFIX: &str = ".fullwire-";
/// A note is a few hundred bytes.
const LONGEST_BYTES: u64 = 64 << 10;
/// A dead server must not keep `clean` from the other leftovers.
const REMOVAL_LIMIT: Duration = Duration::from_secs(60);
/// Five seconds.
const CLOSING_TRIES: u32 = 100;
const CLOSING_PAUSE: Duration = Duration::from_millis(50);
/// A private directory contains a directory for each thread, and those hold files.
const DEEPEST: u32 = 8;

#[derive(Debug, Serialize, Deserialize)]
struct Note {
    schema: String,
    directory: PathBuf,
    name: String,
    pid: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    device: Option<DeviceNote>,
}

/// Which device is overwritten, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DeviceNote {
    pub(crate) identity: String,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// The note of a private directory that this process owns.
#[derive(Debug)]
pub(crate) struct Manifest {
    folder: Folder,
    name: String,
    /// Holds the lock.
    _lock: File,
}

/// A name that no one else has or guesses.
pub(crate) fn private_name() -> String {
    format!("{PREFIX}{}", state::digits())
}

fn is_private_name(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(state::are_digits)
}

impl Manifest {
    /// Notes that `directory`/`name` is about to be made.
    pub(crate) fn write(state: &Path, directory: &Path, name: &str) -> Result<Self, DiskError> {
        let note = Note {
            schema: SCHEMA.into(),
            directory: directory.to_owned(),
            name: name.to_owned(),
            pid: std::process::id(),
            device: None,
        };
        Self::keep(state, name, &note)
    }

    /// Notes that a part of a device is about to be overwritten.
    pub(crate) fn write_device(state: &Path, path: &Path, device: DeviceNote) -> Result<Self, DiskError> {
        let note = Note {
            schema: DEVICE_SCHEMA.into(),
            directory: path.parent().unwrap_or(path).to_owned(),
            name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            pid: std::process::id(),
            device: Some(device),
        };
        Self::keep(state, &private_name(), &note)
    }

    fn keep(state: &Path, private: &str, note: &Note) -> Result<Self, DiskError> {
        let name = format!("{}.json", private.trim_start_matches('.'));
        let written = || {
            let folder = Folder::make(state, FOLDER)?;
            let lock = folder.create(&name, serde_json::to_string(note)?.as_bytes())?;
            Ok(Self { folder, name: name.clone(), _lock: lock })
        };
        written().map_err(|error: std::io::Error| {
            let place = state.join(FOLDER).join(&name);
            let error = match error.kind() {
                // sudo(8): without -H the home directory may still be that of who called it.
                ErrorKind::PermissionDenied => std::io::Error::new(
                    ErrorKind::PermissionDenied,
                    format!("{error}; HOME or XDG_STATE_HOME must name a directory of this user (sudo -H sets HOME)"),
                ),
                _ => error,
            };
            DiskError::io("record what is about to be created in", place.display().to_string(), error)
        })
    }

    /// Forgets the note: what it named is gone.
    pub(crate) fn forget(self) {
        // If this fails, `clean` finds a note about nothing and removes it.
        let _ = self.folder.remove(&self.name);
    }
}

/// What [`clean`] did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CleanReport {
    /// Private directories that were removed.
    pub removed: Vec<PathBuf>,
    /// Private directories whose owner still runs.
    pub in_use: Vec<PathBuf>,
    /// What could not be removed, and why; its note is kept.
    pub failed: Vec<(PathBuf, String)>,
    /// Devices on which an interrupted run left its content, and what to do; the note is kept until it is gone.
    pub overwritten: Vec<(PathBuf, String)>,
}

/// Removes what interrupted runs left behind, as their notes under `state_dir` say. Only directories that carry
/// fullwire's private name and belong to this user are touched, and none whose owner still runs.
pub fn clean(state_dir: &Path) -> CleanReport {
    let mut report = CleanReport::default();
    let place = state_dir.join(FOLDER);
    let opened = Folder::open(state_dir, FOLDER)
        .and_then(|folder| folder.map(|folder| Ok((folder.entries()?, folder))).transpose());
    let (entries, folder) = match opened {
        Ok(Some(opened)) => opened,
        Ok(None) => return report,
        Err(error) => {
            report.failed.push((place, error.to_string()));
            return report;
        }
    };
    for name in &entries.strange {
        report.failed.push((place.join(name), "not a note of fullwire's: left as it is".into()));
    }
    for name in entries.drafts.iter().chain(&entries.files) {
        if let Err(problem) = clean_one(&folder, name, &mut report) {
            report.failed.push((place.join(name), problem));
        }
    }
    report
}

fn clean_one(folder: &Folder, name: &str, report: &mut CleanReport) -> Result<(), String> {
    let text_of = |error: std::io::Error| error.to_string();
    let (file, locked) = folder.file(name).map_err(text_of)?;
    let forget = || folder.remove(name).map_err(text_of);
    // Names of our own form: written in small letters.
    if name.strip_suffix(".draft").is_some() {
        // Never finished, and its owner is gone: nothing was made yet.
        return if locked { forget() } else { Ok(()) };
    }
    let mut text = String::new();
    Read::take(&file, LONGEST_BYTES).read_to_string(&mut text).map_err(text_of)?;
    let note = fullwire_model::json::read::<Note>(text.as_bytes());
    if !locked {
        let named = note.map_or_else(|_| folder.path().join(name), |note| note.directory.join(note.name));
        report.in_use.push(named);
        return Ok(());
    }
    let foreign = || "not a note of this version: left as it is; what it names was not looked for".to_owned();
    let note = note.map_err(|_| foreign())?;
    let leftover = note.directory.join(&note.name);
    if let (DEVICE_SCHEMA, Some(device)) = (note.schema.as_str(), &note.device) {
        return match still_overwritten(&leftover, device) {
            None => forget(),
            Some(what) => {
                report.overwritten.push((leftover, what));
                Ok(())
            }
        };
    }
    if note.schema != SCHEMA || !is_private_name(&note.name) {
        return Err(foreign());
    }
    let removed = within(REMOVAL_LIMIT, &leftover.display().to_string(), "removal", {
        move || remove_at(&note.directory, &note.name)
    });
    match removed {
        Ok(Ok(true)) => report.removed.push(leftover),
        Ok(Ok(false)) => {}
        Ok(Err(error)) => return Err(format!("{}: {error}", leftover.display())),
        Err(error) => return Err(error.to_string()),
    }
    forget()
}

/// What is to be said of a device that an interrupted run wrote to; `None`: it was zeroed since.
fn still_overwritten(path: &Path, note: &DeviceNote) -> Option<String> {
    let DeviceNote { identity, start, end } = note;
    let what = format!("an interrupted run overwrote bytes {start} to {end} of {identity}");
    let name = path.display().to_string();
    if safety::destroy_identity(&name).ok().as_ref() != Some(identity) {
        return Some(format!("{what}, which no longer has this name"));
    }
    let searched = within(REMOVAL_LIMIT, &name, "reading", {
        let (path, region) = (path.to_owned(), *start..*end);
        move || safety::first_data_of(&path, region)
    });
    let advice = format!(
        "if it has not been used since, zero that part: blkdiscard --zeroout --offset {start} --length {} {name}",
        end - start
    );
    match searched {
        Ok(Ok(None)) => None,
        Ok(Ok(Some(_))) => Some(format!("{what}; {advice}")),
        Ok(Err(error)) => Some(format!("{what}, and reading it failed ({error}); {advice}")),
        Err(error) => Some(format!("{what}, and reading it failed ({error}); {advice}")),
    }
}

/// The mode of a private directory, which nothing else has: `clean` knows by it what a run that was killed had made. Whoever owns the
/// directory around it can put another one of this user in its place.
pub(crate) const PRIVATE: Mode = Mode::RWXU.union(Mode::SVTX);

/// Opens a directory of this user by its place in `parent`, and whether it is a private one for sure; `None`: there is none. Never
/// follows a link, and takes no one else's directory for ours.
pub(crate) fn open_private(parent: &OwnedFd, name: &str) -> std::io::Result<Option<(OwnedFd, bool)>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = match openat(parent, name, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::NOTDIR | Errno::LOOP) => return Err(not_ours()),
        opened => opened?,
    };
    let (status, around) = (fstat(&directory)?, fstat(parent)?);
    let own = rustix::process::geteuid().as_raw();
    if status.st_uid != own {
        return Err(not_ours());
    }
    let others = Mode::WGRP | Mode::WOTH;
    let is_sheltered =
        [own, 0].contains(&around.st_uid) && !Mode::from_raw_mode(around.st_mode).intersects(others);
    // A group's directory hands its bit on (inode(7), S_ISGID).
    let is_marked = Mode::from_raw_mode(status.st_mode).difference(Mode::SGID) == PRIVATE;
    Ok(Some((directory, is_sheltered || is_marked)))
}

pub(crate) fn not_ours() -> std::io::Error {
    std::io::Error::new(
        ErrorKind::PermissionDenied,
        "not a directory of this user, or not a private one; not touched",
    )
}

fn remove_at(parent: &Path, name: &str) -> std::io::Result<bool> {
    let parent = match fullwire_way::directory(parent) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(false);
        }
        opened => opened?,
    };
    match open_private(&parent, name)? {
        None => Ok(false),
        Some((directory, true)) => remove(&parent, name, &directory).map(|()| true),
        Some((_, false)) => Err(not_ours()),
    }
}

pub(crate) fn is_empty(directory: &OwnedFd) -> std::io::Result<bool> {
    let mut entries = Dir::read_from(directory)?;
    Ok(entries.all(|entry| entry.is_ok_and(|entry| [c".", c".."].contains(&entry.file_name()))))
}

/// Removes what is in a directory, from its descriptor: what happens to its name does not matter.
fn empty(directory: &OwnedFd, depth: u32) -> std::io::Result<()> {
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_bytes() == b"." || name.to_bytes() == b".." {
            continue;
        }
        match unlinkat(directory, name, AtFlags::empty()) {
            // A directory; POSIX has EPERM for it.
            Err(Errno::ISDIR | Errno::PERM) if depth < DEEPEST => {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                empty(&openat(directory, name, flags, Mode::empty())?, depth + 1)?;
                unlinkat(directory, name, AtFlags::REMOVEDIR)?;
            }
            Err(Errno::NOENT) => {}
            result => result?,
        }
    }
    Ok(())
}

/// Removes a private directory that is open: of whatever has its name by now only an empty directory goes.
///
/// NFS keeps a removed file under another name until its last user is gone, and its directory cannot be removed. The
/// kernel takes the ring of a killed process apart some time after its death.
pub(crate) fn remove(parent: &OwnedFd, name: &str, directory: &OwnedFd) -> std::io::Result<()> {
    for _ in 0..CLOSING_TRIES {
        let removed = empty(directory, 0).and_then(|()| Ok(unlinkat(parent, name, AtFlags::REMOVEDIR)?));
        match removed {
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty && !is_empty(directory)? => {
                std::thread::sleep(CLOSING_PAUSE);
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            result => return result,
        }
    }
    let problem = "a process still has a file in it open; try again when it has ended";
    Err(std::io::Error::new(ErrorKind::DirectoryNotEmpty, problem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn clean_removes_what_a_dead_owner_left_and_nothing_else() {
        let state = tempfile::tempdir().expect("temporary directory");
        let data = tempfile::tempdir().expect("temporary directory");
        let name = private_name();
        let manifest = Manifest::write(state.path(), data.path(), &name).expect("note");
        fs::create_dir(data.path().join(&name)).expect("private directory");
        fs::write(data.path().join(&name).join("data"), "x").expect("file");
        fs::write(data.path().join("users01.dbf"), "precious").expect("file");

        let busy = clean(state.path());
        assert_eq!(busy.in_use, [data.path().join(&name)]);
        assert!(data.path().join(&name).exists());

        drop(manifest);
        let done = clean(state.path());
        assert_eq!(done.removed, [data.path().join(&name)]);
        assert!(!data.path().join(&name).exists());
        assert!(data.path().join("users01.dbf").exists());
        assert_eq!(clean(state.path()), CleanReport::default());
    }

    /// The second review's N2: whoever runs `clean` as root over someone's home must not lose files to a link.
    #[test]
    fn clean_removes_nothing_from_a_directory_that_is_a_link() {
        let state = tempfile::tempdir().expect("temporary directory");
        let victim = tempfile::tempdir().expect("temporary directory");
        for name in ["passwd", "shadow", "fullwire-0123456789abcdef.draft"] {
            fs::write(victim.path().join(name), "x").expect("file");
        }
        std::os::unix::fs::symlink(victim.path(), state.path().join(FOLDER)).expect("link");
        let report = clean(state.path());
        assert_eq!(report.failed.len(), 1, "{report:?}");
        assert_eq!(fs::read_dir(victim.path()).expect("directory").count(), 3);
    }

    #[test]
    fn what_is_no_note_of_ours_is_told_and_kept() {
        let state = tempfile::tempdir().expect("temporary directory");
        drop(Folder::make(state.path(), FOLDER).expect("folder"));
        let newer = r#"{ "schema": "fullwire.manifest/9", "what": "newer" }"#;
        for (name, text) in [("README", "x"), ("fullwire-0123456789abcdef.json", newer)] {
            fs::write(state.path().join(FOLDER).join(name), text).expect("file");
        }
        fs::write(state.path().join(FOLDER).join("fullwire-0123456789abcdef.draft"), "{").expect("file");
        let report = clean(state.path());
        assert_eq!(report.failed.len(), 2, "{report:?}");
        let left = fs::read_dir(state.path().join(FOLDER)).expect("directory").count();
        assert_eq!(left, 2, "the draft of a dead owner is gone");
    }

    #[test]
    fn a_forged_note_of_a_device_reads_nothing_that_is_no_device() {
        let state = tempfile::tempdir().expect("temporary directory");
        let file = state.path().join("file");
        fs::write(&file, "x").expect("file");
        let device = DeviceNote { identity: "anything".into(), start: 0, end: 1 };
        drop(Manifest::write_device(state.path(), &file, device).expect("note"));
        let report = clean(state.path());
        assert!(report.overwritten[0].1.contains("no longer has this name"), "{report:?}");
        assert!(report.removed.is_empty() && file.exists());
    }

    #[test]
    fn a_forged_note_removes_nothing() {
        let state = tempfile::tempdir().expect("temporary directory");
        let data = tempfile::tempdir().expect("temporary directory");
        fs::create_dir(data.path().join("oradata")).expect("directory");
        drop(Folder::make(state.path(), FOLDER).expect("directory"));
        for name in ["oradata", "../oradata", ".fullwire-xyz", ".fullwire-../../../../aaaa"] {
            let note = Note {
                schema: SCHEMA.into(),
                directory: data.path().to_owned(),
                name: name.into(),
                pid: 1,
                device: None,
            };
            let text = serde_json::to_string(&note).expect("serialises");
            fs::write(state.path().join(FOLDER).join("fullwire-0123456789abcdef.json"), text).expect("file");
            let report = clean(state.path());
            assert_eq!(report.failed.len(), 1, "{name}: {report:?}");
            assert!(data.path().join("oradata").exists(), "{name}");
        }
    }
}
