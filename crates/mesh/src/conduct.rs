//! Conducts tests over hosts that answer late, twice, wrongly or never. A state machine: events with their time go in,
//! acts come out. Anyone who carries them is a [`Bus`].
//!
//! A test is planned, prepared at its responder under a new ticket, running, and over. A ticket is higher than all
//! before it, and a responder refuses a lower one: what a host says about an old ticket changes nothing here, and what
//! we ordered under an old ticket changes nothing there. A lease ends by the clock of anyone who holds it.

mod bus;
mod state;

pub use bus::{Bus, Heard, conduct};

use crate::schedule::Resources;
use state::{Host, State};
use std::collections::{BTreeMap, BTreeSet};

/// Position of a host.
pub type HostId = usize;
/// Position of a test in the list that was begun.
pub type TestId = usize;
/// Fencing token of one try of one test.
pub type Ticket = u64;

/// A test is tried this often.
const TRIES: u32 = 2;
/// A host that goes away is brought back this often: one that dies of every start would keep the mesh going for ever.
const RETURNS: u32 = 2;

/// A test to be made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Test {
    /// Who drives it.
    pub client: HostId,
    /// Whose responder answers; `None`: it needs no one else.
    pub server: Option<HostId>,
    /// What it needs, each once.
    pub resources: Vec<usize>,
    /// Earlier rounds are started first.
    pub round: usize,
    /// How long it runs, ns.
    pub length_ns: u64,
}

/// How patient a conductor is, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For a responder to say that it is ready.
    pub prepare_ns: u64,
    /// For all of a test next to its length: connecting, reading counters, telling the result.
    pub setup_ns: u64,
    /// For the ends of a test that was called off to let go of it.
    pub drain_ns: u64,
    /// A host that is silent for this long is lost.
    pub missing_ns: u64,
    /// For a lost host to come back, once, when everything else is done.
    pub revive_ns: u64,
}

impl Default for Patience {
    fn default() -> Self {
        const S: u64 = 1_000_000_000;
        Self { prepare_ns: 10 * S, setup_ns: 30 * S, drain_ns: 5 * S, missing_ns: 15 * S, revive_ns: 30 * S }
    }
}

/// What a host says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// It is there and takes orders.
    Ready,
    /// It is still there.
    Alive,
    /// It is gone.
    Lost(String),
    /// Its responder lets this test in.
    Prepared(Ticket),
    /// Its own limit forbids this test.
    Refused(Ticket, String),
    /// The test came to its end.
    Done(Ticket),
    /// It did not.
    Failed(Ticket, String),
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Have a responder let one test in, for this long by its own clock.
    Prepare {
        /// The responder's host.
        host: HostId,
        /// Which test.
        test: TestId,
        /// For this try.
        ticket: Ticket,
        /// Then it drops whatever came in.
        lease_ns: u64,
    },
    /// Have a client run a test.
    Measure {
        /// The client's host.
        host: HostId,
        /// Which test.
        test: TestId,
        /// For this try.
        ticket: Ticket,
        /// Then it gives up by its own clock.
        within_ns: u64,
    },
    /// Have a client stop.
    Cancel {
        /// The client's host.
        host: HostId,
        /// Which try.
        ticket: Ticket,
    },
    /// Have a responder close its door again.
    Release {
        /// The responder's host.
        host: HostId,
        /// Which try.
        ticket: Ticket,
    },
    /// Try once to bring a lost host back.
    Revive {
        /// Which.
        host: HostId,
    },
    /// A test is over for good.
    Over {
        /// Which.
        test: TestId,
        /// The try that counts.
        ticket: Ticket,
        /// How it ended.
        outcome: TestOutcome,
    },
}

/// How a test ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestOutcome {
    /// With a result.
    Measured,
    /// A limit of a host forbade it.
    Refused(String),
    /// It failed, and failed again.
    Failed(String),
    /// One of its hosts is not there.
    Absent(HostId),
    /// The whole was called off first.
    Skipped,
}

