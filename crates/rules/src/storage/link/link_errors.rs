//! # What it checks
//! Passes when FC ports and SAS phys with a link counted no damaged frames or words during the run beyond what the
//! standards allow, and no loss of the link. A port or phy without a link counts noise; one loss of synchronisation
//! is the initialisation of a loop or a login.
//!
//! # Why it matters
//! Each bad frame costs a retry of the whole command, often after seconds: a link that only works mostly is
//! slower than a broken one.
//!
//! # Evidence
//! `invalid_crc_count`, `loss_of_sync_count`, `link_failure_count`, `invalid_dword_count` and similar over
//! the windows.
//!
//! # Remedy
//! Clean or replace the transceiver and cable.
//!
//! # Source
//! Linux Documentation/ABI (sysfs-class-fc_host statistics); `drivers/scsi/scsi_transport_sas.c` (phy error
//! counters); `node_exporter` fibrechannel collector. INCITS FC-PI: a link has a bit error rate of at most 1e-12.

use crate::advice::{AdviceExt, because};
use crate::explain;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Explanation, Layer, Mechanism, Severity};
use fullwire_model::host::Disk;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "link-errors",
    title: "a storage link counts errors",
    layer: Layer::Storage,
    severity: Severity::Critical,
    check,
};

/// What arrived damaged.
const DAMAGED: [&str; 4] =
    ["invalid_crc_count", "invalid_tx_word_count", "invalid_dword_count", "running_disparity_error_count"];
/// Times that the link was lost.
const LOST: [&str; 4] =
    ["link_failure_count", "loss_of_signal_count", "loss_of_sync_count", "loss_of_dword_sync_count"];

/// One of anything is an accident, and so is this much in a GB: ten times the bit error rate of the standard.
const ACCIDENT: f64 = 1.0;
/// Errors that a bit error rate of 10^-11 makes in a gigabyte.
const IN_A_GB: f64 = 0.08;

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    // Some drivers tell no state; then nothing shows that the port has no link.
    let ports = host.fc_hosts.iter().map(|port| {
        let linked = matches!(port.port_state.as_str(), "" | "Online");
        if linked { judge(run, &port.name) } else { Outcome::Passes }
    });
    let phys = host.sas_phys.iter().map(|phy| match phy.negotiated_gbit_per_s {
        Some(speed) if speed > 0.0 => judge(run, &phy.name),
        _ => Outcome::Passes,
    });
    ports.chain(phys).collect()
}

fn judge(run: &Run, name: &str) -> Outcome {
    let mut read = false;
    let mut grown = Vec::new();
    for counter in DAMAGED.into_iter().chain(LOST) {
        let key = format!("{name}/{counter}");
        if let Some(count) = facts::grown_in_all(run, |counters| counters.errors.get(&key).copied()) {
            read = true;
            if count > 0 {
                grown.push((counter, count));
            }
        }
    }
    if !read {
        return facts::unwatched(run, &format!("the error counters of {name}"));
    }
    let allowed = ACCIDENT + IN_A_GB * bytes_behind(run, name) / 1e9;
    let damaged = grown.iter().find(|(name, count)| DAMAGED.contains(name) && *count as f64 > allowed);
    let lost = grown.iter().find(|(name, count)| LOST.contains(name) && *count as f64 > ACCIDENT);
    match (damaged, lost) {
        (Some((counter, count)), _) => fires(run, name, counter, *count, &grown, true),
        (None, Some((counter, count))) => fires(run, name, counter, *count, &grown, false),
        (None, None) => Outcome::Passes,
    }
}

/// What passed to and from the disks behind a port over the windows; 0 where they are not known.
fn bytes_behind(run: &Run, port: &str) -> f64 {
    let behind = facts::whole_disks(&run.host).filter(|disk| facts::is_behind(disk, port));
    let moved = behind.filter_map(|disk| {
        facts::grown_in_all(run, |counters| {
            counters.disks.get(&disk.name).map(|disk| disk.read_bytes.saturating_add(disk.write_bytes))
        })
    });
    moved.fold(0, u64::saturating_add) as f64
}

/// It leads to a measured target or to a database's files; where nothing is known behind any port, each may.
fn is_in_use(run: &Run, port: &str) -> bool {
    let data = facts::data_devices(run);
    let of_data = |disk: &&Disk| data.contains(disk.name.as_str());
    let known = facts::whole_disks(&run.host).any(|disk| disk.scsi.is_some());
    !known || facts::whole_disks(&run.host).filter(of_data).any(|disk| facts::is_behind(disk, port))
}

fn fires(run: &Run, name: &str, counter: &str, count: u64, all: &[(&str, u64)], damaged: bool) -> Outcome {
    // A SAS phy is not matched to disks.
    let severity = match (damaged, name.starts_with("phy") || is_in_use(run, name)) {
        (true, true) => Severity::Critical,
        (false, true) => Severity::Warning,
        (_, false) => Severity::Info,
    };
    let shown: Vec<String> = all.iter().map(|(counter, count)| format!("{counter} +{count}")).collect();
    RULE.finding(name, format!("storage link {name} counts errors: {counter} grew by {count} during the run"))
        .severity(severity)
        .measured(count as f64, ACCIDENT, Unit::Count)
        .evidence(shown.join(", "), format!("/sys/class/*/{name}"))
        .explains(reached_through(run, name))
        .advice(
            because("A frame with a bad checksum is dropped; the command is sent again after its timeout.")
                .now("clean and reseat the transceiver and cable of that port, at both ends")
                .persist("replace the part whose counter still grows")
                .expecting("counters that no longer grow under load"),
        )
        .into()
}

/// The measured targets whose disks are reached through an FC port; a SAS phy is not matched to disks.
fn reached_through(run: &Run, port: &str) -> Vec<Explanation> {
    let through = |target: &facts::Target<'_>| target.leaves().any(|disk| facts::is_behind(disk, port));
    let targets = facts::targets(run).into_iter().filter(through);
    targets.map(|target| explain::target(&target, Mechanism::LinkFault)).collect()
}
