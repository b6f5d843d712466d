//! One client's session at the responder: facts and tests, each within its limits.

use super::budget::{Cost, Share};
use super::channel::{Channel, Heard};
use super::client::lead_in;
use super::drive::{Beat, Crew, Order};
use super::facts::{FactsAsk, PeerFacts};
use super::gate::{Gate, Pass};
use super::limits::BUSY_POLL_MOST_US;
use super::lobby::{self, Caller, Issued};
use super::plan::{self, LaneSpec, Role};
use super::remote_file::{RemoteFile, WriteDir};
use super::report::EndReport;
use super::shared::Shared;
use super::socket::connect;
use super::udp::Reception;
use super::wire::{self, REQUEST_LIMIT_BYTES, Ready, Reply, Request, TestRequest};
use super::{NetError, payload, sizes};
use crate::thread_time;
use fullwire_model::counters::Counters;
use fullwire_model::net::{NetPlan, Payload};
use fullwire_model::{Window, WindowKind};
use rustix::fd::OwnedFd;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// Between two requests of a client: it reads its own host meanwhile, which takes long on a busy one.
const NEXT_WITHIN: Duration = Duration::from_secs(60);

/// For sending an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// For all lanes of a test to connect.
const LANES_WITHIN: Duration = Duration::from_secs(15);

/// For the tokens of a datagram test to come by datagram.
const DATAGRAMS_WITHIN: Duration = Duration::from_secs(5);

/// For all files of a test to be written once: slow disks get smaller regions.
const PREPARE_WITHIN: Duration = Duration::from_secs(6);

/// How often a waiting session looks at the stop flag.
const TICK: Duration = Duration::from_millis(100);

/// The memory that all messages of one test to be written may take together.
const WRITE_BUFFERS_BYTES: u64 = 256 * 1024 * 1024;

/// How much longer than the client a responder waits when nothing moves, ns.
const PATIENCE_NS: u64 = 3_000_000_000;

/// Beyond a limited rate by this much: bursts and clocks differ.
const RATE_SLACK: f64 = 1.1;

pub(crate) struct Session {
    shared: Arc<Shared>,
    channel: Option<Channel>,
    first: Option<Vec<u8>>,
    client: Option<SocketAddr>,
}

/// Says no and hangs up.
pub(crate) fn refuse(mut caller: Caller, reason: &str) {
    use std::io::Write as _;
    if let Ok(bytes) = caller.link.frames(&Reply::Refused(reason.to_owned())) {
        // It fits the send buffer of a fresh connection; if not, the client sees the end of it.
        let _ = caller.socket.write(&bytes);
    }
}

impl Session {
    pub(crate) fn new(shared: Arc<Shared>, caller: Caller) -> Self {
        connect::keep_alive(&caller.socket, ANSWER_WITHIN);
        let client = caller.socket.peer_addr().ok();
        let channel = Channel::new(caller.socket, caller.link, REQUEST_LIMIT_BYTES).ok();
        Self { shared, channel, first: Some(caller.message), client }
    }

    /// Serves requests until the client leaves, is silent for too long, or the responder stops.
    pub(crate) fn serve(mut self) {
        let Some(mut channel) = self.channel.take() else { return };
        while let Some(request) = self.next_request(&mut channel) {
            let outcome = match request {
                Request::Facts(ask) => {
                    let facts = Reply::Facts(Box::new(self.facts(&ask)));
                    channel.send(&facts, "answering", ANSWER_WITHIN)
                }
                Request::Test(test) => {
                    let outcome = self.test(&mut channel, &test);
                    if self.shared.once && outcome.is_ok() {
                        self.shared.stop.store(true, SeqCst);
                        return;
                    }
                    outcome
                }
                Request::Sizes => self.sizes(&mut channel),
                // Of a test that has ended meanwhile.
                Request::Stop => Ok(()),
            };
            if let Err(error) = outcome {
                self.log(&error.to_string());
                return;
            }
        }
    }

