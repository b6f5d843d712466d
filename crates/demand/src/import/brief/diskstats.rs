//! `pt-diskstats` of Percona Toolkit: a line for each device and interval (its manual, OUTPUT).

use crate::ReadError;
use crate::import::builder::Builder;
use crate::import::{clean, number, words};
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;

/// Its columns, and those of iostat that mean the same; times are in milliseconds, sizes in KiB.
const COLUMNS: [(&str, &str); 10] = [
    ("rd_s", "r/s"),
    ("rd_avkb", "rareq-sz"),
    ("rd_mb_s", "rMB/s"),
    ("rd_rt", "r_await"),
    ("wr_s", "w/s"),
    ("wr_avkb", "wareq-sz"),
    ("wr_mb_s", "wMB/s"),
    ("wr_rt", "w_await"),
    ("busy", "%util"),
    ("in_prg", "aqu-sz"),
];

/// True for its heading.
pub(in crate::import) fn is_diskstats(text: &str) -> bool {
    text.lines().take(200).any(|line| heading(line).is_some())
}

fn heading(line: &str) -> Option<Vec<&str>> {
    let words = words(line);
    let own = words.contains(&"device") && words.contains(&"rd_avkb") && words.contains(&"wr_rt");
    own.then_some(words)
}

/// Reads every interval: a device that comes again begins the next one.
pub(in crate::import) fn read(text: &str, name: &str) -> Result<ImportedSeries, ReadError> {
    let mut builder = Builder::new();
    let mut columns: Vec<String> = Vec::new();
    let mut listed: Vec<String> = Vec::new();
    let mut stamp = String::new();
    for (index, line) in text.lines().enumerate() {
        let line = clean(line);
        if let Some(found) = heading(&line) {
            columns = found.iter().map(|&word| word.to_owned()).collect();
            continue;
        }
        let cells = words(&line);
        if columns.is_empty() || cells.is_empty() {
            continue;
        }
        if cells.len() != columns.len() {
            builder.malformed(
                "pt-diskstats",
                index + 1,
                "the line and its heading differ in the number of columns",
            );
            continue;
        }
        let of = |column: &str| columns.iter().position(|one| one == column).map(|place| cells[place]);
        let Some(device) = of("device") else { continue };
        let at = of("#ts").unwrap_or("").to_owned();
        if listed.is_empty() || at != stamp || listed.iter().any(|one| one == device) {
            builder.begin(None);
            listed.clear();
            stamp = at;
        }
        listed.push(device.to_owned());
        for (own, printed) in COLUMNS {
            let value = of(own).and_then(|cell| number(cell.trim_end_matches('%')));
            if let Some(value) = value {
                builder.push("disk", device, printed, value);
            }
        }
    }
    if builder.is_empty() {
        return Err(ReadError::new(
            name,
            text.lines().count().max(1),
            "pt-diskstats' heading without figures",
        ));
    }
    builder.gap(
        "times",
        GapReason::Absent,
        "pt-diskstats prints seconds since its start: the samples have no times",
    );
    let origin = ImportedSeries {
        source: name.to_owned(),
        tool: "pt-diskstats".into(),
        clock: "local".into(),
        ..ImportedSeries::default()
    };
    Ok(builder.finish(origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_device_has_its_intervals() {
        let text = "  #ts device    rd_s rd_avkb rd_mb_s rd_mrg rd_cnc   rd_rt    wr_s wr_avkb wr_mb_s wr_mrg wr_cnc   wr_rt busy in_prg    io_s  qtime stime\n\
            \x20 1.0 sda        0.0     0.0     0.0     0%    0.0     0.0    12.0    10.7     0.1    33%    0.0     1.2   1%      0    12.0    0.8   0.4\n\
            \x20 1.0 sdb      402.0    16.0     6.3     0%   24.1    60.0   388.0    15.9     6.0     0%   29.0    74.8 100%     51   790.0   66.1   1.3\n\
            \x20 2.0 sdb      398.0    16.0     6.2     0%   25.0    62.8   391.0    15.9     6.1     0%   30.2    77.2 100%     57   789.0   68.7   1.3\n";
        let file = read(text, "x").unwrap();
        let of = |metric: &str| -> Vec<f64> {
            let one = file.series.iter().find(|one| one.subject == "sdb" && one.metric == metric).unwrap();
            one.samples.iter().map(|sample| sample.value).collect()
        };
        assert_eq!(of("write_await_ns"), [74.8e6, 77.2e6]);
        assert_eq!(of("util_ratio"), [1.0, 1.0]);
        assert_eq!(of("read_io_per_s"), [402.0, 398.0]);
    }
}
