//! `pidstat -d`, `-u`, `-r`: what each process did. The process is the subject, and its number is no figure.

use super::builder::Builder;
use super::sysstat::{banner, of_means};
use super::{Options, clean, is_figure, words};
use crate::ReadError;
use crate::clock::time_of_day;
use crate::page::MOST_COLUMNS;
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;

/// True for a heading with a process's number and its command.
pub(super) fn is_pidstat(text: &str) -> bool {
    text.lines().take(2_000).any(|line| heading(&words(line)).is_some())
}

/// Where the columns are, counted from the end: a locale may put AM and PM behind the time.
fn heading(words: &[&str]) -> Option<Vec<String>> {
    let begin = words.iter().position(|word| matches!(*word, "UID" | "USER" | "PID" | "TGID"))?;
    let own = words.last() == Some(&"Command") && words.contains(&"PID") && words.len() <= MOST_COLUMNS;
    own.then(|| words[begin..].iter().map(|&word| word.to_owned()).collect())
}

/// Reads a report.
pub(super) fn read(text: &str, name: &str, options: Options) -> Result<ImportedSeries, ReadError> {
    let text = &*of_means(text);
    let first = text.lines().find_map(banner).unwrap_or_default();
    let dates = std::iter::once(first.date.as_str()).filter(|date| !date.is_empty());
    let (calendar, assumed) = options.calendar(dates, (text, name));
    let date = calendar.date(&first.date);
    let mut builder = Builder::new();
    if let Some(assumed) = assumed {
        builder.gap("date", GapReason::Absent, assumed);
    }
    let (mut columns, mut open): (Vec<String>, Option<String>) = (Vec::new(), None);
    for (index, line) in text.lines().enumerate() {
        let line = clean(line);
        let words = words(&line);
        if banner(&line).is_some() || words.is_empty() || line.starts_with("Average:") {
            continue;
        }
        if let Some(found) = heading(&words) {
            columns = found;
            continue;
        }
        if columns.is_empty() || words.len() < columns.len() {
            if !columns.is_empty() {
                builder.malformed("pidstat", index + 1, "the line has fewer columns than its heading");
            }
            continue;
        }
        // A command's own arguments may follow (-l).
        let lead = words.iter().position(|word| !is_time(word)).unwrap_or(0);
        // Old versions print the zone behind it where the locale has it.
        let has_zone = lead > 0
            && words
                .get(lead)
                .is_some_and(|word| word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_uppercase()));
        let lead = lead + usize::from(has_zone && words.len() > columns.len() + lead);
        let (stamp, cells) = words.split_at(lead);
        if cells.len() < columns.len() {
            continue;
        }
        let stamp = stamp.join(" ");
        if open.as_ref() != Some(&stamp) || stamp.is_empty() {
            let at = date.zip(time_of_day(&stamp)).map(|(date, time)| date.to_datetime(time));
            builder.begin(at);
            open = Some(stamp);
        }
        process(&mut builder, &columns, cells);
    }
    builder.done(first.origin(name, "pidstat"))
}

fn is_time(word: &str) -> bool {
    matches!(word, "AM" | "PM") || time_of_day(word).is_some()
}

fn process(builder: &mut Builder, columns: &[String], cells: &[&str]) {
    let of = |name: &str| {
        columns.iter().position(|column| column == name).and_then(|place| cells.get(place)).copied()
    };
    let number = of("PID").filter(|pid| *pid != "-").or_else(|| of("TGID")).unwrap_or("");
    let command = cells.get(columns.len() - 1).copied().unwrap_or("").trim_start_matches("|__");
    let subject = format!("{command} ({number})");
    for (column, cell) in columns.iter().zip(cells).take(columns.len() - 1) {
        if !matches!(column.as_str(), "UID" | "USER" | "PID" | "TGID" | "TID" | "CPU") && is_figure(cell)
            // -1: only root may read it.
            && !cell.starts_with('-')
        {
            builder.cell("process", &subject, column, cell);
        }
    }
}
