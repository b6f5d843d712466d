//! What a path is like: a few parameters that all its figures together determine, each with what is known of it.

use crate::MeasurementId;
use crate::quantity::Unit;
use fullwire_record::record;
use serde::{Deserialize, Serialize};

/// The parameters of one path, fitted to all its measurements at once.
#[record]
pub struct Characteristic {
    /// Each parameter of the models, whether or not the figures determine it.
    pub parameters: Vec<Parameter>,
    /// The explanations of the figures that are left, the most likely first.
    pub cases: Vec<Case>,
    /// No model gives these figures: at least one of them contradicts the others.
    pub contradictory: bool,
    /// What was tried to tell explanations apart, and what it left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub experiments: Vec<ExperimentOutcome>,
    /// Measurements that still have more than one explanation, and what would settle each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<Open>,
    /// Measurements whose mean hides something: how each went over its time and its repeats.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub courses: Vec<Course>,
    /// The longest that one load of a storage target ran, s: what is lent for longer shows nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_s: Option<f64>,
}

/// How a measurement went over its time and its repeats.
#[record]
pub struct Course {
    /// The id of the measurement.
    pub measurement: MeasurementId,
    /// It fell to a lower rate and stayed there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fell: Option<Fall>,
    /// It stood still at times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stalls: Option<Stalls>,
    /// What its repeats differ by, as a share of their median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scatter: Option<f64>,
    /// The time of a read of the same blocks again, as a share of the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_again: Option<f64>,
    /// What the slices of a stream differ by, as a share of their median, where that is so little that it runs at a set rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub even: Option<f64>,
    /// It looks as if someone had set its rate: it is as even as a clock, or slower than any medium.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub set: bool,
}

/// A rate that fell and stayed low: what was lent before, or what a cache took.
#[record(Copy)]
pub struct Fall {
    /// The rate before, bytes per second.
    pub from_bytes_per_s: f64,
    /// The rate after, bytes per second.
    pub to_bytes_per_s: f64,
    /// The part of all bytes that was carried before, 0 to 1.
    pub before: f64,
    /// How long the lower rate was seen, s.
    pub lasted_s: f64,
    /// The lower rate was the same in each slice.
    pub even: bool,
}

/// Times in which nothing was completed.
#[record(Copy)]
pub struct Stalls {
    /// How many.
    pub count: u64,
    /// The longest, ns.
    pub longest_ns: u64,
    /// All together, s.
    pub stood_s: f64,
}

/// What came out of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExperimentOutcome {
    /// What was done.
    pub experiment: Experiment,
    /// The measurement that had more than one explanation.
    pub about: MeasurementId,
    /// Why it was done.
    pub why: String,
    /// What each explanation predicted before it ran.
    pub predictions: Vec<Prediction>,
    /// What came out; `None`: it could not be made.
    pub value: Option<f64>,
    /// The unit of the value and of the predictions.
    pub unit: Unit,
    /// The explanations that predicted it; empty: none of these.
    pub left: Vec<Quantity>,
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

/// A measurement with more than one explanation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Open {
    /// The id of the measurement.
    pub measurement: MeasurementId,
    /// The likeliest explanation.
    pub limit: Quantity,
    /// The next one.
    pub or: Quantity,
    /// How likely the next one is, 0 to 1.
    pub weight: f64,
    /// The experiment that would settle it.
    pub by: Experiment,
}

impl Characteristic {
    /// What limits a measurement in the likeliest explanation; `None`: the load itself, or nothing is known of it.
    pub fn acts_in(&self, measurement: &MeasurementId) -> Option<Quantity> {
        let best = self.cases.first()?;
        best.acts.iter().find(|acting| acting.measurement == *measurement)?.quantity
    }

    /// How likely it is that one of these limits a measurement, 0 to 1.
    pub fn share_of(&self, measurement: &MeasurementId, limits: &[Quantity]) -> f64 {
        let acts = |case: &&Case| {
            let mut acts = case.acts.iter().filter(|acting| acting.measurement == *measurement);
            acts.any(|acting| acting.quantity.is_some_and(|quantity| limits.contains(&quantity)))
        };
        self.cases.iter().filter(acts).map(|case| case.weight).sum()
    }

    /// How a measurement went, where its mean hides something.
    pub fn course(&self, measurement: &MeasurementId) -> Option<&Course> {
        self.courses.iter().find(|one| one.measurement == *measurement)
    }

    /// What is known of a parameter.
    pub fn estimate(&self, quantity: Quantity, of: &str) -> Option<Estimate> {
        let mut all = self.parameters.iter();
        all.find(|one| one.quantity == quantity && one.of == of).map(|one| one.estimate)
    }
}

/// One parameter of a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Parameter {
    /// What it is.
    pub quantity: Quantity,
    /// Of which I/Os or streams: `random read 8k`, `read`, `forward`.
    pub of: String,
    /// The unit of its values.
    pub unit: Unit,
    /// What is known of it.
    pub estimate: Estimate,
}

/// What a parameter is.
#[record(PartialOrd, Ord, Hash)]
pub enum Quantity {
    /// Time of one I/O with nothing else in flight, ns.
    Latency,
    /// I/Os that are served at the same time.
    ServedAtOnce,
    /// Device requests a second that are let through, whatever their size.
    RequestRate,
    /// Bytes a second that are let through, whatever the size of a request.
    ByteRate,
    /// Bytes a second that one flow reaches, however many there are.
    FlowRate,
    /// Bytes a second that all flows of a direction reach together.
    PathRate,
    /// Share of the packets that are lost whatever the rate: below the limit as at it.
    RandomLoss,
}

