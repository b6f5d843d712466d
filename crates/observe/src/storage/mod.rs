//! Block devices, their stacks, links and file systems.

mod block;
pub(crate) mod captured;
mod complaint;
pub(crate) mod diskstats;
pub(crate) mod dm;
mod dm_ioctl;
mod dm_target;
mod drbd;
mod fabric;
pub(crate) mod fstab;
mod iscsiadm;
pub(crate) mod kernel_log;

mod lvm;
pub(crate) mod md;
pub(crate) mod mountinfo;
mod mounts;
pub(crate) mod mountstats;
pub(crate) mod multipath;
mod nvme;
mod queue;
mod scsi;
mod sos;
mod space;
pub(crate) mod swaps;
mod transport;
mod zfs;

pub(crate) use mounts::read_mounts;

use crate::Root;
use captured::{listed, lsblk};
use fullwire_model::counters::{Counters, DiskCounters};
use fullwire_model::host::Host;
use fullwire_model::host::trouble::Known;
use fullwire_model::{Gap, GapReason};
use std::collections::BTreeMap;

/// `/proc/net/rpc/nfs`, the NFS client's totals.
const RPC_CLIENT: &str = "/proc/net/rpc/nfs";

/// The share that `12.5%` is, or `12.5` where a tool leaves the sign out.
fn percent(text: &str) -> Option<f64> {
    text.trim_end_matches('%').parse::<f64>().ok().map(|percent| percent / 100.0)
}

/// Reads devices, maps, links and mounts.
pub(crate) fn read_host(root: &Root, known: Known, host: &mut Host) {
    let mut devices = block::read_block(root, &mut host.gaps);
    if !root.is_live() {
        lsblk::add_captured(root, &mut devices.disks, &mut host.gaps);
        nvme::add_captured_health(root, &mut devices.disks);
        dm::add_uuids(root, &mut devices.disks, &mut host.gaps);
        md::add_captured(root, &mut devices.disks, &mut host.gaps);
    }
    dm::read_tables(root, &mut devices.disks, &mut host.gaps);
    if !root.is_live() {
        listed::add_below(&mut devices.disks);
    }
    block::name_partitions(&mut devices.disks);
    host.fc_hosts = fabric::read_fc_hosts(root);
    host.fc_remote_ports = fabric::read_fc_remote_ports(root);
    host.sas_phys = fabric::read_sas_phys(root);
    host.iscsi_sessions = fabric::read_iscsi_sessions(root, &devices.disks, &devices.places);
    host.logical_volumes = lvm::logical_volumes(&devices.disks);
    host.multipath = multipath::read_maps(root, &devices.disks, &mut host.gaps);
    if let Some(sections) = multipath::read_config(root, &host.os.kernel_release, &mut host.gaps) {
        multipath::add_no_path_retry(&sections, &mut host.multipath);
        host.multipath_config = Some(sections.config);
    }
    if !root.is_live() {
        listed::add_paths(root, &mut devices.disks, &host.multipath);
        listed::add_asm_nodes(root, &mut devices.disks);
    }
    host.disks = devices.disks;
    host.kernel_log = kernel_log::read_log(root, known, &mut host.gaps);
    host.mounts = mounts::read_mounts(root, &mut host.gaps);
    if !root.is_live() {
        listed::add_numbers(&mut host.mounts, &host.disks);
    }
    mounts::add_units(root, &mut host.mounts);
    mounts::add_errors(root, &mut host.mounts, &host.disks);
    mounts::add_in_place(root, &mut host.mounts, &host.databases);
    host.fstab = fstab::read(root, &mut host.gaps);
    host.zfs_pools = zfs::pools(root);
    host.resyncs = drbd::read(root, &mut host.gaps);
    host.resyncs.extend(zfs::scans(root));
    host.zfs_datasets = zfs::datasets(root);
    host.zfs_cache = zfs::cache(root);
    host.swaps = swaps::read_swaps(root, &mut host.gaps);
}

/// Reads the counters of devices and NFS mounts.
pub(crate) fn read_counters(root: &Root, counters: &mut Counters) {
    read_rates(root, counters);
    read_errors(root, counters);
}

/// Reads what devices and links count of errors: files of each device.
pub(crate) fn read_errors(root: &Root, counters: &mut Counters) {
    for (name, counters) in counters.disks.iter_mut().filter(|(name, _)| name.starts_with("sd")) {
        counters.io_errors = hexadecimal(root, &format!("/sys/block/{name}/device/ioerr_cnt"));
        counters.io_timeouts = hexadecimal(root, &format!("/sys/block/{name}/device/iotmo_cnt"));
    }
    fabric::read_errors(root, &mut counters.errors);
    nvme::log::read_amazon(root, &mut counters.errors);
}

/// Reads what devices and NFS mounts did: a few files for all of them.
pub(crate) fn read_rates(root: &Root, counters: &mut Counters) {
    counters.disks = disk_counters(root, &mut counters.gaps);
    counters.nfs = mounts::read_nfs_counters(root, &mut counters.gaps);
    counters.rpc_client = root
        .read_optional(RPC_CLIENT, &mut counters.gaps)
        .and_then(|text| rpc_client(&text, &mut counters.gaps));
}

/// `/proc/diskstats`.
fn disk_counters(root: &Root, gaps: &mut Vec<Gap>) -> BTreeMap<String, DiskCounters> {
    const PATH: &str = "/proc/diskstats";
    let Some(text) = root.read(PATH, gaps) else { return BTreeMap::new() };
    diskstats::parse_diskstats(&text, PATH, gaps)
}

/// The state of each path below these multipath maps (`MAJOR:MINOR`), as the kernel's device mapper has it; only root may
/// ask, and only of the live host.
pub(crate) fn path_states(root: &Root, maps: &[String]) -> Vec<(String, String)> {
    if !root.is_live() {
        return Vec::new();
    }
    let Ok(statuses) = dm_ioctl::statuses(maps) else { return Vec::new() };
    let name = |number: &str| root.link_name(&format!("/sys/dev/block/{number}"));
    let pairs = statuses.iter().flat_map(|status| multipath::states_of(status));
    pairs.filter_map(|(number, state)| Some((name(&number)?, state.to_owned()))).collect()
}

/// A counter that the kernel prints as `0x1f`; all ones mean that the device does not count it.
pub(crate) fn hexadecimal(root: &Root, path: &str) -> Option<u64> {
    let text = root.attribute(path)?;
    let value = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => text.parse().ok()?,
    };
    (value != u64::MAX).then_some(value)
}

/// The `rpc` line: calls, retransmissions, authentication refreshes.
fn rpc_client(text: &str, gaps: &mut Vec<Gap>) -> Option<[u64; 3]> {
    let line = text.lines().find_map(|line| line.strip_prefix("rpc "));
    let numbers: Option<Vec<u64>> =
        line.and_then(|line| line.split_whitespace().take(3).map(|word| word.parse().ok()).collect());
    if let Some([calls, retransmissions, refreshes]) = numbers.as_deref() {
        return Some([*calls, *retransmissions, *refreshes]);
    }
    let detail = "expected a line 'rpc CALLS RETRANSMISSIONS REFRESHES'";
    gaps.push(Gap::new(RPC_CLIENT, GapReason::Malformed, detail));
    None
}
