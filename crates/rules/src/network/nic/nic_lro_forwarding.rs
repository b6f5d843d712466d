rule! {
    /// # What it checks
    /// Passes when no interface has LRO on while the host bridges or forwards packets.
    /// # Why it matters
    /// LRO merges packets beyond recognition: what is forwarded then is too big for the next link; low
    /// throughput or worse is the result.
    /// # Evidence
    /// Feature large-receive-offload; `net.ipv4.ip_forward`; membership in a bridge.
    /// # Remedy
    /// `ethtool -K X lro off` (GRO stays on).
    /// # Source
    /// Linux commit 0187bdfb0567, net: Disable LRO on devices that are forwarding; Intel ixgbe README
    /// (incompatible with routing and bridging).
    code: "nic-lro-forwarding",
    title: "large receive offload is on, on a host that forwards",
    layer: Network, severity: Warning, on: [Nic],
    check: |run| each::nic(run, each::in_use, judge),
}

fn judge(side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    if nic.features.is_empty() {
        return unknown!("the features of {at} could not be read");
    }
    // What a device lacks for good (`off [fixed]`) is not among its features.
    let merges = nic.features.get("large-receive-offload").copied().unwrap_or(false);
    let bridged = nic
        .master
        .as_ref()
        .and_then(|master| side.host.nic(master))
        .is_some_and(|master| master.kind == "bridge");
    let forwards = side.host.sysctl_number("net.ipv4.ip_forward") == Some(1);
    if !merges || !(bridged || forwards) {
        return Outcome::Passes;
    }
    finding!(
        &at,
        "large-receive-offload is on at {at} while the host {}",
        if bridged { "bridges it" } else { "forwards packets" },
    )
    .evidence("large-receive-offload: on", side.source(&format!("ethtool -k {}", nic.name)))
    .advice(
        set_ethtool(
            side.host,
            &nic.name,
            "-K",
            ["lro off", "lro on"],
            "Merged packets are too big for the link that they are forwarded to.",
            "no retransmissions of forwarded streams",
        )
        .on(side.peer),
    )
    .into()
}
