//! Interfaces, bonds, addresses, routes, queueing disciplines and the protocol counters.

mod bond;
mod counters;
mod ethtool;
mod ethtool_text;
mod ip_text;
mod link_modes;
mod netlink;
mod nic;
mod protocols;
mod qdisc;
mod route;
mod team;

use crate::{Ask, Root};
use fullwire_model::counters::Counters;
use fullwire_model::host::Host;

/// Reads interfaces and routes.
pub(crate) fn read_host(root: &Root, ask: &Ask, host: &mut Host) {
    host.nics = nic::read(root, host.os.virtualization.as_deref(), &mut host.gaps);
    qdisc::read(root, &mut host.nics, &mut host.gaps);
    host.bonds = bond::read(root, &host.nics, &mut host.gaps);
    host.bonds.extend(team::read(root, &host.nics, &mut host.gaps));
    host.routes = route::read(root, &ask.peers, &host.nics, &mut host.gaps);
}

/// Reads the counters of interfaces and protocols.
pub(crate) fn read_counters(root: &Root, counters: &mut Counters) {
    counters::read(root, counters);
    protocols::read(root, counters);
}
