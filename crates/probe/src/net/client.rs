//! The client: asks for a test, runs its end of it, and joins both ends' accounts.

use super::channel::{Channel, Heard};
use super::drive::{Beat, Crew, LEAD_IN, Order};
use super::facts::{FactsAsk, FactsSource};
use super::plan::{self, LaneSpec, Role};
use super::report::EndReport;
use super::socket::connect;
use super::wire::{self, Ready, Reply, Request, TestRequest, Token, WireError};
use super::{NetError, payload, result, udp};
use crate::thread_time;
use fullwire_model::counters::Counters;
use fullwire_model::net::{NetInterval, NetMode, NetPath, NetPlan, NetResult, UNTIL_STOPPED_NS};
use fullwire_model::{Gap, GapReason, Peer, WindowKind};
use rustix::fd::OwnedFd;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Longest wait for the responder to observe its host.
const FACTS_WITHIN: Duration = Duration::from_secs(15);

/// For the peer's account after we were told to stop.
const LAST_WORD: Duration = Duration::from_secs(3);

/// Between two datagrams that show a token, and two looks at the stop flag.
const SHOW_EVERY: Duration = Duration::from_millis(100);

/// How to reach the responder.
#[derive(Clone)]
pub struct ConnectOptions {
    /// The responder's key; `None` for one that runs with `--open`.
    pub key: Option<String>,
    /// Longest wait for a connection or for an answer.
    pub timeout: Duration,
    /// The responder host's records and counters are wanted.
    pub facts: bool,
    /// Reads this host's counters, for what only they tell: reassembly failures of a datagram test.
    pub own_facts: Option<FactsSource>,
    /// Set it to end the measurement early with what there is.
    pub stop: Option<Arc<AtomicBool>>,
    /// What this end may move at most; `None`: as much as the plan says.
    pub allowance: Option<Arc<Allowance>>,
}

/// What this host lets one test move, and what it has moved: by this end's own count, whatever the far end says.
#[derive(Debug, Default)]
pub struct Allowance {
    limit_bytes: u64,
    moved_bytes: AtomicU64,
}

impl Allowance {
    /// At most this much; 0: no limit.
    pub fn of(limit_bytes: u64) -> Arc<Self> {
        Arc::new(Self { limit_bytes, moved_bytes: AtomicU64::new(0) })
    }

    /// Bytes of all tests that were made with it.
    pub fn moved_bytes(&self) -> u64 {
        self.moved_bytes.load(Relaxed)
    }

    /// Nothing is left.
    pub fn is_used_up(&self) -> bool {
        self.limit_bytes > 0 && self.moved_bytes() >= self.limit_bytes
    }

    /// Each of this many connections may still send this much; 0: no limit.
    fn share(&self, streams: u32) -> u64 {
        if self.limit_bytes == 0 {
            return 0;
        }
        let left = self.limit_bytes.saturating_sub(self.moved_bytes());
        (left / u64::from(streams.max(1))).max(1)
    }
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self {
            key: None,
            timeout: Duration::from_secs(10),
            facts: true,
            own_facts: None,
            stop: None,
            allowance: None,
        }
    }
}

/// What a measurement left.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NetReport {
    /// The measurement. `incomplete` in it says when it ended before its time.
    pub result: NetResult,
    /// What the responder's host says of itself, with its counters around the test.
    pub peer: Option<Peer>,
    /// What could not be measured.
    pub gaps: Vec<Gap>,
}

/// How far a measurement is.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// A phase began: `connecting`, `observing the peer`, `measuring`, `collecting`.
    Phase(&'static str),
    /// Load runs.
    Running {
        /// Since it began, s.
        elapsed_s: f64,
        /// As planned, s; `None` when the end is set by bytes.
        planned_s: Option<f64>,
        /// Bytes that this end has moved.
        bytes: u64,
        /// The slice that has just ended, as far as this end sees it.
        interval: Option<NetInterval>,
    },
}

