//! What queues between the program and the medium take at a time, by Little's law. Each is an estimate: the time of one
//! I/O alone represents the time that each takes. An I/O that is split takes a place for each of its requests.

use super::queue::{depth_bound_io_per_s, mean_queue, requests_for};
use crate::ceiling::made::Made;
use crate::facts::{self, Target, residence};
use fullwire_model::Run;
use fullwire_model::assessment::{Ceiling, Layer};
use fullwire_model::disk::DiskStepResult;
use fullwire_model::host::{Disk, Host, NfsMount};
use fullwire_model::quantity::Unit;
use std::collections::BTreeMap;

/// Queues that a step fills: those that take no less than it has in flight bound nothing.
pub(super) fn ceilings(run: &Run, target: &Target<'_>, step: &DiskStepResult) -> Vec<Ceiling> {
    let Some(latency_ns) = alone(target, step) else { return Vec::new() };
    let host = &run.host;
    let queues = [
        disks(host, target, step),
        adapters(host, target, step),
        requests(target, step),
        nfs(host, target, step),
    ];
    let filled = queues.into_iter().flatten().filter(|queue| queue.ios() < facts::in_flight(step) as f64);
    filled.map(|queue| queue.made(step, latency_ns).of(target, step)).collect()
}

/// A queue that takes no more requests at a time.
struct Queue {
    kind: &'static str,
    subject: String,
    depth: u64,
    source: String,
    layer: Layer,
    /// Requests for one I/O.
    requests_per_io: f64,
    counted_by: &'static str,
}

impl Queue {
    /// I/Os that are in it at a time. One that has more requests than places waits for itself, alone as well.
    fn ios(&self) -> f64 {
        (self.depth as f64 / self.requests_per_io).max(1.0)
    }

    fn made(self, step: &DiskStepResult, latency_ns: f64) -> Made {
        let io_per_s = self.ios() * depth_bound_io_per_s(1, latency_ns);
        Made::storage(self.kind, self.subject, io_per_s, Unit::IoPerS)
            .formula("I/Os whose requests the queue takes at a time, at least 1 ÷ latency (Little)")
            .input("depth", self.depth as f64, self.source)
            .input("requests_per_io", self.requests_per_io, self.counted_by)
            .input(
                "latency_mean_ns",
                latency_ns,
                "the same I/O with one in flight: /proc/diskstats, or the probe where the device counts none",
            )
            .input(
                "in_flight_mean",
                mean_queue(step.iops, step.latency_ns.mean),
                "probe, I/Os per second × mean latency of this step",
            )
            .layer(self.layer)
            .soft(true)
            .removable()
    }
}

/// The mean time of the same I/O with nothing else in flight.
fn alone(target: &Target<'_>, step: &DiskStepResult) -> Option<f64> {
    let alone = target.singles().filter(|other| {
        other.operation == step.operation
            && other.block_bytes == step.block_bytes
            && !facts::is_synced(other)
            && other.latency_ns.count > 0
    });
    alone.map(|other| in_device(target, other).unwrap_or(other.latency_ns.mean)).reduce(f64::min)
}

thresholds! {
    /// More requests for one I/O than this: it is split, and its time is not that of a request.
    const WHOLE: f64 = 1.05;
    /// Slots of an `NFSv4.1` session that Linux requests (`nfs.max_session_slots`; `NFS4_DEF_SLOT_TABLE_SIZE`).
    const SESSION_SLOTS: u64 = 64;
}

/// The time in the devices where they count it, an I/O at a time: what delays it above them (a control group's limit)
/// takes no place in their queues.
fn in_device(target: &Target<'_>, step: &DiskStepResult) -> Option<f64> {
    let whole = step.requests_per_io.is_some_and(|requests| requests <= WHOLE);
    facts::slowest_leaf_ns(target, step)
        .filter(|ns| whole && *ns > 0.0)
        .map(|ns| ns.min(step.latency_ns.mean))
}

/// Where it is counted.
const COUNTED: &str = "/proc/diskstats over the step";

/// Disks and paths that carry: those in reserve queue nothing.
fn in_use<'a>(host: &'a Host, target: &'a Target<'a>) -> impl Iterator<Item = &'a Disk> {
    target.leaves().filter(|disk| !facts::is_idle_path(host, &disk.name))
}

