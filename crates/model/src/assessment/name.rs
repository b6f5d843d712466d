//! Names that come from outside: interfaces, mounts, hosts, devices, processes, paths of captured trees.

/// A character that does something to whatever shows it instead of being shown: control characters, and those that turn
/// the direction of writing or join what stands apart (Unicode, general categories Cc and Cf that take no room).
pub fn is_harmful(c: char) -> bool {
    // Nearly all of every text, and every character of an output comes here.
    if matches!(c, ' '..='~') {
        return false;
    }
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{061c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether everything reads this as one word and nothing else, a shell and a subject of a bus among them: letters, digits,
/// dots, dashes and underscores, not an option, and no more than so many bytes.
pub fn is_plain_word(text: &str, longest_bytes: usize) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    (1..=longest_bytes).contains(&text.len()) && !text.starts_with('-') && text.chars().all(fits)
}

/// The text with a mark in place of each character that does something; line ends and tabs become spaces.
pub fn harmless(text: &str) -> String {
    let shown = |c: char| match c {
        '\t' | '\n' | '\r' => ' ',
        c if is_harmful(c) => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}

/// The same for a text of several lines: its line ends and tabs stay.
pub fn harmless_lines(text: &str) -> String {
    let shown = |c: char| match c {
        '\t' | '\n' | '\r' => c,
        c if is_harmful(c) => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}
