//! A node at work: its responder's door, the tests that it drives, and what it says.

use crate::ask;
use crate::cli;
use crate::cli::KeepArgs;
use crate::output::Show;
use crate::output::progress::Progress;
use crate::peer::reached::Reached;
use crate::session::Session;
use crate::session::{disk as storage, disk_target, net as network};
use anyhow::{Context, Result};
use fullwire_mesh::conduct::Ticket;
use fullwire_mesh::limits::{Door, End, Held, HostLimits, Load};
use fullwire_mesh::message::{
    BEAT_NS, DiskOrder, HoldNs, NODE_LEASE_NS, Order, PROTOCOL, Place, Probe, Report, Served, StreamOrder,
};
use fullwire_mesh::order::ROUND_TRIPS_NS;
use fullwire_model::Run;
use fullwire_model::host::Host;
use fullwire_model::mtu::MtuPlan;
use fullwire_model::net::{NetMode, NetPlan};
use fullwire_observe::{CountersAsk, Root};
use fullwire_probe::net::{Allowance, FactsAsk, FactsSource, Gate, NetError, Pass, PeerFacts};
use jiff::{Timestamp, Zoned};
use rustix::time::{ClockId, clock_gettime};
use std::collections::HashMap;
use std::io::Write as _;
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// For a connection to a responder that was announced.
const CONNECT_WITHIN: Duration = Duration::from_secs(3);
/// Pause between two round trips: the CPUs rest, as they do between commits, ns.
const ROUND_TRIP_PAUSE_NS: u64 = 1_000_000;
/// For an answer to one probe of the path MTU, ns.
const MTU_ANSWER_NS: u64 = 300_000_000;
/// Tests that one node drives at once: in a mesh of all with all, one to each other host.
pub(crate) const RUNS_LIMIT: usize = 256;
/// Why one more is refused.
pub(crate) const NO_ROOM: &str = "as many tests run here as can";
/// What runs without us is watched this long before a stream.
const IDLE: Duration = Duration::from_millis(200);

/// A node.
pub(crate) struct Worker {
    stop: Arc<AtomicBool>,
    door: Mutex<Door>,
    /// Tests that the responder let in since it was last asked, with the gate's number.
    served: Mutex<Vec<(u64, Served)>>,
    /// What is held for those of them that still run.
    inside: Mutex<HashMap<u64, Held>>,
    host: Mutex<Host>,
    /// Tests that this node drives.
    runs: Mutex<HashMap<Ticket, Driven>>,
    /// Held by the one test of storage that runs: each leaves room free on the file system, as it finds it.
    storage: Mutex<()>,
    /// The first word has come.
    begun: AtomicBool,
    heard: Mutex<Instant>,
    said: Mutex<Instant>,
    next_id: AtomicU64,
}

/// A test that this node drives.
struct Driven {
    stop: Arc<AtomicBool>,
    until: Instant,
    /// Why this host has ended it.
    ended: Option<String>,
}

/// What a test is given by this host.
struct Given {
    stop: Arc<AtomicBool>,
    allowance: Arc<Allowance>,
}

/// Why there is no result.
struct Failure {
    why: String,
    blocked: bool,
    refused: bool,
}

impl Worker {
    /// Begins; `stop` ends all that it does.
    pub(crate) fn new(stop: &Arc<AtomicBool>) -> Arc<Self> {
        Arc::new(Self {
            stop: Arc::clone(stop),
            door: Mutex::new(Door::new(HostLimits::default())),
            served: Mutex::default(),
            inside: Mutex::default(),
            host: Mutex::default(),
            runs: Mutex::default(),
            storage: Mutex::default(),
            begun: AtomicBool::new(false),
            heard: Mutex::new(Instant::now()),
            said: Mutex::new(Instant::now()),
            next_id: AtomicU64::new(1),
        })
    }

