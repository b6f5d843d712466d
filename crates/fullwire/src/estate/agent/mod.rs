//! `fullwire agent`: dials out, obeys this host's own limits first, and keeps its results until they are acknowledged.

mod node;
mod outbox;

use super::credential::{self, Credential};
use super::link::{self, Heard, Listen, Sayer};
use super::packed::{PLAN_BYTES, packed, unpacked_plan};
use super::seal::unseal;
use crate::cli::AgentArgs;
use crate::mesh::worker::{NO_ROOM, RUNS_LIMIT};
use crate::output::Show;
use crate::{session, signals, usage};
use anyhow::Result;
use fullwire_mesh::conduct::Ticket;
use fullwire_mesh::estate::{EstatePlan, Gate, Here, Instruction, Signed, Subjects, Word};
use fullwire_mesh::hosts::ONLY_NETWORK;
use fullwire_mesh::limits::HostLimits;
use fullwire_mesh::message::{Order, PROTOCOL, Probe, Report};
use fullwire_model::Run;
use fullwire_model::host::Host;
use nkeys::KeyPair;
use node::{About, Node};
use outbox::Outbox;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::time::{Duration, Instant};

/// It says so often that it is there.
const HERE: Duration = Duration::from_secs(10);
/// A signal, a timer and what is owed are looked at this often.
const TICK: Duration = Duration::from_millis(200);
/// Old results are looked for this often.
const TIDY: Duration = Duration::from_secs(3600);

/// Happenings that wait for their turn.
const WAITING: usize = 256;

/// What happens to an agent.
enum Happening {
    Link(Heard),
    Node(u64, Box<Report>),
    NodeEnded(u64),
}

pub(crate) fn run(args: &AgentArgs, show: &Show) -> Result<ExitCode> {
    let stop = signals::on_signals()?;
    let credential: Credential = credential::read(&args.credential)?;
    let (say, hear) = mpsc::sync_channel(WAITING);
    let mut agent = Agent::new(args, credential, say, show)?;
    show.note(&format!(
        "agent {} of the estate {}: {} results are not acknowledged yet",
        agent.credential.member,
        agent.credential.estate,
        agent.outbox.owed()
    ));
    while !stop.load(Ordering::Relaxed) {
        agent.step(&hear);
    }
    agent.rest();
    Ok(ExitCode::SUCCESS)
}

/// Plans that come faster than they are obeyed are lost, as on any bus; all else is rare and waits.
fn pass(happen: &SyncSender<Happening>, heard: Heard) -> bool {
    if let Heard::Word { subject, payload } = &heard {
        // What is larger is no plan.
        if (subject.len() + payload.len()) as u64 > PLAN_BYTES {
            return true;
        }
        return !matches!(happen.try_send(Happening::Link(heard)), Err(TrySendError::Disconnected(_)));
    }
    happen.send(Happening::Link(heard)).is_ok()
}

struct Agent {
    credential: Credential,
    plan_key: KeyPair,
    subjects: Subjects,
    gate: Gate,
    outbox: Outbox,
    own: Own,
    say: Sayer,
    happen: SyncSender<Happening>,
    node: Option<Node>,
    generation: u64,
    up: bool,
    here: Instant,
    tidied: Instant,
    /// What was said last, so that it is said once.
    trouble: String,
    /// What came last as a plan could not be read.
    is_plan_unread: bool,
    show: Show,
}

/// What is said when the stream's own silence is all that is known.
const NO_RECEIPT: &str = "no receipt comes for results: no coordinator takes them, PostgreSQL does not answer, the stream \
    of results is full, or one is larger than max_payload of the NATS server";

/// What this host allows, whatever is ordered.
struct Own {
    limits: HostLimits,
    /// Directories and devices whose storage may be loaded.
    disks: Vec<String>,
    listen: String,
    addresses: BTreeMap<String, String>,
}

impl Agent {
    fn new(
        args: &AgentArgs,
        credential: Credential,
        happen: SyncSender<Happening>,
        show: &Show,
    ) -> Result<Self> {
        let subjects = Subjects::new(&credential.estate)?;
        let session = session::new_id();
        let path = args.store.clone().unwrap_or_else(own_store);
        let outbox = Outbox::open(&path, &credential, &session, &subjects)?;
        let gate = Gate::new(&credential.estate, &credential.member, &session, outbox.term()?);
        let heard = happen.clone();
        let words = vec![subjects.plan(&credential.member), subjects.call()];
        let listen = Listen { subjects: words, results: None };
        let say = link::start(&credential, listen, move |word| pass(&heard, word))?;
        Ok(Self {
            plan_key: KeyPair::from_public_key(&credential.plan_key)
                .map_err(|error| anyhow::anyhow!("the credential's key for plans is damaged: {error}"))?,
            own: Own::new(args, &credential)?,
            credential,
            subjects,
            gate,
            outbox,
            say,
            happen,
            node: None,
            generation: 0,
            up: false,
            here: Instant::now(),
            tidied: Instant::now(),
            trouble: "not connected yet".into(),
            is_plan_unread: false,
            show: show.clone(),
        })
    }

