//! Measurements beyond the plan, each made because the plan's figures left more than one explanation.

use crate::characteristic::{Experiment, Quantity};
use crate::disk::DiskStepResult;
use crate::net::NetResult;
use crate::quantity::Unit;
use crate::{Gap, MeasurementId};
use serde::{Deserialize, Serialize};

/// One experiment: what was asked, what each explanation predicted before it ran, and what came out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Tried {
    /// The peer or the storage target.
    pub path: String,
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

/// What an experiment gives if an explanation is true.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Prediction {
    /// The explanation: what limits the measurement.
    pub limit: Quantity,
    /// No less than this.
    pub low: f64,
    /// No more than this; `None`: no upper end.
    pub high: Option<f64>,
    /// How likely the explanation was before, 0 to 1.
    pub weight: f64,
}

impl Prediction {
    /// The value is one that this explanation gives.
    pub fn holds(&self, value: f64) -> bool {
        value >= self.low && self.high.is_none_or(|high| value <= high)
    }

    /// No value is one that both give.
    pub fn excludes(&self, other: &Self) -> bool {
        let below = |one: &Self, two: &Self| one.high.is_some_and(|high| high < two.low);
        below(self, other) || below(other, self)
    }
}
