//! What is measured after what: light tests, streams in rounds, suspects alone, storage.

use super::bus::{Finished, Job, NodeBus, What};
use super::collect::Collector;
use super::nodes::{Nodes, Said};
use super::packed::Runs;
use super::plan::{self, MeshPlan};
use crate::output::progress::Progress;
use fullwire_mesh::conduct::{Bus as _, Conductor, Event, HostId, Patience, Test, Ticket, conduct};
use fullwire_mesh::judge::suspects;
use fullwire_mesh::message::Report;
use fullwire_mesh::order::ROUND_TRIPS_NS;
use fullwire_mesh::schedule::{Resources, rounds};
use fullwire_mesh::topology::Topology;
use fullwire_model::host::Host;
use fullwire_model::mesh::{HostState, Mesh, MeshMode};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// For a host to read itself in the beginning.
const HELLO_WITHIN: Duration = Duration::from_secs(40);
/// Concurrent light tests on one host: two, as driver and as responder.
const LIGHT_PER_HOST: u32 = 2;
/// A light test next to its round trips: a search of the path MTU where packets are dropped, ns.
const LIGHT_NS: u64 = ROUND_TRIPS_NS + 1_500_000_000;
/// A step of a disk plan takes this long next to its duration: its private file is written first, ns.
const DISK_LAYOUT_NS: u64 = 20_000_000_000;

/// Conducts all lists of tests over the nodes.
pub(crate) struct Phases<'a> {
    plan: &'a MeshPlan,
    conductor: Conductor,
    bus: NodeBus<'a>,
    stop: &'a AtomicBool,
    collector: Collector,
    /// Below each storage target, by host.
    storage: HashMap<HostId, Vec<Vec<String>>>,
}

impl<'a> Phases<'a> {
    /// Tickets are above `above`.
    pub(crate) fn new(
        plan: &'a MeshPlan,
        nodes: &'a mut dyn Nodes,
        mesh: Mesh,
        progress: &'a Progress,
        stop: &'a AtomicBool,
        above: Ticket,
    ) -> Self {
        let mut phases = Self {
            plan,
            conductor: Conductor::new(plan.hosts.len(), Patience::default()).above(above),
            storage: HashMap::new(),
            collector: Collector::new(mesh, nodes.keeps_runs()),
            bus: NodeBus::new(nodes, progress, stop),
            stop,
        };
        phases.greet(progress);
        phases
    }

    /// Measures everything; the mesh, and the runs that it was made of.
    pub(crate) fn run(mut self) -> (Mesh, Runs) {
        let rounds = self.stream_rounds();
        self.collector.mesh.rounds = rounds.values().flatten().max().map_or(0, |&round| round as u64 + 1);
        let each_ns = self.plan.stream.duration_ns() + 2_000_000_000;
        let streams_ns = self.collector.mesh.rounds * each_ns * self.plan.networks.len() as u64;
        self.bus.later_ns = streams_ns;
        self.light();
        for network in &self.plan.networks {
            self.bus.later_ns =
                self.bus.later_ns.saturating_sub(streams_ns / self.plan.networks.len().max(1) as u64);
            self.streams(network, &rounds[network]);
        }
        if self.plan.mode == MeshMode::Pairs {
            for network in &self.plan.networks {
                self.alone(network);
            }
        }
        self.disks();
        self.note_hosts();
        self.collector.finish(self.stop.load(Ordering::Relaxed))
    }

    /// Each host reads itself and says so; one that does not, or that speaks another protocol, takes no part.
    fn greet(&mut self, progress: &Progress) {
        progress.doing("reading the hosts");
        let hosts = self.plan.hosts.len();
        let mut waiting: Vec<HostId> = (0..hosts).filter(|&host| self.collector.is_present(host)).collect();
        for &host in &waiting {
            self.bus.nodes().begin(host);
        }
        let deadline = Instant::now() + HELLO_WITHIN;
        while !waiting.is_empty() && Instant::now() < deadline && !self.stop.load(Ordering::Relaxed) {
            let Some((host, said)) = self.bus.nodes().hear(Duration::from_millis(100)) else { continue };
            match said {
                Said::Report(report) => {
                    if let Report::Hello { version, protocol, host: records, storage } = *report {
                        waiting.retain(|&other| other != host);
                        self.welcome(host, &version, protocol, *records, storage);
                    }
                }
                Said::Gone(why) => {
                    waiting.retain(|&other| other != host);
                    self.collector.absent(host, HostState::Absent, &why);
                    self.conductor.on(self.bus.now_ns(), host, &Event::Lost(why));
                }
                Said::NotBack => {}
            }
        }
        for host in waiting {
            self.collector.absent(host, HostState::Absent, "it started but did not answer");
        }
    }

