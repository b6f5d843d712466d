//! Block devices as `lsblk -O -P`, `lsblk -J -O` and `blockdev --report` print them: what a sosreport has where
//! it has no copy of sysfs.

use super::listed::{self, ROWS_LIMIT};
use crate::Root;
use crate::storage::block::kind;
use crate::storage::queue::schedulers;
use fullwire_model::host::{Disk, DmMap, LoopDevice, Partition, Queue};
use fullwire_model::{Gap, GapReason};
use std::collections::BTreeMap;

const PAIRS: &str = "/sos_commands/block/lsblk_-O_-P";
const JSON: &str = "/sos_commands/block/lsblk_-J_-O";
const TREE: &str = "/sos_commands/block/lsblk";
const BLOCKDEV: &str = "/sos_commands/block/blockdev_--report";
const LOOPS: &str = "/sos_commands/block/losetup_-a";

/// One row: values by lower-case column.
type Row = BTreeMap<String, String>;

/// Adds what a captured tree's command output tells of devices, new ones and facts that are still missing.
pub(crate) fn add_captured(root: &Root, disks: &mut Vec<Disk>, gaps: &mut Vec<Gap>) {
    let mut rows = match root.read_optional(PAIRS, gaps) {
        Some(text) => parse_pairs(&text),
        None => root.read_optional(JSON, gaps).map(|text| parse_json(&text, JSON, gaps)).unwrap_or_default(),
    };
    let tree = root.read_optional(TREE, gaps);
    if rows.is_empty() && disks.is_empty() {
        rows = listed::rows(root, tree.as_deref(), gaps);
    }
    for row in &rows {
        add_row(root, row, disks);
    }
    if let Some(text) = tree {
        for (parent, child) in parse_tree(&text) {
            add_slave(disks, &parent, &child);
        }
    }
    if let Some(text) = root.read_optional(BLOCKDEV, gaps) {
        blockdev(&text, disks);
    }
    if let Some(text) = root.read_optional(LOOPS, gaps) {
        loops(&text, disks);
    }
    add_holders(disks);
    listed::add_addresses(root, disks, gaps);
    listed::add_schedulers(root, disks, gaps);
}

/// `NAME="sda" KNAME="sda" …`
pub fn parse_pairs(text: &str) -> Vec<Row> {
    text.lines().take(ROWS_LIMIT).map(pairs).filter(|row| row.contains_key("kname")).collect()
}

fn pairs(line: &str) -> Row {
    let mut row = Row::new();
    let mut rest = line.trim_start();
    while let Some((name, after)) = rest.split_once("=\"") {
        let Some((value, after)) = after.split_once('"') else { break };
        row.insert(column(name), value.to_owned());
        rest = after.trim_start();
    }
    row
}

/// Newer versions print `MAJ_MIN` for `MAJ:MIN` in this mode.
fn column(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '_'], ":").replace("fsuse%", "fsuse")
}

/// The tree of `lsblk -J`, flattened; a child gets its parent's name.
fn parse_json(text: &str, path: &str, gaps: &mut Vec<Gap>) -> Vec<Row> {
    let document: serde_json::Value = match fullwire_model::json::read(text.as_bytes()) {
        Ok(document) => document,
        Err(error) => {
            gaps.push(Gap::new(path, GapReason::Malformed, format!("{path}: not lsblk's JSON: {error}")));
            return Vec::new();
        }
    };
    let mut rows = Vec::new();
    let mut waiting: Vec<(Option<String>, &serde_json::Value)> =
        document["blockdevices"].as_array().into_iter().flatten().map(|device| (None, device)).collect();
    while let Some((parent, device)) = waiting.pop() {
        let Some(fields) = device.as_object() else { continue };
        let mut row: Row =
            fields.iter().filter_map(|(name, value)| Some((column(name), json_text(value)?))).collect();
        if let Some(parent) = parent {
            row.insert("pkname".to_owned(), parent);
        }
        let name = row.get("kname").cloned();
        waiting
            .extend(device["children"].as_array().into_iter().flatten().map(|child| (name.clone(), child)));
        if name.is_some() && rows.len() < ROWS_LIMIT {
            rows.push(row);
        }
    }
    rows.reverse();
    rows
}

