use crate::ceiling::network::shaped_payload_bytes_per_s;
use crate::facts::shaper;

rule! {
    /// # What it checks
    /// Passes unless a queueing discipline with a rate (tbf, htb, hfsc, cake, netem rate, fq maxrate) is on the sender's
    /// outgoing interface, or on another device of the receiver to which what arrives is passed on (ifb), the measured rate is
    /// the one that it sets, it held packets back, and the other way, where none sets it, goes at another rate.
    /// # Why it matters
    /// A shaper left over from a test or an old agreement limits the path, however fast NIC and line are.
    /// # Evidence
    /// Rate of the discipline (`tc -d qdisc show`), its drops and overlimits over the probe, the measured rate.
    /// # Remedy
    /// Remove or change it, if whoever set it agrees: `tc qdisc del dev DEV root`, and the unit or script that sets it.
    /// # Source
    /// tc-tbf(8), tc-htb(8), tc-netem(8), tc-fq(8); Linux `net/sched/sch_tbf.c` (the rate counts the frame with
    /// its link header). RFC 2475, 2.3.3.3 and 2.3.3.4: a provider drops what exceeds the agreed rate, a shaper at the customer delays it.
    code: "qdisc-shaper",
    title: "a shaper on this host limits the rate",
    layer: Network, severity: Warning, on: [QueueingDiscipline], limits: [OwnShaper],
}

fn check(run: &Facts) -> Vec<Outcome> {
    if run.host.nics.is_empty() {
        return vec![unknown!("no interface could be read, so no queueing discipline")];
    }
    let streams = each::result(run, NetMode::Async, |result| judge(run, result, result, 1.0));
    // What a test that was paced, or one message in flight, carries happens to lie near a rate.
    let floods = each::result(run, NetMode::Udp, |result| {
        if stream::is_flood(result) { judge(run, result, result, 1.0) } else { Outcome::Passes }
    });
    let exchanges = stream::results(run, NetMode::Interconnect).flat_map(|result| each_way(run, result));
    streams.into_iter().chain(floods).chain(exchanges).collect()
}

/// Both directions of an interconnect, each as a result of its own.
fn each_way(run: &Run, result: &NetResult) -> Vec<Outcome> {
    let (Some(per_s), Some(bytes)) = (result.exchanges_per_s(), result.exchange_bytes()) else {
        return Vec::new();
    };
    let ways = bytes.into_iter().zip([result.reverse, !result.reverse]);
    let judged = ways.map(|(bytes, reverse)| {
        let way = NetResult { reverse, throughput_bytes_per_s: per_s * bytes, ..result.clone() };
        judge(run, result, &way, bytes)
    });
    judged.collect()
}

/// `whole`: the result to which a direction belongs, of which each message has so many bytes this way; for what is counted in
/// bytes, 1.
fn judge(run: &Run, whole: &NetResult, result: &NetResult, bytes: f64) -> Outcome {
    if shaper::sender(run, result).is_none() {
        return unknown!("the sender's interface on the way to {} is not known", result.target);
    }
    let Some(set) = shaper::on_the_way(run, result).filter(|set| set.acts) else { return Outcome::Passes };
    let declared = stream::declared(run, &result.target);
    // A shaper at the declared rate is the agreement, not its breach.
    if declared.is_some_and(|declared| set.rate_bytes_per_s >= 0.9 * declared) {
        return Outcome::Passes;
    }
    fires(run, whole, result, bytes, &set)
}

fn fires(run: &Run, whole: &NetResult, result: &NetResult, bytes: f64, set: &shaper::Shaper<'_>) -> Outcome {
    let (device, qdisc, rate) = (set.device, set.qdisc, set.rate_bytes_per_s);
    let (peer, host) = if set.at_sender {
        (stream::sending_peer(run, result), stream::sender(run, result))
    } else {
        (stream::receiving_peer(run, result), stream::receiver(run, result))
    };
    let at = peer.map_or_else(|| device.to_owned(), |peer| format!("{device} at {peer}"));
    let stack = stack_of(run, result);
    let whole_rate = shaped_payload_bytes_per_s(&stack, rate);
    let allowed = if set.shared { result.throughput_bytes_per_s } else { whole_rate };
    // The figure of an interconnect is counted in exchanges: both stand in the sentence.
    let moved = words::rate(result.throughput_bytes_per_s);
    let (unit, reached) = match whole.exchanges_per_s() {
        Some(per_s) => (
            Unit::PerS,
            format!(
                "{} exchanges per second move {moved} this way",
                fullwire_model::format::count(per_s.round())
            ),
        ),
        None => (Unit::BytesPerS, moved),
    };
    let counted = format!("drops +{}, overlimits +{}", set.drops, set.held_back);
    finding!(
        Kind::QueueingDiscipline.named(device).aspect(&qdisc.kind).at(At::peer(peer)),
        "the queueing discipline {} on {at} shapes to {}, {} {} {}: {}",
        qdisc.kind,
        words::rate(rate),
        if set.shared { "full with the traffic of others beside what was measured" } else { "which is the rate measured" },
        if result.reverse { "from" } else { "to" },
        result.target,
        reached,
    )
    .measured(result.throughput_bytes_per_s, rate, Unit::BytesPerS)
    .evidence(format!("qdisc {} {} parent {} rate {rate:.0} bytes/s", qdisc.kind, qdisc.handle, qdisc.parent), format!("tc -d qdisc show dev {device}"))
    .evidence(counted, format!("tc -s qdisc show dev {device}, over the probe"))
    .explains([explain::result(run, whole, Mechanism::OwnShaper).bounded(allowed / bytes, unit, 0.1)])
    .advice(
        lift_shaper(host, device, qdisc, "The shaper is slower than the NIC and the line.")
            .persist("Find what sets it: grep -rE 'tc (qdisc|class)' /etc, systemd units, NetworkManager's dispatcher.d, `nmcli -f tc connection show`")
            .on(peer)
            .expecting(format!("the rate of NIC and line; repeat `fullwire net {}`", as_word(&result.target))),
    )
    .into()
}