    fn welcome(
        &mut self,
        host: HostId,
        version: &str,
        protocol: u32,
        records: Host,
        storage: Vec<Vec<String>>,
    ) {
        if let Err(why) = self.bus.nodes().fits(version, protocol) {
            return self.collector.absent(host, HostState::Foreign, &why);
        }
        self.collector.welcome(host, version, records);
        self.storage.insert(host, storage);
        self.conductor.on(self.bus.now_ns(), host, &Event::Ready);
    }

    /// Round trip and path MTU of each ordered pair.
    fn light(&mut self) {
        let mut resources = Resources::new(self.plan.hosts.len(), LIGHT_PER_HOST, &Topology::flat(0));
        let gate = self.gate(&mut resources);
        let mut tests = Vec::new();
        let mut jobs = Vec::new();
        for network in &self.plan.networks {
            for (from, to) in self.plan.ordered(network) {
                jobs.push(job(from, to, network, What::Light));
                let resources = [from, to].into_iter().chain(gate).collect();
                tests.push(Test { client: from, server: Some(to), resources, round: 0, length_ns: LIGHT_NS });
            }
        }
        self.conduct("round trips and MTU", jobs, tests, &resources, false);
    }

    /// The round of both ways of each pair, by network.
    fn stream_rounds(&self) -> BTreeMap<String, Vec<usize>> {
        let of_network = |network: &String| {
            let resources = Resources::new(self.plan.hosts.len(), 1, &self.links());
            let pairs: Vec<(usize, usize)> = self.plan.ordered(network).step_by(2).collect();
            let demands: Vec<Vec<usize>> =
                pairs.iter().map(|&pair| resources.of_pair(pair, &self.links())).collect();
            let rounds = match self.plan.mode {
                MeshMode::All => vec![0; pairs.len()],
                _ => rounds(&demands, &resources),
            };
            let both = rounds.into_iter().flat_map(|round| match self.plan.mode {
                MeshMode::All => [0, 0],
                _ => [2 * round, 2 * round + 1],
            });
            (network.clone(), both.collect())
        };
        self.plan.networks.iter().map(of_network).collect()
    }

    /// Uplinks count where the question is about single paths; the other modes ask what they carry.
    fn links(&self) -> Topology {
        match self.plan.mode {
            MeshMode::Pairs => self.plan.topology.clone(),
            MeshMode::Round | MeshMode::All => Topology::flat(self.plan.hosts.len()),
        }
    }

    fn streams(&mut self, network: &str, rounds: &[usize]) {
        let per_host = match self.plan.mode {
            MeshMode::All => u32::MAX,
            _ => 1,
        };
        let links = self.links();
        let mut resources = Resources::new(self.plan.hosts.len(), per_host, &links);
        let gate = self.gate(&mut resources);
        let (mut jobs, mut tests) = (Vec::new(), Vec::new());
        for ((from, to), &round) in self.plan.ordered(network).zip(rounds) {
            if !self.collector.is_open(network, from, to) {
                continue;
            }
            jobs.push(Job { round, ..job(from, to, network, self.stream()) });
            let needs = resources.of_pair((from, to), &links).into_iter().chain(gate).collect();
            let length_ns = self.plan.stream.duration_ns();
            tests.push(Test { client: from, server: Some(to), resources: needs, round, length_ns });
        }
        let lockstep = self.plan.mode != MeshMode::Pairs;
        self.conduct(&label("streams", network, self.plan), jobs, tests, &resources, lockstep);
    }

