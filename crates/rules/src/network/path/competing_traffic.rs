rule! {
    /// # What it checks
    /// Passes unless other traffic on an interface toward a peer reaches 1 MB/s and 10 % of the measured rate before
    /// the probe, or 60 % of it during the probe; or that much more arrives at the receiver than the sender sends.
    /// # Why it matters
    /// What was measured is what the other traffic left: a backup, a copy, another database. The path itself
    /// may be well.
    /// # Evidence
    /// `tx_bytes` (`rx_bytes` when the peer sends) of the interface over the idle window and over the probe; over the probe,
    /// what the receiver's interface took in and the sender's sent.
    /// # Remedy
    /// Repeat when the other traffic is gone; or give it its own network, window or rate.
    /// # Source
    /// USE method: saturation by other users of a shared resource; Linux
    /// Documentation/networking/statistics.rst (`rx_bytes`, `tx_bytes`).
    code: "competing-traffic",
    title: "other traffic shares the interface",
    layer: Network, severity: Warning, on: [Nic], limits: [SharedPath],
    check: |run| each::result(run, NetMode::Async, |result| judge(run, result)),

    /// Of everything on the interface: others' share that is worth a warning.
    const SHARE: f64 = 0.1;
    /// Share of other traffic, if it is only seen together with the test's own bytes; large, because it includes warm-up and headers.
    const BESIDE: f64 = 0.6;
    /// How far off what others leave may be: both are counted, and bursts of either are lost.
    const LEFT: f64 = 0.1;
    /// Less than this is chatter.
    const CHATTER_BYTES_PER_S: f64 = 250e3;
    /// What an interface counts of the same bytes differs by its headers, which one that merges packets counts once.
    const HEADERS: f64 = 1.06;
}

fn judge(run: &Facts, result: &NetResult) -> Outcome {
    let Some(nic) = interface::nic_toward(run, result) else {
        return unknown!("the interface toward {} is not known", result.target);
    };
    let arriving = arriving(run, result, nic);
    let pick = if result.reverse { received } else { sent };
    let before = idle(run, &nic.name, pick);
    let beside = beside(run, result, &nic.name, pick);
    if before.is_none() && beside.is_none() && arriving.is_none() {
        return unknown!("{} was not counted over a window", nic.name);
    }
    let own = result.throughput_bytes_per_s;
    let sign = before.filter(|rate| *rate >= SHARE * own).map(|rate| (rate, "before the probe"));
    let sign =
        sign.or_else(|| beside.filter(|rate| *rate >= BESIDE * own).map(|rate| (rate, "during the probe")));
    let sign = sign.filter(|(rate, _)| *rate >= CHATTER_BYTES_PER_S);
    // What the peer itself sends beside the test is not among what came from elsewhere: the larger of the two.
    let most = sign.map_or(0.0, |(rate, _)| rate);
    if let Some((end, others)) = arriving.filter(|(_, others)| *others >= most) {
        return fires(run, result, &end, others, "during the probe");
    }
    let Some((others, when)) = sign else { return Outcome::Passes };
    let own = End { nic: &nic.name, peer: None, counted: [before, beside] };
    fires(run, result, &own, others, when)
}

/// Where others' traffic was seen.
struct End<'a> {
    nic: &'a str,
    /// The peer that the interface is on; `None`: this host.
    peer: Option<&'a PathName>,
    /// Without the test and during it, bytes per second.
    counted: [Option<f64>; 2],
}

/// What arrives at the receiver beyond all that the sender's interface sends, bytes per second.
fn arriving<'a>(run: &'a Run, result: &'a NetResult, nic: &'a Nic) -> Option<(End<'a>, f64)> {
    let peer = interface::peer_nic(run, result)?;
    let own_side = (nic, stream::windows_around(run, result));
    let peer_side = (peer, stream::peer_windows_around(run, result));
    let (from, to) = if result.reverse { (peer_side, own_side) } else { (own_side, peer_side) };
    let (came, seconds) = grown(&to.1, &to.0.name, received)?;
    let (went, _) = grown(&from.1, &from.0.name, sent)?;
    // Of several equal routes a connection may take the one that was not looked up.
    if went < result.bytes as f64 {
        return None;
    }
    // What the path delivers twice comes from nobody else.
    let copies = result.tcp.as_ref().map_or(0.0, stream::copied_share);
    let others = (came - HEADERS * went * (1.0 + copies)) / seconds;
    let notable = others >= CHATTER_BYTES_PER_S.max(SHARE * result.throughput_bytes_per_s);
    let end =
        End { nic: &to.0.name, peer: stream::receiving_peer(run, result), counted: [None, Some(others)] };
    notable.then_some((end, others))
}

