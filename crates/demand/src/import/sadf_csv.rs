//! `sadf -d` and `sadf -dh`: semicolons, a heading in a comment, times in UTC (or as the zone behind them says).

use super::builder::Builder;
use super::sar::restarted;
use super::sysstat::{LEFT_OUT, MEASURED};
use super::{is_figure, number};
use crate::ReadError;
use crate::clock::Calendar;
use crate::page;
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;
use std::collections::HashMap;

/// True for the heading of `sadf -d`.
pub(super) fn is_sadf(text: &str) -> bool {
    text.contains("# hostname;interval;timestamp") || text.lines().find_map(heading_of).is_some()
}

/// The heading that a line had where its cells tell: sadf's default, CPUs, and interfaces by their names. Of disks the order of
/// columns changed from version to version.
fn heading_of(line: &str) -> Option<&'static str> {
    let cells: Vec<&str> = line.split(';').map(str::trim).collect();
    let [host, interval, stamp, subject, figures @ ..] = cells.as_slice() else { return None };
    let dated = stamp.len() >= 19 && stamp.get(4..5) == Some("-") && stamp.get(13..14) == Some(":");
    let known = !host.is_empty()
        && interval.parse::<i64>().is_ok()
        && dated
        && figures.iter().all(|cell| is_figure(cell));
    match figures.len() {
        _ if !known => None,
        6 if subject.parse::<i32>().is_ok() => {
            Some("hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle")
        }
        8 if is_interface(subject) => Some(
            "hostname;interval;timestamp;IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s;rxcmp/s;txcmp/s;rxmcst/s;%ifutil",
        ),
        _ => None,
    }
}

