rule! {
    /// # What it checks
    /// Passes unless a message after a pause takes as many round trips as on a new connection, and
    /// `net.ipv4.tcp_slow_start_after_idle` is 1.
    /// # Why it matters
    /// After a pause the congestion window starts from ten segments again: a batch of redo that fits in one
    /// warm window takes a round trip more for each doubling.
    /// # Evidence
    /// `net.ipv4.tcp_slow_start_after_idle`; latency of the messages against round trip and length.
    /// # Remedy
    /// `sysctl -w net.ipv4.tcp_slow_start_after_idle=0` on the sender.
    /// # Source
    /// RFC 5681 section 4.1, RFC 6928 (ten segments); Linux Documentation/networking/ip-sysctl.rst,
    /// `tcp_slow_start_after_idle` (default 1); tuned profile network-throughput.
    code: "slow-start-after-idle",
    title: "TCP restarts slow start after every idle period",
    layer: Network, severity: Warning, on: [Setting], limits: [Pacing],

    /// The least retransmission timeout of Linux, ns: shorter pauses keep the window.
    const RTO_MIN_NS: u64 = 200_000_000;
    /// From this round trip on, the restart costs enough to be named.
    const FELT_NS: f64 = 2e6;
}

const NAME: &str = "net.ipv4.tcp_slow_start_after_idle";

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(set) = run.host.sysctl_number(NAME) else { return vec![unknown!("{NAME} could not be read")] };
    if set == 0 {
        return vec![Outcome::Passes];
    }
    let results: Vec<Outcome> =
        stream::results(run, NetMode::Sync).filter_map(|result| measured(run, result)).collect();
    if results.is_empty() { vec![by_setting(run)] } else { results }
}

/// Nothing measured it: worth knowing where a peer is far.
fn by_setting(run: &Run) -> Outcome {
    let far = stream::results(run, NetMode::Async)
        .find(|result| stream::rtt_ns(run, result).is_some_and(|rtt| rtt >= FELT_NS));
    let Some(result) = far else { return Outcome::Passes };
    finding!(
        Kind::Setting.named(NAME),
        "{NAME} is 1: after each pause a stream to {} starts from ten segments again",
        result.target,
    )
    .severity(Severity::Info)
    .evidence(format!("{NAME} = 1"), "/proc/sys/net/ipv4/tcp_slow_start_after_idle")
    .advice(advice(run))
    .into()
}

/// A synchronous test with pauses; `None`: no pause, so it shows nothing.
fn measured(run: &Run, result: &NetResult) -> Option<Outcome> {
    let rtt = stream::rtt_ns(run, result)?;
    let latency = result.latency_ns.as_ref().filter(|latency| latency.count > 0)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a round trip in ns, not negative"
    )]
    if result.plan.delay_ns < RTO_MIN_NS.max(2 * rtt as u64) || result.plan.random_delay {
        return None;
    }
    let mss = result.tcp.as_ref().map_or(1448, |tcp| tcp.mss_bytes.max(536));
    let rounds = window::cold_round_trips(result.payload_bytes, mss);
    let cold_ns = f64::from(rounds) * rtt;
    let median = latency.p50 as f64;
    if rounds < 3 || rtt < FELT_NS || median < 0.6 * cold_ns {
        return Some(Outcome::Passes);
    }
    Some(
        finding!(
            Kind::Setting.named(NAME),
            "each message of {} KiB to {} after a pause takes {}, some {:.1} round trips: {NAME} = 1 resets the window to slow start after idle",
            result.payload_bytes / 1024,
            result.target,
            words::time(median),
            median / rtt,
        )
        .measured(median, 2.0 * rtt, Unit::Ns)
        .evidence(format!("{NAME} = 1"), "/proc/sys/net/ipv4/tcp_slow_start_after_idle")
        .evidence(
            format!("median {}, round trip {}, {rounds} round trips from ten segments of {mss} bytes", words::time(median), words::time(rtt)),
            "probe, RFC 6928",
        )
        .explains([explain::result(run, result, Mechanism::Pacing).active((median - 2.0 * rtt) / median)])
        .advice(advice(run))
        .into(),
    )
}

fn advice(run: &Run) -> fullwire_model::assessment::Advice {
    set_sysctl(
        &run.host,
        NAME,
        "0",
        "Redo comes in bursts, and after each pause TCP forgets what the path can carry.",
        "a message after a pause takes one or two round trips; repeat with --mode sync --delay 1s",
    )
}
