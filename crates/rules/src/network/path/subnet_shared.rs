rule! {
    /// # What it checks
    /// Passes when no two unbonded interfaces with a link have addresses in the same IPv4 subnet, unless ARP is
    /// configured to keep them apart (`arp_ignore` and `arp_announce`, or `arp_filter`), or policy routing sends what
    /// leaves with the address of either by a separate routing table.
    /// # Why it matters
    /// Linux sends everything to that subnet through one of them, and answers ARP for both addresses on either:
    /// the second link idles, and traffic changes interfaces without warning. Direct NFS and iSCSI want one
    /// subnet for each path.
    /// # Evidence
    /// Addresses and masters of the interfaces; `net.ipv4.conf.{all,X}.arp_ignore`, `arp_announce`, `arp_filter`.
    /// # Remedy
    /// One subnet for each interface, or one bond of both.
    /// # Source
    /// Linux Documentation/networking/ip-sysctl.rst, `arp_filter`, `arp_ignore` and `arp_announce`; Amazon EC2 User
    /// Guide, "Configure your Amazon EC2 instance for multiple network interfaces" (`ip rule` for each source); NetApp
    /// ontap-apps-dbs, oracle-host-config-linux.adoc (Linux does not route two interfaces of one subnet as one would
    /// expect; Direct NFS multipath needs one subnet for each).
    code: "subnet-shared",
    title: "two interfaces are in one subnet",
    layer: Network, severity: Warning, on: [Nic],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let nics: Vec<&Nic> = host.nics.iter().filter(|nic| may_carry(nic)).collect();
    if nics.is_empty() {
        return vec![unknown!("no interface with an IPv4 address could be read")];
    }
    let findings: Vec<Outcome> = shared(&nics)
        .into_iter()
        .filter(|(one, two, _)| !kept_apart(host, one) || !kept_apart(host, two))
        .filter(|(one, two, subnet)| !sends_itself(host, one, subnet) || !sends_itself(host, two, subnet))
        .map(|(one, two, subnet)| fires(run, one, two, subnet))
        .collect();
    if findings.is_empty() { vec![Outcome::Passes] } else { findings }
}

/// It has a link, is not part of something that has the address, and is not the management controller's: that one belongs
/// into no bond and no table of routes (`interconnect-management-port`).
fn may_carry(nic: &Nic) -> bool {
    let stands_alone = !matches!(nic.kind.as_str(), "loopback" | "macvlan" | "tun" | "dummy")
        && nic.master.is_none()
        && !facts::interface::is_over_usb(nic);
    stands_alone && nic.carrier != Some(false) && nic.up != Some(false) && subnets(nic).next().is_some()
}

/// IPv4 addresses with their prefix; one of 31 bits and more is no network.
fn subnets(nic: &Nic) -> impl Iterator<Item = &str> {
    let wide =
        |text: &&str| route::network(text).is_some_and(|(address, length)| address.is_ipv4() && length < 31);
    nic.addresses.iter().map(String::as_str).filter(wide)
}

/// Each interface with the first one before it whose subnet has one of its addresses: never more pairs than interfaces, for a
/// capture or a peer may list thousands in one subnet.
fn shared<'a>(nics: &[&'a Nic]) -> Vec<(&'a Nic, &'a Nic, &'a str)> {
    let mut first: BTreeMap<(u32, u32), (usize, &str)> = BTreeMap::new();
    let mut pairs = Vec::new();
    for (at, two) in nics.iter().enumerate() {
        let own: Vec<(u32, u32, &str)> = subnets(two).filter_map(parts).collect();
        let met = own.iter().flat_map(|&(address, ..)| (1..=32).map(move |length| (length, address)));
        let earliest = met.filter_map(|(length, address)| first.get(&network(length, address))).min();
        pairs.extend(earliest.map(|&(one, subnet)| (nics[one], *two, subnet)));
        for (address, length, text) in own {
            first.entry(network(length, address)).or_insert((at, text));
        }
    }
    pairs
}

/// Address, length of the prefix, and the text of both.
fn parts(text: &str) -> Option<(u32, u32, &str)> {
    match route::network(text)? {
        (IpAddr::V4(address), length @ 1..=32) => Some((address.into(), length, text)),
        _ => None,
    }
}

/// The network of an address: the length of its prefix, and the prefix.
fn network(length: u32, address: u32) -> (u32, u32) {
    (length, address >> (32 - length))
}

