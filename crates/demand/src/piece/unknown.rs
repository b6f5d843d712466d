//! What is said of a text that nothing knows: what it seems to be, its most conspicuous figure, and what tells more.

use super::signs::FOREIGN;
use super::{is_json, is_prompt};
use crate::{ReadError, import, page, sheet};

/// Why a text is of no use: what it seems to be, the nearest form that is known, and how to make it.
pub fn unknown(text: &str, name: &str) -> ReadError {
    let known = import::detect(text.as_bytes(), name).err();
    let index = text.lines().position(|line| !line.trim().is_empty()).unwrap_or(0);
    let has = |word: &str| text.contains(word);
    let foreign = FOREIGN.iter().find(|(words, _)| words.iter().all(|word| has(word)));
    let form;
    let what = if let Some((_, what)) = foreign {
        what
    } else if has("<html") || has("<HTML") {
        "a page of HTML that is no AWR report: save the report itself (awrrpt.sql), or paste the output as text"
    } else if is_json(text.trim_start()) {
        "JSON of no tool that is known here: sadf -j, iostat -o JSON, fio --output-format=json and iperf3 -J are"
    } else if has("fio-") {
        "fio's output without a result: run it to its end, best with --output-format=json"
    } else if has("Connecting to host") {
        "iperf3's output without intervals: run it to its end, best with -J"
    } else if has(";") && text.lines().next().is_some_and(|line| line.matches(';').count() > 3) {
        "a table with semicolons: sadf -d is known with its heading (sadf -dh FILE -- -A)"
    } else if text.lines().next().is_some_and(|line| line.matches(',').count() > 3 && !is_prompt(line)) {
        "a table with commas: listings of V$ views and of archived logs are known with their heading (fullwire redo --sql oracle), \
         and exports of a cloud's monitor with the time first and the metrics' own names above the columns (VolumeReadOps, ...)"
    } else if let Some(known) = known.filter(|known| !known.what.contains("not a supported format")) {
        return known;
    } else if let Some(seen) = seen(text) {
        form = seen;
        &form
    } else {
        READ
    };
    let first: String = text.lines().nth(index).unwrap_or("").trim().chars().take(60).collect();
    let next = if foreign.is_some() { "" } else { NEXT };
    ReadError::foreign(name, index + 1, format!("{what}; it begins with \"{first}\"{next}"))
}

/// What tells most of a host that is slow.
const NEXT: &str =
    ". Of a host that is slow, `iostat -xt 10 3`, `dmesg -T` and the log of its database tell most";

/// What is read, for those who have something else.
const READ: &str = "fullwire recognises nothing in this file: it reads AWR and Statspack reports, recordings (sar, sadf, iostat, vmstat, mpstat, \
                    pidstat, iotop, nfsiostat, pt-diskstats, dstat, collectl, atop, nmon, top, free, metrics of clouds), results (fio, iperf, dd, bonnie++, \
                    ioping, pgbench, pg_test_fsync, sysbench fileio, hdparm -t, Orion, qperf, sockperf, netperf), counters (ethtool -S, netstat -s, nfsstat), \
                    multipath -ll, bonds, mounts, and logs";

/// The form of a text whose words are not known: fields, or a table. No line of it sounds like trouble, or it would have been told.
fn seen(text: &str) -> Option<String> {
    /// More are no heading that anyone wants to read.
    const MOST_NAMES: usize = 6;
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(200).collect();
    let is_field = |line: &&&str| {
        line.split_once([':', '=']).is_some_and(|(name, value)| {
            value.starts_with(' ') && name.split_whitespace().count() <= 4 && !name.contains(['[', '('])
        })
    };
    let fields = lines.iter().filter(is_field).count();
    if fields > 3 && fields * 3 > lines.len() * 2 {
        return Some(format!(
            "a listing of {fields} fields (name and value), none of which fullwire knows, so that its figures were not judged"
        ));
    }
    let names = |line: &str| -> Vec<String> {
        line.split([' ', '\t', '|']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let has_digits = |line: &str| line.contains(|c: char| c.is_ascii_digit());
    let is_ruled = |at: usize| lines.get(at + 1).is_some_and(|line| sheet::is_rule(line));
    let is_heading = |(at, line): (usize, &&str)| {
        !is_prompt(line)
            && names(line).len() > 2
            && !sheet::is_rule(line)
            && (is_ruled(at) || !has_digits(line))
    };
    let heading = lines.iter().enumerate().position(is_heading)?;
    let below = lines[heading + 1..].iter().filter(|line| !sheet::is_rule(line));
    let rows = below.take_while(|line| has_digits(line)).count();
    if rows < 2 {
        return None;
    }
    let names: Vec<String> = names(lines[heading]).into_iter().take(MOST_NAMES).collect();
    Some(format!(
        "a table that fullwire does not know (columns {}, {rows} rows), so that its figures were not judged{}",
        names.join(", "),
        conspicuous(&lines, heading)
    ))
}

/// Names of columns that count what should not be, or wait.
const CONSPICUOUS: [&str; 12] =
    ["fail", "err", "drop", "drp", "lost", "loss", "retr", "lat", "wait", "delay", "queue", "util"];

/// The largest figure of the first column that counts what should not be: `; most conspicuous is %DRPRX 12.41 (7)`.
fn conspicuous(lines: &[&str], heading: usize) -> String {
    let lines: Vec<String> = lines.iter().map(|line| page::plain(line)).collect();
    let sheet = sheet::all_rows(&lines, heading);
    let named = |word: &&str| {
        (0..sheet.columns().len())
            .filter(|column| sheet.columns()[*column].to_lowercase().contains(word))
            .collect()
    };
    let columns: Vec<usize> = CONSPICUOUS.iter().flat_map(|word| -> Vec<usize> { named(word) }).collect();
    // `41.22ms`, `98%`
    let number =
        |cell: &str| sheet.number(cell.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%'));
    let most = columns.into_iter().find_map(|column| {
        let values = sheet.rows.iter().filter_map(|row| Some((number(row.cell(column))?, row)));
        let (value, row) =
            values.max_by(|one, other| one.0.total_cmp(&other.0)).filter(|(value, _)| *value > 0.0)?;
        Some(format!("; most conspicuous is {} {value} ({})", sheet.columns()[column].trim(), row.cell(0)))
    });
    most.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::unknown;

    #[test]
    fn of_a_table_that_nobody_knows_the_most_conspicuous_figure_is_told() {
        let text = "GADGET SPEED DROPS\ng1 10 0\ng2 12 812\n";
        let what = unknown(text, "x").to_string();
        assert!(what.contains("most conspicuous is DROPS 812 (g2)"), "{what}");
        let ruled = unknown(
            " gadget | drops | of\n--------+-------+----\n g1     |    12 | a\n g2     |   812 | b\n",
            "x",
        )
        .to_string();
        assert!(ruled.contains("columns gadget, drops, of, 2 rows"), "{ruled}");
        assert!(ruled.contains("drops 812 (g2)"), "{ruled}");
        let units = unknown("GADGET SPEED LATENCY\ng1 10 1.2ms\ng2 12 41.2ms\n", "x").to_string();
        assert!(units.contains("LATENCY 41.2 (g2)"), "{units}");
        assert!(!what.contains("sounds like trouble"), "{what}");
    }
}
