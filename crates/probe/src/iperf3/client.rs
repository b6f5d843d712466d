//! The client's side of a test with a real iperf3 server.

use super::Iperf3Error;
use super::stream::{Socket, Stream, counted};
use super::wire::{Control, Params, RESULTS_LIMIT_BYTES, Results, State, StreamResult, new_cookie};
use crate::iperf::{COPIES, Limits, Moved, Slice, once, told_jitter_ns};
use crate::net::{self, NetError, TcpInfo, of_sockets};
use fullwire_model::net::{
    CpuUse, NetInterval, NetMode, NetPath, NetPlan, NetResult, Payload, TcpSummary, UdpSummary,
};
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A phase of the control connection, where the plan has no patience.
const PHASE: Duration = Duration::from_secs(10);
/// A server opens its listener anew for some options: a refused connection is tried again this long.
const REOPEN: Duration = Duration::from_secs(2);
/// A busy server is asked again this long.
const BUSY: Duration = Duration::from_secs(5);
/// `9876` and `6789`; servers before 3.12 answer with a number in their own byte order.
const UDP_HELLO: &[u8; 4] = b"9876";
const UDP_REPLY: &[u8; 4] = b"6789";
const UDP_REPLY_OLD: [u8; 4] = 987_654_321_u32.to_ne_bytes();
/// iperf3's own rate for UDP when none is given, bits per second.
const UDP_DEFAULT_RATE_BITS_PER_S: u64 = 1_000_000;

/// Runs a plan against an iperf3 server. `tick` is called at each interval with what was measured in it.
pub fn measure(
    plan: &NetPlan,
    stop: &AtomicBool,
    mut tick: impl FnMut(&NetInterval),
) -> Result<NetResult, Iperf3Error> {
    let params = params(plan)?;
    let address = super::addresses(plan.target.as_str())?[0];
    let mut test = open_when_free(address, plan, &params, stop)?;
    let streams = test.create_streams()?;
    test.await_state(State::TEST_START, "waiting for the start")?;
    test.await_state(State::TEST_RUNNING, "waiting for the start")?;
    test.run(&streams, stop, &mut tick)?;
    test.finish(streams)
}

