//! Evidence of a finding about the figures of a path.

use super::{After, Finding, Mechanism};
use crate::quantity::Unit;
use crate::{MeasurementId, PathName};
use fullwire_record::record;

/// Why a measurement is what it is, as one rule sees it. A rule states what it can show; which of several
/// explanations is the cause is decided in one place, by their numbers.
#[record]
pub struct Explanation {
    /// What it explains.
    pub path: PathName,
    /// The ids of its measurements; empty: all of them.
    pub measurements: Vec<MeasurementId>,
    /// How it acts.
    pub mechanism: Mechanism,
    /// The most that the measurement can reach while it acts; `None`: not known.
    pub bound: Option<Bound>,
    /// The share of the time in which a counter says that it acted; `None`: nothing counts it.
    pub active_share: Option<f64>,
    /// What the measurement reaches at most without it, by the figures of the same measurement; `None`: not known.
    pub without: Option<After>,
}

impl Explanation {
    /// Of every measurement of a path.
    pub fn of_path(path: impl Into<PathName>, mechanism: Mechanism) -> Self {
        Self { path: path.into(), mechanism, ..Self::default() }
    }

    /// Of these measurements alone.
    #[must_use]
    pub fn only(mut self, measurements: impl IntoIterator<Item = MeasurementId>) -> Self {
        self.measurements.extend(measurements);
        self
    }

    /// No measurement exceeds this, except for the tolerance of the formula.
    #[must_use]
    pub fn bounded(self, value: f64, unit: Unit, tolerance: f64) -> Self {
        let bound = Bound { value, unit, tolerance, inferred: false };
        Self { bound: Some(bound).filter(|bound| bound.value.is_finite() && bound.value > 0.0), ..self }
    }

    /// The rate that was measured is the bound.
    #[must_use]
    pub fn inferred(self, value: f64, unit: Unit) -> Self {
        Self { bound: Some(Bound { value, unit, tolerance: 0.0, inferred: true }), ..self }
    }

    /// A counter says that it acted for this share of the time.
    #[must_use]
    pub fn active(self, share: f64) -> Self {
        Self { active_share: Some(share.clamp(0.0, 1.0)), ..self }
    }

    /// Without it the measurement reaches this at most, and what limits it then: the code of a rule or the kind of a
    /// ceiling. For causes that hide what comes after them from every ceiling.
    #[must_use]
    pub fn without(self, value: f64, unit: Unit, limited_by: &str) -> Self {
        self.left(After { value, unit, limited_by: limited_by.to_owned(), ..After::default() })
    }

    /// The same, where it may be known as a range alone.
    #[must_use]
    pub fn left(self, after: After) -> Self {
        Self { without: Some(after).filter(|after| after.value.is_finite() && after.value > 0.0), ..self }
    }

    /// It is evidence about this measurement.
    pub fn covers(&self, path: &PathName, measurement: &MeasurementId) -> bool {
        self.path == *path && (self.measurements.is_empty() || self.measurements.contains(measurement))
    }
}

impl Finding {
    /// It explains a figure of this target's path.
    pub fn explains_path(&self, target: &PathName) -> bool {
        self.explains.iter().any(|one| one.path == *target)
    }
}

/// The most that a measurement can reach.
#[record(Copy)]
pub struct Bound {
    /// The figure.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
    /// It was read off the measurement itself: it names the rate and predicts nothing.
    pub inferred: bool,
    /// How far off the formula may be, as a share: 0.1 allows a tenth.
    pub tolerance: f64,
}
