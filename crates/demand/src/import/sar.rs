//! `sar` on Linux: blocks of a heading (a time, then names) and rows (a time, a subject, values). Each block begins the
//! day anew; the time runs over midnight within one.

use super::builder::Builder;
use super::sysstat::{Banner, LEFT_OUT, MEASURED, banner, of_means};
use super::{Options, clean, is_figure, words};
use crate::ReadError;
use crate::clock::time_of_day;
use crate::page::{self, MOST_COLUMNS};
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;
use jiff::civil::{Date, DateTime, Time};
use std::collections::HashMap;

const HALF_DAY_S: i64 = 43_200;

/// True for a sysstat banner with a block of figures, or for such a block alone.
pub(super) fn is_sar(text: &str) -> bool {
    let mut lines = text.lines();
    let banner = lines.any(|line| banner(line).is_some()) && lines.any(|line| split_time(line).is_some());
    banner || is_excerpt(text)
}

/// Columns that only sar and mpstat have behind a time.
const OWN: [&str; 13] = [
    "%idle", "tps", "await", "rxpck/s", "rxerr/s", "runq-sz", "kbmemfree", "pswpin/s", "pgpgin/s", "call/s",
    "active/s", "retrans/s", "idgm/s",
];

/// A heading behind a time, and a row as wide below it: what is left of sar's output where its first line was not copied.
fn is_excerpt(text: &str) -> bool {
    let mut wide = None;
    text.lines().take(2_000).any(|line| {
        let line = clean(line);
        let rest = split_time(&line).map(|(_, rest)| rest).or_else(|| line.strip_prefix("Average:"));
        let Some(rest) = rest else { return false };
        let words = words(rest);
        if words.iter().any(|word| OWN.contains(word)) && !words.contains(&"PID") {
            wide = Some(words.len());
            return false;
        }
        wide == Some(words.len()) && words.iter().filter(|word| is_figure(word)).count() * 2 >= words.len()
    })
}

/// Reads a report.
pub(super) fn read(text: &str, name: &str, options: Options) -> Result<ImportedSeries, ReadError> {
    let text = &*of_means(text);
    let banners: Vec<Banner> = text.lines().filter_map(banner).collect();
    let first = banners.first().cloned().unwrap_or_default();
    let (calendar, assumed) =
        options.calendar(banners.iter().map(|banner| banner.date.as_str()), (text, name));
    let mut reader = Reader {
        builder: Builder::new(),
        date: calendar.date(&first.date),
        block: None,
        clocks: HashMap::new(),
        restarts: 0,
        mpstat: false,
        open: None,
        steps: Vec::new(),
        twelve_hours: has_twelve_hours(text),
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
        let what = "sar's banner without any supported figures: export the same file with sar -A, or sadf -j FILE -- -A";
        return Err(ReadError::at_end(name, text, what));
    }
    let mut builder = reader.builder;
    if reader.twelve_hours {
        let what = "a twelve-hour clock without AM and PM: the file is assumed to begin before noon";
        builder.gap("times", GapReason::Malformed, what);
    }
    if let Some(assumed) = assumed {
        builder.gap("date", GapReason::Absent, assumed);
    }
    if reader.date.is_none() && !banners.is_empty() {
        builder.gap("date", GapReason::Malformed, format!("\"{}\" is not a recognised date", first.date));
    }
    if reader.restarts > 0 {
        builder.gap("uptime", GapReason::Skipped, restarted(reader.restarts, "report"));
    }
    let origin = first.origin(name, if reader.mpstat { "mpstat" } else { "sar" });
    Ok(builder.finish(ImportedSeries { interval_s: fullwire_model::median(&reader.steps), ..origin }))
}

struct Reader {
    builder: Builder,
    date: Option<Date>,
    block: Option<Block>,
    /// For each kind of block, the last time and the days gone by since the banner.
    clocks: HashMap<String, (Time, i32)>,
    restarts: usize,
    /// mpstat prints the same banner and blocks.
    mpstat: bool,
    /// The block and time of the record that is open, where the file has no date: rows of one time are one record.
    open: Option<(String, Time)>,
    /// Seconds between the times of a block, where the file has no date.
    steps: Vec<f64>,
    /// The times have twelve hours and do not say which half of the day.
    twelve_hours: bool,
}

