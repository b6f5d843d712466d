rule! {
    /// # What it checks
    /// Passes unless this host's send buffer was full while the peer's window and the congestion window had room, or
    /// the data in flight fills a buffer at its maximum.
    /// # Why it matters
    /// What is sent stays in the buffer until it is acknowledged: at most one buffer is sent per round trip.
    /// # Evidence
    /// `tcpi_sndbuf_limited` over `tcpi_busy_time`, `SO_SNDBUF` as granted; the sender's `net.ipv4.tcp_wmem`,
    /// `net.core.wmem_max`.
    /// # Remedy
    /// Raise the third value of `net.ipv4.tcp_wmem` to 3 x the bandwidth-delay product; where a program sets
    /// `SO_SNDBUF` itself (`SEND_BUF_SIZE` in sqlnet.ora), raise `net.core.wmem_max` as well.
    /// # Source
    /// RFC 6349 section 3.3.1; Linux Documentation/networking/ip-sysctl.rst (`tcp_wmem`) and
    /// include/uapi/linux/tcp.h (`tcpi_sndbuf_limited`).
    code: "send-buffer",
    title: "the send buffer limits the stream",
    layer: Network, severity: Warning, on: [Path], limits: [SendBuffer],
    check: |run| each::result(run, NetMode::Async, |result| judge(run, result)),

    /// A buffer that limits the stream for this share of the time is the limit, not an incident.
    const HELD: f64 = 0.3;
    /// What is in flight may be half of the buffer, in which the kernel counts its own overhead (Linux
    /// include/linux/skbuff.h, `SKB_TRUESIZE`), or twice a small one, which one more `sk_buff` overfills.
    const TOLERANCE: f64 = 1.0;
    /// Of buffer over round trip that must be reached: a buffer that could grow is not the limit.
    const REACHED: f64 = 0.2;
    /// Share of a buffer that cannot grow: the kernel charges each segment with its bookkeeping, so a full buffer contains about half its size in data.
    const FULL: f64 = 0.3;
    /// A congestion window or receive window this many times larger than the data in flight is not the limit.
    const ROOM: f64 = 1.5;
    /// The kernel takes data while anything of the buffer is free, so one more `sk_buff` of up to 64 KiB fits (Linux
    /// include/net/sock.h, `sk_stream_memory_free`; `GSO_LEGACY_MAX_SIZE`).
    const LAST_SKB_BYTES: u64 = 65_536;
}

fn judge(run: &Facts, result: &NetResult) -> Outcome {
    let (Some(held), Some(tcp)) = (stream::buffer_limited(result), &result.tcp) else {
        return unknown!("the limits of the transfer to {} are not in TCP_INFO", result.target);
    };
    let rtt = stream::rtt_of_window_ns(result, tcp);
    let buffers = tcp.sndbuf_bytes.times(result.streams);
    let allowed = window::window_bytes_per_s(buffers.0 as f64, rtt);
    let bound_by_it = buffers.0 > 0 && result.throughput_bytes_per_s >= REACHED * allowed;
    let full = is_full(run, result, tcp);
    if !(held >= HELD || full) || !bound_by_it {
        return Outcome::Passes;
    }
    let unknown = Host::default();
    let sender = stream::sender(run, result).unwrap_or(&unknown);
    // What queues under load is no length of the path.
    let base = stream::rtt_ns(run, result).unwrap_or(rtt);
    finding!(
        Kind::Path.named(&result.target).aspect("send buffer"),
        "the send buffer of {} KiB (net.ipv4.tcp_wmem) limited the transfer to {} {}",
        tcp.sndbuf_bytes.0 / 1024,
        result.target,
        if full {
            "to what it can keep in flight".to_owned()
        } else {
            format!("for {:.0} % of the time", held * 100.0)
        },
    )
    .severity(if run.lets_most_through(result, allowed) { Severity::Info } else { Severity::Warning })
    .measured(held, HELD, Unit::Ratio)
    .evidence(
        format!(
            "sndbuf_limited {:.2} s of {:.2} s busy, SO_SNDBUF {} bytes, round trip {}",
            tcp.sndbuf_limited_s,
            tcp.busy_s,
            tcp.sndbuf_bytes.0,
            words::time(rtt)
        ),
        "TCP_INFO of the sender",
    )
    .evidence(
        format!("net.ipv4.tcp_wmem = {}", sender.sysctl("net.ipv4.tcp_wmem").unwrap_or("not told")),
        "/proc/sys/net/ipv4/tcp_wmem",
    )
    .explains([explain::result(run, result, Mechanism::SendBuffer)
        .bounded(allowed, Unit::BytesPerS, TOLERANCE)
        .active(held)])
    .advice(advice(run, result, sender, base, tcp.sndbuf_bytes))
    .into()
}

