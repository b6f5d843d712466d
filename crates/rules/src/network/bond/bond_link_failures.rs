rule! {
    /// # What it checks
    /// Passes when the count of link failures of each member does not grow.
    /// # Why it matters
    /// A link that comes and goes costs a failover each time: packets are lost, and TCP waits for its timeout.
    /// # Evidence
    /// Growth of `Link Failure Count` over the windows.
    /// # Remedy
    /// Port, cable, transceiver of the named member.
    /// # Source
    /// Linux Documentation/networking/bonding.rst, "Querying Bonding Configuration" (Link Failure Count).
    code: "bond-link-failures",
    title: "a member of a bond lost its link",
    layer: Network, severity: Warning, on: [Bond],
    check: |run| each::member(run, |side, bond, slave| judge(side, bond, &slave.name)),
}

fn judge(side: &side::Side, bond: &Bond, slave: &str) -> Outcome {
    let grown = side.growth(|counters| counters.nics.get(slave)?.link_failures);
    let at = side.subject(Kind::Bond, &bond.name);
    match grown {
        None => {
            unknown!("the link failures of {slave} in {at} were not counted over a window")
        }
        Some(grown) if grown.count == 0 => Outcome::Passes,
        Some(grown) => finding!(
            &at,
            "slave {slave} of {at} lost its link {} times in {:.0} s",
            grown.count,
            grown.seconds,
        )
        .measured(grown.count as f64, 0.0, Unit::Count)
        .evidence(
            format!("Link Failure Count +{}", grown.count),
            side.source(&format!("/proc/net/bonding/{}", bond.name)),
        )
        .because("Each failover loses the packets in flight; TCP notices only by timeout.")
        .look(sh!("ethtool {}", slave), "Shows link and partner")
        .look(sh!("ethtool -m {} || true", slave), "Shows the light levels of the transceiver")
        .look(sh!("dmesg | grep -F {} || true", slave), "Shows when the link changed")
        .persist("replace cable or transceiver; look at the switch port's log")
        .expecting("the count no longer grows")
        .on(side.peer)
        .into(),
    }
}
