//! # What it checks
//! Whether a stream stays flat at one rate below its wire, with a queue (the round trip grows) or with loss
//! that comes only at that rate, while neither end holds it.
//!
//! # Why it matters
//! A shaper or policer of the provider, of a virtual machine's instance type or of a firewall sets the
//! rate; no setting of the hosts will change it.
//!
//! # Evidence
//! Variation of the rate over the intervals; round trip idle and loaded; segments sent again; limits of
//! `TCP_INFO`, CPU and queueing disciplines, which must be innocent.
//!
//! # Remedy
//! Compare the rate with the contract, the instance type, the `QoS` class; declare it with `--expect` if it
//! is what was agreed.
//!
//! # Source
//! Flach and others, An Internet-Wide Analysis of Traffic Policing, SIGCOMM 2016 (loss at a plateau rate);
//! RFC 6349 section 3.3 (bottleneck bandwidth).

use super::{each, ends, load};
use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "path-shaper",
    title: "something between the ends holds the rate",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("path_shaper.rs"),
    check,
};

/// A stream that varies by less between its intervals runs at a set rate.
const FLAT: f64 = 0.08;
/// A busy CPU does not keep a rate as even as this with a queue before it.
const EVEN: f64 = 0.03;
/// Nor as even as this behind so deep a queue, whoever is busy: in the lab no rate that CPUs set varied by less than 2 %
/// with more than 3 ms before it; rates that shapers set varied by 0.02 to 0.5 %, with 30 ms.
const EXACT: f64 = 0.01;
const DEEP_NS: f64 = 10e6;
/// Of one CPU: where our threads use less, neither they nor the kernel's work for them, a few times theirs on a path
/// that forwards in software, was the limit.
const IDLE: f64 = 0.08;
/// The round trip grows by so much when a queue stands before the rate.
const QUEUED: f64 = 2.0;

fn check(run: &Run) -> Vec<Outcome> {
    each::result(run, NetMode::Async, |result| judge(run, result))
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    let (Some(variation), Some((idle, loaded))) = (load::variation(result), load::round_trips(run, result))
    else {
        return Outcome::Unknown(format!(
            "too few intervals of the transfer to {} to see a plateau",
            result.target
        ));
    };
    let resent = ends::resent_share(result).unwrap_or(0.0);
    let queued = loaded >= QUEUED * idle && loaded - idle >= 2e6;
    let policed = resent >= 0.002 && !load::is_reordered(run, result);
    // What keeps others' CPUs busy does not make a queue before an even rate; our own threads can.
    let others_only = [result.cpu.client_thread_peak, result.cpu.server_thread_peak]
        .into_iter()
        .all(|peak| peak.is_some_and(|peak| peak < IDLE));
    let exact = variation <= EXACT && loaded - idle >= DEEP_NS;
    let set_elsewhere = queued && (exact || variation <= EVEN && others_only);
    let by_cpu = load::cpu_bound(run, result) && !set_elsewhere;
    let found = variation <= EVEN && looked_for_it(result);
    let by_an_end = by_cpu || is_held_by_an_end(run, result);
    if variation > FLAT || !(queued || policed || found) || by_an_end || as_agreed(run, result) {
        return Outcome::Passes;
    }
    let sign = if queued {
        format!("the round trip grows from {} to {}", ends::time(idle), ends::time(loaded))
    } else if policed {
        format!("{:.1} % of the segments are dropped at that rate", resent * 100.0)
    } else {
        "BBR, which looks for the path's rate, finds no more".to_owned()
    };
    RULE.finding(
        format!("path to {}", result.target),
        format!(
            "the rate to {} stays flat at {} while {sign}: a shaper, policer or slower link between the ends sets it",
            result.target,
            ends::rate(result.throughput_bytes_per_s)
        ),
    )
    .measured(result.throughput_bytes_per_s, result.throughput_bytes_per_s, Unit::BytesPerS)
    .evidence(format!("variation of the rate over the second half {:.1} %", variation * 100.0), "intervals of the probe")
    .evidence(format!("round trip idle {}, loaded {}, sent again {:.3} %", ends::time(idle), ends::time(loaded), resent * 100.0), "TCP_INFO")
    .about(result)
    .limits(Cause::Saturation)
    .advice(
        because("Neither buffers nor CPU nor a queue of the ends hold the rate: the path does.")
            .now("compare the rate with the line's contract, the instance type's network allowance, the QoS class on switch and firewall")
            .now(format!("fullwire net {} --streams 8    # the same sum: the line; more: a limit for each flow", result.target))
            .persist("have the shaper raised, or take the rate for agreed with --expect")
            .expecting("the agreed rate; --expect makes it the ceiling of the next run"),
    )
    .into()
}

/// BBR measures what the path delivers and keeps the queue short (draft-ietf-ccwg-bbr): where the program always had
/// more to send, a flat rate is the path's though neither round trip nor losses tell.
fn looked_for_it(result: &NetResult) -> bool {
    result.tcp.as_ref().is_some_and(|tcp| tcp.congestion.starts_with("bbr") && !tcp.app_limited)
}

/// Windows, own shapers or other traffic on the interface hold it: then the path is innocent.
fn is_held_by_an_end(run: &Run, result: &NetResult) -> bool {
    let half = |share: Option<f64>| share.is_some_and(|share| share >= 0.5);
    let own =
        ends::nic_toward(run, result).is_some_and(|nic| !ends::shapers(&run.host, &nic.name).is_empty());
    half(load::receiver_limited(result)) || half(load::buffer_limited(result)) || own
}

/// At its wire, or near what was declared.
fn as_agreed(run: &Run, result: &NetResult) -> bool {
    let declared = ends::declared(run, &result.target);
    load::at_full_wire(run, result)
        || declared.is_some_and(|rate| result.throughput_bytes_per_s >= 0.7 * rate)
}
