//! ICMP echo with the don't-fragment bit: a datagram ICMP socket where `net.ipv4.ping_group_range` allows it,
//! a raw one where the user may. What routers say comes back on the socket's error queue.

use nix::sys::socket::{self, ControlMessageOwned, MsgFlags, SockaddrStorage};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, ipproto, sockopt};
use std::io::{self, IoSliceMut};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

const ICMP_HEADER_BYTES: u64 = 8;
/// ICMP types: RFC 792, RFC 4443.
const ECHO_REQUEST: u8 = 8;
const ECHO_REPLY: u8 = 0;
const ECHO_REQUEST_V6: u8 = 128;
const ECHO_REPLY_V6: u8 = 129;
const UNREACHABLE: u8 = 3;
const FRAGMENTATION_NEEDED: u8 = 4;
const TIME_EXCEEDED: u8 = 11;
const UNREACHABLE_V6: u8 = 1;
const PACKET_TOO_BIG_V6: u8 = 2;
const TIME_EXCEEDED_V6: u8 = 3;

/// What came back for one echo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// The target answered.
    Reply {
        /// Round trip.
        rtt: Duration,
    },
    /// A router says that the packet does not fit.
    TooBig {
        /// What would.
        mtu_bytes: u64,
    },
    /// A router saw it and its time to live was over.
    TimeExceeded {
        /// The router.
        from: IpAddr,
        /// Round trip.
        rtt: Duration,
    },
    /// A router says that the target cannot be reached.
    Unreachable {
        /// The router.
        from: IpAddr,
    },
    /// It does not fit through our own interface.
    TooLongHere,
    /// Nothing within the time.
    Nothing,
}

/// Why no echo can be sent.
#[derive(Debug, thiserror::Error)]
pub enum EchoError {
    /// Neither kind of socket is allowed.
    #[error("cannot open an ICMP socket: {0}; run as root, or widen net.ipv4.ping_group_range")]
    NotAllowed(Errno),
    /// The address cannot be reached at all.
    #[error("cannot send ICMP echo to {address}: {error}")]
    Unreachable {
        /// The target.
        address: IpAddr,
        /// What the kernel said.
        error: Errno,
    },
}

/// A socket for echoes to one address.
pub(super) struct Echo {
    socket: OwnedFd,
    ipv6: bool,
    raw: bool,
    identifier: u16,
    sequence: u16,
}

impl Echo {
    pub(super) fn open(address: IpAddr) -> Result<Self, EchoError> {
        let ipv6 = address.is_ipv6();
        let (socket, raw) = open_socket(ipv6).map_err(EchoError::NotAllowed)?;
        let unreachable = |error: Errno| EchoError::Unreachable { address, error };
        if ipv6 {
            sockopt::set_ipv6_mtu_discover(&socket, sockopt::Ipv6PathMtuDiscovery::PROBE)
                .map_err(unreachable)?;
            socket::setsockopt(&socket, socket::sockopt::Ipv6RecvErr, &true)
                .map_err(|e| unreachable(errno(e)))?;
        } else {
            // PROBE sets the bit and does not trust what the kernel has learnt before.
            sockopt::set_ip_mtu_discover(&socket, sockopt::Ipv4PathMtuDiscovery::PROBE)
                .map_err(unreachable)?;
            socket::setsockopt(&socket, socket::sockopt::Ipv4RecvErr, &true)
                .map_err(|e| unreachable(errno(e)))?;
        }
        rustix::net::connect(&socket, &SocketAddr::new(address, 0)).map_err(unreachable)?;
        let identifier = std::process::id().to_be_bytes();
        let identifier = u16::from_be_bytes([identifier[2], identifier[3]]);
        Ok(Self { socket, ipv6, raw, identifier, sequence: 0 })
    }

