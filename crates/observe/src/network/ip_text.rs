//! What `ip` and `tc` print, as a sosreport keeps it.

use super::netem_loss;
use super::netlink::{Link, QdiscRecord};
use crate::root::malformed;
use fullwire_model::Gap;
use fullwire_model::counters::NicCounters;
use fullwire_model::host::Route;

/// Links and their addresses, from `ip -d address` or `ip -s -d link`; indices are those that it prints.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub links: Vec<Link>,
    /// Interface's index and address with prefix.
    pub addresses: Vec<(u32, String)>,
    /// Names behind `master` and `@`: the listing gives no index for them.
    pub masters: Vec<(u32, String)>,
    pub lowers: Vec<(u32, String)>,
}

/// Names of link kinds as `ip -d` prints them at the start of a line of details.
const KINDS: [&str; 15] = [
    "bond", "bridge", "dummy", "geneve", "gre", "ipip", "ipoib", "ipvlan", "macvlan", "openvswitch", "team",
    "tun", "veth", "vlan", "vxlan",
];

pub(super) fn links(path: &str, text: &str, gaps: &mut Vec<Gap>) -> Listing {
    let mut listing = Listing::default();
    let mut expects: Option<Direction> = None;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with(|c: char| c.is_ascii_digit()) {
            expects = None;
            match head(line, &mut listing) {
                Some(link) => listing.links.push(link),
                None => gaps.push(malformed(path, index + 1, "not `N: NAME: <FLAGS> mtu N …`")),
            }
            continue;
        }
        let Some(link) = listing.links.last_mut() else { continue };
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(direction) = expects.take() {
            counters(direction, &words, link.counters.get_or_insert_default());
            continue;
        }
        match words.as_slice() {
            ["RX:", ..] => expects = Some(Direction::Receive),
            ["TX:", ..] => expects = Some(Direction::Send),
            ["inet" | "inet6", address, ..] => listing.addresses.push((link.index, (*address).to_owned())),
            [first, ..] if first.starts_with("link/") => link_line(&words, link),
            [kind, ..] if link.kind.is_empty() && KINDS.contains(kind) => {
                details(&words, link);
                // `vxlan id 1 local 10.0.0.1 dev eth0 …`: the interface whose packets carry it.
                let below = words.windows(2).find(|pair| *kind == "vxlan" && pair[0] == "dev");
                listing.lowers.extend(below.map(|pair| (link.index, pair[1].to_owned())));
            }
            _ => gso(&words, link),
        }
    }
    listing
}

#[derive(Debug, Clone, Copy)]
enum Direction {
    Receive,
    Send,
}

/// `2: eth0@if3: <BROADCAST,UP,LOWER_UP> mtu 1500 qdisc mq master bond0 state UP … qlen 1000`.
fn head(line: &str, listing: &mut Listing) -> Option<Link> {
    let (index, rest) = line.split_once(": ")?;
    let (name, rest) = rest.split_once(": ")?;
    let index = index.parse().ok()?;
    let (name, lower) = name.split_once('@').map_or((name, None), |(name, lower)| (name, Some(lower)));
    let flags = rest.strip_prefix('<')?.split_once('>')?.0;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let after =
        |name: &str| words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1).copied());
    if let Some(master) = after("master") {
        listing.masters.push((index, master.to_owned()));
    }
    if let Some(lower) = lower.filter(|lower| !lower.starts_with("if") && *lower != "NONE") {
        listing.lowers.push((index, lower.to_owned()));
    }
    let up = flags.split(',').any(|flag| flag == "UP");
    Some(Link {
        name: name.to_owned(),
        index,
        up,
        mtu_bytes: Some(after("mtu")?.parse().ok()?),
        operstate: after("state").unwrap_or("unknown").to_ascii_lowercase(),
        carrier: up.then(|| flags.split(',').any(|flag| flag == "LOWER_UP")),
        tx_queue_packets: after("qlen").and_then(|length| length.parse().ok()),
        ..Link::default()
    })
}

/// `link/ether aa:… brd ff:… promiscuity 0 … gso_max_size 65536`; newer versions put the kind at its end.
fn link_line(words: &[&str], link: &mut Link) {
    link.mac = words.get(1).map(|mac| (*mac).to_owned()).unwrap_or_default();
    gso(words, link);
}

