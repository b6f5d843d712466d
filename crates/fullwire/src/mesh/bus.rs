//! Carries a conductor's acts to the nodes and their events back.

use super::nodes::{Nodes, Said};
use super::packed::{MOST_OF_A_HOST_BYTES, Packed};
use crate::output::progress::Progress;
use anyhow::{Result, bail};
use fullwire_mesh::conduct::{Act, Bus, Conductor, Event, Heard, HostId, TestId, TestOutcome, Ticket};
use fullwire_mesh::message::{DiskOrder, Order, Probe, Report, Served, StreamOrder};
use fullwire_model::Run;
use fullwire_model::host::Host;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A raised stop flag is noticed after this time at the latest.
const TICK: Duration = Duration::from_millis(100);

/// One test as the nodes are told.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) from: HostId,
    /// The same as `from` for storage.
    pub(super) to: HostId,
    pub(super) network: String,
    pub(super) what: What,
    pub(super) round: usize,
    pub(super) alone: bool,
}

/// What is measured.
#[derive(Debug, Clone)]
pub(super) enum What {
    Light,
    Stream { order: StreamOrder, expect_bytes_per_s: Option<f64> },
    Disk(DiskOrder),
}

/// A test that is over.
pub(super) struct Finished {
    pub(super) job: Job,
    pub(super) outcome: TestOutcome,
    pub(super) run: Option<Packed>,
    pub(super) served: Option<Served>,
    /// The responder could not be connected to.
    pub(super) blocked: bool,
}

/// The bus, for one list of tests after another.
pub(super) struct NodeBus<'a> {
    nodes: &'a mut dyn Nodes,
    progress: &'a Progress,
    stop: &'a AtomicBool,
    begun: Instant,
    jobs: Vec<Job>,
    runs: HashMap<Ticket, Packed>,
    /// What the results of each host have taken, packed, bytes; and what they may.
    brought_bytes: HashMap<HostId, usize>,
    most_bytes: usize,
    served: HashMap<Ticket, Served>,
    blocked: HashMap<TestId, bool>,
    /// Which test a host was told this ticket for.
    tests: HashMap<(HostId, Ticket), TestId>,
    /// The highest rate that the responder of a test lets in, bytes per second; 0: any.
    rates: HashMap<Ticket, f64>,
    over: Vec<(TestId, Ticket, TestOutcome)>,
    releasing: usize,
    /// What the host said in its first word, where it came back.
    pub(super) hosts: HashMap<HostId, Host>,
    /// Why hosts went away, and when.
    pub(super) lost: HashMap<HostId, String>,
    /// Time that later lists of tests will take, ns.
    pub(super) later_ns: u64,
    label: String,
}

impl<'a> NodeBus<'a> {
    pub(super) fn new(nodes: &'a mut dyn Nodes, progress: &'a Progress, stop: &'a AtomicBool) -> Self {
        Self {
            nodes,
            progress,
            stop,
            begun: Instant::now(),
            jobs: Vec::new(),
            runs: HashMap::new(),
            brought_bytes: HashMap::new(),
            most_bytes: MOST_OF_A_HOST_BYTES,
            served: HashMap::new(),
            blocked: HashMap::new(),
            tests: HashMap::new(),
            rates: HashMap::new(),
            over: Vec::new(),
            releasing: 0,
            hosts: HashMap::new(),
            lost: HashMap::new(),
            later_ns: 0,
            label: String::new(),
        }
    }

    /// The nodes, before anything is conducted.
    pub(super) fn nodes(&mut self) -> &mut dyn Nodes {
        self.nodes
    }

    /// The next list of tests, and what it is called.
    pub(super) fn load(&mut self, label: &str, jobs: Vec<Job>) {
        label.clone_into(&mut self.label);
        self.jobs = jobs;
    }

    /// What the list brought, once all last words of responders are there or their time is over.
    pub(super) fn collect(&mut self) -> Vec<Finished> {
        let deadline = Instant::now() + Duration::from_secs(1);
        while self.releasing > 0 && Instant::now() < deadline {
            if let Some((host, said)) = self.nodes.hear(TICK) {
                self.translate(host, said);
            }
        }
        self.releasing = 0;
        let over = std::mem::take(&mut self.over);
        let finished = over.into_iter().map(|(test, ticket, outcome)| Finished {
            job: self.jobs[test].clone(),
            run: if outcome == TestOutcome::Measured { self.runs.remove(&ticket) } else { None },
            served: self.served.remove(&ticket),
            blocked: self.blocked.get(&test).copied().unwrap_or(false),
            outcome,
        });
        let finished = finished.collect();
        self.runs.clear();
        self.served.clear();
        self.blocked.clear();
        self.tests.clear();
        self.rates.clear();
        finished
    }

