//! # What it checks
//! No address is on two interfaces of this host, and no address of this host is a measured peer's own as
//! well.
//!
//! # Why it matters
//! Replies go to whichever answered ARP last: connections hang, break, or end at the wrong machine.
//!
//! # Evidence
//! Addresses of all interfaces of both ends.
//!
//! # Remedy
//! Take the address off one of them.
//!
//! # Source
//! RFC 5227 (IPv4 Address Conflict Detection), section 1: what a duplicate address brings about.

use super::ends::{self, Side};
use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use std::collections::BTreeMap;
use std::net::IpAddr;

pub(super) const RULE: Rule = Rule {
    code: "address-duplicate",
    title: "two interfaces have the same address",
    layer: Layer::Network,
    severity: Severity::Critical,
    text: include_str!("address_duplicate.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    if run.host.nics.iter().all(|nic| nic.addresses.is_empty()) {
        return vec![Outcome::Unknown("no address could be read".into())];
    }
    let mut owners: BTreeMap<IpAddr, Vec<String>> = BTreeMap::new();
    let sides = ends::sides(run);
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
    let nics = side.host.nics.iter().filter(|nic| nic.kind != "loopback" && nic.up != Some(false));
    nics.flat_map(|nic| {
        let own = nic.addresses.iter().filter_map(|address| Some(ends::network(address)?.0));
        own.filter(|address| is_unique(*address))
            .map(|address| (address, side.name(&nic.name)))
            .collect::<Vec<_>>()
    })
    .collect()
}

fn is_unique(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => !v4.is_loopback() && !v4.is_link_local(),
        IpAddr::V6(v6) => !v6.is_loopback() && !v6.is_unicast_link_local(),
    }
}

fn fires(address: IpAddr, places: &[String]) -> Outcome {
    let [first, second, ..] = places else { return Outcome::Passes };
    RULE.finding(
        first,
        format!("{address} is on {first} and on {second}: replies go to whichever answered ARP last"),
    )
    .evidence(format!("{address} on {}", places.join(", ")), "netlink addresses")
    .advice(
        because("The neighbours know one hardware address for it at a time, and that changes.")
            .now(format!("ip address show to {address}; arping -D -I INTERFACE {address}    # who answers?"))
            .now(format!(
                "ip address del {address}/PREFIX dev INTERFACE    # on the one that must not have it"
            ))
            .persist("take it out of that interface's configuration")
            .expecting("one owner, and no connection that hangs"),
    )
    .into()
}
