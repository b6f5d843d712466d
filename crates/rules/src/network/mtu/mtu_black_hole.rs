rule! {
    /// # What it checks
    /// Passes unless packets of the interface's MTU are lost while small ones pass and no ICMP message informs the kernel
    /// (path-MTU discovery is broken). From the peer it fires when nothing of a stream arrived, whose segments are larger than what passes.
    /// # Why it matters
    /// Connections open, small messages pass, the first large transfer hangs: redo transport stalls, a backup hangs,
    /// blocks of the interconnect are lost. A file system of a filer mounts, an iSCSI login succeeds, and the first
    /// large read or write never ends.
    /// # Evidence
    /// Don't-fragment probes of rising size, confirmed by the peer or by echo; the kernel's own path MTU. Toward the
    /// servers of storage that did not answer: echo, and what the segment size of a TCP handshake reveals about the server's
    /// own interface. From the peer: its own probes, and `TCP_INFO` of its sender (`tcpi_snd_mss`).
    /// # Remedy
    /// Let ICMP type 3 code 4 (IPv6: type 2, Packet Too Big) through every firewall on the path, or give all
    /// hops the same MTU; until then lower the MTU of the interface or route to what passes, or set
    /// `tcp_mtu_probing=1`.
    /// # Source
    /// RFC 2923 section 2.1 (black holes); RFC 4821; RFC 8899; Linux Documentation/networking/ip-sysctl.rst,
    /// `tcp_mtu_probing`.
    code: "mtu-black-hole",
    title: "large packets are lost silently on the path (MTU black hole)",
    layer: Network, severity: Critical, on: [Path], limits: [MtuFault],

    /// RFC 791 and RFC 9293, without options: what a segment weighs at least.
    const TCP_IPV4_HEADERS_BYTES: u64 = 40;
}

fn check(run: &Facts) -> Vec<Outcome> {
    run.mtu.iter().flat_map(|result| [Some(judge(run, result)), from_peer(run, result)]).flatten().collect()
}

fn judge(run: &Run, result: &MtuResult) -> Outcome {
    if !result.black_hole {
        return match result.path_mtu_bytes {
            Some(_) => Outcome::Passes,
            None => unknown!("no probe of the path MTU to {} was answered", result.target),
        };
    }
    let passes = result.path_mtu_bytes.unwrap_or(1280);
    let interface = result.interface_mtu_bytes.unwrap_or(0);
    let toward = if result.interface.is_empty() { "the interface" } else { &result.interface };
    finding!(
        Kind::Path.named(&result.target).aspect("path"),
        "MTU black hole toward {}: packets of {passes} bytes pass, larger ones (up to the {interface} of {toward}) are dropped without an ICMP message",
        result.target,
    )
    .measured(passes as f64, interface as f64, Unit::Bytes)
    .evidence(
        format!("path MTU {passes}, interface {interface}, kernel assumes {}", words::known(result.kernel_path_mtu_bytes)),
        "don't-fragment probes",
    )
    .evidence(where_it_falls(result), "probes by time to live")
    .explains(explained(run, result, passes))
    .because("The sender never learns that its packets are too big and keeps retransmitting them.")
    .and(smaller_packets(run, result, passes))
    .persist("Let ICMP \"fragmentation needed\" (IPv6: \"packet too big\") through the firewalls on the path; give all switches one MTU")
    .expecting(format!("large transfers run; prove it with `fullwire mtu {}`", as_word(&result.target)))
    .into()
}

/// What goes toward the peer; the way back is as bad where it passes no more.
fn explained(run: &Run, result: &MtuResult, passes: u64) -> Vec<Explanation> {
    let path = route::path_of(run, result);
    let explained = match result.reverse_path_mtu_bytes {
        Some(back) if back > passes => explain::direction(run, &path, false, Mechanism::MtuFault),
        _ => vec![Explanation::of_path(path, Mechanism::MtuFault)],
    };
    explained.into_iter().map(|one| one.active(1.0)).collect()
}

