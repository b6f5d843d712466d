//! Interfaces: which one carries a result, what is below it, what it may be believed.

use super::{is_guest, route};
use fullwire_model::Run;
use fullwire_model::host::{Bond, BondSlave, Host, Nic, Qdisc, levels};
use fullwire_model::net::NetResult;
use std::collections::BTreeSet;

/// An interface and all below it that leads out of the host: VLAN, tunnel, bridge, bond, its members.
pub(crate) fn stack<'a>(host: &'a Host, top: &'a str) -> Vec<&'a str> {
    levels(top, |name| {
        let lower = host.nic(name).into_iter().flat_map(|nic| below(host, nic));
        let slaves = host.bond(name).into_iter().flat_map(|bond| bond.slaves.iter().map(|s| s.name.as_str()));
        lower.chain(slaves).collect()
    })
}

/// What an interface is set upon. A bridge has ports for guests and containers too, which lead to no wire.
fn below<'a>(host: &'a Host, nic: &'a Nic) -> impl Iterator<Item = &'a str> {
    let is_bridge = nic.kind == "bridge";
    let inward =
        |port: &str| host.nic(port).is_some_and(|port| ["tun", "veth"].contains(&port.kind.as_str()));
    let ports = host.nics.iter().filter(move |port| is_bridge && port.master.as_ref() == Some(&nic.name));
    let lower = nic.lower.iter().chain(ports.map(|port| &port.name)).map(String::as_str);
    lower.filter(move |port| !(is_bridge && inward(port)))
}

/// The bond or team that a member belongs to, otherwise the interface itself: where addresses and the MTU are set.
pub(crate) fn bonded<'a>(host: &'a Host, nic: &'a str) -> &'a str {
    let holds = |bond: &&Bond| bond.slaves.iter().any(|slave| slave.name == nic);
    let by_bond = || host.bonds.iter().find(holds).map(|bond| bond.name.as_str());
    let master = host.nic(nic).and_then(|nic| nic.master.as_deref());
    let of_kind = |name: &&str| {
        host.bond(name).is_some()
            || host.nic(name).is_some_and(|nic| matches!(nic.kind.as_str(), "bond" | "team"))
    };
    master.filter(of_kind).or_else(by_bond).unwrap_or(nic)
}

/// Linux `drivers/net/usb/{cdc_ether,cdc_ncm,cdc_eem,cdc_subset,rndis_host}.c`: the port of a management controller.
pub(crate) fn is_over_usb(nic: &Nic) -> bool {
    nic.driver.starts_with("cdc_") || nic.driver == "rndis_host"
}

/// The interfaces that carry an interconnect: Oracle's clusterware puts an address of 169.254.0.0/16 on each, next to the
/// interface's own. A port that has no other leads to the server's management controller (iDRAC's, over USB).
pub(crate) fn private(host: &Host) -> Vec<&str> {
    let is_private = |nic: &&Nic| {
        let addresses = nic.addresses.iter().filter_map(|own| route::network(own));
        let (linked, own): (Vec<bool>, Vec<bool>) = addresses
            .filter_map(|(address, _)| match address {
                std::net::IpAddr::V4(v4) => Some(v4.is_link_local()),
                std::net::IpAddr::V6(_) => None,
            })
            .partition(|linked| *linked);
        !linked.is_empty() && !own.is_empty()
    };
    let clustered = host.databases.iter().any(|database| database.clustered);
    let nics = host.nics.iter().filter(|nic| nic.kind != "loopback").filter(is_private);
    if clustered { nics.map(|nic| nic.name.as_str()).collect() } else { Vec::new() }
}

/// Names of storage, and the interfaces that lead to it.
type Paths = (BTreeSet<String>, BTreeSet<String>);

/// Interfaces that do the same work side by side.
pub(crate) struct Siblings {
    pub(crate) names: Vec<String>,
    /// What each does, as a clause: `leads to the same storage`.
    pub(crate) what: &'static str,
}

