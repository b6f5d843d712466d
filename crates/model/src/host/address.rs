//! Addresses, and how packets to them leave a host.

use super::Host;
use std::net::{IpAddr, SocketAddr};

/// How packets to an address leave a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way<'a> {
    /// The interface.
    pub interface: &'a str,
    /// The next hop; `None`: on link.
    pub gateway: Option<&'a str>,
}

impl Host {
    /// The way to an address, with or without a port, as far as it was looked up; else by the interface in whose subnet it
    /// lies, which is all that a captured tree shows. `None`: not known, or by loopback.
    pub fn way_to(&self, address: &str) -> Option<Way<'_>> {
        let socket: Option<SocketAddr> = address.parse().ok();
        let far = socket.map(|socket| socket.ip()).or_else(|| address.parse().ok())?;
        let text = far.to_string();
        let known = self.routes.iter().find(|route| route.looked_up && route.destination == text);
        let way = match known {
            Some(route) => Way { interface: &route.interface, gateway: route.gateway.as_deref() },
            None => Way { interface: self.on_link(far)?, gateway: None },
        };
        self.nic(way.interface).filter(|nic| nic.kind != "loopback").map(|_| way)
    }

    fn on_link(&self, far: IpAddr) -> Option<&str> {
        let nic = self.nics.iter().find(|nic| nic.addresses.iter().any(|own| contains(own, far)))?;
        Some(&nic.name)
    }
}

/// `10.0.0.1/24` as address and prefix length.
pub fn network(text: &str) -> Option<(IpAddr, u32)> {
    let (address, length) = text.split_once('/')?;
    Some((address.parse().ok()?, length.parse().ok()?))
}

/// An address is within the network of an interface's address.
pub fn contains(own: &str, address: IpAddr) -> bool {
    let Some((own, length)) = network(own) else { return false };
    let bits = |address: IpAddr| match address {
        IpAddr::V4(v4) => (u128::from(u32::from(v4)), 32),
        IpAddr::V6(v6) => (u128::from(v6), 128),
    };
    let ((own, width), (other, other_width)) = (bits(own), bits(address));
    if width != other_width || length == 0 || length > width {
        return false;
    }
    own >> (width - length) == other >> (width - length)
}
