rule! {
    /// # What it checks
    /// Applies where a path with an MTU above 1500 leads through a router; passes when `net.ipv4.tcp_mtu_probing` is
    /// not 0.
    /// # Why it matters
    /// A firewall that drops ICMP makes large packets disappear; with probing TCP finds the size after some timeouts
    /// instead of hanging forever.
    /// # Evidence
    /// `net.ipv4.tcp_mtu_probing`, MTU of the interface, a gateway on the way to a measured peer.
    /// # Remedy
    /// `sysctl -w net.ipv4.tcp_mtu_probing=1`.
    /// # Source
    /// RFC 4821; Linux Documentation/networking/ip-sysctl.rst, `tcp_mtu_probing`; fasterdata.es.net, MTU issues.
    code: "mtu-probing",
    title: "no fallback against MTU black holes on a routed jumbo path",
    layer: Network, severity: Info, on: [Setting],
}

const NAME: &str = "net.ipv4.tcp_mtu_probing";

fn check(run: &Facts) -> Vec<Outcome> {
    let routed = run.net.iter().filter(|result| !result.path.loopback).find(|result| {
        let gateway =
            route::looked_up(run, route::remote(result)).is_some_and(|route| route.gateway.is_some());
        let jumbo = interface::nic_toward(run, result).is_some_and(|nic| nic.mtu_bytes > Some(1500));
        jumbo && (gateway || result.path.gateway.is_some())
    });
    let Some(result) = routed else { return Vec::new() };
    let outcome = match run.host.sysctl_number(NAME) {
        None => unknown!("{NAME} could not be read"),
        Some(0) => finding!(
            Kind::Setting.named(NAME),
            "{NAME} is 0 on a routed path with jumbo frames to {}",
            result.target,
        )
        .evidence(format!("{NAME} = 0"), "/proc/sys/net/ipv4/tcp_mtu_probing")
        .advice(set_sysctl(
            &run.host,
            NAME,
            "1",
            "A single filter that drops ICMP on the way makes large packets disappear.",
            "TCP recovers on its own; UDP does not",
        ))
        .into(),
        Some(_) => Outcome::Passes,
    };
    vec![outcome]
}
