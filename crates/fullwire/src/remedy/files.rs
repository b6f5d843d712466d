//! Files that a step changes, as they were before: their bytes go back as they were.

use anyhow::{Context, Result, bail};
use fullwire_observe::open_regular;
use rustix::fs::{
    AtFlags, Mode, OFlags, StatxAttributes, StatxFlags, XattrFlags, fgetxattr, flistxattr, fsetxattr, fsync,
    openat, renameat, statx, unlinkat,
};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Configuration files are kilobytes; the menu of a boot loader has tens of them.
const LARGEST_BYTES: u64 = 1 << 20;
/// Files of a directory that are kept.
const MOST_FILES: usize = 256;

/// The names of all attributes of a file, and a value, take at most this (`XATTR_LIST_MAX` and `XATTR_SIZE_MAX`, linux/limits.h).
const ATTRIBUTE_BYTES: usize = 64 << 10;

/// A new file until it takes the name of the old one, which may be as long as a name can be. No program takes a hidden file in
/// a directory of settings for one of them.
pub(super) const DRAFT: &str = ".put-back.fullwire";

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
    pub(super) hex: String,
    pub(super) mode: u32,
    pub(super) uid: u32,
    pub(super) gid: u32,
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
pub(super) fn read(path: &Path) -> Result<Option<Content>> {
    let no_file = || format!("{} is no file of up to 1 MiB: what is in it cannot be kept", path.display());
    let file = match open_regular(path, OFlags::NOFOLLOW) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        file => file.with_context(no_file)?,
    };
    // No new file can take its name, and one that is written over is not whole at every moment.
    if statx(&file, "", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS)
        .is_ok_and(|status| status.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
    {
        bail!("{} is mounted by itself: it cannot be put back", path.display());
    }
    let status = file.metadata().with_context(no_file)?;
    let mut bytes = Vec::new();
    file.take(LARGEST_BYTES + 1).read_to_end(&mut bytes).with_context(no_file)?;
    if bytes.len() as u64 > LARGEST_BYTES {
        bail!(no_file());
    }
    let owned =
        Content { hex: String::new(), mode: status.mode() & 0o7777, uid: status.uid(), gid: status.gid() };
    Ok(Some(owned.with(&bytes)))
}

/// The file is as it was or has this content: whole at every moment, also after a kill, a loss of power or with a full disk.
pub(super) fn put(path: &Path, wanted: Option<&Content>) -> Result<()> {
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
    // What a kill left of it.
    let _ = unlinkat(folder, DRAFT, AtFlags::empty());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(folder, DRAFT, flags, Mode::RUSR | Mode::WUSR)?);
    let mut fill = || -> Result<()> {
        file.write_all(&bytes)?;
        std::os::unix::fs::fchown(&file, Some(wanted.uid), Some(wanted.gid))?;
        if was_there {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            copy_attributes(&File::from(openat(folder, name, flags, Mode::empty())?), &file)?;
        }
        file.set_permissions(fs::Permissions::from_mode(wanted.mode))?;
        file.sync_all()?;
        Ok(renameat(folder, DRAFT, folder, name)?)
    };
    fill().inspect_err(|_| {
        let _ = unlinkat(folder, DRAFT, AtFlags::empty());
    })
}

/// Files as they are, open: a tool that writes a new file in the place of one leaves its attributes behind.
pub(crate) fn hold(names: &[String]) -> Vec<(PathBuf, File)> {
    let paths = save(names).unwrap_or_default().into_iter().map(|saved| saved.path);
    paths.filter_map(|path| open_regular(&path, OFlags::NOFOLLOW).ok().map(|file| (path, file))).collect()
}

/// Gives new files the attributes of those that were in their places.
pub(crate) fn carry_attributes(held: &[(PathBuf, File)]) {
    for (path, old) in held {
        let Ok(new) = open_regular(path, OFlags::NOFOLLOW) else { continue };
        let inode = |file: &File| file.metadata().map(|status| status.ino()).ok();
        if inode(old) != inode(&new) {
            // Whoever made the new file has given it what matters: its mode, its label.
            let _ = copy_attributes(old, &new);
        }
    }
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
    /// Other bytes of the same owner.
    pub(super) fn with(&self, bytes: &[u8]) -> Self {
        Self { hex: bytes.iter().map(|byte| format!("{byte:02x}")).collect(), ..self.clone() }
    }

    pub(super) fn bytes(&self) -> Option<Vec<u8>> {
        let digits = self.hex.as_bytes().chunks(2);
        digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 255 bytes: no longer name fits beside it (`NAME_MAX`, linux/limits.h).
    #[test]
    fn a_file_of_any_name_gets_its_bytes_back() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["-rf", "a\nb", "*", "%s", "\u{202e}", &"n".repeat(255)] {
            let path = folder.path().join(name);
            fs::write(&path, "before\n").expect("a file");
            let before = read(&path).expect("read");
            fs::write(&path, "after\n").expect("written");
            put(&path, before.as_ref()).expect("put back");
            assert_eq!(fs::read(&path).expect("there"), b"before\n", "{name:?}");
            put(&path, None).expect("taken away");
        }
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 0, "nothing else is left");
    }

    #[test]
    fn attributes_outlive_a_tool_that_writes_a_new_file() {
        let folder = tempfile::tempdir_in(".").expect("a folder");
        let path = folder.path().join("x.conf");
        fs::write(&path, "a\n").expect("a file");
        let set = fsetxattr(File::open(&path).expect("a file"), c"user.owner", b"dba", XattrFlags::empty());
        if set == Err(Errno::NOTSUP) {
            return;
        }
        let names = [path.display().to_string()];
        let held = hold(&names);
        let new = folder.path().join("new");
        fs::write(&new, "b\n").expect("a file");
        fs::rename(new, &path).expect("renamed");
        carry_attributes(&held);
        let mut value = [0; 8];
        let length = fgetxattr(File::open(&path).expect("a file"), c"user.owner", &mut value).expect("there");
        assert_eq!(&value[..length], b"dba");
    }
}
