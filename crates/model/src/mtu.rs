//! The path-MTU probe: what is asked and what comes out.

use crate::PathName;
use crate::latency::Latency;
use fullwire_record::record;
use std::collections::BTreeMap;

/// A path-MTU probe to be made.
#[record]
pub struct MtuPlan {
    /// Host or address, with the responder's port where it has one.
    pub target: PathName,
    /// Waits this long for an answer to one probe, ns.
    pub timeout_ns: u64,
    /// Looks for the hop where the MTU falls.
    pub hops: bool,
    /// Measures the gain from jumbo frames, if the path carries them: some seconds of load.
    pub gain: bool,
}

/// What came out of a path-MTU probe (`fullwire.mtu/1` without the judgement).
#[record]
pub struct MtuResult {
    /// As the user wrote it.
    pub target: PathName,
    /// The largest packet that passes toward the peer, bytes; `None`: nothing answered.
    pub path_mtu_bytes: Option<u64>,
    /// The same from the peer, when it runs a responder.
    pub reverse_path_mtu_bytes: Option<u64>,
    /// MTU of the interface toward the peer.
    pub interface_mtu_bytes: Option<u64>,
    /// MTU of the peer's interface, as reported by its responder.
    pub peer_interface_mtu_bytes: Option<u64>,
    /// What the kernel believes, from its route cache.
    pub kernel_path_mtu_bytes: Option<u64>,
    /// Large packets are dropped without an ICMP message.
    pub black_hole: bool,
    /// Routers on the way, where they answer.
    pub hops: Vec<Hop>,
    /// Ethernet frames for one database block, by block size in bytes.
    pub frames_per_block: BTreeMap<String, u64>,
    /// Share of the wire's bytes that is payload at this MTU (TCP, IPv4 or IPv6, timestamps).
    pub goodput_fraction: Option<f64>,
    /// Who confirmed the sizes: decides how strong the claims are.
    pub confirmed_by: Confirmation,
    /// Throughput with full frames over that with frames of 1500 bytes, when measured.
    pub jumbo_gain: Option<f64>,
    /// The gain from jumbo frames: computed, and measured if the path carries them.
    pub jumbo: Option<Jumbo>,
    /// Round trip of the probes.
    pub rtt_ns: Option<Latency>,
    /// Sizes tried toward the peer and whether they passed.
    pub probes: Vec<SizeProbe>,
    /// The interface that carries it.
    pub interface: String,
    /// The peer's address.
    pub remote: String,
}

/// The gain from jumbo frames on this path.
#[record]
pub struct Jumbo {
    /// The larger size that is compared: the path's MTU, or 9000 where the path carries no jumbo frames, bytes.
    pub mtu_bytes: u64,
    /// What it is compared with: 1500, or the path's MTU where that is smaller, bytes.
    pub base_mtu_bytes: u64,
    /// Goodput with frames of that size over goodput with those that it is compared with, by arithmetic.
    pub predicted_gain: f64,
    /// Both sizes in turn over the same path; `None` where that was not possible.
    pub measured: Option<JumboMeasured>,
}

/// Streams with full segments and with those of 1500-byte frames (`TCP_MAXSEG`), in turn.
#[record]
pub struct JumboMeasured {
    /// With frames of 1500 bytes, median of the rounds, bytes per second.
    pub small_bytes_per_s: f64,
    /// With full frames, median of the rounds, bytes per second.
    pub full_bytes_per_s: f64,
    /// CPU of both ends with frames of 1500 bytes, for each 10^9 bytes, median, s.
    pub small_cpu_s_per_gb: f64,
    /// CPU of both ends with full frames, for each 10^9 bytes, median, s.
    pub full_cpu_s_per_gb: f64,
    /// Spread of the rounds, largest less smallest over the median, of the worse of the two.
    pub noise: f64,
    /// The rates differ by more than their spread: only then is the gain a finding about the path.
    pub clear: bool,
    /// Rounds of both.
    pub rounds: u32,
}

/// A router on the way.
#[record]
pub struct Hop {
    /// Time to live that reached it.
    pub ttl: u8,
    /// Its address; empty when it did not answer.
    pub address: String,
    /// The MTU beyond it, when it said so, or confirmed up to it.
    pub mtu_bytes: Option<u64>,
    /// Round trip, ns.
    pub rtt_ns: Option<u64>,
}

/// One size that was tried.
#[record]
pub struct SizeProbe {
    /// Size of the IP packet, bytes.
    pub packet_bytes: u64,
    /// It arrived.
    pub passed: bool,
    /// From the peer to us.
    pub reverse: bool,
}

/// Who confirmed the sizes that passed.
#[record(Default)]
pub enum Confirmation {
    /// The peer's responder counted them.
    Peer,
    /// ICMP echo replies.
    Echo,
    /// Only the kernel's and ICMP's word.
    Kernel,
    /// No one.
    #[default]
    None,
}
