//! Why a measurement is what it is, and what it reaches without that.

use super::{Layer, Mechanism};
use crate::MeasurementId;
use crate::quantity::Unit;
use fullwire_record::record;

/// What part a cause plays.
#[record(Default, Hash)]
pub enum Role {
    /// It sets the figure.
    #[default]
    Primary,
    /// It acts as well.
    Contributing,
    /// It limits once those before it are gone.
    Next,
    /// It is an effect of another cause.
    Effect,
}

/// An explanation of one measurement.
#[record]
pub struct Cause {
    /// Its part.
    pub role: Role,
    /// The id of the measurement that it is about.
    pub measurement: MeasurementId,
    /// The code of the finding or the kind of the ceiling.
    pub code: String,
    /// The subject of the finding or the ceiling.
    pub subject: String,
    /// Whose floor.
    pub layer: Layer,
    /// How it acts.
    pub mechanism: Mechanism,
    /// Index into [`Assessment::findings`]; `None`: a ceiling alone says it.
    pub finding: Option<usize>,
    /// The bound that it sets on the measurement.
    pub bound: Option<Amount>,
    /// The share of the time in which a counter says that it acted.
    pub active_share: Option<f64>,
    /// What the path reaches without this cause and those before it; `None`: it cannot be known.
    pub after: Option<After>,
}

/// A number with its unit.
#[record(Copy)]
pub struct Amount {
    /// The number.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
}

/// What a path reaches once a cause is gone.
#[record]
pub struct After {
    /// The figure.
    pub value: f64,
    /// Where only a range is known: its lower end.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// Its unit.
    pub unit: Unit,
    /// The code of the cause that limits it then.
    pub limited_by: String,
}

impl After {
    /// A range; its middle on a scale of ratios stands for it.
    #[must_use]
    pub fn between([low, high]: [f64; 2], unit: Unit, limited_by: &str) -> Self {
        let limited_by = limited_by.to_owned();
        Self { value: (low * high).sqrt(), low: Some(low), high: Some(high), unit, limited_by }
    }

    /// The same in another unit, or of another size: each number as `to` gives it.
    #[must_use]
    pub fn converted(&self, unit: Unit, to: impl Fn(f64) -> Option<f64>) -> Option<Self> {
        let [low, high] = [self.low, self.high].map(|end| end.and_then(&to));
        Some(Self { value: to(self.value)?, low, high, unit, limited_by: self.limited_by.clone() })
    }
}
