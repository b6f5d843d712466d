//! A server for real iperf3 clients. Many tests at the same time; a peer that says nothing, or the wrong thing, costs a
//! slot in one poll loop and no one else's time.

use super::stream::{DRAIN, Socket, Stream, counted};
use super::wire::{
    COOKIE_BYTES, Control, PARAMS_LIMIT_BYTES, Params, RESULTS_LIMIT_BYTES, Refusal, Results, State,
    StreamResult,
};
use crate::iperf::{Limits, Moved, Places, descriptors, guard, is_retry};
use crate::net::loaded_congestion;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::sockopt;
use std::collections::{HashMap, VecDeque};
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const COOKIE_WITHIN: Duration = Duration::from_secs(5);
const PARAMS_WITHIN: Duration = Duration::from_secs(5);
const STREAMS_WITHIN: Duration = Duration::from_secs(10);
const RESULTS_WITHIN: Duration = Duration::from_secs(10);
/// What a client may be late with its end of the test.
const END_GRACE: Duration = Duration::from_secs(40);
/// Without a time in the plan: nothing received for this long ends the test.
const IDLE_LIMIT: Duration = Duration::from_secs(120);
/// Reading JSON of the deepest nesting that its parser allows takes some hundred KiB.
const STACK_BYTES: usize = 1 << 20;
const TICK: Duration = Duration::from_millis(100);
/// Connections that have not shown their cookie; the oldest yields.
const PENDING_LIMIT: usize = 512;
/// Of the process's descriptors, what this port may use: one in this many.
const DESCRIPTORS_PART: usize = 4;
/// A stream's socket is looked at while its thread uses it.
const STREAM_DESCRIPTORS: usize = 2;
/// Connections and datagrams taken at the same time, so that a flood of one does not keep the other waiting.
const BATCH: usize = 256;
/// A pause when there are no descriptors.
const EXHAUSTED: Duration = Duration::from_millis(10);
/// iperf's codes: no data received, unknown message, server's timer.
const UNKNOWN_MESSAGE: u32 = 110;
const TIMER_EXPIRED: u32 = 160;

/// What a server allows.
#[derive(Debug, Clone)]
pub struct Iperf3Limits {
    /// Tests at the same time.
    pub tests: usize,
    /// Concurrent tests from one address; 0: no limit.
    pub tests_per_address: usize,
    /// Streams of all tests together; fewer where few descriptors may be opened.
    pub streams: usize,
    /// Longest test.
    pub duration: Duration,
    /// Rate of one test, bytes per second; 0: no limit.
    pub rate_bytes_per_s: f64,
    /// Bytes of one test; 0: no limit.
    pub bytes: u64,
}

impl Default for Iperf3Limits {
    fn default() -> Self {
        Self {
            tests: 32,
            tests_per_address: 16,
            streams: 512,
            duration: Duration::from_secs(3600),
            rate_bytes_per_s: 0.0,
            bytes: 0,
        }
    }
}

/// A bound server.
pub struct Iperf3Server {
    listener: TcpListener,
    datagrams: UdpSocket,
    pending_limit: usize,
    shared: Arc<Shared>,
    log: Log,
}

/// Called for each test and each refusal, one line each.
type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// What the poll loop and the tests share.
struct Shared {
    limits: Iperf3Limits,
    /// Tests that wait for TCP streams, by cookie.
    waiting: Mutex<HashMap<[u8; COOKIE_BYTES], SyncSender<TcpStream>>>,
    /// Tests that wait for UDP streams, first come first served for each address.
    waiting_udp: Mutex<VecDeque<Waiting>>,
    next_test: AtomicU64,
    tests: Arc<Places>,
    streams: Arc<Places>,
    stop: AtomicBool,
}

/// A stream of a test that waits for its first datagram.
struct Waiting {
    test: u64,
    address: IpAddr,
    deliver: Sender<UdpSocket>,
}

/// Takes a test's entries out once it has its streams, or has given up: nobody would take or close what came later.
struct Waits<'a> {
    shared: &'a Shared,
    cookie: [u8; COOKIE_BYTES],
    test: u64,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        lock(&self.shared.waiting).remove(&self.cookie);
        lock(&self.shared.waiting_udp).retain(|waiting| waiting.test != self.test);
    }
}

/// A thread that panicked left nothing half done in these maps.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection that has not shown its whole cookie yet.
struct Pending {
    stream: TcpStream,
    cookie: [u8; COOKIE_BYTES],
    filled: usize,
    since: Instant,
}

