use crate::facts::stream::steady_bytes_per_s;

rule! {
    /// # What it checks
    /// Passes when one stream reaches at least 70 % of what several streams reach together, to the peer or from it.
    /// # Why it matters
    /// A single connection is then bound by a limit of each flow, and the path carries more. Redo transport (one
    /// connection for each thread) and a single RMAN channel get what one flow gets; parallel transfers get the rest.
    /// # Evidence
    /// The rates of one stream and of several; whether TCP counted that a window or a buffer limited the single stream,
    /// the busiest thread, the bond that it leaves by, the cloud that the host is in.
    /// # Remedy
    /// What the evidence names: larger windows, a faster or freer CPU, more receive queues, a bond's hash. A limit that
    /// a cloud sets for each flow is only met by more connections.
    /// # Source
    /// AWS, Amazon EC2 instance network bandwidth (5 Gbit/s for a single flow outside a cluster placement group); Linux
    /// Documentation/networking/bonding.rst (a connection uses one interface) and scaling.rst (a flow is received by
    /// one queue). The bound of 70 % is that of the verdict `good`.
    code: "flow-limit",
    title: "one stream gets only part of what the path carries",
    layer: Network, severity: Warning, on: [Path], limits: [FlowLimit, PathRate],

    /// Share of the time for which TCP must report a limit before it counts.
    const HELD: f64 = 0.5;
    /// How far the rate of one stream and that of each of several differ at the same limit (own choice).
    const ALIKE: f64 = 0.15;
    /// A thread that used this share of a CPU had no CPU time left.
    const CPU_FULL: f64 = 0.9;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let single = stream::results(run, NetMode::Async)
        .filter(|result| stream::is_flat_out(result) && result.streams <= 1);
    single.filter_map(|one| judge(run, one)).collect()
}

/// `None`: several streams from the peer are asked for only where one carries less than the path does the other way.
fn judge(run: &Facts, one: &NetResult) -> Option<Outcome> {
    let Some((id, several)) = several(run, one) else {
        let unmeasured = || format!("several parallel streams to {} were not measured", as_word(&one.target));
        return (!one.reverse).then(|| Outcome::Unknown(unmeasured()));
    };
    let known = run.characteristics.get(&one.target);
    let way = if one.reverse { "backward" } else { "forward" };
    let estimate = |quantity| known.and_then(|known| known.estimate(quantity, way));
    let (Some(flow), Some(path)) = (estimate(Quantity::FlowRate), estimate(Quantity::PathRate)) else {
        return Some(unknown!("the stream to {} still changed when it ended", as_word(&one.target)));
    };
    let limited = flow.value().zip(path.at_least()).is_some_and(|(flow, path)| flow < GOOD * path);
    Some(if limited { fires(run, one, &id, several) } else { Outcome::Passes })
}

/// The most that several streams carried the same way, of the plan or tried after it.
fn several<'a>(run: &'a Facts, one: &NetResult) -> Option<(MeasurementId, &'a NetResult)> {
    let alike = |(_, other): &(MeasurementId, &NetResult)| {
        other.target == one.target
            && other.streams > 1
            && stream::is_flat_out(other)
            && other.question().alone() == one.question()
    };
    let all = run.net_measurements().chain(stream::tried(run)).filter(alike);
    all.max_by(|(_, one), (_, other)| steady_bytes_per_s(one).total_cmp(&steady_bytes_per_s(other)))
}

/// A stream that waits in a queue of its own is held at a rate: it then loses what overflows there, and each of several streams
/// gets the same rate.
fn held_at_a_rate(run: &Facts, one: &NetResult, several: &MeasurementId) -> Option<(f64, f64)> {
    let known = run.characteristics.get(&one.target)?;
    let each = known.acts_in(several) == Some(Quantity::FlowRate);
    // Its own segments: messages next to it wait in a queue of theirs.
    let tcp = one.tcp.as_ref().filter(|_| each && stream::stands_in_queue(one))?;
    Some((tcp.rtt_min_ns as f64, tcp.rtt_ns as f64))
}