    /// Answers datagrams of any size for the search of the path MTU.
    fn sizes(&self, channel: &mut Channel) -> Result<(), NetError> {
        let failed = |error| NetError::local("open a datagram socket", error);
        let Some(client) = self.client else { return Ok(()) };
        let mut token = [0; wire::TOKEN_BYTES];
        payload::random(&mut token)?;
        let socket = sizes::datagram_socket(client.ip()).map_err(failed)?;
        let udp_ports = vec![socket.local_addr().map_err(failed)?.port()];
        let ready = Ready { tokens: vec![wire::token_text(&token)], udp_ports };
        channel.send(&Reply::Ready(ready), "answering", ANSWER_WITHIN)?;
        sizes::serve(channel, &socket, &token, client.ip(), &|| self.shared.stop.load(SeqCst))
    }

    fn log(&self, what: &str) {
        let client = self.client.map_or_else(|| "a client".to_owned(), lobby::shown);
        (self.shared.log)(&format!("{client}: {what}"));
    }

    fn next_request(&mut self, channel: &mut Channel) -> Option<Request> {
        if let Some(first) = self.first.take() {
            return wire::decode(&first).ok();
        }
        let deadline = Instant::now() + NEXT_WITHIN;
        while Instant::now() < deadline && !self.shared.stop.load(SeqCst) {
            match channel.wait("waiting for a request", TICK) {
                Ok(Heard::Message(request)) => return Some(request),
                Ok(Heard::Nothing) => {}
                Ok(Heard::Closed) | Err(_) => return None,
            }
        }
        None
    }

    fn facts(&self, ask: &FactsAsk) -> PeerFacts {
        let client = || self.client.map_or_else(String::new, |client| client.ip().to_canonical().to_string());
        let ask = match ask {
            FactsAsk::Host { .. } => FactsAsk::Host { client: client() },
            FactsAsk::Counters => FactsAsk::Counters,
        };
        self.shared.facts.as_ref().map_or_else(PeerFacts::default, |source| source(&ask))
    }

    fn counters(&self, wanted: bool) -> Option<Counters> {
        if wanted { self.facts(&FactsAsk::Counters).counters } else { None }
    }

