//! Where the I/Os of a step spend their time: Little's law for a layer, whose mean number of requests is their rate times
//! the time of each.

use super::{Target, in_flight, is_alike, is_synced, leaf_layers, slowest_leaf_ns};
use fullwire_model::disk::{DiskStepResult, LayerStats, Operation};
use fullwire_model::host::Disk;

thresholds! {
    /// From so many requests for one I/O on they run side by side, and it waits for the slowest (own choice).
    const SIDE_BY_SIDE: f64 = 1.5;
    /// An I/O that loses less than this share of its time loses nothing that is worth a word: a ninth more without it.
    pub(crate) const FELT: f64 = 0.1;
    /// No burst of a short step goes this far beyond a limit (own choice).
    const BEYOND: f64 = 1.6;
    /// Of a commit's time, the most that one device is said to cost: the rest of it takes time as well.
    const MOST_LOST: f64 = 0.999;
    /// Of a device's requests, from which share on they are writes and not flushes counted a moment later.
    const FEW_WRITES: f64 = 0.1;
    /// Of so many I/Os some wait for nothing that comes and goes (own choice).
    const MANY_IOS: u64 = 20;
    /// A device that takes this many times as long for a request as for one of a load of one I/O is busy itself (own choice).
    const BUSY: f64 = 1.5;
}

/// Requests of the devices for one I/O of a step, all of them together. What is merged is a request all the same.
pub(crate) fn requests_for_one(step: &DiskStepResult) -> f64 {
    step.requests_per_io.unwrap_or(1.0).max(1.0)
}

/// Requests that one I/O of a step is at a device of the stack, as far as statistics count them: a volume has its own count,
/// before its disks split a request, and each disk of a stripe has its part. None of them sees what was merged on its way.
pub(crate) fn requests_at(target: &Target<'_>, step: &DiskStepResult, device: &str) -> f64 {
    let all = requests_for_one(step);
    let leaves: f64 = leaf_layers(target, step).iter().map(|leaf| leaf.iops).sum();
    let own = step.layers.iter().find(|layer| layer.name == device && layer.iops > 0.0);
    own.filter(|_| leaves > 0.0).map_or(all, |own| all * own.iops / leaves)
}

/// The share of a step's bytes that passes a device of the stack: each disk of a stripe has its part, each half of a mirror its
/// reads and all writes. All, where that is not counted.
pub(crate) fn bytes_at(target: &Target<'_>, step: &DiskStepResult, device: &str) -> f64 {
    let of = |name: &str| step.layers.iter().find(|layer| layer.name == name).map(|layer| layer.bytes_per_s);
    let whole = target.stack.first().and_then(|top| of(&top.name)).filter(|whole| *whole > 0.0);
    whole.zip(of(device)).map_or(1.0, |(whole, own)| (own / whole).min(1.0))
}

/// How many I/Os a limit of `most` I/Os a second on a device counts for one of a step. Before Linux 5.18 it counted what
/// came, not what that was split into.
pub(crate) fn throttled_as(target: &Target<'_>, step: &DiskStepResult, device: &str, most: f64) -> f64 {
    let requests = requests_at(target, step, device);
    if requests * step.iops > BEYOND * most { requests.min(1.0) } else { requests }
}

/// The share of its time that an I/O of a step spends above the topmost device, at most: in the program, in the
/// file system, or without a CPU. `None`: nothing counts it.
pub(crate) fn above_devices(target: &Target<'_>, step: &DiskStepResult) -> Option<f64> {
    let top = target.stack.first()?;
    let top = step.layers.iter().find(|layer| layer.name == top.name && layer.iops > 0.0)?;
    let (requests, await_ns) = top.of(step.operation);
    let each_ns = if is_synced(step) {
        // A durable write is several requests, one after the other, and a flush.
        (requests / step.iops).max(1.0) * await_ns + top.flush_await_ns.unwrap_or(0.0)
    } else {
        await_ns
    };
    Some((1.0 - step.iops * each_ns / 1e9 / mean_in_flight(step)).clamp(0.0, 1.0))
}

