//! Live databases: connects, reads counters at intervals, and hands them to `fullwire-demand`.
//!
//! Passwords come from the servers' usual files and variables only. One on the command line would be seen by every
//! user of the host and kept in the shell's history: it is refused.

#[cfg(feature = "live-databases")]
mod live;

use anyhow::Result;
use fullwire_model::demand::{Demand, RedoHistory};
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[cfg(feature = "estate")]
pub(crate) use live::{shared, shared_for, shared_unprepared};

/// How a live server is asked.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(not(feature = "live-databases"), allow(dead_code, reason = "no client reads them"))]
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

/// What the process does that a client is in.
#[cfg(feature = "live-databases")]
pub(crate) use live::client;

/// Without clients there is none.
#[cfg(not(feature = "live-databases"))]
pub(crate) fn client() -> Result<std::process::ExitCode> {
    anyhow::bail!("this build has no database clients")
}

/// Reads a live server for a window. `stop` ends it early; what was read until then counts.
#[cfg(feature = "live-databases")]
pub(crate) fn sample(
    source: &str,
    sampling: Sampling,
    stop: &dyn Fn() -> bool,
) -> Result<(RedoHistory, Demand)> {
    live::sample(source, sampling, stop)
}

/// There is no client in this build.
#[cfg(not(feature = "live-databases"))]
pub(crate) fn sample(source: &str, _: Sampling, _: &dyn Fn() -> bool) -> Result<(RedoHistory, Demand)> {
    anyhow::bail!(
        "cannot read \"{source}\": this build has no database clients, because ./fullwire leaves them out to build soon. \
         Build with them (`cargo build --release`, then target/release/fullwire) or use a packaged fullwire. Without \
         them: `fullwire redo --sql oracle`, run in the database's own client, and its output given to `fullwire redo`"
    )
}
