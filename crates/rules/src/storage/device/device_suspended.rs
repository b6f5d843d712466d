//! # What it checks
//! Passes when no device-mapper map is suspended, and no SCSI disk below a map, mount or volume is in another state
//! than running.
//!
//! # Why it matters
//! All I/O to a suspended map waits forever; I/O to an off-line disk fails.
//!
//! # Evidence
//! State of the map; `/sys/block/sdX/device/state`.
//!
//! # Remedy
//! `dmsetup resume NAME`; `echo running > /sys/block/sdX/device/state` after the cause is fixed.
//!
//! # Source
//! dmsetup(8), suspend and resume; Linux `Documentation/scsi/scsi_eh.rst` (off-line devices).

use crate::advice::{AdviceExt, because, sh};
use crate::explain;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Mechanism, Severity};
use fullwire_model::host::Disk;

pub(super) const RULE: Rule = Rule {
    code: "device-suspended",
    title: "a device is suspended or offline",
    layer: Layer::Storage,
    severity: Severity::Critical,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
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
            &sh!("dmsetup resume {}", disk.dm.as_ref().map_or("", |dm| &dm.name)),
        ),
        (_, Some(state)) if !matches!(state, "running" | "created" | "quiesce") => fires(
            run,
            disk,
            &format!("{state}: I/O to it fails or waits"),
            &sh!("echo running > /sys/block/{}/device/state", disk.name),
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
                .run("dmesg | tail -n 50", "Shows why")
                .run(remedy, "Resumes I/O")
                .needs("the path or disk works again, and no LVM or multipath command is still at work on it")
                .persist("Repair the path, the disk, or what the interrupted LVM command left")
                .undo("Nothing to undo")
                .expecting("state running (LIVE) and I/O that completes"),
        );
    let targets = facts::targets(run);
    let waits = |target: &&facts::Target| {
        target.result.unanswered().is_some() && target.suspended().is_some_and(|map| map.name == disk.name)
    };
    let waiting = targets.iter().filter(waits);
    finding.explains(waiting.map(|target| explain::target(target, Mechanism::Suspended).active(1.0))).into()
}