impl Iperf3Server {
    /// Binds TCP and UDP on one port.
    pub fn bind(address: SocketAddr, limits: Iperf3Limits) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let datagrams = reusable_udp(listener.local_addr()?)?;
        datagrams.set_nonblocking(true)?;
        // The port next to us must be able to serve while this one is flooded.
        let room = descriptors() / DESCRIPTORS_PART;
        let pending_limit = (room / 2).clamp(1, PENDING_LIMIT);
        let for_tests = room.saturating_sub(pending_limit);
        let streams = limits.streams.min(for_tests / STREAM_DESCRIPTORS).max(1);
        let tests = limits.tests.min(streams);
        let shared = Shared {
            waiting: Mutex::default(),
            waiting_udp: Mutex::default(),
            next_test: AtomicU64::new(0),
            tests: Places::new(tests, limits.tests_per_address),
            streams: Places::new(streams, 0),
            limits,
            stop: AtomicBool::new(false),
        };
        Ok(Self { listener, datagrams, pending_limit, shared: Arc::new(shared), log: Arc::new(|_| {}) })
    }

    /// Has each test and each refusal reported, one line each.
    #[must_use]
    pub fn with_log(self, log: Arc<dyn Fn(&str) + Send + Sync>) -> Self {
        Self { log, ..self }
    }

    /// Where it listens.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the flag is raised; tests that run then are told so.
    pub fn run(&self, stop: &AtomicBool) -> io::Result<()> {
        let mut pending: Vec<Pending> = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            self.wait(&pending)?;
            self.accept(&mut pending);
            self.greet_datagrams();
            pending.retain_mut(|connection| self.advance(connection));
        }
        self.shared.stop.store(true, Ordering::Relaxed);
        let deadline = Instant::now() + Duration::from_secs(5);
        while !self.shared.tests.are_free() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn wait(&self, pending: &[Pending]) -> io::Result<()> {
        let mut watched =
            vec![PollFd::new(&self.listener, PollFlags::IN), PollFd::new(&self.datagrams, PollFlags::IN)];
        watched.extend(pending.iter().map(|connection| PollFd::new(&connection.stream, PollFlags::IN)));
        let tick = rustix::time::Timespec::try_from(TICK).map_err(io::Error::other)?;
        match poll(&mut watched, Some(&tick)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn accept(&self, pending: &mut Vec<Pending>) {
        for _ in 0..BATCH {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // Gone again.
                Err(error) if is_retry(&error) || error.kind() == io::ErrorKind::ConnectionAborted => {
                    continue;
                }
                Err(_) => {
                    // Out of descriptors: the oldest gives one back. Asking again immediately would burn a CPU.
                    if !pending.is_empty() {
                        pending.remove(0);
                    }
                    std::thread::sleep(EXHAUSTED);
                    return;
                }
            };
            if stream.set_nonblocking(true).is_err() {
                continue;
            }
            if pending.len() >= self.pending_limit {
                pending.remove(0);
            }
            pending.push(Pending { stream, cookie: [0; COOKIE_BYTES], filled: 0, since: Instant::now() });
        }
    }

    /// Reads what has come of a cookie; false: this connection is no longer ours to watch.
    fn advance(&self, connection: &mut Pending) -> bool {
        match connection.stream.read(&mut connection.cookie[connection.filled..]) {
            Ok(0) => return false,
            Ok(read) => connection.filled += read,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Err(_) => return false,
        }
        if connection.filled == COOKIE_BYTES {
            if let Ok(stream) = connection.stream.try_clone() {
                self.dispatch(stream, connection.cookie);
            }
            return false;
        }
        connection.since.elapsed() < COOKIE_WITHIN
    }

    /// A known cookie is a data stream of its test, a new one begins a test.
    fn dispatch(&self, mut stream: TcpStream, cookie: [u8; COOKIE_BYTES]) {
        if let Some(test) = lock(&self.shared.waiting).get(&cookie) {
            // More than it has announced, and what comes when it has given up, is closed.
            let _ = test.try_send(stream);
            return;
        }
        let Ok(peer) = stream.peer_addr() else { return };
        let Some(place) = self.shared.tests.take(peer.ip(), 1) else {
            let _ = stream.write_all(&[State::ACCESS_DENIED.0]);
            (self.log)(&format!(
                "{} refused: the limit of iperf3 tests is reached",
                peer.ip().to_canonical()
            ));
            return;
        };
        let (shared, log) = (Arc::clone(&self.shared), Arc::clone(&self.log));
        let peer = peer.ip().to_canonical();
        let work = move || {
            let _place = place;
            // A test that fails has told its client already.
            log(&match Test::serve(&shared, stream, cookie) {
                Ok(told) => format!("{peer} {told}"),
                Err(error) => format!("{peer} iperf3 test ended early: {error}"),
            });
        };
        // Without a thread for it the connection is closed, and its place free again.
        let _ = std::thread::Builder::new().name("iperf3-test".into()).stack_size(STACK_BYTES).spawn(work);
    }

    /// A first datagram becomes a stream of the test that waits for one from that address. No one else is
    /// answered, and an answer is as short as the question.
    fn greet_datagrams(&self) {
        let mut hello = [0_u8; 64];
        for _ in 0..BATCH {
            let Ok((_, from)) = self.datagrams.recv_from(&mut hello) else { return };
            let mut waiting = lock(&self.shared.waiting_udp);
            let own = |entry: &Waiting| entry.address == from.ip();
            let Some(index) = waiting.iter().position(own) else { continue };
            let connected = self.local_addr().and_then(reusable_udp).and_then(|socket| {
                socket.connect(from)?;
                socket.send(b"6789")?;
                Ok(socket)
            });
            let Ok(mut socket) = connected else { continue };
            let mut next = Some(index);
            // A test that has just given up does not take it: the next one of that address does.
            while let Some(entry) = next.and_then(|index| waiting.remove(index)) {
                match entry.deliver.send(socket) {
                    Ok(()) => break,
                    Err(unwanted) => socket = unwanted.0,
                }
                next = waiting.iter().position(own);
            }
        }
    }
}