fn fires(run: &Facts, one: &NetResult, id: &MeasurementId, several: &NetResult) -> Outcome {
    let (rate, together) = (steady_bytes_per_s(one), steady_bytes_per_s(several));
    let streams = several.streams;
    let each = together / f64::from(streams);
    let held = held_at_a_rate(run, one, id);
    let (way, option) = if one.reverse { ("from", " --reverse") } else { ("to", "") };
    let mut finding = finding!(
        Kind::Path.named(&one.target),
        "one stream {way} {} carries {}, {} of what {streams} streams carry together ({}): each flow is limited, not the path",
        one.target,
        words::rate(rate),
        percent(rate / together),
        words::rate(together),
    )
        .measured(rate, together, Unit::BytesPerS)
        .severity(if redo_needs_more(run, one, together) { Severity::Warning } else { Severity::Info })
        .path(&one.target)
        .explains(explanations(run, one, (id, streams), held.is_some().then_some(each)))
        .evidence(
            format!("{} for each of {streams} streams", words::rate(each)),
            "probe",
        );
    if let Some((idle, loaded)) = held {
        finding = finding.evidence(
            format!(
                "the round trip grows from {} to {}: the stream fills its own queue",
                words::time(idle),
                words::time(loaded)
            ),
            "TCP_INFO",
        );
    }
    for (text, source) in signs(run, one) {
        finding = finding.evidence(text, source);
    }
    finding
        .because("A program that uses one connection gets the rate of one flow, however much the path carries.")
        .now(format!("fullwire net {} --streams {streams}{option} --duration 30s    # and compare with --streams 1", as_word(&one.target)))
        .persist("more connections: RMAN channels, NFS nconnect, parallel transfers; for redo, remove the limit of the flow that the evidence names")
        .expecting(format!("up to {} by several connections", words::rate(together)))
        .into()
}

fn explanations(
    run: &Run,
    one: &NetResult,
    (several, streams): (&MeasurementId, u32),
    held: Option<f64>,
) -> Vec<Explanation> {
    let Some(each) = held else { return vec![explain::result(run, one, Mechanism::FlowLimit)] };
    // Several streams of which each is held are not held together.
    let together = Explanation::of_path(&one.target, Mechanism::FlowLimit).only([several.clone()]);
    let bounded = |by: Explanation, streams| by.bounded(each * f64::from(streams), Unit::BytesPerS, ALIKE);
    vec![bounded(explain::rate(run, one, each), 1), bounded(together, streams)]
}

/// The database's redo goes by fewer connections than it takes, and the path as a whole would carry it.
fn redo_needs_more(run: &Run, one: &NetResult, together: f64) -> bool {
    let redo = demand::redo(run).filter(|(_, result)| result.target == one.target);
    !one.reverse
        && redo.is_some_and(|(carried, _)| !carried.is_enough() && together >= carried.required_bytes_per_s)
}

/// What may limit a single flow here, and where it was read.
fn signs(run: &Run, one: &NetResult) -> Vec<(String, String)> {
    let mut signs = Vec::new();
    let held = [
        ("the receive window", stream::receiver_limited(one)),
        ("the send buffer", stream::buffer_limited(one)),
    ];
    for (what, share) in held {
        if let Some(share) = share.filter(|share| *share >= HELD) {
            signs.push((
                format!("{what} limited the single stream for {} of the time", percent(share)),
                "TCP_INFO".to_owned(),
            ));
        }
    }
    let threads = [one.cpu.client_thread_peak, one.cpu.server_thread_peak];
    if let Some(peak) = threads.into_iter().flatten().reduce(f64::max).filter(|peak| *peak >= CPU_FULL) {
        signs.push((format!("its busiest thread used {} of one CPU", percent(peak)), "probe".to_owned()));
    }
    let nic = interface::nic_toward(run, one);
    if let Some(bond) =
        nic.and_then(|nic| run.host.bond(&nic.name)).filter(|bond| interface::carrying(bond) > 1)
    {
        let text = format!("one of {} links of {} carries a flow", interface::carrying(bond), bond.name);
        signs.push((text, format!("/proc/net/bonding/{}", bond.name)));
    }
    if let Some(cloud) = &run.host.os.cloud {
        signs
            .push((format!("the host is in a cloud ({cloud}), which may limit each flow"), "DMI".to_owned()));
    }
    signs
}
