//! Addresses in place of addresses: two that share their first bits share as many afterwards, so that who is in whose
//! subnet stays (Xu, Fan, Ammar, Moon: Prefix-preserving IP address anonymization, 2002). Private addresses stay
//! private, those with their own meaning stay as they are.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Blocks whose first bits tell what they are for, with their length; the bits behind them are replaced.
const KEPT_V4: [(u128, u32); 5] = [
    (0x0a, 8),    // 10/8, RFC 1918
    (0xac1, 12),  // 172.16/12, RFC 1918
    (0xc0a8, 16), // 192.168/16, RFC 1918
    (0x191, 10),  // 100.64/10, RFC 6598
    (0xa9fe, 16), // 169.254/16, link-local
];

/// Blocks that are not replaced: "this" network, loopback, multicast and masks.
const WHOLE_V4: [(u128, u32); 3] = [(0, 8), (127, 8), (0b111, 3)];
const KEPT_V6: [(u128, u32); 3] = [(0xfe80 << 48, 64), (0xfc >> 1, 7), (1, 3)];
const WHOLE_V6: [(u128, u32); 2] = [(0, 8), (0xff, 8)];

/// Keys that are tried for one under which no address becomes another one of the same host.
const TRIES: usize = 64;

/// A mapping of addresses.
#[derive(Debug)]
pub(super) struct Addresses(RandomState);

impl Addresses {
    /// One under which, as far as possible, none of these becomes one of these.
    pub(super) fn apart_from(known: &BTreeSet<IpAddr>) -> Self {
        let tries = (0..TRIES).map(|_| Self(RandomState::new())).map(|addresses| {
            let confused = known.iter().filter(|address| {
                addresses.of(**address, None) != **address && known.contains(&addresses.of(**address, None))
                    || addresses.of(**address, None) == **address && !is_whole(**address)
            });
            (confused.count(), addresses)
        });
        let mut best: Option<(usize, Self)> = None;
        for (confused, addresses) in tries {
            if confused == 0 {
                return addresses;
            }
            if best.as_ref().is_none_or(|(least, _)| confused < *least) {
                best = Some((confused, addresses));
            }
        }
        best.map_or_else(|| Self(RandomState::new()), |(_, addresses)| addresses)
    }

    /// What stands for an address; with the length of its prefix behind it the address of a network stays one.
    pub(super) fn of(&self, address: IpAddr, prefix_length: Option<u32>) -> IpAddr {
        match address {
            IpAddr::V4(v4) => {
                let bits = self.mapped(u32::from(v4).into(), 32, &KEPT_V4, &WHOLE_V4, prefix_length);
                IpAddr::V4(Ipv4Addr::from(u32::try_from(bits).unwrap_or(0)))
            }
            IpAddr::V6(v6) => {
                if let Some(v4) = v6.to_ipv4_mapped()
                    && let IpAddr::V4(v4) = self.of(IpAddr::V4(v4), None)
                {
                    return IpAddr::V6(v4.to_ipv6_mapped());
                }
                let bits = self.mapped(v6.into(), 128, &KEPT_V6, &WHOLE_V6, prefix_length);
                IpAddr::V6(Ipv6Addr::from(bits))
            }
        }
    }

    fn mapped(
        &self,
        bits: u128,
        width: u32,
        kept: &[(u128, u32)],
        whole: &[(u128, u32)],
        prefix_length: Option<u32>,
    ) -> u128 {
        let first = |length: u32| if length == 0 { 0 } else { bits >> (width - length) };
        if whole.iter().any(|(block, length)| first(*length) == *block) {
            return bits;
        }
        let mut result = bits;
        for at in 0..width {
            // No bit on the way to a block with its own meaning is changed, or others would be led into it.
            let leads_to_block = kept.iter().chain(whole).any(|(block, length)| {
                *length > at && (if at == 0 { 0 } else { block >> (length - at) }) == first(at)
            });
            if !leads_to_block && self.0.hash_one((width, at, first(at))) & 1 == 1 {
                result ^= 1 << (width - 1 - at);
            }
        }
        let host_bits = prefix_length.filter(|length| *length < width).map_or(0, |length| width - length);
        let host_mask = if host_bits == 0 { 0 } else { u128::MAX >> (128 - host_bits) };
        if bits & host_mask == 0 { result & !host_mask } else { result }
    }
}

fn is_whole(address: IpAddr) -> bool {
    let (bits, width, whole): (u128, u32, &[(u128, u32)]) = match address {
        IpAddr::V4(v4) => (u32::from(v4).into(), 32, &WHOLE_V4),
        IpAddr::V6(v6) => (v6.into(), 128, &WHOLE_V6),
    };
    whole.iter().any(|(block, length)| bits >> (width - length) == *block)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn subnets_stay_and_private_addresses_stay_private() {
        let known: BTreeSet<IpAddr> =
            ["10.1.2.3", "10.1.2.4", "10.1.3.4", "192.168.0.1", "203.0.113.9", "172.16.0.1"].map(ip).into();
        let addresses = Addresses::apart_from(&known);
        let of = |text: &str| match addresses.of(ip(text), None) {
            IpAddr::V4(v4) => v4,
            IpAddr::V6(v6) => panic!("{v6}"),
        };
        assert_eq!(of("10.1.2.3").octets()[..3], of("10.1.2.4").octets()[..3]);
        assert_ne!(of("10.1.2.3").octets()[2], of("10.1.3.4").octets()[2]);
        assert!(
            of("10.1.2.3").is_private() && of("192.168.0.1").is_private() && of("172.16.0.1").is_private()
        );
        assert!(!of("203.0.113.9").is_private() && !of("203.0.113.9").is_loopback());
        for address in &known {
            assert!(!known.contains(&addresses.of(*address, None)), "{address}");
        }
        let network = addresses.of(ip("10.1.2.0"), Some(24));
        assert_eq!(
            network.to_string(),
            format!("{}.0", of("10.1.2.3").to_string().rsplit_once('.').expect("dots").0)
        );
    }

    #[test]
    fn no_two_become_one() {
        let addresses = Addresses(RandomState::new());
        let mapped: BTreeSet<IpAddr> = (0..=u16::MAX)
            .map(u16::to_be_bytes)
            .map(|[third, fourth]| addresses.of(IpAddr::from([192, 168, third, fourth]), None))
            .collect();
        assert_eq!(mapped.len(), 65_536);
        let tops: BTreeSet<IpAddr> =
            (0..=255).map(|top| addresses.of(IpAddr::from([top, 1, 1, 1]), None)).collect();
        assert_eq!(tops.len(), 256);
        let v6 = addresses.of(ip("2001:db8::1"), None);
        assert_ne!(v6, ip("2001:db8::1"));
        assert!(addresses.of(ip("fe80::1"), None).to_string().starts_with("fe8"));
    }
}
