//! What `last` means where not any run will do.

use super::store::Store;
use crate::journal::hostname;
use anyhow::{Context as _, Result};
use fullwire_model::Run;
use fullwire_store::Filter;

/// Runs that are looked through for the last one of a kind.
const LOOKED_THROUGH: u32 = 200;

/// The last run of which something holds; none of an experiment, which measured a state that was set for it.
pub(crate) fn last(
    store: &Store,
    host: Option<String>,
    is_meant: impl Fn(&Run) -> bool,
) -> Result<Option<Run>> {
    let filter = Filter { host, limit: Some(LOOKED_THROUGH), ..Filter::default() };
    // One unreadable run is no reason to find nothing.
    let mut runs = store.history(&filter)?.into_iter().filter_map(|entry| store.load(&entry.run_id).ok());
    Ok(runs.find(|run| !run.command.experiment && is_meant(run)))
}

/// The run of that name, to change this host by it: `last` is the last run of the host itself that has these findings, not
/// of a captured tree, a report or another measurement that came since.
pub(crate) fn of_this_host(store: &Store, name: &str, codes: &[String]) -> Result<Run> {
    if name != "last" {
        return Ok(store.load(name)?);
    }
    let is_own = |run: &Run| !run.host.captured && run.host.os.machine.is_some();
    let has_all = |run: &Run| {
        let found = fullwire_rules::assess(run).findings;
        codes.iter().all(|code| found.iter().any(|finding| finding.code == *code))
    };
    let newest = last(store, Some(hostname()), is_own)?;
    let newest = newest.context("no run of this host is kept: make one with `fullwire check`")?;
    if has_all(&newest) {
        return Ok(newest);
    }
    Ok(last(store, Some(hostname()), |run| is_own(run) && has_all(run))?.unwrap_or(newest))
}

/// The run of that name, for its network path: `last` is the last that measured one.
pub(crate) fn of_a_network(store: &Store, name: &str) -> Result<Run> {
    if name != "last" {
        return Ok(store.load(name)?);
    }
    let found = last(store, None, |run| !run.net.is_empty())?;
    found.context("no kept run has measured a network: `fullwire net HOST`, or --peer HOST")
}
