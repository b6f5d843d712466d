//! `iostat` of every generation, with and without `-x`, `-t`, `-m`, `-s`, `--compact`, `--human`, and the archives that
//! `OSWatcher` makes of it.

use super::builder::Builder;
use super::sysstat::{Banner, banner};
use super::{Options, clean, number, words};
use crate::ReadError;
use crate::clock::{Calendar, time_of_day};
use crate::page::MOST_COLUMNS;
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;
use jiff::civil::{Date, DateTime};

/// True when a table of devices follows a sysstat banner.
pub(super) fn is_iostat(text: &str) -> bool {
    // sar --pretty has the device last as well, but a time in front.
    let may_be =
        |line: &str| line.starts_with("Device") || (line.starts_with(' ') && line.ends_with("Device"));
    text.lines().any(|line| may_be(line) && device_heading(line).is_some())
        || (text.contains("avg-cpu:") && text.lines().any(|line| banner(line).is_some()))
}

/// Reads a report.
pub(super) fn read(text: &str, name: &str, options: Options) -> Result<ImportedSeries, ReadError> {
    let mut reader = Reader::new(text, name, options)?;
    for (index, line) in text.lines().enumerate() {
        reader.line(&clean(line), index + 1);
    }
    reader.finish(name, text.lines().count())
}

struct Reader {
    builder: Builder,
    banner: Banner,
    calendar: Calendar,
    date: Option<Date>,
    columns: Vec<String>,
    /// The device stands in the last column (`--compact`, `--pretty`).
    device_last: bool,
    cpu_columns: Option<Vec<String>>,
    /// The report that runs has its table of devices: with `-d` the next table is the next report.
    devices: bool,
    /// `iostat -h` prints a long name on a line of its own.
    device: Option<String>,
    at: Option<DateTime>,
    reports: usize,
    /// The report that runs covers the time since boot and is not the first of the file.
    skip: bool,
    oswatcher: bool,
}

impl Reader {
    fn new(text: &str, name: &str, options: Options) -> Result<Self, ReadError> {
        let banner = text.lines().find_map(banner).unwrap_or_default();
        let stamps = text.lines().filter_map(stamp_date);
        let bare_times = text.lines().any(|line| line.starts_with("Time: "));
        // Times alone need the date of the banner.
        let dates = stamps.chain(bare_times.then_some(banner.date.as_str()));
        let dates: Vec<&str> = dates.collect();
        let calendar = Calendar::learn(options.date_order, dates.iter().copied())
            .map_err(|error| ReadError::new(name, 1, error.to_string()))?;
        let date = calendar.date(&banner.date);
        let oswatcher = text.trim_start().starts_with("zzz");
        Ok(Self {
            builder: Builder::new(),
            banner,
            calendar,
            date,
            columns: Vec::new(),
            device_last: false,
            cpu_columns: None,
            devices: false,
            device: None,
            at: None,
            reports: 0,
            skip: false,
            oswatcher,
        })
    }

