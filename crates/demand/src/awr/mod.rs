//! AWR and Statspack reports: HTML and text, one instance, a whole cluster, a pluggable database, two periods
//! compared; 8i to 23ai as far as samples or documented layouts reach.
//!
//! Both formats become a list of tables ([`table`]); each section looks its table up by name and takes the columns
//! that it knows by theirs. What a report does not hold is a gap in the record.

mod activity;
mod compare;
mod derive;
mod event_name;
mod global;
mod header;
mod histogram;
mod html;
mod io;
mod load;
mod locale;
mod number;
mod pasted;
mod plausible;
mod rac;
mod ruler;
mod table;
mod text;
mod waits;

use crate::{ReadError, page};
use fullwire_model::demand::{AwrKind, AwrReport};
use fullwire_model::{Gap, GapReason};
pub(crate) use locale::decimal_sign;
use table::Table;

/// A report is a few MB; a file beyond this is not one.
const LARGEST_BYTES: usize = 256 << 20;
/// The kind of a report is in its first lines (behind the style sheet in HTML).
const HEAD_BYTES: usize = 64 << 10;

/// Reads a report. `name` is what the record and the error call the file.
pub fn read(bytes: &[u8], name: &str) -> Result<AwrReport, ReadError> {
    if bytes.len() > LARGEST_BYTES {
        return Err(ReadError::new(name, 1, "larger than any AWR or Statspack report (256 MiB)"));
    }
    let text = page::decode(bytes);
    let text = pasted::restored(&text);
    let form = detect(&text, name)?;
    let mut tables = if form.html { html::tables(&text) } else { text::tables(page::whole_lines(&text).0) };
    locale::normalise(&mut tables);
    let mut report = AwrReport { source: name.to_owned(), kind: form.kind, ..AwrReport::default() };
    header::read(&tables, &mut report);
    load::read(&tables, &mut report);
    waits::read(&tables, &mut report);
    if form.excerpt {
        waits::of_views(&tables, &mut report);
    }
    histogram::read(&tables, &mut report);
    activity::read(&tables, &mut report);
    io::read(&tables, &mut report);
    global::read(&tables, &mut report);
    compare::read(&tables, &mut report);
    rac::read(&tables, &mut report);
    derive::complete(&mut report);
    plausible::check(&mut report);
    name_of_pages(&text, &mut report);
    if form.excerpt {
        let what = "the file has tables of a report without its heading: release, interval and DB time are not known";
        report.gaps.retain(|gap| gap.reason != GapReason::Absent);
        report.gaps.push(Gap::new("heading", GapReason::Absent, what));
    } else {
        check_end(&text, &mut report);
    }
    if is_empty(&report) {
        return Err(without_tables(&text, name, form.excerpt));
    }
    Ok(report)
}

/// A report of which no table could be read.
fn without_tables(text: &str, name: &str, excerpt: bool) -> ReadError {
    let what = if excerpt {
        "headings of a report's tables, but no table: copy the rows below them as well"
    } else {
        "the heading of a report but none of its tables: the file is truncated or damaged"
    };
    ReadError::new(name, text.lines().count().max(1), what)
}

/// Statspack's heading may have no name: each page says `DB/Inst: NAME/instance`.
fn name_of_pages(text: &str, report: &mut AwrReport) {
    if report.db_name.is_some() || report.kind != AwrKind::Statspack {
        return;
    }
    let named = text.lines().find_map(|line| line.split_once("DB/Inst: "));
    let Some((database, instance)) =
        named.and_then(|(_, rest)| rest.split_whitespace().next()?.split_once('/'))
    else {
        return;
    };
    report.db_name = Some(page::name(database).to_owned());
    report.instance.get_or_insert_with(|| page::name(instance).to_owned());
}

/// True for a report, or for tables of one.
pub(crate) fn is_report(text: &str) -> bool {
    // Its first lines tell, also where they take more room as they were pasted.
    detect(&pasted::restored(page::prefix(text, 2 * HEAD_BYTES)), "").is_ok()
}

/// What the first lines say.
struct Form {
    kind: AwrKind,
    html: bool,
    /// Tables without the heading of the report, as people paste them.
    excerpt: bool,
}

/// Titles of tables of events, which no other tool prints, as they are in text and in HTML.
const TITLES: [&str; 9] = [
    "TOP 5 TIMED EVENTS",
    "TOP 5 TIMED FOREGROUND EVENTS",
    "TOP 10 FOREGROUND EVENTS BY TOTAL WAIT TIME",
    "TOP TIMED EVENTS",
    "TOP 5 WAIT EVENTS",
    "FOREGROUND WAIT EVENTS",
    "INSTANCE EFFICIENCY",
    "WAIT EVENT HISTOGRAM",
    "BACKGROUND WAIT EVENTS",
];

/// Beginnings of titles of other tables that are read alone.
const OTHERS: [&str; 7] = [
    "LOAD PROFILE  ",
    "OPERATING SYSTEM STATISTICS",
    "TIME MODEL STATISTICS",
    "TABLESPACE IO STATS",
    "FILE IO STATS",
    "HOST CPU (CPUS:",
    "IO PROFILE  ",
];

