//! What a sosreport contains as the output of commands, where it has no copy of the kernel's own file.

use crate::Root;
use fullwire_model::host::{Mount, Space};
use fullwire_model::{Gap, GapReason};
use std::collections::BTreeMap;

/// Outputs of `df`, by the options that sosreport versions gave it: in KiB, and of inodes.
const DF: &[&str] = &["/sos_commands/filesys/df_-al_-x_autofs", "/sos_commands/filesys/df_-al", "/df"];
const DF_INODES: &[&str] = &["/sos_commands/filesys/df_-ali_-x_autofs", "/sos_commands/filesys/df_-ali"];

/// Room of the mounts by what `df` printed.
pub(crate) fn read_space(root: &Root, mounts: &mut [Mount], gaps: &mut Vec<Gap>) {
    let first =
        |paths: &[&str]| paths.iter().find_map(|path| root.try_read(path, crate::MAX_READ_BYTES).ok());
    let Some((blocks, _)) = first(DF) else {
        let detail = "the tree has neither statfs nor df output, so free space is not known";
        gaps.push(Gap::new("statfs", GapReason::Absent, detail));
        return;
    };
    let blocks = df(&blocks);
    let inodes = first(DF_INODES).map(|(text, _)| df(&text)).unwrap_or_default();
    for mount in mounts {
        let Some([total, used, available]) = blocks.get(&mount.target).copied() else { continue };
        if total == 0 {
            continue;
        }
        let [inodes, _, inodes_free] = inodes.get(&mount.target).copied().unwrap_or_default();
        let bytes = |kib: u64| kib.saturating_mul(1024);
        mount.space = Some(Space {
            total_bytes: bytes(total),
            free_bytes: bytes(total.saturating_sub(used)),
            available_bytes: bytes(available),
            inodes,
            inodes_free,
        });
    }
}

/// Total, used and available by mount point: the three numbers before the share, and the name behind it.
fn df(text: &str) -> BTreeMap<String, [u64; 3]> {
    text.lines().skip(1).filter_map(df_line).collect()
}

/// `SOURCE TOTAL USED AVAILABLE USE% TARGET`; names may hold blanks, the share ends in `%` or is `-`.
fn df_line(line: &str) -> Option<(String, [u64; 3])> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let share = (4..words.len()).find(|&at| words[at].ends_with('%') || words[at] == "-")?;
    let number = |at: usize| words[at].parse().ok();
    let target = words[share + 1..].join(" ");
    Some((target, [number(share - 3)?, number(share - 2)?, number(share - 1)?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn df_by_mount_point() {
        let text = "Filesystem     1K-blocks     Used Available Use% Mounted on\n\
                    sysfs                  0        0         0    - /sys\n\
                    /dev/vda2      308585260 25514372 267326276   9% /\n";
        let rooms = df(text);
        assert_eq!(rooms["/"], [308_585_260, 25_514_372, 267_326_276]);
        assert_eq!(rooms["/sys"], [0, 0, 0]);
    }
}