/// A heading.
#[derive(Debug)]
struct Block {
    area: &'static str,
    /// Where the subject stands among the words behind the time.
    subject_at: Option<usize>,
    columns: Vec<String>,
    key: String,
    /// The time in the heading: where mpstat's rows have the same, they are means since boot.
    time: Option<Time>,
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
        if words.iter().all(|word| !is_figure(word)) {
            self.heading(&words, time);
            return;
        }
        let Some(block) = self.block.take() else { return };
        if words.len() == block.columns.len() {
            self.values(&block, &words, time);
        } else {
            self.builder.malformed("sar", index, "the line and its heading differ in the number of columns");
        }
        self.block = Some(block);
    }

    fn heading(&mut self, words: &[&str], time: Time) {
        self.mpstat |= is_mpstat(words);
        self.block = block(words).map(|block| Block { time: Some(time), ..block });
        if let Some(key) = self.block.as_ref().map(|block| block.key.clone()) {
            let at = self.date_time(&key, time);
            self.builder.start(at);
        }
        if self.block.is_none() {
            self.builder.leave_out(section(words));
        }
    }

    fn values(&mut self, block: &Block, words: &[&str], time: Time) {
        let at = self.date_time(&block.key, time);
        let subject =
            block.subject_at.map_or(if block.area == "cpu" { "all" } else { "" }, |index| words[index]);
        let record = Some((block.key.clone(), time));
        if self.mpstat && block.time == Some(time) {
            self.builder.begin_since_boot(at);
        } else if at.is_some() || self.open != record {
            self.builder.begin(at);
            self.open = record.filter(|_| at.is_none());
        }
        for (index, (column, word)) in block.columns.iter().zip(words).enumerate() {
            if Some(index) == block.subject_at {
                continue;
            }
            self.builder.cell(block.area, subject, column, word);
        }
    }

    /// The date of the banner, and a day more whenever the time of a block runs back by more than half a day. A clock of
    /// twelve hours without AM and PM has gone on by half a day when it runs back.
    fn date_time(&mut self, key: &str, time: Time) -> Option<DateTime> {
        // Of twelve hours, 12:30 stands half an hour into either half.
        let time = if self.twelve_hours { time.with().hour(time.hour() % 12).build().ok()? } else { time };
        let (last, half_days) = self.clocks.entry(key.to_owned()).or_insert((time, 0));
        let back_s = -last.duration_until(time).as_secs();
        *half_days += match self.twelve_hours {
            true if back_s > 0 => 1,
            false if back_s > HALF_DAY_S => 2,
            _ => 0,
        };
        if self.date.is_none() && back_s < 0 {
            self.steps.push(-back_s as f64);
        }
        *last = time;
        let hours = i64::from(*half_days) * 12;
        self.date?.to_datetime(time).checked_add(jiff::Span::new().hours(hours)).ok()
    }
}

/// Every hour is from 1 to 12, no line says AM or PM, and a 12 is followed by a 1 (a locale without words for the halves of
/// the day). A clock of 24 hours that passes noon goes on to 13.
fn has_twelve_hours(text: &str) -> bool {
    let (mut wraps, mut key) = (false, String::new());
    let mut last: HashMap<String, i8> = HashMap::new();
    for line in text.lines() {
        if banner(line).is_some() {
            last.clear();
        }
        let Some((time, rest)) = split_time(line) else { continue };
        let second = line.split_whitespace().nth(1).unwrap_or("").to_lowercase();
        if matches!(second.as_str(), "am" | "pm" | "a.m." | "p.m.") || !(1..=12).contains(&time.hour()) {
            return false;
        }
        let words = words(rest);
        if words.iter().all(|word| !is_figure(word)) {
            key = words.join(" ");
        } else {
            // Sections follow each other, and each begins the day anew.
            wraps |= last.insert(key.clone(), time.hour()) == Some(12) && time.hour() == 1;
        }
    }
    wraps
}

/// `the host was restarted once within the report`.
pub(super) fn restarted(times: usize, of: &str) -> String {
    let often = if times == 1 { "once".to_owned() } else { format!("{times} times") };
    format!("the host was restarted {often} within the {of}")
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

/// What a heading describes; `None` for blocks that affect nothing here (single interrupts, sensors, terminals).
fn block(words: &[&str]) -> Option<Block> {
    // Clock rates of CPUs stand in columns of a subject that counts.
    let is_left_out = |word: &&str| LEFT_OUT.contains(word) || matches!(*word, "MHz" | "wghMHz");
    if words.len() > MOST_COLUMNS || words.iter().any(is_left_out) {
        return None;
    }
    let subject_at = words.iter().position(|word| MEASURED.contains(word) || *word == "Device");
    let area = match subject_at.map(|index| words[index]) {
        Some("DEV" | "Device") => "disk",
        Some("IFACE") => "nic",
        Some("CPU") if words.iter().any(|word| word.contains("idle")) => "cpu",
        Some("CPU") if words.contains(&"squeezd/s") => "softnet",
        Some(_) => return None,
        None => area_without_subject(words),
    };
    let columns = words.iter().map(|&word| page::name(word).to_owned()).collect();
    Some(Block { area, subject_at, columns, key: page::name(&words.join(" ")).to_owned(), time: None })
}

/// mpstat has interrupts before stolen time, sar -u ALL behind it; sums of interrupts are mpstat's own.
fn is_mpstat(words: &[&str]) -> bool {
    let place = |name: &str| words.iter().position(|word| *word == name);
    let before = place("%irq").zip(place("%steal")).is_some_and(|(irq, steal)| irq < steal);
    words.first() == Some(&"CPU") && (before || place("intr/s") == Some(1))
}

/// What a section that is not read is called.
fn section(words: &[&str]) -> String {
    let has = |name: &str| words.contains(&name);
    let what = match () {
        () if has("INTR") || has("intr/s") || words.iter().any(|word| word.starts_with("LOC/")) => {
            "interrupts"
        }
        () if has("TTY") => "terminals",
        () if has("FAN") || has("TEMP") || has("IN") || has("BAT") => "sensors",
        () if has("BUS") => "USB devices",
        () if has("FILESYSTEM") || has("MOUNTPOINT") => "file systems",
        () if has("FCHOST") => "Fibre Channel hosts",
        () if has("MHz") || has("wghMHz") => "CPU frequencies",
        () if has("NET_RX/s") || has("HI/s") => "soft interrupts",
        () => return words.iter().take(3).copied().collect::<Vec<_>>().join(" "),
    };
    what.to_owned()
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
