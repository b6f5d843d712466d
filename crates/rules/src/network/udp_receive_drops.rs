//! # What it checks
//! Datagrams that arrived at a host and found the receive buffer of their socket full.
//!
//! # Why it matters
//! The interconnect of RAC, and every other protocol over UDP, loses the block though the network delivered
//! it.
//!
//! # Evidence
//! Growth of `UdpRcvbufErrors` over the windows; drops of the test's own sockets.
//!
//! # Remedy
//! Raise `net.core.rmem_default` and `rmem_max` (Oracle: 262144 and 4194304 at least), and look why the
//! receiver does not keep up.
//!
//! # Source
//! Linux `Documentation/networking/snmp_counter.rst`; netdata health.d `udp_errors` (more than 10 a minute);
//! Oracle preinstall (`rmem_default` 262144, `rmem_max` 4194304).

use super::{each, ends};
use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "udp-receive-drops",
    title: "datagrams are dropped for want of receive buffer",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("udp_receive_drops.rs"),
    check,
};

/// A minute: what an interconnect may lose without anybody noticing.
const A_MINUTE: f64 = 10.0;

fn check(run: &Run) -> Vec<Outcome> {
    let mut outcomes = each::counters(run, &["UdpRcvbufErrors"], |side, grown| {
        let a_minute = grown.sum() as f64 * 60.0 / grown.seconds.max(1.0);
        if grown.sum() < 2 || a_minute <= A_MINUTE {
            return Outcome::Passes;
        }
        fires(run, side, grown.sum(), grown.text(), side.source("/proc/net/snmp"))
    });
    outcomes.extend(each::result(run, NetMode::Udp, |result| own(run, result)));
    outcomes
}

/// Drops of the test's own sockets beyond a share that a burst explains.
fn own(run: &Run, result: &NetResult) -> Outcome {
    let Some(udp) = result.udp.as_ref().filter(|udp| udp.sent > 0) else { return Outcome::Passes };
    if udp.receive_buffer_drops * 1_000 < udp.sent.max(1) {
        return Outcome::Passes;
    }
    let text = format!("{} of {} datagrams found no room", udp.receive_buffer_drops, udp.sent);
    let side = &ends::sides(run)[0];
    match fires(run, side, udp.receive_buffer_drops, text, "SO_RXQ_OVFL of the test's sockets".into()) {
        Outcome::Fires(finding) => finding.about(result).limits(Cause::Saturation).into(),
        other => other,
    }
}

fn fires(run: &Run, side: &ends::Side, drops: u64, text: String, source: String) -> Outcome {
    let now = side.host.sysctl("net.core.rmem_max").unwrap_or("not known");
    let large = 4_194_304.max(2 * side.host.sysctl_number("net.core.rmem_max").unwrap_or(0));
    let finding = RULE
        .finding(
            side.name("UDP receive buffer"),
            format!("{drops} datagrams were dropped at a full receive buffer (net.core.rmem_max {now})"),
        )
        .measured(drops as f64, 0.0, Unit::Count)
        .evidence(text, source)
        .advice(
            because("The network delivered them; the socket had no room, or the program was too slow to empty it.")
                .now(format!("sysctl -w net.core.rmem_default=262144 net.core.rmem_max={large}"))
                .persist(format!("printf 'net.core.rmem_default = 262144\\nnet.core.rmem_max = {large}\\n' > /etc/sysctl.d/97-fullwire-udp.conf"))
                .undo(format!("sysctl -w net.core.rmem_max={now}"))
                .expecting("UdpRcvbufErrors no longer grows"),
        );
    let datagrams = run.net.iter().any(|result| result.mode == NetMode::Udp);
    if datagrams { finding.limits(Cause::Saturation).into() } else { finding.into() }
}
