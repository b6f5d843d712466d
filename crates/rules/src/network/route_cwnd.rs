//! # What it checks
//! Whether the route to a peer locks the congestion window, and the stream runs at what that window allows.
//!
//! # Why it matters
//! `cwnd lock` in a route stops the window from growing: a stream has that many segments in flight for each round
//! trip and no more, however wide the path is.
//!
//! # Evidence
//! The kernel's answer for the peer's address, the round trip without load, the measured rate.
//!
//! # Remedy
//! Change the route without `cwnd`, where it is kept as well.
//!
//! # Source
//! ip-route(8), `cwnd` and `lock`; Linux `net/ipv4/tcp_metrics.c` (a locked metric becomes `snd_cwnd_clamp`).

use super::{each, ends};
use crate::advice::{AdviceExt, because};
use crate::ceiling::network::window;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::host::Route;
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "route-cwnd",
    title: "a route locks the congestion window",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("route_cwnd.rs"),
    check,
};

/// Of what the window allows that must be reached to say that it holds the stream.
const REACHED: f64 = 0.5;

fn check(run: &Run) -> Vec<Outcome> {
    each::result(run, NetMode::Async, |result| match ends::looked_up(run, ends::remote(result)) {
        Some(route) => judge(run, result, route),
        None => Outcome::Unknown(format!("the route to {} was not looked up", result.target)),
    })
}

fn judge(run: &Run, result: &NetResult, route: &Route) -> Outcome {
    let Some(segments) = route.cwnd_locked.filter(|_| !result.reverse) else { return Outcome::Passes };
    let Some(mss) = result.tcp.as_ref().map(|tcp| tcp.mss_bytes).filter(|bytes| *bytes > 0) else {
        return Outcome::Unknown(format!("TCP_INFO of the transfer to {} is missing", result.target));
    };
    let in_flight = f64::from(segments) * mss as f64 * f64::from(result.streams.max(1));
    let rtt = ends::rtt_ns(run, result).unwrap_or(0.0);
    let allowed = window::window_bytes_per_s(in_flight, rtt);
    let held = allowed.is_finite() && result.throughput_bytes_per_s >= REACHED * allowed;
    let finding = RULE
        .finding(
            format!("route to {}", route.destination),
            format!(
                "the route to {} locks the congestion window to {segments} segments, which allows {} in a round trip of {}",
                route.destination,
                ends::rate(allowed),
                ends::time(rtt)
            ),
        )
        .measured(result.throughput_bytes_per_s, allowed, Unit::BytesPerS)
        .evidence(
            format!("{} dev {} cwnd lock {segments}", route.destination, route.interface),
            format!("ip route get {}", route.destination),
        )
        .about(result)
        .advice(
            because("A locked window does not grow with the path.")
                .now(format!("ip route show to match {}    # the route that holds it", route.destination))
                .now("ip route change PREFIX ...    # the same words without `cwnd lock`")
                .persist("remove `cwnd` from the route where it is kept (nmcli, ifcfg route files, systemd-networkd)")
                .undo(format!("ip route change PREFIX ... cwnd lock {segments}"))
                .expecting("the window grows until the path is full; repeat the measurement"),
        );
    if held { finding.limits(Cause::Setting).into() } else { finding.into() }
}
