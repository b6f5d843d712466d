rule! {
    /// # What it checks
    /// Applies to ports of RDMA adapters; passes when hardly any packet of RDMA is lost, and the network marks few as
    /// congested. So many damaged symbols or packets are a bad link.
    /// # Why it matters
    /// RDMA over Ethernet (RoCE) counts on a network that loses nothing: after a loss all is sent again from there. NVMe over
    /// RDMA, iSER and a cluster's interconnect stall for as long.
    /// # Evidence
    /// `hw_counters` of the port: `out_of_sequence`, `packet_seq_err`, `implied_nak_seq_err`, `local_ack_timeout_err`; and of
    /// congestion `np_cnp_sent`, `rp_cnp_handled`. `counters` of the port: `port_rcv_errors`, `symbol_error`.
    /// # Remedy
    /// PFC and ECN set alike on hosts and switches; repair what loses. Of a bad link cable and transceiver.
    /// # Source
    /// Linux Documentation/ABI/stable/sysfs-class-infiniband; NVIDIA, Understanding mlx5 Linux Counters and Status Parameters;
    /// InfiniBand Architecture Specification, Annex A17 (`RoCEv2`, congestion notification).
    code: "rdma-loss",
    title: "an RDMA port loses packets or is told of congestion",
    layer: Network, severity: Warning, on: [Adapter],

    /// Losses a second that are no accident (own choice).
    const LOST_A_SECOND: f64 = 1.0;
    /// Notifications a second from which on they are felt (own choice; some are how congestion control works).
    const MARKED_A_SECOND: f64 = 1000.0;
}

/// Counters of one meaning, how bad it is, what it says of the port, and how many a second are an accident.
type Meaning = (&'static [&'static str], Severity, &'static str, f64);

/// The worst first. `InfiniBand` allows one damaged symbol in 10^12.
const MEANINGS: [Meaning; 3] = [
    (&["port_rcv_errors", "symbol_error"], Severity::Warning, "has a bad link", LOST_A_SECOND),
    (
        &["out_of_sequence", "packet_seq_err", "implied_nak_seq_err", "local_ack_timeout_err"],
        Severity::Warning,
        "loses packets of RDMA",
        LOST_A_SECOND,
    ),
    (
        &["np_cnp_sent", "rp_cnp_handled"],
        Severity::Info,
        "is told of congestion on its network",
        MARKED_A_SECOND,
    ),
];

fn check(run: &Facts) -> Vec<Outcome> {
    let counted = run.windows.iter().flat_map(|window| window.to.errors.keys());
    let ports: BTreeSet<&str> = counted
        .filter_map(|key| key.rsplit_once('/'))
        .filter(|(_, name)| MEANINGS.iter().any(|(names, ..)| names.contains(name)))
        .map(|(port, _)| port)
        .collect();
    ports.into_iter().map(|port| judge(run, port)).collect()
}

fn judge(run: &Facts, port: &str) -> Outcome {
    let own = side::own(run);
    let grown = |name: &&'static str| {
        let key = format!("{port}/{name}");
        Some((*name, own.counted(|counters| counters.errors.get(&key).copied())?))
    };
    let a_second = |growth: side::Growth| growth.count as f64 / growth.seconds.max(1.0);
    let fastest = |meaning: &'static Meaning| {
        let (name, growth) = meaning.0.iter().filter_map(grown).max_by_key(|(_, growth)| growth.count)?;
        Some((meaning, name, growth))
    };
    let counted: Vec<_> = MEANINGS.iter().filter_map(fastest).collect();
    if counted.is_empty() {
        return unknown!("the counters of {port} were not read over a window");
    }
    let many = counted.into_iter().find(|(meaning, _, growth)| a_second(*growth) >= meaning.3);
    let Some(((_, severity, what, allowed), name, growth)) = many else { return Outcome::Passes };
    let (adapter, number) = port.split_once('/').unwrap_or((port, "1"));
    finding!(
        Kind::Adapter.named(port),
        "RDMA port {port} {what}: {name} {:.0} a second{}", a_second(growth), growth.when(),
    )
    .severity(*severity)
    .measured(a_second(growth), *allowed, Unit::PerS)
    .evidence(growth.span().count(name, growth.count), format!("/sys/class/infiniband/{adapter}/ports/{number}"))
    .because("What follows a lost packet is sent again as well: latency jumps, and throughput falls far more than the share that is lost.")
    .look(
        sh!("grep -s . /sys/class/infiniband/{}/ports/{}/*counters/* || true", adapter, number),
        "Shows the counters; run it twice to see which grow",
    )
    .now("`mlnx_qos -i NIC` or `dcb pfc show dev NIC`: one priority has PFC, the same on all hosts and switch ports; then the discards of that priority on the switches")
    .persist("PFC for the priority of RoCE and ECN on every switch of the way; repair the link that drops (cable, transceiver)")
    .expecting("the counters do not grow under load")
    .into()
}
