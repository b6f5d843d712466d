rule! {
    /// # What it checks
    /// Passes unless random direct reads of the same offsets took a third less time in every later pass than in the first.
    /// # Why it matters
    /// A cache (of the array, the controller, the hypervisor, the filer) kept what the first pass read: later
    /// figures are the cache's.
    /// # Evidence
    /// Median latency of each repeat; repeats use the same offsets.
    /// # Remedy
    /// A working set of several times the cache; judge by the first pass.
    /// # Source
    /// fio issues 329 and 383 (results that only a cache explains); NetApp ontap-apps-dbs (working set against
    /// cache).
    code: "read-again-faster",
    title: "the same reads are faster the second time",
    layer: Storage, severity: Info, on: [Target],

    /// A later pass takes at most this share of the first one's time.
    const FASTER: f64 = 0.7;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let targets = facts::targets(run);
    targets.iter().filter(|target| !target.is_void()).filter_map(|target| judge(run, target)).collect()
}

fn judge(run: &Facts, target: &facts::Target<'_>) -> Option<Outcome> {
    let reads = |step: &DiskStepResult| step.operation == Operation::Read && step.pattern == Pattern::Random;
    let share_of = |(id, step)| Some((step, run.course(target.name(), &id)?.read_again?));
    let again = target.result.measurements().filter_map(share_of);
    let Some((step, share)) = again.min_by(|(_, one), (_, other)| one.total_cmp(other)) else {
        let unknown = || unknown!("no random read of {} was repeated", target.name());
        return target.result.steps.iter().any(|step| reads(step) && step.direct).then(unknown);
    };
    if share > FASTER {
        return Some(Outcome::Passes);
    }
    let first = *step.repeats_p50_ns.first()? as f64;
    let later = share * first;
    let message = format!(
        "{} on {}: half of the reads took {:.0} µs in the first pass and {:.0} µs when the same blocks were read again: a cache below the host had kept them",
        facts::step_name(step),
        target.name(),
        first / 1e3,
        later / 1e3
    );
    let medians: Vec<String> =
        step.repeats_p50_ns.iter().map(|ns| format!("{:.0}", *ns as f64 / 1e3)).collect();
    Some(
        RULE.finding(Kind::Target.named(target.name()), message)
            .path(target.name())
            .measured(later, first, Unit::Ns)
            .evidence(
                format!("medians of the passes, µs: {}", medians.join(", ")),
                "probe, the same offsets each time",
            )
            .because("A cached read says nothing about the medium behind the cache.")
            .now("measure a larger working set: `fullwire disk DIR --sweep working-set --size 64G`")
            .persist("compare runs of the same size only, and judge by the first pass")
            .expecting("the same median in each pass")
            .into(),
    )
}
