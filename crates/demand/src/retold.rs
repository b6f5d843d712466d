//! Tables as a page leaves them: with the bars of Markdown, or with all spaces but one between two cells gone. Both become
//! columns above a line of dashes again.

use std::borrow::Cow;

/// Rows of one table that are looked at.
pub(crate) const MOST_ROWS: usize = 2_000;

/// The text with columns; `underlined`: with tildes below what stands above a table, as a report has them below a title.
pub(crate) fn restored(text: &str, underlined: bool) -> Cow<'_, str> {
    if !text.lines().any(|line| is_ruler(line) || is_rule(line) || line.starts_with("Event")) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::with_capacity(text.len() * 2);
    let mut at = 0;
    let mut is_own = true;
    while at < lines.len() {
        let found = events(&lines[at..]).or_else(|| table(&lines[at..]).map(|rows| (rows.len(), rows)));
        let Some((taken, rows)) = found else {
            out.push_str(lines[at]);
            out.push('\n');
            at += 1;
            continue;
        };
        if underlined {
            underline(&mut out);
        }
        is_own = false;
        at += taken;
        columns(&rows, &mut out);
    }
    if is_own { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// A table of events without its columns, or without its ruler, as it stands below `Top 5 Timed Events`: how many lines it takes,
/// and its cells. Their number tells what they are: CPU time has no waits.
fn events(lines: &[&str]) -> Option<(usize, Vec<Vec<String>>)> {
    const HEADING: [&str; 6] =
        ["Event", "Waits", "Time (s)", "Avg wait (ms)", "% Total Call Time", "Wait Class"];
    const MOST: usize = 40;
    // A page may have broken the heading and its ruler, too.
    let heading: Vec<&str> = lines.iter().take(2).flat_map(|line| words(line)).collect();
    if !lines[0].starts_with("Event") || heading.get(..3) != Some(&["Event", "Waits", "Time"]) {
        return None;
    }
    let is_dashed = |line: &&str| line.starts_with("--") && line.bytes().all(|byte| b"- ".contains(&byte));
    let ruler = lines.iter().take(5).position(is_dashed);
    let from = match ruler {
        // Columns below a ruler are read as they are.
        Some(at) if lines[0].contains("  ") || lines[at].contains("  ") => return None,
        Some(at) => at + lines[at..].iter().take_while(|line| is_dashed(line)).count(),
        None => 1 + lines[1..].iter().take_while(|line| line.trim().is_empty()).count(),
    };
    let is_figure = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let body = lines.get(from..)?.iter().take(MOST).take_while(|line| !line.trim().is_empty());
    let body: Vec<&&str> = body.take_while(|line| !line.starts_with("---")).collect();
    let mut rows: Vec<Vec<&str>> = Vec::new();
    for line in &body {
        let own = words(line);
        match rows.last_mut() {
            // A page broke the line within its name, or before its last figure.
            Some(row) if own.iter().all(&is_figure) || !row.iter().any(&is_figure) => row.extend(own),
            _ => rows.push(own),
        }
    }
    let cells = |row: Vec<&str>| {
        let name = row.iter().position(&is_figure).filter(|at| *at > 0)?;
        let figures = row[name..].iter().take_while(|word| is_figure(word)).count();
        let [waits, time, mean, share] = match row[name..name + figures] {
            [time, share] => ["", time, "", share],
            [waits, time, share] => [waits, time, "", share],
            [waits, time, mean, share] => [waits, time, mean, share],
            _ => return None,
        };
        let (event, class) = (row[..name].join(" "), row[name + figures..].join(" "));
        let own = [waits, time, mean, share].map(str::to_owned);
        Some([vec![event], own.to_vec(), vec![class]].concat())
    };
    let rows: Vec<Vec<String>> = rows.into_iter().map(cells).collect::<Option<_>>()?;
    let heading = HEADING.map(str::to_owned).to_vec();
    let ruler_row = vec!["-".to_owned(); HEADING.len()];
    // The line that ends the section has lost its margin, too.
    let ends = lines.get(from + body.len()).is_some_and(|line| line.starts_with("---"));
    (!rows.is_empty())
        .then(|| (from + body.len() + usize::from(ends), [vec![heading, ruler_row], rows].concat()))
}

/// The cells of a table that begins with these lines; `None`: none does.
fn table(lines: &[&str]) -> Option<Vec<Vec<String>>> {
    let [heading, ruler, ..] = lines else { return None };
    let body = lines.iter().take(MOST_ROWS);
    if is_ruler(ruler) {
        // Without bars at the ends a bar that comes first stands behind an empty cell.
        let closed = ruler.trim_start().starts_with('|');
        let is_row = |line: &&&str| line.contains('|') && (!closed || line.trim_start().starts_with('|'));
        let rows: Vec<_> = body.take_while(is_row).map(|line| cells(line, closed)).collect();
        return (rows.len() > 2 && rows[0].len() > 1).then_some(rows);
    }
    let names = words(heading);
    let widths: Vec<usize> = ruler.split(' ').map(str::len).collect();
    let is_wider = names.iter().zip(&widths).any(|(name, width)| name.len() < *width);
    if !is_rule(ruler) || names.len() != widths.len() || !is_wider || heading.contains("  ") {
        return None;
    }
    let text = names.iter().position(|name| TEXTS.contains(&name.to_lowercase().as_str()))?;
    let rows: Vec<_> = body.take_while(|line| !line.trim().is_empty()).collect();
    let is_collapsed = |line: &&&str| !line.contains("  ");
    let all = rows.len() > 2 && rows.iter().all(is_collapsed);
    all.then(|| rows.into_iter().map(|line| counted(line, names.len(), text)).collect())
}

/// Columns whose cells have blanks in them.
const TEXTS: [&str; 3] = ["event", "event_name", "statistic"];

/// The cells of a row by their number: those in front of the text and those behind it are one word each.
fn counted(line: &str, columns: usize, text: usize) -> Vec<String> {
    let mut words = words(line);
    if words.len() <= columns {
        return words.into_iter().map(str::to_owned).collect();
    }
    let mut behind = Vec::new();
    for _ in text + 1..columns {
        let is_class = matches!(words.as_slice(), [.., "User" | "System", "I/O"]);
        let from = words.len().saturating_sub(if is_class { 2 } else { 1 });
        behind.push(words.split_off(from).join(" "));
    }
    // A date may have several; a text begins with a letter.
    let is_text =
        |word: &str| !word.starts_with(|c: char| c.is_ascii_digit()) && !["AM", "PM"].contains(&word);
    let begins = words.iter().position(|word| is_text(word)).unwrap_or(words.len());
    let mut row = vec![String::new(); text.saturating_sub(begins)];
    row.extend(words[begins.saturating_sub(text)..begins].iter().map(|word| (*word).to_owned()));
    row.push(words[begins..].join(" "));
    row.extend(behind.into_iter().rev());
    row
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// `|---|:---:|`, `---|---`
fn is_ruler(line: &str) -> bool {
    let line = line.trim();
    line.contains("--") && line.contains('|') && line.bytes().all(|c| matches!(c, b'|' | b'-' | b':' | b' '))
}

/// `---- ----------`: one blank between dashes.
fn is_rule(line: &str) -> bool {
    let line = line.trim_end();
    line.starts_with('-')
        && line.contains("- -")
        && !line.contains("  ")
        && line.bytes().all(|c| c == b'-' || c == b' ')
}

fn cells(line: &str, closed: bool) -> Vec<String> {
    let line = line.trim();
    let line = if closed { line.trim_end_matches('|').strip_prefix('|').unwrap_or("") } else { line };
    line.split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// Puts tildes below the last line that is not empty, without the marks of a heading in Markdown.
fn underline(out: &mut String) {
    let end = out.trim_end().len();
    let from = out[..end].rfind('\n').map_or(0, |at| at + 1);
    let title = out[from..end].trim_start_matches(['#', ' ', '*']).trim_end_matches('*').to_owned();
    if title.starts_with("% ") {
        // The rest of a heading that a page broke.
        out.truncate(from);
        return underline(out);
    }
    if title.starts_with('~') {
        // Names of columns that stood behind it.
        out.truncate(from + title.bytes().take_while(|byte| *byte == b'~').count());
        out.push('\n');
    }
    if title.is_empty() || title.starts_with('~') || title.contains("  ") {
        return;
    }
    out.truncate(from);
    out.push_str(&title);
    out.push_str("\n~~~~~~~~~~~~\n");
}

/// Rows with their cells below each other: words to the left, figures to the right as tools print them.
pub(crate) fn columns(rows: &[Vec<String>], out: &mut String) {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let is_ruler =
        |row: &Vec<String>| row.iter().all(|cell| cell.bytes().all(|byte| matches!(byte, b'-' | b':')));
    let width = |column: usize| {
        let cells = rows.iter().filter(|row| !is_ruler(row)).filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(1)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let rulers: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    for (number, row) in rows.iter().enumerate() {
        let row = match number {
            1 => rulers.as_slice(),
            _ if is_ruler(row) => continue,
            _ => row.as_slice(),
        };
        let padded = row.iter().zip(&widths).map(|(cell, &width)| {
            let figure = cell.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'));
            if figure { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        out.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_markdown_becomes_columns() {
        let text = "Events\n| Event | Waits |\n|---|---:|\n| log file sync | 1,812 |\n\nend\n";
        let columns = "Event          Waits\n-------------  -----\nlog file sync  1,812\n\nend\n";
        assert_eq!(restored(text, false), format!("Events\n{columns}"));
        let open = "## Events\n\nEvent| Waits  \n---|---  \nlog file sync| 1,812\n\nend\n";
        assert_eq!(restored(open, true), format!("Events\n~~~~~~~~~~~~\n{columns}"));
        let labelled = "| Waits\n---|---\nlog file sync:| 1,812\n";
        assert_eq!(
            restored(labelled, false),
            "                Waits\n--------------  -----\nlog file sync:  1,812\n"
        );
        let client = "+----+\n| Id |\n+----+\n| 7  |\n";
        assert_eq!(restored(client, false), client);
    }

    #[test]
    fn events_without_their_columns_are_known_by_their_figures() {
        let text = "Top 5 Timed Events\n~~~~ % Total\nEvent Waits Time (s) Ela\nTime\n---- ---- ---- ----\n\
                    log file sync 8,124 812\n48.12\nCPU time 1,207 7.90\n----\n";
        let found = restored(text, true);
        let lines: Vec<Vec<&str>> = found.lines().map(words).collect();
        assert_eq!(lines[4], ["log", "file", "sync", "8,124", "812", "48.12"], "{found}");
        assert_eq!(lines[5], ["CPU", "time", "1,207", "7.90"], "{found}");
        assert!(found.starts_with("Top 5 Timed Events\n~~~~\nEvent          Waits  Time (s)"), "{found}");
        let at = |line: &str, figure: &str| line.find(figure).map(|at| at + figure.len());
        let rows: Vec<&str> = found.lines().collect();
        assert_eq!(at(rows[4], "812"), at(rows[5], "1,207"), "the times stand below each other: {found}");
    }

    #[test]
    fn cells_without_their_columns_are_counted() {
        let text = "INST_ID SID EVENT WAIT_CLASS P1\n---------- ----- ------------ ------------- ----------\n\
                    1 37 gc cr block 2-way Cluster 7\n1 9 db file parallel read User I/O 12\n";
        let columns = "INST_ID  SID  EVENT                  WAIT_CLASS  P1\n-------  ---  ---------------------  ----------  --\n      \
                       1   37  gc cr block 2-way      Cluster      7\n      1    9  db file parallel read  User I/O    12\n";
        assert_eq!(restored(text, false), columns);
        let dated = "BEGIN_TIME EVENT_NAME WAIT_COUNT\n---------------- ------------------ ----------\n\
                     01-NOV-26 05.00 PM log file sync 812\nlog file sync 9\n";
        let found = restored(dated, false);
        assert!(
            found.ends_with("log file sync         812\n            log file sync           9\n"),
            "{found}"
        );
        let own = "NAME VALUE EVENT\n---- ----- -----\na    1     b c\n";
        assert_eq!(restored(own, false), own);
    }
}
