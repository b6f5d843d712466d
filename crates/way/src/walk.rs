//! One name after the other.

use rustix::fs::{
    AtFlags, CWD, FileType, FsWord, Mode, OFlags, Stat, StatxFlags, fstat, fstatfs, major, makedev, minor,
    openat, readlinkat, statx,
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

    /// A program of another user makes up what lies there: a question to it may stay open for ever, and whoever asked cannot end.
    pub fn is_of_a_foreign_program(&self) -> bool {
        is_foreign(self.program)
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
    let number = device(&file);
    let program = match (from, number) {
        (Some(from), Some(number)) if from.stat.st_dev == number => from.program,
        (_, Some(number)) => of_a_program(&file, number),
        (Some(from), None) if from.stat.st_dev == fstat(&file)?.st_dev => from.program,
        (_, None) => of_a_program(&file, fstat(&file)?.st_dev),
    };
    let mut stat = match (from, number) {
        (Some(from), Some(number)) if is_foreign(program) && from.stat.st_dev != number => {
            kept(&file, from.stat, number)?
        }
        _ => fstat(&file)?,
    };
    stat.st_uid = program.unwrap_or(stat.st_uid);
    Ok((file, Step { stat, is_up, program }))
}

fn is_foreign(program: Option<u32>) -> bool {
    program.is_some_and(|user| user != geteuid().as_raw())
}

/// What the kernel has of a file without asking whoever makes it up (statx(2), `AT_STATX_DONT_SYNC`).
const AS_KEPT: AtFlags = AtFlags::EMPTY_PATH.union(AtFlags::STATX_DONT_SYNC);

/// The file system that an open file is of. `None`: the kernel does not tell it so (before Linux 4.11).
fn device(file: &OwnedFd) -> Option<u64> {
    let of = statx(file, "", AS_KEPT, StatxFlags::TYPE).ok()?;
    Some(makedev(of.stx_dev_major, of.stx_dev_minor))
}

/// Where another user's file system begins: what the kernel knows of that directory, in the place of another one's.
fn kept(file: &OwnedFd, mut stat: Stat, number: u64) -> Result<Stat, Errno> {
    let of = statx(file, "", AS_KEPT, StatxFlags::BASIC_STATS)?;
    (stat.st_dev, stat.st_ino, stat.st_mode) = (number, of.stx_ino, of.stx_mode.into());
    (stat.st_uid, stat.st_gid) = (of.stx_uid, of.stx_gid);
    Ok(stat)
}

/// What an open file is, unless a program of another user makes it up, which is not asked.
pub fn status(file: &OwnedFd) -> Result<Stat, Errno> {
    let program = device(file).and_then(|number| of_a_program(file, number));
    if is_foreign(program) { Err(Errno::XDEV) } else { fstat(file) }
}

/// Whose program says what lies in a file system and who owns it: the user's who mounted it. `None`: it is the kernel's (proc(5),
/// `mountinfo`; Linux fs/fuse/inode.c, `fuse_show_options`, `fuse_statfs`).
fn of_a_program(file: &OwnedFd, number: u64) -> Option<u32> {
    const FUSE_SUPER_MAGIC: FsWord = 0x6573_5546;
    // All such have a number without a device.
    if major(number) != 0 {
        return None;
    }
    let mounts = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
    match mount(&String::from_utf8_lossy(&mounts), &format!("0:{}", minor(number))) {
        Some(mount) => mounted_by(mount),
        // Its user takes it out of the list, while what is open stays; those of another namespace are not in it.
        None => fstatfs(file).is_ok_and(|about| about.f_type == FUSE_SUPER_MAGIC).then_some(NOBODY),
    }
}

/// The line of `mountinfo` about the file system with this number.
fn mount<'a>(mounts: &'a str, number: &str) -> Option<&'a str> {
    mounts.lines().find(|line| line.split(' ').nth(2) == Some(number))
}

