//! Multipath maps. The kernel's word counts most (sysfs and device-mapper); the daemon and captured output of
//! its tools add what the kernel does not know: priorities, checkers' states, what happens when no path is left.

mod config;
mod in_effect;
mod json;
mod pattern;
mod powerpath;
mod table;
mod text;

pub use config::parse_config;
pub(crate) use config::read_config;
pub(crate) use in_effect::add_no_path_retry;
pub use json::parse_multipathd_json;
pub use text::parse_multipath;

use crate::Root;
use crate::commands::{self, MULTIPATHD_MAPS};
use fullwire_model::Gap;
use fullwire_model::host::{Disk, MapPath, MultipathMap, PathGroup};
use std::collections::BTreeMap;
use table::kernel_map;

/// Where captured trees have what the tools printed, the richest first.
const TEXTS: &[&str] = &[
    "/sos_commands/multipath/multipathd_show_topology",
    "/sos_commands/multipath/multipath_-ll",
    "/sos_commands/multipath/multipath_-v4_-ll",
    "/sos_commands/multipath/multipath_-l",
];

/// Reads all maps.
/// The paths in a multipath target's status: `8:16 A` works, `8:16 F` has failed (Linux drivers/md/dm-mpath.c
/// `multipath_status`).
pub(crate) fn states_of(status: &str) -> Vec<(String, &'static str)> {
    let words: Vec<&str> = status.split_whitespace().collect();
    let number = |word: &str| {
        word.split_once(':')
            .is_some_and(|(major, minor)| major.parse::<u32>().is_ok() && minor.parse::<u32>().is_ok())
    };
    let state = |word: &str| match word {
        "A" => Some("path active"),
        "F" => Some("path failed"),
        _ => None,
    };
    let pairs = words.windows(2).filter(|pair| number(pair[0]));
    pairs.filter_map(|pair| Some((pair[0].to_owned(), state(pair[1])?))).collect()
}

pub(crate) fn read_maps(root: &Root, disks: &[Disk], gaps: &mut Vec<Gap>) -> Vec<MultipathMap> {
    let mut maps = device_mapper_maps(root, disks, gaps);
    maps.extend(powerpath::read(root, disks, gaps));
    maps
}

fn device_mapper_maps(root: &Root, disks: &[Disk], gaps: &mut Vec<Gap>) -> Vec<MultipathMap> {
    let mut maps: Vec<MultipathMap> = disks.iter().filter_map(|disk| of_kernel(disk, disks)).collect();
    if maps.is_empty() && root.is_live() {
        return maps; // nothing to ask the daemon about
    }
    let told = of_tools(root, gaps);
    for own in told {
        match maps.iter_mut().find(|map| map.device == own.device || map.name == own.name) {
            Some(map) => add(map, own),
            None if !root.is_live() => maps.push(own),
            None => {} // gone since
        }
    }
    maps
}

/// What the daemon or its tools say.
fn of_tools(root: &Root, gaps: &mut Vec<Gap>) -> Vec<MultipathMap> {
    let command = MULTIPATHD_MAPS.argv.join(" ");
    if let Some(text) = commands::output(root, &MULTIPATHD_MAPS, gaps) {
        let mut maps = parse_multipathd_json(&text, &command, gaps);
        for map in &mut maps {
            map.source.clone_from(&command);
        }
        return maps;
    }
    for path in TEXTS {
        if let Some(text) = root.read_optional(path, gaps) {
            let mut maps = parse_multipath(&text, path, gaps);
            let source = path.rsplit('/').next().unwrap_or(path).replace('_', " ");
            for map in &mut maps {
                map.source.clone_from(&source);
            }
            if !maps.is_empty() {
                return maps;
            }
        }
    }
    Vec::new()
}

/// A map as the kernel has it: with its table where that could be read, else as one group of all paths.
fn of_kernel(disk: &Disk, disks: &[Disk]) -> Option<MultipathMap> {
    let dm = disk.dm.as_ref().filter(|_| disk.kind == "multipath")?;
    let target = dm.targets.iter().find(|target| target.kind == "multipath").and_then(kernel_map);
    let source = if target.is_some() { "dm" } else { "sysfs" };
    let mut kernel = target.unwrap_or_default();
    if kernel.groups.is_empty() {
        let paths = disk.slaves.iter().map(|name| MapPath { device: name.clone(), ..MapPath::default() });
        kernel.groups.push(PathGroup { paths: paths.collect(), ..PathGroup::default() });
    }
    let by_number: BTreeMap<&str, &Disk> = disks.iter().map(|disk| (disk.number.as_str(), disk)).collect();
    let by_name: BTreeMap<&str, &Disk> = disks.iter().map(|disk| (disk.name.as_str(), disk)).collect();
    let mut product = String::new();
    for path in kernel.groups.iter_mut().flat_map(|group| &mut group.paths) {
        let found = by_number.get(path.device.as_str()).or_else(|| by_name.get(path.device.as_str()));
        let Some(lower) = found else { continue };
        path.device.clone_from(&lower.name);
        if let Some(scsi) = &lower.scsi {
            path.address.clone_from(&scsi.address);
            path.device_state.clone_from(&scsi.state);
        } else if let Some(controller) = lower.nvme.as_ref().and_then(|nvme| nvme.controllers.first()) {
            path.device_state.clone_from(&controller.state);
        }
        product = format!("{},{}", lower.vendor, lower.model);
    }
    Some(MultipathMap {
        name: dm.name.clone(),
        device: disk.name.clone(),
        wwid: disk.wwid.clone(),
        product,
        features: kernel.features,
        hardware_handler: kernel.hardware_handler,
        groups: kernel.groups,
        no_path_retry: None,
        source: source.to_owned(),
    })
}

/// Adds to what the kernel says what only the tools know.
fn add(map: &mut MultipathMap, told: MultipathMap) {
    map.no_path_retry = told.no_path_retry;
    map.source = format!("{}, {}", map.source, told.source);
    if map.groups.iter().all(|group| group.selector.is_empty()) {
        // Without the table the tools know the groups better; the devices' own facts stay the kernel's.
        let known: Vec<MapPath> = map.groups.drain(..).flat_map(|group| group.paths).collect();
        map.features = told.features;
        map.hardware_handler = told.hardware_handler;
        map.groups = told.groups;
        for path in map.groups.iter_mut().flat_map(|group| &mut group.paths) {
            let Some(own) = known.iter().find(|own| own.device == path.device) else { continue };
            if !own.address.is_empty() {
                path.address.clone_from(&own.address);
            }
            if !own.device_state.is_empty() {
                path.device_state.clone_from(&own.device_state);
            }
        }
        return;
    }
    for own in told.groups {
        let paths: Vec<&str> = own.paths.iter().map(|path| path.device.as_str()).collect();
        let same =
            |group: &&mut PathGroup| group.paths.iter().any(|path| paths.contains(&path.device.as_str()));
        if let Some(group) = map.groups.iter_mut().find(same) {
            group.priority = own.priority;
        }
        for told_path in &own.paths {
            let mut all = map.groups.iter_mut().flat_map(|group| &mut group.paths);
            if let Some(path) = all.find(|path| path.device == told_path.device) {
                path.checker_state.clone_from(&told_path.checker_state);
                if path.address.is_empty() {
                    path.address.clone_from(&told_path.address);
                }
                if path.device_state.is_empty() {
                    path.device_state.clone_from(&told_path.device_state);
                }
            }
        }
    }
}
