//! Packets of a given size, confirmed by the far end: how the path MTU is measured where ICMP is filtered.
//!
//! The client asks for a token over the control connection, then sends datagrams that carry it. The responder
//! answers each one from the address that the control connection came from, with as many bytes as were asked
//! for; no one else is answered, and nothing may be cut on the way (`IP_PMTUDISC_PROBE`).

use super::NetError;
use super::channel::{Channel, Heard};
use super::client::ConnectOptions;
use super::facts::FactsAsk;
use super::socket::connect;
use super::wire::{self, Ready, Reply, Request, TOKEN_BYTES, Token};
use crate::mtu::SizePeer;
use fullwire_model::host::Host;
use fullwire_model::net::NetPlan;
use rustix::net::sockopt::{self, Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery};
use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

/// Token, number, wanted length of the answer.
const HEADER_BYTES: usize = TOKEN_BYTES + 4 + 4;
/// An answer takes no longer; the search tries three times.
const ANSWER_WITHIN: Duration = Duration::from_millis(400);
/// A whole search takes seconds.
const SERVE_LIMIT: Duration = Duration::from_secs(120);
const TICK: Duration = Duration::from_millis(50);
/// Round trips that an answer may take, once one is known.
const WAIT_ROUND_TRIPS: u32 = 8;

/// The client's end: the responder as a judge of sizes.
pub struct ResponderSizes {
    // Held open: the responder answers as long as it is.
    _channel: Channel,
    socket: UdpSocket,
    token: Token,
    number: u32,
    ipv6: bool,
    slowest: Option<Duration>,
    host: Option<Host>,
    interface_mtu_bytes: Option<u64>,
}

impl ResponderSizes {
    /// Asks the responder at `HOST[:PORT]`.
    pub fn connect(target: &str, options: &ConnectOptions) -> Result<Self, NetError> {
        let addresses = connect::resolve(target)?;
        let key = options.key.as_deref();
        let (mut channel, address) = connect::control(&addresses, &NetPlan::default(), key, options.timeout)?;
        let host = peer_host(&mut channel, options)?;
        channel.send(&Request::Sizes, "requesting datagram sizes", options.timeout)?;
        let ready: Ready = match channel.receive("requesting datagram sizes", options.timeout)? {
            Reply::Ready(ready) => ready,
            Reply::Refused(why) => return Err(NetError::Refused(why)),
            _ => return Err(NetError::Protocol("a reply to another request".into())),
        };
        let (Some(token), Some(port)) = (ready.tokens.first(), ready.udp_ports.first().copied()) else {
            return Err(NetError::Protocol("no token and port for datagram sizes".into()));
        };
        let token = wire::token_from_text(token).map_err(|error| NetError::Protocol(error.to_string()))?;
        let remote = SocketAddr::new(address.ip(), port);
        let socket =
            datagram_socket(remote.ip()).map_err(|error| NetError::local("open a datagram socket", error))?;
        socket.connect(remote).map_err(|error| NetError::local(format!("send to {remote}"), error))?;
        let interface_mtu_bytes = host.as_ref().and_then(|host| interface_mtu_bytes(host, remote.ip()));
        Ok(Self {
            _channel: channel,
            socket,
            token,
            number: 0,
            ipv6: is_ipv6(remote.ip()),
            slowest: None,
            host,
            interface_mtu_bytes,
        })
    }

    /// What the responder's host says of itself.
    pub fn host(&self) -> Option<&Host> {
        self.host.as_ref()
    }