    /// What happens next, and what is due.
    fn step(&mut self, hear: &Receiver<Happening>) {
        match hear.recv_timeout(TICK) {
            Ok(Happening::Link(heard)) => self.heard(heard),
            Ok(Happening::Node(generation, report)) => self.reported(generation, *report),
            Ok(Happening::NodeEnded(generation)) => self.ended(generation),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        if self.up && self.here.elapsed() >= HERE {
            self.say_here();
        }
        if self.up {
            match self.outbox.bring(&self.say) {
                Ok(true) => {}
                Ok(false) => {
                    self.say_once(&format!("{NO_RECEIPT}; {} results wait here", self.outbox.owed()));
                }
                Err(error) => self.note(Err(error)),
            }
        }
        if self.tidied.elapsed() >= TIDY {
            self.tidied = Instant::now();
            let forgotten = self.outbox.forget().map(|_| ());
            self.note(forgotten);
        }
    }

    fn heard(&mut self, heard: Heard) {
        match heard {
            Heard::Up => {
                self.up = true;
                self.say_once("");
                self.outbox.at_once();
                self.say_here();
            }
            Heard::Down(why) => {
                // A limit of the server on one word is no lost connection, and the next word tells.
                self.up &= why.contains("does not allow");
                self.say_once(&format!("{why}; {} results wait here", self.outbox.owed()));
            }
            Heard::Word { subject, .. } if subject == self.subjects.call() => {
                // A call brings the next word forward, never back: calls without end would keep this host silent.
                self.here = self.here.min(self.spread());
            }
            Heard::Word { payload, .. } => self.plan(&payload),
            Heard::Result { .. } => {}
        }
    }

    /// A plan came, or something that looks like one.
    fn plan(&mut self, payload: &[u8]) {
        let read = unpacked_plan::<Signed>(payload).and_then(|signed| unseal(&signed, &self.plan_key));
        let plan = match read {
            Ok(plan) => plan,
            // Whoever may bring results can have the server write to this subject: one line says it.
            Err(error) if !std::mem::replace(&mut self.is_plan_unread, true) => {
                return Show::warn(&format!("a plan is not obeyed: {error:#}"));
            }
            Err(_) => return,
        };
        self.is_plan_unread = false;
        let known = self.gate.term();
        if let Err(refusal) = self.gate.admit(&plan) {
            return self.show.note(&format!("a plan is not obeyed: {refusal}"));
        }
        if plan.term > known {
            let noted = self.outbox.set_term(plan.term);
            self.note(noted);
        }
        self.obey(plan);
    }

    fn obey(&mut self, plan: EstatePlan) {
        match plan.instruction {
            Instruction::Receipt { kept, rejected } => {
                if self.trouble.starts_with(NO_RECEIPT) {
                    self.say_once("");
                }
                for (run_id, why) in &rejected {
                    Show::warn(&format!(
                        "the shared store refuses run {run_id}, which stays on this host: {why}"
                    ));
                }
                for run_id in kept.iter().chain(rejected.iter().map(|(run_id, _)| run_id)) {
                    let settled = self.outbox.settle(run_id);
                    self.note(settled);
                }
            }
            Instruction::Rest => self.rest(),
            Instruction::Order(order) => self.order(&plan.round, order),
        }
    }

    fn order(&mut self, round: &str, order: Order) {
        match order {
            Order::Begin { limits, peers, storage } => self.begin(&limits, peers, &storage),
            Order::Measure { ticket, within_ns, mut probe } => {
                if let Err(why) = self.own.check(&mut probe) {
                    return self.report(Report::Refused { ticket, why });
                }
                let Some(node) = &mut self.node else {
                    return self.report(failed(ticket, "no round has begun here"));
                };
                if node.tests.len() >= RUNS_LIMIT {
                    return self.report(Report::Refused { ticket, why: NO_ROOM.into() });
                }
                node.tests.insert(ticket, about(round, &probe));
                node.order(&Order::Measure { ticket, within_ns, probe });
            }
            order => {
                if let Some(node) = &mut self.node {
                    node.order(&order);
                }
            }
        }
    }

    /// A round begins: with its own process, which knows this host's limits.
    fn begin(&mut self, limits: &HostLimits, peers: Vec<String>, storage: &[String]) {
        // The old one must have let go of its port.
        self.rest();
        self.generation += 1;
        match Node::start(&self.own.listen, self.generation, &self.happen) {
            Ok(mut node) => {
                let limits = self.own.limits_today(self.outbox.spent()).tightest(limits);
                if self.own.limits.budget_bytes > 0 {
                    // All that it may move counts as moved until its own account is there: no round that is broken off,
                    // and no death of a process, makes the budget longer.
                    node.given_bytes = limits.budget_bytes;
                    let spent = self.outbox.spend(limits.budget_bytes);
                    self.note(spent);
                }
                // What may not be loaded is not looked at either. The list keeps its order.
                let storage = storage.iter().map(|target| {
                    if self.own.disks.contains(target) { target.clone() } else { String::new() }
                });
                node.order(&Order::Begin { limits, peers, storage: storage.collect() });
                let session = self.gate.session().to_owned();
                self.say_word(&Word::Open { session, port: node.port, key: node.key.clone() });
                self.node = Some(node);
            }
            Err(error) => {
                let why = format!("{error:#}");
                Show::warn(&why);
                self.say_word(&Word::Closed { session: self.gate.session().to_owned(), why });
            }
        }
    }

    /// The node ends, and what it did not move of the budget is there again.
    fn rest(&mut self) {
        let Some(node) = self.node.take() else { return };
        let given = node.given_bytes;
        if let Some(moved) = node.end() {
            let returned = self.outbox.unspend(given.saturating_sub(moved));
            self.note(returned);
        }
    }

    /// The node said something.
    fn reported(&mut self, generation: u64, report: Report) {
        let Some(node) = self.node.as_mut().filter(|node| node.generation == generation) else { return };
        match report {
            Report::Hello { version, protocol, host, storage } => {
                node.host.clone_from(&host);
                self.report(Report::Hello { version, protocol, host, storage });
            }
            Report::Done { ticket, run } => {
                let about = node.tests.remove(&ticket).unwrap_or_default();
                let host = node.host.clone();
                self.done(ticket, *run, &about, host);
            }
            report => {
                if let Report::Refused { ticket, .. } | Report::Failed { ticket, .. } = &report {
                    node.tests.remove(ticket);
                }
                self.report(report);
            }
        }
    }

    /// A result: it is kept before anything is said about it.
    fn done(&mut self, ticket: Ticket, mut run: Run, about: &About, host: Host) {
        run.host = host;
        run.tag = Some(about.round.clone()).filter(|round| !round.is_empty());
        if let Err(error) = self.outbox.keep(&run, &about.round, ticket, &about.to, &about.network) {
            let why = format!("the result cannot be kept on its host: {error:#}");
            self.say_once(&why);
            self.report(failed(ticket, &why));
        }
    }

    fn ended(&mut self, generation: u64) {
        if self.node.as_ref().is_some_and(|node| node.generation == generation) {
            self.rest();
            let session = self.gate.session().to_owned();
            self.say_word(&Word::Closed { session, why: "the process that measures has ended".into() });
        }
    }

    fn report(&self, report: Report) {
        self.say_word(&Word::Report { session: self.gate.session().to_owned(), report: Box::new(report) });
    }

    /// All hosts were asked: each answers at its own moment within two seconds.
    fn spread(&self) -> Instant {
        let sum =
            self.credential.member.bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(byte));
        let due = HERE.saturating_sub(Duration::from_millis(sum % 2000));
        Instant::now().checked_sub(due).unwrap_or(self.here)
    }

