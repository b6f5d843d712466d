//! The way to a file, and who can lead it elsewhere. Root may be sent into a directory of another user, and that user chooses what
//! a link there leads to: the key of another program, root's own file. So a path is walked one name at a time, on open
//! descriptors, and nothing is exchanged between a look and the next step. Each caller says which hands it trusts.
#![forbid(unsafe_code)]

#[cfg(test)]
#[path = "../../../tests/skips.rs"]
mod skips;
mod walk;

use rustix::fs::{Mode, OFlags, open, openat};
use rustix::process::geteuid;
use std::ffi::OsString;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
pub use walk::{Step, Way, status, walk};

/// When a directory in which all may make files, and each may take away only their own, leads nothing elsewhere: such as /tmp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sticky {
    /// What is looked for is there and ours: nobody else takes it away.
    Counts,
    /// Not where the last name lies: others may make that one first, or a file beside it.
    CountsAbove,
    /// Who is there first has it.
    Never,
}

impl Way {
    /// The way from the top. A link that leads to nothing is an error.
    pub fn to(path: &Path) -> Result<Self> {
        let top = open("/", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        Ok(walk(&top, &std::path::absolute(path)?, true, |_| Ok(()))?)
    }

    /// Nobody but root and this user can lead it elsewhere: theirs are all directories and links on it, and no other may exchange
    /// what is in them. A user has chosen who shares a group with them; for root, and for who is not us, its members are others.
    pub fn is_of(&self, uid: u32, sticky: Sticky) -> bool {
        let last = self.passed.iter().rposition(Step::is_directory);
        self.passed.iter().enumerate().all(|(at, step)| {
            step.is_of(uid, sticky == Sticky::Counts || sticky == Sticky::CountsAbove && Some(at) != last)
        })
    }

    /// Who else than root and we owns something on it, or what it leads to; the nearest of them.
    pub fn stranger(&self) -> Option<u32> {
        self.passed.iter().chain([&self.end]).rev().find_map(Step::stranger)
    }

    /// Whether another user cannot come to what it leads to: up to a directory of root's that lets in nobody else, all is root's.
    pub fn is_closed(&self) -> bool {
        let closed =
            self.passed.iter().position(|step| step.is_directory() && step.stat.st_mode & 0o011 == 0);
        closed.is_some_and(|closed| self.passed[..=closed].iter().all(|step| step.is_of(0, true)))
    }

    /// Whether it has come to what another user owns, and then a link or a step up led to what is not that user's. systemd does
    /// the like (`CHASE_SAFE`, src/basic/chase.c).
    fn is_led(&self) -> bool {
        let (mut stranger, mut led) = (None, false);
        for step in self.passed.iter().chain([&self.end]) {
            led |= stranger.is_some() && step.is_up;
            stranger = stranger.or(step.stranger());
            led |= stranger.is_some() && step.is_link();
        }
        led && stranger != Some(self.end.stat.st_uid)
    }
}

/// A directory that was opened, and the name of what lies in it.
#[derive(Debug)]
pub struct Spot {
    /// The directory: what happens to its name afterwards does not matter.
    pub directory: OwnedFd,
    /// The last part of the path.
    pub name: OsString,
}

/// Where a file of this path lies.
pub fn spot(path: &Path) -> Result<Spot> {
    let name = path.file_name().ok_or(ErrorKind::IsADirectory)?.to_owned();
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(Spot { directory: directory(parent)?, name })
}

/// The path without links, for a program that opens it by its name (`SQLite`); what is not there yet is at its end. Whoever opens
/// it looks whether somebody can exchange a part of it.
pub fn real(path: &Path) -> Result<PathBuf> {
    if geteuid().is_root() { Ok(safe(path)?.path) } else { Ok(path.to_owned()) }
}

/// Opens a directory in which something is made or removed. Root is led by no other user.
pub fn directory(path: &Path) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    if !geteuid().is_root() {
        return Ok(open(path, flags, Mode::empty())?);
    }
    Ok(openat(safe(path)?.found()?, ".", flags, Mode::empty())?)
}

