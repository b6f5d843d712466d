//! A ceiling in the making: value, formula, inputs.

use super::frame::Stack;
use fullwire_model::MeasurementId;
use fullwire_model::assessment::{Ceiling, Input, Layer};
use fullwire_model::quantity::Unit;
use std::fmt::Write as _;

/// Written as a sentence: what sets it, what it allows, by which formula, from which inputs.
pub(super) struct Made(Ceiling);

impl Made {
    pub(super) fn new(kind: &str, subject: String, bytes_per_s: f64) -> Self {
        Self(Ceiling {
            layer: Layer::Network,
            subject,
            kind: kind.to_owned(),
            value: bytes_per_s,
            unit: Unit::BytesPerS,
            ..Ceiling::default()
        })
    }

    pub(super) fn formula(mut self, formula: &str) -> Self {
        formula.clone_into(&mut self.0.derivation.formula);
        self
    }

    pub(super) fn input(mut self, name: &str, value: f64, source: impl Into<String>) -> Self {
        self.0.derivation.inputs.push(Input { name: name.to_owned(), value, source: source.into() });
        self
    }

    /// The frame's arithmetic.
    pub(super) fn stack(self, stack: &Stack) -> Self {
        let headers = format!("MTU {} less {} bytes of headers", stack.mtu_bytes, stack.header_bytes());
        let frame = format!("MTU {} + 38 of Ethernet, tags, tunnel", stack.mtu_bytes);
        self.input("payload_bytes", stack.payload_bytes() as f64, headers).input(
            "wire_bytes",
            stack.wire_bytes() as f64,
            frame,
        )
    }

    /// In exchanges of an interconnect per second: each moves this many bytes the way that this bounds.
    pub(super) fn per_exchange(mut self, bytes: f64, way: &str) -> Self {
        self.0.value /= bytes;
        self.0.unit = Unit::PerS;
        let _ = write!(self.0.subject, ", {way}");
        self.0.derivation.formula.push_str(" ÷ bytes of an exchange");
        let source = format!("blocks and small messages {way}, probe");
        self.input("exchange_bytes", bytes, source)
    }

    /// A number of events per second instead of bytes.
    pub(super) fn events(mut self) -> Self {
        self.0.unit = Unit::PerS;
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

    pub(super) fn removable(mut self) -> Self {
        self.0.removable = true;
        self
    }

    pub(super) fn ceiling(mut self, path: &str, measurement: &MeasurementId) -> Ceiling {
        path.clone_into(&mut self.0.path);
        self.0.measurement = measurement.clone();
        self.0
    }
}
