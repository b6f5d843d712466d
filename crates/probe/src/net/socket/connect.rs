//! Sockets of the client: names to addresses, connections with a deadline, and the options of a plan.

use crate::net::channel::{Channel, Link, read_exact, write_all};
use crate::net::noise::{self, Key};
use crate::net::socket::dial::dial_by_several_ports;
use crate::net::socket::names::lookup;
use crate::net::socket::sockopt;
use crate::net::wire::{self, Kind, PREAMBLE_BYTES, Preamble, Token, Verdict};
use crate::net::{DEFAULT_PORT, NetError};
use fullwire_model::net::{NetMode, NetPlan};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, ipproto, sockopt as option};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// Segments of control connections: small enough for every path (RFC 1122, 4.2.2.6), so that the account of
/// an MTU black hole still comes through.
const CONTROL_SEGMENT_BYTES: u32 = 536;

/// Receive buffer of a datagram test: what Oracle asks of an interconnect's hosts (`rmem_max` 4 MiB), halved
/// as the kernel doubles it.
const DATAGRAM_BUFFER_BYTES: usize = 2 * 1024 * 1024;

/// Addresses of `HOST`, `HOST:PORT`, `IPV6` or `[IPV6]:PORT`.
pub fn resolve(target: &str) -> Result<Vec<SocketAddr>, NetError> {
    let failed = |reason: String| NetError::Resolve { target: target.to_owned(), reason };
    let (host, port) = split(target).ok_or_else(|| failed("malformed".into()))?;
    let addresses = lookup(host, port).map_err(|error| failed(error.to_string()))?;
    if addresses.is_empty() { Err(failed("no address".into())) } else { Ok(addresses) }
}

/// Host and port of `HOST`, `HOST:PORT`, `IPV6` or `[IPV6]:PORT`; `None` for what is none of these.
pub fn split(target: &str) -> Option<(&str, u16)> {
    if let Some(rest) = target.strip_prefix('[') {
        let (host, rest) = rest.split_once(']')?;
        let port = if rest.is_empty() { DEFAULT_PORT } else { rest.strip_prefix(':')?.parse().ok()? };
        return Some((host, port));
    }
    match target.matches(':').count() {
        0 if !target.is_empty() => Some((target, DEFAULT_PORT)),
        1 => {
            let (host, port) = target.split_once(':')?;
            (!host.is_empty()).then_some((host, port.parse().ok()?))
        }
        0 => None,
        _ => Some((target, DEFAULT_PORT)),
    }
}