/// Measures the network to the plan's target, `HOST[:PORT]` of a responder.
pub fn measure(
    plan: &NetPlan,
    options: &ConnectOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<NetReport, NetError> {
    let plan = plan::complete(plan)?;
    progress(Progress::Phase("connecting"));
    let addresses = connect::resolve(&plan.target)?;
    let key = options.key.as_deref();
    let (channel, address) = connect::control(&addresses, &plan, key, options.timeout)?;
    let mut client = Client { plan, options, channel, address, facts_pending: false, gaps: Vec::new() };
    let peer = options.facts.then(|| {
        progress(Progress::Phase("observing the peer"));
        client.observe_peer()
    });
    let (result, window) = client.test(progress)?;
    let peer = peer.map(|host| Peer {
        target: result.target.clone(),
        loopback: result.path.loopback,
        host,
        windows: window.into_iter().collect(),
        expect_bytes_per_s: None,
        reach: None,
    });
    Ok(NetReport { result, peer, gaps: client.gaps })
}

struct Client<'a> {
    plan: NetPlan,
    options: &'a ConnectOptions,
    channel: Channel,
    address: SocketAddr,
    /// Records were requested and have not come in time.
    facts_pending: bool,
    gaps: Vec<Gap>,
}

impl Client<'_> {
    /// The peer's records; without them the measurement is still worth having.
    fn observe_peer(&mut self) -> Option<fullwire_model::host::Host> {
        let ask = Request::Facts(FactsAsk::Host { client: String::new() });
        let answer = self
            .channel
            .send(&ask, "requesting the peer's host information", self.options.timeout)
            .and_then(|()| self.hear("reading the peer's host information", FACTS_WITHIN));
        self.facts_pending = answer.is_err();
        match answer {
            Ok(Reply::Facts(facts)) if facts.host.is_some() => facts.host,
            Ok(_) => {
                self.gaps.push(Gap::new(
                    "peer's records",
                    GapReason::Absent,
                    "the responder does not share host information (facts disabled)",
                ));
                None
            }
            Err(error) => {
                self.gaps.push(Gap::new("peer's records", GapReason::Timeout, error.to_string()));
                None
            }
        }
    }

    fn test(
        &mut self,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(NetResult, Option<fullwire_model::Window>), NetError> {
        let asked = Instant::now();
        let ready = self.request_test()?;
        progress(Progress::Phase("measuring"));
        let before = self.own_counters();
        let sockets = self.open_lanes(&ready)?;
        let path = path(&sockets);
        // The one that drives has its part of the CPU too.
        let threads = sockets.len() + 1;
        let crew = self.crew(sockets)?;
        let (mut own, early) = self.run(crew, progress);
        let after = self.own_counters();
        progress(Progress::Phase("collecting"));
        let cut = own.incomplete.is_some() || own.failure.is_some();
        let peer = self.peer_report(early, cut);
        own.whole_s = asked.elapsed().as_secs_f64();
        let mut peer = peer.within(&own, threads);
        let mut window = peer.window.take();
        if let Some(window) = &mut window {
            window.kind = WindowKind::Net;
            window.subject.clone_from(&self.plan.target);
        }
        self.gaps.append(&mut peer.gaps);
        if !result::is_possible(&self.plan, &own, &peer) {
            return Err(NetError::FalseAccount(self.address.to_string()));
        }
        let gone = peer.missing;
        let mut result = result::combine(&self.plan, path, own, peer);
        if self.stopped() {
            result.broke_after_s = None;
        }
        if (gone || self.stopped())
            && result::is_nothing(&result)
            && let Some(reason) = result.incomplete.take()
        {
            // It broke off before anything was measured: that is no throughput of 0.
            let phase = "measuring";
            return Err(if self.stopped() {
                NetError::Interrupted
            } else {
                NetError::Lost { phase, reason }
            });
        }
        if let Some(udp) = &mut result.udp {
            let spans = [
                before.as_ref().zip(after.as_ref()),
                window.as_ref().map(|window| (&window.from, &window.to)),
            ];
            udp.reassembly_failures = spans
                .into_iter()
                .flatten()
                .map(|(from, to)| result::reassembly_failures(from, to))
                .fold(0, u64::saturating_add);
        }
        Ok((result, window))
    }

    /// Our own host's counters, when they are wanted.
    fn own_counters(&self) -> Option<Counters> {
        let source = self.options.own_facts.as_ref().filter(|_| self.plan.mode.is_datagrams())?;
        source(&FactsAsk::Counters).counters
    }

    fn stopped(&self) -> bool {
        self.options.stop.as_ref().is_some_and(|stop| stop.load(Relaxed))
    }

    /// Waits for an answer, and looks at the stop flag meanwhile. Records that come after they were given
    /// up are not the answer to what was requested since.
    fn hear(&mut self, phase: &'static str, within: Duration) -> Result<Reply, NetError> {
        self.hear_while(phase, within, || {})
    }

    fn hear_while(
        &mut self,
        phase: &'static str,
        within: Duration,
        meanwhile: impl Fn(),
    ) -> Result<Reply, NetError> {
        let deadline = Instant::now() + within;
        while Instant::now() < deadline {
            if self.stopped() {
                return Err(NetError::Interrupted);
            }
            meanwhile();
            match self.channel.wait(phase, SHOW_EVERY)? {
                Heard::Message(Reply::Facts(_)) if self.facts_pending => self.facts_pending = false,
                Heard::Message(reply) => return Ok(reply),
                Heard::Nothing => {}
                Heard::Closed => {
                    return Err(NetError::Lost { phase, reason: "the responder closed it".into() });
                }
            }
        }
        Err(NetError::Timeout { phase, seconds: within.as_secs_f64() })
    }

    fn request_test(&mut self) -> Result<Ready, NetError> {
        let request =
            Request::Test(Box::new(TestRequest { plan: self.plan.clone(), counters: self.options.facts }));
        self.channel.send(&request, "requesting a test", self.options.timeout)?;
        match self.hear("requesting a test", self.options.timeout.max(FACTS_WITHIN))? {
            Reply::Ready(ready) => Ok(ready),
            other => Err(unexpected(other)),
        }
    }

    /// Opens the lanes and waits for the start.
    fn open_lanes(&mut self, ready: &Ready) -> Result<Vec<(LaneSpec, OwnedFd)>, NetError> {
        let specs = plan::lanes(&self.plan);
        let malformed = |error: WireError| NetError::Protocol(error.to_string());
        let tokens: Vec<Token> = ready
            .tokens
            .iter()
            .map(|text| wire::token_from_text(text))
            .collect::<Result<_, _>>()
            .map_err(malformed)?;
        if tokens.len() != specs.len() {
            return Err(NetError::Protocol(format!(
                "{} tokens for {} connections",
                tokens.len(),
                specs.len()
            )));
        }
        let within = self.options.timeout.max(FACTS_WITHIN);
        if self.plan.mode.is_datagrams() {
            let ports = ready.udp_ports.len();
            if ports != specs.len() {
                return Err(NetError::Protocol(format!("{ports} UDP ports for {} lanes", specs.len())));
            }
            let sockets = udp::open(self.address.ip(), &ready.udp_ports, &self.plan)?;
            self.show_tokens(&sockets, &tokens, within)?;
            return Ok(specs.into_iter().zip(sockets.into_iter().map(OwnedFd::from)).collect());
        }
        let open = |(spec, token): (LaneSpec, &Token)| {
            let mut plan = self.plan.clone();
            if matches!(spec.client, Role::Pinger) {
                plan.mode = NetMode::Rtt;
            }
            Ok((spec, connect::data(self.address, &plan, token, self.options.timeout)?.into()))
        };
        let sockets = specs.into_iter().zip(&tokens).map(open).collect::<Result<_, NetError>>()?;
        match self.hear("waiting for the start", within)? {
            Reply::Go => Ok(sockets),
            other => Err(unexpected(other)),
        }
    }

    /// Shows the tokens by datagram until the responder has seen all.
    fn show_tokens(
        &mut self,
        sockets: &[UdpSocket],
        tokens: &[Token],
        within: Duration,
    ) -> Result<(), NetError> {
        match self.hear_while("waiting for the start", within, || udp::show(sockets, tokens))? {
            Reply::Go => Ok(()),
            other => Err(unexpected(other)),
        }
    }

    fn crew(&self, sockets: Vec<(LaneSpec, OwnedFd)>) -> Result<Crew, NetError> {
        let plan = &self.plan;
        let block = payload::block(&plan.payload)?;
        let allowed = self.options.allowance.as_ref().map_or(0, |allowance| allowance.share(plan.streams));
        let mut crew = Crew::new(Arc::new(plan.clone()), Instant::now() + lead_in(plan));
        for (spec, socket) in sockets {
            let rate = plan.rate_bytes_per_s / f64::from(plan.streams);
            if spec.client == Role::Source && spec.main {
                connect::pace(&socket, rate);
            }
            crew.add(spec.client, spec.main, socket, |task| {
                task.block = Some(block.clone());
                if spec.main {
                    let planned = plan::share(plan.duration_bytes, plan.streams);
                    task.bytes_limit =
                        if planned > 0 && allowed > 0 { planned.min(allowed) } else { planned.max(allowed) };
                    task.rate_bytes_per_s = rate;
                }
            });
        }
        Ok(crew)
    }

    /// Runs our end, looks after the control connection meanwhile.
    fn run(&mut self, crew: Crew, progress: &mut dyn FnMut(Progress)) -> (EndReport, Option<Box<EndReport>>) {
        let cpu_before = thread_time::cpu_ns();
        let planned_s = (!matches!(self.plan.duration_ns, 0 | UNTIL_STOPPED_NS))
            .then_some((self.plan.duration_ns.saturating_add(self.plan.warmup_ns)) as f64 / 1e9);
        let mut early = None;
        let stop = self.options.stop.clone();
        let allowance = self.options.allowance.clone().unwrap_or_default();
        let before = allowance.moved_bytes();
        let tally = crew.run(&mut |beat: &Beat<'_>| {
            allowance.moved_bytes.store(before.saturating_add(beat.traffic_bytes), Relaxed);
            progress(Progress::Running {
                elapsed_s: beat.elapsed.as_secs_f64(),
                planned_s,
                bytes: beat.bytes,
                interval: beat.sample.map(result::live),
            });
            if stop.as_ref().is_some_and(|stop| stop.load(Relaxed)) {
                return Order::Cut("interrupted".into());
            }
            if early.is_some() {
                return Order::Continue;
            }
            match self.channel.wait("measuring", Duration::ZERO) {
                Ok(Heard::Message(Reply::Report(report))) => {
                    early = Some(report);
                    Order::Continue
                }
                Ok(Heard::Nothing) => Order::Continue,
                Ok(Heard::Message(_)) => Order::Cut("the responder sent an unexpected message".into()),
                Ok(Heard::Closed) => Order::Cut("the responder closed the connection".into()),
                Err(error) => Order::Cut(error.to_string()),
            }
        });
        allowance.moved_bytes.store(before.saturating_add(tally.traffic_bytes()), Relaxed);
        (EndReport::of(&tally, thread_time::cpu_ns().saturating_sub(cpu_before)), early)
    }

    /// The responder's account. Without it our own is alone, and says so.
    fn peer_report(&mut self, early: Option<Box<EndReport>>, cut: bool) -> EndReport {
        if let Some(report) = early {
            return *report;
        }
        if cut {
            // It may be gone; then the answer is missing, which is said below.
            let _ = self.channel.send(&Request::Stop, "ending the test", Duration::from_secs(1));
        }
        let within = if self.stopped() { LAST_WORD } else { self.options.timeout.max(FACTS_WITHIN) };
        match self.channel.receive("collecting the peer's results", within) {
            Ok(Reply::Report(report)) => *report,
            Ok(other) => missing(&unexpected(other)),
            Err(error) => missing(&error),
        }
    }
}

