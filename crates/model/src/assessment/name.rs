//! Names that come from outside: interfaces, mounts, hosts, devices, processes, paths of captured trees.

/// A character that does something to whatever shows it instead of being shown: control characters, and those that turn
/// the direction of writing or join what stands apart (Unicode, general categories Cc and Cf that take no room).
pub fn is_harmful(c: char) -> bool {
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
    replaced(text, |shown, c| match c {
        '\t' | '\n' | '\r' => shown.push(' '),
        c => shown.push(if is_harmful(c) { '\u{fffd}' } else { c }),
    })
}

/// The same for a text of several lines: its line ends and tabs stay.
pub fn harmless_lines(text: &str) -> String {
    replaced(text, |shown, c| match c {
        '\t' | '\n' | '\r' => shown.push(c),
        c => shown.push(if is_harmful(c) { '\u{fffd}' } else { c }),
    })
}

/// The text with whatever `put` makes of each character that is not printable ASCII. All that leaves the program comes
/// through here, and nearly all of it is copied in long pieces.
pub fn replaced(text: &str, put: impl Fn(&mut String, char)) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| !matches!(byte, b' '..=b'~')) {
        let (plain, other) = rest.split_at(at);
        shown.push_str(plain);
        let mut others = other.chars();
        if let Some(c) = others.next() {
            put(&mut shown, c);
        }
        rest = others.as_str();
    }
    shown + rest
}