/// SCSI commands that each disk takes, all paths together.
fn disks(host: &Host, target: &Target<'_>, step: &DiskStepResult) -> Option<Queue> {
    let depths: Vec<(&Disk, u64)> =
        in_use(host, target).filter_map(|disk| Some((disk, disk.scsi.as_ref()?.queue_depth?))).collect();
    let names: Vec<&str> = depths.iter().map(|(disk, _)| disk.name.as_str()).collect();
    let depth: u64 = depths.iter().map(|(_, depth)| *depth).fold(0, u64::saturating_add);
    (depth > 0).then(|| Queue {
        kind: "queue-depth",
        subject: facts::listed(&names),
        depth,
        source: "/sys/block/*/device/queue_depth".into(),
        layer: Layer::Storage,
        requests_per_io: residence::requests_for_one(step),
        counted_by: COUNTED,
    })
}

/// Commands that the adapters take for all their disks together: `can_queue`, of an iSCSI session its `cmds_max`.
fn adapters(host: &Host, target: &Target<'_>, step: &DiskStepResult) -> Option<Queue> {
    let mut adapters: BTreeMap<&str, u64> = BTreeMap::new();
    for disk in in_use(host, target) {
        let scsi = disk.scsi.as_ref()?;
        let number = scsi.address.split(':').next().filter(|number| !number.is_empty())?;
        adapters.insert(number, scsi.host_can_queue.filter(|commands| *commands > 0)?);
    }
    let names: Vec<String> = adapters.keys().map(|number| format!("host{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    (!adapters.is_empty()).then(|| Queue {
        kind: "adapter-queue",
        subject: facts::listed(&names),
        depth: adapters.values().fold(0, |sum: u64, one| sum.saturating_add(*one)),
        source: "/sys/class/scsi_host/*/can_queue".into(),
        layer: Layer::Storage,
        requests_per_io: residence::requests_for_one(step),
        counted_by: COUNTED,
    })
}

/// Requests of devices without SCSI (virtio, `NVMe`): those of each queue times the queues that the threads can use.
fn requests(target: &Target<'_>, step: &DiskStepResult) -> Option<Queue> {
    let mut depth = 0;
    let mut names = Vec::new();
    for disk in target.leaves().filter(|disk| disk.scsi.is_none()) {
        let queue = disk.queue.as_ref()?;
        let slots = disk
            .nvme
            .as_ref()
            .and_then(|nvme| nvme.controllers.iter().filter_map(|one| one.queue_slots).min());
        let each = queue.nr_requests.into_iter().chain(slots).filter(|slots| *slots > 0).min()?;
        let queues = queue.hardware_queues.unwrap_or(1).max(1).min(u64::from(step.threads.max(1)));
        depth += each * queues;
        names.push(disk.name.as_str());
    }
    (depth > 0).then(|| Queue {
        kind: "request-slots",
        subject: facts::listed(&names),
        depth,
        source: "/sys/block/*/queue/nr_requests, NVMe sqsize; hardware queues that the threads can use"
            .into(),
        layer: Layer::Storage,
        requests_per_io: residence::requests_for_one(step),
        counted_by: COUNTED,
    })
}

/// Calls that the NFS client has in progress: of a version 3 mount the slots of each connection, from 4.1 on those of the
/// one session, whatever connections it has. A server may grant fewer.
fn nfs(host: &Host, target: &Target<'_>, step: &DiskStepResult) -> Option<Queue> {
    let mount = target.mount?;
    let nfs = mount.nfs.as_ref()?;
    let (slots, source) = nfs_slots(host, nfs)?;
    let call = match step.operation {
        fullwire_model::disk::Operation::Write => nfs.wsize_bytes,
        _ => nfs.rsize_bytes,
    };
    let calls = call.map_or(1, |bytes| requests_for(step.block_bytes, bytes));
    Some(Queue {
        kind: "nfs-slots",
        subject: mount.target.clone(),
        depth: slots,
        source: source.into(),
        layer: Layer::Storage,
        requests_per_io: calls as f64,
        counted_by: "rsize or wsize of the mount",
    })
}

fn nfs_slots(host: &Host, nfs: &NfsMount) -> Option<(u64, &'static str)> {
    match nfs.version.as_str() {
        "4.1" | "4.2" => Some((SESSION_SLOTS, "slots of a session, the client's default")),
        "3" | "4.0" => {
            let most = host.sysctl_number("sunrpc.tcp_max_slot_table_entries")?;
            let all = most.saturating_mul(nfs.nconnect.max(1));
            Some((all, "sunrpc.tcp_max_slot_table_entries × connections"))
        }
        _ => None,
    }
}
