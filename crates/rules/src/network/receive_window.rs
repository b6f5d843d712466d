//! # What it checks
//! The share of the transfer in which the peer's window was shut, where the window is what its buffer
//! allows: throughput is (nearly) window over round trip.
//!
//! # Why it matters
//! No more than one window travels in each round trip. With 64 KiB and 10 ms that is 52 Mbit/s on any line.
//!
//! # Evidence
//! `tcpi_rwnd_limited` over `tcpi_busy_time`, the largest window that was offered, the smallest round trip;
//! the receiver's `net.ipv4.tcp_rmem`, `net.core.rmem_max`.
//!
//! # Remedy
//! Raise the third value of `net.ipv4.tcp_rmem` at the receiver to 3 x the bandwidth-delay product (and
//! `net.core.rmem_max` for programs that set `SO_RCVBUF`, such as `RECV_BUF_SIZE` in sqlnet.ora).
//!
//! # Source
//! RFC 6349 section 3.3.1; Linux Documentation/networking/ip-sysctl.rst (`tcp_rmem`) and
//! include/uapi/linux/tcp.h (`tcpi_rwnd_limited`).

use super::{each, ends, load};
use crate::advice::{AdviceExt, because, set_sysctl};
use crate::ceiling::network::window;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Advice, Cause, Layer, Severity};
use fullwire_model::host::Host;
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "receive-window",
    title: "the receive window of the far end holds the stream",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("receive_window.rs"),
    check,
};

/// Held for this share of the time it is the limit, not an incident.
const HELD: f64 = 0.3;
/// Of window over round trip that must be reached to call the window the limit.
const REACHED: f64 = 0.4;
/// Of window over the smallest round trip: then the window alone explains the rate.
const EXPLAINS: f64 = 0.8;

fn check(run: &Run) -> Vec<Outcome> {
    each::result(run, NetMode::Async, |result| judge(run, result))
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    let (Some(held), Some(rtt)) = (load::receiver_limited(result), ends::rtt_ns(run, result)) else {
        return Outcome::Unknown(format!(
            "the limits of the transfer to {} are not in TCP_INFO",
            result.target
        ));
    };
    let Some(offered) = window_of(run, result) else {
        return Outcome::Unknown(format!("the window that {} offers is not known", result.target));
    };
    let allowed = f64::from(result.streams.max(1)) * window::window_bytes_per_s(offered as f64, rtt);
    let bound_by_it = result.throughput_bytes_per_s >= REACHED * allowed;
    // Where window over round trip is what was measured, nothing else is left to explain: busy CPUs neither.
    let all_of_it = result.throughput_bytes_per_s >= EXPLAINS * allowed;
    let by_cpu = load::cpu_bound(run, result) && !all_of_it;
    // No buffer setting helps against a clamp in the route, and a rule of its own tells it.
    let by_route = ends::window_clamp(run, result).is_some_and(|(clamp, _)| clamp <= offered);
    if held < HELD || !bound_by_it || by_cpu || by_route || load::at_full_wire(run, result) {
        return Outcome::Passes;
    }
    RULE.finding(
        subject(result),
        format!(
            "the receive window of {} held the transfer for {:.0} % of the time: {} KiB in a round trip of {} allow {}",
            ends::receiver_name(result),
            held * 100.0,
            offered / 1024,
            ends::time(rtt),
            ends::rate(allowed)
        ),
    )
    .measured(result.throughput_bytes_per_s, allowed, Unit::BytesPerS)
    .evidence(format!("rwnd_limited {:.0} % of the busy time, window {offered} bytes, smallest round trip {}", held * 100.0, ends::time(rtt)), "TCP_INFO of the sender")
    .evidence(settings(run, result), "/proc/sys/net/ipv4/tcp_rmem of the receiver")
    .about(result)
    .limits(Cause::Setting)
    .advice(advice(run, result, rtt))
    .into()
}

/// The largest window seen, else what the buffer as granted gives.
fn window_of(run: &Run, result: &NetResult) -> Option<u64> {
    let seen = result.tcp.as_ref().and_then(|tcp| tcp.snd_wnd_bytes);
    let offered = result.peer_tcp.as_ref().and_then(|tcp| tcp.rcv_wnd_bytes);
    let largest = || ends::receiver(run, result)?.sysctl_numbers("net.ipv4.tcp_rmem")?.get(2).copied();
    seen.or(offered).or_else(largest).filter(|bytes| *bytes > 0)
}

fn subject(result: &NetResult) -> String {
    format!("receive window of {}", ends::receiver_name(result))
}

fn settings(run: &Run, result: &NetResult) -> String {
    let read = ends::receiver(run, result).and_then(|host| host.sysctl("net.ipv4.tcp_rmem"));
    read.map_or("net.ipv4.tcp_rmem was not told".into(), |text| format!("net.ipv4.tcp_rmem = {text}"))
}

/// Three times the product of what the line should carry, and at least four times today's window.
fn advice(run: &Run, result: &NetResult, rtt: f64) -> Advice {
    let line = ends::declared(run, &result.target)
        .or_else(|| Some(ends::nic_toward(run, result)?.speed_mbit_per_s? as f64 * 125e3))
        .unwrap_or(1.25e9);
    let bytes = window::buffer_for_bytes(window::bdp_bytes(line, rtt)).max(4 << 20);
    let why = "One window travels in each round trip; a buffer below the bandwidth-delay product leaves the line idle.";
    let expect = format!(
        "up to {} with 3 x the bandwidth-delay product; prove it with `fullwire net {}`",
        ends::rate(line),
        result.target
    );
    let unknown = Host::default();
    let host = ends::receiver(run, result).unwrap_or(&unknown);
    let advice = set_sysctl(host, "net.ipv4.tcp_rmem", &format!("4096 131072 {bytes}"), why, &expect);
    let core = set_sysctl(host, "net.core.rmem_max", &bytes.to_string(), why, &expect);
    let both = |one: Vec<String>, other: Vec<String>| one.into_iter().chain(other).collect();
    let at = format!("on {}:", ends::receiver_name(result));
    Advice {
        now: std::iter::once(at).chain::<Vec<String>>(both(advice.now, core.now)).collect(),
        persist: both(advice.persist, core.persist),
        undo: both(advice.undo, core.undo),
        ..because(why).expecting(expect)
    }
}
