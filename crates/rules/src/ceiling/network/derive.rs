//! What a ceiling of the network has beyond others: the frame's arithmetic, events, exchanges.

use super::frame::Stack;
use crate::ceiling::made::Made;
use fullwire_model::assessment::Layer;
use fullwire_model::quantity::Unit;
use std::fmt::Write as _;

impl Made {
    pub(super) fn network(kind: &str, subject: String, bytes_per_s: f64) -> Self {
        Self::new(Layer::Network, kind, subject, bytes_per_s, Unit::BytesPerS)
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
}