    fn probe(&self, test: TestId, ticket: Ticket) -> Option<Probe> {
        let job = self.jobs.get(test)?;
        Some(match &job.what {
            What::Light => Probe::Light { peer: self.nodes.place(job.to, &job.network)? },
            What::Stream { order, expect_bytes_per_s } => Probe::Stream {
                peer: self.nodes.place(job.to, &job.network)?,
                // The responder cuts a stream that is faster than it lets in.
                stream: order.at_most(self.rates.get(&ticket).copied().unwrap_or(0.0)),
                expect_bytes_per_s: *expect_bytes_per_s,
            },
            What::Disk(order) => Probe::Disk { disk: order.clone() },
        })
    }

    fn translate(&mut self, host: HostId, said: Said) -> Option<Event> {
        Some(match said {
            Said::Gone(why) => {
                self.note_lost(host, &why);
                Event::Lost(why)
            }
            Said::NotBack => Event::Lost("it did not come back".into()),
            Said::Report(report) => return self.report(host, *report),
        })
    }

    /// What nobody asked this host for is not kept: one that names tickets of its own would fill the memory with them, and one
    /// that names those of others would answer for them.
    fn report(&mut self, host: HostId, report: Report) -> Option<Event> {
        let told = match &report {
            Report::Alive | Report::Account { .. } | Report::Hello { .. } => true,
            // The far end has its ticket too.
            Report::Done { ticket, .. } => {
                let job = self.tests.get(&(host, *ticket)).and_then(|test| self.jobs.get(*test));
                job.is_some_and(|job| job.from == host)
            }
            Report::Prepared { ticket, .. }
            | Report::Refused { ticket, .. }
            | Report::Failed { ticket, .. }
            | Report::Released { ticket, .. } => self.tests.contains_key(&(host, *ticket)),
        };
        if !told {
            return Some(Event::Alive);
        }
        Some(match report {
            Report::Alive => Event::Alive,
            Report::Account { .. } => return None,
            Report::Hello { host: records, .. } => {
                self.hosts.insert(host, *records);
                Event::Ready
            }
            Report::Prepared { ticket, rate_bytes_per_s } => {
                self.rates.insert(ticket, rate_bytes_per_s);
                Event::Prepared(ticket)
            }
            Report::Refused { ticket, why } => Event::Refused(ticket, why),
            Report::Done { ticket, run } => match self.hold(host, ticket, *run) {
                Ok(()) => Event::Done(ticket),
                Err(error) => Event::Failed(ticket, crate::sentence(&error)),
            },
            Report::Failed { ticket, why, blocked, refused } => {
                if let Some(&test) = self.tests.get(&(host, ticket)) {
                    self.blocked.insert(test, blocked);
                }
                if refused { Event::Refused(ticket, why) } else { Event::Failed(ticket, why) }
            }
            Report::Released { ticket, served } => {
                self.releasing = self.releasing.saturating_sub(1);
                // A light test asks more than once; a stream is let in once.
                if let Some(last) = served.into_iter().last() {
                    self.served.insert(ticket, last);
                }
                return None;
            }
        })
    }

    fn hold(&mut self, host: HostId, ticket: Ticket, run: Run) -> Result<()> {
        let packed = Packed::of(run)?;
        let brought = self.brought_bytes.entry(host).or_default();
        *brought = brought.saturating_add(packed.bytes());
        if *brought > self.most_bytes {
            bail!("its results take more room than those of a host may ({} bytes)", self.most_bytes);
        }
        self.runs.insert(ticket, packed);
        Ok(())
    }

    fn note_lost(&mut self, host: HostId, why: &str) {
        let since = jiff::Zoned::now().strftime("%H:%M:%S").to_string();
        self.lost.entry(host).or_insert_with(|| format!("absent since {since}: {why}"));
    }
}

