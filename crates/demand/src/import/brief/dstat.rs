//! `dstat`: groups of columns between bars, a row each interval; disk and network in bytes with a unit.

use crate::ReadError;
use crate::import::builder::{Builder, recorded};
use crate::import::{clean, number};
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;

/// Groups by a word of their title, and what their columns are.
const GROUPS: [(&str, &str, &str, &[&str]); 2] = [
    ("cpu", "cpu", "all", &["%user", "%system", "%idle", "%iowait"]),
    ("dsk", "disk", "total", &["rkB/s", "wkB/s"]),
];

/// True for the two lines above the rows.
pub(in crate::import) fn is_dstat(text: &str) -> bool {
    let mut lines = text.lines().take(50);
    lines.any(|line| line.contains("-dsk/") && line.contains("--")) && text.contains("| read  writ")
}

/// Reads every row.
pub(in crate::import) fn read(text: &str, name: &str) -> Result<ImportedSeries, ReadError> {
    let mut builder = Builder::new();
    let mut groups: Vec<Option<usize>> = Vec::new();
    for line in text.lines().map(clean) {
        if line.contains("-dsk/") {
            let titles =
                line.split([' ', '|']).map(|title| title.trim_matches('-')).filter(|title| !title.is_empty());
            groups = titles.map(|title| GROUPS.iter().position(|(word, ..)| title.contains(word))).collect();
        } else if !groups.is_empty() && line.contains('|') && !line.contains("writ") {
            builder.begin(None);
            for (group, cells) in groups.iter().zip(line.split('|')) {
                let Some((_, area, subject, columns)) = group.map(|at| GROUPS[at]) else { continue };
                for (column, cell) in columns.iter().zip(cells.split_whitespace()) {
                    let value = if area == "cpu" { number(cell) } else { kib(cell) };
                    if let Some(value) = value {
                        builder.push(area, subject, column, value);
                    }
                }
            }
        }
    }
    if builder.is_empty() {
        return Err(ReadError::new(name, 1, "dstat's heading without figures"));
    }
    builder.gap("times", GapReason::Absent, "dstat ran without -t: the samples have no times");
    Ok(builder.finish(recorded(name, "dstat", "local")))
}

/// `8192B`, `1212k`, `12M`, `0`, in KiB.
fn kib(cell: &str) -> Option<f64> {
    let (digits, unit) = cell.split_at(cell.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(cell.len()));
    let factor = match unit {
        "" | "B" => 1.0 / 1024.0,
        "k" => 1.0,
        "M" => 1024.0,
        "G" => 1_048_576.0,
        _ => return None,
    };
    Some(number(digits)? * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_read_by_their_titles() {
        let text = "----total-cpu-usage---- -dsk/total- -net/total- ---paging-- ---system--\nusr sys idl wai hiq siq| read  writ| recv  send|  in   out | int   csw\n\
                      3   2   4  91   0   0|8192B 1212k| 120k  240k|   0     0 |2212  4410\n";
        assert!(is_dstat(text));
        let file = read(text, "x").unwrap();
        let of = |metric: &str| {
            file.series.iter().find(|one| one.metric == metric).map(|one| one.samples[0].value)
        };
        assert_eq!((of("iowait_ratio"), of("idle_ratio")), (Some(0.91), Some(0.04)));
        assert_eq!((of("read_bytes_per_s"), of("write_bytes_per_s")), (Some(8192.0), Some(1212.0 * 1024.0)));
    }
}
