//! Tables with aligned columns.

use super::text::{Line, Role, Text, WIDTH, cut};
use crate::report::Table;
use unicode_width::UnicodeWidthStr;

/// A table below its title, notes at the end.
pub(super) fn table(table: &Table) -> Text {
    let mut text = Text::new();
    if !table.title.is_empty() {
        text.push(Line::new().strong(&table.title));
    }
    let widths = widths(table);
    if table.columns.iter().any(|column| !column.name.is_empty()) {
        let heads: Vec<String> = table.columns.iter().map(|column| column.name.to_owned()).collect();
        text.push(row(table, &widths, &heads, Role::Dim));
    }
    for cells in &table.rows {
        text.push(row(table, &widths, cells, Role::Plain));
    }
    for note in &table.notes {
        text.wrap(Line::new().plain("  "), Role::Dim, note);
    }
    text
}

/// Columns as wide as their widest cell; the widest text column gives way until the table fits.
fn widths(table: &Table) -> Vec<usize> {
    let cell_width = |index: usize| {
        let cells = table.rows.iter().filter_map(|row| row.get(index)).map(|cell| cell.as_str().width());
        cells.chain([table.columns[index].name.width()]).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..table.columns.len()).map(cell_width).collect();
    let needed = 2 + widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
    let excess = needed.saturating_sub(WIDTH);
    let texts = table.columns.iter().enumerate().filter(|(_, column)| !column.numeric);
    if let Some((widest, _)) = texts.max_by_key(|(index, _)| widths[*index]) {
        widths[widest] = widths[widest].saturating_sub(excess).max(8);
    }
    widths
}

fn row(table: &Table, widths: &[usize], cells: &[String], role: Role) -> Line {
    let mut line = Line::new().plain("  ");
    let mut start = 2;
    for ((column, width), cell) in table.columns.iter().zip(widths).zip(cells) {
        let cell = cut(cell, *width);
        let column = if column.numeric { start + width - cell.width() } else { start };
        let missing = column.saturating_sub(line.width());
        line = line.plain(" ".repeat(missing)).add(role, cell);
        start += width + 2;
    }
    line
}
