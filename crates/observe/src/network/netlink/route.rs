//! The main routing table, and the route that the kernel picks for one destination.

use super::address::ip;
use super::codec::{Message, attribute, attributes, u16_at, u32_at};
use fullwire_model::Gap;
use fullwire_model::host::Route;
use std::net::IpAddr;

const RTM_GETROUTE: u16 = 26;
const RTM_NEWROUTE: u16 = 24;

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

const MAIN_TABLE: u32 = 254;
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
