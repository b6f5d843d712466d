//! What queues, settings and flushes allow: each bounds one step, none makes a path full wire.

use super::queue::{
    commits_per_s, depth_bound_io_per_s, largest_request_bytes, request_bound_bytes_per_s, requests_for,
};
use crate::ceiling::made::Made;
use crate::facts::{self, Target, residence};
use fullwire_model::Run;
use fullwire_model::assessment::{Ceiling, Layer};
use fullwire_model::disk::{DiskStepResult, LayerStats, Operation};
use fullwire_model::host::IoMax;
use fullwire_model::quantity::Unit;

/// The limits of one step.
pub(super) fn ceilings(run: &Run, target: &Target<'_>, step: &DiskStepResult) -> Vec<Ceiling> {
    let mut made: Vec<Made> = Vec::new();
    made.extend(request_size(run, target, step));
    made.extend(flush(target, step));
    made.extend(io_max(run, target, step));
    made.extend(device_latency(target, step));
    made.extend(generator(target, step));
    made.into_iter().map(|made| made.of(target, step)).collect()
}

/// Smallest request limit of the stack times the rate of requests seen: what larger requests would lift.
fn request_size(run: &Run, target: &Target<'_>, step: &DiskStepResult) -> Option<Made> {
    // The smallest that any kernel has; a host that was measured says its own.
    let page = run.host.os.page_bytes.max(4096);
    let limits = target.stack.iter().filter_map(|disk| {
        let queue = disk.queue.as_ref()?;
        let set = queue.max_request_bytes.filter(|bytes| *bytes > 0)?;
        // In huge pages one segment holds many pages: their number is no limit.
        let segments = queue.max_segments.filter(|_| !step.huge_pages);
        Some((*disk, largest_request_bytes(set, segments, page)))
    });
    let (disk, largest) = limits.min_by_key(|(_, bytes)| *bytes)?;
    let requests = requests_for(step.block_bytes, largest);
    let rate = step.iops * step.requests_per_io?;
    // Requests that find a place at once cost nothing.
    let free = residence::waits_for_place(target, step).is_some_and(|share| share < residence::FELT);
    if requests < 2 || rate <= 0.0 || free {
        return None;
    }
    Some(
        Made::storage(
            "request-size",
            &disk.name,
            request_bound_bytes_per_s(largest as f64, rate),
            Unit::BytesPerS,
        )
        .formula("largest request × requests per second")
        .input(
            "largest_request_bytes",
            largest as f64,
            format!("/sys/block/{}/queue/max_sectors_kb, max_segments", disk.name),
        )
        .input("requests_per_s", rate, "probe: I/Os per second × requests for one I/O")
        .soft(true)
        .removable(),
    )
}

/// One log writer cannot commit faster than its durable write.
fn flush(target: &Target<'_>, step: &DiskStepResult) -> Option<Made> {
    if !facts::is_synced(step) || facts::in_flight(step) != 1 || step.latency_ns.count == 0 {
        return None;
    }
    // Little's law: how much of the time a write was in flight. Our own probes do nothing else.
    let writing = step.iops * step.latency_ns.mean / 1e9;
    if !target.result.imported_from.is_empty() && writing < WRITING {
        return None;
    }
    let device = if target.result.device.is_empty() { target.name().as_str() } else { &target.result.device };
    Some(
        Made::storage("durable-write", device, commits_per_s(step.latency_ns.mean), Unit::IoPerS)
            .formula("1 ÷ latency of a durable write (one log writer, no group commit)")
            .input("latency_mean_ns", step.latency_ns.mean, "probe, flush included")
            .soft(true),
    )
}

/// The control group's hard limits on a device of the stack.
fn io_max(run: &Run, target: &Target<'_>, step: &DiskStepResult) -> Vec<Made> {
    let mut made = Vec::new();
    for cgroup in &run.host.cgroups {
        for disk in &target.stack {
            if let Some(max) = cgroup.io_max.get(&disk.number) {
                let counted = |most: f64, unit: Unit| match unit {
                    Unit::IoPerS => residence::throttled_as(target, step, &disk.name, most),
                    _ => residence::bytes_at(target, step, &disk.name),
                };
                made.extend(limits(&cgroup.path, &disk.number, max, step, counted));
            }
        }
    }
    made
}

