//! Links: what sysfs reports too, in one answer, and what it does not: the kind, the VLAN, the GSO limit, the
//! counters of all links at the same moment.

use super::codec::{Message, attribute, attributes, text, u16_at, u32_at, u64_at};
use fullwire_model::Gap;
use fullwire_model::counters::NicCounters;
use serde::{Deserialize, Serialize};

const RTM_GETLINK: u16 = 18;
const RTM_NEWLINK: u16 = 16;

const IFLA_ADDRESS: u16 = 1;
const IFLA_IFNAME: u16 = 3;
const IFLA_MTU: u16 = 4;
const IFLA_LINK: u16 = 5;
const IFLA_MASTER: u16 = 10;
const IFLA_TXQLEN: u16 = 13;
const IFLA_OPERSTATE: u16 = 16;
const IFLA_LINKINFO: u16 = 18;
const IFLA_STATS64: u16 = 23;
const IFLA_EXT_MASK: u16 = 29;
const IFLA_CARRIER: u16 = 33;
const IFLA_CARRIER_CHANGES: u16 = 35;
const IFLA_LINK_NETNSID: u16 = 37;
const IFLA_GSO_MAX_SIZE: u16 = 41;
const IFLA_INFO_KIND: u16 = 1;
const IFLA_INFO_DATA: u16 = 2;
const IFLA_VLAN_ID: u16 = 1;

/// Leave out the counters of virtual functions and the list of addresses (`RTEXT_FILTER_SKIP_STATS` would
/// leave out those that we want).
const NO_EXTENSIONS: u32 = 0;

/// `operstate` as sysfs spells it (RFC 2863).
const OPERSTATES: [&str; 7] = ["unknown", "notpresent", "down", "lowerlayerdown", "testing", "dormant", "up"];

const IFF_UP: u32 = 1;

/// A link.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::network) struct Link {
    pub name: String,
    pub index: u32,
    pub up: bool,
    pub mac: String,
    pub mtu_bytes: Option<u64>,
    /// Index of the link below, when that is in our name space.
    pub lower: Option<u32>,
    pub master: Option<u32>,
    pub tx_queue_packets: Option<u64>,
    pub operstate: String,
    pub carrier: Option<bool>,
    /// `vlan`, `bond`, `veth`, …; empty for hardware.
    pub kind: String,
    pub vlan_id: Option<u16>,
    pub gso_max_bytes: Option<u64>,
    pub counters: Option<NicCounters>,
}

/// All links.
pub(in crate::network) fn links() -> Result<Vec<Link>, Gap> {
    let mut all = Vec::new();
    let mask = NO_EXTENSIONS.to_ne_bytes();
    super::ask("netlink links", RTM_GETLINK, true, &[0; 16], &[(IFLA_EXT_MASK, &mask)], |message| {
        all.extend(decode(message));
    })?;
    Ok(all)
}

/// `struct ifinfomsg` and its attributes.
fn decode(message: Message) -> Option<Link> {
    if message.kind != RTM_NEWLINK {
        return None;
    }
    let body = message.body;
    let mut link = Link { index: u32_at(body, 4)?, up: u32_at(body, 8)? & IFF_UP != 0, ..Link::default() };
    let mut foreign = false;
    for (kind, value) in attributes(body.get(16..)?) {
        let number = || u32_at(value, 0);
        match kind {
            IFLA_IFNAME => link.name = text(value),
            IFLA_ADDRESS => link.mac = mac(value),
            IFLA_MTU => link.mtu_bytes = number().map(u64::from),
            IFLA_LINK => link.lower = number().filter(|&index| index != 0),
            IFLA_LINK_NETNSID => foreign = true,
            IFLA_MASTER => link.master = number(),
            IFLA_TXQLEN => link.tx_queue_packets = number().map(u64::from),
            IFLA_OPERSTATE => {
                let state = value.first().and_then(|&state| OPERSTATES.get(usize::from(state)));
                state.copied().unwrap_or("unknown").clone_into(&mut link.operstate);
            }
            IFLA_CARRIER => link.carrier = value.first().map(|&carrier| carrier == 1),
            IFLA_GSO_MAX_SIZE => link.gso_max_bytes = number().map(u64::from),
            IFLA_CARRIER_CHANGES => {
                link.counters.get_or_insert_default().carrier_changes = number().map(u64::from);
            }
            IFLA_STATS64 => statistics(value, link.counters.get_or_insert_default()),
            IFLA_LINKINFO => {
                link.kind = attribute(value, IFLA_INFO_KIND).map(text).unwrap_or_default();
                let data = attribute(value, IFLA_INFO_DATA).unwrap_or_default();
                if link.kind == "vlan" {
                    link.vlan_id = attribute(data, IFLA_VLAN_ID).and_then(|id| u16_at(id, 0));
                }
            }
            _ => {}
        }
    }
    if foreign || link.lower == Some(link.index) {
        link.lower = None;
    }
    // An interface that is down has no carrier to speak of.
    if !link.up {
        link.carrier = None;
    }
    (!link.name.is_empty()).then_some(link)
}

/// A hardware address as sysfs writes it.
fn mac(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(":")
}

/// `struct rtnl_link_stats64`.
fn statistics(bytes: &[u8], counters: &mut NicCounters) {
    let slots = [
        &mut counters.rx_packets,
        &mut counters.tx_packets,
        &mut counters.rx_bytes,
        &mut counters.tx_bytes,
        &mut counters.rx_errors,
        &mut counters.tx_errors,
        &mut counters.rx_dropped,
        &mut counters.tx_dropped,
        &mut 0, // multicast
        &mut counters.collisions,
        &mut counters.rx_length_errors,
        &mut counters.rx_over_errors,
        &mut counters.rx_crc_errors,
        &mut counters.rx_frame_errors,
        &mut counters.rx_fifo_errors,
        &mut counters.rx_missed_errors,
    ];
    for (index, slot) in slots.into_iter().enumerate() {
        *slot = u64_at(bytes, index * 8).unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::netlink::codec::request;
    use proptest::prelude::*;

    #[test]
    fn loopback_is_found_and_counts() {
        let all = links().expect("links may be read by anybody");
        let lo = all.iter().find(|link| link.name == "lo").expect("every name space has a loopback");
        assert_eq!((lo.index, lo.mtu_bytes), (1, Some(65_536)));
        assert!(lo.counters.is_some());
    }

    proptest! {
        #[test]
        fn mangled_messages_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            decode(Message { kind: RTM_NEWLINK, body: &bytes });
            let info = request(0, 0, &[0; 16], &[(IFLA_LINKINFO, &bytes), (IFLA_STATS64, &bytes), (IFLA_IFNAME, b"x")]);
            let link = decode(Message { kind: RTM_NEWLINK, body: &info[16..] });
            prop_assert_eq!(link.expect("it has a name").name, "x");
        }
    }
}
