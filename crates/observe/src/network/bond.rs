//! Bonds: `/proc/net/bonding`, completed by sysfs, which also replaces it where it cannot be read.

use crate::Root;
use crate::root::malformed;
use fullwire_model::Gap;
use fullwire_model::host::{Bond, BondSlave, Nic};

const DIRECTORY: &str = "/proc/net/bonding";

pub(super) fn read(root: &Root, nics: &[Nic], gaps: &mut Vec<Gap>) -> Vec<Bond> {
    let mut names = root.list(DIRECTORY);
    names.extend(nics.iter().filter(|nic| nic.kind == "bond").map(|nic| nic.name.clone()));
    names.sort_unstable();
    names.dedup();
    let mut bonds = Vec::new();
    for name in names {
        let path = format!("{DIRECTORY}/{name}");
        let mut bond =
            root.read_optional(&path, gaps).map(|text| parse(&path, &text, gaps)).unwrap_or_default();
        bond.name = name;
        complete(root, &mut bond);
        bonds.push(bond);
    }
    bonds
}

/// Which part of the file a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Bond,
    Aggregator,
    Slave,
    ActorPdu,
    PartnerPdu,
}

/// The driver's report: lines of `Name: value`, slaves after the bond, LACP details indented.
fn parse(path: &str, text: &str, gaps: &mut Vec<Gap>) -> Bond {
    let mut bond = Bond::default();
    let mut part = Part::Bond;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        let Some((name, value)) = line.split_once(':') else {
            // Nobody answered any of its members (Linux drivers/net/bonding/bond_procfs.c).
            if line.ends_with("has no active aggregator") {
                bond.partner_mac = Some("00:00:00:00:00:00".to_owned());
            }
            if !line.is_empty() && line != "802.3ad info" && !line.starts_with("bond ") && !is_header(line) {
                gaps.push(malformed(path, index + 1, "no `name: value`"));
            }
            continue;
        };
        let value = value.trim();
        match name {
            "Slave Interface" => {
                bond.slaves.push(BondSlave { name: value.to_owned(), ..BondSlave::default() });
                part = Part::Slave;
            }
            "Active Aggregator Info" => part = Part::Aggregator,
            "details actor lacp pdu" => part = Part::ActorPdu,
            "details partner lacp pdu" => part = Part::PartnerPdu,
            _ => {
                let understood = match (part, bond.slaves.last_mut()) {
                    (Part::Slave, Some(slave)) => slave_line(name, value, slave),
                    (Part::PartnerPdu, Some(slave)) => {
                        if name == "system mac address" {
                            slave.partner_mac = Some(value.to_owned());
                        }
                        true
                    }
                    (Part::ActorPdu, _) => true,
                    (part, _) => bond_line(part, name, value, &mut bond),
                };
                if !understood {
                    gaps.push(malformed(path, index + 1, &format!("\"{name}\" has no readable value")));
                }
            }
        }
    }
    bond
}

fn is_header(line: &str) -> bool {
    line.starts_with("Ethernet Channel Bonding Driver")
}

/// A line of the bond itself. Values that are kept must make sense; the others are passed over.
fn bond_line(part: Part, name: &str, value: &str, bond: &mut Bond) -> bool {
    match (part, name) {
        (_, "Bonding Mode") => mode(value).clone_into(&mut bond.mode),
        (_, "Transmit Hash Policy") => first_word(value).clone_into(&mut bond.xmit_hash_policy),
        (Part::Bond, "MII Status") => value.clone_into(&mut bond.mii_status),
        (_, "MII Polling Interval (ms)") => return put(&mut bond.miimon_ms, value),
        (_, "ARP Polling Interval (ms)") => return put(&mut bond.arp_interval_ms, value),
        (_, "LACP rate") => bond.lacp_rate = Some(first_word(value).to_owned()),
        (_, "Currently Active Slave") => bond.active_slave = interface(value),
        (_, "Primary Slave") => {
            bond.primary = interface(first_word(value));
            bond.primary_reselect = reselect(value);
        }
        (Part::Aggregator, "Aggregator ID") => return put(&mut bond.aggregator_id, value),
        (Part::Aggregator, "Number of ports") => return put(&mut bond.ad_num_ports, value),
        (Part::Aggregator, "Partner Mac Address") => bond.partner_mac = Some(value.to_owned()),
        _ => {}
    }
    true
}

/// `eth0 (primary_reselect failure)`.
fn reselect(value: &str) -> Option<String> {
    let policy = value.split_once("(primary_reselect ")?.1.strip_suffix(')')?;
    Some(policy.to_owned())
}

