//! Measurements beyond the plan, each made because the plan's figures left more than one explanation.

use super::characteristic::{Experiment, Prediction};
use crate::disk::DiskStepResult;
use crate::net::NetResult;
use crate::quantity::Unit;
use crate::{Gap, MeasurementId, PathName};
use fullwire_record::record;

/// One experiment: what was asked, what each explanation predicted before it ran, and what came out.
#[record]
pub struct Tried {
    /// The peer or the storage target.
    pub path: PathName,
    /// What was done.
    pub experiment: Experiment,
    /// The id of the measurement that has more than one explanation.
    pub about: MeasurementId,
    /// Why, in one sentence.
    pub why: String,
    /// What each explanation predicts.
    pub predictions: Vec<Prediction>,
    /// The unit of what is predicted.
    pub unit: Unit,
    /// When it began, s after the run did.
    pub started_s: f64,
    /// The result, of storage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<DiskStepResult>,
    /// The result, of a network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub net: Option<NetResult>,
    /// Why there is no result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<Gap>,
}