fn limits(
    path: &str,
    number: &str,
    max: &IoMax,
    step: &DiskStepResult,
    counted: impl Fn(f64, Unit) -> f64,
) -> Vec<Made> {
    let (bytes, ios) = match step.operation {
        Operation::Read => (max.read_bytes_per_s, max.read_io_per_s),
        Operation::Write => (max.write_bytes_per_s, max.write_io_per_s),
        Operation::Mixed | Operation::Copy => return Vec::new(),
    };
    let one = |value: Option<u64>, unit: Unit, name: &str| {
        let value = value? as f64;
        let split = Some(counted(value, unit)).filter(|for_one| (for_one - 1.0).abs() > 0.01);
        let file = format!("/sys/fs/cgroup{path}/io.max, {number}");
        let made = Made::storage("io-max", format!("io.max of {path}"), value / split.unwrap_or(1.0), unit)
            .input(name, value, file)
            .layer(Layer::Host)
            .removable();
        Some(match split {
            None => made.formula("limit as set"),
            Some(share) if unit == Unit::BytesPerS => made
                .formula("limit as set ÷ share of the bytes that passes the device")
                .input("bytes_share", share, "/proc/diskstats over the step"),
            Some(requests) => made.formula("limit as set ÷ requests for one I/O").input(
                "requests_per_io",
                requests,
                "/proc/diskstats over the step",
            ),
        })
    };
    let bytes = one(bytes, Unit::BytesPerS, "bytes_per_s");
    bytes.into_iter().chain(one(ios, Unit::IoPerS, "io_per_s")).collect()
}

/// Little again: what is in flight over the time that the device itself takes for a request, as it counted it during
/// the step. What delays requests above it (a control group's limit, a cipher, a program without CPU) is not in it.
fn device_latency(target: &Target<'_>, step: &DiskStepResult) -> Option<Made> {
    let busy = |layer: &&LayerStats| layer.iops > 0.0 && layer.await_ns > 0.0;
    let layers = facts::leaf_layers(target, step);
    let [layer] = layers.iter().copied().filter(busy).collect::<Vec<_>>()[..] else { return None };
    let disk = target.leaves().find(|disk| disk.name == layer.name)?;
    let depth = disk.scsi.as_ref().and_then(|scsi| scsi.queue_depth).filter(|depth| *depth > 0);
    // What the scheduler keeps back (nr_requests) is its own limit.
    let flight = residence::mean_in_flight(step).min(depth.map_or(f64::INFINITY, |depth| depth as f64));
    let for_one = residence::requests_for_one(step);
    let await_ns = service_ns(target, step, layer, flight);
    let allowed = flight * depth_bound_io_per_s(1, await_ns) / for_one;
    Some(
        Made::storage("device-latency", &disk.name, allowed, Unit::IoPerS)
            .formula("requests in flight ÷ time of one in the device ÷ requests for one I/O (Little)")
            .input("in_flight", flight, "rate × time of an I/O, at most plan and queue_depth of the device")
            .input(
                "await_ns",
                await_ns,
                "/proc/diskstats over the step, or a like one where this one came in bursts",
            )
            .input("requests_per_io", for_one, "/proc/diskstats over the step")
            .soft(true),
    )
}

thresholds! {
    /// A thread that writes for less of its time does something else as well (own choice): reads in turn, of a mixed job.
    const WRITING: f64 = 0.75;
    /// A device with less than this share of its queue filled received requests in bursts (for example because of a control group's limit). Requests then wait for one another, and that wait is not a property of the device.
    const FILLED: f64 = 0.5;
}

/// The time that the device takes for a request, ns: as counted in this step, or the least of like steps where something
/// above it kept it from being filled.
fn service_ns(target: &Target<'_>, step: &DiskStepResult, layer: &LayerStats, flight: f64) -> f64 {
    if layer.queue_mean >= FILLED * flight {
        return layer.of(step.operation).1;
    }
    let like = target.result.steps.iter().filter(|other| {
        other.operation == step.operation && other.block_bytes == step.block_bytes && other.sync == step.sync
    });
    let same = |other: &DiskStepResult| {
        other.layers.iter().find(|one| one.name == layer.name).map(|one| one.of(step.operation).1)
    };
    like.filter_map(same).filter(|ns| *ns > 0.0).fold(layer.of(step.operation).1, f64::min)
}

/// What the generator does against a null target, on as many threads.
fn generator(target: &Target<'_>, step: &DiskStepResult) -> Option<Made> {
    let one_thread = target.result.generator_io_per_s.filter(|rate| *rate > 0.0)?;
    let threads = f64::from(step.threads.max(1));
    // A calibration that the measurement beats was disturbed.
    if step.iops > one_thread * threads {
        return None;
    }
    Some(
        Made::storage("generator", "fullwire", one_thread * threads, Unit::IoPerS)
            .formula("rate against a null target × threads")
            .input("null_io_per_s", one_thread, "probe, self-calibration")
            .input("threads", threads, "probe")
            .layer(Layer::Host)
            .soft(true),
    )
}
