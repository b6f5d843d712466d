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
    let missing = if is_background {
        "\nBackground Wait Events\n~~~~~~~~~~~~~~~~~~\n"
    } else {
        "\nTop 5 Timed Events\n~~~~~~~~~~~~~~~~~~\n"
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
    let rows: Vec<Vec<&str>> = lines_of.iter().map(|line| in_columns(line, names.len(), &places)).collect();
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

    #[test]
    fn tables_are_read_however_they_were_retold() {
        let bars = "### Top 5 Timed Foreground Events\n\n| Event | Waits | Time (s) | % DB time |\n|---|---|---|---|\n\
                    | db file scattered read | 1.812.331 | 3.123 | 61,2% |\n| log file sync | 12.331 | 312 | 6,1% |\n";
        let open =
            bars.replace("\n| ", "\n").replace(" |\n", "\n").replace("|---|---|---|---|", "---|---|---|---");
        let flat = "Top 5 Timed Foreground Events\nEvent                   Waits      Time(s)  % DB time\n\
                    ----------------------- ---------- -------- ----------\n\
                    db file scattered read  1,812,331    3,123      61.2%\nlog file sync           12,331         312       6.1%\n";
        let bars_alone = bars.split_once("\n\n").map(|(_, rest)| rest).unwrap_or_default();
        let bare = flat.split_once('\n').map(|(_, rest)| rest).unwrap_or_default();
        for text in [bars, bars_alone, &open, flat, bare] {
            assert!(is_report(text), "{text}");
            let found = events(text);
            assert_eq!(
                found,
                [("db file scattered read".to_owned(), 61.2), ("log file sync".to_owned(), 6.1)],
                "{text}"
            );
        }
    }

    #[test]
    fn waits_of_the_background_are_known_by_their_share() {
        let text = "                                        %Time Total Wait    wait    Waits   % bg\n\
                    Event                             Waits -outs   Time (s)    (ms)     /txn   time\n\
                    -------------------------- ------------ ----- ---------- ------- -------- ------\n\
                    db file parallel write           81,233     0      7,212      89      0.4   31.2\n";
        let report = read(text.as_bytes(), "x").expect("a table");
        assert_eq!(report.background_waits["db file parallel write"].share_pct, Some(31.2));
        assert!(report.top_events.is_empty());
    }
}
