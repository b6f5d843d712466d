//! `nfsiostat`: for each mount a line of totals and one block for reads, one for writes, each with its own heading. It
//! prints neither times nor its interval; in OSWatcher's archive the time of a call is in front of its reports.

use super::builder::{Builder, recorded};
use super::oswatcher::{self, Snapshot};
use super::{number, words};
use crate::ReadError;
use crate::page::{self, MOST_COLUMNS};
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;
use std::collections::BTreeSet;

/// True for the headings of nfsiostat.
pub(super) fn is_nfsiostat(text: &str) -> bool {
    let has_block =
        |name: &str| text.lines().any(|line| line.trim_start().starts_with(name) && line.contains("ops/s"));
    has_block("read:") || has_block("write:") || text.contains("rpc bklog")
}

/// Reads a report.
pub(super) fn read(text: &str, name: &str) -> Result<ImportedSeries, ReadError> {
    let mut reader = Reader {
        builder: Builder::new(),
        mount: String::new(),
        heading: None,
        operation: String::new(),
        begun: String::new(),
        round: BTreeSet::new(),
        since_mount: true,
        unnamed: false,
        snapshot: None,
        zone: None,
        seconds: seconds(text),
    };
    // The first report covers the time since each mount.
    reader.builder.begin_since_boot(None);
    for (index, line) in text.lines().enumerate() {
        reader.line(line.trim(), index + 1);
    }
    let mut builder = reader.builder;
    if reader.snapshot.is_none() {
        builder.gap("times", GapReason::Absent, "nfsiostat prints no times");
    }
    if reader.unnamed {
        builder.gap(
            "mount",
            GapReason::Absent,
            "figures come before any \"mounted on\" line: their mount is unknown",
        );
    }
    builder.done(recorded(name, "nfsiostat", reader.zone.as_deref().unwrap_or("local")))
}

struct Reader {
    builder: Builder,
    mount: String,
    /// Columns of the block that is open, with the operation in front of each name.
    heading: Option<(String, Vec<String>)>,
    /// The operation of the block that follows, where it stands above the heading.
    operation: String,
    /// The beginning of its row.
    begun: String,
    /// Mounts of the report that runs: one that comes again begins the next.
    round: BTreeSet<String>,
    unnamed: bool,
    /// The report that runs covers the time since each mount.
    since_mount: bool,
    /// The call of nfsiostat that runs, in an archive of OSWatcher.
    snapshot: Option<Snapshot>,
    zone: Option<String>,
    /// The length of each report, where the file tells it.
    seconds: Option<f64>,
}

impl Reader {
    fn line(&mut self, line: &str, index: usize) {
        if line.is_empty() {
            return;
        }
        if let Some(stamp) = oswatcher::stamp(line) {
            let snapshot = self.snapshot.insert(Snapshot::of(&stamp));
            self.builder.begin_since_boot(snapshot.next());
            self.round.clear();
            (self.heading, self.since_mount) = (None, true);
            self.zone = self.zone.take().or(stamp.zone);
            return;
        }
        if ["read:", "write:"].contains(&line) {
            line[..line.len() - 1].clone_into(&mut self.operation);
        } else if let Some((server, rest)) = line.split_once(" mounted on ") {
            let path = rest.trim_end_matches(':');
            self.mount = format!("{} {}", page::name(server), page::name(path));
            if !self.round.insert(self.mount.clone()) {
                self.round = [self.mount.clone()].into();
                self.builder.begin(self.snapshot.as_mut().and_then(Snapshot::next));
                self.since_mount = false;
            }
            (self.heading, self.begun) = (None, String::new());
        } else if let Some((operation, columns)) = heading(line) {
            let above = std::mem::take(&mut self.operation);
            self.heading = Some((if operation.is_empty() { above } else { operation }, columns));
        } else if let Some((operation, columns)) = self.heading.take() {
            // Python 2 prints one value a line into a pipe.
            let line = format!("{} {line}", std::mem::take(&mut self.begun)).trim().to_owned();
            let figures = line.split_whitespace().filter(|word| !word.starts_with('(')).count();
            if figures < columns.len() && alone(&line) {
                (self.begun, self.heading) = (line, Some((operation, columns)));
            } else {
                self.values(&operation, &columns, &line, index);
            }
        }
    }

