//! What a sosreport contains as the output of commands, where it has no copy of the kernel's own file.

use crate::Root;
use fullwire_model::host::{Mount, Space};
use fullwire_model::{Gap, GapReason};
use std::collections::BTreeMap;

/// Outputs of `df`, by the options that sosreport versions gave it: in KiB, and of inodes.
const DF: &[&str] = &["/sos_commands/filesys/df_-al_-x_autofs", "/sos_commands/filesys/df_-al", "/df"];
const DF_INODES: &[&str] = &[
    "/sos_commands/filesys/df_-aliT_-x_autofs",
    "/sos_commands/filesys/df_-ali_-x_autofs",
    "/sos_commands/filesys/df_-ali",
    "/sos_commands/filesys/df_-i",
];
/// Of a supportconfig: with a unit to each number, rounded up to a digit or two.
const DF_ROUNDED: &[&str] = &["/sos_commands/filesys/df_-Th"];

/// Room of the mounts by what `df` printed.
pub(crate) fn read_space(root: &Root, mounts: &mut [Mount], gaps: &mut Vec<Gap>) {
    let first =
        |paths: &[&str]| paths.iter().find_map(|path| root.try_read(path, crate::MAX_READ_BYTES).ok());
    let exact = first(DF).map(|(text, _)| df(&text, &in_kib));
    let Some(blocks) = exact.or_else(|| first(DF_ROUNDED).map(|(text, _)| df(&text, &rounded))) else {
        let detail = "the tree has no output of df that can be read, so free space is not known";
        gaps.push(Gap::new("statfs", GapReason::Absent, detail));
        return;
    };
    let inodes = first(DF_INODES).map(|(text, _)| df(&text, &count)).unwrap_or_default();
    for mount in mounts {
        let Some([total, used, available]) = blocks.get(&mount.target).copied() else { continue };
        if total == 0 {
            continue;
        }
        let [inodes, _, inodes_free] = inodes.get(&mount.target).copied().unwrap_or_default();
        mount.space = Some(Space {
            total_bytes: total,
            free_bytes: total.saturating_sub(used).max(available),
            available_bytes: available,
            inodes,
            inodes_free,
        });
    }
}

/// Total, used and available by mount point: the three numbers before the share, and the name behind it.
fn df(text: &str, number: &impl Fn(&str) -> Option<u64>) -> BTreeMap<String, [u64; 3]> {
    text.lines().skip(1).filter_map(|line| df_line(line, number)).collect()
}

fn count(word: &str) -> Option<u64> {
    word.parse().ok()
}

fn in_kib(word: &str) -> Option<u64> {
    Some(count(word)?.saturating_mul(1024))
}

/// `496.2G`, `0`, `10M`: units of 1024 (df(1), `-h`).
fn rounded(word: &str) -> Option<u64> {
    let digits = word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let power = match &word[digits.len()..] {
        "" => 0,
        unit => 1 + "KMGTPE".find(unit.chars().next()?)?,
    };
    let number: f64 = digits.replace(',', ".").parse().ok().filter(|number: &f64| *number >= 0.0)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size, saturating")]
    Some((number * 1024_f64.powi(i32::try_from(power).ok()?)) as u64)
}

/// `SOURCE TOTAL USED AVAILABLE USE% TARGET`; names may hold blanks, the share ends in `%` or is `-`.
fn df_line(line: &str, number: &impl Fn(&str) -> Option<u64>) -> Option<(String, [u64; 3])> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let share = (4..words.len()).find(|&at| words[at].ends_with('%') || words[at] == "-")?;
    let target = words[share + 1..].join(" ");
    Some((target, [number(words[share - 3])?, number(words[share - 2])?, number(words[share - 1])?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn df_by_mount_point() {
        let text = "Filesystem     1K-blocks     Used Available Use% Mounted on\n\
                    sysfs                  0        0         0    - /sys\n\
                    /dev/vda2      308585260 25514372 267326276   9% /\n";
        let rooms = df(text, &count);
        assert_eq!(rooms["/"], [308_585_260, 25_514_372, 267_326_276]);
        assert_eq!(rooms["/sys"], [0, 0, 0]);
    }

    #[test]
    fn df_with_units_and_types() {
        let text = "Filesystem               Type      Size  Used Avail Use% Mounted on\n\
                    devtmpfs                 devtmpfs  4.0M     0  4.0M   0% /dev\n\
                    /dev/mapper/PRD_sapdata1 xfs       500G  497G  3.8G 100% /oracle/PRD/sapdata1\n\
                    odd                      xfs       5X0G  497G  3.8G 100% /odd\n";
        let rooms = df(text, &rounded);
        assert_eq!(rooms["/dev"], [4 << 20, 0, 4 << 20]);
        assert_eq!(rooms["/oracle/PRD/sapdata1"], [500 << 30, 497 << 30, 4_080_218_931]);
        assert_eq!(rooms.len(), 2);
    }
}
