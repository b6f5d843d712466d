//! A test in progress: the clock, the intervals, the end, and what it comes to.

use super::Iperf2Error;
use super::plan::Test;
use super::stream::Connection;
use crate::iperf::{Limits, Slice};
use crate::net::{TcpInfo, of_sockets};
use fullwire_model::net::{CpuUse, NetInterval, NetMode, NetPath, NetPlan, NetResult, TcpSummary};
use std::net::{Shutdown, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// After the end, what is in progress may arrive for this long; for this long when the user waits.
const DRAIN: Duration = Duration::from_secs(10);
const DRAIN_INTERRUPTED: Duration = Duration::from_millis(500);
/// How often the streams are looked at: by time, and where the last byte's moment counts.
const LOOK: Duration = Duration::from_millis(10);
const LOOK_CLOSELY: Duration = Duration::from_millis(1);

/// Runs a plan against an iperf 2 server. `tick` is called at each interval with what was measured in it.
///
/// What is sent counts when the server's kernel has acknowledged it (`tcpi_bytes_acked`), not when it is
/// written: the server reports nothing back.
pub fn measure(
    plan: &NetPlan,
    stop: &AtomicBool,
    mut tick: impl FnMut(&NetInterval),
) -> Result<NetResult, Iperf2Error> {
    if plan.mode == NetMode::Udp {
        return super::datagram::measure(plan, stop, &mut tick);
    }
    let test = Test::of(plan)?;
    let mut run = Run::open(&test)?;
    run.start()?;
    run.load(stop, &mut tick)?;
    run.drain(stop);
    if run.seen == [0; 2] {
        // Nothing was measured: that is no throughput of 0.
        let interrupted = stop.load(Ordering::Relaxed);
        return Err(if interrupted {
            Iperf2Error::Interrupted
        } else {
            Iperf2Error::Deaf(run.address.to_string())
        });
    }
    Ok(run.result())
}

pub(super) struct Run<'a> {
    test: &'a Test<'a>,
    address: SocketAddr,
    connections: Vec<Connection>,
    stop_senders: Arc<AtomicBool>,
    stop_receivers: Arc<AtomicBool>,
    started: Instant,
    counted_from: Instant,
    counted_to: Instant,
    /// Main and other direction before the warm-up was over.
    warmup_bytes: [u64; 2],
    /// Main and other direction when they last moved, and when that was.
    seen: [u64; 2],
    seen_at: Instant,
    intervals: Vec<NetInterval>,
    incomplete: Option<String>,
}

impl<'a> Run<'a> {
    pub(super) fn open(test: &'a Test<'a>) -> Result<Self, Iperf2Error> {
        let (address, connections) = connect(test)?;
        let now = Instant::now();
        Ok(Self {
            test,
            address,
            connections,
            stop_senders: Arc::default(),
            stop_receivers: Arc::default(),
            started: now,
            counted_from: now,
            counted_to: now,
            warmup_bytes: [0; 2],
            seen: [0; 2],
            seen_at: now,
            intervals: Vec::new(),
            incomplete: None,
        })
    }

    /// Sets every stream going.
    pub(super) fn start(&mut self) -> Result<(), Iperf2Error> {
        let header = if self.test.receives { Some(self.test.header()?) } else { None };
        let bytes = self.test.plan.duration_bytes;
        let budget = (bytes > 0).then(|| Arc::new(AtomicU64::new(bytes)));
        let senders = Limits { stop: Arc::clone(&self.stop_senders), budget, ..Limits::default() };
        let receivers = Limits { stop: Arc::clone(&self.stop_receivers), ..Limits::default() };
        let (block, rate) = (Arc::new(self.test.block()), self.test.rate_bytes_per_s());
        self.started = Instant::now();
        (self.counted_from, self.counted_to, self.seen_at) = (self.started, self.started, self.started);
        for connection in &mut self.connections {
            if let Some(header) = &header {
                connection.ask(header).map_err(Iperf2Error::stream("asking for data"))?;
                connection.receive(receivers.clone()).map_err(Iperf2Error::stream("starting a stream"))?;
            }
            if self.test.sends {
                connection
                    .send(Arc::clone(&block), rate, senders.clone())
                    .map_err(Iperf2Error::stream("starting a stream"))?;
            }
        }
        Ok(())
    }

    /// Lets the streams run for their time or amount, and looks at them at each interval.
    pub(super) fn load(
        &mut self,
        stop: &AtomicBool,
        tick: &mut impl FnMut(&NetInterval),
    ) -> Result<(), Iperf2Error> {
        let mut slice = Slice::starting(Duration::from_nanos(self.test.plan.interval_ns.max(100_000_000)));
        let mut warm = self.test.warmup.is_zero();
        let pause = if self.test.limit.is_some() { LOOK } else { LOOK_CLOSELY };
        loop {
            let moved = self.look();
            let elapsed = self.started.elapsed();
            if !warm && elapsed >= self.test.warmup {
                warm = true;
                self.warmup_bytes = moved;
                self.counted_from = Instant::now();
            }
            if slice.is_over(elapsed) {
                let measured = slice.close(elapsed, moved[0], &self.sender_infos());
                tick(&measured);
                self.intervals.push(measured);
            }
            let over = self.test.limit.is_some_and(|limit| elapsed >= limit);
            if over || stop.load(Ordering::Relaxed) {
                break;
            }
            if self.connections.iter().all(Connection::is_finished) {
                self.note_an_early_end(elapsed);
                break;
            }
            if self.seen_at.elapsed() >= self.test.idle {
                self.note(format!("no data moved for {} s", self.test.idle.as_secs_f64()));
                break;
            }
            std::thread::sleep(pause);
        }
        self.stop_senders.store(true, Ordering::Relaxed);
        if self.test.limit.is_some() {
            self.counted_to = Instant::now();
        }
        if self.test.receives && self.received() == 0 && !stop.load(Ordering::Relaxed) {
            self.stop_receivers.store(true, Ordering::Relaxed);
            return Err(Iperf2Error::Silent(self.address.to_string()));
        }
        Ok(())
    }

