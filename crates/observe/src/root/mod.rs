//! Where facts are read from: the live host, or a tree that was captured on another one.
//!
//! Every path is given as the host names it (`/proc/stat`) and resolved below the root. In a captured
//! tree a symbolic link never leads out: an absolute target starts again at the tree's top.
//!
//! A captured tree is a directory or an archive of one (sosreport, supportconfig, `fullwire capture`, OSWatcher). What the
//! host says only when it is asked (netlink, ioctl, a daemon's socket) goes through [`Root::answer`]: the live
//! host is asked, a `fullwire capture` remembers, any other tree does not know.

mod archive;
mod directory;
mod kept;
mod memory;
mod named;
mod notes;
mod open;
mod oswatcher;
mod packed;
mod pseudonym;
mod scrub;
mod supportconfig;
mod told;

pub use archive::ArchiveError;
#[cfg(test)]
pub(crate) use directory::silence;
pub(crate) use named::{FIRST_OF_PEOPLE, Owner};
pub(crate) use notes::{NOTES_FORMAT, NOTES_PATH, Notes, Recording, member};
pub use open::open_regular;
pub(crate) use oswatcher::{WATCHED_FIRST_PATH, WATCHED_LAST_PATH};
pub use packed::{Unpacking, ZipFiles, unpacked};
pub(crate) use pseudonym::Pseudonyms;

use fullwire_model::{Gap, GapReason, json};
use memory::MemoryTree;
use open::Directory;
use rustix::fs::OFlags;
use serde::{Serialize, de::DeserializeOwned};
use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// No kernel file that is read here is larger on any sane host; a captured log may be, and is cut.
pub const MAX_READ_BYTES: usize = 16 << 20;

/// A sysfs attribute is at most one page.
const ATTRIBUTE_BYTES: usize = 4096;

/// What stands for a host's `/`.
#[derive(Debug)]
pub struct Root {
    source: Arc<Source>,
    notes: Option<Arc<Notes>>,
    recording: Option<Mutex<Recording>>,
}

#[derive(Debug)]
enum Source {
    Directory(Directory),
    Memory(MemoryTree),
}

/// Why a root cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    /// The directory or archive cannot be opened.
    #[error("cannot open the tree {}: {source}; give a directory or an archive with a host's files", path.display())]
    Open {
        /// What was given.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// The archive cannot be unpacked.
    #[error("cannot unpack {}: {source}; unpack it yourself and give the directory (of a single output or log: fullwire FILE)", path.display())]
    Archive {
        /// What was given.
        path: PathBuf,
        /// What is wrong with it.
        source: ArchiveError,
    },
}

impl Root {
    /// The host that we run on.
    pub fn live() -> Result<Self, RootError> {
        let path = Path::new("/");
        let directory = Directory::open(path, true).map_err(|source| open_error(path, source))?;
        Ok(Self::of(Source::Directory(directory)))
    }

    /// The same root, whose kernel files stay open between readings: for anyone who reads them again and again.
    #[must_use]
    pub fn keeping_files(mut self) -> Self {
        if let Some(Source::Directory(directory)) = Arc::get_mut(&mut self.source) {
            directory.kept = Some(kept::Kept::new());
        }
        self
    }

    /// A captured tree: a sosreport, a `fullwire capture`, an OSWatcher archive, a fixture; unpacked or packed
    /// (tar, plain or compressed by gzip, bzip2, xz or zstd).
    pub fn tree(path: &Path) -> Result<Self, RootError> {
        let metadata = std::fs::metadata(path).map_err(|source| open_error(path, source))?;
        if !metadata.is_dir() {
            let file = open_regular(path, OFlags::empty()).map_err(|source| open_error(path, source))?;
            return Self::packed(file, path);
        }
        let path = inner_directory(path);
        let root = Self::directory_tree(&path).map_err(|source| open_error(&path, source))?;
        Ok(root.with_notes())
    }

    /// A captured tree that is packed, in a file or a pipe that is open; `path`: what it is called.
    pub fn packed(file: File, path: &Path) -> Result<Self, RootError> {
        let archive_error = |source| RootError::Archive { path: path.to_owned(), source };
        Ok(Self::of(Source::Memory(archive::load(file).map_err(archive_error)?)).with_notes())
    }

    /// The same of an archive's bytes.
    pub fn archive(bytes: &[u8]) -> Result<Self, ArchiveError> {
        Ok(Self::of(Source::Memory(archive::load_bytes(bytes)?)).with_notes())
    }

    /// A tree of these files alone, each at the path where a host has it: pieces that someone pasted.
    pub fn of_files(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let mut tree = MemoryTree::default();
        for (path, bytes) in files {
            tree.insert_file(&path, bytes, false);
        }
        Self::of(Source::Memory(tree))
    }

