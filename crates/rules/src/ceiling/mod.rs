//! The physics: what each layer can carry at most, with the arithmetic as data.

mod kind;
pub mod network;
pub mod storage;

pub use kind::{KINDS, Kind, kind};

use fullwire_model::Run;
use fullwire_model::assessment::{Ceiling, Mechanism};

/// All ceilings of all paths of a run.
pub fn ceilings(run: &Run) -> Vec<Ceiling> {
    let mut all = network::ceilings(run);
    all.extend(storage::ceilings(run));
    for ceiling in &mut all {
        ceiling.mechanism = kind(&ceiling.kind).map_or(Mechanism::Other, |kind| kind.mechanism);
    }
    all
}
