rule! {
    /// # What it checks
    /// Passes unless, in a stretch of a recording, reads or writes of an NFS mount took 100 ms or more on the network and
    /// in the server.
    /// # Why it matters
    /// Each read that misses the cache, and each commit on that mount, waits this long.
    /// # Evidence
    /// Round trip of READ and WRITE in `/proc/self/mountstats`, or `avg RTT` of nfsiostat. Time in the client's own
    /// queue does not count: written pages may wait there without any program waiting for them.
    /// # Remedy
    /// The server's own latency of that volume; loss on the way.
    /// # Source
    /// nfsiostat(8), avg RTT: from sending the request to its reply; Oracle's customary 10 ms for a single read, ten
    /// times over.
    code: "nfs-wait-long",
    title: "the NFS server needs long for each request",
    layer: Storage, severity: Critical, on: [Mount],
    check: |run| facts::recorded(run).flat_map(|window| judge_window(run, window)).collect(),

    /// Ten times Oracle's customary 10 ms for a single read.
    const LONG_MS: f64 = 100.0;
    /// A request this old makes programs report errors.
    const UNBEARABLE_MS: f64 = 1_000.0;
    /// Fewer requests make no mean.
    const FEWEST: u64 = 3;
}

fn judge_window(run: &Facts, window: &Window) -> Vec<Outcome> {
    let mounts = run.host.mounts.iter().filter(|mount| mount.nfs.is_some());
    let judged = mounts.map(|mount| {
        let both = window.from.nfs.contains_key(&mount.target) && window.to.nfs.contains_key(&mount.target);
        if both {
            judge(window, &mount.target)
        } else {
            facts::unwatched(run, &format!("the NFS counters of {}", mount.target))
        }
    });
    judged.collect()
}

fn judge(window: &Window, mount: &str) -> Outcome {
    let timed = ["READ", "WRITE"].into_iter().filter_map(|name| Some((name, rtt_ms(window, mount, name)?)));
    let worst = timed.max_by(|(_, one), (_, other)| one.total_cmp(other));
    let Some((name, rtt_ms)) = worst.filter(|(_, ms)| *ms >= LONG_MS) else { return Outcome::Passes };
    let what = if name == "READ" { "read" } else { "write" };
    let severity = if rtt_ms >= UNBEARABLE_MS { Severity::Critical } else { Severity::Warning };
    finding!(Kind::Mount.named(mount), "an NFS {what} of {mount} takes {rtt_ms:.0} ms on the network and in the server")
        .severity(severity)
        .measured(rtt_ms * 1e6, LONG_MS * 1e6, Unit::Ns)
        .evidence(format!("{name}: RTT {rtt_ms:.1} ms"), "/proc/self/mountstats")
        .because("The round trip contains network and server time, not the client's own queue.")
        .now("`nfsiostat 1 5` shows whether it still happens: avg RTT against avg exe")
        .now("Read the server's own latency of the volume: near the round trip means its disks or its load, far below means the network")
        .persist("a faster tier or less load on the volume; repair the link that loses")
        .expecting("avg RTT below 10 ms")
        .into()
}

fn rtt_ms(window: &Window, mount: &str, name: &str) -> Option<f64> {
    let pick = |counters: &Counters| {
        let operation = counters.nfs.get(mount)?.operations.get(name)?;
        Some((operation.operations, operation.rtt_ms))
    };
    let ((before, before_ms), (after, after_ms)) = (pick(&window.from)?, pick(&window.to)?);
    let count = after.saturating_sub(before);
    (count >= FEWEST).then(|| after_ms.saturating_sub(before_ms) as f64 / count as f64)
}
