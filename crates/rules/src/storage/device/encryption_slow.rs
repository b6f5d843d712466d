rule! {
    /// # What it checks
    /// Passes unless a request spends more than half of its time, and 100 µs at least, in the encryption below the target
    /// (dm-crypt, LUKS), not in the storage under it.
    /// # Why it matters
    /// Every byte passes a CPU on its way. Without AES instructions, or with one CPU at it, a fast array delivers what
    /// the cipher does, and a request with nothing else in flight waits for it in full.
    /// # Evidence
    /// Mean number of requests inside the encrypted map and inside the device below it, over the steps with one I/O in
    /// flight: by Little's law their ratio is that of the time spent there.
    /// # Remedy
    /// A cipher with CPU instructions (aes-xts), sectors of 4096 bytes, no work queues between (`no_read_workqueue`);
    /// or let the array or the drive encrypt.
    /// # Source
    /// Linux Documentation/admin-guide/device-mapper/dm-crypt.rst, `no_read_workqueue`, `no_write_workqueue`,
    /// `sector_size`; cryptsetup(8), benchmark and refresh; Documentation/admin-guide/iostats.rst.
    code: "encryption-slow",
    title: "encryption takes longer than the storage below it",
    layer: Storage, severity: Warning, on: [Disk], limits: [WriteOverhead],
    check: |run| facts::targets(run).iter().filter(|target| !target.is_void()).filter_map(judge).collect(),

    /// Of the time of an I/O that encryption may take (own choice).
    const MOST: f64 = 0.5;
    /// A few µs, as for a block with AES instructions, are the normal cost and need no fix.
    const NOTICED_NS: f64 = 100e3;
    /// Fewer requests say nothing.
    const ENOUGH_IOS: f64 = 8.0;
}

fn judge(target: &facts::Target) -> Option<Outcome> {
    let map = target.stack.iter().copied().find(|disk| encrypts(disk))?;
    let spent = target.singles().filter_map(|step| Some((step, share_inside(map, step)?)));
    let Some((step, share)) = spent.max_by(|one, other| one.1.total_cmp(&other.1)) else {
        return Some(facts::unread(&format!("the time that requests spend in {} and below it", map.name)));
    };
    Some(if share > MOST { fires(target, map, step, share) } else { Outcome::Passes })
}

fn encrypts(disk: &Disk) -> bool {
    let Some(dm) = &disk.dm else { return false };
    dm.uuid.starts_with("CRYPT-") || dm.targets.iter().any(|target| target.kind == "crypt")
}

/// Of the time that requests are inside the map, the share that no device below it has them.
fn share_inside(map: &Disk, step: &DiskStepResult) -> Option<f64> {
    let whole = step.layers.iter().find(|layer| layer.name == map.name)?;
    let below = step.layers.iter().filter(|layer| map.slaves.contains(&layer.name));
    let below: f64 = below.map(|layer| layer.queue_mean).reduce(|sum, queue| sum + queue)?;
    let enough = whole.queue_mean > 0.0 && whole.iops * step.duration_s >= ENOUGH_IOS;
    let share = 1.0 - below / whole.queue_mean;
    enough.then_some(if share * whole.await_ns >= NOTICED_NS { share } else { 0.0 })
}

fn fires(target: &facts::Target, map: &Disk, step: &DiskStepResult, share: f64) -> Outcome {
    let name = map.dm.as_ref().map_or(map.name.as_str(), |dm| dm.name.as_str());
    let queues =
        step.layers.iter().filter(|layer| layer.name == map.name || map.slaves.contains(&layer.name));
    let queues: Vec<String> = queues
        .map(|layer| {
            format!("{} {:.3} in flight, await {:.2} ms", layer.name, layer.queue_mean, layer.await_ns / 1e6)
        })
        .collect();
    finding!(
        Kind::Disk.named(name),
        "dm-crypt ({name}) accounts for {} of each request's latency, not the storage below ({})",
        facts::percent(share),
        facts::step_name(step),
    )
    .measured(share, MOST, Unit::Ratio)
    .evidence(queues.join("; "), "/proc/diskstats over the step")
    .explains([explain::target(target, Mechanism::WriteOverhead).active(share)])
    .because("The cipher runs on this host's CPUs, between the program and the disk.")
    .look("cryptsetup benchmark", "Shows what the CPUs do; without `aes` in the flags of /proc/cpuinfo they lack the instructions")
    .now(format!("`cryptsetup refresh {0} --perf-no_read_workqueue --perf-no_write_workqueue` encrypts in the requesting thread, without a queue in between. It needs Linux 5.9 or later and asks for the passphrase", as_word(name))).pauses(name)
    .persist("the same with --persistent (LUKS2); a new container with --cipher aes-xts-plain64 --sector-size 4096; or encryption in the array or the drive")
    .undo(format!("`cryptsetup refresh {}` goes back to the queues", as_word(name))).pauses(name)
    .expecting("nearly the same await on the map and the disk below it in `iostat -x`")
    .into()
}
