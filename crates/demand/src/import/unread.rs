//! Cells of a table that are no figure: none is dropped without a word.

use crate::page;
use fullwire_model::{Gap, GapReason};
use std::collections::BTreeMap;

/// This many columns are named, the rest counted.
const MOST_NAMED: usize = 20;

/// How many cells of each column could not be read, and the first of them.
#[derive(Debug, Default)]
pub(super) struct Cells {
    by_column: BTreeMap<String, (u64, String)>,
    others: u64,
}

impl Cells {
    /// Notes a cell. An empty one is a column that the tool does not have for this row.
    pub(super) fn add(&mut self, column: &str, cell: &str) {
        if cell.is_empty() {
            return;
        }
        if let Some((count, _)) = self.by_column.get_mut(column) {
            *count += 1;
        } else if self.by_column.len() < MOST_NAMED {
            self.by_column.insert(column.to_owned(), (1, page::name(cell).to_owned()));
        } else {
            self.others += 1;
        }
    }

    /// `not read as figures: %util (12 times, "x")`.
    pub(super) fn gap(self) -> Option<Gap> {
        let named = self.by_column.iter().map(|(column, (count, first))| match count {
            1 => format!("{column} (once, \"{first}\")"),
            _ => format!("{column} ({count} times, \"{first}\" first)"),
        });
        let mut named: Vec<String> = named.collect();
        if named.is_empty() {
            return None;
        }
        if self.others > 0 {
            named.push(format!("{} in other columns", self.others));
        }
        Some(Gap::new("values", GapReason::Malformed, format!("not read as figures: {}", named.join(", "))))
    }
}
