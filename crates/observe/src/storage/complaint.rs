//! How a reader says that lines of a file make no sense: gaps with file and line, a bounded number of them.

use crate::root::malformed;
use fullwire_model::{Gap, GapReason};

/// Lines of one file that get their own gap; a file of rubbish must not make a gap of each line.
const LIMIT: usize = 5;

/// Collects the malformed lines of one file.
pub(crate) struct Complaints<'a> {
    path: &'a str,
    gaps: &'a mut Vec<Gap>,
    seen: usize,
}

impl<'a> Complaints<'a> {
    pub(crate) fn new(path: &'a str, gaps: &'a mut Vec<Gap>) -> Self {
        Self { path, gaps, seen: 0 }
    }

    /// The line with this index (from 0) makes no sense; the text says what was expected.
    pub(crate) fn line(&mut self, index: usize, expected: &str) {
        self.seen += 1;
        if self.seen <= LIMIT {
            self.gaps.push(malformed(self.path, index + 1, &format!("expected {expected}")));
        }
    }
}

impl Drop for Complaints<'_> {
    fn drop(&mut self) {
        if self.seen > LIMIT {
            let more = format!("{}: {} more lines make no sense", self.path, self.seen - LIMIT);
            self.gaps.push(Gap::new(self.path, GapReason::Malformed, more));
        }
    }
}
