//! What may leave fullwire: nothing but a [`Printed`] is written, shown or served.

use crate::harmless_styled;
use fullwire_model::assessment::{harmless, harmless_lines, is_harmful, replaced};
use maud::Markup;
use std::fmt::{Display, Formatter};
use std::ops::Deref;

/// A finished text, of which no character steers the terminal, editor or browser that shows it (the "Trojan Source"
/// attacks, CVE-2021-42574; control sequences, ECMA-48). Names come from outside: interfaces, mounts, hosts, units,
/// peers. They stay as they were read until here, because rules and joins need them raw; here each text passes, for the
/// outputs of the binary take no other type. A new writer cannot leave this step out:
///
/// ```compile_fail
/// let raw = format!("mounted on {}", "\u{1b}[2J");
/// let printed: fullwire_present::Printed = raw.into();
/// ```
///
/// ```compile_fail
/// let printed = fullwire_present::Printed(String::from("\u{1b}[2J"));
/// ```
///
/// ```
/// let printed = fullwire_present::Printed::lines("mounted on \u{1b}[2J");
/// assert_eq!(&*printed, "mounted on \u{fffd}[2J");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printed(String);

impl Printed {
    /// One line.
    pub fn line(text: &str) -> Self {
        Self(harmless(text))
    }

    /// Lines that another program reads, or a person in an editor.
    pub fn lines(text: &str) -> Self {
        Self(harmless_lines(text))
    }

    /// Lines for a terminal: colours and weights stay, and no other control sequence.
    pub fn styled(text: &str) -> Self {
        Self(harmless_styled(text))
    }

    /// A page: what is text in it was escaped by the macro that made the markup.
    pub fn page(page: Markup) -> Self {
        Self::lines(&page.into_string())
    }

    /// A JSON document whose values are as they were read: what would steer a terminal is written as JSON's own escape
    /// (RFC 8259, section 7). Outside of strings a document has no such character but line ends.
    pub fn json(document: &str) -> Self {
        let text = replaced(document, |text, c| {
            if c == '\n' || !is_harmful(c) {
                text.push(c);
            } else {
                text.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
            }
        });
        Self(text)
    }
}

impl Deref for Printed {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Display for Printed {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "a\u{1b}[2J\u{9b}31m\u{202e}\u{7f}\u{e0041}\nä";

    #[test]
    fn nothing_that_is_printed_steers_what_shows_it() {
        let page = maud::html! { p title=(NAME) { (NAME) } };
        let document = serde_json::to_string_pretty(&[NAME]).unwrap();
        let all = [
            Printed::line(NAME),
            Printed::lines(NAME),
            Printed::styled(NAME),
            Printed::page(page),
            Printed::json(&document),
        ];
        for printed in all {
            assert!(!printed.contains(|c| c != '\n' && is_harmful(c)), "{printed:?}");
            assert!(printed.contains('ä'), "{printed:?}");
        }
    }

    #[test]
    fn a_document_keeps_its_values() {
        let shown = Printed::json(&serde_json::to_string_pretty(&[NAME]).unwrap());
        assert!(shown.contains(r"\u009b31m\u202e\u007f\udb40\udc41\nä"), "{shown}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&shown).unwrap(), [NAME]);
    }
}
