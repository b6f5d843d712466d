//! # What it checks
//! Passes when `max_sectors_kb` of data disks is at least 1024 where `max_hw_sectors_kb` allows it.
//!
//! # Why it matters
//! A scan of 1 MiB, the largest read of a database, is split; on a high-latency link each piece costs its
//! own round trip.
//!
//! # Evidence
//! `queue/max_sectors_kb`, `queue/max_hw_sectors_kb`.
//!
//! # Remedy
//! `echo 1024 > /sys/block/X/queue/max_sectors_kb`, or multipath.conf.
//!
//! # Source
//! Linux Documentation/ABI/stable/sysfs-block, `max_sectors_kb`; NetApp ontap-apps-dbs, lvm-striping.adoc (1
//! MB I/O).

use crate::advice::{AdviceExt, set_max_request};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::{Disk, Host};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "queue-max-request",
    title: "max_sectors_kb is below 1 MiB although the device accepts more",
    layer: Layer::Storage,
    severity: Severity::Info,
    check,
};

/// The largest I/O of the databases; see Source.
const WANTED_BYTES: u64 = 1 << 20;

fn check(run: &Facts) -> Vec<Outcome> {
    let data = facts::data_devices(run);
    run.host
        .disks
        .iter()
        .filter(|disk| data.contains(disk.name.as_str()) && disk.partition.is_none())
        .map(|disk| judge(&run.host, disk))
        .collect()
}

fn judge(host: &Host, disk: &Disk) -> Outcome {
    let queue = disk.queue.as_ref();
    let (Some(set), Some(hardware)) =
        (queue.and_then(|queue| queue.max_request_bytes), queue.and_then(|queue| queue.max_hw_request_bytes))
    else {
        return facts::unread(&format!("max_sectors_kb of {}", disk.name));
    };
    let wanted = WANTED_BYTES.min(hardware);
    if set >= wanted {
        return Outcome::Passes;
    }
    RULE.finding(
        &disk.name,
        format!(
            "{} accepts requests of at most {} (max_sectors_kb {}), its hardware {}",
            disk.name,
            facts::size(set),
            set >> 10,
            facts::size(hardware)
        ),
    )
    .measured(set as f64, wanted as f64, Unit::Bytes)
    .evidence(
        format!("max_sectors_kb {}, max_hw_sectors_kb {}", set >> 10, hardware >> 10),
        format!("/sys/block/{}/queue", disk.name),
    )
    .advice(
        set_max_request(host, &disk.name, wanted, "Smaller requests mean more of them for the same bytes.")
            .expecting("one request for a 1 MiB read; `fullwire disk --sweep block` shows the plateau gone"),
    )
    .into()
}
