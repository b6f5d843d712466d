//! `fullwire coordinator`: one of them leads, plans the rounds, and keeps what comes.

mod ingest;
mod look;
mod nodes;
mod page;
mod presence;
mod round;

pub(super) use look::look;

use super::credential::{self, Coordinator};
use super::link::{self, Heard, Listen, Sayer, UNCOMMITTED};
use super::packed::{unpacked_most_bytes, weighed};
use super::seal::Sealer;
use crate::allowance::Allowances;
use crate::cli::CoordinatorArgs;
use crate::output::Show;
use crate::{database, signals};
use anyhow::{Context, Result};
use fullwire_mesh::estate::{Subjects, Word};
use fullwire_mesh::judge;
use fullwire_model::mesh::Mesh;
use fullwire_present::{json, terminal};
use fullwire_store::postgres::{Shared, Term};
use ingest::{Came, Ingest, LINES};
use jiff::Timestamp;
use presence::Presence;
use round::Rounds;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Between two tries to lead, and after trouble.
const AGAIN: Duration = Duration::from_secs(2);
/// How often it is asked whether this is still the one that leads.
const GUARD: Duration = Duration::from_secs(2);
/// How often it is written down which hosts are there.
const WRITE: Duration = Duration::from_secs(30);
/// How often partitions are looked after.
const TIDY: Duration = Duration::from_secs(3600);
const TICK: Duration = Duration::from_millis(200);