/// Three times the product of what the line should carry where that is known, at least four times what there is.
fn advice(run: &Facts, result: &NetResult, sender: &Host, rtt: f64, now: PerStream) -> Advice {
    const NAME: &str = "net.ipv4.tcp_wmem";
    let line = run.line_bytes_per_s(result);
    let product = line.map_or(0, |line| window::buffer_for_bytes(window::bdp_bytes(line, rtt)));
    let sizes = sender.sysctl_numbers(NAME).filter(|sizes| sizes.len() == 3);
    let (first, largest) =
        sizes.map_or(("4096 16384".to_owned(), 0), |sizes| (format!("{} {}", sizes[0], sizes[1]), sizes[2]));
    let bytes = product.max(4 << 20).max(4 * now.0).max(largest);
    let mut settings = vec![(NAME, format!("{first} {bytes}"))];
    // Only for programs that fix their buffer; it is never lowered.
    if sender.sysctl_number("net.core.wmem_max").is_none_or(|now| now < bytes) {
        settings.push(("net.core.wmem_max", bytes.to_string()));
    }
    let why = "Sent data stays in the buffer until it is acknowledged, so one buffer is sent per round trip.";
    let expect = "sndbuf_limited falls to zero; the stream reaches the line's rate";
    set_sysctls(sender, &settings, why, expect).on(stream::sending_peer(run, result))
}

/// The buffer is as large as it may become, full of what is in flight, and neither window is in the way: kernels
/// do not always count that time as `sndbuf_limited`. Where as much is in flight as the buffer takes, nothing waits in it for a
/// window that has any room.
fn is_full(run: &Run, result: &NetResult, tcp: &TcpSummary) -> bool {
    let most = stream::sender(run, result)
        .and_then(|host| host.sysctl_numbers("net.ipv4.tcp_wmem")?.get(2).copied());
    let buffers = tcp.sndbuf_bytes.times(result.streams).0;
    // Of all streams together, as windows are.
    let flight = result.throughput_bytes_per_s * stream::rtt_of_window_ns(result, tcp) / 1e9;
    let all_in_flight = flight >= buffers as f64;
    let roomy = |window: AllStreams| window.0 as f64 >= if all_in_flight { flight } else { ROOM * flight };
    // In slow start the congestion window doubles each round trip while it is the limit (RFC 5681, section 3.1): one that stands
    // above a buffer is not.
    let starts = tcp.ssthresh_bytes.is_none() && tcp.retransmits == 0 && tcp.cwnd_bytes.0 >= buffers;
    let overfilled = PerStream(tcp.sndbuf_bytes.0.saturating_add(LAST_SKB_BYTES)).times(result.streams).0;
    most.is_some_and(|most| tcp.sndbuf_bytes.0 >= most)
        && flight >= FULL * buffers as f64
        && flight <= overfilled as f64
        && (starts || roomy(tcp.cwnd_bytes))
        && tcp.snd_wnd_bytes.is_some_and(roomy)
}
