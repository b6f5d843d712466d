//! The main routing table, and the route that the kernel picks for one destination.

use super::address::ip;
use super::codec::{Message, attribute, attributes, u16_at, u32_at};
use fullwire_model::Gap;
use fullwire_model::host::Route;
use std::net::IpAddr;

const RTM_GETROUTE: u16 = 26;
const RTM_NEWROUTE: u16 = 24;

const RTM_GETRULE: u16 = 34;
const FRA_SRC: u16 = 2;

const RTA_DST: u16 = 1;
const RTA_OIF: u16 = 4;
const RTA_GATEWAY: u16 = 5;
const RTA_PRIORITY: u16 = 6;
const RTA_PREFSRC: u16 = 7;
const RTA_METRICS: u16 = 8;
const RTA_MULTIPATH: u16 = 9;
const RTA_TABLE: u16 = 15;
const RTA_VIA: u16 = 18;

const RTAX_LOCK: u16 = 1;
const RTAX_MTU: u16 = 2;
const RTAX_WINDOW: u16 = 3;
const RTAX_CWND: u16 = 7;
const RTAX_ADVMSS: u16 = 8;
const RTAX_INITCWND: u16 = 11;

const DEFAULT_TABLE: u32 = 253;
const MAIN_TABLE: u32 = 254;
const LOCAL_TABLE: u32 = 255;
const UNICAST: u8 = 1;
const RTM_F_CLONED: u32 = 0x200;

/// Routes that are kept: a router with the whole Internet is no database server.
const MAX_ROUTES: usize = 1024;

/// The main table, both families. Interfaces are given by index.
pub(in crate::network) fn routes() -> Result<Vec<(u32, Route)>, Gap> {
    let mut all = Vec::new();
    super::ask("netlink routes", RTM_GETROUTE, true, &[0; 12], &[], |message| {
        if all.len() < MAX_ROUTES && in_main_table(message) {
            all.extend(decode(message));
        }
    })?;
    Ok(all)
}

