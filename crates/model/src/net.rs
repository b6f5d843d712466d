//! The network probe: what is asked and what comes out.

mod streams;

pub use streams::{AllStreams, PerStream};

use crate::ProbeId;
use crate::latency::Latency;
use crate::quantity::Unit;
use fullwire_record::record;
use serde::{Deserialize, Serialize};

/// The port that a responder listens on when none is given.
pub const DEFAULT_PORT: u16 = 5555;

/// A peer as its path is called: `db2`, `db2:5555` and, of addresses, `::1`, `[::1]` and `[::1]:5555` are one.
pub fn peer_name(target: &str) -> &str {
    let port = |text: &str| text.parse() == Ok(DEFAULT_PORT);
    let host = target.rsplit_once(':').filter(|(_, text)| port(text)).map_or(target, |(host, _)| host);
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address,
        // Another program's address, the end of a bare IPv6 address, or no host.
        None if host.is_empty() || host.contains(':') => target,
        None => host,
    }
}

/// Kind of measurement.
#[record(Default, Hash)]
pub enum NetMode {
    /// A stream, counted when the peer has received all of it.
    #[default]
    Async,
    /// One message in flight, acknowledged with the peer's own times.
    Sync,
    /// Empty messages.
    Rtt,
    /// Datagrams, one way.
    Udp,
    /// Requests and blocks by datagram in both directions, as a cluster interconnect has them.
    Interconnect,
}

impl NetMode {
    /// What a result is counted in: where each message waits for the one before, messages and not their bytes.
    pub fn unit(self) -> Unit {
        match self {
            Self::Sync | Self::Rtt | Self::Interconnect => Unit::PerS,
            Self::Async | Self::Udp => Unit::BytesPerS,
        }
    }

    /// Datagrams carry it, not a TCP stream.
    pub fn is_datagrams(self) -> bool {
        matches!(self, Self::Udp | Self::Interconnect)
    }
}

/// Bytes of the requests and the small messages of an interconnect (Oracle's are about 200).
pub const INTERCONNECT_SMALL_BYTES: u64 = 200;

/// The duration of a plan that goes on until it is stopped, ns.
pub const UNTIL_STOPPED_NS: u64 = u64::MAX;

/// A network probe to be made. Serialisable: it crosses the wire and is kept.
#[record]
pub struct NetPlan {
    /// `HOST:PORT`, `iperf3://HOST:PORT`, `ssh://user@host`, as the user wrote it.
    pub target: String,
    /// Kind of measurement.
    pub mode: NetMode,
    /// Parallel connections; 0 is taken as 1.
    pub streams: u32,
    /// Bytes of a message.
    pub length_bytes: u64,
    /// Ends after this time, ns; 0: by bytes; [`UNTIL_STOPPED_NS`]: not by itself.
    pub duration_ns: u64,
    /// Ends after this many bytes; 0: by time.
    pub duration_bytes: u64,
    /// Length of an interval in the result, ns.
    pub interval_ns: u64,
    /// Dropped at the start, ns.
    pub warmup_ns: u64,
    /// Pause between messages, ns.
    pub delay_ns: u64,
    /// Each message's length is random between 512 bytes and `length_bytes`.
    pub random_length: bool,
    /// Each pause is random between 0 and `delay_ns`.
    pub random_delay: bool,
    /// Content of the messages.
    pub payload: Payload,
    /// The peer writes each message to disk before it acknowledges.
    pub write: bool,
    /// `SO_SNDBUF` and `SO_RCVBUF` requested; 0: autotuning.
    pub sockbuf_bytes: u64,
    /// Largest segment requested (`TCP_MAXSEG`), bytes; 0: as large as the path takes.
    pub mss_bytes: u64,
    /// The peer sends.
    pub reverse: bool,
    /// Both send at the same time.
    pub bidir: bool,
    /// Sending rate of all streams together, bytes per second; 0: unlimited.
    pub rate_bytes_per_s: f64,
    /// Messages in flight per stream in sync mode; 0 is taken as 1.
    pub depth: u32,
    /// Messages per second at fixed times, latency from the intended start; 0: closed loop.
    pub open_loop_per_s: f64,
    /// Latency is measured while a bulk stream runs next to it.
    pub under_load: bool,
    /// Local address or interface; empty: the kernel's choice.
    pub source: String,
    /// DSCP code point.
    pub dscp: Option<u8>,
    /// Congestion control; empty: the kernel's default.
    pub congestion: String,
    /// `SO_BUSY_POLL`, µs; 0: off.
    pub busy_poll_us: u32,
    /// `MSG_ZEROCOPY`.
    pub zerocopy: bool,
    /// Gives up when nothing moves for this long, ns.
    pub timeout_ns: u64,
}

