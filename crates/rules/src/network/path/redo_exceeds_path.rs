use crate::measurement::demand::Serves;
use fullwire_model::demand::transport::{Carried, Need};

rule! {
    /// # What it checks
    /// Passes when the path to the standby carries the redo at its peak with headroom (peak x 1.3 unless `--headroom`
    /// says otherwise) by as many connections as redo transport uses: one for each thread.
    /// # Why it matters
    /// ASYNC transport falls behind and loses more in a disaster; SYNC transport makes every commit wait.
    /// # Evidence
    /// The best stream for redo transport; the redo rate from the listing, AWR report or live database. The standby is the
    /// host that `log_archive_dest_N` of a report names, otherwise the only measured peer. Oracle's MAA requires peak / 0.7, a tenth more than peak x 1.3; it is shown as well.
    /// # Remedy
    /// Remove what limits the path first. Then a faster line, or redo compression.
    /// # Source
    /// Oracle MAA, Oracle Data Guard network sizing (required bandwidth = redo rate / 0.7); Oracle Data Guard Concepts and
    /// Administration, "Redo Transport Services" (one connection for each redo thread and destination).
    code: "redo-exceeds-path",
    title: "the path carries less than the redo needs",
    layer: Network, severity: Critical, on: [Path],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(demand) = &run.demand else { return Vec::new() };
    if Need::of(demand).is_none() {
        return vec![unknown!("{} has no redo rate", demand.source)];
    }
    match demand::redo_peer(run) {
        Serves::Nothing => Vec::new(),
        Serves::OneOf(peers) => vec![unknown!(
            "it is not known which of {peers} measured peers receives the redo: measure the standby alone, or add a report that names it"
        )],
        Serves::One(_) => {
            demand::redo(run).map(|(carried, by)| judge(demand, carried, by)).into_iter().collect()
        }
    }
}

fn judge(demand: &Demand, carried: Carried, by: &NetResult) -> Outcome {
    if carried.is_enough() {
        return Outcome::Passes;
    }
    let (got, required) = (carried.carried_bytes_per_s, carried.required_bytes_per_s);
    let mut finding = finding!(
        Kind::Path.named(&by.target),
        "redo transport to {} carries {}, {} short of the {} that the redo needs with headroom",
        by.target,
        words::rate(got),
        words::rate(required - got),
        words::rate(required),
    )
    .measured(got, required, Unit::BytesPerS)
    .evidence(format!("required: {}", words::rate(required)), &demand.source)
    .evidence(
        format!(
            "{}: {} measured with {}; redo uses {}",
            by.label(),
            words::rate(by.throughput_bytes_per_s),
            words::counted(by.streams.max(1), "stream"),
            words::counted(carried.connections, "connection")
        ),
        "probe",
    )
    .path(&by.target);
    if let Some(maa) = demand.redo_required_maa_bytes_per_s {
        finding =
            finding.evidence(format!("by Oracle's MAA (peak / 0.7): {}", words::rate(maa)), &demand.source);
    }
    finding
        .because(
            "Redo that is generated faster than the path carries it queues up, and the standby falls behind.",
        )
        .now("remove the bottleneck of this path first")
        .persist("a faster line, or redo compression (COMPRESSION=ENABLE of the archive destination)")
        .expecting("carried above required")
        .into()
}