/// Source prefixes of IPv4 that a rule sends to a table other than the kernel's three, as `ip rule` lists them.
pub(in crate::network) fn source_rules() -> Result<Vec<String>, Gap> {
    const AF_INET: u8 = 2;
    let mut all = Vec::new();
    let header = [AF_INET, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    super::ask("netlink rules", RTM_GETRULE, true, &header, &[], |message| {
        if all.len() < MAX_ROUTES {
            all.extend(source_of_rule(message.body));
        }
    })?;
    Ok(all)
}

/// `struct fib_rule_hdr` and its attributes (`linux/fib_rules.h`).
fn source_of_rule(body: &[u8]) -> Option<String> {
    let (length, table, rest) = (body.get(2)?, body.get(4)?, body.get(12..)?);
    let table = attribute(rest, RTA_TABLE).and_then(|id| u32_at(id, 0)).unwrap_or((*table).into());
    let own = !(DEFAULT_TABLE..=LOCAL_TABLE).contains(&table) && table != 0;
    let source = ip(attribute(rest, FRA_SRC)?)?;
    own.then(|| format!("{source}/{length}"))
}

/// The kernel's route to a destination, as `ip route get` asks for it.
pub(in crate::network) fn look_up(peer: IpAddr) -> Result<Option<(u32, Route)>, Gap> {
    let (family, address): (u8, Vec<u8>) = match peer {
        IpAddr::V4(peer) => (2, peer.octets().to_vec()),
        IpAddr::V6(peer) => (10, peer.octets().to_vec()),
    };
    let bits = if peer.is_ipv4() { 32 } else { 128 };
    let body = [family, bits, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let mut found = None;
    super::ask(&format!("route to {peer}"), RTM_GETROUTE, false, &body, &[(RTA_DST, &address)], |message| {
        found = decode(message).into_iter().next();
    })?;
    Ok(found.map(|(index, mut route)| {
        route.destination = peer.to_string();
        route.looked_up = true;
        (index, route)
    }))
}

/// A unicast route of the main table that is no cached copy.
fn in_main_table(message: Message) -> bool {
    let body = message.body;
    let (Some(&table), Some(&kind), Some(flags)) = (body.get(4), body.get(7), u32_at(body, 8)) else {
        return false;
    };
    let table = attribute(body.get(12..).unwrap_or_default(), RTA_TABLE)
        .and_then(|id| u32_at(id, 0))
        .unwrap_or(table.into());
    table == MAIN_TABLE && kind == UNICAST && flags & RTM_F_CLONED == 0
}

/// `struct rtmsg` and its attributes; one route for each next hop.
fn decode(message: Message) -> Vec<(u32, Route)> {
    let (Some(&family), Some(&prefix), Some(rest)) =
        (message.body.first(), message.body.get(1), message.body.get(12..))
    else {
        return Vec::new();
    };
    if message.kind != RTM_NEWROUTE || !matches!(family, 2 | 10) {
        return Vec::new();
    }
    let mut route = Route { destination: "default".to_owned(), ..Route::default() };
    let (mut interface, mut hops) = (0, None);
    for (kind, value) in attributes(rest) {
        match kind {
            RTA_DST => route.destination = ip(value).map(|to| format!("{to}/{prefix}")).unwrap_or_default(),
            RTA_OIF => interface = u32_at(value, 0).unwrap_or(0),
            RTA_PRIORITY => route.metric = u32_at(value, 0),
            RTA_PREFSRC => route.source = ip(value).map(|from| from.to_string()),
            RTA_METRICS => metrics(value, &mut route),
            RTA_MULTIPATH => hops = Some(value),
            RTA_GATEWAY | RTA_VIA => route.gateway = gateway(kind, value),
            _ => {}
        }
    }
    match hops {
        Some(hops) => next_hops(hops, &route),
        None => vec![(interface, route)],
    }
}

/// A gateway; `RTA_VIA` has its family in front.
fn gateway(kind: u16, value: &[u8]) -> Option<String> {
    let address = if kind == RTA_VIA { value.get(2..)? } else { value };
    ip(address).map(|via| via.to_string())
}

fn metrics(value: &[u8], route: &mut Route) {
    let locks = attribute(value, RTAX_LOCK).and_then(|bits| u32_at(bits, 0)).unwrap_or(0);
    for (kind, value) in attributes(value) {
        let number = u32_at(value, 0).filter(|&number| number > 0);
        match kind {
            RTAX_MTU => route.mtu_bytes = number.map(u64::from),
            RTAX_WINDOW => route.window_bytes = number.map(u64::from),
            RTAX_INITCWND => route.initcwnd = number,
            RTAX_ADVMSS => route.advmss_bytes = number.map(u64::from),
            // Without the lock it is what the kernel remembers of earlier connections.
            RTAX_CWND if locks & (1 << RTAX_CWND) != 0 => route.cwnd_locked = number,
            _ => {}
        }
    }
}

/// `struct rtnexthop`: length, flags, hops, index; then attributes.
fn next_hops(mut bytes: &[u8], route: &Route) -> Vec<(u32, Route)> {
    let mut all = Vec::new();
    while let (Some(length), Some(index)) = (u16_at(bytes, 0), u32_at(bytes, 4)) {
        let Some(rest) = bytes.get(8..usize::from(length)) else { break };
        let mut hop = route.clone();
        for (kind, value) in attributes(rest).filter(|(kind, _)| matches!(*kind, RTA_GATEWAY | RTA_VIA)) {
            hop.gateway = gateway(kind, value);
        }
        all.push((index, hop));
        bytes = bytes.get(usize::from(length).next_multiple_of(4)..).unwrap_or_default();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn loopback_is_reached_by_loopback() {
        let (index, route) =
            look_up("127.0.0.1".parse().expect("an address")).expect("asked").expect("found");
        assert_eq!((index, route.destination.as_str(), route.looked_up), (1, "127.0.0.1", true));
        assert_eq!(route.source.as_deref(), Some("127.0.0.1"));
    }

    #[test]
    fn a_rule_counts_by_its_source_and_its_own_table() {
        let rule = |table: u8, source: bool| {
            let mut bytes = vec![2, 0, 32, 0, table, 0, 0, 1, 0, 0, 0, 0];
            if source {
                bytes.extend(8_u16.to_ne_bytes());
                bytes.extend(FRA_SRC.to_ne_bytes());
                bytes.extend([10, 3, 0, 8]);
            }
            bytes
        };
        assert_eq!(source_of_rule(&rule(101, true)).as_deref(), Some("10.3.0.8/32"));
        assert_eq!(source_of_rule(&rule(101, false)), None, "for every source");
        assert_eq!(source_of_rule(&rule(254, true)), None, "the main table");
        assert_eq!(source_of_rule(&rule(101, true)[..10]), None);
    }

    #[test]
    fn the_kernels_own_rules_are_none_for_a_source() {
        let rules = source_rules().expect("asked");
        assert!(rules.iter().all(|rule| rule.contains('/')), "{rules:?}");
    }

    #[test]
    fn a_multipath_route_has_a_route_for_each_hop() {
        let hop = |index: u32, last: u8| {
            let mut bytes = vec![16, 0, 0, 0];
            bytes[0..2].copy_from_slice(&16_u16.to_ne_bytes());
            bytes.extend(index.to_ne_bytes());
            bytes.extend(8_u16.to_ne_bytes());
            bytes.extend(RTA_GATEWAY.to_ne_bytes());
            bytes.extend([10, 0, 0, last]);
            bytes
        };
        let hops = next_hops(&[hop(2, 1), hop(3, 2)].concat(), &Route::default());
        let found: Vec<_> = hops.iter().map(|(index, route)| (*index, route.gateway.as_deref())).collect();
        assert_eq!(found, [(2, Some("10.0.0.1")), (3, Some("10.0.0.2"))]);
    }

    proptest! {
        #[test]
        fn mangled_messages_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut body = vec![2, 24, 0, 0, 254, 0, 0, 1, 0, 0, 0, 0];
            body.extend(&bytes);
            let message = Message { kind: RTM_NEWROUTE, body: &body };
            in_main_table(message);
            prop_assert!(decode(message).len() <= 1 + bytes.len() / 8);
        }
    }
}
