//! Peer or storage server, route, bond or VLAN, interface.

use super::{DEEPEST, Node, NodeKind, Seen, is_about, things, told};
use crate::format;
use fullwire_model::Run;
use fullwire_model::assessment::Finding;
use fullwire_model::host::{Bond, BondSlave, Host, Nic};
use fullwire_model::net::NetResult;
use fullwire_model::subject::{Kind, Subject};
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

/// One tree for each peer.
pub(super) fn peers<'a>(run: &'a Run, findings: &'a [Finding]) -> Vec<Node<'a>> {
    let mut targets: Vec<&str> = Vec::new();
    let measured = run.net.iter().map(|result| result.target.as_str());
    let asked = run.peers.iter().map(|peer| peer.target.as_str());
    let probed = run.mtu.iter().map(|result| result.target.as_str());
    for target in measured.chain(asked).chain(probed) {
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    targets.into_iter().map(|target| peer(run, findings, target)).collect()
}

fn peer<'a>(run: &'a Run, findings: &'a [Finding], target: &str) -> Node<'a> {
    let result = run.net.iter().find(|result| result.target == target);
    let loopback = super::super::headline::is_loopback(run, target);
    let mut node = Node::new(NodeKind::Peer, target).hang(findings, &[Kind::Path.named(target)]);
    if loopback {
        return node.details(["this host, by loopback".to_owned()]);
    }
    let far = run.peer(target).and_then(|peer| peer.host.as_ref());
    node = node.details([told(far, |host| host.hostname.clone()), told(result, |r| r.path.remote.clone())]);
    let of_mtu =
        run.mtu.iter().find(|result| result.target == target).map(|result| result.interface.as_str());
    let interface = result.map(|result| result.path.interface.as_str()).or(of_mtu).unwrap_or_default();
    if !interface.is_empty() {
        node.children.push(route(run, findings, result, interface));
    }
    node
}

/// The route to a storage server's address and the interface that carries it; `None` where that is not known.
pub(super) fn toward<'a>(host: &'a Host, findings: &'a [Finding], address: &str) -> Option<Node<'a>> {
    let socket: Option<SocketAddr> = address.parse().ok();
    let far = socket.map(|socket| socket.ip()).or_else(|| address.parse().ok())?;
    let known = host.routes.iter().find(|route| route.looked_up && route.destination == far.to_string());
    let (interface, gateway) = match known {
        Some(route) => (route.interface.as_str(), route.gateway.clone()),
        None => (on_link(host, far)?, None),
    };
    host.nic(interface).filter(|nic| nic.kind != "loopback")?;
    let name = gateway.map_or_else(|| "on link".to_owned(), |gateway| format!("via {gateway}"));
    let mut node = Node::new(NodeKind::Route, name);
    node.children.push(nic(host, findings, interface, 0, &mut Seen::new()));
    Some(node)
}

/// The interface in whose subnet an address lies: all that a captured tree shows of a route.
fn on_link(host: &Host, far: IpAddr) -> Option<&str> {
    let holds = |own: &String| {
        let (address, length) = own.split_once('/')?;
        let (address, length): (IpAddr, u32) = (address.parse().ok()?, length.parse().ok()?);
        let (own, width) = bits(address);
        let (far, far_width) = bits(far);
        (width == far_width && (1..=width).contains(&length))
            .then(|| own >> (width - length) == far >> (width - length))
    };
    let nic = host.nics.iter().find(|nic| nic.addresses.iter().any(|own| holds(own) == Some(true)))?;
    Some(&nic.name)
}

fn bits(address: IpAddr) -> (u128, u32) {
    match address {
        IpAddr::V4(v4) => (u32::from(v4).into(), 32),
        IpAddr::V6(v6) => (v6.into(), 128),
    }
}

/// One tree for each interface that has its own address, or that a finding is about, and is in no tree yet.
pub(super) fn interfaces<'a>(
    run: &'a Run,
    findings: &'a [Finding],
    drawn: &BTreeSet<String>,
) -> Vec<Node<'a>> {
    let host = &run.host;
    let is_top =
        |nic: &&Nic| nic.master.is_none() && !host.nics.iter().any(|upper| upper.lower.contains(&nic.name));
    let matters = |nic: &&Nic| {
        let own = as_interface(&nic.name);
        let named = findings.iter().any(|finding| is_about(finding, &own));
        nic.kind != "loopback" && (named || (!nic.addresses.is_empty() && nic.up != Some(false)))
    };
    let nics = host.nics.iter().filter(is_top).filter(|nic| matters(nic) || host.bond(&nic.name).is_some());
    nics.filter(|nic| !drawn.contains(&nic.name))
        .map(|record| nic(host, findings, &record.name, 0, &mut Seen::new()))
        .collect()
}

