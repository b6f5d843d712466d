//! # What it checks
//! Pause frames do not rise while a path is measured.
//!
//! # Why it matters
//! A receiver (host or switch) whose buffers fill tells its neighbour to be silent: everything behind that
//! port waits, whoever it is for.
//!
//! # Evidence
//! Growth of the driver's pause counters (`rx_pause`, `rx_flow_control_xoff` and their like), flow control
//! as set (`ethtool -a`).
//!
//! # Remedy
//! Find the slow receiver behind the pause frames; switch flow control off toward storage and interconnect
//! unless the vendor asks for it.
//!
//! # Source
//! IEEE 802.3 annex 31B; Red Hat Enterprise Linux 10, Network troubleshooting and performance tuning,
//! chapter 14; NetApp ontap-apps-dbs, Ethernet settings (flow control off).

use super::{each, ends};
use crate::advice::set_ethtool;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::host::Nic;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "nic-pause-frames",
    title: "pause frames hold the link",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("nic_pause_frames.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    each::nic(run, each::in_use, |side, nic| judge(run, side, nic))
}

/// Fewer in a second are a blink.
const A_SECOND: f64 = 10.0;

fn judge(run: &Run, side: &ends::Side, nic: &Nic) -> Outcome {
    let at = side.name(&nic.name);
    let sum = |prefix: &'static str| {
        side.nic(&nic.name, move |c| {
            let pauses = c.driver.iter().filter(|(name, _)| name.starts_with(prefix) && is_pause(name));
            pauses.map(|(_, count)| *count).max().unwrap_or(0)
        })
    };
    let (Some(received), Some(sent)) = (sum("rx"), sum("tx")) else {
        return Outcome::Unknown(format!("the pause frames of {at} were not counted over a window"));
    };
    let rate = received.count.max(sent.count) as f64 / received.seconds.max(1.0);
    if rate < A_SECOND {
        return Outcome::Passes;
    }
    let who = if received.count >= sent.count { "its switch port sends" } else { "it sends" };
    let finding = RULE
        .finding(&at, format!("{who} {rate:.0} pause frames a second on {at}: the link is told to be silent"))
        .measured(rate, A_SECOND, Unit::PerS)
        .evidence(format!("pause received +{}, sent +{} in {:.0} s", received.count, sent.count, received.seconds), side.source(&format!("ethtool -S {}", nic.name)))
        .advice(set_ethtool(
            side.host,
            &nic.name,
            ["-A", "rx off tx off", "rx on tx on"],
            "A slow receiver silences everyone behind the port; TCP would have slowed down only its own sender.",
            "no pause frames; the slow receiver shows by its own drops",
        ));
    each::limits_over(finding, run, side, &nic.name, Cause::Saturation).into()
}

fn is_pause(name: &str) -> bool {
    let lower = name.to_lowercase();
    (lower.contains("pause") || lower.contains("xoff"))
        && !lower.contains("duration")
        && !lower.contains("storm")
}
