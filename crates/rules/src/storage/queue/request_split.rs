//! # What it checks
//! Passes unless the I/Os of a step were larger than the largest request that a device under the target is set to
//! accept, and were split.
//!
//! # Why it matters
//! Every piece costs a round trip, an interrupt and a slot of the queue; a scan or a backup then runs at a
//! fraction of what the link carries.
//!
//! # Evidence
//! `requests_per_io` of the step (program I/Os against diskstats), and `max_sectors_kb`,
//! `max_hw_sectors_kb` and `max_segments` of each device below.
//!
//! # Remedy
//! Set `max_sectors_kb` to `max_hw_sectors_kb`, at most 1024 or what the array's vendor names (multipath:
//! `max_sectors_kb` in multipath.conf).
//!
//! # Source
//! Linux Documentation/ABI/stable/sysfs-block, `max_sectors_kb` and `max_hw_sectors_kb`; multipath.conf(5),
//! `max_sectors_kb`. The founding figures: 1027 sectors a request, a 1 MiB read split in two at 512 KiB.

use crate::advice::{AdviceExt, set_max_request};
use crate::ceiling::storage::queue::{depth_bound_io_per_s, requests_for};
use crate::explain;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Mechanism, Severity};
use fullwire_model::disk::DiskStepResult;
use fullwire_model::host::{Disk, Host, Queue};
use fullwire_model::quantity::Unit;
use fullwire_model::subject::Kind;

pub(super) const RULE: Rule = Rule {
    code: "request-split",
    title: "large I/Os are split into small requests",
    layer: Layer::Storage,
    severity: Severity::Warning,
    check,
};

/// More requests than this for one I/O are a split (a stray journal write makes no more).
const SPLIT: f64 = 1.05;
/// A fifth of the kernel's own default of 1280 KiB (`BLK_DEF_MAX_SECTORS_CAP`, 2560 sectors): so low a limit was set.
const SMALL_REQUEST_BYTES: u64 = 256 << 10;

fn check(run: &Facts) -> Vec<Outcome> {
    facts::targets(run)
        .iter()
        .filter(|target| !target.stack.is_empty())
        .map(|target| judge(&run.host, target))
        .collect()
}

fn judge(host: &Host, target: &facts::Target<'_>) -> Outcome {
    let largest = target.result.steps.iter().filter(|step| step.ios > 0).max_by_key(|step| step.block_bytes);
    let Some(step) = largest else { return facts::unread(&format!("a step on {}", target.name())) };
    let limits = target.stack.iter().filter_map(|disk| {
        let queue = disk.queue.as_ref()?;
        Some((*disk, queue, queue.max_request_bytes.filter(|bytes| *bytes > 0)?))
    });
    let Some((disk, queue, bytes)) = limits.min_by_key(|(_, _, bytes)| *bytes) else {
        return facts::unread(&format!("max_sectors_kb of {}", target.result.device));
    };
    let split = match requests_per_io(step) {
        Some(requests) => requests > SPLIT,
        None => return facts::unread(&format!("requests per I/O on {}", target.name())),
    };
    if split && step.block_bytes > bytes {
        fires(host, target, step, disk, queue, bytes)
    } else {
        Outcome::Passes
    }
}

/// As the probe counted; else by the mean request of the device at the top.
fn requests_per_io(step: &DiskStepResult) -> Option<f64> {
    let by_size = || {
        let layer = step.layers.iter().find(|layer| layer.mean_request_bytes > 0.0)?;
        Some(step.block_bytes as f64 / layer.mean_request_bytes)
    };
    step.requests_per_io.or_else(by_size)
}

fn fires(
    host: &Host,
    target: &facts::Target<'_>,
    step: &DiskStepResult,
    disk: &Disk,
    queue: &Queue,
    bytes: u64,
) -> Outcome {
    let requests = requests_per_io(step).unwrap_or(1.0);
    let name = &disk.name;
    let hardware = queue.max_hw_request_bytes.unwrap_or(bytes);
    let wanted = hardware.min(step.block_bytes.max(1 << 20));
    let message = format!(
        "each I/O of {} is split into {requests:.1} requests: max_sectors_kb of {name} is {} KiB, the device takes {} KiB",
        facts::size(step.block_bytes),
        bytes >> 10,
        hardware >> 10
    );
    let finding = RULE
        .finding(Kind::Disk.named(name), message)
        .measured(requests, SPLIT, Unit::Ratio)
        .evidence(format!("max_sectors_kb {}, max_hw_sectors_kb {}", bytes >> 10, hardware >> 10), format!("/sys/block/{name}/queue"))
        .evidence(format!("{requests:.2} requests for one I/O of {}", facts::step_name(step)), "/proc/diskstats over the step")
        .advice(
            set_max_request(host, name, wanted, "The pieces queue behind one another; if each takes the same time, throughput falls with their number.")
            .expecting("one request for one I/O, and the sequential rate rises towards the link's"),
        );
    // What the hardware itself cannot take is its nature; what is set far below it is a fault.
    let set_low = bytes <= SMALL_REQUEST_BYTES && hardware >= 2 * bytes;
    if !set_low {
        return finding.path(target.name()).severity(Severity::Info).into();
    }
    let explained = explain::step(target.result, step, Mechanism::RequestSize);
    finding
        .explains([match unsplit(target, step, wanted) {
            Some(rate) => explained.without(rate, Unit::BytesPerS, "device-latency"),
            None => explained,
        }])
        .into()
}

/// Bytes per second of the same requests, each as large as the I/O or as the device takes it (Little). The time of one is
/// taken to stay what it is, which makes this an upper limit.
fn unsplit(target: &facts::Target<'_>, step: &DiskStepResult, largest_bytes: u64) -> Option<f64> {
    let [layer] = facts::leaf_layers(target, step)[..] else { return None };
    let disk = target.leaves().find(|disk| disk.name == layer.name)?;
    let depth = disk.scsi.as_ref().and_then(|scsi| scsi.queue_depth).unwrap_or(u64::MAX);
    let bytes = step.block_bytes.min(largest_bytes);
    let in_flight = facts::in_flight(step) * requests_for(step.block_bytes, bytes);
    let busy = layer.await_ns > 0.0 && layer.iops > 0.0;
    // What waits for a place in the queue is counted with the rest: the time in the device is depth over rate.
    let device_ns = layer.await_ns.min(depth as f64 * 1e9 / layer.iops);
    busy.then(|| depth_bound_io_per_s(in_flight.min(depth), device_ns) * bytes as f64)
}
