//! `vmstat`: two lines of heading, the second names the columns; with `-t` a time is at the end.

use super::builder::Builder;
use super::{Options, clean, number, words};
use crate::ReadError;
use crate::clock::Calendar;
use crate::page::MOST_COLUMNS;
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;

/// Reads a report.
pub(super) fn read(text: &str, name: &str, options: Options) -> Result<ImportedSeries, ReadError> {
    let mut builder = Builder::new();
    let mut columns: Vec<String> = Vec::new();
    let mut zone = None;
    let (mut stamped, mut first) = (false, true);
    let dates: Vec<&str> = text.lines().filter_map(date_of).collect();
    let calendar = Calendar::learn(options.date_order, dates.iter().copied())
        .map_err(|error| ReadError::new(name, 1, error.to_string()))?;
    for (index, line) in text.lines().enumerate() {
        let line = clean(line);
        let words = words(&line);
        // Wide output (-w, and wider for much memory) has "--procs--".
        if words.is_empty() || words[0].trim_start_matches('-').starts_with("procs") {
            continue;
        }
        if words[0] == "r" && words.contains(&"swpd") {
            // The zone of `-t` stands where the times will be.
            zone = words.last().filter(|word| is_zone(word)).map(|&zone| zone.to_owned());
            if words.len() > MOST_COLUMNS {
                columns.clear();
                builder.malformed("vmstat", index + 1, "the heading has more columns than any known vmstat");
                continue;
            }
            columns = words
                .iter()
                .take(words.len() - usize::from(zone.is_some()))
                .map(|&word| word.to_owned())
                .collect();
            continue;
        }
        if words.len() < columns.len() || columns.is_empty() || number(words[0]).is_none() {
            builder.malformed(
                "vmstat",
                index + 1,
                "the line and its heading differ in the number of columns",
            );
            continue;
        }
        let at = calendar.date_time(&words[columns.len()..].join(" "));
        stamped |= at.is_some();
        // The first line covers the time since boot.
        if std::mem::take(&mut first) {
            builder.begin_since_boot(at);
        } else {
            builder.begin(at);
        }
        for (column, word) in columns.iter().zip(&words) {
            if let Some(value) = number(word) {
                let (area, subject) = area(column);
                builder.push(area, subject, column, value);
            }
        }
    }
    if builder.is_empty() {
        return Err(ReadError::new(name, text.lines().count().max(1), "vmstat's heading without figures"));
    }
    if !stamped {
        builder.gap("times", GapReason::Absent, "vmstat ran without -t: the samples have no times");
    }
    Ok(builder.finish(ImportedSeries {
        source: name.to_owned(),
        tool: "vmstat".into(),
        clock: zone.unwrap_or_else(|| "local".into()),
        ..ImportedSeries::default()
    }))
}

/// `EST`, `CET`, and `+03` where a zone has no letters.
fn is_zone(word: &str) -> bool {
    let digits = word.strip_prefix(['+', '-']);
    digits.is_some_and(|digits| digits.bytes().all(|c| c.is_ascii_digit()))
        || word.chars().all(|c| c.is_ascii_uppercase())
}

/// The date of a line that ends in a time stamp.
fn date_of(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().rev();
    let (time, date) = (words.next()?, words.next()?);
    (time.matches(':').count() == 2 && date.len() >= 8).then_some(date)
}

fn area(column: &str) -> (&'static str, &'static str) {
    match column {
        "us" | "sy" | "id" | "wa" | "st" | "gu" => ("cpu", "all"),
        "swpd" | "free" | "buff" | "cache" | "inact" | "active" | "si" | "so" => ("memory", ""),
        _ => ("system", ""),
    }
}
