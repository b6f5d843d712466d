//! # What it checks
//! No transport of an NFS mount reconnected during the run.
//!
//! # Why it matters
//! All requests in flight are sent again on the new connection; meanwhile everything waits.
//!
//! # Evidence
//! `connect_count` and `bad XIDs` of each transport in `/proc/self/mountstats`.
//!
//! # Remedy
//! Firewalls that drop idle connections, a server that restarts, a duplicate address.
//!
//! # Source
//! nfs-utils tools/mountstats (xprt: `connect_count`, bad xids).

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::counters::NfsTransport;
use fullwire_model::host::Mount;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "nfs-reconnects",
    title: "NFS connections are lost and made again",
    layer: Layer::Storage,
    severity: Severity::Warning,
    text: include_str!("nfs_reconnects.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    run.host.mounts.iter().filter(|mount| mount.nfs.is_some()).map(|mount| judge(run, mount)).collect()
}

fn judge(run: &Run, mount: &Mount) -> Outcome {
    let sum = |pick: fn(&NfsTransport) -> u64| {
        facts::grown_in_all(run, move |counters| {
            Some(counters.nfs.get(&mount.target)?.transports.iter().map(pick).sum())
        })
    };
    let (Some(connects), Some(bad)) =
        (sum(|transport| transport.connects), sum(|transport| transport.bad_xids))
    else {
        return facts::unread(&format!("the transports of {}", mount.target));
    };
    if connects == 0 && bad <= 1 {
        return Outcome::Passes;
    }
    RULE.finding(
        &mount.target,
        format!("NFS on {} reconnected {connects} times and got {bad} answers to no request", mount.target),
    )
    .measured(connects as f64, 0.0, Unit::Count)
    .evidence(format!("connect_count +{connects}, bad xids +{bad}"), "/proc/self/mountstats")
    .advice(
        because("A new connection sends every waiting request again.")
            .now("dmesg | grep -i nfs; ss -tni dst SERVER    # who closes?")
            .persist(
                "a firewall between client and filer must not drop idle connections before TCP keepalive",
            )
            .expecting("connect_count that stands still"),
    )
    .into()
}
