//! A directory that stands for a host's `/`: the live one, or a tree on disk.

use super::ATTRIBUTE_BYTES;
use super::kept::Kept;
use super::named::{self, FIRST_OF_PEOPLE, Owner};
use super::open::{self, Directory};
use crate::text;
use rustix::fs::{Dir, OFlags, Stat, fstat};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

/// Entries of one directory: `/proc` of a very busy host has some 100,000.
const MAX_ENTRIES: usize = 262_144;

/// What lies on a server that is gone, or in a file system of a user's own program, may never answer; a disk in trouble takes seconds.
const PATIENCE: Duration = Duration::from_secs(5);
/// After so many that did not answer no more is asked of what processes of that user name: each leaves a thread behind.
const MOST_SILENT: usize = 3;
/// And after so many of people: one may have processes of many numbers (subuid(5)).
const MOST_SILENT_OF_PEOPLE: usize = 12;
static SILENT: Mutex<BTreeMap<u32, usize>> = Mutex::new(BTreeMap::new());

impl Directory {
    /// Does this for a user's process, by a thread that is left behind when it does not come back in time.
    fn in_time<T: Send + 'static>(
        &self,
        uid: u32,
        work: impl FnOnce(&Self) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let silent = || Errno::TIMEDOUT.into();
        let of_users = || SILENT.lock().unwrap_or_else(PoisonError::into_inner);
        let is_given_up = |of_users: &BTreeMap<u32, usize>| {
            let of_people = of_users.range(FIRST_OF_PEOPLE..).map(|(_, silent)| silent).sum::<usize>();
            of_users.get(&uid).is_some_and(|silent| *silent >= MOST_SILENT)
                || uid >= FIRST_OF_PEOPLE && of_people >= MOST_SILENT_OF_PEOPLE
        };
        if is_given_up(&of_users()) {
            return Err(silent());
        }
        let own = Self { top: self.top.try_clone()?, live: self.live, kept: None };
        let (sender, receiver) = mpsc::sync_channel(1);
        std::thread::Builder::new().name("patient".into()).spawn(move || sender.send(work(&own)))?;
        receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| {
            *of_users().entry(uid).or_default() += 1;
            Err(silent())
        })
    }

    /// Up to `limit` bytes, and whether the file goes on. Of a path that a process of the live host named only what its
    /// owner may read; in a captured tree rights and owners are those of the user who unpacked it.
    pub(super) fn read(
        &self,
        path: &str,
        limit: usize,
        owner: Option<&Owner>,
    ) -> io::Result<(Vec<u8>, bool)> {
        if owner.is_none()
            && let Some(kept) = self.kept.as_ref().filter(|_| Kept::keeps(path))
        {
            let mut bytes = Vec::new();
            let cut = kept.read(path, || open::beneath(self, path, OFlags::RDONLY), &mut bytes, limit)?;
            return Ok((bytes, cut));
        }
        match owner.filter(|_| self.live) {
            Some(owner) => {
                let (path, owner) = (path.to_owned(), owner.clone());
                self.in_time(owner.uid, move |own| read_all(&named::file(own, &path, &owner)?, limit))
            }
            None => read_all(&open::beneath(self, path, OFlags::RDONLY)?, limit),
        }
    }

    /// A sysfs attribute in one read.
    pub(super) fn attribute(&self, path: &str) -> io::Result<String> {
        if let Some(kept) = self.kept.as_ref().filter(|_| Kept::keeps(path)) {
            let mut bytes = Vec::new();
            kept.read(path, || open::beneath(self, path, OFlags::RDONLY), &mut bytes, ATTRIBUTE_BYTES)?;
            return Ok(String::from_utf8_lossy(&bytes).trim().to_owned());
        }
        let file = open::beneath(self, path, OFlags::RDONLY)?;
        let mut buffer = [0_u8; ATTRIBUTE_BYTES];
        let read = rustix::io::retry_on_intr(|| rustix::io::read(&file, &mut buffer))?;
        Ok(String::from_utf8_lossy(&buffer[..read]).trim().to_owned())
    }

    pub(super) fn list(&self, path: &str, owner: Option<&Owner>) -> io::Result<Vec<String>> {
        match owner.filter(|_| self.live) {
            Some(owner) => {
                let (path, owner) = (path.to_owned(), owner.clone());
                self.in_time(owner.uid, move |own| entries(named::directory(own, &path, &owner)?))
            }
            None => entries(open::beneath(self, path, OFlags::RDONLY | OFlags::DIRECTORY)?),
        }
    }

    pub(super) fn link(&self, path: &str, owner: Option<&Owner>) -> Option<String> {
        let target = match owner.filter(|_| self.live) {
            Some(owner) => {
                let (path, owner) = (path.to_owned(), owner.clone());
                self.in_time(owner.uid, move |own| target(&named::link(own, &path, &owner)?))
            }
            None => open::beneath(self, path, OFlags::PATH | OFlags::NOFOLLOW)
                .map_err(io::Error::from)
                .and_then(|link| target(&link)),
        };
        target.ok()
    }

    /// What is there. A process names much without a word: its program, where it works and its root lie wherever it likes.
    pub(super) fn stat(&self, path: &str, owner: Option<&Owner>) -> io::Result<Stat> {
        let found = |own: &Self, path: &str| open::beneath(own, path, OFlags::PATH);
        let path = path.to_owned();
        match (owner.filter(|_| self.live), self.user_of_process(&path)) {
            (Some(owner), _) => {
                let owner = owner.clone();
                self.in_time(owner.uid, move |own| Ok(named::status(own, &path, &owner)?))
            }
            (None, Some(uid)) => self.in_time(uid, move |own| Ok(fullwire_way::status(&found(own, &path)?)?)),
            (None, None) => Ok(fstat(found(self, &path)?)?),
        }
    }

    /// Whose process a path of the live host begins at. The owner of its directory does not tell: of a set-uid program that is root
    /// (proc(5)), and what it names is whose who started it.
    fn user_of_process(&self, path: &str) -> Option<u32> {
        let (pid, _) = path.strip_prefix("/proc/").filter(|_| self.live)?.split_once('/')?;
        let path = format!("/proc/{}/status", pid.parse::<u32>().ok()?);
        let (status, _) =
            read_all(&open::beneath(self, &path, OFlags::RDONLY).ok()?, ATTRIBUTE_BYTES).ok()?;
        let status = String::from_utf8_lossy(&status);
        text::field(&status, "Uid")?.split_whitespace().next()?.parse().ok()
    }

    /// It is another directory than the top.
    pub(super) fn is_other(&self, path: &str) -> io::Result<bool> {
        let identity = |stat: Stat| (stat.st_dev, stat.st_ino);
        Ok(identity(self.stat(path, None)?) != identity(fstat(&self.top)?))
    }

    /// The device that a node stands for, `MAJOR:MINOR`. It is not opened.
    pub(super) fn device(&self, path: &str) -> io::Result<String> {
        let node = self.stat(path, None)?;
        if rustix::fs::FileType::from_raw_mode(node.st_mode) != rustix::fs::FileType::BlockDevice {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(format!("{}:{}", rustix::fs::major(node.st_rdev), rustix::fs::minor(node.st_rdev)))
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        if path.starts_with("/proc/") {
            return self.stat(path, None).is_ok();
        }
        open::beneath(self, path, OFlags::PATH).is_ok()
    }
}

