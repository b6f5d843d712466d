rule! {
    /// # What it checks
    /// Passes when a bond has at least two members.
    /// # Why it matters
    /// A bond of one gives no redundancy and no bandwidth; it was meant to have more.
    /// # Evidence
    /// Members in `/proc/net/bonding/BOND`.
    /// # Remedy
    /// Add the second interface.
    /// # Source
    /// Linux Documentation/networking/bonding.rst, section 11 (high availability: two or more links to
    /// eliminate the single point of failure).
    code: "bond-one-slave",
    title: "a bond has a single member",
    layer: Network, severity: Warning, on: [Bond],
    check: |run| each::bond(run, judge),
}

fn judge(side: &side::Side, bond: &Bond) -> Outcome {
    let at = side.subject(Kind::Bond, &bond.name);
    match bond.slaves.as_slice() {
        [] => unknown!("the members of {at} could not be read, or it has none"),
        [_] if bond.mii_status.is_empty() && bond.miimon_ms.or(bond.arp_interval_ms).is_none() => {
            unknown!("what is known of {at} was cut off above its first member")
        }
        [_] if bond.ad_num_ports.is_some_and(|ports| ports > 1) => {
            unknown!("the aggregator of {at} has more members than are listed")
        }
        [only] => finding!(&at, "bond {at} has one slave, {}: no redundancy", only.name)
            .measured(1.0, 2.0, Unit::Count)
            .evidence(
                format!("Slave Interface: {}", only.name),
                side.source(&format!("/proc/net/bonding/{}", bond.name)),
            )
            .because("The failure of one cable takes the host off this network.")
            .now(format!("Add the second interface to {} in the network configuration; an interface that carries an address loses it", bond.name)).pauses("what uses the address of the second interface")
            .persist("Connect it to another switch or card than the first")
            .expecting("two slaves up").on(side.peer)
            .into(),
        _ => Outcome::Passes,
    }
}