    /// Sends one echo in a packet of this size and waits for what comes back.
    pub(super) fn ask(&mut self, packet_bytes: u64, ttl: Option<u8>, wait: Duration) -> io::Result<Answer> {
        self.set_ttl(ttl.unwrap_or(64))?;
        self.sequence = self.sequence.wrapping_add(1);
        let message = self.message(packet_bytes);
        let sent = Instant::now();
        match rustix::net::send(&self.socket, &message, rustix::net::SendFlags::empty()) {
            Ok(_) => {}
            Err(Errno::MSGSIZE) => return Ok(Answer::TooLongHere),
            // Dropped by the first device: a virtual link whose other end takes less says so at once.
            Err(Errno::NOBUFS) => return Ok(Answer::Nothing),
            Err(Errno::HOSTUNREACH | Errno::NETUNREACH | Errno::CONNREFUSED) => {
                // An earlier answer's error is reported once on the next call: take it from its queue.
                if let Some(answer) = self.queued_error(sent)? {
                    return Ok(answer);
                }
            }
            Err(error) => return Err(error.into()),
        }
        self.wait_for_answer(sent, wait)
    }

    fn wait_for_answer(&self, sent: Instant, wait: Duration) -> io::Result<Answer> {
        let deadline = sent + wait;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Answer::Nothing);
            }
            let timeout = rustix::time::Timespec::try_from(left).map_err(io::Error::other)?;
            let mut ready = [PollFd::new(&self.socket, PollFlags::IN)];
            match poll(&mut ready, Some(&timeout)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let events = ready[0].revents();
            if events.contains(PollFlags::ERR)
                && let Some(answer) = self.queued_error(sent)?
            {
                return Ok(answer);
            }
            if events.contains(PollFlags::IN) && self.is_our_reply()? {
                return Ok(Answer::Reply { rtt: sent.elapsed() });
            }
        }
    }

    /// The next datagram is the reply to the last request.
    fn is_our_reply(&self) -> io::Result<bool> {
        let mut buffer = [0_u8; 128];
        let received =
            match rustix::net::recv(&self.socket, buffer.as_mut_slice(), rustix::net::RecvFlags::DONTWAIT) {
                Ok((length, _)) => &buffer[..length],
                Err(
                    Errno::AGAIN
                    | Errno::INTR
                    | Errno::HOSTUNREACH
                    | Errno::NETUNREACH
                    | Errno::CONNREFUSED
                    | Errno::MSGSIZE,
                ) => {
                    return Ok(false);
                }
                Err(error) => return Err(error.into()),
            };
        Ok(self.matches_reply(received))
    }

    fn matches_reply(&self, received: &[u8]) -> bool {
        // A raw IPv4 socket hands the IP header over as well; its length is in the low nibble, in words.
        let skip = if self.raw && !self.ipv6 {
            received.first().map_or(0, |byte| usize::from(byte & 15) * 4)
        } else {
            0
        };
        let Some([kind, _, _, _, id_high, id_low, seq_high, seq_low]) =
            received.get(skip..).and_then(|icmp| icmp.first_chunk())
        else {
            return false;
        };
        let wanted = if self.ipv6 { ECHO_REPLY_V6 } else { ECHO_REPLY };
        // The kernel puts its own identifier into a datagram socket's messages.
        let ours = !self.raw || u16::from_be_bytes([*id_high, *id_low]) == self.identifier;
        *kind == wanted && ours && u16::from_be_bytes([*seq_high, *seq_low]) == self.sequence
    }

    /// What a router said, from the error queue.
    fn queued_error(&self, sent: Instant) -> io::Result<Option<Answer>> {
        let mut payload = [0_u8; 64];
        let mut vectors = [IoSliceMut::new(&mut payload)];
        let mut control = nix::cmsg_space!([u8; 512]);
        let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
        let message = match socket::recvmsg::<SockaddrStorage>(
            self.socket.as_raw_fd(),
            &mut vectors,
            Some(&mut control),
            flags,
        ) {
            Ok(message) => message,
            Err(nix::Error::EAGAIN) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let rtt = sent.elapsed();
        let answer = message.cmsgs()?.find_map(|control| match control {
            ControlMessageOwned::Ipv4RecvErr(error, from) => {
                let from = from
                    .map_or(Ipv4Addr::UNSPECIFIED, |from| Ipv4Addr::from(from.sin_addr.s_addr.to_ne_bytes()));
                meaning(&error, from.into(), rtt)
            }
            ControlMessageOwned::Ipv6RecvErr(error, from) => {
                let from = from.map_or(Ipv6Addr::UNSPECIFIED, |from| Ipv6Addr::from(from.sin6_addr.s6_addr));
                meaning(&error, from.into(), rtt)
            }
            _ => None,
        });
        Ok(answer)
    }

    fn set_ttl(&self, ttl: u8) -> io::Result<()> {
        if self.ipv6 {
            sockopt::set_ipv6_unicast_hops(&self.socket, Some(ttl))?;
        } else {
            sockopt::set_ip_ttl(&self.socket, u32::from(ttl))?;
        }
        Ok(())
    }

    /// An echo request that makes a packet of this size, headers included.
    fn message(&self, packet_bytes: u64) -> Vec<u8> {
        let ip_header = if self.ipv6 { 40 } else { 20 };
        let length = packet_bytes.saturating_sub(ip_header).clamp(ICMP_HEADER_BYTES, 65_515);
        let mut message = vec![0_u8; usize::try_from(length).unwrap_or(8)];
        message[0] = if self.ipv6 { ECHO_REQUEST_V6 } else { ECHO_REQUEST };
        message[4..6].copy_from_slice(&self.identifier.to_be_bytes());
        message[6..8].copy_from_slice(&self.sequence.to_be_bytes());
        if !self.ipv6 {
            let sum = checksum(&message);
            message[2..4].copy_from_slice(&sum.to_be_bytes());
        }
        message
    }
}