    fn line(&mut self, line: &str, index: usize) {
        if line.trim().is_empty() {
            return;
        }
        if line.starts_with("zzz") {
            // A new call of iostat: its first report covers the time since boot.
            self.skip = self.reports > 0;
        } else if banner(line).is_some() {
            self.columns.clear();
        } else if let Some(at) = self.stamp(line) {
            self.at = Some(at);
            self.report();
        } else if let Some(rest) = line.trim_start().strip_prefix("avg-cpu:") {
            if self.at.is_none() || !self.cpu_is_open() {
                self.report();
            }
            self.cpu_columns = Some(words(rest).into_iter().take(MOST_COLUMNS).map(str::to_owned).collect());
        } else if let Some((columns, last)) = device_heading(line) {
            if self.reports == 0 || self.devices {
                self.report();
            }
            if columns.len() > MOST_COLUMNS {
                self.builder.malformed(
                    "iostat",
                    index,
                    "the heading has more columns than any iostat prints",
                );
                return;
            }
            (self.columns, self.device_last, self.devices) = (columns, last, true);
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
        (self.cpu_columns, self.devices) = (None, false);
        if self.reports > 0 && self.at.is_some() && self.oswatcher && self.skip {
            // Everything until the next stamp is left out.
            self.skip = false;
            self.reports += 1;
            self.columns = vec![String::new()];
            return;
        }
        self.reports += 1;
        self.builder.begin(self.at);
    }

    /// `03/24/15 16:46:04`, `Time: 03:49:57 PM`, `2019-03-14T00:42:24+0100`.
    fn stamp(&self, line: &str) -> Option<DateTime> {
        if let Some(time) = line.strip_prefix("Time: ") {
            return Some(self.date?.to_datetime(time_of_day(time)?));
        }
        stamp_date(line)?;
        self.calendar.date_time(line)
    }

    fn values(&mut self, line: &str, index: usize) {
        let words = words(line);
        if let Some(columns) = self.cpu_columns.take_if(|columns| columns.len() == words.len()) {
            for (column, word) in columns.iter().zip(&words) {
                self.value("cpu", "all", column, word);
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
                    "the line has another number of columns than its heading",
                );
                return;
            }
        };
        let columns = std::mem::take(&mut self.columns);
        for (column, word) in columns.iter().zip(cells) {
            self.value("disk", &device, column, word);
        }
        (self.columns, self.device) = (columns, None);
    }

    fn value(&mut self, area: &'static str, subject: &str, column: &str, word: &str) {
        if let Some(value) = number(word.trim_end_matches('%')) {
            self.builder.push(area, subject, column, value);
        } else if let Some(value) = human(word) {
            self.builder.push_scaled(area, subject, column, value);
        }
    }

    fn finish(self, name: &str, lines: usize) -> Result<ImportedSeries, ReadError> {
        if self.builder.is_empty() {
            return Err(ReadError::new(name, lines.max(1), "iostat's banner, but no line of figures"));
        }
        let mut origin = self.banner.origin(name, if self.oswatcher { "oswatcher iostat" } else { "iostat" });
        origin.first_since_boot = true;
        let mut builder = self.builder;
        if self.at.is_none() && self.reports > 1 {
            builder.gap("times", GapReason::Absent, "iostat ran without -t: the samples have no times");
        }
        Ok(builder.finish(origin))
    }
}

/// The date of a line that is a time stamp and nothing else.
fn stamp_date(line: &str) -> Option<&str> {
    let first = line.split([' ', 'T']).next()?;
    let rest = line.get(first.len() + 1..)?;
    let is_date =
        first.starts_with(|c: char| c.is_ascii_digit()) && first.matches(['/', '-', '.']).count() == 2;
    (is_date && time_of_day(rest).is_some() && rest.split_whitespace().count() <= 2).then_some(first)
}

/// The names of the value columns, and whether the device stands last.
fn device_heading(line: &str) -> Option<(Vec<String>, bool)> {
    let words = words(line);
    let (first, last) = (words.first()?, words.last()?);
    let is_device = |word: &str| matches!(word.trim_end_matches(':'), "Device" | "DEV");
    let own = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    if words.len() < 3 || words.iter().any(|word| number(word).is_some()) {
        None
    } else if is_device(first) {
        Some((own(&words[1..]), false))
    } else if is_device(last) {
        Some((own(&words[..words.len() - 1]), true))
    } else {
        None
    }
}

/// `222.1k`, `1.5G` of `--human`: bytes, whatever the column says.
fn human(word: &str) -> Option<f64> {
    let (digits, suffix) = word.split_at_checked(word.len().checked_sub(1)?)?;
    let factor = match suffix {
        "B" => 1.0,
        "k" => 1024.0,
        "M" => 1_048_576.0,
        "G" => 1_073_741_824.0,
        "T" => 1_099_511_627_776.0,
        _ => return None,
    };
    number(digits).map(|value| value * factor)
}