/// ARP answers and asks for each interface's own address only; the larger of `all` and its own counts.
fn kept_apart(host: &Host, nic: &Nic) -> bool {
    let value = |name: &str| {
        let of =
            |interface: &str| host.sysctl_number(&format!("net.ipv4.conf.{interface}.{name}")).unwrap_or(0);
        of("all").max(of(&nic.name.replace('.', "/")))
    };
    value("arp_filter") > 0 || (value("arp_ignore") > 0 && value("arp_announce") > 1)
}

/// What leaves with its address goes by its own table: the way to use several interfaces in one subnet (AWS, iSCSI).
fn has_own_table(host: &Host, nic: &Nic) -> bool {
    let rules = host.source_rules.iter().flatten();
    let own = |address: &str| {
        rules
            .clone()
            .any(|rule| route::network(address).is_some_and(|(address, _)| route::contains(rule, address)))
    };
    subnets(nic).any(own)
}

/// What has its address leaves by it: by its own table, or because the main table prefers it for the subnet, as it does
/// for the first interface of a cloud's host.
fn sends_itself(host: &Host, nic: &Nic, subnet: &str) -> bool {
    let is_ruled = host.source_rules.as_ref().is_some_and(|rules| !rules.is_empty());
    let network = route::network_of(subnet);
    let mut main: Vec<_> = host
        .routes
        .iter()
        .filter(|route| !route.looked_up && Some(&route.destination) == network.as_ref())
        .collect();
    main.sort_by_key(|route| route.metric.unwrap_or(0));
    let preferred = || match main.as_slice() {
        [only] => Some(only.interface.as_str()),
        [first, second, ..] if first.metric.unwrap_or(0) < second.metric.unwrap_or(0) => {
            Some(first.interface.as_str())
        }
        _ => None,
    };
    has_own_table(host, nic) || (is_ruled && preferred() == Some(nic.name.as_str()))
}

fn fires(run: &Run, one: &Nic, two: &Nic, subnet: &str) -> Outcome {
    let names = format!("{} and {}", one.name, two.name);
    let subnet = route::network_of(subnet).unwrap_or_else(|| subnet.to_owned());
    finding!(Kind::Nic.named(&one.name), "{names} are both in the subnet {subnet}: outgoing packets use only one of them")
        .severity(if carries(run, one) || carries(run, two) { Severity::Warning } else { facts::hygiene(run) })
        .evidence(format!("{}: {}; {}: {}", one.name, one.addresses.join(" "), two.name, two.addresses.join(" ")), "netlink addresses")
        .because("The routing table names one interface for a subnet, and ARP by default answers for any address on any interface.")
        .look(sh!("ip rule; ip -4 route show root {}", subnet), "Shows what decides which interface sends")
        .persist("Choose one: a subnet for each interface; one bond of both; or a routing table for each address (`ip rule add from ADDRESS table N`, its routes in table N) in the configuration of the network")
        .persist("arp_ignore and arp_announce alone keep the answers apart; what is sent still leaves by one interface")
        .undo("Take the rule or the bond out of the configuration again")
        .expecting("both interfaces carry: `ip -s link` grows on either")
        .into()
}

/// A measured path leaves through it.
fn carries(run: &Run, nic: &Nic) -> bool {
    run.net.iter().any(|result| result.path.interface == nic.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nic(name: String, addresses: &[&str]) -> Nic {
        let addresses = addresses.iter().map(|address| (*address).to_owned()).collect();
        Nic { name, addresses, ..Nic::default() }
    }

    /// A pair for each of thousands in one subnet would fill the memory of whoever judges the run.
    #[test]
    fn interfaces_of_one_subnet_are_told_beside_the_first_of_them() {
        let nics: Vec<Nic> = (0..4_096).map(|at| nic(format!("e{at}"), &["10.1.2.3/24"])).collect();
        let pairs = shared(&nics.iter().collect::<Vec<_>>());
        assert_eq!(pairs.len(), 4_095);
        assert!(pairs.iter().all(|(one, two, _)| one.name == "e0" && two.name != "e0"));
    }

    #[test]
    fn a_wider_subnet_has_the_addresses_of_a_narrower_one() {
        let nics = [
            nic("wide".into(), &["192.168.0.9/24", "10.0.0.1/8"]),
            nic("apart".into(), &["172.16.0.1/16"]),
            nic("narrow".into(), &["172.17.0.1/16", "10.9.8.7/24"]),
        ];
        let pairs = shared(&nics.iter().collect::<Vec<_>>());
        let names: Vec<_> = pairs.iter().map(|(one, two, net)| (&*one.name, &*two.name, *net)).collect();
        assert_eq!(names, [("wide", "narrow", "10.0.0.1/8")]);
    }
}
