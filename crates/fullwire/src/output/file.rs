//! Files that a command makes: results, logs, archives. Each lies in a directory that is opened once ([`spot`]), and what is in
//! its place is looked at and opened there.

use super::plain;
use anyhow::{Context, Result};
use fullwire_present::Printed;
use fullwire_way::{Spot, spot};
use rustix::fs::{AtFlags, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::Errno;
use std::fs::{File, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// Writes a result to a file that only its owner reads, or to stdout when it is called `-`.
pub(crate) fn write_to(path: &Path, text: &Printed) -> Result<()> {
    write_file(path, text, 0o600)
}

/// Writes next to the file and renames: whoever reads meanwhile sees the old one or the new one whole, and a link in its
/// place is replaced, never followed. Devices and pipes, and what this process has open, are written as they are.
pub(crate) fn write_file(path: &Path, text: &Printed, mode: u32) -> Result<()> {
    if path == Path::new("-") {
        return plain(text);
    }
    let bytes = text.as_bytes();
    let written = match own(path) {
        Some(file) => file.and_then(|mut file| file.write_all(bytes)),
        None => spot(path).and_then(|spot| match stream(&spot) {
            Some(stream) => stream.and_then(|mut stream| stream.write_all(bytes)),
            None => replaced(&spot, bytes, mode),
        }),
    };
    written.with_context(|| format!("write {}", path.display()))
}

/// Adds to a log that the user keeps, or writes to stdout when it is called `-`.
pub(crate) fn append(path: &Path, text: &Printed) -> Result<()> {
    if path == Path::new("-") {
        return plain(text);
    }
    log(path)?.write_all(text.as_bytes()).with_context(|| format!("write {}", path.display()))
}

/// A log that is added to. A link in its place is not followed: in a directory of another user it leads where they like.
pub(crate) fn log(path: &Path) -> Result<File> {
    let end = |spot: &Spot| {
        let flags = OFlags::WRONLY
            | OFlags::APPEND
            | OFlags::CREATE
            | OFlags::NOFOLLOW
            | OFlags::NONBLOCK
            | OFlags::CLOEXEC;
        match openat(&spot.directory, &spot.name, flags, Mode::from_raw_mode(0o644)) {
            Err(Errno::LOOP) => Err(io::Error::other("it is a link: name the file that it leads to")),
            opened => own_name(File::from(opened?)),
        }
    };
    let there = || spot(path).and_then(|spot| stream(&spot).unwrap_or_else(|| end(&spot)));
    own(path).unwrap_or_else(there).with_context(|| format!("open {}", path.display()))
}

/// A file of root's may have been given this name by whoever owns the directory (link(2)).
fn own_name(file: File) -> io::Result<File> {
    match file.metadata()? {
        status if rustix::process::geteuid().is_root() && status.is_file() && status.nlink() > 1 => {
            Err(io::Error::other("it has another name: name a file of its own"))
        }
        _ => Ok(file),
    }
}

/// A new file that only its owner reads, and what takes it away again.
pub(crate) fn create(path: &Path) -> Result<(File, impl Fn() + use<>)> {
    let made = || -> io::Result<(File, Spot)> {
        let spot = spot(path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok((openat(&spot.directory, &spot.name, flags, Mode::RUSR | Mode::WUSR)?.into(), spot))
    };
    let (file, spot) = made().with_context(|| format!("create {} (it must not exist)", path.display()))?;
    Ok((file, move || {
        // What cannot be removed is seen by whoever named it.
        let _ = unlinkat(&spot.directory, &spot.name, AtFlags::empty());
    }))
}

/// What this process has open, by the names that it has for it.
fn own(path: &Path) -> Option<io::Result<File>> {
    let is_own = ["/dev/stdout", "/dev/stderr"].map(Path::new).contains(&path)
        || path.parent().is_some_and(|parent| ["/dev/fd", "/proc/self/fd"].map(Path::new).contains(&parent));
    is_own.then(|| File::options().write(true).open(path))
}

/// What is no file to be replaced: it is looked at by a descriptor that opens nothing, and opened by that, so that nothing
/// else can be put in its place between. A pipe waits for its reader; another user's, laid where a result is to be, gets none.
fn stream(spot: &Spot) -> Option<io::Result<File>> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let there = openat(&spot.directory, &spot.name, flags, Mode::empty()).ok()?;
    let status = File::from(there.try_clone().ok()?).metadata().ok()?;
    let (kind, own) = (status.file_type(), [rustix::process::geteuid().as_raw(), 0]);
    let by_descriptor = format!("/proc/self/fd/{}", there.as_raw_fd());
    match () {
        () if kind.is_fifo() && !own.contains(&status.uid()) => {
            Some(Err(io::Error::other("it is another user's pipe")))
        }
        () if kind.is_char_device() || kind.is_fifo() => {
            Some(File::options().write(true).open(by_descriptor))
        }
        () if kind.is_block_device() || kind.is_socket() => {
            Some(Err(io::Error::other("it is a device or a socket")))
        }
        () if kind.is_dir() => Some(Err(ErrorKind::IsADirectory.into())),
        () => None,
    }
}

/// A new file that takes the place of what was there.
fn replaced(Spot { directory, name }: &Spot, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    // It does not end as a collector's pattern does.
    beside.push(format!(".{}", std::process::id()));
    let write = || -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(openat(directory, &beside, flags, Mode::RUSR | Mode::WUSR)?);
        file.write_all(bytes)?;
        file.set_permissions(Permissions::from_mode(mode))?;
        file.sync_all()?;
        Ok(renameat(directory, &beside, directory, name)?)
    };
    write().inspect_err(|_| {
        let _ = unlinkat(directory, &beside, AtFlags::empty());
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_added_to_and_a_link_to_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (log, link) = (folder.path().join("log"), folder.path().join("link"));
        for line in ["one", "two"] {
            append(&log, &Printed::lines(line)).unwrap();
        }
        assert_eq!(std::fs::read(&log).unwrap(), b"onetwo");
        std::os::unix::fs::symlink(&log, &link).unwrap();
        let error = format!("{:#}", append(&link, &Printed::lines("three")).unwrap_err());
        assert!(error.contains("it is a link"), "{error}");
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(folder.path().join("new"), &link).unwrap();
        assert!(append(&link, &Printed::lines("four")).is_err());
        assert!(!folder.path().join("new").exists() && std::fs::read(&log).unwrap() == b"onetwo");
        std::fs::hard_link(&log, folder.path().join("name")).unwrap();
        assert!(append(&log, &Printed::lines("five")).is_err() || !rustix::process::geteuid().is_root());
    }

    #[test]
    fn a_link_is_replaced_and_a_pipe_is_written() {
        let report = Printed::lines("a report");
        for parent in [std::env::temp_dir(), "/dev/shm".into()] {
            let Ok(folder) = tempfile::tempdir_in(&parent) else { continue };
            let (target, link) = (folder.path().join("target"), folder.path().join("link"));
            std::fs::write(&target, "before").unwrap();
            std::os::unix::fs::symlink(&target, &link).unwrap();
            write_to(&link, &report).unwrap();
            assert_eq!(std::fs::read(&target).unwrap(), b"before", "{}", parent.display());
            assert_eq!(std::fs::read(&link).unwrap(), b"a report");
            assert!(std::fs::symlink_metadata(&link).unwrap().is_file());
            let pipe = folder.path().join("pipe");
            rustix::fs::mknodat(
                rustix::fs::CWD,
                &pipe,
                rustix::fs::FileType::Fifo,
                Mode::RUSR | Mode::WUSR,
                0,
            )
            .unwrap();
            let reader = std::thread::spawn({
                let pipe = pipe.clone();
                move || std::fs::read(pipe).unwrap()
            });
            write_to(&pipe, &report).unwrap();
            assert_eq!(reader.join().unwrap(), b"a report", "whoever came first waited for the other");
            if std::os::unix::fs::chown(&pipe, Some(65_534), None).is_ok() {
                let error = format!("{:#}", write_to(&pipe, &report).unwrap_err());
                assert!(error.contains("another user's pipe"), "{error}");
            }
            // A link that leads to one is replaced as any other: whoever made it chooses no device for us.
            let device = folder.path().join("device");
            std::os::unix::fs::symlink("/dev/null", &device).unwrap();
            write_to(&device, &report).unwrap();
            assert!(std::fs::symlink_metadata(&device).unwrap().is_file());
            let socket = folder.path().join("socket");
            let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
            assert!(write_to(&socket, &report).is_err());
            assert!(std::fs::symlink_metadata(&socket).unwrap().file_type().is_socket());
        }
        write_to(Path::new("/dev/null"), &report).unwrap();
    }
}
