use crate::advice::lift_shaper;
use crate::ceiling::network::stack_of;
use crate::facts::interface;
use crate::network::each;
use crate::prelude::*;
use fullwire_model::counters::{Counters, QdiscCounters};
use fullwire_model::host::Qdisc;
use fullwire_model::subject::At;

rule! {
    /// # What it checks
    /// Passes unless a queueing discipline with a rate (tbf, htb, hfsc, cake, netem rate, fq maxrate) is on the sender's
    /// outgoing interface and the measured rate is the one that it sets.
    ///
    /// # Why it matters
    /// A shaper left over from a test or an old agreement limits the path, however fast NIC and line are.
    ///
    /// # Evidence
    /// Rate of the discipline (`tc -d qdisc show`), its drops and overlimits over the probe, the measured rate.
    ///
    /// # Remedy
    /// Remove or change it: `tc qdisc del dev DEV root`, and the unit or script that sets it.
    ///
    /// # Source
    /// tc-tbf(8), tc-htb(8), tc-netem(8), tc-fq(8); Linux `net/sched/sch_tbf.c` (the rate counts the frame with
    /// its link header).
    code: "qdisc-shaper",
    title: "a shaper on this host limits the rate",
    layer: Network, severity: Warning, on: [QueueingDiscipline], limits: [OwnShaper],

    /// Of its rate that must be reached to say that it sets the rate, and how far burst may exceed it.
    const REACHED: std::ops::Range<f64> = 0.75..1.25;
}

fn check(run: &Facts) -> Vec<Outcome> {
    if run.host.nics.is_empty() {
        return vec![Outcome::Unknown("no interface could be read, so no queueing discipline".into())];
    }
    each::result(run, NetMode::Async, |result| judge(run, result))
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    let peer = run.peer(&result.target).and_then(|peer| peer.host.as_ref());
    let (host, nic) = if result.reverse {
        (peer, interface::peer_nic(run, result))
    } else {
        (Some(&run.host), interface::nic_toward(run, result))
    };
    let (Some(host), Some(nic)) = (host, nic) else {
        return Outcome::Unknown(format!(
            "the sender's interface on the way to {} is not known",
            result.target
        ));
    };
    let setting =
        interface::shapers(host, &nic.name).into_iter().find(|(_, _, rate)| sets(run, result, *rate));
    let Some((device, qdisc, rate)) = setting else { return Outcome::Passes };
    let declared = stream::declared(run, &result.target);
    // A shaper at the declared rate is the agreement, not its breach.
    if declared.is_some_and(|declared| rate >= 0.9 * declared) {
        return Outcome::Passes;
    }
    fires(run, result, device, qdisc, rate)
}

/// The measured rate, alone or as one of several links, is the one that the discipline sets.
fn sets(run: &Run, result: &NetResult, rate: f64) -> bool {
    let stack = stack_of(run, result);
    let on_wire =
        result.throughput_bytes_per_s * (stack.mtu_bytes + 14) as f64 / stack.payload_bytes().max(1) as f64;
    REACHED.contains(&(on_wire / rate))
}

fn fires(run: &Run, result: &NetResult, device: &str, qdisc: &Qdisc, rate: f64) -> Outcome {
    let at = if result.reverse { format!("{device} at {}", result.target) } else { device.to_owned() };
    let stack = stack_of(run, result);
    let allowed = rate * stack.payload_bytes() as f64 / (stack.mtu_bytes + 14) as f64;
    let counted = counted(run, result, device, &qdisc.kind);
    RULE.finding(
        Kind::QueueingDiscipline.named(device).aspect(&qdisc.kind).at(At::peer(stream::sending_peer(run, result))),
        format!(
            "the queueing discipline {} on {at} shapes to {}, which is the rate measured to {}: {}",
            qdisc.kind,
            words::rate(rate),
            result.target,
            words::rate(result.throughput_bytes_per_s)
        ),
    )
    .measured(result.throughput_bytes_per_s, rate, Unit::BytesPerS)
    .evidence(format!("qdisc {} {} parent {} rate {rate:.0} bytes/s", qdisc.kind, qdisc.handle, qdisc.parent), format!("tc -d qdisc show dev {device}"))
    .evidence(counted, format!("tc -s qdisc show dev {device}, over the probe"))
    .explains([explain::result(run, result, Mechanism::OwnShaper).bounded(allowed, Unit::BytesPerS, 0.1)])
    .advice(
        lift_shaper(stream::sender(run, result), device, qdisc, "The shaper is slower than the NIC and the line.")
            .persist("Find what sets it: grep -rE 'tc (qdisc|class)' /etc, systemd units, NetworkManager's dispatcher.d, `nmcli -f tc connection show`")
            .on(stream::sending_peer(run, result))
            .expecting(format!("the rate of NIC and line; repeat `fullwire net {}`", as_word(&result.target))),
    )
    .into()
}

fn counted(run: &Run, result: &NetResult, device: &str, kind: &str) -> String {
    let of = |counters: &Counters, read: fn(&QdiscCounters) -> u64| {
        counters
            .qdiscs
            .get(device)
            .into_iter()
            .flatten()
            .filter(|q| q.kind == kind)
            .map(read)
            .fold(0, u64::saturating_add)
    };
    let grown = |read: fn(&QdiscCounters) -> u64| {
        stream::windows_around(run, result)
            .into_iter()
            .map(|w| of(&w.to, read).saturating_sub(of(&w.from, read)))
            .fold(0, u64::saturating_add)
    };
    format!("drops +{}, overlimits +{}", grown(|qdisc| qdisc.drops), grown(|qdisc| qdisc.overlimits))
}
