//! # What it checks
//! Passes when no mounted file system and no swap area is directly on a disk that is a path of a multipath map.
//!
//! # Why it matters
//! The mount bypasses the map: when this path fails, the file system fails although the map still works;
//! access over both corrupts data.
//!
//! # Evidence
//! Mounted devices and the paths of every map.
//!
//! # Remedy
//! Mount the map (`/dev/mapper/…` or its UUID) instead, and rebuild the initramfs with multipath in it.
//!
//! # Source
//! multipath.conf(5), `find_multipaths`; Red Hat Enterprise Linux, Configuring device mapper multipathing
//! (multipath devices in LVM and fstab).

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Risk, Severity};
use fullwire_model::host::{Disk, Host, MultipathMap};

pub(super) const RULE: Rule = Rule {
    code: "multipath-path-mounted",
    title: "a file system is mounted on a single path of a multipath disk",
    layer: Layer::Storage,
    severity: Severity::Critical,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    if host.multipath.is_empty() {
        return Vec::new();
    }
    if host.mounts.is_empty() {
        return vec![facts::unread("the list of mounts")];
    }
    host.multipath.iter().map(|map| judge(host, map)).collect()
}

fn judge(host: &Host, map: &MultipathMap) -> Outcome {
    let is_path = |disk: &Disk| {
        let whole = disk.parent().unwrap_or(&disk.name);
        map.groups.iter().any(|group| group.paths.iter().any(|path| path.device == whole))
    };
    let mounted = host.mounts.iter().find_map(|mount| {
        let disk = host.disk_by_number(&mount.number)?;
        is_path(disk).then_some((mount, disk))
    });
    let Some((mount, disk)) = mounted else { return Outcome::Passes };
    RULE.finding(&mount.target, format!("{} is mounted from {}, a single path of multipath map {}", mount.target, disk.name, map.name))
        .evidence(format!("{} on {}", mount.source, mount.target), "/proc/self/mountinfo")
        .advice(
            because("The file system does not follow the map when this path fails.")
                .now(format!("Stop what uses {0}, `umount {0}`, then `mount /dev/mapper/{1} {0}`", mount.target, map.name)).risk(Risk::Downtime)
                .persist(format!("In /etc/fstab: UUID= or /dev/mapper/{}; in LVM: a filter that leaves the paths out; then `dracut -f` or `update-initramfs -u`", map.name))
                .undo("Mount it as it was").risk(Risk::Downtime)
                .expecting("`lsblk` shows the mount point below the map, not below the path"),
        )
        .into()
}
