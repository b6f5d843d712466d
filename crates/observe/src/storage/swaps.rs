//! Swap areas: `/proc/swaps`, or what `swapon --summary` printed of it.

use super::complaint::Complaints;
use super::mountinfo::unescape;
use crate::Root;
use fullwire_model::Gap;
use fullwire_model::host::Swap;

const SOURCES: &[&str] = &["/proc/swaps", "/sos_commands/memory/swapon_--summary_--verbose"];

/// Reads all swap areas.
pub(crate) fn read_swaps(root: &Root, gaps: &mut Vec<Gap>) -> Vec<Swap> {
    let found = SOURCES.iter().find_map(|path| Some((path, root.read_optional(path, gaps)?)));
    let Some((path, text)) = found else {
        _ = root.read(SOURCES[0], gaps);
        return Vec::new();
    };
    parse_swaps(&text, path, gaps)
}

/// Reads `/proc/swaps`.
pub fn parse_swaps(text: &str, path: &str, gaps: &mut Vec<Gap>) -> Vec<Swap> {
    let mut complaints = Complaints::new(path, gaps);
    let mut swaps = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        if line.starts_with("Filename") {
            continue;
        }
        match swap_line(line) {
            Some(swap) => swaps.push(swap),
            None => complaints.line(index, "file, type, size and use in KiB"),
        }
    }
    swaps
}

fn swap_line(line: &str) -> Option<Swap> {
    let mut words = line.split_whitespace();
    let (path, kind) = (words.next()?, words.next()?);
    let mut bytes = || words.next()?.parse::<u64>().ok()?.checked_mul(1024);
    Some(Swap { path: unescape(path), kind: kind.to_owned(), size_bytes: bytes()?, used_bytes: bytes()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_swap_areas() {
        let text = "Filename\t\t\tType\t\tSize\tUsed\tPriority\n/swap.img  file  4194300\t67584\t-2\n/dev/x partition ? 0 1\n";
        let mut gaps = Vec::new();
        let swaps = parse_swaps(text, "/proc/swaps", &mut gaps);
        assert_eq!(swaps.len(), 1);
        assert_eq!((swaps[0].kind.as_str(), swaps[0].used_bytes), ("file", 67584 * 1024));
        assert!(gaps[0].detail.starts_with("/proc/swaps:3:"), "{gaps:?}");
    }
}