/// A control connection to the first address that answers.
pub(crate) fn control(
    addresses: &[SocketAddr],
    plan: &NetPlan,
    key: Option<&str>,
    within: Duration,
) -> Result<(Channel, SocketAddr), NetError> {
    // Stretching the key takes a while, in which a connection would hold a seat for nothing.
    let key = key.map(Key::derive);
    let each = within / u32::try_from(addresses.len()).unwrap_or(1).max(1);
    let mut last = NetError::Interrupted;
    for address in addresses {
        let attempt = dial_by_several_ports(*address, each, |socket| {
            sockopt::set_max_segment(socket, CONTROL_SEGMENT_BYTES)
                .map_err(|error| NetError::local("set the segment size", error))?;
            leave_from(socket, *address, &plan.source)
        });
        match attempt {
            Ok(socket) => return Ok((greet(socket, *address, key.as_ref(), within)?, *address)),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// A data connection, bound to its lane by the token. Blocking, with the plan's options.
pub(crate) fn data(
    address: SocketAddr,
    plan: &NetPlan,
    token: &Token,
    within: Duration,
) -> Result<TcpStream, NetError> {
    let socket = dial_by_several_ports(address, within, |socket| {
        leave_from(socket, address, &plan.source)?;
        apply(socket, address.ip(), plan)
    })?;
    let mut hello = Preamble { version: wire::VERSION, kind: Kind::Data }.encode().to_vec();
    hello.extend_from_slice(token);
    write_all(&socket, &hello, "opening a data connection", within)?;
    socket.set_nonblocking(false).map_err(|error| NetError::local("make a socket blocking", error))?;
    Ok(socket)
}

/// A plan's options of TCP sockets, the same at both ends. What the user requested by name fails loudly.
pub(crate) fn apply(socket: impl AsFd, peer: IpAddr, plan: &NetPlan) -> Result<(), NetError> {
    let socket = socket.as_fd();
    apply_any(socket, peer, plan)?;
    if plan.mode.is_datagrams() {
        return Ok(());
    }
    if !plan.congestion.is_empty() {
        option::set_tcp_congestion(socket, &plan.congestion).map_err(|errno| {
            let what = "use congestion control";
            let where_to_look = "(see net.ipv4.tcp_available_congestion_control)";
            NetError::local(format!("{what} {} {where_to_look}", plan.congestion), errno)
        })?;
    }
    if plan.mss_bytes > 0 {
        let bytes = u32::try_from(plan.mss_bytes).unwrap_or(u32::MAX);
        sockopt::set_max_segment(socket, bytes)
            .map_err(|error| NetError::local(format!("set the segment size to {bytes}"), error))?;
    }
    if plan.mode != NetMode::Async || plan.rate_bytes_per_s > 0.0 || plan.delay_ns > 0 {
        option::set_tcp_nodelay(socket, true)
            .map_err(|errno| NetError::local("disable Nagle's algorithm", errno))?;
    }
    Ok(())
}

/// This congestion control is there. Root could ask for any other and make the kernel load its module: that is not for a
/// peer to decide.
pub(crate) fn loaded_congestion(name: &str) -> bool {
    let loaded = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    loaded.is_ok_and(|text| text.split_whitespace().any(|word| word == name))
}

/// What the system grants of socket buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Granted {
    /// Of `SO_SNDBUF`, at most `net.core.wmem_max`, bytes.
    pub send_bytes: u64,
    /// Of `SO_RCVBUF`, at most `net.core.rmem_max`, bytes.
    pub receive_bytes: u64,
}

/// How much of socket buffers of this size a socket gets here. socket(7): the kernel doubles what it grants, for its own
/// bookkeeping, and that is not counted here.
pub fn granted_buffers(bytes: u64) -> Result<Granted, NetError> {
    let socket = net::socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)
        .map_err(|errno| NetError::local("open a TCP socket", errno))?;
    let plan = NetPlan { sockbuf_bytes: bytes, ..NetPlan::default() };
    apply_any(&socket, IpAddr::V4(Ipv4Addr::LOCALHOST), &plan)?;
    let failed = |errno: Errno| NetError::local("read the socket buffers", errno);
    let half = |bytes: usize| bytes as u64 / 2;
    Ok(Granted {
        send_bytes: half(option::socket_send_buffer_size(&socket).map_err(failed)?),
        receive_bytes: half(option::socket_recv_buffer_size(&socket).map_err(failed)?),
    })
}

/// A plan's options of sockets of any kind.
pub(crate) fn apply_any(socket: impl AsFd, peer: IpAddr, plan: &NetPlan) -> Result<(), NetError> {
    let socket = socket.as_fd();
    let failed = |what: &str| {
        let what = what.to_owned();
        move |errno: Errno| NetError::local(what, errno)
    };
    if plan.sockbuf_bytes > 0 {
        let size = usize::try_from(plan.sockbuf_bytes).unwrap_or(usize::MAX).min(i32::MAX as usize);
        option::set_socket_send_buffer_size(socket, size).map_err(failed("set the send buffer"))?;
        option::set_socket_recv_buffer_size(socket, size).map_err(failed("set the receive buffer"))?;
    }
    if plan.mode.is_datagrams() && plan.sockbuf_bytes == 0 {
        // A moment in which our own thread does not run must not look like loss. The kernel clamps it.
        option::set_socket_recv_buffer_size(socket, DATAGRAM_BUFFER_BYTES)
            .map_err(failed("set the receive buffer"))?;
    }
    if let Some(dscp) = plan.dscp {
        let class = dscp << 2;
        match peer {
            IpAddr::V4(_) => option::set_ip_tos(socket, class),
            IpAddr::V6(_) => option::set_ipv6_tclass(socket, class.into()),
        }
        .map_err(failed("set the DSCP"))?;
    }
    if plan.busy_poll_us > 0 {
        sockopt::set_busy_poll(socket, plan.busy_poll_us).map_err(|error| {
            NetError::local("set busy polling (more than net.core.busy_read needs CAP_NET_ADMIN)", error)
        })?;
    }
    Ok(())
}

/// Kernel pacing behind our own, a little above it: it smooths what goes out, ours keeps the rate.
pub(crate) fn pace(socket: impl AsFd, rate_bytes_per_s: f64) {
    if rate_bytes_per_s > 0.0 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive float saturates"
        )]
        let rate = (rate_bytes_per_s * 1.25) as u64;
        // Not all kernels can; then the pieces go out as they are made.
        let _ = sockopt::set_max_pacing_rate(socket, rate.max(1));
    }
}

/// Binds to a local address or an interface.
pub(crate) fn leave_from(socket: impl AsFd, peer: SocketAddr, source: &str) -> Result<(), NetError> {
    if source.is_empty() {
        return Ok(());
    }
    match source.parse::<IpAddr>() {
        Ok(address) if address.is_ipv4() == peer.is_ipv4() => {
            net::bind(&socket, &SocketAddr::new(address, 0))
                .map_err(|errno| NetError::local(format!("send from {source}"), errno))
        }
        Ok(_) => Err(NetError::Plan(format!(
            "the source {source} and {} are of different address families",
            peer.ip()
        ))),
        Err(_) => sockopt::bind_to_device(socket, source)
            .map_err(|error| NetError::local(format!("send through interface {source}"), error)),
    }
}