/// A server that has just ended another test is busy for a moment more, or opens its listener anew.
fn open_when_free<'a>(
    address: SocketAddr,
    plan: &'a NetPlan,
    params: &'a Params,
    stop: &AtomicBool,
) -> Result<Test<'a>, Iperf3Error> {
    let started = Instant::now();
    loop {
        let patience = match Test::open(address, plan, params) {
            Err(Iperf3Error::Busy(_)) => BUSY,
            Err(Iperf3Error::Connect { source, .. }) if source.kind() == ErrorKind::ConnectionRefused => {
                REOPEN
            }
            other => return other,
        };
        if started.elapsed() >= patience || stop.load(Ordering::Relaxed) {
            return Test::open(address, plan, params);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What iperf3 can do of a plan.
fn params(plan: &NetPlan) -> Result<Params, Iperf3Error> {
    let udp = match plan.mode {
        NetMode::Async => false,
        NetMode::Udp => true,
        NetMode::Sync | NetMode::Rtt | NetMode::Interconnect => {
            return Err(Iperf3Error::Unsupported("synchronous messages; use --mode async or udp"));
        }
    };
    if plan.write {
        return Err(Iperf3Error::Unsupported("writing to disk at the peer; use `fullwire serve` there"));
    }
    let pauses = plan.delay_ns > 0 || plan.random_length || plan.zerocopy;
    if pauses || matches!(plan.payload, Payload::File(_)) {
        return Err(Iperf3Error::Unsupported(
            "pauses, random lengths, zero copy or a payload file; use `fullwire serve` there",
        ));
    }
    let whole = |ns: u64| ns.div_ceil(1_000_000_000);
    let asked = if plan.length_bytes == 0 { if udp { 1448 } else { 128 << 10 } } else { plan.length_bytes };
    let largest = if udp { 65_507 } else { 1 << 20 };
    let streams = u64::from(plan.streams.max(1));
    let rate = whole_bits(plan.rate_bytes_per_s) / streams;
    Ok(Params {
        udp,
        reverse: plan.reverse,
        bidirectional: plan.bidir,
        parallel: streams,
        time_s: whole(plan.duration_ns),
        omit_s: whole(plan.warmup_ns),
        bytes: plan.duration_bytes,
        block_bytes: asked.min(largest),
        window_bytes: plan.sockbuf_bytes,
        rate_bits_per_s: if udp && rate == 0 { UDP_DEFAULT_RATE_BITS_PER_S } else { rate },
        nodelay: true,
        counters_64bit: true,
        congestion: plan.congestion.clone(),
        ..Params::default()
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate is positive and far below 2^63"
)]
fn whole_bits(bytes_per_s: f64) -> u64 {
    (bytes_per_s.max(0.0) * 8.0) as u64
}

/// How long a phase may take.
fn patience(plan: &NetPlan) -> Duration {
    if plan.timeout_ns == 0 { PHASE } else { Duration::from_nanos(plan.timeout_ns) }
}

/// A blocking connection with the plan's options.
fn dial(
    address: SocketAddr,
    within: Duration,
    prepare: impl FnOnce(&TcpStream) -> Result<(), NetError>,
) -> std::io::Result<TcpStream> {
    let stream = net::dial(address, within, prepare).map_err(in_words)?;
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// The kernel's answer to a connection as it is; what else the socket layer says, in its words.
fn in_words(error: NetError) -> std::io::Error {
    match error {
        NetError::Connect { source, .. } => source,
        other => std::io::Error::other(other.to_string()),
    }
}

struct Test<'a> {
    control: Control,
    address: SocketAddr,
    cookie: [u8; 37],
    plan: &'a NetPlan,
    params: &'a Params,
    stop: Arc<AtomicBool>,
    started: Instant,
    /// Bytes of the main direction before the warm-up was over.
    warmup_bytes: u64,
    counted_from: Instant,
    counted_s: f64,
    /// What each stream had moved when that time was over: what arrives later was in the sender's buffers.
    at_end: Vec<u64>,
    intervals: Vec<NetInterval>,
}

impl<'a> Test<'a> {
    fn open(address: SocketAddr, plan: &'a NetPlan, params: &'a Params) -> Result<Self, Iperf3Error> {
        let connect = |source| Iperf3Error::Connect { address: address.to_string(), source };
        let stream = dial(address, patience(plan), |socket| net::leave_from(socket, address, &plan.source))
            .map_err(connect)?;
        let control = Control::new(stream).map_err(Iperf3Error::control("opening the control connection"))?;
        let cookie = new_cookie().map_err(Iperf3Error::control("creating a cookie"))?;
        let now = Instant::now();
        let mut test = Self {
            control,
            address,
            cookie,
            plan,
            params,
            stop: Arc::default(),
            started: now,
            warmup_bytes: 0,
            at_end: Vec::new(),
            counted_from: now,
            counted_s: 0.0,
            intervals: Vec::new(),
        };
        test.control.send_bytes(&cookie).map_err(Iperf3Error::control("sending the cookie"))?;
        test.await_state(State::PARAM_EXCHANGE, "waiting for its turn")?;
        test.control.send_json(&params.write()).map_err(Iperf3Error::control("sending the parameters"))?;
        test.await_state(State::CREATE_STREAMS, "agreeing on the parameters")?;
        Ok(test)
    }

    /// The next state must be this one; refusals have their own states.
    fn await_state(&mut self, wanted: State, action: &'static str) -> Result<(), Iperf3Error> {
        let state = self.control.read_state(patience(self.plan)).map_err(Iperf3Error::control(action))?;
        match state {
            state if state == wanted => Ok(()),
            State::ACCESS_DENIED => Err(Iperf3Error::Busy(self.address.to_string())),
            State::SERVER_ERROR => {
                Err(Iperf3Error::Refused(self.control.read_error_code(patience(self.plan))))
            }
            State::SERVER_TERMINATE => Err(Iperf3Error::Terminated),
            State(_) => Err(Iperf3Error::Foreign(self.address.to_string())),
        }
    }

    /// One after the other: the server tells them apart by their order alone.
    fn create_streams(&mut self) -> Result<Vec<Stream>, Iperf3Error> {
        let budget = (self.params.bytes > 0).then(|| Arc::new(AtomicU64::new(self.params.bytes)));
        let limits = Limits { stop: Arc::clone(&self.stop), budget, drains: true, ..Limits::default() };
        let mut streams = Vec::new();
        for client_sends in self.params.client_sends() {
            let opened = if self.params.udp {
                self.udp_socket()
                    .and_then(|socket| Stream::udp(socket, client_sends, self.params, limits.clone()))
            } else {
                self.tcp_socket()
                    .and_then(|socket| Stream::tcp(socket, client_sends, self.params, limits.clone()))
            };
            streams.push(opened.map_err(Iperf3Error::control("opening a data stream"))?);
        }
        Ok(streams)
    }

    fn tcp_socket(&self) -> std::io::Result<TcpStream> {
        use std::io::Write;
        let deadline = Instant::now() + REOPEN;
        let mut stream = loop {
            let prepare = |socket: &TcpStream| {
                net::leave_from(socket, self.address, &self.plan.source)?;
                net::apply(socket, self.address.ip(), self.plan)
            };
            match dial(self.address, patience(self.plan), prepare) {
                Err(error) if error.kind() == ErrorKind::ConnectionRefused && Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                other => break other?,
            }
        };
        stream.set_nodelay(self.params.nodelay)?;
        stream.write_all(&self.cookie)?;
        Ok(stream)
    }

    /// A lost hello is sent again: the protocol itself does not.
    fn udp_socket(&self) -> std::io::Result<UdpSocket> {
        let socket = UdpSocket::from(net::datagram_socket(self.address).map_err(in_words)?);
        net::leave_from(&socket, self.address, &self.plan.source).map_err(in_words)?;
        net::apply_any(&socket, self.address.ip(), self.plan).map_err(in_words)?;
        socket.connect(self.address)?;
        socket.set_read_timeout(Some(Duration::from_millis(500)))?;
        let deadline = Instant::now() + patience(self.plan);
        let mut answer = vec![0_u8; 65_536];
        while Instant::now() < deadline {
            let _ = socket.send(UDP_HELLO);
            match socket.recv(&mut answer) {
                Ok(length) if answer[..length] == UDP_REPLY[..] || answer[..length] == UDP_REPLY_OLD[..] => {
                    return Ok(socket);
                }
                // In a reverse test early data may come first; while the server opens its next port, a refusal.
                Ok(_) | Err(_) => {}
            }
        }
        Err(std::io::ErrorKind::TimedOut.into())
    }

    /// Lets the streams run for their time or amount, and looks at them at each interval.
    fn run(
        &mut self,
        streams: &[Stream],
        stop: &AtomicBool,
        tick: &mut impl FnMut(&NetInterval),
    ) -> Result<(), Iperf3Error> {
        self.started = Instant::now();
        self.counted_from = self.started;
        let warmup = Duration::from_secs(self.params.omit_s);
        let limit = (self.params.time_s > 0).then(|| warmup + Duration::from_secs(self.params.time_s));
        let interval = Duration::from_nanos(self.plan.interval_ns.max(100_000_000));
        let mut slice = Slice::starting(interval);
        let mut warm = warmup.is_zero();
        loop {
            let elapsed = self.started.elapsed();
            if !warm && elapsed >= warmup {
                warm = true;
                self.warmup_bytes = main_bytes(streams, self.params);
                self.counted_from = Instant::now();
            }
            if slice.is_over(elapsed) {
                let measured = slice.close(elapsed, main_bytes(streams, self.params), &sender_infos(streams));
                tick(&measured);
                self.intervals.push(measured);
            }
            let over = limit.is_some_and(|limit| elapsed >= limit) || stop.load(Ordering::Relaxed);
            if over || self.enough(streams) || streams.iter().all(Stream::is_finished) {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        self.counted_s = self.counted_from.elapsed().as_secs_f64();
        self.at_end = streams.iter().map(|stream| stream.moved.bytes.load(Ordering::Relaxed)).collect();
        self.stop.store(true, Ordering::Relaxed);
        self.control.send_state(State::TEST_END).map_err(Iperf3Error::control("ending the test"))
    }

    /// By bytes: the client decides, for its own sending and for what it receives.
    fn enough(&self, streams: &[Stream]) -> bool {
        self.params.bytes > 0 && main_bytes(streams, self.params) >= self.params.bytes
    }

    fn finish(mut self, streams: Vec<Stream>) -> Result<NetResult, Iperf3Error> {
        let tcp =
            of_sockets(streams.iter().filter(|stream| stream.sends).filter_map(
                |stream| match &stream.socket {
                    Socket::Tcp(socket) => Some(socket),
                    Socket::Udp(_) => None,
                },
            ));
        let local = local_address(&streams);
        let ended = Stream::end_all(streams);
        let cpu_s =
            ended.iter().map(|(moved, ..)| moved.cpu_ns.load(Ordering::Relaxed)).sum::<u64>() as f64 / 1e9;
        let ours = Results {
            cpu_total_pct: 100.0 * cpu_s / self.counted_s.max(1e-9),
            streams: self.stream_results(&ended),
        };
        self.await_state(State::EXCHANGE_RESULTS, "waiting for the end")?;
        let retransmits = i64::from(tcp.is_some());
        self.control
            .send_json(&ours.write(retransmits))
            .map_err(Iperf3Error::control("sending the results"))?;
        let theirs = self
            .control
            .read_json(RESULTS_LIMIT_BYTES, patience(self.plan))
            .map_err(Iperf3Error::control("reading the results"))?;
        let Some(theirs) = Results::read(&theirs).filter(|theirs| theirs.streams.len() >= ended.len()) else {
            return Err(Iperf3Error::NoAccount(self.address.to_string()));
        };
        self.await_state(State::DISPLAY_RESULTS, "waiting for the end")?;
        // After this, whatever the server says means nothing.
        let _ = self.control.send_state(State::DONE);
        let copies = if self.params.udp { COPIES } else { 1 };
        if !is_possible(&ours, &theirs, &self.params.client_sends(), copies) {
            return Err(Iperf3Error::FalseAccount(self.address.to_string()));
        }
        Ok(self.result(&ours, &theirs, tcp, &local, cpu_s))
    }

    fn stream_results(&self, ended: &[(Arc<Moved>, bool, Socket)]) -> Vec<StreamResult> {
        let end_s = self.started.elapsed().as_secs_f64();
        ended.iter().enumerate().map(|(index, one)| counted(index, one, end_s)).collect()
    }

    fn result(
        &self,
        ours: &Results,
        theirs: &Results,
        tcp: Option<TcpSummary>,
        local: &str,
        cpu_s: f64,
    ) -> NetResult {
        let plan = self.plan;
        let sends = self.params.client_sends();
        let received = |main: bool| -> u64 {
            // Anyone who receives counts.
            let of = |index: usize| {
                if sends[index] {
                    let sent = ours.streams.get(index).map_or(0, |stream| stream.bytes);
                    let told = theirs.streams.get(index).map(|stream| stream.bytes);
                    return told.map(|told| if self.params.udp { told.min(sent) } else { told });
                }
                let at_end = self.at_end.get(index).copied().unwrap_or(u64::MAX);
                ours.streams.get(index).map(|stream| stream.bytes.min(at_end))
            };
            let is_main = |index: &usize| (sends[*index] != self.params.reverse) == main;
            (0..sends.len()).filter(is_main).filter_map(of).fold(0, u64::saturating_add)
        };
        let bytes = received(true).saturating_sub(self.warmup_bytes);
        let per_s = |bytes: u64| bytes as f64 / self.counted_s.max(1e-9);
        let gigabytes = (bytes as f64 / 1e9).max(1e-9);
        // No more than its threads have: one for each stream, and one that drives.
        let threads = (sends.len() + 1) as f64;
        let server_s = (theirs.cpu_total_pct / 100.0).clamp(0.0, threads) * self.counted_s;
        NetResult {
            target: plan.target.clone(),
            mode: plan.mode,
            streams: plan.streams.max(1),
            payload_bytes: self.params.block_bytes,
            duration_s: self.counted_s,
            bytes,
            messages: bytes / self.params.block_bytes.max(1),
            throughput_bytes_per_s: per_s(bytes),
            reverse_throughput_bytes_per_s: self.params.bidirectional.then(|| per_s(received(false))),
            reverse: self.params.reverse,
            intervals: self.intervals.clone(),
            tcp: tcp.filter(|_| !self.params.reverse),
            udp: self.params.udp.then(|| datagrams(ours, theirs, &sends, !self.params.reverse)),
            reverse_udp: (self.params.udp && self.params.bidirectional)
                .then(|| datagrams(ours, theirs, &sends, false)),
            cpu: CpuUse {
                client_s: cpu_s,
                server_s,
                client_s_per_gb: cpu_s / gigabytes,
                server_s_per_gb: server_s / gigabytes,
                ..CpuUse::default()
            },
            path: NetPath {
                local: local.to_owned(),
                remote: self.address.to_string(),
                loopback: self.address.ip().is_loopback(),
                ..NetPath::default()
            },
            plan: plan.clone(),
            ..NetResult::default()
        }
    }
}

/// Bytes of the direction that was requested, as this side counts them.
fn main_bytes(streams: &[Stream], params: &Params) -> u64 {
    let main = streams.iter().filter(|stream| stream.sends != params.reverse);
    main.map(|stream| stream.moved.bytes.load(Ordering::Relaxed)).sum()
}

fn sender_infos(streams: &[Stream]) -> Vec<TcpInfo> {
    streams.iter().filter(|stream| stream.sends).filter_map(tcp_info).collect()
}

fn tcp_info(stream: &Stream) -> Option<TcpInfo> {
    match &stream.socket {
        Socket::Tcp(socket) => TcpInfo::of(socket).ok(),
        Socket::Udp(_) => None,
    }
}

fn local_address(streams: &[Stream]) -> String {
    let address = streams.first().and_then(|stream| match &stream.socket {
        Socket::Tcp(socket) => socket.local_addr().ok(),
        Socket::Udp(socket) => socket.local_addr().ok(),
    });
    address.map(|address| address.to_string()).unwrap_or_default()
}

/// Of what this side sent no more came than its copies: whoever answers is believed no more than that.
fn is_possible(ours: &Results, theirs: &Results, sends: &[bool], copies: u64) -> bool {
    let sum = |results: &Results, of: fn(&StreamResult) -> u64| {
        let sent = results.streams.iter().zip(sends).filter(|(_, sends)| **sends);
        sent.map(|(stream, _)| of(stream)).fold(0, u64::saturating_add)
    };
    sum(theirs, |stream| stream.bytes) <= sum(ours, |stream| stream.bytes).saturating_mul(copies)
}

/// The datagrams of one direction, as the receiver counted them.
fn datagrams(ours: &Results, theirs: &Results, sends: &[bool], out: bool) -> UdpSummary {
    let mut sum = UdpSummary::default();
    for (index, &client_sends) in sends.iter().enumerate().filter(|(_, sends)| **sends == out) {
        let (sender, receiver) = if client_sends { (ours, theirs) } else { (theirs, ours) };
        let packets = sender.streams.get(index).map_or(0, |stream| stream.packets);
        sum.sent = sum.sent.saturating_add(packets);
        if let Some(stream) = receiver.streams.get(index) {
            let sent_bytes = sender.streams.get(index).map_or(0, |stream| stream.bytes);
            let datagram_bytes = sent_bytes.checked_div(packets).unwrap_or(0).max(1);
            let (bytes, again) = once(sent_bytes, stream.bytes, datagram_bytes);
            if packets > 0 {
                sum.duplicated = sum.duplicated.saturating_add(again);
            }
            // A server takes a second copy of the greeting for a datagram: what stands in its place is no number and no time.
            if stream.errors > packets {
                sum.lost = sum.lost.saturating_add((sent_bytes - bytes) / datagram_bytes);
                continue;
            }
            sum.lost = sum.lost.saturating_add(stream.errors);
            sum.jitter_ns = sum.jitter_ns.max(told_jitter_ns(stream.jitter_s, ours.streams[index].end_s));
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_of_more_than_was_sent_is_false() {
        let stream =
            |bytes, errors, packets| StreamResult { bytes, errors, packets, ..StreamResult::default() };
        let of = |streams: &[StreamResult]| Results { cpu_total_pct: 0.0, streams: streams.to_vec() };
        let ours = of(&[stream(1_000, 0, 10), stream(1_000, 0, 10), stream(0, 0, 0)]);
        let copied =
            |theirs: &[StreamResult], copies| is_possible(&ours, &of(theirs), &[true, true, false], copies);
        let is_possible = |theirs: &[StreamResult]| copied(theirs, 1);
        // The last one it sends: that is its own.
        assert!(is_possible(&[stream(900, 1, 9), stream(1_000, 0, 10), stream(u64::MAX, 0, u64::MAX)]));
        assert!(!is_possible(&[stream(u64::MAX, 0, 0), stream(u64::MAX, 0, 0)]));
        assert!(!is_possible(&[stream(2_000, 0, 0), stream(1, 0, 0)]));
        assert!(copied(&[stream(2_000, 0, 20), stream(2_000, 0, 20)], COPIES), "each came twice");
        assert!(!copied(&[stream(20_000, 0, 20)], COPIES));
    }

    #[test]
    fn what_came_again_is_counted_apart() {
        let of = |bytes, errors, packets| Results {
            cpu_total_pct: 0.0,
            streams: vec![StreamResult { bytes, errors, packets, ..StreamResult::default() }],
        };
        let summary = datagrams(&of(10_000, 0, 10), &of(13_000, 1, 10), &[true], true);
        assert_eq!((summary.sent, summary.lost, summary.duplicated), (10, 1, 3));
        assert_eq!(datagrams(&of(10_000, 0, 10), &of(9_000, 1, 10), &[true], true).duplicated, 0);
        let greeted_twice = datagrams(&of(10_000, 0, 10), &of(8_000, u64::MAX, 10), &[true], true);
        assert_eq!((greeted_twice.lost, greeted_twice.jitter_ns), (2, None));
    }
}
