//! Files that a step changes, as they were before: their bytes go back as they were.

use super::shell::CHANGE_LIMIT;
use crate::journal::{Entry, Progress};
use anyhow::{Context, Result, bail};
use rustix::fs::{
    AtFlags, Mode, OFlags, XattrFlags, fgetxattr, flistxattr, fsetxattr, fsync, openat, renameat, unlinkat,
};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Configuration files are kilobytes; the menu of a boot loader has tens of them.
const LARGEST_BYTES: u64 = 1 << 20;
/// Files of a directory that are kept.
const MOST_FILES: usize = 256;

/// The names of all attributes of a file, and a value, take at most this (`XATTR_LIST_MAX` and `XATTR_SIZE_MAX`, linux/limits.h).
const ATTRIBUTE_BYTES: usize = 64 << 10;

/// A file as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Saved {
    pub(crate) path: PathBuf,
    /// `None`: it was not there.
    pub(crate) content: Option<Content>,
}

/// What is in a file, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Content {
    /// Two hexadecimal digits a byte: not every file is text.
    hex: String,
    mode: u32,
    uid: u32,
    gid: u32,
}

/// The files of these names as they are; of a name that ends in a slash, those of that directory.
pub(crate) fn save(names: &[String]) -> Result<Vec<Saved>> {
    let mut saved = Vec::new();
    for name in names {
        if !name.ends_with('/') {
            saved.push(one(Path::new(name))?);
            continue;
        }
        let Ok(entries) = fs::read_dir(name) else { continue };
        for entry in entries {
            let entry = entry.with_context(|| format!("list {name}"))?;
            if entry.file_type().is_ok_and(|kind| kind.is_file()) {
                saved.push(one(&entry.path())?);
            }
            if saved.len() > MOST_FILES {
                bail!("{name} has more than {MOST_FILES} files: they cannot be kept");
            }
        }
    }
    saved.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(saved)
}

fn one(path: &Path) -> Result<Saved> {
    Ok(Saved { path: path.to_owned(), content: read(path)? })
}

/// `None`: it is not there.
fn read(path: &Path) -> Result<Option<Content>> {
    let status = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        status => status.with_context(|| format!("look at {}", path.display()))?,
    };
    if !status.is_file() || status.len() > LARGEST_BYTES {
        bail!("{} is no file of up to 1 MiB: what is in it cannot be kept", path.display());
    }
    let bytes = fs::read(path).with_context(|| format!("read {}", path.display()))?;
    let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Some(Content { hex, mode: status.mode() & 0o7777, uid: status.uid(), gid: status.gid() }))
}

/// Which of the files that a step changes may get back what was there before: those that are as it left them, or were
/// before it. Where a command of it was killed, nobody knows what that left: a file counts as its work if it was not changed
/// later than the command can have run, and every line of it was there before, is one that the step left, or stands in a
/// command. Anyone else's line is worth more than the bytes as they were.
pub(crate) fn of_step(entry: &Entry, now: &[Saved]) -> Vec<PathBuf> {
    let after = entry.after.as_deref().unwrap_or_default();
    let is_own = |saved: &&Saved| {
        let there = content(now, &saved.path);
        there == saved.content.as_ref()
            || content(after, &saved.path) == there && entry.after.is_some()
            || entry.progress != Progress::Done && is_of_killed(entry, saved, there)
    };
    // What is in a directory that it may write to, and was not there before, is its own as it left it.
    let made = after.iter().filter(|one| find(&entry.before, &one.path).is_none());
    let made = made.filter(|one| find(now, &one.path) == Some(one));
    entry.before.iter().filter(is_own).chain(made).map(|saved| saved.path.clone()).collect()
}

fn find<'a>(all: &'a [Saved], path: &Path) -> Option<&'a Saved> {
    all.iter().find(|one| one.path == path)
}

fn content<'a>(all: &'a [Saved], path: &Path) -> Option<&'a Content> {
    find(all, path).and_then(|one| one.content.as_ref())
}

