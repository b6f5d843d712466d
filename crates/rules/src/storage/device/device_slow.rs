use crate::characteristic::course::is_of_plateau;

mod map;

rule! {
    /// # What it checks
    /// Passes when a small random read, a large sequential one, and a small random write without a flush, with nothing else in
    /// flight takes less than 10 ms (14.2 ms on a disk that rotates) and 10 ms for each MB, unless something above the device
    /// takes the time.
    /// # Why it matters
    /// Each single-block read of the database waits this long, each write of its log at least: 100 a second for one
    /// session at 10 ms. No setting of host or database makes up for it.
    /// # Evidence
    /// Median of the step at depth 1, the mean where one I/O in ten takes three times as long and is slow by itself, and the
    /// device's own mean time per request (`/proc/diskstats`). Where the disks answer at once, what a map above them adds.
    /// # Remedy
    /// A faster medium, or the array's own view of the unit: a busy back end, a lost cache battery, a tier of
    /// slow disks, a distant replica.
    /// # Source
    /// Founding disk arithmetic: latency 4.2 ms + seek 9 ms + 1 ms = 14.2 ms for 7,200 rpm; Oracle's customary
    /// 10 ms for `db file sequential read` on disks.
    code: "device-slow",
    title: "the device itself responds slowly",
    layer: Storage, severity: Warning, on: [Disk, Target], limits: [DeviceLatency],

    /// For anything without heads.
    const SLOW_MS: f64 = 10.0;
    /// Half a turn, a seek and 1 ms of a 7,200 rpm disk.
    pub(crate) const SLOWEST_SPINDLE_MS: f64 = 4.2 + 9.0 + 1.0;
    /// I/Os of which a median is one, where each takes long: 0.75 s of them at 150 ms.
    const FEWEST: u64 = 4;
    /// And what a byte of it takes: no medium that databases are kept on delivers less to one reader.
    const SLOWEST_BYTES_PER_S: f64 = 100e6;
    /// The largest of a database's single-block I/Os, with room.
    const SMALL_BYTES: u64 = 64 << 10;
    /// Reads of many blocks (own choice).
    const LARGE_BYTES: u64 = 256 << 10;
    /// Share of the program's time that the device must account for.
    const OWN_SHARE: f64 = 0.7;
}

fn check(run: &Facts) -> Vec<Outcome> {
    facts::targets(run)
        .iter()
        .filter(|target| !target.stack.is_empty() && !target.says_nothing())
        .flat_map(|target| judge(run, target))
        .collect()
}

/// Reads and writes each for themselves: a cache may answer either.
fn judge(run: &Facts, target: &facts::Target<'_>) -> Vec<Outcome> {
    let judged: Vec<Outcome> = [Operation::Read, Operation::Write]
        .into_iter()
        .filter_map(|one| judge_one(run, target, one))
        .collect();
    if judged.is_empty() {
        return vec![facts::unread(&format!("the time of single random I/Os on {}", target.name()))];
    }
    judged
}

fn judge_one(run: &Facts, target: &facts::Target<'_>, operation: Operation) -> Option<Outcome> {
    let spindles = target.leaves().any(|disk| {
        disk.nvme.is_none()
            && !matches!(disk.transport.as_str(), "virtio" | "xen")
            && disk.queue.as_ref().is_some_and(|queue| queue.rotational == Some(true))
    });
    let limit_ms = |step: &DiskStepResult| {
        let request = if spindles { SLOWEST_SPINDLE_MS } else { SLOW_MS };
        request + step.block_bytes as f64 / SLOWEST_BYTES_PER_S * 1e3
    };
    let alone = |step: &DiskStepResult| match step.pattern {
        Pattern::Random => step.block_bytes <= SMALL_BYTES,
        Pattern::Sequential => step.block_bytes >= LARGE_BYTES && operation == Operation::Read,
        Pattern::Unknown => false,
    };
    let single = target.singles().filter(|step| {
        step.operation == operation
            && !facts::is_synced(step)
            && alone(step)
            && step.latency_ns.count >= FEWEST
    });
    let beyond = |step: &DiskStepResult| facts::time_ns(step) / 1e6 / limit_ms(step);
    let step = single.max_by(|one, other| beyond(one).total_cmp(&beyond(other)))?;
    let limit = limit_ms(step);
    let own_ms = facts::slowest_leaf_ns(target, step).map(|ns| ns / 1e6);
    // A part of them may wait for several requests, as a write does for a mirror's bitmap: the usual one waits for the device alone.
    let [mean_ms, median_ms] = [facts::time_ns(step), step.latency_ns.p50 as f64].map(|ns| ns / 1e6);
    let is_own = |whole_ms: f64| own_ms.is_some_and(|own_ms| own_ms >= OWN_SHARE * whole_ms);
    let whole_ms = if is_own(median_ms) && !is_own(mean_ms) { median_ms } else { mean_ms };
    let slow = slow_steps(run, target, operation, &limit_ms);
    Some(match own_ms {
        _ if whole_ms < limit || slow.is_none() => Outcome::Passes,
        None => facts::unread(&format!("the time per request of the disks below {}", target.name())),
        Some(own_ms) if own_ms < OWN_SHARE * whole_ms => {
            map::judge(run, target, step, [whole_ms, limit], slow)
        }
        Some(own_ms) => {
            // Of several, those that take the time: a sibling may answer at once.
            let takes = |name: &&str| {
                let layer = step.layers.iter().find(|layer| layer.name == *name && layer.iops > 0.0);
                layer.is_some_and(|layer| layer.of(operation).1 / 1e6 >= OWN_SHARE * whole_ms)
            };
            let slow_ones: Vec<&str> = target.leaf_names().into_iter().filter(takes).collect();
            let disks = facts::listed(&slow_ones);
            let first = slow_ones.first().copied();
            fires(target, step, first, &disks, [whole_ms, own_ms, limit], slow)
                .because("With one request in flight there is no queue on the host: the time is spent in or behind the device.")
                .now("Read the array's own latency for this unit: equal means the back end, lower means the fabric between")
                .look("multipath -ll || true", "Shows whether all paths are alike")
                .look("iostat -x 1 5", "Shows the latency of each path")
                .persist("a faster tier, or a cache with a working battery")
                .expecting("below 1 ms on flash, 5 to 9 ms on 15,000 to 10,000 rpm disks")
                .into()
        }
    })
}

