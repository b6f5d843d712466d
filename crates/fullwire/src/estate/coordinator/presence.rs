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
    /// The session before this one.
    before: Option<String>,
    /// When a session spoke again after another one had: a life that is over says nothing more, so that two go on.
    twice: Option<Instant>,
}

/// Two hosts, of which one was cloned or one stole the file: neither is given a plan.
const TWICE: &str = "two hosts speak with this credential: stop one, and enrol it under a name of its own";

impl Known {
    fn new(here: Here, known: Option<Self>) -> Self {
        let (mut before, mut twice) = (None, None);
        if let Some(known) = known {
            (before, twice) = (known.before, known.twice);
            if known.here.session != here.session {
                if before.as_ref() == Some(&here.session) {
                    twice = Some(Instant::now());
                }
                before = Some(known.here.session);
            }
        }
        Self { here, heard: Instant::now(), at: Timestamp::now(), before, twice }
    }

    fn is_twice(&self) -> bool {
        self.twice.is_some_and(|seen| seen.elapsed() < MISSING)
    }

    fn is_there(&self) -> bool {
        self.heard.elapsed() < MISSING && !self.is_twice()
    }
}

impl Presence {
    /// An agent said something.
    pub(super) fn hear(&self, host: &str, word: Word) {
        let mut inner = self.lock();
        if let Word::Here(here) = &word {
            let known = inner.hosts.remove(host);
            inner.hosts.insert(host.to_owned(), Known::new(here.clone(), known));
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
        let there = inner.hosts.iter().filter(|(_, known)| known.is_there());
        there.map(|(name, known)| (name.clone(), known.here.clone())).collect()
    }

    /// As one of them said last, if it is there.
    pub(super) fn of(&self, host: &str) -> Option<Here> {
        let inner = self.lock();
        let known = inner.hosts.get(host).filter(|known| known.is_there());
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
            detail: if known.is_twice() { TWICE.to_owned() } else { known.here.trouble.clone() },
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_that_two_hosts_use_is_told_and_gets_no_plan() {
        let presence = Presence::default();
        let hear = |session: &str| {
            presence.hear("db1", Word::Here(Here { session: session.to_owned(), ..Here::default() }));
            (presence.of("db1").is_some(), presence.rows()[0].detail.as_str() == TWICE)
        };
        // An agent that is started anew is another session, and goes on.
        for session in ["a", "a", "b", "b", "c"] {
            assert_eq!(hear(session), (true, false), "{session}");
        }
        assert_eq!(hear("b"), (false, true));
        assert_eq!(hear("b"), (false, true), "as long as both may speak");
        assert!(presence.present().is_empty());
    }
}