    fn directory_tree(path: &Path) -> io::Result<Self> {
        let tree = match oswatcher::directory(path)? {
            Some(tree) => Some(tree),
            None => supportconfig::directory(path)?,
        };
        match tree {
            Some(tree) => Ok(Self::of(Source::Memory(tree))),
            None => Ok(Self::of(Source::Directory(Directory::open(path, false)?))),
        }
    }

    /// What of the archive was not read, and why.
    pub(crate) fn left_out(&self) -> Option<&str> {
        match &*self.source {
            Source::Directory(_) => None,
            Source::Memory(tree) => tree.left_out.as_deref(),
        }
    }

    fn of(source: Source) -> Self {
        Self { source: Arc::new(source), notes: None, recording: None }
    }

    /// Takes up what a capture noted next to its files.
    fn with_notes(mut self) -> Self {
        let notes = self.try_read(NOTES_PATH, MAX_READ_BYTES).ok();
        self.notes =
            notes.and_then(|(text, _)| fullwire_model::json::read(text.as_bytes()).ok()).map(Arc::new);
        self
    }

    /// The same root, keeping all that is read through it.
    pub(crate) fn recorder(&self) -> Self {
        let recording = self.notes.as_deref().map(Recording::of_capture).unwrap_or_default();
        let recording = Some(Mutex::new(recording));
        Self { source: Arc::clone(&self.source), notes: self.notes.clone(), recording }
    }

    /// What was kept.
    pub(crate) fn into_recording(self) -> Recording {
        match self.recording {
            Some(recording) => recording.into_inner().unwrap_or_else(PoisonError::into_inner),
            None => Recording::default(),
        }
    }

