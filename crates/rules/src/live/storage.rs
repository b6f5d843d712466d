//! Mounts as trees over their devices: logical volume, map, paths.

use super::per_s;
use crate::ceiling::network::frame::{PCIE_USUAL_PAYLOAD_BYTES, pcie_payload_bytes_per_s};
use crate::ceiling::storage::link::serial_lane_bytes_per_s;
use crate::facts;
use fullwire_model::Window;
use fullwire_model::counters::DiskCounters;
use fullwire_model::host::{Disk, Host, Mount};
use fullwire_model::live::{Live, LiveProcess, StorageRates, StorageRow};
use std::collections::BTreeSet;

/// Devices lie no deeper below one another.
const DEEPEST: u32 = 8;

pub(super) fn rows(host: &Host, window: &Window) -> Vec<StorageRow> {
    let mut rows = Vec::new();
    let mut drawn = BTreeSet::new();
    for mount in mounts(host) {
        match host.disk_by_number(&mount.number) {
            Some(disk) => {
                let top = rows.len();
                add(host, window, disk, 0, &mut drawn, &mut rows);
                if let Some(row) = rows.get_mut(top) {
                    row.name.clone_from(&mount.target);
                    row.kind.clone_from(&mount.fs_type);
                    row.database = holds_database(host, mount);
                }
            }
            None => rows.extend(nfs(host, window, mount)),
        }
    }
    // Devices under no mount: raw volumes, ASM, swap.
    let bare = host.disks.iter().filter(|disk| disk.holders.is_empty() && disk.parent().is_none());
    for disk in bare {
        let silent = window.to.disks.get(&disk.name).is_none_or(|io| io.reads == 0 && io.writes == 0);
        let minor = matches!(disk.kind.as_str(), "loop" | "ram" | "rom" | "zram") && silent;
        if !drawn.contains(disk.name.as_str()) && !minor {
            add(host, window, disk, 0, &mut drawn, &mut rows);
        }
    }
    rows
}

/// Names of processes that are written at one device.
const MOST_USERS: usize = 3;
/// Who moves less of what a device carries is not who keeps it busy (own choice). The others may be unknown: files in another
/// mount namespace have no place here.
const LEAST_SHARE: f64 = 0.05;

/// Writes at each mount and device who reads and writes there; of a process with files on several it is said at each.
pub(super) fn name_users(live: &mut Live) {
    for row in &mut live.storage {
        let uses = |place: &String| {
            let bare = place.strip_prefix("/dev/mapper/").or_else(|| place.strip_prefix("/dev/"));
            *place == row.name || bare.is_some_and(|bare| bare == row.device || bare == row.name)
        };
        let carries = row.io.as_ref().map_or(0.0, |io| io.read_bytes_per_s + io.write_bytes_per_s);
        let moved = |process: &LiveProcess| process.read_bytes_per_s + process.write_bytes_per_s;
        let counts = |process: &&LiveProcess| moved(process) >= LEAST_SHARE * carries;
        let own = live.processes.iter().filter(counts).filter(|process| process.mounts.iter().any(uses));
        let mut names: Vec<String> = own.map(|process| process.name.clone()).collect();
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names.truncate(MOST_USERS);
        row.users = names;
    }
}

/// File systems on devices and servers, each once; those of databases first.
fn mounts(host: &Host) -> Vec<&Mount> {
    let mut numbers = BTreeSet::new();
    let real = |mount: &&Mount| {
        mount.nfs.is_some() || (!mount.number.is_empty() && host.disk_by_number(&mount.number).is_some())
    };
    let once = |mount: &&Mount| mount.nfs.is_some() || numbers.insert(mount.number.clone());
    let mut mounts: Vec<&Mount> = host.mounts.iter().filter(real).filter(once).collect();
    mounts.sort_by_key(|mount| (!holds_database(host, mount), mount.target.clone()));
    mounts
}

fn holds_database(host: &Host, mount: &Mount) -> bool {
    let mut locations = host.databases.iter().flat_map(|database| &database.locations);
    locations.any(|(path, _)| host.mount_of(path).is_some_and(|own| own.target == mount.target))
}

