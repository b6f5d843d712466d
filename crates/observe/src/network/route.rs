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

/// Where a sosreport has the rules of policy routing, in files of several names: `ip_-4_rule`, `ip_rule_list`,
/// `ip_-d_rule_show`.
const CAPTURED_RULES: &str = "/sos_commands/networking";

/// Source prefixes that policy routing sends by their own table, from the listing of a captured tree.
pub(super) fn captured_source_rules(root: &Root) -> Option<Vec<String>> {
    if root.is_live() {
        return None;
    }
    let is_listing = |name: &String| name.starts_with("ip_") && name.contains("rule");
    let mut texts = root
        .list(CAPTURED_RULES)
        .into_iter()
        .filter(is_listing)
        .filter_map(|name| {
            root.try_read(&format!("{CAPTURED_RULES}/{name}"), 1 << 20).ok().map(|(text, _)| text)
        })
        .peekable();
    texts.peek()?;
    let mut rules: Vec<String> = texts.flat_map(|text| source_rules(&text)).collect();
    rules.dedup();
    Some(rules)
}

/// `32765: from 10.0.1.5 lookup 101`: the rules with a source and a table other than the kernel's three.
fn source_rules(text: &str) -> Vec<String> {
    let source = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let after = |name: &str| words.windows(2).find(|pair| pair[0] == name).map(|pair| pair[1]);
        let (source, table) = (after("from")?, after("lookup").or_else(|| after("table"))?);
        let own = !matches!(table, "local" | "main" | "default" | "255" | "254" | "253");
        let address = source.split('/').next()?.parse::<IpAddr>().ok()?;
        let length = if address.is_ipv4() { 32 } else { 128 };
        own.then(|| if source.contains('/') { source.to_owned() } else { format!("{source}/{length}") })
    };
    text.lines().filter_map(source).collect()
}

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
        match super::proc_text::routes(root).filter(|_| !root.is_live()) {
            Some(of_proc) => routes = of_proc,
            None => gaps.push(gap),
        }
    }
    routes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_with_a_source_and_a_table_of_their_own() {
        let text = "0:\tfrom all lookup local\n32764:\tfrom 10.0.1.5 lookup 101\n32765:\tfrom 10.0.2.0/24 lookup isc2\n\
                    32766:\tfrom all lookup main\n100:\tfrom 10.9.9.9 lookup main\n";
        assert_eq!(source_rules(text), ["10.0.1.5/32", "10.0.2.0/24"]);
    }
}