/// Those that lead to one iSCSI target or one set of multipath maps, to one NVMe namespace, or that carry the interconnect.
pub(crate) fn siblings(run: &Run) -> Vec<Siblings> {
    let host = &run.host;
    let mut paths: Vec<Paths> = Vec::new();
    for session in &host.iscsi_sessions {
        let maps = session.disks.iter().filter_map(|disk| host.disk(disk));
        let maps = maps.flat_map(|disk| disk.holders.iter().filter(|holder| holder.starts_with("dm-")));
        let storage = std::iter::once(&session.target).chain(maps).filter(|key| !key.is_empty());
        paths.push((storage.cloned().collect(), toward(run, &session.portal)));
    }
    for disk in &host.disks {
        let controllers = disk.nvme.iter().flat_map(|nvme| &nvme.controllers);
        for controller in controllers.filter(|one| matches!(one.transport.as_str(), "tcp" | "rdma")) {
            let address = controller.address.split(',').find_map(|part| part.strip_prefix("traddr="));
            let nics = address.map(|address| toward(run, address)).unwrap_or_default();
            paths.push((BTreeSet::from([disk.name.clone()]), nics));
        }
    }
    let storage = |names: BTreeSet<String>| Siblings {
        names: names.into_iter().collect(),
        what: "leads to the same storage",
    };
    let private = private(host).into_iter().map(str::to_owned).collect();
    let mut groups: Vec<Siblings> = merged(paths).into_iter().map(storage).collect();
    groups.push(Siblings { names: private, what: "carries the interconnect too" });
    groups.retain(|group| !group.names.is_empty());
    groups.sort_by(|a, b| a.names.cmp(&b.names));
    groups.dedup_by(|a, b| a.names == b.names);
    groups
}

/// The interfaces in the network of an address, or else the one that the route to it leaves by.
fn toward(run: &Run, address: &str) -> BTreeSet<String> {
    let Some(wanted) = route::ip(address) else { return BTreeSet::new() };
    let in_it =
        |nic: &&Nic| nic.up != Some(false) && nic.addresses.iter().any(|own| route::contains(own, wanted));
    let near: BTreeSet<String> = run.host.nics.iter().filter(in_it).map(|nic| nic.name.clone()).collect();
    let routed = || route::nic_to(run, &wanted.to_string()).map(|nic| nic.name.clone());
    if near.is_empty() { routed().into_iter().collect() } else { near }
}

/// The interfaces of all paths that share storage with one another.
fn merged(paths: Vec<Paths>) -> Vec<BTreeSet<String>> {
    let mut groups: Vec<Paths> = Vec::new();
    for mut path in paths {
        let (same, others): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| !group.0.is_disjoint(&path.0));
        groups = others;
        for (storage, nics) in same {
            path.0.extend(storage);
            path.1.extend(nics);
        }
        groups.push(path);
    }
    groups.into_iter().map(|(_, nics)| nics).collect()
}

/// The interface of this host that carries a result.
pub(crate) fn nic_toward<'a>(run: &'a Run, result: &NetResult) -> Option<&'a Nic> {
    let named = run.host.nic(&result.path.interface);
    let routed = || run.host.nic(&route::looked_up(run, route::remote(result))?.interface);
    named.or_else(routed).or_else(|| nic_with_address(&run.host, &result.path.local))
}

/// The peer's interface: the one that has the address that was spoken to.
pub(crate) fn peer_nic<'a>(run: &'a Run, result: &NetResult) -> Option<&'a Nic> {
    let host = run.peer(&result.target)?.host.as_ref()?;
    nic_with_address(host, route::remote(result))
}

/// The interface that has an address.
pub(crate) fn nic_with_address<'a>(host: &'a Host, address: &str) -> Option<&'a Nic> {
    let wanted = route::ip(address)?;
    host.nics.iter().find(|nic| {
        nic.addresses.iter().any(|own| route::network(own).is_some_and(|(address, _)| address == wanted))
    })
}

/// A speed that a verdict may rest on: of a physical interface with a link. A virtual machine sees the port's speed,
/// whatever share of it the hypervisor or the cloud grants.
pub(crate) fn believable(host: &Host, nic: &Nic) -> bool {
    nic.kind == "physical" && nic.speed_mbit_per_s.is_some_and(|speed| speed > 0) && !is_guest(host)
}

/// The members of a bond that carry: link up and, with LACP, in the active aggregator.
pub(crate) fn carriers(bond: &Bond) -> impl Iterator<Item = &BondSlave> {
    bond.slaves.iter().filter(|slave| {
        let grouped = bond.mode != "802.3ad"
            || bond.aggregator_id.is_none()
            || slave.aggregator_id == bond.aggregator_id;
        slave.mii_status == "up" && grouped
    })
}

/// How many of them there are.
pub(crate) fn carrying(bond: &Bond) -> u64 {
    carriers(bond).count() as u64
}

/// The disciplines on an interface and those below it that set a rate, each with its device.
pub(crate) fn shapers<'a>(host: &'a Host, top: &'a str) -> Vec<(&'a str, &'a Qdisc, f64)> {
    let devices = stack(host, top).into_iter().filter_map(|name| host.nic(name));
    devices
        .flat_map(|nic| nic.qdiscs.iter().map(move |qdisc| (nic.name.as_str(), qdisc)))
        .filter_map(|(device, qdisc)| {
            Some((device, qdisc, qdisc.rate_bytes_per_s.filter(|rate| *rate > 0.0)?))
        })
        .collect()
}