/// More names than `sadf -d -A` has in a heading: its lines may be short, and each walks the names.
const MOST_NAMES: usize = 4096;

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
        if heading.is_empty() {
            heading = heading_of(line).map(parts).unwrap_or_default();
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
        return Err(ReadError::at_end(
            name,
            text,
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
    /// True for what may be the next row of this part, behind the last of these.
    fn fits(&self, cells: &[&str], rows: &[&[&str]]) -> bool {
        let (names, figures) = cells.split_at(usize::from(self.subject));
        let subject = |row: &&[&'_ str]| row.first().copied().unwrap_or("").to_owned();
        figures.iter().all(|cell| cell.is_empty() || is_figure(cell))
            && names.first().is_none_or(|name| {
                // A list that begins anew is the next part's.
                rows.first().map(subject).as_deref() != Some(*name)
                    && self.may_follow(name, rows.last().map(subject).as_deref())
            })
    }

    /// CPUs and terminals have numbers that grow; the others have names.
    fn may_follow(&self, name: &str, before: Option<&str>) -> bool {
        match self.columns[0].as_str() {
            numbered if NUMBERED.contains(&numbered) => {
                let number = |text: &str| text.parse::<i32>().ok();
                number(name).is_some_and(|own| before.and_then(number).is_none_or(|last| last < own))
            }
            "DEV" => number(name).is_none() && !is_interface(name),
            "IFACE" => number(name).is_none() && !is_disk(name),
            // An interrupt may be called by a number, but not by one with a point.
            _ => number(name).is_none() || !name.contains('.'),
        }
    }

    /// How many rows of this part the cells may begin with.
    fn rows(&self, cells: &[&str]) -> usize {
        let mut rows: Vec<&[&str]> = Vec::new();
        for row in cells.chunks_exact(self.columns.len()) {
            if !self.fits(row, &rows) {
                break;
            }
            rows.push(row);
        }
        rows.len().max(1)
    }
}

/// True for what disks alone are called (Linux devices.txt; `dev8-0` is sar's own).
fn is_disk(name: &str) -> bool {
    let begins = |prefix: &str| name.strip_prefix(prefix).and_then(|rest| rest.chars().next());
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase());
    ["sd", "vd", "xvd", "hd"].iter().any(|prefix| letter(begins(prefix)))
        || ["dev", "nvme", "dm-", "md", "sr", "loop", "mmcblk"].iter().any(|prefix| digit(begins(prefix)))
}

/// True for what interfaces alone are called (systemd.net-naming-scheme(7)).
fn is_interface(name: &str) -> bool {
    const PREFIXES: [&str; 10] = ["eth", "ens", "eno", "enp", "bond", "wlan", "ib", "br", "virbr", "docker"];
    let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    name == "lo" || PREFIXES.iter().any(|prefix| name.strip_prefix(prefix).is_some_and(digit))
}

/// Subjects that are numbers.
const NUMBERED: [&str; 6] = ["CPU", "TTY", "FAN", "TEMP", "IN", "BAT"];
/// sadf -dh -A has about forty.
const MOST_PARTS: usize = 256;
/// Rows tried for each cell of a line before it is given up.
const MOST_TRIED: usize = 64;

/// How often each part of a heading comes in one line.
struct Fit<'a> {
    parts: &'a [Part],
    cells: &'a [&'a str],
    /// How many rows of a part, beginning at a cell, let the others fit to the end.
    known: HashMap<(usize, usize), Rows>,
    tries: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rows {
    None,
    Only(usize),
    Unclear,
}

impl<'a> Fit<'a> {
    /// How often each part comes, up to the first for which this is unclear.
    fn of(parts: &'a [Part], cells: &'a [&'a str]) -> Vec<usize> {
        if parts.iter().all(|part| !part.repeats) {
            return vec![1; parts.len()];
        }
        // A column for each CPU, however many there are.
        if parts.len() > MOST_PARTS || parts.iter().any(|part| part.columns.iter().any(|name| name == "CPU*"))
        {
            return Vec::new();
        }
        let mut fit = Self { parts, cells, known: HashMap::new(), tries: cells.len() * MOST_TRIED };
        let (mut at, mut times) = (0, Vec::with_capacity(parts.len()));
        for (index, part) in parts.iter().enumerate() {
            let Rows::Only(rows) = fit.rows(index, at) else { break };
            times.push(rows);
            at += rows * part.columns.len();
        }
        if fit.tries > 0 { times } else { Vec::new() }
    }

    fn rows(&mut self, part: usize, at: usize) -> Rows {
        let Some(own) = self.parts.get(part) else {
            return if at == self.cells.len() { Rows::Only(0) } else { Rows::None };
        };
        if let Some(known) = self.known.get(&(part, at)) {
            return *known;
        }
        let (mut found, mut rows, mut end) = (Rows::None, Vec::new(), at);
        while let Some(cells) = self.cells.get(end..end + own.columns.len()) {
            self.tries = self.tries.saturating_sub(1);
            if self.tries == 0 || !own.fits(cells, &rows) {
                break;
            }
            rows.push(cells);
            end += own.columns.len();
            if self.rows(part + 1, end) != Rows::None {
                found = if found == Rows::None { Rows::Only(rows.len()) } else { Rows::Unclear };
            }
            if !own.repeats || found == Rows::Unclear {
                break;
            }
        }
        self.known.insert((part, at), found);
        found
    }
}

fn parts(names: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for name in names.split(';').skip(3).take(MOST_NAMES).map(page::name) {
        let (name, repeats) = match name.strip_suffix("[...]") {
            Some(bare) => (bare.trim(), true),
            None => (name.trim(), false),
        };
        let bare = name.trim_end_matches('*');
        let subject = MEASURED.contains(&bare) || LEFT_OUT.contains(&bare);
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

/// One line: without `[...]` each part once. Where parts repeat, how often each comes is told by what fits the cells in only
/// one way. From the first for which this is unclear, the rest is a gap;
/// the very first is read as far as it goes.
fn row(builder: &mut Builder, heading: &[Part], values: &[&str]) {
    let fit = Fit::of(heading, values);
    let mut rest = values;
    for (index, part) in heading.iter().enumerate() {
        let known = fit.get(index).copied();
        let times = match known {
            Some(times) => times,
            None if part.repeats && index == 0 => part.rows(rest),
            None if part.repeats => 0,
            None => 1,
        };
        for _ in 0..times {
            let Some((cells, after)) = rest.split_at_checked(part.columns.len()) else { return };
            record(builder, part, area(&part.columns), cells);
            rest = after;
        }
        if known.is_none() && part.repeats {
            let unread = &heading[index + usize::from(times > 0)..];
            let named = unread.iter().map(|part| &part.columns[0]).filter(|name| !name.ends_with('*'));
            named.for_each(|name| builder.leave_out(name.clone()));
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
        (true, "cpu" | "softnet") if cells[0] == "-1" => "all",
        // Only with its kind does the number say what it is.
        (true, "system") => &named,
        (true, _) => cells[0],
        (false, _) => "",
    };
    for (column, cell) in part.columns.iter().zip(cells).skip(usize::from(part.subject)) {
        builder.cell(area, subject, column, cell);
    }
}

fn area(columns: &[String]) -> &'static str {
    let has = |name: &str| columns.iter().any(|column| column == name);
    match columns.first().map_or("", String::as_str) {
        "CPU" if has("%idle") => "cpu",
        "CPU" if has("squeezd/s") => "softnet",
        "DEV" => "disk",
        "IFACE" => "nic",
        "pgpgin/s" | "pswpin/s" | "kbmemfree" | "kbswpfree" => "memory",
        "call/s" | "scall/s" => "nfs",
        _ => "system",
    }
}
