rule! {
    /// # What it checks
    /// Passes when the largest packet that passes toward the peer is the largest that passes from it.
    /// # Why it matters
    /// Two directions with two MTUs take two routes, or one switch port differs: one direction hangs or
    /// fragments while the other is tested and found good.
    /// # Evidence
    /// Don't-fragment probes in both directions, each confirmed by the other end.
    /// # Remedy
    /// Compare the routes in both directions and the MTU of each hop.
    /// # Source
    /// RFC 4821 section 3 (paths may be asymmetric); RFC 8899.
    code: "mtu-asymmetric",
    title: "the path MTU differs by direction",
    layer: Network, severity: Warning, on: [Path], limits: [MtuFault],
    check: |run| run.mtu.iter().map(|result| judge(run, result)).collect(),
}

fn judge(run: &Run, result: &MtuResult) -> Outcome {
    let (Some(there), Some(back)) = (result.path_mtu_bytes, result.reverse_path_mtu_bytes) else {
        return unknown!("the path MTU from {} is not known: it needs a responder there", result.target);
    };
    // Each end can send at most its own interface takes: that difference is another rule's.
    let ends_differ = result.interface_mtu_bytes != result.peer_interface_mtu_bytes;
    if there == back || ends_differ {
        return Outcome::Passes;
    }
    let path = route::path_of(run, result);
    finding!(
        Kind::Path.named(&result.target).aspect("path"),
        "the path MTU to {} is {there}, in the other direction {back}",
        result.target,
    )
    .measured(there.min(back) as f64, there.max(back) as f64, Unit::Bytes)
    .evidence(
        format!("path MTU {there} there, {back} back"),
        "don't-fragment probes, confirmed by the other end",
    )
    .explains(explain::direction(run, &path, back < there, Mechanism::MtuFault))
    .path(path)
    .because("One direction drops or fragments packets that pass whole in the other.")
    .look(
        sh!("ip route get {}", result.remote),
        "Shows the route there; do the same on the peer for this host's address",
    )
    .now(format!(
        "`fullwire mtu {}` from both ends shows the hops at which the MTU falls",
        as_word(&result.target)
    ))
    .persist("one MTU on every hop of both routes")
    .expecting("the same path MTU in both directions")
    .into()
}