/// Content of messages. Which file it is read from is known to this process alone: no document can name one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "PayloadKind", into = "PayloadKind")]
#[cfg_attr(feature = "schema", schemars(with = "PayloadKind"))]
pub enum Payload {
    /// Incompressible.
    #[default]
    Random,
    /// All zero.
    Zero,
    /// Read from this file of this host.
    File(String),
}

/// Content of messages, as it is written.
#[record]
enum PayloadKind {
    /// Incompressible.
    Random,
    /// All zero.
    Zero,
    /// Read from a file.
    File,
}

impl From<PayloadKind> for Payload {
    fn from(kind: PayloadKind) -> Self {
        match kind {
            PayloadKind::Random => Self::Random,
            PayloadKind::Zero => Self::Zero,
            PayloadKind::File => Self::File(String::new()),
        }
    }
}

impl From<Payload> for PayloadKind {
    fn from(payload: Payload) -> Self {
        match payload {
            Payload::Random => Self::Random,
            Payload::Zero => Self::Zero,
            Payload::File(_) => Self::File,
        }
    }
}

/// What came out of a network probe (`fullwire.net/1` without the judgement).
#[record]
pub struct NetResult {
    /// As the user wrote it.
    pub target: String,
    /// The tool and the file that it was imported from (`iperf3, night.json`); empty: measured here.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub imported_from: String,
    /// Number of the probe in the run: the windows around it carry the same. 0: it was measured without windows.
    pub probe: ProbeId,
    /// How messages flowed.
    pub mode: NetMode,
    /// Parallel connections.
    pub streams: u32,
    /// Bytes of a message.
    pub payload_bytes: u64,
    /// From the first byte to the last one received, s.
    pub duration_s: f64,
    /// Bytes that the receiving side got.
    pub bytes: u64,
    /// Messages.
    pub messages: u64,
    /// As the receiver counted, bytes per second.
    pub throughput_bytes_per_s: f64,
    /// The other way, in a bidirectional test and of an interconnect's blocks.
    pub reverse_throughput_bytes_per_s: Option<f64>,
    /// True when the peer sent.
    pub reverse: bool,
    /// Of a message (sync, rtt), or of an exchange of an interconnect with a block in it.
    pub latency_ns: Option<Latency>,
    /// What a synchronous message's latency is made of.
    pub parts_ns: Option<Parts>,
    /// The run in slices.
    pub intervals: Vec<NetInterval>,
    /// From `TCP_INFO` on the sending side.
    pub tcp: Option<TcpSummary>,
    /// From `TCP_INFO` on the receiving side.
    pub peer_tcp: Option<TcpSummary>,
    /// Datagram figures.
    pub udp: Option<UdpSummary>,
    /// Those of the other direction, in a bidirectional test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse_udp: Option<UdpSummary>,
    /// CPU that both ends burnt.
    pub cpu: CpuUse,
    /// Where the connection ran.
    pub path: NetPath,
    /// Round trip without load, measured before the load began.
    pub rtt_idle_ns: Option<Latency>,
    /// Round trip while the load ran, of a separate connection.
    pub rtt_loaded_ns: Option<Latency>,
    /// Zero copy was requested, and the kernel did it.
    pub zerocopy_effective: Option<bool>,
    /// Open loop: messages that could not start in time.
    pub late_messages: Option<u64>,
    /// Why the test ended before its time; what it saw until then is in the other fields.
    pub incomplete: Option<String>,
    /// The test broke, and this is when anything last moved, s since the start. `None`: it ended in time or by an interrupt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broke_after_s: Option<f64>,
    /// The peer's writes bypassed its page cache.
    pub remote_write_direct: Option<bool>,
    /// Throughput of each repeat, bytes per second, where the test was repeated; the other fields are those of the repeat
    /// in the middle.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repeats_bytes_per_s: Vec<f64>,
    /// Median latency of each repeat, ns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repeats_p50_ns: Vec<u64>,
    /// Repeats that were asked for, where fewer were made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats_asked: Option<u32>,
    /// Settings requested, for the record.
    pub plan: NetPlan,
}

impl NetResult {
    /// Completed exchanges of an interconnect, per second.
    pub fn exchanges_per_s(&self) -> Option<f64> {
        let known = self.mode == NetMode::Interconnect && self.duration_s > 0.0;
        known.then(|| self.messages as f64 / self.duration_s)
    }

