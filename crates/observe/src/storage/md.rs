//! md arrays: `/sys/block/mdN/md` (the kernel's admin-guide/md.rst), or `/proc/mdstat` in a tree without it.

use crate::Root;
use fullwire_model::Gap;
use fullwire_model::host::{Disk, MdArray};
use std::collections::BTreeMap;

const MDSTAT: &str = "/proc/mdstat";

/// Reads one array from sysfs.
pub(crate) fn read_array(root: &Root, device: &str) -> Option<MdArray> {
    let path = format!("{device}/md");
    let entries = root.try_list(&path).ok()?;
    let text = |name: &str| root.attribute(&format!("{path}/{name}")).unwrap_or_default();
    let members = entries.iter().filter_map(|entry| {
        let disk = entry.strip_prefix("dev-")?;
        Some((disk.replace('!', "/"), root.attribute(&format!("{path}/{entry}/state"))?))
    });
    Some(MdArray {
        level: text("level"),
        raid_disks: root.number(&format!("{path}/raid_disks")).unwrap_or_default(),
        degraded: root.number(&format!("{path}/degraded")).unwrap_or_default(),
        state: text("array_state"),
        sync_action: text("sync_action"),
        sync_done: sync_done(&text("sync_completed")),
        chunk_bytes: root.number(&format!("{path}/chunk_size")).filter(|&bytes: &u64| bytes > 0),
        stripe_cache_entries: root.number(&format!("{path}/stripe_cache_size")),
        consistency_policy: consistency_policy(&text("consistency_policy"), &text("bitmap/location")),
        members: members.collect(),
    })
}

/// Kernels before 4.12 tell only where the bitmap is: `none`, `file`, `+8`.
fn consistency_policy(policy: &str, bitmap: &str) -> String {
    match (policy, bitmap) {
        ("" | "unknown", "none") => "resync",
        ("" | "unknown", "") => "",
        ("" | "unknown", _) => "bitmap",
        (policy, _) => policy,
    }
    .to_owned()
}

/// `1024 / 4096` sectors, or `none`.
fn sync_done(text: &str) -> Option<f64> {
    let (done, all) = text.split_once('/')?;
    let (done, all): (u64, u64) = (done.trim().parse().ok()?, all.trim().parse().ok()?);
    (all > 0).then(|| done as f64 / all as f64)
}

/// Gives a captured tree's arrays what `/proc/mdstat` reports, where sysfs was not captured.
pub(crate) fn add_captured(root: &Root, disks: &mut Vec<Disk>, gaps: &mut Vec<Gap>) {
    let Some(text) = root.read_optional(MDSTAT, gaps) else { return };
    for (name, array) in parse_mdstat(&text) {
        match disks.iter_mut().find(|disk| disk.name == name) {
            Some(disk) => _ = disk.md.get_or_insert(array),
            None => disks.push(Disk {
                kind: "md".to_owned(),
                slaves: array.members.keys().cloned().collect(),
                md: Some(array),
                name,
                ..Disk::default()
            }),
        }
    }
}

/// A member that is being rebuilt has a number behind those of the array's own: it takes its place when it is done (Linux
/// drivers/md/md.c, `md_seq_show`, prints `desc_nr`).
fn mark_rebuilt(array: &mut MdArray, numbers: &BTreeMap<String, u64>) {
    if array.sync_action != "recover" {
        return;
    }
    for (disk, state) in array.members.iter_mut().filter(|(_, state)| *state == "in_sync") {
        if numbers.get(disk).is_some_and(|number| *number >= array.raid_disks) {
            "spare".clone_into(state);
        }
    }
}

/// Reads `/proc/mdstat`. What is not an array's lines is passed over: the file is made for people.
pub fn parse_mdstat(text: &str) -> BTreeMap<String, MdArray> {
    let mut arrays = BTreeMap::new();
    let mut current: Option<(String, MdArray)> = None;
    let mut numbers = BTreeMap::new();
    for line in text.lines() {
        if let Some((name, rest)) = line.split_once(" : ").filter(|(name, _)| name.starts_with("md")) {
            arrays.extend(current.take());
            current = Some((name.trim().to_owned(), first_line(rest)));
            numbers = rest.split_whitespace().filter_map(numbered).collect();
        } else if let Some((_, array)) = &mut current {
            detail_line(line, array);
            mark_rebuilt(array, &numbers);
        }
    }
    arrays.extend(current);
    arrays
}

/// `sdb[2]`: the member and its number.
fn numbered(word: &str) -> Option<(String, u64)> {
    let (disk, rest) = word.split_once('[')?;
    Some((disk.to_owned(), rest.split(']').next()?.parse().ok()?))
}

