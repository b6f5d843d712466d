rule! {
    /// # What it checks
    /// Passes unless the receive window limited the transfer for 30 % of the time or more, and throughput reaches 60 %
    /// of window ÷ round trip, or 40 % where the window limited it nearly all the time without filling a queue.
    /// # Why it matters
    /// At most one window can be sent per round trip. With 64 KiB and 10 ms that is 52 Mbit/s on any line.
    /// # Evidence
    /// `tcpi_rwnd_limited` over `tcpi_busy_time`, the largest window that was offered, the smallest round trip;
    /// the receiver's `net.ipv4.tcp_rmem`, `net.core.rmem_max`; the window that the receiver's own TCP offered.
    /// # Remedy
    /// Where the sender saw less than half of what the receiver offered, the device between them that rewrites it. Otherwise:
    /// Raise the third value of `net.ipv4.tcp_rmem` at the receiver to 3 x the bandwidth-delay product (and
    /// `net.core.rmem_max` for programs that set `SO_RCVBUF`, such as `RECV_BUF_SIZE` in sqlnet.ora).
    /// # Source
    /// RFC 6349 section 3.3.1; Linux Documentation/networking/ip-sysctl.rst (`tcp_rmem`) and
    /// include/uapi/linux/tcp.h (`tcpi_rwnd_limited`).
    code: "receive-window",
    title: "the receive window of the far end limits the stream",
    layer: Network, severity: Warning, on: [Path, Host], limits: [ReceiveWindow],
    check: |run| each::result(run, NetMode::Async, |result| judge(run, result)),

    /// Of window over round trip that must be reached to call the window the limit.
    const REACHED: f64 = 0.6;
    /// Of the time: nothing but the window held the stream.
    const ALL_ALONG: f64 = 0.9;
    /// Of window over round trip that a short test reaches at least while autotuning opens the window, which begins at half
    /// the receive buffer (own choice: less is a receiver that does not read).
    const OPENING: f64 = 0.4;
}

fn judge(run: &Facts, result: &NetResult) -> Outcome {
    let (Some(held), Some(rtt)) = (stream::receiver_limited(result), stream::rtt_ns(run, result)) else {
        return unknown!("the limits of the transfer to {} are not in TCP_INFO", result.target);
    };
    let Some(offered) = stream::receive_window_bytes(run, result) else {
        return unknown!("the window that {} offers is not known", result.target);
    };
    let allowed = window::window_bytes_per_s(offered.0 as f64, rtt);
    let cut = stream::cut_window(run, result);
    // A window that its buffer would let grow is no limit by setting: autotuning is still at work, or the program reads
    // too slowly.
    let grows = |most| cut.is_none() && stream::may_grow(offered, most);
    let may_grow = stream::window_by_setting(run, result).is_some_and(grows);
    let below = result.throughput_bytes_per_s < REACHED * allowed;
    // A short test has its mean from before the window was open. The counter says what held it then, unless the window only
    // fills a queue.
    let all_along = held >= ALL_ALONG
        && result.throughput_bytes_per_s >= OPENING * allowed
        && !stream::stands_in_queue(result);
    if held < stream::HELD || (below && !all_along) || may_grow {
        return Outcome::Passes;
    }
    let explained = explain::result(run, result, Mechanism::ReceiveWindow).active(held);
    let explained = if below { explained } else { explained.bounded(allowed, Unit::BytesPerS, 0.25) };
    finding!(
        subject(result),
        "the receive window of {}{} limited the transfer for {:.0} % of the time: {} KiB per round trip of {} allows {}",
        stream::receiver_name(result),
        if cut.is_some() { ", which something on the way lowers," } else { "" },
        held * 100.0,
        offered.0 / 1024,
        words::time(rtt),
        words::rate(allowed),
    )
    .severity(if run.lets_most_through(result, allowed) { Severity::Info } else { Severity::Warning })
    .measured(result.throughput_bytes_per_s, allowed, Unit::BytesPerS)
    .evidence(format!("rwnd_limited {:.0} % of the busy time, window {} bytes{}, smallest round trip {}", held * 100.0, offered.0, cut.map_or_else(String::new, |(sent, _)| format!(" of {} that the receiver offered", sent.0)), words::time(rtt)), "TCP_INFO of both ends")
    .evidence(settings(run, result), "/proc/sys/net/ipv4/tcp_rmem of the receiver")
    .explains([explained])
    .advice(match cut {
        Some(_) => advice_on_path(run, result),
        None => advice(run, result, rtt, offered.each(result.streams)),
    })
    .into()
}