/// A datagram socket of an address's family.
pub(crate) fn datagram_socket(address: SocketAddr) -> Result<OwnedFd, NetError> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    net::socket_with(family, SocketType::DGRAM, SocketFlags::CLOEXEC, Some(ipproto::UDP))
        .map_err(|errno| NetError::local("open a UDP socket", errno))
}

/// Both ends say who they are, and prove the key.
fn greet(
    socket: TcpStream,
    address: SocketAddr,
    key: Option<&Key>,
    within: Duration,
) -> Result<Channel, NetError> {
    keep_alive(&socket, within);
    let kind = if key.is_some() { Kind::SecureControl } else { Kind::OpenControl };
    let preamble = Preamble { version: wire::VERSION, kind }.encode();
    let mut hello = preamble.to_vec();
    let mut handshake = None;
    if let Some(key) = key {
        let (state, message) =
            noise::initiate(key, &preamble).map_err(|error| NetError::Protocol(error.to_string()))?;
        hello.extend_from_slice(&u16::try_from(message.len()).unwrap_or(u16::MAX).to_be_bytes());
        hello.extend_from_slice(&message);
        handshake = Some(state);
    }
    write_all(&socket, &hello, "greeting the responder", within)?;
    judge(&socket, address, within)?;
    let link = match handshake {
        None => Link::open(),
        Some(state) => {
            let answer = sealed_answer(&socket, within)?;
            let mut link = Link::secure(noise::conclude(state, &answer).map_err(|_| NetError::WrongKey)?);
            let proof = link.proof().map_err(|error| NetError::Protocol(error.to_string()))?;
            write_all(&socket, &proof, "proving the key", within)?;
            link
        }
    };
    Channel::new(socket, link, wire::REPLY_LIMIT_BYTES)
        .map_err(|error| NetError::local("use the control connection", error))
}

/// Reads the responder's verdict.
fn judge(socket: &TcpStream, address: SocketAddr, within: Duration) -> Result<(), NetError> {
    let foreign = || NetError::Foreign { address: address.to_string() };
    let mut bytes = [0; PREAMBLE_BYTES];
    match read_exact(socket, &mut bytes, "greeting the responder", within) {
        Err(NetError::Lost { .. }) => return Err(foreign()),
        outcome => outcome?,
    }
    let (theirs, verdict) = Verdict::decode(bytes).map_err(|_| foreign())?;
    match verdict {
        Verdict::Welcome => Ok(()),
        Verdict::Version => Err(NetError::Version { ours: wire::VERSION, theirs }),
        Verdict::KeyRequired => Err(NetError::KeyRequired),
        Verdict::KeyUnexpected => Err(NetError::KeyUnexpected),
        Verdict::Busy => Err(NetError::Refused("it has reached its limit of clients".into())),
    }
}

/// The responder's handshake message; an empty one says that it could not open ours.
fn sealed_answer(socket: &TcpStream, within: Duration) -> Result<Vec<u8>, NetError> {
    let mut length = [0; 2];
    read_exact(socket, &mut length, "proving the key", within)?;
    let mut answer = vec![0; usize::from(u16::from_be_bytes(length)).min(256)];
    if answer.is_empty() {
        return Err(NetError::WrongKey);
    }
    read_exact(socket, &mut answer, "proving the key", within)?;
    Ok(answer)
}

/// A peer that vanishes without a word is noticed: by probes while silent, by the user timeout while sending.
pub(crate) fn keep_alive(socket: &TcpStream, within: Duration) {
    let ms = u32::try_from(within.as_millis()).unwrap_or(u32::MAX);
    // None of these can fail on a TCP socket; if one did, the deadlines above it still hold.
    let _ = option::set_tcp_nodelay(socket, true);
    let _ = option::set_socket_keepalive(socket, true);
    let _ = option::set_tcp_keepidle(socket, Duration::from_secs(5));
    let _ = option::set_tcp_keepintvl(socket, Duration::from_secs(2));
    let _ = option::set_tcp_keepcnt(socket, 5);
    let _ = option::set_tcp_user_timeout(socket, ms.max(1000));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_split_as_people_write_them() {
        assert_eq!(split("db1"), Some(("db1", 5555)));
        assert_eq!(split("db1:7000"), Some(("db1", 7000)));
        assert_eq!(split("fe80::1"), Some(("fe80::1", 5555)));
        assert_eq!(split("[::1]"), Some(("::1", 5555)));
        assert_eq!(split("[::1]:80"), Some(("::1", 80)));
        for wrong in ["", ":80", "h:", "h:70000", "[::1", "[::1]x"] {
            assert_eq!(split(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn nobody_there_is_said_with_the_address() {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let error =
            control(&[free], &NetPlan::default(), None, Duration::from_secs(2)).err().expect("refused");
        assert!(error.to_string().contains(&free.to_string()), "{error}");
    }
}
