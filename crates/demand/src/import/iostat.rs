//! `iostat` of every generation, with and without `-x`, `-t`, `-m`, `-s`, `--compact`, `--human`, and the archives that
//! OSWatcher makes of it.

use super::builder::Builder;
use super::idle::Idle;
use super::oswatcher::{self, Snapshot};
use super::sysstat::{Banner, banner};
use super::{Options, clean, is_figure, words};
use crate::ReadError;
use crate::clock::{Calendar, offset, time_of_day};
use crate::page::MOST_COLUMNS;
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;
use std::collections::BTreeSet;

/// `iostat -x -h` has four tables, and a fifth of groups.
const MOST_TABLES: usize = 8;

/// True when a table of devices follows a sysstat banner.
pub(super) fn is_iostat(text: &str) -> bool {
    // sar --pretty has the device last as well, but a time in front.
    let may_be =
        |line: &str| line.starts_with("Device") || (line.starts_with(' ') && line.ends_with("Device"));
    text.lines().any(|line| may_be(line) && device_heading(&narrow(line.to_owned())).is_some())
        || text.lines().any(|line| {
            let line = line.trim_start();
            line.starts_with("avg-cpu") && line.contains("%iowait")
        })
}

/// Chinese and Japanese pages put their own colon behind a heading.
fn narrow(line: String) -> String {
    if line.starts_with("avg-cpu：") || line.starts_with("Device：") {
        line.replace('：', ":")
    } else {
        line
    }
}

/// Reads a report.
pub(super) fn read(text: &str, name: &str, options: Options) -> Result<ImportedSeries, ReadError> {
    let read = |idle: Idle| {
        let mut reader = Reader::new(text, name, options);
        reader.idle = idle;
        for (index, line) in text.lines().enumerate() {
            reader.line(&narrow(clean(line)), index + 1);
        }
        reader.idle.end_report(&mut reader.builder);
        reader
    };
    let mut reader = read(Idle::default());
    if reader.idle.are_left_out() {
        reader = read(Idle::filling());
    }
    reader.finish(name)
}

struct Reader {
    builder: Builder,
    banner: Banner,
    calendar: Calendar,
    date: Option<Date>,
    columns: Vec<String>,
    /// The device is in the last column (`--compact`, `--pretty`).
    device_last: bool,
    cpu_columns: Option<Vec<String>>,
    /// The tables of devices that the report has so far: with `-h` several of different columns, and with `-d` one that comes
    /// again is the next report's.
    tables: Vec<Vec<String>>,
    /// `iostat -h` prints a long name on its own line.
    device: Option<String>,
    at: Option<DateTime>,
    reports: usize,
    /// The next report is the first of a call of iostat: it covers the time since boot.
    first: bool,
    oswatcher: bool,
    /// Devices that the report has so far, by its tables.
    listed: BTreeSet<(usize, String)>,
    /// Devices that `iostat -z` does not list while they do nothing.
    idle: Idle,
    /// The call of iostat that runs, in an archive of OSWatcher.
    snapshot: Option<Snapshot>,
    /// The distance of the file's clock from UTC, where stamps tell it.
    offset: Option<Offset>,
    /// The zone's letters, where OSWatcher tells them.
    zone: Option<String>,
}

impl Reader {
    fn new(text: &str, name: &str, options: Options) -> Self {
        let mut builder = Builder::new();
        let excerpt = !text.lines().any(|line| banner(line).is_some());
        let banner = text.lines().find_map(banner).unwrap_or_default();
        let archived = text.lines().find_map(oswatcher::stamp);
        let stamps = text.lines().filter_map(stamp_date);
        let bare_times = text.lines().any(|line| bare_time(line).is_some());
        // Times alone need the date of the banner.
        let dates = stamps.chain(bare_times.then_some(banner.date.as_str()));
        let dates: Vec<&str> = dates.collect();
        // The archive's own line has the month in letters: it settles the order.
        let learnt =
            archived.as_ref().and_then(|called| Calendar::that_reads(&banner.date, called.at.date()));
        let calendar = if let Some(calendar) = learnt.filter(|_| options.date_order.is_none()) {
            calendar
        } else {
            let (calendar, assumed) = options.calendar(dates.iter().copied(), (text, name));
            if let Some(assumed) = assumed {
                builder.gap("date", GapReason::Absent, assumed);
            }
            calendar
        };
        let date = archived.as_ref().map(|called| called.at.date()).or_else(|| calendar.date(&banner.date));
        let oswatcher = oswatcher::is_archive(text);
        Self {
            builder,
            banner,
            calendar,
            date,
            columns: Vec::new(),
            device_last: false,
            cpu_columns: None,
            tables: Vec::new(),
            device: None,
            at: None,
            reports: 0,
            // A pasted record has nothing before it that would be the one since boot.
            first: !excerpt,
            oswatcher,
            listed: BTreeSet::new(),
            idle: Idle::default(),
            snapshot: None,
            offset: None,
            zone: archived.and_then(|called| called.zone),
        }
    }

