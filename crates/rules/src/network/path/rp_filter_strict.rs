rule! {
    /// # What it checks
    /// On a cluster node no interface that shares its network with another one, and none of several private interfaces, has
    /// `rp_filter` 1, neither by itself nor by `all`. Private are those on which the clusterware put an address
    /// of 169.254.0.0/16: each has a part of that network, and packets for one may arrive by another.
    /// # Why it matters
    /// With several private interfaces packets come in on one and would go out on another: the strict filter
    /// drops them, and nodes are evicted.
    /// # Evidence
    /// `net.ipv4.conf.{all,X}.rp_filter`; addresses; a clustered instance on this host.
    /// # Remedy
    /// `rp_filter=2` (loose) on the private interfaces.
    /// # Source
    /// Oracle Grid Infrastructure documentation, Multiple Private Interconnects and Oracle Linux (`rp_filter` 0
    /// or 2); RFC 3704; ip-sysctl.rst, `rp_filter` (the maximum of all and X counts).
    code: "rp-filter-strict",
    title: "strict reverse-path filtering on a private interconnect",
    layer: Network, severity: Critical, on: [Setting],
    when: |run| run.host.databases.iter().any(|database| database.clustered),
}

fn check(run: &Facts) -> Vec<Outcome> {
    let private = facts::interface::private(&run.host);
    let one_of_several = |nic: &Nic| private.len() > 1 && private.contains(&nic.name.as_str());
    let nics = run.host.nics.iter().filter(|nic| !facts::interface::is_over_usb(nic));
    let shared: Vec<&Nic> =
        nics.filter(|nic| one_of_several(nic) || shares_its_network(&run.host, nic)).collect();
    if shared.is_empty() {
        return vec![Outcome::Passes];
    }
    shared.into_iter().map(|nic| judge(&run.host, nic)).collect()
}

/// Another interface has an address in the same network.
fn shares_its_network(host: &Host, nic: &Nic) -> bool {
    // The port of a management controller is none of the traffic: its address beside HAIP is another fault.
    let others =
        || host.nics.iter().filter(|other| other.name != nic.name && !facts::interface::is_over_usb(other));
    let inside = |own: &String| {
        let reach = |other: &Nic| {
            other
                .addresses
                .iter()
                .any(|a| route::network(a).is_some_and(|(address, _)| route::contains(own, address)))
        };
        !own.starts_with("fe80") && others().any(reach)
    };
    nic.addresses.iter().any(inside)
}

fn judge(host: &Host, nic: &Nic) -> Outcome {
    // In a sysctl's name the dot of a VLAN is a slash.
    let name = format!("net.ipv4.conf.{}.rp_filter", nic.name.replace('.', "/"));
    let (own, all) = (host.sysctl_number(&name), host.sysctl_number("net.ipv4.conf.all.rp_filter"));
    let (Some(own), Some(all)) = (own, all) else { return unknown!("{name} could not be read") };
    if own.max(all) != 1 {
        return Outcome::Passes;
    }
    finding!(Kind::Setting.named(&name), "{name} is strict (1) though the host has another interface for the same traffic: packets of the interconnect are dropped")
        .evidence(format!("{name} = {own}, all = {all}"), "/proc/sys/net/ipv4/conf")
        .advice(set_sysctl(host, &name, "2", "To the strict filter, a packet that arrives through the other interface looks forged.", "no drop between the private addresses"))
        .into()
}
