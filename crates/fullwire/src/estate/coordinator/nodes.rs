//! The nodes of agents: the same mesh as over ssh, its orders signed, its words over the bus.

use super::presence::{Brought, Presence};
use crate::estate::seal::Sealer;
use crate::mesh::{Nodes, Said, with_port};
use fullwire_mesh::estate::{Here, Instruction, NETWORKS_MOST, Word, term_of};
use fullwire_mesh::limits::HostLimits;
use fullwire_mesh::message::{Order, Place, Report};
use fullwire_mesh::order::LIST_LIMIT;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// A node ends that hears nothing for 30 s.
const BEAT: Duration = Duration::from_secs(5);

/// The agents of one round.
pub(super) struct AgentNodes {
    pub(super) round: String,
    pub(super) term: u64,
    pub(super) hosts: Vec<Agent>,
    pub(super) index: HashMap<String, usize>,
    pub(super) limits: HostLimits,
    pub(super) storage: Vec<String>,
    pub(super) sealer: Arc<Sealer>,
    pub(super) presence: Arc<Presence>,
    pub(super) hear: Receiver<(String, Brought)>,
    waiting: VecDeque<(usize, Said)>,
    beat: Instant,
}

/// One of them.
pub(super) struct Agent {
    name: String,
    addresses: BTreeMap<String, String>,
    /// Of its agent, while it takes part.
    session: Option<String>,
    /// Port and key of its responder.
    open: Option<(u16, String)>,
}

impl Agent {
    /// `here`: as it said last, where it is there.
    pub(super) fn new(name: &str, here: Option<&Here>) -> Self {
        Self {
            name: name.to_owned(),
            addresses: here.map(|here| here.addresses.clone()).unwrap_or_default(),
            session: here.map(|here| here.session.clone()),
            open: None,
        }
    }
}

impl AgentNodes {
    pub(super) fn new(
        round: &str,
        term: u64,
        hosts: Vec<Agent>,
        sealer: &Arc<Sealer>,
        presence: &Arc<Presence>,
        hear: Receiver<(String, Brought)>,
    ) -> Self {
        Self {
            round: round.to_owned(),
            term,
            index: hosts.iter().enumerate().map(|(index, host)| (host.name.clone(), index)).collect(),
            hosts,
            limits: HostLimits::default(),
            storage: Vec::new(),
            sealer: Arc::clone(sealer),
            presence: Arc::clone(presence),
            hear,
            waiting: VecDeque::new(),
            beat: Instant::now(),
        }
    }

    /// The round is over: every node ends.
    pub(super) fn end(&self) {
        for agent in &self.hosts {
            self.send(agent, Instruction::Rest);
        }
    }

    fn send(&self, agent: &Agent, instruction: Instruction) {
        if let Some(session) = &agent.session {
            self.sealer.send(&agent.name, session, &self.round, instruction);
        }
    }

    /// What a word means to the round.
    fn word(&mut self, host: usize, word: Word) -> Option<Said> {
        let agent = &mut self.hosts[host];
        let ours = |session: &str| agent.session.as_deref() == Some(session);
        match word {
            Word::Here(here) if agent.session.is_some() && !ours(&here.session) => {
                (agent.session, agent.open) = (None, None);
                Some(Said::Gone("its agent started again".into()))
            }
            Word::Open { session, port, key } if ours(&session) => {
                agent.open = Some((port, key));
                None
            }
            // A result counts once it has been committed: that comes another way.
            Word::Report { session, report } if ours(&session) && !matches!(*report, Report::Done { .. }) => {
                Some(Said::Report(report))
            }
            Word::Closed { session, why } if ours(&session) => {
                agent.open = None;
                Some(Said::Gone(why))
            }
            _ => None,
        }
    }

    fn beat(&mut self) {
        if self.beat.elapsed() >= BEAT {
            self.beat = Instant::now();
            for agent in self.hosts.iter().filter(|agent| agent.open.is_some()) {
                self.send(agent, Instruction::Order(Order::Alive));
            }
        }
    }
}

impl Nodes for AgentNodes {
    fn begin(&mut self, host: usize) {
        // Of each host the first, then the second: none takes the places of the others.
        let nth =
            |place| self.hosts.iter().filter_map(move |agent| agent.addresses.values().nth(place).cloned());
        let peers = (0..NETWORKS_MOST).flat_map(nth).take(LIST_LIMIT).collect();
        let order = Order::Begin { limits: self.limits.clone(), peers, storage: self.storage.clone() };
        self.order(host, order);
    }

    fn order(&mut self, host: usize, order: Order) {
        self.send(&self.hosts[host], Instruction::Order(order));
    }

    fn hear(&mut self, within: Duration) -> Option<(usize, Said)> {
        self.beat();
        if let Some(said) = self.waiting.pop_front() {
            return Some(said);
        }
        let (name, brought) = self.hear.recv_timeout(within).ok()?;
        let host = *self.index.get(&name)?;
        let said = match brought {
            Brought::Word(word) => self.word(host, word),
            Brought::Done(ticket, run) if term_of(ticket) == self.term => {
                Some(Said::Report(Box::new(Report::Done { ticket, run })))
            }
            Brought::Done(..) => None,
        };
        said.map(|said| (host, said))
    }

    fn place(&self, host: usize, network: &str) -> Option<Place> {
        let agent = &self.hosts[host];
        let (port, key) = agent.open.as_ref()?;
        let address = agent.addresses.get(network)?;
        Some(Place {
            name: agent.name.clone(),
            address: with_port(address, *port),
            key: key.clone(),
            network: network.to_owned(),
        })
    }

    fn revive(&mut self, host: usize) {
        let here = self.presence.of(&self.hosts[host].name);
        let agent = &mut self.hosts[host];
        agent.open = None;
        agent.session = here.map(|here| here.session);
        if agent.session.is_some() {
            self.begin(host);
        } else {
            self.waiting.push_back((host, Said::NotBack));
        }
    }

    fn keeps_runs(&self) -> bool {
        true
    }
}
