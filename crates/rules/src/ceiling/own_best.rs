//! The best that a path has carried here before: where no link speed can be believed (guests, clouds) it is what there is.

use fullwire_model::Run;
use fullwire_model::assessment::{Ceiling, Derivation, Input, Layer};
use fullwire_model::quantity::Unit;

/// The kind of these ceilings.
pub(crate) const KIND: &str = "own-best";

/// One for each measurement that has an earlier best, unless this run is better: a record is no ceiling.
pub(super) fn ceilings(run: &Run) -> Vec<Ceiling> {
    run.best
        .iter()
        .map(|best| Ceiling {
            layer: if run.disk.iter().any(|disk| disk.target == best.path) {
                Layer::Storage
            } else {
                Layer::Network
            },
            path: best.path.clone(),
            measurement: best.measurement.clone(),
            subject: format!("its own best, {}", best.at.strftime("%Y-%m-%d")),
            kind: KIND.to_owned(),
            value: best.value,
            unit: best.unit,
            soft: true,
            derivation: Derivation {
                formula: "the second best of earlier runs that asked the same".to_owned(),
                inputs: vec![
                    Input {
                        name: if best.unit == Unit::IoPerS { "io_per_s" } else { "bytes_per_s" }.to_owned(),
                        value: best.value,
                        source: format!("run {}", best.run_id),
                    },
                    Input {
                        name: "runs".to_owned(),
                        value: f64::from(best.runs),
                        source: "the run store".to_owned(),
                    },
                ],
            },
            ..Ceiling::default()
        })
        .collect()
}
