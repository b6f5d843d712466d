//! From findings and ceilings to the cause of each figure.
//!
//! Rules and ceilings state what bounds a measurement, and how long a counter says that they acted. Here these
//! numbers are compared: effects of another cause step back, what is clearly above the figure waits, the
//! rest is ordered by how much of the figure it explains.

mod candidate;
mod choose;
pub(crate) mod effects;
mod mechanism;
pub(crate) mod severity;

pub(crate) use candidate::FAR;
pub(crate) use choose::{Choice, choose};
pub use mechanism::consequences;

/// The numbers that decide here.
pub(crate) const SHARED: &[&[crate::Threshold]] =
    &[candidate::THRESHOLDS, choose::THRESHOLDS, mechanism::THRESHOLDS];
