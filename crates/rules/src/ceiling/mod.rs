//! The physics: what each layer can carry at most, with the arithmetic as data.

pub mod network;
pub mod storage;

use fullwire_model::Run;
use fullwire_model::assessment::Ceiling;

/// All ceilings of all paths of a run.
pub fn ceilings(run: &Run) -> Vec<Ceiling> {
    let mut all = network::ceilings(run);
    all.extend(storage::ceilings(run));
    all
}
