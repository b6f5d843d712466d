//! Files that a step changes, as they were before: their bytes go back as they were.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Configuration files are kilobytes; the menu of a boot loader has tens of them.
const LARGEST_BYTES: u64 = 1 << 20;
/// Files of a directory that are kept.
const MOST_FILES: usize = 256;

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

/// Puts back what was there before a step, where nobody else has changed it since. `after` is what the step left, as far
/// as that is known; what is there before `undo` runs is `now`.
pub(crate) fn restore(before: &[Saved], after: Option<&[Saved]>, now: &[Saved]) -> Result<()> {
    let of = |all: &[Saved], path: &Path| all.iter().find(|one| one.path == path).cloned();
    for saved in before {
        let untouched = after.is_none_or(|after| of(after, &saved.path) == of(now, &saved.path));
        if untouched {
            put(saved)?;
        } else if read(&saved.path)? != saved.content {
            bail!(
                "{} was changed by someone else since: what fullwire wrote there was taken out, and the rest is left as it is",
                saved.path.display()
            );
        }
    }
    // What the step itself made.
    let made = after.unwrap_or_default().iter().filter(|one| of(before, &one.path).is_none());
    for one in made.filter(|one| of(now, &one.path).as_ref() == Some(one)) {
        put(&Saved { path: one.path.clone(), content: None })?;
    }
    Ok(())
}

fn put(saved: &Saved) -> Result<()> {
    let path = &saved.path;
    if read(path)? == saved.content {
        return Ok(());
    }
    let Some(content) = &saved.content else {
        return fs::remove_file(path).with_context(|| format!("remove {}", path.display()));
    };
    let bytes = content.bytes().with_context(|| format!("what the journal has of {}", path.display()))?;
    let write = || -> std::io::Result<()> {
        let flags = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
        let mut options = fs::OpenOptions::new();
        let mut file =
            options.write(true).create(true).truncate(true).mode(0o600).custom_flags(flags).open(path)?;
        file.write_all(&bytes)?;
        std::os::unix::fs::fchown(&file, Some(content.uid), Some(content.gid))?;
        file.set_permissions(fs::Permissions::from_mode(content.mode))?;
        file.sync_all()
    };
    write().with_context(|| format!("write {}", path.display()))
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

    fn folder() -> (tempfile::TempDir, Vec<String>) {
        let folder = tempfile::tempdir().expect("a folder");
        let name = format!("{}/", folder.path().display());
        (folder, vec![name])
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
        restore(&before, Some(&after), &after).expect("restored");
        assert_eq!(save(&names).expect("read"), before);
        assert!(!new.exists() && fs::read(&old).expect("a file") == b"a\xff\n");
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
        let now = save(&names).expect("read");
        let error = restore(&before, Some(&after), &now).unwrap_err().to_string();
        assert!(error.contains("someone else") && fs::read(&file).expect("a file").ends_with(b"theirs\n"));
    }

    #[test]
    fn a_directory_is_kept_file_by_file_and_a_link_is_not_followed() {
        let (folder, names) = folder();
        fs::write(folder.path().join("one"), "1").expect("a file");
        let before = save(&names).expect("read");
        fs::write(folder.path().join("two"), "2").expect("a file");
        let after = save(&names).expect("read");
        restore(&before, Some(&after), &after).expect("restored");
        assert!(folder.path().join("one").exists() && !folder.path().join("two").exists());
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).expect("a link");
        assert!(save(&[folder.path().join("link").display().to_string()]).is_err());
    }
}
