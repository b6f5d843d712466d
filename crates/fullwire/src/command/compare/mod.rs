//! Before and after: differences, baselines, experiments.

pub(crate) mod baseline;
pub(crate) mod diff;
pub(crate) mod prove;
mod stretch;
