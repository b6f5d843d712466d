//! What the bridges to iperf 2 and iperf3 share: bytes over TCP without any framing, and their limits.

use crate::net::{TcpInfo, lookup};
use fullwire_model::net::NetInterval;
use rustix::net::{RecvFlags, recv, sockopt};
use std::collections::HashMap;
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A blocked call returns this often to look at the stop flag.
pub(crate) const TICK: Duration = Duration::from_millis(100);
/// Datagrams are sent in bursts of about this length when a rate is requested.
const PACE: Duration = Duration::from_millis(1);

/// What a stream has moved so far; read by others while it runs.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    pub(crate) bytes: AtomicU64,
    /// Datagrams sent, or the highest number seen.
    pub(crate) packets: AtomicU64,
    /// Datagrams that never came.
    pub(crate) errors: AtomicU64,
    pub(crate) out_of_order: AtomicU64,
    pub(crate) jitter_ns: AtomicU64,
    /// CPU of the stream's thread, ns.
    pub(crate) cpu_ns: AtomicU64,
}

/// When a stream stops by itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Limits {
    /// Raised: everyone stops.
    pub(crate) stop: Arc<AtomicBool>,
    /// Bytes left for all senders of this side; `None`: no limit.
    pub(crate) budget: Option<Arc<AtomicU64>>,
    /// Bytes left for both directions, whatever was requested; `None`: no limit.
    pub(crate) allowance: Option<Arc<AtomicU64>>,
    /// What each stream of a server may move, bytes per second; 0: no limit.
    pub(crate) most_rate: f64,
    /// Everyone stops then; `None`: no limit.
    pub(crate) until: Option<Instant>,
    /// A receiver gives up on a peer that is silent for this long; `None`: no limit.
    pub(crate) idle: Option<Duration>,
    /// The peer knows of a stop and ends too: a receiver takes what still comes.
    pub(crate) drains: bool,
}

impl Limits {
    /// Takes a block out of the budget; false when it is spent.
    pub(crate) fn take(&self, block: u64) -> bool {
        take_of(self.allowance.as_ref(), block) && take_of(self.budget.as_ref(), block)
    }

    /// Books what came; false when no more is allowed.
    pub(crate) fn allow(&self, received: u64) -> bool {
        take_of(self.allowance.as_ref(), received) && !self.spent()
    }

    /// All that is allowed has been moved.
    pub(crate) fn spent(&self) -> bool {
        self.allowance.as_ref().is_some_and(|left| left.load(Ordering::Relaxed) == 0)
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

fn take_of(budget: Option<&Arc<AtomicU64>>, block: u64) -> bool {
    let Some(budget) = budget else { return true };
    let taken = budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
        (left > 0).then(|| left.saturating_sub(block))
    });
    taken.is_ok()
}

/// The smaller of two rates of which 0 means unlimited.
pub(crate) fn slower(one: f64, other: f64) -> f64 {
    if one <= 0.0 || (other > 0.0 && other < one) { other } else { one }
}

/// How many descriptors this process may have.
pub(crate) fn descriptors() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Places that clients take, each with an address, and their limits.
#[derive(Debug)]
pub(crate) struct Places {
    most: usize,
    most_per_address: usize,
    taken: Mutex<HashMap<IpAddr, usize>>,
}

/// Places of one client; given back when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    address: IpAddr,
    count: usize,
}

impl Places {
    /// This many in all, and of one address; 0: no limit.
    pub(crate) fn new(most: usize, most_per_address: usize) -> Arc<Self> {
        Arc::new(Self { most, most_per_address, taken: Mutex::default() })
    }

    /// This many places for a client, or none.
    pub(crate) fn take(self: &Arc<Self>, address: IpAddr, count: usize) -> Option<Place> {
        let address = crate::net::place(address);
        let mut taken = self.taken();
        let all: usize = taken.values().sum();
        let own = taken.get(&address).copied().unwrap_or(0);
        let own_fits = self.most_per_address == 0 || own + count <= self.most_per_address;
        if all + count > self.most || !own_fits {
            return None;
        }
        taken.insert(address, own + count);
        Some(Place { places: Arc::clone(self), address, count })
    }

    /// None is taken.
    pub(crate) fn are_free(&self) -> bool {
        self.taken().is_empty()
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        if let Some(own) = taken.get_mut(&self.address) {
            *own -= self.count;
            if *own == 0 {
                taken.remove(&self.address);
            }
        }
    }
}

/// A thread that needs little stack. Some of it is the log's: its first line reads the time zone, which took more than 256 KiB
/// without optimisation.
pub(crate) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.into()).stack_size(512 << 10).spawn(work)
}