fn is_of_killed(entry: &Entry, saved: &Saved, there: Option<&Content>) -> bool {
    // Who removed what is gone is not known.
    let Some(there) = there else { return false };
    let commands = entry.run.iter().chain(entry.undo.iter().filter_map(|undo| undo.run.as_ref()));
    let commands: Vec<&String> = commands.collect();
    let most = CHANGE_LIMIT.as_secs() * commands.len() as u64;
    let last = entry.begun.as_second().saturating_add_unsigned(most);
    let changed = fs::symlink_metadata(&saved.path).map(|status| status.ctime());
    let after = content(entry.after.as_deref().unwrap_or_default(), &saved.path);
    let known = &lines(saved.content.as_ref()) | &lines(after);
    let is_known = |line: &Vec<u8>| {
        let text = String::from_utf8_lossy(line);
        known.contains(line) || commands.iter().any(|command| command.contains(text.trim()))
    };
    changed.is_ok_and(|changed| changed <= last) && lines(Some(there)).iter().all(is_known)
}

/// A file that someone else has changed since.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) path: PathBuf,
    /// Lines that the step took out: where they belong now, only a person knows.
    pub(crate) lacks: Vec<String>,
}

/// Puts back these files as they were before a step. Whatever else it changed must be without what it wrote; such files,
/// which keep what someone else has written since, are returned.
pub(crate) fn restore(entry: &Entry, own: &[PathBuf]) -> Result<Vec<Kept>> {
    for path in own {
        put(path, content(&entry.before, path))?;
    }
    let mut kept = Vec::new();
    for saved in entry.before.iter().filter(|saved| !own.contains(&saved.path)) {
        let there = read(&saved.path)?;
        if there == saved.content {
            continue;
        }
        let (there, before) = (lines(there.as_ref()), lines(saved.content.as_ref()));
        let after = entry.after.as_ref().map(|after| lines(content(after, &saved.path)));
        if there.difference(&before).any(|line| is_written(entry, after.as_ref(), line)) {
            bail!(
                "{} was changed by someone else since, and still has what fullwire wrote there",
                saved.path.display()
            );
        }
        let lacks =
            before.difference(&there).filter(|line| after.as_ref().is_none_or(|it| !it.contains(*line)));
        let lacks = lacks.map(|line| String::from_utf8_lossy(line).into_owned()).collect();
        kept.push(Kept { path: saved.path.clone(), lacks });
    }
    Ok(kept)
}

fn lines(content: Option<&Content>) -> BTreeSet<Vec<u8>> {
    let bytes = content.and_then(Content::bytes).unwrap_or_default();
    bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// Whether the step left this line or, where that is not known, a command of it writes it.
fn is_written(entry: &Entry, after: Option<&BTreeSet<Vec<u8>>>, line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    match after {
        Some(after) => after.contains(line),
        None => !text.is_empty() && entry.run.iter().any(|run| run.contains(text)),
    }
}

/// The file is as it was or has this content: whole at every moment, also after a kill, a loss of power or with a full disk.
fn put(path: &Path, wanted: Option<&Content>) -> Result<()> {
    let there = read(path)?;
    if there.as_ref() == wanted {
        return Ok(());
    }
    let place = || {
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty())?;
        Some((folder, path.file_name()?.to_str()?))
    };
    let (folder, name) = place().with_context(|| format!("{} is not in a directory", path.display()))?;
    let change = || -> Result<()> {
        let folder = File::open(folder)?;
        match wanted {
            None => unlinkat(&folder, name, AtFlags::empty())?,
            Some(content) => exchange(&folder, name, content, there.is_some())?,
        }
        Ok(fsync(&folder)?)
    };
    change().with_context(|| format!("put back {}", path.display()))
}

