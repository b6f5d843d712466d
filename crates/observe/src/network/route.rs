//! The main routing table and the route to each peer.

use super::{ip_text, netlink};
use crate::Root;
use fullwire_model::Gap;
use fullwire_model::host::{Nic, Route};
use std::net::IpAddr;

/// sosreport's listings.
const CAPTURED: [&str; 3] = [
    "/sos_commands/networking/ip_route_show_table_all",
    "/sos_commands/networking/ip_-6_route_show_table_all",
    "/sos_commands/networking/ip_route",
];

pub(super) fn read(root: &Root, peers: &[IpAddr], nics: &[Nic], gaps: &mut Vec<Gap>) -> Vec<Route> {
    let mut routes = match root.answer("netlink routes", netlink::routes) {
        Ok(routes) => routes.into_iter().map(|route| named(route, nics)).collect(),
        Err(gap) => captured(root, gap, gaps),
    };
    routes.extend(look_up(root, peers, nics, gaps));
    routes
}

/// The kernel's choice for each address. A tree that cannot be asked is no gap: its table of routes tells.
pub(super) fn look_up(root: &Root, peers: &[IpAddr], nics: &[Nic], gaps: &mut Vec<Gap>) -> Vec<Route> {
    let mut routes = Vec::new();
    for &peer in peers {
        match root.answer(&format!("route to {peer}"), || netlink::look_up(peer)) {
            Ok(Some(route)) => routes.push(named(route, nics)),
            Err(gap) if root.is_live() => gaps.push(gap),
            Ok(None) | Err(_) => {}
        }
    }
    routes
}

/// The interface's name for its index.
fn named((index, route): (u32, Route), nics: &[Nic]) -> Route {
    let interface = nics.iter().find(|nic| nic.index == index).map(|nic| nic.name.clone());
    Route { interface: interface.unwrap_or_default(), ..route }
}

fn captured(root: &Root, gap: Gap, gaps: &mut Vec<Gap>) -> Vec<Route> {
    let mut routes: Vec<Route> = Vec::new();
    let mut found = false;
    for path in CAPTURED {
        if let Ok((text, _)) = root.try_read(path, 1 << 22) {
            found = true;
            for route in ip_text::routes(path, &text, gaps) {
                if !routes.contains(&route) {
                    routes.push(route);
                }
            }
        }
    }
    if !found {
        gaps.push(gap);
    }
    routes
}
