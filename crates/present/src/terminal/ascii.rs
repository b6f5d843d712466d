//! The drawn characters in ASCII: for terminals, mails and logs whose character set is not UTF-8.

/// Blocks of a bar over time, lowest first. None is a dot: that marks a time without data.
const LEVELS: [(char, &str); 8] =
    [('▁', "_"), ('▂', ":"), ('▃', "-"), ('▄', "="), ('▅', "+"), ('▆', "*"), ('▇', "%"), ('█', "#")];

/// A text with every character that this program draws in ASCII. Names from elsewhere stay as they are.
///
/// Columns stay where they are: a replacement that is longer takes its room from the blanks beside it.
pub fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut longer = 0;
    let mut letters = text.chars().peekable();
    let mut before = '\n';
    while let Some(letter) = letters.next() {
        if letter == ' ' {
            let mut blanks = 1;
            while letters.next_if_eq(&' ').is_some() {
                blanks += 1;
            }
            let taken = longer.min(blanks - 1);
            longer -= taken;
            out.extend(std::iter::repeat_n(' ', blanks - taken));
        } else {
            if letter == '\n' {
                longer = 0;
            }
            let after = letters.peek().copied().unwrap_or('\n');
            match drawn(letter, before, after) {
                Some(instead) => {
                    // A figure stands at the right end of its column: there is room before it.
                    let taken = letter == '±' && take_blank(&mut out);
                    out.push_str(instead);
                    longer += instead.len() - 1 - usize::from(taken);
                }
                None => out.push(letter),
            }
        }
        before = letter;
    }
    out
}

/// Takes one of the last blanks, which may stand before a colour (ECMA-48, SGR), if another stays.
fn take_blank(out: &mut String) -> bool {
    let colour = out.rfind("\x1b[").filter(|&at| out[at..].ends_with('m') && !out[at..].contains(' '));
    let end = colour.unwrap_or(out.len());
    let room = out[..end].ends_with("  ");
    if room {
        out.remove(end - 1);
    }
    room
}

/// What is drawn instead; `None`: it is no character of ours. Some mean one thing between blanks and another elsewhere.
fn drawn(letter: char, before: char, after: char) -> Option<&'static str> {
    if let Some((_, level)) = LEVELS.iter().find(|(block, _)| *block == letter) {
        return Some(level);
    }
    Some(match letter {
        // A separator, or an hour without data.
        '·' if before == ' ' && after == ' ' => "|",
        '·' => ".",
        // Words are left out, or a name was cut.
        '…' if before == ' ' => "...",
        '…' => "~",
        '─' | '━' | '−' | '–' | '—' | '▏' | '▎' | '▍' => "-",
        '▌' | '▋' | '▊' | '▉' => "=",
        '│' | '├' | '┬' => "|",
        '└' => "`",
        '▸' | '›' => ">",
        '‹' => "<",
        '✔' => "+",
        '✖' | '×' => "x",
        '▲' => "!",
        '●' | '◆' | '•' => "*",
        '■' => "#",
        '░' => ":",
        '→' => "->",
        '←' => "<-",
        '↑' => "^",
        '↓' => "v",
        '±' => "+-",
        '÷' => "/",
        'µ' => "u",
        '√' => "sqrt ",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};
    use unicode_width::UnicodeWidthStr as _;

    #[test]
    fn a_table_keeps_its_columns() {
        let table = "▸ measured ±2.0 %     99 % of it   23.9 MB/s  ████▊\n\
                     ! declared            --expect fo…  24.1 MB/s  █████\n";
        let drawn = ascii(table);
        assert_eq!(
            drawn,
            "> measured +-2.0 %    99 % of it   23.9 MB/s  ####=\n\
             ! declared            --expect fo~  24.1 MB/s  #####\n"
        );
        for (line, was) in drawn.lines().zip(table.lines()) {
            assert_eq!(line.width(), was.width(), "{line}");
        }
    }

    #[test]
    fn a_column_of_scatter_keeps_its_right_end() {
        assert_eq!(ascii("p99.9       ±\n4.4 µs   ±16 %\n"), "p99.9      +-\n4.4 us  +-16 %\n");
        assert_eq!(ascii("   \x1b[2m±\x1b[0m\n ±\n"), "  \x1b[2m+-\x1b[0m\n +-\n");
    }

    #[test]
    fn names_from_elsewhere_stay() {
        assert_eq!(ascii("fullwire check · dbé1 · /données/x…"), "fullwire check | dbé1 | /données/x~");
        assert_eq!(ascii("-- net …, hours ··▁█"), "-- net ..., hours .._#");
    }

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }

    /// Comments between items are for readers of the source. Those that begin a file of a rule are shown by `explain`.
    fn is_shown(line: &str) -> bool {
        let line = line.trim_start();
        line.starts_with("//!") || !line.starts_with("//")
    }

    #[test]
    fn every_character_that_is_drawn_has_its_ascii() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut files = Vec::new();
        for folder in ["present/src/terminal", "present/src/report", "rules/src", "mesh/src/judge"] {
            sources(&crates.join(folder), &mut files);
        }
        files.push(crates.join("model/src/format.rs"));
        files.push(crates.join("mesh/src/code.rs"));
        assert!(files.len() > 300, "{}", files.len());
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            for line in text.lines().filter(|line| is_shown(line)) {
                let foreign: String = ascii(line).chars().filter(|letter| !letter.is_ascii()).collect();
                // This file's own tests have names from elsewhere.
                assert!(
                    foreign.is_empty() || file.ends_with("ascii.rs"),
                    "{}: {foreign}: {line}",
                    file.display()
                );
            }
        }
    }
}
