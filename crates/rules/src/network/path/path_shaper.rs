use crate::facts::stream::steady_bytes_per_s;

rule! {
    /// # What it checks
    /// Passes unless a stream stays flat at one rate below its wire, with a queue (the round trip grows), with loss that
    /// appears only at that rate or with several streams that carry no more together, and neither end limits it.
    /// # Why it matters
    /// A shaper or policer of the provider, of a virtual machine's instance type or of a firewall sets the
    /// rate; no setting of the hosts will change it.
    /// # Evidence
    /// Variation of the rate over the intervals; round trip idle and loaded; segments sent again; limits of
    /// `TCP_INFO`, CPU and queueing disciplines, which must be innocent.
    /// # Remedy
    /// Compare the rate with the contract, the instance type, the `QoS` class; declare it with `--expect` if it
    /// is what was agreed.
    /// # Source
    /// Flach and others, An Internet-Wide Analysis of Traffic Policing, SIGCOMM 2016 (loss at a plateau rate);
    /// RFC 6349 section 3.3 (bottleneck bandwidth).
    code: "path-shaper",
    title: "a shaper or policer between the hosts limits the rate",
    layer: Network, severity: Warning, on: [Path], limits: [PathRate],
    check: |run| each::result(run, NetMode::Async, |result| judge(run, result)),

    /// BBR keeps a rate that it found as even as this, and so does a shaper.
    const EVEN: f64 = 0.03;
    /// Of the busiest CPU of both ends: no CPU makes the rate.
    const IDLE_CPU: f64 = 0.5;
    /// The explanations that leave no other reading have this share of the weight at least (own choice).
    const SURE: f64 = 0.9;
    /// Rates of streams that a policer holds, as a factor of one another (own choice: each loses a part of its time to timeouts).
    const SAME_RATE: f64 = 1.5;
    /// Of the segments: from here on drops at an even rate are a policer's.
    const POLICED: f64 = 0.002;
    /// Of the wire's rate, the least that is TCP's payload: IPv6 with time stamps and a VLAN tag at an MTU of 1500 (1428 of
    /// 1542 bytes), less what slow start costs a short run.
    const LEAST_PAYLOAD: f64 = 0.92;
    /// Of the wire's rate, the most that is TCP's payload: IPv4 without time stamps at an MTU of 9000 (8960 of 9038 bytes).
    const MOST_PAYLOAD: f64 = 0.9925;
    /// Segments that a stream without a window sends between two timeouts (RFC 5681: one, and one that it answers).
    const SEGMENTS: f64 = 2.0;
}

/// Speeds of IEEE 802.3 that servers and virtual machines have.
const ETHERNET_BIT_PER_S: [f64; 10] = [100e6, 1e9, 2.5e9, 5e9, 10e9, 25e9, 40e9, 50e9, 100e9, 200e9];

fn judge(run: &Facts, result: &NetResult) -> Outcome {
    let even = run.course(&result.target, &run.name_of(result)).and_then(|course| course.even);
    let lost = stream::lost_share(run, result);
    let follows = run.loss_follows_rate(result);
    let policed = match follows {
        Some(follows) => follows,
        None => lost.is_some_and(|share| share >= POLICED) && !stream::is_reordered(result),
    };
    // No more from several streams, and losses that come with the rate: that needs no even rate.
    let held = is_held_by_path(run, result, &run.name_of(result));
    let several = held && several_give_the_same(run, result);
    let shown = held && follows == Some(true) || policed && several;
    let told = shown || course::is_told_of(result);
    let Some((idle, loaded)) = stream::round_trips(run, result).filter(|_| told) else {
        return unknown!("too few intervals of the transfer to {} to see a plateau", result.target);
    };
    let queued = stream::is_queued(idle, loaded);
    // A queue that marks by ECN stays short, and loses nothing.
    let marked = stream::marked_share(result).is_some_and(|share| share >= POLICED);
    let found = even.is_some_and(|apart| apart <= EVEN) && looked_for_it(result);
    // One rate for one stream and for several, while no CPU is busy: a shaper whose queue stays short shows no more.
    let shared =
        several && even.is_some_and(|apart| apart <= EVEN) && facts::cpu::cpu_peak(run, result) < IDLE_CPU;
    let agreed = stream::declared(run, &result.target).and(run.wire_share(result)).unwrap_or(0.0);
    if (even.is_none() && !shown)
        || !(queued || policed || marked || found || shared)
        || agreed >= FULL_WIRE
        // Of a rate that is nearly the agreed one, one stream alone does not tell.
        || (agreed >= GOOD && !several)
        || run.path_carries_more(result)
        || streams_add(run, result)
        || is_of_timer(result)
    {
        return Outcome::Passes;
    }
    if let Some(speed) = likely_wire_bit_per_s(run, result) {
        return unknown!(
            "the file does not tell the speed of the link, and {} is what Ethernet of {} Gbit/s carries",
            words::rate(result.throughput_bytes_per_s),
            speed / 1e9
        );
    }
    let sign = if queued {
        format!("the round trip grows from {} to {}", words::time(idle), words::time(loaded))
    } else if let Some(share) = lost.filter(|_| policed) {
        format!("{:.1} % of the segments are dropped at that rate", share * 100.0)
    } else if marked {
        "packets are marked by ECN at that rate".to_owned()
    } else if shared {
        "several streams together carry no more than one".to_owned()
    } else {
        "BBR, which looks for the path's rate, finds no more".to_owned()
    };
    let rate = steady_bytes_per_s(result);
    finding!(
        Kind::Path.named(&result.target).aspect("path"),
        "the rate to {} stays {}at {} while {sign}: a shaper, policer or slower link between the ends sets it",
        result.target,
        if even.is_none() { "" } else { "flat " },
        words::rate(rate),
    )
    .severity(if agreed >= GOOD { Severity::Info } else { Severity::Warning })
    .measured(rate, rate, Unit::BytesPerS)
    .evidence(even.map_or_else(|| "the rate varies".to_owned(), |apart| format!("the rate varies by {:.1} %", apart * 100.0)), "intervals of the probe")
    .evidence(round_trip_and_loss(idle, loaded, lost), "TCP_INFO")
    .explains([explain::rate(run, result, rate).inferred(rate, Unit::BytesPerS)])
    .because("Neither buffers nor CPU nor a queue on either host limits the rate, so the path does.")
    .now("Compare the rate with the line's contract, the instance type's network allowance, and the QoS class on switch and firewall")
    .now(format!("`fullwire net {} --streams 8`: the same total means a limit of the line, a higher total a limit per flow", as_word(&result.target)))
    .persist("have the shaper raised, or accept the rate with --expect")
    .expecting("the agreed rate; --expect makes it the ceiling of the next run")
    .into()
}

