rule! {
    /// # What it checks
    /// Passes unless, in a stretch of a recording, an NFS mount had requests outstanding, got no reply, and kept tasks
    /// waiting.
    /// # Why it matters
    /// A hard mount waits for its server forever: the database and its commits hang. No latency figure shows it,
    /// because a request is timed when it completes.
    /// # Evidence
    /// `sends` and `receives` of the transports and completed operations in `/proc/self/mountstats` at both ends;
    /// blocked tasks or I/O pressure.
    /// # Remedy
    /// The server and the network to it at that time.
    /// # Source
    /// Linux net/sunrpc/xprtsock.c (`xprt:` line: sends, receives); nfs(5), hard.
    code: "nfs-stalled",
    title: "an NFS server does not answer",
    layer: Storage, severity: Critical, on: [Mount],
    check: |run| facts::recorded(run).flat_map(|window| judge_window(run, window)).collect(),

    /// A single request may well take part of a second.
    const SHORTEST_S: f64 = 0.9;
}

fn judge_window(run: &Facts, window: &Window) -> Vec<Outcome> {
    let mounts = run.host.mounts.iter().filter(|mount| mount.nfs.is_some());
    let judged = mounts.map(|mount| {
        let counted = window.from.nfs.get(&mount.target).zip(window.to.nfs.get(&mount.target));
        match counted {
            Some((from, to)) if !to.transports.is_empty() => judge(window, &mount.target, from, to),
            _ => facts::unwatched(run, &format!("the transports of {}", mount.target)),
        }
    });
    judged.collect()
}

fn judge(window: &Window, mount: &str, from: &NfsCounters, to: &NfsCounters) -> Outcome {
    let under_way = |counters: &NfsCounters| -> u64 {
        counters
            .transports
            .iter()
            .map(|one| one.sends.saturating_sub(one.receives))
            .fold(0, u64::saturating_add)
    };
    let replies = |counters: &NfsCounters| -> u64 {
        counters.transports.iter().map(|one| one.receives).fold(0, u64::saturating_add)
    };
    let waiting = under_way(from).min(under_way(to));
    let silent = replies(from) == replies(to) && window.seconds() >= SHORTEST_S;
    if waiting == 0 || !silent || facts::nobody_waits_for_io(window) {
        return Outcome::Passes;
    }
    finding!(
        Kind::Mount.named(mount),
        "the NFS server of {mount} answered nothing for {:.0} s while {waiting} requests waited", window.seconds(),
    )
    .measured(waiting as f64, 0.0, Unit::Count)
    .evidence(format!("{waiting} sends without a reply at both ends, receives +0"), "/proc/self/mountstats")
    .because("Requests were sent and no reply came back: the server, its storage or the network did not respond.")
    .look("dmesg -T | grep -i 'nfs: server' | tail || true", "Shows when the kernel gave up waiting quietly")
    .now("Read the log of the filer at that time: failover, full aggregate, snapshot")
    .now("`ping` and `rpcinfo -T tcp SERVER nfs` to the server while it lasts show whether the network or the server is at fault")
    .persist("check the logs of the filer and the switch for that time, and fix the cause")
    .expecting("receives keep up with sends in /proc/self/mountstats")
    .into()
}