fn slave_line(name: &str, value: &str, slave: &mut BondSlave) -> bool {
    match name {
        "MII Status" => value.clone_into(&mut slave.mii_status),
        // "Unknown" and the -1 of old drivers mean that no one knows.
        "Speed" => {
            slave.speed_mbit_per_s = value
                .strip_suffix(" Mbps")
                .and_then(|speed| speed.parse::<u64>().ok())
                .filter(|&speed| speed < u64::from(u32::MAX));
        }
        "Duplex" => slave.duplex = matches!(value, "full" | "half").then(|| value.to_owned()),
        "Link Failure Count" => return put(&mut slave.link_failures, value),
        "Permanent HW addr" => value.clone_into(&mut slave.permanent_mac),
        "Aggregator ID" => return value == "N/A" || put(&mut slave.aggregator_id, value),
        "Actor Churn State" => slave.actor_churn = Some(value.to_owned()),
        "Partner Churn State" => slave.partner_churn = Some(value.to_owned()),
        _ => {}
    }
    true
}

fn put<T: std::str::FromStr>(slot: &mut Option<T>, value: &str) -> bool {
    *slot = value.parse().ok();
    slot.is_some()
}

fn first_word(value: &str) -> &str {
    value.split_whitespace().next().unwrap_or_default()
}

/// A slave's name; "None" is none.
fn interface(value: &str) -> Option<String> {
    (!value.is_empty() && value != "None").then(|| value.to_owned())
}

/// The mode's name as it is configured, for the driver's words (`bond_main.c`).
fn mode(words: &str) -> &str {
    match words {
        "load balancing (round-robin)" => "balance-rr",
        "load balancing (xor)" => "balance-xor",
        "fault-tolerance (broadcast)" => "broadcast",
        "IEEE 802.3ad Dynamic link aggregation" => "802.3ad",
        "transmit load balancing" => "balance-tlb",
        "adaptive load balancing" => "balance-alb",
        other if other.starts_with("fault-tolerance (active-backup)") => "active-backup",
        other => other,
    }
}

/// Fills in what the report did not tell from sysfs: the hash policy of modes that do not print it, the whole
/// bond where the report could not be read.
fn complete(root: &Root, bond: &mut Bond) {
    let directory = format!("/sys/class/net/{}/bonding", bond.name);
    let attribute =
        |name: &str| root.attribute(&format!("{directory}/{name}")).filter(|value| !value.is_empty());
    let word = |name: &str| attribute(name).map(|value| first_word(&value).to_owned());
    let number = |name: &str| attribute(name).and_then(|value| value.parse::<u64>().ok());
    let small = |name: &str| number(name).and_then(|value| u32::try_from(value).ok());
    for (slot, name) in [
        (&mut bond.mode, "mode"),
        (&mut bond.xmit_hash_policy, "xmit_hash_policy"),
        (&mut bond.mii_status, "mii_status"),
    ] {
        if slot.is_empty() {
            *slot = word(name).unwrap_or_default();
        }
    }
    bond.miimon_ms = bond.miimon_ms.or_else(|| number("miimon"));
    bond.arp_interval_ms = bond.arp_interval_ms.or_else(|| number("arp_interval"));
    if bond.mode == "balance-tlb" {
        bond.tlb_dynamic_lb = number("tlb_dynamic_lb").map(|value| value != 0);
    }
    bond.active_slave = bond.active_slave.take().or_else(|| word("active_slave"));
    bond.primary = bond.primary.take().or_else(|| word("primary"));
    if bond.mode == "802.3ad" {
        bond.lacp_rate = bond.lacp_rate.take().or_else(|| word("lacp_rate"));
        bond.aggregator_id = bond.aggregator_id.or_else(|| small("ad_aggregator"));
        bond.ad_num_ports = bond.ad_num_ports.or_else(|| small("ad_num_ports"));
        bond.partner_mac = bond.partner_mac.take().or_else(|| attribute("ad_partner_mac"));
    }
    if bond.slaves.is_empty() {
        let names = attribute("slaves").unwrap_or_default();
        bond.slaves = names
            .split_whitespace()
            .map(|name| BondSlave { name: name.to_owned(), ..BondSlave::default() })
            .collect();
    }
    let lacp = bond.mode == "802.3ad";
    for slave in &mut bond.slaves {
        complete_slave(root, slave, lacp);
    }
}

fn complete_slave(root: &Root, slave: &mut BondSlave, lacp: bool) {
    let directory = format!("/sys/class/net/{}", slave.name);
    let attribute = |name: &str| root.attribute(&format!("{directory}/bonding_slave/{name}"));
    if slave.mii_status.is_empty() {
        slave.mii_status = attribute("mii_status").unwrap_or_default();
    }
    if slave.permanent_mac.is_empty() {
        slave.permanent_mac = attribute("perm_hwaddr").unwrap_or_default();
    }
    slave.link_failures = slave.link_failures.or_else(|| attribute("link_failure_count")?.parse().ok());
    if lacp {
        slave.aggregator_id = slave.aggregator_id.or_else(|| attribute("ad_aggregator_id")?.parse().ok());
    }
    slave.speed_mbit_per_s = slave.speed_mbit_per_s.or_else(|| root.number(&format!("{directory}/speed")));
    slave.duplex = slave.duplex.take().or_else(|| {
        root.attribute(&format!("{directory}/duplex"))
            .filter(|duplex| matches!(duplex.as_str(), "full" | "half"))
    });
}

#[cfg(test)]
#[path = "bond_tests.rs"]
mod tests;