/// An interface as a finding can be about it.
fn as_interface(name: &str) -> Vec<Subject> {
    things([Kind::Nic, Kind::Bond, Kind::QueueingDiscipline, Kind::PcieDevice], name).collect()
}

fn route<'a>(run: &'a Run, findings: &'a [Finding], result: Option<&NetResult>, interface: &str) -> Node<'a> {
    let gateway = result.and_then(|result| result.path.gateway.clone());
    let local = told(result, |result| format!("from {}", result.path.local));
    let name = gateway.map_or_else(|| "on link".to_owned(), |gateway| format!("via {gateway}"));
    let mut node = Node::new(NodeKind::Route, name).details([local]);
    node.children.push(nic(&run.host, findings, interface, 0, &mut Seen::new()));
    node
}

/// An interface and those under it, which are drawn once: a bond's members, a VLAN's parent.
fn nic<'a>(
    host: &'a Host,
    findings: &'a [Finding],
    name: &str,
    depth: usize,
    seen: &mut Seen<'a>,
) -> Node<'a> {
    let mut node = Node::new(NodeKind::Interface, name).hang(findings, &as_interface(name));
    let record = host.nic(name);
    if let Some(nic) = record {
        node.broken = nic.operstate == "down" || nic.carrier == Some(false);
        node = node.details(words(nic));
    }
    let known = host.bond(name).map(|bond| bond.name.as_str()).or(record.map(|nic| nic.name.as_str()));
    if depth >= DEEPEST || !known.is_some_and(|name| seen.insert(name)) {
        return node;
    }
    if let Some(bond) = host.bond(name) {
        node = node.details(bond_words(bond));
        node.children =
            bond.slaves.iter().map(|slave| member(host, findings, slave, depth + 1, seen)).collect();
    } else if let Some(nic_record) = record {
        let ports = host.nics.iter().filter(|port| {
            port.master.as_deref() == Some(name) && matches!(nic_record.kind.as_str(), "bridge" | "team")
        });
        let lower = nic_record.lower.iter().map(String::as_str).chain(ports.map(|port| port.name.as_str()));
        node.children = lower.map(|lower| nic(host, findings, lower, depth + 1, seen)).collect();
    }
    node
}

fn member<'a>(
    host: &'a Host,
    findings: &'a [Finding],
    slave: &BondSlave,
    depth: usize,
    seen: &mut Seen<'a>,
) -> Node<'a> {
    let mut node = nic(host, findings, &slave.name, depth, seen);
    node.broken |= !matches!(slave.mii_status.as_str(), "up" | "");
    let failures = slave.link_failures.filter(|failures| *failures > 0);
    node.details([told(failures, |failures| format!("{failures} link failures"))])
}

fn words(nic: &Nic) -> Vec<String> {
    let speed = told(nic.speed_mbit_per_s, |mbit| format::bit_rate(mbit as f64 * 125_000.0));
    let state = if nic.operstate == "up" { String::new() } else { nic.operstate.clone() };
    vec![
        nic.kind.clone(),
        state,
        speed,
        told(nic.mtu_bytes, |mtu| format!("MTU {mtu}")),
        told(nic.vlan_id, |vlan| format!("VLAN {vlan}")),
        nic.addresses
            .iter()
            .filter(|address| !address.starts_with("fe80"))
            .cloned()
            .collect::<Vec<_>>()
            .join(" "),
        // A virtual interface's driver says its kind again.
        if matches!(nic.kind.as_str(), "physical" | "virtual") { nic.driver.clone() } else { String::new() },
    ]
}

fn bond_words(bond: &Bond) -> Vec<String> {
    let up = bond.slaves.iter().filter(|slave| slave.mii_status == "up").count();
    vec![
        bond.mode.clone(),
        bond.xmit_hash_policy.clone(),
        format!("{up} of {} up", bond.slaves.len()),
        told(bond.active_slave.as_ref(), |active| format!("{active} active")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(node: &Node) -> usize {
        1 + node.children.iter().map(nodes).sum::<usize>()
    }

    #[test]
    fn bonds_that_are_each_others_members_are_drawn_once_each() {
        let names: Vec<String> = (0..16).map(|number| format!("bond{number}")).collect();
        let slave = |name: &String| BondSlave { name: name.clone(), ..BondSlave::default() };
        let bond = |name: &String| Bond {
            name: name.clone(),
            slaves: names.iter().map(slave).collect(),
            ..Bond::default()
        };
        let host = Host { bonds: names.iter().map(bond).collect(), ..Host::default() };
        let tree = nic(&host, &[], "bond0", 0, &mut Seen::new());
        assert!(nodes(&tree) <= 1 + names.len() * names.len(), "{} nodes", nodes(&tree));
    }
}
