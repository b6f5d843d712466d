//! A queueing discipline of either end that sets a rate, and whether it made the rate that was measured.

use super::{interface, side, stream};
use crate::ceiling::network::stack_of;
use fullwire_model::counters::{Counters, QdiscCounters};
use fullwire_model::host::{Host, Nic, Qdisc};
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::{Run, Window};

thresholds! {
    /// Of its rate that must be reached to say that it sets the rate, and how far burst may exceed it.
    const REACHED: std::ops::Range<f64> = 0.75..1.25;
    /// Of its rate, by its own count of what it let through: others fill it with us.
    const FULL: std::ops::Range<f64> = 0.9..1.1;
    /// Two rates of one line differ by less (own choice).
    const SAME: f64 = 0.03;
    /// Of the bytes of a stream that a device beside the path must have passed on: it is where they went (own choice).
    const PASSED_ON: f64 = 0.5;
}

/// Kinds that count each packet that they hold back (`overlimits`).
const COUNTING: [&str; 4] = ["tbf", "htb", "hfsc", "cake"];

/// A discipline at whose rate a result went.
pub(crate) struct Shaper<'a> {
    pub(crate) device: &'a str,
    pub(crate) qdisc: &'a Qdisc,
    pub(crate) rate_bytes_per_s: f64,
    /// The sender's; otherwise the receiver's.
    pub(crate) at_sender: bool,
    pub(crate) drops: u64,
    pub(crate) held_back: u64,
    /// Others fill it as well: what a result got is what they left.
    pub(crate) shared: bool,
    /// It held packets back, and the other way does not go at the same rate without one.
    pub(crate) acts: bool,
}

/// The discipline at whose rate a result went, one that acts before others.
pub(crate) fn on_the_way<'a>(run: &'a Run, result: &NetResult) -> Option<Shaper<'a>> {
    match at_its_rate(run, result).map(|found| of(run, result, found, true)) {
        Some(set) if set.acts => Some(set),
        own => beside_the_path(run, result).map(|found| of(run, result, found, false)).or(own),
    }
}

fn of<'a>(run: &'a Run, result: &NetResult, found: Found<'a>, at_sender: bool) -> Shaper<'a> {
    let (device, qdisc, rate_bytes_per_s) = found;
    let at_peer = at_peer(run, result, at_sender);
    let grown = |read| grown(run, result, at_peer, device, &qdisc.kind, read);
    let held_back = grown(|qdisc| qdisc.overlimits);
    let shared = !is_reached(run, result, rate_bytes_per_s);
    let idle = held_back == Some(0) && COUNTING.contains(&qdisc.kind.as_str());
    Shaper {
        device,
        qdisc,
        rate_bytes_per_s,
        at_sender,
        drops: grown(|qdisc| qdisc.drops).unwrap_or(0),
        held_back: held_back.unwrap_or(0),
        shared,
        acts: !idle && !same_without(run, result) && !is_one_of_many(run, result, at_peer, device),
    }
}

/// A discipline with its device and its rate.
type Found<'a> = (&'a str, &'a Qdisc, f64);

fn at_its_rate<'a>(run: &'a Run, result: &NetResult) -> Option<Found<'a>> {
    let (host, nic) = sender(run, result)?;
    // The measured rate, alone or as one of several links, is the one that the discipline sets.
    let set = interface::shapers(host, &nic.name).into_iter();
    set.clone().find(|(.., rate)| is_reached(run, result, *rate)).or_else(|| {
        let at_peer = at_peer(run, result, true);
        set.into_iter().find(|found| is_full(run, result, at_peer, found))
    })
}

/// It let through as much as its rate allows, and held back more: a result that got less of it shares it with others.
fn is_full(run: &Run, result: &NetResult, at_peer: bool, (device, qdisc, rate): &Found<'_>) -> bool {
    let grown = |read| grown(run, result, at_peer, device, &qdisc.kind, read).unwrap_or(0);
    let seconds: f64 = windows(run, result, at_peer).iter().map(|window| window.seconds()).sum();
    let let_through = grown(|qdisc| qdisc.bytes) as f64 / seconds;
    grown(|qdisc| qdisc.overlimits) > 0 && FULL.contains(&(let_through / rate))
}