/// `active raid1 sdb[1](F) sda[0]`
fn first_line(rest: &str) -> MdArray {
    let mut array = MdArray::default();
    for word in rest.split_whitespace() {
        if let Some((disk, role)) = word.split_once('[') {
            let state = match role.split_once('(').map(|(_, flag)| flag) {
                Some("F)") => "faulty",
                Some("S)") => "spare",
                _ => "in_sync",
            };
            array.members.insert(disk.to_owned(), state.to_owned());
        } else if word.starts_with("raid") || matches!(word, "linear" | "multipath") {
            word.clone_into(&mut array.level);
        } else if array.state.is_empty() {
            word.clone_into(&mut array.state);
        }
    }
    array
}

/// `… blocks super 1.2 64k chunks [2/1] [U_]` and `[==>…]  resync = 12.6% (…)`
fn detail_line(line: &str, array: &mut MdArray) {
    let words: Vec<&str> = line.split_whitespace().collect();
    // `bitmap: 0/8 pages [0KB], 65536KB chunk`: its chunk is not the array's.
    if words.first() == Some(&"bitmap:") {
        "bitmap".clone_into(&mut array.consistency_policy);
        return;
    }
    for (index, word) in words.iter().enumerate() {
        if let Some((all, working)) =
            word.strip_prefix('[').and_then(|word| word.strip_suffix(']')?.split_once('/'))
            && let (Ok(all), Ok(working)) = (all.parse::<u64>(), working.parse::<u64>())
        {
            array.raid_disks = all;
            array.degraded = all.saturating_sub(working);
        } else if word.starts_with("chunk") && index > 0 {
            let kib = words[index - 1].strip_suffix(['k', 'K']).and_then(|kib| kib.parse::<u64>().ok());
            array.chunk_bytes = kib.and_then(|kib| kib.checked_mul(1024));
        } else if matches!(*word, "resync" | "recovery" | "check" | "reshape") {
            let action = if *word == "recovery" { "recover" } else { word };
            action.clone_into(&mut array.sync_action);
            array.sync_done =
                words.get(index + 2).filter(|done| done.ends_with('%')).and_then(|done| super::percent(done));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_of_old_and_new_kernels() {
        for (policy, bitmap, wanted) in [
            ("bitmap", "+8", "bitmap"),
            ("resync", "none", "resync"),
            ("ppl", "none", "ppl"),
            ("", "none", "resync"),
            ("", "+8", "bitmap"),
            ("", "", ""),
            ("none", "", "none"),
        ] {
            assert_eq!(consistency_policy(policy, bitmap), wanted, "{policy} {bitmap}");
        }
    }

    #[test]
    fn what_is_being_rebuilt_is_no_member_yet() {
        let text = "md0 : active raid1 sdb1[2] sda1[1]\n      976630464 blocks super 1.2 [2/1] [_U]\n\
                    \x20     [>....................]  recovery =  0.4% (3906048/976630464) finish=277.0min speed=12K/sec\n";
        let array = &parse_mdstat(text)["md0"];
        assert_eq!((array.sync_action.as_str(), array.degraded), ("recover", 1));
        assert_eq!((array.members["sdb1"].as_str(), array.members["sda1"].as_str()), ("spare", "in_sync"));
    }

    #[test]
    fn a_mirror_on_one_leg() {
        let text = "Personalities : [raid1] [raid0]\n\
                    md0 : active raid1 sdb[1](F) sda[0]\n      8383488 blocks super 1.2 [2/1] [U_]\n      \n\
                    md1 : active raid10 sdd[3] sdc[2] sdb[1] sda[0]\n      209584128 blocks super 1.2 512K chunks 2 near-copies [4/4] [UUUU]\n\
                    \x20     bitmap: 1/2 pages [4KB], 65536KB chunk\n\
                    \x20     [==>..................]  resync = 12.6% (26361344/209584128) finish=14.6min speed=208334K/sec\n\
                    unused devices: <none>\n";
        let arrays = parse_mdstat(text);
        let mirror = &arrays["md0"];
        assert_eq!((mirror.level.as_str(), mirror.raid_disks, mirror.degraded), ("raid1", 2, 1));
        assert_eq!((mirror.members["sdb"].as_str(), mirror.members["sda"].as_str()), ("faulty", "in_sync"));
        assert_eq!((arrays["md1"].sync_action.as_str(), arrays["md1"].sync_done), ("resync", Some(0.126)));
        assert_eq!((arrays["md1"].degraded, arrays["md1"].chunk_bytes), (0, Some(512 * 1024)));
        assert_eq!(
            (arrays["md1"].consistency_policy.as_str(), mirror.consistency_policy.as_str()),
            ("bitmap", "")
        );
    }
}