/// What is known of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "Written", into = "Written")]
#[cfg_attr(feature = "schema", schemars(with = "Written"))]
pub enum Estimate {
    /// It lies between these, and they are no more than a quarter apart.
    Determined {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// It is no less than this; nothing shows its upper end.
    AtLeast {
        /// The lower end.
        low: f64,
    },
    /// It is no more than this; nothing shows its lower end.
    AtMost {
        /// The upper end.
        high: f64,
    },
    /// It lies between these, which are farther apart: the figures scatter too much.
    Between {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
        /// The measurement that would tell.
        by: Option<Experiment>,
    },
    /// The figures leave it open.
    Undetermined {
        /// Why.
        why: Why,
        /// The measurement that would tell.
        by: Option<Experiment>,
    },
}

/// An estimate as documents have it: one record for all states.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
struct Written {
    /// `determined`, `at-least`, `at-most`, `undetermined`.
    state: State,
    /// The lower end, where one is known.
    low: Option<f64>,
    /// The upper end, where one is known.
    high: Option<f64>,
    /// Why it is not determined.
    why: Option<Why>,
    /// The measurement that would tell.
    by: Option<Experiment>,
}

/// How much is known of a parameter.
#[record(Default)]
enum State {
    /// Both ends, no more than a quarter apart.
    Determined,
    /// The lower end alone.
    AtLeast,
    /// The upper end alone.
    AtMost,
    /// Neither, or both farther apart.
    #[default]
    Undetermined,
}

impl From<Estimate> for Written {
    fn from(estimate: Estimate) -> Self {
        let none = Self::default();
        match estimate {
            Estimate::Determined { low, high } => {
                Self { state: State::Determined, low: Some(low), high: Some(high), ..none }
            }
            Estimate::AtLeast { low } => Self { state: State::AtLeast, low: Some(low), ..none },
            Estimate::AtMost { high } => Self { state: State::AtMost, high: Some(high), ..none },
            Estimate::Between { low, high, by } => {
                Self { low: Some(low), high: Some(high), why: Some(Why::Noise), by, ..none }
            }
            Estimate::Undetermined { why, by } => Self { why: Some(why), by, ..none },
        }
    }
}

impl From<Written> for Estimate {
    fn from(written: Written) -> Self {
        match (written.state, written.low, written.high) {
            (State::Determined, Some(low), Some(high)) => Self::Determined { low, high },
            (State::AtLeast, Some(low), _) => Self::AtLeast { low },
            (State::AtMost, _, Some(high)) => Self::AtMost { high },
            (State::Undetermined, Some(low), Some(high)) => Self::Between { low, high, by: written.by },
            _ => Self::Undetermined { why: written.why.unwrap_or(Why::TooFew), by: written.by },
        }
    }
}

impl Estimate {
    /// What it is no less than.
    pub fn at_least(self) -> Option<f64> {
        match self {
            Self::Determined { low, .. } | Self::AtLeast { low } | Self::Between { low, .. } => Some(low),
            _ => None,
        }
    }

    /// Both ends, however far apart.
    pub fn range(self) -> Option<[f64; 2]> {
        match self {
            Self::Determined { low, high } | Self::Between { low, high, .. } => Some([low, high]),
            _ => None,
        }
    }

    /// The middle of a determined parameter, on a scale of ratios.
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Determined { low, high } => Some((low * high).sqrt()),
            _ => None,
        }
    }
}

/// Why a parameter is not determined.
#[record]
pub enum Why {
    /// No measurement shows it.
    TooFew,
    /// Another parameter has the same effect on every figure.
    Confounded,
    /// The figures scatter too much.
    Noise,
}

/// A measurement that tells explanations apart which give the same figures in the plan.
#[record(Default)]
pub enum Experiment {
    /// Single I/Os with pauses between them: a set rate lets each pass at once, a slow device takes its time.
    #[default]
    SingleIos,
    /// The same load with blocks of another size: a limit of requests stays, one of bytes moves.
    OtherBlock,
    /// The same for longer: a limit that someone set lets I/Os through as evenly as a clock, and a stream that still grew
    /// reaches what holds it.
    Longer,
    /// Several flows toward the peer: a limit of each flow or of the direction.
    Several,
    /// Several flows from the peer.
    SeveralReverse,
    /// Datagrams at half the rate: random loss stays, drops of a full queue or a policer go.
    HalfRate,
}

impl Experiment {
    /// What is done, in a few words.
    pub const fn says(self) -> &'static str {
        match self {
            Self::SingleIos => "single I/Os with pauses",
            Self::OtherBlock => "the same load with another block size",
            Self::Longer => "the same load for longer",
            Self::Several => "several flows to the peer",
            Self::SeveralReverse => "several flows from the peer",
            Self::HalfRate => "datagrams at half the rate",
        }
    }
}

impl Quantity {
    /// The limit, in a few words.
    pub const fn says(self) -> &'static str {
        match self {
            Self::Latency => "the time of each I/O",
            Self::ServedAtOnce => "how many I/Os are served at a time",
            Self::RequestRate => "a limit of requests per second",
            Self::ByteRate => "a limit of bytes per second",
            Self::FlowRate => "a limit of each flow",
            Self::PathRate => "a limit of the path",
            Self::RandomLoss => "packets lost at any rate",
        }
    }
}

/// One explanation of all figures: which limit acts in which measurement.
#[record]
pub struct Case {
    /// The limit that acts in each measurement.
    pub acts: Vec<Acting>,
    /// How likely it is, of all explanations that were tried: 0 to 1.
    pub weight: f64,
}

/// The limit of one measurement in one explanation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Acting {
    /// The id of the measurement.
    pub measurement: MeasurementId,
    /// What limits it; `None`: the program that makes the load.
    pub quantity: Option<Quantity>,
}
