//! # What it checks
//! An 802.3ad bond has a partner: the switch speaks LACP on the ports of its members.
//!
//! # Why it matters
//! Without a partner the bond falls back to a single link (or none); the switch, which knows of no group,
//! may move the address from port to port.
//!
//! # Evidence
//! `Partner Mac Address` of the active aggregator in `/proc/net/bonding/BOND`: all zeros.
//!
//! # Remedy
//! Configure the switch ports as one LACP (802.3ad) group, active mode; or use active-backup, which needs
//! nothing of the switch.
//!
//! # Source
//! Linux Documentation/networking/bonding.rst (802.3ad: a switch that supports IEEE 802.3ad dynamic link
//! aggregation); oVirt documentation, bonding mode 4 without partner MAC.

use super::{each, ends};
use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::host::Bond;

pub(super) const RULE: Rule = Rule {
    code: "bond-no-partner",
    title: "no LACP partner answers",
    layer: Layer::Network,
    severity: Severity::Critical,
    text: include_str!("bond_no_partner.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    each::bond(run, |side, bond| judge(run, side, bond))
}

fn judge(run: &Run, side: &ends::Side, bond: &Bond) -> Outcome {
    if bond.mode != "802.3ad" {
        return Outcome::Passes;
    }
    let Some(partner) = &bond.partner_mac else {
        return Outcome::Unknown(format!(
            "the LACP partner of {} could not be read (root only)",
            side.name(&bond.name)
        ));
    };
    if partner.bytes().any(|byte| !matches!(byte, b'0' | b':')) {
        return Outcome::Passes;
    }
    let at = side.name(&bond.name);
    let finding = RULE
        .finding(
            &at,
            format!(
                "802.3ad bond {at} has no LACP partner: the switch does not answer, one link at most carries"
            ),
        )
        .evidence(
            format!("Partner Mac Address: {partner}"),
            side.source(&format!("/proc/net/bonding/{}", bond.name)),
        )
        .advice(
            because("LACP needs both sides: without the switch the members are not grouped.")
                .now("configure the switch ports of all members as one LAG, LACP active")
                .now(format!(
                    "tcpdump -eni {} ether proto 0x8809    # does the switch send LACP at all",
                    bond.slaves.first().map_or("SLAVE", |slave| &slave.name)
                ))
                .persist("or set mode=active-backup on the bond, which needs nothing of the switch")
                .expecting("a partner address, and all ports in one aggregator"),
        );
    each::limits_over(finding, run, side, &bond.name, Cause::Fault).into()
}
