//! What a frame costs on the wire and what it carries: headers, payload, goodput, frames of a block.
//!
//! IEEE 802.3: preamble and start delimiter 8, header 14, frame check sequence 4, gap 12 bytes; 802.1Q tag 4;
//! VXLAN over IPv4 (RFC 7348) 50. RFC 791, 8200, 9293, 768: IPv4 20, IPv6 40, TCP 20, UDP 8 bytes. RFC 7323:
//! time stamps take 12 bytes of every segment.

/// Bytes on the wire of a full frame beyond its MTU: header, check sequence, preamble, gap.
pub const ETHERNET_OVERHEAD_BYTES: u64 = 38;
/// One 802.1Q tag.
pub const VLAN_TAG_BYTES: u64 = 4;
/// VXLAN over IPv4: outer Ethernet 14, IP 20, UDP 8, VXLAN 8.
pub const VXLAN_BYTES: u64 = 50;

/// How packets are wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stack {
    /// Largest IP packet, bytes.
    pub mtu_bytes: u64,
    /// IPv6 instead of IPv4.
    pub ipv6: bool,
    /// UDP instead of TCP.
    pub udp: bool,
    /// TCP time stamps are in every segment.
    pub timestamps: bool,
    /// 802.1Q tags.
    pub vlan_tags: u64,
    /// Packets travel in a VXLAN tunnel whose underlay takes them whole.
    pub vxlan: bool,
}

impl Stack {
    /// TCP over IPv4 with time stamps, untagged: what a Linux host does by default.
    pub fn tcp(mtu_bytes: u64) -> Self {
        Self { mtu_bytes, timestamps: true, ..Self::default() }
    }

    /// Bytes of headers within the MTU.
    pub fn header_bytes(&self) -> u64 {
        let ip = if self.ipv6 { 40 } else { 20 };
        let transport = match (self.udp, self.timestamps) {
            (true, _) => 8,
            (false, true) => 32,
            (false, false) => 20,
        };
        ip + transport
    }

    /// Payload of a full packet, bytes: MTU less headers.
    pub fn payload_bytes(&self) -> u64 {
        self.mtu_bytes.saturating_sub(self.header_bytes())
    }

    /// Bytes on the wire of a full frame: MTU + 38, and 4 for each tag, and 50 for VXLAN.
    pub fn wire_bytes(&self) -> u64 {
        let tunnel = if self.vxlan { VXLAN_BYTES } else { 0 };
        self.mtu_bytes + ETHERNET_OVERHEAD_BYTES + VLAN_TAG_BYTES * self.vlan_tags + tunnel
    }

    /// Payload over wire bytes of a full frame: what of the link's rate a program can get.
    pub fn goodput_fraction(&self) -> f64 {
        self.payload_bytes() as f64 / self.wire_bytes() as f64
    }

    /// Goodput of a link, bytes per second.
    pub fn goodput_bytes_per_s(&self, link_bit_per_s: f64) -> f64 {
        link_bit_per_s / 8.0 * self.goodput_fraction()
    }

    /// Frames for one block: IP fragments of a datagram (multiples of 8 bytes but the last), segments of TCP.
    pub fn frames_per_block(&self, block_bytes: u64) -> u64 {
        if !self.udp {
            return block_bytes.div_ceil(self.payload_bytes().max(1));
        }
        let datagram = block_bytes + 8;
        let room = self.mtu_bytes.saturating_sub(if self.ipv6 { 40 } else { 20 });
        if datagram <= room {
            return 1;
        }
        // IPv6 carries fragmentation in its own header, 8 bytes.
        let fragment = room.saturating_sub(if self.ipv6 { 8 } else { 0 }) / 8 * 8;
        datagram.div_ceil(fragment.max(8))
    }

    /// The gain of another MTU on the same stack, as a factor of the goodput.
    pub fn gain_of_mtu(&self, mtu_bytes: u64) -> f64 {
        Self { mtu_bytes, ..*self }.goodput_fraction() / self.goodput_fraction()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn datagram(mtu_bytes: u64, ipv6: bool) -> Stack {
        Stack { mtu_bytes, ipv6, udp: true, ..Stack::default() }
    }

    #[test]
    fn a_block_of_8_kib_takes_six_frames_at_1500_and_one_at_9000() {
        let frames = |mtu, block| datagram(mtu, false).frames_per_block(block);
        assert_eq!([2048, 8192, 32_768].map(|block| frames(1500, block)), [2, 6, 23]);
        assert_eq!([2048, 8192, 32_768].map(|block| frames(9000, block)), [1, 1, 4]);
        // The fragment header of IPv6 takes its share of each.
        assert_eq!(datagram(1280, true).frames_per_block(8192), 7);
    }

    #[test]
    fn a_packet_without_room_for_headers_carries_nothing() {
        assert_eq!(Stack::tcp(40).payload_bytes(), 0);
        assert!(Stack::tcp(0).goodput_fraction().abs() < f64::EPSILON);
    }
}
