use crate::database::report::{CommitWait, each};

rule! {
    /// # What it checks
    /// Passes unless sessions spend at least a tenth of DB time in `log file sync` and wait for the log writer's device:
    /// it is busy for half of the interval, or the wait is no longer than three log writes (`log file parallel write`)
    /// after what a synchronous standby adds is subtracted.
    /// # Why it matters
    /// Every commit waits until its redo is on disk. When the write is most of the wait, only a faster redo
    /// device or path shortens it; more CPU does not.
    /// # Evidence
    /// Waits, time and share of `log file sync` (foreground) and `log file parallel write` (background) in the report;
    /// the time of the writes over the interval; means are taken from the totals, for reports before 12.2 print whole
    /// milliseconds.
    /// # Remedy
    /// Put the online logs on the fastest low-latency storage there is, with nothing else on it; measure it with
    /// `fullwire disk --profile ora-lgwr`. Fewer commits (batching) help immediately.
    /// # Source
    /// Oracle Database Reference, "log file sync" and "log file parallel write"; Quest and J. Lewis read the pair in
    /// the same way: a sync much longer than the write is not I/O. A commit that finds the log writer at work waits for
    /// the rest of that write and for its own, so that two writes are I/O alone. The tenth of DB time is ours: it
    /// bounds what a remedy can gain.
    code: "commit-wait-log-write",
    title: "commits wait for the log writer's device",
    layer: Database, severity: Warning, on: [Report],
    check: |run| each(run, |report| vec![judge(report)]),
}

fn judge(report: &AwrReport) -> Outcome {
    let commit = match report::commit_wait(report) {
        Ok(wait) => wait,
        Err(outcome) => return outcome,
    };
    if !commit.is_write() {
        return Outcome::Passes;
    }
    let CommitWait { share, sync_ms, write_ms, .. } = commit;
    let message = format!(
        "commits wait {sync_ms:.2} ms for log writes of {write_ms:.2} ms: {:.1} % of DB time is log file sync",
        share * 100.0
    );
    commit
        .finding(&RULE, report, message)
        .because("A commit waits for the log write that is running and for its own.")
        .now("fullwire disk DIRECTORY-OF-THE-ONLINE-LOGS --profile ora-lgwr")
        .persist("move the online logs to the device with the shortest synchronous write")
        .expecting(format!(
            "saves {:.1} % of DB time and more: a shorter write, and no queue of commits before it (all of \
             log file sync is {:.1} %); compare a new report over the same load",
            share * 100.0 * (write_ms / sync_ms).min(1.0),
            share * 100.0
        ))
        .into()
}
