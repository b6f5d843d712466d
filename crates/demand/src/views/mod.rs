//! Listings of Oracle's `V$` views about storage and standbys: `SQL*Plus`, `SQLcl`, CSV, `asmcmd lsdg`. Several views may
//! follow one another in a file; each is known by its columns, whatever the query.

mod asm;
mod dataguard;
pub mod sql;

use crate::sheet::{self, Row, Sheet};
use crate::{ReadError, page};
use fullwire_model::demand::OracleViews;
use fullwire_model::{Gap, GapReason};

/// A listing of more lines is not one of these views.
const MOST_LINES: usize = 200_000;
/// A view of a few names has them in its first rows.
const MOST_ROWS_LOOKED_AT: usize = 12;
/// What the query prints before each table.
const MARK: &str = "fullwire: v$";
/// Oracle people's MB.
const MIB: f64 = 1_048_576.0;

/// A view: its name, and the columns by which a heading is known.
struct View {
    name: &'static str,
    columns: &'static [&'static str],
    /// Where these are of many views: words in its rows, one of which must follow.
    rows: &'static [&'static str],
    take: fn(Option<&Table>, &mut OracleViews),
}

/// Those that need more columns come first: `V$STANDBY_LOG` has nearly all of `V$LOG`'s.
const VIEWS: [View; 10] = [
    View {
        name: "asm_diskgroup",
        columns: &["totalmb", "freemb", "usablefilemb"],
        rows: &[],
        take: asm::groups,
    },
    View { name: "asm_disk", columns: &["path", "failgroup"], rows: &[], take: asm::disks },
    View { name: "asm_operation", columns: &["operation", "power"], rows: &[], take: asm::operations },
    View {
        name: "standby_log",
        columns: &["group#", "thread#", "bytes", "used"],
        rows: &[],
        take: dataguard::standby_logs,
    },
    View {
        name: "log",
        columns: &["group#", "thread#", "bytes", "members"],
        rows: &[],
        take: dataguard::logs,
    },
    View {
        name: "archive_dest",
        columns: &["destid", "status", "destination"],
        rows: &[],
        take: dataguard::destinations,
    },
    View {
        name: "archive_dest",
        columns: &["destid", "status", "error"],
        rows: &[],
        take: dataguard::destinations,
    },
    View {
        name: "dataguard_stats",
        columns: &["name", "value"],
        rows: &["transport lag", "apply lag"],
        take: dataguard::stats,
    },
    View {
        name: "recovery_file_dest",
        columns: &["spacelimit", "spaceused"],
        rows: &[],
        take: dataguard::recovery_areas,
    },
    View {
        name: "database",
        columns: &["databaserole", "protectionmode"],
        rows: &[],
        take: dataguard::database,
    },
];

/// Reads a listing. `name` is what the record and the error call the file.
pub fn read(text: &str, name: &str) -> Result<OracleViews, ReadError> {
    let (text, cut) = page::whole_lines(text);
    let lines: Vec<String> = text.lines().take(MOST_LINES).map(page::plain).collect();
    let mut views = OracleViews { sources: vec![name.to_owned()], ..OracleViews::default() };
    let mut found = false;
    for part in parts(&lines) {
        found = true;
        let body = &lines[part.from..part.to];
        let answer = body.iter().find(|line| line.starts_with("ORA-") || line.starts_with("SP2-"));
        if part.heading.is_none()
            && let Some(answer) = answer
        {
            let detail = format!("line {}: the database answered \"{}\"", part.from + 1, page::name(answer));
            views.gaps.push(Gap::new(part.view.label(), GapReason::Malformed, detail));
            continue;
        }
        match part.heading {
            Some(heading) => {
                let sheet = sheet::table(body, heading - part.from);
                let table = Table { sheet, first_line: part.from };
                (part.view.take)(Some(&table), &mut views);
            }
            // Feedback is off: an empty view prints nothing but its mark.
            None if body.iter().all(|line| is_nothing(line)) => (part.view.take)(None, &mut views),
            None => {
                let detail = format!(
                    "line {}: no heading with {} in one line: set linesize 32767, or use the query from fullwire redo --sql",
                    part.from + 1,
                    part.view.columns.join(", ").to_uppercase()
                );
                views.gaps.push(Gap::new(part.view.label(), GapReason::Malformed, detail));
            }
        }
    }
    if !found {
        let what = "no heading of a V$ view about ASM or Data Guard: use the query from fullwire redo --sql oracle-asm or oracle-standby";
        return Err(ReadError::foreign(name, 1, what));
    }
    views.gaps.extend(cut.map(|detail| Gap::new("end of file", GapReason::Malformed, detail)));
    Ok(views)
}

impl View {
    fn label(&self) -> String {
        format!("v${}", self.name)
    }

