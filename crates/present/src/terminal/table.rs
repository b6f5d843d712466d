//! Tables with aligned columns.

use super::text::{Line, Role, Text, cut, width};
use crate::report::Table;
use unicode_width::UnicodeWidthStr;

/// A table below its title, notes at the end.
pub(super) fn table(table: &Table) -> Text {
    let mut text = Text::new();
    if !table.title.is_empty() {
        text.push(Line::new().strong(&table.title));
    }
    for block in blocks(&widths(table)) {
        if table.columns.iter().any(|column| !column.name.is_empty()) {
            let heads: Vec<String> = table.columns.iter().map(|column| column.name.to_owned()).collect();
            text.push(row(table, &block, &heads, Role::Dim));
        }
        for cells in &table.rows {
            text.push(row(table, &block, cells, Role::Plain));
        }
    }
    for note in &table.notes {
        text.wrap(Line::new().plain("  "), Role::Dim, note);
    }
    text
}

/// A column of a block: which one, and how wide.
type Place = (usize, usize);

/// No text column becomes narrower than this.
const NARROWEST: usize = 8;

/// Columns as wide as their widest cell; the widest text column yields if that makes the table fit. If it does not, the
/// table is drawn in several blocks, and none of them needs it.
fn widths(table: &Table) -> Vec<usize> {
    let cell_width = |index: usize| {
        let cells = table.rows.iter().filter_map(|row| row.get(index)).map(|cell| cell.as_str().width());
        cells.chain([table.columns[index].name.width()]).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..table.columns.len()).map(cell_width).collect();
    let needed = 2 + widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
    let excess = needed.saturating_sub(width());
    let texts = table.columns.iter().enumerate().filter(|(_, column)| !column.numeric && !column.whole);
    if let Some((widest, _)) = texts.max_by_key(|(index, _)| widths[*index]) {
        let narrowed = widths[widest].saturating_sub(excess);
        // Beside the first column and within the width in any case.
        let alone = width().saturating_sub(2 + 2 + NARROWEST);
        widths[widest] = if narrowed >= NARROWEST { narrowed } else { widths[widest].min(alone) };
    }
    widths
}

/// The columns side by side that fit; what does not is below, each block begun by the first column again.
fn blocks(widths: &[usize]) -> Vec<Vec<Place>> {
    let mut places = widths.iter().copied().enumerate();
    let Some(first) = places.next() else { return Vec::new() };
    let mut blocks = vec![vec![first]];
    let mut used = 2 + first.1;
    for place in places {
        let last = blocks.last_mut().expect("one at least");
        if used + 2 + place.1 <= width() || last.len() == 1 {
            last.push(place);
            used += 2 + place.1;
        } else {
            blocks.push(vec![first, place]);
            used = 2 + first.1 + 2 + place.1;
        }
    }
    blocks
}

fn row(table: &Table, block: &[Place], cells: &[String], role: Role) -> Line {
    let mut line = Line::new().plain("  ");
    let mut start = 2;
    for &(index, width) in block {
        let cell = cut(cells.get(index).map_or("", String::as_str), width);
        let column = if table.columns[index].numeric { start + width - cell.width() } else { start };
        let missing = column.saturating_sub(line.width());
        line = line.plain(" ".repeat(missing)).add(role, cell);
        start += width + 2;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_table_cuts_no_time() {
        let times = ["2026-03-23 23:57:30", "2027-01-01 00:04:00"];
        let mut of_times = Table::new("", &["@from", "@to", "what", "where"]);
        let cells = [times[0], times[1], "device-wait-long", "a-device-with-a-very-long-name-of-its-own"];
        of_times.rows.push(cells.map(str::to_owned).to_vec());
        let text = table(&of_times).render(false);
        assert!(times.iter().all(|time| text.contains(time)) && text.contains('…'), "{text}");
    }
}
