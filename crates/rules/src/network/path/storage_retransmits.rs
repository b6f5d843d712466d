rule! {
    /// # What it checks
    /// Passes when fewer than 0.1 % of the segments sent were retransmitted and fewer than 2 % of those received were
    /// out of sequence while storage behind TCP (NFS, iSCSI) was measured.
    /// # Why it matters
    /// Each lost segment stops all requests behind it on the connection, for a round trip or for a timeout of 200 ms
    /// and more: the disks wait for the wire. No counter of the storage shows it.
    /// # Evidence
    /// `TcpRetransSegs` over `TcpOutSegs`, `TcpExtTCPOFOQueue` (segments that came after a hole, some for each loss)
    /// over `TcpInSegs`, over the windows of the storage probe. They are of the whole host.
    /// # Remedy
    /// The lossy link between host and filer: error counters of NIC and switch ports, queues that are too short.
    /// # Source
    /// Linux `Documentation/networking/snmp_counter.rst`; RFC 6298 (retransmission timer). From the lab: where 2 % are
    /// lost each way under iSCSI, 0.25 to 0.36 % of all segments of a mixed load were sent again and 4.3 to 4.5 % came
    /// after a hole.
    code: "storage-retransmits",
    title: "the storage network loses packets",
    layer: Network, severity: Warning, on: [Target, Disk], limits: [Loss],

    /// Of segments that arrived after a hole, which one loss makes many of.
    const AFTER_HOLE: f64 = 0.02;
    /// Fewer are an incident.
    const FEW: u64 = 10;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let targets = facts::targets(run);
    let behind_tcp = targets.iter().filter(|target| over_tcp(target));
    behind_tcp.filter_map(|target| Some(judge(run, target, route::host_of(target.server(run)?)))).collect()
}

/// NFS may also go over UDP or RDMA; iSCSI may not.
fn over_tcp(target: &facts::Target<'_>) -> bool {
    let nfs = target.mount.and_then(|mount| mount.nfs.as_ref());
    nfs.is_none_or(|nfs| nfs.protocol.starts_with("tcp"))
}

/// What TCP did while a target was measured: segments of the whole host.
struct Segments {
    out: u64,
    again: u64,
    received: u64,
    after_hole: u64,
}

impl Segments {
    fn of(run: &Run, target: &facts::Target<'_>) -> Option<Self> {
        let sum = |name: &str| {
            let windows = run.windows_of(WindowKind::Disk, target.name());
            windows
                .filter_map(|window| facts::grown(window, |counters| counters.snmp.get(name).copied()))
                .reduce(u64::saturating_add)
        };
        Some(Self {
            out: sum("TcpOutSegs")?,
            again: sum("TcpRetransSegs")?,
            received: sum("TcpInSegs")?,
            after_hole: sum("TcpExtTCPOFOQueue").unwrap_or(0),
        })
    }

    /// The larger excess over its bound: the share of segments sent again, or of those that came after a hole.
    fn excess(&self) -> Option<(f64, f64)> {
        let share = |part: u64, whole: u64| if part < FEW { 0.0 } else { part as f64 / whole.max(1) as f64 };
        let shares = [
            (share(self.again, self.out), stream::MUCH_LOST),
            (share(self.after_hole, self.received), AFTER_HOLE),
        ];
        let worst = shares.into_iter().max_by(|one, other| (one.0 / one.1).total_cmp(&(other.0 / other.1)));
        worst.filter(|(share, bound)| share >= bound)
    }
}

fn judge(run: &Run, target: &facts::Target<'_>, host: &str) -> Outcome {
    let Some(segments) = Segments::of(run, target) else {
        return facts::unread(&format!("the TCP counters while {} was measured", target.name()));
    };
    let Some((share, bound)) = segments.excess() else { return Outcome::Passes };
    let sent = segments.again >= FEW && segments.again as f64 >= stream::MUCH_LOST * segments.out as f64;
    let Segments { out, again, received, after_hole } = segments;
    finding!(
        Kind::Target.named(target.name()),
        "the network below {} loses packets: TCP retransmitted {again} of {out} segments, and {after_hole} of {received} arrived out of sequence, while {host} answered",
        target.name(),
    )
    .measured(share, bound, Unit::Ratio)
    .evidence(
        format!("TcpRetransSegs +{again}, TcpOutSegs +{out}, TcpExtTCPOFOQueue +{after_hole}, TcpInSegs +{received}"),
        "/proc/net/snmp, /proc/net/netstat over the storage probe",
    )
    // A lost request delays reads as well; what is lost of the answers delays no write.
    .explains(explain::steps(target.result, Mechanism::Loss, |step| sent || step.operation != Operation::Write))
    .because("Each lost segment stops all requests behind it on the connection for a round trip or a timeout.")
    .now("ethtool -S NIC | grep -iE 'err|drop'; the counters of the switch ports between")
    .now(format!("`fullwire net {host}` (with `fullwire serve` there): the same loss?", host = as_word(host)))
    .persist("fix the lossy link")
    .expecting("TcpRetransSegs no longer grows while the storage works")
    .into()
}
