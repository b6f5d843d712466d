//! Results on their way into PostgreSQL: commit first, then the receipts.

use super::presence::Presence;
use crate::database;
use crate::estate::link::{Answer, Sayer, unpacked};
use crate::estate::seal::Sealer;
use crate::output::Show;
use fullwire_mesh::estate::{Delivery, Instruction, Subjects};
use fullwire_model::Run;
use fullwire_store::StoreError;
use fullwire_store::postgres::{Ingested, Item, Point, Shared};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// Results that are committed together.
const TOGETHER: usize = 64;
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
}

/// Runs that are kept, and runs that are refused with the reason.
type Receipt = (Vec<String>, Vec<(String, String)>);

impl Ingest {
    pub(super) fn run(&self, came: &Receiver<Came>) {
        let mut store = None;
        let mut silent = false;
        loop {
            let first = match came.recv_timeout(TICK) {
                Ok(first) => first,
                Err(RecvTimeoutError::Timeout) if !self.halt.load(Ordering::Relaxed) => continue,
                Err(_) => return,
            };
            let more = came.try_iter().take(TOGETHER - 1);
            let results: Vec<Result> =
                std::iter::once(first).chain(more).filter_map(|came| self.read(came)).collect();
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

    /// Whose it is says the subject, which the server allows that host alone.
    fn read(&self, came: Came) -> Option<Result> {
        let host = self.subjects.parse(&came.subject).map(|(_, host)| host);
        match (host, unpacked::<Delivery>(&came.payload)) {
            (Some(host), Ok(delivery)) => Some(Result { host, delivery, reply: came.reply }),
            (host, _) => {
                let host = host.unwrap_or(came.subject);
                Show::warn(&format!(
                    "a result of {host} cannot be read and is dropped: another version runs there?"
                ));
                self.say.answer(&came.reply, Answer::Never);
                None
            }
        }
    }

    fn commit(&self, store: &mut Option<Shared>, results: &[Result]) -> anyhow::Result<Vec<Ingested>> {
        if results.is_empty() {
            return Ok(Vec::new());
        }
        if store.is_none() {
            *store = Some(database::shared(&self.database)?);
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
    fn tell(&self, results: Vec<Result>, outcomes: Vec<Ingested>) {
        // By host and session.
        let mut receipts: BTreeMap<(String, String), Receipt> = BTreeMap::new();
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
                    Show::warn(&format!("a result of {host} is refused: {why}"));
                    receipt.1.push((run_id, why));
                }
            }
        }
        for ((host, session), (kept, rejected)) in receipts {
            self.sealer.send(&host, &session, "", Instruction::Receipt { kept, rejected });
        }
    }
}

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
        point.ceiling = fullwire_rules::assess(run).paths.first().and_then(|path| path.ceiling);
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
