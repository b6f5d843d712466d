//! Interfaces as trees: a bond over its members, a VLAN over its interface.

use super::per_s;
use crate::facts::interface;
use fullwire_model::Window;
use fullwire_model::counters::NicCounters;
use fullwire_model::host::{Host, Nic};
use fullwire_model::live::{NetworkRates, NetworkRow};

/// Links lie no deeper below one another.
const DEEPEST: u32 = 8;

pub(super) fn rows(host: &Host, window: &Window) -> Vec<NetworkRow> {
    let mut rows = Vec::new();
    let mut tops: Vec<&Nic> = host
        .nics
        .iter()
        .filter(|nic| nic.master.is_none() && !host.nics.iter().any(|upper| upper.lower.contains(&nic.name)))
        .collect();
    // What a database talks over first, what stays within the host last.
    tops.sort_by_key(|nic| match nic.kind.as_str() {
        "bond" | "team" | "physical" | "vlan" => 0,
        "loopback" => 2,
        _ => 1,
    });
    for nic in tops {
        add(host, window, &nic.name, 0, &mut rows);
    }
    rows
}

fn add(host: &Host, window: &Window, name: &str, depth: u32, rows: &mut Vec<NetworkRow>) {
    if depth > DEEPEST || rows.iter().any(|row| row.name == name && depth > 0) {
        return;
    }
    let nic = host.nic(name);
    let limit = limit(host, name);
    let io = rates(window, name);
    let busier = io.as_ref().map(|io| io.rx_bytes_per_s.max(io.tx_bytes_per_s));
    rows.push(NetworkRow {
        depth,
        name: name.into(),
        kind: nic.map_or_else(String::new, |nic| nic.kind.clone()),
        state: nic.map_or_else(String::new, |nic| nic.operstate.clone()),
        share: busier.zip(limit.as_ref()).map(|(busier, (limit, _))| busier / limit),
        limit_bytes_per_s: limit.as_ref().map(|(limit, _)| *limit),
        limit_source: limit.map_or_else(String::new, |(_, source)| source),
        io,
    });
    let members = host.bond(name).into_iter().flat_map(|bond| bond.slaves.iter().map(|slave| &slave.name));
    let lower = nic.into_iter().flat_map(|nic| &nic.lower);
    let ports = host.nics.iter().filter(|port| port.master.as_deref() == Some(name)).map(|port| &port.name);
    let mut below: Vec<&String> = members.chain(lower).chain(ports).collect();
    let mut known = std::collections::BTreeSet::new();
    below.retain(|name| known.insert(*name));
    for name in below {
        add(host, window, name, depth + 1, rows);
    }
}

fn rates(window: &Window, name: &str) -> Option<NetworkRates> {
    let (from, to) = (window.from.nics.get(name)?, window.to.nics.get(name)?);
    let rate = |read: fn(&NicCounters) -> u64| per_s(window, Some(read(from)), Some(read(to)));
    Some(NetworkRates {
        rx_bytes_per_s: rate(|nic| nic.rx_bytes)?,
        tx_bytes_per_s: rate(|nic| nic.tx_bytes)?,
        rx_packets_per_s: rate(|nic| nic.rx_packets)?,
        tx_packets_per_s: rate(|nic| nic.tx_packets)?,
        drops_per_s: rate(|nic| {
            nic.rx_dropped.saturating_add(nic.tx_dropped).saturating_add(nic.rx_missed_errors)
        })?,
        errors_per_s: rate(|nic| nic.rx_errors.saturating_add(nic.tx_errors))?,
    })
}

/// What an interface carries in one direction: its speed, of a bond that of the members that carry.
fn limit(host: &Host, name: &str) -> Option<(f64, String)> {
    let speed = |name: &str| {
        let nic = host.nic(name).filter(|nic| interface::believable(host, nic))?;
        Some(nic.speed_mbit_per_s? as f64 * 1e6 / 8.0)
    };
    if let Some(bond) = host.bond(name) {
        let carriers: Vec<f64> =
            interface::carriers(bond).map(|slave| speed(&slave.name)).collect::<Option<_>>()?;
        let all: f64 = carriers.iter().sum();
        let one = carriers.iter().copied().fold(0.0, f64::max);
        let limit = if bond.mode == "active-backup" { one } else { all };
        return (limit > 0.0).then(|| (limit, "speed of the bond's members".into()));
    }
    let nic = host.nic(name)?;
    match nic.lower.as_slice() {
        [lower] if nic.kind == "vlan" => limit(host, lower),
        _ => speed(name).map(|speed| (speed, "link speed".into())),
    }
}

/// Of the TCP segments that were sent those that were sent again; of few segments nothing is said.
pub(super) fn retransmitted(window: &Window) -> Option<f64> {
    let grown = |name: &str| {
        let (from, to) = (window.from.snmp.get(name)?, window.to.snmp.get(name)?);
        Some(to.saturating_sub(*from))
    };
    let sent = grown("TcpOutSegs").filter(|sent| *sent >= 100)?;
    Some(grown("TcpRetransSegs")? as f64 / sent as f64)
}