    /// A test, from its request to its report. A refusal is an answer, not an error.
    fn test(&self, channel: &mut Channel, request: &TestRequest) -> Result<(), NetError> {
        let mut gone = || {
            self.shared.stop.load(SeqCst)
                || !matches!(channel.wait::<Request>("preparing", Duration::ZERO), Ok(Heard::Nothing))
        };
        let prepared =
            plan::complete(&request.plan).and_then(|plan| Prepared::new(&self.shared, plan, &mut gone));
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(NetError::Interrupted) => {
                return Err(NetError::Lost { phase: "preparing", reason: "the client left".into() });
            }
            Err(error) => {
                let why = match error {
                    NetError::Refused(why) => why,
                    other => other.to_string(),
                };
                self.log(&format!("refused: {why}"));
                return channel.send(&Reply::Refused(why), "answering", ANSWER_WITHIN);
            }
        };
        let plan = prepared.plan.clone();
        let mut stay = match Stay::new(&self.shared, &plan) {
            Ok(stay) => stay,
            Err(why) => {
                self.log(&format!("refused: {why}"));
                return channel.send(&Reply::Refused(why), "answering", ANSWER_WITHIN);
            }
        };
        let sockets = if plan.mode.is_datagrams() {
            self.gather_datagrams(channel, &prepared)?
        } else {
            self.gather(channel, &prepared)?
        };
        let direct = prepared.files.first().map(|file| file.direct);
        let from = self.counters(request.counters);
        channel.send(&Reply::Go, "starting the test", ANSWER_WITHIN)?;
        let mut report = self.run(channel, prepared, sockets, &mut stay)?;
        drop(stay);
        report.write_direct = direct;
        report.window = from.zip(self.counters(request.counters)).map(|(from, to)| Window {
            kind: WindowKind::Net,
            subject: String::new(),
            from,
            to,
            ..Window::default()
        });
        self.log(&account(&plan, &report));
        channel.send(&Reply::Report(Box::new(report)), "sending the results", ANSWER_WITHIN)
    }

    /// Hands out the tokens and waits for all lanes to connect.
    fn gather(&self, channel: &mut Channel, prepared: &Prepared) -> Result<Vec<OwnedFd>, NetError> {
        let phase = "waiting for the connections";
        let ready = Ready {
            tokens: prepared.issued.tokens.iter().map(wire::token_text).collect(),
            udp_ports: Vec::new(),
        };
        channel.send(&Reply::Ready(ready), phase, ANSWER_WITHIN)?;
        let mut sockets: Vec<Option<TcpStream>> = prepared.lanes.iter().map(|_| None).collect();
        let deadline = Instant::now() + LANES_WITHIN;
        while sockets.iter().any(Option::is_none) {
            match prepared.issued.arrivals.recv_timeout(TICK) {
                Ok((lane, socket)) => sockets[lane] = Some(socket),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if let Heard::Closed = channel.wait::<Request>(phase, Duration::ZERO)? {
                return Err(NetError::Lost { phase, reason: "the client left".into() });
            }
            if Instant::now() > deadline || self.shared.stop.load(SeqCst) {
                return Err(NetError::Timeout { phase, seconds: LANES_WITHIN.as_secs_f64() });
            }
        }
        Ok(sockets.into_iter().flatten().map(OwnedFd::from).collect())
    }

    /// Hands out the tokens and waits until each has come by datagram.
    fn gather_datagrams(&self, channel: &mut Channel, prepared: &Prepared) -> Result<Vec<OwnedFd>, NetError> {
        let phase = "waiting for datagrams";
        let lost = || NetError::Lost { phase, reason: "the client left".into() };
        let client = self.client.ok_or_else(lost)?.ip().to_canonical();
        let local = channel.local_address().ok_or_else(lost)?;
        let mut reception =
            Reception::bind(local.ip().to_canonical(), local.port(), &prepared.issued.tokens)?;
        let ports = reception.ports();
        let ready = Ready {
            tokens: prepared.issued.tokens.iter().map(wire::token_text).collect(),
            udp_ports: ports.clone(),
        };
        channel.send(&Reply::Ready(ready), phase, ANSWER_WITHIN)?;
        let deadline = Instant::now() + DATAGRAMS_WITHIN;
        while !reception.look(client, TICK) {
            if let Heard::Closed = channel.wait::<Request>(phase, Duration::ZERO)? {
                return Err(lost());
            }
            if Instant::now() > deadline || self.shared.stop.load(SeqCst) {
                let ports = ports.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
                let why = format!("no datagram arrived at its UDP port {ports}: does a firewall drop them?");
                channel.send(&Reply::Refused(why), phase, ANSWER_WITHIN)?;
                return Err(NetError::Timeout { phase, seconds: DATAGRAMS_WITHIN.as_secs_f64() });
            }
        }
        Ok(reception.into_sockets()?.into_iter().map(OwnedFd::from).collect())
    }

    fn run(
        &self,
        channel: &mut Channel,
        prepared: Prepared,
        sockets: Vec<OwnedFd>,
        stay: &mut Stay,
    ) -> Result<EndReport, NetError> {
        let cpu_before = thread_time::cpu_ns();
        let plan = prepared.plan.clone();
        let crew = prepared.crew(self.client, sockets)?;
        let limits = &self.shared.limits;
        let tally = crew.run(&mut |beat: &Beat<'_>| {
            if self.shared.stop.load(SeqCst) {
                return Order::Cut("the responder was stopped".into());
            }
            stay.moved_bytes = beat.traffic_bytes;
            if let Some(why) = stay.over(beat.elapsed) {
                return Order::Cut(why);
            }
            if limits.bytes > 0 && beat.traffic_bytes > limits.bytes.saturating_add(limits.bytes / 10) {
                return Order::Cut(format!("more than the {} bytes allowed", limits.bytes));
            }
            let most = limits.rate_bytes_per_s * RATE_SLACK * (beat.elapsed.as_secs_f64() + 1.0);
            if limits.rate_bytes_per_s > 0.0 && beat.traffic_bytes as f64 > most {
                return Order::Cut(format!("more than the {:.0} bytes/s allowed", limits.rate_bytes_per_s));
            }
            if beat.elapsed > longest(&plan, limits.duration_ns) {
                return Order::Cut("the test took longer than planned or allowed".into());
            }
            match channel.wait::<Request>("running the test", Duration::ZERO) {
                Ok(Heard::Nothing) => Order::Continue,
                Ok(Heard::Message(_)) => Order::Cut("ended by the client".into()),
                Ok(Heard::Closed) | Err(_) => Order::Cut("the client closed the connection".into()),
            }
        });
        let report = EndReport::of(&tally, thread_time::cpu_ns().saturating_sub(cpu_before));
        stay.moved_bytes = stay.moved_bytes.max(report.in_bytes);
        Ok(report)
    }
}

