//! An HTML report as tables: the `summary` attribute names them; where it is missing (10g), the paragraph or the heading
//! above does.

use super::table::{Column, Row, Table, Tables, collapse, title};
use crate::page::{self, MOST_COLUMNS};
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};
use std::convert::Infallible;
use std::rc::Rc;

/// More header rows than any table has; a further one takes the last one's place.
const TALLEST_HEADING: usize = 8;

/// All tables of a report, in order. The title of the page comes first, as a table without rows.
pub(super) fn tables(text: &str) -> Vec<Table> {
    let mut builder = Builder::default();
    let mut lines = Lines { bytes: text.as_bytes(), offset: 0, line: 1 };
    let emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, span: Span<usize>| -> Option<Infallible> {
        builder.event(&event, lines.at(span.start));
        None
    });
    for _ in Tokenizer::new_with_emitter(text, emitter) {}
    builder.finish()
}

/// Turns rising offsets into line numbers.
struct Lines<'a> {
    bytes: &'a [u8],
    offset: usize,
    line: usize,
}

impl Lines<'_> {
    fn at(&mut self, offset: usize) -> usize {
        let offset = offset.min(self.bytes.len());
        if offset > self.offset {
            self.line += self.bytes[self.offset..offset].split(|&byte| byte == b'\n').count() - 1;
            self.offset = offset;
        }
        self.line
    }
}

#[derive(Default)]
struct Builder {
    tables: Tables,
    open: Option<OpenTable>,
    heading: Rc<str>,
    /// The first paragraph since the last table or heading: 10g names its tables so.
    caption: String,
    /// Text of the cell or heading that is open.
    text: Option<String>,
    tag: Tag,
    attribute: Attribute,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Tag {
    Table,
    Cell,
    Head,
    /// A note, a link, a style sheet.
    Aside,
    #[default]
    Other,
}

#[derive(Default, Clone, Copy)]
enum Attribute {
    Summary,
    Colspan,
    #[default]
    Other,
}

#[derive(Default)]
struct OpenTable {
    table: Table,
    /// Header rows: each cell with its span.
    headers: Vec<Vec<(String, usize)>>,
    row: Vec<(String, usize)>,
    row_line: usize,
    row_is_header: bool,
    span: usize,
}

impl Builder {
    fn event(&mut self, event: &CallbackEvent<'_>, line: usize) {
        match event {
            CallbackEvent::OpenStartTag { name } => self.start(name, line),
            CallbackEvent::AttributeName { name } => {
                self.attribute = match *name {
                    b"summary" => Attribute::Summary,
                    b"colspan" => Attribute::Colspan,
                    _ => Attribute::Other,
                }
            }
            CallbackEvent::AttributeValue { value } => self.attribute_value(value),
            CallbackEvent::EndTag { name } => self.end(name),
            CallbackEvent::String { value } => self.string(value),
            _ => {}
        }
    }

    fn string(&mut self, value: &[u8]) {
        let text = String::from_utf8_lossy(value);
        if let Some(open) = &mut self.text {
            open.push_str(&text);
        } else if self.open.is_none() && self.caption.is_empty() && self.tag != Tag::Aside {
            self.caption = collapse(page::name(text.trim_start())).to_lowercase();
        }
    }

    fn start(&mut self, name: &[u8], line: usize) {
        self.tag = Tag::Other;
        match name {
            b"table" => {
                self.close_table();
                let caption = std::mem::take(&mut self.caption);
                let heading = if caption.is_empty() { self.heading.clone() } else { title(&caption) };
                let table = Table { heading, ..Table::default() };
                self.open = Some(OpenTable { table, ..OpenTable::default() });
                self.tag = Tag::Table;
            }
            b"tr" => self.start_row(line),
            b"td" | b"th" => {
                self.close_cell();
                if let Some(open) = &mut self.open {
                    open.row_is_header |= name == b"th";
                    open.span = 1;
                    self.text = Some(String::new());
                    self.tag = Tag::Cell;
                }
            }
            b"h1" | b"h2" | b"h3" | b"title" => {
                self.close_table();
                self.text = Some(String::new());
                self.tag = Tag::Head;
            }
            // Notes and links are no names.
            b"li" | b"a" | b"style" | b"script" => self.tag = Tag::Aside,
            // A line break inside a cell separates words.
            b"br" | b"p" => {
                if let Some(text) = &mut self.text {
                    text.push(' ');
                }
            }
            _ => {}
        }
    }

