use super::counted::{Counted, operations, transports};

rule! {
    /// # What it checks
    /// Passes when no transport of an NFS mount reconnected during the run. One reconnection of an idle mount is no
    /// fault: the client itself closes what is idle for five minutes. Counters that were read once are judged by what they
    /// came to since the mount: one reconnection a day that made the client send as many requests again is worth a note, and a
    /// warning where more than 0.1 % of all requests were sent again, or it was one an hour.
    /// # Why it matters
    /// All requests in flight are sent again on the new connection; meanwhile everything waits.
    /// # Evidence
    /// `connect_count` and `bad XIDs` of each transport in `/proc/self/mountstats`.
    /// # Remedy
    /// Firewalls that drop idle connections, a server that restarts, a duplicate address.
    /// # Source
    /// nfs-utils tools/mountstats (xprt: `connect_count`, bad xids).
    /// Linux net/sunrpc/xprtsock.c (`XS_IDLE_DISC_TO`, five minutes).
    code: "nfs-reconnects",
    title: "NFS connections drop and reconnect",
    layer: Storage, severity: Warning, on: [Mount],
    check: |run| run.host.mounts.iter().filter(|mount| mount.nfs.is_some()).map(|mount| judge(run, mount)).collect(),

    /// Share of requests sent again that `nfs-retransmits` does not tolerate either.
    const TOLERATED: f64 = 0.001;
}

fn judge(run: &Run, mount: &Mount) -> Outcome {
    let Some(counted) = Counted::of(run, mount) else {
        return facts::unwatched(run, &format!("the transports of {}", mount.target));
    };
    let span = counted.span;
    let count = Reconnections::of(&counted);
    let severity = if span.is_total() { count.weight(span) } else { count.weight_of_window() };
    let Some(severity) = severity else { return Outcome::Passes };
    let Reconnections { connects, bad, .. } = count;
    let when = span.when(connects);
    finding!(
        Kind::Mount.named(&mount.target),
        "NFS on {} reconnected {connects} times{when} and got {bad} answers to no request",
        mount.target,
    )
    .severity(severity)
    .measured(connects as f64, 0.0, Unit::Count)
    .evidence(
        format!("{}, {}", span.count("connect_count", connects), span.count("bad xids", bad)),
        "/proc/self/mountstats",
    )
    .because("A new connection sends every waiting request again.")
    .look("dmesg | grep -i nfs || true", "Shows when the server did not answer")
    .now("`ss -tni dst SERVER` before and after shows who closes")
    .persist("a firewall between client and filer must not drop idle connections before TCP keepalive")
    .expecting("connect_count no longer grows")
    .into()
}

/// What the transports of a mount counted.
struct Reconnections {
    /// Of all transports; since the mount without the first of each.
    connects: u64,
    /// Of the transport with most.
    most: u64,
    /// Answers to no request that was still open.
    bad: u64,
    /// Requests sent again, and all.
    again: u64,
    operations: u64,
}

impl Reconnections {
    fn of(counted: &Counted) -> Self {
        let connects = counted.sum(|counters| transports(counters, |transport| transport.connects));
        let first = counted.sum(|counters| counters.transports.len() as u64);
        let connects = if counted.span.is_total() { connects.saturating_sub(first) } else { connects };
        Self {
            connects,
            most: counted.sum(|counters| {
                counters.transports.iter().map(|transport| transport.connects).max().unwrap_or(0)
            }),
            bad: counted.sum(|counters| transports(counters, |transport| transport.bad_xids)),
            again: counted.sum(|counters| {
                let again = |one: &NfsOperation| one.transmissions.saturating_sub(one.operations);
                counters.operations.values().map(again).fold(0, u64::saturating_add)
            }),
            operations: counted.sum(|counters| operations(counters, |one| one.operations)),
        }
    }

    /// Once is how an idle connection comes back; while requests waited for it they are sent again.
    fn weight_of_window(&self) -> Option<Severity> {
        let idle = self.most <= 1 && self.again == 0;
        (!idle || self.bad > 1).then_some(RULE.severity)
    }

    /// An idle connection comes back each morning and sends nothing again; a takeover of the filer sends much again, once.
    fn weight(&self, span: Span) -> Option<Severity> {
        let often = span.a_day(self.connects) >= 1.0 && self.again >= self.connects;
        let felt = self.again as f64 > TOLERATED * self.operations as f64 || span.has(self.connects, 1);
        often.then_some(if felt { RULE.severity } else { Severity::Info })
    }
}
