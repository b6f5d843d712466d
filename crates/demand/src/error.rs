use thiserror::Error;

/// Why a file could not be read at all. What is merely missing from it is a gap in the record instead.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}:{line}: {what}")]
pub struct ReadError {
    /// The file, as the caller names it.
    pub file: String,
    /// The line at which reading had to stop, counted from 1.
    pub line: usize,
    /// What is wrong there, and what was expected.
    pub what: String,
    /// Whether another reader may know the file.
    pub kind: ReadErrorKind,
}

/// Whose file it is that could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadErrorKind {
    /// Nothing in it is known to this reader: it may be of another kind.
    Foreign,
    /// It is known for what it is, and damaged, empty, ambiguous or not supported.
    Unreadable,
}

impl ReadError {
    /// An error at a line of a file that is known for what it is.
    pub(crate) fn new(file: &str, line: usize, what: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, what: what.into(), kind: ReadErrorKind::Unreadable }
    }

    /// Something was missing until the end of the text.
    pub(crate) fn at_end(file: &str, text: &str, what: impl Into<String>) -> Self {
        Self::new(file, text.lines().count().max(1), what)
    }

    /// An error about a file that this reader does not know.
    pub(crate) fn foreign(file: &str, line: usize, what: impl Into<String>) -> Self {
        Self { kind: ReadErrorKind::Foreign, ..Self::new(file, line, what) }
    }
}