/// Conducts one list of tests after another over the same hosts.
#[derive(Debug)]
pub struct Conductor {
    patience: Patience,
    /// Tests of a round wait for those of all rounds before it.
    lockstep: bool,
    hosts: Vec<Host>,
    /// How often each host was brought back.
    returns: Vec<u32>,
    tests: Vec<Tried>,
    /// Planned tests in the order of their rounds.
    queue: BTreeSet<(usize, TestId)>,
    /// Tests by what they need: each host, then each resource.
    needing: Vec<Vec<TestId>>,
    /// Tests that are prepared, running or draining, by the ticket of their try.
    active: BTreeMap<Ticket, TestId>,
    /// Something may be able to start.
    stirred: bool,
    /// What has become available since it was last tried, as `needing` counts.
    available: Vec<usize>,
    /// No deadline is earlier than this.
    look_ns: u64,
    capacity: Vec<u32>,
    used: Vec<u32>,
    ticket: Ticket,
    /// Mean time that tests took beyond their length, ns; learnt from those that are over.
    overhead_ns: u64,
    acts: Vec<Act>,
    over: usize,
}

/// A test, and its state.
#[derive(Debug)]
struct Tried {
    test: Test,
    state: State,
    tries: u32,
    /// Why the last try failed.
    why: String,
}

impl Conductor {
    /// For this many hosts, none of which has spoken yet.
    pub fn new(hosts: usize, patience: Patience) -> Self {
        Self {
            patience,
            lockstep: false,
            hosts: vec![Host::Unknown; hosts],
            returns: vec![0; hosts],
            tests: Vec::new(),
            queue: BTreeSet::new(),
            needing: vec![Vec::new(); hosts],
            active: BTreeMap::new(),
            stirred: false,
            available: Vec::new(),
            look_ns: u64::MAX,
            capacity: Vec::new(),
            used: Vec::new(),
            ticket: 0,
            overhead_ns: 1_000_000_000,
            acts: Vec::new(),
            over: 0,
        }
    }

    /// The same, with every ticket above this one: those of a coordinator that was here before are lower.
    #[must_use]
    pub fn above(mut self, ticket: Ticket) -> Self {
        self.ticket = self.ticket.max(ticket);
        self
    }

    /// Begins a list of tests; the one before must be over. `lockstep`: a round waits for the one before it.
    pub fn begin(
        &mut self,
        now_ns: u64,
        tests: Vec<Test>,
        resources: &Resources,
        lockstep: bool,
    ) -> Vec<Act> {
        self.capacity = (0..resources.len()).map(|resource| resources.capacity(resource)).collect();
        self.used = vec![0; self.capacity.len()];
        self.lockstep = lockstep;
        self.queue = tests.iter().enumerate().map(|(id, test)| (test.round, id)).collect();
        self.needing = vec![Vec::new(); self.hosts.len() + self.capacity.len()];
        for (id, test) in tests.iter().enumerate() {
            self.needs(test).for_each(|need| self.needing[need].push(id));
        }
        self.available = (0..self.needing.len()).collect();
        let tried = |test| Tried { test, state: State::Planned, tries: 0, why: String::new() };
        self.tests = tests.into_iter().map(tried).collect();
        self.over = 0;
        self.active.clear();
        self.look_ns = now_ns;
        self.stirred = true;
        // Between two lists no one listened: silence counts from now on.
        for host in &mut self.hosts {
            if let Host::Ready { heard_ns } = host {
                *heard_ns = now_ns;
            }
        }
        self.dispatch(now_ns);
        std::mem::take(&mut self.acts)
    }

    /// Every test is over.
    pub fn is_over(&self) -> bool {
        self.over == self.tests.len()
    }

    /// How many are over, and of how many.
    pub fn progress(&self) -> (usize, usize) {
        (self.over, self.tests.len())
    }

    /// The host is there and takes orders.
    pub fn is_ready(&self, host: HostId) -> bool {
        matches!(self.hosts[host], Host::Ready { .. })
    }