    /// What the responder reports to clients about this host: its records as they were read in the beginning, its counters now.
    pub(crate) fn facts(self: &Arc<Self>) -> Result<FactsSource> {
        let root = Root::live().context("open this host's /proc and /sys")?;
        let worker = Arc::clone(self);
        Ok(Arc::new(move |ask: &FactsAsk| match ask {
            FactsAsk::Host { .. } => PeerFacts { host: Some(lock(&worker.host).clone()), counters: None },
            FactsAsk::Counters => {
                let counters = fullwire_observe::counters(&root, &CountersAsk::default());
                PeerFacts { host: None, counters: Some(counters) }
            }
        }))
    }

    /// Does as it is told. What takes time runs next to the caller.
    pub(crate) fn obey(worker: &Arc<Self>, order: Order) {
        *lock(&worker.heard) = Instant::now();
        match order {
            // A second one would forget what has been spent.
            Order::Begin { .. } if worker.begun.swap(true, Ordering::Relaxed) => worker.stop(),
            Order::Begin { limits, peers, storage } => worker.begin(limits, &peers, &storage),
            Order::Prepare { ticket, lease_ns } => {
                let mut door = lock(&worker.door);
                let prepared = door.prepare(ticket, boot_ns(), lease_ns.into(), minute());
                let rate_bytes_per_s = door.limits().rate_bytes_per_s;
                drop(door);
                worker.say(&match prepared {
                    Ok(()) => Report::Prepared { ticket, rate_bytes_per_s },
                    Err(why) => Report::Refused { ticket, why },
                });
            }
            Order::Measure { ticket, within_ns, probe } => Self::measure(worker, ticket, within_ns, *probe),
            Order::Cancel { ticket } => match lock(&worker.runs).get(&ticket) {
                Some(driven) => driven.stop.store(true, Ordering::Relaxed),
                None => worker.say_failed(ticket, "it does not run here"),
            },
            Order::Release { ticket } => {
                lock(&worker.door).release(ticket);
                let served = std::mem::take(&mut *lock(&worker.served));
                let served = served.into_iter().map(|(_, served)| served).collect();
                worker.say(&Report::Released { ticket, served });
            }
            Order::Alive => {}
        }
    }

