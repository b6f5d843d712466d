//! A ceiling in the making: value, formula, inputs.

use fullwire_model::assessment::{Ceiling, Input, Layer};
use fullwire_model::quantity::Unit;
use fullwire_model::{MeasurementId, PathName};

/// Written as a sentence: what sets it, what it allows, by which formula, from which inputs.
pub(super) struct Made(pub(super) Ceiling);

impl Made {
    /// Of the layer that most of its kind belong to.
    pub(super) fn new(layer: Layer, kind: &str, subject: impl Into<String>, value: f64, unit: Unit) -> Self {
        let (kind, subject) = (kind.to_owned(), subject.into());
        Self(Ceiling { layer, subject, kind, value, unit, ..Ceiling::default() })
    }

    pub(super) fn formula(mut self, formula: &str) -> Self {
        formula.clone_into(&mut self.0.derivation.formula);
        self
    }

    pub(super) fn input(mut self, name: &str, value: f64, source: impl Into<String>) -> Self {
        self.0.derivation.inputs.push(Input { name: name.to_owned(), value, source: source.into() });
        self
    }

    pub(super) fn layer(mut self, layer: Layer) -> Self {
        self.0.layer = layer;
        self
    }

    pub(super) fn soft(mut self, soft: bool) -> Self {
        self.0.soft = soft;
        self
    }

    /// It promises nothing: see [`Ceiling::bound_only`].
    pub(super) fn bound_only(mut self) -> Self {
        self.0.bound_only = true;
        self
    }

    /// A setting sets it: it explains, and makes nothing full wire.
    pub(super) fn removable(mut self) -> Self {
        self.0.removable = true;
        self
    }

    pub(super) fn ceiling(mut self, path: &PathName, measurement: &MeasurementId) -> Ceiling {
        path.clone_into(&mut self.0.path);
        self.0.measurement = measurement.clone();
        self.0
    }
}
