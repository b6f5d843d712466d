//! # What it checks
//! Frames with a bad checksum, bad framing or bad length do not arrive.
//!
//! # Why it matters
//! Each damaged frame is a lost packet; they come from a bad cable or transceiver, dirt in a fibre, or a
//! duplex mismatch, and grow with load.
//!
//! # Evidence
//! Growth of `rx_crc_errors`, `rx_frame_errors`, `rx_length_errors` over the windows against packets
//! received.
//!
//! # Remedy
//! Clean or replace cable and transceiver; duplex alike on both sides.
//!
//! # Source
//! Linux Documentation/networking/statistics.rst (`rx_crc_errors`, `rx_frame_errors`, `rx_length_errors`);
//! netdata health.d net (5 in 10 minutes), node-mixin (1 % of packets).

use super::{each, ends};
use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::host::Nic;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "nic-crc-errors",
    title: "frames arrive damaged",
    layer: Layer::Network,
    severity: Severity::Critical,
    text: include_str!("nic_crc_errors.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    each::nic(run, each::in_use, |side, nic| judge(run, side, nic))
}

/// A share of the packets, and a count in ten minutes, from which a wire is bad.
const SHARE: f64 = 1e-6;
const IN_TEN_MINUTES: f64 = 5.0;

fn judge(run: &Run, side: &ends::Side, nic: &Nic) -> Outcome {
    let at = side.name(&nic.name);
    let bad = side.nic(&nic.name, |c| c.rx_crc_errors + c.rx_frame_errors + c.rx_length_errors);
    let (Some(bad), Some(all)) = (bad, side.nic(&nic.name, |c| c.rx_packets)) else {
        return Outcome::Unknown(format!("the errors of {at} were not counted over a window"));
    };
    let in_ten_minutes = bad.count as f64 * 600.0 / bad.seconds.max(1.0);
    let share = bad.count as f64 / (all.count + bad.count).max(1) as f64;
    if bad.count == 0 || in_ten_minutes < IN_TEN_MINUTES || share < SHARE {
        return Outcome::Passes;
    }
    let finding = RULE
        .finding(
            &at,
            format!(
                "{} of {} frames arrived damaged at {at} (CRC, framing, length)",
                bad.count,
                all.count + bad.count
            ),
        )
        .measured(share, SHARE, Unit::Ratio)
        .evidence(
            format!("damaged +{}, packets +{} in {:.0} s", bad.count, all.count, bad.seconds),
            side.source(&format!("/sys/class/net/{}/statistics", nic.name)),
        )
        .advice(
            because("The wire damages frames: each one is lost and sent again.")
                .now(format!(
                    "ethtool -S {} | grep -iE 'crc|fcs|align|symbol'; ethtool -m {}",
                    nic.name, nic.name
                ))
                .persist("clean or replace fibre, cable, transceiver; same duplex on both sides")
                .expecting("the counters stand still under load"),
        );
    each::limits_over(finding, run, side, &nic.name, Cause::Fault).into()
}
