//! # What it checks
//! `net.ipv4.tcp_timestamps` is not 0.
//!
//! # Why it matters
//! Without time stamps TCP measures the round trip once a window and cannot tell old segments from new ones
//! when sequence numbers wrap, which takes 3.4 s at 10 Gbit/s.
//!
//! # Evidence
//! `net.ipv4.tcp_timestamps` of both ends.
//!
//! # Remedy
//! `sysctl -w net.ipv4.tcp_timestamps=1`.
//!
//! # Source
//! RFC 7323 sections 4 and 5 (round-trip measurement, protection against wrapped sequence numbers); NetApp
//! ontap-apps-dbs, Ethernet settings; SUSE SAP notes.

use super::{each, ends};
use crate::advice::set_sysctl;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};

pub(super) const RULE: Rule = Rule {
    code: "tcp-timestamps",
    title: "TCP time stamps are switched off",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("tcp_timestamps.rs"),
    check,
};

const NAME: &str = "net.ipv4.tcp_timestamps";

fn check(run: &Run) -> Vec<Outcome> {
    each::setting(run, NAME, |side, numbers| {
        if numbers.first() != Some(&0) {
            return Outcome::Passes;
        }
        RULE.finding(
            side.name(NAME),
            format!(
                "{} is 0: TCP has no protection against wrapped sequence numbers and poor round-trip samples",
                side.name(NAME)
            ),
        )
        .severity(if fast(side) { Severity::Warning } else { Severity::Info })
        .evidence("net.ipv4.tcp_timestamps = 0", side.source("/proc/sys/net/ipv4/tcp_timestamps"))
        .advice(set_sysctl(
            side.host,
            NAME,
            "1",
            "12 bytes of each segment buy round-trip samples and safety at high rates.",
            "new connections carry time stamps",
        ))
        .into()
    })
}

/// From 10 Gbit/s on sequence numbers wrap within seconds.
fn fast(side: &ends::Side) -> bool {
    side.host.nics.iter().any(|nic| ends::believable(nic) && nic.speed_mbit_per_s >= Some(10_000))
}
