//! What a path MTU means for database blocks.

use fullwire_model::frame::Stack;
use std::collections::BTreeMap;

/// Block sizes that databases use.
const BLOCKS_BYTES: [u64; 5] = [2048, 4096, 8192, 16_384, 32_768];

/// TCP with time stamps over a path of this MTU.
pub(super) fn stack(mtu_bytes: u64, ipv6: bool) -> Stack {
    Stack { ipv6, ..Stack::tcp(mtu_bytes) }
}

/// Ethernet frames for one block in one UDP datagram, as the RAC interconnect sends it, by block size.
pub(super) fn frames_per_block(mtu_bytes: u64, ipv6: bool) -> BTreeMap<String, u64> {
    let datagram = Stack { mtu_bytes, ipv6, udp: true, ..Stack::default() };
    BLOCKS_BYTES.iter().map(|&block| (block.to_string(), datagram.frames_per_block(block))).collect()
}
