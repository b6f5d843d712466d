//! What a frame costs on the wire and what it carries: goodput, frames of a block, serialisation.
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

    /// Goodput of a link, bytes a second.
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
        // IPv6 carries fragmentation in a header of its own, 8 bytes.
        let fragment = room.saturating_sub(if self.ipv6 { 8 } else { 0 }) / 8 * 8;
        datagram.div_ceil(fragment.max(8))
    }

    /// Full frames a second that a link carries.
    pub fn frames_per_s(&self, link_bit_per_s: f64) -> f64 {
        link_bit_per_s / 8.0 / self.wire_bytes() as f64
    }

    /// The gain of another MTU on the same stack, as a factor of the goodput.
    pub fn gain_of_mtu(&self, mtu_bytes: u64) -> f64 {
        Self { mtu_bytes, ..*self }.goodput_fraction() / self.goodput_fraction()
    }
}

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
