//! Tables of a report as a browser or a mail leaves them: tabs or Markdown's bars between the cells, no ruler below the names
//! of the columns, no title above. All get back what the text report has.

use super::ruler::looks_numeric;
use super::{HEAD_BYTES, TITLES};
use crate::page::{self, MOST_COLUMNS, Run};
use crate::retold::{self, MOST_ROWS};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A heading is wider than a sentence: so many cells at least.
const FEWEST: usize = 3;

/// The text with titles, rulers and columns.
pub(super) fn restored(text: &str) -> Cow<'_, str> {
    let text = retold::restored(text, true);
    let lines: Vec<&str> = text.lines().collect();
    let is_heading = |index: &usize| lines[*index].trim_start().starts_with("Event");
    // A whole report has its titles.
    let upper = page::prefix(&text, HEAD_BYTES).to_ascii_uppercase();
    let is_whole = upper.contains("WORKLOAD REPOSITORY") || upper.contains("STATSPACK");
    let untitled: BTreeMap<usize, &str> = (0..lines.len())
        .filter(|index| !is_whole && is_heading(index))
        .filter_map(|index| untitled(&lines, index))
        .collect();
    if untitled.is_empty() && !(0..lines.len()).any(|index| is_bare_heading(&lines, index)) {
        return text;
    }
    let mut out = String::with_capacity(text.len() * 2);
    let mut index = 0;
    while index < lines.len() {
        out.push_str(untitled.get(&index).copied().unwrap_or(""));
        if is_bare_heading(&lines, index) {
            index = table(&lines, index, &mut out);
        } else {
            let _ = writeln!(out, "{}", lines[index]);
            index += 1;
        }
    }
    Cow::Owned(out)
}

/// A heading has no more lines than this, and no more blank lines and notes above.
const TALLEST: usize = 6;

/// For the heading of a table of events without title, or with one that is not underlined: what is missing, and the line
/// before which.
fn untitled(lines: &[&str], heading: usize) -> Option<(usize, &'static str)> {
    const UNDERLINE: &str = "~~~~~~~~~~~~~~~~~~\n";
    let is_ruler = |line: &&str| {
        line.trim_end().contains("-- ") && line.bytes().all(|byte| byte == b'-' || byte == b' ')
    };
    let line = lines[heading];
    if !line.contains("Waits")
        || !lines.get(heading + 1).is_some_and(is_ruler) && !is_bare_heading(lines, heading)
    {
        return None;
    }
    let above = |from: usize, fits: fn(&str) -> bool| {
        let above = lines[from.saturating_sub(TALLEST)..from].iter().rev();
        from - above.take_while(|line| fits(line)).count()
    };
    let top = above(heading, |line| {
        line.starts_with("   ") && !line.trim().is_empty() && !line.contains("DB/Inst")
    });
    let title = above(top, |line| line.trim().is_empty() || line.starts_with("->"));
    let before = title.checked_sub(1).map_or("", |at| lines[at]);
    if [lines[top], before]
        .iter()
        .any(|line| line.contains("~~~") || line.contains("DB/Inst:") || line.contains(" for DB:"))
    {
        return None;
    }
    if TITLES.iter().any(|title| before.to_ascii_uppercase().contains(title)) {
        return Some((title, UNDERLINE));
    }
    let is_background = lines[top..=heading].iter().any(|line| line.contains("% bg"));
    let missing = match () {
        () if line.contains("<1ms") => "\nWait Event Histogram\n~~~~~~~~~~~~~~~~~~\n",
        () if is_background => "\nBackground Wait Events\n~~~~~~~~~~~~~~~~~~\n",
        () => "\nTop 5 Timed Events\n~~~~~~~~~~~~~~~~~~\n",
    };
    Some((top, missing))
}

/// The cells of a line: between tabs, or two spaces apart.
fn cells(line: &str) -> Vec<&str> {
    if line.contains('\t') {
        return line.split('\t').map(str::trim).take(MOST_COLUMNS).collect();
    }
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).take(MOST_COLUMNS).collect()
}

/// Names of columns of events with a row of figures right below.
fn is_bare_heading(lines: &[&str], index: usize) -> bool {
    let line = lines[index];
    let names = cells(line);
    let (Some(first), Some(below)) = (names.first(), lines.get(index + 1)) else { return false };
    *first == "Event"
        && names.len() >= FEWEST
        && line.contains("Waits")
        && below.split_whitespace().any(looks_numeric)
        && below.contains(char::is_alphabetic)
}

/// Writes a table with its columns and a ruler; returns the line after it.
fn table(lines: &[&str], heading: usize, out: &mut String) -> usize {
    let rows = lines[heading..].iter().take(MOST_ROWS).take_while(|line| !line.trim().is_empty());
    let lines_of: Vec<&str> = rows.copied().collect();
    let names = cells(lines_of[0]);
    let places = places(lines_of[0]);
    let of = |line: &&str| -> Vec<String> {
        in_columns(line, names.len(), &places).into_iter().take(names.len()).map(str::to_owned).collect()
    };
    let mut rows: Vec<Vec<String>> = lines_of.iter().map(of).collect();
    rows.insert(1, vec!["-".to_owned(); names.len()]);
    retold::columns(&rows, out);
    heading + lines_of.len()
}

/// The cells of a row, as many as there are columns: a row that lacks some has them below the names that are nearest.
fn in_columns<'a>(line: &'a str, columns: usize, places: &[Run]) -> Vec<&'a str> {
    let own = cells(line);
    if line.contains('\t') || own.len() >= columns {
        return own;
    }
    let mut row = vec![""; columns];
    for (cell, place) in own.into_iter().zip(self::places(line)) {
        if let Some(column) = page::nearest(place, places) {
            row[column] = cell;
        }
    }
    row
}

/// Where the cells of a line stand.
fn places(line: &str) -> Vec<Run> {
    let mut at = 0;
    let mut found = Vec::new();
    for part in line.split_inclusive("  ") {
        let (bare, before) = (part.trim().chars().count(), part.len() - part.trim_start().len());
        if bare > 0 {
            found.push(Run { start: at + before, end: at + before + bare });
        }
        at += part.chars().count();
    }
    found
}
