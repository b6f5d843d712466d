//! Which agents are there, and who listens to them now.

use fullwire_mesh::conduct::Ticket;
use fullwire_mesh::estate::{Here, Word};
use fullwire_model::Run;
use fullwire_store::postgres::HostRow;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// An agent that has said nothing for this long is not there: three of its words and a half.
pub(super) const MISSING: Duration = Duration::from_secs(35);

/// What a round hears.
pub(super) enum Brought {
    Word(Word),
    /// A result that has been committed.
    Done(Ticket, Box<Run>),
}

/// The agents, by name.
#[derive(Default)]
pub(super) struct Presence {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    hosts: BTreeMap<String, Known>,
    round: Option<SyncSender<(String, Brought)>>,
}

struct Known {
    here: Here,
    heard: Instant,
    at: Timestamp,
}

impl Presence {
    /// An agent said something.
    pub(super) fn hear(&self, host: &str, word: Word) {
        let mut inner = self.lock();
        if let Word::Here(here) = &word {
            let known = Known { here: here.clone(), heard: Instant::now(), at: Timestamp::now() };
            inner.hosts.insert(host.to_owned(), known);
        }
        inner.pass(host, Brought::Word(word));
    }

    /// A result of an agent has been committed.
    pub(super) fn done(&self, host: &str, ticket: Ticket, run: Box<Run>) {
        self.lock().pass(host, Brought::Done(ticket, run));
    }

    /// From now on a round listens, or none.
    pub(super) fn listen(&self, round: Option<SyncSender<(String, Brought)>>) {
        self.lock().round = round;
    }

    /// Those that are there.
    pub(super) fn present(&self) -> BTreeMap<String, Here> {
        let inner = self.lock();
        let there = inner.hosts.iter().filter(|(_, known)| known.heard.elapsed() < MISSING);
        there.map(|(name, known)| (name.clone(), known.here.clone())).collect()
    }

    /// As one of them said last, if it is there.
    pub(super) fn of(&self, host: &str) -> Option<Here> {
        let inner = self.lock();
        let known = inner.hosts.get(host).filter(|known| known.heard.elapsed() < MISSING);
        known.map(|known| known.here.clone())
    }

    /// All that were heard, as the shared store keeps them.
    pub(super) fn rows(&self) -> Vec<HostRow> {
        let row = |(name, known): (&String, &Known)| HostRow {
            name: name.clone(),
            version: known.here.version.clone(),
            addresses: serde_json::to_string(&known.here.addresses).unwrap_or_default(),
            first_seen: None,
            last_seen: Some(known.at),
            unsent: known.here.owed,
            detail: known.here.trouble.clone(),
        };
        self.lock().hosts.iter().map(row).collect()
    }

    /// A thread that panicked leaves values that are whole.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn pass(&mut self, host: &str, brought: Brought) {
        // What comes faster than a round hears it is lost, as on any bus: an agent that floods fills no memory.
        let Some(round) = &self.round else { return };
        if let Err(TrySendError::Disconnected(_)) = round.try_send((host.to_owned(), brought)) {
            self.round = None;
        }
    }
}
