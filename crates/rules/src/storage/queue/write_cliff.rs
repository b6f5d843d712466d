rule! {
    /// # What it checks
    /// Passes when a sequential write keeps its rate: it does not fall below half of it for the last third of its time or more.
    /// # Why it matters
    /// A cache in front (SLC of an SSD, the array's) was full: a load or restore runs at the low rate, a short
    /// test at the high one.
    /// # Evidence
    /// Throughput of the write step's intervals.
    /// # Remedy
    /// Judge by the lower rate; a medium with a larger or no cache stage.
    /// # Source
    /// SNIA Solid State Storage Performance Test Specification (steady state before measuring); fio issue 1112
    /// (leaving the steady state).
    code: "write-cliff",
    title: "the write rate drops sharply after some gigabytes",
    layer: Storage, severity: Warning, on: [Target], limits: [CacheFull],

    /// Of the first rate, below which a cache is full (own choice).
    const BROKEN: f64 = 0.5;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let targets = facts::targets(run);
    targets.iter().filter(|target| !target.is_void()).filter_map(|target| judge(run, target)).collect()
}

fn judge(run: &Facts, target: &facts::Target<'_>) -> Option<Outcome> {
    let name = target.name();
    let writes = |step: &&DiskStepResult| {
        step.operation == Operation::Write && step.pattern == Pattern::Sequential && !facts::is_synced(step)
    };
    let mut writes = target.result.steps.iter().filter(writes).peekable();
    writes.peek()?;
    let Some(step) = writes.find(|step| course::is_told(step)) else {
        return Some(unknown!("the writes on {name} were too short to see a drop"));
    };
    let course = run.course(name, &target.result.name_of(step));
    let fell = course.and_then(|course| course.fell);
    let Some(fell) = fell.filter(|fell| fell.to_bytes_per_s < BROKEN * fell.from_bytes_per_s) else {
        return Some(Outcome::Passes);
    };
    let (from, to) = (fell.from_bytes_per_s, fell.to_bytes_per_s);
    let [fast, slow] = [from, to].map(|rate| format!("{:.0}", rate / 1e6));
    let written = step.bytes as f64 * fell.before / 1e9;
    Some(
        finding!(Kind::Target.named(name), "writes on {name} fell from {fast} to {slow} MB/s after about {written:.1} GB: a write cache filled up")
            .measured(to, from, Unit::BytesPerS)
            .evidence(format!("first {fast} MB/s, then {slow} MB/s to the end"), "probe, intervals")
            .explains([explain::step(target.result, step, Mechanism::CacheFull).inferred(to, Unit::BytesPerS)])
            .because("The sustained rate is that of the storage behind the cache.")
            .now("measure longer (--duration 5m) and judge by the plateau")
            .persist("plan with the lower rate; or use enterprise flash or a larger array cache")
            .expecting("one rate from beginning to end")
            .into(),
    )
}
