use crate::ceiling::storage::queue::depth_bound_io_per_s;

rule! {
    /// # What it checks
    /// Passes unless more requests waited for a disk than its queue depth admits, and a deeper load got no more out of it.
    /// # Why it matters
    /// The host delays requests that the array could process in parallel; the rate stays at depth divided by
    /// latency, however fast the disk is.
    /// # Evidence
    /// Mean queue of the disk during the step (`/proc/diskstats`, field 11) and `device/queue_depth`.
    /// A queue that others fill (`foreign-load`) is no finding here: it is full with one of our requests in it.
    /// # Remedy
    /// Raise `queue_depth` of the SCSI device (and the adapter's own limit) towards what the array's vendor
    /// allows.
    /// # Source
    /// Little's law; Linux Documentation/ABI (sysfs-block-device, `queue_depth`); Linux
    /// Documentation/admin-guide/iostats.rst, field 11; `drivers/scsi/lpfc/lpfc_attr.c` (`lun_queue_depth`, 30 by
    /// default).
    code: "queue-depth-limit",
    title: "the disk's queue depth limits the rate",
    layer: Storage, severity: Warning, on: [Disk], limits: [QueueDepth],
    check: |run| facts::targets(run).iter().flat_map(judge).collect(),

    /// Number of requests, as a multiple of the depth, that must wait before the depth is called the limit.
    const PILED_UP: f64 = 1.2;
    /// The usual depth of adapters and arrays: open-iscsi's default of `node.session.queue_depth` is 32 as well.
    const USUAL_DEPTH: u64 = 32;
    /// No adapter's default is called too small: `lpfc_lun_queue_depth` is 30.
    const SMALLEST_DEFAULT: u64 = 30;
    /// A queue that is filled to this share of `nr_requests` on average is full.
    const FULL: f64 = 0.8;
    /// Factor by which the deep step's time per request must exceed the shallow one's.
    const SLOWED: f64 = 1.5;
    /// A step with at most this share of the depth in flight does not fill the queue by itself.
    const FEW: f64 = 0.25;
    /// A database block: one request, or a few where the driver is narrow.
    const BLOCK_BYTES: u64 = 32 << 10;
    /// Requests come and go: a queue that is always full holds this share of its places on average.
    const MOSTLY: f64 = 0.6;
}

fn judge(target: &facts::Target<'_>) -> Vec<Outcome> {
    let by_disk = target.leaves().filter(|disk| disk.scsi.is_some()).map(|disk| judge_disk(target, disk));
    by_disk.chain(target.leaves().filter_map(|disk| judge_requests(target, disk))).collect()
}

/// What waits for one of `nr_requests` is not yet counted in the queue: the queue stays at that number while the
/// program has far more in flight.
fn judge_requests(target: &facts::Target<'_>, disk: &Disk) -> Option<Outcome> {
    let most = disk.queue.as_ref()?.nr_requests.filter(|most| (1..USUAL_DEPTH).contains(most))?;
    let full = target.result.steps.iter().filter_map(|step| {
        let layer = step.layers.iter().find(|layer| layer.name == disk.name)?;
        let full = layer.queue_mean >= MOSTLY * most as f64 && layer.queue_mean <= PILED_UP * most as f64;
        // A device that is busy itself has no use for more.
        let waits = step.latency_ns.mean >= SLOWED * layer.of(step.operation).1
            && residence::waits_for_place(target, step).is_none_or(|share| share > 0.0);
        (full && waits && facts::in_flight(step) >= 2 * most).then_some((step, layer))
    });
    let full: Vec<(&DiskStepResult, &LayerStats)> = full.collect();
    let (step, layer) = *full.first()?;
    let (name, each_ns) = (&disk.name, layer.of(step.operation).1);
    let next_depth = disk.scsi.as_ref().and_then(|scsi| scsi.queue_depth);
    let finding = finding!(
        Kind::Disk.named(name),
        "the queue of {name} has room for {most} requests (nr_requests): {} has {} in flight, each waits {:.1} ms for a slot and takes {:.1} ms",
        facts::step_name(step),
        facts::in_flight(step),
        (step.latency_ns.mean - each_ns) / 1e6,
        each_ns / 1e6,
    )
        .measured(layer.queue_mean, most as f64, Unit::Count)
        .evidence(format!("nr_requests {most}"), format!("/sys/block/{name}/queue/nr_requests"))
        .evidence(format!("mean queue {:.1}, await {:.2} ms", layer.queue_mean, each_ns / 1e6), "/proc/diskstats over the step")
        .advice(
            set_disk_attribute(
                "The rate cannot exceed nr_requests divided by latency, whatever the device accepts.",
                disk,
                "queue/nr_requests",
                "256",
                Some(&most.to_string()),
            )
            .expecting(format!("I/Os per second at depth {} rise until the device itself queues", facts::in_flight(step))),
        )
        .explains(full.iter().map(|(step, layer)| {
            explained(target, step, layer, [most, next_depth.unwrap_or(u64::MAX)], layer.of(step.operation).1)
        }));
    Some(finding.into())
}

