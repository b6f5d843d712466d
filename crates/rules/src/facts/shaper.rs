//! A queueing discipline of the sender that sets a rate, and whether it made the rate that was measured.

use super::{interface, stream};
use crate::ceiling::network::stack_of;
use fullwire_model::Run;
use fullwire_model::counters::{Counters, QdiscCounters};
use fullwire_model::host::{Host, Nic, Qdisc};
use fullwire_model::net::{NetMode, NetResult};

thresholds! {
    /// Of its rate that must be reached to say that it sets the rate, and how far burst may exceed it.
    const REACHED: std::ops::Range<f64> = 0.75..1.25;
    /// Two rates of one line differ by less (own choice).
    const SAME: f64 = 0.03;
}

/// Kinds that count each packet that they hold back (`overlimits`).
const COUNTING: [&str; 4] = ["tbf", "htb", "hfsc", "cake"];

/// A discipline at whose rate a result went.
pub(crate) struct Shaper<'a> {
    pub(crate) device: &'a str,
    pub(crate) qdisc: &'a Qdisc,
    pub(crate) rate_bytes_per_s: f64,
    pub(crate) drops: u64,
    pub(crate) held_back: u64,
    /// It held packets back, and the other way does not go at the same rate without one.
    pub(crate) acts: bool,
}

/// The discipline at whose rate a result went.
pub(crate) fn on_the_way<'a>(run: &'a Run, result: &NetResult) -> Option<Shaper<'a>> {
    at_its_rate(run, result).map(|(device, qdisc, rate_bytes_per_s)| {
        let grown = |read| grown(run, result, device, &qdisc.kind, read);
        let held_back = grown(|qdisc| qdisc.overlimits);
        let idle = held_back == Some(0) && COUNTING.contains(&qdisc.kind.as_str());
        Shaper {
            device,
            qdisc,
            rate_bytes_per_s,
            drops: grown(|qdisc| qdisc.drops).unwrap_or(0),
            held_back: held_back.unwrap_or(0),
            acts: !idle && !same_without(run, result),
        }
    })
}

fn at_its_rate<'a>(run: &'a Run, result: &NetResult) -> Option<(&'a str, &'a Qdisc, f64)> {
    let (host, nic) = sender(run, result)?;
    let stack = stack_of(run, result);
    let on_wire =
        result.throughput_bytes_per_s * (stack.mtu_bytes + 14) as f64 / stack.payload_bytes().max(1) as f64;
    let shapers = interface::shapers(host, &nic.name);
    // The measured rate, alone or as one of several links, is the one that the discipline sets.
    shapers.into_iter().find(|(_, _, rate)| REACHED.contains(&(on_wire / rate)))
}

/// The host that sends, with its interface on the way.
pub(crate) fn sender<'a>(run: &'a Run, result: &NetResult) -> Option<(&'a Host, &'a Nic)> {
    if result.reverse {
        Some((run.peer(&result.target)?.host.as_ref()?, interface::peer_nic(run, result)?))
    } else {
        Some((&run.host, interface::nic_toward(run, result)?))
    }
}

/// The other way, where no discipline sets it, goes at this rate as well: the line sets it both ways.
fn same_without(run: &Run, result: &NetResult) -> bool {
    let rate = stream::steady_bytes_per_s(result);
    let mut back = stream::results(run, NetMode::Async).filter(|other| {
        other.target == result.target
            && other.reverse != result.reverse
            && other.streams == result.streams
            && stream::is_flat_out(other)
            && (stream::steady_bytes_per_s(other) / rate - 1.0).abs() <= SAME
    });
    back.any(|other| sender(run, other).is_some() && at_its_rate(run, other).is_none())
}

/// How much a counter of the disciplines of a kind grew at the sender; `None`: they were not read.
fn grown(
    run: &Run,
    result: &NetResult,
    device: &str,
    kind: &str,
    read: fn(&QdiscCounters) -> u64,
) -> Option<u64> {
    let windows = match stream::sending_peer(run, result) {
        Some(_) => stream::peer_windows_around(run, result),
        None => stream::windows_around(run, result),
    };
    let of = |counters: &Counters| {
        let own = counters.qdiscs.get(device)?.iter().filter(|qdisc| qdisc.kind == kind);
        own.map(read).reduce(u64::saturating_add)
    };
    let each = windows.iter().map(|window| Some(of(&window.to)?.saturating_sub(of(&window.from)?)));
    each.reduce(|one, other| Some(one?.saturating_add(other?)))?
}
