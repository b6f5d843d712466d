//! `iotop`: what each thread reads and writes (iotop(8)); its K, M and G are powers of 1024.

use crate::ReadError;
use crate::import::builder::{Builder, recorded};
use crate::import::{clean, number};
use crate::page::quantity;
use fullwire_model::demand::ImportedSeries;

/// True for its heading.
pub(in crate::import) fn is_iotop(text: &str) -> bool {
    text.lines().take(200).any(is_heading)
}

fn is_heading(line: &str) -> bool {
    line.contains("DISK READ") && line.contains("DISK WRITE") && line.contains("COMMAND")
}

/// Reads each screen.
pub(in crate::import) fn read(text: &str, name: &str) -> Result<ImportedSeries, ReadError> {
    let mut builder = Builder::new();
    for line in text.lines().map(clean) {
        if is_heading(&line) {
            builder.begin(None);
        } else if let Some(Row { subject, rates, waits_percent }) = row(&line) {
            for (column, kib) in ["kB_rd/s", "kB_wr/s"].into_iter().zip(rates) {
                builder.push("process", &subject, column, kib);
            }
            if let Some(percent) = waits_percent {
                builder.push("process", &subject, "%iodelay", percent);
            }
        }
    }
    builder.done(recorded(name, "iotop", "local"))
}

/// A thread.
struct Row {
    subject: String,
    /// Read and written, KiB/s.
    rates: [f64; 2],
    /// Of its time it waits so much for I/O, where the kernel counts it.
    waits_percent: Option<f64>,
}

/// `18123 be/4 oracle  0.00 B/s  70.10 M/s  0.00 % 88.01 % ora_dbw0_PROD`: for swapping in, and for I/O.
fn row(line: &str) -> Option<Row> {
    let words: Vec<&str> = line.split_whitespace().collect();
    // With -t or -b -t a time stands in front.
    let first = words.iter().position(|word| word.contains('/') && word.len() <= 4)?.checked_sub(1)?;
    let [tid, _, _, read, read_unit, written, write_unit, rest @ ..] = words.get(first..)? else {
        return None;
    };
    let is_figure = |word: &&&str| number(word).is_some() || matches!(**word, "%" | "?unavailable?");
    let figures = rest.iter().take_while(is_figure).count();
    let command = program(&rest[figures..]);
    let waits_percent = match rest[..figures] {
        [.., share, "%"] => number(share),
        _ => None,
    };
    let rates = [kib(read, read_unit)?, kib(written, write_unit)?];
    Some(Row { subject: format!("{command} ({})", tid.parse::<u32>().ok()?), rates, waits_percent })
}

/// The program without its arguments, which may hold a password; a title that a process gave itself (`postgres: checkpointer`) whole.
fn program(words: &[&str]) -> String {
    let first = words.first().copied().unwrap_or_default();
    let is_title = first.ends_with(':') || first.starts_with('[');
    let shown = if is_title { words.join(" ") } else { first.rsplit('/').next().unwrap_or(first).to_owned() };
    shown.trim_matches(['[', ']']).to_owned()
}

fn kib(value: &str, unit: &str) -> Option<f64> {
    unit.ends_with("/s").then(|| quantity(&format!("{value}{unit}"))).flatten().map(|bytes| bytes / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_named_without_its_arguments() {
        let subject = |command: &str| {
            let line = format!("  812 be/4 root  0.00 B/s  70.10 M/s  0.00 % 88.01 % {command}");
            row(&line).map(|row| (row.subject, row.waits_percent))
        };
        for (command, shown) in [
            ("/usr/bin/mysqldump -phunter2 --all", "mysqldump (812)"),
            ("postgres: checkpointer", "postgres: checkpointer (812)"),
            ("[jbd2/dm-3-8]", "jbd2/dm-3-8 (812)"),
        ] {
            assert_eq!(subject(command), Some((shown.to_owned(), Some(88.01))));
        }
    }
}
