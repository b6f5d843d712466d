//! `sar` on Linux: blocks of a heading (a time, then names) and rows (a time, a subject, values). Each block begins the
//! day anew; the time runs over midnight within one.

use super::builder::Builder;
use super::sysstat::{Banner, banner};
use super::{Options, clean, number, words};
use crate::ReadError;
use crate::clock::{Calendar, time_of_day};
use crate::page::{self, MOST_COLUMNS};
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;
use jiff::civil::{Date, DateTime, Time};
use std::collections::HashMap;

/// True for a sysstat banner with a block of figures.
pub(super) fn is_sar(text: &str) -> bool {
    let mut lines = text.lines();
    lines.any(|line| banner(line).is_some()) && lines.any(|line| split_time(line).is_some())
}

/// Reads a report.
pub(super) fn read(text: &str, name: &str, options: Options) -> Result<ImportedSeries, ReadError> {
    let banners: Vec<Banner> = text.lines().filter_map(banner).collect();
    let first = banners.first().cloned().unwrap_or_default();
    let calendar = Calendar::learn(options.date_order, banners.iter().map(|banner| banner.date.as_str()))
        .map_err(|error| ReadError::new(name, 1, error.to_string()))?;
    let mut reader = Reader {
        builder: Builder::new(),
        date: calendar.date(&first.date),
        block: None,
        clocks: HashMap::new(),
        restarts: 0,
    };
    for (index, line) in text.lines().enumerate() {
        let line = clean(line);
        if let Some(banner) = banner(&line) {
            reader.date = calendar.date(&banner.date);
            reader.clocks.clear();
        } else {
            reader.line(&line, index + 1);
        }
    }
    if reader.builder.is_empty() {
        let what = "sar's banner, but none of the figures that are read: export the same file with sar -A, or sadf -j FILE -- -A";
        return Err(ReadError::new(name, text.lines().count().max(1), what));
    }
    let mut builder = reader.builder;
    if reader.date.is_none() {
        builder.gap(
            "date",
            GapReason::Malformed,
            format!("\"{}\" is not a date that is understood", first.date),
        );
    }
    if reader.restarts > 0 {
        let detail = format!("the host was restarted {} times within the report", reader.restarts);
        builder.gap("uptime", GapReason::Skipped, detail);
    }
    Ok(builder.finish(first.origin(name, "sar")))
}

struct Reader {
    builder: Builder,
    date: Option<Date>,
    block: Option<Block>,
    /// For each kind of block, the last time and the days gone by since the banner.
    clocks: HashMap<String, (Time, i32)>,
    restarts: usize,
}

/// A heading.
#[derive(Debug)]
struct Block {
    area: &'static str,
    /// Where the subject stands among the words behind the time.
    subject: Option<usize>,
    columns: Vec<String>,
    key: String,
}

impl Reader {
    fn line(&mut self, line: &str, index: usize) {
        if line.starts_with("Average:") || line.starts_with("Summary:") {
            return;
        }
        let Some((time, rest)) = split_time(line) else {
            return;
        };
        if rest.contains("LINUX RESTART") {
            self.restarts += 1;
            return;
        }
        let words = words(rest);
        if words.iter().all(|word| number(word).is_none()) {
            self.block = block(&words);
            return;
        }
        let Some(block) = self.block.take() else { return };
        if words.len() == block.columns.len() {
            let at = self.date_time(&block.key, time);
            self.values(&block, &words, at);
        } else {
            self.builder.malformed("sar", index, "the line has another number of columns than its heading");
        }
        self.block = Some(block);
    }

    fn values(&mut self, block: &Block, words: &[&str], at: Option<DateTime>) {
        let subject =
            block.subject.map_or(if block.area == "cpu" { "all" } else { "" }, |index| words[index]);
        self.builder.begin(at);
        for (index, (column, word)) in block.columns.iter().zip(words).enumerate() {
            if Some(index) == block.subject {
                continue;
            }
            if let Some(value) = number(word) {
                self.builder.push(block.area, subject, column, value);
            }
        }
    }

    /// The date of the banner, and a day more whenever the time of a block runs back by more than half a day.
    fn date_time(&mut self, key: &str, time: Time) -> Option<DateTime> {
        let (last, days) = self.clocks.entry(key.to_owned()).or_insert((time, 0));
        let back = last.duration_until(time).as_secs() < -43_200;
        if back {
            *days += 1;
        }
        *last = time;
        let date = self.date?.checked_add(jiff::Span::new().days(*days)).ok()?;
        Some(date.to_datetime(time))
    }
}

/// The time in front, with AM or PM, and the rest.
fn split_time(line: &str) -> Option<(Time, &str)> {
    let (first, rest) = line.split_once(char::is_whitespace)?;
    let clock = first.matches([':', '時', '时', '分']).count() == 2;
    if !clock || !first.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let rest = rest.trim_start();
    for half in ["AM", "PM", "am", "pm", "a.m.", "p.m."] {
        if let Some(after) = rest.strip_prefix(half) {
            return Some((time_of_day(&format!("{first} {half}"))?, after));
        }
    }
    Some((time_of_day(first)?, rest))
}

/// What a heading describes; `None` for blocks that bear on nothing here (single interrupts, sensors, terminals).
fn block(words: &[&str]) -> Option<Block> {
    const LEFT_OUT: [&str; 12] = [
        "INTR",
        "TTY",
        "FAN",
        "TEMP",
        "IN",
        "BUS",
        "FILESYSTEM",
        "MOUNTPOINT",
        "MHz",
        "wghMHz",
        "BAT",
        "FCHOST",
    ];
    const SUBJECTS: [&str; 4] = ["CPU", "DEV", "IFACE", "Device"];
    if words.len() > MOST_COLUMNS || words.iter().any(|word| LEFT_OUT.contains(word)) {
        return None;
    }
    let subject = words.iter().position(|word| SUBJECTS.contains(word));
    let area = match subject.map(|index| words[index]) {
        Some("DEV" | "Device") => "disk",
        Some("IFACE") => "nic",
        Some("CPU") if words.iter().any(|word| word.contains("idle")) => "cpu",
        Some(_) => return None,
        None => area_without_subject(words),
    };
    let columns = words.iter().map(|&word| page::name(word).to_owned()).collect();
    Some(Block { area, subject, columns, key: page::name(&words.join(" ")).to_owned() })
}

fn area_without_subject(words: &[&str]) -> &'static str {
    let first = words.first().copied().unwrap_or("");
    match first {
        "pgpgin/s" | "pswpin/s" | "kbmemfree" | "kbswpfree" | "kbhugfree" | "frmpg/s" => "memory",
        "call/s" | "scall/s" => "nfs",
        _ if words.contains(&"%idle") => "cpu",
        _ => "system",
    }
}