/// The user, other than root, whose program a mount is.
fn mounted_by(mount: &str) -> Option<u32> {
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
    use super::{mount, mounted_by, status, walk};
    use rustix::fs::{Mode, OFlags, open};
    use rustix::io::Errno;
    use std::os::fd::OwnedFd;
    use std::path::Path;
    use std::process::Command;
    use std::sync::mpsc;
    use std::time::Duration;

    /// Its program tells any owner, mode and link: root's as well.
    #[test]
    fn a_file_system_of_a_users_program_is_that_users() {
        let mounts = "22 1 253:0 / / rw - ext4 /dev/root rw\n\
            36 22 0:45 / /home/a/b\\040- rw,nosuid shared:9 - fuse.sshfs x,user_id=0 rw,user_id=1001,group_id=1001,allow_other\n\
            37 22 0:46 / /gv rw - fuse.glusterfs g:/v rw,user_id=0,group_id=0,allow_other\n\
            38 22 0:5 / /dev rw - devtmpfs user_id=7 rw,user_id=7\n";
        for (number, user) in
            [("0:45", Some(Some(1001))), ("0:46", Some(None)), ("0:5", Some(None)), ("0:4", None)]
        {
            assert_eq!(mount(mounts, number).map(mounted_by), user, "{number}");
        }
    }

    /// Else whoever looks at it never ends: a thread that waits for the answer takes no signal.
    #[test]
    fn a_program_that_does_not_answer_is_not_asked() {
        // It answers the kernel's greeting (FUSE_INIT of `linux/fuse.h`), and nothing after it.
        const SILENT: &str = "import ctypes, os, struct, sys\n\
            fuse = os.open('/dev/fuse', os.O_RDWR)\n\
            what = f'fd={fuse},rootmode=40000,user_id=65534,group_id=65534,allow_other'.encode()\n\
            if ctypes.CDLL(None).mount(b'x', sys.argv[1].encode(), b'fuse', 0, what): sys.exit()\n\
            asked = os.read(fuse, 1 << 20)\n\
            answer = struct.pack('<IIIIHHII', 7, 31, 0, 0, 0, 0, 4096, 0) + bytes(36)\n\
            os.write(fuse, struct.pack('<IiQ', 16 + len(answer), 0, struct.unpack('<Q', asked[8:16])[0]) + answer)\n\
            print(flush=True)\n\
            os.read(0, 1)";
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("silent");
        std::fs::create_dir(&place).expect("made");
        let mut program = Command::new("python3");
        program.args(["-c", SILENT]).arg(&place).stdin(std::process::Stdio::piped());
        let Ok(mut program) = program.stdout(std::process::Stdio::piped()).spawn() else {
            return crate::skips::skipped("needs python3");
        };
        let mut said = [0];
        let mounted = std::io::Read::read(&mut program.stdout.take().expect("a pipe"), &mut said);
        if mounted.is_ok_and(|read| read == 0) {
            return crate::skips::skipped("needs /dev/fuse, and root");
        }
        let (sender, receiver) = mpsc::channel();
        let at = place.clone();
        std::thread::spawn(move || {
            let flags = OFlags::PATH | OFlags::CLOEXEC;
            let top: OwnedFd = open("/", flags, Mode::empty()).expect("the top");
            let refused = |path: &Path| {
                let found = walk(&top, path, true, |step| {
                    if step.is_of_a_foreign_program() { Err(Errno::XDEV) } else { Ok(()) }
                });
                found.map(|way| way.end.is_of_a_foreign_program())
            };
            let seen = open(&at, flags, Mode::empty()).and_then(|file| status(&file).map(drop));
            sender.send((refused(&at), refused(&at.join("below")).map(drop), seen)).expect("heard");
        });
        let answer = receiver.recv_timeout(Duration::from_secs(5));
        // Its end is an answer to all who wait.
        let _ = program.kill();
        let _ = program.wait();
        let _ = Command::new("umount").arg("-l").arg(&place).status();
        assert_eq!(answer, Ok((Ok(true), Err(Errno::XDEV), Err(Errno::XDEV))));
    }
}
