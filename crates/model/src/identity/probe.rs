//! The number of a probe: what joins a plan, its result and the windows around it within one run.

use serde::{Deserialize, Serialize};

/// Given once, when a probe is planned. Steps that run at the same time are one probe.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct ProbeId(u64);

impl ProbeId {
    /// Of no probe: a window without load, a result of another tool, or a plan that no run has numbered yet.
    pub const NONE: Self = Self(0);

    /// A run numbers its probes from 1.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// It is of no probe.
    pub const fn is_none(&self) -> bool {
        self.0 == 0
    }

    /// The number of the probe after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}
