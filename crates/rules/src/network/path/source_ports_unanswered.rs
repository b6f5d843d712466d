use fullwire_model::reach::SourcePorts;

rule! {
    /// # What it checks
    /// Passes when new connections to a peer are answered whatever source port they leave from.
    /// # Why it matters
    /// Bonds, switches and routers choose a link by a hash over addresses and ports. If one of these links drops everything,
    /// some connections hang until they time out while others run at full speed: a listener looks flaky, a standby reconnects
    /// again and again, and a test that opens one connection passes or fails by chance.
    /// # Evidence
    /// Sixteen connections from different source ports, each with three attempts: those that nothing answered.
    /// # Remedy
    /// Find the dead link: the members of the bond at both ends, the link aggregation of the switches between them.
    /// # Source
    /// Linux Documentation/networking/bonding.rst, `xmit_hash_policy` (layer3+4: the link follows from addresses and ports) and
    /// `miimon` (without it a member that is down stays in use). RFC 6298 section 2.1: an attempt is repeated after one second.
    code: "source-ports-unanswered",
    title: "connections from some source ports get no answer",
    layer: Network, severity: Critical, on: [Path],
    check: |run| run.peers.iter().filter(|peer| !peer.loopback).map(judge).collect(),

    /// Loss takes all three attempts of one port now and then: of 16 ports at 20 % loss, of one in 5 looks, and of two in 100.
    const BY_LOSS: u64 = 1;
}

fn judge(peer: &Peer) -> Outcome {
    let Some(reach) = &peer.reach else { return unknown!("source ports to {} were not tried", peer.target) };
    if reach.addresses.iter().all(|address| address.connect_min_ns.is_none()) {
        return unknown!("{} answered no connection", peer.target);
    }
    match &reach.source_ports {
        Some(ports) if ports.unanswered > BY_LOSS && ports.unanswered < ports.tried => fires(peer, ports),
        _ => Outcome::Passes,
    }
}

fn fires(peer: &Peer, ports: &SourcePorts) -> Outcome {
    let address = route::host_of(&ports.address);
    finding!(
        Kind::Path.named(&peer.target),
        "{} of {} connections to {} got no answer, depending on their source port: one of several links on the way drops everything",
        ports.unanswered, ports.tried, peer.target,
    )
    .measured(ports.unanswered as f64 / ports.tried as f64, 0.0, Unit::Ratio)
    .evidence(
        format!("{} of {} source ports unanswered after three attempts each, to {}", ports.unanswered, ports.tried, ports.address),
        "probe",
    )
    .because("A hash over addresses and ports sends these connections over a link that is dead, or that the far side does not know.")
    .look(sh!("ip route get {}", address), "Shows the interface that leads there: if it is a bond, look at its members first")
    .look("grep -H -E 'Slave Interface|MII Status|Aggregator ID|Partner Mac' /proc/net/bonding/* /dev/null", "Shows members that are down, or in another aggregator than the rest; the same on the peer")
    .now("On the switches: look for a port of the link aggregation that is up but not a member, and for equal-cost routes of which one leads nowhere")
    .expecting("every source port is answered")
    .into()
}
