//! `TCP_INFO`: the kernel's own account of a connection. Older kernels return a shorter structure; only
//! what came is read (`include/uapi/linux/tcp.h`, `struct tcp_info`, which only ever grows at its end).

use crate::net::socket::sockopt;
use rustix::fd::AsFd;
use std::io;

/// Bytes of the structure requested: more than any kernel fills today.
const ASKED_BYTES: usize = 512;

/// What a connection's `TCP_INFO` held. A field that the kernel is too old for is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TcpInfo {
    /// `tcpi_state`: 1 is established.
    pub state: u8,
    /// `tcpi_options`: 1 timestamps, 2 SACK, 4 window scaling, 8 ECN.
    pub options: u8,
    /// Window scale that the peer requested (applies to what we may send) and ours.
    pub window_scale: [u8; 2],
    /// The last delivery-rate sample was limited by the application.
    pub delivery_rate_app_limited: bool,
    /// Segment size sent, bytes.
    pub snd_mss_bytes: u32,
    /// Segment size received, bytes.
    pub rcv_mss_bytes: u32,
    /// Segments in flight.
    pub unacked_packets: u32,
    /// Path MTU, bytes.
    pub pmtu_bytes: u32,
    /// Smoothed round trip, µs.
    pub rtt_us: u32,
    /// Its variation, µs.
    pub rttvar_us: u32,
    /// Slow-start threshold, segments; 2^31 - 1: never set.
    pub snd_ssthresh_packets: u32,
    /// Congestion window, segments.
    pub snd_cwnd_packets: u32,
    /// Reordering tolerated, segments.
    pub reordering_packets: u32,
    /// Segments resent since the start.
    pub total_retrans: u32,
    /// Bytes that the peer acknowledged.
    pub bytes_acked: Option<u64>,
    /// Bytes received in order.
    pub bytes_received: Option<u64>,
    /// Segments sent.
    pub segs_out: Option<u32>,
    /// Bytes in the send buffer, not sent yet.
    pub notsent_bytes: Option<u32>,
    /// Smallest round trip, µs; 2^32 - 1: not known.
    pub min_rtt_us: Option<u32>,
    /// Newest delivery rate, bytes per second.
    pub delivery_rate_bytes_per_s: Option<u64>,
    /// Time with data to send, µs.
    pub busy_us: Option<u64>,
    /// Time held by the peer's window, µs.
    pub rwnd_limited_us: Option<u64>,
    /// Time held by our send buffer, µs.
    pub sndbuf_limited_us: Option<u64>,
    /// Segments delivered with an ECN mark.
    pub delivered_ce: Option<u32>,
    /// Bytes resent.
    pub bytes_retrans: Option<u64>,
    /// Duplicate SACKs received.
    pub dsack_dups: Option<u32>,
    /// Times that reordering was seen.
    pub reord_seen: Option<u32>,
    /// Segments received out of order.
    pub rcv_ooopack: Option<u32>,
    /// The peer's window, bytes.
    pub snd_wnd_bytes: Option<u32>,
    /// Our window, bytes.
    pub rcv_wnd_bytes: Option<u32>,
}

impl TcpInfo {
    /// Of a live connection.
    pub fn of(socket: impl AsFd) -> io::Result<Self> {
        let mut buffer = [0; ASKED_BYTES];
        let length = sockopt::get(socket, libc::IPPROTO_TCP, libc::TCP_INFO, &mut buffer)?;
        Ok(Self::parse(&buffer[..length]))
    }

    /// From the structure's bytes, as many as there are.
    pub fn parse(bytes: &[u8]) -> Self {
        let octet = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let some_u32 =
            |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_ne_bytes);
        let some_u64 =
            |at: usize| bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_ne_bytes);
        let word = |at: usize| some_u32(at).unwrap_or(0);
        Self {
            state: octet(0),
            options: octet(5),
            window_scale: nibbles(octet(6)),
            delivery_rate_app_limited: flag(octet(7)),
            snd_mss_bytes: word(16),
            rcv_mss_bytes: word(20),
            unacked_packets: word(24),
            pmtu_bytes: word(60),
            rtt_us: word(68),
            rttvar_us: word(72),
            snd_ssthresh_packets: word(76),
            snd_cwnd_packets: word(80),
            reordering_packets: word(88),
            total_retrans: word(100),
            bytes_acked: some_u64(120),
            bytes_received: some_u64(128),
            segs_out: some_u32(136),
            notsent_bytes: some_u32(144),
            min_rtt_us: some_u32(148),
            delivery_rate_bytes_per_s: some_u64(160),
            busy_us: some_u64(168),
            rwnd_limited_us: some_u64(176),
            sndbuf_limited_us: some_u64(184),
            delivered_ce: some_u32(196),
            bytes_retrans: some_u64(208),
            dsack_dups: some_u32(216),
            reord_seen: some_u32(220),
            rcv_ooopack: some_u32(224),
            snd_wnd_bytes: some_u32(228),
            rcv_wnd_bytes: some_u32(232),
        }
    }

    /// The congestion window in bytes.
    pub fn cwnd_bytes(&self) -> u64 {
        u64::from(self.snd_cwnd_packets) * u64::from(self.snd_mss_bytes)
    }

    /// Sent and not acknowledged, bytes.
    pub fn in_flight_bytes(&self) -> u64 {
        u64::from(self.unacked_packets) * u64::from(self.snd_mss_bytes)
    }
}

/// The first bit field of a byte: the low bit where the first is the least significant.
fn flag(byte: u8) -> bool {
    if cfg!(target_endian = "little") { byte & 1 != 0 } else { byte & 0x80 != 0 }
}

/// Two bit fields of four: the low half first where the first is the least significant.
fn nibbles(byte: u8) -> [u8; 2] {
    if cfg!(target_endian = "little") { [byte & 15, byte >> 4] } else { [byte >> 4, byte & 15] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn a_structure_of_any_length_is_read_as_far_as_it_goes() {
        let mut bytes = [0u8; 248];
        bytes[148..152].copy_from_slice(&42u32.to_ne_bytes());
        bytes[228..232].copy_from_slice(&65_536u32.to_ne_bytes());
        let whole = TcpInfo::parse(&bytes);
        assert_eq!((whole.min_rtt_us, whole.snd_wnd_bytes), (Some(42), Some(65_536)));
        let old = TcpInfo::parse(&bytes[..104]);
        assert_eq!((old.min_rtt_us, old.busy_us, old.snd_wnd_bytes), (None, None, None));
        for length in 0..bytes.len() {
            let _ = TcpInfo::parse(&bytes[..length]);
        }
    }

    #[test]
    fn a_live_connection_counts_what_was_sent() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        client.write_all(&[7; 5000]).unwrap();
        server.read_exact(&mut [0; 5000]).unwrap();
        server.write_all(&[1]).unwrap();
        client.read_exact(&mut [0]).unwrap();
        let info = TcpInfo::of(&client).unwrap();
        assert_eq!(info.state, 1);
        // RFC 4898 counts the SYN.
        assert!(matches!(info.bytes_acked, Some(5000 | 5001)), "{:?}", info.bytes_acked);
        assert!(info.snd_mss_bytes >= 536 && info.snd_cwnd_packets >= 2);
        assert_eq!(TcpInfo::of(&server).unwrap().bytes_received, Some(5000));
    }
}
