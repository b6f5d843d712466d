use crate::measurement::demand::Serves;
use crate::measurement::{Measurement, Path};
use fullwire_model::assessment::PathKind;

rule! {
    /// # What it checks
    /// Passes when the storage delivers the requests and bytes per second that the database's reports or counters require,
    /// by the step that does best: of a block size that fits the database's mean request, and for random reads within
    /// 10 ms.
    /// # Why it matters
    /// Sessions queue for I/O at the load that the report is of, and more of that load makes them wait longer.
    /// # Evidence
    /// The demand and its source; the best steps, with the load that ran at the same time; whether their rate had
    /// stopped growing with depth, for otherwise more in flight may give more and nothing is said.
    /// # Remedy
    /// Remove what limits the target. Then more or faster storage, or less I/O: a larger cache, better plans.
    /// # Source
    /// Oracle Database Performance Tuning Guide, "I/O Configuration and Design" (design for the required I/O rate and
    /// throughput); Little's law for the depth that a rate takes.
    code: "demand-exceeds-storage",
    title: "the storage delivers less than the database needs",
    layer: Storage, severity: Critical, on: [Target],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(demand) = &run.demand else { return Vec::new() };
    let rates =
        [demand.read_io_per_s, demand.read_bytes_per_s, demand.write_io_per_s, demand.write_bytes_per_s];
    if run.disk.is_empty() || rates.iter().all(Option::is_none) {
        return Vec::new();
    }
    if let Serves::OneOf(targets) = demand::storage_target(run) {
        return vec![unknown!(
            "it is not known which of {targets} measured targets contains the database's files"
        )];
    }
    let storage = run.paths.iter().filter(|path| path.kind == PathKind::Storage);
    let needed = storage.flat_map(|path| path.measurements.iter().map(move |one| (path, one)));
    needed.filter_map(|(path, one)| judge(path, one, demand)).collect()
}

fn judge(path: &Path, one: &Measurement, demand: &Demand) -> Option<Outcome> {
    let (needs, share) = (one.demand?, one.demand_share?);
    if share >= 1.0 {
        return Some(Outcome::Passes);
    }
    if !one.driven {
        return Some(unknown!(
            "{} delivers {} of what the database needs but was not driven to its limit: fullwire disk {} --sweep depth",
            one.label(),
            percent(share),
            as_word(&path.target)
        ));
    }
    Some(fires(path, one, demand, needs, share))
}

fn fires(path: &Path, one: &Measurement, demand: &Demand, needs: f64, share: f64) -> Outcome {
    let told = |value: f64| match one.unit {
        Unit::IoPerS => format!("{value:.0} I/Os per second"),
        _ => words::rate(value),
    };
    let gives = needs * share;
    let mut finding = finding!(
        Kind::Target.named(&path.target),
        "{} delivers {} ({}), {} short of the {} that the database needs",
        path.target,
        told(gives),
        one.label(),
        told(needs - gives),
        told(needs),
    )
    .measured(gives, needs, one.unit)
    .path(&path.target)
    .evidence(format!("needed: {}", told(needs)), &demand.source)
    .evidence(format!("{}: {}, other load included", one.label(), told(gives)), "probe");
    if demand.redo_mean_over_s.is_some() {
        finding = finding.evidence("the need is the mean of an interval: its peak is higher", &demand.source);
    }
    finding
        .because("The rate no longer grows with depth, and it is below what the database needs.")
        .now("remove the bottleneck of this path first")
        .persist("more or faster storage, or less I/O: a larger buffer cache, fewer full scans")
        .expecting("the best step above the need; a new report shows shorter waits")
        .into()
}
