//! # What it checks
//! Physical interfaces of 10 Gbit/s and more that carry NFS, iSCSI or a cluster interconnect have an MTU of
//! 9000.
//!
//! # Why it matters
//! An 8 KiB block takes six frames instead of one; goodput is 94.1 % instead of 99.0 %, and each frame
//! costs CPU. In a cluster six fragments of UDP must all arrive.
//!
//! # Evidence
//! MTU and speed of the interface; NFS mounts, iSCSI sessions, a clustered instance on this host.
//!
//! # Remedy
//! Plan it with the network's owner: every switch port and every host of that network, in one step; then
//! `ip link set X mtu 9000` and prove it with `fullwire mtu`.
//!
//! # Source
//! NetApp ontap-apps-dbs, Ethernet settings (jumbo frames required for maximum performance with 10GbE);
//! goodput by RFC 791, RFC 9293, IEEE 802.3.

use super::{each, ends};
use crate::advice::{AdviceExt, set_mtu};
use crate::ceiling::network::frame::Stack;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::{Host, Nic};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "mtu-not-jumbo",
    title: "a fast storage or interconnect network uses small frames",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("mtu_not_jumbo.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    let carries = is_storage(&run.host) || is_cluster(&run.host);
    let wanted = |side: &ends::Side, nic: &Nic| {
        side.peer.is_none() && each::in_use(side, nic) && nic.speed_mbit_per_s >= Some(10_000)
    };
    if carries { each::nic(run, wanted, judge) } else { Vec::new() }
}

fn is_storage(host: &Host) -> bool {
    !host.iscsi_sessions.is_empty() || host.mounts.iter().any(|mount| mount.fs_type.starts_with("nfs"))
}

fn is_cluster(host: &Host) -> bool {
    host.databases.iter().any(|database| database.clustered)
}

fn judge(side: &ends::Side, nic: &Nic) -> Outcome {
    let Some(mtu) = nic.mtu_bytes else {
        return Outcome::Unknown(format!("the MTU of {} could not be read", nic.name));
    };
    if mtu > 1500 {
        return Outcome::Passes;
    }
    let gain = (Stack::tcp(mtu).gain_of_mtu(9000) - 1.0) * 100.0;
    RULE.finding(&nic.name, format!("{} has {} Mbit/s and MTU {mtu}: jumbo frames would carry {gain:.1} % more and a block of 8 KiB in one frame, not six", nic.name, nic.speed_mbit_per_s.unwrap_or(0)))
        .severity(if is_cluster(side.host) { Severity::Warning } else { Severity::Info })
        .measured(mtu as f64, 9_000.0, Unit::Bytes)
        .evidence(format!("mtu {mtu}"), side.source(&format!("/sys/class/net/{}/mtu", nic.name)))
        .advice(
            set_mtu(side.host, &nic.name, 9_000, "Fewer frames for each block: less CPU, more payload, no fragments of interconnect blocks.", "goodput 99.0 % instead of 94.1 %; fewer interrupts")
                .now("only after every switch port and host of this network: a single small hop breaks large packets"),
        )
        .into()
}
