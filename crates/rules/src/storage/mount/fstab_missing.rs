//! # What it checks
//! Passes when each file system with database files or a measured target is in `/etc/fstab`.
//!
//! # Why it matters
//! What was mounted by hand is gone after a reboot, and the database does not start.
//!
//! # Evidence
//! `/etc/fstab`, the mounts and the systemd units. What ZFS, a cluster file system, an automounter, a unit of its own or
//! a container's runtime mounts is in order; a mount by a cluster manager is listed because fstab cannot tell.
//!
//! # Remedy
//! A line in `/etc/fstab`, unless something else mounts it.
//!
//! # Source
//! fstab(5); systemd.mount(5); zfsprops(7), `mountpoint` (only `legacy` is mounted by fstab); autofs(5).

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Advice, Layer, Severity};
use fullwire_model::host::{Host, Mount};

pub(super) const RULE: Rule = Rule {
    code: "fstab-missing",
    title: "a mount with database files is not in fstab",
    layer: Layer::Storage,
    severity: Severity::Info,
    check,
};

/// File systems that a line of fstab mounts. The others have their own ways: ZFS by the property of the dataset, ACFS,
/// GFS2 and OCFS2 by the cluster, `VxFS` and GPFS by their daemons, squashfs by snapd, overlays by a container's runtime.
const BY_FSTAB: [&str; 11] =
    ["ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "jfs", "nfs", "nfs4", "lustre", "ceph"];

/// Where something else mounts for itself: containers, virtual machines, snaps, what is gone after a boot.
const OF_OTHERS: [&str; 9] = [
    "/run",
    "/snap",
    "/var/snap",
    "/var/lib/docker",
    "/var/lib/containers",
    "/var/lib/containerd",
    "/var/lib/kubelet",
    "/var/lib/lxc",
    "/var/lib/machines",
];

fn check(run: &Facts) -> Vec<Outcome> {
    let data = facts::data_mounts(run);
    let host = &run.host;
    // A container has mounts that its runtime made, and no fstab that says so.
    let in_container = host.mounts.iter().any(|mount| mount.target == "/" && mount.fs_type == "overlay");
    if data.is_empty() || in_container {
        return Vec::new();
    }
    let Some(fstab) = host.fstab.as_ref() else { return vec![facts::unread("/etc/fstab")] };
    let kept = |mount: &Mount| fstab.iter().any(|entry| entry.target == mount.target);
    let wanted = |mount: &&Mount| data.contains(mount.target.as_str()) && !kept(mount);
    let by_hand = host.mounts.iter().filter(wanted).filter(|mount| is_of_fstab(host, mount));
    let by_hand: Vec<Outcome> = by_hand.map(fires).collect();
    if by_hand.is_empty() { vec![Outcome::Passes] } else { by_hand }
}

/// Nothing but fstab is known to mount it.
fn is_of_fstab(host: &Host, mount: &Mount) -> bool {
    let by_automounter = || {
        host.mounts.iter().any(|other| {
            other.fs_type == "autofs"
                && (other.target == mount.target || is_below(&mount.target, &other.target))
        })
    };
    BY_FSTAB.contains(&mount.fs_type.as_str())
        && mount.target != "/"
        && mount.unit.is_none()
        && !OF_OTHERS.iter().any(|top| is_below(&mount.target, top))
        && !by_automounter()
}

fn is_below(target: &str, top: &str) -> bool {
    top != "/" && target.strip_prefix(top).is_some_and(|rest| rest.starts_with('/'))
}

fn fires(mount: &Mount) -> Outcome {
    let (target, source, fs_type) = (&mount.target, &mount.source, &mount.fs_type);
    RULE.finding(
        target,
        format!("{target} ({source}) is not in /etc/fstab: does something mount it after a reboot?"),
    )
    .evidence(format!("{source} on {target} type {fs_type}"), "/proc/self/mountinfo, /etc/fstab")
    .advice(
        because("A mount made by hand is forgotten at the next reboot.")
            .and(remedy(mount))
            .expecting("`findmnt --verify` finds nothing, the mount is there after a reboot"),
    )
    .into()
}

/// A line that finds the file system by its UUID and lets the host start without it; none for what is mounted by
/// other means.
fn remedy(mount: &Mount) -> Advice {
    let (target, source) = (&mount.target, &mount.source);
    let advice = because("")
        .run("systemctl list-units --type=mount --type=automount --all", "Shows whether a unit mounts it")
        .now("Ask the cluster manager as well (`crsctl stat res -t`, `pcs status`): what it mounts must not be in fstab, or two hosts write to one file system");
    match line(mount) {
        None => advice.persist(format!(
            "Only if nothing else owns it: a line with the options in use, among them subvol= (`findmnt -no OPTIONS {target}`)"
        )),
        Some(line) => advice
            .persist(format!("Only if nothing else owns it, add to /etc/fstab: {line}"))
            .needs("no unit, cluster manager or automounter mounts it")
            .persist(format!("`findmnt -no UUID {source}` shows the UUID; `findmnt --verify` checks the file")),
    }
    .undo("Take the line out again")
}

/// As fstab(5) has it.
fn line(mount: &Mount) -> Option<String> {
    let (target, fs_type) = (&mount.target, &mount.fs_type);
    if mount.nfs.is_some() {
        return Some(format!(
            "{} {target} {fs_type} defaults,nofail,_netdev 0 0 (with the options in use)",
            mount.source
        ));
    }
    let subvolume = mount.option("subvol").is_some_and(|path| path != "/");
    (fs_type != "btrfs" || !subvolume).then(|| {
        format!("UUID=... {target} {fs_type} defaults,nofail 0 0 (and _netdev for a disk over iSCSI or FCoE)")
    })
}
