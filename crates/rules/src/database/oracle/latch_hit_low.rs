rule! {
    /// # What it checks
    /// Passes when the latch hit ratio of the report is at least 99.5 %.
    /// # Why it matters
    /// A miss makes a process spin on its CPU. Low ratios go with CPU shortage and hot blocks; next to the waits they
    /// show that I/O may not be the only wait.
    /// # Evidence
    /// `Latch Hit %` among the instance efficiency figures.
    /// # Remedy
    /// Look at the latch waits in the list of events: only a latch with a share of DB time is worth a remedy.
    /// Give the instance CPU before anything else.
    /// # Source
    /// The founding note on the IBM bottleneck method reads below 99.5 % as contention; Oravision warns below 99
    /// %. Never a verdict by itself (diagnosis notes, section 0).
    code: "latch-hit-low",
    title: "latch misses are frequent",
    layer: Database, severity: Info, on: [Report],
    check: |run| report::each(run, |report| vec![judge(report)]),

    /// A customary floor of the latch hit ratio.
    const HIT_PCT: f64 = 99.5;
}

fn judge(report: &AwrReport) -> Outcome {
    let Some(hit) = report.latch_hit_pct else { return unknown!("{} has no latch hit ratio", report.source) };
    if hit >= HIT_PCT {
        return Outcome::Passes;
    }
    let latch = report.waits.iter().filter(|(name, _)| name.starts_with("latch"));
    let worst = latch.max_by(|a, b| a.1.time_s.unwrap_or(0.0).total_cmp(&b.1.time_s.unwrap_or(0.0)));
    let mut finding = finding!(
        report::subject(report),
        "latch hit {hit:.2} %, below {HIT_PCT} %: processes spin on their CPUs",
    )
    .measured(hit / 100.0, HIT_PCT / 100.0, Unit::Ratio)
    .evidence(format!("Latch Hit %: {hit:.2}"), &report.source);
    if let Some((name, wait)) = worst {
        finding = finding.evidence(report::text(name, wait), &report.source);
    }
    finding
        .because("Context for the waits; not a problem on its own.")
        .now("read the latch and mutex events of the report by their share of DB time")
        .expecting("no action needed, unless such an event has a large share")
        .into()
}
