rule! {
    /// # What it checks
    /// Passes when the device moved at least 98 % of the program's bytes in direct read steps.
    /// # Why it matters
    /// Something above the device answered: a cache, an unwritten extent that reads as zeros, a compressing file
    /// system. The rate is not the device's.
    /// # Evidence
    /// Device bytes over program bytes (`/proc/diskstats` against the probe's own count).
    /// # Remedy
    /// A file that was fully written, `O_DIRECT`, a working set beyond the cache.
    /// # Source
    /// Conservation of bytes; fio issues 719 and 1473 (allocated but unwritten extents read at memory speed).
    code: "device-bytes-missing",
    title: "the device transferred less than the program read",
    layer: Storage, severity: Warning, on: [Target],

    /// Of the bytes read that the device must have moved; the rest came from a cache.
    const CONSERVED: f64 = 0.98;
    /// I/Os of which a share means something.
    const ENOUGH: u64 = 1000;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let readable = |target: &&facts::Target<'_>| !target.stack.is_empty() && !target.is_void();
    facts::targets(run).iter().filter(readable).map(judge).collect()
}

fn judge(target: &facts::Target<'_>) -> Outcome {
    let reads = target
        .result
        .steps
        .iter()
        .filter(|step| step.operation == Operation::Read && step.direct && step.ios >= ENOUGH);
    let counted: Vec<(&DiskStepResult, f64)> =
        reads.filter_map(|step| Some((step, step.device_bytes_over_program_bytes?))).collect();
    let Some((step, ratio)) = counted.iter().min_by(|a, b| a.1.total_cmp(&b.1)) else {
        return facts::unread(&format!("the bytes that the device below {} transferred", target.name()));
    };
    if *ratio >= CONSERVED {
        return Outcome::Passes;
    }
    finding!(Kind::Target.named(target.name()), "the device below {} transferred only {} of what the program read: the rest came from a cache or from extents that were never written", target.name(), facts::percent(*ratio))
        .path(target.name())
        .measured(*ratio, CONSERVED, Unit::Ratio)
        .evidence(format!("device bytes over program bytes {ratio:.3}, {}", facts::step_name(step)), "/proc/diskstats over the step")
        .because("Bytes that the device did not transfer came from somewhere else.")
        .now("measure again with a larger file: --size of twice the memory; look for compression (btrfs, ZFS, VDO)")
        .persist("use the same size for all comparisons")
        .expecting("a ratio of 1")
        .into()
}
