rule! {
    /// # What it checks
    /// Passes when an 802.3ad bond has a partner: the switch speaks LACP on the ports of its members.
    /// # Why it matters
    /// Without a partner the bond falls back to a single link (or none); the switch, which knows of no group,
    /// may move the address from port to port.
    /// # Evidence
    /// `Partner Mac Address` of the active aggregator in `/proc/net/bonding/BOND`: all zeros.
    /// # Remedy
    /// Configure the switch ports as one LACP (802.3ad) group, active mode; or use active-backup, which needs
    /// nothing of the switch.
    /// # Source
    /// Linux Documentation/networking/bonding.rst (802.3ad: a switch that supports IEEE 802.3ad dynamic link
    /// aggregation); oVirt documentation, bonding mode 4 without partner MAC.
    code: "bond-no-partner",
    title: "no LACP partner answers",
    layer: Network, severity: Critical, on: [Bond], limits: [BondLinks],
    check: |run| each::bond(run, |side, bond| judge(run, side, bond)),
}

fn judge(run: &Facts, side: &side::Side, bond: &Bond) -> Outcome {
    if bond.mode != "802.3ad" {
        return Outcome::Passes;
    }
    let Some(partner) = &bond.partner_mac else {
        return unknown!("the LACP partner of {} could not be read (root only)", side.name(&bond.name));
    };
    if partner.bytes().any(|byte| !matches!(byte, b'0' | b':')) {
        return Outcome::Passes;
    }
    let at = side.subject(Kind::Bond, &bond.name);
    let finding = finding!(
        &at,
        "802.3ad bond {at} has no LACP partner: the switch does not answer, so at most one link carries traffic",
    )
        .evidence(
            format!("Partner Mac Address: {partner}"),
            side.source(&format!("/proc/net/bonding/{}", bond.name)),
        )
        .because("LACP needs both sides: without the switch the members are not grouped.")
        .now("On the switch: configure the ports of all members as one LAG, LACP active")
        .look(sh!("timeout 65 tcpdump -c 2 -eni {} ether proto 0x8809 || true", bond.slaves.first().map_or("any", |slave| &slave.name)), "Shows within a minute whether the switch sends LACP at all")
        .persist("Or change the bond to active-backup in a maintenance window: it needs no switch configuration").takes_down(&bond.name)
        .expecting("a partner address, and all ports in one aggregator").on(side.peer);
    let goodput = |result: &NetResult| run.ceiling_of(result, "bond-goodput").map(|ceiling| ceiling.value);
    let explained = explain::streams_over(run, side, &bond.name, Mechanism::BondLinks, goodput);
    finding.explains(explained).into()
}
