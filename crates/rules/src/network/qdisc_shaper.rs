//! # What it checks
//! Whether a queueing discipline with a rate (tbf, htb, hfsc, cake, netem rate, fq maxrate) lies on the
//! sender's way out and the measured rate is the one that it sets.
//!
//! # Why it matters
//! A shaper left from a test or an old agreement holds the path, however fast NIC and line are.
//!
//! # Evidence
//! Rate of the discipline (`tc -d qdisc show`), its drops and overlimits over the probe, the measured rate.
//!
//! # Remedy
//! Remove or change it: `tc qdisc del dev DEV root`, and the unit or script that sets it.
//!
//! # Source
//! tc-tbf(8), tc-htb(8), tc-netem(8), tc-fq(8); Linux `net/sched/sch_tbf.c` (the rate counts the frame with
//! its link header).

use super::{each, ends};
use crate::advice::{AdviceExt, because};
use crate::ceiling::network::stack_of;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::counters::{Counters, QdiscCounters};
use fullwire_model::host::Qdisc;
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "qdisc-shaper",
    title: "a queueing discipline of the host sets the rate",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("qdisc_shaper.rs"),
    check,
};

/// Of its rate that must be reached to say that it sets the rate, and how far burst may exceed it.
const REACHED: std::ops::Range<f64> = 0.75..1.25;

fn check(run: &Run) -> Vec<Outcome> {
    if run.host.nics.is_empty() {
        return vec![Outcome::Unknown("no interface could be read, so no queueing discipline".into())];
    }
    each::result(run, NetMode::Async, |result| judge(run, result))
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    let peer = run.peer(&result.target).and_then(|peer| peer.host.as_ref());
    let (host, nic) = if result.reverse {
        (peer, ends::peer_nic(run, result))
    } else {
        (Some(&run.host), ends::nic_toward(run, result))
    };
    let (Some(host), Some(nic)) = (host, nic) else {
        return Outcome::Unknown(format!(
            "the sender's interface on the way to {} is not known",
            result.target
        ));
    };
    let setting = ends::shapers(host, &nic.name).into_iter().find(|(_, _, rate)| sets(run, result, *rate));
    let Some((device, qdisc, rate)) = setting else { return Outcome::Passes };
    let declared = ends::declared(run, &result.target);
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
    let counted = counted(run, result, device, &qdisc.kind);
    RULE.finding(
        format!("{} on {at}", qdisc.kind),
        format!(
            "the queueing discipline {} on {at} shapes to {}, and that is the rate measured to {}: {}",
            qdisc.kind,
            ends::rate(rate),
            result.target,
            ends::rate(result.throughput_bytes_per_s)
        ),
    )
    .measured(result.throughput_bytes_per_s, rate, Unit::BytesPerS)
    .evidence(format!("qdisc {} {} parent {} rate {rate:.0} bytes/s", qdisc.kind, qdisc.handle, qdisc.parent), format!("tc -d qdisc show dev {device}"))
    .evidence(counted, format!("tc -s qdisc show dev {device}, over the probe"))
    .about(result)
    .limits(Cause::Setting)
    .advice(
        because("The shaper holds back what NIC and line could carry.")
            .now(format!("tc -s qdisc show dev {device}    # look, then"))
            .now(format!("tc qdisc del dev {device} root"))
            .persist("find what sets it: grep -rE 'tc (qdisc|class)' /etc, systemd units, NetworkManager's dispatcher.d, `nmcli -f tc connection show`")
            .undo(format!("tc qdisc add dev {device} root {} rate {:.0}bit", qdisc.kind, rate * 8.0))
            .expecting(format!("the rate of NIC and line; repeat `fullwire net {}`", result.target)),
    )
    .into()
}

fn counted(run: &Run, result: &NetResult, device: &str, kind: &str) -> String {
    let of = |counters: &Counters, read: fn(&QdiscCounters) -> u64| {
        counters.qdiscs.get(device).into_iter().flatten().filter(|q| q.kind == kind).map(read).sum::<u64>()
    };
    let grown = |read: fn(&QdiscCounters) -> u64| {
        ends::windows_around(run, result)
            .into_iter()
            .map(|w| of(&w.to, read).saturating_sub(of(&w.from, read)))
            .sum::<u64>()
    };
    format!("drops +{}, overlimits +{}", grown(|qdisc| qdisc.drops), grown(|qdisc| qdisc.overlimits))
}
