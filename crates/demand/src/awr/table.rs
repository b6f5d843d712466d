//! A report as a list of tables: what the HTML and the text readers both make, and all that the sections read.
//! Tables are found by title and columns by name, never by position.

use super::number::{self, Time};
use crate::page;
use std::rc::Rc;

/// More tables than any report has; what is beyond is left out.
const MOST_TABLES: usize = 20_000;
/// More cells than any report has: at 24 bytes each, 96 MB.
const MOST_CELLS: usize = 4_000_000;
/// The names of columns: a caption above many is kept with each of them.
const MOST_NAME_BYTES: usize = 32 << 20;

/// The tables of a report as they are read, within limits: a short heading may span many columns, and a short line fill
/// the last of many, so that a small file could ask for much memory.
#[derive(Debug, Default)]
pub(super) struct Tables {
    kept: Vec<Table>,
    cells: usize,
    name_bytes: usize,
}

impl Tables {
    /// Keeps a table, unless the limits are reached.
    pub(super) fn push(&mut self, table: Table) {
        let names = table.columns.iter().map(Column::bytes).sum::<usize>();
        if self.kept.len() < MOST_TABLES && self.name_bytes + names <= MOST_NAME_BYTES {
            self.name_bytes += names;
            self.kept.push(table);
        }
    }

    /// Adds a row to a table that is being read, without the empty cells at its end.
    pub(super) fn add_row(&mut self, table: &mut Table, mut row: Row) {
        let filled = row.cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
        row.cells.truncate(filled);
        row.cells.shrink_to_fit();
        self.cells += row.cells.len().max(1);
        if self.cells <= MOST_CELLS {
            table.rows.push(row);
        }
    }

    pub(super) fn finish(self) -> Vec<Table> {
        self.kept
    }
}

/// A title or heading as all tables below it share it.
pub(super) fn title(text: &str) -> Rc<str> {
    page::name(text).into()
}

/// One table, or one titled paragraph of `label: value` lines (then without columns).
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    /// HTML: the `summary` attribute; text: the heading. Lower case, spaces collapsed.
    pub(super) title: Rc<str>,
    /// HTML: the heading above; text: the same as `title`. Lower case, spaces collapsed.
    pub(super) heading: Rc<str>,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Row>,
}

/// A column's name, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Column {
    /// What spans it and its neighbours (`reads`, `% of waits`), reduced like `name`.
    pub(super) group: String,
    /// Letters, digits, `%` and `#` only, lower case, without the unit: `avgwait`.
    pub(super) name: String,
    /// What was in brackets at the end: `ms`.
    pub(super) unit: String,
    /// As printed, spaces collapsed.
    pub(super) printed: String,
}

/// A row of cells, trimmed, spaces collapsed.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) cells: Vec<String>,
    /// The line as it is, in a text report: the pairs are read from it.
    pub(super) raw: Option<String>,
}

/// A label with the values behind it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair {
    pub(super) label: String,
    pub(super) values: Vec<String>,
}

impl Column {
    pub(super) fn new(group: &str, printed: &str) -> Self {
        let printed = collapse(page::name(printed));
        let (bare, unit) = split_unit(&printed);
        Self {
            group: reduce(page::name(group)),
            name: reduce(bare),
            unit: unit.to_ascii_lowercase(),
            printed,
        }
    }
}

/// Splits `Time (s)` and `Av Rd(ms)`; only known units are taken off.
fn split_unit(printed: &str) -> (&str, &str) {
    const UNITS: [&str; 12] =
        ["s", "ms", "us", "cs", "sec", "seconds", "mb", "k", "m", "min", "minutes", "hrs"];
    let (Some(open), true) = (printed.rfind('('), printed.ends_with(')')) else { return (printed, "") };
    let unit = printed[open + 1..printed.len() - 1].trim();
    if UNITS.contains(&unit.to_ascii_lowercase().as_str()) { (&printed[..open], unit) } else { (printed, "") }
}

/// One space between words, none at the ends.
pub(super) fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Lower case, and only what distinguishes names.
pub(super) fn reduce(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '%' | '#' | '<' | '>' | '='))
        .flat_map(char::to_lowercase)
        .collect()
}

