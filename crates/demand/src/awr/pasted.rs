//! Tables of a report as a browser or a mail leaves them: tabs between the cells, or no ruler below the names of the
//! columns. Both get back what the text report has.

use super::TITLES;
use super::ruler::looks_numeric;
use crate::page::{self, MOST_COLUMNS, Run};
use std::borrow::Cow;
use std::fmt::Write as _;

/// A heading is wider than a sentence: so many cells at least.
const FEWEST: usize = 3;
/// Rows of one table that are looked at.
const MOST_ROWS: usize = 2_000;

/// The text with rulers and columns.
pub(super) fn restored(text: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = text.lines().collect();
    if !(0..lines.len()).any(|index| is_bare_heading(&lines, index)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() * 2);
    let mut index = 0;
    while index < lines.len() {
        if is_bare_heading(&lines, index) {
            index = table(&lines, index, &mut out);
        } else {
            let _ = writeln!(out, "{}", lines[index]);
            index += 1;
        }
    }
    Cow::Owned(out)
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

/// Writes a table with its title, its columns and a ruler; returns the line after it.
fn table(lines: &[&str], heading: usize, out: &mut String) -> usize {
    let rows = lines[heading..].iter().take(MOST_ROWS).take_while(|line| !line.trim().is_empty());
    let lines_of: Vec<&str> = rows.copied().collect();
    let names = cells(lines_of[0]);
    let places = places(lines_of[0]);
    let rows: Vec<Vec<&str>> = lines_of.iter().map(|line| in_columns(line, names.len(), &places)).collect();
    let above = heading.checked_sub(1).map_or("", |above| lines[above]);
    let is_title = |line: &str| TITLES.iter().any(|title| line.to_ascii_uppercase().contains(title));
    if !is_title(above) && !above.trim_start().starts_with("~~~") {
        out.push_str("\nTop 5 Timed Events\n");
    }
    if !above.trim_start().starts_with("~~~") {
        out.push_str("~~~~~~~~~~~~~~~~~~\n");
    }
    let wide = |column: usize| {
        let of = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count().min(256));
        of.max().unwrap_or(1).max(2)
    };
    let widths: Vec<usize> = (0..names.len()).map(wide).collect();
    for (number, row) in rows.iter().enumerate() {
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(out, "{} ", format_args!("{cell:<width$}"));
        }
        out.push('\n');
        if number == 0 {
            for width in &widths {
                out.push_str(&("-".repeat(*width) + " "));
            }
            out.push('\n');
        }
    }
    heading + rows.len()
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

#[cfg(test)]
mod tests {
    use super::super::{is_report, read};

    fn events(text: &str) -> Vec<(String, f64)> {
        let report = read(text.as_bytes(), "x").unwrap();
        report.top_events.iter().map(|event| (event.name.clone(), event.share_pct.unwrap_or(0.0))).collect()
    }

    #[test]
    fn a_table_copied_from_a_browser_is_read() {
        let text = "Top 10 Foreground Events by Total Wait Time\nEvent\tWaits\tTotal Wait Time (sec)\tWait Avg(ms)\t% DB time\tWait Class\n\
                    direct path read temp\t812,331\t9123.1\t11.23\t61.2\tUser I/O\nDB CPU\t\t3212.3\t\t21.5\t\n";
        let found = events(text);
        assert_eq!(found[0], ("direct path read temp".to_owned(), 61.2));
        assert_eq!(found[1], ("DB CPU".to_owned(), 21.5));
    }

    #[test]
    fn a_table_without_title_and_ruler_is_read() {
        let text = "Event                               Waits     Time(s)   Ave Wait(ms)   %Total Call Time  Wait Class\n\
                    resmgr:cpu quantum                  412,331    98,123      238      71.2  Scheduler\n\
                    DB CPU                                          21,233               15.4\n\
                    db file sequential read             812,331       812        1       0.6  User I/O\n";
        assert!(is_report(text));
        let found = events(text);
        assert_eq!(found[0].0, "resmgr:cpu quantum");
        assert_eq!((found[0].1, found[1].1, found[2].1), (71.2, 15.4, 0.6));
    }
}
