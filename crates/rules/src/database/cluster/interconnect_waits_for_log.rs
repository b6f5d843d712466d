rule! {
    /// # What it checks
    /// Applies to reports of clusters. Passes when flushing the log takes less than half of the time that a block needs to
    /// arrive, or less than 1 ms.
    /// # Why it matters
    /// A block that was changed and not yet logged is sent only when its redo is on disk: a slow log device looks like a
    /// slow interconnect, and no network setting helps.
    /// # Evidence
    /// `Avg global cache cr block flush time` and `... current block flush time`, weighted with the share of blocks that
    /// waited for a flush; receive times of the same report. These are what this instance did for the others.
    /// # Remedy
    /// Faster redo devices on all nodes.
    /// # Source
    /// Oracle Real Application Clusters Administration and Deployment Guide, "Monitoring Performance by Analyzing GCS"; the
    /// limits are our own choice.
    code: "interconnect-waits-for-log",
    title: "blocks of the cluster wait for the log of the node that sends them",
    layer: Database, severity: Info, on: [Report],
    check: |run| report::each(run, |report| judge(report).into_iter().collect()),

    /// Share of the receive time (own choice).
    const MOST_SHARE: f64 = 0.5;
    /// A flush within this time is as fast as a good log device (own choice).
    const LEAST_MS: f64 = 1.0;
}

/// No outcome for a report of a single instance.
fn judge(report: &AwrReport) -> Option<Outcome> {
    let rac = report.rac_statistics.as_ref()?;
    let spent = report::BLOCKS.iter().filter_map(|[receive, flush, share]| {
        let receive_ms = *rac.mean_ms.get(*receive)?;
        let flush_ms = rac.mean_ms.get(*flush)? * rac.share_pct.get(*share)? / 100.0;
        Some((flush_ms, receive_ms, *flush))
    });
    let Some((flush_ms, receive_ms, name)) = spent.max_by(|one, other| one.0.total_cmp(&other.0)) else {
        return Some(unknown!("{} has no flush times of the global cache", report.source));
    };
    if flush_ms < LEAST_MS || flush_ms < MOST_SHARE * receive_ms {
        return Some(Outcome::Passes);
    }
    let share = (flush_ms / receive_ms.max(flush_ms)).min(1.0);
    let found = finding!(
        report::subject(report),
        "blocks wait {flush_ms:.2} ms on average for a log flush, {} of the {receive_ms:.2} ms that they take", facts::percent(share),
    )
        .measured(flush_ms * 1e6, LEAST_MS * 1e6, Unit::Ns)
        .evidence(format!("{name}, weighted: {flush_ms:.3} ms; receive time {receive_ms:.3} ms"), &report.source)
        .because("A changed block is sent only when its redo is on disk.")
        .now("on each node: fullwire disk DIRECTORY-OF-THE-REDO-LOGS --profile ora-lgwr")
        .persist("Faster devices for the redo logs of all instances; the interconnect is not the cause")
        .expecting("flush times below 1 ms, and receive times that fall with them");
    Some(found.into())
}
