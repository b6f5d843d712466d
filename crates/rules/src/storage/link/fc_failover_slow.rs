//! # What it checks
//! Applies where device-mapper multipath has Fibre Channel paths; passes when I/O to a lost port fails within half
//! a minute (`fast_io_fail_tmo`), so that another path can take it.
//!
//! # Why it matters
//! With `off`, I/O hangs until `dev_loss_tmo` removes the disks, often minutes. A cluster evicts the node before that.
//!
//! # Evidence
//! `fast_io_fail_tmo` and `dev_loss_tmo` below `/sys/class/fc_remote_ports`.
//!
//! # Remedy
//! `fast_io_fail_tmo 5` in multipath.conf, which is multipath-tools' own default.
//!
//! # Source
//! multipath.conf(5), `fast_io_fail_tmo` (default 5) and `dev_loss_tmo`; Linux `drivers/scsi/scsi_transport_fc.c`.

use crate::advice::{AdviceExt, override_multipath};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::{FcRemotePort, Host};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "fc-failover-slow",
    title: "I/O to a lost Fibre Channel port hangs before it fails over",
    layer: Layer::Storage,
    severity: Severity::Warning,
    check,
};

/// Waiting time that a database survives without timeouts (own choice).
const LONGEST_S: u64 = 30;

fn check(run: &Facts) -> Vec<Outcome> {
    let ports = run.host.fc_remote_ports.iter();
    ports
        .filter(|port| port.roles.contains("Target") && carries_paths(&run.host, port))
        .map(|port| judge(&run.host, port))
        .collect()
}

/// Paths of a map of device-mapper are behind its adapter; other multipath drivers have their own timeouts.
fn carries_paths(host: &Host, port: &FcRemotePort) -> bool {
    let maps = host.multipath.iter().filter(|map| !map.is_powerpath());
    let mut paths = maps.flat_map(|map| &map.groups).flat_map(|group| &group.paths);
    paths.any(|path| host.disk(&path.device).is_some_and(|disk| facts::is_behind(disk, &port.host)))
}

fn judge(host: &Host, port: &FcRemotePort) -> Outcome {
    let waits_s = match (port.fast_io_fail_tmo_s, port.fast_io_fail_off) {
        (Some(seconds), _) => seconds,
        (None, true) => match port.dev_loss_tmo_s {
            Some(seconds) => seconds,
            None => return facts::unread(&format!("dev_loss_tmo of {}", port.name)),
        },
        (None, false) => return facts::unread(&format!("fast_io_fail_tmo of {}", port.name)),
    };
    if waits_s <= LONGEST_S {
        return Outcome::Passes;
    }
    // A cluster has to see the error before its own timeouts run out; elsewhere it is a longer pause.
    let severity = if facts::is_clustered(host) { Severity::Warning } else { Severity::Info };
    RULE.finding(
        &port.name,
        format!(
            "when the array port {} is lost, I/O hangs for {waits_s} s before it fails over",
            port.port_name
        ),
    )
    .severity(severity)
    .measured(waits_s as f64, LONGEST_S as f64, Unit::S)
    .evidence(
        format!(
            "fast_io_fail_tmo {}, dev_loss_tmo {}",
            port.fast_io_fail_tmo_s.map_or("off".to_owned(), |seconds| seconds.to_string()),
            port.dev_loss_tmo_s.map_or("not read".to_owned(), |seconds| seconds.to_string())
        ),
        format!("/sys/class/fc_remote_ports/{}", port.name),
    )
    .advice(
        override_multipath(
            "Another path can only take the I/O once it has failed on this one.",
            "fast_io_fail_tmo 5",
        )
        .expecting("a pulled cable costs seconds; `fast_io_fail_tmo` shows 5 for each remote port"),
    )
    .into()
}
