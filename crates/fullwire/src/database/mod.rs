//! Live databases: connects, reads counters at intervals, and hands them to `fullwire-demand`.
//!
//! Passwords come from the servers' usual files and variables only. One on the command line would be seen by every
//! user of the host and kept in the shell's history: it is refused.

mod guard;
mod mysql;
mod mysql_tls;
mod postgres;
mod secret;
mod tls;

use anyhow::{Context, Result, bail};
use fullwire_demand::redo::Reading;
use fullwire_model::demand::{Demand, RedoHistory};
use std::collections::BTreeMap;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How a live server is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sampling {
    /// All in all.
    pub(crate) window: Duration,
    /// Between two readings.
    pub(crate) interval: Duration,
    /// Added to the peak: 0.3 is 30 %.
    pub(crate) headroom: f64,
    /// A server that does not answer within this time is given up, whatever was requested.
    pub(crate) answer_within: Duration,
}

/// Long enough for a busy server.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// A signal is noticed after this time at the latest.
const TICK: Duration = Duration::from_millis(100);
/// Shorter intervals measure the reading, not the load.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(100);

/// True for a source that names a live server.
pub(crate) fn is_live(source: &str) -> bool {
    scheme(source).is_some()
}

fn scheme(source: &str) -> Option<&'static str> {
    let (scheme, _) = source.split_once("://")?;
    match scheme {
        "postgres" | "postgresql" => Some("postgres"),
        "mysql" | "mariadb" => Some("mysql"),
        _ => None,
    }
}

/// Reads a live server for a window. `stop` ends it early; what was read until then counts.
pub(crate) fn sample(
    source: &str,
    sampling: Sampling,
    stop: &dyn Fn() -> bool,
) -> Result<(RedoHistory, Demand)> {
    match scheme(source) {
        Some("postgres") => postgres::sample(source, sampling, stop),
        Some("mysql") => mysql::sample(source, sampling, stop),
        _ => bail!("cannot read \"{source}\": expected postgres://USER@HOST/DATABASE or mysql://USER@HOST"),
    }
}

/// Opens the store that many hosts share; its schema must be there.
#[cfg(feature = "estate")]
pub(crate) fn shared(source: &str) -> Result<fullwire_store::postgres::Shared> {
    let (runtime, client, name) = postgres::open(source, ANSWER_WITHIN, fullwire_store::postgres::SESSION)?;
    Ok(fullwire_store::postgres::Shared::open(runtime, client, &name)?)
}

/// The same for one duty alone; where the roles are missing, with all that the login may.
#[cfg(feature = "estate")]
pub(crate) fn shared_for(
    source: &str,
    duty: fullwire_store::postgres::Duty,
) -> Result<fullwire_store::postgres::Shared> {
    let store = shared(source)?;
    store.limit(duty)?;
    Ok(store)
}

/// The same, for someone who makes the schema.
#[cfg(feature = "estate")]
pub(crate) fn shared_unprepared(source: &str) -> Result<fullwire_store::postgres::Shared> {
    let (runtime, client, name) = postgres::open(source, ANSWER_WITHIN, fullwire_store::postgres::SESSION)?;
    Ok(fullwire_store::postgres::Shared::connected(runtime, client, &name))
}

/// Does this on a thread that is left behind when it takes too long or a signal comes: neither client can be trusted to
/// come back from a server that says nothing.
fn within<T: Send + 'static>(
    limit: Duration,
    name: &str,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let (say, hear) = mpsc::channel();
    let run = move || {
        // No one hears it any more: then it came too late.
        let _ = say.send(work());
    };
    std::thread::Builder::new().name("database".into()).spawn(run).context("start a thread")?;
    let deadline = Instant::now() + limit;
    loop {
        match hear.recv_timeout(TICK) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Disconnected) => bail!("the connection to {name} ended in a panic"),
            Err(RecvTimeoutError::Timeout) if crate::signals::raised() => {
                bail!("interrupted while waiting for {name}")
            }
            Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => bail!(
                "{name} did not answer within {} s: is a server listening at that address?",
                limit.as_secs()
            ),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Calls `read` at even times until the window is over.
fn readings(
    sampling: Sampling,
    stop: &dyn Fn() -> bool,
    mut read: impl FnMut() -> Result<BTreeMap<String, f64>>,
) -> Result<Vec<Reading>> {
    let start = Instant::now();
    let interval = sampling.interval.max(SHORTEST_INTERVAL);
    let mut readings = Vec::new();
    let mut due = start;
    loop {
        let values = match read() {
            Ok(values) => values,
            // What was read until a signal came counts.
            Err(_) if readings.len() > 1 && crate::signals::raised() => return Ok(readings),
            Err(error) => return Err(error),
        };
        // The moment of the answer: the server counted before it.
        let at_s = start.elapsed().as_secs_f64();
        readings.push(Reading { at_s, at: Some(jiff::Zoned::now().datetime()), values });
        due += interval;
        let now = Instant::now();
        if stop() || (readings.len() > 1 && now.duration_since(start) >= sampling.window) {
            return Ok(readings);
        }
        let end = start + sampling.window;
        let next = due.min(end.max(now));
        while Instant::now() < next && !stop() {
            std::thread::sleep(
                next.saturating_duration_since(Instant::now()).min(Duration::from_millis(200)),
            );
        }
    }
}

// They start real servers, and so they do not stand among the sources.
#[cfg(test)]
#[path = "../../tests/database/mod.rs"]
mod tests;
