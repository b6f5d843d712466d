//! Routes and addresses of IPv4 as `/proc/net/route` and `/proc/net/fib_trie` list them: all that a copy of `/proc`
//! has of them, without the output of `ip`.

use crate::Root;
use fullwire_model::host::{Nic, Route};
use std::net::Ipv4Addr;

const ROUTES: &str = "/proc/net/route";
const TRIE: &str = "/proc/net/fib_trie";

/// How much of each is read, and how many lines.
const BYTES_LIMIT: usize = 1 << 22;
const LINES_LIMIT: usize = 65_536;

/// The routes of the main table; `None`: the file is not there.
pub(super) fn routes(root: &Root) -> Option<Vec<Route>> {
    let (text, _) = root.try_read(ROUTES, BYTES_LIMIT).ok()?;
    Some(text.lines().skip(1).take(LINES_LIMIT).filter_map(route).collect())
}

/// `Iface Destination Gateway Flags RefCnt Use Metric Mask ...`, addresses as the CPU holds them in hexadecimal
/// (Linux `net/ipv4/fib_trie.c`, `fib_route_seq_show`).
fn route(line: &str) -> Option<Route> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [interface, destination, gateway, flags, _, _, metric, mask, ..] = words.as_slice() else {
        return None;
    };
    let is_up = u32::from_str_radix(flags, 16).ok()? & 1 == 1;
    let (destination, gateway, mask) = (address(destination)?, address(gateway)?, address(mask)?);
    let length = u32::from(mask).leading_ones();
    is_up.then(|| Route {
        destination: if length == 0 { "default".to_owned() } else { format!("{destination}/{length}") },
        gateway: (!gateway.is_unspecified()).then(|| gateway.to_string()),
        interface: (*interface).to_owned(),
        metric: metric.parse().ok().filter(|metric| *metric > 0),
        ..Route::default()
    })
}

fn address(hex: &str) -> Option<Ipv4Addr> {
    u32::from_str_radix(hex, 16).ok().map(|bits| Ipv4Addr::from(bits.to_le_bytes()))
}

/// Gives interfaces of a captured tree the addresses of the host: each to the one whose network without a gateway it
/// is in. Nothing is added where another source told addresses.
pub(super) fn add_addresses(root: &Root, nics: &mut [Nic], routes: &[Route]) {
    if root.is_live() || nics.iter().any(|nic| !nic.addresses.is_empty()) {
        return;
    }
    let Ok((text, _)) = root.try_read(TRIE, BYTES_LIMIT) else { return };
    let near: Vec<(Ipv4Addr, u32, &str)> = routes.iter().filter_map(network).collect();
    for own in locals(&text) {
        let within = near.iter().filter(|(network, length, _)| {
            u32::from(own).checked_shr(32 - length) == u32::from(*network).checked_shr(32 - length)
        });
        let Some((_, length, name)) = within.max_by_key(|(_, length, _)| *length) else { continue };
        if let Some(nic) = nics.iter_mut().find(|nic| nic.name == *name) {
            nic.addresses.push(format!("{own}/{length}"));
        }
    }
}

/// A network that an interface is in.
fn network(route: &Route) -> Option<(Ipv4Addr, u32, &str)> {
    let (address, length) = route.destination.split_once('/').filter(|_| route.gateway.is_none())?;
    let length = length.parse().ok().filter(|length| (1..=32).contains(length))?;
    Some((address.parse().ok()?, length, &route.interface))
}

/// The host's own addresses: a leaf `|-- 10.0.0.1`, and below it `/32 host LOCAL`. Both tables list them.
fn locals(text: &str) -> Vec<Ipv4Addr> {
    let mut leaf = None;
    let mut found: Vec<Ipv4Addr> = Vec::new();
    for line in text.lines().take(LINES_LIMIT) {
        let line = line.trim();
        if let Some(address) = line.strip_prefix("|-- ") {
            leaf = address.parse::<Ipv4Addr>().ok();
        } else if line.starts_with("/32 host LOCAL")
            && let Some(own) = leaf.filter(|own| !own.is_loopback() && !found.contains(own))
        {
            found.push(own);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rooted;

    const ROUTE: &str = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n\
        eth0\t00000000\t0100460A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n\
        eth0\t0000460A\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n\
        eth1\t00013C0A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n";
    const LOCAL: &str = "Local:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 10.70.0.33\n        /32 host LOCAL\n\
        \x20    |-- 10.60.1.33\n        /32 host LOCAL\n     |-- 10.60.1.255\n        /32 link BROADCAST\n\
        \x20    |-- 127.0.0.1\n        /32 host LOCAL\n     |-- 192.0.2.9\n        /32 host LOCAL\n";

    #[test]
    fn addresses_of_a_copy_of_proc() {
        let (_folder, root) = rooted(&[("proc/net/route", ROUTE), ("proc/net/fib_trie", LOCAL)]);
        let routes = routes(&root).expect("routes");
        assert_eq!(
            (routes[0].destination.as_str(), routes[0].gateway.as_deref()),
            ("default", Some("10.70.0.1"))
        );
        assert_eq!((routes[2].destination.as_str(), routes[2].metric), ("10.60.1.0/24", None));
        let nic = |name: &str| Nic { name: name.into(), ..Nic::default() };
        let mut nics = [nic("eth0"), nic("eth1")];
        add_addresses(&root, &mut nics, &routes);
        assert_eq!(nics[0].addresses, ["10.70.0.33/24"]);
        assert_eq!(nics[1].addresses, ["10.60.1.33/24"]);
    }
}
