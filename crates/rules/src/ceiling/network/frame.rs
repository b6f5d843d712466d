//! What a frame costs on the wire and what it carries, and how long that takes on a link.

pub use fullwire_model::frame::{ETHERNET_OVERHEAD_BYTES, Stack, VLAN_TAG_BYTES, VXLAN_BYTES};

/// The path's MTU is the smallest of its components'.
pub fn path_mtu_bytes(components: &[u64]) -> Option<u64> {
    components.iter().copied().min()
}

/// What a PCI Express link moves, bits per second: lanes × transfers × line code (8b/10b up to 5 GT/s, 128b/130b
/// above; PCI Express base specification). Packet headers are in it.
pub fn pcie_bit_per_s(gt_per_s: f64, lanes: u32) -> f64 {
    let code = if gt_per_s > 5.0 { 128.0 / 130.0 } else { 0.8 };
    gt_per_s * 1e9 * f64::from(lanes) * code
}

/// Bytes of a packet of PCI Express next to its payload: framing, sequence number, header with a 64-bit address,
/// checksum (Intel AN 708, "Understanding PCI Express Throughput": 20 to 28).
pub const PCIE_PACKET_OVERHEAD_BYTES: u32 = 24;

/// The payload of a packet where it could not be read: what most root complexes are set to.
pub const PCIE_USUAL_PAYLOAD_BYTES: u32 = 256;

/// Payload that a PCI Express link moves, bytes per second, when each packet carries as much as it may.
pub fn pcie_payload_bytes_per_s(gt_per_s: f64, lanes: u32, max_payload_bytes: u32) -> f64 {
    let share = f64::from(max_payload_bytes) / f64::from(max_payload_bytes + PCIE_PACKET_OVERHEAD_BYTES);
    pcie_bit_per_s(gt_per_s, lanes) / 8.0 * share
}

/// The card of a PCI address: all functions of `0000:3b:00` share its slot.
pub fn pci_card(address: &str) -> &str {
    address.rsplit_once('.').map_or(address, |(card, _)| card)
}
