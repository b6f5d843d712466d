//! What the bridges to iperf 2 and iperf3 share: bytes over TCP without any framing, and their limits.

use crate::net::TcpInfo;
use fullwire_model::net::NetInterval;
use rustix::net::{RecvFlags, recv, sockopt};
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A blocked call returns so often to look at the stop flag.
pub(crate) const TICK: Duration = Duration::from_millis(100);
/// Datagrams are sent in bursts of about this length when a rate is asked for.
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
    /// Raised: everybody stops.
    pub(crate) stop: Arc<AtomicBool>,
    /// Bytes left for all senders of this side; `None`: no limit.
    pub(crate) budget: Option<Arc<AtomicU64>>,
    /// Everybody stops then; `None`: no limit.
    pub(crate) until: Option<Instant>,
    /// A receiver gives up on a peer that is silent for so long; `None`: no limit.
    pub(crate) idle: Option<Duration>,
    /// The peer knows of a stop and ends too: a receiver takes what still comes.
    pub(crate) drains: bool,
}

impl Limits {
    /// Takes a block out of the budget; false when it is spent.
    pub(crate) fn take(&self, block: u64) -> bool {
        let Some(budget) = &self.budget else { return true };
        let taken = budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            (left > 0).then(|| left.saturating_sub(block))
        });
        taken.is_ok()
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// A thread that needs little stack.
pub(crate) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.into()).stack_size(256 << 10).spawn(work)
}

/// CPU of the calling thread.
pub(crate) fn thread_cpu_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
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
        hold_back(started, moved.bytes.load(Ordering::Relaxed), rate);
    }
    let _ = socket.shutdown(std::net::Shutdown::Write);
}

/// Sleeps until so many bytes are due at this rate.
pub(crate) fn hold_back(started: Instant, bytes: u64, rate: f64) {
    if rate <= 0.0 {
        return;
    }
    let due = started + Duration::from_secs_f64((bytes as f64 / rate).min(3600.0));
    let early = due.saturating_duration_since(Instant::now());
    if early >= PACE {
        std::thread::sleep(early.min(TICK));
    }
}

/// Counts what comes until the peer ends or a limit is reached. The socket's read timeout is `TICK`.
pub(crate) fn receive_tcp(socket: &TcpStream, limits: &Limits, moved: &Moved) {
    let mut buffer = vec![0_u8; 1 << 20];
    let mut silent = Duration::ZERO;
    loop {
        // MSG_TRUNC on TCP drops the bytes in the kernel: nobody here reads them.
        match recv(socket, buffer.as_mut_slice(), RecvFlags::TRUNC) {
            Ok((_, 0)) => return,
            Ok((_, received)) => {
                silent = Duration::ZERO;
                moved.bytes.fetch_add(received.min(buffer.len()) as u64, Ordering::Relaxed);
                if !limits.drains && limits.stopped() {
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

/// A peer that vanished without a word is noticed.
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
    let with_port =
        bare.to_socket_addrs().or_else(|_| (bare.trim_matches(['[', ']']), port).to_socket_addrs());
    let addresses: Vec<_> = with_port.map_err(|problem| problem.to_string())?.collect();
    if addresses.is_empty() { Err("it has no address".into()) } else { Ok(addresses) }
}

/// Incompressible bytes: a compressing link must not look faster than it is.
pub(crate) fn payload(length: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::new();
    let mut bytes = vec![0_u8; length];
    random.fill(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_all_senders() {
        let limits = Limits { budget: Some(Arc::new(AtomicU64::new(2500))), ..Limits::default() };
        let blocks = std::iter::repeat_with(|| limits.take(1000)).take_while(|&taken| taken).count();
        assert_eq!(blocks, 3);
    }
}