    fn say_here(&mut self) {
        self.here = Instant::now();
        let here = Here {
            session: self.gate.session().to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: PROTOCOL,
            addresses: self.own.addresses.clone(),
            owed: self.outbox.owed(),
            trouble: self.trouble.clone(),
        };
        if let Ok(payload) = packed(&Word::Here(here)) {
            self.say.publish(self.subjects.here(&self.credential.member), payload);
        }
    }

    fn say_word(&self, word: &Word) {
        if let Ok(payload) = packed(word) {
            self.say.publish(self.subjects.said(&self.credential.member), payload);
        }
    }

    /// Trouble with this host's own store is reported, and does not end the agent.
    fn note(&mut self, outcome: Result<()>) {
        if let Err(error) = outcome {
            self.say_once(&crate::sentence(&error));
        }
    }

    /// What has not changed is not said again; numbers alone are no change.
    fn say_once(&mut self, trouble: &str) {
        let bare = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        if bare(trouble) == bare(&self.trouble) {
            return;
        }
        if trouble.is_empty() {
            self.show.note("connected");
        } else {
            Show::warn(trouble);
        }
        trouble.clone_into(&mut self.trouble);
    }
}

impl Own {
    fn new(args: &AgentArgs, credential: &Credential) -> Result<Self> {
        let mut addresses = credential.addresses.clone();
        for given in &args.address {
            let (network, address) = given.split_once('=').unwrap_or((ONLY_NETWORK, given));
            addresses.insert(network.to_owned(), address.to_owned());
        }
        if addresses.is_empty() {
            addresses.insert(ONLY_NETWORK.to_owned(), credential.member.clone());
        }
        let mut disks = Vec::new();
        for disk in &args.allow_disk {
            disks.push(usage::utf8(disk)?);
        }
        Ok(Self {
            limits: HostLimits {
                rate_bytes_per_s: args.max_rate.unwrap_or(0.0),
                budget_bytes: args.budget.unwrap_or(0),
                between: args.between,
            },
            disks,
            listen: args.listen.clone(),
            addresses,
        })
    }