    /// Ends everything.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        for driven in lock(&self.runs).values() {
            driven.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Waits until nothing is driven any more.
    pub(crate) fn wait(&self) {
        self.stop();
        while !lock(&self.runs).is_empty() {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The last word, when nothing runs any more: what all of it moved.
    pub(crate) fn account(&self) {
        let moved_bytes = lock(&self.door).moved_bytes();
        self.say(&Report::Account { moved_bytes });
    }

    /// Looks at the clock: tests that take too long or out of their part of the day, a coordinator that is gone, a word
    /// that is due.
    pub(crate) fn look(&self) {
        let now = Instant::now();
        let outside = lock(&self.door).outside(minute());
        for driven in lock(&self.runs).values_mut() {
            let late = (now >= driven.until).then(|| "its time was over".to_owned());
            if let Some(why) = outside.clone().or(late) {
                driven.ended.get_or_insert(why);
                driven.stop.store(true, Ordering::Relaxed);
            }
        }
        if lock(&self.heard).elapsed() >= Duration::from_nanos(NODE_LEASE_NS) {
            self.stop();
        }
        // Anyone who holds it is saying something, or cannot any more: then the silence from there ends us.
        let due = self.said.try_lock().is_ok_and(|said| said.elapsed() >= Duration::from_nanos(BEAT_NS));
        if due {
            self.say(&Report::Alive);
        }
    }

    fn begin(&self, limits: HostLimits, peers: &[String], storage: &[String]) {
        *lock(&self.door) = Door::new(limits);
        let peers: Vec<IpAddr> = peers.iter().filter_map(|peer| peer.parse().ok()).collect();
        let host = match Root::live() {
            Ok(root) => fullwire_observe::host(&root, &ask::of_host(peers)),
            Err(_) => Host::default(),
        };
        let storage = storage.iter().map(|target| identities(&host, target)).collect();
        lock(&self.host).clone_from(&host);
        self.say(&Report::Hello {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: PROTOCOL,
            host: Box::new(host),
            storage,
        });
    }

    fn measure(worker: &Arc<Self>, ticket: Ticket, within_ns: HoldNs, probe: Probe) {
        let held = match worker.admit(ticket, &probe) {
            Ok(held) => held,
            Err(why) => return worker.say(&Report::Refused { ticket, why }),
        };
        let given = Given { stop: Arc::new(AtomicBool::new(false)), allowance: Allowance::of(held.bytes) };
        let until = Instant::now() + Duration::from_nanos(within_ns.into());
        let driven = Driven { stop: Arc::clone(&given.stop), until, ended: None };
        lock(&worker.runs).insert(ticket, driven);
        let own = Arc::clone(worker);
        let work = move || {
            let result = own.probe(&probe, &given);
            // By our own count: what the far end says that it received is its word.
            lock(&own.door).settle(held, given.allowance.moved_bytes());
            let ended = lock(&own.runs).get_mut(&ticket).and_then(|driven| driven.ended.take());
            own.say(&match (result, ended) {
                (Ok(run), _) => Report::Done { ticket, run: Box::new(run) },
                (Err(failure), Some(why)) => {
                    Report::Failed { ticket, why, blocked: failure.blocked, refused: true }
                }
                (Err(Failure { why, blocked, refused }), None) => {
                    Report::Failed { ticket, why, blocked, refused }
                }
            });
            lock(&own.runs).remove(&ticket);
        };
        if std::thread::Builder::new().name("probe".into()).spawn(work).is_err() {
            lock(&worker.runs).remove(&ticket);
            lock(&worker.door).settle(held, 0);
            worker.say_failed(ticket, "no thread can be started");
        }
    }

    /// Whether this host takes part, and what is held for the test.
    fn admit(&self, ticket: Ticket, probe: &Probe) -> Result<Held, String> {
        let runs = lock(&self.runs);
        if runs.contains_key(&ticket) || runs.len() >= RUNS_LIMIT {
            return Err(NO_ROOM.to_owned());
        }
        drop(runs);
        let mut door = lock(&self.door);
        door.allows(minute())?;
        door.hold(End::Driver, probe.load())
    }

    fn probe(&self, probe: &Probe, given: &Given) -> Result<Run, Failure> {
        match probe {
            Probe::Light { peer } => self.light(peer, given),
            Probe::Stream { peer, stream, expect_bytes_per_s } => {
                self.stream(peer, *stream, *expect_bytes_per_s, given)
            }
            Probe::Disk { disk } => self.disk(disk, &given.stop),
        }
    }

    /// Round trips, then the path MTU. A responder that cannot be connected to is distinguished from what fails later.
    fn light(&self, peer: &Place, given: &Given) -> Result<Run, Failure> {
        let (mut session, reached, progress) = self.session("mtu", peer, given)?;
        network::introduce(&mut session, &reached.name, None);
        let plan = NetPlan {
            mode: NetMode::Rtt,
            duration_ns: ROUND_TRIPS_NS,
            interval_ns: ROUND_TRIPS_NS,
            delay_ns: ROUND_TRIP_PAUSE_NS,
            timeout_ns: 3_000_000_000,
            ..NetPlan::default()
        };
        network::measure(&mut session, &plan, &reached, &progress)?;
        let plan =
            MtuPlan { target: reached.name.clone(), timeout_ns: MTU_ANSWER_NS, hops: false, gain: false };
        if let Err(error) = network::path_mtu(&mut session, &plan, &reached, &progress, &given.stop) {
            session.no_path_mtu(
                &reached.name,
                fullwire_model::GapReason::Absent,
                format!("path MTU: {error:#}"),
            );
        }
        self.finish(session)
    }

    fn stream(
        &self,
        peer: &Place,
        stream: StreamOrder,
        expect_bytes_per_s: Option<f64>,
        given: &Given,
    ) -> Result<Run, Failure> {
        let (mut session, reached, progress) = self.session("net", peer, given)?;
        session.idle(IDLE);
        network::introduce(&mut session, &reached.name, expect_bytes_per_s);
        network::measure(&mut session, &stream.plan(), &reached, &progress)?;
        if given.allowance.is_used_up() {
            let why = "the rest of this host's budget was used up before the stream was over".to_owned();
            return Err(Failure { why, blocked: false, refused: true });
        }
        match session.run.net.first().and_then(|result| result.incomplete.clone()) {
            Some(why) => Err(Failure { why, blocked: false, refused: false }),
            None => self.finish(session),
        }
    }

    fn disk(&self, disk: &DiskOrder, stop: &Arc<AtomicBool>) -> Result<Run, Failure> {
        let _alone = lock(&self.storage);
        if stop.load(Ordering::Relaxed) {
            return Err(Failure::of("its time was over before another test of storage was".to_owned()));
        }
        let mut session = self.observed("disk")?;
        let progress = quiet_progress();
        let mut plan = super::plan::disk(disk);
        // To write to a device takes a person who types its identity, which no order is told.
        if !matches!(disk_target::look(Path::new(disk.target())), disk_target::Kind::Directory { .. }) {
            disk_target::only_reads(&mut plan);
        }
        storage::measure(&mut session, &plan, &progress, stop)
            .map_err(|error| Failure::of(error.to_string()))?;
        self.finish(session)
    }

    fn session(
        &self,
        command: &str,
        peer: &Place,
        given: &Given,
    ) -> Result<(Session, Reached, Progress), Failure> {
        let session = self.observed(command)?;
        let (stop, allowance) = (&given.stop, &given.allowance);
        let reached = Reached::at(&peer.name, &peer.address, &peer.key, CONNECT_WITHIN, stop, allowance)?;
        Ok((session, reached, quiet_progress()))
    }

    /// A run on this host as it was observed in the beginning.
    fn observed(&self, command: &str) -> Result<Session, Failure> {
        let keep = KeepArgs { store: None, no_store: true, tag: None, html: None };
        let mut session = Session::live(command, &keep)?;
        session.run.host.clone_from(&lock(&self.host));
        // The node's own arguments say nothing of the test.
        session.run.command.arguments.clear();
        Ok(session)
    }

    /// The host's records are left out: they came with the first word.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the end of each probe")]
    fn finish(&self, session: Session) -> Result<Run, Failure> {
        let mut run = session.end();
        run.host = Host::default();
        Ok(run)
    }

    fn say_failed(&self, ticket: Ticket, why: &str) {
        self.say(&Report::Failed { ticket, why: why.to_owned(), blocked: false, refused: false });
    }

    /// One line. Anyone who cannot be told anything any more is gone.
    fn say(&self, report: &Report) {
        let mut said = lock(&self.said);
        let told = serde_json::to_vec(report).map_err(std::io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            let mut stdout = std::io::stdout().lock();
            stdout.write_all(&line).and_then(|()| stdout.flush())
        });
        *said = Instant::now();
        drop(said);
        if told.is_err() {
            self.stop();
        }
    }
}

impl Gate for Worker {
    fn enter(&self, plan: &NetPlan) -> Result<Pass, String> {
        let now_ns = boot_ns();
        let load = match plan.mode {
            NetMode::Rtt => Load::RoundTrips,
            _ => Load::Stream {
                rate_bytes_per_s: plan.rate_bytes_per_s,
                duration_ns: plan.duration_ns.saturating_add(plan.warmup_ns),
            },
        };
        let mut door = lock(&self.door);
        door.allows(minute())?;
        let pass = door.enter(now_ns, load)?;
        drop(door);
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        lock(&self.inside).insert(id, pass.held);
        lock(&self.served).push((id, Served { from: Timestamp::now(), to: None, bytes: 0 }));
        let deadline = Instant::now() + Duration::from_nanos(pass.until_ns.saturating_sub(now_ns));
        Ok(Pass { id, deadline, bytes: pass.held.bytes })
    }