    /// A host spoke, or someone spoke of it.
    pub fn on(&mut self, now_ns: u64, host: HostId, event: &Event) -> Vec<Act> {
        if let Host::Ready { heard_ns } = &mut self.hosts[host] {
            *heard_ns = now_ns;
        }
        match event {
            Event::Alive => {}
            Event::Ready => {
                self.hosts[host] = Host::Ready { heard_ns: now_ns };
                self.look_ns = self.look_ns.min(now_ns + self.patience.missing_ns);
                self.available.push(host);
                self.stirred = true;
            }
            Event::Lost(why) => self.lose(now_ns, host, why),
            Event::Prepared(ticket) => self.prepared(now_ns, host, *ticket),
            Event::Refused(ticket, why) => self.refused(host, *ticket, why),
            Event::Done(ticket) => self.done(now_ns, host, *ticket),
            Event::Failed(ticket, why) => self.failed(now_ns, host, *ticket, why),
        }
        self.dispatch(now_ns);
        std::mem::take(&mut self.acts)
    }

    /// Time has passed.
    pub fn tick(&mut self, now_ns: u64) -> Vec<Act> {
        for host in 0..self.hosts.len() {
            match self.hosts[host] {
                Host::Ready { heard_ns } if now_ns.saturating_sub(heard_ns) >= self.patience.missing_ns => {
                    let why = format!("no message for {} s", self.patience.missing_ns / 1_000_000_000);
                    self.lose(now_ns, host, &why);
                }
                Host::Reviving { until_ns } if now_ns >= until_ns => {
                    self.hosts[host] = Host::Gone;
                    self.stirred = true;
                }
                _ => {}
            }
        }
        for test in self.active.values().copied().collect::<Vec<TestId>>() {
            match self.tests[test].state {
                State::Preparing { ticket, until_ns } if now_ns >= until_ns => {
                    self.release(test, ticket);
                    self.free(test);
                    self.again(test, ticket, "the responder was not ready in time");
                }
                State::Running { ticket, until_ns, .. } if now_ns >= until_ns => {
                    self.call_off(now_ns, test, ticket, "no result in time", true);
                }
                State::Draining { ticket, until_ns, counts } if now_ns >= until_ns => {
                    self.drained(test, ticket, counts);
                }
                _ => {}
            }
        }
        self.dispatch(now_ns);
        let hosts = self.hosts.iter().filter_map(|host| match host {
            Host::Ready { heard_ns } => Some(heard_ns + self.patience.missing_ns),
            Host::Reviving { until_ns } => Some(*until_ns),
            _ => None,
        });
        let tests = self.active.values().filter_map(|&test| self.tests[test].state.until_ns());
        self.look_ns = hosts.chain(tests).min().unwrap_or(u64::MAX);
        std::mem::take(&mut self.acts)
    }

    /// Before this, time alone changes nothing.
    pub fn next_deadline_ns(&self) -> u64 {
        self.look_ns
    }

    /// Calls everything off: what runs is stopped, what is planned is skipped.
    pub fn stop(&mut self) -> Vec<Act> {
        for test in 0..self.tests.len() {
            let ticket = self.tests[test].state.ticket();
            match self.tests[test].state {
                State::Over => continue,
                State::Planned => {}
                State::Preparing { .. } => self.release(test, ticket),
                State::Running { .. } | State::Draining { .. } => {
                    let host = self.tests[test].test.client;
                    self.acts.push(Act::Cancel { host, ticket });
                    self.release(test, ticket);
                }
            }
            self.finish(test, ticket, TestOutcome::Skipped);
        }
        self.queue.clear();
        std::mem::take(&mut self.acts)
    }

    /// About how long it will still take: the time of the resource that has most to carry, with the overhead that tests
    /// have had so far.
    pub fn remaining_ns(&self) -> u64 {
        let mut load = vec![0_u64; self.capacity.len()];
        let mut longest = 0;
        let left = self.tests.iter().filter(|tried| !matches!(tried.state, State::Over));
        for tried in left.filter(|tried| self.all_ready(&tried.test)) {
            let length = tried.test.length_ns + self.overhead_ns;
            longest = longest.max(length);
            tried.test.resources.iter().for_each(|&resource| load[resource] += length);
        }
        let busiest =
            load.iter().zip(&self.capacity).map(|(load, &capacity)| load / u64::from(capacity.max(1)));
        busiest.max().unwrap_or(0).max(longest)
    }
}
