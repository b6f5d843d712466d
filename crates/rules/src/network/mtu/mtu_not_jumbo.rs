//! # What it checks
//! Passes when physical interfaces of 10 Gbit/s and more that lead to a filer or an iSCSI portal, or that have a
//! private address of the clusterware (169.254.0.0/16), have an MTU of 9000. The public network of a database is
//! right at 1500.
//!
//! # Why it matters
//! An 8 KiB block takes six frames instead of one; goodput is 94.1 % instead of 99.0 %, and each frame
//! costs CPU. In a cluster six fragments of UDP must all arrive.
//!
//! # Evidence
//! MTU and speed of the interface; routes to the servers of NFS mounts and iSCSI sessions; addresses.
//!
//! # Remedy
//! Plan it with the network's owner: every switch port and every host of that network, in one step; then
//! `ip link set X mtu 9000` and prove it with `fullwire mtu`.
//!
//! # Source
//! NetApp ontap-apps-dbs, Ethernet settings (jumbo frames required for maximum performance with 10GbE); goodput by
//! RFC 791, RFC 9293, IEEE 802.3. Oracle Grid Infrastructure Installation Guide 19c for Linux, "About Private IP
//! Address Requirements" (highly available IP addresses from 169.254.0.0/16 on the private interfaces).

use crate::advice::{AdviceExt, because, set_mtu};
use crate::ceiling::network::frame::Stack;
use crate::facts::side;
use crate::network::each;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::{Host, Nic};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "mtu-not-jumbo",
    title: "a fast storage or interconnect network uses small frames",
    layer: Layer::Network,
    severity: Severity::Warning,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    let private = facts::interface::private(&run.host);
    let to_storage = to_storage(run);
    if is_cluster(&run.host) && private.is_empty() && to_storage.is_empty() {
        return vec![Outcome::Unknown("which interface carries the interconnect is not known".into())];
    }
    let carries = |nic: &Nic| {
        let mut tops = private.iter().chain(&to_storage);
        tops.any(|top| facts::interface::stack(&run.host, top).contains(&nic.name.as_str()))
    };
    let wanted = |side: &side::Side, nic: &Nic| {
        let fast = nic.speed_mbit_per_s >= Some(10_000);
        side.peer.is_none() && each::in_use(side, nic) && fast && carries(nic)
    };
    // The members of a bond have its MTU: one of them speaks for all.
    let first = |side: &side::Side, nic: &Nic| {
        let bonded = |nic: &Nic| facts::interface::bonded(side.host, &nic.name).to_owned();
        let mut same =
            side.host.nics.iter().filter(|other| wanted(side, other) && bonded(other) == bonded(nic));
        wanted(side, nic) && same.next().is_some_and(|other| other.name == nic.name)
    };
    if private.is_empty() && to_storage.is_empty() { Vec::new() } else { each::nic(run, first, judge) }
}

/// The interfaces that lead to a filer or a portal.
fn to_storage(run: &Run) -> Vec<&str> {
    let host = &run.host;
    let filers = host.mounts.iter().filter_map(|mount| Some(mount.nfs.as_ref()?.address.as_str()));
    let portals = host.iscsi_sessions.iter().map(|session| session.portal.as_str());
    let address = |server: &str| facts::route::ip(server).map(|address| address.to_string());
    let leads = |server: String| facts::route::nic_to(run, &server).map(|nic| nic.name.as_str());
    filers.chain(portals).filter_map(address).filter_map(leads).collect()
}

fn is_cluster(host: &Host) -> bool {
    host.databases.iter().any(|database| database.clustered)
}

/// It carries the interconnect, or a VLAN or bond above it does.
fn is_private(host: &Host, nic: &Nic) -> bool {
    let tops = facts::interface::private(host);
    tops.into_iter().any(|top| facts::interface::stack(host, top).contains(&nic.name.as_str()))
}

fn judge(side: &side::Side, nic: &Nic) -> Outcome {
    let Some(mtu) = nic.mtu_bytes else {
        return Outcome::Unknown(format!("the MTU of {} could not be read", nic.name));
    };
    if mtu > 1500 {
        return Outcome::Passes;
    }
    let gain = (Stack::tcp(mtu).gain_of_mtu(9000) - 1.0) * 100.0;
    let name = facts::interface::bonded(side.host, &nic.name);
    let of = if name == nic.name { "" } else { " in each member" };
    RULE.finding(name, format!("{name} has {} Mbit/s{of} and MTU {mtu}: jumbo frames would carry {gain:.1} % more and a block of 8 KiB in one frame instead of six", nic.speed_mbit_per_s.unwrap_or(0)))
        .severity(if is_private(side.host, nic) { Severity::Warning } else { Severity::Info })
        .measured(mtu as f64, 9_000.0, Unit::Bytes)
        .evidence(format!("mtu {mtu}"), side.source(&format!("/sys/class/net/{}/mtu", nic.name)))
        .advice(
            because("")
.now("First give every switch port and every other host of this network MTU 9000 or more, and prove each path with `fullwire mtu HOST`: a single small hop drops large packets")
.and(set_mtu(side.host, name, 9_000, "Fewer frames for each block: less CPU, more payload, no fragments of interconnect blocks.", "goodput 99.0 % instead of 94.1 %; fewer interrupts")).on(side.peer),
        )
        .into()
}