    fn line(&mut self, line: &str, index: usize) {
        if line.trim().is_empty() {
            return;
        }
        if let Some(called) = oswatcher::stamp(line) {
            // A new call of iostat.
            (self.date, self.first) = (Some(called.at.date()), true);
            self.snapshot = Some(Snapshot::of(&called));
        } else if line.starts_with("zzz") {
            self.first = true;
        } else if banner(line).is_some() {
            self.columns.clear();
            self.first = true;
        } else if let Some(at) = self.stamp(line) {
            self.at = Some(at);
            self.report();
        } else if let Some(rest) = line.trim_start().strip_prefix("avg-cpu:") {
            if self.at.is_none() || !self.cpu_is_open() {
                self.report();
            }
            self.cpu_columns = Some(words(rest).into_iter().take(MOST_COLUMNS).map(str::to_owned).collect());
        } else if let Some((columns, last)) = device_heading(line) {
            let too_wide = columns.len() > MOST_COLUMNS;
            if too_wide {
                self.builder.malformed("iostat", index, "the heading has more columns than any known iostat");
            }
            if self.first
                || self.reports == 0
                || too_wide
                || self.tables.len() >= MOST_TABLES
                || self.tables.contains(&columns)
            {
                self.report();
            }
            if too_wide {
                return;
            }
            self.tables.push(columns.clone());
            (self.columns, self.device_last) = (columns, last);
        } else if line.starts_with("Filesystem") {
            // iostat -n of sysstat 7 to 10.
            self.columns.clear();
            self.builder.leave_out("NFS mounts of iostat -n");
        } else {
            self.values(line, index);
        }
    }

    /// A stamp has begun this report already, and no CPU line has followed yet.
    fn cpu_is_open(&self) -> bool {
        self.cpu_columns.is_none() && self.columns.is_empty()
    }

    fn report(&mut self) {
        self.columns.clear();
        self.tables.clear();
        self.listed.clear();
        self.cpu_columns = None;
        self.reports += 1;
        self.idle.end_report(&mut self.builder);
        self.idle.begin_report(self.first);
        // Without -t a report has the time of its call.
        let at = self.at.or_else(|| self.snapshot.as_mut().and_then(Snapshot::next));
        if std::mem::take(&mut self.first) {
            self.builder.begin_since_boot(at);
        } else {
            self.builder.begin(at);
        }
    }

    /// `03/24/15 16:46:04`, `Time: 03:49:57 PM`, `2019-03-14T00:42:24+0100`.
    fn stamp(&mut self, line: &str) -> Option<DateTime> {
        if let Some(time) = bare_time(line) {
            return self.after_midnight(time);
        }
        stamp_date(line)?;
        let at = self.calendar.date_time(line)?;
        let Some(own) = offset(line) else { return Some(at) };
        // Summer time changes the offset: all times are given by the first.
        let first = *self.offset.get_or_insert(own);
        Some(first.to_datetime(own.to_timestamp(at).ok()?))
    }

    /// A time without a date runs over midnight.
    fn after_midnight(&mut self, time: jiff::civil::Time) -> Option<DateTime> {
        let last = self.at.map(DateTime::time);
        if last.is_some_and(|last| last.duration_until(time).as_secs() < -43_200) {
            self.date = self.date?.tomorrow().ok();
        }
        Some(self.date?.to_datetime(time))
    }

