//! How a peer was reached: its addresses, and the source ports that were answered.

use fullwire_record::record;

/// What was seen of a peer before anything was measured.
#[record]
pub struct Reach {
    /// The first address of each family, in the order in which the resolver gives them: connections use the first that
    /// answers. An address to which this host has no route is left out.
    pub addresses: Vec<AddressReach>,
    /// Present when some connections were answered and others were not.
    pub source_ports: Option<SourcePorts>,
}

/// One address of a peer.
#[record]
pub struct AddressReach {
    /// `ADDRESS:PORT`.
    pub address: String,
    /// The fastest of several new connections, ns; `None`: none was answered.
    pub connect_min_ns: Option<u64>,
    /// Throughput of a short stream to this address; measured where both families answer.
    pub bytes_per_s: Option<f64>,
}

/// New connections, each from a source port of its own.
#[record(Eq)]
pub struct SourcePorts {
    /// `ADDRESS:PORT` that was called.
    pub address: String,
    /// Ports that were tried.
    pub tried: u64,
    /// Ports of which no attempt was answered.
    pub unanswered: u64,
}
