//! The lines of a text report: rulers, headings, notes, terminators, and words with their places.

use crate::page::{MOST_COLUMNS, Run, words};

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Blank,
    /// `-> ordered by wait time desc`, and what continues it.
    Note,
    /// Dashes (and tildes) below the names of columns.
    Ruler,
    /// Dashes below the name of a group of columns; the names of the columns follow.
    Group,
    /// Tildes below a heading; names of columns may be behind them.
    Underline,
    /// A heading with `DB/Inst:` behind it.
    Title,
    /// The line of dashes that ends a section.
    Terminator,
    Other,
}

/// The runs of a ruler, as many as a table may have columns.
pub(super) fn runs(line: &str) -> Vec<Run> {
    words(line).map(|(_, run)| run).take(MOST_COLUMNS).collect()
}

/// The runs of a ruler that someone typed, four dashes for `EVENT`: each reaches to the next.
pub(super) fn reaching(heading: &str, runs: Vec<Run>) -> Vec<Run> {
    let names: Vec<Run> = words(heading).map(|(_, run)| run).collect();
    let is_shorter = names.len() == runs.len()
        && names.iter().zip(&runs).all(|(name, run)| name.start == run.start && name.end >= run.end);
    if !is_shorter {
        return runs;
    }
    let ends: Vec<usize> = runs.iter().skip(1).map(|next| next.start.saturating_sub(1)).collect();
    let ends = ends.into_iter().chain(runs.last().map(|last| last.end));
    runs.iter().zip(ends).map(|(run, end)| Run { start: run.start, end: end.max(run.end) }).collect()
}

/// True for what a data cell may hold and a heading does not.
pub(super) fn looks_numeric(word: &str) -> bool {
    let bare = word.trim_start_matches(['-', '+', '.']);
    bare.starts_with(|c: char| c.is_ascii_digit()) || bare.starts_with("##") || word == "N/A"
}

