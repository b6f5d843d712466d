//! Addresses of interfaces.

use super::codec::{Message, attributes, u32_at};
use fullwire_model::Gap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const RTM_GETADDR: u16 = 22;
const RTM_NEWADDR: u16 = 20;
const IFA_ADDRESS: u16 = 1;
const IFA_LOCAL: u16 = 2;

/// Address with prefix length, and its interface's index, of all interfaces.
pub(in crate::network) fn addresses() -> Result<Vec<(u32, String)>, Gap> {
    let mut all = Vec::new();
    super::ask("netlink addresses", RTM_GETADDR, true, &[0; 8], &[], |message| all.extend(decode(message)))?;
    Ok(all)
}

/// `struct ifaddrmsg` and its attributes. On a point-to-point link only `IFA_LOCAL` is ours.
fn decode(message: Message) -> Option<(u32, String)> {
    if message.kind != RTM_NEWADDR {
        return None;
    }
    let (prefix, index) = (*message.body.get(1)?, u32_at(message.body, 4)?);
    let (mut address, mut local) = (None, None);
    for (kind, value) in attributes(message.body.get(8..)?) {
        match kind {
            IFA_ADDRESS => address = ip(value),
            IFA_LOCAL => local = ip(value),
            _ => {}
        }
    }
    Some((index, format!("{}/{prefix}", local.or(address)?)))
}

/// An address of either family.
pub(super) fn ip(bytes: &[u8]) -> Option<IpAddr> {
    if let Ok(four) = <[u8; 4]>::try_from(bytes) {
        return Some(Ipv4Addr::from(four).into());
    }
    <[u8; 16]>::try_from(bytes).ok().map(|sixteen| Ipv6Addr::from(sixteen).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_has_its_address() {
        let all = addresses().expect("addresses may be read by anybody");
        assert!(all.contains(&(1, "127.0.0.1/8".to_owned())), "{all:?}");
    }
}
