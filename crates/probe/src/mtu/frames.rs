//! What a path MTU means for database blocks and for throughput.

use std::collections::BTreeMap;

/// Block sizes that databases use.
const BLOCKS_BYTES: [u64; 5] = [2048, 4096, 8192, 16_384, 32_768];
/// RFC 791, RFC 8200, RFC 768; an IPv6 fragment carries an extension header of 8 bytes (RFC 8200, 4.5).
const IPV4_HEADER_BYTES: u64 = 20;
const IPV6_HEADER_BYTES: u64 = 40;
const IPV6_FRAGMENT_HEADER_BYTES: u64 = 8;
const UDP_HEADER_BYTES: u64 = 8;
/// RFC 9293 header and the timestamps option of RFC 7323 with its padding.
const TCP_HEADER_BYTES: u64 = 20 + 12;
/// IEEE 802.3: header 14, checksum 4, preamble 8, gap 12.
const ETHERNET_OVERHEAD_BYTES: u64 = 38;

/// Ethernet frames for one block in one UDP datagram, as the RAC interconnect sends it, by block size.
pub fn frames_per_block(mtu_bytes: u64, ipv6: bool) -> BTreeMap<String, u64> {
    BLOCKS_BYTES.iter().map(|&block| (block.to_string(), frames(block, mtu_bytes, ipv6))).collect()
}

fn frames(block_bytes: u64, mtu_bytes: u64, ipv6: bool) -> u64 {
    let header = if ipv6 { IPV6_HEADER_BYTES } else { IPV4_HEADER_BYTES };
    let datagram = block_bytes + UDP_HEADER_BYTES;
    if datagram + header <= mtu_bytes {
        return 1;
    }
    let extension = if ipv6 { IPV6_FRAGMENT_HEADER_BYTES } else { 0 };
    // All fragments but the last carry a multiple of 8 bytes.
    let per_fragment = mtu_bytes.saturating_sub(header + extension) / 8 * 8;
    datagram.div_ceil(per_fragment.max(8))
}

/// Share of the wire's bytes that is TCP payload in full frames, with timestamps.
pub fn goodput_fraction(mtu_bytes: u64, ipv6: bool) -> Option<f64> {
    let header = if ipv6 { IPV6_HEADER_BYTES } else { IPV4_HEADER_BYTES };
    let payload = mtu_bytes.checked_sub(header + TCP_HEADER_BYTES)?;
    Some(payload as f64 / (mtu_bytes + ETHERNET_OVERHEAD_BYTES) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_8_kib_takes_six_frames_at_1500_and_one_at_9000() {
        let small = frames_per_block(1500, false);
        assert_eq!((small["2048"], small["8192"], small["32768"]), (2, 6, 23));
        let jumbo = frames_per_block(9000, false);
        assert_eq!((jumbo["2048"], jumbo["8192"], jumbo["32768"]), (1, 1, 4));
    }

    #[test]
    fn goodput_of_the_worked_figures() {
        let share = |mtu, ipv6| (goodput_fraction(mtu, ipv6).unwrap() * 1e6).round() / 1e6;
        assert!((share(1500, false) - 0.941_482).abs() < 1e-9);
        assert!((share(9000, false) - 0.990_042).abs() < 1e-9);
        assert!((share(1500, true) - 0.928_479).abs() < 1e-9);
        assert_eq!(goodput_fraction(40, false), None);
    }
}