pub(crate) fn run(args: &CoordinatorArgs, show: &Show) -> Result<ExitCode> {
    let stop = signals::on_signals()?;
    let config: Coordinator = credential::read(&args.credential)?;
    page::serve(args, &config, show, &stop)?;
    let mut said = Once::default();
    while !stop.load(Ordering::Relaxed) {
        match lead(args, &config, &stop, show, &mut said) {
            Ok(Some(code)) => return Ok(code),
            Ok(None) => {}
            Err(error) => said.warn(&crate::sentence(&error)),
        }
        signals::sleep_until(Instant::now() + AGAIN, &stop);
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits its turn, then leads until it must not any more. `Some`: all is done.
fn lead(
    args: &CoordinatorArgs,
    config: &Coordinator,
    stop: &Arc<AtomicBool>,
    show: &Show,
    said: &mut Once,
) -> Result<Option<ExitCode>> {
    let mut holder = database::shared(&config.database)?;
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let term = loop {
        if let Some(term) = holder.lead(&name)? {
            break term;
        }
        let on = holder.coordinator()?.map(|(name, ..)| format!(", on {name}"));
        said.note(show, &format!("another coordinator leads{}: waiting", on.unwrap_or_default()));
        if !signals::sleep_until(Instant::now() + AGAIN, stop) {
            return Ok(Some(ExitCode::SUCCESS));
        }
    };
    said.note(show, &format!("coordinator of the estate {}, term {}", config.credential.estate, term.0));
    let halt = Arc::new(AtomicBool::new(false));
    let (stop, halted) = (Arc::clone(stop), Arc::clone(&halt));
    let guard = std::thread::Builder::new().name("guard".into());
    let guard = guard.spawn(move || watch(&holder, term, &stop, &halted)).context("start a thread")?;
    let outcome = Led::start(args, config, term, &halt, show).and_then(Led::run);
    halt.store(true, Ordering::Relaxed);
    // A panic there has been printed on stderr.
    let _ = guard.join();
    outcome
}

/// Holds the lease, and raises the flag when it is lost or a signal has come.
fn watch(holder: &Shared, term: Term, stop: &AtomicBool, halt: &AtomicBool) {
    let mut asked = Instant::now();
    while !halt.load(Ordering::Relaxed) {
        std::thread::sleep(TICK);
        if asked.elapsed() >= GUARD {
            asked = Instant::now();
            if !matches!(holder.leads(term), Ok(true)) {
                halt.store(true, Ordering::Relaxed);
            }
        }
        if stop.load(Ordering::Relaxed) {
            halt.store(true, Ordering::Relaxed);
        }
    }
    // Where the database does not answer, the lease ends by itself.
    let _ = holder.resign(term);
}

/// Writes down which hosts are there, also while a round lasts. Without the database it is tried again; who leads says what is wrong.
fn write_presence(database: &str, presence: &Presence, every: Duration, halt: &AtomicBool) {
    let (mut store, mut written) = (None::<Shared>, Instant::now());
    while !halt.load(Ordering::Relaxed) {
        std::thread::sleep(TICK);
        if written.elapsed() < every {
            continue;
        }
        written = Instant::now();
        store = store.or_else(|| database::shared(database).ok());
        store = store.and_then(|mut store| store.saw(&presence.rows()).is_ok().then_some(store));
    }
}

/// A coordinator that leads.
struct Led<'a> {
    rounds: Rounds<'a>,
    config: &'a Coordinator,
    store: Shared,
    since: Instant,
    /// As long as it is held, they are heard.
    _words: Sayer,
}

impl<'a> Led<'a> {
    fn start(
        args: &'a CoordinatorArgs,
        config: &'a Coordinator,
        term: Term,
        halt: &Arc<AtomicBool>,
        show: &'a Show,
    ) -> Result<Self> {
        let credential = &config.credential;
        let subjects = Subjects::new(&credential.estate)?;
        let presence = Arc::new(Presence::default());
        let (came, results) = mpsc::sync_channel(UNCOMMITTED);
        // Words have a connection of their own: a host that floods it keeps no result from coming, and no receipt.
        let listen = Listen { subjects: vec![subjects.all("here"), subjects.all("said")], results: None };
        let words = link::start(credential, listen, words(&subjects, &presence, halt))?;
        words.publish(subjects.call(), Vec::new());
        let listen = Listen { subjects: Vec::new(), results: Some(config.replicas) };
        let say = link::start(credential, listen, arrivals(came, halt))?;
        let sealer = Arc::new(Sealer::new(&config.plan_seed, &credential.estate, term.0, say.clone())?);
        let mut ingest = Ingest {
            database: config.database.clone(),
            subjects,
            sealer: Arc::clone(&sealer),
            say,
            presence: Arc::clone(&presence),
            halt: Arc::clone(halt),
            lines: Allowances::new(LINES),
        };
        let work = move || ingest.run(&results);
        std::thread::Builder::new().name("ingest".into()).spawn(work).context("start a thread")?;
        let (database, seen, over) = (config.database.clone(), Arc::clone(&presence), Arc::clone(halt));
        let every = WRITE.min(args.gather);
        let work = move || write_presence(&database, &seen, every, &over);
        std::thread::Builder::new().name("presence".into()).spawn(work).context("start a thread")?;
        Ok(Self {
            rounds: Rounds { args, term, sealer, presence, halt: Arc::clone(halt), show },
            store: database::shared(&config.database)?,
            config,
            since: Instant::now(),
            _words: words,
        })
    }

    /// Rounds when they are due, until the term is over.
    fn run(mut self) -> Result<Option<ExitCode>> {
        let args = self.rounds.args;
        let mut tidied = None::<Instant>;
        let mut due = self.due()?;
        while !self.halted() {
            std::thread::sleep(TICK);
            if tidied.is_none_or(|at| at.elapsed() >= TIDY) {
                tidied = Some(Instant::now());
                self.tidy();
            }
            if self.since.elapsed() < args.gather || Timestamp::now() < due {
                continue;
            }
            self.store.saw(&self.rounds.presence.rows())?;
            let measured = self.rounds.one(&mut self.store)?;
            due = self.due()?;
            match measured {
                Some(mesh) => self.report(&mesh)?,
                None if args.once => anyhow::bail!(
                    "fewer than two agents of the estate {} are there: fullwire estate status",
                    self.config.credential.estate
                ),
                // They may come at any time; until then there is nothing to say.
                None => due = Timestamp::now() + args.gather,
            }
            if args.once {
                // The last receipts are on their way.
                std::thread::sleep(AGAIN);
                return Ok(Some(ExitCode::SUCCESS));
            }
        }
        Ok(None)
    }

    /// When the next round begins: one interval after the last one began, under any coordinator.
    fn due(&self) -> Result<Timestamp> {
        if self.rounds.args.once {
            return Ok(Timestamp::UNIX_EPOCH);
        }
        let last = self.store.rounds(1)?.into_iter().next();
        Ok(last.map_or(Timestamp::UNIX_EPOCH, |round| round.started + self.rounds.args.every))
    }

    fn report(&self, mesh: &Mesh) -> Result<()> {
        let findings = judge::judge(mesh);
        if self.rounds.args.once {
            let show = self.rounds.show;
            return show
                .result(&json::mesh(mesh, &findings), || terminal::mesh(mesh, &findings).render(true));
        }
        self.rounds.show.note(&format!(
            "round {}: {} of {} paths, {} findings",
            mesh.mesh_id,
            mesh.cells.iter().filter(|cell| cell.throughput_bytes_per_s.is_some()).count(),
            mesh.cells.len(),
            findings.len()
        ));
        Ok(())
    }

    /// Partitions are made ahead and dropped when they are too old; a role without the right to it says so.
    fn tidy(&self) {
        let now = Timestamp::now();
        let made = match self.store.missing_partitions(now) {
            Ok(missing) if missing.is_empty() => Ok(()),
            Ok(_) => self.store.make_partitions(now),
            Err(error) => Err(error),
        };
        if let Err(error) = made {
            Show::warn(&error.to_string());
        }
        if let Some(retain) = self.rounds.args.retain {
            match self.store.drop_partitions(now - retain) {
                Ok(dropped) if dropped.is_empty() => {}
                Ok(dropped) => self.rounds.show.note(&format!("dropped {}", dropped.join(", "))),
                Err(error) => Show::warn(&error.to_string()),
            }
        }
    }

    fn halted(&self) -> bool {
        self.rounds.halt.load(Ordering::Relaxed)
    }
}

/// Bytes that the words of a host may unpack to at once, and each second (own choice): its hardware, some MB, comes once a round, the
/// other words are small and few. One that goes beyond it is not heard, and the others are, as far as its flood leaves the connection of words to them.
const WORDS_BYTES: (f64, f64) = (64e6, 512e3);
/// What a word costs at least, bytes.
const WORD_LEAST_BYTES: f64 = 4096.0;

/// The word of a host, unless it has said too much: then it is not unpacked.
fn word(allowances: &mut Allowances, host: &str, payload: &[u8]) -> Option<Word> {
    let allowance = allowances.of(host);
    if allowance.left() < unpacked_most_bytes(payload) as f64 {
        return None;
    }
    // What cannot be read has cost as much as the largest.
    let (word, bytes) = match weighed::<Word>(payload) {
        Ok((word, bytes)) => (Some(word), bytes as f64),
        Err(_) => (None, unpacked_most_bytes(payload) as f64),
    };
    allowance.pays(bytes.max(WORD_LEAST_BYTES));
    word
}

/// Passes words on. What is wrong with the server says the other connection.
fn words(
    subjects: &Subjects,
    presence: &Arc<Presence>,
    halt: &Arc<AtomicBool>,
) -> impl Fn(Heard) -> bool + Send + Sync + 'static {
    let (subjects, presence, halt) = (subjects.clone(), Arc::clone(presence), Arc::clone(halt));
    let allowances = Mutex::new(Allowances::new(WORDS_BYTES));
    move |heard| {
        if let Heard::Word { subject, payload } = heard
            && let Some((_, host)) = subjects.parse(&subject)
        {
            let mut allowances = allowances.lock().unwrap_or_else(PoisonError::into_inner);
            let word = word(&mut allowances, &host, &payload);
            drop(allowances);
            if let Some(word) = word {
                presence.hear(&host, word);
            }
        }
        !halt.load(Ordering::Relaxed)
    }
}