fn open_socket(ipv6: bool) -> Result<(OwnedFd, bool), Errno> {
    let (family, protocol) =
        if ipv6 { (AddressFamily::INET6, ipproto::ICMPV6) } else { (AddressFamily::INET, ipproto::ICMP) };
    let open = |kind| rustix::net::socket_with(family, kind, SocketFlags::CLOEXEC, Some(protocol));
    match open(SocketType::DGRAM) {
        Ok(socket) => Ok((socket, false)),
        Err(_) => open(SocketType::RAW).map(|socket| (socket, true)),
    }
}

/// The meaning of a queued ICMP error.
fn meaning(error: &nix::libc::sock_extended_err, from: IpAddr, rtt: Duration) -> Option<Answer> {
    let too_big = || Some(Answer::TooBig { mtu_bytes: u64::from(error.ee_info) });
    match (error.ee_origin, error.ee_type, error.ee_code) {
        (nix::libc::SO_EE_ORIGIN_ICMP, UNREACHABLE, FRAGMENTATION_NEEDED)
        | (nix::libc::SO_EE_ORIGIN_ICMP6, PACKET_TOO_BIG_V6, _) => too_big(),
        (nix::libc::SO_EE_ORIGIN_ICMP, TIME_EXCEEDED, _)
        | (nix::libc::SO_EE_ORIGIN_ICMP6, TIME_EXCEEDED_V6, _) => Some(Answer::TimeExceeded { from, rtt }),
        (nix::libc::SO_EE_ORIGIN_ICMP, UNREACHABLE, _)
        | (nix::libc::SO_EE_ORIGIN_ICMP6, UNREACHABLE_V6, _) => Some(Answer::Unreachable { from }),
        (nix::libc::SO_EE_ORIGIN_LOCAL, _, _) => Some(Answer::TooLongHere),
        _ => None,
    }
}

/// The Internet checksum (RFC 1071).
fn checksum(bytes: &[u8]) -> u16 {
    let mut sum: u32 = bytes
        .chunks(2)
        .map(|pair| u32::from(u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)])))
        .sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !u16::try_from(sum).unwrap_or(0)
}

fn errno(error: nix::Error) -> Errno {
    Errno::from_raw_os_error(error as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_of_rfc_1071_section_3() {
        assert_eq!(checksum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2);
    }

    #[test]
    fn loopback_answers() {
        let mut echo = Echo::open(IpAddr::V4(Ipv4Addr::LOCALHOST))
            .expect("an ICMP socket: run as root or widen net.ipv4.ping_group_range");
        let answer = echo.ask(1500, None, Duration::from_secs(2)).unwrap();
        assert!(matches!(answer, Answer::Reply { .. }), "{answer:?}");
        assert!(
            echo.ask(65_535, Some(1), Duration::from_secs(2))
                .map(|a| matches!(a, Answer::Reply { .. }))
                .unwrap()
        );
    }
}
