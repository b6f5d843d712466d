//! One name after the other.

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

/// Links that one path may pass, as in the kernel (`path_resolution(7)`).
const MOST_LINKS: usize = 40;

/// One thing on a path.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// What it was when it was passed.
    pub stat: Stat,
    /// It was come to by `..`.
    pub(crate) is_up: bool,
}

impl Step {
    /// What lies there by itself: no link at its end is followed.
    pub fn at(path: &Path) -> Option<Self> {
        let stat = statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(Self { stat, is_up: false })
    }

    /// Whether names lie in it.
    pub fn is_directory(&self) -> bool {
        self.has_kind(FileType::Directory)
    }

    /// Whether it leads elsewhere.
    pub fn is_link(&self) -> bool {
        self.has_kind(FileType::Symlink)
    }

    fn has_kind(&self, kind: FileType) -> bool {
        FileType::from_raw_mode(self.stat.st_mode) == kind
    }

    /// Whether it is root's or this user's, and nobody else may write to it. What a link leads to is another step; its own mode
    /// says nothing.
    pub fn is_of(&self, uid: u32, sticky: bool) -> bool {
        let others = if uid != 0 && uid == geteuid().as_raw() { 0o002 } else { 0o022 };
        let is_closed = self.is_link() || self.stat.st_mode & others == 0;
        let is_sticky = sticky && self.is_directory() && self.stat.st_mode & 0o1000 != 0;
        [0, uid].contains(&self.stat.st_uid) && (is_closed || is_sticky)
    }

    /// Who owns it, if that is neither root nor we.
    pub(crate) fn stranger(&self) -> Option<u32> {
        Some(self.stat.st_uid).filter(|uid| ![0, geteuid().as_raw()].contains(uid))
    }
}

/// Where a walk came to.
#[derive(Debug)]
pub struct Found {
    /// What is there, opened so that it can be neither read nor written.
    pub file: OwnedFd,
    /// Of what it is.
    pub step: Step,
    /// The path without links, below where the walk began; missing names at its end.
    pub path: PathBuf,
    /// How many names of the end are not there: what was found is the directory in which they would lie.
    pub missing: usize,
}

/// Follows a path from a directory, above which nothing is. `pass` is asked of each directory before a name is looked for in it, and
/// of each link before it is followed.
pub fn walk(
    top: &OwnedFd,
    path: &Path,
    follow_last: bool,
    mut pass: impl FnMut(&Step) -> Result<(), Errno>,
) -> Result<Found, Errno> {
    let mut at = opened(top, OsStr::new("."), false)?;
    let start = (at.1.stat.st_dev, at.1.stat.st_ino);
    let (mut waiting, mut real, mut links) = (names(path), PathBuf::from("/"), 0);
    // Names that wait behind those of the links.
    let mut given = usize::MAX;
    while let Some(name) = waiting.pop() {
        if !at.1.is_directory() {
            return Err(Errno::NOTDIR);
        }
        pass(&at.1)?;
        let is_up = name == OsStr::new("..");
        if is_up && (at.1.stat.st_dev, at.1.stat.st_ino) == start {
            continue;
        }
        let next = match opened(&at.0, &name, is_up) {
            Err(Errno::NOENT) if waiting.len() < given => {
                waiting.push(name);
                real.extend(waiting.iter().rev());
                return Ok(Found { file: at.0, step: at.1, path: real, missing: waiting.len() });
            }
            next => next?,
        };
        if !next.1.is_link() || (waiting.is_empty() && !follow_last) {
            if is_up {
                real.pop();
            } else {
                real.push(&name);
            }
            at = next;
            continue;
        }
        links += 1;
        if links > MOST_LINKS {
            return Err(Errno::LOOP);
        }
        pass(&next.1)?;
        let target = PathBuf::from(OsString::from_vec(readlinkat(&next.0, "", Vec::new())?.into_bytes()));
        if target.is_absolute() {
            (at, real) = (opened(top, OsStr::new("."), false)?, PathBuf::from("/"));
        }
        given = given.min(waiting.len());
        waiting.extend(names(&target));
    }
    Ok(Found { file: at.0, step: at.1, path: real, missing: 0 })
}

/// What lies in a directory under a name. `DIRECTORY` has an automounter mount what is there, as any use of it would.
fn opened(at: &OwnedFd, name: &OsStr, is_up: bool) -> Result<(OwnedFd, Step), Errno> {
    let here = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match openat(at, name, here | OFlags::DIRECTORY, Mode::empty()) {
        Err(Errno::NOTDIR | Errno::LOOP) => openat(at, name, here, Mode::empty())?,
        file => file?,
    };
    let stat = fstat(&file)?;
    Ok((file, Step { stat, is_up }))
}

/// The names of a path, the first one last.
fn names(path: &Path) -> Vec<OsString> {
    let parts =
        path.components().rev().filter(|part| !matches!(part, Component::RootDir | Component::CurDir));
    parts.map(|part| part.as_os_str().to_owned()).collect()
}
