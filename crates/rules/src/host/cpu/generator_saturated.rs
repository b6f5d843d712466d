rule! {
    /// # What it checks
    /// Passes when no thread of the load generator used more than 90 % of one CPU in a step.
    /// # Why it matters
    /// The device could have done more: the figure is the generator's, or the host's CPU's, and not the path's.
    /// # Evidence
    /// Largest share of one CPU by a generator thread; what the generator does against a null target.
    /// # Remedy
    /// More threads (`--threads`), larger blocks; on a small host: that is the host's own ceiling.
    /// # Source
    /// fullwire's own measurement; fio issue 1501 (a sequential test bound by one CPU).
    code: "generator-saturated",
    title: "fullwire itself limited the storage measurement",
    layer: Host, severity: Info, on: [Generator], limits: [CpuBusy],
    check: |run| run.disk.iter().filter(|result| !result.steps.is_empty()).map(judge).collect(),

    /// Share of a CPU that a thread of the test uses: the test itself is the limit.
    const FULL: f64 = 0.90;
}

fn judge(result: &DiskResult) -> Outcome {
    let peaks = result.steps.iter().filter_map(|step| Some((step, step.thread_peak?)));
    let Some((step, peak)) = peaks.max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return facts::unread(&format!("the CPU that the generator used on {}", result.target));
    };
    if peak <= FULL {
        return Outcome::Passes;
    }
    finding!(
        Kind::Generator.only(),
        "one CPU of the load generator was {} busy ({}): {} could do more",
        facts::percent(peak),
        facts::step_name(step),
        result.target,
    )
    .measured(peak, FULL, Unit::Ratio)
    .evidence(format!("thread peak {peak:.2} of one CPU"), "probe, getrusage")
    .explains([explain::step(result, step, Mechanism::CpuBusy).active(peak)])
    .because("A thread cannot issue more I/O than one CPU allows.")
    .now("repeat with --threads 4")
    .persist("on a host with so few CPUs a database would meet the same limit")
    .expecting("a higher rate with more threads, or the same: then it is the device's")
    .into()
}
