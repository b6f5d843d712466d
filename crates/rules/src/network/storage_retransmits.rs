//! # What it checks
//! While a storage behind TCP (NFS, iSCSI) was measured, fewer than 0.2 % of the segments sent were sent again, and fewer
//! than 5 % of those received came after a hole.
//!
//! # Why it matters
//! Each lost segment stops all requests behind it on the connection, for a round trip or for a timeout of 200 ms and more:
//! the disks wait for the wire. No counter of the storage shows it.
//!
//! # Evidence
//! `TcpRetransSegs` over `TcpOutSegs`, `TcpExtTCPOFOQueue` (segments that came after a hole, some for each loss) over
//! `TcpInSegs`, over the windows of the storage probe. They are of the whole host.
//!
//! # Remedy
//! The lossy link between host and filer: error counters of NIC and switch ports, queues that are too short.
//!
//! # Source
//! Linux `Documentation/networking/snmp_counter.rst`; RFC 6298 (retransmission timer). The bounds are from the lab: a loss
//! of 1 and 2 % in one direction lies beyond them, a clean wire at none.

use super::ends;
use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::quantity::Unit;
use fullwire_model::{Run, WindowKind};

pub(super) const RULE: Rule = Rule {
    code: "storage-retransmits",
    title: "the network below a storage loses packets",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("storage_retransmits.rs"),
    check,
};

/// Of segments sent again on a LAN; of segments that arrived after a hole, which one loss makes many of.
const SEGMENTS: f64 = 0.002;
const AFTER_HOLE: f64 = 0.05;
/// Fewer are an incident.
const FEW: u64 = 10;

fn check(run: &Run) -> Vec<Outcome> {
    let targets = facts::targets(run);
    targets.iter().filter_map(|target| Some(judge(run, target, ends::host_of(target.server(run)?)))).collect()
}

fn judge(run: &Run, target: &facts::Target<'_>, host: &str) -> Outcome {
    let sum = |name: &str| {
        let windows = run.windows_of(WindowKind::Disk, target.name());
        windows
            .filter_map(|window| facts::grown(window, |counters| counters.snmp.get(name).copied()))
            .reduce(u64::saturating_add)
    };
    let (Some(out), Some(received)) = (sum("TcpOutSegs"), sum("TcpInSegs")) else {
        return facts::unread(&format!("the TCP counters while {} was measured", target.name()));
    };
    let (again, late) = (sum("TcpRetransSegs").unwrap_or(0), sum("TcpExtTCPOFOQueue").unwrap_or(0));
    let share = |part: u64, whole: u64| if part < FEW { 0.0 } else { part as f64 / whole.max(1) as f64 };
    let (sent_again, after_hole) = (share(again, out), share(late, received));
    if sent_again < SEGMENTS && after_hole < AFTER_HOLE {
        return Outcome::Passes;
    }
    RULE.finding(
        target.name(),
        format!(
            "the network below {} loses packets: TCP sent {again} of {out} segments again, {late} of {received} arrived \
             after a hole, while {host} answered",
            target.name()
        ),
    )
    .path(target.name())
    .measured(sent_again.max(after_hole), SEGMENTS, Unit::Ratio)
    .evidence(
        format!("TcpRetransSegs +{again}, TcpOutSegs +{out}, TcpExtTCPOFOQueue +{late}, TcpInSegs +{received}"),
        "/proc/net/snmp, /proc/net/netstat over the storage probe",
    )
    .limits(Cause::Symptom)
    .advice(
        because("Each lost segment stops all requests behind it on the connection for a round trip or a timeout.")
            .now("ethtool -S NIC | grep -iE 'err|drop'; the counters of the switch ports between")
            .now(format!("fullwire net {host} (with `fullwire serve` there): the same loss?"))
            .persist("mend the lossy link")
            .expecting("TcpRetransSegs stands still while the storage works"),
    )
    .into()
}