/// By all figures of the path its rate holds this one.
fn is_held_by_path(run: &Facts, result: &NetResult, id: &MeasurementId) -> bool {
    let known = run.characteristics.get(&result.target);
    known.and_then(|known| known.acts_in(id)) == Some(Quantity::PathRate)
}

/// The same way with another number of streams, planned or tried afterwards.
fn with_other_streams<'a>(
    run: &'a Facts,
    result: &'a NetResult,
) -> impl Iterator<Item = (MeasurementId, &'a NetResult)> {
    let planned = stream::results(run, NetMode::Async).map(|other| (run.name_of(other), other));
    let tried = run.tried.iter().filter_map(|tried| {
        let other = tried.net.as_ref().filter(|other| other.mode == NetMode::Async)?;
        Some((MeasurementId::of_experiment(&other.question(), tried.experiment.says()), other))
    });
    planned.chain(tried).filter(|(_, other)| {
        (&other.target, other.reverse) == (&result.target, result.reverse) && other.streams != result.streams
    })
}

/// Another number of streams the same way comes to this rate, and the path holds it as well: one rate, however uneven.
fn several_give_the_same(run: &Facts, result: &NetResult) -> bool {
    let own = steady_bytes_per_s(result);
    let same = |rate: f64| (rate / own).ln().abs() <= SAME_RATE.ln();
    with_other_streams(run, result)
        .any(|(id, other)| is_held_by_path(run, other, &id) && same(steady_bytes_per_s(other)))
}

/// Fewer streams carried less the same way, and by all figures each is held by itself: the path is not full.
fn streams_add(run: &Facts, result: &NetResult) -> bool {
    let known = run.characteristics.get(&result.target);
    let each = known.map(|known| known.share_of(&run.name_of(result), &[Quantity::FlowRate]));
    each >= Some(SURE) && with_other_streams(run, result).any(|(_, other)| other.streams < result.streams)
}

/// A segment or two for each timeout: as even as the timer, and nothing that a path would be set to.
fn is_of_timer(result: &NetResult) -> bool {
    let each_bytes =
        result.tcp.as_ref().map_or(0, |tcp| tcp.mss_bytes) as f64 * f64::from(result.streams.max(1));
    steady_bytes_per_s(result) <= SEGMENTS * each_bytes / (loss::RTO_MIN_NS / 1e9)
}

/// BBR measures what the path delivers and keeps the queue short (draft-ietf-ccwg-bbr): where the program always had
/// more to send, a flat rate is the path's though neither round trip nor losses tell.
fn looked_for_it(result: &NetResult) -> bool {
    result.tcp.as_ref().is_some_and(|tcp| tcp.congestion.starts_with("bbr") && !tcp.app_limited)
}

fn round_trip_and_loss(idle: f64, loaded: f64, lost: Option<f64>) -> String {
    let times = format!("round trip idle {}, loaded {}", words::time(idle), words::time(loaded));
    lost.map_or_else(|| times.clone(), |share| format!("{times}, sent again {:.3} %", share * 100.0))
}

/// Another tool's result does not tell the speed of the link. A rate that is what the payload of a usual speed of
/// Ethernet comes to is most likely the host's own wire, whose queue fills and drops as a shaper's does. Bit/s.
fn likely_wire_bit_per_s(run: &Run, result: &NetResult) -> Option<f64> {
    let known = interface::nic_toward(run, result).is_some();
    let rate = result.throughput_bytes_per_s * 8.0;
    let carries = |speed: &f64| (LEAST_PAYLOAD..=MOST_PAYLOAD).contains(&(rate / speed));
    (facts::is_import(run) && !known).then(|| ETHERNET_BIT_PER_S.into_iter().find(carries))?
}
