//! What a storage link carries: lanes, line codes, payload rates.

use crate::ceiling::network::frame::Stack;

/// Payload of a Fibre Channel port, bytes per second: 100 MB/s for each Gbit/s of its name (8GFC 800 MB/s,
/// 32GFC 3,200 MB/s; FC-PI rates with their line code taken off).
pub fn fibre_channel_bytes_per_s(nominal_gbit_per_s: f64) -> f64 {
    nominal_gbit_per_s * 100e6
}

/// Payload of a SAS or SATA lane, bytes per second: up to 12 Gbit/s ten bits on the wire for eight
/// (SAS-3, SATA 3); at 22.5 Gbit/s 128 of 150 (SAS-4).
pub fn serial_lane_bytes_per_s(gbit_per_s: f64) -> f64 {
    let code = if gbit_per_s > 12.0 { 128.0 / 150.0 } else { 0.8 };
    gbit_per_s * 1e9 / 8.0 * code
}

/// The share of a TCP payload that remote procedure calls and iSCSI or NVMe headers leave, some 1 %
/// (48 bytes of iSCSI header, about 100 to 150 of RPC and NFS, for 32 KiB and more).
pub const PROTOCOL_SHARE: f64 = 0.99;

/// What a network link carries of storage traffic in one direction, bytes per second.
pub fn network_storage_bytes_per_s(stack: &Stack, link_bit_per_s: f64, links: u64) -> f64 {
    stack.goodput_bytes_per_s(link_bit_per_s) * links.max(1) as f64 * PROTOCOL_SHARE
}
