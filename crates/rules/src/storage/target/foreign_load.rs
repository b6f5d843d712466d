rule! {
    /// # What it checks
    /// Passes when the devices under a measured target were idle before the measurement, and moved no more bytes during
    /// reads than the measurement requested.
    /// # Why it matters
    /// The measurement then shows what the others leave; the figure says nothing about the path, and a
    /// comparison with another run is worthless.
    /// # Evidence
    /// `/proc/diskstats` of the disks below the target over the idle window; bytes of the device over bytes of
    /// the program in read steps. Of each figure it explains as much as the others had of the requests at the device (the
    /// weighted time of all, field 11, less what ours took by Little's law); where the device serves far more at a time than
    /// both had in flight, or moves as many bytes beside every step, as much as they had of its bytes, and nothing where it
    /// moves far more of these as well.
    /// # Remedy
    /// Find the program with `iotop -oPa` or `pidstat -d 1`, measure again when it has ended, or judge the sum.
    /// # Source
    /// Linux Documentation/admin-guide/iostats.rst (fields 3 and 7, sectors of 512 bytes); fullwire's own bound:
    /// more than a tenth of the measured rate.
    code: "foreign-load",
    title: "other programs use the device under the target",
    layer: Storage, severity: Warning, on: [Target], limits: [ForeignLoad],

    /// Foreign bytes per second below this are the host's own housekeeping.
    const HOUSEKEEPING_BYTES_PER_S: f64 = 1e6;
    /// Foreign I/Os per second below this are housekeeping, too.
    const HOUSEKEEPING_IO_PER_S: f64 = 50.0;
    /// More than this share of the slowest read step disturbs it.
    const DISTURBING: f64 = 0.10;
    /// From this share on it is no housekeeping, however slow the device is.
    const RIVALLING: f64 = 0.5;
    /// Fewer I/Os per second do not fill a device, though they may be as many as it gave us.
    const FEWEST_IO_PER_S: f64 = 20.0;
    /// A device that transferred this many times what the program requested served other programs.
    const EXCESS: f64 = 1.2;
    /// Of its most bytes a second: a device that moves so much beside every step is held by them, whatever was asked of it.
    const FULL: f64 = 0.9;
    /// Steps that show it.
    const FEWEST_STEPS: usize = 3;
    /// Times that the device can do more than all asked of it: then nobody waits for the others (own choice).
    const ROOM: f64 = 1.5;
    /// Of the time: others that keep every device busy for less leave it to us at times (own choice).
    const LEAVES_IDLE: f64 = 0.9;
}

fn check(run: &Facts) -> Vec<Outcome> {
    facts::targets(run)
        .iter()
        // Where nothing was measured there is nothing that it could have disturbed.
        .filter(|target| !target.stack.is_empty() && !target.result.steps.is_empty())
        .map(|target| judge(run, target))
        .collect()
}

fn judge(run: &Facts, target: &facts::Target<'_>) -> Outcome {
    let reported = target.result.steps.iter().filter_map(|step| step.foreign_bytes_per_s).reduce(f64::max);
    let idle = run.idle().map(|window| idle_load(window, target));
    let excess = read_excess(target);
    let (bytes_per_s, io_per_s) = idle.unwrap_or_default();
    let of_window = bytes_per_s >= reported.unwrap_or(0.0);
    let bytes_per_s = bytes_per_s.max(reported.unwrap_or(0.0));
    let slowest = slowest_read(target).unwrap_or(0.0);
    let loaded = bytes_per_s >= HOUSEKEEPING_BYTES_PER_S.max(DISTURBING * slowest)
        && (io_per_s >= HOUSEKEEPING_IO_PER_S || reported.is_some_and(|bytes_per_s| bytes_per_s > 0.0));
    let rivals = slowest > 0.0 && bytes_per_s >= RIVALLING * slowest && io_per_s >= FEWEST_IO_PER_S;
    match (loaded || rivals, excess) {
        (true, _) => idle_finding(run, target, [bytes_per_s, io_per_s], slowest, of_window),
        (false, Some(excess)) if excess > EXCESS => excess_finding(run, target, excess),
        _ if idle.is_none() && reported.is_none() => {
            facts::unread(&format!("the load on {} before the probe", target.result.device))
        }
        _ => Outcome::Passes,
    }
}

/// Bytes and I/Os per second of the disks below before the probe.
fn idle_load(window: &Window, target: &facts::Target<'_>) -> (f64, f64) {
    let work = target.leaves().filter_map(|disk| facts::disk_activity(window, &disk.name));
    work.fold((0.0, 0.0), |(bytes, ios), activity| (bytes + activity.bytes_per_s, ios + activity.io_per_s))
}

