rule! {
    /// # What it checks
    /// Passes when half of the round trips to a peer take, before the test's own load, at most 3 ms and a quarter longer
    /// than the quickest one.
    /// # Why it matters
    /// A synchronous commit waits for each of them. Variation without our load comes from a queue that others fill, or
    /// from the path itself; the measurement only got what was left over.
    /// # Evidence
    /// Round trips of the probe before the load: the quickest, the median, the 90th percentile.
    /// # Remedy
    /// The hop where it begins: the other traffic there, a radio or tunnel link, a CPU that is late.
    /// # Source
    /// RFC 5481, 4.2: packet delay variation is the delay above the smallest; RFC 3393. The bound is from the lab:
    /// without jitter and other traffic the median was within 0.3 ms of the quickest, once, on a busy machine, 2.4 ms
    /// above it; with other traffic on the link 3 to 18 ms, with jitter of 20 ms 9 to 13 ms.
    code: "delay-variation",
    title: "the idle round trip is unsteady",
    layer: Network, severity: Warning, on: [Path], limits: [DelayVariation],

    /// Variation that a commit feels (own choice).
    const NOTICED_NS: u64 = 3_000_000;
    /// A quarter of the quickest round trip.
    const SHARE: u64 = 4;
    /// Round trips of which a median is one.
    const FEWEST: u64 = 5;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let bulk = stream::results(run, NetMode::Async);
    let bulk = bulk.map(|result| judge(run, result, result.rtt_idle_ns.as_ref(), waits_for_cpu(run)));
    let messages = [NetMode::Sync, NetMode::Rtt].into_iter().flat_map(|mode| stream::results(run, mode));
    let messages = messages
        .filter(|result| is_alone(result))
        .map(|result| judge(run, result, exchanged(result), cpu::cpu_bound(run, result)));
    bulk.chain(messages).collect()
}

/// One message after the other, and nothing next to them.
fn is_alone(result: &NetResult) -> bool {
    let plan = &result.plan;
    result.streams <= 1 && plan.depth <= 1 && plan.open_loop_per_s == 0.0 && !plan.under_load
}

/// Without what the peer did between receiving and answering.
fn exchanged(result: &NetResult) -> Option<&Latency> {
    result.parts_ns.as_ref().map(|parts| &parts.network).or(result.latency_ns.as_ref())
}

/// Before the load: who waits for a CPU answers late.
fn waits_for_cpu(run: &Run) -> bool {
    run.idle().is_some_and(|window| facts::cpu_saturation(run, window).is_some())
}

fn judge(run: &Run, result: &NetResult, seen: Option<&Latency>, cpu_bound: bool) -> Outcome {
    let Some(seen) = seen.filter(|seen| seen.count >= FEWEST) else {
        return unknown!("the round trip to {} without load was not measured", result.target);
    };
    let above_ns = seen.p50.saturating_sub(seen.min);
    let bound_ns = NOTICED_NS.max(seen.min / SHARE);
    if above_ns < bound_ns || cpu_bound {
        return Outcome::Passes;
    }
    let [quickest, median, tail] = [seen.min, seen.p50, seen.p90].map(|ns| words::time(ns as f64));
    let finding = finding!(
        Kind::Path.named(&result.target).aspect("round trip"),
        "the idle round trip to {} is unsteady: median {median}, minimum {quickest} (delay variation). Other traffic fills a queue, or the path itself has jitter",
        result.target,
    )
    .measured(seen.p50 as f64, (seen.min + bound_ns) as f64, Unit::Ns)
    .evidence(
        format!("{} round trips: minimum {quickest}, median {median}, 90th percentile {tail}", seen.count),
        "round trips of the probe without load",
    )
    .because("Other traffic fills a queue on the way, or the delay of the path itself varies.")
    .look(sh!("mtr --report --report-wide -n -c 30 {}", route::remote(result)), "Shows the hop at which the delay starts to vary")
    .now("Read the counters of that hop's ports to find the sender; measure again when it is quiet")
    .persist("a separate network, queue or time for the database's traffic; pace the traffic that fills the link")
    .expecting("a median within a millisecond of the minimum round trip");
    finding.explains([explain::result(run, result, Mechanism::DelayVariation)]).into()
}
