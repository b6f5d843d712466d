//! Files that a step changes, as they were before: their bytes go back as they were.

use anyhow::{Context, Result, bail};
use rustix::fs::{
    AtFlags, Mode, OFlags, XattrFlags, fgetxattr, flistxattr, fsetxattr, fsync, openat, renameat, unlinkat,
};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
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
    let status = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        status => status.with_context(|| format!("look at {}", path.display()))?,
    };
    if !status.is_file() || status.len() > LARGEST_BYTES {
        bail!("{} is no file of up to 1 MiB: what is in it cannot be kept", path.display());
    }
    let bytes = fs::read(path).with_context(|| format!("read {}", path.display()))?;
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
    /// Other bytes of the same owner.
    pub(super) fn with(&self, bytes: &[u8]) -> Self {
        Self { hex: bytes.iter().map(|byte| format!("{byte:02x}")).collect(), ..self.clone() }
    }

    pub(super) fn bytes(&self) -> Option<Vec<u8>> {
        let digits = self.hex.as_bytes().chunks(2);
        digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
    }
}