    fn values(&mut self, operation: &str, columns: &[String], line: &str, index: usize) {
        self.unnamed |= self.mount.is_empty();
        // `8122 (4.1%)`: the first share is the one next to the count of retransmissions.
        let share =
            words(line).into_iter().find_map(|word| number(word.strip_prefix('(')?.strip_suffix("%)")?));
        let cells: Vec<&str> = words(line).into_iter().filter(|word| !word.starts_with('(')).collect();
        if cells.len() != columns.len() {
            self.builder.malformed(
                "nfsiostat",
                index,
                "the line and its heading differ in the number of columns",
            );
            return;
        }
        let subject =
            if operation.is_empty() { self.mount.clone() } else { format!("{} {operation}", self.mount) };
        let again = share.filter(|share| *share > 0.0 && columns.iter().any(|column| column == "retrans"));
        for (column, cell) in columns.iter().zip(cells) {
            let Some(value) = number(cell) else { continue };
            self.builder.push("nfs", subject.trim(), column, value);
            if let Some(share) = again.filter(|_| column == "retrans" && value > 0.0) {
                self.builder.push("nfs", subject.trim(), "%retrans", share);
            }
            // The rate as a count, which the count of retransmissions is a share of.
            if let Some(seconds) = self.seconds.filter(|_| column == "ops/s" && !self.since_mount) {
                self.builder.push("nfs", subject.trim(), "operations", (value * seconds).round());
            }
        }
    }
}

/// The length of the reports, s, by the figures of one that sent requests again: `retrans` is a count with its share of the
/// requests, `ops/s` a rate (nfsiostat, `__print_rpc_op_stats`). The largest share, printed with one digit, tells it best.
fn seconds(text: &str) -> Option<f64> {
    let mut mounts = BTreeSet::new();
    let mut first_report = true;
    let mut open: Option<Vec<String>> = None;
    let mut best: Option<(f64, f64)> = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with("zzz") {
            mounts.clear();
            first_report = true;
        } else if let Some((_, mount)) = line.split_once(" mounted on ") {
            first_report &= mounts.insert(mount);
        } else if let Some((_, columns)) = heading(line) {
            open = Some(columns);
        } else if let Some(columns) = open.take_if(|_| !line.is_empty()).filter(|_| !first_report) {
            best = length_of(&columns, line)
                .filter(|(share, _)| best.is_none_or(|(most, _)| *share > most))
                .or(best);
        }
    }
    // Reports are whole seconds apart.
    best.map(|(_, seconds)| seconds.round().max(1.0))
}

/// The share of requests sent again in one line, and the length that makes it so, s.
fn length_of(columns: &[String], line: &str) -> Option<(f64, f64)> {
    let place = |name: &str| columns.iter().position(|column| column == name);
    let cells = words(line);
    let plain: Vec<&str> = cells.iter().copied().filter(|word| !word.starts_with('(')).collect();
    let again = plain.get(place("retrans")?)?;
    let rate = number(plain.get(place("ops/s")?)?).filter(|rate| *rate > 0.0)?;
    // The first bracket is the one behind this count: errors stand behind it.
    let printed = cells.iter().find(|word| word.starts_with('('))?;
    let share = number(printed.trim_matches(['(', ')', '%']))? / 100.0;
    let count = number(again).filter(|count| *count >= 1.0)?;
    (share > 0.0).then(|| (share, count / share / rate))
}

/// `read:  ops/s  kB/s  kB/op  retrans  avg RTT (ms)  avg exe (ms)`: names are parted by tabs or two spaces.
fn heading(line: &str) -> Option<(String, Vec<String>)> {
    if !line.contains("op/s") && !line.contains("ops/s") && !line.contains("rpc bklog") {
        return None;
    }
    let (operation, names) = match line.split_once(':') {
        Some((operation, names)) => (operation.trim().to_owned(), names),
        None => (String::new(), line),
    };
    let columns = names
        .split('\t')
        .flat_map(|part| part.split("  "))
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .take(MOST_COLUMNS)
        .map(|name| if name == "op/s" { "ops/s".to_owned() } else { name.to_owned() });
    Some((page::name(&operation).to_owned(), columns.collect()))
}

/// Figures and shares alone, as the beginning of a row is.
fn alone(line: &str) -> bool {
    line.split_whitespace().all(|word| number(word.trim_matches(['(', ')', '%'])).is_some())
}