    /// A heading has all of the view's columns, none of them twice used.
    fn is_headed_by(&self, names: &[String]) -> bool {
        let mut left: Vec<&String> = names.iter().take(page::MOST_COLUMNS + 1).collect();
        let mut takes = |column: &&str| {
            left.iter().position(|name| sheet::is_cut_from(name, column)).map(|at| left.remove(at)).is_some()
        };
        names.len() <= page::MOST_COLUMNS && self.columns.iter().all(&mut takes)
    }

    /// The rows below its heading are of this view.
    fn is_of(&self, below: &[String]) -> bool {
        let mut first = below.iter().take(MOST_ROWS_LOOKED_AT).map(|line| line.to_lowercase());
        self.rows.is_empty() || first.any(|line| self.rows.iter().any(|word| line.contains(word)))
    }
}

/// Lines `from` to `to` are about one view.
struct Part {
    view: &'static View,
    from: usize,
    heading: Option<usize>,
    to: usize,
}

/// Cuts the lines where a mark, a heading of another view or a prompt begins.
fn parts(lines: &[String]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut open = false;
    for (at, line) in lines.iter().enumerate() {
        let marked = line.trim().strip_prefix(MARK);
        let named = marked.and_then(|name| VIEWS.iter().find(|view| view.name == name.trim()));
        let headed = || {
            let names = sheet::heading_names(line);
            let statement = line.contains("select") || line.contains("SELECT");
            VIEWS.iter().find(|view| !statement && view.is_headed_by(&names) && view.is_of(&lines[at + 1..]))
        };
        let view = named.or_else(headed);
        let ends = view.is_some() || line.starts_with("SQL>");
        if let Some(last) = parts.last_mut().filter(|_| ends && open) {
            let own = view.is_some_and(|view| view.name == last.view.name);
            // The heading below its own mark, or repeated on each page.
            if own && named.is_none() {
                last.heading.get_or_insert(at);
                continue;
            }
            last.to = at;
            open = false;
        }
        if let Some(view) = view {
            parts.push(Part { view, from: at, heading: named.is_none().then_some(at), to: lines.len() });
            open = true;
        }
    }
    for part in &mut parts {
        // The mark itself is no part of the table.
        if part.heading.is_none() {
            part.from += 1;
        }
        part.to = part.to.max(part.from).min(lines.len());
    }
    parts
}

fn is_nothing(line: &str) -> bool {
    let line = line.trim().to_lowercase();
    line.is_empty()
        || line == "no rows selected"
        || line.starts_with("elapsed:")
        || line.starts_with("disconnected")
}

/// A view's table.
struct Table {
    sheet: Sheet,
    /// Of the file, counted from 0.
    first_line: usize,
}

impl Table {
    /// Each row as a record; what makes none is a gap with its line.
    fn rows<T>(&self, view: &str, gaps: &mut Vec<Gap>, record: impl Fn(&Cells) -> Option<T>) -> Vec<T> {
        let mut bad = Vec::new();
        let mut rows = Vec::new();
        for row in &self.sheet.rows {
            match record(&Cells { table: self, row }) {
                Some(found) => rows.push(found),
                None => bad.push(self.first_line + row.line),
            }
        }
        if let Some(first) = bad.first() {
            let detail =
                format!("line {first}: {} of {} rows could not be read", bad.len(), self.sheet.rows.len());
            gaps.push(Gap::new(view, GapReason::Malformed, detail));
        }
        rows
    }
}

/// One row's cells, by the reduced names of their columns.
struct Cells<'a> {
    table: &'a Table,
    row: &'a Row,
}

impl Cells<'_> {
    /// Empty where there is no such column.
    fn text(&self, names: &[&str]) -> String {
        let column = names.iter().find_map(|name| self.table.sheet.column_or_cut(name));
        column.map_or("", |column| self.row.cell(column)).trim().to_owned()
    }

    /// In capitals, as the views print their words.
    fn word(&self, names: &[&str]) -> String {
        self.text(names).to_uppercase()
    }

    fn number(&self, names: &[&str]) -> Option<f64> {
        let cell = self.text(names);
        self.table.sheet.number(&cell).filter(|_| !cell.is_empty())
    }

    fn count(&self, names: &[&str]) -> Option<u64> {
        page::whole(self.number(names)?)
    }

    /// A column of MB, as bytes.
    fn megabytes(&self, names: &[&str]) -> Option<u64> {
        page::whole(self.number(names)? * MIB)
    }
}

/// `Y`, `YES`, `N`, `NO`.
fn yes(word: &str) -> Option<bool> {
    match word {
        "Y" | "YES" | "TRUE" => Some(true),
        "N" | "NO" | "FALSE" => Some(false),
        _ => None,
    }
}
