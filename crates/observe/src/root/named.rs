//! Opening what a process named, with no more rights than its owner has.
//!
//! Anyone may start a process that calls itself a database server and names a file in its arguments. We may run
//! as root. So each directory on the way must let the process's owner pass, a link must be the owner's or root's, and the
//! file itself must be regular, owned by one of the two and readable by the owner.

use super::open::{Directory, always, has_kind};
use rustix::fs::{FileType, FsWord, Mode, OFlags, PROC_SUPER_MAGIC, Stat};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::Path;

/// `SYSFS_MAGIC` of `linux/magic.h`.
const SYSFS_MAGIC: FsWord = 0x6265_6572;

const READ: u32 = 4;
const SEARCH: u32 = 1;

/// `UID_MIN` of login.defs(5): services have lower numbers.
pub(crate) const FIRST_OF_PEOPLE: u32 = 1000;

/// Whose rights count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) uid: u32,
    pub(crate) groups: Vec<u32>,
    /// The process that sees another tree than we do: `/proc/PID/root` is where its paths start.
    pub(crate) inside: Option<u32>,
}

impl Owner {
    /// By the mode alone: an access list may grant more, and is not asked.
    fn may(&self, stat: &Stat, right: u32) -> bool {
        let shift = match () {
            () if self.uid == 0 => return true,
            () if stat.st_uid == self.uid => 6,
            () if self.groups.contains(&stat.st_gid) => 3,
            () => 0,
        };
        stat.st_mode >> shift & right != 0
    }

    fn trusts(&self, stat: &Stat) -> bool {
        stat.st_uid == 0 || stat.st_uid == self.uid
    }
}

/// A regular file for reading.
pub(super) fn file(root: &Directory, path: &str, owner: &Owner) -> Result<OwnedFd, Errno> {
    let (found, stat) = walk(root, path, owner, true)?;
    if !has_kind(&stat, FileType::RegularFile) {
        return Err(Errno::LOOP);
    }
    permit(owner, &stat)?;
    let descriptor = std::os::fd::AsRawFd::as_raw_fd(&found);
    let reopened = format!("/proc/self/fd/{descriptor}");
    let file = rustix::fs::open(reopened, always(OFlags::RDONLY), Mode::empty())?;
    of_no_kernel_file_system(file)
}

/// A directory for listing.
pub(super) fn directory(root: &Directory, path: &str, owner: &Owner) -> Result<OwnedFd, Errno> {
    let (found, stat) = walk(root, path, owner, true)?;
    permit(owner, &stat)?;
    let flags = always(OFlags::RDONLY | OFlags::DIRECTORY);
    of_no_kernel_file_system(rustix::fs::openat(&found, ".", flags, Mode::empty())?)
}

/// A symbolic link itself.
pub(super) fn link(root: &Directory, path: &str, owner: &Owner) -> Result<OwnedFd, Errno> {
    Ok(walk(root, path, owner, false)?.0)
}

fn permit(owner: &Owner, stat: &Stat) -> Result<(), Errno> {
    match () {
        () if !owner.trusts(stat) => Err(Errno::PERM),
        () if !owner.may(stat, READ) => Err(Errno::ACCESS),
        () => Ok(()),
    }
}

/// What `/proc` and `/sys` show depends on who asks, whatever the mode says.
fn of_no_kernel_file_system(file: OwnedFd) -> Result<OwnedFd, Errno> {
    let kind = rustix::fs::fstatfs(&file)?.f_type;
    if [PROC_SUPER_MAGIC, SYSFS_MAGIC].contains(&kind) { Err(Errno::PERM) } else { Ok(file) }
}

/// Where an owner's process starts from, and the path from there: a link in its container leads to what is in the container.
fn start<'a>(root: &Directory, path: &'a str, owner: &Owner) -> Result<(OwnedFd, &'a str), Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let inside = owner.inside.and_then(|pid| {
        let top = format!("/proc/{pid}/root");
        let below = path.strip_prefix(&top).filter(|below| below.is_empty() || below.starts_with('/'))?;
        Some((top, below))
    });
    match inside {
        Some((top, below)) => {
            Ok((rustix::fs::openat(&root.top, top.trim_start_matches('/'), flags, Mode::empty())?, below))
        }
        None => Ok((rustix::fs::openat(&root.top, ".", flags, Mode::empty())?, path)),
    }
}

/// What is at a path.
pub(super) fn status(root: &Directory, path: &str, owner: &Owner) -> Result<Stat, Errno> {
    Ok(walk(root, path, owner, true)?.1)
}

