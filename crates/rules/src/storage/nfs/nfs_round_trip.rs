rule! {
    /// # What it checks
    /// Passes unless the round trip to the NFS server, measured by a handshake with its port, takes 2 ms or more and at
    /// least half of a single small read.
    /// # Why it matters
    /// Each single-block read and each commit waits for one round trip: at 10 ms no session reads more than 100
    /// blocks per second, however fast the server is.
    /// # Evidence
    /// The shortest of five TCP handshakes with the server; round trip of READ or WRITE in
    /// `/proc/self/mountstats` over the step with one in flight.
    /// # Remedy
    /// A server near the host; a route without detour, firewall or WAN. More in flight hides the distance for scans,
    /// not for single reads and commits.
    /// # Source
    /// nfsiostat(8), RTT; Little's law: with one in flight, reads per second = 1 / round trip. Within a data centre a
    /// round trip takes less than 1 ms.
    code: "nfs-round-trip",
    title: "the round trip to the NFS server limits single reads",
    layer: Network, severity: Warning, on: [NfsServer], limits: [Distance],

    /// Beyond any data centre's own network.
    const FAR_NS: f64 = 2e6;
    /// The wire's share of the read.
    const WIRE_SHARE: f64 = 0.5;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let over_nfs = |target: &&facts::Target<'_>| target.mount.is_some_and(|mount| mount.nfs.is_some());
    facts::targets(run).iter().filter(over_nfs).map(judge).collect()
}

fn judge(target: &facts::Target<'_>) -> Outcome {
    let Some(wire_ns) = target.result.server_rtt_ns.map(|ns| ns as f64) else {
        return facts::unread(&format!("the distance to the server of {}", target.name()));
    };
    if wire_ns < FAR_NS {
        return Outcome::Passes;
    }
    let timed = facts::nfs_single_ios(target);
    if timed.is_empty() {
        return facts::unread(&format!("the round trip of single reads and writes on {}", target.name()));
    }
    // Where a slow server holds the writes, the reads that its cache answers still wait for the wire.
    let far = timed.into_iter().filter(|(_, rtt_ns)| wire_ns >= WIRE_SHARE * rtt_ns);
    let far: Vec<(&DiskStepResult, f64)> = far.collect();
    let Some(&(step, rtt_ns)) = far.iter().max_by(|(_, one), (_, other)| one.total_cmp(other)) else {
        return Outcome::Passes;
    };
    let explained = far.iter().map(|(step, rtt_ns)| {
        explain::step(target.result, step, Mechanism::Distance).active(wire_ns / rtt_ns)
    });
    let nfs = target.mount.and_then(|mount| mount.nfs.as_ref());
    let server = nfs.map_or("the server", |nfs| nfs.server.as_str());
    finding!(
        Kind::NfsServer.named(server),
        "the round trip to the NFS server {server} takes {:.1} ms of the {:.1} ms of a single {}: the distance determines the latency, {:.0} per second for one session",
        wire_ns / 1e6,
        rtt_ns / 1e6,
        facts::step_name(step).split(',').next().unwrap_or("I/O"),
        1e9 / rtt_ns,
    )
        .measured(wire_ns, FAR_NS, Unit::Ns)
        .evidence(format!("TCP handshake {:.2} ms", wire_ns / 1e6), "probe")
        .evidence(format!("round trip {:.2} ms", rtt_ns / 1e6), "/proc/self/mountstats over the step")
        .explains(explained)
        .because(
            "A read with nothing else in flight waits for one round trip, whatever server is at the end.",
        )
        .now("ping and `tracepath` to the server: where does the time appear?")
        .now("`fullwire net` to a responder near the server separates distance from queueing")
        .persist("a server in the same data centre, on a route without detour")
        .expecting("a handshake below 1 ms")
        .into()
}
