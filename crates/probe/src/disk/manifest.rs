//! A note of what an invocation is about to create, so that `fullwire clean` finds it after a SIGKILL or a power loss.
//! Written and synced before the thing exists, locked while its owner lives, removed after the thing is gone.

use super::DiskError;
use super::within::within;
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

const SCHEMA: &str = "fullwire.manifest/1";
/// What private directories are called, followed by 16 hexadecimal digits.
const PREFIX: &str = ".fullwire-";
/// A note is a few hundred bytes.
const LONGEST_BYTES: u64 = 64 << 10;
/// A dead server must not keep `clean` from the other leftovers.
const REMOVAL_LIMIT: Duration = Duration::from_secs(60);
/// Five seconds.
const CLOSING_TRIES: u32 = 100;
const CLOSING_PAUSE: Duration = Duration::from_millis(50);

/// Where fullwire keeps state: `$XDG_STATE_HOME/fullwire`, else `~/.local/state/fullwire` (XDG base directories).
pub fn state_dir() -> PathBuf {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_STATE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local/state")))
        .unwrap_or_else(|| PathBuf::from("/var/tmp"))
        .join("fullwire")
}

#[derive(Debug, Serialize, Deserialize)]
struct Note {
    schema: String,
    directory: PathBuf,
    name: String,
    pid: u32,
}

/// The note of a private directory that this process owns.
#[derive(Debug)]
pub(crate) struct Manifest {
    path: PathBuf,
    /// Holds the lock.
    _lock: File,
}

/// A name that nobody else has or guesses.
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
        let notes = notes_dir(state);
        let path = notes.join(format!("{}.json", name.trim_start_matches('.')));
        Self::write_at(&notes, &path, directory, name)
            .map_err(|error| DiskError::io("note the private file in", path.display().to_string(), error))
    }

    fn write_at(notes: &Path, path: &Path, directory: &Path, name: &str) -> std::io::Result<Self> {
        fs::create_dir_all(notes)?;
        let note = Note {
            schema: SCHEMA.into(),
            directory: directory.to_owned(),
            name: name.to_owned(),
            pid: std::process::id(),
        };
        let draft = path.with_extension("draft");
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::open(&draft, flags, Mode::RUSR | Mode::WUSR)?);
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        file.write_all(serde_json::to_string(&note)?.as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, path)?;
        File::open(notes)?.sync_all()?;
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
}

/// Removes what interrupted runs left behind, as their notes under `state_dir` say. Only directories that carry
/// fullwire's private name and belong to this user are touched, and none whose owner still runs.
pub fn clean(state_dir: &Path) -> CleanReport {
    let mut report = CleanReport::default();
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
    let note = serde_json::from_str::<Note>(&text);
    if !locked {
        report.in_use.push(note.map_or_else(|_| path.to_owned(), |note| note.directory.join(note.name)));
        return Ok(());
    }
    let Ok(note) = note else {
        // A draft that was never finished: nothing was made yet.
        return fs::remove_file(path).map_err(text_of);
    };
    if note.schema != SCHEMA || !is_private_name(&note.name) {
        return Err("not a note of this version; remove it by hand".into());
    }
    let leftover = note.directory.join(&note.name);
    let removed = within(REMOVAL_LIMIT, &leftover.display().to_string(), "removal", {
        let leftover = leftover.clone();
        move || remove(&leftover)
    });
    match removed {
        Ok(Ok(true)) => report.removed.push(leftover),
        Ok(Ok(false)) => {}
        Ok(Err(error)) => return Err(format!("{}: {error}", leftover.display())),
        Err(error) => return Err(error.to_string()),
    }
    fs::remove_file(path).map_err(text_of)
}

/// Removes a private directory; `false`: there is none.
pub(crate) fn remove(leftover: &Path) -> std::io::Result<bool> {
    let metadata = match fs::symlink_metadata(leftover) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        metadata => metadata?,
    };
    let ours = metadata.is_dir() && metadata.uid() == rustix::process::geteuid().as_raw();
    if !ours {
        let problem = "not a directory of this user; left alone";
        return Err(std::io::Error::new(std::io::ErrorKind::PermissionDenied, problem));
    }
    remove_when_closed(leftover)?;
    Ok(true)
}

/// NFS keeps a removed file under another name until its last user is gone, and its directory cannot be removed. The
/// kernel takes the ring of a killed process apart some time after its death.
fn remove_when_closed(leftover: &Path) -> std::io::Result<()> {
    for _ in 0..CLOSING_TRIES {
        match fs::remove_dir_all(leftover) {
            Err(error) if error.kind() == std::io::ErrorKind::DirectoryNotEmpty => {
                std::thread::sleep(CLOSING_PAUSE);
            }
            result => return result,
        }
    }
    let problem = "a process still has a file in it open; try again when that has ended";
    Err(std::io::Error::new(std::io::ErrorKind::DirectoryNotEmpty, problem))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_forged_note_removes_nothing() {
        let state = tempfile::tempdir().expect("temporary directory");
        let data = tempfile::tempdir().expect("temporary directory");
        fs::create_dir(data.path().join("oradata")).expect("directory");
        fs::create_dir_all(notes_dir(state.path())).expect("directory");
        for name in ["oradata", "../oradata", ".fullwire-xyz", ".fullwire-../../../../aaaa"] {
            let note =
                Note { schema: SCHEMA.into(), directory: data.path().to_owned(), name: name.into(), pid: 1 };
            let text = serde_json::to_string(&note).expect("serialises");
            fs::write(notes_dir(state.path()).join("note.json"), text).expect("file");
            let report = clean(state.path());
            assert_eq!(report.failed.len(), 1, "{name}: {report:?}");
            assert!(data.path().join("oradata").exists(), "{name}");
        }
    }
}
