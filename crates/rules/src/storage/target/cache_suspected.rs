rule! {
    /// # What it checks
    /// Passes when direct reads of a block device at depth 1 take at least 5 µs at the median.
    /// # Why it matters
    /// No medium and no bus answers sooner: a cache in the path (page cache, hypervisor, array) did.
    /// # Evidence
    /// Median and smallest latency of the step.
    /// # Remedy
    /// A larger working set: several times the memory of host and hypervisor.
    /// # Source
    /// Fastest published single-I/O latency of a block device: 3.4 µs for polled 512-byte reads of Optane
    /// (linux-block, September 2020); fio issue 329.
    code: "cache-suspected",
    title: "reads are faster than a block device can be",
    layer: Storage, severity: Info, on: [Target],

    /// No device answers faster; memory does.
    const FASTEST_NS: u64 = 5_000;
}

fn check(run: &Facts) -> Vec<Outcome> {
    facts::targets(run)
        .iter()
        .filter(|target| !target.stack.is_empty() && !target.is_void())
        .map(judge)
        .collect()
}

fn judge(target: &facts::Target<'_>) -> Outcome {
    let single = target
        .singles()
        .filter(|step| step.operation == Operation::Read && step.direct && step.latency_ns.count > 0);
    let Some(step) = single.min_by_key(|step| step.latency_ns.p50) else {
        return facts::unread(&format!("direct reads at depth 1 on {}", target.name()));
    };
    let p50 = step.latency_ns.p50;
    if p50 >= FASTEST_NS {
        return Outcome::Passes;
    }
    finding!(
        Kind::Target.named(target.name()),
        "reads on {} take {:.1} µs: no block device is that fast, so a cache answered",
        target.name(),
        p50 as f64 / 1e3,
    )
    .path(target.name())
    .measured(p50 as f64, FASTEST_NS as f64, Unit::Ns)
    .evidence(format!("median {p50} ns, {}", facts::step_name(step)), "probe")
    .because("The figure is that of the cache.")
    .now("measure with --size of several times the memory of host and hypervisor")
    .persist("the same size for each comparison")
    .expecting("latency of the medium: 50 to 150 µs on flash")
    .into()
}