fn add<'a>(
    host: &'a Host,
    window: &Window,
    disk: &'a Disk,
    depth: u32,
    drawn: &mut BTreeSet<&'a str>,
    rows: &mut Vec<StorageRow>,
) {
    let first = drawn.insert(disk.name.as_str());
    let limit = limit(host, disk);
    let io = rates(window, &disk.name);
    let bytes = io.as_ref().map(|io| io.read_bytes_per_s + io.write_bytes_per_s);
    let label = disk.dm.as_ref().map(|dm| dm.name.as_str()).filter(|name| !name.is_empty());
    rows.push(StorageRow {
        depth,
        name: label.unwrap_or(&disk.name).into(),
        device: disk.name.clone(),
        kind: disk.kind.clone(),
        state: state(host, disk),
        database: false,
        share: bytes.zip(limit.as_ref()).map(|(bytes, (limit, _))| bytes / limit),
        limit_bytes_per_s: limit.as_ref().map(|(limit, _)| *limit),
        limit_source: limit.map_or_else(String::new, |(_, source)| source),
        stalled_s: stalled_s(window, &disk.name),
        users: Vec::new(),
        io,
    });
    if depth >= DEEPEST || !first {
        return;
    }
    let below = disk.slaves.iter().map(String::as_str).chain(disk.parent());
    for lower in below.filter_map(|name| host.disk(name)) {
        add(host, window, lower, depth + 1, drawn, rows);
    }
}

/// What a path or an array says of itself when it does not work.
fn state(host: &Host, disk: &Disk) -> String {
    let paths = host.multipath.iter().flat_map(|map| &map.groups).flat_map(|group| &group.paths);
    if paths.clone().any(|path| path.device == disk.name && path.has_failed()) {
        return "path failed".into();
    }
    match &disk.md {
        Some(md) if md.degraded > 0 => format!("{} members missing", md.degraded),
        _ => String::new(),
    }
}

fn rates(window: &Window, name: &str) -> Option<StorageRates> {
    let (from, to) = (window.from.disks.get(name)?, window.to.disks.get(name)?);
    let grown = |read: fn(&DiskCounters) -> u64| read(to).saturating_sub(read(from));
    let rate = |read: fn(&DiskCounters) -> u64| per_s(window, Some(read(from)), Some(read(to)));
    let mean = |count: u64, ms: u64| (count > 0).then(|| ms as f64 / count as f64);
    Some(StorageRates {
        reads_per_s: rate(|disk| disk.reads)?,
        writes_per_s: rate(|disk| disk.writes)?,
        read_bytes_per_s: rate(|disk| disk.read_bytes)?,
        write_bytes_per_s: rate(|disk| disk.write_bytes)?,
        read_await_ms: mean(grown(|disk| disk.reads), grown(|disk| disk.read_ms)),
        write_await_ms: mean(grown(|disk| disk.writes), grown(|disk| disk.write_ms)),
        // Since 5.7 the kernel adds up the times of completed I/Os: what hangs is not in the mean.
        queue: (rate(|disk| disk.weighted_ms)? / 1e3).max(
            if grown(|disk| disk.reads.saturating_add(disk.writes)) == 0 { to.in_flight as f64 } else { 0.0 },
        ),
        merges_per_s: rate(|disk| disk.reads_merged.saturating_add(disk.writes_merged))?,
        busy: rate(|disk| disk.busy_ms).map(|ms| (ms / 1e3).min(1.0)),
    })
}

/// I/Os in flight at both ends and none completed between: nothing came back for the whole span.
fn stalled_s(window: &Window, name: &str) -> Option<f64> {
    let (from, to) = (window.from.disks.get(name)?, window.to.disks.get(name)?);
    let hangs = from.in_flight > 0 && to.in_flight > 0 && from.completed() == to.completed();
    let seconds = window.seconds();
    // Within a second a single slow request is no stall.
    (hangs && seconds >= 1.0).then_some(seconds)
}

fn nfs(host: &Host, window: &Window, mount: &Mount) -> Option<StorageRow> {
    let row = StorageRow {
        name: mount.target.clone(),
        device: mount.source.clone(),
        kind: mount.fs_type.clone(),
        database: holds_database(host, mount),
        ..StorageRow::default()
    };
    mount.nfs.as_ref()?;
    let ends = window.from.nfs.get(&mount.target).zip(window.to.nfs.get(&mount.target));
    let io = ends.and_then(|(from, to)| {
        let rate = |from: u64, to: u64| per_s(window, Some(from), Some(to));
        let grown = |name: &str, read: fn(&fullwire_model::counters::NfsOperation) -> u64| {
            let to = to.operations.get(name).map_or(0, read);
            to.saturating_sub(from.operations.get(name).map_or(0, read))
        };
        let mean = |name: &str| {
            let count = grown(name, |one| one.operations);
            (count > 0).then(|| grown(name, |one| one.execute_ms) as f64 / count as f64)
        };
        let seconds = window.seconds();
        Some(StorageRates {
            reads_per_s: rate(0, grown("READ", |one| one.operations))?,
            writes_per_s: rate(0, grown("WRITE", |one| one.operations))?,
            read_bytes_per_s: rate(from.server_read_bytes, to.server_read_bytes)?,
            write_bytes_per_s: rate(from.server_write_bytes, to.server_write_bytes)?,
            read_await_ms: mean("READ"),
            write_await_ms: mean("WRITE"),
            queue: (grown("READ", |one| one.execute_ms) + grown("WRITE", |one| one.execute_ms)) as f64
                / 1e3
                / seconds,
            merges_per_s: 0.0,
            busy: None,
        })
    });
    Some(StorageRow { io, ..row })
}

