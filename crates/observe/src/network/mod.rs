//! Interfaces, bonds, addresses, routes, queueing disciplines and the protocol counters.

mod bond;
mod counters;
mod ethtool;
mod ethtool_text;
mod ip_text;
mod keeper;
mod kept_mtu;
mod link_modes;
mod netem_loss;
mod netlink;
pub(crate) mod netstat;
mod nic;
mod proc_text;
mod protocols;
mod qdisc;
mod route;
mod ss;
mod team;

pub(crate) use protocols::neighbours;

use crate::{Ask, CountersAsk, Root};
use fullwire_model::counters::Counters;
use fullwire_model::host::Host;
use std::net::{IpAddr, SocketAddr};

/// Reads interfaces and routes.
pub(crate) fn read_host(root: &Root, ask: &Ask, host: &mut Host) {
    host.nics = nic::read(root, host.os.virtualization.as_deref(), &mut host.gaps);
    qdisc::read(root, &mut host.nics, &mut host.gaps);
    keeper::complete(root, host);
    kept_mtu::complete(root, host);
    host.bonds = bond::read(root, &host.nics, &mut host.gaps);
    host.bonds.extend(team::read(root, &host.nics, &mut host.gaps));
    host.routes = route::read(root, &ask.peers, &host.nics, &mut host.gaps);
    proc_text::add_addresses(root, &mut host.nics, &host.routes);
    // A tree that cannot be asked leaves it open; a kernel without policy routing has no rules.
    let asked = root.answer("netlink rules", netlink::source_rules).ok();
    host.source_rules = asked.or_else(|| route::captured_source_rules(root));
}

/// Far ends of storage that a route is looked up for.
const MAX_STORAGE_ROUTES: usize = 64;

/// Reads the route to each NFS server and iSCSI portal: the interface that carries the storage.
pub(crate) fn read_storage_routes(root: &Root, ask: &Ask, host: &mut Host) {
    let servers = host.mounts.iter().filter_map(|mount| mount.nfs.as_ref()?.address.parse().ok());
    let portals = host.iscsi_sessions.iter().filter_map(|session| {
        let socket: Result<SocketAddr, _> = session.portal.parse();
        socket.map(|socket| socket.ip()).or_else(|_| session.portal.parse()).ok()
    });
    let mut far: Vec<IpAddr> =
        servers.chain(portals).filter(|address| !ask.peers.contains(address)).collect();
    far.sort_unstable();
    far.dedup();
    far.truncate(MAX_STORAGE_ROUTES);
    let routes = route::look_up(root, &far, &host.nics, &mut host.gaps);
    host.routes.extend(routes);
}

/// Reads the counters of interfaces and protocols.
pub(crate) fn read_counters(root: &Root, ask: &CountersAsk, counters: &mut Counters) {
    read_rates(root, counters);
    counters.neighbour_macs = neighbours(root, &ask.neighbours, &mut counters.gaps);
    read_drivers(root, counters);
    read_sockets(root, counters);
}

/// Reads what interfaces and protocols did: a few questions for all of them.
pub(crate) fn read_rates(root: &Root, counters: &mut Counters) {
    counters::read(root, counters);
    protocols::read(root, counters);
}

/// Reads the drivers' own counters, for which some ask their firmware.
pub(crate) fn read_drivers(root: &Root, counters: &mut Counters) {
    counters::read_drivers(root, counters);
}

/// Reads the TCP sockets.
pub(crate) fn read_sockets(root: &Root, counters: &mut Counters) {
    protocols::read_sockets(root, counters);
}