fn slowest_read(target: &facts::Target<'_>) -> Option<f64> {
    let reads = target.result.steps.iter().filter(|step| step.operation == Operation::Read && step.ios > 0);
    reads.map(|step| step.throughput_bytes_per_s).reduce(f64::min)
}

/// Of direct reads: what a device moved more than the program cannot be journal or read-modify-write.
fn read_excess(target: &facts::Target<'_>) -> Option<f64> {
    let steps = target.result.steps.iter();
    let reads = steps.filter(|step| step.operation == Operation::Read && step.direct && step.ios >= 100);
    reads.filter_map(|step| step.device_bytes_over_program_bytes).reduce(f64::max)
}

fn idle_finding(
    run: &Facts,
    target: &facts::Target<'_>,
    [bytes_per_s, io_per_s]: [f64; 2],
    slowest: f64,
    of_window: bool,
) -> Outcome {
    let disks = facts::listed(&target.leaf_names());
    // The probe's own pause tells bytes alone: the requests of another span do not belong beside them.
    let requests =
        if of_window && io_per_s >= 0.5 { format!(", {io_per_s:.0} I/Os per second") } else { String::new() };
    let message = format!(
        "other programs kept {disks} busy before the measurement ({:.1} MB/s{requests}): the result on {} is what this foreign load leaves",
        bytes_per_s / 1e6,
        target.name()
    );
    let window = if of_window { "idle window" } else { "the pause before the steps" };
    remedy(RULE.finding(Kind::Target.named(target.name()), message), run, target)
        .measured(bytes_per_s, DISTURBING * slowest, Unit::BytesPerS)
        .evidence(
            format!("{disks}: {bytes_per_s:.0} bytes/s while fullwire was idle"),
            format!("/proc/diskstats, {window}"),
        )
        .into()
}

fn excess_finding(run: &Facts, target: &facts::Target<'_>, excess: f64) -> Outcome {
    let device = &target.result.device;
    remedy(finding!(
        Kind::Target.named(target.name()),
        "other programs use {device} at the same time and disturb the result: during the reads it transferred {excess:.2} times the bytes that fullwire requested",
    ), run, target)
        .measured(excess, EXCESS, Unit::Ratio)
        .evidence(
            format!("device bytes over program bytes: {excess:.2}"),
            "/proc/diskstats over the read step",
        )
        .into()
}

fn remedy(finding: Finding, run: &Facts, target: &facts::Target<'_>) -> Finding {
    finding
        .explains(explained(run, target))
        .because("A device divides its time among all programs; the measurement got only a share.")
        .look("pidstat -d 1 5", "Shows who reads and writes")
        .now("Measure again when that program has ended")
        .persist(
            "move the other load to a separate device, or limit it: systemctl set-property UNIT IOWeight=50",
        )
        .expecting(
            "the idle window shows no foreign bytes, and the figures rise to what the device can do alone",
        )
}

/// What a step lost to the others; `None`: not counted. A flush has nothing to write out for others that only read: what it takes
/// longer than a write beside them is its own.
fn lost(run: &Facts, target: &facts::Target<'_>, step: &DiskStepResult) -> Option<f64> {
    let leaves = facts::leaf_layers(target, step);
    let beyond_ns = leaves.iter().filter_map(|leaf| {
        let durable = facts::residence::Durable::of(leaf)?;
        Some(durable.flush_ns - durable.write_ns?)
    });
    let counted = facts::is_synced(step) && !facts::residence::others_write(target, step);
    let own_ns = beyond_ns.filter(|_| counted).fold(0.0, f64::max);
    let in_queue =
        lost_in_queue(run, target, step)? * (1.0 - own_ns / step.latency_ns.mean.max(own_ns).max(1.0));
    let all = lost_in_journal(run, target, step).map_or(in_queue, |share| share.max(in_queue));
    Some(beyond_quickest(run, target, step).map_or(all, |most| all.min(most)))
}

/// What a step took beyond its quickest I/O, as a share: others that leave the devices idle at times did not make that one wait.
/// `None`: they leave no such time, or it was not counted.
fn beyond_quickest(run: &Facts, target: &facts::Target<'_>, step: &DiskStepResult) -> Option<f64> {
    let idle = run.idle().filter(|idle| idle_load(idle, target).1 >= FEWEST_IO_PER_S)?;
    let leaves_time = |disk: &str| Some(facts::disk_activity(idle, disk)?.busy? < LEAVES_IDLE);
    let room = target.stack.iter().all(|disk| leaves_time(&disk.name) == Some(true));
    facts::residence::beyond_quickest(step).filter(|_| room)
}