/// A UDP socket on a port that others of ours use too; the kernel prefers the one connected to the sender.
fn reusable_udp(address: SocketAddr) -> io::Result<UdpSocket> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with};
    let family = if address.is_ipv6() { AddressFamily::INET6 } else { AddressFamily::INET };
    let socket = socket_with(family, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    sockopt::set_socket_reuseport(&socket, true)?;
    bind(&socket, &address)?;
    Ok(UdpSocket::from(socket))
}

/// One client's test.
struct Test<'a> {
    shared: &'a Shared,
    control: Control,
    params: Params,
    stop: Arc<AtomicBool>,
    /// What the server allows; `None`: no limit.
    allowance: Option<Arc<AtomicU64>>,
}

impl<'a> Test<'a> {
    fn serve(shared: &'a Shared, stream: TcpStream, cookie: [u8; COOKIE_BYTES]) -> io::Result<String> {
        let peer = stream.peer_addr()?.ip();
        guard(&stream)?;
        let mut control = Control::new(stream)?;
        control.send_state(State::PARAM_EXCHANGE)?;
        let params = read_params(&mut control, shared)?;
        let Some(_streams) = shared.streams.take(peer, params.client_sends().len()) else {
            control.send_error(Refusal::STREAMS.0)?;
            return Ok("refused: the limit of iperf3 streams is reached".into());
        };
        let most = shared.limits.bytes;
        let allowance = (most > 0).then(|| Arc::new(AtomicU64::new(most)));
        let mut test = Self { shared, control, params, stop: Arc::default(), allowance };
        let streams = test.create_streams(cookie, peer)?;
        test.run(streams)
    }

    /// Opened one after the other; who sends follows from the order.
    fn create_streams(
        &mut self,
        cookie: [u8; COOKIE_BYTES],
        peer: IpAddr,
    ) -> io::Result<Vec<(Socket, bool)>> {
        let deadline = Instant::now() + STREAMS_WITHIN;
        let client_sends = self.params.client_sends();
        let (deliver, udp) = channel();
        let (deliver_tcp, tcp) = sync_channel(client_sends.len());
        let test = self.shared.next_test.fetch_add(1, Ordering::Relaxed);
        let _waits = Waits { shared: self.shared, cookie, test };
        lock(&self.shared.waiting).insert(cookie, deliver_tcp);
        if self.params.udp {
            let entry = |_: &bool| Waiting { test, address: peer, deliver: deliver.clone() };
            lock(&self.shared.waiting_udp).extend(client_sends.iter().map(entry));
        }
        drop(deliver);
        self.control.send_state(State::CREATE_STREAMS)?;
        let mut streams = Vec::new();
        for sends in client_sends {
            let socket = if self.params.udp {
                Socket::Udp(self.await_stream(&udp, deadline)?)
            } else {
                let stream = self.await_stream(&tcp, deadline)?;
                Socket::Tcp(self.prepared(stream)?)
            };
            streams.push((socket, !sends));
        }
        Ok(streams)
    }

