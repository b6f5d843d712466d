rule! {
    /// # What it checks
    /// Passes when a stream that is not limited by a buffer, loss or its own queue gets at least two thirds of what
    /// datagrams get on the same path.
    /// # Why it matters
    /// TCP slows down for other traffic in a queue on the path that neither host sees; datagrams do not. What
    /// the stream gets is its share, not what the line carries.
    /// # Evidence
    /// The stream's rate and the rate at which the datagrams of the probe arrive; segments sent again; the round trip
    /// before and under load, which a queue that others keep full hardly changes.
    /// # Remedy
    /// Who else sends over the narrowest link: counters of the ports on the way. A separate time, traffic class or
    /// network.
    /// # Source
    /// RFC 2914, 3 (congestion control and sharing), RFC 8085, 3.1 (UDP without it does not slow down); in the lab a
    /// third host that fills a router's link left a stream 0.3 to 0.65 of what datagrams got.
    code: "path-shared",
    title: "UDP gets more of the path than a TCP stream",
    layer: Network, severity: Warning, on: [Path], limits: [CrossTraffic],
    check: |run| each::result(run, NetMode::Async, |result| judge(run, result)),

    /// Of what the datagrams get.
    const SHARE: f64 = 2.0 / 3.0;
    /// The round trip under load over the one before it: beyond, the stream made the queue itself.
    const GROWS: f64 = 1.5;
    /// The congestion window limits the stream for this share of its time.
    const HELD: f64 = 0.7;
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    let way = |other: &&NetResult| other.target == result.target && other.reverse == result.reverse;
    let datagrams = stream::results(run, NetMode::Udp).filter(way).map(|udp| udp.throughput_bytes_per_s);
    let (Some(datagrams), Some(tcp)) = (datagrams.reduce(f64::max), &result.tcp) else {
        return unknown!("streams and datagrams to {} were not both measured", result.target);
    };
    let stream = result.throughput_bytes_per_s;
    let sent_again = tcp.retransmits.saturating_add(tcp.warmup_retransmits);
    let own_queue = stream::round_trips(run, result).is_none_or(|(idle, loaded)| loaded > GROWS * idle);
    // Only a stream that is limited by its congestion window slows down for others.
    let by_congestion = stream::congestion_limited(result).is_none_or(|share| share >= HELD);
    let gives_way = stream < SHARE * datagrams && sent_again > 0 && by_congestion;
    // A busy CPU is no reason: the datagrams of the same hosts went faster.
    if !gives_way || own_queue {
        return Outcome::Passes;
    }
    finding!(
        Kind::Path.named(&result.target).aspect("path"),
        "datagrams to {} arrive at {}, a stream gets {}: other traffic keeps a queue on the path \
             full",
        result.target,
        words::rate(datagrams),
        words::rate(stream),
    )
    .measured(stream, SHARE * datagrams, Unit::BytesPerS)
    .evidence(of_all_segments(sent_again, tcp.segments_out), "TCP_INFO of the sender")
    .explains([explain::result(run, result, Mechanism::CrossTraffic).active(1.0 - stream / datagrams)])
    .because("A TCP stream gets its share of a full queue; UDP, and hosts with many streams, get more.")
    .look(
        sh!("mtr --report --report-wide -n -c 30 {}", route::remote(result)),
        "Shows the hop at which the delay rises; its port counters identify the sender",
    )
    .now("Measure again when that traffic is quiet")
    .persist("a separate class, rate or link for the database's traffic")
    .expecting("the stream reaches what the line carries")
    .into()
}

/// `sent` is 0 where nothing counted them.
fn of_all_segments(sent_again: u64, sent: u64) -> String {
    match sent {
        0 => format!("{sent_again} segments sent again"),
        _ => format!("{sent_again} of {sent} segments sent again"),
    }
}
