//! # What it checks
//! The error counters of FC ports and SAS phys did not grow during the run.
//!
//! # Why it matters
//! Each bad frame costs a retry of the whole command, often after seconds: a link that only works mostly is
//! slower than a broken one.
//!
//! # Evidence
//! `invalid_crc_count`, `loss_of_sync_count`, `link_failure_count`, `invalid_dword_count` and their kin over
//! the windows.
//!
//! # Remedy
//! Clean or replace the transceiver and cable.
//!
//! # Source
//! Linux Documentation/ABI (sysfs-class-fc_host statistics); `drivers/scsi/scsi_transport_sas.c` (phy error
//! counters); `node_exporter` fibrechannel collector.

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "link-errors",
    title: "a storage link counts errors",
    layer: Layer::Storage,
    severity: Severity::Critical,
    text: include_str!("link_errors.rs"),
    check,
};

const COUNTERS: [&str; 8] = [
    "invalid_crc_count",
    "loss_of_sync_count",
    "loss_of_signal_count",
    "link_failure_count",
    "invalid_tx_word_count",
    "invalid_dword_count",
    "loss_of_dword_sync_count",
    "running_disparity_error_count",
];

fn check(run: &Run) -> Vec<Outcome> {
    let host = &run.host;
    let names = host
        .fc_hosts
        .iter()
        .map(|port| port.name.as_str())
        .chain(host.sas_phys.iter().map(|phy| phy.name.as_str()));
    names.map(|name| judge(run, name)).collect()
}

fn judge(run: &Run, name: &str) -> Outcome {
    let mut read = false;
    let mut grown = Vec::new();
    for counter in COUNTERS {
        let key = format!("{name}/{counter}");
        if let Some(count) = facts::grown_in_all(run, |counters| counters.errors.get(&key).copied()) {
            read = true;
            if count > 0 {
                grown.push((counter, count));
            }
        }
    }
    match (grown.first(), read) {
        (Some((counter, count)), _) => fires(name, counter, *count, &grown),
        (None, true) => Outcome::Passes,
        (None, false) => facts::unread(&format!("the error counters of {name}")),
    }
}

fn fires(name: &str, counter: &str, count: u64, all: &[(&str, u64)]) -> Outcome {
    let shown: Vec<String> = all.iter().map(|(counter, count)| format!("{counter} +{count}")).collect();
    RULE.finding(name, format!("storage link {name} counts errors: {counter} grew by {count} during the run"))
        .measured(count as f64, 0.0, Unit::Count)
        .evidence(shown.join(", "), format!("/sys/class/*/{name}"))
        .limits(Cause::Fault)
        .advice(
            because("A frame with a bad checksum is dropped; the command is sent again after its timeout.")
                .now("clean and reseat the transceiver and cable of that port, at both ends")
                .persist("replace what still counts")
                .expecting("counters that stand still under load"),
        )
        .into()
}
