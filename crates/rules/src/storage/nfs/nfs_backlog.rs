//! # What it checks
//! Passes when the mean backlog of the transports of a mount stays below one request over a probe.
//!
//! # Why it matters
//! Requests wait for a slot of the RPC table before they may even be sent.
//!
//! # Evidence
//! `backlog` over `sends` of each transport in `/proc/self/mountstats`.
//!
//! # Remedy
//! A slot table of 128, more connections by `nconnect`.
//!
//! # Source
//! nfsiostat(8), rpc bklog (length of the backlog queue).

use crate::advice::{AdviceExt, because, sh};
use crate::explain;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Advice, Layer, Mechanism, Risk, Severity};
use fullwire_model::counters::NfsTransport;
use fullwire_model::host::Mount;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "nfs-backlog",
    title: "NFS requests queue in front of the connection",
    layer: Layer::Storage,
    severity: Severity::Warning,
    check,
};

/// Calls that wait for a slot on average.
const NOTABLE: f64 = 1.0;

/// The table grows when a connection is made: at the next mount.
fn more_slots(run: &Run) -> Advice {
    const NAME: &str = "sunrpc.tcp_max_slot_table_entries";
    let before = run.host.sysctl(NAME).unwrap_or("65536");
    because("")
        .run(sh!("sysctl -w {}=128", NAME), "Allows 128 requests on connections made from now on")
        .now("Unmount and mount the file system again: a connection keeps the slots that it was created with")
        .risk(Risk::Downtime)
        .needs("the database is stopped")
        .undo_run(sh!("sysctl -w {}={}", NAME, before.trim()), "Sets the limit back for new connections")
}

fn check(run: &Facts) -> Vec<Outcome> {
    run.host.mounts.iter().filter(|mount| mount.nfs.is_some()).map(|mount| judge(run, mount)).collect()
}

fn judge(run: &Run, mount: &Mount) -> Outcome {
    let sum = |pick: fn(&NfsTransport) -> u64| {
        facts::grown_in_all(run, move |counters| {
            Some(counters.nfs.get(&mount.target)?.transports.iter().map(pick).fold(0, u64::saturating_add))
        })
    };
    let (Some(backlog), Some(sends)) = (sum(|transport| transport.backlog), sum(|transport| transport.sends))
    else {
        return facts::unwatched(run, &format!("the transports of {}", mount.target));
    };
    let mean = if sends == 0 { 0.0 } else { backlog as f64 / sends as f64 };
    if mean < NOTABLE {
        return Outcome::Passes;
    }
    RULE.finding(&mount.target, format!("NFS requests on {} queue up: {mean:.1} wait for a slot on average", mount.target))
        .measured(mean, NOTABLE, Unit::Count)
        .evidence(format!("backlog +{backlog} over {sends} sends"), "/proc/self/mountstats")
        .explains(explain::targets_in(run, &mount.target, Mechanism::NfsQueue))
        .advice(
            because("The slot table is the queue depth; further requests wait in the client.")
.and(more_slots(run))
.persist_run("echo 'options sunrpc tcp_slot_table_entries=128 tcp_max_slot_table_entries=128' > /etc/modprobe.d/99-z-fullwire-sunrpc.conf", "Used when the module is loaded")
.persist("Or nconnect=8 in the line of /etc/fstab (Linux 5.3 or later)")
.undo_run("rm -f /etc/modprobe.d/99-z-fullwire-sunrpc.conf", "Removes the permanent setting")
                .expecting("rpc bklog 0 in `nfsiostat`"),
        )
        .into()
}
