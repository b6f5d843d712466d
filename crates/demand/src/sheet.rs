//! A listing as columns and rows: comma-separated, ruled as `SQL*Plus` and `SQLcl` print it, or words in columns.

use crate::ReadError;
use crate::awr::decimal_sign;
use crate::page::{self, MOST_COLUMNS, Run};
use crate::stamp::is_month;
use std::collections::BTreeSet;

/// A listing of more rows is cut: ten years of logs at one a minute are fewer.
const MOST_ROWS: usize = 6_000_000;

/// A table with named columns.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    /// As printed.
    columns: Vec<String>,
    pub(crate) rows: Vec<Row>,
    /// Where the heading stands.
    pub(crate) line: usize,
    /// What separates decimals.
    decimal: char,
}

/// One row.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) line: usize,
    cells: Vec<String>,
}

impl Row {
    /// A cell; empty when the row is too short.
    pub(crate) fn cell(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", String::as_str)
    }
}

impl Sheet {
    /// The column of a reduced name: lower case, without spaces and underscores.
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| reduce(column) == name)
    }

    /// The column of a reduced name, or the one whose name is cut from it.
    pub(crate) fn column_or_cut(&self, name: &str) -> Option<usize> {
        let cut = || self.columns.iter().rposition(|column| is_cut_from(&reduce(column), name));
        self.column(name).or_else(cut)
    }

    /// All names, as printed.
    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// All names, for an error.
    pub(crate) fn names(&self) -> String {
        page::name(&self.columns.join(", ")).to_owned()
    }

    /// A number in the notation of the file.
    pub(crate) fn number(&self, cell: &str) -> Option<f64> {
        let plain: String = cell
            .chars()
            .filter(|&c| c.is_ascii_digit() || matches!(c, '-' | '+' | 'e' | 'E') || c == self.decimal)
            .map(|c| if c == self.decimal { '.' } else { c })
            .collect();
        let odd = cell
            .chars()
            .any(|c| !(c.is_ascii_digit() || matches!(c, '-' | '+' | 'e' | 'E' | '.' | ',' | ' ' | '\'')));
        if odd { None } else { plain.parse().ok().filter(|value: &f64| value.is_finite()) }
    }
}

/// Lower case, without spaces and underscores.
pub(crate) fn reduce(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | ' ' | '"')).flat_map(char::to_lowercase).collect()
}

/// Finds the heading and reads what is below it.
pub(crate) fn read(text: &str, name: &str) -> Result<Sheet, ReadError> {
    let lines: Vec<String> = text.lines().take(MOST_ROWS).map(page::plain).collect();
    if lines.iter().all(|line| line.trim().is_empty()) {
        return Err(ReadError::new(name, 1, "the file is empty; an archived-log listing was expected"));
    }
    if let Some(error) = lines.iter().position(|line| line.starts_with("ORA-") || line.starts_with("SP2-")) {
        let answer = page::name(lines[error].trim());
        let what = format!("the database answered \"{answer}\" instead of rows");
        return Err(ReadError::new(name, error + 1, what));
    }
    let heading = lines.iter().position(|line| is_heading(line)).ok_or_else(|| {
        let first = lines.iter().position(|line| !line.trim().is_empty()).unwrap_or(0);
        let what = "no heading with column names (SEQUENCE#, MB, ...): list with headings (set heading on, set pagesize 50000), or use the query from fullwire redo --sql oracle";
        ReadError::foreign(name, first + 1, what)
    })?;
    Ok(table(&lines, heading))
}

/// The same with rows of words alone.
pub(crate) fn all_rows(lines: &[String], heading: usize) -> Sheet {
    sheet(lines, heading, |cells| cells.iter().any(|cell| !cell.is_empty()))
}

/// A row of figures.
fn is_data(cells: &[String]) -> bool {
    cells.iter().filter(|cell| !cell.is_empty()).count() > 1
        && cells.concat().contains(|c: char| c.is_ascii_digit())
}

/// The table below a heading, to the end of these lines.
pub(crate) fn table(lines: &[String], heading: usize) -> Sheet {
    sheet(lines, heading, is_data)
}

fn sheet(lines: &[String], heading: usize, is_row: fn(&[String]) -> bool) -> Sheet {
    let sheet = match delimiter(&lines[heading]) {
        Some(delimiter) => separated(lines, heading, delimiter),
        None => spaced(lines, heading).unwrap_or_else(|| ruled(lines, heading, is_row)),
    };
    Sheet { line: heading + 1, decimal: decimal(&sheet.rows), ..sheet }
}

