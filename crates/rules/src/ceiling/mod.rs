//! The physics: what each layer can carry at most, with the arithmetic as data.

mod kind;
mod made;
pub mod network;
pub mod storage;

pub(crate) use kind::is_declared;
pub use kind::{Basis, KINDS, Kind, kind};

use fullwire_model::Run;
use fullwire_model::assessment::{Ceiling, Mechanism};

thresholds! {
    /// A ceiling that a measurement exceeds by this factor has a wrong input: an outdated speed, another interface.
    pub(crate) const REFUTED: f64 = 1.1;
}

/// The numbers that decide here.
pub(crate) const SHARED: &[&[crate::Threshold]] = &[
    THRESHOLDS,
    network::loss::THRESHOLDS,
    storage::THRESHOLDS,
    storage::array::THRESHOLDS,
    storage::depth::THRESHOLDS,
    storage::limit::THRESHOLDS,
];

/// All ceilings of all paths of a run.
pub fn ceilings(run: &Run) -> Vec<Ceiling> {
    let mut all = network::ceilings(run);
    all.extend(storage::ceilings(run));
    for ceiling in &mut all {
        ceiling.mechanism = kind(&ceiling.kind).map_or(Mechanism::Other, |kind| kind.mechanism);
    }
    all
}
