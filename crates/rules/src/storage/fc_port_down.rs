//! # What it checks
//! Every FC host port that has a link configured is Online.
//!
//! # Why it matters
//! The paths over it are lost.
//!
//! # Evidence
//! `/sys/class/fc_host/hostN/port_state`.
//!
//! # Remedy
//! Transceiver, cable, switch port; `echo 1 > /sys/class/fc_host/hostN/issue_lip`.
//!
//! # Source
//! Linux `drivers/scsi/scsi_transport_fc.c` (port states); `node_exporter` fibrechannel collector.

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::FcHost;

pub(super) const RULE: Rule = Rule {
    code: "fc-port-down",
    title: "a Fibre Channel port is not on-line",
    layer: Layer::Storage,
    severity: Severity::Critical,
    text: include_str!("fc_port_down.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    let any_online = run.host.fc_hosts.iter().any(|port| port.port_state == "Online");
    run.host.fc_hosts.iter().map(|port| judge(port, any_online)).collect()
}

fn judge(port: &FcHost, any_online: bool) -> Outcome {
    match port.port_state.as_str() {
        "" => facts::unread(&format!("port_state of {}", port.name)),
        "Online" => Outcome::Passes,
        state => {
            // A host without any port on-line does not use Fibre Channel at all.
            let severity = if any_online { Severity::Critical } else { Severity::Info };
            RULE.finding(
                &port.name,
                format!("Fibre Channel port {} is {state}: the paths over it are down", port.name),
            )
            .severity(severity)
            .evidence(
                format!("port_state {state}, {}", port.port_name),
                format!("/sys/class/fc_host/{}/port_state", port.name),
            )
            .advice(
                because("What is zoned to this port has one path less.")
                    .now(format!("echo 1 > /sys/class/fc_host/{}/issue_lip; dmesg | tail", port.name))
                    .persist("mend the transceiver, cable or switch port")
                    .expecting("port_state Online, paths back in `multipath -ll`"),
            )
            .into()
        }
    }
}
