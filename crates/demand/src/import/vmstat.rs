//! `vmstat`: two lines of heading, the second names the columns; with `-t` a time is at the end. In OSWatcher's archive the
//! time of a call is in front of its records.

use super::builder::{Builder, recorded};
use super::oswatcher::{self, Snapshot};
use super::{Options, clean, number};
use crate::ReadError;
use crate::clock::{Calendar, time_of_day};
use crate::page::MOST_COLUMNS;
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;

/// The kernel counts memory in pages, of 4 KiB or a multiple of it: in KiB each figure is a multiple of this
/// (Linux fs/proc/meminfo.c).
const PAGE_KIB: f64 = 4.0;
/// No host of a database has this little free and cached memory, KiB (own choice; in MiB it is 256 GiB).
const FEW_KIB: f64 = 262_144.0;

/// True for `vmstat`'s second heading above its rows.
pub(super) fn is_vmstat(text: &str) -> bool {
    text.contains(" swpd ") && text.lines().any(|line| line.trim_start().starts_with("r "))
}

/// Reads a report.
pub(super) fn read(text: &str, name: &str, options: Options) -> Result<ImportedSeries, ReadError> {
    let dates: Vec<&str> = text.lines().filter_map(date_of).collect();
    let (calendar, assumed) = options.calendar(dates.iter().copied(), (text, name));
    let mut reader = Reader {
        builder: Builder::new(),
        calendar,
        columns: Vec::new(),
        zone: None,
        snapshot: None,
        stamped: false,
        first: true,
        without_memory: has_other_unit(text),
    };
    if let Some(assumed) = assumed {
        reader.builder.gap("date", GapReason::Absent, assumed);
    }
    for (index, line) in text.lines().enumerate() {
        reader.line(&clean(line), index + 1);
    }
    reader.finish(name)
}

struct Reader {
    builder: Builder,
    calendar: Calendar,
    columns: Vec<String>,
    zone: Option<String>,
    /// The call of vmstat that runs, in an archive of OSWatcher.
    snapshot: Option<Snapshot>,
    /// At least one record has a time.
    stamped: bool,
    /// The next record is the first of a call: it covers the time since boot.
    first: bool,
    /// The memory columns are in a unit that the file does not tell.
    without_memory: bool,
}

impl Reader {
    fn line(&mut self, line: &str, index: usize) {
        if let Some(stamp) = oswatcher::stamp(line) {
            self.snapshot = Some(Snapshot::of(&stamp));
            self.zone = self.zone.take().or(stamp.zone);
            self.first = true;
            return;
        }
        // A time has three words at most.
        let mut words: Vec<&str> = line.split_whitespace().take(MOST_COLUMNS + 3).collect();
        // ExaWatcher, and whoever lets a shell print the time before each line.
        let timed = words.first().is_some_and(|first| *first == "--time--" || time_of_day(first).is_some());
        words.drain(..usize::from(timed));
        // Wide output (-w, and wider for much memory) has "--procs--".
        let titles = |first: &str| first.trim_start_matches('-').starts_with("procs");
        if words.first().is_none_or(|first| titles(first)) || oswatcher::is_own_line(line) {
            return;
        }
        if words[0] == "r" && words.contains(&"swpd") {
            self.heading(&words, index);
        } else if words.len() < self.columns.len() || self.columns.is_empty() || number(words[0]).is_none() {
            let what = "the line and its heading differ in the number of columns";
            self.builder.malformed("vmstat", index, what);
        } else {
            self.values(&words);
        }
    }

    fn heading(&mut self, words: &[&str], index: usize) {
        self.columns.clear();
        if words.len() > MOST_COLUMNS {
            let what = "the heading has more columns than any known vmstat";
            self.builder.malformed("vmstat", index, what);
            return;
        }
        // The zone of `-t` stands where the times will be.
        let zone = words.last().filter(|word| is_zone(word));
        let columns = words.len() - usize::from(zone.is_some());
        self.columns = words.iter().take(columns).map(|&word| word.to_owned()).collect();
        self.zone = zone.map(|&zone| zone.to_owned()).or(self.zone.take());
    }

    fn values(&mut self, words: &[&str]) {
        let behind = &words[self.columns.len()..];
        let own = self.calendar.date_time(&behind.join(" "));
        // procps 3.2 prints the zone behind each time.
        if self.zone.is_none() && own.is_some() {
            self.zone = behind.get(2).filter(|word| is_zone(word)).map(|&zone| zone.to_owned());
        }
        let called = self.snapshot.as_mut().and_then(Snapshot::next);
        let at = own.or(called);
        self.stamped |= at.is_some();
        if std::mem::take(&mut self.first) {
            self.builder.begin_since_boot(at);
        } else {
            self.builder.begin(at);
        }
        for (column, word) in self.columns.iter().zip(words) {
            let (area, subject) = area(column);
            if let Some(value) = number(word).filter(|_| area != "memory" || !self.without_memory) {
                self.builder.push(area, subject, column, value);
            }
        }
    }

    fn finish(mut self, name: &str) -> Result<ImportedSeries, ReadError> {
        if !self.stamped {
            let what = "vmstat ran without -t: the samples have no times";
            self.builder.gap("times", GapReason::Absent, what);
        }
        if self.without_memory {
            let what = "vmstat ran with -S: the unit of memory and swap is not in the file, and they are not read. Record \
                        without -S";
            self.builder.gap("memory", GapReason::Absent, what);
        }
        self.builder.done(recorded(name, "vmstat", self.zone.as_deref().unwrap_or("local")))
    }
}

/// `-S` changes the unit of memory and swap, and nothing printed says so: figures that are no whole pages, and too small
/// for KiB.
fn has_other_unit(text: &str) -> bool {
    let mut levels: Vec<usize> = Vec::new();
    let (mut broken, mut largest) = (false, 0.0_f64);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().take(MOST_COLUMNS).collect();
        if words.first() == Some(&"r") && words.contains(&"swpd") {
            let is_level =
                |word: &&str| matches!(*word, "swpd" | "free" | "buff" | "cache" | "inact" | "active");
            levels = (0..words.len()).filter(|index| is_level(&words[*index])).collect();
        } else if words.first().is_some_and(|first| number(first).is_some()) {
            let values = levels.iter().filter_map(|index| number(words.get(*index)?));
            let (sum, whole) = values
                .fold((0.0, true), |(sum, whole), value| (sum + value, whole && value % PAGE_KIB == 0.0));
            largest = largest.max(sum);
            broken |= !whole;
        }
    }
    broken && largest < FEW_KIB
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
