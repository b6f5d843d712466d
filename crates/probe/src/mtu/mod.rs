//! The path MTU, measured: what passes, who confirmed it, where it falls.
//!
//! A responder at the far end counts what arrived, both ways. Without one, ICMP echo with the don't-fragment
//! bit is in (forward only); without that, only the kernel's word is left. The result says which.
//! Any TCP service at the far end tells by its segment size what its own interface takes.

mod echo;
mod frames;
mod hops;
mod jumbo;
mod search;
mod service;

pub use echo::EchoError;
pub use jumbo::weigh_jumbo;

use echo::{Answer, Echo};
use frames::{frames_per_block, stack};
use fullwire_model::latency::LatencyRecorder;
use fullwire_model::mtu::{Confirmation, MtuPlan, MtuResult, SizeProbe};
use search::{Passage, largest};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Every link must carry this much: RFC 791 (IPv4, reassembled) and RFC 8200 section 5 (IPv6).
const SMALLEST_IPV4_BYTES: u64 = 576;
const SMALLEST_IPV6_BYTES: u64 = 1280;
/// What every router forwards whole (RFC 791 section 3.2): where larger packets are lost it tells a small path from a dead one.
const LEAST_BYTES: u64 = 68;
/// A size counts as lost after this many tries: one lost datagram is no proof.
const TRIES: u32 = 3;
/// No answer takes longer than this many round trips, and never less than [`SHORTEST_WAIT`].
const WAIT_ROUND_TRIPS: u32 = 8;
const SHORTEST_WAIT: Duration = Duration::from_millis(200);

/// What this host knows of the way to the peer before anything is sent.
#[derive(Debug, Clone, Default)]
pub struct Local {
    /// The interface that the route leaves through.
    pub interface: String,
    /// Its MTU, bytes.
    pub interface_mtu_bytes: Option<u64>,
}

/// A far end that counts what arrives and sends what is asked: the responder.
pub trait SizePeer {
    /// A packet of this size, not to be cut, reached the peer.
    fn forward(&mut self, packet_bytes: u64) -> std::io::Result<bool>;
    /// A packet of this size, not to be cut, came from the peer.
    fn reverse(&mut self, packet_bytes: u64) -> std::io::Result<bool>;
    /// MTU of the peer's interface, when it told.
    fn interface_mtu_bytes(&self) -> Option<u64>;
}

/// Who helps at the far end.
pub enum Far<'a> {
    /// A responder.
    Responder(&'a mut dyn SizePeer),
    /// A TCP service that listens, of any kind: nothing but a handshake is done with it.
    Service(SocketAddr),
    /// No one.
    Nobody,
}

/// Measures the path MTU to an address. Never fails: what could not be found is `None`, and
/// [`MtuResult::confirmed_by`] says how strong the rest is.
pub fn measure(plan: &MtuPlan, address: IpAddr, local: &Local, far: Far, stop: &AtomicBool) -> MtuResult {
    let timeout = Duration::from_nanos(plan.timeout_ns).max(SHORTEST_WAIT);
    let mut path = PathProbe::new(address, timeout, stop);
    let mut result = MtuResult {
        target: plan.target.clone(),
        remote: address.to_string(),
        interface: local.interface.clone(),
        interface_mtu_bytes: local.interface_mtu_bytes,
        ..MtuResult::default()
    };
    let top = local.interface_mtu_bytes.unwrap_or(1500).min(65_535);
    match far {
        Far::Responder(peer) => by_peer(&mut path, peer, top, &mut result),
        Far::Service(address) => {
            // One that takes more than this end cannot be distinguished from one that takes the same.
            let smaller = service::interface_mtu_bytes(address, timeout).filter(|bytes| *bytes < top);
            result.peer_interface_mtu_bytes = smaller;
            by_echo(&mut path, top, &mut result);
        }
        Far::Nobody => by_echo(&mut path, top, &mut result),
    }
    result.kernel_path_mtu_bytes = kernel_path_mtu_bytes(address);
    if result.path_mtu_bytes.is_none() {
        // Of a host that does not answer the kernel reports its own interface's size: that is no measurement. A smaller size
        // came from a router.
        result.path_mtu_bytes = result.kernel_path_mtu_bytes.filter(|told| *told < top);
        result.confirmed_by =
            if result.path_mtu_bytes.is_some() { Confirmation::Kernel } else { Confirmation::None };
    }
    if plan.hops {
        result.hops = hops::trace(&mut path, top);
    }
    if let Some(path_mtu_bytes) = result.path_mtu_bytes {
        result.frames_per_block = frames_per_block(path_mtu_bytes, address.is_ipv6());
        result.goodput_fraction = Some(stack(path_mtu_bytes, address.is_ipv6()).goodput_fraction());
    }
    result.rtt_ns = (path.round_trips.count() > 0).then(|| path.round_trips.finish());
    result
}

