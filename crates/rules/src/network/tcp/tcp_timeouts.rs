rule! {
    /// # What it checks
    /// Passes when retransmission timeouts and lost retransmissions are fewer than one in a thousand segments.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time.
    /// # Why it matters
    /// A timeout stops a stream for 200 ms at least; one of them in a commit is a hundred times its usual wait.
    /// # Evidence
    /// Growth of `TcpExtTCPTimeouts`, `TcpExtTCPLostRetransmit` against `TcpOutSegs` over the windows. Of a stream that was measured
    /// meanwhile it explains the time in which nothing arrived.
    /// # Remedy
    /// Find the loss: tails of short messages time out where a long stream repairs itself.
    /// # Source
    /// RFC 6298 (retransmission timer), RFC 8985 (RACK-TLP); Linux `Documentation/networking/snmp_counter.rst`;
    /// minimum of 200 ms: ip-sysctl.rst, `tcp_rto_min_us`.
    code: "tcp-timeouts",
    title: "TCP recovers losses by timeout",
    layer: Network, severity: Warning, on: [Protocol], limits: [Stalls],
    check: |run| each::counters(run, &NAMES, |side, grown| judge(run, side, grown)),

    /// Of the segments sent; connects to nowhere time out as well, and mean nothing.
    const SHARE: f64 = 1e-3;
    /// Timeouts that a stray pause explains (own choice).
    const FEW: u64 = 10;
    /// Timeouts a second, on average since boot, that no agent makes which asks for what is not there (own choice).
    const SINCE_BOOT_PER_S: f64 = 1.0;
}

const NAMES: [&str; 3] = ["TcpExtTCPTimeouts", "TcpExtTCPLostRetransmit", "TcpOutSegs"];

/// Streams from this end of which nothing arrived for a while, with timeouts in it.
fn stopped(run: &Run, side: &side::Side) -> Vec<Explanation> {
    let waited = |window: &&Window| {
        let of = |counters: &Counters| counters.snmp.get(NAMES[0]).copied();
        of(&window.to) > of(&window.from)
    };
    let of_stream = |result: &NetResult| {
        let mut windows = side.windows.iter().filter(|window| window.probe == result.probe);
        let share = stream::silent_share(result).filter(|_| !result.probe.is_none())?;
        windows.any(waited).then(|| explain::result(run, result, Mechanism::Stalls).active(share))
    };
    let own = |result: &&NetResult| {
        explain::leaves_by(side, result) && side.peer.is_none_or(|peer| *peer == result.target)
    };
    stream::results(run, NetMode::Async).filter(own).filter_map(of_stream).collect()
}

fn judge(run: &Run, side: &side::Side, grown: &each::Grown) -> Outcome {
    // A lost retransmission is found by SACK as well (tcp_input.c, tcp_mark_skb_lost): it shows beside, and is no timeout.
    let waited = grown.of("TcpExtTCPTimeouts");
    let share = waited as f64 / grown.of("TcpOutSegs").max(1) as f64;
    let seldom = grown.span.is_total() && (waited as f64) < SINCE_BOOT_PER_S * grown.span.seconds;
    if waited < FEW || share < SHARE || seldom {
        return Outcome::Passes;
    }
    // What is sent again is not among the segments sent: while nothing else gets through there are more timeouts than those.
    let of_all =
        if share <= 1.0 { format!(" ({:.2} % of the segments)", share * 100.0) } else { String::new() };
    finding!(
        side.subject(Kind::Protocol, "TCP"),
        "{waited} retransmission timeouts{}{of_all}: each stops a stream for 200 ms or more",
        if grown.span.is_total() { grown.span.when(waited) } else { format!(" {}", grown.span.in_seconds()) },
    )
    .measured(share, SHARE, Unit::Ratio)
    .evidence(grown.text(), side.source("/proc/net/netstat"))
    .explains(stopped(run, side))
    .because("Losses that neither duplicate ACKs nor SACK reveal are only repaired by a timeout.")
    .look("ss -tin state established | grep -B1 -E 'rto|lost' || true", "Shows which peers are affected")
    .persist("fix the loss: cables, ports, MTU black holes, full queues")
    .expecting("TCPTimeouts no longer grows under load")
    .on(side.peer)
    .into()
}