/// Not an end: the call is made again.
pub(crate) fn is_retry(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

/// Sends the block again and again, and closes its direction at the end: the peer counts until it sees that.
pub(crate) fn send_tcp(mut socket: TcpStream, block: &[u8], rate: f64, limits: &Limits, moved: &Moved) {
    let started = Instant::now();
    while !limits.stopped() && limits.take(block.len() as u64) {
        let mut sent = 0;
        while sent < block.len() && !limits.stopped() {
            match socket.write(&block[sent..]) {
                Ok(0) => return,
                Ok(written) => {
                    sent += written;
                    moved.bytes.fetch_add(written as u64, Ordering::Relaxed);
                }
                Err(error) if is_retry(&error) => {}
                Err(_) => return,
            }
        }
        hold_back(started, moved.bytes.load(Ordering::Relaxed), rate, || limits.stopped());
    }
    let _ = socket.shutdown(std::net::Shutdown::Write);
}

/// Sleeps until this many bytes are due at this rate; false when stopped before.
pub(crate) fn hold_back(started: Instant, bytes: u64, rate: f64, stopped: impl Fn() -> bool) -> bool {
    if rate <= 0.0 {
        return true;
    }
    let due = started + Duration::from_secs_f64((bytes as f64 / rate).min(1e7));
    loop {
        let early = due.saturating_duration_since(Instant::now());
        if early < PACE {
            return true;
        }
        if stopped() {
            return false;
        }
        std::thread::sleep(early.min(TICK));
    }
}

/// Counts what comes until the peer ends or a limit is reached. The socket's read timeout is `TICK`.
pub(crate) fn receive_tcp(socket: &TcpStream, limits: &Limits, moved: &Moved) {
    // Small pieces of a limited rate, so that it is kept to and not only on average.
    let piece = if limits.most_rate > 0.0 { 64 << 10 } else { 1 << 20 };
    let mut buffer = vec![0_u8; piece];
    let (started, mut silent) = (Instant::now(), Duration::ZERO);
    loop {
        // MSG_TRUNC on TCP drops the bytes in the kernel: no one here reads them.
        match recv(socket, buffer.as_mut_slice(), RecvFlags::TRUNC) {
            Ok((_, 0)) => return,
            Ok((_, received)) => {
                silent = Duration::ZERO;
                let received = received.min(buffer.len()) as u64;
                let all = moved.bytes.fetch_add(received, Ordering::Relaxed) + received;
                if !limits.allow(received) || (!limits.drains && limits.stopped()) {
                    return;
                }
                if !hold_back(started, all, limits.most_rate, || limits.stopped()) {
                    return;
                }
            }
            Err(error) => {
                silent += TICK;
                let given_up = limits.idle.is_some_and(|idle| silent >= idle);
                if !is_retry(&error.into()) || limits.stopped() || given_up {
                    return;
                }
            }
        }
    }
}

/// A peer that disappeared silently is noticed.
pub(crate) fn guard(stream: impl AsFd) -> io::Result<()> {
    sockopt::set_socket_keepalive(&stream, true)?;
    sockopt::set_tcp_keepidle(&stream, Duration::from_secs(10))?;
    sockopt::set_tcp_keepintvl(&stream, Duration::from_secs(5))?;
    sockopt::set_tcp_keepcnt(&stream, 3)?;
    sockopt::set_tcp_user_timeout(&stream, 30_000)?;
    Ok(())
}

/// A slice of the run in the making.
pub(crate) struct Slice {
    length: Duration,
    end: Duration,
    bytes: u64,
    retransmits: u64,
}

impl Slice {
    /// The first of slices of this length.
    pub(crate) fn starting(length: Duration) -> Self {
        Self { length, end: length, bytes: 0, retransmits: 0 }
    }

    /// Its time is over.
    pub(crate) fn is_over(&self, elapsed: Duration) -> bool {
        elapsed >= self.end
    }

    /// Ends the slice and begins the next: the bytes since the start, and the senders' own accounts.
    pub(crate) fn close(&mut self, elapsed: Duration, bytes: u64, senders: &[TcpInfo]) -> NetInterval {
        let length = (elapsed + self.length).saturating_sub(self.end).as_secs_f64().max(1e-9);
        let retransmits: u64 = senders.iter().map(|info| u64::from(info.total_retrans)).sum();
        let some = !senders.is_empty();
        let measured = NetInterval {
            t_s: elapsed.as_secs_f64(),
            throughput_bytes_per_s: bytes.saturating_sub(self.bytes) as f64 / length,
            retransmits: some.then(|| retransmits.saturating_sub(self.retransmits)),
            rtt_ns: senders.iter().map(|info| u64::from(info.rtt_us) * 1000).max(),
            cwnd_bytes: some.then(|| senders.iter().map(TcpInfo::cwnd_bytes).sum()),
            in_flight_bytes: some.then(|| senders.iter().map(TcpInfo::in_flight_bytes).sum()),
            ..NetInterval::default()
        };
        (self.bytes, self.retransmits, self.end) = (bytes, retransmits, self.end + self.length);
        measured
    }
}

/// Addresses of `SCHEME://HOST[:PORT]`, at least one, or why there is none.
pub(crate) fn addresses(target: &str, scheme: &str, port: u16) -> Result<Vec<SocketAddr>, String> {
    let bare = target.strip_prefix(scheme).unwrap_or(target).trim_end_matches('/');
    // `HOST:PORT` and `[IPV6]:PORT`; an address of IPv6 without brackets has more than one colon.
    let (host, port) = match bare.rsplit_once(':') {
        Some((host, own)) if !host.contains(':') || host.ends_with(']') => {
            (host, own.parse().map_err(|_| format!("{own} is not a port"))?)
        }
        _ => (bare, port),
    };
    let addresses = lookup(host.trim_matches(['[', ']']), port).map_err(|problem| problem.to_string())?;
    if addresses.is_empty() { Err("it has no address".into()) } else { Ok(addresses) }
}

/// Incompressible bytes: a compressing link must not look faster than it is.
pub(crate) fn payload(length: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::new();
    let mut bytes = vec![0_u8; length];
    random.fill(&mut bytes);
    bytes
}

/// Copies of a datagram that a network may make: a bond in broadcast mode sends one by each leg.
pub(crate) const COPIES: u64 = 8;

/// Bytes that arrived once, and how many datagrams came again at least, of a receiver that counts copies as datagrams.
pub(crate) fn once(sent_bytes: u64, told_bytes: u64, datagram_bytes: u64) -> (u64, u64) {
    (told_bytes.min(sent_bytes), told_bytes.saturating_sub(sent_bytes) / datagram_bytes.max(1))
}

/// A jitter as a server tells it: a mean of differences of times within the test is no longer than it.
pub(crate) fn told_jitter_ns(jitter_s: f64, test_s: f64) -> Option<u64> {
    let within = Some(jitter_s).filter(|jitter| (0.0..=test_s).contains(jitter))?;
    Duration::try_from_secs_f64(within).ok()?.as_nanos().try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_rate_is_kept_between_blocks_that_take_longer_than_a_tick() {
        let limits = Limits { until: Some(Instant::now() + 3 * TICK), ..Limits::default() };
        let started = Instant::now();
        assert!(hold_back(started, 100, 1000.0, || limits.stopped()) && started.elapsed() >= TICK);
        assert!(!hold_back(started, 128 << 10, 1000.0, || limits.stopped()), "stopped long before it is due");
        assert!(started.elapsed() < 10 * TICK);
    }

    #[test]
    fn targets_are_read_with_and_without_a_port() {
        let read = |target: &str| addresses(target, "iperf3://", 5201).map(|found| found[0].to_string());
        for (target, expected) in [
            ("iperf3://192.0.2.1", "192.0.2.1:5201"),
            ("192.0.2.1:7", "192.0.2.1:7"),
            ("iperf3://2001:db8::1", "[2001:db8::1]:5201"),
            ("iperf3://[2001:db8::1]/", "[2001:db8::1]:5201"),
            ("[2001:db8::1]:7", "[2001:db8::1]:7"),
        ] {
            assert_eq!(read(target).as_deref(), Ok(expected), "{target}");
        }
        assert!(read("192.0.2.1:x").is_err() && read("").is_err());
    }

    #[test]
    fn places_are_limited_by_address_and_given_back() {
        let places = Places::new(5, 3);
        let [one, other] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse::<IpAddr>().unwrap());
        let held = places.take(one, 3).unwrap();
        assert!(places.take(one, 1).is_none() && places.take(other, 3).is_none());
        let second = places.take(other, 2).unwrap();
        drop(held);
        assert!(places.take(one, 3).is_some());
        drop(second);
        assert!(places.are_free());
    }

    #[test]
    fn the_slower_rate_counts_and_none_is_unlimited() {
        for (one, other, expected) in [(0.0, 5.0, 5.0), (5.0, 0.0, 5.0), (7.0, 5.0, 5.0), (0.0, 0.0, 0.0)] {
            assert!((slower(one, other) - expected).abs() < f64::EPSILON, "{one} {other}");
        }
    }

    #[test]
    fn a_budget_ends_all_senders() {
        let limits = Limits { budget: Some(Arc::new(AtomicU64::new(2500))), ..Limits::default() };
        let blocks = std::iter::repeat_with(|| limits.take(1000)).take_while(|&taken| taken).count();
        assert_eq!(blocks, 3);
    }
}
