//! Peer or storage server, route, bond or VLAN, interface.

use super::{Drawing, Drawn, Node, NodeKind, told};
use crate::format;
use fullwire_model::PathName;
use fullwire_model::host::{Bond, Nic};
use fullwire_model::subject::{Kind, Subject};
use std::collections::BTreeSet;

impl<'a> Drawing<'a> {
    /// One tree for each peer.
    pub(super) fn peers(&self) -> Vec<Node<'a>> {
        let mut targets: Vec<&PathName> = Vec::new();
        let measured = self.run.net.iter().map(|result| &result.target);
        let asked = self.run.peers.iter().map(|peer| &peer.target);
        let probed = self.run.mtu.iter().map(|result| &result.target);
        for target in measured.chain(asked).chain(probed) {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        targets.into_iter().map(|target| self.peer(target)).collect()
    }

    fn peer(&self, target: &PathName) -> Node<'a> {
        let thing = Kind::Path.named(target);
        let result = self.run.net_of(target).next();
        let mut node = Node::new(NodeKind::Peer, target);
        node.findings = self.about(std::slice::from_ref(&thing));
        if self.run.is_loopback(target) {
            return node.details(["this host, by loopback".to_owned()]);
        }
        let far = self.run.peer(target).and_then(|peer| peer.host.as_ref());
        node =
            node.details([told(far, |host| host.hostname.clone()), told(result, |r| r.path.remote.clone())]);
        let gateway = result.and_then(|result| result.path.gateway.as_deref());
        let local = result.map(|result| result.path.local.as_str()).filter(|local| !local.is_empty());
        let local = told(local, |local| format!("from {local}"));
        // Several results may have left by several interfaces: the first one's is shown.
        let interface = self.graph.below(&thing).first();
        node.children.extend(interface.map(|nic| self.route(gateway, local, nic)));
        node
    }

    fn route(&self, gateway: Option<&str>, local: String, nic: &Subject) -> Node<'a> {
        let name = gateway.map_or_else(|| "on link".to_owned(), |gateway| format!("via {gateway}"));
        let mut node = Node::new(NodeKind::Route, name).details([local]);
        node.children.push(self.node(nic, &mut Drawn::default()));
        node
    }

    /// The routes from a session or an export to the interfaces that carry it.
    pub(super) fn toward(&self, thing: &Subject) -> Vec<Node<'a>> {
        let below = self.graph.below(thing).iter();
        let gateway = self.address(thing).and_then(|address| self.host.way_to(address)?.gateway);
        below.map(|nic| self.route(gateway, String::new(), nic)).collect()
    }

    /// One tree for each interface that has its own address, or that a finding is about, and is in no tree yet.
    pub(super) fn interfaces(&self, drawn: &BTreeSet<String>) -> Vec<Node<'a>> {
        let host = self.host;
        let lower: BTreeSet<&String> = host.nics.iter().flat_map(|nic| &nic.lower).collect();
        let is_top = |nic: &&Nic| nic.master.is_none() && !lower.contains(&nic.name);
        let matters = |nic: &&Nic| {
            let named = self.about.contains_key(&Kind::Nic.named(&nic.name));
            nic.kind != "loopback" && (named || (!nic.addresses.is_empty() && nic.up != Some(false)))
        };
        let nics =
            host.nics.iter().filter(is_top).filter(|nic| matters(nic) || host.bond(&nic.name).is_some());
        let missing = nics.filter(|nic| !drawn.contains(&nic.name));
        missing.map(|nic| self.node(&Kind::Nic.named(&nic.name), &mut Drawn::default())).collect()
    }

    pub(super) fn interface(&self, name: &str) -> Node<'a> {
        let mut node = Node::new(NodeKind::Interface, name);
        if let Some(nic) = self.host.nic(name) {
            node.broken = nic.operstate == "down" || nic.carrier == Some(false);
            node = node.details(words(nic));
        }
        node.details(self.host.bond(name).map(Bond::state))
    }

    /// A bond's members, a VLAN's parent.
    pub(super) fn members(&self, thing: &Subject, drawn: &mut Drawn) -> Vec<Node<'a>> {
        let mut below = self.below(thing, drawn);
        let slaves = self.host.bond(&thing.name).into_iter().flat_map(|bond| &bond.slaves);
        for slave in slaves {
            let Some(node) = below.iter_mut().find(|node| node.name == slave.name) else { continue };
            node.broken |= !matches!(slave.mii_status.as_str(), "up" | "");
            let failures = slave.link_failures.filter(|failures| *failures > 0);
            node.details.extend(failures.map(|failures| format!("{failures} link failures")));
        }
        below
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::Run;
    use fullwire_model::host::{BondSlave, Host};

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
        let run = Run { host, ..Run::default() };
        let tree = Drawing::of(&run, &[]).node(&Kind::Nic.named("bond0"), &mut Drawn::default());
        assert!(nodes(&tree) <= 1 + names.len() * names.len(), "{} nodes", nodes(&tree));
        assert!(nodes(&tree) > names.len(), "every bond is present");
    }
}