/// The names of a line's columns, if it were a heading, reduced as [`Sheet::column`] takes them.
pub(crate) fn heading_names(line: &str) -> Vec<String> {
    match delimiter(line) {
        Some(delimiter) => page::fields(line, delimiter).iter().map(|name| reduce(name)).collect(),
        None => page::words(line).map(|(word, _)| reduce(word)).collect(),
    }
}

/// Below a column that is narrower than its name, `SQL*Plus` cuts the name (`MODE_ST`).
pub(crate) fn is_cut_from(column: &str, name: &str) -> bool {
    const SHORTEST: usize = 3;
    column == name || (column.len() >= SHORTEST && name.starts_with(column))
}

/// A heading names a sequence or a time, in words.
fn is_heading(line: &str) -> bool {
    let upper = line.to_ascii_uppercase();
    let known = ["SEQUENCE#", "SEQUENCE", "FIRST_TIME", "SEQ#", "BEGIN_TIME"];
    let words = upper.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '|'));
    let named = words.clone().any(|word| known.contains(&word));
    // A prompt with the query in it is not the heading.
    named
        && !upper.contains("SELECT")
        && !upper.starts_with("SQL>")
        && words.filter(|word| !word.is_empty()).count() > 1
}

fn delimiter(heading: &str) -> Option<char> {
    [';', '|', '\t', ','].into_iter().find(|&delimiter| heading.contains(delimiter))
}

fn separated(lines: &[String], heading: usize, delimiter: char) -> Sheet {
    let columns = page::fields(&lines[heading], delimiter);
    let rows = lines[heading + 1..]
        .iter()
        .enumerate()
        .map(|(index, line)| Row { line: heading + index + 2, cells: page::fields(line, delimiter) })
        .filter(|row| row.cells.len() > 1 && row.cells != columns && !is_rule(&row.cells.concat()));
    Sheet { rows: rows.collect(), columns, ..Sheet::default() }
}

/// Names of several words, and columns that stand two blanks and more apart, in the heading and in the row below it alike.
fn spaced(lines: &[String], heading: usize) -> Option<Sheet> {
    let cells = |line: &String| -> Vec<String> {
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
    };
    let columns = cells(&lines[heading]);
    let is_whole = |row: &Row| row.cells.len() == columns.len();
    let rows = lines[heading + 1..].iter().enumerate().filter(|(_, line)| !is_rule(line));
    let mut rows = rows.map(|(index, line)| Row { line: heading + index + 2, cells: cells(line) }).peekable();
    let fits = columns.len() > 2 && columns.iter().any(|name| name.contains(' ')) && is_whole(rows.peek()?);
    fits.then(|| Sheet {
        rows: rows.filter(is_whole).collect(),
        columns: columns.clone(),
        ..Sheet::default()
    })
}

/// Dashes or (`SQLcl`) underscores below the heading give the columns; without them, words do.
fn ruled(lines: &[String], heading: usize, is_row: fn(&[String]) -> bool) -> Sheet {
    // One line of dashes from end to end parts no columns.
    let rule = lines.get(heading + 1).filter(|line| is_rule(line) && page::words(line).count() > 1);
    let named = rule.unwrap_or(&lines[heading]);
    let runs: Vec<Run> = page::words(named).map(|(_, run)| run).take(MOST_COLUMNS).collect();
    let split = |line: &String| {
        let mut cells = vec![String::new(); runs.len()];
        // A mark behind a name is no cell (repquota(8)).
        let is_mark = |word: &str| matches!(word, "+-" | "-+" | "++");
        let words: Vec<_> = page::words(line).filter(|(word, _)| !is_mark(word)).collect();
        // Pages join spaces, so that nothing stands below its name any more.
        let places = || words.iter().filter_map(|(_, at)| page::nearest(*at, &runs)).collect::<BTreeSet<_>>();
        let mut order = in_order(&words);
        let is_whole = order.last() == runs.len().checked_sub(1).as_ref();
        if !is_whole || (rule.is_some() && places().len() == runs.len()) {
            order.clear();
        }
        for (index, (word, at)) in words.into_iter().enumerate() {
            let Some(column) = order.get(index).copied().or_else(|| page::nearest(at, &runs)) else {
                continue;
            };
            page::append(&mut cells[column], word);
        }
        // A short line of a wide listing keeps no empty cells.
        let filled = cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
        cells.truncate(filled);
        cells.shrink_to_fit();
        cells
    };
    let columns = split(&lines[heading]);
    let rows = lines[heading + 1..]
        .iter()
        .enumerate()
        .filter(|(_, line)| !is_rule(line) && !is_heading(line) && !is_footer(line))
        .map(|(index, line)| Row { line: heading + index + 2, cells: split(line) })
        .filter(|row| is_row(&row.cells) && row.cells != columns);
    Sheet { rows: rows.collect(), columns, ..Sheet::default() }
}

