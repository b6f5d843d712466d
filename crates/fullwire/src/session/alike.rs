//! Earlier runs that a run can be set beside.

use super::store::Store;
use anyhow::Result;
use fullwire_compare::{Deltas, figure};
use fullwire_model::Run;
use fullwire_store::Filter;

/// The last runs that are like the others.
const ROLLING: u32 = 30;

/// Earlier runs of the same host and command with the same targets, oldest first; none of an experiment, whose states
/// scatter by what it changed.
pub(crate) fn alike(store: &Store, like: &Run, without: &[Run]) -> Result<Vec<Run>> {
    let filter = Filter {
        host: Some(like.host.hostname.clone()),
        command: Some(like.command.name.clone()),
        limit: Some(2 * ROLLING),
        ..Filter::default()
    };
    let mut found = Vec::new();
    for entry in store.history(&filter)? {
        let known = without.iter().any(|run| run.run_id == entry.run_id);
        if known || entry.run_id == like.run_id || found.len() >= ROLLING as usize {
            continue;
        }
        // One unreadable run is no reason to compare nothing.
        let Ok(run) = store.load(&entry.run_id) else { continue };
        if !run.command.experiment && shares_a_figure(like, &run) {
            found.push(run);
        }
    }
    found.reverse();
    Ok(found)
}

/// Whether a figure of one can be set beside one of the other.
pub(crate) fn shares_a_figure(one: &Run, other: &Run) -> bool {
    let deltas = Deltas::default();
    let (one, other) = (figure::figures(one, &deltas).0, figure::figures(other, &deltas).0);
    one.iter().any(|a| other.iter().any(|b| a.path == b.path && a.is_like(b)))
}
