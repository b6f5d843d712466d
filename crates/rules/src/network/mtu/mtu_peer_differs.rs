rule! {
    /// # What it checks
    /// Passes when the MTU of the interface toward a peer and of the peer's own interface are the same, where both are
    /// in one network. Two networks may differ: the router between them reports what fits. It is a finding there only
    /// where most datagrams were lost. Where streams were measured, most datagrams arrived and no cluster sends its blocks as datagrams,
    /// it is a note: TCP does without.
    /// # Why it matters
    /// TCP hides the difference, for each end announces its segment size: jumbo frames are simply not used. UDP
    /// does not: a block sent in packets that the smaller end does not take is lost.
    /// # Evidence
    /// MTU of both interfaces, as each end reports it; path MTU.
    /// # Remedy
    /// One MTU on every interface and switch port of the network: raise the smaller one if all switches allow
    /// it, otherwise lower the larger one.
    /// # Source
    /// RFC 1191 (path-MTU discovery); RFC 9293 section 3.7.1 (maximum segment size option); NetApp ontap-apps-dbs,
    /// Ethernet settings (TCP hides an endpoint mismatch, UDP does not); MOS 1945838.1 (same MTU on all nodes).
    code: "mtu-peer-differs",
    title: "the two ends have different MTUs",
    layer: Network, severity: Warning, on: [Path], limits: [MtuFault, MtuSmall],

    /// Of the datagrams: what does not fit never arrives, and a loss of fewer has another cause (own choice).
    const MOST: f64 = 0.5;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let probed = run.mtu.iter().map(|result| {
        let mtus = [result.interface_mtu_bytes, result.peer_interface_mtu_bytes];
        judge(run, &result.target, &route::path_of(run, result), [&result.remote, &result.interface], mtus)
    });
    // Without a path-MTU probe the records of both hosts tell.
    let told = run.net.iter().filter(|result| !result.path.loopback).filter_map(|result| {
        let probed = run.mtu.iter().any(|mtu| route::path_of(run, mtu) == result.target);
        let first = run
            .net
            .iter()
            .find(|other| other.target == result.target)
            .is_some_and(|other| other.probe == result.probe);
        let (near, far) = (interface::nic_toward(run, result)?, interface::peer_nic(run, result)?);
        let mtus = [near.mtu_bytes, far.mtu_bytes];
        let target = &result.target;
        (!probed && first).then(|| judge(run, target, target, [route::remote(result), &near.name], mtus))
    });
    probed.chain(told).collect()
}

fn judge(
    run: &Run,
    target: &PathName,
    path: &PathName,
    [remote, nic]: [&str; 2],
    mtus: [Option<u64>; 2],
) -> Outcome {
    let [Some(near), Some(far)] = mtus else {
        return unknown!("the MTU of the interface of {target} is not known");
    };
    if near == far {
        return Outcome::Passes;
    }
    let lost = datagrams(run, path);
    // Routers between two networks cut packets or say what fits (RFC 1191), and TCP agrees on its segments.
    if route::is_on_link(run, nic, remote) == Some(false) && lost.is_empty() {
        return Outcome::Passes;
    }
    let (small, large) = (near.min(far), near.max(far));
    let cut = segments(run, path, small);
    let streamed = stream::results(run, NetMode::Async).any(|result| result.target == *path);
    let clustered = run.host.databases.iter().any(|database| database.clustered);
    let harmless = streamed && !clustered && lost.is_empty() && cut.is_empty();
    let nic = if nic.is_empty() { "the interface" } else { nic };
    finding!(
        Kind::Path.named(target).aspect("MTU"),
        "{nic} has MTU {near}, the interface of {target} has {far}: UDP packets above {small} bytes may not arrive, jumbo frames are not used",
    )
    .severity(if harmless { Severity::Info } else { Severity::Warning })
    .measured(small as f64, large as f64, Unit::Bytes)
    .evidence(format!("MTU {near}"), format!("/sys/class/net/{nic}/mtu"))
    .evidence(format!("MTU {far}"), format!("interface of {target}"))
    .path(path)
    .explains(lost)
    .explains(cut)
    .advice(advice(nic, [near, far]))
    .into()
}

/// Which of the two is meant only a person knows: one end is never changed by guess.
fn advice(nic: &str, [near, far]: [u64; 2]) -> Advice {
    let (small, large) = (near.min(far), near.max(far));
    because("Both ends of a network must agree on its largest packet.")
        .now("One subnet needs one MTU; behind a router it may differ on purpose")
        .now(format!(
            "If every switch port accepts {large}, raise the end with {small}, otherwise lower the end with {large}: here `ip link set dev {nic} mtu N`, which may reset the link", nic = as_word(nic)
        ))
        .resets_link(nic)
        .persist("Set it in the network configuration, below a bond or VLAN first")
        .undo(format!("`ip link set dev {nic} mtu {near}`, on the far end {far}", near = as_word(near), nic = as_word(nic)))
        .expecting("one MTU at both ends; prove the path with `fullwire mtu`")
}

/// Datagrams that did not fit and did not arrive; a stream's segments follow the smaller MTU by themselves.
fn datagrams(run: &Run, path: &PathName) -> Vec<Explanation> {
    let udp = run.net.iter().filter(|result| result.mode.is_datagrams() && result.target == *path);
    udp.filter_map(|result| {
        let share = result.udp.as_ref().map(|udp| udp.lost as f64 / udp.sent as f64)?;
        (share >= MOST).then(|| explain::result(run, result, Mechanism::MtuFault).active(share))
    })
    .collect()
}

/// Streams whose segments are cut far below what every Ethernet carries: each packet costs as much as a full one.
fn segments(run: &Run, path: &PathName, small_bytes: u64) -> Vec<Explanation> {
    const ETHERNET_BYTES: u64 = 1280;
    let streams = stream::results(run, NetMode::Async).filter(|one| one.target == *path);
    let cut = streams.filter(|_| small_bytes < ETHERNET_BYTES);
    cut.map(|one| explain::result(run, one, Mechanism::MtuSmall)).collect()
}
