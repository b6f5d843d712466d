//! # What it checks
//! Passes when no transport of an NFS mount reconnected during the run. One reconnection of an idle mount is no
//! fault: the client itself closes what is idle for five minutes.
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
//! Linux net/sunrpc/xprtsock.c (`XS_IDLE_DISC_TO`, five minutes).

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::counters::NfsTransport;
use fullwire_model::host::Mount;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "nfs-reconnects",
    title: "NFS connections drop and reconnect",
    layer: Layer::Storage,
    severity: Severity::Warning,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    run.host.mounts.iter().filter(|mount| mount.nfs.is_some()).map(|mount| judge(run, mount)).collect()
}

fn judge(run: &Run, mount: &Mount) -> Outcome {
    let sum = |pick: fn(&NfsTransport) -> u64| {
        facts::grown_in_all(run, move |counters| {
            Some(counters.nfs.get(&mount.target)?.transports.iter().map(pick).fold(0, u64::saturating_add))
        })
    };
    let (Some(connects), Some(bad)) =
        (sum(|transport| transport.connects), sum(|transport| transport.bad_xids))
    else {
        return facts::unwatched(run, &format!("the transports of {}", mount.target));
    };
    let most = facts::grown_in_all(run, |counters| {
        let transports = &counters.nfs.get(&mount.target)?.transports;
        Some(transports.iter().map(|transport| transport.connects).max().unwrap_or(0))
    });
    let again = facts::grown_in_all(run, |counters| {
        let operations = counters.nfs.get(&mount.target)?.operations.values();
        Some(
            operations
                .map(|one| one.transmissions.saturating_sub(one.operations))
                .fold(0, u64::saturating_add),
        )
    });
    // Once is how an idle connection comes back; while requests waited for it they are sent again.
    let idle = most.unwrap_or(connects) <= 1 && again.unwrap_or(0) == 0;
    if idle && bad <= 1 {
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
            .run("dmesg | grep -i nfs || true", "Shows when the server did not answer")
            .now("`ss -tni dst SERVER` before and after shows who closes")
            .persist(
                "a firewall between client and filer must not drop idle connections before TCP keepalive",
            )
            .expecting("connect_count no longer grows"),
    )
    .into()
}
