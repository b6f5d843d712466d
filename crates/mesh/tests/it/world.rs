//! The bus in this process, with its own clock: hosts die, messages are lost, clients hang, and no time passes for
//! the reader. The binary's tests put an estate's results on top of it ([`Sink`]).

use fullwire_mesh::conduct::{
    Act, Bus, Conductor, Event, Heard, HostId, Patience, Test, TestOutcome, Ticket, conduct,
};
use fullwire_mesh::limits::{Door, HostLimits, Load};
use fullwire_mesh::pairs::choose;
use fullwire_mesh::schedule::{Resources, rounds};
use fullwire_mesh::topology::Topology;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

pub(crate) const S: u64 = 1_000_000_000;

/// What may go wrong.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trouble {
    /// Hosts that die at a time, and whether they can be brought back.
    pub(crate) deaths: Vec<(HostId, u64, bool)>,
    /// Of a million messages, so many are lost.
    pub(crate) lost_ppm: u64,
    /// Of a million tests, so many hang until someone stops them.
    pub(crate) hang_ppm: u64,
    /// Hosts whose clocks run fast or slow, in parts of a thousand.
    pub(crate) skew: Vec<(HostId, i64)>,
}

/// Something that happens at a time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Happening {
    Dies(HostId),
    Says(HostId, Word),
    Hears(HostId, Duty),
    /// A test ends at its client, if it still runs.
    Ends(HostId, Ticket, bool),
    Beats(HostId),
    /// A host brings a result that is owed.
    Brings(HostId, Ticket),
    /// A result has come to the coordinator.
    Comes(HostId, Ticket),
    /// What has come is committed.
    Commits,
    /// A host hears that its result has been committed.
    Settles(HostId, Ticket),
}

/// Where an estate's results go.
pub(crate) trait Sink {
    /// Commits results, each with the host that brought it.
    fn commit(&mut self, results: &[(HostId, Ticket)]);
}

