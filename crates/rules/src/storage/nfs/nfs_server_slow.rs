rule! {
    /// # What it checks
    /// Passes unless the NFS server itself needs 10 ms or more for a single small read or write: the round trip of the
    /// request minus that of a handshake with its port.
    /// # Why it matters
    /// Neither the client nor the wire can make up for it: each single-block read and each commit waits for the
    /// server's disks or its load.
    /// # Evidence
    /// Round trip of READ or WRITE in `/proc/self/mountstats` over the step with one in flight; the shortest of
    /// five TCP handshakes, which the server's kernel answers without any disk.
    /// # Remedy
    /// The filer's own latency figures for the volume: its disks, its cache, its load, a snapshot or a rebuild.
    /// # Source
    /// nfsiostat(8), RTT: from sending the request to its reply; the founding disk arithmetic (10 ms for a single
    /// read of a disk).
    code: "nfs-server-slow",
    title: "the NFS server takes the time, not the network",
    layer: Storage, severity: Warning, on: [NfsServer], limits: [NfsServer],

    /// A single read of a disk takes no longer.
    const SLOW_NS: f64 = 10e6;
    /// The server's share of the round trip.
    const OWN_SHARE: f64 = 0.7;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let over_nfs = |target: &&facts::Target<'_>| target.mount.is_some_and(|mount| mount.nfs.is_some());
    facts::targets(run).iter().filter(over_nfs).flat_map(judge).collect()
}

/// Reads and writes each for themselves: the server's cache may answer either.
fn judge(target: &facts::Target<'_>) -> Vec<Outcome> {
    let timed = facts::nfs_single_ios(target);
    if timed.is_empty() {
        return vec![facts::unread(&format!(
            "the round trip of single reads and writes on {}",
            target.name()
        ))];
    }
    let Some(wire_ns) = target.result.server_rtt_ns.map(|ns| ns as f64) else {
        return vec![facts::unread(&format!("the distance to the server of {}", target.name()))];
    };
    let of =
        |operation: Operation| timed.iter().copied().filter(move |(step, _)| step.operation == operation);
    let longest = |operation| of(operation).max_by(|(_, one), (_, other)| one.total_cmp(other));
    let each = [Operation::Read, Operation::Write, Operation::Mixed, Operation::Copy]
        .into_iter()
        .filter_map(longest);
    each.map(|(step, rtt_ns)| judge_one(target, step, rtt_ns, wire_ns)).collect()
}

fn judge_one(target: &facts::Target<'_>, step: &DiskStepResult, rtt_ns: f64, wire_ns: f64) -> Outcome {
    let own_ns = (rtt_ns - wire_ns).max(0.0);
    if own_ns < SLOW_NS || own_ns < OWN_SHARE * rtt_ns {
        return Outcome::Passes;
    }
    let nfs = target.mount.and_then(|mount| mount.nfs.as_ref());
    let server = nfs.map_or("the server", |nfs| nfs.server.as_str());
    finding!(
        Kind::NfsServer.named(server),
        "the NFS server {server} is slow: a single {} takes {:.1} ms in total, but a TCP handshake only {:.2} ms: {:.1} ms are spent in the server",
        facts::step_name(step).split(',').next().unwrap_or("I/O"),
        rtt_ns / 1e6,
        wire_ns / 1e6,
        own_ns / 1e6,
    )
        .measured(own_ns, SLOW_NS, Unit::Ns)
        .evidence(format!("round trip {:.2} ms", rtt_ns / 1e6), "/proc/self/mountstats over the step")
        .evidence(format!("TCP handshake {:.2} ms", wire_ns / 1e6), "probe")
        .explains(
            explain::steps(target.result, Mechanism::NfsServer, |other| {
                other.operation == step.operation
                    && facts::in_flight(other) == 1
                    && other.block_bytes <= step.block_bytes
            })
            .map(|one| one.active(own_ns / rtt_ns)),
        )
        .because("With one request in flight nothing queues on this host, and the handshake shows that the network is fast.")
        .now("the server's own latency of the volume (filer statistics, or `iostat -x 1` there): disks, cache, load")
        .persist("a faster tier for the volume, or less other load")
        .expecting("the round trip of `nfsiostat` near that of the handshake plus 1 ms")
        .into()
}