    fn revoked(&self, pass: &Pass, elapsed: Duration, moved_bytes: u64) -> Option<String> {
        let door = lock(&self.door);
        if door.is_closed(boot_ns()) {
            return Some("the test was cancelled".to_owned());
        }
        if let Some(why) = door.outside(minute()) {
            return Some(why);
        }
        let elapsed_ns = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        let most = lock(&self.inside).get(&pass.id)?.most_bytes(elapsed_ns)?;
        (moved_bytes as f64 > most).then(|| {
            let rate = door.limits().rate_bytes_per_s;
            format!("test {} is faster than its plan said; this host allows {rate:.0} bytes/s", pass.id)
        })
    }

    fn leave(&self, pass: &Pass, moved_bytes: u64) {
        // The door is locked before what is inside wherever both are.
        let held = lock(&self.inside).remove(&pass.id);
        if let Some(held) = held {
            lock(&self.door).settle(held, moved_bytes);
        }
        if let Some((_, served)) = lock(&self.served).iter_mut().find(|(id, _)| *id == pass.id) {
            served.to = Some(Timestamp::now());
            served.bytes = moved_bytes;
        }
    }
}

impl Failure {
    fn of(why: String) -> Self {
        Self { why, blocked: false, refused: false }
    }
}

impl From<NetError> for Failure {
    fn from(error: NetError) -> Self {
        let blocked = matches!(error, NetError::Connect { .. } | NetError::Resolve { .. });
        Self { why: error.to_string(), blocked, refused: matches!(error, NetError::Refused(_)) }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::of(format!("{error:#}"))
    }
}

/// What is below a storage target, by names that two hosts have in common only when they share it.
fn identities(host: &Host, target: &str) -> Vec<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let local = |number: &str| format!("local:{}:{number}", boot.trim());
    let path = std::fs::canonicalize(target).ok().and_then(|path| path.to_str().map(str::to_owned));
    let path = path.unwrap_or_else(|| target.to_owned());
    let name = path.strip_prefix("/dev/").filter(|name| host.disk(name).is_some());
    let Some(mount) = host.mount_of(&path) else { return Vec::new() };
    if name.is_none() && mount.fs_type.starts_with("nfs") {
        return vec![format!("nfs:{}", mount.source)];
    }
    let disk = name.and_then(|name| host.disk(name)).or_else(|| host.disk_by_number(&mount.number));
    let Some(disk) = disk else { return vec![local(&mount.number)] };
    let stack = host.stack(&disk.name);
    let bottom = stack.iter().filter(|disk| disk.slaves.is_empty() && disk.parent().is_none());
    let mut names: Vec<String> = bottom
        .map(|disk| if disk.wwid.is_empty() { local(&disk.number) } else { format!("wwn:{}", disk.wwid) })
        .collect();
    names.sort();
    names.dedup();
    if names.is_empty() { vec![local(&disk.number)] } else { names }
}

/// Since this host was started, sleep included: a lease does not outlive a suspended machine.
fn boot_ns() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    let (seconds, nanoseconds) = (u64::try_from(now.tv_sec), u64::try_from(now.tv_nsec));
    seconds.unwrap_or(0).saturating_mul(1_000_000_000).saturating_add(nanoseconds.unwrap_or(0))
}

/// Of this host's day.
fn minute() -> u32 {
    let now = Zoned::now();
    u32::from(now.hour().unsigned_abs()) * 60 + u32::from(now.minute().unsigned_abs())
}

pub(super) fn quiet_progress() -> Progress {
    let output = cli::OutputArgs {
        json: true,
        json_file: None,
        color: cli::Color::Never,
        ascii: false,
        quiet: true,
        verbose: false,
    };
    Progress::new(&Show::new(&output), Duration::ZERO)
}

/// A thread that panicked leaves values that are whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
