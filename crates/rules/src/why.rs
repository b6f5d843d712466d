//! How the explanations of a path's figures were told apart, for a reader who asks why.

use crate::{Facts, assess};
use fullwire_model::Run;
use fullwire_model::assessment::Amount;
use fullwire_model::assessment::why::{Excluded, Why};

/// A figure that is less than this above a bound is at it.
const NOISE: f64 = 0.1;

/// The trail of each path of a run.
pub fn why(run: &Run) -> Vec<Why> {
    let assessment = assess(run);
    let facts = Facts::of(run);
    let paths = facts.paths.iter().zip(&assessment.paths).map(|(path, judged)| {
        let (name, mut excluded) = (&path.target, Vec::new());
        for measurement in &path.measurements {
            let mut add = |code: &str, subject: &str, allows: Amount, tolerance: f64| {
                let reached = measurement.value_in(allows.unit);
                if let Some(reached) =
                    reached.filter(|got| *got > allows.value * (1.0 + tolerance.max(NOISE)))
                {
                    let (code, subject) = (code.to_owned(), subject.to_owned());
                    let measurement = measurement.id.clone();
                    excluded.push(Excluded { code, subject, allows, measurement, reached });
                }
            };
            for finding in &assessment.findings {
                let about = finding.explains.iter().filter(|one| one.covers(name, &measurement.id));
                for bound in about.filter_map(|one| one.bound) {
                    let allows = Amount { value: bound.value, unit: bound.unit };
                    add(&finding.code, &finding.subject, allows, bound.tolerance);
                }
            }
            for ceiling in assessment.ceilings.iter().filter(|one| one.path == *name) {
                if ceiling.measurement.is_none() || ceiling.measurement == measurement.id {
                    let allows = Amount { value: ceiling.value, unit: ceiling.unit };
                    add(&ceiling.kind, &ceiling.subject, allows, NOISE);
                }
            }
        }
        Why { path: name.clone(), characteristic: judged.characteristic.clone(), excluded }
    });
    paths.collect()
}
