//! # What it checks
//! The receiver's route back to the sender carries no window clamp (`window`) that holds the stream.
//!
//! # Why it matters
//! A clamp set in a route is seen in no sysctl and in no interface; every connection over it is held.
//!
//! # Evidence
//! The routes of the end that receives (`ip route`): window.
//!
//! # Remedy
//! `ip route change ... ` without the clamp.
//!
//! # Source
//! ip-route(8): window NUMBER, the maximal window for TCP to advertise to these destinations.

use super::{each, ends};
use crate::advice::{AdviceExt, because};
use crate::ceiling::network::window;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
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
    each::result(run, NetMode::Async, |result| judge(run, result))
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    let receiver = ends::receiver_name(result);
    if ends::receiver(run, result).is_none_or(|host| host.routes.is_empty()) {
        return Outcome::Unknown(format!("the routes of {receiver} are not known"));
    }
    let Some((clamp, route)) = ends::window_clamp(run, result) else { return Outcome::Passes };
    let rtt = ends::rtt_ns(run, result).unwrap_or(0.0);
    let allowed = window::window_bytes_per_s(clamp as f64, rtt);
    // It is felt near its bound; the kernel offers a few times what a small clamp says.
    if !allowed.is_finite() || allowed > 10.0 * result.throughput_bytes_per_s {
        return Outcome::Passes;
    }
    let destination = &route.destination;
    RULE.finding(
        format!("route to {destination} of {receiver}"),
        format!(
            "the route to {destination} of {receiver} clamps the window to {clamp} bytes, which allows {} in a round \
             trip of {}",
            ends::rate(allowed),
            ends::time(rtt)
        ),
    )
    .measured(clamp as f64, window::buffer_for_bytes(window::bdp_bytes(1.25e9, rtt)) as f64, Unit::Bytes)
    .evidence(format!("{destination} dev {} window {clamp}", route.interface), "routes of the receiver")
    .about(result)
    .limits(Cause::Setting)
    .advice(
        because("The clamp in the route wins over every buffer setting.")
            .now(format!(
                "on {receiver}: ip route show {destination}    # then the same with `ip route change`, without window"
            ))
            .persist("remove `window` from the route where it is kept")
            .expecting("the window grows with the buffers; repeat the measurement"),
    )
    .into()
}
