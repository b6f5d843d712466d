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
}

impl ReadError {
    /// An error at a line.
    pub(crate) fn new(file: &str, line: usize, what: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, what: what.into() }
    }
}
