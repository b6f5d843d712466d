rule! {
    /// # What it checks
    /// Passes unless a durable write (fdatasync, fsync, `O_DSYNC`) takes 10 ms or more at the median and at least five
    /// times what the same target takes for an I/O without the flush.
    /// # Why it matters
    /// A commit waits for its log write to be durable: 20 ms a flush is at most 50 commits per second for one log
    /// writer, however fast plain reads and writes are.
    /// # Evidence
    /// Latency of the flush alone where the probe timed it, otherwise of the synced step against the fastest unsynced
    /// step at depth 1; flush await of the device in diskstats. On `scsi_debug`, the kernel's simulated disk, the time is
    /// made up: worth knowing, no fault.
    /// # Remedy
    /// Put the redo log or WAL on a device with a power-protected write cache; look for a disk whose volatile cache is
    /// flushed to slow media.
    /// # Source
    /// etcd's published bound for WAL devices (99 % of fdatasync below 10 ms); Linux
    /// `Documentation/block/writeback_cache_control.rst`; Documentation/admin-guide/iostats.rst, fields 16 and 17.
    code: "slow-flush",
    title: "commit writes wait for the cache flush, not for the write",
    layer: Storage, severity: Warning, on: [Disk, Target], limits: [Flush],

    /// A flush with this median delays commits: the bound that etcd's documentation sets for its log device.
    const SLOW_NS: f64 = 10e6;
    /// A flush that takes this many times the unsynced I/O is the cause, not a slow disk.
    const DOMINATES: f64 = 5.0;
    /// Fewer slow flushes than this between quick ones are an incident.
    const FEWEST: u64 = 3;
    /// What a flush takes that a protected cache answers, across a storage network (own choice).
    const CACHED_NS: f64 = 0.5e6;
}

fn check(run: &Facts) -> Vec<Outcome> {
    facts::targets(run)
        .iter()
        .filter(|target| target.result.steps.iter().any(facts::is_synced))
        .map(judge)
        .collect()
}

fn judge(target: &facts::Target<'_>) -> Outcome {
    let synced = target.result.steps.iter().filter(|step| facts::is_synced(step) && step.ios > 0);
    let timed: Vec<_> =
        synced.filter_map(|step| Some((step, flush_ns(target, step)?, plain_ns(target, step)?))).collect();
    if timed.is_empty() {
        return facts::unread(&format!("a write without a flush on {}, to compare with", target.name()));
    }
    let slow = timed
        .iter()
        .filter(|(_, flush, plain)| *flush >= SLOW_NS && *flush >= DOMINATES * plain)
        .max_by(|(_, one, _), (_, other, _)| one.total_cmp(other));
    match slow {
        Some((step, flush, plain)) => fires(target, step, *flush, *plain),
        None => Outcome::Passes,
    }
}

/// The flushes; where the call does both, the whole durable writes.
fn flushes(step: &DiskStepResult) -> Option<&Latency> {
    let timed = step.flush_ns.as_ref().filter(|flush| flush.count > 0);
    timed.or(Some(&step.latency_ns).filter(|whole| whole.count > 0))
}

/// The median flush; where some take long between quick ones, what they take on average.
fn flush_ns(target: &facts::Target<'_>, step: &DiskStepResult) -> Option<f64> {
    let flush = flushes(step)?;
    Some(if some_are_slow(target, step) { flush.mean } else { flush.p50 as f64 })
}

/// More than half of the flushes are quick and some take long, which no other small I/O does.
fn some_are_slow(target: &facts::Target<'_>, step: &DiskStepResult) -> bool {
    let Some(flush) = flushes(step).filter(|flush| (flush.p50 as f64) < SLOW_NS) else { return false };
    let slow = flush.buckets.iter().filter(|bucket| bucket.upto_ns as f64 > SLOW_NS);
    let mut others = plain_steps(target);
    slow.map(|bucket| bucket.count).sum::<u64>() >= FEWEST
        && others.all(|other| 2 * other.latency_ns.max < flush.max)
}

/// Small I/Os without a flush, one at a time.
fn plain_steps<'a>(target: &'a facts::Target<'_>) -> impl Iterator<Item = &'a DiskStepResult> {
    target.singles().filter(|other| {
        !facts::is_synced(other) && other.latency_ns.count > 0 && other.block_bytes <= 16 << 10
    })
}

/// The median of an I/O without a flush: of the write part itself, otherwise of the quickest unsynced step.
fn plain_ns(target: &facts::Target<'_>, step: &DiskStepResult) -> Option<f64> {
    // A flush for each write, or for some of them.
    let a_write = |flush: &Latency| (flush.count as f64 / step.latency_ns.count.max(1) as f64).min(1.0);
    let timed = step.flush_ns.as_ref().filter(|flush| flush.count > 0);
    let own = timed.map(|flush| step.latency_ns.mean - flush.mean * a_write(flush));
    let others = || plain_steps(target).map(|other| other.latency_ns.p50 as f64).reduce(f64::min);
    own.filter(|ns| *ns > 0.0).or_else(others)
}

