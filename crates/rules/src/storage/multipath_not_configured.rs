//! # What it checks
//! No two SCSI disks carry the same world-wide name without a multipath map (or native NVMe multipath) above
//! them.
//!
//! # Why it matters
//! Whatever uses one of these disks stops when its path fails, and writing through two of them at once
//! destroys data.
//!
//! # Evidence
//! World-wide name of each SCSI disk (`device/wwid`) and its holders.
//!
//! # Remedy
//! Enable device-mapper multipath (`mpathconf --enable`, `multipathd`), and use `/dev/mapper/…` from then
//! on.
//!
//! # Source
//! Linux kernel, SCSI device attribute wwid (`drivers/scsi/scsi_sysfs.c`); multipath.conf(5), `find_multipaths`;
//! NetApp ontap-apps-dbs, oracle-host-config-linux.adoc (multipathd).

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::{Disk, Host};
use fullwire_model::quantity::Unit;
use std::collections::BTreeMap;

pub(super) const RULE: Rule = Rule {
    code: "multipath-not-configured",
    title: "one disk is visible over several paths without a multipath map",
    layer: Layer::Storage,
    severity: Severity::Critical,
    text: include_str!("multipath_not_configured.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    let host = &run.host;
    let mut by_wwid: BTreeMap<&str, Vec<&Disk>> = BTreeMap::new();
    let scsi: Vec<&Disk> = facts::whole_disks(host).filter(|disk| disk.scsi.is_some()).collect();
    for disk in &scsi {
        if is_identity(&disk.wwid) {
            by_wwid.entry(&disk.wwid).or_default().push(disk);
        }
    }
    if by_wwid.is_empty() && scsi.len() > 1 {
        return vec![facts::unread("the world-wide names of the SCSI disks")];
    }
    by_wwid.into_iter().map(|(wwid, disks)| judge(host, wwid, &disks)).collect()
}

/// Emulated disks often leave the identity empty or say the vendor's name alone.
fn is_identity(wwid: &str) -> bool {
    let digits = wwid.trim().trim_start_matches("naa.").trim_start_matches("eui.");
    digits.len() >= 8 && !digits.chars().all(|digit| digit == '0')
}

fn judge(host: &Host, wwid: &str, disks: &[&Disk]) -> Outcome {
    let mapped = |disk: &&Disk| {
        disk.holders.iter().any(|holder| host.disk(holder).is_some_and(|above| above.kind == "multipath"))
            || host
                .multipath
                .iter()
                .any(|map| map.groups.iter().any(|g| g.paths.iter().any(|p| p.device == disk.name)))
    };
    if disks.len() < 2 || disks.iter().any(mapped) { Outcome::Passes } else { fires(wwid, disks) }
}

fn fires(wwid: &str, disks: &[&Disk]) -> Outcome {
    let names: Vec<&str> = disks.iter().map(|disk| disk.name.as_str()).collect();
    let count = names.len();
    RULE.finding(
        names[0],
        format!("{} are {count} paths to one disk ({wwid}), and no multipath map joins them: multipath is not configured", facts::listed(&names)),
    )
    .measured(count as f64, 1.0, Unit::Count)
    .evidence(format!("wwid {wwid} of {}", facts::listed(&names)), format!("/sys/block/{}/device/wwid", names[0]))
    .advice(
        because("A path that fails takes its users down although another one works; two users of one disk under two names destroy its data.")
            .now("mpathconf --enable --with_multipathd y    # RHEL and its kin; Debian: apt install multipath-tools; SLES: systemctl enable --now multipathd")
            .now("multipath -ll    # the map, with all its paths")
            .persist("use /dev/mapper/NAME (or the UUID) in fstab, LVM filter and database; rebuild the initramfs (dracut -f, update-initramfs -u)")
            .undo("mpathconf --disable; systemctl disable --now multipathd")
            .expecting(format!("one map with {count} paths in `multipath -ll`")),
    )
    .into()
}
