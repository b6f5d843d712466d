rule! {
    /// # What it checks
    /// Passes when the log writer waits for its own writes less than 70 % of the time.
    /// # Why it matters
    /// Beyond that each commit finds a write already running and waits for two. A peak that is twice the mean does not
    /// fit any more: commits queue up.
    /// # Evidence
    /// Time of `log file parallel write` over the interval of the report.
    /// # Remedy
    /// A faster device for the redo logs, away from data and archives; fewer commits in a batch; smaller redo.
    /// # Source
    /// Queueing at one server: at 70 % use the mean wait is more than twice the service time (M/M/1). Oracle Database
    /// Performance Tuning Guide, "log file parallel write".
    code: "log-writer-saturated",
    title: "the log writer is busy writing most of the time",
    layer: Database, severity: Warning, on: [Report],
    check: |run| report::each(run, |report| vec![judge(report)]),

    /// Share of its time that the log writer spends in writes; beyond it commits queue (own choice).
    const BUSY: f64 = 0.7;
}

const EVENT: &str = "log file parallel write";

fn judge(report: &AwrReport) -> Outcome {
    let elapsed_s = report.elapsed_min.map(|minutes| 60.0 * minutes).filter(|&seconds| seconds > 0.0);
    let wait = report::wait(report, EVENT);
    let (Some(wait), Some(elapsed_s)) = (wait, elapsed_s) else {
        return unknown!("{} lists no {EVENT} or no elapsed time", report.source);
    };
    let Some(time_s) = wait.time_s else { return unknown!("{} has no total time of {EVENT}", report.source) };
    // Scalable log writers (LGnn) and instances of a cluster write side by side: more than all of the time is no share.
    let busy = time_s / elapsed_s;
    if !(BUSY..=1.0).contains(&busy) {
        return Outcome::Passes;
    }
    finding!(
        report::subject(report),
        "the log writer waited for its writes {} of the interval",
        facts::percent(busy),
    )
    .measured(busy, BUSY, Unit::Ratio)
    .evidence(report::text(EVENT, wait), &report.source)
    .evidence(format!("interval {elapsed_s:.0} s"), &report.source)
    .because("A commit that arrives during a write waits for that write and for its own.")
    .now("fullwire disk DIRECTORY-OF-THE-REDO-LOGS --profile ora-lgwr")
    .persist(
        "Put the redo logs on a separate device with a lower write latency; commit less often in batch jobs",
    )
    .expecting("commits queue less: log file sync falls by more than the write itself becomes shorter")
    .into()
}