/// How long the idle round trip is measured before load begins, the same at both ends.
pub(crate) fn lead_in(plan: &NetPlan) -> Duration {
    let beside = plan::lanes(plan).iter().any(|lane| lane.client == Role::Pinger);
    if beside { LEAD_IN } else { Duration::ZERO }
}

fn missing(error: &NetError) -> EndReport {
    EndReport {
        incomplete: Some(format!("the responder did not send its results: {error}")),
        gaps: vec![Gap::new("peer's results of the test", GapReason::Timeout, error.to_string())],
        missing: true,
        ..EndReport::default()
    }
}

fn unexpected(reply: Reply) -> NetError {
    match reply {
        Reply::Refused(reason) => NetError::Refused(reason),
        _ => NetError::Protocol("a reply to another request".into()),
    }
}

fn path(sockets: &[(LaneSpec, OwnedFd)]) -> NetPath {
    let Some((_, socket)) = sockets.first() else { return NetPath::default() };
    let local = rustix::net::getsockname(socket).ok().and_then(|address| SocketAddr::try_from(address).ok());
    let remote = rustix::net::getpeername(socket)
        .ok()
        .flatten()
        .and_then(|address| SocketAddr::try_from(address).ok());
    let (Some(local), Some(remote)) = (local, remote) else { return NetPath::default() };
    NetPath {
        local: local.to_string(),
        remote: remote.to_string(),
        loopback: local.ip() == remote.ip() || remote.ip().is_loopback(),
        ..NetPath::default()
    }
}