fn fires(
    target: &facts::Target<'_>,
    step: &DiskStepResult,
    device: Option<&str>,
    disks: &str,
    [whole_ms, own_ms, limit]: [f64; 3],
    slow: Option<Explanation>,
) -> Finding {
    // Of disks it is the whole time of a request, of a map what it adds.
    let takes = if target.leaf_names().iter().any(|leaf| Some(*leaf) == device) { "await" } else { "adds" };
    let what = facts::step_name(step);
    let average =
        if whole_ms.to_bits() == (step.latency_ns.p50 as f64 / 1e6).to_bits() { "" } else { " on average" };
    let message = format!(
        "the device is slow: a single {} takes {whole_ms:.1} ms{average}, {:.1} ms of it in {disks}: {:.0} {}s a second for one session",
        what.split(',').next().unwrap_or(&what),
        own_ms.min(whole_ms),
        1e3 / whole_ms,
        if step.operation == Operation::Read { "read" } else { "write" }
    );
    RULE.finding(
        device.map_or_else(|| Kind::Target.named(target.name()), |name| Kind::Disk.named(name)),
        message,
    )
    .measured(whole_ms * 1e6, limit * 1e6, Unit::Ns)
    .evidence(median_and_rest(step), "probe")
    .evidence(
        format!("{disks}: {takes} {own_ms:.2} ms, nothing else in flight"),
        "/proc/diskstats over the step",
    )
    .explains(slow.map(|one| one.active(own_ms / whole_ms)))
}

/// The median of single I/Os, and how far a part of them is from it.
fn median_and_rest(step: &DiskStepResult) -> String {
    let [median_ms, slowest_ms] = [step.latency_ns.p50, step.latency_ns.p90].map(|ns| ns as f64 / 1e6);
    let rest = format!(", 90th percentile {slowest_ms:.2} ms: a part of them takes far longer than the rest");
    format!("median {median_ms:.2} ms at depth 1{}", if facts::is_parted(step) { &rest } else { "" })
}

/// Every step of the operation whose I/Os take as long and whose rate follows from that: where a limit of the rate makes
/// them wait, a faster device would change nothing.
fn slow_steps(
    run: &Facts,
    target: &facts::Target<'_>,
    operation: Operation,
    limit_ms: &dyn Fn(&DiskStepResult) -> f64,
) -> Option<Explanation> {
    let known = run.characteristics.get(target.name());
    explain::steps(target.result, Mechanism::DeviceLatency, |step| {
        let id = target.result.name_of(step);
        let limited = known.is_some_and(|known| {
            known.acts_in(&id).is_some_and(|acts| acts != Quantity::Latency)
                || is_of_plateau(known, target.result, step)
        });
        step.operation == operation
            && !facts::is_synced(step)
            && facts::time_ns(step) / 1e6 >= limit_ms(step)
            && !limited
    })
}

#[cfg(test)]
mod tests {
    use super::SLOWEST_SPINDLE_MS;
    use crate::ceiling::storage::queue::spindle_io_per_s;

    /// 7,200 rpm: half a turn, the seek, and 1 ms of transfer and controller.
    #[test]
    fn the_slowest_spindle_is_that_of_the_ceiling() {
        assert!((1e3 / spindle_io_per_s(4.2, 9.0) - SLOWEST_SPINDLE_MS).abs() < 1e-9);
    }
}
