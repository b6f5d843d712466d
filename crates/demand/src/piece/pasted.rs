//! What a mail, a page or a chat adds to the text that someone pastes: signs of quoting, a margin, bars of a table.

use crate::awr;
use std::borrow::Cow;

/// The text as its tool printed it.
pub(super) fn restored(text: &str) -> String {
    let text = without_sources(&without_quotes(&plain(text)));
    // The columns of a report stand where they stand.
    if awr::is_report(&text) {
        return text;
    }
    without_bars(&without_margins(&text))
}

/// Quotation marks and dashes as a word processor sets them, and marks of emphasis in a table, as the tool had them.
fn plain(text: &str) -> Cow<'_, str> {
    let text = text.trim_start_matches('\u{feff}');
    let typographic =
        |c: char| matches!(c, '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}' | '\u{2013}' | '\u{00a0}');
    if !text.contains(typographic) && !text.contains("**") {
        return Cow::Borrowed(text);
    }
    let ascii = |c: char| match c {
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2013}' => '-',
        '\u{00a0}' => ' ',
        other => other,
    };
    let text: String = text.chars().map(ascii).collect();
    // `**100.00**`: a word between two marks.
    let line = |line: &str| {
        let word = |word: &str| {
            word.strip_prefix("**")
                .and_then(|word| word.strip_suffix("**"))
                .is_some_and(|word| !word.is_empty())
        };
        if line.contains("**") && line.split_whitespace().any(word) {
            line.replace("**", "")
        } else {
            line.to_owned()
        }
    };
    Cow::Owned(text.lines().map(|one| line(one) + "\n").collect())
}

/// A mail's signs of quoting, where most of its lines have them.
fn without_quotes(text: &str) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let quoted = lines().filter(|line| line.starts_with('>')).count();
    if quoted == 0 || quoted * 2 < lines().count() {
        return text.to_owned();
    }
    text.lines().map(unquoted).map(|line| line + "\n").collect()
}

/// Without what stands before each line: the name of the container that wrote it (`db_1  | `, docker compose), or the number of
/// the line in a listing (`12. `).
fn without_sources(text: &str) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let most = lines().count() * 4 / 5;
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    let source = |line: &str| line.split_once(" | ").map(|(name, _)| name.trim().to_owned());
    let first = lines().next().and_then(source).filter(|name| is_name(name) && name.contains(['_', '-']));
    let named = |line: &str| first.is_some() && source(line) == first;
    if first.is_some() && lines().filter(|line| named(line)).count() > most {
        let bare = |line: &str| match line.split_once(" | ") {
            Some((_, rest)) if named(line) => rest.to_owned(),
            _ => line.to_owned(),
        };
        return text.lines().map(|line| bare(line) + "\n").collect();
    }
    let number = |line: &str| line.trim_start().split_once(". ")?.0.parse::<u64>().ok();
    let numbers: Vec<u64> = lines().filter_map(number).collect();
    let counts = numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    if numbers.len() < 3 || numbers.len() <= most || !counts {
        return text.to_owned();
    }
    let bare = |line: &str| {
        number(line).and(line.split_once(". ")).map_or(line.to_owned(), |(_, rest)| rest.to_owned())
    };
    text.lines().map(|line| bare(line) + "\n").collect()
}

/// A line without its signs of quoting; an answer to an answer has one of each: `> > text`.
fn unquoted(line: &str) -> String {
    let mut line = line;
    while let Some(rest) = line.strip_prefix('>') {
        line = rest.strip_prefix(' ').filter(|rest| rest.starts_with('>')).unwrap_or(rest);
    }
    line.strip_prefix(' ').unwrap_or(line).to_owned()
}

/// Without the margin of a code block (four columns or a tab in Markdown, three in a list): that of a block of lines which all
/// have it, after a blank line or at the beginning.
fn without_margins(text: &str) -> String {
    const LEAST: usize = 3;
    /// Wider is a column of a table.
    const MOST: usize = 12;
    let lines: Vec<&str> = text.lines().collect();
    let is_blank = |line: &str| line.trim().is_empty();
    let margin = |line: &str| {
        if line.starts_with('\t') { LEAST } else { line.len() - line.trim_start_matches(' ').len() }
    };
    let mut out = String::new();
    let mut at = 0;
    while at < lines.len() {
        let begins = (at == 0 || is_blank(lines[at - 1])) && !is_blank(lines[at]);
        let block =
            lines[at..].iter().take_while(|line| begins && (is_blank(line) || margin(line) >= LEAST)).count();
        let own = || lines[at..at + block].iter().filter(|line| !is_blank(line));
        let tabs = own().all(|line| line.starts_with('\t'));
        let width = if tabs { 1 } else { own().map(|line| margin(line)).min().unwrap_or(0) };
        let cut = if own().count() > 1 && width <= MOST { width } else { 0 };
        for line in &lines[at..at + block.max(1)] {
            out.push_str(line.get(cut..).unwrap_or(""));
            out.push('\n');
        }
        at += block.max(1);
    }
    out
}