/// Bytes and seconds of the windows; `None`: there is none.
fn grown(windows: &[&Window], nic: &str, pick: fn(&NicCounters) -> u64) -> Option<(f64, f64)> {
    let (mut bytes, mut seconds) = (0.0, 0.0);
    for window in windows {
        bytes += pick(window.to.nics.get(nic)?).saturating_sub(pick(window.from.nics.get(nic)?)) as f64;
        seconds += window.seconds();
    }
    (seconds > 0.0).then_some((bytes, seconds))
}

fn fires(run: &Facts, result: &NetResult, end: &End<'_>, others: f64, when: &str) -> Outcome {
    let own = result.throughput_bytes_per_s;
    let at = At::peer(end.peer);
    let when_counted = ["without the test", "during it"].into_iter().zip(end.counted);
    let counted: Vec<String> =
        when_counted.filter_map(|(when, rate)| Some(format!("{:.1} MB/s {when}", rate? / 1e6))).collect();
    let name = end.peer.map_or_else(|| end.nic.to_owned(), |peer| format!("{} at {peer}", end.nic));
    // A line with room for both is shared, not short.
    let has_room = run.wire_share(result).is_some_and(|share| share * (1.0 + others / own.max(1.0)) < 0.7);
    let finding = finding!(
        Kind::Nic.named(end.nic).at(at),
        "other traffic shares {name}: {} of other traffic {when}, next to {} of the test to {}",
        words::rate(others),
        words::rate(own),
        result.target,
    )
    .severity(if has_room { Severity::Info } else { Severity::Warning })
    .measured(others, SHARE * own, Unit::BytesPerS)
    .evidence(counted.join(", "), format!("/sys/class/net/{}/statistics", end.nic))
    .because("The measurement shows what was left over, not what the path can do.")
    .look("ss -tinp state established", "Shows who sends: sort by bytes_sent and delivery_rate")
    .look("sar -n DEV 1 5", format!("Shows when {} is quiet; measure again then", end.nic))
    .on(end.peer)
    .persist("Move bulk traffic to a separate network or time, or pace it: tc fq maxrate, RMAN RATE")
    .expecting("the database gets the whole line; repeat the measurement");
    // While a window or a buffer holds the stream, others take nothing from it; unless the window is full of what waits.
    let queued = stream::stands_in_queue(result);
    let free = stream::congestion_limited(result).filter(|_| !queued).unwrap_or(1.0);
    let share = others / (others + own).max(1.0) * free;
    let explanation = explain::result(run, result, Mechanism::SharedPath).without(
        own + others,
        Unit::BytesPerS,
        "path-shaper",
    );
    // What is left of the wire bounds whatever is gained otherwise.
    let wire = run.wire_share(result).filter(|share| *share > 0.0).map(|share| own / share);
    let left = wire.map(|wire| wire - others).filter(|left| (1.0 + LEFT) * left > own);
    let active = if has_room { explanation.clone() } else { explanation.clone().active(share) };
    let explanation = match left {
        Some(left) => Some(active.bounded(left, Unit::BytesPerS, LEFT)),
        None => (!has_room).then_some(active),
    };
    finding.explains(explanation).into()
}

fn sent(counters: &NicCounters) -> u64 {
    counters.tx_bytes
}

fn received(counters: &NicCounters) -> u64 {
    counters.rx_bytes
}

/// Bytes per second in the window without load; `None`: none was taken, or it is too short to tell.
fn idle(run: &Run, nic: &str, pick: fn(&NicCounters) -> u64) -> Option<f64> {
    let window = run.idle().filter(|window| window.seconds() >= 0.2)?;
    let grown = pick(window.to.nics.get(nic)?).saturating_sub(pick(window.from.nics.get(nic)?));
    Some(grown as f64 / window.seconds())
}

/// Bytes per second during the probe that its result does not account for. Headers, warm-up and
/// what was sent again are allowed for.
fn beside(run: &Run, result: &NetResult, nic: &str, pick: fn(&NicCounters) -> u64) -> Option<f64> {
    let (bytes, seconds) = grown(&stream::windows_around(run, result), nic, pick)?;
    Some((bytes - own_bytes(result)).max(0.0) / seconds)
}

/// All that a result may have put on the wire, in either direction: better too much than an accusation.
fn own_bytes(result: &NetResult) -> f64 {
    let warm_up_s = result.plan.warmup_ns as f64 / 1e9;
    let back = result.reverse_throughput_bytes_per_s.unwrap_or(0.0) * result.duration_s;
    (result.bytes as f64 + back + result.throughput_bytes_per_s * (warm_up_s + 0.5)) * 1.15
}
