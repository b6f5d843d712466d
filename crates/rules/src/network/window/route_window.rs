rule! {
    /// # What it checks
    /// Passes when the receiver's route back to the sender carries no window clamp (`window`) that limits the stream.
    /// # Why it matters
    /// A clamp set in a route is seen in no sysctl and in no interface; every connection over it is limited.
    /// # Evidence
    /// The routes of the end that receives (`ip route`): window.
    /// # Remedy
    /// `ip route change ... ` without the clamp.
    /// # Source
    /// ip-route(8): window NUMBER, the maximal window for TCP to advertise to these destinations.
    code: "route-window",
    title: "a route clamps the window",
    layer: Network, severity: Warning, on: [Route], limits: [RouteWindow],
    check: |run| each::result(run, NetMode::Async, |result| judge(run, result)),

    /// Of a window that was seen, from which on a figure that waits for it is at its bound.
    const REACHED: f64 = 0.6;
    /// Of a bound by the window that was seen: nearer than this is not told apart from it.
    const SEEN: f64 = 0.25;
    /// Times the figure, from which on a bound is none of it (own choice).
    const FAR_ABOVE: f64 = 10.0;
    /// The kernel offers a few times what a small clamp says.
    const BY_CLAMP: f64 = 4.0;
}

fn judge(run: &Facts, result: &NetResult) -> Outcome {
    let receiver = stream::receiver_name(result);
    if stream::receiver(run, result).is_none_or(|host| host.routes.is_empty()) {
        return unknown!("the routes of {receiver} are not known");
    }
    let Some((clamp, route)) = stream::window_clamp(run, result) else { return Outcome::Passes };
    let least = stream::rtt_ns(run, result).unwrap_or(0.0);
    let seen = result.tcp.as_ref().and_then(|tcp| tcp.snd_wnd_bytes);
    let window = seen.map_or(0, |seen| seen.0).max(PerStream(clamp).times(result.streams).0);
    let tolerance = if seen.is_some() { SEEN } else { BY_CLAMP };
    let held = stream::receiver_limited(result).filter(|_| seen.is_some());
    let is_felt = held.is_none_or(|held| held >= stream::HELD);
    let rate = result.throughput_bytes_per_s;
    let turned = window as f64 / rate * 1e9;
    let loaded = result.tcp.as_ref().map_or(0.0, |tcp| stream::rtt_of_window_ns(result, tcp));
    // Between hosts microseconds apart no window turns over in the smallest round trip: it does in one under load.
    let is_near = held.is_some() && is_felt && turned > FAR_ABOVE * least && turned <= loaded;
    let rtt = if is_near { turned } else { least };
    let allowed = window::window_bytes_per_s(window as f64, rtt);
    // It is felt near its bound. One at which nothing waits for it is none: neither now nor once all else is gone.
    let at_it = allowed <= (1.0 + SEEN) * rate;
    if !allowed.is_finite() || allowed > FAR_ABOVE * rate || (at_it && !is_felt) {
        return Outcome::Passes;
    }
    let explained = explain::result(run, result, Mechanism::RouteWindow);
    let explained = held.into_iter().fold(explained, Explanation::active);
    // A short test has its mean from before the window was open: the counter says what held it.
    let opening = held.is_some() && is_felt && rate < REACHED * allowed;
    let explained = if opening { explained } else { explained.bounded(allowed, Unit::BytesPerS, tolerance) };
    let destination = &route.destination;
    finding!(
        Kind::Route.named(destination).aspect("route").at(At::peer(stream::receiving_peer(run, result))),
        "the route to {destination} of {receiver} clamps the window to {clamp} bytes: {window} bytes for each round \
             trip of {} allow {}",
            words::time(rtt),
            words::rate(allowed),
    )
    .severity(if is_felt && (opening || !run.lets_most_through(result, allowed)) {
        Severity::Warning
    } else {
        Severity::Info
    })
    .measured(clamp as f64, window::buffer_for_bytes(window::bdp_bytes(1.25e9, rtt)) as f64, Unit::Bytes)
    .evidence(format!("{destination} dev {} window {clamp}", route.interface), "routes of the receiver")
    .explains([explained])
    .advice(advice(run, result, destination, clamp))
    .into()
}

fn advice(run: &Run, result: &NetResult, destination: &str, clamp: u64) -> Advice {
    const WHY: &str = "The clamp in the route wins over every buffer setting.";
    let by_hand = || {
        because(WHY)
            .look(sh!("ip route show {}", destination), "Shows the route with its window")
            .now("`ip route change` with the same parameters but without `window`")
            .persist("Remove `window` from the permanent route")
            .undo("`ip route change` with the same parameters and the window that it had")
    };
    let sender = if result.reverse { route::remote(result) } else { &result.path.local };
    let receiver = stream::receiver(run, result);
    receiver
        .and_then(|host| unset_route(host, sender, "window", clamp, WHY))
        .unwrap_or_else(by_hand)
        .on(stream::receiving_peer(run, result))
        .expecting("the window grows with the buffers; repeat the measurement")
}
