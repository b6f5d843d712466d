//! # What it checks
//! `net.ipv4.tcp_sack` is 1.
//!
//! # Why it matters
//! Without SACK the sender learns of one hole for each round trip and sends again what had arrived; each
//! loss costs many times as much.
//!
//! # Evidence
//! `net.ipv4.tcp_sack` of both ends.
//!
//! # Remedy
//! `sysctl -w net.ipv4.tcp_sack=1`.
//!
//! # Source
//! RFC 2018; NetApp ontap-apps-dbs, Ethernet settings; SUSE note 3024346.

use super::each;
use crate::advice::set_sysctl;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};

pub(super) const RULE: Rule = Rule {
    code: "tcp-sack",
    title: "selective acknowledgements are switched off",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("tcp_sack.rs"),
    check,
};

const NAME: &str = "net.ipv4.tcp_sack";

fn check(run: &Run) -> Vec<Outcome> {
    each::setting(run, NAME, |side, numbers| {
        if numbers.first() != Some(&0) {
            return Outcome::Passes;
        }
        RULE.finding(
            side.name(NAME),
            format!("{} is 0: each loss costs a round trip for every missing segment", side.name(NAME)),
        )
        .severity(Severity::Warning)
        .evidence("net.ipv4.tcp_sack = 0", side.source("/proc/sys/net/ipv4/tcp_sack"))
        .advice(set_sysctl(
            side.host,
            NAME,
            "1",
            "SACK tells the sender at once which segments are missing.",
            "fewer retransmissions and timeouts on lossy paths",
        ))
        .into()
    })
}
