//! # What it checks
//! In no window more than 0.1 % of the NFS operations were retransmitted, and no request ran into a major
//! timeout. While NFS was measured, TCP below it had to send hardly a segment again.
//!
//! # Why it matters
//! Each retransmission means a timeout before it: a commit waited for it. Loss on the wire, or a server that
//! does not answer.
//!
//! # Evidence
//! transmissions - operations, and major timeouts, in `/proc/self/mountstats` over each window; `TcpRetransSegs`
//! over `TcpOutSegs` and `TcpExtTCPOFOQueue` (segments that came after a hole) over `TcpInSegs` over the windows of
//! the storage probe: over TCP the client asks again only after a minute, loss shows in the segments alone.
//!
//! # Remedy
//! The network rules tell of loss; otherwise look at the filer.
//!
//! # Source
//! nfsiostat(8), retrans; atop(1) (NFS retransmissions); kernel net/sunrpc (major timeout).

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::counters::NfsOperation;
use fullwire_model::host::Mount;
use fullwire_model::quantity::Unit;
use fullwire_model::{Run, WindowKind};

pub(super) const RULE: Rule = Rule {
    code: "nfs-retransmits",
    title: "NFS requests are sent again",
    layer: Layer::Storage,
    severity: Severity::Warning,
    text: include_str!("nfs_retransmits.rs"),
    check,
};

const TOLERATED: f64 = 0.001;
/// Of segments sent again on a LAN; of segments that arrived after a hole, which one loss makes many of.
const SEGMENTS: f64 = 0.002;
const AFTER_HOLE: f64 = 0.05;
/// Fewer are an incident.
const FEW: u64 = 10;

fn check(run: &Run) -> Vec<Outcome> {
    run.host.mounts.iter().filter(|mount| mount.nfs.is_some()).map(|mount| judge(run, mount)).collect()
}

fn judge(run: &Run, mount: &Mount) -> Outcome {
    let sum = |pick: fn(&NfsOperation) -> u64| {
        facts::grown_in_all(run, move |counters| {
            Some(counters.nfs.get(&mount.target)?.operations.values().map(pick).sum())
        })
    };
    let Some(operations) = sum(|operation| operation.operations) else {
        return facts::unread(&format!("the NFS counters of {}", mount.target));
    };
    let again = sum(|operation| operation.transmissions).unwrap_or(0).saturating_sub(operations);
    let timeouts = sum(|operation| operation.timeouts).unwrap_or(0);
    let share = if operations == 0 { 0.0 } else { again as f64 / operations as f64 };
    // A request that is still on its way at the end of a window is counted as sent, not as done.
    if timeouts == 0 && (again <= 2 || share <= TOLERATED) {
        return by_transport(run, mount).unwrap_or(Outcome::Passes);
    }
    RULE.finding(
        &mount.target,
        format!(
            "NFS on {} sent {again} of {operations} requests again ({timeouts} major timeouts)",
            mount.target
        ),
    )
    .measured(share, TOLERATED, Unit::Ratio)
    .evidence(
        format!("operations +{operations}, retransmissions +{again}, major timeouts +{timeouts}"),
        "/proc/self/mountstats",
    )
    .limits(Cause::Symptom)
    .advice(
        because("A retransmission happens only after a timeout: the request waited all that time.")
            .now(
                "nstat -az TcpRetransSegs; ethtool -S NIC | grep -iE 'err|drop'; `fullwire net` to the filer",
            )
            .persist("mend the lossy link; or the filer's load")
            .expecting("no growth of retrans in `nfsstat -rc`"),
    )
    .into()
}

/// What TCP did over the windows of the storage probe, where that measured this mount.
fn by_transport(run: &Run, mount: &Mount) -> Option<Outcome> {
    let measured = run.disk.iter().any(|result| result.mount_point == mount.target);
    let over_tcp = mount.nfs.as_ref().is_some_and(|nfs| nfs.protocol.starts_with("tcp"));
    if !measured || !over_tcp {
        return None;
    }
    let sum = |name: &str| -> u64 {
        let own = facts::windows(run).filter(|window| window.kind == WindowKind::Disk);
        own.filter_map(|window| facts::grown(window, |counters| counters.snmp.get(name).copied())).sum()
    };
    let (out, again) = (sum("TcpOutSegs"), sum("TcpRetransSegs"));
    let (received, late) = (sum("TcpInSegs"), sum("TcpExtTCPOFOQueue"));
    let share = |part: u64, whole: u64| if part < FEW { 0.0 } else { part as f64 / whole.max(1) as f64 };
    let (sent_again, after_hole) = (share(again, out), share(late, received));
    if sent_again < SEGMENTS && after_hole < AFTER_HOLE {
        return None;
    }
    let finding = RULE
        .finding(
            &mount.target,
            format!(
                "the network under NFS on {} loses packets: TCP sent {again} of {out} segments again, {late} of {received} \
                 arrived after a hole",
                mount.target
            ),
        )
        .measured(sent_again.max(after_hole), SEGMENTS, Unit::Ratio)
        .evidence(
            format!("TcpRetransSegs +{again}, TcpOutSegs +{out}, TcpExtTCPOFOQueue +{late}, TcpInSegs +{received}"),
            "/proc/net/snmp, /proc/net/netstat over the storage probe",
        )
        .limits(Cause::Symptom)
        .advice(
            because("Each lost segment stops all requests behind it on the connection for a round trip or a timeout.")
                .now("ethtool -S NIC | grep -iE 'err|drop'; the counters of the switch ports; `fullwire net` toward the filer's network")
                .persist("mend the lossy link")
                .expecting("TcpRetransSegs stands still while NFS works"),
        );
    Some(finding.into())
}
