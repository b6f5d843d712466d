rule! {
    /// # What it checks
    /// Passes when redo logs are switched at most three times an hour; above twelve it is a warning.
    /// # Why it matters
    /// Each switch starts a checkpoint and an archive; very frequent switches mean small logs, many small files
    /// to ship, and stalls when the writers fall behind.
    /// # Evidence
    /// `log switches (derived)` of the report over its elapsed time.
    /// # Remedy
    /// Make the online logs larger: their size should hold 20 minutes of redo at peak.
    /// # Source
    /// Oracle Database Performance Tuning Guide, "Sizing Redo Log Files": at most once every 20 minutes as a
    /// rough guide. The warning at four times that rate is ours.
    code: "log-switches-frequent",
    title: "redo logs are switched too often",
    layer: Database, severity: Warning, on: [Report],
    check: |run| each_of_io(run, |report| vec![judge(report)]),

    /// Once every 20 minutes.
    const GUIDE_PER_HOUR: f64 = 3.0;
    /// Switches an hour: four times the guide value.
    const FOUR_TIMES: f64 = 12.0;
}

fn judge(report: &AwrReport) -> Outcome {
    let (Some(switches), Some(minutes)) =
        (report.log_switches, report.elapsed_min.filter(|&minutes| minutes > 0.0))
    else {
        return unknown!("{} does not count log switches", report.source);
    };
    let per_hour = switches * 60.0 / minutes;
    // One switch in a short report is no rate.
    if per_hour <= GUIDE_PER_HOUR || switches < 2.0 {
        return Outcome::Passes;
    }
    let severity = if per_hour > FOUR_TIMES { Severity::Warning } else { Severity::Info };
    let size = report.redo_size_per_s.map(|rate| rate * 1200.0);
    let advice = size.map_or_else(
        || "online logs that hold 20 minutes of redo at peak".to_owned(),
        |bytes| {
            format!(
                "online logs of at least {:.0} MB each (20 minutes of this report's redo; more for the peak)",
                (bytes / 1e6).ceil()
            )
        },
    );
    finding!(
        report::subject(report),
        "{per_hour:.0} log switches per hour; the guideline is one every 20 minutes",
    )
    .severity(severity)
    .measured(per_hour / 3600.0, GUIDE_PER_HOUR / 3600.0, Unit::PerS)
    .evidence(format!("log switches (derived): {switches:.0} in {minutes:.1} minutes"), &report.source)
    .because("Each switch starts a checkpoint and an archive.")
    .now("select group#, thread#, bytes, status from v$log;")
    .persist(advice)
    .expecting("fewer checkpoints, larger and fewer archives to ship")
    .into()
}