    fn attribute_value(&mut self, value: &[u8]) {
        let Some(open) = &mut self.open else { return };
        match (self.tag, self.attribute) {
            (Tag::Table, Attribute::Summary) => {
                open.table.title = title(&collapse(&String::from_utf8_lossy(value)).to_lowercase());
            }
            (Tag::Cell, Attribute::Colspan) => {
                let span = std::str::from_utf8(value).ok().and_then(|text| text.trim().parse().ok());
                open.span = span.unwrap_or(1).clamp(1, MOST_COLUMNS);
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &[u8]) {
        self.tag = Tag::Other;
        match name {
            b"td" | b"th" => self.close_cell(),
            b"tr" => {
                self.close_cell();
                self.close_row();
            }
            b"table" => self.close_table(),
            b"h1" | b"h2" | b"h3" | b"title" => {
                let Some(text) = self.text.take() else { return };
                self.heading = title(&collapse(&text).to_lowercase());
                self.caption.clear();
                if name == b"title" || name == b"h1" {
                    self.tables.push(Table { title: self.heading.clone(), ..Table::default() });
                }
            }
            _ => {}
        }
    }

    fn start_row(&mut self, line: usize) {
        self.close_cell();
        self.close_row();
        if let Some(open) = &mut self.open {
            open.row_line = line;
        }
    }

    fn close_cell(&mut self) {
        let (Some(open), Some(text)) = (&mut self.open, self.text.take()) else { return };
        if open.row.len() < MOST_COLUMNS {
            open.row.push((collapse(&text), open.span));
        }
    }

    fn close_row(&mut self) {
        let Some(open) = &mut self.open else { return };
        let row = std::mem::take(&mut open.row);
        let is_header = std::mem::take(&mut open.row_is_header);
        if row.is_empty() {
            return;
        }
        // A page may have no `th`.
        let is_named = open.headers.is_empty()
            && row.first().is_some_and(|(cell, _)| cell.eq_ignore_ascii_case("event"));
        if (is_header || is_named) && open.table.rows.is_empty() {
            open.headers.truncate(TALLEST_HEADING - 1);
            open.headers
                .push(row.into_iter().map(|(cell, span)| (page::name(&cell).to_owned(), span)).collect());
        } else {
            let cells = row.into_iter().map(|(cell, _)| cell).collect();
            self.tables.add_row(&mut open.table, Row { line: open.row_line, cells, raw: None });
        }
    }

    fn close_table(&mut self) {
        self.close_cell();
        self.close_row();
        let Some(mut open) = self.open.take() else { return };
        open.table.columns = columns(&open.headers);
        self.caption.clear();
        self.tables.push(open.table);
    }

    fn finish(mut self) -> Vec<Table> {
        // A cell that is still open was cut: half a number is none.
        self.text = None;
        self.close_table();
        self.tables.finish()
    }
}

/// The last header row names the columns; the rows above it, by their spans, the groups.
fn columns(headers: &[Vec<(String, usize)>]) -> Vec<Column> {
    let Some((last, above)) = headers.split_last() else { return Vec::new() };
    let spread = |row: &[(String, usize)]| -> Vec<String> {
        row.iter()
            .flat_map(|(cell, span)| std::iter::repeat_n(cell.clone(), *span))
            .take(MOST_COLUMNS)
            .collect()
    };
    let groups: Vec<Vec<String>> = above.iter().map(|row| spread(row)).collect();
    let mut running = String::new();
    let names = spread(last);
    let column = |(index, name): (usize, &String)| {
        let spanned: Vec<&str> = groups
            .iter()
            .filter_map(|row| row.get(index))
            .map(String::as_str)
            .filter(|g| !g.is_empty())
            .collect();
        // "Reads: Data", then "Reqs per sec" without the word: the group runs on until the next one.
        let mut bare = name.as_str();
        if let Some((group, rest)) = name.split_once(": ").filter(|_| spanned.is_empty()) {
            group.clone_into(&mut running);
            bare = rest;
        }
        let group = if spanned.is_empty() { running.clone() } else { spanned.join(" ") };
        Column::new(&group, bare)
    };
    names.iter().enumerate().map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_bytes(tables: &[Table]) -> usize {
        let columns = tables.iter().flat_map(|table| &table.columns);
        columns.map(|column| column.group.len() + column.name.len() + column.printed.len()).sum()
    }

    #[test]
    fn header_cells_of_100_kb_that_span_256_columns() {
        let wide = format!("<th colspan=256>{}</th>", "h".repeat(100_000));
        let row = format!("<tr>{wide}</tr>");
        let table = format!("<table>{}<tr><td>1</td></tr></table>", row.repeat(60));
        let tables = tables(&table.repeat(2));
        assert_eq!((tables.len(), tables[0].columns.len()), (2, 256));
        assert!(
            tables[0].columns.iter().all(|column| column.printed.len() <= 256 && column.group.len() <= 256)
        );
    }

    #[test]
    fn many_short_tables_with_wide_headers_share_one_limit() {
        let header = format!("<table><tr><th colspan=256>{}</th></tr></table>", "h".repeat(256));
        let tables = tables(&header.repeat(1000));
        assert!(name_bytes(&tables) <= 32 << 20, "{}", name_bytes(&tables));
        assert!(!tables.is_empty());
    }

    #[test]
    fn a_title_of_1_mb_is_cut_and_shared_by_1500_tables() {
        let text =
            format!("<h3>{}</h3>{}", "t".repeat(1 << 20), "<table><tr><td>1</td></tr></table>".repeat(1500));
        let tables = tables(&text);
        assert_eq!(tables.len(), 1500);
        assert!(tables.iter().all(|table| table.heading.len() == 256));
        assert!(tables.iter().all(|table| Rc::ptr_eq(&table.heading, &tables[0].heading)));
    }

    #[test]
    fn headings_without_tables_have_a_limit_too() {
        assert_eq!(tables(&"<h1>x</h1>".repeat(30_000)).len(), 20_000);
    }
}
