//! A note of what an invocation is about to create, so that `fullwire clean` finds it after a SIGKILL or a power loss.
//! Written and synced before the thing exists, locked while its owner lives, removed after the thing is gone.

use crate::disk::DiskError;
use crate::disk::hang::within;
use crate::disk::target::safety;
use rustix::fs::{AtFlags, Dir, FlockOperation, Mode, OFlags, flock, openat, unlinkat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

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

/// Where fullwire keeps state: `$XDG_STATE_HOME/fullwire`, else `~/.local/state/fullwire` (XDG base directories). Without
/// a home (a service), a directory that no one else can have made first.
pub fn state_dir() -> PathBuf {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let uid = rustix::process::geteuid();
    let home = absolute("XDG_STATE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/state")));
    match home {
        Some(parent) => parent.join("fullwire"),
        None if uid.is_root() => ROOT_STATE.into(),
        None => homeless(uid.as_raw()),
    }
}

/// Root's state without a home.
const ROOT_STATE: &str = "/var/lib/fullwire";

/// Anyone may make it: it counts only when it is ours alone ([`ours_alone`]).
fn homeless(uid: u32) -> PathBuf {
    PathBuf::from(format!("/var/tmp/fullwire-{uid}"))
}

/// Makes a state directory where there is none; one in a place for all must be ours, and closed to others.
fn make_state(state: &Path) -> std::io::Result<()> {
    if state != homeless(rustix::process::geteuid().as_raw()) {
        return fs::create_dir_all(state);
    }
    match fs::DirBuilder::new().mode(0o700).create(state) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    ours_alone(state)
}

fn ours_alone(state: &Path) -> std::io::Result<()> {
    let metadata = fs::symlink_metadata(state)?;
    let ours = metadata.is_dir()
        && metadata.uid() == rustix::process::geteuid().as_raw()
        && metadata.mode() & 0o022 == 0;
    if ours {
        return Ok(());
    }
    let problem = format!(
        "{} is not owned by this user or is writable by others; set HOME or XDG_STATE_HOME",
        state.display()
    );
    Err(std::io::Error::new(std::io::ErrorKind::PermissionDenied, problem))
}

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
    path: PathBuf,
    /// Holds the lock.
    _lock: File,
}

/// A name that no one else has or guesses.
pub(crate) fn private_name() -> String {
    // Each `RandomState` has fresh keys that came from the kernel.
    let hasher = RandomState::new().build_hasher();
    format!("{PREFIX}{:016x}", hasher.finish())
}

fn is_private_name(name: &str) -> bool {
    name.strip_prefix(PREFIX)
        .is_some_and(|id| id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn notes_dir(state: &Path) -> PathBuf {
    state.join("manifests")
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

    fn keep(state: &Path, name: &str, note: &Note) -> Result<Self, DiskError> {
        let path = notes_dir(state).join(format!("{}.json", name.trim_start_matches('.')));
        Self::write_at(state, &path, note).map_err(|error| {
            DiskError::io("record what is about to be created in", path.display().to_string(), error)
        })
    }

    fn write_at(state: &Path, path: &Path, note: &Note) -> std::io::Result<Self> {
        make_state(state)?;
        let notes = notes_dir(state);
        fs::create_dir_all(&notes)?;
        let draft = path.with_extension("draft");
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::open(&draft, flags, Mode::RUSR | Mode::WUSR)?);
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        file.write_all(serde_json::to_string(note)?.as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, path)?;
        File::open(&notes)?.sync_all()?;
        Ok(Self { path: path.to_owned(), _lock: file })
    }

    /// Forgets the note: what it named is gone.
    pub(crate) fn forget(self) {
        // If this fails, `clean` finds a note about nothing and removes it.
        let _ = fs::remove_file(&self.path);
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
    if state_dir == homeless(rustix::process::geteuid().as_raw()) && ours_alone(state_dir).is_err() {
        return report;
    }
    let Ok(entries) = fs::read_dir(notes_dir(state_dir)) else { return report };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if let Err(problem) = clean_one(&path, &mut report) {
            report.failed.push((path, problem));
        }
    }
    report
}

fn clean_one(path: &Path, report: &mut CleanReport) -> Result<(), String> {
    let text_of = |error: std::io::Error| error.to_string();
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).map_err(|error| error.to_string())?);
    let locked = flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
    let mut text = String::new();
    Read::take(&file, LONGEST_BYTES).read_to_string(&mut text).map_err(text_of)?;
    let note = fullwire_model::json::read::<Note>(text.as_bytes());
    if !locked {
        report.in_use.push(note.map_or_else(|_| path.to_owned(), |note| note.directory.join(note.name)));
        return Ok(());
    }
    let Ok(note) = note else {
        // A draft that was never finished: nothing was made yet.
        return fs::remove_file(path).map_err(text_of);
    };
    let leftover = note.directory.join(&note.name);
    if let (DEVICE_SCHEMA, Some(device)) = (note.schema.as_str(), &note.device) {
        return match still_overwritten(&leftover, device) {
            None => fs::remove_file(path).map_err(text_of),
            Some(what) => {
                report.overwritten.push((leftover, what));
                Ok(())
            }
        };
    }
    if note.schema != SCHEMA || !is_private_name(&note.name) {
        return Err("not a note written by this version; remove it by hand".into());
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
    fs::remove_file(path).map_err(text_of)
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

/// Opens a private directory by its place in `parent`; `None`: there is none. Never follows a link, and takes no one
/// else's directory for ours.
pub(crate) fn open_private(parent: &OwnedFd, name: &str) -> std::io::Result<Option<OwnedFd>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let not_ours = || {
        let problem = "not a directory of this user; not touched";
        std::io::Error::new(std::io::ErrorKind::PermissionDenied, problem)
    };
    let directory = match openat(parent, name, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::NOTDIR | Errno::LOOP) => return Err(not_ours()),
        opened => opened?,
    };
    let owner = rustix::fs::fstat(&directory)?.st_uid;
    if owner == rustix::process::geteuid().as_raw() { Ok(Some(directory)) } else { Err(not_ours()) }
}