    fn recording(&self) -> Option<MutexGuard<'_, Recording>> {
        self.recording.as_ref().map(|recording| recording.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// True on the host itself: the kernel may be asked; false: only files tell.
    pub fn is_live(&self) -> bool {
        matches!(self.source.as_ref(), Source::Directory(Directory { live: true, .. }))
    }

    /// What the host says when it is asked. The live host is asked by `ask`; a `fullwire capture` gives what
    /// was said when it was made; any other tree says that it does not know.
    ///
    /// The question names the interface and what was requested, and is the gap's subject: `netlink link`.
    pub(crate) fn answer<T: Serialize + DeserializeOwned>(
        &self,
        question: &str,
        ask: impl FnOnce() -> Result<T, Gap>,
    ) -> Result<T, Gap> {
        if let Some(notes) = &self.notes {
            let known = notes.answers.get(question);
            return known.map_or_else(|| Err(unknown(question)), |answer| decode(question, answer));
        }
        if !self.is_live() {
            return Err(unknown(question));
        }
        if let Some(recording) = self.recording()
            && let Some(known) = recording.notes.answers.get(question)
        {
            return decode(question, known);
        }
        let answer = ask();
        match self.recording() {
            None => answer,
            Some(mut recording) => decode(question, &recording.keep_answer(question, encode(&answer))),
        }
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
        if let Some(mut recording) = self.recording() {
            let read = |limit| self.source.read(&self.stored(path), limit, None);
            return recorded_read(&mut recording, read, path, limit);
        }
        self.noted(path)?;
        self.source.read(&self.stored(path), limit, None).map(|(bytes, cut)| (into_text(bytes), cut))
    }

    /// A settings file, of which only what `kept` lets through is taken. With an owner: a file that a process of
    /// this owner named, and that is opened only if the owner may read it.
    pub(crate) fn read_settings(
        &self,
        path: &str,
        limit: usize,
        owner: Option<&Owner>,
        kept: impl Fn(&str) -> String,
    ) -> io::Result<String> {
        self.noted(path)?;
        // What another reader was let to keep does not let this one read it.
        let read = self.source.read(&self.stored(path), limit, owner);
        let Some(mut recording) = self.recording() else {
            return read.map(|(bytes, _)| kept(&into_text(bytes)));
        };
        let is_gone = |error: &io::Error| [libc::ENOENT, libc::ESRCH].contains(&errno_of(error));
        // What is read twice is what was read first: a process may have ended since.
        if let Some((first, _)) = recording.files.get(path) {
            let first = kept(&into_text(first[..first.len().min(limit)].to_vec()));
            return match read {
                Err(error) if !is_gone(&error) => Err(error),
                // The reader before let none of these lines through.
                Ok((bytes, _)) if first.is_empty() => Ok(recording.keep_more(path, &kept(&into_text(bytes)))),
                _ => Ok(first),
            };
        }
        match read {
            Ok((bytes, cut)) => {
                let text = kept(&into_text(bytes));
                Ok(into_text(recording.keep_file(path, text.into_bytes(), cut).0))
            }
            Err(error) => {
                recording.notes.unreadable.insert(path.to_owned(), errno_of(&error));
                Err(error)
            }
        }
    }

    /// The name by which the tree has a file: a capture has no links that a `..` could lead back from.
    fn stored<'a>(&self, path: &'a str) -> Cow<'a, str> {
        if self.notes.is_some() { notes::member(path) } else { path.into() }
    }

    /// What a capture noted about a file that could not be read.
    fn noted(&self, path: &str) -> io::Result<()> {
        let errno = self.notes.as_ref().and_then(|notes| notes.unreadable.get(path));
        errno.map_or(Ok(()), |errno| Err(io::Error::from_raw_os_error(*errno)))
    }

    /// A sysfs attribute, trimmed, in one read; `None` for whatever reason (many attributes refuse while a
    /// device is down). For facts whose absence is worth a gap use [`Root::read`].
    pub fn attribute(&self, path: &str) -> Option<String> {
        if self.recording.is_none()
            && let Source::Directory(directory) = self.source.as_ref()
        {
            return directory.attribute(&self.stored(path)).ok();
        }
        let (text, _) = self.try_read(path, ATTRIBUTE_BYTES).ok()?;
        Some(text.trim().to_owned())
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
        self.try_list_as(path, None)
    }

    /// The same; with an owner that of a process that named it.
    pub(crate) fn try_list_as(&self, path: &str, owner: Option<&Owner>) -> io::Result<Vec<String>> {
        if let Some(notes) = &self.notes {
            if let Some(names) = notes.lists.get(path) {
                return Ok(names.clone());
            }
            if let Some(errno) = notes.unlistable.get(path) {
                return Err(io::Error::from_raw_os_error(*errno));
            }
        }
        let Some(mut recording) = self.recording() else { return self.source.list(path, owner) };
        if owner.is_none()
            && let Some(names) = recording.notes.lists.get(path)
        {
            return Ok(names.clone());
        }
        let names = self.source.list(path, owner);
        match &names {
            Ok(names) => _ = recording.notes.lists.insert(path.to_owned(), names.clone()),
            Err(error) => _ = recording.notes.unlistable.insert(path.to_owned(), errno_of(error)),
        }
        names
    }

    /// The text of a symbolic link.
    pub fn link(&self, path: &str) -> Option<String> {
        self.link_as(path, None)
    }

    /// The same; with an owner that of a process that named the path.
    pub(crate) fn link_as(&self, path: &str, owner: Option<&Owner>) -> Option<String> {
        if let Some(notes) = &self.notes {
            return notes.links.get(path).cloned();
        }
        let target = self.source.link(path, owner)?;
        if let Some(mut recording) = self.recording() {
            recording.keep_link(path, &target);
        }
        Some(target)
    }

    /// The last name of a symbolic link's target: sysfs points to a driver, a bus, a master that way.
    pub fn link_name(&self, path: &str) -> Option<String> {
        let target = self.link(path)?;
        target.rsplit('/').find(|name| !name.is_empty()).map(str::to_owned)
    }

    /// There is such a file or directory.
    pub fn exists(&self, path: &str) -> bool {
        if let Some(notes) = &self.notes {
            return notes.present.contains(path);
        }
        let there = self.source.exists(path);
        if there && let Some(mut recording) = self.recording() {
            recording.notes.present.insert(path.to_owned());
        }
        there
    }
}

impl Source {
    fn read(&self, path: &str, limit: usize, owner: Option<&Owner>) -> io::Result<(Vec<u8>, bool)> {
        match self {
            Self::Directory(directory) => directory.read(path, limit, owner),
            Self::Memory(tree) => tree.read(path, limit),
        }
    }

    fn list(&self, path: &str, owner: Option<&Owner>) -> io::Result<Vec<String>> {
        match self {
            Self::Directory(directory) => directory.list(path, owner),
            Self::Memory(tree) => tree.list(path),
        }
    }

    fn link(&self, path: &str, owner: Option<&Owner>) -> Option<String> {
        match self {
            Self::Directory(directory) => directory.link(path, owner),
            Self::Memory(tree) => tree.link(path),
        }
    }

    fn exists(&self, path: &str) -> bool {
        match self {
            Self::Directory(directory) => directory.exists(path),
            Self::Memory(tree) => tree.exists(path),
        }
    }
}