/// No setting of the two hosts raises a window that is lowered between them.
fn advice_on_path(run: &Facts, result: &NetResult) -> Advice {
    because("Both ends count the window in bytes. The sender saw less than the receiver offered, so a device between them rewrites it.")
        .now("Look for a firewall, WAN optimiser or QoS device on the way that limits or normalises TCP windows, and take this path out of that policy")
        .persist("keep the exception in that device's configuration")
        .expecting(expected(run.line_bytes_per_s(result), result))
}

fn expected(line_bytes_per_s: Option<f64>, result: &NetResult) -> String {
    let rate = line_bytes_per_s.map_or_else(
        || "a higher rate until something else limits".to_owned(),
        |line| format!("up to {}", words::rate(line)),
    );
    format!("{rate}; prove it with `fullwire net {}`", as_word(&result.target))
}

fn subject(result: &NetResult) -> Subject {
    let receiver = if result.reverse { Kind::Host.only() } else { Kind::Path.named(&result.target) };
    receiver.aspect("receive window")
}

fn settings(run: &Run, result: &NetResult) -> String {
    let read = stream::receiver(run, result).and_then(|host| host.sysctl("net.ipv4.tcp_rmem"));
    read.map_or("net.ipv4.tcp_rmem was not reported".into(), |text| format!("net.ipv4.tcp_rmem = {text}"))
}

/// Three times the product of what the line should carry, and at least what the kernel usually sets and four times the
/// window that a stream had.
fn advice(run: &Facts, result: &NetResult, rtt: f64, offered: PerStream) -> Advice {
    const NAME: &str = "net.ipv4.tcp_rmem";
    const AUTOTUNING: &str = "net.ipv4.tcp_moderate_rcvbuf";
    let line = run.line_bytes_per_s(result);
    let product = line.map_or(0, |line| window::buffer_for_bytes(window::bdp_bytes(line, rtt)));
    let host = stream::receiver(run, result);
    let sizes = host.and_then(|host| host.sysctl_numbers(NAME)).filter(|sizes| sizes.len() == 3);
    let (first, largest) =
        sizes.map_or(("4096 131072".to_owned(), 0), |sizes| (format!("{} {}", sizes[0], sizes[1]), sizes[2]));
    let bytes = product.max(facts::USUAL_RECEIVE_BYTES).max(4 * offered.0).max(largest);
    let expect = expected(line, result);
    let mut settings = Vec::new();
    if host.and_then(|host| host.sysctl_number(AUTOTUNING)) == Some(0) {
        settings.push((AUTOTUNING, "1".to_owned()));
    }
    if bytes > largest {
        settings.push((NAME, format!("{first} {bytes}")));
    }
    // Only for programs that fix their buffer; it is never lowered.
    let core = host.and_then(|host| host.sysctl_number("net.core.rmem_max"));
    if core.is_none_or(|now| now < bytes) {
        settings.push(("net.core.rmem_max", bytes.to_string()));
    }
    let unknown = Host::default();
    set_sysctls(host.unwrap_or(&unknown), &settings, WHY, &expect).on(stream::receiving_peer(run, result))
}

const WHY: &str =
    "One window is sent per round trip; a buffer below the bandwidth-delay product leaves the line idle.";