    /// Payload of one exchange of an interconnect on the way out and on the way back, bytes: the blocks as counted, and a
    /// small message in each exchange that has no block going that way (three of four out, two of four back).
    pub fn exchange_bytes(&self) -> Option<[f64; 2]> {
        let per_s = self.exchanges_per_s().filter(|per_s| *per_s > 0.0)?;
        let small = INTERCONNECT_SMALL_BYTES as f64;
        let back = self.reverse_throughput_bytes_per_s.unwrap_or(0.0);
        Some([self.throughput_bytes_per_s / per_s + 0.75 * small, back / per_s + 0.5 * small])
    }
}

/// The parts of a synchronous message's latency.
#[record]
pub struct Parts {
    /// Wire and both stacks.
    pub network: Latency,
    /// The peer's disk write.
    pub remote_write: Option<Latency>,
}

/// One slice of a run.
#[record]
pub struct NetInterval {
    /// End of the slice since the start, s.
    pub t_s: f64,
    /// Within the slice, bytes per second.
    pub throughput_bytes_per_s: f64,
    /// Mean latency within the slice, ns.
    pub mean_ns: Option<f64>,
    /// Median latency within the slice, ns.
    pub p50_ns: Option<u64>,
    /// 99th percentile within the slice, ns.
    pub p99_ns: Option<u64>,
    /// Segments resent within the slice.
    pub retransmits: Option<u64>,
    /// Smoothed round trip at the end of the slice, mean of the streams, ns.
    pub rtt_ns: Option<u64>,
    /// Congestion window at the end of the slice, sum of the streams, bytes.
    pub cwnd_bytes: Option<u64>,
    /// Bytes sent and not yet acknowledged, sum of the streams.
    pub in_flight_bytes: Option<u64>,
}

/// TCP's own statistics of the streams, summed where a sum makes sense.
#[record]
pub struct TcpSummary {
    /// Largest segment, payload bytes.
    pub mss_bytes: u64,
    /// `SO_SNDBUF` as granted to each stream, bytes (the kernel doubles what is requested).
    pub sndbuf_bytes: PerStream,
    /// `SO_RCVBUF` as granted to each stream, bytes.
    pub rcvbuf_bytes: PerStream,
    /// Segments resent.
    pub retransmits: u64,
    /// Segments resent before the measured time, while the window grew.
    pub warmup_retransmits: u64,
    /// Segments sent.
    pub segments_out: u64,
    /// Bytes retransmitted, as the kernel counted them; 0 where it does not.
    pub bytes_retransmitted: u64,
    /// Smallest round trip, ns.
    pub rtt_min_ns: u64,
    /// Smoothed round trip at the end, ns.
    pub rtt_ns: u64,
    /// Variation of the round trip, ns.
    pub rttvar_ns: u64,
    /// Congestion window, largest sum of the streams seen at one moment, bytes.
    pub cwnd_bytes: AllStreams,
    /// Slow-start threshold, sum of the streams, bytes; `None`: never set.
    pub ssthresh_bytes: Option<AllStreams>,
    /// Window that the peer offered, largest sum of the streams seen at one moment, bytes.
    pub snd_wnd_bytes: Option<AllStreams>,
    /// Window that this side offered, largest sum of the streams seen at one moment, bytes.
    pub rcv_wnd_bytes: Option<AllStreams>,
    /// Time with data to send, sum of the streams, as are the two times below, s.
    pub busy_s: f64,
    /// Time in which the peer's window limited this end, s.
    pub rwnd_limited_s: f64,
    /// Time in which this end's send buffer was the limit, s.
    pub sndbuf_limited_s: f64,
    /// As the kernel measured it last, bytes per second.
    pub delivery_rate_bytes_per_s: f64,
    /// The kernel's last delivery-rate samples were limited by the application.
    pub app_limited: bool,
    /// Reordering seen: packets by which the order was off, at most.
    pub reordering_packets: u64,
    /// Times that reordering was seen.
    pub reorder_seen: u64,
    /// Segments that arrived out of order (receiver).
    pub out_of_order_packets: u64,
    /// Duplicate SACKs received: resent without need.
    pub dsack_dups: u64,
    /// The kernel's path MTU, bytes.
    pub pmtu_bytes: u64,
    /// Congestion control.
    pub congestion: String,
    /// Timestamps were negotiated.
    pub timestamps: bool,
    /// SACK was negotiated.
    pub sack: bool,
    /// Window scaling was negotiated; the shift sent and received.
    pub window_scale: Option<[u8; 2]>,
    /// ECN was negotiated.
    pub ecn: bool,
    /// Segments marked by ECN that the peer reported.
    pub ecn_marked: u64,
}

