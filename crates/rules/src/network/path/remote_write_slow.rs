use crate::ceiling::network::commit;

rule! {
    /// # What it checks
    /// Passes unless most of a synchronous message's latency is the write at the peer, not the network. A quick write is a
    /// note: it is what such a message waits for.
    /// # Why it matters
    /// SYNC redo transport with AFFIRM waits for the standby's redo log write: a slow disk there is felt in
    /// every commit here, and the network is innocent.
    /// # Evidence
    /// Latency of each message as measured here, time of the write as measured by the peer.
    /// # Remedy
    /// Faster redo devices at the standby (write cache with battery, NVMe, its own LUN), or SYNC NOAFFIRM
    /// (FASTSYNC) if losing both sites at the same time is an accepted risk.
    /// # Source
    /// Oracle Data Guard, Concepts and Administration: redo transport modes (SYNC AFFIRM, NOAFFIRM);
    /// blogs.oracle.com MAA, To Sync or not to Sync; worked figures: latency = network + remote write.
    code: "remote-write-slow",
    title: "the peer's disk delays the acknowledgement",
    layer: Storage, severity: Warning, on: [Path], limits: [RemoteWrite],

    /// A synchronous write of redo that a good disk stays below, ns.
    const SLOW_NS: f64 = 3e6;
}

fn check(run: &Facts) -> Vec<Outcome> {
    each::result(
        run,
        NetMode::Sync,
        |result| if result.plan.write { judge(run, result) } else { Outcome::Passes },
    )
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    let parts = result.parts_ns.as_ref();
    let (Some(write), Some(network)) =
        (parts.and_then(|parts| parts.remote_write.as_ref()), parts.map(|parts| &parts.network))
    else {
        return unknown!("{} did not report how long its writes took", result.target);
    };
    let (write_ns, network_ns) = (write.p50 as f64, network.p50 as f64);
    if write_ns < network_ns {
        return Outcome::Passes;
    }
    let share = write_ns / (write_ns + network_ns);
    let severity = if write_ns < SLOW_NS { Severity::Info } else { RULE.severity };
    let in_flight = f64::from(result.streams.max(1)) * f64::from(result.plan.depth.max(1));
    let left = in_flight * commit::one_in_flight_bytes_per_s(result.payload_bytes, network_ns);
    finding!(
        Kind::Path.named(&result.target).aspect("disk"),
        "the write at the standby {} takes {} of each message, the network {}: its disk accounts for {:.0} % of the wait",
        result.target,
        words::time(write_ns),
        words::time(network_ns),
        share * 100.0,
    )
    .severity(severity)
    .measured(write_ns, SLOW_NS, Unit::Ns)
    .evidence(format!("remote write p50 {}, p99 {}", words::time(write_ns), words::time(write.p99 as f64)), "the peer's own clock around its write")
    .evidence(format!("network p50 {}, p99 {}", words::time(network_ns), words::time(network.p99 as f64)), "latency here minus the write there")
    .explains([explain::result(run, result, Mechanism::RemoteWrite)
        .active(share)
        .without(left, Unit::BytesPerS, "one-in-flight")])
    .because("The acknowledgement waits until the standby's disk has the redo.")
    .now(format!("On {}: `fullwire disk DIRECTORY --profile ora-lgwr` measures its disk alone", result.target))
    .now(format!("On {}: `iostat -x 1 5` shows w_await and f_await of the device below the standby redo logs", result.target))
    .persist("standby redo logs on a device with a protected write cache; or SYNC NOAFFIRM, if that loss is acceptable")
    .expecting(format!("latency falls toward the network's {}", words::time(network_ns)))
    .into()
}