/// I/Os in flight on average, by Little's law from the rate and the time of each: a step of few slow ones begins and ends with fewer
/// than its plan has.
pub(crate) fn mean_in_flight(step: &DiskStepResult) -> f64 {
    let planned = in_flight(step) as f64;
    let counted = step.iops * step.latency_ns.mean / 1e9;
    if step.latency_ns.count > 0 { counted.clamp(1.0, planned) } else { planned }
}

/// The device above the disks that adds most to their time of a step, with what it adds, ns: what a map does by itself (a
/// delay, a cache, a replica), not what its disks take. `None`: there is none, or it was not counted.
pub(crate) fn between<'a>(target: &Target<'a>, step: &DiskStepResult) -> Option<(&'a Disk, f64)> {
    let of = |name: &str| step.layers.iter().find(|layer| layer.name == name && layer.iops > 0.0);
    let added = target.stack.iter().copied().filter_map(|disk| {
        let below = disk.slaves.iter().filter_map(|slave| of(slave)).map(|layer| layer.of(step.operation).1);
        Some((disk, of(&disk.name)?.of(step.operation).1 - below.reduce(f64::max)?))
    });
    added.max_by(|(_, one), (_, other)| one.total_cmp(other))
}

/// The share of the requests at the devices below that were not of the step: a device that serves one after the other divides
/// its time by it. More requests of ours push the others' aside. `None`: nothing counts them.
pub(crate) fn share_of_others(target: &Target<'_>, step: &DiskStepResult) -> Option<f64> {
    let leaves = leaf_layers(target, step);
    let all: f64 = leaves.iter().map(|leaf| leaf.queue_mean).sum();
    let alike = || leaves.iter().map(|leaf| leaf.of(step.operation));
    let waits_ns: f64 = alike().map(|(requests, await_ns)| requests * await_ns).sum();
    let requests: f64 = alike().map(|(requests, _)| requests).sum();
    if all <= 0.0 || requests <= 0.0 {
        return None;
    }
    let each = requests_for_one(step);
    let own = step.iops * each * waits_ns / requests / 1e9;
    Some((1.0 - own.min(in_flight(step) as f64 * each) / all).max(0.0))
}

/// Reads (or writes) that the storage serves at a time, at least: as many as were in flight while half of them took no longer than
/// one alone. What stands still for a while stretches the mean and not the median.
pub(crate) fn served_together(target: &Target<'_>, operation: Operation) -> f64 {
    let median = |step: &DiskStepResult| Some(step.latency_ns.p50 as f64).filter(|ns| *ns > 0.0);
    let of = |step: &DiskStepResult| {
        let alike = target.singles().filter(|other| is_alike(other, step));
        let alone_ns = alike.filter_map(median).reduce(f64::min)?;
        Some(in_flight(step) as f64 * (alone_ns / median(step)?).min(1.0))
    };
    target.result.steps.iter().filter(|step| step.operation == operation).filter_map(of).fold(0.0, f64::max)
}

/// The share of its time that an I/O of a step takes beyond the quickest of many: at most what comes and goes can cost it, as
/// others do that leave a device idle at times, and lost packets. `None`: too few.
pub(crate) fn beyond_quickest(step: &DiskStepResult) -> Option<f64> {
    let times = &step.latency_ns;
    (times.count >= MANY_IOS && times.mean > 0.0).then(|| (1.0 - times.min as f64 / times.mean).max(0.0))
}

/// Most of the requests at the devices below that were not of the step are writes, or it was not counted what they are.
pub(crate) fn others_write(target: &Target<'_>, step: &DiskStepResult) -> bool {
    let leaves = leaf_layers(target, step);
    let reads: Option<f64> = leaves.iter().map(|leaf| leaf.read_iops).sum();
    let all: f64 = leaves.iter().map(|leaf| leaf.iops).sum();
    let own = step.iops * requests_for_one(step);
    let [own_reads, own_writes] = if step.operation == Operation::Read { [own, 0.0] } else { [0.0, own] };
    reads.is_none_or(|reads| all - reads - own_writes > reads - own_reads)
}

/// How many times less I/Os in flight together give than as many single ones of their kind, beyond what others at the devices
/// take; `None`: no single ones, or nothing counts the others.
pub(crate) fn flatter(target: &Target<'_>, step: &DiskStepResult) -> Option<f64> {
    let alike = target.singles().filter(|other| is_alike(other, step));
    let single = alike.map(|other| other.iops).reduce(f64::max)?;
    let left = 1.0 - share_of_others(target, step)?;
    Some(in_flight(step) as f64 * single * left / step.iops).filter(|times| times.is_finite())
}