/// The peer's word, both ways; an echo next to it tells whether ICMP reports what is too big.
fn by_peer(path: &mut PathProbe, peer: &mut dyn SizePeer, top: u64, result: &mut MtuResult) {
    result.peer_interface_mtu_bytes = peer.interface_mtu_bytes();
    let smallest = path.smallest();
    let forward = largest(smallest, top, |size| tries(path.stop, || peer.forward(size)), &[]);
    record(result, &forward.tried, false);
    // Some links take a VLAN tag's four bytes more than their MTU; the smallest MTU on the way is the path's.
    let peer_mtu = result.peer_interface_mtu_bytes.unwrap_or(top);
    result.path_mtu_bytes = forward.largest.map(|passed| passed.min(peer_mtu));
    result.confirmed_by = if forward.largest.is_some() { Confirmation::Peer } else { Confirmation::None };
    let reverse = largest(smallest, peer_mtu, |size| tries(path.stop, || peer.reverse(size)), &[]);
    record(result, &reverse.tried, true);
    result.reverse_path_mtu_bytes = reverse.largest.map(|passed| passed.min(top));
    // A peer whose own interface takes less is no hole in the path: TCP learns of it from the peer's segment size.
    if forward.largest.is_some_and(|passed| passed < top.min(peer_mtu)) {
        result.black_hole = path.told_for(top).is_none();
    }
}

/// ICMP echo replies as confirmation.
fn by_echo(path: &mut PathProbe, top: u64, result: &mut MtuResult) {
    let found = {
        let told = path.told_for(top);
        let hints: Vec<u64> = told.into_iter().collect();
        largest(path.smallest(), top, |size| path.passes(size), &hints)
    };
    // Not even the smallest: a host that does not answer, or a path smaller than any should be.
    let lost = found.largest.is_none() && found.tried.len() > 1;
    let found = if lost && path.passes(LEAST_BYTES) == Passage::Passed {
        record(result, &found.tried, false);
        largest(LEAST_BYTES, path.smallest(), |size| path.passes(size), &[])
    } else {
        found
    };
    record(result, &found.tried, false);
    if found.largest.is_some() {
        result.path_mtu_bytes = found.largest;
        result.confirmed_by = Confirmation::Echo;
        // A far end whose own interface takes less drops what is larger, and no hop is to blame.
        let ends_take = result.peer_interface_mtu_bytes.map_or(top, |peer_mtu| peer_mtu.min(top));
        result.black_hole = found.largest.is_some_and(|passed| passed < ends_take) && path.told.is_none();
    }
}

fn record(result: &mut MtuResult, tried: &[(u64, bool)], reverse: bool) {
    let probes = tried.iter().map(|&(packet_bytes, passed)| SizeProbe { packet_bytes, passed, reverse });
    result.probes.extend(probes);
}

