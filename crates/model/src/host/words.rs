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

    /// The text, in lower case, holds one of them as a word: [`is_word_at`].
    pub fn is_any_word_in(&self, text: &str) -> bool {
        self.found_in(text).any(|(_, at)| is_word_at(text, &at))
    }

    /// Every place where one of them stands: its number, and where.
    pub fn found_in(&self, text: &str) -> impl Iterator<Item = (usize, Range<usize>)> {
        self.0.find_overlapping_iter(text).map(|found| (found.pattern().as_usize(), found.range()))
    }
}

/// What English puts behind a word or its stem; a last letter that is doubled before it (`resetting`) counts as one.
const ENDINGS: &[&str] = &[
    "", "s", "es", "d", "ed", "e", "er", "ers", "ing", "ings", "ion", "ions", "ation", "ations", "ure",
    "ures", "y", "ies", "t", "n", "ent", "cy", "cies", "ency", "able", "ible", "ive", "ity", "al", "ly",
    "ment", "ked", "king",
];

/// Letters of the longest ending behind a doubled one, and one more.
const LONGEST_REST: usize = 8;

/// What stands there begins where a word begins, and ends where one ends or with an ending of it: `fail` in `failed` and in
/// `tx_failure`, not in `failover`; ` down` not in `downloading`. Where it begins or ends with a sign it has its own border.
pub fn is_word_at(text: &str, at: &Range<usize>) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let (before, found, after) = (&text[..at.start], &text[at.clone()], &text[at.end..]);
    let begins = !found.starts_with(is_letter) || !before.ends_with(is_letter);
    // A longer rest is no ending, however long the word is.
    let rest = after.bytes().take(LONGEST_REST).take_while(u8::is_ascii_alphabetic).count();
    let rest = &after[..rest];
    let ends = || {
        let last = found.chars().next_back().filter(|c| is_letter(*c));
        last.is_none_or(|last| {
            ENDINGS.contains(&rest)
                || rest.strip_prefix(last).is_some_and(|rest| rest.len() > 1 && ENDINGS.contains(&rest))
        })
    };
    begins && ends() && !is_setting_at(text, at)
}

/// A time limit, or the name of one, that was set and did not pass: `error recovery timeout=30`, `timeout set to 120 s`.
fn is_setting_at(text: &str, at: &Range<usize>) -> bool {
    let rest = &text[at.end..];
    let named = rest.strip_prefix(" timeout");
    let is_limit = named.is_some() || text[at.clone()].trim_start().starts_with("time");
    let rest = named.unwrap_or(rest);
    let value = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    is_limit && (rest.strip_prefix('=').is_some_and(value) || rest.starts_with(" set to "))
}

/// The text holds this word, both in lower case, between the borders of words.
pub fn holds(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| is_word_at(text, &(at..at + word.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_no_part_of_another() {
        for (text, word) in [
            ("tx_failure of eth7", "fail"),
            ("it was aborted", "abort"),
            ("resetting the bus", "reset"),
            ("link is down", " down"),
            ("write_errors: 7", "error"),
            ("state:offline", "offlin"),
            ("a battery, two batteries", "batter"),
            ("x7fpin", "fpin"),
        ] {
            assert!(holds(text, word), "{word} in {text}");
        }
        for (text, word) in [
            ("downloading the image", " down"),
            ("metadata", "data"),
            ("ofpinstruction", "fpin"),
            ("bonding: failover", "fail"),
            ("a deadline of 5 s", "dead"),
            ("error recovery timeout=30 max=7", "timeout"),
            ("error recovery timeout=30 max=7", "error recovery"),
            ("session recovery timeout set to 77 secs", "timeout"),
            ("default", "fault"),
        ] {
            assert!(!holds(text, word), "{word} in {text}");
        }
    }

    /// Each time all letters behind it would be counted, for minutes.
    #[test]
    fn a_word_without_an_end_is_read_once() {
        let words = Words::new(["fail"]);
        assert!(!words.is_any_word_in(&"fail".repeat(400_000)));
        assert!(words.is_any_word_in(&format!("{} failures", "fail".repeat(9))));
    }
}