/// What a commit lost to commits of others: it takes longer than the same write and a flush of the device, for the file system
/// commits all of them together, one after the other (Linux Documentation/filesystems/ext4/journal.rst). No more than the others
/// had of the device. `None`: no others flush it, or it was not counted.
fn lost_in_journal(run: &Facts, target: &facts::Target<'_>, step: &DiskStepResult) -> Option<f64> {
    let idle = run.idle()?;
    let of_others =
        |layer: &LayerStats| facts::rate(idle, |counters| counters.disks.get(&layer.name)?.flushes);
    let flushes = step.layers.iter().filter_map(of_others).reduce(f64::max)?;
    // Each disk of a stripe is flushed, all at the same time.
    let flush_ns = step.layers.iter().filter_map(|layer| layer.flush_await_ns).reduce(f64::max)?;
    let is_write = |one: &&DiskStepResult| {
        one.operation == Operation::Write
            && one.direct
            && !facts::is_synced(one)
            && one.block_bytes == step.block_bytes
    };
    let write_ns = target.singles().find(is_write).map(|one| one.latency_ns.p50 as f64)?;
    let beyond = 1.0 - (write_ns + flush_ns) / step.latency_ns.mean;
    let commits = facts::is_synced(step) && facts::in_flight(step) == 1 && flushes >= FEWEST_IO_PER_S;
    let most = facts::residence::share_of_others(target, step).filter(|_| commits)?;
    Some(beyond.clamp(0.0, most))
}

/// What a step lost to the others where all its requests wait alike; `None`: not counted.
fn lost_in_queue(run: &Facts, target: &facts::Target<'_>, step: &DiskStepResult) -> Option<f64> {
    let share = facts::residence::share_of_others(target, step)?;
    let known = run.characteristics.get(target.name());
    let served = known.into_iter().flat_map(|known| &known.parameters).filter_map(|one| {
        (one.quantity == Quantity::ServedAtOnce).then(|| one.estimate.at_least()).flatten()
    });
    // Writes beside reads wait in no queue that lets as many more reads through; beside writes they may.
    let kind = if facts::residence::others_write(target, step) { step.operation } else { Operation::Read };
    let served = served.fold(facts::residence::served_together(target, kind), f64::max);
    // What waits for the others makes a device seem to serve fewer at a time than there were in flight.
    let together = facts::in_flight(step) as f64 / (1.0 - share);
    // Others get less beside the step than they had before it: no more passes than the disks have counted.
    let all_bytes = |step: &DiskStepResult| {
        let counted: f64 = facts::leaf_layers(target, step).iter().map(|leaf| leaf.bytes_per_s).sum();
        let both = step.throughput_bytes_per_s + step.foreign_bytes_per_s?;
        Some(if counted > 0.0 { both.min(counted.max(step.throughput_bytes_per_s)) } else { both })
    };
    let Some(bytes) = all_bytes(step) else { return Some(share) };
    let each: Vec<f64> = target.result.steps.iter().filter_map(all_bytes).collect();
    let most = each.iter().copied().fold(0.0, f64::max);
    let full = each.len() >= FEWEST_STEPS && each.iter().all(|bytes| *bytes >= FULL * most);
    // One that takes far longer than half of some of its kind waits for something, whatever others were served; and where fewer in
    // flight take longer than more do, it is the others that all of the kind wait for.
    let alike = || target.result.steps.iter().filter(|other| facts::is_alike(other, step));
    let takes_longer = |one: &DiskStepResult, other: &DiskStepResult| {
        other.latency_ns.p50 > 0 && one.latency_ns.p50 as f64 > ROOM * other.latency_ns.p50 as f64
    };
    let more = |one: &DiskStepResult| {
        alike().any(|other| facts::in_flight(other) > facts::in_flight(one) && takes_longer(one, other))
    };
    let waits = alike().any(|other| takes_longer(step, other)) || alike().any(more);
    let has_room = served >= ROOM * together && !waits;
    Some(if has_room && most >= ROOM * bytes {
        0.0
    } else if has_room || full {
        1.0 - step.throughput_bytes_per_s / bytes
    } else {
        share
    })
}

/// What each step lost to the others; where that is not counted, they may explain any of them.
fn explained(run: &Facts, target: &facts::Target<'_>) -> Vec<Explanation> {
    let of_step = |step| {
        let explanation = explain::step(target.result, step, Mechanism::ForeignLoad);
        match lost(run, target, step) {
            Some(share) => explanation.active(share),
            None => explanation,
        }
    };
    let each: Vec<Explanation> = target.result.steps.iter().map(of_step).collect();
    if each.is_empty() { vec![explain::target(target, Mechanism::ForeignLoad)] } else { each }
}
