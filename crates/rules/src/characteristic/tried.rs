//! What an experiment gave, as a value that the explanations predicted.

use super::parameter::parameter;
use super::{share_a_cpu, sharp};
use crate::facts;
use crate::facts::stream::{self, steady_bytes_per_s};
use fullwire_model::characteristic::{
    Characteristic, Estimate, Experiment, ExperimentOutcome, Parameter, Prediction, Quantity,
};
use fullwire_model::experiment::Tried;
use fullwire_model::net::NetResult;
use fullwire_model::quantity::Unit;
use fullwire_model::{MeasurementId, PathName, Question};

/// What its result is called among the figures of a path.
pub(super) fn id(tried: &Tried, question: &Question) -> MeasurementId {
    MeasurementId::of_experiment(question, tried.experiment.says())
}

/// It was made about this measurement, with or without a result.
pub(crate) fn is_done(
    tried: &[Tried],
    path: &PathName,
    experiment: Experiment,
    about: &MeasurementId,
) -> bool {
    tried.iter().any(|one| one.path == *path && one.experiment == experiment && one.about == *about)
}

/// With pauses between them the I/Os of a measurement take far less time: what they wait for is a rate that is let through.
pub(crate) fn waits_for_a_rate<'a>(
    known: &'a Characteristic,
    about: &MeasurementId,
) -> Option<&'a ExperimentOutcome> {
    let mut singles = known.experiments.iter().filter(|one| one.experiment == Experiment::SingleIos);
    singles.find(|one| one.about == *about && one.left == [Quantity::RequestRate])
}

/// What came out, in the unit of the predictions; `None`: there is no result.
pub(super) fn value(tried: &Tried) -> Option<f64> {
    match (tried.experiment, &tried.disk, &tried.net) {
        (Experiment::SingleIos, Some(step), _) => (step.ios > 0).then(|| facts::time_ns(step)),
        (Experiment::Longer, Some(step), _) => sharp::unevenness(step),
        (_, Some(step), _) => (step.ios > 0).then_some(step.iops),
        (Experiment::HalfRate, _, Some(result)) => loss_of(result).map(|(lost, sent)| lost / sent),
        (_, _, Some(result)) => Some(steady_bytes_per_s(result)).filter(|rate| *rate > 0.0),
        _ => None,
    }
}

/// Datagrams that were lost on the way, of those that were sent.
fn loss_of(result: &NetResult) -> Option<(f64, f64)> {
    let udp = result.udp.as_ref().filter(|udp| udp.sent > 0)?;
    Some((stream::lost_datagrams(udp) as f64, udp.sent as f64))
}

/// What it leaves of the explanations.
pub(super) fn outcome(tried: &Tried) -> ExperimentOutcome {
    let value = value(tried);
    let shared = tried.net.as_ref().is_some_and(share_a_cpu);
    // With a CPU for each they might have carried more.
    let gives = |one: &Prediction, value| one.holds(value) || shared && value < one.low;
    let holds = tried.predictions.iter().filter(|one| value.is_some_and(|value| gives(one, value)));
    let why = tried.why.clone();
    ExperimentOutcome {
        experiment: tried.experiment,
        about: tried.about.clone(),
        why: if shared { format!("{why}; these waited for a CPU and do not tell") } else { why },
        predictions: tried.predictions.clone(),
        value,
        unit: tried.unit,
        left: holds.map(|one| one.limit).collect(),
    }
}

/// Fewer lost datagrams may be chance.
const FEWEST: f64 = 5.0;
/// Where none of n is lost, the share is below 3 / n with 95 % confidence ("rule of three", Hanley and Lippman-Hand 1983).
const OF_NONE: f64 = 3.0;

/// The share of packets that are lost at half the rate, for each direction in which it was tried.
pub(super) fn losses(tried: &[&Tried]) -> Vec<Parameter> {
    let half = tried.iter().filter(|one| one.experiment == Experiment::HalfRate);
    half.filter_map(|one| {
        let result = one.net.as_ref()?;
        let (lost, sent) = loss_of(result)?;
        let spread = OF_NONE * lost.max(1.0).sqrt();
        let estimate = if lost >= FEWEST {
            Estimate::AtLeast { low: (lost - spread).max(1.0) / sent }
        } else {
            Estimate::AtMost { high: (lost + spread) / sent }
        };
        let way = if result.reverse { "backward" } else { "forward" };
        Some(parameter(Quantity::RandomLoss, way, Unit::Ratio, estimate))
    })
    .collect()
}