fn is_reached(run: &Run, result: &NetResult, rate: f64) -> bool {
    let stack = stack_of(run, result);
    let on_wire =
        result.throughput_bytes_per_s * (stack.mtu_bytes + 14) as f64 / stack.payload_bytes().max(1) as f64;
    REACHED.contains(&(on_wire / rate))
}

/// What arrives may be passed on to another device of the receiver and be held there: an ifb, a bridge's port, a guest's tap
/// (tc-mirred(8): `ingress` has no queue to shape with).
fn beside_the_path<'a>(run: &'a Run, result: &NetResult) -> Option<Found<'a>> {
    let (host, nic) = receiver(run, result)?;
    let on_path = interface::stack(host, &nic.name);
    let others = host.nics.iter().filter(|other| !on_path.contains(&other.name.as_str()));
    let at_peer = at_peer(run, result, false);
    let passes = |(device, qdisc, rate): &Found| {
        let grown = |read| grown(run, result, at_peer, device, &qdisc.kind, read).unwrap_or(0);
        is_reached(run, result, *rate)
            && grown(|qdisc| qdisc.overlimits) > 0
            && grown(|qdisc| qdisc.bytes) as f64 >= PASSED_ON * result.bytes as f64
    };
    others.flat_map(|other| interface::shapers(host, &other.name)).find(passes)
}

fn at_peer(run: &Run, result: &NetResult, at_sender: bool) -> bool {
    let at = if at_sender { stream::sending_peer(run, result) } else { stream::receiving_peer(run, result) };
    at.is_some()
}

/// The host that sends, with its interface on the way.
pub(crate) fn sender<'a>(run: &'a Run, result: &NetResult) -> Option<(&'a Host, &'a Nic)> {
    end(run, result, result.reverse)
}

fn receiver<'a>(run: &'a Run, result: &NetResult) -> Option<(&'a Host, &'a Nic)> {
    end(run, result, !result.reverse)
}

fn end<'a>(run: &'a Run, result: &NetResult, peer: bool) -> Option<(&'a Host, &'a Nic)> {
    if peer {
        Some((run.peer(&result.target)?.host.as_ref()?, interface::peer_nic(run, result)?))
    } else {
        Some((&run.host, interface::nic_toward(run, result)?))
    }
}

/// All streams went over this one of several links of a bond: that they did is what limits them, and what shapes it comes next.
fn is_one_of_many(run: &Run, result: &NetResult, at_peer: bool, device: &str) -> bool {
    let mut sides = side::sides(run).into_iter();
    let Some(side) = sides.find(|side| side.peer == at_peer.then_some(&result.target)) else {
        return false;
    };
    let mut bonds = side.host.bonds.iter();
    let spreads = bonds.find(|bond| {
        matches!(bond.mode.as_str(), "802.3ad" | "balance-xor")
            && interface::carriers(bond).any(|slave| slave.name == device)
            && interface::carrying(bond) > 1
    });
    let busiest = spreads.and_then(|bond| side.busiest_link(bond));
    result.streams > 1 && busiest.is_some_and(|(name, share)| name == device && share >= side::ALONE)
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

fn windows<'a>(run: &'a Run, result: &'a NetResult, at_peer: bool) -> Vec<&'a Window> {
    if at_peer { stream::peer_windows_around(run, result) } else { stream::windows_around(run, result) }
}

/// How much a counter of the disciplines of a kind grew at one end; `None`: they were not read.
fn grown(
    run: &Run,
    result: &NetResult,
    at_peer: bool,
    device: &str,
    kind: &str,
    read: fn(&QdiscCounters) -> u64,
) -> Option<u64> {
    let of = |counters: &Counters| {
        let own = counters.qdiscs.get(device)?.iter().filter(|qdisc| qdisc.kind == kind);
        own.map(read).reduce(u64::saturating_add)
    };
    let windows = windows(run, result, at_peer);
    let each = windows.iter().map(|window| Some(of(&window.to)?.saturating_sub(of(&window.from)?)));
    each.reduce(|one, other| Some(one?.saturating_add(other?)))?
}
