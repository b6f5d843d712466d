//! A text report as tables. SQL*Plus draws a ruler of dashes below each heading: the ruler gives the columns, the lines
//! above it their names, and a heading (underlined with tildes, or with `DB/Inst:` behind it) the table's title.

use super::ruler::{self, LineKind};
use super::table::{Column, Row, Table, Tables, collapse, title};
use crate::page::{self, LONGEST_NAME_BYTES, MOST_COLUMNS, Run, append, spread};
use std::rc::Rc;

/// More lines than any report has; what is beyond is left out.
const MOST_LINES: usize = 2_000_000;
/// A heading has no more lines than this.
const TALLEST_HEADING: usize = 7;
/// A ruler that begins so far from the margin leaves room for labels.
const LABEL_INDENT: usize = 8;

/// All tables and titled paragraphs of a report, in order.
pub(super) fn tables(text: &str) -> Vec<Table> {
    let lines = text.lines().take(MOST_LINES).map(page::plain).enumerate().collect();
    let lines = with_underline(without_page_heads(lines));
    let (numbers, lines): (Vec<usize>, Vec<String>) = lines.into_iter().unzip();
    let kinds = ruler::classify(&lines);
    Reader {
        lines: &lines,
        numbers: &numbers,
        kinds: &kinds,
        tables: Tables::default(),
        title: Rc::default(),
    }
    .read()
}

/// Takes out what `SQL*Plus` puts at the top of each page, in the middle of tables and headings, when the report was
/// selected and not spooled without headings: an empty line, the column's name, a line of dashes.
fn without_page_heads(lines: Vec<(usize, String)>) -> Vec<(usize, String)> {
    const COLUMN: [&str; 2] = ["OUTPUT", "COLUMN_VALUE"];
    let mut kept: Vec<(usize, String)> = Vec::with_capacity(lines.len());
    let mut head = false;
    for (number, line) in lines {
        let after_head = std::mem::take(&mut head);
        if COLUMN.contains(&line.trim()) {
            head = true;
            if kept.last().is_some_and(|(_, last)| last.is_empty()) {
                kept.pop();
            }
        } else if !(after_head && line.len() > 8 && line.bytes().all(|byte| byte == b'-')) {
            kept.push((number, line));
        }
    }
    kept
}

/// Puts the tildes back that were lost below a title: that of the ratios, as in a printed page, and one above its notes
/// (`-> ordered by ...`) that has lost the name of the database behind it. Without them neither is a title.
fn with_underline(lines: Vec<(usize, String)>) -> Vec<(usize, String)> {
    let line = |at: usize| lines.get(at).map_or("", |(_, line)| line.as_str());
    let is_ratios = |at: usize| {
        let below = || lines[at + 1..].iter().find(|(_, line)| !line.trim().is_empty());
        line(at).trim_start().starts_with("Instance Efficiency")
            && below().is_some_and(|(_, line)| line.contains('%') && line.contains(':'))
    };
    let is_noted = |at: usize| {
        line(at + 1).starts_with("->")
            && line(at).starts_with(|c: char| c.is_ascii_uppercase())
            && !["DB/Inst", " for DB:"].iter().any(|own| line(at).contains(own))
            && (at == 0 || line(at - 1).is_empty())
    };
    let bare: Vec<usize> = (0..lines.len()).filter(|at| is_noted(*at) || is_ratios(*at)).collect();
    let mut bare = bare.into_iter().peekable();
    let mut out = Vec::with_capacity(lines.len() + bare.len());
    for (at, (number, line)) in lines.into_iter().enumerate() {
        out.push((number, line));
        if bare.next_if_eq(&at).is_some() {
            out.push((number, "~~~~~~~~~~~~~~~~~~~".to_owned()));
        }
    }
    out
}

struct Reader<'a> {
    lines: &'a [String],
    /// Where each line is in the file, counted from 0.
    numbers: &'a [usize],
    kinds: &'a [LineKind],
    tables: Tables,
    /// The title that is in force.
    title: Rc<str>,
}

