rule! {
    /// # What it checks
    /// Passes unless TCP's segments are much smaller than the path's MTU allows, although both interfaces accept larger
    /// ones.
    /// # Why it matters
    /// A firewall that clamps the MSS, or an `mtu` or `advmss` in a route, makes each packet carry less: at 536 bytes three
    /// packets, three interrupts and three headers do the work of one.
    /// # Evidence
    /// `tcpi_snd_mss` and `tcpi_pmtu` of the transfer, MTU of both interfaces, `mtu` and `advmss` of the route.
    /// # Remedy
    /// Find the rule that clamps (`TCPMSS`, `adjust mss`) and set it to the path's MTU less 40, or remove it.
    /// # Source
    /// RFC 9293 section 3.7.1 (MSS = MTU less 40 bytes); RFC 6691; iptables-extensions(8), TCPMSS; ip-route(8),
    /// `advmss`.
    code: "tcp-mss-small",
    title: "segments are smaller than the path allows",
    layer: Network, severity: Warning, on: [Path], limits: [SmallSegments],
    check: |run| each::result(run, NetMode::Async, |result| judge(run, result)),

    /// Of the payload that the MTU has room for: tunnels and options take a few per cent, a clamp takes more.
    const SMALL: f64 = 0.9;
    /// No link or tunnel leaves less: IPv6 needs it (RFC 8200, section 5).
    const LEAST_BYTES: u64 = 1280;
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    let Some(tcp) = result.tcp.as_ref().filter(|tcp| tcp.mss_bytes > 0 && tcp.pmtu_bytes > 0) else {
        return unknown!("TCP_INFO of the transfer to {} is missing", result.target);
    };
    let stack = room(run, result, tcp);
    if tcp.mss_bytes as f64 >= SMALL * stack.payload_bytes() as f64 {
        return Outcome::Passes;
    }
    let by = clamped_by(run, result, stack.mtu_bytes);
    let clamped = Stack { mtu_bytes: tcp.mss_bytes.saturating_add(stack.header_bytes()), ..stack };
    let packets = stack.payload_bytes() as f64 / tcp.mss_bytes as f64;
    let without_options = stack.mtu_bytes.saturating_sub(if stack.ipv6 { 60 } else { 40 });
    finding!(
        Kind::Path.named(&result.target).aspect("MSS"),
        "segments to {} carry {} bytes where an MTU of {} has room for {}: {by}; {packets:.1} times the packets for the same data",
        result.target,
        tcp.mss_bytes,
        stack.mtu_bytes,
        stack.payload_bytes(),
    )
    .measured(tcp.mss_bytes as f64, stack.payload_bytes() as f64, Unit::Bytes)
    .evidence(format!("MSS {}, path MTU {}", tcp.mss_bytes, tcp.pmtu_bytes), "TCP_INFO of the sender")
    .evidence(
        format!(
            "goodput of a full wire {:.1} % with these segments, {:.1} % with full ones",
            100.0 * clamped.goodput_fraction(),
            100.0 * stack.goodput_fraction()
        ),
        "frame arithmetic",
    )
    // As many packets a second, or in flight, carry so much more at most.
    .explains([explain::result(run, result, Mechanism::SmallSegments).without(
        packets * result.throughput_bytes_per_s,
        Unit::BytesPerS,
        "one-cpu",
    )])
    .because("Each packet costs both ends and every hop the same, large or small.")
    .look("iptables-save -t mangle | grep TCPMSS || true", "Shows a clamp of iptables; look on both ends and on the firewalls between")
    .look("nft list ruleset | grep maxseg || true", "Shows one of nftables")
    .look(sh!("ip route get {}", route::host_of(route::remote(result))), "Shows mtu and advmss of the route")
    .persist(format!("remove the clamp, or set it to {without_options}, on the device that sets it"))
    .expecting(format!("an MSS of {}; prove it with `fullwire net {}`", stack.payload_bytes(), as_word(&result.target)))
    .into()
}

/// The route that says so, or else anyone who changes handshakes on the way.
fn clamped_by(run: &Run, result: &NetResult, mtu_bytes: u64) -> String {
    let offered = route::looked_up(run, route::remote(result)).and_then(|route| route.advmss_bytes);
    let limited = set_by_route(run, result).filter(|bytes| *bytes < mtu_bytes);
    match (limited, offered) {
        (Some(bytes), _) => format!("the sender's route has mtu {bytes}"),
        (None, Some(bytes)) => format!("the route has advmss {bytes}"),
        (None, None) => "a firewall or router on the way clamps it".into(),
    }
}

/// The MTU that the sender's route to the other end has.
fn set_by_route(run: &Run, result: &NetResult) -> Option<u64> {
    let to = if result.reverse { &result.path.local } else { route::remote(result) };
    route::route_to(stream::sender(run, result)?, to)?.mtu_bytes
}

/// What both ends have room for. A peer with a smaller MTU offers a smaller MSS by right.
fn room(run: &Run, result: &NetResult, tcp: &TcpSummary) -> Stack {
    let stack = stack_of(run, result);
    let by_tcp = stack.mtu_bytes.min(tcp.pmtu_bytes);
    // What a route says for no tunnel is a clamp, not the path.
    let set = by_tcp < LEAST_BYTES && set_by_route(run, result) == Some(by_tcp);
    let own = interface::nic_toward(run, result).and_then(|nic| nic.mtu_bytes).filter(|_| set);
    let near = own.unwrap_or(by_tcp);
    let far = interface::peer_nic(run, result).and_then(|nic| nic.mtu_bytes).unwrap_or(near);
    let probed = run.mtu.iter().filter(|mtu| route::path_of(run, mtu) == result.target);
    let path = probed.filter_map(|mtu| mtu.path_mtu_bytes).min().unwrap_or(far);
    Stack { mtu_bytes: near.min(far).min(path), ..stack }
}