/// Recognises a report by its heading; everything else is foreign, and the error says what it looks like.
fn detect(text: &str, name: &str) -> Result<Form, ReadError> {
    let head = page::prefix(text, HEAD_BYTES);
    let upper = head.to_ascii_uppercase();
    let html = upper.contains("<HTML") || upper.contains("<TABLE") || upper.contains("<H1");
    let kind = if upper.contains("COMPARE PERIOD") || upper.contains("AWR COMPARE") {
        AwrKind::AwrDiff
    } else if upper.contains("WORKLOAD REPOSITORY REPORT (RAC)")
        || upper.contains("WORKLOAD REPOSITORY (RAC)")
        || upper.contains("WORKLOAD REPOSITORY (GLOBAL)")
        || upper.contains("AWR RAC REPORT")
        || upper.contains("AWR GLOBAL REPORT")
    {
        AwrKind::AwrGlobal
    } else if upper.contains("WORKLOAD REPOSITORY") || upper.contains("AWR REPORT FOR DB") {
        AwrKind::Awr
    } else if upper.contains("STATSPACK REPORT FOR") || upper.contains("STATSPACK STATISTICS REPORT FOR") {
        AwrKind::Statspack
    } else if (TITLES.iter().any(|title| upper.contains(title)) || is_other_table(&upper) || is_view(&upper))
        && !is_other_report(&upper)
    {
        return Ok(Form { kind: AwrKind::Awr, html, excerpt: true });
    } else {
        return Err(foreign(text, &upper, name));
    };
    Ok(Form { kind, html, excerpt: false })
}

fn is_other_table(upper: &str) -> bool {
    upper.lines().any(|line| OTHERS.iter().any(|title| line.starts_with(title)))
}

/// The heading of a listing of `v$system_event`, or of samples by event.
fn is_view(upper: &str) -> bool {
    const SAMPLES: [&str; 6] = ["COUNT(*)", "SAMPLES", "CNT", "PCT", "PERCENT", "AAS"];
    upper.lines().any(|line| {
        let words = || line.split_whitespace();
        // A row of `v$session_wait` is a sample, too; where it says for how long, that counts.
        let is_session =
            || words().any(|word| word == "SID") && !line.contains("_IN_WAIT") && !line.contains("_MICRO");
        let sampled = || {
            words().any(|word| word == "EVENT")
                && (words().any(|word| SAMPLES.contains(&word)) || is_session())
        };
        line.contains("EVENT") && (line.contains("TOTAL_WAITS") || line.contains("TOTAL_SECONDS"))
            || is_of_ash(line)
            || line.len() < 400 && !line.contains('|') && sampled()
    })
}

/// The heading of the events of an ASH report.
fn is_of_ash(upper: &str) -> bool {
    upper.contains("EVENT CLASS") && upper.contains("% EVENT")
}

/// ASH and ADDM have tables of the same names, of other figures.
fn is_other_report(upper: &str) -> bool {
    ["ASH REPORT", "ADDM REPORT", "ADDM TASK"].iter().any(|title| upper.contains(title))
        && !upper.lines().any(is_of_ash)
}

fn foreign(text: &str, upper: &str, name: &str) -> ReadError {
    let first = text.lines().position(|line| !line.trim().is_empty());
    let Some(index) = first else {
        return ReadError::new(name, 1, "the file is empty; an AWR or Statspack report was expected");
    };
    let line: String = text.lines().nth(index).unwrap_or("").trim().chars().take(60).collect();
    let guess = if upper.contains("ASH REPORT") {
        "an ASH report: make an AWR report of the same time (awrrpt.sql)".to_owned()
    } else if upper.contains("ADDM REPORT") || upper.contains("ADDM TASK") {
        "an ADDM report: make an AWR report of the same snapshots (awrrpt.sql)".to_owned()
    } else {
        let what = format!("not an AWR or Statspack report: it begins with \"{line}\"");
        return ReadError::foreign(name, index + 1, what);
    };
    ReadError::new(name, index + 1, guess)
}

/// Every report but the comparison of two periods says where it ends.
fn check_end(text: &str, report: &mut AwrReport) {
    const TAIL_BYTES: usize = 16 << 10;
    let mut start = text.len().saturating_sub(TAIL_BYTES);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let ends = text[start..].to_ascii_lowercase().contains("end of report");
    if !ends && report.kind != AwrKind::AwrDiff {
        let detail =
            format!("line {}: no \"End of Report\": the file is truncated", text.lines().count().max(1));
        report.gaps.push(Gap::new("end of report", GapReason::Malformed, detail));
    }
}

fn is_empty(report: &AwrReport) -> bool {
    report.release.is_none()
        && report.db_id.is_none()
        && report.load_profile.is_empty()
        && report.waits.is_empty()
        && report.top_events.is_empty()
        && report.histograms.is_empty()
        && report.time_model_s.is_empty()
        && report.os_statistics.is_empty()
        && report.tablespaces.is_empty()
        && report.files.is_empty()
        && report.io_profile.is_empty()
}

/// The first table whose title or heading begins with one of these.
fn find<'a>(tables: &'a [Table], starts: &'a [&'a str]) -> Option<&'a Table> {
    find_all(tables, starts).next()
}

/// All such tables: a section that fills several pages repeats its heading.
fn find_all<'a>(tables: &'a [Table], starts: &'a [&'a str]) -> impl Iterator<Item = &'a Table> {
    tables.iter().filter(|table| table.titled(starts))
}

/// Notes that a section is not in the report.
fn absent(report: &mut AwrReport, section: &str) {
    let detail = format!("the report has no {section}");
    report.gaps.push(Gap::new(section, GapReason::Absent, detail));
}
