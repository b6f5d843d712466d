//! Addresses and routes.

use crate::facts;
use fullwire_model::host::{Host, Nic, Route};
use fullwire_model::mtu::MtuResult;
use fullwire_model::net::NetResult;
use fullwire_model::{PathName, Run};
use std::net::{IpAddr, SocketAddr};

pub(crate) use fullwire_model::host::{contains, network};
pub(crate) use fullwire_model::host_of;

/// The length field of IPv4 and IPv6 has 16 bits: loopback's MTU of 65,536 is no packet that could be sent.
pub(crate) const LARGEST_PACKET_BYTES: u64 = 65_535;

/// The address in `10.0.0.2`, `10.0.0.2:5555`, `[fe80::1]:5555`.
pub(crate) fn ip(text: &str) -> Option<IpAddr> {
    let of_socket = || text.parse::<SocketAddr>().ok().map(|socket| socket.ip());
    text.parse().ok().or_else(of_socket)
}

/// The peer's address: as connected, otherwise as the user wrote it.
pub(crate) fn remote(result: &NetResult) -> &str {
    if result.path.remote.is_empty() { result.target.host() } else { &result.path.remote }
}

/// The kernel's own answer for an address.
pub(crate) fn looked_up<'a>(run: &'a Run, address: &str) -> Option<&'a Route> {
    asked(&run.host, address)
}

fn asked<'a>(host: &'a Host, address: &str) -> Option<&'a Route> {
    let wanted = ip(address)?;
    host.routes.iter().find(|route| {
        route.looked_up
            && route.destination.split('/').next().and_then(|text| text.parse().ok()) == Some(wanted)
    })
}

/// By the kernel's own answer for the address, otherwise by the longest prefix of the table.
pub(crate) fn route_to<'a>(host: &'a Host, address: &str) -> Option<&'a Route> {
    asked(host, address).or_else(|| listed(host, address.parse().ok()?))
}

/// The line of the table with the longest prefix that contains an address.
pub(crate) fn listed(host: &Host, address: IpAddr) -> Option<&Route> {
    let length = |destination: &str| match destination {
        "default" => Some(0),
        prefix if contains(prefix, address) => Some(network(prefix)?.1),
        single => (single.parse() == Ok(address)).then_some(128),
    };
    let routes = host.routes.iter().filter(|route| !route.looked_up);
    let holding = routes.filter_map(|route| Some((length(&route.destination)?, route)));
    Some(holding.max_by_key(|(length, _)| *length)?.1)
}

/// The address is in a network of this host's own; `None`: neither a route nor an interface shows it.
pub(crate) fn is_on_link(run: &Run, interface: &str, address: &str) -> Option<bool> {
    if let Some(route) = looked_up(run, address) {
        return Some(route.gateway.is_none());
    }
    let wanted = ip(address)?;
    let nic = run.host.nic(interface).filter(|nic| !nic.addresses.is_empty())?;
    Some(nic.addresses.iter().any(|own| contains(own, wanted)))
}

/// The interface by which this host reaches an address.
pub(crate) fn nic_to<'a>(run: &'a Run, address: &str) -> Option<&'a Nic> {
    run.host.nic(&route_to(&run.host, address)?.interface)
}

/// `10.10.1.0/24` of an interface's address `10.10.1.21/24`.
pub(crate) fn network_of(own: &str) -> Option<String> {
    let (address, length) = network(own)?;
    let base = match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(32_u32.checked_sub(length)?).unwrap_or(0);
            IpAddr::from((u32::from(v4) & mask).to_be_bytes())
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(128_u32.checked_sub(length)?).unwrap_or(0);
            IpAddr::from((u128::from(v6) & mask).to_be_bytes())
        }
    };
    Some(format!("{base}/{length}"))
}

/// `10.0.0.2:5699`: the port that was named.
pub(crate) fn port_of(target: &str) -> Option<u16> {
    let port = target.rsplit_once(host_of(target))?.1.trim_start_matches(']');
    port.strip_prefix(':')?.parse().ok()
}

/// The path that a path-MTU result belongs to: a peer that was measured, the storage that this host serves, or the target
/// itself.
pub(crate) fn path_of(run: &Run, result: &MtuResult) -> PathName {
    let host = result.target.host();
    let measured = run.net.iter().map(|net| &net.target).chain(run.peers.iter().map(|peer| &peer.target));
    let peer = measured.clone().find(|target| target.host() == host);
    let storage = || {
        let serves = |target: &facts::Target| target.servers(run).any(|server| host_of(server) == host);
        facts::targets(run).into_iter().find(serves).map(|target| target.name())
    };
    peer.or_else(storage).unwrap_or(&result.target).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subnet_is_named_by_its_network() {
        for (own, subnet) in [
            ("10.10.1.21/24", Some("10.10.1.0/24")),
            ("10.10.1.21/32", Some("10.10.1.21/32")),
            ("10.1.2.3/0", Some("0.0.0.0/0")),
            ("fd00:1::17/64", Some("fd00:1::/64")),
            ("10.1.2.3/33", None),
        ] {
            assert_eq!(network_of(own).as_deref(), subnet, "{own}");
        }
    }
}
