//! What a capture keeps next to its files: what the host said when it was asked, which directories had which
//! names, which links led where, and what could not be read and why. With it a capture answers exactly as the
//! host did.

use super::scrub;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Where a capture keeps them, from the top of its tree.
pub(crate) const NOTES_PATH: &str = "fullwire/notes.json";

/// The schema name in them.
pub(crate) const NOTES_FORMAT: &str = "fullwire.capture/1";

/// Stands for `..` in the name of a file in a capture. The name without it may be another file's: what is above
/// a link's target is elsewhere than what is above the link.
const UP: &str = "(up)";

/// The name of a file in a capture's archive, which takes no `..`.
pub(crate) fn member(path: &str) -> Cow<'_, str> {
    if !path.split('/').any(|name| name == "..") {
        return path.into();
    }
    let names: Vec<&str> = path.split('/').map(|name| if name == ".." { UP } else { name }).collect();
    names.join("/").into()
}

/// All bytes that one recording keeps; a full reading of a large host has some 20 MB.
const MAX_RECORDED_BYTES: usize = 256 << 20;

/// Next to the files of a capture. Paths start with a slash.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Notes {
    /// [`NOTES_FORMAT`].
    pub(crate) format: String,
    /// Version of the tool that made the capture.
    pub(crate) tool_version: String,
    /// Host names are hashed.
    pub(crate) anonymised: bool,
    /// Names in directories.
    pub(crate) lists: BTreeMap<String, Vec<String>>,
    /// Texts of symbolic links.
    pub(crate) links: BTreeMap<String, String>,
    /// Paths that are there and were not read.
    pub(crate) present: BTreeSet<String>,
    /// Error numbers of files that could not be read.
    pub(crate) unreadable: BTreeMap<String, i32>,
    /// Error numbers of directories that could not be listed.
    pub(crate) unlistable: BTreeMap<String, i32>,
    /// What the kernel or a daemon said when asked, by question: `{"Ok": …}` or `{"Err": gap}`.
    pub(crate) answers: BTreeMap<String, Value>,
}

/// All that was read through a root so far. What was read once is served again from here, so that all readers
/// see one moment.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    pub(crate) notes: Notes,
    pub(crate) files: BTreeMap<String, (Vec<u8>, bool)>,
    /// Files that were too much.
    pub(crate) skipped: usize,
    bytes: usize,
}

impl Recording {
    /// A capture of a capture tells all that the first was told.
    pub(crate) fn of_capture(notes: &Notes) -> Self {
        let mut notes = notes.clone();
        notes.answers.values_mut().for_each(scrub::json);
        Self { notes, ..Self::default() }
    }

    /// Keeps a file without its secrets, and gives back what is kept.
    pub(crate) fn keep_file(&mut self, path: &str, bytes: Vec<u8>, cut: bool) -> (Vec<u8>, bool) {
        let bytes = scrub::file(path, bytes).into_bytes();
        if self.bytes + bytes.len() > MAX_RECORDED_BYTES {
            self.skipped += 1;
        } else {
            self.bytes += bytes.len();
            self.files.insert(path.to_owned(), (bytes.clone(), cut));
        }
        (bytes, cut)
    }

    /// Keeps these lines behind those of a file that are kept, without their secrets, and gives them back.
    pub(crate) fn keep_more(&mut self, path: &str, lines: &str) -> String {
        let lines = scrub::file(path, lines.as_bytes().to_vec());
        if let Some((bytes, _)) = self.files.get_mut(path)
            && self.bytes + lines.len() <= MAX_RECORDED_BYTES
        {
            self.bytes += lines.len();
            bytes.extend_from_slice(lines.as_bytes());
        }
        lines
    }

    /// Keeps an answer without its secrets, and gives back what is kept.
    pub(crate) fn keep_answer(&mut self, question: &str, mut answer: Value) -> Value {
        scrub::json(&mut answer);
        self.notes.answers.insert(question.to_owned(), answer.clone());
        answer
    }

    /// Keeps where a link leads.
    pub(crate) fn keep_link(&mut self, path: &str, target: &str) {
        self.notes.links.insert(path.to_owned(), target.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use crate::Root;

    /// What a process that ends between two readers had to say is in the capture and in what is told of it alike.
    #[test]
    fn what_a_recorder_read_it_reads_again() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let file = folder.path().join("settings");
        std::fs::write(&file, "postgres -D /pg").expect("written");
        let root = Root::tree(folder.path()).expect("a tree").recorder();
        let read = || root.read_settings("/settings", 4096, None, str::to_owned).expect("read");
        assert_eq!(read(), "postgres -D /pg");
        std::fs::write(&file, "").expect("written");
        assert_eq!(read(), "postgres -D /pg");
        std::fs::remove_file(&file).expect("removed");
        assert_eq!(read(), "postgres -D /pg");
    }

    /// Else of two servers the second one's user has no name in the capture.
    #[test]
    fn what_each_reader_lets_through_is_kept() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(folder.path().join("list"), "a:1\nb:2\nc:3\n").expect("written");
        let root = Root::tree(folder.path()).expect("a tree").recorder();
        let of = |name: &str| {
            let kept =
                |text: &str| text.split_inclusive('\n').filter(|line| line.starts_with(name)).collect();
            root.read_settings("/list", 4096, None, kept).expect("read")
        };
        assert_eq!(
            (of("a"), of("c"), of("a"), of("d")),
            ("a:1\n".into(), "c:3\n".into(), "a:1\n".into(), String::new())
        );
        assert_eq!(root.into_recording().files["/list"].0, b"a:1\nc:3\n");
    }
}
