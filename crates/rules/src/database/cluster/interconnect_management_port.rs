rule! {
    /// # What it checks
    /// Passes when no port of a management controller (iDRAC, XCC, iLO over USB) has an address in a network that the
    /// clusterware has addresses of (169.254.0.0/16, HAIP). Applies to nodes of a cluster.
    /// # Why it matters
    /// The route of the controller's port and that of HAIP are the same: packets of the interconnect go into the controller,
    /// and the node is evicted or does not join.
    /// # Evidence
    /// Addresses and drivers of the interfaces.
    /// # Remedy
    /// Give the controller's USB network another address, or turn it off; `rp_filter` does not help.
    /// # Source
    /// Oracle Support note 1629814.1 (a USB network port of the server with 169.254 addresses collides with HAIP); Linux
    /// drivers/net/usb (`cdc_ether`, `rndis_host`).
    code: "interconnect-management-port",
    title: "the management controller's port has an address of the interconnect's network",
    layer: Database, severity: Warning, on: [Nic],
    when: |run| facts::is_clustered(&run.host),
}

fn check(run: &Facts) -> Vec<Outcome> {
    if run.host.nics.is_empty() {
        return vec![unknown!("no interface could be read")];
    }
    let private = facts::interface::private(&run.host);
    let ports = run.host.nics.iter().filter(|nic| facts::interface::is_over_usb(nic));
    let found: Vec<Outcome> = ports
        .filter_map(|port| {
            let nic = private.iter().filter_map(|name| run.host.nic(name)).find(|nic| overlap(nic, port))?;
            Some(fires(port, nic))
        })
        .collect();
    if found.is_empty() { vec![Outcome::Passes] } else { found }
}

/// An address of one is in a network of the other that the clusterware uses.
fn overlap(nic: &Nic, port: &Nic) -> bool {
    let linked = |nic: &Nic| {
        let own = nic.addresses.iter().filter_map(|text| Some((text.clone(), route::network(text)?.0)));
        own.filter(|(_, address)| matches!(address, std::net::IpAddr::V4(v4) if v4.is_link_local()))
            .collect::<Vec<_>>()
    };
    let (ours, theirs) = (linked(nic), linked(port));
    let inside = |networks: &[(String, std::net::IpAddr)], addresses: &[(String, std::net::IpAddr)]| {
        networks
            .iter()
            .any(|(network, _)| addresses.iter().any(|(_, address)| route::contains(network, *address)))
    };
    inside(&ours, &theirs) || inside(&theirs, &ours)
}

fn fires(port: &Nic, nic: &Nic) -> Outcome {
    finding!(
        Kind::Nic.named(&port.name),
        "{}, the port of the management controller, has {} in the network of the interconnect on {}: packets between the nodes go into the controller",
        port.name,
        port.addresses.join(", "),
        nic.name,
    )
    .evidence(format!("{}: {}; {}: {}", port.name, port.addresses.join(" "), nic.name, nic.addresses.join(" ")), "interfaces")
    .because("The kernel has two routes to one network and takes one of them.")
    .look("ip -4 address; ip route show root 169.254.0.0/16", "Shows the addresses and the routes")
    .persist("In the management controller: give its USB network an address outside 169.254.0.0/16, or turn it off (iDRAC: OS to BMC pass-through; XCC: Ethernet over USB; iLO: virtual NIC)")
    .undo("Set the controller back to what it was")
    .expecting("no address of 169.254.0.0/16 but those of the private interfaces")
    .into()
}