/// A test's stay behind the gate; the gate is notified when it is over, however that comes.
struct Stay {
    gate: Option<(Arc<dyn Gate>, Pass)>,
    moved_bytes: u64,
}

impl Stay {
    fn new(shared: &Shared, plan: &NetPlan) -> Result<Self, String> {
        let gate = shared.gate.as_ref();
        let gate = gate.map(|gate| Ok::<_, String>((Arc::clone(gate), gate.enter(plan)?))).transpose()?;
        Ok(Self { gate, moved_bytes: 0 })
    }

    /// Why it may not stay any longer.
    fn over(&self, elapsed: Duration) -> Option<String> {
        let (gate, pass) = self.gate.as_ref()?;
        if Instant::now() >= pass.deadline {
            return Some("the time announced for the test is over".into());
        }
        if let Some(why) = gate.revoked(pass, elapsed, self.moved_bytes) {
            return Some(why);
        }
        (pass.bytes > 0 && self.moved_bytes > pass.bytes)
            .then(|| format!("the remaining {} bytes of this host's budget are used up", pass.bytes))
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        if let Some((gate, pass)) = self.gate.take() {
            gate.leave(&pass, self.moved_bytes);
        }
    }
}

/// A test in one line: what was requested, what moved, how it ended.
fn account(plan: &NetPlan, report: &EndReport) -> String {
    let mode = plan.mode.name();
    let streams = if plan.streams == 1 { "1 stream".to_owned() } else { format!("{} streams", plan.streams) };
    let moved = |bytes: u64, seconds: f64, verb: &str| {
        (bytes > 0).then(|| format!("{verb} {:.1} MB in {seconds:.1} s", bytes as f64 / 1e6))
    };
    let received = moved(report.in_bytes, report.in_s, "received");
    let sent = moved(report.asked_bytes, report.asked_s, "sent");
    let told: Vec<String> = received.into_iter().chain(sent).collect();
    let told = if told.is_empty() { String::new() } else { format!(", {}", told.join(", ")) };
    let end = report.incomplete.as_deref().or(report.failure.as_deref());
    let end = end.map(|why| format!("; ended early: {why}")).unwrap_or_default();
    format!("test {mode}, {streams}{told}{end}")
}

/// When a test is over for the responder whatever the client does.
fn longest(plan: &NetPlan, allowed_ns: u64) -> Duration {
    if plan.duration_ns == 0 {
        return Duration::from_nanos(allowed_ns);
    }
    let planned = Duration::from_nanos(plan.duration_ns.saturating_add(plan.warmup_ns));
    planned + planned / 2 + Duration::from_secs(10)
}

/// A test that may be made, with all that it needs.
struct Prepared {
    plan: NetPlan,
    lanes: Vec<LaneSpec>,
    share: Arc<Share>,
    issued: Issued,
    files: Vec<RemoteFile>,
}