/// Datagram figures, of the direction tested.
#[record]
pub struct UdpSummary {
    /// Sent.
    pub sent: u64,
    /// Never arrived.
    pub lost: u64,
    /// Arrived out of order.
    pub reordered: u64,
    /// Arrived twice.
    pub duplicated: u64,
    /// RFC 3550 interarrival jitter, ns; `None`: an interconnect's exchanges have none.
    pub jitter_ns: Option<u64>,
    /// Rate at which they were sent, small ones left out, bytes per second; 0: not known.
    pub sent_bytes_per_s: f64,
    /// IP reassemblies that failed on both ends during the test.
    pub reassembly_failures: u64,
    /// Datagrams that the receiving sockets had no room for, both ends.
    pub receive_buffer_drops: u64,
    /// Loss of small (unfragmented) datagrams sent in between, as a share: distinguishes fragments from packets.
    pub small_loss: Option<f64>,
}

/// CPU that a test burnt.
#[record]
pub struct CpuUse {
    /// This side's threads of the test, user and system, s.
    pub client_s: f64,
    /// The peer's threads of this test, s.
    pub server_s: f64,
    /// This side, for each 10^9 bytes.
    pub client_s_per_gb: f64,
    /// The peer, for each 10^9 bytes.
    pub server_s_per_gb: f64,
    /// Largest share of one CPU that one of our threads used, 1 is all.
    pub client_thread_peak: Option<f64>,
    /// The same at the peer.
    pub server_thread_peak: Option<f64>,
    /// Largest share of its time for which one of our threads was ready to run and had no CPU.
    pub client_thread_wait: Option<f64>,
    /// The same at the peer.
    pub server_thread_wait: Option<f64>,
}

/// Where a connection ran.
#[record]
pub struct NetPath {
    /// Local address.
    pub local: String,
    /// Peer's address.
    pub remote: String,
    /// The interface that carries it; empty when unknown.
    pub interface: String,
    /// The next hop, when there is a router in between.
    pub gateway: Option<String>,
    /// Both ends are this host.
    pub loopback: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_port_makes_no_other_path() {
        let names = [
            "db2",
            "db2:5555",
            "db2:5556",
            "[::1]:5555",
            "[::1]",
            "[::1]:5556",
            "::1",
            "fe80::5555",
            ":5555",
        ];
        let expected = ["db2", "db2", "db2:5556", "::1", "::1", "[::1]:5556", "::1", "fe80::5555", ":5555"];
        assert_eq!(names.map(peer_name), expected);
        assert_eq!(["iperf3://db2:5555", "ssh://o@db2"].map(peer_name), ["iperf3://db2:5555", "ssh://o@db2"]);
    }

    #[test]
    fn labels_tell_streams_buffers_and_writes_apart() {
        let sync = NetResult { mode: NetMode::Sync, streams: 1, ..NetResult::default() };
        let affirm = NetResult { plan: NetPlan { write: true, ..NetPlan::default() }, ..sync.clone() };
        let several = NetResult { streams: 4, ..NetResult::default() };
        let plan = NetPlan { sockbuf_bytes: 256 << 10, ..NetPlan::default() };
        let swept = NetResult { reverse: true, plan, ..several.clone() };
        let labels = [&sync, &affirm, &several, &swept].map(NetResult::label);
        let expected = ["sync", "sync write", "async 4 streams", "async 4 streams buffers 256k reverse"];
        assert_eq!(labels, expected);
        assert_eq!(swept.question().alone().to_string(), "async buffers 256k reverse");
        assert_eq!(swept.question().forward().unwrap().to_string(), "async 4 streams buffers 256k");
        assert_eq!(several.question().forward(), None);
        assert_eq!(NetResult::default().label(), "async");
    }

    #[test]
    fn no_document_names_a_file_to_be_sent() {
        let plan = NetPlan { payload: Payload::File("/etc/shadow".into()), ..NetPlan::default() };
        let text = serde_json::to_string(&plan).unwrap();
        assert!(text.contains(r#""payload":"file""#) && !text.contains("shadow"), "{text}");
        let back: NetPlan = serde_json::from_str(&text).unwrap();
        assert_eq!(back.payload, Payload::File(String::new()));
        assert!(serde_json::from_str::<NetPlan>(r#"{"payload":{"file":"/etc/shadow"}}"#).is_err());
    }
}
