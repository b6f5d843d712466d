//! # What it checks
//! Passes when each file system with database files or a measured target is in `/etc/fstab`.
//!
//! # Why it matters
//! What was mounted by hand is gone after a reboot, and the database does not start.
//!
//! # Evidence
//! `/etc/fstab` and the mounts. Mounts by a cluster manager, an automounter or a separate systemd unit
//! are in order; they are listed because fstab cannot tell.
//!
//! # Remedy
//! A line in `/etc/fstab`, unless something else mounts it.
//!
//! # Source
//! fstab(5); systemd.mount(5).

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Advice, Layer, Severity};
use fullwire_model::host::Mount;

pub(super) const RULE: Rule = Rule {
    code: "fstab-missing",
    title: "a mount with database files is not in fstab",
    layer: Layer::Storage,
    severity: Severity::Info,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    let data = facts::data_mounts(run);
    if data.is_empty() {
        return Vec::new();
    }
    let host = &run.host;
    let Some(fstab) = host.fstab.as_ref() else { return vec![facts::unread("/etc/fstab")] };
    let kept = |mount: &Mount| fstab.iter().any(|entry| entry.target == mount.target);
    let by_hand: Vec<Outcome> = host
        .mounts
        .iter()
        .filter(|mount| data.contains(mount.target.as_str()) && !kept(mount))
        .filter(|mount| {
            !matches!(mount.fs_type.as_str(), "overlay" | "tmpfs" | "devtmpfs" | "autofs" | "rootfs")
                && mount.target != "/"
        })
        .map(fires)
        .collect();
    if by_hand.is_empty() { vec![Outcome::Passes] } else { by_hand }
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
    let (target, source, fs_type) = (&mount.target, &mount.source, &mount.fs_type);
    let advice = because("")
        .run("systemctl list-units --type=mount --type=automount --all", "Shows whether a unit mounts it")
        .now("Ask the cluster manager as well (`crsctl stat res -t`, `pcs status`): what it mounts must not be in fstab, or two hosts write to one file system");
    match line(mount) {
        None => advice.persist(format!(
            "No line of fstab: {fs_type} mounts {target} itself (ZFS by `zfs set mountpoint`, a subvolume or cluster \
             file system by its own tools)"
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
    let clustered =
        ["gfs2", "ocfs2", "acfs", "vxfs", "gpfs", "zfs", "lustre", "ceph"].contains(&fs_type.as_str());
    (!clustered && (fs_type != "btrfs" || !subvolume)).then(|| {
        format!("UUID=... {target} {fs_type} defaults,nofail 0 0 (and _netdev for a disk over iSCSI or FCoE)")
    })
}