/// Up to [`TRIES`] times: passed once is passed.
fn tries(stop: &AtomicBool, mut probe: impl FnMut() -> std::io::Result<bool>) -> Passage {
    for _ in 0..TRIES {
        if stop.load(Ordering::Relaxed) {
            return Passage::Unknown;
        }
        match probe() {
            Ok(true) => return Passage::Passed,
            Ok(false) => {}
            Err(_) => return Passage::Unknown,
        }
    }
    Passage::Lost
}

/// The way to one address, by ICMP echo.
struct PathProbe<'a> {
    echo: Option<Echo>,
    address: IpAddr,
    timeout: Duration,
    /// The smallest "too big" that a router told, bytes.
    told: Option<u64>,
    round_trips: LatencyRecorder,
    stop: &'a AtomicBool,
}

impl<'a> PathProbe<'a> {
    fn new(address: IpAddr, timeout: Duration, stop: &'a AtomicBool) -> Self {
        let echo = Echo::open(address).ok();
        Self { echo, address, timeout, told: None, round_trips: LatencyRecorder::new(), stop }
    }

    fn smallest(&self) -> u64 {
        if self.address.is_ipv6() { SMALLEST_IPV6_BYTES } else { SMALLEST_IPV4_BYTES }
    }

    /// Waits no longer than the path can need, once its round trip is known.
    fn wait(&self) -> Duration {
        if self.round_trips.count() == 0 {
            return self.timeout;
        }
        let slowest = Duration::from_nanos(self.round_trips.percentile(100.0));
        (slowest * WAIT_ROUND_TRIPS).clamp(SHORTEST_WAIT, self.timeout.max(SHORTEST_WAIT))
    }

    /// One echo of this size with this time to live.
    fn ask(&mut self, packet_bytes: u64, ttl: Option<u8>) -> Option<Answer> {
        let wait = self.wait();
        let answer = self.echo.as_mut()?.ask(packet_bytes, ttl, wait).ok()?;
        match answer {
            Answer::Reply { rtt } if ttl.is_none() => {
                self.round_trips.record(u64::try_from(rtt.as_nanos()).unwrap_or(u64::MAX));
            }
            Answer::TooBig { mtu_bytes, .. } if mtu_bytes >= 68 => {
                self.told = Some(self.told.map_or(mtu_bytes, |told| told.min(mtu_bytes)));
            }
            _ => {}
        }
        Some(answer)
    }

    fn passes(&mut self, packet_bytes: u64) -> Passage {
        for _ in 0..TRIES {
            if self.stop.load(Ordering::Relaxed) {
                return Passage::Unknown;
            }
            match self.ask(packet_bytes, None) {
                Some(Answer::Reply { .. }) => return Passage::Passed,
                Some(Answer::TooBig { .. } | Answer::TooLongHere) => return Passage::Lost,
                Some(Answer::TimeExceeded { .. } | Answer::Unreachable { .. } | Answer::Nothing) => {}
                None => return Passage::Unknown,
            }
        }
        Passage::Lost
    }

    /// What a router says of a packet of this size; `None`: nothing, and that is a black hole if it vanished.
    fn told_for(&mut self, packet_bytes: u64) -> Option<u64> {
        for _ in 0..TRIES {
            match self.ask(packet_bytes, None)? {
                Answer::TooBig { .. } => break,
                Answer::Reply { .. } => return None,
                _ => {}
            }
        }
        self.told
    }
}

/// What the kernel assumes about the path, after the probes above have taught it what ICMP reports.
fn kernel_path_mtu_bytes(address: IpAddr) -> Option<u64> {
    let local = if address.is_ipv6() { "[::]:0" } else { "0.0.0.0:0" };
    let socket = UdpSocket::bind(local).ok()?;
    // Connecting a datagram socket sends nothing; 9 is the discard port.
    socket.connect(SocketAddr::new(address, 9)).ok()?;
    let mtu_bytes = if address.is_ipv6() {
        rustix::net::sockopt::ipv6_mtu(&socket)
    } else {
        rustix::net::sockopt::ip_mtu(&socket)
    };
    mtu_bytes.ok().map(u64::from)
}
