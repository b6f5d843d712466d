rule! {
    /// # What it checks
    /// Passes unless TCP retransmitted 1 % of its segments or more in a stretch of a recording.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time.
    /// # Why it matters
    /// Each loss halves a stream's window (CUBIC: takes 30 % off), and what is lost at the end of a message waits 200
    /// ms for the timer: a commit to a standby or a query's last row.
    /// # Evidence
    /// Growth of `RetransSegs` over `OutSegs` of `/proc/net/snmp`, or `retrans/s` and `oseg/s` of `sar -n ETCP,TCP`.
    /// # Remedy
    /// Find the peer and the hop that loses.
    /// # Source
    /// RFC 6349 section 4.2 (TCP efficiency); fasterdata.es.net, Packet Loss (a LAN below 0.1 %; a host with distant
    /// clients has more); Linux `Documentation/networking/snmp_counter.rst`.
    code: "tcp-retransmissions",
    title: "TCP retransmits much of its data",
    layer: Network, severity: Warning, on: [Protocol],

    /// Share of segments sent again that users of a LAN feel (own choice; a healthy LAN stays below 0.1 %).
    const TOO_MUCH: f64 = 0.01;
    /// Of fewer segments no share can be told (own choice).
    const ENOUGH: u64 = 100;
    /// Fewer are the odd lost packet of a quiet host.
    const FEW: u64 = 10;
    /// Retransmitted segments per second below which there is no noticeable effect (own choice).
    const FEW_PER_S: f64 = 1.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let own = side::sides(run).into_iter().next();
    let since_boot = own.and_then(|own| judge_since_boot(&own));
    facts::recorded(run).map(judge).chain(since_boot).collect()
}

/// Of a host whose counters were read once; `None`: of another.
fn judge_since_boot(own: &side::Side) -> Option<Outcome> {
    if !own.is_read_once() {
        return None;
    }
    let Some(span) = own.since_boot() else {
        return Some(unknown!("TcpRetransSegs and TcpOutSegs not read over a window"));
    };
    let of = |name| own.counted(|counters: &Counters| counters.snmp.get(name).copied());
    let (Some(again), Some(sent)) = (of("TcpRetransSegs"), of("TcpOutSegs")) else {
        return Some(facts::unread("TcpRetransSegs and TcpOutSegs"));
    };
    Some(judged(again.count, sent.count, span))
}

fn judge(window: &Window) -> Outcome {
    let of = |name: &'static str| facts::grown(window, move |counters| counters.snmp.get(name).copied());
    let (Some(again), Some(sent)) = (of("TcpRetransSegs"), of("TcpOutSegs")) else {
        return facts::unread("TcpRetransSegs and TcpOutSegs of the recording");
    };
    judged(again, sent, Span::window(window.seconds()))
}

fn judged(again: u64, sent: u64, span: Span) -> Outcome {
    // A lossy path sends a part of what it sends again. More again than at all, or a handful, are connection requests that
    // nobody answers.
    if sent < ENOUGH || again > sent {
        return Outcome::Passes;
    }
    let share = again as f64 / sent.max(1) as f64;
    let per_s = again as f64 / span.seconds;
    if again < FEW || per_s < FEW_PER_S || share < TOO_MUCH {
        return Outcome::Passes;
    }
    finding!(
        Kind::Protocol.named("TCP"),
        "TCP sent {:.1} % of its segments again{}",
        share * 100.0,
        if span.is_total() { span.when(again) } else { format!(" ({per_s:.0} a second)") },
    )
    .measured(share, TOO_MUCH, Unit::Ratio)
    .evidence(
        format!(
            "{}, {} {}",
            span.count("RetransSegs", again),
            span.count("OutSegs", sent),
            span.in_seconds()
        ),
        "/proc/net/snmp",
    )
    .because("Lost segments shrink the congestion window; the stream is slow until it has grown again.")
    .look("ss -tino state established | grep -B1 retrans: || true", "Shows which peers are affected")
    .now("`ethtool -S` of the interface and the error counters of each switch port on the way to that peer")
    .persist("Replace the cable, transceiver or port whose counters rise, or relieve an overloaded link")
    .expecting("below 0.1 % within a data centre")
    .into()
}
