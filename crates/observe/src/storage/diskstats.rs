//! `/proc/diskstats` and `/sys/block/X/stat` of every kernel generation.
//!
//! Source of the columns: the kernel's admin-guide/iostats.rst. Counted behind the name there are 4 values
//! (partitions before 2.6.25), 11, 15 (discards, 4.18) or 17 (flushes, 5.5); later kernels may append more.

use super::complaint::Complaints;
use fullwire_model::Gap;
use fullwire_model::counters::DiskCounters;
use std::collections::BTreeMap;

/// The kernel counts sectors of this size whatever the device's own block is.
pub(crate) const SECTOR_BYTES: u64 = 512;

/// Reads `/proc/diskstats`: counters by kernel name.
pub fn parse_diskstats(text: &str, subject: &str, gaps: &mut Vec<Gap>) -> BTreeMap<String, DiskCounters> {
    let mut complaints = Complaints::new(subject, gaps);
    let mut disks = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let parsed = match words.as_slice() {
            [] => continue,
            [major, minor, name, values @ ..] if is_number(major) && is_number(minor) => {
                numbers(values).and_then(|values| counters(&values)).map(|counters| (*name, counters))
            }
            _ => None,
        };
        match parsed {
            Some((name, counters)) => _ = disks.insert(name.to_owned(), counters),
            None => complaints.line(index, "major, minor, name and 4, 11, 15 or 17 counters"),
        }
    }
    disks
}

fn is_number(word: &str) -> bool {
    word.parse::<u32>().is_ok()
}

fn numbers(words: &[&str]) -> Option<Vec<u64>> {
    words.iter().map(|word| word.parse().ok()).collect()
}

fn counters(values: &[u64]) -> Option<DiskCounters> {
    let at = |index: usize| values.get(index).copied();
    let bytes = |sectors: u64| sectors.saturating_mul(SECTOR_BYTES);
    match values.len() {
        4 => Some(DiskCounters {
            reads: values[0],
            read_bytes: bytes(values[1]),
            writes: values[2],
            write_bytes: bytes(values[3]),
            ..DiskCounters::default()
        }),
        11 | 15 | 17.. => Some(DiskCounters {
            reads: values[0],
            reads_merged: values[1],
            read_bytes: bytes(values[2]),
            read_ms: values[3],
            writes: values[4],
            writes_merged: values[5],
            write_bytes: bytes(values[6]),
            write_ms: values[7],
            in_flight: values[8],
            busy_ms: values[9],
            weighted_ms: values[10],
            discards: at(11),
            discard_bytes: at(13).map(bytes),
            flushes: at(15),
            flush_ms: at(16),
            ..DiskCounters::default()
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_each_generation_of_columns() {
        let text = "8 1 sda1 5024 46400 6662 13324\n\
                    8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n\
                    8 16 sdb 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n\
                    254 0 vda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n";
        let mut gaps = Vec::new();
        let disks = parse_diskstats(text, "proc/diskstats", &mut gaps);
        assert_eq!(gaps, []);
        assert_eq!((disks["sda1"].reads, disks["sda1"].write_bytes), (5024, 13324 * 512));
        assert_eq!((disks["sda"].weighted_ms, disks["sda"].discards), (11, None));
        assert_eq!((disks["sdb"].discards, disks["sdb"].discard_bytes), (Some(12), Some(14 * 512)));
        assert_eq!(disks["sdb"].flushes, None);
        assert_eq!((disks["vda"].flushes, disks["vda"].flush_ms), (Some(16), Some(17)));
    }

    #[test]
    fn complains_with_file_and_line_and_reads_on() {
        let mut gaps = Vec::new();
        let disks = parse_diskstats("8 0 sda 1 2 x\n8 16 sdb 1 2 3 4\n", "proc/diskstats", &mut gaps);
        assert_eq!(disks.len(), 1);
        assert!(gaps[0].detail.starts_with("proc/diskstats:1:"), "{gaps:?}");
    }
}
