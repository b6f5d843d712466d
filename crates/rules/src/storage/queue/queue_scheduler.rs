//! # What it checks
//! Passes when devices that sort or share by themselves (flash, arrays behind multipath, virtual disks) use `none`
//! or `mq-deadline`.
//!
//! # Why it matters
//! bfq and cfq hold requests back and idle between processes: on fast devices they cost IOPS and CPU and
//! delay commits.
//!
//! # Evidence
//! `queue/scheduler`.
//!
//! # Remedy
//! `none` (NVMe, virtual, multipath) or `mq-deadline`.
//!
//! # Source
//! NetApp ontap-apps-dbs, oracle-host-config-linux.adoc; SUSE saptune note 1984787; Linux
//! Documentation/block/{bfq-iosched,deadline-iosched}.rst (bfq's own cost per I/O).

use crate::advice::{AdviceExt, because, set_disk_attribute};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Advice, Layer, Severity};
use fullwire_model::host::Disk;
use std::collections::BTreeSet;

pub(super) const RULE: Rule = Rule {
    code: "queue-scheduler",
    title: "an I/O scheduler for single disks is used for an array, flash or virtual disk",
    layer: Layer::Storage,
    severity: Severity::Warning,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    let data = facts::data_devices(run);
    let mut wrong: Vec<(&Disk, &str)> = Vec::new();
    let mut read = 0;
    for disk in facts::whole_disks(&run.host) {
        if let Some(scheduler) = disk.queue.as_ref().and_then(|queue| queue.scheduler.as_deref()) {
            read += 1;
            // Before a single disk that turns, sorting is what these are for.
            let turns = disk.queue.as_ref().and_then(|queue| queue.rotational) == Some(true);
            let single = turns && matches!(disk.transport.as_str(), "sata" | "sas" | "usb");
            if matches!(scheduler, "bfq" | "cfq") && !single {
                wrong.push((disk, scheduler));
            }
        }
    }
    if read == 0 {
        return if run.host.disks.is_empty() { Vec::new() } else { vec![facts::unread("queue/scheduler")] };
    }
    if wrong.is_empty() { vec![Outcome::Passes] } else { vec![fires(&wrong, &data)] }
}

/// Each disk gets the nearest to nothing that its kernel offers: `none`, or `noop` where requests do not pass blk-mq.
fn advice(wrong: &[(&Disk, &str)]) -> Advice {
    const WHY: &str =
        "The device orders requests better than the host can; delaying them here only adds latency.";
    wrong.iter().fold(because(WHY), |advice, (disk, scheduler)| {
        let offered = disk.queue.as_ref().map_or(&[][..], |queue| &queue.schedulers);
        let offers = |name: &str| offered.iter().any(|one| one == name);
        // cfq exists only where requests do not pass blk-mq; there is no `none` for SCSI disks then.
        let legacy = *scheduler == "cfq" || offers("noop");
        let wanted = if legacy && !offers("none") { "noop" } else { "none" };
        advice.and(set_disk_attribute(WHY, disk, "queue/scheduler", wanted, Some(*scheduler)))
    })
}

fn fires(wrong: &[(&Disk, &str)], data: &BTreeSet<&str>) -> Outcome {
    let names: Vec<&str> = wrong.iter().map(|(disk, _)| disk.name.as_str()).collect();
    let (first, scheduler) = wrong[0];
    let severity = if wrong.iter().any(|(disk, _)| data.contains(disk.name.as_str())) {
        Severity::Warning
    } else {
        Severity::Info
    };
    RULE.finding(
        &first.name,
        format!(
            "I/O scheduler {scheduler} on {}: none or mq-deadline suits arrays, flash and virtual disks",
            facts::listed(&names)
        ),
    )
    .also(names[1..].iter().copied())
    .severity(severity)
    .evidence(format!("{} {scheduler}", first.name), format!("/sys/block/{}/queue/scheduler", first.name))
    .advice(advice(wrong).expecting("more I/Os per second at depth, lower p99 of commits during reads"))
    .into()
}