/// `vlan protocol 802.1Q id 100 <REORDER_HDR> …`.
fn details(words: &[&str], link: &mut Link) {
    words[0].clone_into(&mut link.kind);
    if link.kind == "vlan" {
        let at = words.iter().position(|word| *word == "id");
        link.vlan_id = at.and_then(|at| words.get(at + 1)?.parse().ok());
    }
    gso(words, link);
}

fn gso(words: &[&str], link: &mut Link) {
    let at = words.iter().position(|word| *word == "gso_max_size");
    link.gso_max_bytes = at.and_then(|at| words.get(at + 1)?.parse().ok()).or(link.gso_max_bytes);
}

/// Numbers under `bytes packets errors dropped missed|overrun mcast` or `… carrier collsns`.
fn counters(direction: Direction, words: &[&str], counters: &mut NicCounters) {
    let number = |index: usize| words.get(index).and_then(|word| word.parse().ok()).unwrap_or(0);
    match direction {
        Direction::Receive => {
            counters.rx_bytes = number(0);
            counters.rx_packets = number(1);
            counters.rx_errors = number(2);
            counters.rx_dropped = number(3);
            counters.rx_missed_errors = number(4);
        }
        Direction::Send => {
            counters.tx_bytes = number(0);
            counters.tx_packets = number(1);
            counters.tx_errors = number(2);
            counters.tx_dropped = number(3);
            counters.collisions = number(5);
        }
    }
}

/// Kinds of route that `ip route` puts in front and that carry no traffic out.
const OTHER_ROUTES: [&str; 8] =
    ["broadcast", "local", "multicast", "anycast", "blackhole", "unreachable", "prohibit", "throw"];

/// Routes of the main table, from `ip route show table all` or `ip route`.
pub(super) fn routes(path: &str, text: &str, gaps: &mut Vec<Gap>) -> Vec<Route> {
    let mut routes: Vec<Route> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(&first) = words.first() else { continue };
        let after = |name: &str| {
            words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1).copied())
        };
        let elsewhere = after("table").is_some_and(|table| table != "main");
        if elsewhere || OTHER_ROUTES.contains(&first) {
            continue;
        }
        let locked = |name: &str| words.windows(2).position(|pair| *pair == [name, "lock"]);
        let number = |name: &str| {
            let value = match locked(name) {
                Some(at) => words.get(at + 2).copied(),
                None => after(name),
            };
            value.and_then(|value| value.parse().ok())
        };
        if first == "nexthop" {
            next_hop(&mut routes, after("via"), after("dev"));
            continue;
        }
        let destination = if first == "unicast" { words.get(1).copied().unwrap_or("") } else { first };
        let valid =
            destination == "default" || destination.starts_with(|c: char| c.is_ascii_hexdigit() || c == ':');
        let interface = after("dev").unwrap_or_default();
        if !valid || (interface.is_empty() && words.len() > 1 && after("via").is_some()) {
            gaps.push(malformed(path, index + 1, "not a route"));
            continue;
        }
        routes.push(Route {
            destination: destination.to_owned(),
            gateway: after("via")
                .map(|via| if via == "inet6" { after("inet6").unwrap_or(via) } else { via }.to_owned()),
            interface: interface.to_owned(),
            source: after("src").map(str::to_owned),
            metric: number("metric").and_then(|metric: u64| u32::try_from(metric).ok()),
            mtu_bytes: number("mtu"),
            initcwnd: number("initcwnd").and_then(|window: u64| u32::try_from(window).ok()),
            window_bytes: number("window"),
            cwnd_locked: locked("cwnd")
                .and_then(|_| number("cwnd"))
                .and_then(|cwnd: u64| u32::try_from(cwnd).ok()),
            advmss_bytes: number("advmss"),
            looked_up: false,
        });
    }
    routes.retain(|route| !route.interface.is_empty());
    routes
}

/// `nexthop via 10.0.0.1 dev eth0 weight 1`, below the route that it belongs to.
fn next_hop(routes: &mut Vec<Route>, via: Option<&str>, dev: Option<&str>) {
    let (Some(route), Some(dev)) = (routes.last().cloned(), dev) else { return };
    let hop = Route { gateway: via.map(str::to_owned), interface: dev.to_owned(), ..route };
    routes.push(hop);
}