impl Table {
    /// The first column that has one of these reduced names, the earlier name first. `group|name` asks for a
    /// column below a group; a plain name matches in any group, and the name with its group in front as well.
    pub(super) fn column(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|wanted| self.columns.iter().position(|column| column.is(wanted)))
    }

    pub(super) fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.column(&[name]).is_some())
    }

    /// The unit of a column, empty when it has none.
    pub(super) fn unit(&self, column: Option<usize>) -> &str {
        column.and_then(|index| self.columns.get(index)).map_or("", |column| &column.unit)
    }

    /// True when the title or the heading begins with one of these.
    pub(super) fn titled(&self, starts: &[&str]) -> bool {
        starts.iter().any(|start| self.title.starts_with(start) || self.heading.starts_with(start))
    }

    /// All `label: value` pairs of the table.
    pub(super) fn pairs(&self) -> Vec<Pair> {
        self.rows.iter().flat_map(Row::pairs).collect()
    }
}

/// What a row of this table has in the first of these columns that there is.
impl Table {
    pub(super) fn cell<'a>(&self, row: &'a Row, names: &[&str]) -> Option<&'a str> {
        row.cell(self.column(names))
    }

    pub(super) fn owned(&self, row: &Row, names: &[&str]) -> Option<String> {
        self.cell(row, names).map(str::to_owned)
    }

    pub(super) fn number(&self, row: &Row, names: &[&str]) -> Option<f64> {
        self.cell(row, names).and_then(number::number)
    }

    pub(super) fn count(&self, row: &Row, names: &[&str]) -> Option<u64> {
        self.cell(row, names).and_then(number::count)
    }

    /// A time whose column has its unit in its name, or none and is in this one, ms.
    pub(super) fn millis(&self, row: &Row, names: &[&str], default: &str) -> Option<f64> {
        let column = self.column(names);
        let unit = Some(self.unit(column)).filter(|unit| !unit.is_empty()).unwrap_or(default);
        row.cell(column).and_then(|cell| number::time(cell, unit)).map(Time::millis)
    }
}

impl Column {
    /// What it takes in memory.
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.group.len() + self.name.len() + self.unit.len() + self.printed.len()
    }

    fn is(&self, wanted: &str) -> bool {
        match wanted.split_once('|') {
            Some((group, name)) => self.group.starts_with(group) && self.name == name,
            None => {
                self.name == wanted
                    || wanted.strip_prefix(self.group.as_str()).is_some_and(|rest| rest == self.name)
            }
        }
    }
}

impl Row {
    /// The cell of a column, when there is one and it holds something.
    pub(super) fn cell(&self, column: Option<usize>) -> Option<&str> {
        self.cells.get(column?).map(String::as_str).filter(|cell| !cell.is_empty())
    }

    /// Its first cell, lower case, without a colon at its end.
    pub(super) fn label(&self) -> String {
        self.cells.first().map_or("", String::as_str).trim_end_matches(':').trim().to_lowercase()
    }

    /// The `label: value ...` pairs of a row.
    pub(super) fn pairs(&self) -> Vec<Pair> {
        match &self.raw {
            Some(line) => pairs_of_line(line),
            None => pairs_of_cells(&self.cells),
        }
    }
}

/// A cell that ends in `:` (or follows as the first of the row) is a label, what follows its values.
fn pairs_of_cells(cells: &[String]) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    for (index, cell) in cells.iter().enumerate() {
        if cell.ends_with(':') || (index == 0 && !cell.is_empty()) {
            pairs.push(Pair { label: cell.trim_end_matches(':').to_owned(), values: Vec::new() });
        } else if let (Some(pair), false) = (pairs.last_mut(), cell.is_empty()) {
            pair.values.push(cell.clone());
        }
    }
    pairs
}

/// `Buffer Nowait %:  100.00   Redo NoWait %:  99.97`: a label ends at a colon before a space, values are the words
/// behind it that look like values; the rest is the next label.
fn pairs_of_line(line: &str) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    let mut rest = line;
    while let Some((before, after)) = split_at_colon(rest) {
        let label = collapse(before);
        let (values, next) = leading_values(after);
        pairs.push(Pair { label, values });
        rest = next;
    }
    pairs
}

fn split_at_colon(text: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    while let Some(at) = text[from..].find(':').map(|at| at + from) {
        let after = &text[at + 1..];
        if after.is_empty() || after.starts_with(char::is_whitespace) {
            return Some((&text[..at], after));
        }
        from = at + 1;
    }
    None
}

fn leading_values(text: &str) -> (Vec<String>, &str) {
    let mut values = Vec::new();
    let mut rest = text.trim_start();
    while let Some(word) = rest.split_whitespace().next().filter(|word| looks_like_value(word)) {
        values.push(word.to_owned());
        rest = rest[word.len()..].trim_start();
    }
    (values, rest)
}

fn looks_like_value(word: &str) -> bool {
    let first = word.trim_start_matches(['-', '+', '.']).chars().next();
    first.is_some_and(|c| c.is_ascii_digit() || c == '#') || matches!(word, "N/A" | "(mins)" | "(min)")
}