/// The way back, of which only the peer's kernel hears: it still sends what does not pass.
fn from_peer(run: &Run, result: &MtuResult) -> Option<Outcome> {
    let (path, passes) = (route::path_of(run, result), result.reverse_path_mtu_bytes?);
    let starved = run.net.iter().find(|one| {
        let sent = one.tcp.as_ref().map_or(0, |tcp| tcp.mss_bytes + TCP_IPV4_HEADERS_BYTES);
        one.target == path && one.reverse && one.bytes == 0 && sent > passes
    })?;
    let (target, mss_bytes) = (&result.target, starved.tcp.as_ref()?.mss_bytes);
    let finding = finding!(
        Kind::Path.named(target).aspect("reverse path"),
        "MTU black hole on the way from {target}: packets of {passes} bytes pass, larger ones are dropped without an ICMP message",
    )
        .measured(passes as f64, result.peer_interface_mtu_bytes.unwrap_or(0) as f64, Unit::Bytes)
        .evidence(format!("path MTU {passes} from the peer"), "its don't-fragment probes, confirmed here")
        .evidence(
            format!("nothing arrived of a stream with segments of {mss_bytes} bytes"),
            "TCP_INFO of the sender",
        )
        .explains(explain::direction(run, &path, true, Mechanism::MtuFault).into_iter().map(|one| one.active(1.0)));
    let smaller = run
        .peer(&path)
        .and_then(|peer| set_route_mtu(peer.host.as_ref()?, route::host_of(&starved.path.local), passes))
        .unwrap_or_else(|| because("").now(format!("On the peer, limit packets to this host to {passes} bytes (`ip route replace ... mtu lock {passes}`)", passes = as_word(passes))));
    let advice = because("The peer never learns that its packets are too big and keeps retransmitting them.")
        .and(smaller)
        .persist("Let ICMP \"fragmentation needed\" (IPv6: \"packet too big\") through the firewalls on the path; give all switches one MTU")
        .expecting(format!("large transfers run both ways; prove it with `fullwire mtu {target}`", target = as_word(target)));
    Some(finding.advice(advice.on(Some(&path))).into())
}

/// For this one destination; where the way to it is not known, TCP may find the size by itself.
fn smaller_packets(run: &Run, result: &MtuResult, passes: u64) -> Advice {
    set_route_mtu(&run.host, &result.remote, passes).unwrap_or_else(|| {
        set_sysctl(&run.host, "net.ipv4.tcp_mtu_probing", "1", "", "").now("UDP does not benefit from it")
    })
}

fn where_it_falls(result: &MtuResult) -> String {
    let known = result
        .hops
        .iter()
        .filter(|hop| hop.mtu_bytes.is_some())
        .map(|hop| format!("hop {} {} MTU {}", hop.ttl, hop.address, hop.mtu_bytes.unwrap_or(0)));
    let hops: Vec<String> = known.collect();
    if hops.is_empty() { "no hop reported its MTU".into() } else { hops.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a lab said of an NFS server behind two switches that have MTU 1500 between them, both hosts 9000.
    #[test]
    fn the_hole_toward_a_filer_is_the_bottleneck_of_its_directory() {
        let run: Run = serde_json::from_str(
            r#"{ "host": { "mounts": [{ "target": "/data", "fs_type": "nfs",
                    "nfs": { "server": "10.0.0.2", "address": "10.0.0.2" } }] },
                "mtu": [{ "target": "10.0.0.2", "remote": "10.0.0.2", "interface": "eth0", "interface_mtu_bytes": 9000,
                    "path_mtu_bytes": 1504, "kernel_path_mtu_bytes": 9000, "black_hole": true }],
                "disk": [{ "target": "/data", "mount_point": "/data", "wait_channel": "rpc_wait_bit_killable",
                    "gaps": [{ "subject": "/data", "reason": "timeout", "detail": "an I/O was not done after 15 s" }] }] }"#,
        )
        .expect("a run");
        let paths = crate::assess(&run).paths;
        let named: Vec<[&str; 2]> =
            paths.iter().map(|path| [path.target.as_str(), path.bottleneck.code.as_str()]).collect();
        assert_eq!(named, [["/data", "mtu-black-hole"]]);
    }

    /// What a lab said of a tunnel that loses each hundredth packet toward the peer, and every large one from it.
    #[test]
    fn a_hole_on_the_way_back_explains_nothing_of_the_way_there() {
        let text = include_str!("../../../fixtures/mtu-black-hole.json");
        let run = fullwire_model::fixture::run(text, "fires/from-peer");
        let paths = crate::assess(&run).paths;
        let causes: Vec<&str> =
            paths[0].measurements.iter().map(|one| one.causes.first().map_or("", String::as_str)).collect();
        assert_eq!(causes, ["packet-loss", "mtu-black-hole"], "there, back");
    }
}
