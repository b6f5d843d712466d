//! `nfsiostat`: for each mount a line of totals and one block for reads, one for writes, each with its own heading.

use super::builder::Builder;
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
        round: BTreeSet::new(),
        unnamed: false,
    };
    // The first report covers the time since each mount.
    reader.builder.begin_since_boot(None);
    for (index, line) in text.lines().enumerate() {
        reader.line(line.trim(), index + 1);
    }
    if reader.builder.is_empty() {
        return Err(ReadError::new(
            name,
            text.lines().count().max(1),
            "nfsiostat's headings without figures",
        ));
    }
    let mut builder = reader.builder;
    builder.gap("times", GapReason::Absent, "nfsiostat prints no times");
    if reader.unnamed {
        builder.gap(
            "mount",
            GapReason::Absent,
            "figures come before any \"mounted on\" line: their mount is unknown",
        );
    }
    Ok(builder.finish(ImportedSeries {
        source: name.to_owned(),
        tool: "nfsiostat".into(),
        clock: "local".into(),
        ..ImportedSeries::default()
    }))
}

struct Reader {
    builder: Builder,
    mount: String,
    /// Columns of the block that is open, with the operation in front of each name.
    heading: Option<(String, Vec<String>)>,
    /// Mounts of the report that runs: one that comes again begins the next.
    round: BTreeSet<String>,
    unnamed: bool,
}

impl Reader {
    fn line(&mut self, line: &str, index: usize) {
        if line.is_empty() {
            return;
        }
        if let Some((server, rest)) = line.split_once(" mounted on ") {
            let path = rest.trim_end_matches(':');
            self.mount = format!("{} {}", page::name(server), page::name(path));
            if !self.round.insert(self.mount.clone()) {
                self.round = [self.mount.clone()].into();
                self.builder.begin(None);
            }
            self.heading = None;
        } else if let Some(heading) = heading(line) {
            self.heading = Some(heading);
        } else if let Some((operation, columns)) = self.heading.take() {
            self.values(&operation, &columns, line, index);
        }
    }

    fn values(&mut self, operation: &str, columns: &[String], line: &str, index: usize) {
        self.unnamed |= self.mount.is_empty();
        // "0 (0.0%)": the share next to a count says nothing more.
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
        for (column, cell) in columns.iter().zip(cells) {
            if let Some(value) = number(cell) {
                self.builder.push("nfs", subject.trim(), column, value);
            }
        }
    }
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
