//! TCP sockets as `sock_diag(7)` reports them: who listens, what each connection moved and what limited it.

use super::address::ip;
use super::codec::{Message, attribute, u16_at, u32_at, u64_at};
use fullwire_model::Gap;
use fullwire_model::counters::{SocketCounters, SocketTcp};
use std::cmp::Reverse;
use std::net::SocketAddr;

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const INET_DIAG_INFO: u16 = 2;
const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
const IPPROTO_TCP: u8 = 6;

/// Connections and listeners that are kept; of the connections those that moved most.
const MAX_CONNECTIONS: usize = 64;
const MAX_LISTENERS: usize = 64;

/// States by number (`include/net/tcp_states.h`).
const STATES: [&str; 13] = [
    "unknown", "established", "syn-sent", "syn-received", "fin-wait-1", "fin-wait-2", "time-wait", "close",
    "close-wait", "last-ack", "listen", "closing", "new-syn-received",
];
const LISTEN: u8 = 10;
/// Connections that can move data: established, and half closed by the far end.
const WANTED: u32 = 1 << 1 | 1 << 8 | 1 << LISTEN;

/// The sockets of both families.
pub(in crate::network) fn sockets() -> Result<Vec<SocketCounters>, Gap> {
    let mut all = Vec::new();
    for family in [AF_INET, AF_INET6] {
        super::ask_sockets("netlink sockets", SOCK_DIAG_BY_FAMILY, &question(family), |message| {
            all.extend(decode(message));
        })?;
    }
    Ok(chosen(all))
}

/// `struct inet_diag_req_v2`: family, protocol, wanted extensions, states; any address.
fn question(family: u8) -> [u8; 56] {
    let mut body = [0; 56];
    body[..3].copy_from_slice(&[family, IPPROTO_TCP, 1 << (INET_DIAG_INFO - 1)]);
    body[4..8].copy_from_slice(&WANTED.to_ne_bytes());
    body
}

/// The listeners, and of the connections those that moved most. Within the host is no wire.
pub(in crate::network) fn chosen(all: Vec<SocketCounters>) -> Vec<SocketCounters> {
    let (mut listeners, mut connections): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|socket| socket.remote.is_empty());
    connections.retain(|socket| !is_loopback(&socket.remote));
    let moved = |socket: &SocketCounters| {
        socket.tcp.as_ref().map_or(0, |tcp| tcp.acknowledged_bytes.saturating_add(tcp.received_bytes))
    };
    connections.sort_by_key(|socket| Reverse(moved(socket)));
    connections.truncate(MAX_CONNECTIONS);
    listeners.sort_by_key(|socket| Reverse(socket.receive_queue));
    listeners.truncate(MAX_LISTENERS);
    listeners.append(&mut connections);
    listeners
}

fn is_loopback(address: &str) -> bool {
    address.parse::<SocketAddr>().is_ok_and(|address| address.ip().to_canonical().is_loopback())
}

/// `struct inet_diag_msg` and its attributes.
fn decode(message: Message) -> Option<SocketCounters> {
    if message.kind != SOCK_DIAG_BY_FAMILY {
        return None;
    }
    let body = message.body;
    let (family, state) = (*body.first()?, *body.get(1)?);
    let listens = state == LISTEN;
    Some(SocketCounters {
        local: endpoint(family, body, 4, 8)?,
        remote: if listens { String::new() } else { endpoint(family, body, 6, 24)? },
        state: STATES.get(usize::from(state)).copied().unwrap_or("unknown").to_owned(),
        receive_queue: u32_at(body, 56)?.into(),
        send_queue: u32_at(body, 60)?.into(),
        uid: u32_at(body, 64)?,
        inode: u32_at(body, 68)?.into(),
        tcp: attribute(body.get(72..)?, INET_DIAG_INFO).filter(|_| !listens).and_then(tcp_info),
    })
}

