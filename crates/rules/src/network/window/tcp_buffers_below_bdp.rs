use fullwire_model::characteristic::Estimate;

rule! {
    /// # What it checks
    /// Passes when what the largest receive buffer of a receiver offers as window, and what the largest send buffer of
    /// a sender keeps in flight, hold what a full path to a measured peer needs: declared, believable or shaped rate
    /// times round trip. Of a path that carries less by all its figures it is a note.
    /// # Why it matters
    /// At most one buffer is sent per round trip: 10 Gbit/s and 1 ms need 1.25 MB, 1 Gbit/s and 100 ms
    /// 12.5 MB.
    /// # Evidence
    /// Third values of `net.ipv4.tcp_rmem` and `tcp_wmem`, round trip, `--expect` or the speed of the
    /// interface.
    /// # Remedy
    /// Raise the third value to 3 x the product; leave the first two.
    /// # Source
    /// SUSE note 2382421 (bandwidth-delay product examples); RFC 6349 section 3.3.1; Linux
    /// Documentation/networking/ip-sysctl.rst (`tcp_rmem`, `tcp_wmem`).
    code: "tcp-buffers-below-bdp",
    title: "TCP buffers are smaller than the bandwidth-delay product",
    layer: Network, severity: Warning, on: [Setting],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let results = stream::results(run, NetMode::Async).filter_map(|result| {
        let line = run.line_bytes_per_s(result)?;
        let rtt = stream::rtt_ns(run, result)?;
        Some((result, line, rtt))
    });
    let mut outcomes = Vec::new();
    for (result, line, rtt) in results {
        let peer = run.peer(&result.target).and_then(|peer| peer.host.as_ref());
        let (sender, receiver) =
            if result.reverse { (peer, Some(&run.host)) } else { (Some(&run.host), peer) };
        let full = run.wire_share(result).is_some_and(|share| share >= FULL_WIRE);
        outcomes.extend(sender.map(|host| judge(run, host, "net.ipv4.tcp_wmem", result, line, rtt, full)));
        outcomes.extend(receiver.map(|host| judge(run, host, "net.ipv4.tcp_rmem", result, line, rtt, full)));
    }
    if outcomes.is_empty() && !run.net.is_empty() {
        outcomes.push(Outcome::Unknown(
            "no path with a known speed and round trip: declare it with --expect".into(),
        ));
    }
    outcomes
}

fn judge(
    run: &Facts,
    host: &Host,
    name: &str,
    result: &NetResult,
    line: f64,
    rtt: f64,
    full: bool,
) -> Outcome {
    let Some(largest) = host.sysctl_numbers(name).and_then(|numbers| numbers.get(2).copied()) else {
        return unknown!("{name} could not be read");
    };
    let product = window::bdp_bytes(line, rtt);
    // About half of a buffer is bookkeeping of the kernel.
    let usable = match name {
        "net.ipv4.tcp_rmem" => facts::offered_window(host, largest),
        _ => window::flight_of_send_buffer_bytes(largest),
    };
    if usable as f64 >= product || full {
        return Outcome::Passes;
    }
    // A path that carries less by all its figures is filled by less; what was agreed to is to come yet.
    let path = run.path_rate(result).filter(|_| stream::declared(run, &result.target).is_none());
    let filled =
        path.and_then(Estimate::value).is_some_and(|path| usable as f64 >= window::bdp_bytes(path, rtt));
    // The rules on the buffers themselves advise no less: one report has one value.
    let usual = match name {
        "net.ipv4.tcp_rmem" => facts::USUAL_RECEIVE_BYTES,
        _ => facts::USUAL_SEND_BYTES,
    };
    let bytes = window::buffer_for_bytes(product).max(usual);
    let first: Vec<String> =
        host.sysctl_numbers(name).unwrap_or_default().iter().take(2).map(u64::to_string).collect();
    finding!(
        Kind::Setting.named(name).aspect(&result.target),
        "{name} allows at most {largest} bytes, of which {usable} can be in flight, but {} at a round trip of {} needs {product:.0} bytes in flight",
        words::rate(line),
        words::time(rtt),
    )
    .severity(if filled { Severity::Info } else { Severity::Warning })
    .measured(usable as f64, product, Unit::Bytes)
    .evidence(format!("{name} = {}", host.sysctl(name).unwrap_or("")), "/proc/sys/net/ipv4")
    .evidence(
        format!("round trip {}, line {}", words::time(rtt), words::rate(line)),
        "TCP_INFO; --expect, speed of the interface or rate of its queueing discipline",
    )
    .path(&result.target)
    .advice(set_sysctl(
        host,
        name,
        &format!("{} {bytes}", first.join(" ")),
        "A buffer below the product leaves the line idle for part of each round trip.",
        "the window grows to what the path can carry; repeat the measurement",
    )
    .on(if name.ends_with("rmem") {
        stream::receiving_peer(run, result)
    } else {
        stream::sending_peer(run, result)
    }))
    .into()
}
