//! # What it checks
//! A stream that neither a buffer, nor loss, nor a queue of its own holds back gets at least two thirds of what datagrams
//! get on the same way.
//!
//! # Why it matters
//! Datagrams do not give way, TCP does: to the other traffic in a queue on the path that neither host sees. What the
//! stream gets is its share, not what the line carries.
//!
//! # Evidence
//! The stream's rate and the rate at which the datagrams of the probe arrive; segments sent again; the round trip before
//! and under load, which a queue that others keep full hardly changes.
//!
//! # Remedy
//! Who else sends over the narrowest link: counters of the ports on the way. A time, class or network of its own.
//!
//! # Source
//! RFC 2914, 3 (congestion control and sharing), RFC 8085, 3.1 (UDP without it does not give way); in the lab a third host
//! that fills a router's link left a stream 0.3 to 0.65 of what datagrams got.

use super::{each, ends, load, packet_loss};
use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "path-shared",
    title: "datagrams get more of the path than a stream",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("path_shared.rs"),
    check,
};

/// Of what the datagrams get.
const SHARE: f64 = 2.0 / 3.0;
/// The round trip under load over the one before it: beyond, the stream made the queue itself.
const GROWS: f64 = 1.5;
/// Held for this share of the time by a buffer, it is the buffer.
const HELD: f64 = 0.3;

fn check(run: &Run) -> Vec<Outcome> {
    each::result(run, NetMode::Async, |result| judge(run, result))
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    let way = |other: &&NetResult| other.target == result.target && other.reverse == result.reverse;
    let datagrams = ends::results(run, NetMode::Udp).filter(way).map(|udp| udp.throughput_bytes_per_s);
    let (Some(datagrams), Some(tcp)) = (datagrams.reduce(f64::max), &result.tcp) else {
        return Outcome::Unknown(format!(
            "streams and datagrams to {} were not both measured",
            result.target
        ));
    };
    let stream = result.throughput_bytes_per_s;
    let sent_again = tcp.retransmits + tcp.warmup_retransmits;
    // Loss is told as loss: who loses much gets little without any other traffic.
    let lossy = ends::resent_share(result).is_some_and(|share| share >= packet_loss::MUCH);
    let by_buffer = [load::receiver_limited(result), load::buffer_limited(result)];
    let by_buffer = by_buffer.into_iter().flatten().any(|share| share >= HELD);
    let own_queue = load::round_trips(run, result).is_none_or(|(idle, loaded)| loaded > GROWS * idle);
    let gives_way = stream < SHARE * datagrams && sent_again > 0 && !lossy;
    // A busy CPU is no reason: the datagrams of the same hosts went faster.
    if !gives_way || by_buffer || own_queue {
        return Outcome::Passes;
    }
    RULE.finding(
        format!("path to {}", result.target),
        format!(
            "datagrams to {} arrive at {}, a stream gets {}: it gives way to other traffic in a queue on the path \
             (competing traffic), which our load did not make",
            result.target,
            ends::rate(datagrams),
            ends::rate(stream)
        ),
    )
    .measured(stream, SHARE * datagrams, Unit::BytesPerS)
    .evidence(format!("{sent_again} of {} segments sent again", tcp.segments_out), "TCP_INFO of the sender")
    .about(result)
    .limits(Cause::Symptom)
    .advice(
        because("A stream takes its share of a full queue; what does not give way, and who has many streams, gets more.")
            .now(format!("mtr -n {}    # the hop from which on the delay rises; its port's counters: who sends", ends::remote(result)))
            .now("measure again when that traffic is quiet")
            .persist("a class, a rate or a link of its own for the database's traffic")
            .expecting("the stream reaches what the line carries"),
    )
    .into()
}