/// The way to what no other user has it lead to.
fn safe(path: &Path) -> Result<Way> {
    let way = Way::to(path)?;
    if way.is_led() {
        let problem = "a link of another user is on the way, or a step up (..) from that user's directory, and it leads to what is \
                       not theirs: name it by its own path";
        return Err(Error::new(ErrorKind::PermissionDenied, problem));
    }
    Ok(way)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, chown, lchown, symlink};

    const NOBODY: u32 = 65_534;
    const ANOTHER: u32 = 65_533;

    /// `root/` is root's; `home/` is a user's, with links of that user in it. `None`: only root can make it.
    fn scene() -> Option<tempfile::TempDir> {
        if !rustix::process::geteuid().is_root() {
            crate::skips::skipped("needs root");
            return None;
        }
        let place = tempfile::tempdir().expect("a folder");
        for (folder, uid) in [
            ("root", 0),
            ("root/deep", 0),
            ("home", NOBODY),
            ("home/own", NOBODY),
            ("home/roots", 0),
            ("another", ANOTHER),
        ] {
            fs::create_dir(place.path().join(folder)).expect("made");
            chown(place.path().join(folder), Some(uid), None).expect("given");
        }
        for (link, target, uid) in [
            ("to-root", "root", 0),
            ("to-deep", "to-root/deep", 0),
            ("of-user", "root", NOBODY),
            ("of-user-home", "home/own", NOBODY),
            ("home/out", "../root", NOBODY),
            ("home/out-of-root", "../root", 0),
            ("home/own/back", "../own", NOBODY),
            ("home/to-another", "../another", NOBODY),
            ("to-home", "home", 0),
            ("round", "round", 0),
            ("home/own/nowhere", "../../not-yet", NOBODY),
        ] {
            symlink(target, place.path().join(link)).expect("linked");
            lchown(place.path().join(link), Some(uid), None).expect("given");
        }
        symlink(place.path().join("root"), place.path().join("home/whole")).expect("linked");
        lchown(place.path().join("home/whole"), Some(NOBODY), None).expect("given");
        Some(place)
    }

    #[test]
    fn a_link_of_another_user_leads_root_to_nothing_but_what_is_theirs() {
        let Some(place) = scene() else { return };
        let opened = |path: &str| directory(&place.path().join(path));
        for (path, leads_to) in [
            ("root/deep", "root/deep"),
            ("to-root", "root"),
            ("to-deep", "root/deep"),
            ("to-root/../root", "root"),
            ("home/own", "home/own"),
            ("home/roots", "home/roots"),
            ("of-user-home", "home/own"),
            ("home/own/back", "home/own"),
            ("to-home/own", "home/own"),
        ] {
            let inode = |file: fs::File| file.metadata().expect("status").ino();
            let found = inode(opened(path).unwrap_or_else(|error| panic!("{path}: {error}")).into());
            assert_eq!(found, fs::metadata(place.path().join(leads_to)).expect("status").ino(), "{path}");
        }
        for path in [
            "of-user", "of-user/deep", "home/out", "home/out/deep", "home/out-of-root", "home/whole",
            "home/to-another", "home/own/back/../../root", "home/..", "to-home/out",
        ] {
            let error = opened(path).expect_err(path);
            assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{path}: {error}");
        }
        for path in
            ["of-user", "home/out", "of-user/file", "of-user/not/there", "home/out/file", "home/own/nowhere"]
        {
            assert!(real(&place.path().join(path)).is_err(), "{path}");
        }
        let deep = real(&place.path().join("to-deep/not/there")).expect("root's own link");
        assert_eq!(deep, place.path().canonicalize().expect("there").join("root/deep/not/there"));
        assert_eq!(opened("round").expect_err("a circle").raw_os_error(), Some(Errno::LOOP.raw_os_error()));
        assert_eq!(opened("none").expect_err("absent").kind(), ErrorKind::NotFound);
    }
}
