//! A device's relatives, by sysfs: the disk that it is part of, that disk's partitions, and all that was built on any
//! of them. What one of them is used for would be destroyed with it.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

/// Longer than any stack that anyone builds.
const MOST: usize = 4096;

/// One relative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Relative {
    /// Kernel name.
    pub(super) name: String,
    /// `MAJOR:MINOR`.
    pub(super) number: String,
    /// The device itself, its disk, or a partition of that.
    pub(super) same_disk: bool,
}

fn names(path: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn number_of(name: &str) -> Option<String> {
    Some(fs::read_to_string(format!("/sys/class/block/{name}/dev")).ok()?.trim().to_owned())
}

/// The whole disk of a partition, or the device itself.
pub(super) fn whole_disk(name: &str) -> String {
    let directory = Path::new("/sys/class/block").join(name);
    if !directory.join("partition").exists() {
        return name.to_owned();
    }
    fs::canonicalize(&directory)
        .ok()
        .and_then(|path| Some(path.parent()?.file_name()?.to_string_lossy().into_owned()))
        .unwrap_or_else(|| name.to_owned())
}

/// Partitions of a disk: directories below it that have a file `partition`.
fn partitions(disk: &str) -> Vec<String> {
    let directory = Path::new("/sys/class/block").join(disk);
    names(&directory).into_iter().filter(|name| directory.join(name).join("partition").exists()).collect()
}

/// The device, its disk, the disk's partitions, and whatever holds any of them, all the way up.
pub(super) fn of(name: &str) -> Vec<Relative> {
    let disk = whole_disk(name);
    let mut waiting: VecDeque<(String, bool)> =
        VecDeque::from([(name.to_owned(), true), (disk.clone(), true)]);
    waiting.extend(partitions(&disk).into_iter().map(|partition| (partition, true)));
    let mut family: Vec<Relative> = Vec::new();
    while let Some((name, same_disk)) = waiting.pop_front() {
        if family.len() >= MOST || family.iter().any(|known| known.name == name) {
            continue;
        }
        let Some(number) = number_of(&name) else { continue };
        waiting.extend(holders(&name).into_iter().map(|holder| (holder, false)));
        if !same_disk {
            waiting.extend(partitions(&name).into_iter().map(|partition| (partition, false)));
        }
        family.push(Relative { name, number, same_disk });
    }
    family
}

/// Devices directly above.
pub(super) fn holders(name: &str) -> Vec<String> {
    names(&Path::new("/sys/class/block").join(name).join("holders"))
}

/// Disks at the bottom of what a device is made of; none where it is one itself.
pub(super) fn leaves(name: &str) -> Vec<String> {
    let below = |name: &str| names(&Path::new("/sys/class/block").join(whole_disk(name)).join("slaves"));
    let mut waiting: VecDeque<String> = below(name).into();
    let mut leaves: Vec<String> = Vec::new();
    for _ in 0..MOST {
        let Some(name) = waiting.pop_front() else { break };
        let under = below(&name);
        if under.is_empty() && !leaves.contains(&name) {
            leaves.push(name);
        }
        waiting.extend(under);
    }
    leaves
}

/// A device-mapper map's UUID: `mpath-…`, `LVM-…`.
pub(super) fn dm_uuid(name: &str) -> Option<String> {
    let uuid = fs::read_to_string(format!("/sys/class/block/{name}/dm/uuid")).ok()?;
    Some(uuid.trim().to_owned()).filter(|uuid| !uuid.is_empty())
}