    /// The next stream; a client that has left is waited for no longer.
    fn await_stream<T>(&self, streams: &Receiver<T>, deadline: Instant) -> io::Result<T> {
        loop {
            match streams.recv_timeout(TICK) {
                Ok(stream) => return Ok(stream),
                Err(RecvTimeoutError::Disconnected) => return Err(io::ErrorKind::ConnectionAborted.into()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.control.peer_left() || self.shared.stop.load(Ordering::Relaxed) {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            if Instant::now() >= deadline {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
    }

    fn prepared(&self, stream: TcpStream) -> io::Result<TcpStream> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(self.params.nodelay)?;
        guard(&stream)?;
        if let Some(bytes) = usize::try_from(self.params.window_bytes).ok().filter(|&bytes| bytes > 0) {
            sockopt::set_socket_send_buffer_size(&stream, bytes)?;
            sockopt::set_socket_recv_buffer_size(&stream, bytes)?;
        }
        if !self.params.congestion.is_empty() {
            if !loaded_congestion(&self.params.congestion) {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            sockopt::set_tcp_congestion(&stream, &self.params.congestion)?;
        }
        Ok(stream)
    }

    /// Runs the test and says in a line what it was.
    fn run(&mut self, sockets: Vec<(Socket, bool)>) -> io::Result<String> {
        let total = self.params.total_bytes();
        let budget = total.map(|total| Arc::new(AtomicU64::new(total)));
        let rate = self.stream_rate(sockets.len());
        let limits = Limits {
            stop: Arc::clone(&self.stop),
            budget,
            allowance: self.allowance.clone(),
            most_rate: rate,
            ..Limits::default()
        };
        self.control.send_state(State::TEST_START)?;
        self.control.send_state(State::TEST_RUNNING)?;
        let started = Instant::now();
        let mut streams = Vec::new();
        for (socket, sends) in sockets {
            let limits = limits.clone();
            streams.push(match socket {
                Socket::Tcp(socket) => Stream::tcp(socket, sends, &self.params, limits)?,
                Socket::Udp(socket) => Stream::udp(socket, sends, &self.params, limits)?,
            });
        }
        let ended = self.until_the_end(started, &streams, &limits);
        if let (Ok(_), Some(total)) = (&ended, total) {
            await_ordered(&streams, total);
        }
        // As iperf's own server does: what is still on its way then is no part of the test.
        self.stop.store(true, Ordering::Relaxed);
        let took = started.elapsed();
        let results = results(took, &Stream::end_all(streams), &ended?);
        self.control.send_state(State::EXCHANGE_RESULTS)?;
        self.control.read_json(RESULTS_LIMIT_BYTES, RESULTS_WITHIN)?;
        let has_retransmits = i64::from(results.streams.iter().any(|stream| stream.retransmits.is_some()));
        self.control.send_json(&results.write(has_retransmits))?;
        self.control.send_state(State::DISPLAY_RESULTS)?;
        self.control.read_state(RESULTS_WITHIN)?;
        Ok(self.account(&results, took))
    }

    fn account(&self, results: &Results, took: Duration) -> String {
        let protocol = if self.params.udp { "udp" } else { "tcp" };
        let count = results.streams.len();
        let streams = if count == 1 { "1 stream".to_owned() } else { format!("{count} streams") };
        let bytes: u64 = results.streams.iter().map(|stream| stream.bytes).sum();
        let (megabytes, seconds) = (bytes as f64 / 1e6, took.as_secs_f64());
        format!("iperf3 test {protocol}, {streams}, {megabytes:.1} MB in {seconds:.1} s")
    }

    /// A stream's share of the rate that the server allows; 0: no limit.
    fn stream_rate(&self, streams: usize) -> f64 {
        self.shared.limits.rate_bytes_per_s / streams.max(1) as f64
    }

    /// Waits for the client's word, its disappearance, or the end of its time. Returns what belongs to the warm-up.
    fn until_the_end(&mut self, started: Instant, streams: &[Stream], limits: &Limits) -> io::Result<WarmUp> {
        let planned = Duration::from_secs(self.params.time_s + self.params.omit_s);
        let longest = self.shared.limits.duration;
        let deadline =
            if self.params.time_s > 0 { (planned + END_GRACE).min(longest + END_GRACE) } else { longest };
        let omitted = Duration::from_secs(self.params.omit_s);
        let mut warmup = omitted.is_zero().then(WarmUp::default);
        let (mut seen, mut seen_at) = (0, Instant::now());
        loop {
            let left = omitted.saturating_sub(started.elapsed());
            if warmup.is_none() && left.is_zero() {
                let bytes = streams.iter().map(|stream| stream.moved.bytes.load(Ordering::Relaxed)).collect();
                warmup = Some(WarmUp { took: omitted, bytes });
            }
            let now = moved(streams);
            if now != seen {
                (seen, seen_at) = (now, Instant::now());
            }
            let tick = if warmup.is_none() { TICK.min(left) } else { TICK };
            match self.control.read_state(tick) {
                Ok(State::TEST_END) => return Ok(warmup.unwrap_or_default()),
                Ok(State::CLIENT_TERMINATE | State::DONE) => {
                    return Err(io::ErrorKind::ConnectionAborted.into());
                }
                Ok(_) => {
                    self.control.send_error(UNKNOWN_MESSAGE)?;
                    return Err(io::ErrorKind::InvalidData.into());
                }
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
                Err(error) => return Err(error),
            }
            if self.shared.stop.load(Ordering::Relaxed) {
                self.control.send_state(State::SERVER_TERMINATE)?;
                return Err(io::ErrorKind::Interrupted.into());
            }
            if started.elapsed() > deadline || seen_at.elapsed() > IDLE_LIMIT || limits.spent() {
                self.control.send_error(TIMER_EXPIRED)?;
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
    }
}

/// What `--omit` leaves out: so long, and so many bytes of each stream.
#[derive(Debug, Default)]
struct WarmUp {
    took: Duration,
    bytes: Vec<u64>,
}

/// What this side counted until the end was said, the warm-up left out.
fn results(took: Duration, ended: &[(Arc<Moved>, bool, Socket)], warmup: &WarmUp) -> Results {
    let seconds = took.saturating_sub(warmup.took).as_secs_f64();
    let cpu_ns: u64 = ended.iter().map(|(moved, ..)| moved.cpu_ns.load(Ordering::Relaxed)).sum();
    let one = |(index, stream): (usize, &_)| {
        let all = counted(index, stream, seconds);
        let omitted = warmup.bytes.get(index).copied().unwrap_or(0);
        StreamResult { bytes: all.bytes.saturating_sub(omitted), ..all }
    };
    Results {
        cpu_total_pct: cpu_ns as f64 / 1e7 / took.as_secs_f64().max(1e-9),
        streams: ended.iter().enumerate().map(one).collect(),
    }
}

/// Parameters, or a refusal in iperf's own words.
fn read_params(control: &mut Control, shared: &Shared) -> io::Result<Params> {
    let refused = |control: &mut Control, refusal: Refusal| {
        control.send_error(refusal.0)?;
        Err(io::ErrorKind::InvalidInput.into())
    };
    let Ok(value) = control.read_json(PARAMS_LIMIT_BYTES, PARAMS_WITHIN) else {
        return refused(control, Refusal::PARAMS);
    };
    match Params::read(&value) {
        Ok(params) if Duration::from_secs(params.time_s) <= shared.limits.duration => Ok(params),
        Ok(_) => refused(control, Refusal(37)),
        Err(refusal) => refused(control, refusal),
    }
}

fn moved(streams: &[Stream]) -> u64 {
    streams.iter().map(|stream| stream.moved.bytes.load(Ordering::Relaxed)).sum()
}

/// A client that was told to send so many bytes says the end when it has sent them, and the control connection overtakes
/// the data: what was ordered is waited for, or its receiver would be told of less than was delivered.
fn await_ordered(streams: &[Stream], total: u64) {
    let only_receives = streams.iter().all(|stream| !stream.sends && matches!(stream.socket, Socket::Tcp(_)));
    let deadline = Instant::now() + DRAIN;
    let all_ended = || streams.iter().all(Stream::is_finished);
    while only_receives && moved(streams) < total && !all_ended() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
}
