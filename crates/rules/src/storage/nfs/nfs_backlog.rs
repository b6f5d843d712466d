use super::counted::{Counted, transports};

rule! {
    /// # What it checks
    /// Passes when the mean backlog of the transports of a mount stays below one request over a probe. Counters that were
    /// read once are judged by what they came to since the mount, where what a program waits for spent longer in the client's
    /// queue than on the network and in the server: pages that the kernel writes back queue up as well, and nobody waits.
    /// # Why it matters
    /// Requests wait for a slot of the RPC table before they may even be sent.
    /// # Evidence
    /// `backlog` over `sends` of each transport in `/proc/self/mountstats`.
    /// # Remedy
    /// A slot table of 128, more connections by `nconnect`.
    /// # Source
    /// nfsiostat(8), rpc bklog (length of the backlog queue).
    code: "nfs-backlog",
    title: "NFS requests queue in front of the connection",
    layer: Storage, severity: Warning, on: [Mount], limits: [NfsQueue],
    check: |run| run.host.mounts.iter().filter(|mount| mount.nfs.is_some()).map(|mount| judge(run, mount)).collect(),

    /// Calls that wait for a slot on average.
    const NOTABLE: f64 = 1.0;
    /// As many as NFS filers recommend; more only let the backlog move on to the filer.
    const SLOTS: u64 = 128;
}

/// The table grows when a connection is made: at the next mount. One that may grow further is not what they wait for.
fn advice(run: &Run, mount: &Mount) -> Advice {
    const NAME: &str = "sunrpc.tcp_max_slot_table_entries";
    const WHY: &str =
        "The slot table is the queue depth of a connection; further requests wait in the client.";
    if mount.nfs.as_ref().is_some_and(super::is_rdma) {
        return because(WHY)
            .persist("A larger sunrpc.rdma_slot_table_entries before the next mount: the slots of TCP and nconnect are none of RDMA");
    }
    let Some(before) = run.host.sysctl_number(NAME).filter(|most| *most < SLOTS) else {
        return more_connections(run, mount, WHY);
    };
    because(WHY)
        .run(
            sh!("sysctl -w {}={}", NAME, SLOTS),
            format!("Allows {SLOTS} requests on connections made from now on"),
        )
        .and(super::keep_slots(&run.host))
        .persist("Or nconnect=8 in the line of /etc/fstab (Linux 5.3 or later)")
        .undo_run(sh!("sysctl -w {}={}", NAME, before), "Sets the limit back for new connections")
}

fn judge(run: &Run, mount: &Mount) -> Outcome {
    let Some(counted) = Counted::of(run, mount) else {
        return facts::unwatched(run, &format!("the transports of {}", mount.target));
    };
    let span = counted.span;
    let sum = |pick: fn(&NfsTransport) -> u64| counted.sum(|counters| transports(counters, pick));
    let (backlog, sends) = (sum(|transport| transport.backlog), sum(|transport| transport.sends));
    let mean = if sends == 0 { 0.0 } else { backlog as f64 / sends as f64 };
    if mean < NOTABLE {
        return Outcome::Passes;
    }
    if span.is_total() && counted.queued().is_none() {
        return unknown!(
            "{mean:.1} NFS requests on {} waited for a slot on average, maybe pages that the kernel wrote back",
            mount.target
        );
    }
    let (verb, when) = if span.is_total() {
        ("queued up", format!(" {}", span.text()))
    } else {
        ("queue up", String::new())
    };
    let wait = if span.is_total() { "waited" } else { "wait" };
    finding!(
        Kind::Mount.named(&mount.target),
        "NFS requests on {} {verb}: {mean:.1} {wait} for a slot on average{when}",
        mount.target,
    )
    .measured(mean, NOTABLE, Unit::Count)
    .evidence(format!("{} over {sends} sends", span.count("backlog", backlog)), "/proc/self/mountstats")
    .explains(explain::targets_in(run, &mount.target, Mechanism::NfsQueue))
    .advice(advice(run, mount).expecting("rpc bklog 0 in `nfsiostat`"))
    .into()
}
