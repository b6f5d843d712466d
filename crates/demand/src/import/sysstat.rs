//! The first line of sysstat's text reports.

use crate::clock::time_of_day;
use fullwire_model::demand::ImportedSeries;
use std::borrow::Cow;

/// Headings of columns that hold a subject whose figures count here, as `sadf -d` and `sar` write them.
pub(super) const MEASURED: [&str; 3] = ["CPU", "DEV", "IFACE"];

/// Headings of subjects that affect nothing here: single interrupts, terminals, sensors, whose number does not even tell
/// which sensor it is.
pub(super) const LEFT_OUT: [&str; 13] = [
    "INTR", "TTY", "BUS", "FAN", "DEVICE", "FILESYSTEM", "MOUNTPOINT", "FCHOST", "TEMP", "IN", "USB",
    "idvendor", "BAT",
];

/// `Linux 4.15.0 (host) \t12/01/2021 \t_x86_64_\t(1 CPU)`
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Banner {
    pub(super) kernel: String,
    pub(super) host: String,
    pub(super) date: String,
    pub(super) cpus: Option<u64>,
}

/// Reads the banner, when the line is one.
pub(super) fn banner(line: &str) -> Option<Banner> {
    let rest = line.trim_start().strip_prefix("Linux ")?;
    let (kernel, rest) = rest.split_once(" (")?;
    let (host, rest) = rest.split_once(')')?;
    let date = rest.split_whitespace().next().unwrap_or("");
    let cpus = rest.rsplit_once('(').and_then(|(_, text)| text.split_whitespace().next()?.parse().ok());
    Some(Banner { kernel: kernel.trim().to_owned(), host: host.to_owned(), date: date.to_owned(), cpus })
}

impl Banner {
    /// A record that says where its series come from.
    pub(super) fn origin(&self, source: &str, tool: &str) -> ImportedSeries {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        ImportedSeries {
            source: source.to_owned(),
            tool: tool.to_owned(),
            host: some(&self.host),
            kernel: some(&self.kernel),
            cpus: self.cpus,
            clock: "local".into(),
            ..ImportedSeries::default()
        }
    }
}

/// Means alone, as `| tail` leaves them: one record, at no time of the day.
pub(super) fn of_means(text: &str) -> Cow<'_, str> {
    let is_row = |line: &str| {
        let mut words = line.split_whitespace();
        words.next().is_some_and(|time| time_of_day(time).is_some()) && words.any(super::is_figure)
    };
    if !text.contains("Average:") || text.lines().any(is_row) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("Average:", "00:00:00"))
}

/// The parts of a file, one for each host: files of several hosts are put together with cat. Each with the lines before it.
pub(super) fn by_host(text: &str) -> Vec<(usize, &str)> {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let mut host: Option<String> = None;
    let mut offset = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if let Some(banner) = banner(line) {
            if host.as_ref().is_some_and(|known| *known != banner.host) {
                parts.push((index, offset));
            }
            host = Some(banner.host);
        }
        offset += line.len();
    }
    let starts: Vec<(usize, usize)> = std::iter::once((0, 0)).chain(parts).collect();
    let ends = starts.iter().skip(1).map(|(_, start)| *start).chain(std::iter::once(text.len()));
    starts.iter().zip(ends).map(|(&(line, start), end)| (line, &text[start..end])).collect()
}