/// Passes results on.
fn arrivals(
    came: SyncSender<Came>,
    halt: &Arc<AtomicBool>,
) -> impl Fn(Heard) -> bool + Send + Sync + 'static {
    let (said, halt) = (Mutex::new(Once::default()), Arc::clone(halt));
    move |heard| {
        match heard {
            Heard::Word { .. } => {}
            // Where there is no room it comes again: who waited here would answer no server.
            Heard::Result { subject, payload, reply } => {
                let kept = came.try_send(Came { subject, payload, reply });
                return !matches!(kept, Err(TrySendError::Disconnected(_)));
            }
            Heard::Down(why) => said.lock().unwrap_or_else(PoisonError::into_inner).warn(&why),
            Heard::Up => said.lock().unwrap_or_else(PoisonError::into_inner).last.clear(),
        }
        !halt.load(Ordering::Relaxed)
    }
}

/// Says a thing once until another is said.
#[derive(Default)]
struct Once {
    last: String,
}

impl Once {
    fn warn(&mut self, text: &str) {
        if self.last != text {
            Show::warn(text);
            text.clone_into(&mut self.last);
        }
    }

    fn note(&mut self, show: &Show, text: &str) {
        if self.last != text {
            show.note(text);
            text.clone_into(&mut self.last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estate::packed::packed;
    use fullwire_mesh::estate::Here;

    #[test]
    fn a_host_that_floods_us_is_not_heard_and_the_others_are() {
        let here = packed(&Word::Here(Here { session: "s".into(), ..Here::default() })).unwrap();
        // A kilobyte that unpacks to more than a word may have.
        let bomb = packed(&Word::Closed { session: "s".into(), why: "x".repeat(1 << 20) }).unwrap();
        let mut allowances = Allowances::new(WORDS_BYTES);
        // Refused each time, and paid for each time.
        let heard = |allowances: &mut Allowances, host: &str, payload: &[u8]| {
            word(allowances, host, payload).is_some()
        };
        assert!(heard(&mut allowances, "db1", &here));
        assert!((0..1_000).all(|_| !heard(&mut allowances, "db1", &bomb)));
        assert!(!heard(&mut allowances, "db1", &here), "it has said too much");
        assert!(heard(&mut allowances, "db2", &here));
        // In the pace of agents nothing is lost: a word each second, for as long as one likes.
        assert!(WORD_LEAST_BYTES * 100.0 < WORDS_BYTES.1);
    }
}
