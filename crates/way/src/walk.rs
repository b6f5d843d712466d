//! One name after the other.

use rustix::fs::{
    CWD, FileType, FsWord, Mode, OFlags, Stat, fstat, fstatfs, major, minor, openat, readlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
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
    /// The user whose program makes up what lies there, and so owns all of it.
    program: Option<u32>,
}

impl Step {
    /// What lies there by itself: no link at its end is followed.
    pub fn at(path: &Path) -> Result<Self, Errno> {
        Ok(opened(CWD, path.as_os_str(), false, None)?.1)
    }

    /// Whether names lie in it.
    pub fn is_directory(&self) -> bool {
        self.has_kind(FileType::Directory)
    }

    /// Whether it leads elsewhere.
    pub fn is_link(&self) -> bool {
        self.has_kind(FileType::Symlink)
    }

    /// Whether it is a regular file.
    pub fn is_file(&self) -> bool {
        self.has_kind(FileType::RegularFile)
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

/// A path, and where it leads.
#[derive(Debug)]
pub struct Way {
    /// Directories in which a name was looked for, or can be, and links that were followed, in order.
    pub(crate) passed: Vec<Step>,
    /// Where it ends: of names that are not there the directory in which they would lie.
    pub end: Step,
    /// That, opened so that it can be neither read nor written.
    file: OwnedFd,
    /// The path without links, below where the walk began: somebody may still exchange a part of it, unless all of it [is
    /// ours](Self::is_of).
    pub path: PathBuf,
    /// How many names at its end are not there.
    pub missing: usize,
}

impl Way {
    /// What it leads to; an error if that is not there.
    pub fn found(self) -> Result<OwnedFd, Errno> {
        if self.missing == 0 { Ok(self.file) } else { Err(Errno::NOENT) }
    }
}

/// Follows a path from a directory, above which nothing is. `allow` is asked of each directory before a name is looked for in it,
/// and of each link before it is followed.
pub fn walk(
    top: &OwnedFd,
    path: &Path,
    follow_last: bool,
    allow: impl Fn(&Step) -> Result<(), Errno>,
) -> Result<Way, Errno> {
    let (mut waiting, mut real, mut links) = (names(path), PathBuf::from("/"), 0);
    let mut passed = Vec::new();
    let mut pass = |step: &Step| {
        passed.push(*step);
        allow(step)
    };
    let mut at = opened(top, OsStr::new("."), false, None)?;
    let start = (at.1.stat.st_dev, at.1.stat.st_ino);
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
        let next = match opened(&at.0, &name, is_up, Some(&at.1)) {
            Err(Errno::NOENT) if waiting.len() < given => {
                waiting.push(name);
                real.extend(waiting.iter().rev());
                break;
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
            (at, real) = (opened(top, OsStr::new("."), false, None)?, PathBuf::from("/"));
        }
        given = given.min(waiting.len());
        waiting.extend(names(&target));
    }
    let missing = waiting.len();
    passed.extend(Some(at.1).filter(|end| missing == 0 && end.is_directory()));
    Ok(Way { passed, end: at.1, file: at.0, path: real, missing })
}

/// Whoever serves a file system that is no longer among the mounts.
const NOBODY: u32 = 65_534;

/// What lies in a directory under a name. `DIRECTORY` has an automounter mount what is there, as any use of it would.
fn opened(at: impl AsFd, name: &OsStr, is_up: bool, from: Option<&Step>) -> Result<(OwnedFd, Step), Errno> {
    let here = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match openat(&at, name, here | OFlags::DIRECTORY, Mode::empty()) {
        Err(Errno::NOTDIR | Errno::LOOP) => openat(&at, name, here, Mode::empty())?,
        file => file?,
    };
    let mut stat = fstat(&file)?;
    let program = match from {
        Some(from) if from.stat.st_dev == stat.st_dev => from.program,
        _ => of_a_program(&file, &stat),
    };
    stat.st_uid = program.unwrap_or(stat.st_uid);
    Ok((file, Step { stat, is_up, program }))
}

/// Whose program says what lies in a file system and who owns it: the user's who mounted it. `None`: it is the kernel's (proc(5),
/// `mountinfo`; Linux fs/fuse/inode.c, `fuse_show_options`, `fuse_statfs`).
fn of_a_program(file: &OwnedFd, stat: &Stat) -> Option<u32> {
    const FUSE_SUPER_MAGIC: FsWord = 0x6573_5546;
    // All such have a number without a device.
    if major(stat.st_dev) != 0 || fstatfs(file).is_ok_and(|about| about.f_type != FUSE_SUPER_MAGIC) {
        return None;
    }
    let mounts = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
    mounted_by(&String::from_utf8_lossy(&mounts), &format!("0:{}", minor(stat.st_dev)))
}

fn mounted_by(mounts: &str, number: &str) -> Option<u32> {
    // Its user takes it out of the list, while what is open stays.
    let Some(mount) = mounts.lines().find(|line| line.split(' ').nth(2) == Some(number)) else {
        return Some(NOBODY);
    };
    // Its own options stand last, behind names that its user chose.
    let (_, own) = mount.split_once(" - fuse")?.1.rsplit_once(' ')?;
    let who = own.split(',').find_map(|option| option.strip_prefix("user_id="))?;
    who.parse().ok().filter(|who| *who != 0)
}

/// The names of a path, the first one last.
fn names(path: &Path) -> Vec<OsString> {
    let parts =
        path.components().rev().filter(|part| !matches!(part, Component::RootDir | Component::CurDir));
    parts.map(|part| part.as_os_str().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::{NOBODY, mounted_by};

    /// Its program tells any owner, mode and link: root's as well.
    #[test]
    fn a_file_system_of_a_users_program_is_that_users() {
        let mounts = "22 1 253:0 / / rw - ext4 /dev/root rw\n\
            36 22 0:45 / /home/a/b\\040- rw,nosuid shared:9 - fuse.sshfs x,user_id=0 rw,user_id=1001,group_id=1001,allow_other\n\
            37 22 0:46 / /gv rw - fuse.glusterfs g:/v rw,user_id=0,group_id=0,allow_other\n\
            38 22 0:5 / /dev rw - devtmpfs user_id=7 rw,user_id=7\n";
        for (number, user) in [("0:45", Some(1001)), ("0:46", None), ("0:5", None), ("0:4", Some(NOBODY))] {
            assert_eq!(mounted_by(mounts, number), user, "{number}");
        }
    }
}
