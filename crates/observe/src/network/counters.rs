//! Counters of interfaces: the kernel's, the driver's, the queueing disciplines'.

use super::netlink::{self, Link};
use super::{ethtool, ethtool_text, ip_text, qdisc};
use crate::Root;
use fullwire_model::GapReason;
use fullwire_model::counters::{Counters, NicCounters};
use std::collections::BTreeMap;

const CAPTURED: &str = "/sos_commands/networking/ip_-s_-d_link";

pub(super) fn read(root: &Root, counters: &mut Counters) {
    let links = match root.answer("netlink link counters", netlink::links) {
        Ok(links) => links,
        Err(gap) => {
            let links = captured(root, counters);
            if links.is_empty() {
                counters.gaps.push(gap);
            }
            links
        }
    };
    let names: BTreeMap<u32, String> = links.iter().map(|link| (link.index, link.name.clone())).collect();
    for link in links {
        let mut nic = link.counters.unwrap_or_default();
        let path = format!("/sys/class/net/{}/bonding_slave/link_failure_count", link.name);
        nic.link_failures = root.number(&path);
        counters.nics.insert(link.name, nic);
    }
    counters.qdiscs = qdisc::counters(root, &names, &mut counters.gaps);
}

/// The drivers' own counters of all interfaces that were read.
pub(super) fn read_drivers(root: &Root, counters: &mut Counters) {
    let mut nics = std::mem::take(&mut counters.nics);
    for (name, nic) in &mut nics {
        driver(root, name, nic, counters);
    }
    counters.nics = nics;
}

/// A captured tree's links: `ip -s link`, or the copies of sysfs.
fn captured(root: &Root, counters: &mut Counters) -> Vec<Link> {
    if let Ok((text, _)) = root.try_read(CAPTURED, 1 << 22) {
        let mut links = ip_text::links(CAPTURED, &text, &mut counters.gaps).links;
        // `ip -s link` has one sum of all errors; the copies of sysfs tell a bad checksum from a full ring.
        for link in &mut links {
            link.counters = sysfs(root, &link.name).or(link.counters.take());
        }
        return links;
    }
    let names = root.list("/sys/class/net");
    names
        .into_iter()
        .filter_map(|name| Some(Link { counters: Some(sysfs(root, &name)?), name, ..Link::default() }))
        .collect()
}

/// `/sys/class/net/X/statistics`.
fn sysfs(root: &Root, name: &str) -> Option<NicCounters> {
    let directory = format!("/sys/class/net/{name}");
    let number = |file: &str| root.number::<u64>(&format!("{directory}/statistics/{file}"));
    let or_zero = |file: &str| number(file).unwrap_or(0);
    Some(NicCounters {
        rx_bytes: number("rx_bytes")?,
        tx_bytes: number("tx_bytes")?,
        rx_packets: or_zero("rx_packets"),
        tx_packets: or_zero("tx_packets"),
        rx_errors: or_zero("rx_errors"),
        tx_errors: or_zero("tx_errors"),
        rx_dropped: or_zero("rx_dropped"),
        tx_dropped: or_zero("tx_dropped"),
        rx_crc_errors: or_zero("rx_crc_errors"),
        rx_frame_errors: or_zero("rx_frame_errors"),
        rx_length_errors: or_zero("rx_length_errors"),
        rx_missed_errors: or_zero("rx_missed_errors"),
        rx_fifo_errors: or_zero("rx_fifo_errors"),
        rx_over_errors: or_zero("rx_over_errors"),
        collisions: or_zero("collisions"),
        carrier_changes: root.number(&format!("{directory}/carrier_changes")),
        link_failures: None,
        driver: BTreeMap::new(),
    })
}

/// The driver's own counters, of interfaces with a device behind them.
fn driver(root: &Root, name: &str, nic: &mut NicCounters, counters: &mut Counters) {
    if root.exists(&format!("/sys/class/net/{name}/device")) {
        match ethtool::statistics(root, name) {
            Ok(driver) => nic.driver = driver,
            Err(gap) if root.is_live() && gap.reason != GapReason::Unsupported => counters.gaps.push(gap),
            Err(_) => {}
        }
    }
    if nic.driver.is_empty()
        && let Some(driver) = ethtool_text::captured_statistics(root, name)
    {
        nic.driver = driver;
    }
}