impl Prepared {
    fn new(shared: &Shared, mut plan: NetPlan, gone: &mut dyn FnMut() -> bool) -> Result<Self, NetError> {
        if let Some(objection) = shared.limits.objection(&plan) {
            return Err(NetError::Refused(objection));
        }
        if matches!(plan.payload, Payload::File(_)) {
            // A path of the client's host means nothing here, and would be a way to read ours.
            plan.payload = Payload::Random;
        }
        if !plan.congestion.is_empty() && !connect::loaded_congestion(&plan.congestion) {
            let name = &plan.congestion;
            let why =
                format!("congestion control {name} is not in its net.ipv4.tcp_available_congestion_control");
            return Err(NetError::Refused(why));
        }
        plan.sockbuf_bytes = shared.sockbuf_bytes.unwrap_or(plan.sockbuf_bytes);
        plan.busy_poll_us = plan.busy_poll_us.min(BUSY_POLL_MOST_US);
        // A stall is the client's to find: it knows more, and we report to it.
        plan.timeout_ns = plan.timeout_ns.saturating_add(PATIENCE_NS);
        let lanes = plan::lanes(&plan);
        if plan.write {
            may_write(shared, &plan)?;
        }
        let share = shared.budget.take(Cost::of(&plan, &lanes)).ok_or_else(|| {
            NetError::Refused("it has reached its limit of streams: use fewer, or try later".into())
        })?;
        let files = if plan.write { files(shared, &plan, gone)? } else { Vec::new() };
        let issued = shared.tokens.issue(lanes.len())?;
        Ok(Self { plan, lanes, share: Arc::new(share), issued, files })
    }

    fn crew(self, client: Option<SocketAddr>, sockets: Vec<OwnedFd>) -> Result<Crew, NetError> {
        let plan = Arc::new(self.plan);
        let block = payload::block(&plan.payload)?;
        let mut files = self.files.into_iter();
        let mut crew = Crew::new(plan.clone(), Instant::now() + lead_in(&plan));
        for (spec, socket) in self.lanes.iter().zip(sockets) {
            if let Some(client) = client {
                connect::apply(&socket, client.ip().to_canonical(), &plan)?;
            }
            if spec.server == Role::Answerer && !plan.mode.is_datagrams() {
                // Acknowledgements are small and wait for nothing.
                rustix::net::sockopt::set_tcp_nodelay(&socket, true)
                    .map_err(|errno| NetError::local("disable Nagle's algorithm", errno))?;
            }
            let rate = plan.rate_bytes_per_s / f64::from(plan.streams);
            if spec.server == Role::Source && spec.main {
                connect::pace(&socket, rate);
            }
            crew.add(spec.server, spec.main, socket, |task| {
                task.block = Some(block.clone());
                task.share = Some(self.share.clone());
                if spec.main {
                    task.file = files.next();
                    task.bytes_limit = plan::share(plan.duration_bytes, plan.streams);
                    task.rate_bytes_per_s = rate;
                }
            });
        }
        Ok(crew)
    }
}

/// Where a plan may write, if at all.
fn may_write<'a>(shared: &'a Shared, plan: &NetPlan) -> Result<&'a WriteDir, NetError> {
    let Some(directory) = &shared.write_dir else {
        return Err(NetError::Refused("it was started without --write-dir, so it writes nothing".into()));
    };
    let memory = plan.length_bytes.saturating_mul(plan.streams.into());
    if memory > WRITE_BUFFERS_BYTES {
        return Err(NetError::Refused(format!(
            "{} streams with messages of {} bytes to write need more than {WRITE_BUFFERS_BYTES} bytes of memory",
            plan.streams, plan.length_bytes
        )));
    }
    Ok(directory)
}

/// A file for each stream that is to be written.
fn files(
    shared: &Shared,
    plan: &NetPlan,
    gone: &mut dyn FnMut() -> bool,
) -> Result<Vec<RemoteFile>, NetError> {
    let directory = may_write(shared, plan)?;
    let region_bytes = RemoteFile::region_bytes(plan.length_bytes);
    let mut rooms =
        directory.reserve(plan.streams, region_bytes, RemoteFile::least_bytes(plan.length_bytes))?;
    let within = PREPARE_WITHIN / plan.streams.max(1);
    let mut files = Vec::new();
    while let Some(room) = rooms.pop() {
        if gone() {
            return Err(NetError::Interrupted);
        }
        files.push(RemoteFile::create(directory, plan.length_bytes, room, within)?);
    }
    Ok(files)
}