/// Of this depth what the queue allows; of the next one what the device does of the I/Os that were in flight once they all
/// fit into the queue. The time of one is taken to stay what it is, which makes that an upper limit.
fn explained(
    target: &facts::Target<'_>,
    step: &DiskStepResult,
    layer: &LayerStats,
    [depth, next_depth]: [u64; 2],
    device_ns: f64,
) -> Explanation {
    // Other disks have queues of their own.
    let here = residence::requests_at(target, step, &layer.name);
    let allowed = |requests: u64| depth_bound_io_per_s(requests, device_ns) / here;
    let in_flight = depth_bound_io_per_s(facts::in_flight(step), device_ns);
    let (wanted, limited_by) = if allowed(next_depth) < in_flight {
        (allowed(next_depth), "queue-depth")
    } else {
        (in_flight, "device-latency")
    };
    explain::step(target.result, step, Mechanism::QueueDepth)
        .bounded(allowed(depth), Unit::IoPerS, 0.25)
        .without(wanted, Unit::IoPerS, limited_by)
}

fn judge_disk(target: &facts::Target<'_>, disk: &Disk) -> Outcome {
    let Some(depth) = disk.scsi.as_ref().and_then(|scsi| scsi.queue_depth) else {
        return facts::unread(&format!("queue_depth of {}", disk.name));
    };
    let seen = target.result.steps.iter().filter_map(|step| {
        let layer = step.layers.iter().find(|layer| layer.name == disk.name)?;
        Some((step, layer))
    });
    let seen: Vec<_> = seen.collect();
    if seen.is_empty() {
        return facts::unread(&format!("the queue of {} during a probe", disk.name));
    }
    if filled_by_others(depth, &seen) {
        return Outcome::Passes;
    }
    let busy = seen.iter().filter(|(_, layer)| layer.iops > 0.0);
    let shallow = busy.map(|(step, layer)| layer.of(step.operation).1).reduce(f64::min);
    let mut piled = seen;
    piled.retain(|(step, layer)| {
        layer.queue_mean > PILED_UP * depth as f64
            && shallow.is_some_and(|shallow| layer.of(step.operation).1 > SLOWED * shallow)
    });
    // The longest queue is told of.
    piled.sort_by(|(_, one), (_, other)| other.queue_mean.total_cmp(&one.queue_mean));
    shallow.map_or(Outcome::Passes, |shallow| fires(target, disk, depth, &piled, shallow))
}

/// The queue was full while we had next to nothing in it: what it takes then is no
/// measure of one request alone.
fn filled_by_others(depth: u64, seen: &[(&DiskStepResult, &LayerStats)]) -> bool {
    let few = |step: &DiskStepResult| facts::in_flight(step) as f64 <= FEW * depth as f64;
    let mut shallow = seen.iter().filter(|(step, _)| few(step) && step.block_bytes <= BLOCK_BYTES);
    shallow.any(|(_, layer)| layer.queue_mean >= FULL * depth as f64)
}

fn fires(
    target: &facts::Target<'_>,
    disk: &Disk,
    depth: u64,
    piled: &[(&DiskStepResult, &LayerStats)],
    shallow_ns: f64,
) -> Outcome {
    let Some((step, layer)) = piled.first() else { return Outcome::Passes };
    let (name, each_ns) = (&disk.name, layer.of(step.operation).1);
    let message = format!(
        "{name} accepts {depth} requests at a time (queue_depth), and {waiting:.0} were queued: {} stays at {:.0} I/Os per second, {:.1} ms each",
        facts::step_name(step),
        layer.iops,
        each_ns / 1e6,
        waiting = layer.queue_mean
    );
    let finding = RULE.finding(Kind::Disk.named(name), message)
        .measured(layer.queue_mean, depth as f64, Unit::Count)
        .evidence(format!("queue_depth {depth}"), format!("/sys/block/{name}/device/queue_depth"))
        .evidence(format!("mean queue {:.1}, await {:.2} ms", layer.queue_mean, each_ns / 1e6), "/proc/diskstats over the step")
        .advice(
            set_disk_attribute(
                "By Little's law the rate cannot exceed queue depth divided by latency, and the array never sees more requests than that.",
                disk,
                "device/queue_depth",
                &USUAL_DEPTH.max(depth * 2).to_string(),
                Some(&depth.to_string()),
            )
            .expecting(format!("I/Os per second at depth {} rise until the array itself queues", facts::in_flight(step))),
        );
    if depth >= SMALLEST_DEFAULT {
        return finding.path(target.name()).severity(Severity::Info).into();
    }
    let requests = disk.queue.as_ref().and_then(|queue| queue.nr_requests);
    finding
        .explains(piled.iter().map(|(step, layer)| {
            explained(target, step, layer, [depth, requests.unwrap_or(u64::MAX)], shallow_ns)
        }))
        .into()
}
