//! Where facts are read from: the live host, or a tree that was captured on another one.
//!
//! Every path is given as the host names it (`/proc/stat`) and resolved below the root. In a captured
//! tree a symbolic link never leads out: an absolute target starts again at the tree's top.

mod open;

use fullwire_model::{Gap, GapReason};
use rustix::fs::{Dir, OFlags};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// No kernel file that is read here is larger on any sane host; a captured log may be, and is cut.
pub const MAX_READ_BYTES: usize = 16 << 20;

/// A sysfs attribute is at most one page.
const ATTRIBUTE_BYTES: usize = 4096;

/// Entries of one directory: `/proc` of a very busy host has some 100,000.
const MAX_ENTRIES: usize = 262_144;

/// A directory that stands for a host's `/`.
#[derive(Debug)]
pub struct Root {
    top: OwnedFd,
    path: PathBuf,
    live: bool,
}

/// Why a root cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    /// The directory cannot be opened.
    #[error("cannot open the tree {}: {source}; give a directory that holds a host's files", path.display())]
    Open {
        /// What was given.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
}

impl Root {
    /// The host that we run on.
    pub fn live() -> Result<Self, RootError> {
        Self::open(Path::new("/"), true)
    }

    /// A captured tree: an unpacked sosreport, a capture, a fixture.
    pub fn tree(path: &Path) -> Result<Self, RootError> {
        Self::open(path, false)
    }

    fn open(path: &Path, live: bool) -> Result<Self, RootError> {
        let error = |source: io::Error| RootError::Open { path: path.to_owned(), source };
        let path = path.canonicalize().map_err(error)?;
        let top = open::top(&path).map_err(|errno| error(errno.into()))?;
        Ok(Self { top, path, live })
    }

    /// True on the host itself: the kernel may be asked; false: only files tell.
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// A file that every host has. Whatever keeps it from being read becomes a gap.
    pub fn read(&self, path: &str, gaps: &mut Vec<Gap>) -> Option<String> {
        self.read_limited(path, MAX_READ_BYTES, gaps, true)
    }

    /// A file that only some hosts have: absence is no gap, denial is.
    pub fn read_optional(&self, path: &str, gaps: &mut Vec<Gap>) -> Option<String> {
        self.read_limited(path, MAX_READ_BYTES, gaps, false)
    }

    /// The first `limit` bytes of a file; a cut is a gap.
    pub fn read_limited(
        &self,
        path: &str,
        limit: usize,
        gaps: &mut Vec<Gap>,
        expected: bool,
    ) -> Option<String> {
        match self.try_read(path, limit) {
            Ok((text, cut)) => {
                if cut {
                    let detail = format!("only the first {limit} bytes were read");
                    gaps.push(Gap::new(path, GapReason::Skipped, detail));
                }
                Some(text)
            }
            Err(error) => {
                let reason = gap_reason(&error);
                if expected || reason != GapReason::Absent {
                    gaps.push(gap_of(path, &error));
                }
                None
            }
        }
    }

    /// A file's text up to `limit` bytes, and whether it goes on. Bytes that are no UTF-8 are replaced.
    pub fn try_read(&self, path: &str, limit: usize) -> io::Result<(String, bool)> {
        let file = open::beneath(self, path, OFlags::RDONLY)?;
        let mut bytes = Vec::new();
        let mut buffer = [0_u8; 1 << 14];
        loop {
            match rustix::io::read(&file, &mut buffer) {
                Ok(0) => return Ok((into_text(bytes), false)),
                Ok(read) => bytes.extend_from_slice(&buffer[..read]),
                Err(rustix::io::Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
            if bytes.len() > limit {
                bytes.truncate(limit);
                return Ok((into_text(bytes), true));
            }
        }
    }

    /// A sysfs attribute, trimmed, in one read; `None` for whatever reason (many attributes refuse while a
    /// device is down). For facts whose absence is worth a gap use [`Root::read`].
    pub fn attribute(&self, path: &str) -> Option<String> {
        let file = open::beneath(self, path, OFlags::RDONLY).ok()?;
        let mut buffer = [0_u8; ATTRIBUTE_BYTES];
        let read = rustix::io::retry_on_intr(|| rustix::io::read(&file, &mut buffer)).ok()?;
        Some(String::from_utf8_lossy(&buffer[..read]).trim().to_owned())
    }

    /// An attribute that is a number.
    pub fn number<T: std::str::FromStr>(&self, path: &str) -> Option<T> {
        self.attribute(path)?.parse().ok()
    }

    /// An attribute that is `0` or `1`.
    pub fn flag(&self, path: &str) -> Option<bool> {
        match self.attribute(path)?.as_str() {
            "0" | "N" | "n" => Some(false),
            "1" | "Y" | "y" => Some(true),
            _ => None,
        }
    }

    /// The names in a directory, sorted; empty when there is none.
    pub fn list(&self, path: &str) -> Vec<String> {
        self.try_list(path).unwrap_or_default()
    }

    /// The names in a directory that every host has; a gap when it cannot be read.
    pub fn list_expected(&self, path: &str, gaps: &mut Vec<Gap>) -> Vec<String> {
        self.try_list(path).unwrap_or_else(|error| {
            gaps.push(gap_of(path, &error));
            Vec::new()
        })
    }

    /// The names in a directory, sorted.
    pub fn try_list(&self, path: &str) -> io::Result<Vec<String>> {
        let directory = open::beneath(self, path, OFlags::RDONLY | OFlags::DIRECTORY)?;
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

    /// The text of a symbolic link.
    pub fn link(&self, path: &str) -> Option<String> {
        let link = open::beneath(self, path, OFlags::PATH | OFlags::NOFOLLOW).ok()?;
        let target = rustix::fs::readlinkat(&link, "", Vec::new()).ok()?;
        Some(target.to_string_lossy().into_owned())
    }

    /// The last name of a symbolic link's target: sysfs points to a driver, a bus, a master that way.
    pub fn link_name(&self, path: &str) -> Option<String> {
        let target = self.link(path)?;
        target.rsplit('/').find(|name| !name.is_empty()).map(str::to_owned)
    }

    /// There is such a file or directory.
    pub fn exists(&self, path: &str) -> bool {
        open::beneath(self, path, OFlags::PATH).is_ok()
    }
}

/// Valid UTF-8 is taken over without a copy: nearly all that is read is.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The class of an obstacle.
pub(crate) fn gap_reason(error: &io::Error) -> GapReason {
    use rustix::io::Errno;
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::ACCESS | Errno::PERM) => GapReason::Denied,
        Some(Errno::NOENT | Errno::NOTDIR | Errno::NODEV | Errno::NXIO | Errno::SRCH) => GapReason::Absent,
        Some(Errno::TIMEDOUT) => GapReason::Timeout,
        Some(Errno::LOOP | Errno::XDEV) => GapReason::Skipped,
        _ => GapReason::Unsupported,
    }
}

/// What keeps a path from being read.
pub(crate) fn gap_of(path: &str, error: &io::Error) -> Gap {
    Gap::new(path, gap_reason(error), format!("cannot read {path}: {error}"))
}

/// A line that makes no sense. Lines count from 1.
pub(crate) fn malformed(path: &str, line: usize, what: &str) -> Gap {
    Gap::new(path, GapReason::Malformed, format!("{path}:{line}: {what}"))
}
