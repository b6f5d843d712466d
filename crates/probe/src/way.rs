//! The way to where something is made or removed. Root may be sent into a directory of another user, and that user chooses what
//! a link there leads to: without this, where root's file lies.

use rustix::fs::{Mode, OFlags, fstat, open, openat, readlinkat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::io::{Error, ErrorKind, Result};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

/// Links that one path may pass, as in the kernel (`path_resolution(7)`).
const MOST_LINKS: usize = 40;

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
    if !rustix::process::geteuid().is_root() {
        return Ok(path.to_owned());
    }
    let mut above = Some(path);
    while let Some(part) = above {
        let named = if part.as_os_str().is_empty() { Path::new(".") } else { part };
        match walked(named) {
            // A link that leads to nothing: what is made through it lies where its owner says.
            Err(error) if error.kind() == ErrorKind::NotFound && std::fs::symlink_metadata(named).is_ok() => {
                return Err(error);
            }
            Err(error) if error.kind() == ErrorKind::NotFound => above = part.parent(),
            Err(error) => return Err(error),
            Ok(found) => {
                let own = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&found));
                let rest = path.strip_prefix(part).unwrap_or(path);
                // Without /proc the path is as it was given.
                let Ok(found) = std::fs::read_link(own) else { break };
                return Ok(if rest.as_os_str().is_empty() { found } else { found.join(rest) });
            }
        }
    }
    Ok(path.to_owned())
}

/// Opens a directory in which something is made or removed. For root the way is walked one name at a time, on open descriptors:
/// once it has come to what another user owns, what a link or a step up leads to must be that user's too. systemd does the like
/// (`CHASE_SAFE`, src/basic/chase.c).
pub fn directory(path: &Path) -> Result<OwnedFd> {
    if rustix::process::geteuid().is_root() {
        Ok(opened(&walked(path)?, ".")?)
    } else {
        Ok(opened(rustix::fs::CWD, path)?)
    }
}

fn opened(at: impl std::os::fd::AsFd, path: impl rustix::path::Arg) -> rustix::io::Result<OwnedFd> {
    openat(at, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// What the path leads to, neither read nor written.
fn walked(path: &Path) -> Result<OwnedFd> {
    let own = rustix::process::geteuid().as_raw();
    let other = |uid: u32| (uid != own && uid != 0).then_some(uid);
    let here = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut at = open(if path.is_absolute() { "/" } else { "." }, here, Mode::empty())?;
    let mut waiting = names(path);
    // Who owned the first thing on the way that is not ours, and whether a link or a step up came after it.
    let (mut stranger, mut led, mut links) = (other(fstat(&at)?.st_uid), false, 0);
    while let Some(name) = waiting.pop() {
        led |= stranger.is_some() && name == OsStr::new("..");
        let next = openat(&at, &name, here, Mode::empty())?;
        let status = fstat(&next)?;
        stranger = stranger.or(other(status.st_uid));
        if rustix::fs::FileType::from_raw_mode(status.st_mode) != rustix::fs::FileType::Symlink {
            at = next;
            continue;
        }
        links += 1;
        if links > MOST_LINKS {
            return Err(Errno::LOOP.into());
        }
        led |= stranger.is_some();
        let target = PathBuf::from(OsString::from_vec(readlinkat(&next, "", Vec::new())?.into_bytes()));
        if target.is_absolute() {
            at = open("/", here, Mode::empty())?;
        }
        waiting.extend(names(&target));
    }
    if led && stranger != Some(fstat(&at)?.st_uid) {
        let problem = "a link of another user is on the way, or a step up (..) from that user's directory, and it leads to what is \
                       not theirs: name it by its own path";
        return Err(Error::new(ErrorKind::PermissionDenied, problem));
    }
    Ok(at)
}

/// The names of a path, the first one last.
fn names(path: &Path) -> Vec<OsString> {
    let parts =
        path.components().rev().filter(|part| !matches!(part, Component::RootDir | Component::CurDir));
    parts.map(|part| part.as_os_str().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
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
            "of-user",
            "of-user/deep",
            "home/out",
            "home/out/deep",
            "home/out-of-root",
            "home/whole",
            "home/to-another",
            "home/own/back/../../root",
            "home/..",
            "to-home/out",
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