/// A new file takes the name of the old one, with what the old one has beside its bytes: its label, its access list.
fn exchange(folder: &File, name: &str, wanted: &Content, was_there: bool) -> Result<()> {
    let bytes = wanted.bytes().context("what the journal has of it is damaged")?;
    // No program takes a hidden file in a directory of settings for one of them.
    let draft = format!(".{name}.fullwire");
    // What a kill left of it.
    let _ = unlinkat(folder, &draft, AtFlags::empty());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(folder, &draft, flags, Mode::RUSR | Mode::WUSR)?);
    let mut fill = || -> Result<()> {
        file.write_all(&bytes)?;
        std::os::unix::fs::fchown(&file, Some(wanted.uid), Some(wanted.gid))?;
        if was_there {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            copy_attributes(&File::from(openat(folder, name, flags, Mode::empty())?), &file)?;
        }
        file.set_permissions(fs::Permissions::from_mode(wanted.mode))?;
        file.sync_all()?;
        Ok(renameat(folder, &draft, folder, name)?)
    };
    fill().inspect_err(|_| {
        let _ = unlinkat(folder, &draft, AtFlags::empty());
    })
}

/// Extended attributes (xattr(7)); a file system may have none.
fn copy_attributes(from: &File, to: &File) -> Result<()> {
    let mut names = vec![0; ATTRIBUTE_BYTES];
    let length = match flistxattr(from, &mut names) {
        Err(Errno::NOTSUP) => return Ok(()),
        length => length?,
    };
    for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let mut value = vec![0; ATTRIBUTE_BYTES];
        let length = fgetxattr(from, name, &mut value)?;
        fsetxattr(to, name, &value[..length], XattrFlags::empty())?;
    }
    Ok(())
}

