rule! {
    /// # What it checks
    /// Passes unless the congestion window limits a bulk transfer on a long path without loss or queue, because segments
    /// were lost before the measured time, in slow start.
    /// # Why it matters
    /// Slow start doubles what is in flight until a queue on the way overflows. A short queue, of a shaper or a
    /// policer, drops many segments in one burst; the window is cut several times over and needs many round trips to
    /// grow back. A transfer of seconds never sees the line's rate.
    /// # Evidence
    /// Retransmissions before and in the measured time, congestion window, slow-start threshold, smallest and smoothed
    /// round trip of `TCP_INFO`; neither the receive window nor the send buffer was in the way.
    /// # Remedy
    /// A congestion control that paces and does not treat each loss as a full queue (BBR with `fq`), or a longer queue
    /// where the rate drops.
    /// # Source
    /// RFC 5681 section 3.1 (slow start) and RFC 9438 (CUBIC: reduction to 0.7, growth by round trips and time);
    /// draft-ietf-ccwg-bbr. Seen in a lab: a shaper of 200 Mbit/s with a queue of 25 KB, 20 ms away.
    code: "congestion-window",
    title: "early losses keep the congestion window small",
    layer: Network, severity: Warning, on: [Path], limits: [CongestionWindow],

    /// A round trip below this grows any window back within the warm-up.
    const LONG_NS: u64 = 5_000_000;
    /// Fewer lost segments are one event, from which a window recovers.
    const MANY: u64 = 10;
    /// A round trip that has grown by less shows no queue caused by the test.
    const CALM: f64 = 1.2;
    /// Share of what the window allows that must be reached before the window counts as the limit.
    const REACHED: f64 = 0.5;
    /// The congestion window limits the stream for this share of its time.
    const HELD: f64 = 0.8;
}

fn check(run: &Facts) -> Vec<Outcome> {
    each::result(run, NetMode::Async, |result| match &result.tcp {
        Some(tcp) => judge(run, result, tcp),
        None => unknown!("TCP_INFO of the transfer to {} is missing", result.target),
    })
}

fn judge(run: &Run, result: &NetResult, tcp: &TcpSummary) -> Outcome {
    let cut =
        tcp.warmup_retransmits >= MANY && tcp.ssthresh_bytes.is_some_and(|bytes| tcp.cwnd_bytes >= bytes);
    // A queue that others keep full is there before the load.
    let before_ns = result.rtt_idle_ns.as_ref().map_or(0, |idle| idle.p50).max(tcp.rtt_min_ns);
    let long = tcp.rtt_min_ns >= LONG_NS && tcp.rtt_ns as f64 <= CALM * before_ns as f64;
    let free = stream::congestion_limited(result).is_none_or(|share| share >= HELD);
    // Losses that go on would keep the window small by themselves; this is of one that does not grow back.
    let lossless = stream::resent_share(result).is_some_and(|share| share < stream::MUCH_LOST);
    let allowed = window::window_bytes_per_s(tcp.cwnd_bytes.0 as f64, tcp.rtt_min_ns as f64);
    let held = result.throughput_bytes_per_s >= REACHED * allowed;
    // BBR's window is no consequence of losses.
    let by_loss = !tcp.congestion.starts_with("bbr");
    if !(cut && long && free && lossless && held && by_loss) {
        return Outcome::Passes;
    }
    let window = format!("{} KiB", tcp.cwnd_bytes.0 / 1024);
    let rtt = words::time(tcp.rtt_min_ns as f64);
    finding!(
        Kind::Path.named(&result.target),
        "TCP to {1} lost {0} segments during slow start, and its congestion window has stayed at {window}; at a round trip of {rtt} that allows {2}. Typical cause: packet loss at a short queue of a shaper or policer, or at a queue that other traffic fills",
        tcp.warmup_retransmits,
        result.target,
        words::rate(allowed),
    )
    .measured(result.throughput_bytes_per_s, allowed, Unit::BytesPerS)
    .evidence(
        format!(
            "sent again before the measured time {}, in it {}; window {window}, slow-start threshold {} KiB, round trip {rtt} to {}",
            tcp.warmup_retransmits,
            tcp.retransmits,
            tcp.ssthresh_bytes.unwrap_or_default().0 / 1024,
            words::time(tcp.rtt_ns as f64)
        ),
        "TCP_INFO of the sender",
    )
    .explains([explain::result(run, result, Mechanism::CongestionWindow).bounded(allowed, Unit::BytesPerS, 0.5)])
    .advice(advice(run, result))
    .into()
}

/// BBR for this one path: the congestion control of the host concerns every other path as well.
fn advice(run: &Run, result: &NetResult) -> Advice {
    let why =
        "Slow start overran a short queue on the way. CUBIC recovers over round trips, and this one is long.";
    let advice = because(why).now(format!(
        "`fullwire net {} --congestion bbr` shows the gain before you change anything",
        as_word(&result.target)
    ));
    let peer = stream::sending_peer(run, result);
    let far = if result.reverse { result.path.local.as_str() } else { route::remote(result) };
    let by_route = stream::sender(run, result).and_then(|host| set_route_congestion(host, far, "bbr"));
    let advice = match by_route {
        Some(steps) => advice
            .run("modprobe tcp_bbr", "Loads BBR, which is not available yet")
            .check(
                "printf '4.13\\n%s\\n' \"$(uname -r)\" | sort -VC",
                "the kernel is 4.13 or later; before that BBR needs the queueing discipline fq",
            )
            .and(steps)
            .persist_run("echo tcp_bbr > /etc/modules-load.d/fullwire-bbr.conf", "Loads it at boot")
            .undo_persist_run("rm -f /etc/modules-load.d/fullwire-bbr.conf", "No longer loads it at boot"),
        None => advice
            .now("`modprobe tcp_bbr`, then `ip route replace` for this host with the parameters of `ip route get` and congctl bbr")
            .undo("`ip route del` of that route"),
    };
    advice
        .persist("Add the route with congctl bbr to the permanent static routes")
        .on(peer)
        .expecting("the rate of the line within the first second")
}