/// True when a line contains a number that is alone.
pub(super) fn holds_number(line: &str) -> bool {
    words(line)
        .any(|(word, _)| word.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.')) && word != ".")
}

/// The kind of every line.
pub(super) fn classify(lines: &[String]) -> Vec<LineKind> {
    let mut kinds: Vec<LineKind> = lines.iter().map(|line| kind_alone(line)).collect();
    for index in 0..lines.len() {
        if kinds[index] == LineKind::Ruler && is_group(lines, &kinds, index) {
            kinds[index] = LineKind::Group;
        }
        let follows_note = index > 0 && kinds[index - 1] == LineKind::Note;
        if kinds[index] == LineKind::Other && follows_note && lines[index].starts_with(' ') {
            kinds[index] = LineKind::Note;
        }
    }
    for index in 0..lines.len() {
        if kinds[index] == LineKind::Ruler && is_terminator(&lines[index]) {
            kinds[index] = LineKind::Terminator;
        }
    }
    kinds
}

fn kind_alone(line: &str) -> LineKind {
    let trimmed = line.trim_start();
    if trimmed.is_empty() {
        LineKind::Blank
    } else if trimmed.starts_with("->") {
        LineKind::Note
    } else if trimmed.bytes().all(|byte| matches!(byte, b'-' | b'~' | b' ')) && trimmed.contains(['-', '~']) {
        match (trimmed.contains('-'), line.starts_with('~') || line.starts_with(" ~")) {
            (true, _) => LineKind::Ruler,
            (false, true) => LineKind::Underline,
            // Tildes in mid-line decorate a sum, as in the compare-period report.
            (false, false) => LineKind::Blank,
        }
    } else if trimmed.starts_with("~~~") {
        LineKind::Underline
    } else if title_of(trimmed).is_some() {
        LineKind::Title
    } else {
        LineKind::Other
    }
}

/// A single long run far from the margin.
fn is_terminator(line: &str) -> bool {
    let trimmed = line.trim_start();
    line.len() - trimmed.len() >= 8 && trimmed.len() >= 40 && !trimmed.contains(' ')
}

/// A group ruler is followed, within a few lines of heading, by the ruler of the columns.
fn is_group(lines: &[String], kinds: &[LineKind], index: usize) -> bool {
    let mut next = index + 1;
    while next < lines.len() && next - index <= 4 && kinds[next] == LineKind::Other {
        next += 1;
    }
    if next == index + 1 || kinds.get(next) != Some(&LineKind::Ruler) {
        return false;
    }
    let (own, below) = (runs(&lines[index]), runs(&lines[next]));
    if lines[index].starts_with(' ') {
        // A heading in between, no data; and the ruler below has more columns, some left of the group.
        let left = below.first().is_some_and(|first| own.first().is_some_and(|own| first.start < own.start));
        return left
            && below.len() > own.len()
            && !lines[index + 1..next].iter().any(|line| holds_number(line));
    }
    // At the margin it could be the first of a stack; a group covers the ruler below it to the last column.
    own.len() > 1
        && below.len() > own.len()
        && below.iter().all(|run| own.iter().any(|group| group.start <= run.start && run.end <= group.end))
}

/// What is before `DB/Inst:`, or in 8i and 9i before `for DB: PROD  Instance: prod1  Snaps: 1 -2`.
fn title_of(line: &str) -> Option<&str> {
    let old = || line.split_once(" for DB:").filter(|(_, rest)| rest.contains("Instance:"));
    line.split_once("DB/Inst:").or_else(old).map(|(title, _)| title)
}

/// The heading in a line with `DB/Inst:`.
pub(super) fn titled(line: &str) -> String {
    let before = title_of(line).unwrap_or("");
    // The compare-period report says "Wait Events   First DB/Inst: ...".
    let before = before.trim_end().strip_suffix("First").unwrap_or(before);
    super::table::collapse(before).to_lowercase()
}

/// The line that an underline belongs to: the one above, or above the notes between.
pub(super) fn title_line(kinds: &[LineKind], underline: usize) -> Option<usize> {
    let mut index = underline.checked_sub(1)?;
    while kinds[index] == LineKind::Note && index > 0 {
        index -= 1;
    }
    matches!(kinds[index], LineKind::Other).then_some(index)
}

/// The heading above an underline or a tilde ruler.
pub(super) fn underlined(lines: &[String], kinds: &[LineKind], underline: usize) -> String {
    let Some(index) = title_line(kinds, underline) else { return String::new() };
    let line = lines[index].trim_start();
    let end = title_end(line);
    super::table::collapse(&line[..end]).to_lowercase()
}

/// Where a heading ends: at two spaces in a row, or at an opening bracket behind one.
fn title_end(line: &str) -> usize {
    let double = line.find("  ").unwrap_or(line.len());
    line.find(" (").map_or(double, |bracket| bracket.min(double))
}

/// The line with its heading blanked out: what is left names columns.
pub(super) fn blank_title(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let end = indent + line.trim_start().find("  ").unwrap_or(line.trim_start().len());
    let blanks = " ".repeat(line[..end].chars().count());
    blanks + &line[end..]
}

/// Captions inside a line of dashes: `---------- Read ---------`, each with the span of its dashes.
pub(super) fn inline_groups(line: &str) -> Vec<(String, Run)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (word, run) in words(line) {
        let dashes = word.len() >= 2 && word.bytes().all(|byte| byte == b'-');
        match (dashes, &mut open) {
            (true, Some((start, caption))) if !caption.is_empty() => {
                found.push((std::mem::take(caption), Run { start: *start, end: run.end }));
                open = None;
            }
            (true, _) => open = Some((run.start, String::new())),
            (false, Some((_, caption))) => {
                if !caption.is_empty() {
                    caption.push(' ');
                }
                caption.push_str(word);
            }
            (false, None) => {}
        }
    }
    found
}

/// The line with its inline groups blanked out.
pub(super) fn without_groups(line: &str) -> String {
    let groups = inline_groups(line);
    if groups.is_empty() {
        return line.to_owned();
    }
    // Groups and characters both run from left to right.
    let mut ahead = groups.iter().map(|(_, run)| run).peekable();
    let blank = |(column, c)| {
        while ahead.next_if(|run| run.end <= column).is_some() {}
        if ahead.peek().is_some_and(|run| run.start <= column) { ' ' } else { c }
    };
    line.chars().enumerate().map(blank).collect()
}
