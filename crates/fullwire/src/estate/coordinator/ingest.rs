//! Results on their way into PostgreSQL: commit first, then the receipts.

use super::presence::Presence;
use crate::allowance::Allowances;
use crate::database;
use crate::estate::link::{Answer, Sayer};
use crate::estate::packed::weighed;
use crate::estate::seal::Sealer;
use crate::output::Show;
use fullwire_mesh::estate::{Delivery, Instruction, Subjects};
use fullwire_model::Run;
use fullwire_store::StoreError;
use fullwire_store::postgres::{Duty, Ingested, Item, Point, Shared};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// Results that are committed together.
const TOGETHER: usize = 64;
/// And no more memory than about this, bytes; one alone may take more.
const TOGETHER_BYTES: usize = 64 << 20;
/// An agent's clock may be ahead by this.
const AHEAD: Duration = Duration::from_secs(24 * 3600);
/// A result has waited for its receipt no longer than this.
const WAITED: Duration = Duration::from_secs(90 * 24 * 3600);
/// After the database did not take them.
const PAUSE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(200);
/// A stream that comes this near to the rate that it was held to says nothing of the path.
const HELD: f64 = 0.9;

/// A result as it came from the stream.
pub(super) struct Came {
    pub(super) subject: String,
    pub(super) payload: Vec<u8>,
    pub(super) reply: String,
}

/// A result that can be read.
struct Result {
    host: String,
    delivery: Delivery,
    reply: String,
}

/// Takes results until the term is over.
pub(super) struct Ingest {
    pub(super) database: String,
    pub(super) subjects: Subjects,
    pub(super) sealer: Arc<Sealer>,
    pub(super) say: Sayer,
    pub(super) presence: Arc<Presence>,
    pub(super) halt: Arc<AtomicBool>,
    /// Lines about the results of each host.
    pub(super) lines: Allowances,
}

/// Lines about the results of one host that come to the journal at once, and each second.
pub(super) const LINES: (f64, f64) = (16.0, 1.0 / 60.0);

/// Runs that are kept, and runs that are refused with the reason.
type Receipt = (Vec<String>, Vec<(String, String)>);

impl Ingest {
    pub(super) fn run(&mut self, came: &Receiver<Came>) {
        let mut store = None;
        let mut silent = false;
        loop {
            let first = match came.recv_timeout(TICK) {
                Ok(first) => first,
                Err(RecvTimeoutError::Timeout) if !self.halt.load(Ordering::Relaxed) => continue,
                Err(_) => return,
            };
            let mut next = Some(first);
            let (mut results, mut bytes) = (Vec::new(), 0);
            while let Some(one) = next {
                if let Some((result, weight)) = self.read(one) {
                    results.push(result);
                    bytes += weight;
                }
                let room = results.len() < TOGETHER && bytes < TOGETHER_BYTES;
                next = if room { came.try_recv().ok() } else { None };
            }
            match self.commit(&mut store, &results) {
                Ok(outcomes) => {
                    silent = false;
                    self.tell(results, outcomes);
                }
                Err(error) => {
                    if !std::mem::replace(&mut silent, true) {
                        Show::warn(&format!("results wait: {}", crate::sentence(&error)));
                    }
                    store = None;
                    std::thread::sleep(PAUSE);
                    for result in &results {
                        self.say.answer(&result.reply, Answer::Again);
                    }
                }
            }
        }
    }

    /// Says what is wrong with a result, as often as one host may fill the journal.
    fn warn(&mut self, host: &str, what: &str) {
        if self.lines.of(host).takes(1.0) {
            Show::warn(&format!("a result of {host} {what}"));
        }
    }

    /// Whose it is says the subject, which the server allows that host alone.
    fn read(&mut self, came: Came) -> Option<(Result, usize)> {
        let host = self.subjects.parse(&came.subject).map(|(_, host)| host);
        let (Some(host), Ok((mut delivery, bytes))) = (&host, weighed::<Delivery>(&came.payload)) else {
            let host = host.unwrap_or(came.subject);
            self.warn(&host, "cannot be read and is dropped: another version runs there?");
            self.say.answer(&came.reply, Answer::Never);
            return None;
        };
        if let Err(why) = own(host, &mut delivery) {
            self.warn(host, &format!("is refused: {why}"));
            self.say.answer(&came.reply, Answer::Never);
            let rejected = vec![(delivery.run.run_id.clone(), why)];
            self.sealer.send(
                host,
                &delivery.session,
                "",
                Instruction::Receipt { kept: Vec::new(), rejected },
            );
            return None;
        }
        Some((Result { host: host.clone(), delivery, reply: came.reply }, bytes))
    }

    fn commit(&self, store: &mut Option<Shared>, results: &[Result]) -> anyhow::Result<Vec<Ingested>> {
        if results.is_empty() {
            return Ok(Vec::new());
        }
        if store.is_none() {
            *store = Some(database::shared_for(&self.database, Duty::Ingest)?);
        }
        let Some(store) = store else { return Ok(Vec::new()) };
        let items: Vec<Item> = results.iter().map(item).collect();
        match store.ingest(&items) {
            // One of them is to blame, and must not hold the others up.
            Err(StoreError::Shared { .. }) if items.len() > 1 => {
                items.iter().map(|item| one(store, item)).collect()
            }
            Err(StoreError::Shared { .. }) => Ok(vec![one(store, &items[0])?]),
            outcome => Ok(outcome?),
        }
    }