fn json_text(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Bool(flag) => Some(u8::from(*flag).to_string()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn add_row(root: &Root, row: &Row, disks: &mut Vec<Disk>) {
    let text = |name: &str| row.get(name).map(|value| value.trim()).filter(|value| !value.is_empty());
    let Some(name) = text("kname") else { return };
    let index = disks.iter().position(|disk| disk.name == name).unwrap_or_else(|| {
        disks.push(Disk { name: name.to_owned(), ..Disk::default() });
        disks.len() - 1
    });
    let disk = &mut disks[index];
    let is_partition = text("type") == Some("part") && !name.starts_with("dm-");
    if let Some(parent) = text("pkname") {
        if is_partition {
            disk.partition.get_or_insert_with(|| partition(parent, name));
        } else if !disk.slaves.iter().any(|slave| slave == parent) {
            disk.slaves.push(parent.to_owned());
        }
    }
    if !disk.number.is_empty() && disk.size_bytes > 0 {
        return; // sysfs told the rest
    }
    let own = |name: &str| text(name).unwrap_or_default().to_owned();
    disk.number = own("maj:min");
    disk.size_bytes = text("size").and_then(size_bytes).unwrap_or_default();
    disk.read_only = text("ro").map(|flag| flag == "1");
    disk.removable = text("rm").map(|flag| flag == "1");
    (disk.vendor, disk.model, disk.serial, disk.wwid) =
        (own("vendor"), own("model"), own("serial"), own("wwn"));
    disk.transport = own("tran");
    if disk.queue.is_none() {
        disk.queue = Some(queue(row));
    }
    if name.starts_with("dm-") {
        disk.dm.get_or_insert_with(|| DmMap { name: own("name"), ..DmMap::default() });
    }
    match text("type") {
        Some("part") if is_partition => "partition",
        Some("lvm") => "lvm",
        Some("mpath") => "multipath",
        Some("crypt") => "crypt",
        Some(raid) if raid.starts_with("raid") || raid == "linear" => "md",
        _ => kind(disk),
    }
    .clone_into(&mut disk.kind);
    if let Some(address) = text("hctl") {
        listed::add_address(root, disk, address, &own("state"));
    }
}

/// The digits at the end of a partition's name are its number.
fn partition(disk: &str, name: &str) -> Partition {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let number = name[name.len() - digits..].parse().unwrap_or_default();
    Partition { disk: disk.to_owned(), number, start_bytes: 0 }
}

fn queue(row: &Row) -> Queue {
    let number = |name: &str| row.get(name).and_then(|value| value.parse().ok());
    let flag = |name: &str| row.get(name).map(|value| value == "1");
    Queue {
        scheduler: row.get("sched").and_then(|name| schedulers(name).0),
        nr_requests: number("rq:size"),
        logical_block_bytes: number("log:sec"),
        physical_block_bytes: number("phy:sec"),
        minimum_io_bytes: number("min:io"),
        optimal_io_bytes: number("opt:io"),
        alignment_offset_bytes: row.get("alignment").and_then(|value| value.parse().ok()),
        read_ahead_bytes: number("ra").and_then(|kib: u64| kib.checked_mul(1024)),
        rotational: flag("rota"),
        add_random: flag("rand"),
        discard_max_bytes: row.get("disc:max").and_then(|size| size_bytes(size)),
        ..Queue::default()
    }
}

/// `61.9M`: to a tenth, in powers of 1024.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
fn size_bytes(text: &str) -> Option<u64> {
    if let Ok(bytes) = text.parse() {
        return Some(bytes);
    }
    let (number, unit) = text.split_at(text.len().checked_sub(1)?.min(text.find(char::is_alphabetic)?));
    let power = ["B", "K", "M", "G", "T", "P", "E"].iter().position(|known| *known == unit)?;
    let bytes = number.parse::<f64>().ok()? * 1024_f64.powi(i32::try_from(power).ok()?);
    (0.0..1.8e19).contains(&bytes).then_some(bytes as u64)
}

/// `RO RA SSZ BSZ StartSec Size Device`: the exact size, and where a partition starts.
fn blockdev(text: &str, disks: &mut [Disk]) {
    for line in text.lines().skip(1).take(ROWS_LIMIT) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, _, _, _, start, size, device] = words.as_slice() else { continue };
        let Some(disk) = disks.iter_mut().find(|disk| device.strip_prefix("/dev/") == Some(&disk.name))
        else {
            continue;
        };
        disk.size_bytes = size.parse().unwrap_or(disk.size_bytes);
        if let (Some(partition), Ok(sectors)) = (&mut disk.partition, start.parse::<u64>()) {
            partition.start_bytes = sectors.saturating_mul(crate::storage::diskstats::SECTOR_BYTES);
        }
    }
}