    /// The budget is for a day; of one that is used up a single byte is left, which lets nothing in.
    fn limits_today(&self, spent: u64) -> HostLimits {
        let budget = self.limits.budget_bytes;
        let budget_bytes = if budget > 0 { budget.saturating_sub(spent).max(1) } else { 0 };
        HostLimits { budget_bytes, ..self.limits.clone() }
    }

    /// What an order may not do here is refused, and what it may do more gently is done so.
    fn check(&self, probe: &mut Probe) -> Result<(), String> {
        match probe {
            Probe::Disk { disk } if !self.disks.iter().any(|own| own == disk.target()) => {
                Err(format!("this host does not allow load on {}: --allow-disk allows it", disk.target()))
            }
            Probe::Stream { stream, .. } => {
                *stream = stream.at_most(self.limits.rate_bytes_per_s);
                Ok(())
            }
            Probe::Disk { .. } | Probe::Light { .. } => Ok(()),
        }
    }
}

fn about(round: &str, probe: &Probe) -> About {
    let (to, network) = match probe {
        Probe::Light { peer } | Probe::Stream { peer, .. } => (peer.name.clone(), peer.network.clone()),
        Probe::Disk { .. } => (String::new(), String::new()),
    };
    About { round: round.to_owned(), to, network }
}

fn failed(ticket: Ticket, why: &str) -> Report {
    Report::Failed { ticket, why: why.to_owned(), blocked: false, refused: false }
}

/// Next to the user's own runs, and apart from them.
fn own_store() -> PathBuf {
    let runs = fullwire_probe::state::state_dir().join(crate::session::store::FILE);
    runs.with_file_name("agent.db")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_mesh::message::{DiskOrder, Place, StreamOrder};

    fn own() -> Own {
        Own {
            limits: HostLimits { rate_bytes_per_s: 1e6, budget_bytes: 1000, between: None },
            disks: vec!["/u01".into()],
            listen: String::new(),
            addresses: BTreeMap::new(),
        }
    }

    #[test]
    fn storage_is_loaded_only_where_the_host_allows_it() {
        let disk = |target: &str| Probe::Disk { disk: DiskOrder::new(target, 1 << 20).unwrap() };
        assert_eq!(own().check(&mut disk("/u01")), Ok(()));
        for target in ["/", "/u01/", "/u01/../etc", "/dev/sda", ""] {
            assert!(own().check(&mut disk(target)).unwrap_err().contains("--allow-disk"), "{target}");
        }
    }

    #[test]
    fn a_stream_is_no_faster_than_the_host_allows() {
        let place =
            Place { name: String::new(), address: String::new(), key: String::new(), network: String::new() };
        for (asked, run) in [(0.0, 1e6), (5e6, 1e6), (1e5, 1e5)] {
            let stream = StreamOrder::new(1, 1_000_000_000, asked).unwrap();
            let mut probe = Probe::Stream { peer: place.clone(), stream, expect_bytes_per_s: None };
            own().check(&mut probe).unwrap();
            let Probe::Stream { stream, .. } = probe else { unreachable!() };
            assert!((stream.rate_bytes_per_s() - run).abs() < 1e-9);
        }
    }

    #[test]
    fn a_budget_that_is_used_up_is_not_taken_for_none() {
        assert_eq!(
            [0, 400, 1000, 5000].map(|spent| own().limits_today(spent).budget_bytes),
            [1000, 600, 1, 1]
        );
        let free = Own { limits: HostLimits::default(), ..own() };
        assert_eq!(free.limits_today(5000).budget_bytes, 0);
    }
}
