//! `sadf -d` and `sadf -dh`: semicolons, a heading in a comment, times in UTC (or as the zone behind them says).

use super::builder::Builder;
use super::number;
use super::sar::restarted;
use crate::ReadError;
use crate::clock::Calendar;
use crate::page;
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;

/// True for the heading of `sadf -d`.
pub(super) fn is_sadf(text: &str) -> bool {
    text.contains("# hostname;interval;timestamp")
}

/// More names than `sadf -d -A` has in a heading: its lines may be short, and each walks the names.
const MOST_NAMES: usize = 4096;

/// Names of columns that hold a subject, not a figure.
const SUBJECTS: [&str; 16] = [
    "CPU",
    "DEV",
    "IFACE",
    "INTR",
    "TTY",
    "BUS",
    "FAN",
    "DEVICE",
    "FILESYSTEM",
    "MOUNTPOINT",
    "FCHOST",
    "TEMP",
    "IN",
    "USB",
    "idvendor",
    "BAT",
];

/// Subjects that affect nothing here, as in `sar`: a sensor's number does not even tell which sensor it is.
const LEFT_OUT: [&str; 13] = [
    "INTR",
    "TTY",
    "BUS",
    "FAN",
    "DEVICE",
    "FILESYSTEM",
    "MOUNTPOINT",
    "FCHOST",
    "TEMP",
    "IN",
    "USB",
    "idvendor",
    "BAT",
];

/// Reads a file.
pub(super) fn read(text: &str, name: &str) -> Result<Vec<ImportedSeries>, ReadError> {
    let mut hosts: Vec<OneHost> = Vec::new();
    let mut heading: Vec<Part> = Vec::new();
    let calendar = Calendar::default();
    for (index, line) in text.lines().enumerate() {
        if let Some(names) = line.strip_prefix("# ") {
            heading = parts(names);
            continue;
        }
        let cells: Vec<&str> = line.split(';').map(str::trim).collect();
        let [host, _interval, stamp, values @ ..] = cells.as_slice() else { continue };
        let Some(host) = of_host(&mut hosts, host, name) else { continue };
        if values.iter().any(|cell| cell.starts_with("LINUX-RESTART") || cell.starts_with("COM")) {
            host.restarts += usize::from(values[0].starts_with("LINUX-RESTART"));
            continue;
        }
        if let Some(zone) = stamp.split_whitespace().nth(2) {
            zone.clone_into(&mut host.origin.clock);
        }
        let Some(at) = calendar.date_time(stamp) else {
            host.builder.malformed("sadf", index + 1, "the third field is not a date and a time");
            continue;
        };
        host.builder.begin(Some(at));
        row(&mut host.builder, &heading, values);
    }
    hosts.retain(|host| !host.builder.is_empty());
    if hosts.is_empty() {
        return Err(ReadError::new(
            name,
            text.lines().count().max(1),
            "sadf's heading without any supported figures: export the same file with sadf -j FILE -- -A",
        ));
    }
    Ok(hosts.into_iter().map(OneHost::finish).collect())
}

/// More hosts than anyone puts into one file.
const MOST_HOSTS: usize = 256;

/// The lines of one host.
struct OneHost {
    builder: Builder,
    origin: ImportedSeries,
    restarts: usize,
}

impl OneHost {
    fn finish(mut self) -> ImportedSeries {
        if self.restarts > 0 {
            self.builder.gap("uptime", GapReason::Skipped, restarted(self.restarts, "file"));
        }
        self.builder.finish(self.origin)
    }
}

/// The host of a line; it is mostly the one of the line before.
fn of_host<'a>(hosts: &'a mut Vec<OneHost>, name: &str, source: &str) -> Option<&'a mut OneHost> {
    let found = hosts.iter().rposition(|host| host.origin.host.as_deref() == Some(name));
    if found.is_none() && hosts.len() >= MOST_HOSTS {
        return None;
    }
    let index = found.unwrap_or_else(|| {
        let origin = ImportedSeries {
            source: source.to_owned(),
            tool: "sadf".into(),
            clock: "local".into(),
            host: Some(name.to_owned()),
            ..ImportedSeries::default()
        };
        hosts.push(OneHost { builder: Builder::new(), origin, restarts: 0 });
        hosts.len() - 1
    });
    hosts.get_mut(index)
}

/// A run of columns; with `-h` the columns of each subject follow each other in one line.
#[derive(Debug)]
struct Part {
    columns: Vec<String>,
    subject: bool,
    /// `[...]`: repeated for each subject.
    repeats: bool,
}

impl Part {
    /// True for what may name the next subject: no figure, and for CPUs a number.
    fn may_begin(&self, cell: &str) -> bool {
        if self.columns[0] == "CPU" { cell.parse::<i32>().is_ok() } else { !cell.contains('.') }
    }
}

fn parts(names: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for name in names.split(';').skip(3).take(MOST_NAMES).map(page::name) {
        let (name, repeats) = match name.strip_suffix("[...]") {
            Some(bare) => (bare.trim(), true),
            None => (name.trim(), false),
        };
        let subject = SUBJECTS.contains(&name.trim_end_matches('*'));
        let continues = parts.last().is_some_and(|part| !part.repeats) && !subject;
        match parts.last_mut() {
            Some(part) if continues => {
                part.columns.push(name.to_owned());
                part.repeats = repeats;
            }
            _ => parts.push(Part { columns: vec![name.to_owned()], subject, repeats }),
        }
    }
    parts
}

/// One line: without `[...]` each part once. Repeated parts cannot be distinguished from what follows them by counting when
/// several repeat, so only the first is read then.
fn row(builder: &mut Builder, heading: &[Part], values: &[&str]) {
    let mut rest = values;
    for part in heading {
        let width = part.columns.len();
        let area = area(&part.columns);
        loop {
            let Some((cells, after)) = rest.split_at_checked(width) else { return };
            record(builder, part, area, cells);
            rest = after;
            let again =
                part.repeats && rest.len() >= width && rest.first().is_some_and(|cell| part.may_begin(cell));
            if !again {
                break;
            }
        }
        if part.repeats && heading.len() > 1 {
            return;
        }
    }
}

fn record(builder: &mut Builder, part: &Part, area: &'static str, cells: &[&str]) {
    if LEFT_OUT.contains(&part.columns[0].as_str()) {
        builder.leave_out(part.columns[0].clone());
        return;
    }
    let named = format!("{} {}", part.columns[0], cells[0]);
    let subject = match (part.subject, area) {
        (true, "cpu") if cells[0] == "-1" => "all",
        // Only with its kind does the number say what it is.
        (true, "system") => &named,
        (true, _) => cells[0],
        (false, _) => "",
    };
    for (column, cell) in part.columns.iter().zip(cells).skip(usize::from(part.subject)) {
        if let Some(value) = number(cell) {
            builder.push(area, subject, column, value);
        }
    }
}

fn area(columns: &[String]) -> &'static str {
    let has = |name: &str| columns.iter().any(|column| column == name);
    match columns.first().map_or("", String::as_str) {
        "CPU" if has("%idle") => "cpu",
        "DEV" => "disk",
        "IFACE" => "nic",
        "pgpgin/s" | "pswpin/s" | "kbmemfree" | "kbswpfree" => "memory",
        "call/s" | "scall/s" => "nfs",
        _ => "system",
    }
}
