//! # What it checks
//! Each FC host port runs at the fastest speed that it supports.
//!
//! # Why it matters
//! The link is the ceiling of the paths over it: 8GFC carries 800 MB/s, 32GFC 3,200 MB/s.
//!
//! # Evidence
//! `speed` and `supported_speeds` of the port.
//!
//! # Remedy
//! A transceiver or switch port of the same generation; auto-negotiation at both ends.
//!
//! # Source
//! Linux `drivers/scsi/scsi_transport_fc.c` (speed, `supported_speeds`); FC-PI payload rates, 100 MB/s for each
//! nominal Gbit/s.

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::FcHost;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "fc-speed-low",
    title: "a Fibre Channel port negotiated less than it supports",
    layer: Layer::Storage,
    severity: Severity::Warning,
    text: include_str!("fc_speed_low.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    run.host.fc_hosts.iter().filter(|port| port.port_state == "Online").map(judge).collect()
}

fn judge(port: &FcHost) -> Outcome {
    let (Some(speed), Some(supported)) = (port.speed_gbit_per_s, port.supported_gbit_per_s) else {
        return facts::unread(&format!("the speed of {}", port.name));
    };
    if speed >= supported {
        return Outcome::Passes;
    }
    RULE.finding(
        &port.name,
        format!(
            "Fibre Channel port {} runs at {speed:.0} Gbit/s of {supported:.0}: {:.0} MB/s instead of {:.0}",
            port.name,
            speed * 100.0,
            supported * 100.0
        ),
    )
    .measured(speed * 100e6, supported * 100e6, Unit::BytesPerS)
    .evidence(
        format!("speed {speed} Gbit, supported up to {supported} Gbit"),
        format!("/sys/class/fc_host/{}", port.name),
    )
    .advice(
        because("All paths over the port share its rate.")
            .now("compare transceiver, switch port and array port: the slowest decides")
            .persist("equip the slower end; set both ends to auto-negotiation")
            .expecting("the supported speed in `speed`; sequential reads rise with it"),
    )
    .into()
}