/// The share of its time that an I/O of a step loses because one of several devices is slower than the others, of which
/// each takes `usual_ns`.
pub(crate) fn lost_to(
    target: &Target<'_>,
    step: &DiskStepResult,
    parts: &[&LayerStats],
    slow: &str,
    usual_ns: f64,
) -> Option<f64> {
    if let Some(share) =
        Some(step).filter(|step| is_synced(step)).and_then(|_| lost_in_commit(step, parts, slow))
    {
        return Some(share);
    }
    let in_devices = 1.0 - above_devices(target, step).unwrap_or(0.0);
    let of = |part: &LayerStats| part.of(step.operation);
    let own = parts.iter().find(|part| part.name == slow).map(|part| of(part));
    let (requests, await_ns) = own.filter(|(_, await_ns)| *await_ns > usual_ns)?;
    let all: f64 = parts.iter().map(|part| of(part).0).sum();
    if all >= SIDE_BY_SIDE * step.iops {
        return Some(in_devices * (1.0 - usual_ns / await_ns));
    }
    let in_all: f64 = parts.iter().map(|part| of(part)).map(|(requests, await_ns)| requests * await_ns).sum();
    (in_all > 0.0).then(|| in_devices * requests * (await_ns - usual_ns) / in_all)
}

/// The same of a durable write, which waits for its write in one device and then for the flush of each: a device that is quick to
/// write may be slow to flush, and one that took no write but the flushes says nothing of a write. `None`: flushes were not counted.
fn lost_in_commit(step: &DiskStepResult, parts: &[&LayerStats], slow: &str) -> Option<f64> {
    let own = parts.iter().find(|part| part.name == slow).and_then(|part| Durable::of(part))?;
    let others = || parts.iter().filter(|part| part.name != slow).filter_map(|part| Durable::of(part));
    let flush_ns = others().map(|other| other.flush_ns).reduce(f64::max)?;
    let write_ns = others().filter_map(|other| other.write_ns).reduce(f64::max);
    let beyond_ns =
        own.write_ns.zip(write_ns).map_or(0.0, |(own_ns, others_ns)| (own_ns - others_ns).max(0.0));
    let in_write_ns = own.writes / step.iops * beyond_ns;
    let lost_ns = in_write_ns + (own.flush_ns - flush_ns).max(0.0);
    (step.latency_ns.mean > 0.0).then(|| (lost_ns / step.latency_ns.mean).clamp(0.0, MOST_LOST))
}

/// Writes and flushes of a device apart. A flush that a program asks for is an empty write as well (Linux block/blk-flush.c).
pub(crate) struct Durable {
    writes: f64,
    pub(crate) write_ns: Option<f64>,
    pub(crate) flush_ns: f64,
}

impl Durable {
    pub(crate) fn of(part: &LayerStats) -> Option<Self> {
        let (flushes, flush_ns) = part.flushes_per_s.zip(part.flush_await_ns)?;
        let (requests, await_ns) = part.of(Operation::Write);
        let writes = requests - flushes;
        let write_ns = (requests * await_ns - flushes * flush_ns) / writes;
        // Of a few more than flushes nothing can be told.
        let told = writes >= FEW_WRITES * requests && write_ns > 0.0;
        Some(Self { writes, write_ns: told.then_some(write_ns), flush_ns })
    }
}

/// The share of its time that an I/O of a step waits until a device has a place for its requests; nothing where the device
/// itself is what takes longer. `None`: not counted.
pub(crate) fn waits_for_place(target: &Target<'_>, step: &DiskStepResult) -> Option<f64> {
    let own_ns = slowest_leaf_ns(target, step).filter(|_| step.latency_ns.mean > 0.0)?;
    let alike =
        |other: &&DiskStepResult| other.operation == step.operation && other.block_bytes == step.block_bytes;
    let alone_ns =
        target.singles().filter(alike).filter_map(|other| slowest_leaf_ns(target, other)).reduce(f64::min)?;
    Some(if own_ns > BUSY * alone_ns { 0.0 } else { (1.0 - own_ns / step.latency_ns.mean).max(0.0) })
}
