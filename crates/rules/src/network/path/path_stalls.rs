use crate::characteristic::course::WAITED_NS;

rule! {
    /// # What it checks
    /// Passes unless a stream that was under way received nothing for a slice of its run while a separate connection waited
    /// 200 ms and more longer for an answer than it does at other times.
    /// # Why it matters
    /// While a path stands still no redo is acknowledged and no block arrives from the other instance. A mean over seconds
    /// hides it.
    /// # Evidence
    /// Rate of each slice; the longest and the median round trip of the other connection under the same load. A segment
    /// lost of one connection stops that one alone.
    /// # Remedy
    /// What pauses on the way: a link or a spanning tree that changes over, a firewall that fails over, pause frames, a
    /// virtual switch or guest that is stopped for a moment.
    /// # Source
    /// IEEE 802.1D-2004 section 17 (ports that discard while a tree changes), IEEE 802.3 annex 31B (PAUSE); RFC 6298 section 2
    /// (TCP waits at least 200 ms in Linux before it sends again); in the lab, a path stopped for 0.3 of each 1.3 s.
    code: "path-stalls",
    title: "the path stands still at times",
    layer: Network, severity: Warning, on: [Path], limits: [Stalls],
    check: |run| each::result(run, NetMode::Async, |result| judge(run, result)),
}

fn judge(run: &Facts, result: &NetResult) -> Outcome {
    let waited = result.rtt_loaded_ns.as_ref().filter(|waited| waited.count > 0);
    let (Some(waited), true) = (waited, result.intervals.len() > 3) else {
        return unknown!("too little of the transfer to {} is known to see a pause", result.target);
    };
    let course = run.course(&result.target, &run.name_of(result));
    let Some(stood_s) = course.and_then(|course| course.stalls).map(|stalls| stalls.stood_s) else {
        return Outcome::Passes;
    };
    let share = (stood_s / result.duration_s).min(0.99);
    let left = result.throughput_bytes_per_s / (1.0 - share);
    let [longest, median] = [waited.max, waited.p50].map(|ns| words::time(ns as f64));
    finding!(
        Kind::Path.named(&result.target).aspect("path"),
        "the path to {} stands still at times: nothing arrived for {stood_s:.1} s of {:.1} s, and an answer on another connection took {longest} (usually {median})",
        result.target, result.duration_s,
    )
    .measured(waited.max as f64, (waited.p50 + WAITED_NS) as f64, Unit::Ns)
    .evidence(format!("stood still {:.0} % of the time", share * 100.0), "intervals of the probe")
    .evidence(format!("round trip under load: median {median}, longest {longest}"), "a separate connection")
    .explains([explain::result(run, result, Mechanism::Stalls)
        .active(share)
        .without(left, Unit::BytesPerS, "path-stalls")])
    .because("Every session that waits for an answer waits until the path goes on.")
    .look("ip -s -d link", "Shows links that changed (carrier changes) and lost frames")
    .now("Look into the logs of switches and firewalls at this time: spanning tree, failover, flow control, a virtual machine that was moved")
    .persist("fix what pauses; edge ports of a spanning tree (portfast) do not discard while it changes")
    .expecting("no round trip above 200 ms; prove it with a longer run: --duration 60s")
    .into()
}
