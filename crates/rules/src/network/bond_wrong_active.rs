//! # What it checks
//! The active member of an active-backup bond is the primary that was asked for, if that has a link, and no
//! member with a link is faster.
//!
//! # Why it matters
//! All traffic passes through the active member: after a failover it may stay on the slow one for ever, and
//! every other link idles.
//!
//! # Evidence
//! `Currently Active Slave`, `Primary Slave`, speed and MII status of each member.
//!
//! # Remedy
//! Make the fast member the primary (`primary`, `primary_reselect always`).
//!
//! # Source
//! Linux Documentation/networking/bonding.rst, `primary` ("one slave is preferred over another, e.g., when
//! one slave has higher throughput") and `primary_reselect`.

use super::{each, ends};
use crate::advice::{AdviceExt, set_bond};
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::host::{Bond, BondSlave};

pub(super) const RULE: Rule = Rule {
    code: "bond-wrong-active",
    title: "an active-backup bond runs over the wrong member",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("bond_wrong_active.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for side in ends::sides(run) {
        let bonds =
            side.host.bonds.iter().filter(|bond| bond.mode == "active-backup" && bond.slaves.len() > 1);
        outcomes.extend(bonds.map(|bond| judge(run, &side, bond)));
    }
    outcomes
}

fn judge(run: &Run, side: &ends::Side, bond: &Bond) -> Outcome {
    let at = side.name(&bond.name);
    let member = |name: &str| bond.slaves.iter().find(|slave| slave.name == name);
    let Some(active) = bond.active_slave.as_deref().and_then(member) else {
        return Outcome::Unknown(format!("the active slave of {at} could not be read"));
    };
    let Some((better, why)) = better(side, bond, active) else { return Outcome::Passes };
    let primary = bond.primary.as_deref().unwrap_or_default();
    let finding = RULE
        .finding(&at, format!("{at} runs over {}, though {} {why}", active.name, better.name))
        .evidence(
            format!("Currently Active Slave: {}, Primary Slave: {}", active.name, if primary.is_empty() { "None" } else { primary }),
            side.source(&format!("/proc/net/bonding/{}", bond.name)),
        )
        .advice(
            set_bond(
                side.host,
                &bond.name,
                ["primary", &better.name, primary],
                "All traffic of the bond passes through its active member; nothing moves it back by itself unless a primary says so.",
                "the better member is the active one, also after the next failover",
            )
            .now(format!("echo {} > /sys/class/net/{}/bonding/active_slave", better.name, bond.name)),
        );
    each::limits_over(finding, run, side, &bond.name, Cause::Setting).into()
}

/// A member with a link that should carry the traffic instead, and why.
fn better<'a>(side: &ends::Side, bond: &'a Bond, active: &BondSlave) -> Option<(&'a BondSlave, String)> {
    let linked = || bond.slaves.iter().filter(|slave| slave.mii_status == "up" && slave.name != active.name);
    let primary = linked().find(|slave| bond.primary.as_deref() == Some(&slave.name));
    if let Some(primary) = primary {
        return Some((primary, "is the primary that was asked for and has a link".into()));
    }
    let speed = |slave: &BondSlave| {
        slave.speed_mbit_per_s.or_else(|| side.host.nic(&slave.name)?.speed_mbit_per_s).unwrap_or(0)
    };
    let own = speed(active);
    let faster = linked().max_by_key(|slave| speed(slave)).filter(|slave| own > 0 && speed(slave) > own)?;
    Some((faster, format!("is linked at {} Mbit/s and it at {own}", speed(faster))))
}
