use crate::advice::set_disk_attribute;
use crate::prelude::*;
use fullwire_model::subject;
use std::collections::BTreeMap;

rule! {
    /// # What it checks
    /// Passes when disks of one vendor and model on one driver have the same command timeout. Applies to three and more.
    ///
    /// # Why it matters
    /// A datastore that fails over pauses for a minute or more. Virtual disks wait 180 s for it, as `VMware` Tools sets them; one
    /// that waits 30 s reports errors, and its file system becomes read-only.
    ///
    /// # Evidence
    /// `device/timeout` of each disk.
    ///
    /// # Remedy
    /// The timeout of the others, by the udev rule that set them.
    ///
    /// # Source
    /// Broadcom (`VMware`) KB 1009465, "Increasing the disk timeout values for a Linux virtual machine" (180 s, by the udev rule
    /// of `VMware` Tools); Linux `drivers/scsi/sd.h` (`SD_TIMEOUT`, 30 s).
    code: "device-timeout-differs",
    title: "one of several equal disks has a shorter command timeout",
    layer: Storage, severity: Warning, on: [Disk],

    /// So many with one value show what is meant.
    const SEVERAL: usize = 2;
}

/// Vendor, model and driver.
type Kind<'a> = (&'a str, &'a str, &'a str);

fn check(run: &Facts) -> Vec<Outcome> {
    let mut alike: BTreeMap<Kind, Vec<(&Disk, u64)>> = BTreeMap::new();
    for disk in facts::whole_disks(&run.host) {
        let Some(scsi) = disk.scsi.as_ref().filter(|_| !disk.model.is_empty()) else { continue };
        let kind = (disk.vendor.as_str(), disk.model.as_str(), scsi.host_driver.as_str());
        let Some(timeout_s) = scsi.timeout_s else {
            return vec![facts::unread(&format!("the timeout of {}", disk.name))];
        };
        alike.entry(kind).or_default().push((disk, timeout_s));
    }
    alike.into_values().filter(|disks| disks.len() > SEVERAL).flat_map(|disks| judge(run, &disks)).collect()
}

fn judge(run: &Run, disks: &[(&Disk, u64)]) -> Vec<Outcome> {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for (_, timeout_s) in disks {
        *counts.entry(*timeout_s).or_default() += 1;
    }
    // What most of them have; with no such value nothing is meant.
    let Some((&usual, &most)) = counts.iter().max_by_key(|(_, count)| **count) else { return Vec::new() };
    let short: Vec<&Disk> = disks.iter().filter(|(_, own)| *own < usual).map(|(disk, _)| *disk).collect();
    if short.is_empty() || most < SEVERAL || most <= short.len() {
        return vec![Outcome::Passes];
    }
    short.into_iter().map(|disk| fires(run, disk, usual, most)).collect()
}

fn fires(run: &Run, disk: &Disk, usual: u64, most: usize) -> Outcome {
    let own = disk.scsi.as_ref().and_then(|scsi| scsi.timeout_s).unwrap_or(0);
    let is_virtual = disk.vendor.trim() == "VMware";
    let is_data = facts::data_devices(run).contains(disk.name.as_str());
    let severity = if is_virtual && is_data { Severity::Warning } else { Severity::Info };
    let name = &disk.name;
    RULE.finding(
        subject::Kind::Disk.named(name),
        format!("a command to {name} times out after {own} s, on {most} disks of its kind after {usual} s"),
    )
    .severity(severity)
    .measured(own as f64, usual as f64, Unit::S)
    .evidence(
        format!("timeout {own} of {name}, {usual} of {most} others"),
        format!("/sys/block/{name}/device/timeout"),
    )
    .advice(
        set_disk_attribute(
            "When the storage pauses, this disk reports an error before the others do.",
            disk,
            "device/timeout",
            &usual.to_string(),
            Some(&own.to_string()),
        )
        .expecting(format!("{usual} in /sys/block/{name}/device/timeout, also after a reboot")),
    )
    .into()
}
