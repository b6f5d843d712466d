//! Results from the moment in which they are measured until the shared store has them for good.

use crate::estate::credential::Credential;
use crate::estate::link::Sayer;
use crate::estate::packed::packed;
use crate::session;
use anyhow::{Context, Result};
use fullwire_mesh::conduct::Ticket;
use fullwire_mesh::estate::{Delivery, Subjects};
use fullwire_model::Run;
use fullwire_store::{Owed, Store};
use jiff::{Timestamp, ToSpan as _};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// A result without a receipt is brought again after this time: longer than the stream takes two of one id for one.
const AGAIN: Duration = Duration::from_secs(15);
/// On their way at once.
const AT_ONCE: usize = 16;
/// Results that have their receipt stay on this host this long.
const STAY_DAYS: i64 = 30;
/// Day and bytes that tests moved on it.
const SPENT: &str = "spent";

/// What is kept with a run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Envelope {
    round: String,
    ticket: Ticket,
    to: String,
    network: String,
}

/// Results of this host.
pub(super) struct Outbox {
    store: Store,
    host: String,
    session: String,
    subjects: Subjects,
    /// The term is kept under this name: a fence against old coordinators, of one key. With another key terms begin anew,
    /// whatever the one before has signed.
    term_note: String,
    /// When each was brought last, and when it is to be brought again.
    under_way: HashMap<String, Instant>,
}

impl Outbox {
    pub(super) fn open(
        path: &Path,
        credential: &Credential,
        session: &str,
        subjects: &Subjects,
    ) -> Result<Self> {
        Ok(Self {
            store: Store::open(session::store::real(path)?)?,
            host: credential.member.clone(),
            term_note: format!("term {}", credential.plan_key),
            session: session.to_owned(),
            subjects: subjects.clone(),
            under_way: HashMap::new(),
        })
    }

    /// Keeps a result before anyone hears of it.
    pub(super) fn keep(
        &mut self,
        run: &Run,
        round: &str,
        ticket: Ticket,
        to: &str,
        network: &str,
    ) -> Result<()> {
        let envelope = Envelope { round: round.into(), ticket, to: to.into(), network: network.into() };
        let about = serde_json::to_string(&envelope).context("write what belongs to a result")?;
        Ok(self.store.keep_owed(run, &about)?)
    }

    /// Brings what is owed and not in progress. False: a receipt was waited for in vain.
    pub(super) fn bring(&mut self, say: &Sayer) -> Result<bool> {
        let now = Instant::now();
        let before = self.under_way.len();
        self.under_way.retain(|_, again| *again > now);
        let in_time = self.under_way.len() == before;
        let room = AT_ONCE.saturating_sub(self.under_way.len());
        if room == 0 {
            return Ok(in_time);
        }
        let most = u32::try_from(self.under_way.len() + room).unwrap_or(u32::MAX);
        for owed in self.store.owed(most)? {
            if !self.under_way.contains_key(&owed.run_id) && self.under_way.len() < AT_ONCE {
                self.bring_one(&owed, say, now)?;
            }
        }
        Ok(in_time)
    }

    fn bring_one(&mut self, owed: &Owed, say: &Sayer, now: Instant) -> Result<()> {
        let envelope: Envelope = fullwire_model::json::read(owed.about.as_bytes()).unwrap_or_default();
        let delivery = Delivery {
            session: self.session.clone(),
            round: envelope.round,
            ticket: envelope.ticket,
            to: envelope.to,
            network: envelope.network,
            run: Box::new(self.store.load(&owed.run_id)?),
        };
        if say.deliver(&owed.run_id, self.subjects.result(&self.host), packed(&delivery)?) {
            self.under_way.insert(owed.run_id.clone(), now + AGAIN);
        }
        Ok(())
    }

    /// After a connection everything may be brought at once.
    pub(super) fn at_once(&mut self) {
        self.under_way.clear();
    }

    /// It is kept for good elsewhere, or never will be.
    pub(super) fn settle(&mut self, run_id: &str) -> Result<()> {
        self.under_way.remove(run_id);
        self.store.settle(run_id)?;
        Ok(())
    }

    pub(super) fn owed(&self) -> u64 {
        self.store.count_owed().unwrap_or(0)
    }

    /// The highest term that this host has obeyed.
    pub(super) fn term(&self) -> Result<u64> {
        Ok(self.store.note(&self.term_note)?.and_then(|text| text.parse().ok()).unwrap_or(0))
    }

    pub(super) fn set_term(&mut self, term: u64) -> Result<()> {
        Ok(self.store.set_note(&self.term_note, &term.to_string())?)
    }

    /// Bytes that tests moved through this host today, by its own calendar.
    pub(super) fn spent(&self) -> u64 {
        let note = self.store.note(SPENT).ok().flatten().unwrap_or_default();
        let mut words = note.split(' ');
        let same_day = words.next() == Some(today().as_str());
        words.next().filter(|_| same_day).and_then(|bytes| bytes.parse().ok()).unwrap_or(0)
    }

    pub(super) fn spend(&mut self, bytes: u64) -> Result<()> {
        let spent = self.spent().saturating_add(bytes);
        Ok(self.store.set_note(SPENT, &format!("{} {spent}", today()))?)
    }

    /// These were not moved after all. What was counted yesterday is not counted today.
    pub(super) fn unspend(&mut self, bytes: u64) -> Result<()> {
        let spent = self.spent().saturating_sub(bytes);
        Ok(self.store.set_note(SPENT, &format!("{} {spent}", today()))?)
    }

    /// Removes what is old and acknowledged.
    pub(super) fn forget(&mut self) -> Result<u64> {
        let before = Timestamp::now().checked_sub((STAY_DAYS * 24).hours()).unwrap_or_default();
        Ok(self.store.forget_before(before)?)
    }
}

fn today() -> String {
    jiff::Zoned::now().date().to_string()
}
