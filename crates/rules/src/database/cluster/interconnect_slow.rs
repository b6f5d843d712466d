rule! {
    /// # What it checks
    /// Passes when a block of the global cache arrives faster than one from storage, and within 10 ms, once the time
    /// that the other node takes to write its log first is taken off.
    /// # Why it matters
    /// A cluster pays for every block that another node holds. When that is slower than reading it from storage,
    /// the interconnect (or a CPU-starved remote node) turns the cluster into a brake.
    /// # Evidence
    /// `Avg global cache cr block receive time` and `... current block receive time` (ms before 12.2, µs since), the
    /// mean single-block read of the same report; `... block flush time` and the share of blocks that waited for a
    /// flush. These two are what this instance did for the others: the others are taken to do the same for it.
    /// # Remedy
    /// Measure the private network (`fullwire net`, `fullwire mtu`): jumbo frames, drops, the right interface.
    /// If it is fast, the remote LMS processes lack CPU.
    /// # Source
    /// Oracle Real Application Clusters Administration and Deployment Guide, "Monitoring Performance by Analyzing GCS"
    /// (a block that was changed and not yet logged is sent when its redo is on disk). Enterprise Manager's default
    /// thresholds: warning above 10 ms (Oracle metric reference, 10g to 11g). J. Lewis, oracle-l 2019-08-06: a global
    /// cache receive slower than a single-block read is a reason to reconsider the design.
    code: "interconnect-slow",
    title: "blocks arrive slowly over the interconnect",
    layer: Database, severity: Warning, on: [Report],
    check: |run| report::each(run, |report| vec![judge(report)]),

    /// A mean block transfer that is slower than a read from most disks (own choice).
    const WARNING_MS: f64 = 10.0;
    /// A transfer within this time is healthy on any network, regardless of the storage, ms.
    const HEALTHY_MS: f64 = 1.0;
}

/// The time that a block took, and what of it the other node's log took, ms.
struct Received {
    name: &'static str,
    whole_ms: f64,
    flush_ms: f64,
}

impl Received {
    fn of(rac: &RacStatistics, [name, flush, share]: [&'static str; 3]) -> Option<Self> {
        let whole_ms = *rac.mean_ms.get(name)?;
        // Without its share, every block is taken to wait: the interconnect is not blamed for what may be the log's.
        let share = rac.share_pct.get(share).map_or(1.0, |percent| percent / 100.0);
        let flush_ms = rac.mean_ms.get(flush).map_or(0.0, |ms| ms * share);
        Some(Self { name, whole_ms, flush_ms })
    }

    fn network_ms(&self) -> f64 {
        (self.whole_ms - self.flush_ms).max(0.0)
    }
}

fn judge(report: &AwrReport) -> Outcome {
    let Some(rac) = &report.rac_statistics else { return Outcome::Passes };
    let received = report::BLOCKS.iter().filter_map(|&names| Received::of(rac, names));
    let Some(worst) = received.max_by(|a, b| a.network_ms().total_cmp(&b.network_ms())) else {
        return unknown!("{} has no global cache receive times", report.source);
    };
    let receive_ms = worst.network_ms();
    let event = report::single_block_event(report);
    let read_ms = report::wait(report, event).and_then(|wait| wait.mean_ms);
    let limit = read_ms.map_or(WARNING_MS, |read| read.clamp(HEALTHY_MS, WARNING_MS));
    if receive_ms <= limit {
        return Outcome::Passes;
    }
    let mut finding = finding!(
        report::subject(report),
        "a block takes {receive_ms:.2} ms over the interconnect; {limit:.2} ms is the limit here",
    )
    .measured(receive_ms * 1e6, limit * 1e6, Unit::Ns)
    .evidence(format!("{}: {:.3} ms", worst.name, worst.whole_ms), &report.source);
    if worst.flush_ms > 0.0 {
        let text = format!(
            "{:.3} ms of it for the other node's log flush, estimated from this node's",
            worst.flush_ms
        );
        finding = finding.evidence(text, &report.source);
    }
    if let Some(read_ms) = read_ms {
        finding = finding.evidence(format!("{event}: mean {read_ms:.2} ms"), &report.source);
    }
    for ping in rac.pings.iter().filter_map(|ping| ping.large_ms.map(|ms| (ping.target, ms))) {
        finding = finding
            .evidence(format!("ping of 8 KiB to instance {}: {:.3} ms", ping.0, ping.1), &report.source);
    }
    finding
        .because("A block from the other node should come faster than one from storage.")
        .now("fullwire mtu PRIVATE-ADDRESS-OF-THE-OTHER-NODE; fullwire net PRIVATE-ADDRESS --mode rtt")
        .persist(
            "jumbo frames end to end, no drops (fullwire check --only network), CPU for the LMS processes",
        )
        .expecting("receive times below 1 ms")
        .into()
}
