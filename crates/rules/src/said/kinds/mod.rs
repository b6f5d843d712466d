//! What a line means by who writes it and what it says of itself: any driver of a kind of device, with any verb of failure.
//! What has a meaning of its own stands in the other tables, which come first.

mod adapters;
mod host;
mod volumes;

use super::Entry;
use adapters::{FABRIC, HBA, NIC, VIRTUAL_DISK, VIRTUAL_NIC};

/// A slot whose device is gone.
#[rustfmt::skip]
pub(super) const SLOT_EMPTY: Entry = entry! { source: "Linux drivers/pci/hotplug",
    says: "a PCIe slot lost its device: it was pulled, a volume of a cloud was detached, or a disk or adapter is gone",
    now: "Was it on purpose? Otherwise, which device was in that slot (lspci before and after), its seat, power and firmware" };

/// Every one, the more special before the more general.
pub(super) fn entries() -> impl Iterator<Item = &'static Entry> {
    [adapters::LINES, volumes::LINES, host::LINES].into_iter().flatten()
}

/// Who writes a line, in words, and what to look at, where what it says is not known.
const WRITERS: &[(&[&str], &str, &str)] = &[
    (
        NIC,
        "the driver of a network adapter",
        "its firmware and driver (`ethtool -i`), its counters (`ethtool -S`) and its switch port",
    ),
    (VIRTUAL_NIC, "the driver of a virtual network adapter", "the hypervisor's log and load at that time"),
    (
        HBA,
        "the driver of a SAS or RAID adapter",
        "its firmware and driver, and the disks behind it in the controller's tool",
    ),
    (
        FABRIC,
        "the driver of a storage adapter",
        "its firmware and driver, its switch port, and the paths (`multipath -ll`)",
    ),
    (VIRTUAL_DISK, "the driver of a virtual disk", "the storage below the hypervisor at that time"),
    (
        &["nvme"],
        "the NVMe driver",
        "`nvme smart-log` and `nvme error-log`; of a remote one the network and `nvme list-subsys`",
    ),
    (
        &["device-mapper", "md", "bcache"],
        "a volume (device mapper or md)",
        "`lsblk`, `mdadm --detail`, `lvs -a`, and the device below it",
    ),
    (
        &["ext4-fs", "jbd2", "xfs", "btrfs", "gfs2", "zfs"],
        "a file system",
        "the device below it first: errors, paths, room",
    ),
    (&["nfs", "nfs4", "rpc", "lockd", "svc"], "NFS", "the server, and the network to it, at that time"),
    (&["multipathd", "multipath"], "multipath", "`multipath -ll`: which paths are left"),
    (&["wsrep"], "Galera", "wsrep_cluster_status of each node, and the network between them"),
    (&["innodb"], "InnoDB", "the lines before it, and the device of its files"),
    (&["patroni"], "Patroni", "`patronictl list`, and its configuration store"),
    (&["ora-"], "the Oracle database", "`oerr ora NUMBER`, and the trace file that the log names"),
    (&["crs-"], "Oracle's clusterware", "`oerr crs NUMBER`, and the trace file that the log names"),
];

/// Who wrote a line, in lower case, and what to look at.
pub(super) fn writer(lower: &str) -> Option<(&'static str, &'static str)> {
    let known = WRITERS.iter().find(|(names, ..)| names.iter().any(|name| is_of(lower, name)));
    known.map(|(_, who, look)| (*who, *look))
}

/// The line names this component: the name begins a word, and more letters do not follow it.
pub(super) fn is_of(lower: &str, name: &str) -> bool {
    lower.match_indices(name).any(|(at, _)| {
        let before = lower[..at].bytes().next_back();
        let after = lower[at + name.len()..].bytes().next();
        !before.is_some_and(|byte| byte.is_ascii_alphanumeric())
            && !after.is_some_and(|byte| byte.is_ascii_lowercase())
    })
}