impl Bus for NodeBus<'_> {
    fn now_ns(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn act(&mut self, act: &Act) {
        match *act {
            Act::Prepare { host, test, ticket, lease_ns } => {
                self.tests.insert((host, ticket), test);
                self.nodes.order(host, Order::Prepare { ticket, lease_ns: lease_ns.into() });
            }
            Act::Measure { host, test, ticket, within_ns } => {
                self.tests.insert((host, ticket), test);
                // Without a place the responder has just gone; the deadline finds out.
                if let Some(probe) = self.probe(test, ticket) {
                    let within_ns = within_ns.into();
                    self.nodes.order(host, Order::Measure { ticket, within_ns, probe: Box::new(probe) });
                }
            }
            Act::Cancel { host, ticket } => self.nodes.order(host, Order::Cancel { ticket }),
            Act::Release { host, ticket } => {
                self.releasing += 1;
                self.nodes.order(host, Order::Release { ticket });
            }
            Act::Revive { host } => {
                self.note_lost(host, "no word");
                self.nodes.revive(host);
            }
            Act::Over { test, ticket, ref outcome } => self.over.push((test, ticket, outcome.clone())),
        }
    }

    fn hear(&mut self, until_ns: u64) -> Heard {
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Heard::Stop;
            }
            let left = Duration::from_nanos(until_ns.saturating_sub(self.now_ns()));
            if let Some((host, said)) = self.nodes.hear(left.min(TICK)) {
                if let Some(event) = self.translate(host, said) {
                    return Heard::Event(host, event);
                }
            } else if left <= TICK {
                return Heard::Nothing;
            }
        }
    }

    fn progress(&mut self, conductor: &Conductor) {
        let (over, all) = conductor.progress();
        let left_ns = conductor.remaining_ns().saturating_add(self.later_ns);
        self.progress.left(Duration::from_nanos(left_ns));
        self.progress.doing(&format!("{}: {over} of {all}", self.label));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_mesh::message::Place;
    use fullwire_model::Peer;
    use fullwire_model::host::Disk;

    /// Nodes of which nobody hears.
    struct Silent;

    impl Nodes for Silent {
        fn begin(&mut self, _host: usize) {}
        fn order(&mut self, _host: usize, _order: Order) {}
        fn hear(&mut self, _within: Duration) -> Option<(usize, Said)> {
            None
        }
        fn place(&self, _host: usize, _network: &str) -> Option<Place> {
            None
        }
        fn revive(&mut self, _host: usize) {}
    }

    #[test]
    fn a_host_answers_for_its_own_tests_alone() {
        let (progress, stop, mut nodes) =
            (super::super::worker::quiet_progress(), AtomicBool::new(false), Silent);
        let mut bus = NodeBus::new(&mut nodes, &progress, &stop);
        let job = Job { from: 0, to: 1, network: String::new(), what: What::Light, round: 0, alone: true };
        bus.load("", vec![job]);
        bus.act(&Act::Prepare { host: 1, test: 0, ticket: 7, lease_ns: 1 });
        bus.act(&Act::Measure { host: 0, test: 0, ticket: 7, within_ns: 1 });
        let done = |ticket, id: &str| Report::Done {
            ticket,
            run: Box::new(Run { run_id: id.into(), ..Run::default() }),
        };
        // A stranger to the test, its far end, and tickets that nobody gave.
        for (host, ticket) in [(2, 7), (1, 7), (0, 8), (2, 9)] {
            assert_eq!(bus.report(host, done(ticket, "forged")), Some(Event::Alive), "{host} {ticket}");
            let failed =
                Report::Failed { ticket: ticket + 10, why: String::new(), blocked: true, refused: false };
            assert_eq!(bus.report(host, failed), Some(Event::Alive));
        }
        assert!(bus.runs.is_empty() && bus.blocked.is_empty());
        assert_eq!(bus.report(0, done(7, "measured")), Some(Event::Done(7)));
        assert_eq!(bus.runs[&7].open(&Host::default()).unwrap().run_id, "measured");
        bus.report(2, Report::Prepared { ticket: 7, rate_bytes_per_s: 1.0 });
        assert!(bus.rates.is_empty(), "only the far end limits what it lets in");
        bus.report(1, Report::Prepared { ticket: 7, rate_bytes_per_s: 1.0 });
        assert!(bus.rates.contains_key(&7));
    }

    /// As records the disks of one such run take 100 MB, and a host brings a run for each test with each other host.
    #[test]
    fn results_wait_packed_and_those_of_one_host_are_bounded() {
        let (progress, stop, mut nodes) =
            (super::super::worker::quiet_progress(), AtomicBool::new(false), Silent);
        let mut bus = NodeBus::new(&mut nodes, &progress, &stop);
        let run = |id: &str| {
            let host = Host { disks: vec![Disk::default(); 65_536], ..Host::default() };
            let peer = Peer { host: Some(host.clone()), ..Peer::default() };
            Run { run_id: id.into(), host, peers: vec![peer], ..Run::default() }
        };
        for ticket in 0..4 {
            bus.hold(0, ticket, run(&ticket.to_string())).unwrap();
        }
        assert!(bus.brought_bytes[&0] < 4 << 20, "{} bytes", bus.brought_bytes[&0]);
        let known = Host { hostname: "db1".into(), ..Host::default() };
        let opened = bus.runs[&3].open(&known).unwrap();
        assert_eq!((opened.run_id.as_str(), opened.host), ("3", known));
        assert_eq!(
            opened.peers[0].host.as_ref().unwrap().disks.len(),
            65_536,
            "what it says of others stays"
        );
        bus.most_bytes = bus.brought_bytes[&0];
        assert!(bus.hold(0, 4, run("4")).unwrap_err().to_string().contains("more room"));
        bus.hold(1, 5, run("5")).unwrap();
        assert!(!bus.runs.contains_key(&4) && bus.runs.contains_key(&5));
    }
}
