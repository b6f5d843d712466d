//! Opening below a root without leaving it.

use super::kept::Kept;
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

/// An open directory.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) top: OwnedFd,
    pub(super) live: bool,
    /// Files that stay open, where the same ones are read again and again.
    pub(super) kept: Option<Kept>,
}

impl Directory {
    pub(super) fn open(path: &Path, live: bool) -> io::Result<Self> {
        Ok(Self { top: top(path)?, live, kept: None })
    }
}

/// The root directory itself.
fn top(path: &Path) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(CWD, path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// What every open has: nothing found in a tree may block us (a FIFO) or become our terminal. Next to
/// `O_PATH`, which opens nothing, openat2 refuses both.
pub(super) fn always(flags: OFlags) -> OFlags {
    let guard =
        if flags.contains(OFlags::PATH) { OFlags::empty() } else { OFlags::NONBLOCK | OFlags::NOCTTY };
    flags | OFlags::CLOEXEC | guard
}

pub(super) fn has_kind(stat: &Stat, kind: FileType) -> bool {
    FileType::from_raw_mode(stat.st_mode) == kind
}

/// Opening a device may already do something: a watchdog starts to count, a tape rewinds. A FIFO waits.
fn is_harmless(file: &OwnedFd) -> Result<(), Errno> {
    let stat = rustix::fs::fstat(file)?;
    let harmless = [FileType::RegularFile, FileType::Directory].iter().any(|kind| has_kind(&stat, *kind));
    if harmless { Ok(()) } else { Err(Errno::LOOP) }
}

/// Opens a regular file to be read, judged by what is opened: what is swapped for it meanwhile is not waited for, and no
/// device is touched. `flags`: what else the way to it may or may not be (`NOFOLLOW`).
pub fn open_regular(path: &Path, flags: OFlags) -> io::Result<File> {
    let found = rustix::fs::open(path, OFlags::PATH | flags | OFlags::CLOEXEC, Mode::empty())?;
    let is_regular =
        |file: &OwnedFd| Ok::<_, Errno>(has_kind(&rustix::fs::fstat(file)?, FileType::RegularFile));
    let no_file = || io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
    if !is_regular(&found)? {
        return Err(no_file());
    }
    let read = |path: &Path| rustix::fs::open(path, always(flags), Mode::empty());
    let file = match rustix::fs::open(by_descriptor(&found), always(OFlags::RDONLY), Mode::empty()) {
        Err(Errno::NOENT) => read(path)?, // without /proc
        other => other?,
    };
    if is_regular(&file)? { Ok(file.into()) } else { Err(no_file()) }
}

fn by_descriptor(file: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// The kernel's own files are what readers ask for by the thousand, and no device is among them.
fn is_kernels(path: &str) -> bool {
    let mut names = path.split('/').filter(|name| !name.is_empty() && *name != ".");
    matches!(names.next(), Some("proc" | "sys")) && names.all(|name| name != "..")
}

/// On the live host: outside `/proc` and `/sys` only directories and regular files are opened for reading.
fn live(root: &Directory, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let open = |flags| rustix::fs::openat(&root.top, path, always(flags), Mode::empty());
    if flags.contains(OFlags::PATH) || is_kernels(path) {
        return open(flags);
    }
    let found = open(OFlags::PATH)?;
    is_harmless(&found)?;
    match rustix::fs::open(by_descriptor(&found), always(flags), Mode::empty()) {
        Err(Errno::NOENT) => open(flags), // without /proc no process names a path: this one is our own
        other => other,
    }
}

/// A path below the root. In a captured tree only directories and regular files are opened for reading.
pub(super) fn beneath(root: &Directory, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let path = path.trim_start_matches('/');
    let path = if path.is_empty() { "." } else { path };
    if root.live {
        return live(root, path, flags);
    }
    let confined = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
    let file = match rustix::fs::openat2(&root.top, path, always(flags), Mode::empty(), confined) {
        // Kernels before 5.6 lack the call; some container runtimes forbid what they do not know.
        Err(Errno::NOSYS | Errno::PERM) => walked(root, path, flags)?,
        other => other?,
    };
    if !flags.contains(OFlags::PATH) {
        is_harmless(&file)?;
    }
    Ok(file)
}

/// The same with older means.
fn walked(root: &Directory, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let way = fullwire_way::walk(&root.top, Path::new(path), !flags.contains(OFlags::NOFOLLOW), |_| Ok(()))?;
    let found = way.found()?;
    if flags.contains(OFlags::PATH) {
        return Ok(found);
    }
    is_harmless(&found)?;
    rustix::fs::open(by_descriptor(&found), always(flags.difference(OFlags::NOFOLLOW)), Mode::empty())
}

#[cfg(test)]
impl super::Root {
    /// A host whose files are below a folder, read as this one is.
    pub(crate) fn live_below(path: &Path) -> io::Result<Self> {
        Ok(Self::of(super::Source::Directory(Directory::open(path, true)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> (tempfile::TempDir, Directory) {
        let dir = tempfile::tempdir().expect("a temporary directory");
        std::fs::create_dir_all(dir.path().join("tree/proc")).expect("made");
        std::fs::write(dir.path().join("secret"), "out").expect("written");
        std::fs::write(dir.path().join("tree/proc/stat"), "in").expect("written");
        for (target, link) in [
            ("../secret", "up"),
            ("/proc/stat", "absolute"),
            ("proc/stat", "inside"),
            ("../../secret", "proc/far"),
        ] {
            std::os::unix::fs::symlink(target, dir.path().join("tree").join(link)).expect("linked");
        }
        let root = Directory::open(&dir.path().join("tree"), false).expect("opened");
        (dir, root)
    }

    #[test]
    fn no_link_leads_out_of_a_tree() {
        let (_dir, root) = tree();
        assert_eq!(root.attribute("/inside").expect("read"), "in");
        assert_eq!(root.attribute("/absolute").expect("read"), "in", "absolute targets start at the top");
        assert!(root.attribute("/up").is_err());
        assert!(root.attribute("/proc/far").is_err());
        assert!(root.attribute("/../secret").is_err());
        assert_eq!(root.link("/up", None).as_deref(), Some("../secret"), "the text of a link may be read");
    }

    #[test]
    fn nor_does_it_on_a_kernel_without_openat2() {
        let (_dir, root) = tree();
        assert!(walked(&root, "inside", OFlags::RDONLY).is_ok());
        assert_eq!(walked(&root, "up", OFlags::RDONLY).unwrap_err(), Errno::NOENT);
        assert!(walked(&root, "proc/far", OFlags::RDONLY).is_err());
        assert!(walked(&root, "../secret", OFlags::RDONLY).is_err());
        assert!(walked(&root, "up", OFlags::PATH | OFlags::NOFOLLOW).is_ok());
    }

    /// Whatever takes its name after somebody has looked: it is judged by the descriptor, and nobody waits.
    #[test]
    fn a_file_is_what_was_opened() {
        let (dir, _) = tree();
        let at = |name: &str| dir.path().join("tree").join(name);
        rustix::fs::mknodat(CWD, at("fifo"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
            .expect("made a fifo");
        let kind = |name: &str, flags| open_regular(&at(name), flags).map_err(|error| error.kind());
        assert!(kind("proc/stat", OFlags::NOFOLLOW).is_ok() && kind("inside", OFlags::empty()).is_ok());
        for (name, flags) in [
            ("fifo", OFlags::empty()),
            ("proc", OFlags::empty()),
            ("inside", OFlags::NOFOLLOW),
            ("/dev/null", OFlags::empty()),
        ] {
            assert_eq!(kind(name, flags).map(drop), Err(io::ErrorKind::InvalidInput), "{name}");
        }
        assert_eq!(kind("none", OFlags::empty()).map(drop), Err(io::ErrorKind::NotFound));
        assert!(crate::Root::tree(&at("fifo")).is_err());
        // In the folders of other tools too.
        std::fs::create_dir(at("oswiostat")).expect("made");
        rustix::fs::mknodat(
            CWD,
            at("oswiostat/x_24.01.01.0000.dat"),
            FileType::Fifo,
            Mode::RUSR | Mode::WUSR,
            0,
        )
        .expect("made");
        rustix::fs::mknodat(CWD, at("basic-environment.txt"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
            .expect("made");
        assert!(crate::Root::tree(&at("")).is_ok());
    }

    #[test]
    fn no_device_of_the_live_host_is_opened() {
        let (dir, _) = tree();
        let fifo = dir.path().join("tree/fifo");
        rustix::fs::mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("made a fifo");
        let root = Directory::open(&dir.path().join("tree"), true).expect("opened");
        assert!(root.attribute("/inside").is_ok(), "a regular file behind a link");
        assert_eq!(beneath(&root, "fifo", OFlags::RDONLY).map(drop), Err(Errno::LOOP));
        let root = Directory::open(Path::new("/"), true).expect("opened");
        for path in ["dev/full", "dev/null", "proc/../dev/full", "/dev//full"] {
            assert_eq!(beneath(&root, path, OFlags::RDONLY).map(drop), Err(Errno::LOOP), "{path}");
        }
        assert!(beneath(&root, "etc", OFlags::RDONLY | OFlags::DIRECTORY).is_ok());
        assert!(root.attribute("/proc/uptime").is_ok());
    }

    #[test]
    fn a_device_or_fifo_in_a_tree_is_not_opened() {
        let (dir, root) = tree();
        let fifo = dir.path().join("tree/fifo");
        rustix::fs::mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("made a fifo");
        assert!(root.attribute("/fifo").is_err());
    }
}
