//! What the interface of a host takes that runs no responder: in a TCP handshake each end tells the largest segment
//! that it receives (RFC 9293, section 3.7.1), and a host derives it from the MTU of its interface.

use crate::net::socket::tcp_info::TcpInfo;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// IP and TCP headers without options.
const HEADERS_IPV4_BYTES: u64 = 40;
const HEADERS_IPV6_BYTES: u64 = 60;
/// RFC 7323, section 3.2, padded.
const TIMESTAMPS_BYTES: u64 = 12;
/// `TCPI_OPT_TIMESTAMPS` (`include/uapi/linux/tcp.h`).
const OPTION_TIMESTAMPS: u8 = 1;

/// The smaller one of both interfaces' MTUs, bytes; `None`: no one accepts a connection in time, or only the window that was
/// offered bounds the segment.
pub(super) fn interface_mtu_bytes(service: SocketAddr, limit: Duration) -> Option<u64> {
    let connection = TcpStream::connect_timeout(&service, limit).ok()?;
    let info = TcpInfo::of(&connection).ok()?;
    // No segment is larger than half the largest window seen (`tcp_bound_to_half_wnd`).
    let by_window = info.snd_wnd_bytes.is_some_and(|window| info.snd_mss_bytes >= window / 2);
    (!by_window).then(|| mtu_bytes(info.snd_mss_bytes, info.options, service.is_ipv6()))
}

/// The kernel counts the options that every segment carries out of its segment size (`tcp_mtu_to_mss`).
fn mtu_bytes(snd_mss_bytes: u32, options: u8, ipv6: bool) -> u64 {
    let headers_bytes = if ipv6 { HEADERS_IPV6_BYTES } else { HEADERS_IPV4_BYTES };
    let options_bytes = if options & OPTION_TIMESTAMPS == 0 { 0 } else { TIMESTAMPS_BYTES };
    u64::from(snd_mss_bytes) + headers_bytes + options_bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::socket::sockopt;
    use std::net::TcpListener;

    #[test]
    fn segments_of_ethernet_and_of_jumbo_frames_give_their_mtu() {
        assert_eq!(mtu_bytes(1460, 0, false), 1500);
        assert_eq!(mtu_bytes(1448, 1, false), 1500);
        assert_eq!(mtu_bytes(8948, 1 | 2 | 4, false), 9000);
        assert_eq!(mtu_bytes(1428, 1, true), 1500);
    }

    #[test]
    fn a_listener_tells_and_a_closed_port_does_not() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let told = || interface_mtu_bytes(address, Duration::from_secs(1));
        // Loopback's frames are larger than the window that a new connection offers.
        assert_eq!(told(), None);
        sockopt::set_max_segment(&listener, 1460).unwrap();
        assert_eq!(told(), Some(1500));
        drop(listener);
        assert_eq!(told(), None);
    }
}
