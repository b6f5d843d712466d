//! # What it checks
//! Every member of a bond has a link, as the bonding driver's own monitor sees it.
//!
//! # Why it matters
//! Speed may be as ever, but the next failure takes the database off the network; in the modes that share
//! load, the lost member's capacity is missing as well.
//!
//! # Evidence
//! `MII Status` of each slave in `/proc/net/bonding/BOND` (or `bonding_slave/mii_status` in sysfs).
//!
//! # Remedy
//! Look at the cable, the transceiver and the switch port of the named slave; `ethtool SLAVE` tells what it sees.
//!
//! # Source
//! Linux Documentation/networking/bonding.rst, "Querying Bonding Configuration"; node-mixin alert
//! `NodeBondingDegraded` (slaves - active != 0).

use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Advice, Layer, Severity};
use fullwire_model::host::{Bond, BondSlave};

pub(super) const RULE: Rule = Rule {
    code: "bond-slave-down",
    title: "a member of a bond has no link",
    layer: Layer::Network,
    severity: Severity::Critical,
    text: include_str!("bond_slave_down.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    run.host.bonds.iter().flat_map(|bond| bond.slaves.iter().map(move |slave| judge(bond, slave))).collect()
}

fn judge(bond: &Bond, slave: &BondSlave) -> Outcome {
    match slave.mii_status.as_str() {
        "up" => Outcome::Passes,
        "" => {
            Outcome::Unknown(format!("the MII status of {} in {} could not be read", slave.name, bond.name))
        }
        status => down(bond, slave, status),
    }
}

fn down(bond: &Bond, slave: &BondSlave, status: &str) -> Outcome {
    let up = bond.slaves.iter().filter(|slave| slave.mii_status == "up").count();
    let (name, total) = (&slave.name, bond.slaves.len());
    RULE.finding(
        &bond.name,
        format!("slave {name} of {} is {status}: {up} of {total} links are left", bond.name),
    )
    .evidence(
        format!("Slave Interface: {name}, MII Status: {status}"),
        format!("/proc/net/bonding/{}", bond.name),
    )
    .advice(Advice {
        why: "The bond has lost redundancy; in the modes that share load, bandwidth too.".into(),
        now: vec![
            format!("ethtool {name}    # link, partner, speed"),
            format!("ip link set {name} up    # if it was set down by hand"),
        ],
        persist: vec!["replace the cable or transceiver, or enable the switch port".into()],
        undo: Vec::new(),
        expect: format!("all {total} slaves up; run `fullwire check --only network` again"),
    })
    .into()
}