/// A result without a receipt is brought again after this time.
const AGAIN_NS: u64 = 15 * S;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Word {
    Ready,
    Alive,
    Lost,
    Prepared(Ticket),
    Refused(Ticket),
    Done(Ticket),
    Failed(Ticket),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Duty {
    Prepare(Ticket, u64),
    Measure(Ticket, usize, u64),
    Cancel(Ticket),
    Release(Ticket),
}

struct Node {
    alive: bool,
    revivable: bool,
    door: Door,
    /// What it drives now, and the test's resources.
    runs: HashMap<Ticket, usize>,
    skew: i64,
}

pub(crate) struct World {
    pub(crate) now_ns: u64,
    seed: u64,
    order: u64,
    heap: BinaryHeap<Reverse<(u64, u64, Happening)>>,
    nodes: Vec<Node>,
    pub(crate) tests: Vec<Test>,
    trouble: Trouble,
    /// Results go here first; `None`: straight to the coordinator.
    pub(crate) sink: Option<Box<dyn Sink>>,
    /// What each host keeps until it is acknowledged: it survives the host's process.
    owed: Vec<HashSet<Ticket>>,
    come: Vec<(HostId, Ticket)>,
    capacity: Vec<u32>,
    /// Tests that load a resource right now.
    load: Vec<u32>,
    overload: Vec<usize>,
    pub(crate) outcomes: BTreeMap<usize, Vec<TestOutcome>>,
    tickets: HashMap<Ticket, usize>,
    pub(crate) completed: HashSet<Ticket>,
}

impl World {
    fn new(hosts: usize, tests: Vec<Test>, resources: &Resources, trouble: Trouble, seed: u64) -> Self {
        let capacity: Vec<u32> = (0..resources.len()).map(|resource| resources.capacity(resource)).collect();
        let node = |host| Node {
            alive: true,
            revivable: false,
            door: Door::new(HostLimits::default()),
            runs: HashMap::new(),
            skew: trouble.skew.iter().find(|(who, _)| *who == host).map_or(0, |(_, skew)| *skew),
        };
        let mut world = Self {
            now_ns: 0,
            seed,
            order: 0,
            heap: BinaryHeap::new(),
            nodes: (0..hosts).map(node).collect(),
            load: vec![0; capacity.len()],
            capacity,
            tests,
            overload: Vec::new(),
            outcomes: BTreeMap::new(),
            tickets: HashMap::new(),
            completed: HashSet::new(),
            trouble,
            sink: None,
            owed: vec![HashSet::new(); hosts],
            come: Vec::new(),
        };
        for host in 0..hosts {
            world.at(0, Happening::Beats(host));
        }
        for (host, when, revivable) in world.trouble.deaths.clone() {
            world.nodes[host].revivable = revivable;
            world.at(when, Happening::Dies(host));
        }
        world
    }

    fn chance(&mut self, ppm: u64) -> bool {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % 1_000_000 < ppm
    }

    fn at(&mut self, delay_ns: u64, happening: Happening) {
        self.order += 1;
        self.heap.push(Reverse((self.now_ns + delay_ns, self.order, happening)));
    }

    /// A message that may be lost; 1 ms on its way.
    fn send(&mut self, happening: Happening) {
        if !self.chance(self.trouble.lost_ppm) {
            self.at(1_000_000, happening);
        }
    }

    /// A time by a host's own clock, in the world's.
    fn by_clock(&self, host: HostId, ns: u64) -> u64 {
        let skewed = i128::from(ns) * i128::from(1000 + self.nodes[host].skew) / 1000;
        u64::try_from(skewed).unwrap_or(0)
    }

    fn clock(&self, host: HostId) -> u64 {
        self.by_clock(host, self.now_ns)
    }

    fn begin(&mut self, host: HostId, ticket: Ticket, test: usize, within_ns: u64) {
        // Real responders let no one in without a lease.
        if let Some(server) = self.tests[test].server {
            let now_ns = self.clock(server);
            if !self.nodes[server].alive || self.nodes[server].door.enter(now_ns, Load::RoundTrips).is_err() {
                return self.send(Happening::Says(host, Word::Failed(ticket)));
            }
        }
        for resource in self.tests[test].resources.clone() {
            self.load[resource] += 1;
            if self.load[resource] > self.capacity[resource] {
                self.overload.push(resource);
            }
        }
        self.nodes[host].runs.insert(ticket, test);
        let hangs = self.chance(self.trouble.hang_ppm);
        let length_ns =
            if hangs { self.by_clock(host, within_ns) } else { self.tests[test].length_ns + S / 2 };
        self.at(length_ns, Happening::Ends(host, ticket, !hangs));
    }

    /// The test stops loading; whether it ran.
    fn end(&mut self, host: HostId, ticket: Ticket) -> bool {
        let Some(test) = self.nodes[host].runs.remove(&ticket) else { return false };
        for resource in self.tests[test].resources.clone() {
            self.load[resource] -= 1;
        }
        true
    }

    fn happen(&mut self, happening: Happening) -> Option<(HostId, Event)> {
        match happening {
            Happening::Beats(host) if self.nodes[host].alive => {
                self.at(2 * S, Happening::Beats(host));
                self.send(Happening::Says(host, Word::Alive));
            }
            Happening::Dies(host) => {
                self.nodes[host].alive = false;
                let tickets: Vec<Ticket> = self.nodes[host].runs.keys().copied().collect();
                for ticket in tickets {
                    self.end(host, ticket);
                }
                // One that drove a test against it notices.
                for client in 0..self.nodes.len() {
                    let runs = self.nodes[client].runs.clone();
                    for (ticket, test) in runs {
                        if self.tests[test].server == Some(host) {
                            self.at(5 * S, Happening::Ends(client, ticket, false));
                        }
                    }
                }
            }
            Happening::Hears(host, duty) if self.nodes[host].alive => self.hears(host, duty),
            Happening::Ends(host, ticket, good) if self.nodes[host].alive && self.end(host, ticket) => {
                let word = if good { Word::Done(ticket) } else { Word::Failed(ticket) };
                if good {
                    self.completed.insert(ticket);
                }
                if good && self.sink.is_some() {
                    self.owed[host].insert(ticket);
                    self.at(0, Happening::Brings(host, ticket));
                    return None;
                }
                self.send(Happening::Says(host, word));
            }
            Happening::Brings(host, ticket) => self.brings(host, ticket),
            Happening::Comes(host, ticket) => {
                if self.come.is_empty() {
                    self.at(S / 5, Happening::Commits);
                }
                self.come.push((host, ticket));
            }
            Happening::Commits => self.commits(),
            Happening::Settles(host, ticket) => {
                self.owed[host].remove(&ticket);
            }
            Happening::Says(host, word) => {
                return Some((
                    host,
                    match word {
                        Word::Ready => Event::Ready,
                        Word::Alive => Event::Alive,
                        Word::Lost => Event::Lost("gone".into()),
                        Word::Prepared(ticket) => Event::Prepared(ticket),
                        Word::Refused(ticket) => Event::Refused(ticket, "refused".into()),
                        Word::Done(ticket) => Event::Done(ticket),
                        Word::Failed(ticket) => Event::Failed(ticket, "failed".into()),
                    },
                ));
            }
            _ => {}
        }
        None
    }

    /// A result travels, sometimes twice, as long as no one acknowledges it. A host that is dead brings it when it is
    /// there again.
    fn brings(&mut self, host: HostId, ticket: Ticket) {
        if !self.owed[host].contains(&ticket) {
            return;
        }
        self.at(AGAIN_NS, Happening::Brings(host, ticket));
        if self.nodes[host].alive {
            self.send(Happening::Comes(host, ticket));
            if self.chance(100_000) {
                self.at(2 * S, Happening::Comes(host, ticket));
            }
        }
    }

    /// One coordinator in fifty dies between its commit and what it says of it.
    fn commits(&mut self) {
        let come = std::mem::take(&mut self.come);
        if let Some(sink) = &mut self.sink {
            sink.commit(&come);
        }
        if self.chance(20_000) {
            return;
        }
        for (host, ticket) in come {
            self.at(0, Happening::Says(host, Word::Done(ticket)));
            self.send(Happening::Settles(host, ticket));
        }
    }

    /// After the last round: every host is repaired, and what is owed comes in.
    pub(crate) fn settle(&mut self) {
        for node in &mut self.nodes {
            node.alive = true;
        }
        while self.owed.iter().any(|owed| !owed.is_empty()) {
            let Some(Reverse((when, _, happening))) = self.heap.pop() else {
                panic!("results are owed for ever")
            };
            self.now_ns = when;
            // No one beats any more, and who was to die later owes for ever: the world would have no end.
            if !matches!(happening, Happening::Beats(_) | Happening::Dies(_)) {
                self.happen(happening);
            }
        }
    }

    /// A responder cuts anyone who is inside; the client notices.
    fn put_out(&mut self, server: HostId) {
        for client in 0..self.nodes.len() {
            for (ticket, test) in self.nodes[client].runs.clone() {
                if self.tests[test].server == Some(server) && self.end(client, ticket) {
                    self.send(Happening::Says(client, Word::Failed(ticket)));
                }
            }
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "a message is handed over")]
    fn hears(&mut self, host: HostId, duty: Duty) {
        match duty {
            Duty::Prepare(ticket, lease_ns) => {
                let now_ns = self.clock(host);
                let word = match self.nodes[host].door.prepare(ticket, now_ns, lease_ns, 0) {
                    Ok(()) => Word::Prepared(ticket),
                    Err(_) => Word::Refused(ticket),
                };
                self.send(Happening::Says(host, word));
            }
            Duty::Measure(ticket, test, within_ns) => self.begin(host, ticket, test, within_ns),
            Duty::Cancel(ticket) => {
                self.end(host, ticket);
                self.send(Happening::Says(host, Word::Failed(ticket)));
            }
            Duty::Release(ticket) => {
                self.nodes[host].door.release(ticket);
                let now_ns = self.clock(host);
                if self.nodes[host].door.is_closed(now_ns) {
                    self.put_out(host);
                }
            }
        }
    }
}

impl Bus for World {
    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn act(&mut self, act: &Act) {
        match *act {
            Act::Prepare { host, test, ticket, lease_ns } => {
                self.tickets.insert(ticket, test);
                self.send(Happening::Hears(host, Duty::Prepare(ticket, lease_ns)));
            }
            Act::Measure { host, test, ticket, within_ns } => {
                self.send(Happening::Hears(host, Duty::Measure(ticket, test, within_ns)));
            }
            Act::Cancel { host, ticket } => self.send(Happening::Hears(host, Duty::Cancel(ticket))),
            Act::Release { host, ticket } => self.send(Happening::Hears(host, Duty::Release(ticket))),
            Act::Revive { host } => {
                let revivable = self.nodes[host].revivable;
                self.nodes[host].alive |= revivable;
                let word = if self.nodes[host].alive { Word::Ready } else { Word::Lost };
                if revivable {
                    // A new process: it knows nothing of what was before.
                    self.nodes[host].door = Door::new(HostLimits::default());
                    self.at(0, Happening::Beats(host));
                }
                self.at(3 * S, Happening::Says(host, word));
            }
            Act::Over { test, ticket, ref outcome } => {
                if *outcome == TestOutcome::Measured {
                    assert!(self.completed.contains(&ticket), "a result that nobody measured");
                }
                self.outcomes.entry(test).or_default().push(outcome.clone());
            }
        }
    }

    fn hear(&mut self, until_ns: u64) -> Heard {
        loop {
            match self.heap.peek() {
                Some(Reverse((when, _, _))) if *when <= until_ns => {}
                _ => {
                    self.now_ns = self.now_ns.max(until_ns);
                    return Heard::Nothing;
                }
            }
            let Some(Reverse((when, _, happening))) = self.heap.pop() else { return Heard::Nothing };
            self.now_ns = when;
            if let Some((host, event)) = self.happen(happening) {
                return Heard::Event(host, event);
            }
        }
    }
}

/// Both ways of each pair as tests, and their resources.
pub(crate) fn plan(hosts: usize, topology: &Topology) -> (Vec<Test>, Resources) {
    let resources = Resources::new(hosts, 1, topology);
    let (pairs, _) = choose(hosts, topology, 7);
    let demands: Vec<Vec<usize>> = pairs.iter().map(|&pair| resources.of_pair(pair, topology)).collect();
    let round_of = rounds(&demands, &resources);
    let both = pairs.iter().zip(demands).zip(round_of).flat_map(|((&(one, other), resources), round)| {
        [(one, other, 2 * round), (other, one, 2 * round + 1)].map(|(client, server, round)| Test {
            client,
            server: Some(server),
            resources: resources.clone(),
            round,
            length_ns: 10 * S,
        })
    });
    (both.collect(), resources)
}

pub(crate) fn run(hosts: usize, topology: &Topology, trouble: Trouble, seed: u64, lockstep: bool) -> World {
    run_into(hosts, topology, trouble, seed, lockstep, None)
}

/// The same, with results that go somewhere first.
pub(crate) fn run_into(
    hosts: usize,
    topology: &Topology,
    trouble: Trouble,
    seed: u64,
    lockstep: bool,
    sink: Option<Box<dyn Sink>>,
) -> World {
    let (tests, resources) = plan(hosts, topology);
    let mut world = World::new(hosts, tests.clone(), &resources, trouble, seed);
    world.sink = sink;
    let mut conductor = Conductor::new(hosts, Patience::default());
    for host in 0..hosts {
        conductor.on(0, host, &Event::Ready);
    }
    let first = conductor.begin(0, tests, &resources, lockstep);
    assert!(conduct(&mut conductor, &mut world, &first));
    assert_eq!(conductor.progress().0, world.tests.len());
    assert_eq!(world.overload, Vec::<usize>::new(), "a resource carried more than it can");
    let once = (0..world.tests.len()).all(|test| world.outcomes.get(&test).is_some_and(|all| all.len() == 1));
    assert!(once, "each ordered pair has one outcome");
    world
}

pub(crate) fn measured(world: &World) -> usize {
    world.outcomes.values().filter(|outcomes| outcomes[0] == TestOutcome::Measured).count()
}
