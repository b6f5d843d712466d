//! `iotop`: what each thread reads and writes (iotop(8)); its K, M and G are powers of 1024.

use crate::ReadError;
use crate::import::builder::{Builder, recorded};
use crate::import::{clean, number};
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
        } else if let Some((subject, rates)) = row(&line) {
            for (column, kib) in ["kB_rd/s", "kB_wr/s"].into_iter().zip(rates) {
                builder.push("process", &subject, column, kib);
            }
        }
    }
    builder.done(recorded(name, "iotop", "local"))
}

/// `18123 be/4 oracle  0.00 B/s  70.10 M/s  0.00 % 88.01 % ora_dbw0_PROD`: the thread, and KiB read and written a second.
fn row(line: &str) -> Option<(String, [f64; 2])> {
    let words: Vec<&str> = line.split_whitespace().collect();
    // With -t or -b -t a time stands in front.
    let first = words.iter().position(|word| word.contains('/') && word.len() <= 4)?.checked_sub(1)?;
    let [tid, _, _, read, read_unit, written, write_unit, rest @ ..] = words.get(first..)? else {
        return None;
    };
    let command =
        rest.iter().skip_while(|word| number(word).is_some() || matches!(**word, "%" | "?unavailable?"));
    let command = command.copied().collect::<Vec<&str>>().join(" ");
    let command = command.trim_matches(['[', ']']);
    let rates = [kib(read, read_unit)?, kib(written, write_unit)?];
    Some((format!("{command} ({})", tid.parse::<u32>().ok()?), rates))
}

fn kib(value: &str, unit: &str) -> Option<f64> {
    let factor = match unit {
        "B/s" => 1.0 / 1024.0,
        "K/s" => 1.0,
        "M/s" => 1024.0,
        "G/s" => 1_048_576.0,
        _ => return None,
    };
    number(value).map(|value| value * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_what_it_reads_and_writes() {
        let text = "Total DISK READ :       0.00 B/s | Total DISK WRITE :      71.20 M/s\n    TID  PRIO  USER     DISK READ  DISK WRITE  SWAPIN     IO>    COMMAND\n    \
                    512 be/3 root        0.00 B/s    0.00 B/s  0.00 % 92.11 % [jbd2/dm-1-8]\n  18123 be/4 oracle      0.00 B/s   70.10 M/s  0.00 % 88.01 % ora_dbw0_PROD\n";
        assert!(is_iotop(text));
        let file = read(text, "x").unwrap();
        let of = |subject: &str| {
            let one =
                file.series.iter().find(|one| one.subject == subject && one.metric == "write_bytes_per_s");
            one.and_then(|one| one.samples.first()).map(|sample| sample.value)
        };
        assert_eq!(of("ora_dbw0_PROD (18123)"), Some(70.10 * 1_048_576.0));
        assert_eq!(of("jbd2/dm-1-8 (512)"), Some(0.0));
    }
}
