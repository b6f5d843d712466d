//! # What it checks
//! Whether a bond that carries a measured path is in mode balance-rr with several links.
//!
//! # Why it matters
//! Round robin is the only mode in which one stream can use several links, and it pays with reordering: TCP
//! takes late segments for lost ones. Many switches never spread the way back.
//!
//! # Evidence
//! Bonding mode, members; reordering that TCP saw.
//!
//! # Remedy
//! 802.3ad with layer3+4 and several streams, or active-backup.
//!
//! # Source
//! Linux Documentation/networking/bonding.rst, balance-rr (out-of-order delivery, `tcp_reordering`);
//! ip-sysctl.rst, `tcp_max_reordering`.

use super::{each, ends, load};
use crate::advice::set_bond;
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::host::Bond;

pub(super) const RULE: Rule = Rule {
    code: "bond-balance-rr",
    title: "balance-rr sends one stream out of order",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("bond_balance_rr.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    each::bond(run, |side, bond| judge(run, side, bond))
}

fn judge(run: &Run, side: &ends::Side, bond: &Bond) -> Outcome {
    if bond.mode.is_empty() {
        return Outcome::Unknown(format!("the mode of {} could not be read", side.name(&bond.name)));
    }
    if bond.mode != "balance-rr" || bond.slaves.len() < 2 {
        return Outcome::Passes;
    }
    let paths = side.paths_over(run, &bond.name);
    let seen = run.net.iter().any(|result| paths.contains(&result.target) && load::is_reordered(run, result));
    let at = side.name(&bond.name);
    let finding = RULE
        .finding(
            &at,
            format!(
                "{at} is in mode balance-rr over {} links: segments of one stream overtake one another{}",
                bond.slaves.len(),
                if seen { ", and TCP sees it" } else { "" }
            ),
        )
        .severity(if seen { Severity::Warning } else { facts::hygiene(run) })
        .evidence(
            format!("Bonding Mode: load balancing (round-robin), {} slaves", bond.slaves.len()),
            side.source(&format!("/proc/net/bonding/{}", bond.name)),
        )
        .advice(set_bond(
            side.host,
            &bond.name,
            ["mode", "802.3ad", "balance-rr"],
            "TCP takes what is late for lost and slows down; the receiver pays for every hole.",
            "no reordering; several streams share the links (layer3+4), one stream has one link",
        ));
    if seen {
        each::limits_over(finding, run, side, &bond.name, Cause::Setting).into()
    } else {
        finding.into()
    }
}