fn fires(target: &facts::Target<'_>, step: &DiskStepResult, flush: f64, plain: f64) -> Outcome {
    let (flush_ms, plain_ms) = (flush / 1e6, plain / 1e6);
    let device = &target.result.device;
    let (on_average, mean_of) = match flushes(step).filter(|_| some_are_slow(target, step)) {
        Some(flush) => {
            let [median, longest] = [flush.p50, flush.max].map(|ns| ns as f64 / 1e6);
            (" on average", format!("; most flushes take {median:.1} ms, the longest {longest:.1} ms"))
        }
        None => ("", String::new()),
    };
    let message = format!(
        "commit writes on {} are bound by the flush of the disk's cache: {flush_ms:.1} ms for the flush{on_average}, {plain_ms:.2} ms for \
         the I/O itself, so one log writer makes at most {:.0} durable writes per second",
        target.name(),
        1e3 / flush_ms
    );
    let mut finding = RULE
        .finding(
            if device.is_empty() { Kind::Target.named(target.name()) } else { Kind::Disk.named(device) },
            message,
        )
        .measured(flush, SLOW_NS, Unit::Ns)
        .evidence(
            format!(
                "{} durable write or flush {flush_ms:.2} ms, plain I/O {plain_ms:.2} ms{mean_of}",
                if mean_of.is_empty() { "median" } else { "mean" }
            ),
            format!("probe, {}", facts::step_name(step)),
        );
    for layer in step.layers.iter().filter(|layer| layer.flush_await_ns.is_some_and(|ns| ns > 0.0)) {
        let ms = layer.flush_await_ns.unwrap_or(0.0) / 1e6;
        finding = finding
            .evidence(format!("{}: {ms:.1} ms a flush", layer.name), "/proc/diskstats, fields 16 and 17");
    }
    let finding = finding.advice(advice(device));
    // The kernel's simulated disk sleeps 50 ms for each flush, on purpose: its times tell of no medium.
    if target.leaves().any(is_simulated) {
        finding.severity(Severity::Info).into()
    } else {
        let share = (flush / step.latency_ns.mean.max(flush)).min(1.0);
        let synced = target.result.steps.iter().filter(|step| facts::is_synced(step));
        finding.explains(synced.map(|step| explained(target, step).active(share))).into()
    }
}

/// With a cache that answers a flush, one durable write after the other takes what its I/O takes and little more.
fn explained(target: &facts::Target<'_>, step: &DiskStepResult) -> Explanation {
    let explanation = explain::step(target.result, step, Mechanism::Flush);
    // Medians: a pause of the program between two calls is no part of the I/O.
    let flush = step.flush_ns.as_ref().filter(|flush| flush.count == step.latency_ns.count);
    let usual = flush.map(|flush| step.latency_ns.p50 as f64 - flush.p50 as f64).filter(|ns| *ns > 0.0);
    let usual = usual.or_else(|| plain_ns(target, step)).filter(|_| facts::in_flight(step) == 1);
    // Beside a slow flush few writes are made, and a write takes no longer than like ones without a flush.
    let like = target.singles().filter(|other| is_like(other, step)).map(|other| other.latency_ns.p50 as f64);
    match usual.map(|usual| like.fold(usual, f64::min)) {
        Some(plain) => explanation.without(1e9 / (plain + CACHED_NS), Unit::IoPerS, "durable-write"),
        None => explanation,
    }
}

/// A write of the same size without a flush.
fn is_like(other: &DiskStepResult, step: &DiskStepResult) -> bool {
    !facts::is_synced(other)
        && other.direct
        && other.latency_ns.count > 0
        && (other.operation, other.block_bytes) == (step.operation, step.block_bytes)
}

/// `scsi_debug`, which keeps its blocks in memory (Linux `drivers/scsi/scsi_debug.c`, `F_SYNC_DELAY`).
fn is_simulated(disk: &Disk) -> bool {
    disk.model.trim() == "scsi_debug"
}

fn advice(device: &str) -> Advice {
    let move_it = because(
        "fdatasync returns when the disk says that its cache is on the medium; each commit waits for that.",
    )
    .now("Put the redo log (WAL) on a device with a power-protected cache: it answers a flush immediately")
    .restarts("the database");
    // Another tool's file does not tell the device.
    let look = if device.is_empty() {
        move_it
    } else {
        move_it.look(
            sh!("cat /sys/block/{}/queue/write_cache", device),
            "write back: a flush goes to the medium",
        )
    };
    look.now("Behind a RAID controller: its cache must write back on a healthy battery or capacitor (`storcli /cALL/vALL show`, `storcli /cALL/bbu show` or `/cALL/cv show`, `ssacli ctrl all show status`); written through, each flush waits for the disks")
        .persist("if, and only if, every cache on the way survives a power cut, the array's option to ignore flushes is safe; the mount option nobarrier is not")
        .undo("Move the log back").restarts("the database")
        .expecting("all durable writes fall to what a plain write takes; prove it with `fullwire disk DIR --profile pg-wal`")
}