impl Reader<'_> {
    fn read(mut self) -> Vec<Table> {
        let starts = self.heading_starts();
        let mut index = 0;
        while index < self.lines.len() {
            self.note_title(index);
            index = match self.kinds[index] {
                LineKind::Ruler => self.table(index, &starts),
                LineKind::Underline if !self.heads_a_table(index) => self.paragraph(index + 1, &starts),
                _ => index + 1,
            };
        }
        self.tables.finish()
    }

    /// True when the lines below an underline are the heading of a ruler.
    fn heads_a_table(&self, underline: usize) -> bool {
        let below = &self.kinds[underline + 1..];
        let heading = below.iter().take(TALLEST_HEADING);
        let gap = heading.take_while(|kind| matches!(kind, LineKind::Other | LineKind::Group)).count();
        below.get(gap) == Some(&LineKind::Ruler)
    }

    /// Sets the title when this line carries one.
    fn note_title(&mut self, index: usize) {
        match self.kinds[index] {
            LineKind::Title => self.title = title(&ruler::titled(&self.lines[index])),
            LineKind::Underline => self.title = title(&ruler::underlined(self.lines, self.kinds, index)),
            LineKind::Ruler if self.lines[index].trim_start().starts_with('~') => {
                self.title = title(&ruler::underlined(self.lines, self.kinds, index));
            }
            LineKind::Terminator => self.title = Rc::default(),
            _ => {}
        }
    }

    /// For each line, whether a table's heading begins there: the rows above end before it.
    fn heading_starts(&self) -> Vec<bool> {
        let mut starts = vec![false; self.lines.len()];
        for index in 0..self.lines.len() {
            match self.kinds[index] {
                LineKind::Ruler => starts[self.heading_start(index)] = true,
                LineKind::Underline => {
                    starts[ruler::title_line(self.kinds, index).unwrap_or(index)] = true;
                }
                _ => {}
            }
        }
        starts
    }

    /// The first line of the heading above a ruler.
    fn heading_start(&self, ruler: usize) -> usize {
        let mut start = ruler;
        while start > 0 && ruler - start < TALLEST_HEADING {
            match self.kinds[start - 1] {
                LineKind::Other | LineKind::Group => start -= 1,
                LineKind::Underline => {
                    let underline = start - 1;
                    return ruler::title_line(self.kinds, underline).unwrap_or(underline);
                }
                _ => break,
            }
        }
        start
    }

    /// Reads the table below the ruler (or stack of rulers) and returns the line after it.
    fn table(&mut self, first: usize, starts: &[bool]) -> usize {
        let mut rulers = vec![first];
        let mut body = first + 1;
        while let Some(next) = self.stacked_ruler(body) {
            rulers.push(next);
            body = next + 1;
        }
        let mut shapes: Vec<Shape> = Vec::new();
        let mut from = self.heading_start(first);
        let mut columns = 0;
        for &ruler in &rulers {
            let shape = self.shape(from, ruler);
            columns += shape.columns.len();
            if columns > MOST_COLUMNS + 1 {
                break;
            }
            shapes.push(shape);
            from = ruler + 1;
        }
        let end = self.body_end(body, starts);
        let title = self.title.clone();
        let mut table = Table { heading: title.clone(), title, ..Table::default() };
        table.columns = shapes.iter().flat_map(|shape| shape.columns.iter().cloned()).collect();
        self.fill(&mut table, &shapes, body, end);
        self.tables.push(table);
        end
    }

    /// The next ruler when it follows immediately, with nothing but heading lines between.
    fn stacked_ruler(&self, from: usize) -> Option<usize> {
        let ahead = self.kinds.get(from..)?.iter().take(TALLEST_HEADING);
        let gap = ahead.take_while(|kind| matches!(kind, LineKind::Other | LineKind::Group)).count();
        let next = from + gap;
        // Data and a heading cannot be distinguished by shape alone: headings hold no lone numbers.
        let is_heading = self.lines[from..next].iter().all(|line| !ruler::holds_number(line));
        (gap > 0 && is_heading && self.kinds.get(next) == Some(&LineKind::Ruler)).then_some(next)
    }

    fn body_end(&self, body: usize, starts: &[bool]) -> usize {
        (body..self.lines.len())
            .find(|&index| {
                starts[index] || matches!(self.kinds[index], LineKind::Terminator | LineKind::Title)
            })
            .unwrap_or(self.lines.len())
    }

    fn shape(&self, from: usize, ruler: usize) -> Shape {
        let above = ruler.checked_sub(1).map_or("", |above| &self.lines[above]);
        let mut runs = ruler::reaching(above, ruler::runs(&self.lines[ruler]));
        let indented = runs.first().is_some_and(|run| run.start >= LABEL_INDENT);
        if indented {
            // Labels stand left of the ruler: "Begin Snap:".
            runs.insert(0, Run { start: 0, end: runs[0].start - 1 });
        }
        let mut names = vec![String::new(); runs.len()];
        let mut groups = vec![String::new(); runs.len()];
        let titles: Vec<usize> = (from..ruler)
            .filter(|&index| self.kinds[index] == LineKind::Underline)
            .filter_map(|underline| ruler::title_line(self.kinds, underline))
            .collect();
        for index in from..ruler {
            match self.kinds[index] {
                LineKind::Note => {}
                LineKind::Group => self.take_group(index, &runs, &mut names, &mut groups),
                LineKind::Underline => {
                    let line = self.lines[index].replace('~', " ");
                    spread(&line, &runs, &mut names);
                }
                _ => {
                    let line = if titles.contains(&index) {
                        ruler::blank_title(&self.lines[index])
                    } else {
                        self.lines[index].clone()
                    };
                    for (group, run) in ruler::inline_groups(&line) {
                        put_group(&group, run, &runs, &mut groups);
                    }
                    spread(&ruler::without_groups(&line), &runs, &mut names);
                }
            }
        }
        let mut running = String::new();
        let columns = names
            .iter()
            .zip(&groups)
            .map(|(name, group)| {
                let (prefix, bare) = name.split_once(": ").unwrap_or(("", name));
                if !prefix.is_empty() && group.is_empty() {
                    prefix.clone_into(&mut running);
                    return Column::new(&running, bare);
                }
                Column::new(if group.is_empty() { &running } else { group }, name)
            })
            .collect();
        let label = indented || self.lines[ruler].trim_start().starts_with('~');
        Shape { runs, columns, label }
    }

    /// Words that are above a group ruler belong to the group, not to a column.
    fn take_group(&self, index: usize, runs: &[Run], names: &mut [String], groups: &mut [String]) {
        let spans = ruler::runs(&self.lines[index]);
        let above = index.checked_sub(1).map_or("", |above| self.lines[above].as_str());
        let mut captions = vec![String::new(); spans.len()];
        spread(above, &spans, &mut captions);
        for (span, caption) in spans.iter().zip(&captions) {
            for (position, run) in runs.iter().enumerate() {
                if run.overlap(*span) > 0 {
                    names[position].clear();
                }
            }
            put_group(caption, *span, runs, groups);
        }
    }

    fn fill(&mut self, table: &mut Table, shapes: &[Shape], body: usize, end: usize) {
        let mut open: Option<Row> = None;
        for index in body..end {
            if self.kinds[index] != LineKind::Other {
                continue;
            }
            let line = &self.lines[index];
            let at = shape_of(line, shapes, open.as_ref());
            let offset: usize = shapes[..at].iter().map(|shape| shape.columns.len()).sum();
            let cells = shapes[at].cells(line);
            if at == 0
                && let Some(row) = open.take()
            {
                self.tables.add_row(table, row);
            }
            let row = open.get_or_insert_with(|| Row {
                line: self.numbers[index] + 1,
                cells: vec![String::new(); table.columns.len()],
                raw: (shapes.len() == 1).then(|| line.clone()),
            });
            for (cell, text) in row.cells[offset..].iter_mut().zip(cells) {
                append(cell, &text);
            }
        }
        if let Some(row) = open {
            self.tables.add_row(table, row);
        }
    }

    /// Reads the lines below an underlined heading that has no ruler, and returns the line after them.
    fn paragraph(&mut self, from: usize, starts: &[bool]) -> usize {
        let end = self.body_end(from, starts);
        let rows = (from..end)
            .filter(|&index| self.kinds[index] == LineKind::Other)
            .map(|index| Row {
                line: self.numbers[index] + 1,
                cells: Vec::new(),
                raw: Some(self.lines[index].clone()),
            })
            .collect();
        let title = self.title.clone();
        self.tables.push(Table { heading: title.clone(), title, columns: Vec::new(), rows });
        end.max(from)
    }
}

