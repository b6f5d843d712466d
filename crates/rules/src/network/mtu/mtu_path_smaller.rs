rule! {
    /// # What it checks
    /// Passes when the path MTU is the MTU of both interfaces; it is smaller where a hop between them (tunnel, VPN,
    /// switch port) takes less. Within one network that is a fault; beyond a router, or once the kernel knows the size,
    /// it is worth a note.
    /// # Why it matters
    /// Each connection learns the smaller size by ICMP first, and only as long as ICMP passes; database blocks
    /// over UDP are cut into more fragments.
    /// # Evidence
    /// Don't-fragment probes, hops that answered, MTU of both interfaces; frames of an 8 KiB block at both
    /// sizes.
    /// # Remedy
    /// Raise the MTU of the hop, or set the interfaces (or the route) to what the path takes.
    /// # Source
    /// RFC 1191, RFC 8201 (path-MTU discovery); RFC 8900 (fragmentation considered fragile); AWS, Amazon VPC Transit
    /// Gateways, Quotas (8,500 bytes between VPCs whose interfaces have 9,001).
    code: "mtu-path-smaller",
    title: "a hop on the path has a smaller MTU than both ends",
    layer: Network, severity: Warning, on: [Path],

    /// The length field of IPv4 and IPv6 has 16 bits: loopback's MTU of 65,536 is no packet that could be sent.
    const LARGEST_PACKET_BYTES: u64 = route::LARGEST_PACKET_BYTES;
}

fn check(run: &Facts) -> Vec<Outcome> {
    run.mtu.iter().map(|result| judge(run, result)).collect()
}

fn judge(run: &Run, result: &MtuResult) -> Outcome {
    let Some(path) = result.path_mtu_bytes else {
        return unknown!("no probe of the path MTU to {} was answered", result.target);
    };
    let near = result.interface_mtu_bytes.unwrap_or(path);
    let far = result.peer_interface_mtu_bytes.unwrap_or(near);
    let ends_take = near.min(far).min(LARGEST_PACKET_BYTES);
    // A black hole and ends that differ are said by their own rules.
    if path >= ends_take || result.black_hole || near != far {
        return Outcome::Passes;
    }
    let frames = |mtu_bytes| {
        Stack {
            mtu_bytes,
            udp: true,
            ipv6: route::ip(&result.remote).is_some_and(|address| address.is_ipv6()),
            ..Stack::default()
        }
        .frames_per_block(8192)
    };
    let (now, could) = (frames(path), frames(ends_take));
    let hop = result.hops.iter().find(|hop| hop.mtu_bytes.is_some_and(|mtu| mtu <= path));
    let at = hop.map_or("a hop between them".to_owned(), |hop| format!("hop {} ({})", hop.ttl, hop.address));
    let finding = finding!(
        Kind::Path.named(&result.target).aspect("path"),
        "the path MTU to {} is {path}, although both interfaces have {ends_take}: {at} accepts less{}",
        result.target,
        words_of_frames(now, could),
    )
        .measured(path as f64, ends_take as f64, Unit::Bytes)
        .evidence(
            format!(
                "path MTU {path}, interfaces {near} and {far}, kernel {}",
                words::known(result.kernel_path_mtu_bytes)
            ),
            "don't-fragment probes",
        )
        .path(route::path_of(run, result))
        .because("The packets that the ends send do not fit the path; each connection has to discover that.")
        .and(set_route_mtu(&run.host, &result.remote, path).unwrap_or_else(|| {
            because("").now(format!(
                "`ip route replace` for {} with the parameters of `ip route get`, its table too where it names one, and mtu lock {path}",
                result.remote
            ))
        }))
        .persist(format!("Raise the MTU of {at} to {ends_take}, or set both interfaces to {path}"))
        .expecting(format!("path MTU {ends_take}; prove it with `fullwire mtu {}`", as_word(&result.target)));
    // Beyond a router (WAN, VPN, transit gateway) a smaller hop is how the network is built, and the kernel knows it by
    // now or finds it out; within one network someone left a port or an interface behind.
    let known = result.kernel_path_mtu_bytes == Some(path);
    if known || route::is_on_link(run, &result.interface, &result.remote) == Some(false) {
        return finding.severity(Severity::Info).into();
    }
    finding.into()
}

/// What the smaller size costs RAC's interconnect, whose blocks are datagrams; nothing where it costs nothing.
fn words_of_frames(now: u64, could: u64) -> String {
    if now == could {
        return String::new();
    }
    let plural = if now == 1 { "" } else { "s" };
    format!(" ({now} frame{plural} for a datagram of 8 KiB, not {could})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::host::{Host, Nic};

    fn outcome(interface_mtu_bytes: u64, path_mtu_bytes: u64) -> Outcome {
        let result = MtuResult {
            target: "peer".into(),
            interface: "lo".into(),
            interface_mtu_bytes: Some(interface_mtu_bytes),
            path_mtu_bytes: Some(path_mtu_bytes),
            ..MtuResult::default()
        };
        let nics = vec![Nic { name: "lo".into(), ..Nic::default() }];
        let run = Run { mtu: vec![result], host: Host { nics, ..Host::default() }, ..Run::default() };
        check(&Facts::of(&run)).remove(0)
    }

    #[test]
    fn no_packet_is_as_large_as_the_mtu_of_loopback() {
        assert!(matches!(outcome(65_536, 65_535), Outcome::Passes));
        assert!(matches!(outcome(65_536, 9000), Outcome::Fires(_)));
    }

    #[test]
    fn frames_are_compared_only_where_they_differ() {
        let Outcome::Fires(finding) = outcome(1500, 1492) else { panic!("silent") };
        assert!(!finding.message.contains("frame"), "{}", finding.message);
        let Outcome::Fires(finding) = outcome(9000, 1500) else { panic!("silent") };
        assert!(
            finding.message.ends_with("(6 frames for a datagram of 8 KiB, not 1)"),
            "{}",
            finding.message
        );
    }
}