/// Tables of Markdown (`| a | b |` above `|---|---|`) as columns above a line of dashes; those of a database's client have
/// `+---+` and stay.
fn without_bars(text: &str) -> String {
    if !text.contains("|--") && !text.contains("| --") && !text.contains("|:-") {
        return text.to_owned();
    }
    let mut out = String::new();
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while at < lines.len() {
        let rows = if lines.get(at + 1).is_some_and(|line| is_ruler(line)) && cells(lines[at]).len() > 1 {
            lines[at..].iter().take_while(|line| line.trim().starts_with('|')).count()
        } else {
            0
        };
        if rows < 2 {
            out.push_str(lines[at]);
            out.push('\n');
            at += 1;
        } else {
            columns(&lines[at..at + rows], &mut out);
            at += rows;
        }
    }
    out
}

/// `|---|:---:|`
fn is_ruler(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('|') && line.contains("--") && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    line.strip_prefix('|')
        .map_or(Vec::new(), |line| line.trim_end_matches('|').split('|').map(str::trim).collect())
}

/// Rows with their cells below each other: words to the left, figures to the right as tools print them.
fn columns(rows: &[&str], out: &mut String) {
    let rows: Vec<Vec<&str>> = rows.iter().filter(|line| !is_ruler(line)).map(|line| cells(line)).collect();
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let rulers: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let rulers: Vec<&str> = rulers.iter().map(String::as_str).collect();
    for (number, row) in rows.iter().enumerate() {
        for row in [Some(row.as_slice()), (number == 0).then_some(rulers.as_slice())].into_iter().flatten() {
            let padded = row.iter().zip(&widths).map(|(cell, &width)| {
                let figure = cell.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'));
                if figure { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            out.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
            out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_quoting_go() {
        let quoted = "> > [88123.1] nvme nvme0: I/O 812 QID 4 timeout, aborting\n>>>  indented\n";
        assert_eq!(restored(quoted), "[88123.1] nvme nvme0: I/O 812 QID 4 timeout, aborting\n indented\n");
    }

    #[test]
    fn a_margin_goes_where_a_block_has_it() {
        assert_eq!(restored("    mpatha dm-3\n\n      size=1G\n"), "mpatha dm-3\n\n  size=1G\n");
        assert_eq!(
            restored("See:\n\n   md0 : active\n    [2/1]\n\nWhy?\n"),
            "See:\n\nmd0 : active\n [2/1]\n\nWhy?\n"
        );
        for own in [
            "  pool: tank\n state: ONLINE\n",
            "NIC statistics:\n     rx: 1\n     tx: 2\n",
            "Device  r/s\n\n        1.0\n",
        ] {
            assert_eq!(restored(own), own);
        }
    }

    #[test]
    fn typographic_signs_and_emphasis_go() {
        let text = "size=1G features=\u{2018}0\u{2019} hwhandler=\u{2018}0\u{2019}\n  tp0 vg0 twi-aotz-- 9g **100.00** 7.00\n";
        assert_eq!(
            restored(text),
            "size=1G features='0' hwhandler='0'\n  tp0 vg0 twi-aotz-- 9g 100.00 7.00\n"
        );
        assert_eq!(restored("***  (1) TRANSACTION\n"), "***  (1) TRANSACTION\n");
    }

    #[test]
    fn a_table_of_markdown_becomes_columns() {
        let text = "Events\n| Event | Waits |\n|---|---:|\n| log file sync | 1,812 |\n\nend\n";
        assert_eq!(
            restored(text),
            "Events\nEvent          Waits\n-------------  -----\nlog file sync  1,812\n\nend\n"
        );
        let client = "+----+\n| Id |\n+----+\n| 7  |\n";
        assert_eq!(restored(client), client);
    }
}