/// An address and its port, as `10.0.0.1:1521`. Ports and addresses travel in network order.
fn endpoint(family: u8, body: &[u8], port_at: usize, address_at: usize) -> Option<String> {
    let port = u16::from_be(u16_at(body, port_at)?);
    let length = if family == AF_INET { 4 } else { 16 };
    let address = ip(body.get(address_at..address_at + length)?)?.to_canonical();
    Some(SocketAddr::new(address, port).to_string())
}

/// `struct tcp_info` (`linux/tcp.h`); an older kernel's is shorter and lacks what comes last.
fn tcp_info(info: &[u8]) -> Option<SocketTcp> {
    let small = |at: usize| u32_at(info, at).map(u64::from);
    let large = |at: usize| u64_at(info, at).unwrap_or(0);
    let ns = |at: usize| small(at).unwrap_or(0) * 1_000;
    Some(SocketTcp {
        mss_bytes: small(16)?,
        rtt_ns: ns(68),
        cwnd_segments: small(80)?,
        retransmits: small(100)?,
        acknowledged_bytes: large(120),
        received_bytes: large(128),
        segments_out: small(136).unwrap_or(0),
        // All ones: no sample yet.
        rtt_min_ns: small(148).filter(|us| *us != u64::from(u32::MAX)).unwrap_or(0) * 1_000,
        delivery_bytes_per_s: large(160),
        busy_ns: large(168).saturating_mul(1_000),
        rwnd_limited_ns: large(176).saturating_mul(1_000),
        sndbuf_limited_ns: large(184).saturating_mul(1_000),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    /// All sockets of IPv4, loopback too.
    fn all() -> Vec<SocketCounters> {
        let mut all = Vec::new();
        super::super::ask_sockets("test", SOCK_DIAG_BY_FAMILY, &question(AF_INET), |message| {
            all.extend(decode(message));
        })
        .expect("sockets may be listed by anybody");
        all
    }

    #[test]
    fn a_connection_of_our_own_is_listed_with_what_it_moved() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound");
        let mut client = TcpStream::connect(address).expect("connected");
        let (mut server, _) = listener.accept().expect("accepted");
        client.write_all(&[7; 5000]).expect("sent");
        server.read_exact(&mut [0; 5000]).expect("received");
        let own = client.local_addr().expect("bound").to_string();
        let sockets = all();
        let sent = sockets.iter().find(|socket| socket.local == own).expect("listed");
        assert_eq!((sent.remote.as_str(), sent.state.as_str()), (&*address.to_string(), "established"));
        let received = sockets.iter().find(|socket| socket.remote == own).expect("listed");
        let tcp = received.tcp.as_ref().expect("told");
        assert_eq!(tcp.received_bytes, 5000);
        assert!(tcp.mss_bytes > 500 && tcp.cwnd_segments > 0, "{tcp:?}");
        let listens =
            sockets.iter().find(|socket| socket.local == address.to_string() && socket.tcp.is_none());
        let listens = listens.expect("the listener is listed");
        assert_eq!((listens.state.as_str(), listens.receive_queue), ("listen", 0));
        assert!(listens.send_queue >= 128, "the backlog: {listens:?}");
    }

    #[test]
    fn loopback_is_no_wire() {
        let far = |remote: &str| SocketCounters { remote: remote.into(), ..SocketCounters::default() };
        let kept = chosen(vec![far("127.0.0.1:5432"), far("10.0.0.2:2049"), far("[::1]:80"), far("")]);
        assert_eq!(
            kept.iter().map(|socket| socket.remote.as_str()).collect::<Vec<_>>(),
            ["", "10.0.0.2:2049"]
        );
    }

    proptest! {
        #[test]
        fn mangled_messages_never_panic(body in prop::collection::vec(any::<u8>(), 0..400)) {
            if let Some(socket) = decode(Message { kind: SOCK_DIAG_BY_FAMILY, body: &body }) {
                prop_assert!(!socket.local.is_empty() && body.len() >= 72);
            }
        }
    }
}