    /// Waits until all that was sent has arrived and the server has ended its own sending.
    pub(super) fn drain(&mut self, stop: &AtomicBool) {
        let since = Instant::now();
        loop {
            self.look();
            if self.connections.iter().all(Connection::is_settled) {
                break;
            }
            let interrupted = stop.load(Ordering::Relaxed);
            if interrupted {
                self.stop_receivers.store(true, Ordering::Relaxed);
            }
            let patience = if interrupted { DRAIN_INTERRUPTED } else { DRAIN.min(self.test.idle) };
            if since.elapsed() >= patience {
                self.note(
                    "the connections did not end in time; data in flight at that point is not counted".into(),
                );
                break;
            }
            std::thread::sleep(LOOK_CLOSELY);
        }
        self.stop_receivers.store(true, Ordering::Relaxed);
        self.counted_to = self.counted_to.max(self.seen_at);
        let asked = self.test.plan.duration_bytes;
        if self.test.limit.is_none() && self.seen[0] < asked && !stop.load(Ordering::Relaxed) {
            self.note(format!("{} of {asked} bytes arrived", self.seen[0]));
        }
    }

    /// Main and other direction now.
    fn look(&mut self) -> [u64; 2] {
        let arrived = self.connections.iter().map(Connection::arrived).sum();
        let received = self.received();
        let now = if self.test.plan.reverse { [received, arrived] } else { [arrived, received] };
        if now != self.seen {
            (self.seen, self.seen_at) = (now, Instant::now());
        }
        now
    }

    fn received(&self) -> u64 {
        self.connections.iter().map(Connection::received).sum()
    }

    fn sender_infos(&self) -> Vec<TcpInfo> {
        let senders = self.connections.iter().filter(|connection| connection.sender.is_some());
        senders.filter_map(|connection| TcpInfo::of(&connection.socket).ok()).collect()
    }

    /// A server's clock may end a reverse test a little before ours does.
    fn note_an_early_end(&mut self, elapsed: Duration) {
        if self.test.limit.is_some_and(|limit| elapsed < limit.mul_f64(0.9)) && !self.spent() {
            self.note(format!("the server closed the connections after {:.1} s", elapsed.as_secs_f64()));
        }
    }

    /// A test with a time and an amount may end by its amount.
    fn spent(&self) -> bool {
        let asked = self.test.plan.duration_bytes;
        asked > 0 && self.test.sends && self.connections.iter().map(Connection::written).sum::<u64>() >= asked
    }

    /// The first reason is the one that counts.
    fn note(&mut self, why: String) {
        self.incomplete.get_or_insert(why);
    }

    /// What the test comes to.
    pub(super) fn result(mut self) -> NetResult {
        let tcp = of_sockets(self.connections.iter().map(|connection| &connection.socket));
        let local = self.connections.first().and_then(|first| first.socket.local_addr().ok());
        let mut cpu_ns = 0;
        for connection in std::mem::take(&mut self.connections) {
            // Wakes what still waits; those that have ended hear nothing of it.
            let _ = connection.socket.shutdown(Shutdown::Both);
            cpu_ns += connection.join();
        }
        self.build(tcp, local, cpu_ns as f64 / 1e9)
    }

    fn build(self, tcp: Option<TcpSummary>, local: Option<SocketAddr>, client_s: f64) -> NetResult {
        let Test { plan, sends, receives, .. } = *self.test;
        let seconds = self.counted_to.saturating_duration_since(self.counted_from).as_secs_f64().max(1e-9);
        let [bytes, other] = [0, 1].map(|way: usize| self.seen[way].saturating_sub(self.warmup_bytes[way]));
        let (sending, receiving) = if plan.reverse { (None, tcp) } else { (tcp, None) };
        NetResult {
            target: plan.target.clone(),
            mode: plan.mode,
            streams: self.test.streams,
            payload_bytes: self.test.block_bytes,
            duration_s: seconds,
            bytes,
            messages: bytes / self.test.block_bytes.max(1),
            throughput_bytes_per_s: bytes as f64 / seconds,
            reverse_throughput_bytes_per_s: (sends && receives).then(|| other as f64 / seconds),
            reverse: plan.reverse,
            intervals: self.intervals,
            tcp: sending,
            peer_tcp: receiving,
            cpu: CpuUse {
                client_s,
                client_s_per_gb: client_s / (bytes as f64 / 1e9).max(1e-9),
                ..CpuUse::default()
            },
            path: NetPath {
                local: local.map(|address| address.to_string()).unwrap_or_default(),
                remote: self.address.to_string(),
                loopback: self.address.ip().is_loopback(),
                ..NetPath::default()
            },
            incomplete: self.incomplete,
            plan: plan.clone(),
            ..NetResult::default()
        }
    }
}

/// `iperf -s` listens on one address family: the first address that answers is the server's.
fn connect(test: &Test) -> Result<(SocketAddr, Vec<Connection>), Iperf2Error> {
    let target = test.plan.target.as_str();
    let mut last = Iperf2Error::Resolve { target: target.to_owned(), reason: "it has no address".into() };
    for address in super::addresses(target)? {
        match (0..test.streams).map(|_| Connection::open(address, test.plan)).collect() {
            Ok(connections) => return Ok((address, connections)),
            Err(error) => last = error,
        }
    }
    Err(last)
}