/// `/dev/loop4: [64514]:13110486 (/var/lib/…)`
fn loops(text: &str, disks: &mut [Disk]) {
    for line in text.lines().take(ROWS_LIMIT) {
        let parsed = line.split_once(": ").and_then(|(device, rest)| {
            let file = rest.split_once('(')?.1.strip_suffix(')')?;
            Some((device.strip_prefix("/dev/")?, file))
        });
        let Some((name, file)) = parsed else { continue };
        if let Some(disk) = disks.iter_mut().find(|disk| disk.name == name) {
            let own = disk.loop_device.get_or_insert_with(LoopDevice::default);
            file.clone_into(&mut own.backing_file);
        }
    }
}

/// Parents and children of `lsblk`'s tree. A device on two others has two rows here but only one in the pairs.
fn parse_tree(text: &str) -> Vec<(String, String)> {
    let mut edges = Vec::new();
    let mut above: Vec<&str> = Vec::new();
    for line in text.lines().skip(1).take(ROWS_LIMIT) {
        let name = line.trim_start_matches([' ', '|', '`', '-', '│', '├', '└', '─']);
        let depth = (line.chars().count() - name.chars().count()) / 2;
        let Some(name) = name.split_whitespace().next() else { continue };
        above.truncate(depth);
        if let Some(parent) = above.last() {
            edges.push(((*parent).to_owned(), name.to_owned()));
        }
        above.push(name);
    }
    edges
}

/// The tree has device-mapper's names.
fn add_slave(disks: &mut [Disk], parent: &str, child: &str) {
    let called =
        |disk: &Disk, name: &str| disk.name == name || disk.dm.as_ref().is_some_and(|dm| dm.name == name);
    let Some(parent) = disks.iter().find(|disk| called(disk, parent)).map(|disk| disk.name.clone()) else {
        return;
    };
    let child = disks.iter_mut().find(|disk| called(disk, child) && disk.partition.is_none());
    if let Some(child) = child.filter(|child| !child.slaves.contains(&parent)) {
        child.slaves.push(parent);
    }
}

/// Holders are slaves seen from below.
fn add_holders(disks: &mut [Disk]) {
    let edges: Vec<(String, String)> = disks
        .iter()
        .flat_map(|disk| disk.slaves.iter().map(|slave| (slave.clone(), disk.name.clone())))
        .collect();
    for (lower, upper) in edges {
        if let Some(disk) = disks.iter_mut().find(|disk| disk.name == lower)
            && !disk.holders.contains(&upper)
        {
            disk.holders.push(upper);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_lsblk_rounds_them() {
        assert_eq!(size_bytes("61.9M"), Some(64_906_854));
        assert_eq!(size_bytes("0B"), Some(0));
        assert_eq!(size_bytes("512"), Some(512));
        assert_eq!(size_bytes("12X"), None);
        assert_eq!(size_bytes(""), None);
    }

    #[test]
    fn a_device_on_two_others_has_two_rows() {
        let text = "NAME=\"md0\" KNAME=\"md0\" MAJ:MIN=\"9:0\" SIZE=\"8G\" TYPE=\"raid1\" PKNAME=\"sda1\"\n\
                    NAME=\"md0\" KNAME=\"md0\" MAJ:MIN=\"9:0\" SIZE=\"8G\" TYPE=\"raid1\" PKNAME=\"sdb1\"\n\
                    NAME=\"sda1\" KNAME=\"sda1\" MAJ_MIN=\"8:1\" SIZE=\"8G\" TYPE=\"part\" PKNAME=\"sda\"\n";
        let tree = tempfile::tempdir().expect("a place");
        let (root, mut disks) = (Root::tree(tree.path()).expect("a tree"), Vec::new());
        for row in &parse_pairs(text) {
            add_row(&root, row, &mut disks);
        }
        add_holders(&mut disks);
        assert_eq!(
            (disks[0].kind.as_str(), disks[0].slaves.as_slice()),
            ("md", ["sda1".to_owned(), "sdb1".to_owned()].as_slice())
        );
        assert_eq!(
            (disks[1].kind.as_str(), disks[1].number.as_str(), disks[1].parent()),
            ("partition", "8:1", Some("sda"))
        );
        assert_eq!(disks[1].holders, ["md0"]);
    }
}
