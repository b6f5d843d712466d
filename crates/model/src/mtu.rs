//! The path-MTU probe: what is asked and what comes out.

use crate::latency::Latency;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A path-MTU probe to be made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MtuPlan {
    /// Host or address, with the responder's port where it has one.
    pub target: String,
    /// Waits so long for an answer to one probe, ns.
    pub timeout_ns: u64,
    /// Looks for the hop where the MTU falls.
    pub hops: bool,
}

/// What came out of a path-MTU probe (`fullwire.mtu/1` without the judgement).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MtuResult {
    /// As the user wrote it.
    pub target: String,
    /// The largest packet that passes toward the peer, bytes; `None`: nothing answered.
    pub path_mtu_bytes: Option<u64>,
    /// The same from the peer, when it runs a responder.
    pub reverse_path_mtu_bytes: Option<u64>,
    /// MTU of the interface toward the peer.
    pub interface_mtu_bytes: Option<u64>,
    /// MTU of the peer's interface, as its responder says.
    pub peer_interface_mtu_bytes: Option<u64>,
    /// What the kernel believes, from its route cache.
    pub kernel_path_mtu_bytes: Option<u64>,
    /// Large packets vanish and no ICMP message tells.
    pub black_hole: bool,
    /// Routers on the way, where they answer.
    pub hops: Vec<Hop>,
    /// Ethernet frames for one database block, by block size in bytes.
    pub frames_per_block: BTreeMap<String, u64>,
    /// Share of the wire's bytes that is payload at this MTU (TCP, IPv4 or IPv6, timestamps).
    pub goodput_fraction: Option<f64>,
    /// Who confirmed the sizes: decides how strong the claims are.
    pub confirmed_by: Confirmation,
    /// Throughput with segments of 1500-byte frames over that with full ones, when measured.
    pub jumbo_gain: Option<f64>,
    /// Round trip of the probes.
    pub rtt_ns: Option<Latency>,
    /// Sizes tried toward the peer and whether they passed.
    pub probes: Vec<SizeProbe>,
    /// The interface that carries it.
    pub interface: String,
    /// The peer's address.
    pub remote: String,
}

/// A router on the way.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SizeProbe {
    /// Size of the IP packet, bytes.
    pub packet_bytes: u64,
    /// It arrived.
    pub passed: bool,
    /// From the peer to us.
    pub reverse: bool,
}

/// Who confirmed the sizes that passed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Confirmation {
    /// The peer's responder counted them.
    Peer,
    /// ICMP echo replies.
    Echo,
    /// Only the kernel's and ICMP's word.
    Kernel,
    /// Nobody.
    #[default]
    None,
}
