//! The clients of live databases, and how they are read at intervals.

mod apart;
mod guard;
mod listener;
mod mysql;
mod mysql_tls;
mod postgres;
mod secret;
mod tls;

#[cfg(feature = "estate")]
use super::ANSWER_WITHIN;
use super::{Sampling, scheme};
use anyhow::{Context, Result, bail};
pub(crate) use apart::run as client;
use fullwire_demand::redo::Reading;
use fullwire_model::demand::{Demand, RedoHistory};
use std::collections::BTreeMap;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// A signal is noticed after this time at the latest.
const TICK: Duration = Duration::from_millis(100);
/// Shorter intervals measure the reading, not the load.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(100);

/// Reads a live server for a window.
pub(super) fn sample(
    source: &str,
    sampling: Sampling,
    stop: &dyn Fn() -> bool,
) -> Result<(RedoHistory, Demand)> {
    match scheme(source) {
        // Tests have no program to start.
        Some(_) if cfg!(test) => sample_here(source, sampling, stop),
        Some(_) => apart::sample(source, sampling, stop),
        _ => bail!("cannot read \"{source}\": expected postgres://USER@HOST/DATABASE or mysql://USER@HOST"),
    }
}

/// The same, in this process.
fn sample_here(source: &str, sampling: Sampling, stop: &dyn Fn() -> bool) -> Result<(RedoHistory, Demand)> {
    match scheme(source) {
        Some("postgres") => postgres::sample(source, sampling, stop),
        _ => mysql::sample(source, sampling, stop),
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
            // Whatever a server says, no counter is infinite.
            Ok(mut values) => {
                values.retain(|_, value| value.is_finite());
                values
            }
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
#[path = "../../../../../tests/ports.rs"]
mod ports;
#[cfg(test)]
#[path = "../../../tests/database/mod.rs"]
mod tests;
