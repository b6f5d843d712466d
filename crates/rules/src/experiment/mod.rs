//! Experiments: measurements beyond the plan that tell explanations of a figure apart.
//!
//! Each says which explanations it separates, what each of them predicts, what it costs, and what it does to the path:
//! nothing that the plan has not done. The next one is that whose predictions exclude one another most, by the weights of
//! the explanations, for its cost (Chaloner and Verdinelli, "Bayesian Experimental Design: A Review", 1995: the gain in
//! information over the cost).

mod network;
mod storage;

use crate::characteristic::{is_done, of_peer, of_target};
use fullwire_model::characteristic::Prediction;
use fullwire_model::characteristic::{Characteristic, Experiment, Open, Quantity};
use fullwire_model::disk::{DiskResult, DiskStep};
use fullwire_model::experiment::Tried;
use fullwire_model::net::NetPlan;
use fullwire_model::quantity::Unit;
use fullwire_model::{MeasurementId, PathName, Run};

/// An experiment to be made, and what to ask for it.
#[derive(Debug, Clone)]
pub struct Proposal<P> {
    /// The measurement.
    pub plan: P,
    /// How long it takes, s.
    pub cost_s: f64,
    /// What it is for: the record to be kept with its result.
    pub record: Tried,
}

/// Explanations whose weights multiply to less are not worth a measurement (own choice).
const WORTH: f64 = 0.02;

impl<P> Proposal<P> {
    /// The weight of the pairs of explanations of which it excludes one, for each second.
    fn worth(&self) -> f64 {
        separated(&self.record.predictions) / self.cost_s
    }
}

/// The summed weights of the pairs of explanations that exclude each other.
fn separated(predictions: &[Prediction]) -> f64 {
    let pairs = predictions.iter().enumerate();
    let of = |(at, one): (usize, &Prediction)| -> f64 {
        let others = predictions[at + 1..].iter().filter(|other| one.excludes(other));
        others.map(|other| one.weight * other.weight).sum()
    };
    pairs.map(of).sum()
}

/// The experiment that tells the explanations of a storage target's figures apart best for its cost; `None`: none does,
/// or none fits into the time.
pub fn next_of_storage(result: &DiskResult, tried: &[Tried], left_s: f64) -> Option<Proposal<DiskStep>> {
    let known = of_target(result, tried);
    best(storage::proposals(result, &known), tried, left_s)
}

/// The same of the path to a peer.
pub fn next_of_network(run: &Run, peer: &PathName, left_s: f64) -> Option<Proposal<NetPlan>> {
    best(network::proposals(run, peer, &of_peer(run, peer)), &run.tried, left_s)
}

fn best<P>(proposals: Vec<Proposal<P>>, tried: &[Tried], left_s: f64) -> Option<Proposal<P>> {
    let fits = |one: &Proposal<P>| {
        let record = &one.record;
        one.cost_s <= left_s
            && separated(&record.predictions) >= WORTH
            && !is_done(tried, &record.path, record.experiment, &record.about)
    };
    // Of equals the first in the order of the plan: `max_by` takes the last.
    proposals.into_iter().rev().filter(fits).max_by(|one, other| one.worth().total_cmp(&other.worth()))
}

/// The measurements of a storage target that have more than one explanation.
pub(crate) fn open_of_storage(result: &DiskResult, tried: &[Tried], known: &Characteristic) -> Vec<Open> {
    open(storage::proposals(result, known), tried)
}

/// The same of the path to a peer.
pub(crate) fn open_of_network(run: &Run, peer: &PathName, known: &Characteristic) -> Vec<Open> {
    open(network::proposals(run, peer, known), &run.tried)
}

fn open<P>(proposals: Vec<Proposal<P>>, tried: &[Tried]) -> Vec<Open> {
    let records = proposals.into_iter().map(|one| one.record);
    let open = records.filter(|record| {
        separated(&record.predictions) >= WORTH
            && !is_done(tried, &record.path, record.experiment, &record.about)
    });
    open.filter_map(|record| {
        let mut suspects = record.predictions;
        suspects.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        let [first, second, ..] = suspects.as_slice() else { return None };
        Some(Open {
            measurement: record.about,
            limit: first.limit,
            or: second.limit,
            weight: second.weight,
            by: record.experiment,
        })
    })
    .collect()
}

fn prediction(limit: Quantity, low: f64, high: impl Into<Option<f64>>, weight: f64) -> Prediction {
    Prediction { limit, low, high: high.into(), weight }
}

fn record(
    path: &PathName,
    experiment: Experiment,
    about: &MeasurementId,
    unit: Unit,
    predictions: Vec<Prediction>,
    why: String,
) -> Tried {
    let (path, about) = (path.to_owned(), about.clone());
    Tried { path, experiment, about, why, predictions, unit, ..Tried::default() }
}