/// The columns below one ruler.
struct Shape {
    runs: Vec<Run>,
    columns: Vec<Column>,
    /// The first column holds labels that end in a colon and may be wider than its ruler.
    label: bool,
}

impl Shape {
    fn cells(&self, line: &str) -> Vec<String> {
        let mut cells = vec![String::new(); self.runs.len()];
        if let (true, Some((label, rest))) = (self.label, line.split_once(": ")) {
            cells[0] = collapse(label) + ":";
            let blank = " ".repeat(label.chars().count() + 2);
            let mut others = vec![String::new(); self.runs.len()];
            spread(&(blank + rest), &self.runs, &mut others);
            for (cell, text) in cells.iter_mut().zip(others) {
                append(cell, &text);
            }
            return cells;
        }
        spread(line, &self.runs, &mut cells);
        cells
    }
}

/// Which shape of a stack a line has: numbers belong to the last, names to the first.
fn shape_of(line: &str, shapes: &[Shape], open: Option<&Row>) -> usize {
    if shapes.len() == 1 {
        return 0;
    }
    let numeric = line.split_whitespace().all(ruler::looks_numeric);
    match (numeric, open) {
        (true, Some(row)) => {
            // The first numeric shape that the open row has not filled yet.
            let mut offset = shapes[0].columns.len();
            for (at, shape) in shapes.iter().enumerate().skip(1) {
                let filled =
                    row.cells[offset..offset + shape.columns.len()].iter().any(|cell| !cell.is_empty());
                if !filled {
                    return at;
                }
                offset += shape.columns.len();
            }
            shapes.len() - 1
        }
        (true, None) => shapes.len() - 1,
        (false, _) => 0,
    }
}

