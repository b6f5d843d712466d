//! # What it checks
//! Passes when congestion control of this host and of each measured peer.
//!
//! # Why it matters
//! Two directions of one path then behave differently under loss and competing traffic; what is measured
//! one way does not hold for the other.
//!
//! # Evidence
//! `net.ipv4.tcp_congestion_control` of both ends; `TCP_CONGESTION` of the test.
//!
//! # Remedy
//! The same on both; cubic unless a test on this path says otherwise.
//!
//! # Source
//! RFC 9438 (CUBIC); Linux Documentation/networking/ip-sysctl.rst, `tcp_congestion_control`.

use crate::advice::set_sysctl;
use crate::{Facts, FindingExt, Outcome, Rule};
use fullwire_model::assessment::{Layer, Severity};

pub(super) const RULE: Rule = Rule {
    code: "tcp-congestion",
    title: "the two ends use different congestion controls",
    layer: Layer::Network,
    severity: Severity::Info,
    check,
};

const NAME: &str = "net.ipv4.tcp_congestion_control";

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(own) = run.host.sysctl(NAME).map(str::trim) else {
        return vec![Outcome::Unknown(format!("{NAME} could not be read"))];
    };
    let peers = run.peers.iter().filter(|peer| !peer.loopback);
    let told = peers.filter_map(|peer| Some((&peer.target, peer.host.as_ref()?.sysctl(NAME)?.trim())));
    let judged = told.map(|(target, theirs)| {
        if own == theirs {
            return Outcome::Passes;
        }
        RULE.finding(NAME, format!("this host uses {own}, {target} uses {theirs}: the two directions behave differently under loss"))
            .evidence(format!("{own} here, {theirs} there"), "/proc/sys/net/ipv4/tcp_congestion_control")
            .advice(set_sysctl(
                &run.host,
                NAME,
                theirs,
                "The path behaves differently in each direction: a measurement in one does not apply to the other.",
                "comparable results in both directions",
            ))
            .into()
    });
    let outcomes: Vec<Outcome> = judged.collect();
    if outcomes.is_empty() { vec![Outcome::Passes] } else { outcomes }
}
