//! # What it checks
//! No device-mapper map is suspended, and no SCSI disk below a map, mount or volume is in another state than
//! running.
//!
//! # Why it matters
//! All I/O to a suspended map waits for ever; I/O to an off-line disk fails.
//!
//! # Evidence
//! State of the map; `/sys/block/sdX/device/state`.
//!
//! # Remedy
//! `dmsetup resume NAME`; `echo running > /sys/block/sdX/device/state` after the cause is mended.
//!
//! # Source
//! dmsetup(8), suspend and resume; Linux `Documentation/scsi/scsi_eh.rst` (off-line devices).

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::host::Disk;

pub(super) const RULE: Rule = Rule {
    code: "device-suspended",
    title: "a device is suspended or taken off-line",
    layer: Layer::Storage,
    severity: Severity::Critical,
    text: include_str!("device_suspended.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    let judged = |disk: &&Disk| disk.dm.is_some() || disk.scsi.is_some();
    run.host.disks.iter().filter(judged).map(|disk| judge(run, disk)).collect()
}

fn judge(run: &Run, disk: &Disk) -> Outcome {
    let suspended = disk.dm.as_ref().and_then(|dm| dm.suspended);
    let state = disk.scsi.as_ref().map(|scsi| scsi.state.as_str()).filter(|state| !state.is_empty());
    match (suspended, state) {
        (Some(true), _) => fires(
            run,
            disk,
            "suspended: all I/O to it waits",
            &format!("dmsetup resume {}", disk.dm.as_ref().map_or("", |dm| &dm.name)),
        ),
        (_, Some(state)) if !matches!(state, "running" | "created" | "quiesce") => fires(
            run,
            disk,
            &format!("{state}: I/O to it fails or waits"),
            &format!("echo running > /sys/block/{}/device/state", disk.name),
        ),
        (None, None) => facts::unread(&format!("the state of {}", disk.name)),
        _ => Outcome::Passes,
    }
}

fn fires(run: &Run, disk: &Disk, what: &str, remedy: &str) -> Outcome {
    let finding = RULE
        .finding(&disk.name, format!("{} is {what}", disk.name))
        .evidence(what, format!("/sys/block/{}", disk.name))
        .advice(
            because("Processes that touch the device hang in uninterruptible sleep or get errors.")
                .now("dmesg | tail -50    # why")
                .now(remedy)
                .persist("mend the path, disk or the LVM command that was interrupted")
                .expecting("state running (LIVE) and I/O that completes"),
        );
    let targets = facts::targets(run);
    let waits = |target: &&facts::Target| {
        target.result.unanswered().is_some() && target.suspended().is_some_and(|map| map.name == disk.name)
    };
    match targets.iter().find(waits) {
        Some(target) => finding.path(target.name()).limits(Cause::Fault).into(),
        None => finding.into(),
    }
}