fn put_group(caption: &str, span: Run, runs: &[Run], groups: &mut [String]) {
    for (group, run) in groups.iter_mut().zip(runs) {
        if run.overlap(span) > 0 && group.len() < LONGEST_NAME_BYTES {
            append(group, page::name(caption));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(tables: &[Table]) -> usize {
        tables.iter().flat_map(|table| &table.rows).map(|row| row.cells.len()).sum()
    }

    #[test]
    fn a_ruler_of_8000_columns_above_8000_short_rows() {
        let text = format!("{}\n{}\n{}", "n ".repeat(8000), "- ".repeat(8000), "1\n".repeat(8000));
        let tables = tables(&text);
        assert_eq!(tables.len(), 1);
        assert_eq!((tables[0].columns.len(), tables[0].rows.len()), (256, 8000));
        assert_eq!(cells(&tables), 8000, "a row keeps the cells that it fills");
    }

    #[test]
    fn rulers_in_a_stack_share_the_limit_of_columns() {
        let heading = format!("{}\n{}\n", "n ".repeat(200), "- ".repeat(200));
        let tables = tables(&(heading.repeat(5) + "name\n1\n"));
        assert!(tables.iter().all(|table| table.columns.len() <= 257), "{:?}", tables[0].columns.len());
    }

    #[test]
    fn a_title_of_1_mb_is_cut_and_shared_by_1500_tables() {
        let title = format!("{} DB/Inst: A/a  Snaps: 1-2\n", "t".repeat(1 << 20));
        let tables = tables(&(title + &"name\n----\nx\n\n".repeat(1500)));
        assert_eq!(tables.len(), 1500);
        assert!(tables.iter().all(|table| table.title.len() == 256));
        assert!(tables.iter().all(|table| Rc::ptr_eq(&table.title, &tables[0].heading)));
    }

    #[test]
    fn a_caption_above_many_columns_is_cut_and_counted() {
        let table =
            format!("    --{}--\n{}\n{}\nx 1\n\n", "c".repeat(10_000), "n ".repeat(256), "- ".repeat(256));
        let tables = tables(&table.repeat(600));
        let bytes: usize =
            tables.iter().flat_map(|table| &table.columns).map(|column| column.group.len()).sum();
        assert!(bytes <= 32 << 20, "{bytes}");
    }
}