/// What is at a path, as a descriptor that opens nothing.
fn walk(root: &Directory, path: &str, owner: &Owner, follow_last: bool) -> Result<(OwnedFd, Stat), Errno> {
    let (top, path) = start(root, path, owner)?;
    let way = fullwire_way::walk(&top, Path::new(path), follow_last, |step| match () {
        // Nothing ends a question that it leaves open.
        () if step.is_of_a_foreign_program() => Err(Errno::XDEV),
        () if step.is_link() && !owner.trusts(&step.stat) => Err(Errno::LOOP),
        () if step.is_directory() && !owner.may(&step.stat, SEARCH) => Err(Errno::ACCESS),
        () => Ok(()),
    })?;
    let stat = way.end.stat;
    if way.end.is_of_a_foreign_program() { Err(Errno::XDEV) } else { Ok((way.found()?, stat)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, create_dir_all, set_permissions, write};
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    const EVIL: u32 = 65_534;

    fn evil() -> Owner {
        Owner { uid: EVIL, groups: vec![EVIL], inside: None }
    }

    fn mode(path: &Path, mode: u32) {
        set_permissions(path, Permissions::from_mode(mode)).expect("changed");
    }

    /// `tree/home` is the attacker's, the rest is root's; the tests need root for that.
    fn scene() -> Option<(tempfile::TempDir, Directory)> {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let top = dir.path().join("tree");
        for (path, text, rights) in [
            ("etc/shadow", "root:$6$hash", 0o600),
            ("etc/open", "for all", 0o644),
            ("closed/open", "behind a closed door", 0o644),
            ("home/own", "own", 0o600),
            ("home/own-unreadable", "own", 0o200),
            ("other/open", "another user's", 0o644),
        ] {
            let path = top.join(path);
            create_dir_all(path.parent().expect("below")).expect("made");
            write(&path, text).expect("written");
            mode(&path, rights);
        }
        mode(&top, 0o755);
        mode(&top.join("closed"), 0o700);
        for (link, target) in [
            ("home/shadow", "/etc/shadow"),
            ("home/up", "../etc/shadow"),
            ("home/closed", "/closed/open"),
            ("home/open", "/etc/open"),
            ("home/round", "round"),
            ("home/proc", "/proc/self/maps"),
        ] {
            symlink(target, top.join(link)).expect("linked");
        }
        symlink("/etc/open", top.join("other/link")).expect("linked");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            top.join("home/fifo"),
            FileType::Fifo,
            Mode::from_raw_mode(0o666),
            0,
        )
        .expect("a fifo");
        for (path, owner) in
            [("home", EVIL), ("home/own", EVIL), ("home/own-unreadable", EVIL), ("other/open", 1234)]
        {
            if chown(top.join(path), Some(owner), Some(owner)).is_err() {
                crate::skips::skipped("needs root, who alone may give files away");
                return None;
            }
        }
        for link in ["home/shadow", "home/up", "home/closed", "home/open", "home/round", "home/proc"] {
            std::os::unix::fs::lchown(top.join(link), Some(EVIL), Some(EVIL)).expect("given");
        }
        std::os::unix::fs::lchown(top.join("other/link"), Some(1234), Some(1234)).expect("given");
        let root = Directory::open(&top, true).expect("opened");
        Some((dir, root))
    }

    #[test]
    fn nothing_is_opened_that_the_process_could_not_open_itself() {
        let Some((_dir, root)) = scene() else { return };
        let open = |path: &str| file(&root, path, &evil()).map(drop);
        for (path, refusal) in [
            ("/etc/shadow", Errno::ACCESS),
            ("/home/shadow", Errno::ACCESS),
            ("/home/up", Errno::ACCESS),
            ("/home/closed", Errno::ACCESS),
            ("/closed/open", Errno::ACCESS),
            ("/home/own-unreadable", Errno::ACCESS),
            ("/other/open", Errno::PERM),
            ("/other/link", Errno::LOOP),
            ("/home/round", Errno::LOOP),
            ("/home/fifo", Errno::LOOP),
            ("/home", Errno::LOOP),
            ("/home/own/below", Errno::NOTDIR),
            ("/none", Errno::NOENT),
        ] {
            assert_eq!(open(path), Err(refusal), "{path}");
        }
        for path in ["/etc/open", "/home/own", "/home/open", "/home/../etc/open"] {
            assert_eq!(open(path), Ok(()), "{path}");
        }
    }

    #[test]
    fn a_group_counts_and_a_directory_is_listed_by_whom_it_lets() {
        let Some((dir, root)) = scene() else { return };
        let shadow = dir.path().join("tree/etc/shadow");
        mode(&shadow, 0o640);
        chown(&shadow, None, Some(77)).expect("given to a group");
        let member = Owner { groups: vec![77], ..evil() };
        assert!(file(&root, "/etc/shadow", &member).is_ok());
        assert!(file(&root, "/etc/shadow", &evil()).is_err());
        assert!(directory(&root, "/etc", &evil()).is_ok());
        assert_eq!(directory(&root, "/closed", &evil()).map(drop), Err(Errno::ACCESS));
        assert!(link(&root, "/home/shadow", &evil()).is_ok(), "the text of its own link");
        assert_eq!(link(&root, "/closed/open", &evil()).map(drop), Err(Errno::ACCESS));
    }

    #[test]
    fn kernel_files_and_devices_are_refused() {
        let root = Directory::open(Path::new("/"), true).expect("the live root");
        for path in [
            "/proc/self/maps",
            "/proc/version",
            "/sys/kernel/mm/transparent_hugepage/enabled",
            "/dev/full",
            "/dev/null",
        ] {
            assert!(file(&root, path, &evil()).is_err(), "{path}");
            assert!(file(&root, path, &Owner { uid: 0, groups: vec![0], inside: None }).is_err(), "{path}");
        }
    }
}