/// What the links below a device carry: of a map over paths those that do not wait in reserve together, of anything else
/// over several devices nothing is said. A guest's links are fiction.
fn limit(host: &Host, disk: &Disk) -> Option<(f64, String)> {
    if facts::is_virtual(host) {
        return None;
    }
    let below: Vec<&Disk> = host.stack(&disk.name).into_iter().skip(1).collect();
    let leaves: Vec<&Disk> =
        below.iter().filter(|lower| lower.slaves.is_empty() && lower.parent().is_none()).copied().collect();
    if leaves.is_empty() {
        return link(disk);
    }
    let over_paths = host
        .multipath
        .iter()
        .any(|map| map.device == disk.name || below.iter().any(|lower| lower.name == map.device));
    if leaves.len() > 1 && !over_paths {
        return None;
    }
    let carrying = leaves.iter().filter(|leaf| !facts::is_idle_path(host, &leaf.name));
    let links: Vec<(f64, String)> = carrying.map(|leaf| link(leaf)).collect::<Option<_>>()?;
    let source = links.first()?.1.clone();
    let all = links.iter().map(|(limit, _)| limit).sum();
    Some((all, if links.len() > 1 { format!("{} × {source}", links.len()) } else { source }))
}

/// What the link of one device carries.
fn link(disk: &Disk) -> Option<(f64, String)> {
    if let Some(nvme) = &disk.nvme {
        let link = nvme.controllers.iter().find_map(|controller| controller.pcie.as_ref())?;
        let payload = link.max_payload_bytes.unwrap_or(PCIE_USUAL_PAYLOAD_BYTES);
        let limit = pcie_payload_bytes_per_s(link.speed_gt_per_s, link.width, payload);
        return (limit > 0.0).then(|| (limit, "PCIe link".into()));
    }
    let speed = disk.link_gbit_per_s.filter(|speed| *speed > 0.0)?;
    match disk.transport.as_str() {
        "sas" | "sata" => Some((
            serial_lane_bytes_per_s(speed),
            format!("{} {speed} Gbit/s", disk.transport.to_uppercase()),
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::host::Database;

    #[test]
    fn a_mount_below_a_databases_directory_is_the_databases() {
        let locations = [("/data/main".to_owned(), "data".to_owned())].into();
        let mount = |target: &str| Mount { target: target.into(), ..Mount::default() };
        let host = Host {
            databases: vec![Database { locations, ..Database::default() }],
            mounts: vec![mount("/"), mount("/data")],
            ..Host::default()
        };
        assert!(holds_database(&host, &host.mounts[1]) && !holds_database(&host, &host.mounts[0]));
    }

    #[test]
    fn a_device_is_by_whom_most_of_it_is_and_not_by_whom_alone_a_place_is_known() {
        let process = |name: &str, write_bytes_per_s: f64, mounts: &[&str]| LiveProcess {
            name: name.into(),
            write_bytes_per_s,
            mounts: mounts.iter().map(|mount| (*mount).to_owned()).collect(),
            ..LiveProcess::default()
        };
        let io = Some(StorageRates { write_bytes_per_s: 14e6, ..StorageRates::default() });
        let mut live = Live {
            storage: vec![StorageRow { name: "/".into(), io, ..StorageRow::default() }],
            processes: vec![process("rustc", 13e6, &[]), process("recorder", 1e4, &["/"])],
            ..Live::default()
        };
        name_users(&mut live);
        assert!(
            live.storage[0].users.is_empty(),
            "the recorder writes a thousandth: {:?}",
            live.storage[0].users
        );
        live.processes[0].mounts.push("/".into());
        name_users(&mut live);
        assert_eq!(live.storage[0].users, ["rustc"]);
    }
}