impl Content {
    fn bytes(&self) -> Option<Vec<u8>> {
        let digits = self.hex.as_bytes().chunks(2);
        digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Undo;

    fn folder() -> (tempfile::TempDir, Vec<String>) {
        let folder = tempfile::tempdir().expect("a folder");
        let name = format!("{}/", folder.path().display());
        (folder, vec![name])
    }

    /// A step that changed files, as the journal has it.
    fn step(progress: Progress, before: Vec<Saved>, after: Option<Vec<Saved>>) -> Entry {
        let undo = vec![Undo::command("sed -i /ours/d x.conf")];
        let run = ["echo ours >> x.conf".to_owned()];
        Entry { before, after, progress, ..Entry::new("it", "", &run, undo) }
    }

    fn taken_back(entry: &Entry, names: &[String]) -> Result<Vec<Kept>> {
        restore(entry, &of_step(entry, &save(names)?))
    }

    #[test]
    fn bytes_mode_and_absence_come_back() {
        let (folder, _) = folder();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        fs::write(&old, b"a\xff\n").expect("a file");
        fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).expect("mode");
        let names = [&old, &new].map(|path| path.display().to_string());
        let before = save(&names).expect("read");
        fs::write(&old, "b").expect("a file");
        fs::set_permissions(&old, fs::Permissions::from_mode(0o600)).expect("mode");
        fs::write(&new, "n").expect("a file");
        let after = save(&names).expect("read");
        // What an earlier kill left is no obstacle.
        fs::write(folder.path().join(".old.fullwire"), "half").expect("a file");
        taken_back(&step(Progress::Done, before.clone(), Some(after)), &names).expect("restored");
        assert_eq!(save(&names).expect("read"), before);
        assert!(!new.exists() && fs::read(&old).expect("a file") == b"a\xff\n");
        assert_eq!(fs::read_dir(folder.path()).expect("a directory").count(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_written_anew_stays_whole() {
        let (folder, names) = folder();
        let file = folder.path().join("x.conf");
        fs::write(&file, "mine\n").expect("a file");
        let before = save(&names).expect("read");
        fs::write(&file, "mine\nours\n").expect("a file");
        let entry = step(Progress::Done, before, Some(save(&names).expect("read")));
        // A directory in the place of the new file: it is not removed, and nothing is opened in its place.
        fs::create_dir(folder.path().join(".x.conf.fullwire")).expect("a directory");
        assert!(taken_back(&entry, &names).is_err());
        assert_eq!(fs::read(&file).expect("a file"), b"mine\nours\n");
    }

    #[test]
    fn what_someone_else_wrote_since_is_left() {
        let (folder, names) = folder();
        let file = folder.path().join("x.conf");
        fs::write(&file, "a\n").expect("a file");
        let before = save(&names).expect("read");
        fs::write(&file, "a\nours\n").expect("a file");
        fs::write(folder.path().join("made"), "ours").expect("a file");
        let after = save(&names).expect("read");
        fs::write(&file, "a\nours\ntheirs\n").expect("a file");
        let entry = step(Progress::Done, before, Some(after));
        let error = taken_back(&entry, &names).unwrap_err().to_string();
        assert!(error.contains("someone else") && fs::read(&file).expect("a file").ends_with(b"theirs\n"));
        // Once its own line is out, the step is taken back, and the rest stays.
        fs::write(&file, "a\ntheirs\n").expect("a file");
        let kept = |lacks: &[&str]| {
            [Kept { path: file.clone(), lacks: lacks.iter().map(|&line| line.to_owned()).collect() }]
        };
        assert_eq!(taken_back(&entry, &names).expect("taken back"), kept(&[]));
        assert_eq!(fs::read(&file).expect("a file"), b"a\ntheirs\n");
        // What the step had taken out is told; what someone else took out is not.
        let path = file.clone();
        let was = Saved {
            path,
            content: Some(Content { hex: "610a6f6c640a620a".into(), mode: 0o644, uid: 0, gid: 0 }),
        };
        let entry = Entry { before: vec![was], ..entry };
        assert_eq!(taken_back(&entry, &names).expect("taken back"), kept(&["b", "old"]));
    }

    /// Nobody knows how far a command came that was killed, or one that takes back: what it can have left goes, and
    /// what it cannot have left stays.
    #[test]
    fn after_a_kill_only_what_can_be_of_the_command_is_written_over() {
        let (folder, names) = folder();
        let file = folder.path().join("x.conf");
        let written = |text: &str| fs::write(&file, text).expect("a file");
        written("a\nb\n");
        let before = save(&names).expect("read");
        written("a\nb\nours\n");
        let after = save(&names).expect("read");
        for (progress, after) in [(Progress::Begun, None), (Progress::Undoing, Some(after))] {
            let entry = step(progress, before.clone(), after);
            // A line that the command cannot have written stays, and so does all else.
            for (left, back) in [("a\nours\n", true), ("a\n", true), ("a\ntheirs\n", false)] {
                written(left);
                let kept = taken_back(&entry, &names).expect("taken back");
                assert_eq!(kept.is_empty(), back, "{progress:?} {left}");
                assert_eq!(fs::read_to_string(&file).expect("a file"), if back { "a\nb\n" } else { left });
            }
            written("a\ntheirs\nours\n");
            assert!(taken_back(&entry, &names).is_err(), "its own line is still there");
            // Changed later than the command can have run: a line that is gone was taken out by someone.
            written("a\n");
            let begun = "2026-01-01T00:00:00Z".parse().expect("a time");
            assert_eq!(taken_back(&Entry { begun, ..entry }, &names).expect("taken back")[0].path, file);
            assert_eq!(fs::read_to_string(&file).expect("a file"), "a\n");
        }
        // A file that was not there goes where it has only what the command writes.
        let made = Entry {
            before: vec![Saved { path: file.clone(), content: None }],
            ..step(Progress::Begun, before, None)
        };
        written("ours\n");
        assert!(taken_back(&made, &names).expect("taken back").is_empty() && !file.exists());
        written("theirs\n");
        assert_eq!(taken_back(&made, &names).expect("taken back")[0].path, file);
        assert!(file.exists());
    }

    #[test]
    fn a_directory_is_kept_file_by_file_and_a_link_is_not_followed() {
        let (folder, names) = folder();
        fs::write(folder.path().join("one"), "1").expect("a file");
        let before = save(&names).expect("read");
        fs::write(folder.path().join("two"), "2").expect("a file");
        let after = save(&names).expect("read");
        taken_back(&step(Progress::Done, before, Some(after)), &names).expect("restored");
        assert!(folder.path().join("one").exists() && !folder.path().join("two").exists());
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).expect("a link");
        assert!(save(&[folder.path().join("link").display().to_string()]).is_err());
    }
}
