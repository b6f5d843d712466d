//! # What it checks
//! Whether the route to a measured peer carries a window clamp (`window`) below the bandwidth-delay
//! product, or an MTU below the interface's.
//!
//! # Why it matters
//! A clamp set in a route is seen in no sysctl and in no interface; every connection over it is held.
//!
//! # Evidence
//! `ip route get PEER`: window, mtu.
//!
//! # Remedy
//! `ip route change ... ` without the clamp.
//!
//! # Source
//! ip-route(8): window NUMBER, the maximal window for TCP to advertise to these destinations; mtu MTU.

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
    code: "route-window",
    title: "a route clamps the window",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("route_window.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    each::result(run, NetMode::Async, |result| match ends::looked_up(run, ends::remote(result)) {
        Some(route) => judge(run, result, route),
        None => Outcome::Unknown(format!("the route to {} was not looked up", result.target)),
    })
}

fn judge(run: &Run, result: &NetResult, route: &Route) -> Outcome {
    let Some(clamp) = route.window_bytes.filter(|bytes| *bytes > 0) else { return Outcome::Passes };
    let rtt = ends::rtt_ns(run, result).unwrap_or(0.0);
    let allowed = window::window_bytes_per_s(clamp as f64, rtt);
    // The clamp bounds what we receive; it is felt where that is what was measured, or near its bound.
    if !allowed.is_finite() || allowed > 10.0 * result.throughput_bytes_per_s {
        return Outcome::Passes;
    }
    let finding = RULE
        .finding(
            format!("route to {}", route.destination),
            format!(
                "the route to {} clamps the window to {clamp} bytes, which allows {} in a round trip of {}",
                route.destination,
                ends::rate(allowed),
                ends::time(rtt)
            ),
        )
        .measured(clamp as f64, window::buffer_for_bytes(window::bdp_bytes(1.25e9, rtt)) as f64, Unit::Bytes)
        .evidence(format!("{} dev {} window {clamp}", route.destination, route.interface), "ip route get")
        .about(result)
        .advice(
            because("The clamp in the route wins over every buffer setting.")
                .now(format!(
                    "ip route show {}    # then the same with `ip route change`, without window",
                    route.destination
                ))
                .persist("remove `window` from the route where it is kept")
                .expecting("the window grows with the buffers; repeat the measurement"),
        );
    if result.reverse { finding.limits(Cause::Setting).into() } else { finding.into() }
}
