//! Device-mapper tables and status, by the ioctl or as `dmsetup table` and `dmsetup status` print them.

use super::complaint::Complaints;
use super::dm_ioctl;
use super::dm_target::{Answer, target};
use crate::Root;
use fullwire_model::Gap;
use fullwire_model::host::{Disk, DmTarget};
use std::collections::BTreeMap;

/// Where a captured tree has the tool's output.
const TABLE: &str = "/sos_commands/devicemapper/dmsetup_table";
const STATUS: &str = "/sos_commands/devicemapper/dmsetup_status";
const INFO: &str = "/sos_commands/devicemapper/dmsetup_info_-c";

/// Targets of one map that are kept.
const TARGETS_LIMIT: usize = 4096;

/// Fills in the targets of every map.
pub(crate) fn read_tables(root: &Root, disks: &mut [Disk], gaps: &mut Vec<Gap>) {
    let mut numbers: Vec<String> =
        disks.iter().filter(|disk| disk.dm.is_some()).map(|disk| disk.number.clone()).collect();
    if numbers.is_empty() {
        return;
    }
    numbers.sort_unstable();
    match root.answer("device-mapper tables", || dm_ioctl::tables(&numbers)) {
        Ok(answers) => fill(disks, |disk| answers.get(&disk.number).cloned()),
        Err(gap) => {
            let mut of_tool = read_captured(root, gaps);
            if of_tool.is_empty() {
                gaps.push(gap);
            }
            fill(disks, |disk| of_tool.remove(&disk.dm.as_ref()?.name));
        }
    }
}

fn fill(disks: &mut [Disk], mut answer: impl FnMut(&Disk) -> Option<Answer>) {
    for disk in disks {
        let found = if disk.dm.is_some() { answer(disk) } else { None };
        if let (Some(dm), Some([table, status])) = (&mut disk.dm, found) {
            dm.targets = join(table, &status);
        }
    }
}

/// A table's targets with the status that belongs to each.
pub(crate) fn join(mut table: Vec<DmTarget>, status: &[DmTarget]) -> Vec<DmTarget> {
    for target in &mut table {
        let own =
            status.iter().find(|one| one.start_sectors == target.start_sectors && one.kind == target.kind);
        target.status = own.map(|one| one.parameters.clone()).unwrap_or_default();
    }
    table
}

/// What the tool printed, by map name.
fn read_captured(root: &Root, gaps: &mut Vec<Gap>) -> BTreeMap<String, Answer> {
    let mut read = |path: &str| {
        let text = root.read_optional(path, gaps);
        text.map(|text| parse_dmsetup(&text, path, gaps)).unwrap_or_default()
    };
    let (tables, mut status) = (read(TABLE), read(STATUS));
    let answer = |(name, table): (String, Vec<DmTarget>)| {
        let status = status.remove(&name).unwrap_or_default();
        (name, [table, status])
    };
    tables.into_iter().map(answer).collect()
}

/// Gives maps that only `lsblk` reported their UUIDs, from `dmsetup info -c`: by them LVM's volumes are known.
pub(crate) fn add_uuids(root: &Root, disks: &mut [Disk], gaps: &mut Vec<Gap>) {
    let text = root.read_optional(INFO, gaps).unwrap_or_default();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, major, minor, .., uuid] = words.as_slice() else { continue };
        let number = format!("{major}:{minor}");
        for disk in disks.iter_mut().filter(|disk| disk.number == number) {
            let dm = disk.dm.get_or_insert_default();
            if dm.uuid.is_empty() && words.len() == 8 {
                (*name).clone_into(&mut dm.name);
                (*uuid).clone_into(&mut dm.uuid);
            }
            dm.suspended = dm.suspended.or_else(|| suspended(words.get(3)?));
        }
    }
}

/// Column `Stat`, `L--w`: a live table, an inactive one, suspended, writable (libdm-report.c, `_dm_info_status_disp`).
fn suspended(stat: &str) -> Option<bool> {
    let letters: Vec<char> = stat.chars().collect();
    match letters.as_slice() {
        [_, _, 's', _, ..] => Some(true),
        ['L', _, '-', _, ..] => Some(false),
        _ => None,
    }
}

/// Reads `dmsetup table` or `dmsetup status` of all maps: `NAME: START LENGTH KIND PARAMETERS`. The output for
/// one map has no name; it is filed under the empty one.
pub fn parse_dmsetup(text: &str, path: &str, gaps: &mut Vec<Gap>) -> BTreeMap<String, Vec<DmTarget>> {
    let mut complaints = Complaints::new(path, gaps);
    let mut maps: BTreeMap<String, Vec<DmTarget>> = BTreeMap::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        if line.trim() == "No devices found" {
            continue;
        }
        let (name, rest) = line.split_once(": ").unwrap_or(("", line));
        match target_line(rest) {
            Some(target) => {
                let targets = maps.entry(name.to_owned()).or_default();
                if targets.len() < TARGETS_LIMIT {
                    targets.push(target);
                }
            }
            None => complaints.line(index, "start, length and kind of a target"),
        }
    }
    maps
}

fn target_line(line: &str) -> Option<DmTarget> {
    let mut words = line.trim().splitn(4, ' ');
    let (start, length, kind) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?);
    Some(target(start, length, kind, words.next().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::super::dm_target::devices_in;
    use super::*;

    #[test]
    fn the_third_letter_of_the_status_is_suspension() {
        let states = ["L--w", "L-sw", "-Isw", "LI-r", "Stat", ""].map(suspended);
        assert_eq!(states, [Some(false), Some(true), Some(true), Some(false), None, None]);
    }

    #[test]
    fn tables_of_all_maps_and_of_one() {
        let mut gaps = Vec::new();
        let text = "flaky: 0 1048576 flakey 7:0 0 3 3 0 \nvg-lv: 0 8 linear 8:0 2048\nvg-lv: 8 8 linear 8:16 2048\nrubbish\n";
        let maps = parse_dmsetup(text, "t", &mut gaps);
        assert_eq!(maps["vg-lv"].len(), 2);
        assert_eq!(maps["flaky"][0].parameters, "7:0 0 3 3 0");
        assert!(gaps[0].detail.starts_with("t:4:"), "{gaps:?}");
        assert_eq!(parse_dmsetup("0 524288 multipath 2 0", "t", &mut gaps)[""][0].kind, "multipath");
    }

    #[test]
    fn a_key_is_left_out_wherever_it_was_read() {
        let table = parse_dmsetup("c: 0 8 crypt aes-xts 00ff11 0 8:0 4096", "t", &mut Vec::new());
        assert_eq!(table["c"][0].parameters, "aes-xts - 0 8:0 4096");
        let named = target(0, 8, "crypt", "aes-xts-plain64 :64:logon:cryptsetup:x 0 8:0 4096");
        assert!(named.parameters.contains(":64:logon:cryptsetup:x"));
    }

    #[test]
    fn devices_are_numbers_with_a_colon() {
        assert_eq!(devices_in("2 8:0 1 :64:x 253:11 a:b").collect::<Vec<_>>(), ["8:0", "253:11"]);
    }
}