    /// What looks bad, and the slowest few, while nothing else runs.
    fn alone(&mut self, network: &str) {
        let mut resources = Resources::new(self.plan.hosts.len(), 1, &Topology::flat(0));
        let everything = resources.extend(1);
        let (mut jobs, mut tests) = (Vec::new(), Vec::new());
        for (from, to) in suspects(&self.collector.mesh, network) {
            jobs.push(Job { alone: true, ..job(from, to, network, self.stream()) });
            let resources = vec![from, to, everything];
            let length_ns = self.plan.stream.duration_ns();
            tests.push(Test { client: from, server: Some(to), resources, round: tests.len(), length_ns });
        }
        self.conduct(&label("again, alone", network, self.plan), jobs, tests, &resources, false);
    }

    /// The same plan on each host; what they share is loaded by one at a time.
    fn disks(&mut self) {
        for (index, order) in self.plan.disks.iter().enumerate() {
            let plan = plan::disk(order);
            let mut resources = Resources::new(self.plan.hosts.len(), 1, &Topology::flat(0));
            let mut shared: BTreeMap<&String, usize> = BTreeMap::new();
            for identity in self.storage.values().filter_map(|all| all.get(index)).flatten() {
                shared.entry(identity).or_insert_with(|| resources.extend(1));
            }
            let length_ns: u64 = plan
                .steps
                .iter()
                .map(|step| {
                    step.duration_ns.max(1_000_000_000) * u64::from(step.repeats.max(1)) + DISK_LAYOUT_NS
                })
                .sum();
            let (mut jobs, mut tests) = (Vec::new(), Vec::new());
            for host in (0..self.plan.hosts.len()).filter(|&host| self.conductor.is_ready(host)) {
                let below: &[String] =
                    self.storage.get(&host).and_then(|all| all.get(index)).map_or(&[], Vec::as_slice);
                let together = self.plan.together;
                self.collector.storage(host, order.target(), below, together);
                let own =
                    below.iter().filter(|_| !together).filter_map(|identity| shared.get(identity).copied());
                let needs: Vec<usize> = std::iter::once(host).chain(own).collect();
                jobs.push(job(host, host, "", What::Disk(order.clone())));
                tests.push(Test { client: host, server: None, resources: needs, round: 0, length_ns });
            }
            self.conduct(&format!("storage {}", order.target()), jobs, tests, &resources, self.plan.together);
        }
    }

    fn conduct(
        &mut self,
        label: &str,
        jobs: Vec<Job>,
        tests: Vec<Test>,
        resources: &Resources,
        lockstep: bool,
    ) {
        if self.stop.load(Ordering::Relaxed) || tests.is_empty() {
            return;
        }
        self.bus.load(label, jobs);
        let now_ns = self.bus.now_ns();
        let first = self.conductor.begin(now_ns, tests, resources, lockstep);
        conduct(&mut self.conductor, &mut self.bus, &first);
        let finished: Vec<Finished> = self.bus.collect();
        for one in finished {
            self.collector.take(one);
        }
    }

    /// Hosts that went away and did not come back.
    fn note_hosts(&mut self) {
        for (host, why) in &self.bus.lost {
            if !self.conductor.is_ready(*host) {
                self.collector.absent(*host, HostState::Lost, why);
            }
        }
    }

    /// `--parallel`: a resource that all tests need.
    fn gate(&self, resources: &mut Resources) -> Option<usize> {
        self.plan.parallel.map(|most| resources.extend_by(most))
    }

    /// A stream that keeps to `--max-rate` together with the others that its hosts carry meanwhile.
    fn stream(&self) -> What {
        let at_once = match self.plan.mode {
            MeshMode::All => self.plan.hosts.len().saturating_sub(1).max(1),
            MeshMode::Round | MeshMode::Pairs => 1,
        };
        let order = self.plan.stream.at_most(self.plan.limits.rate_bytes_per_s / at_once as f64);
        What::Stream { order, expect_bytes_per_s: self.plan.expect_bytes_per_s }
    }
}

fn job(from: HostId, to: HostId, network: &str, what: What) -> Job {
    Job { from, to, network: network.to_owned(), what, round: 0, alone: false }
}

fn label(what: &str, network: &str, plan: &MeshPlan) -> String {
    if plan.networks.len() > 1 { format!("{what} on {network}") } else { what.to_owned() }
}