fn read_all(file: &OwnedFd, limit: usize) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    let mut buffer = [0_u8; 1 << 14];
    loop {
        match rustix::io::read(file, &mut buffer) {
            Ok(0) => return Ok((bytes, false)),
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        if bytes.len() > limit {
            bytes.truncate(limit);
            return Ok((bytes, true));
        }
    }
}

fn entries(directory: OwnedFd) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in Dir::new(directory)?.take(MAX_ENTRIES) {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy();
        if name != "." && name != ".." {
            names.push(name.into_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn target(link: &OwnedFd) -> io::Result<String> {
    Ok(rustix::fs::readlinkat(link, "", Vec::new())?.to_string_lossy().into_owned())
}

/// Has it that this user's files never answered.
#[cfg(test)]
pub(crate) fn silence(uid: u32) {
    SILENT.lock().unwrap_or_else(PoisonError::into_inner).insert(uid, MOST_SILENT);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::path::Path;
    use std::process::{Command, Stdio};

    /// Else any user keeps what other users' servers are set to from being read.
    #[test]
    fn the_silence_of_one_user_silences_no_other() {
        let root = Directory::open(Path::new("/"), true).expect("the root");
        let [silent, other] = [u32::MAX - 7, u32::MAX - 8];
        silence(silent);
        assert_eq!(
            root.in_time(silent, |_| Ok(())).map_err(|error| error.raw_os_error()),
            Err(Some(libc::ETIMEDOUT))
        );
        assert!(root.in_time(other, |_| Ok(())).is_ok());
        SILENT
            .lock()
            .unwrap()
            .extend((FIRST_OF_PEOPLE + 1..).take(MOST_SILENT_OF_PEOPLE - 1).map(|uid| (uid, 1)));
        assert!(
            root.in_time(other, |_| Ok(())).is_err() && root.in_time(FIRST_OF_PEOPLE - 1, |_| Ok(())).is_ok()
        );
        let own = std::process::id();
        assert_eq!(
            root.user_of_process(&format!("/proc/{own}/cwd/x")),
            Some(rustix::process::geteuid().as_raw())
        );
        assert_eq!(root.user_of_process("/proc/stat"), None);
        if !rustix::process::geteuid().is_root() {
            return crate::skips::skipped("needs root, who alone may become another user");
        }
        // As of a set-uid program: its directory in /proc is root's.
        let script = "import os, time; os.setresuid(65534, 0, 0); print(flush=True); time.sleep(60)";
        let mut process = Command::new("python3");
        process.args(["-c", script]).stdout(Stdio::piped());
        let Ok(mut child) = process.spawn() else { return crate::skips::skipped("needs python3") };
        let _ = child.stdout.take().expect("a pipe").read(&mut [0]);
        let user = root.user_of_process(&format!("/proc/{}/exe", child.id()));
        let _ = child.kill();
        let _ = child.wait();
        assert_eq!(user, Some(65_534));
    }
}
