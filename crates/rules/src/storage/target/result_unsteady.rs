rule! {
    /// # What it checks
    /// Passes when repeats of a step are within 20 % of each other, and the rounds reached a steady state.
    /// # Why it matters
    /// A difference between two runs below this band means nothing; a shared or virtual disk often is the cause.
    /// # Evidence
    /// The step's repeats and its steady-state test.
    /// # Remedy
    /// Longer and more repeats, at another time of day; find the other load.
    /// # Source
    /// SNIA Solid State Storage Performance Test Specification: within five rounds the range is at most 20 % of
    /// the mean, the slope at most 10 %.
    code: "result-unsteady",
    title: "repeated measurements differ a lot",
    layer: Storage, severity: Info, on: [Target],

    /// Scatter of the repeats beyond which a figure proves little (own choice).
    const NOISY: f64 = 0.20;
}

fn check(run: &Facts) -> Vec<Outcome> {
    // What another tool's file calls scatter is of its samples: it repeated nothing.
    let repeated = !facts::is_import(run);
    facts::targets(run)
        .iter()
        .filter(|target| !target.is_void() && !target.result.steps.is_empty())
        .map(|target| judge(run, target, repeated))
        .collect()
}

fn judge(run: &Facts, target: &facts::Target<'_>, repeated: bool) -> Outcome {
    let steps = target.result.measurements().filter(|_| repeated);
    let noises = steps.filter_map(|(id, step)| Some((step, run.course(target.name(), &id)?.scatter?)));
    let widest = noises.max_by(|a, b| a.1.total_cmp(&b.1));
    match widest {
        None => unknown!("the steps on {} were not repeated", target.name()),
        Some((_, noise)) if noise <= NOISY => Outcome::Passes,
        Some((step, noise)) => finding!(
            Kind::Target.named(target.name()),
            "repeats on {} differ by {} ({}): smaller differences between runs mean nothing",
            target.name(),
            facts::percent(noise),
            facts::step_name(step),
        )
        .path(target.name())
        .measured(noise, NOISY, Unit::Ratio)
        .evidence(format!("repeats: {}", facts::words::rates(&step.repeats_bytes_per_s)), "probe")
        .because("A difference within the noise proves nothing.")
        .now("repeat with --duration 60s --repeats 5, when nothing else runs")
        .persist("measure baselines at the same hour")
        .expecting("repeats within 20 %")
        .into(),
    }
}