    fn values(&mut self, line: &str, index: usize) {
        let words = words(line);
        if let Some(columns) = self.cpu_columns.take_if(|columns| columns.len() == words.len()) {
            for (column, word) in columns.iter().zip(&words) {
                self.builder.cell("cpu", "all", column, word);
            }
            return;
        }
        if self.columns.len() < 2 {
            return;
        }
        let values = self.columns.len();
        let (device, cells) = match (&self.device, words.len()) {
            (Some(device), count) if count == values => (device.clone(), &words[..]),
            (_, count) if count == values + 1 && self.device_last => {
                (words[count - 1].to_owned(), &words[..count - 1])
            }
            (_, count) if count == values + 1 => (words[0].to_owned(), &words[1..]),
            (_, 1) => {
                self.device = Some(words[0].to_owned());
                return;
            }
            _ => {
                self.builder.malformed(
                    "iostat",
                    index,
                    "the line and its heading differ in the number of columns",
                );
                return;
            }
        };
        // `iostat ... | grep sdj`: one heading, or none but the first, and a line for each report.
        if !self.listed.insert((self.tables.len(), device.clone())) {
            let (columns, tables) = (std::mem::take(&mut self.columns), std::mem::take(&mut self.tables));
            self.report();
            (self.columns, self.tables) = (columns, tables);
            self.listed.insert((self.tables.len(), device.clone()));
        }
        let columns = std::mem::take(&mut self.columns);
        self.idle.row(&device, &columns, cells);
        for (column, word) in columns.iter().zip(cells) {
            self.builder.cell("disk", &device, column, word);
        }
        (self.columns, self.device) = (columns, None);
    }

    fn finish(self, name: &str) -> Result<ImportedSeries, ReadError> {
        let mut origin = self.banner.origin(name, if self.oswatcher { "oswatcher iostat" } else { "iostat" });
        if let Some(offset) = self.offset {
            origin.clock = if offset == Offset::UTC { "UTC".into() } else { offset.to_string() };
        } else if let Some(zone) = self.zone {
            origin.clock = zone;
        }
        let mut builder = self.builder;
        if self.at.is_none() && self.snapshot.is_none() && self.reports > 1 {
            builder.gap("times", GapReason::Absent, "iostat ran without -t: the samples have no times");
        }
        builder.done(origin)
    }
}

/// `Time: 03:49:57 PM`, `時間: 20時45分12秒`, `Heure : 15:49:57`: a word, and a time of day.
fn bare_time(line: &str) -> Option<jiff::civil::Time> {
    let (label, time) = line.split_once([':', '：'])?;
    let is_word = !label.is_empty() && label.len() <= 24 && label.trim().chars().all(char::is_alphabetic);
    let time = time.trim();
    let is_time = time.starts_with(|c: char| c.is_ascii_digit()) && time.split_whitespace().count() <= 2;
    let parts = time.matches([':', '時', '时', '分']).count();
    if is_word && is_time && parts == 2 { time_of_day(time) } else { None }
}

/// The date of a line that is a time stamp and nothing else.
fn stamp_date(line: &str) -> Option<&str> {
    let first = line.split([' ', 'T']).next()?;
    let rest = line.get(first.len() + 1..)?;
    let is_date =
        first.starts_with(|c: char| c.is_ascii_digit()) && first.matches(['/', '-', '.']).count() == 2;
    (is_date && time_of_day(rest).is_some() && rest.split_whitespace().count() <= 2).then_some(first)
}

/// The names of the value columns, and whether the device is last.
fn device_heading(line: &str) -> Option<(Vec<String>, bool)> {
    let words = words(line);
    let (first, last) = (words.first()?, words.last()?);
    let is_device = |word: &str| matches!(word.trim_end_matches(':'), "Device" | "DEV");
    let own = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    // `Device Model:     WDC WD5003ABYX` of smartctl has no column of iostat.
    let is_column = |word: &&str| word.ends_with("/s") || *word == "%util";
    // `Device Speed: 6.0Gb/s` of MegaCli.
    let is_field = words.iter().any(|word| word.ends_with(':') && !is_device(word));
    if words.len() < 3 || is_field || !words.iter().any(is_column) || words.iter().any(|word| is_figure(word))
    {
        None
    } else if is_device(first) {
        Some((own(&words[1..]), false))
    } else if is_device(last) {
        Some((own(&words[..words.len() - 1]), true))
    } else {
        None
    }
}
