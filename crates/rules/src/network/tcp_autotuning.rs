//! # What it checks
//! `net.ipv4.tcp_moderate_rcvbuf` is 1.
//!
//! # Why it matters
//! Without autotuning every connection keeps the default receive buffer (128 KiB): one such window travels
//! in each round trip.
//!
//! # Evidence
//! `net.ipv4.tcp_moderate_rcvbuf` of both ends.
//!
//! # Remedy
//! `sysctl -w net.ipv4.tcp_moderate_rcvbuf=1`.
//!
//! # Source
//! Linux Documentation/networking/ip-sysctl.rst, `tcp_moderate_rcvbuf` (default enabled); SUSE note 3024346.

use super::each;
use crate::advice::set_sysctl;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};

pub(super) const RULE: Rule = Rule {
    code: "tcp-autotuning",
    title: "receive-buffer autotuning is switched off",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("tcp_autotuning.rs"),
    check,
};

const NAME: &str = "net.ipv4.tcp_moderate_rcvbuf";

fn check(run: &Run) -> Vec<Outcome> {
    each::setting(run, NAME, |side, numbers| {
        if numbers.first() != Some(&0) {
            return Outcome::Passes;
        }
        RULE.finding(
            side.name(NAME),
            format!("{} is 0: receive windows stay at their default size", side.name(NAME)),
        )
        .severity(Severity::Warning)
        .evidence("net.ipv4.tcp_moderate_rcvbuf = 0", side.source("/proc/sys/net/ipv4/tcp_moderate_rcvbuf"))
        .advice(set_sysctl(
            side.host,
            NAME,
            "1",
            "Autotuning grows the window to what the path holds.",
            "windows up to the third value of tcp_rmem",
        ))
        .into()
    })
}
