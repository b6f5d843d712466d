use super::counted::{Counted, operations};

rule! {
    /// # What it checks
    /// Passes unless more than 0.1 % of the NFS operations were retransmitted in a window, or a request ran into a major
    /// timeout. Counters that were read once are judged by what they came to since the mount: from ten an hour on, as a
    /// warning where they are more than 0.1 %. A major timeout alone then says no more than that the server was away once.
    /// # Why it matters
    /// Each retransmission means a timeout before it: a commit waited for it. Loss on the wire, or a server that
    /// does not answer.
    /// # Evidence
    /// transmissions - operations, and major timeouts, in `/proc/self/mountstats` over each window, or over the mount's
    /// age; of recordings without mounts (`sar -n NFS`) the calls of the client, `/proc/net/rpc/nfs`.
    /// # Remedy
    /// The network rules tell of loss (over TCP the client asks again only after a minute); otherwise look at the filer.
    /// # Source
    /// nfsiostat(8), retrans; atop(1) (NFS retransmissions); kernel net/sunrpc (major timeout).
    code: "nfs-retransmits",
    title: "NFS requests are retransmitted",
    layer: Storage, severity: Warning, on: [Mount, NfsClient], limits: [Loss],

    /// Share of calls sent again; over TCP it should be none (nfsstat(8)).
    const TOLERATED: f64 = 0.001;
    /// Requests sent again in a window that are no accident (own choice).
    const FEW: u64 = 3;
    /// The same in an hour since the mount (own choice).
    const FEW_AN_HOUR: u64 = 10;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut mounts = run.host.mounts.iter().filter(|mount| mount.nfs.is_some()).peekable();
    if mounts.peek().is_none() {
        return of_client(run).into_iter().collect();
    }
    mounts.map(|mount| judge(run, mount)).collect()
}

/// All mounts together, where a recording tells of none of its own.
fn of_client(run: &Run) -> Option<Outcome> {
    let grown = |place: usize| {
        let each = facts::recorded(run)
            .filter_map(|window| facts::grown(window, |counters| Some(counters.rpc_client?[place])));
        each.reduce(u64::saturating_add)
    };
    let (calls, again) = (grown(0)?, grown(1)?);
    let share = if calls == 0 { 0.0 } else { again as f64 / calls as f64 };
    if is_tolerated(again, share) {
        return Some(Outcome::Passes);
    }
    let finding = finding!(Kind::NfsClient.only(), "the NFS client sent {again} of {calls} requests again")
        .measured(share, TOLERATED, Unit::Ratio)
        .evidence(format!("calls +{calls}, retransmissions +{again}"), "/proc/net/rpc/nfs")
        .advice(advice());
    Some(finding.into())
}

/// A request that is still on its way at the end of a window is counted as sent, not as done.
fn is_tolerated(again: u64, share: f64) -> bool {
    again < FEW || share <= TOLERATED
}

fn judge(run: &Run, mount: &Mount) -> Outcome {
    let Some(counted) = Counted::of(run, mount) else {
        return facts::unwatched(run, &format!("the NFS counters of {}", mount.target));
    };
    let Counted { span, .. } = counted;
    let sum = |pick: fn(&NfsOperation) -> u64| counted.sum(|counters| operations(counters, pick));
    let operations = sum(|operation| operation.operations);
    let again = sum(|operation| operation.transmissions).saturating_sub(operations);
    let timeouts = sum(|operation| operation.timeouts);
    let share = if operations == 0 { 0.0 } else { again as f64 / operations as f64 };
    let Some(severity) = weight(span, (again, timeouts), share) else { return Outcome::Passes };
    finding!(
        Kind::Mount.named(&mount.target),
        "NFS on {} sent {again} of {operations} requests again ({timeouts} major timeouts){}",
        mount.target,
        if span.is_total() {
            let felt = if share > TOLERATED { format!(", {:.1} %", share * 100.0) } else { String::new() };
            format!("{felt}{}", span.when(again))
        } else {
            String::new()
        },
    )
    .severity(severity)
    .measured(share, TOLERATED, Unit::Ratio)
    .evidence(
        [("operations", operations), ("retransmissions", again), ("major timeouts", timeouts)]
            .map(|(name, count)| span.count(name, count))
            .join(", "),
        "/proc/self/mountstats",
    )
    .explains(explain::targets_in(run, &mount.target, Mechanism::Loss))
    .advice(advice())
    .into()
}

fn advice() -> Advice {
    because("A retransmission happens only after a timeout: the request waited all that time.")
        .look("nstat -az TcpRetransSegs", "Run it twice: does TCP retransmit?")
        .now("`ethtool -S` of the interface, and `fullwire net` to the filer")
        .persist("Repair the lossy link, or relieve the filer")
        .expecting("no growth of retrans in `nfsstat -rc`")
}

fn weight(span: Span, (again, timeouts): (u64, u64), share: f64) -> Option<Severity> {
    if span.is_total() {
        // Of a request with a major timeout each waited its whole time, or failed if the mount is soft.
        if span.has(timeouts, FEW_AN_HOUR) {
            return Some(RULE.severity);
        }
        return span.weight((again, FEW_AN_HOUR), share > TOLERATED, RULE.severity);
    }
    (timeouts > 0 || !is_tolerated(again, share)).then_some(RULE.severity)
}
