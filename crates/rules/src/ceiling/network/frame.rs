//! What a frame costs on the wire and what it carries, and how long that takes on a link.

pub use fullwire_model::frame::{ETHERNET_OVERHEAD_BYTES, Stack, VLAN_TAG_BYTES, VXLAN_BYTES};

/// Time that so many wire bytes take to be put on a link, ns.
pub fn serialisation_ns(wire_bytes: u64, link_bit_per_s: f64) -> f64 {
    wire_bytes as f64 * 8.0 * 1e9 / link_bit_per_s
}

/// Time that a block takes on a link with the headers of all its frames, ns.
pub fn block_serialisation_ns(stack: &Stack, block_bytes: u64, link_bit_per_s: f64) -> f64 {
    let per_frame = stack.wire_bytes() - stack.payload_bytes();
    serialisation_ns(block_bytes + per_frame * stack.frames_per_block(block_bytes), link_bit_per_s)
}

/// The smallest round trip over a fibre: light needs 4.9 µs for a km (refractive index 1.468) one way.
pub fn fibre_rtt_ns(kilometres: f64) -> f64 {
    kilometres * 2.0 * 4_900.0
}

/// The path's MTU is the smallest of its components'.
pub fn path_mtu_bytes(components: &[u64]) -> Option<u64> {
    components.iter().copied().min()
}

/// What a PCI Express link moves, bits a second: lanes × transfers × line code (8b/10b up to 5 GT/s, 128b/130b
/// above; PCI Express base specification). Packet headers take some 10 to 20 % more.
pub fn pcie_bit_per_s(gt_per_s: f64, lanes: u32) -> f64 {
    let code = if gt_per_s > 5.0 { 128.0 / 130.0 } else { 0.8 };
    gt_per_s * 1e9 * f64::from(lanes) * code
}
