//! # What it checks
//! The interface did not miss packets for want of receive descriptors.
//!
//! # Why it matters
//! What finds no descriptor is lost before any software sees it; bursts of a fast link fill a small ring
//! within microseconds.
//!
//! # Evidence
//! Growth of `rx_missed_errors`, `rx_fifo_errors`, `rx_over_errors` over the windows; size of the ring
//! (`ethtool -g`).
//!
//! # Remedy
//! `ethtool -G X rx MAX`; interrupts spread over CPUs that have time.
//!
//! # Source
//! Linux Documentation/networking/statistics.rst (`rx_missed_errors`, `rx_fifo_errors`, `rx_over_errors`);
//! netdata health.d net (fifo errors above 0).

use super::{each, ends};
use crate::advice::set_ethtool;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::host::Nic;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "nic-ring-drops",
    title: "the receive ring overflowed",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("nic_ring_drops.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    each::nic(run, each::in_use, |side, nic| judge(run, side, nic))
}

/// Fewer in a window are an accident.
const FEW: u64 = 10;

fn judge(run: &Run, side: &ends::Side, nic: &Nic) -> Outcome {
    let at = side.name(&nic.name);
    // Drivers report one event under several of these names: the largest counts.
    let missed = side.nic(&nic.name, |c| c.rx_missed_errors.max(c.rx_fifo_errors).max(c.rx_over_errors));
    let Some(missed) = missed else {
        return Outcome::Unknown(format!("the ring of {at} was not counted over a window"));
    };
    if missed.count < FEW {
        return Outcome::Passes;
    }
    let rings = nic.rings.clone().unwrap_or_default();
    let finding = RULE
        .finding(
            &at,
            format!(
                "the receive ring of {at} ({} of {} descriptors) missed {} packets in {:.0} s",
                rings.rx, rings.rx_max, missed.count, missed.seconds
            ),
        )
        .measured(missed.count as f64, 0.0, Unit::Count)
        .evidence(
            format!(
                "rx missed, fifo or over errors +{}; ring {} of {}",
                missed.count, rings.rx, rings.rx_max
            ),
            side.source(&format!("/sys/class/net/{}/statistics, ethtool -g", nic.name)),
        )
        .advice(set_ethtool(
            side.host,
            &nic.name,
            ["-G", &format!("rx {}", rings.rx_max.max(4096)), &format!("rx {}", rings.rx)],
            "What finds no descriptor is lost before any software sees it.",
            "rx_missed_errors stands still under the same load",
        ));
    each::limits_over(finding, run, side, &nic.name, Cause::Saturation).into()
}
