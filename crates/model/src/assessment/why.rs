//! How the explanations of a path's figures were told apart, for a reader who asks why.

use super::Amount;
use crate::characteristic::Characteristic;
use crate::{MeasurementId, PathName};

/// The trail of one path.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    /// The peer or the target.
    pub path: PathName,
    /// What all figures say together.
    pub characteristic: Characteristic,
    /// Causes that a figure excludes: it is higher than they allow.
    pub excluded: Vec<Excluded>,
}

/// A cause that a figure excludes.
#[derive(Debug, Clone, PartialEq)]
pub struct Excluded {
    /// The code of the finding, or the kind of the ceiling.
    pub code: String,
    /// What it is about.
    pub subject: String,
    /// The most that it allows.
    pub allows: Amount,
    /// The measurement that reached more.
    pub measurement: MeasurementId,
    /// What that reached.
    pub reached: f64,
}