    /// They are kept for good: who brought them and who waits for them hears it.
    fn tell(&mut self, results: Vec<Result>, outcomes: Vec<Ingested>) {
        // By host and session.
        let mut receipts: BTreeMap<(String, String), Receipt> = BTreeMap::new();
        let mut refused = Vec::new();
        for (result, outcome) in results.into_iter().zip(outcomes) {
            let Result { host, delivery, reply } = result;
            self.say.answer(&reply, Answer::Committed);
            let receipt = receipts.entry((host.clone(), delivery.session.clone())).or_default();
            let run_id = delivery.run.run_id.clone();
            match outcome {
                Ingested::Added => {
                    receipt.0.push(run_id);
                    self.presence.done(&host, delivery.ticket, delivery.run);
                }
                Ingested::Known => receipt.0.push(run_id),
                Ingested::Rejected(why) => {
                    refused.push((host, why.clone()));
                    receipt.1.push((run_id, why));
                }
            }
        }
        for (host, why) in refused {
            self.warn(&host, &format!("is refused: {why}"));
        }
        for ((host, session), (kept, rejected)) in receipts {
            self.sealer.send(&host, &session, "", Instruction::Receipt { kept, rejected });
        }
    }
}

/// A host speaks for itself alone, and of now: its runs have the name that it was enrolled with, whatever they say, and a
/// time at which they can have been made.
fn own(host: &str, delivery: &mut Delivery) -> std::result::Result<(), String> {
    let now = Timestamp::now();
    for time in [delivery.run.started, delivery.run.finished] {
        if time > now + AHEAD || time < now - WAITED {
            return Err(format!("it was made at {time}: the clock of that host is wrong"));
        }
    }
    for name in [&delivery.to, &delivery.network] {
        if name.len() > NAME_BYTES || name.chars().any(char::is_control) {
            return Err("it names a far end that cannot be one".to_owned());
        }
    }
    host.clone_into(&mut delivery.run.host.hostname);
    Ok(())
}

/// Of a host or a network: as long as a name in the DNS.
const NAME_BYTES: usize = 255;

fn one(store: &mut Shared, item: &Item) -> anyhow::Result<Ingested> {
    match store.ingest(std::slice::from_ref(item)) {
        Ok(mut outcomes) => Ok(outcomes.pop().unwrap_or(Ingested::Known)),
        Err(StoreError::Shared { detail, .. }) => Ok(Ingested::Rejected(detail)),
        Err(error) => Err(error.into()),
    }
}

fn item(result: &Result) -> Item {
    let Result { host, delivery, .. } = result;
    Item { agent: host.clone(), run: (*delivery.run).clone(), point: point(host, delivery) }
}

/// What a result says of a path; storage says nothing of one.
fn point(host: &str, delivery: &Delivery) -> Option<Point> {
    let run: &Run = &delivery.run;
    let result = run.net.first()?;
    let mut point = Point {
        src: host.to_owned(),
        dst: delivery.to.clone(),
        network: delivery.network.clone(),
        at: run.started,
        state: "measured",
        round_id: delivery.round.clone(),
        run_id: run.run_id.clone(),
        ..Point::default()
    };
    if run.command.name == "net" {
        point.kind = "stream";
        point.value = Some(result.throughput_bytes_per_s);
        let limit = result.plan.rate_bytes_per_s;
        if limit > 0.0 && result.throughput_bytes_per_s >= limit * HELD {
            point.state = "held";
        }
        point.ceiling = fullwire_rules::ceiling(run);
    } else {
        point.kind = "light";
        let latency = result.latency_ns.as_ref()?;
        point.value = Some(latency.p50 as f64);
        point.p99_ns = Some(latency.p99);
        if let Some(mtu) = run.mtu.first() {
            point.mtu_bytes = mtu.path_mtu_bytes;
            point.black_hole = mtu.black_hole;
        }
    }
    Some(point)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_of_the_host_that_brings_it_of_now_and_about_a_far_end_that_can_be() {
        let delivery = |to: &str, network: &str| Delivery {
            session: String::new(),
            round: String::new(),
            ticket: 1,
            to: to.to_owned(),
            network: network.to_owned(),
            run: Box::new(Run { started: Timestamp::now(), finished: Timestamp::now(), ..Run::default() }),
        };
        let mut honest = delivery("db2", "san");
        honest.run.host.hostname = "another".into();
        assert_eq!(own("db1", &mut honest), Ok(()));
        assert_eq!(honest.run.host.hostname, "db1");
        let long = "x".repeat(NAME_BYTES + 1);
        for (to, network) in [(long.as_str(), ""), ("db2", &long), ("db2\x1b[2J", ""), ("db2", "a\nb")] {
            assert!(own("db1", &mut delivery(to, network)).is_err(), "{to:?} {network:?}");
        }
    }
}
