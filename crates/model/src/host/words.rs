//! Many words sought in a text at once: logs are long, and tables of words too.

use aho_corasick::AhoCorasick;
use std::ops::Range;

/// Words that are sought together.
#[derive(Debug)]
pub struct Words(AhoCorasick);

impl Words {
    /// These, as they are.
    ///
    /// # Panics
    /// If there are more than any table has.
    pub fn new(words: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let words: Vec<String> = words.into_iter().map(|word| word.as_ref().to_owned()).collect();
        Self(AhoCorasick::new(words).expect("the words of a table"))
    }

    /// The text holds one of them.
    pub fn is_any_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// Every place where one of them stands: its number, and where.
    pub fn found_in(&self, text: &str) -> impl Iterator<Item = (usize, Range<usize>)> {
        self.0.find_overlapping_iter(text).map(|found| (found.pattern().as_usize(), found.range()))
    }
}