fn remove_at(parent: &Path, name: &str) -> std::io::Result<bool> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match rustix::fs::open(parent, flags, Mode::empty()) {
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(false),
        opened => remove(&opened?, name),
    }
}

/// Removes a private directory; `false`: there is none.
pub(crate) fn remove(parent: &OwnedFd, name: &str) -> std::io::Result<bool> {
    let Some(directory) = open_private(parent, name)? else { return Ok(false) };
    remove_when_closed(parent, name, &directory)?;
    Ok(true)
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

/// NFS keeps a removed file under another name until its last user is gone, and its directory cannot be removed. The
/// kernel takes the ring of a killed process apart some time after its death.
fn remove_when_closed(parent: &OwnedFd, name: &str, directory: &OwnedFd) -> std::io::Result<()> {
    for _ in 0..CLOSING_TRIES {
        let removed = empty(directory, 0).and_then(|()| Ok(unlinkat(parent, name, AtFlags::REMOVEDIR)?));
        match removed {
            Err(error) if error.kind() == std::io::ErrorKind::DirectoryNotEmpty => {
                std::thread::sleep(CLOSING_PAUSE);
            }
            result => return result,
        }
    }
    let problem = "a process still has a file in it open; try again when it has ended";
    Err(std::io::Error::new(std::io::ErrorKind::DirectoryNotEmpty, problem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

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

    #[test]
    fn a_state_directory_that_another_user_may_have_made_is_not_used() {
        let place = tempfile::tempdir().expect("temporary directory");
        let state = place.path().join("fullwire-0");
        assert!(ours_alone(&state).is_err(), "not there");
        fs::DirBuilder::new().mode(0o700).create(&state).expect("directory");
        ours_alone(&state).expect("ours");
        fs::set_permissions(&state, fs::Permissions::from_mode(0o777)).expect("mode");
        assert!(ours_alone(&state).is_err(), "anybody may write there");
        let link = place.path().join("fullwire-1");
        std::os::unix::fs::symlink("/etc", &link).expect("link");
        assert!(ours_alone(&link).is_err(), "a link");
        assert_eq!(homeless(7), Path::new("/var/tmp/fullwire-7"));
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
        fs::create_dir_all(notes_dir(state.path())).expect("directory");
        for name in ["oradata", "../oradata", ".fullwire-xyz", ".fullwire-../../../../aaaa"] {
            let note = Note {
                schema: SCHEMA.into(),
                directory: data.path().to_owned(),
                name: name.into(),
                pid: 1,
                device: None,
            };
            let text = serde_json::to_string(&note).expect("serialises");
            fs::write(notes_dir(state.path()).join("note.json"), text).expect("file");
            let report = clean(state.path());
            assert_eq!(report.failed.len(), 1, "{name}: {report:?}");
            assert!(data.path().join("oradata").exists(), "{name}");
        }
    }
}