/// Which cell of its line each word is of: a time of day belongs to the date before it.
fn in_order(words: &[(&str, Run)]) -> Vec<usize> {
    let is_time =
        |word: &str| word.contains(':') && word.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '.'));
    let is_half = |word: &str| matches!(word, "AM" | "PM" | "am" | "pm");
    let is_date = |word: &str| word.len() >= 8 && word.contains(['-', '/', '.']);
    let is_day = |at: usize| is_month(words[at - 1].0) && words[at].0.parse::<u8>().is_ok();
    let goes_on = |index: &usize| {
        let (before, word) = (words[index - 1].0, words[*index].0);
        let of_month = is_day(*index) || *index > 1 && is_time(word) && is_day(index - 1);
        (is_time(word) && is_date(before)) || (is_half(word) && is_time(before)) || of_month
    };
    let cells = (0..words.len()).scan(0, |cell, index| {
        *cell += usize::from(index > 0 && !goes_on(&index));
        Some(*cell)
    });
    cells.collect()
}

/// Dashes or the like below the names of columns.
pub(crate) fn is_rule(line: &str) -> bool {
    let trimmed = line.trim();
    !trimmed.is_empty() && trimmed.chars().all(|c| matches!(c, '-' | '_' | '=' | ' ' | '+' | '|'))
}

/// `11 rows selected.`, `Elapsed: 00:00:00.05`, the next prompt.
fn is_footer(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    lower.ends_with("rows selected.")
        || lower.ends_with("rows selected")
        || lower.starts_with("elapsed:")
        || lower.starts_with("sql>")
}

/// The decimal sign of a file: a comma where one number tells.
fn decimal(rows: &[Row]) -> char {
    let is_comma = |cell: &String| {
        cell.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | '-' | '+' | 'E' | 'e'))
            && decimal_sign(cell.trim_start_matches(['-', '+'])) == Some(',')
    };
    if rows.iter().flat_map(|row| &row.cells).any(is_comma) { ',' } else { '.' }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_of_8000_columns_and_rows_keeps_what_is_filled() {
        let ruled = format!(
            "SEQUENCE# {}\n--------- {}\n{}",
            "n ".repeat(8000),
            "- ".repeat(8000),
            "1         2\n".repeat(8000)
        );
        let separated = format!("SEQUENCE#{}\n{}", ",n".repeat(8000), "1,2\n".repeat(8000));
        for text in [ruled, separated] {
            let sheet = read(&text, "a").unwrap();
            assert_eq!((sheet.columns.len(), sheet.rows.len()), (256, 8000));
            assert_eq!(sheet.rows.iter().map(|row| row.cells.len()).sum::<usize>(), 16_000);
            assert!(sheet.names().len() <= 256);
        }
    }

    #[test]
    fn a_date_and_its_time_are_one_cell_without_dashes_below_the_names() {
        let text =
            "SEQUENCE# FIRST_TIME NEXT_TIME BLOCKS\n7 2026-11-28 01:00:10 11/28/2026 01:14:10 PM 1843200\n";
        let sheet = read(text, "a").unwrap();
        assert_eq!(sheet.rows[0].cells, ["7", "2026-11-28 01:00:10", "11/28/2026 01:14:10 PM", "1843200"]);
    }

    #[test]
    fn a_day_of_a_month_and_its_time_are_one_cell() {
        let lines = ["insert dirty time", "12 31.2% Nov  3 10:02:11.812"].map(str::to_owned);
        assert_eq!(all_rows(&lines, 0).rows[0].cells, ["12", "31.2%", "Nov 3 10:02:11.812"]);
    }

    #[test]
    fn the_decimal_sign_is_learnt_from_all_numbers() {
        let with = |cells: &[&str]| {
            let row = Row { line: 1, cells: cells.iter().map(|&cell| cell.to_owned()).collect() };
            decimal(&[row])
        };
        assert_eq!(with(&["29366,1963"]), ',');
        assert_eq!(with(&["29.366,196"]), ',');
        assert_eq!(with(&["29,366.196"]), '.');
        assert_eq!(with(&["29,366"]), '.');
        assert_eq!(with(&["2014-04-23 10:00:00"]), '.');
    }
}
