rule! {
    /// # What it checks
    /// Passes when the physical members of a bond do not all belong to one PCI device.
    /// # Why it matters
    /// The bond protects against a cable and a switch; a card that fails, or its slot, takes all members along.
    /// # Evidence
    /// PCI addresses of the members: functions of one device differ only behind the dot.
    /// # Remedy
    /// Take one port of each of two cards.
    /// # Source
    /// Linux Documentation/networking/bonding.rst, section 11, Configuring Bonding for High Availability
    /// (redundant devices, links or switches); Documentation/PCI/sysfs-pci.rst (functions of one device share
    /// domain, bus and slot).
    code: "bond-same-card",
    title: "the members of a bond are ports of one card",
    layer: Network, severity: Info, on: [Bond],
    check: |run| each::bond(run, judge),
}

fn judge(side: &side::Side, bond: &Bond) -> Outcome {
    let at = side.subject(Kind::Bond, &bond.name);
    let members = bond.slaves.iter().filter_map(|slave| side.host.nic(&slave.name));
    let physical: Vec<_> = members.filter(|nic| nic.kind == "physical").collect();
    if physical.len() < 2 {
        return Outcome::Passes;
    }
    let cards: Option<Vec<&str>> = physical.iter().map(|nic| card(nic.pci_address.as_deref()?)).collect();
    let Some(cards) = cards else {
        return unknown!("the PCI addresses of the members of {at} are not known");
    };
    if cards.iter().any(|card| *card != cards[0]) {
        return Outcome::Passes;
    }
    let ports: Vec<String> = physical
        .iter()
        .map(|nic| format!("{} {}", nic.name, nic.pci_address.as_deref().unwrap_or("")))
        .collect();
    finding!(
        &at,
        "all {} members of {at} are ports of one card ({}): it is a single point of failure",
        ports.len(),
        cards[0],
    )
    .evidence(ports.join(", "), side.source("/sys/class/net/*/device"))
    .because("A bond protects against the failure of what its members do not share.")
    .look("lspci | grep -i ethernet || true", "Shows whether there is a second card; look for a free port")
    .persist("bond one port of each card")
    .expecting("members with two PCI devices")
    .on(side.peer)
    .into()
}

/// Domain, bus and device: what all ports of a card share.
fn card(address: &str) -> Option<&str> {
    address.rsplit_once('.').map(|(card, _)| card)
}