    /// One question of this many bytes, its answer of this many; true when the answer came whole.
    fn exchange(&mut self, question_bytes: usize, answer_bytes: usize) -> io::Result<bool> {
        self.number = self.number.wrapping_add(1);
        let mut datagram = vec![0; question_bytes.max(HEADER_BYTES)];
        datagram[..TOKEN_BYTES].copy_from_slice(&self.token);
        datagram[TOKEN_BYTES..TOKEN_BYTES + 4].copy_from_slice(&self.number.to_be_bytes());
        let wanted = u32::try_from(answer_bytes).unwrap_or(0);
        datagram[TOKEN_BYTES + 4..HEADER_BYTES].copy_from_slice(&wanted.to_be_bytes());
        let sent = Instant::now();
        match self.socket.send(&datagram) {
            // Longer than our own interface takes, or an earlier datagram's error.
            Err(error) if is_passing(&error) => return Ok(false),
            other => other?,
        };
        let within = self.slowest.map_or(ANSWER_WITHIN, |rtt| {
            (rtt * WAIT_ROUND_TRIPS).clamp(ANSWER_WITHIN / 4, ANSWER_WITHIN * 5)
        });
        let mut answer = vec![0; 65_536];
        while let Some(left) = within.checked_sub(sent.elapsed()).filter(|left| !left.is_zero()) {
            self.socket.set_read_timeout(Some(left))?;
            match self.socket.recv(&mut answer) {
                Ok(length) if self.is_answer(&answer[..length], answer_bytes) => {
                    let rtt = sent.elapsed();
                    self.slowest = Some(self.slowest.map_or(rtt, |slowest| slowest.max(rtt)));
                    return Ok(true);
                }
                Ok(_) => {}
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    fn is_answer(&self, answer: &[u8], answer_bytes: usize) -> bool {
        answer.len() == answer_bytes.max(HEADER_BYTES)
            && answer.starts_with(&self.token)
            && answer[TOKEN_BYTES..TOKEN_BYTES + 4] == self.number.to_be_bytes()
    }

    /// The payload of a UDP packet of this size.
    fn payload_bytes(&self, packet_bytes: u64) -> usize {
        let headers = if self.ipv6 { 48 } else { 28 };
        usize::try_from(packet_bytes.saturating_sub(headers)).unwrap_or(0).min(65_507)
    }
}

impl SizePeer for ResponderSizes {
    fn forward(&mut self, packet_bytes: u64) -> io::Result<bool> {
        let question = self.payload_bytes(packet_bytes);
        self.exchange(question, HEADER_BYTES)
    }

    fn reverse(&mut self, packet_bytes: u64) -> io::Result<bool> {
        let answer = self.payload_bytes(packet_bytes);
        self.exchange(HEADER_BYTES, answer)
    }

    fn interface_mtu_bytes(&self) -> Option<u64> {
        self.interface_mtu_bytes
    }
}

fn peer_host(channel: &mut Channel, options: &ConnectOptions) -> Result<Option<Host>, NetError> {
    if !options.facts {
        return Ok(None);
    }
    let ask = Request::Facts(FactsAsk::Host { client: String::new() });
    channel.send(&ask, "requesting the peer's host information", options.timeout)?;
    match channel
        .receive("reading the peer's host information", options.timeout.max(Duration::from_secs(15)))?
    {
        Reply::Facts(facts) => Ok(facts.host),
        _ => Ok(None),
    }
}

/// MTU of the interface that has this address.
fn interface_mtu_bytes(host: &Host, address: IpAddr) -> Option<u64> {
    let wanted = address.to_canonical();
    let has_it = |prefix: &String| {
        prefix.split('/').next().and_then(|text| text.parse::<IpAddr>().ok()) == Some(wanted)
    };
    host.nics.iter().find(|nic| nic.addresses.iter().any(has_it))?.mtu_bytes
}

/// The responder's end: answers until the client hangs up. `token` was told over the control connection.
pub(crate) fn serve(
    channel: &mut Channel,
    socket: &UdpSocket,
    token: &Token,
    client: IpAddr,
    stopped: &dyn Fn() -> bool,
) -> Result<(), NetError> {
    let failed = |error| NetError::local("receive datagrams", error);
    socket.set_read_timeout(Some(TICK)).map_err(failed)?;
    let deadline = Instant::now() + SERVE_LIMIT;
    let mut question = vec![0; 65_536];
    let mut looked = Instant::now();
    while Instant::now() < deadline && !stopped() {
        match socket.recv_from(&mut question) {
            Ok((length, from)) if from.ip().to_canonical() == client.to_canonical() => {
                if let Some(answer) = answer(&question[..length], token) {
                    // Too long for our own interface: then nothing arrives, which is the answer.
                    let _ = socket.send_to(&answer, from);
                }
            }
            Ok(_) => {}
            Err(error) if is_passing(&error) => {}
            Err(error) => return Err(failed(error)),
        }
        if looked.elapsed() >= TICK {
            looked = Instant::now();
            match channel.wait::<Request>("answering datagram sizes", Duration::ZERO)? {
                Heard::Closed | Heard::Message(_) => return Ok(()),
                Heard::Nothing => {}
            }
        }
    }
    Ok(())
}

/// The header again, padded to the length that was requested; nothing without the token.
fn answer(question: &[u8], token: &Token) -> Option<Vec<u8>> {
    let header = question.get(..HEADER_BYTES)?;
    if !header.starts_with(token) {
        return None;
    }
    let wanted = u32::from_be_bytes(*header[TOKEN_BYTES + 4..].first_chunk()?);
    let length = usize::try_from(wanted).ok()?.clamp(HEADER_BYTES, 65_507);
    let mut answer = vec![0; length];
    answer[..HEADER_BYTES].copy_from_slice(header);
    Some(answer)
}

/// A socket whose datagrams are never cut, whatever the kernel has learnt of the path.
pub(crate) fn datagram_socket(peer: IpAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(if peer.is_ipv6() { "[::]:0" } else { "0.0.0.0:0" })?;
    if peer.is_ipv6() {
        sockopt::set_ipv6_mtu_discover(&socket, Ipv6PathMtuDiscovery::PROBE)?;
    }
    // Also on an IPv6 socket: it may carry IPv4 in mapped addresses.
    sockopt::set_ip_mtu_discover(&socket, Ipv4PathMtuDiscovery::PROBE)?;
    Ok(socket)
}

/// IPv6 on the wire; a mapped address is IPv4 there.
fn is_ipv6(address: IpAddr) -> bool {
    address.to_canonical().is_ipv6()
}

/// Nothing yet, too long, or the echo of an earlier datagram's fate: the next one may do better.
fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{
        ConnectionRefused, HostUnreachable, Interrupted, NetworkUnreachable, TimedOut, WouldBlock,
    };
    matches!(
        error.kind(),
        WouldBlock | TimedOut | Interrupted | ConnectionRefused | HostUnreachable | NetworkUnreachable
    ) || error.raw_os_error() == Some(rustix::io::Errno::MSGSIZE.raw_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_is_answered_with_what_was_asked_for() {
        let token: Token = [7; TOKEN_BYTES];
        let mut question = vec![0; 600];
        question[..TOKEN_BYTES].copy_from_slice(&token);
        question[TOKEN_BYTES + 4..HEADER_BYTES].copy_from_slice(&1472_u32.to_be_bytes());
        assert_eq!(answer(&question, &token).map(|answer| answer.len()), Some(1472));
        assert_eq!(answer(&question, &[8; TOKEN_BYTES]), None);
        assert_eq!(answer(&question[..HEADER_BYTES - 1], &token), None);
        question[TOKEN_BYTES + 4..HEADER_BYTES].copy_from_slice(&u32::MAX.to_be_bytes());
        assert_eq!(answer(&question, &token).map(|answer| answer.len()), Some(65_507));
    }
}