/// Disciplines from `tc -s qdisc show`; their interface by name, or `""` where the listing was of one.
pub(super) fn qdiscs(text: &str) -> Vec<(String, QdiscRecord)> {
    let mut all: Vec<(String, QdiscRecord)> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let after = |name: &str| {
            words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1).copied())
        };
        match (words.as_slice(), all.last_mut()) {
            (["qdisc", kind, handle, ..], _) => {
                let mut record = QdiscRecord::default();
                let parent = after("parent").unwrap_or(if words.contains(&"root") { "root" } else { "" });
                (*kind).clone_into(&mut record.qdisc.kind);
                (*handle).clone_into(&mut record.qdisc.handle);
                parent.clone_into(&mut record.qdisc.parent);
                record.counters.kind.clone_from(&record.qdisc.kind);
                record.counters.parent.clone_from(&record.qdisc.parent);
                record.qdisc.rate_bytes_per_s = after("rate").or(after("maxrate")).and_then(rate_bytes_per_s);
                record.qdisc.burst_bytes = after("burst").and_then(bytes);
                record.qdisc.limit = after("limit").and_then(|limit| bytes(limit.trim_end_matches('p')));
                record.qdisc.delay_ns = after("delay").and_then(time_ns);
                record.qdisc.loss = match after("loss") {
                    Some("gemodel") => gilbert_elliott(&after),
                    Some("state") => four_state(&after),
                    loss => loss.and_then(percent),
                };
                let tampers = ["duplicate", "corrupt", "reorder", "slot"];
                record.qdisc.tampers =
                    (*kind == "netem").then(|| words.iter().any(|word| tampers.contains(word)));
                all.push((after("dev").unwrap_or_default().to_owned(), record));
            }
            (["Sent", bytes, "bytes", packets, "pkt", rest @ ..], Some((_, record))) => {
                let number = |word: &str| word.trim_matches(['(', ')', ',']).parse().unwrap_or(0);
                let after = |name: &str| {
                    let at = rest.iter().position(|word| word.trim_start_matches('(') == name);
                    at.and_then(|at| rest.get(at + 1)).map_or(0, |word| number(word))
                };
                record.counters.bytes = number(bytes);
                record.counters.packets = number(packets);
                record.counters.drops = after("dropped");
                record.counters.overlimits = after("overlimits");
            }
            (["backlog", backlog, ..], Some((_, record))) => {
                record.counters.backlog_bytes = bytes(backlog.trim_end_matches('b')).unwrap_or(0);
            }
            _ => {}
        }
    }
    all
}

/// `loss gemodel p 1% r 10% 1-h 70% 1-k 0.1%`: 1-h is lost in the bad state, 1-k in the good one.
fn gilbert_elliott<'a>(after: &dyn Fn(&str) -> Option<&'a str>) -> Option<f64> {
    let chance = |name| after(name).and_then(percent);
    Some(netem_loss::gilbert_elliott(chance("p")?, chance("r")?, chance("1-h")?, chance("1-k")?))
}

/// `loss state p13 1% p31 25% p32 5% p23 30% p14 0.1%`.
fn four_state<'a>(after: &dyn Fn(&str) -> Option<&'a str>) -> Option<f64> {
    let chance = |name| after(name).and_then(percent);
    Some(netem_loss::four_state(
        chance("p13")?,
        chance("p31")?,
        chance("p32")?,
        chance("p23")?,
        chance("p14")?,
    ))
}

/// The number in front of a unit, and the unit.
fn unit(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    number.is_finite().then_some((number, &text[end..]))
}

/// tc's rates: bits per second, powers of ten.
fn rate_bytes_per_s(text: &str) -> Option<f64> {
    let (number, unit) = unit(text)?;
    let factor = match unit {
        "bit" => 1.0,
        "Kbit" => 1e3,
        "Mbit" => 1e6,
        "Gbit" => 1e9,
        "Tbit" => 1e12,
        _ => return None,
    };
    Some(number * factor / 8.0)
}

/// tc's sizes: `1600b`, `15Kb` (1024).
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive number, saturating")]
fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = unit(text)?;
    let factor = match unit {
        "" | "b" => 1.0,
        "K" | "Kb" => 1024.0,
        "M" | "Mb" => 1_048_576.0,
        _ => return None,
    };
    Some((number * factor) as u64)
}

/// `1ms`, `250us`, `1.5s`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive number, saturating")]
fn time_ns(text: &str) -> Option<u64> {
    let (number, unit) = unit(text)?;
    let factor = match unit {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    Some((number * factor) as u64)
}

fn percent(text: &str) -> Option<f64> {
    let (number, "%") = unit(text)? else { return None };
    Some(number / 100.0)
}

#[cfg(test)]
#[path = "ip_text_tests.rs"]
mod tests;
