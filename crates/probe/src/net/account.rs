//! What is counted at one end of a test, and told to the other.

use serde::{Deserialize, Serialize};

/// A slice of a test at one end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sample {
    /// Its end since measuring began, s.
    pub t_s: f64,
    /// Its length, s.
    pub span_s: f64,
    /// Stream bytes received.
    pub in_bytes: u64,
    /// Bytes sent: of a stream as the kernel took them, of messages as acknowledged.
    pub out_bytes: u64,
    /// Messages.
    pub messages: u64,
    /// Mean latency, ns.
    pub mean_ns: Option<f64>,
    /// Median latency, ns.
    pub p50_ns: Option<u64>,
    /// 99th percentile, ns.
    pub p99_ns: Option<u64>,
    /// Of the sending connections.
    pub tcp: Option<TcpSample>,
}

/// `TCP_INFO` of the sending connections at the end of a slice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TcpSample {
    /// Segments resent within the slice.
    pub retransmits: u64,
    /// Smoothed round trip, mean of the connections, ns.
    pub rtt_ns: u64,
    /// Congestion window, sum, bytes.
    pub cwnd_bytes: u64,
    /// Sent and not acknowledged, sum, bytes.
    pub in_flight_bytes: u64,
}

/// Datagrams at one end. What one end leaves at zero the other counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DatagramCount {
    /// Sent, or requested and not yet given up.
    pub sent: u64,
    /// Arrived, each counted once.
    pub arrived: u64,
    /// Small ones sent as well, which need no fragments.
    pub small_sent: u64,
    /// Small ones that arrived.
    pub small_arrived: u64,
    /// Arrived after one that was sent later.
    pub reordered: u64,
    /// Arrived again.
    pub duplicated: u64,
    /// Interarrival jitter (RFC 3550, 6.4.1), the largest of the lanes, ns.
    pub jitter_ns: u64,
    /// Dropped by the kernel because the socket's buffer was full (`SO_MEMINFO`).
    pub receive_buffer_drops: u64,
}

impl DatagramCount {
    /// Both ends', or several lanes', as one.
    #[must_use]
    pub fn joined(mut self, other: &Self) -> Self {
        self.sent += other.sent;
        self.arrived += other.arrived;
        self.small_sent += other.small_sent;
        self.small_arrived += other.small_arrived;
        self.reordered += other.reordered;
        self.duplicated += other.duplicated;
        self.jitter_ns = self.jitter_ns.max(other.jitter_ns);
        self.receive_buffer_drops += other.receive_buffer_drops;
        self
    }
}
