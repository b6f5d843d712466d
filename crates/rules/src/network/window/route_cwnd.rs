rule! {
    /// # What it checks
    /// Passes unless the route by which the sender of a stream reaches the other end locks the congestion window, and the stream
    /// runs at the rate which that window allows. A stream whose own window has grown beyond it is not held.
    /// # Why it matters
    /// `cwnd lock` in a route stops the window from growing: a stream has that many segments in flight for each round
    /// trip and no more, however wide the path is.
    /// # Evidence
    /// The kernel's answer for the peer's address, the peer's routes as it reported them; the round trip without load, the
    /// measured rate.
    /// # Remedy
    /// Change the route without `cwnd`, where it is kept as well.
    /// # Source
    /// ip-route(8), `cwnd` and `lock`; Linux `net/ipv4/tcp_metrics.c` (a locked metric becomes `snd_cwnd_clamp`).
    code: "route-cwnd",
    title: "a route locks the congestion window",
    layer: Network, severity: Warning, on: [Route], limits: [RouteWindow],

    /// Share of what the window allows that must be reached before the window counts as the limit.
    const REACHED: f64 = 0.5;
}

fn check(run: &Facts) -> Vec<Outcome> {
    each::result(run, NetMode::Async, |result| match stream::sending_route(run, result) {
        Some(route) => judge(run, result, route),
        // A peer that says nothing of itself has nothing to be read either.
        None if result.reverse => Outcome::Passes,
        None => unknown!("the route to {} was not looked up", result.target),
    })
}

fn judge(run: &Run, result: &NetResult, route: &Route) -> Outcome {
    let Some(segments) = stream::locked_segments(route, result) else { return Outcome::Passes };
    let peer = stream::sending_peer(run, result);
    let Some(mss) = result.tcp.as_ref().map(|tcp| tcp.mss_bytes).filter(|bytes| *bytes > 0) else {
        return unknown!("TCP_INFO of the transfer to {} is missing", result.target);
    };
    let in_flight = f64::from(segments) * mss as f64 * f64::from(result.streams.max(1));
    let rtt = stream::rtt_ns(run, result).unwrap_or(0.0);
    let allowed = window::window_bytes_per_s(in_flight, rtt);
    let held = allowed.is_finite() && result.throughput_bytes_per_s >= REACHED * allowed;
    let finding = finding!(
        Kind::Route.named(&route.destination).aspect("route").at(At::peer(peer)),
        "the route to {}{} locks the congestion window to {segments} segments, which allows {} in a round trip of {}",
        route.destination,
        peer.map(|peer| format!(" of {peer}")).unwrap_or_default(),
        words::rate(allowed),
        words::time(rtt),
    )
        .measured(result.throughput_bytes_per_s, allowed, Unit::BytesPerS)
        .evidence(
            format!("{} dev {} cwnd lock {segments}", route.destination, route.interface),
            peer.map_or_else(
                || format!("ip route get {}", route.destination),
                |peer| format!("routes of {peer}"),
            ),
        )
        .advice(advice(run, result, route, segments).on(peer));
    let explanation =
        explain::result(run, result, Mechanism::RouteWindow).bounded(allowed, Unit::BytesPerS, 0.25);
    finding.explains(held.then_some(explanation)).into()
}

fn advice(run: &Run, result: &NetResult, route: &Route, segments: u32) -> Advice {
    const WHY: &str = "A locked window does not grow with the path.";
    let by_hand = || {
        because(WHY)
            .look(
                sh!("ip route show to match {}", route.destination),
                "Shows the route that locks the window",
            )
            .now("`ip route change` with the same parameters but without `cwnd lock`")
            .persist("Remove `cwnd` from the permanent route (nmcli, route files of ifcfg, systemd-networkd)")
            .undo(format!("`ip route change` with the same parameters and cwnd lock {segments}"))
    };
    let far = if result.reverse { &result.path.local } else { route::remote(result) };
    stream::sender(run, result)
        .and_then(|host| unset_route(host, far, "cwnd lock", segments.into(), WHY))
        .unwrap_or_else(by_hand)
        .expecting("the window grows until the path is full; repeat the measurement")
}
