use crate::facts::side::Side;

rule! {
    /// # What it checks
    /// Passes when no address is on two interfaces of this host, no address of this host is a measured peer's own as well, and
    /// the hardware address of no next hop changes more than once during a run. Addresses that every host may have do not
    /// count: those of a bridge without a port to the outside (docker0, virbr0, cni0), of dummy interfaces, and host addresses
    /// (/32, /128), which several interfaces may share; nor does one that moves among the interfaces of a peer.
    /// # Why it matters
    /// Replies go to whichever answered ARP last: connections hang, break, or end at the wrong machine.
    /// # Evidence
    /// Addresses of all interfaces of both ends; the neighbour table at both ends of each window and, while a peer is measured,
    /// twice a second.
    /// # Remedy
    /// Take the address off one of them.
    /// # Source
    /// RFC 5227 (IPv4 Address Conflict Detection), section 1: the effects of a duplicate address. Docker
    /// documentation, "Bridge network driver": each host numbers its default bridge 172.17.0.1/16. libvirt, network XML
    /// format: the default network is 192.168.122.1/24 on every host. ip-sysctl.rst, `arp_ignore`: unnumbered links
    /// share a host address.
    code: "address-duplicate",
    title: "two interfaces or hosts have the same address",
    layer: Network, severity: Critical, on: [Nic, Path], limits: [LinkFault],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let contested: Vec<Outcome> =
        contested(run).map(|(address, macs)| two_answer(run, address, &macs)).collect();
    if !contested.is_empty() {
        return contested;
    }
    if run.host.nics.iter().all(|nic| nic.addresses.is_empty()) {
        return vec![unknown!("no address could be read")];
    }
    let mut owners: BTreeMap<IpAddr, Vec<String>> = BTreeMap::new();
    let sides = side::sides(run);
    for side in &sides {
        for (address, place) in addresses(side) {
            let places = owners.entry(address).or_default();
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    let double = owners.into_iter().filter(|(_, places)| places.len() > 1);
    let findings: Vec<Outcome> = double.map(|(address, places)| fires(address, &places)).collect();
    if findings.is_empty() { vec![Outcome::Passes] } else { findings }
}

/// Addresses that belong to one interface of one host. Every host has its own loopback and link-local ones;
/// a peer may be a name space or a virtual interface of this very host, so only the interface counts there.
fn addresses(side: &Side) -> Vec<(IpAddr, String)> {
    let nics = side.host.nics.iter().filter(|nic| is_of_a_network(side.host, nic) && nic.up != Some(false));
    nics.flat_map(|nic| {
        let networks = nic.addresses.iter().filter_map(|address| route::network(address));
        let own =
            networks.filter(|(address, length)| !is_host_address(*address, *length)).map(|(own, _)| own);
        own.filter(|address| is_unique(*address))
            .map(|address| (address, side.name(&nic.name)))
            .collect::<Vec<_>>()
    })
    .collect()
}

/// Someone outside this host can be reached through it.
fn is_of_a_network(host: &Host, nic: &Nic) -> bool {
    match nic.kind.as_str() {
        "loopback" | "dummy" => false,
        "bridge" => host.nics.iter().any(|port| {
            port.master.as_deref() == Some(&nic.name)
                && !matches!(port.kind.as_str(), "veth" | "tun" | "dummy")
        }),
        _ => true,
    }
}

/// Unnumbered links, virtual and anycast addresses: no network of which two could be members.
fn is_host_address(address: IpAddr, length: u32) -> bool {
    length == if address.is_ipv4() { 32 } else { 128 }
}

fn is_unique(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => !v4.is_loopback() && !v4.is_link_local(),
        IpAddr::V6(v6) => !v6.is_loopback() && !v6.is_unicast_link_local(),
    }
}

/// Neighbours whose hardware address changed more than once, and not among those of one host: within a cluster it moves once.
fn contested(run: &Run) -> impl Iterator<Item = (IpAddr, Vec<&str>)> {
    let mut seen: BTreeMap<IpAddr, Vec<&str>> = BTreeMap::new();
    let readings = run.windows.iter().flat_map(|window| {
        let between = window.neighbour_macs.iter();
        let between = between.flat_map(|(address, macs)| macs.iter().map(move |mac| (address, mac)));
        window.from.neighbour_macs.iter().chain(between).chain(&window.to.neighbour_macs)
    });
    for (address, mac) in readings {
        let macs = seen.entry(*address).or_default();
        if macs.last() != Some(&mac.as_str()) {
            macs.push(mac);
        }
    }
    let of_one_peer = |macs: &[&str]| {
        let has = |host: &Host, mac: &str| host.nics.iter().any(|nic| nic.mac.eq_ignore_ascii_case(mac));
        let hosts = run.peers.iter().filter_map(|peer| peer.host.as_ref());
        hosts.into_iter().any(|host| macs.iter().all(|mac| has(host, mac)))
    };
    seen.into_iter().filter(move |(_, macs)| macs.len() > 2 && !of_one_peer(macs))
}

fn two_answer(run: &Run, address: IpAddr, macs: &[&str]) -> Outcome {
    let goes_there = |result: &&NetResult| {
        route::looked_up(run, route::remote(result)).is_some_and(|to| to.next_hop().parse() == Ok(address))
    };
    let results = run.net.iter().filter(goes_there);
    let finding = finding!(
        Kind::Path.named(address.to_string()),
        "two hosts answer for {address} in turn, {} and {}: what is sent arrives now at one, now at the other",
        macs[0], macs[1],
    )
        .evidence(format!("hardware addresses in turn: {}", macs.join(", ")), "/proc/net/arp, windows")
        .explains(results.map(|result| explain::result(run, result, Mechanism::LinkFault)));
    advised(finding, address).into()
}

fn fires(address: IpAddr, places: &[String]) -> Outcome {
    let [first, second, ..] = places else { return Outcome::Passes };
    let finding = finding!(
        Kind::Nic.named(first),
        "{address} is on {first} and on {second}: replies go to whichever answered ARP last",
    )
    .evidence(format!("{address} on {}", places.join(", ")), "netlink addresses");
    advised(finding, address).into()
}

fn advised(finding: Finding, address: IpAddr) -> Finding {
    finding
        .because("Neighbours know only one hardware address for it at a time, and it keeps changing.")
        .look(sh!("ip address show to {}", address), "Shows whether this host has the address")
        .now(format!(
            "`arping -D -I INTERFACE {address}` shows who answers for it",
            address = as_word(address)
        ))
        .now(format!(
            "On the one that must not have it: `ip address del {address}/PREFIX dev INTERFACE`",
            address = as_word(address)
        ))
        .pauses("what uses the address there")
        .persist("remove it from that interface's configuration")
        .expecting("one owner, and no hanging connections")
}
