use crate::database::report::{CommitWait, each};

rule! {
    /// # What it checks
    /// Passes unless sessions spend at least a tenth of DB time in `log file sync` and the log device does not explain it:
    /// the log writer is busy for less than half of the interval, and the wait is longer than three log writes (`log
    /// file parallel write`) after what a synchronous standby adds (its time minus the local write's, which runs in
    /// parallel) is subtracted.
    /// # Why it matters
    /// A commit also waits for the log writer to get a CPU, to be woken, to post the session, and with a
    /// synchronous standby for the network and the remote write. A faster disk changes none of that.
    /// # Evidence
    /// Waits, time and share of `log file sync` and `log file parallel write`; `LGWR-LNS`/`SYNC Remote Write`
    /// waits tell a synchronous standby; load and CPUs in the OS statistics; since 11.2.0.3 `redo synch polls`, for
    /// sessions may then poll for the write instead of being posted.
    /// # Remedy
    /// Look for CPU starvation of the log writer (load above the number of CPUs), for a synchronous standby, and
    /// for very many small commits.
    /// # Source
    /// Cases in public: 46 ms of sync against less than 1 ms of write (forums.oracle.com), 101 ms
    /// (christianbilien.wordpress.com, 2008-02-12): both CPU starvation. Adaptive log file sync, on since
    /// 11.2.0.3: My Oracle Support 1541136.1. The tenth of DB time is ours: it bounds what a remedy can gain.
    code: "commit-wait-not-io",
    title: "commits wait, but not on the log device",
    layer: Database, severity: Warning, on: [Report],
    check: |run| each(run, |report| vec![judge(report)]),
}

/// Sessions may poll for the log write since this release (adaptive log file sync).
const POLLING_SINCE: [u32; 4] = [11, 2, 0, 3];

fn judge(report: &AwrReport) -> Outcome {
    let commit = match report::commit_wait(report) {
        Ok(wait) => wait,
        Err(outcome) => return outcome,
    };
    if commit.is_write() {
        return Outcome::Passes;
    }
    let CommitWait { sync_ms, write_ms, standby_ms, .. } = commit;
    let rest = if commit.is_standby() {
        format!("a synchronous standby adds {standby_ms:.2} ms")
    } else if standby_ms > 0.0 {
        format!(
            "a synchronous standby adds {standby_ms:.2} ms, and {:.2} ms are CPU or scheduling",
            commit.rest_ms()
        )
    } else {
        format!("{:.2} ms are CPU or scheduling", commit.rest_ms())
    };
    let message =
        format!("commits wait {sync_ms:.2} ms, but the log write takes only {write_ms:.2} ms: {rest}");
    let mut finding = commit.finding(&RULE, report, message);
    for remote in report::STANDBY_EVENTS {
        if let Some(wait) = report::wait(report, remote) {
            finding = finding.evidence(report::text(remote, wait), &report.source);
        }
    }
    let polls = report.activity.get("redo synch polls").map_or(0.0, |activity| activity.total);
    if polls > 0.0 && report::at_least(report, &POLLING_SINCE) == Some(true) {
        finding = finding.evidence(
            format!("redo synch polls: {polls:.0}: sessions poll for the write, which adds to their wait"),
            &report.source,
        );
    }
    let statistic = |name: &str| report.os_statistics.get(name);
    if let (Some(load), Some(cpus)) = (statistic("LOAD"), statistic("NUM_CPUS")) {
        finding = finding.evidence(format!("load {load:.1} on {cpus:.0} CPUs"), &report.source);
    }
    finding
        .because("Most of a commit's wait is spent outside the log device.")
        .look("vmstat 1 5", "Column r: runnable tasks; compare it with the number of CPUs at the time of the waits")
        .now("look for a synchronous standby: show parameter log_archive_dest; measure it with fullwire net HOST --mode sync")
        .persist("give the log writer a CPU (fewer runnable sessions), commit less often, or make the standby ASYNC")
        .expecting(format!("a commit's wait can fall towards {write_ms:.2} ms"))
        .into()
}
