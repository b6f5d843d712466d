//! Tables of things that have a state, of whatever tool: what is bad there is known by the heading and the word.

use crate::page;
use crate::sheet::{self, Sheet};

/// What the column is called, behind other words too (`Drive Status`).
const NAMES: [&str; 3] = ["state", "status", "health"];
/// States that are bad whatever the thing is.
const BAD: [&str; 13] = [
    "failed",
    "failing",
    "degraded",
    "faulted",
    "fault",
    "not ready",
    "notready",
    "offline",
    "missing",
    "dead",
    "unhealthy",
    "unreachable",
    "not responding",
];
/// Rows of one text.
const MOST: usize = 20;
const MOST_HEADINGS: usize = 64;
/// A text of more bytes is a log.
const LARGEST_BYTES: usize = 1 << 20;
/// A longer line is no heading.
const LONGEST_HEADING: usize = 240;

/// `state: thing=Id 41; is=failed` for each row whose state is bad.
pub(crate) fn states(text: &str) -> Vec<String> {
    let rows = tables(text).into_iter().flat_map(|(sheet, column)| {
        let told: Vec<String> = sheet.rows.iter().filter_map(|row| bad(&sheet, row, column)).collect();
        told
    });
    rows.take(MOST).collect()
}

/// A table of states is in the text, whatever they are.
pub(crate) fn has_states(text: &str) -> bool {
    tables(text).iter().any(|(sheet, column)| sheet.rows.iter().any(|row| !row.cell(*column).is_empty()))
}

/// The tables, each with the column of its states.
fn tables(text: &str) -> Vec<(Sheet, usize)> {
    if text.len() > LARGEST_BYTES {
        return Vec::new();
    }
    let lines: Vec<String> = text.lines().map(page::plain).collect();
    let is_state = |name: &str| NAMES.iter().any(|own| name.ends_with(own));
    let is_heading = |line: &String| {
        line.len() <= LONGEST_HEADING
            && !line.contains(|c: char| c.is_ascii_digit() || matches!(c, ':' | '[' | '='))
            // What is off at a port may be unused.
            && !line.to_lowercase().contains("port")
            && sheet::heading_names(line).iter().skip(1).any(|name| is_state(name))
    };
    let below = |heading: usize| {
        let rows = lines[heading..].iter().position(|line| line.trim().is_empty());
        let sheet = sheet::all_rows(&lines[..rows.map_or(lines.len(), |rows| heading + rows)], heading);
        let column = sheet.columns().iter().position(|name| is_state(&name.trim().to_lowercase()))?;
        (column > 0 && sheet.columns().len() > 2).then_some((sheet, column))
    };
    let headings = lines.iter().enumerate().filter(|(_, line)| is_heading(line)).map(|(at, _)| at);
    // Prose has many lines that could be one.
    headings.take(MOST_HEADINGS).filter_map(below).collect()
}

fn bad(sheet: &Sheet, row: &sheet::Row, column: usize) -> Option<String> {
    let cell = row.cell(column).trim().to_lowercase();
    let is = BAD.iter().find(|bad| {
        cell.strip_prefix(**bad).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',', '(']))
    })?;
    let thing = row.cell(0).replace(';', ",");
    // A number alone names nothing.
    let kind = if thing.contains(char::is_alphabetic) { "" } else { sheet.columns()[0].trim() };
    Some(format!("state: thing={}; is={is}", format!("{kind} {thing}").trim()))
}

#[cfg(test)]
mod tests {
    use super::{has_states, states};

    #[test]
    fn what_is_bad_in_a_table_of_states_is_told() {
        let drives = "Id CagePos Type RPM State     Total  Free\n41 1:9:0   FC    15 failed   278528     0\n\
                      44 1:9:1   FC    15 normal   278528     0\n";
        assert_eq!(states(drives), ["state: thing=Id 41; is=failed"]);
        let controllers = "Name  Mode       Model   Version  Status\nCT0   primary    FA-420  6.1.10   ready\n\
                           CT1   secondary  FA-420  6.1.10   not ready\n";
        assert_eq!(states(controllers), ["state: thing=CT1; is=not ready"]);
        let named = "Enclosure Name  Slot Number  Drive Status  Size\nshelf1          7            Degraded (x)  1.2T\n";
        assert_eq!(states(named), ["state: thing=shelf1; is=degraded"]);
        assert!(has_states(&drives.replace("failed", "normal")));
        assert!(!has_states("the last state of it\n"));
        for other in [
            "Port  Name  State\n1  a  offline\n",
            "the last state of it\nwas failed indeed\n",
            "NAME READY STATUS\npg-0 1/1 Running\n",
        ] {
            assert_eq!(states(other), Vec::<String>::new(), "{other}");
        }
    }
}