/// Reads a file once; later readers get what was kept of it.
fn recorded_read(
    recording: &mut Recording,
    read: impl FnOnce(usize) -> io::Result<(Vec<u8>, bool)>,
    path: &str,
    limit: usize,
) -> io::Result<(String, bool)> {
    if let Some(errno) = recording.notes.unreadable.get(path) {
        return Err(io::Error::from_raw_os_error(*errno));
    }
    if !recording.files.contains_key(path) {
        match read(limit.max(ATTRIBUTE_BYTES)) {
            Ok((bytes, cut)) => {
                let (bytes, cut) = recording.keep_file(path, bytes, cut);
                if !recording.files.contains_key(path) {
                    return Ok((into_text(bytes), cut));
                }
            }
            Err(error) => {
                recording.notes.unreadable.insert(path.to_owned(), errno_of(&error));
                return Err(error);
            }
        }
    }
    let (bytes, cut) =
        recording.files.get(path).map(|(bytes, cut)| (bytes.as_slice(), *cut)).unwrap_or_default();
    Ok((into_text(bytes[..bytes.len().min(limit)].to_vec()), cut || bytes.len() > limit))
}

fn open_error(path: &Path, source: io::Error) -> RootError {
    RootError::Open { path: path.to_owned(), source }
}

fn errno_of(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}

/// The directory itself, or the only one in it when it holds no host's files (an archive unpacks to such).
fn inner_directory(path: &Path) -> PathBuf {
    let Ok(entries) = std::fs::read_dir(path) else { return path.to_owned() };
    let mut entries: Vec<std::fs::DirEntry> = entries.flatten().take(2).collect();
    let (Some(only), true) = (entries.pop(), entries.is_empty()) else { return path.to_owned() };
    // A link would lead out of the tree, to the host that we run on.
    let is_directory = only.file_type().is_ok_and(|kind| kind.is_dir());
    let only = only.path();
    if is_directory && !is_host_directory(&only) { only } else { path.to_owned() }
}

/// Directories that a host's `/`, or a capture of it, has at its top.
const HOST_DIRECTORIES: &[&str] = &["proc", "sys", "etc", "dev", "run", "var", "sos_commands", "fullwire"];

fn is_host_directory(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| HOST_DIRECTORIES.contains(&name) || oswatcher::is_directory(name))
}

fn unknown(question: &str) -> Gap {
    Gap::new(
        question,
        GapReason::Absent,
        "the captured tree does not contain it; it can only be read on the host",
    )
}

fn encode<T: Serialize>(answer: &Result<T, Gap>) -> serde_json::Value {
    json::tree(answer).unwrap_or_else(|error| {
        let gap = Gap::new("capture", GapReason::Unsupported, format!("cannot store an answer: {error}"));
        serde_json::json!({ "Err": gap })
    })
}

fn decode<T: DeserializeOwned>(question: &str, answer: &serde_json::Value) -> Result<T, Gap> {
    json::of_tree(answer).unwrap_or_else(|error| {
        Err(Gap::new(question, GapReason::Malformed, format!("cannot read the capture's answer: {error}")))
    })
}

/// Valid UTF-8 is taken over without a copy: nearly all that is read is. Other bytes are read as Latin-1, as in older
/// settings files: a word in them stays a word that can be found.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let mut text = String::with_capacity(error.as_bytes().len());
        for chunk in error.as_bytes().utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().copied().map(char::from));
        }
        text
    })
}

/// The class of an obstacle.
pub(crate) fn gap_reason(error: &io::Error) -> GapReason {
    // Plain numbers: a capture may claim one that no kernel gives, for which rustix's type panics.
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => GapReason::Denied,
        Some(
            libc::ENOENT
            | libc::ENOTDIR
            | libc::ENODEV
            | libc::ENXIO
            | libc::ESRCH
            | libc::ENETUNREACH
            | libc::EHOSTUNREACH,
        ) => GapReason::Absent,
        Some(libc::ETIMEDOUT) => GapReason::Timeout,
        Some(libc::ELOOP | libc::EXDEV) => GapReason::Skipped,
        _ => GapReason::Unsupported,
    }
}

/// What keeps a path from being read.
pub(crate) fn gap_of(path: &str, error: &io::Error) -> Gap {
    let why = match error.raw_os_error() {
        // Both are what we answer ourselves; the system's words for them tell of something else.
        Some(libc::EXDEV) => {
            "it leads out of the tree that is read, or to what a program of another user serves".to_owned()
        }
        Some(libc::ELOOP) => "it is no regular file, or a link of another user leads there".to_owned(),
        _ => error.to_string(),
    };
    Gap::new(path, gap_reason(error), format!("cannot read {path}: {why}"))
}

/// A line that makes no sense. Lines count from 1.
pub(crate) fn malformed(path: &str, line: usize, what: &str) -> Gap {
    Gap::new(path, GapReason::Malformed, format!("{path}:{line}: {what}"))
}
