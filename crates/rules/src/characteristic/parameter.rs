//! What all cases that are left say together, for readers.

use super::fit::{Fitted, Range};
use fullwire_model::MeasurementId;
use fullwire_model::characteristic::{Acting, Case, Estimate, Experiment, Parameter, Quantity, Why};
use fullwire_model::quantity::Unit;

/// The cases with their weights; `quantity` names a limit of a figure.
pub(crate) fn cases(
    measurements: &[&MeasurementId],
    fitted: &[Fitted],
    quantity: impl Fn(usize) -> Option<Quantity>,
) -> Vec<Case> {
    let best = fitted.first().map_or(0.0, |first| first.evidence);
    let shares: Vec<f64> = fitted.iter().map(|one| (one.evidence - best).exp()).collect();
    let all: f64 = shares.iter().sum();
    let acting = |one: &Fitted| {
        let each = measurements.iter().zip(&one.acting);
        each.map(|(id, limit)| Acting { measurement: (*id).clone(), quantity: quantity(*limit) }).collect()
    };
    fitted.iter().zip(shares).map(|(one, share)| Case { acts: acting(one), weight: share / all }).collect()
}

/// A parameter.
pub(crate) fn parameter(quantity: Quantity, of: &str, unit: Unit, estimate: Estimate) -> Parameter {
    Parameter { quantity, of: of.to_owned(), unit, estimate }
}

/// The lower of its own limit and the one of all.
pub(crate) fn lower(own: Range, both: Range) -> Range {
    match (own, both) {
        (Range::Seen { low, high }, Range::Seen { low: other, high: most }) => {
            Range::Seen { low: low.min(other), high: high.min(most) }
        }
        (seen @ Range::Seen { .. }, _) | (_, seen @ Range::Seen { .. }) => seen,
        (Range::Above(one), Range::Above(other)) => Range::Above(one.min(other)),
        (one, Range::Unseen) | (Range::Unseen, one) => one,
    }
}

/// A parameter is determined where its ends are no farther apart than this.
const DETERMINED: f64 = 1.25;

/// The hull over all cases that are left. `inverse`: what acts nowhere bounds it from above.
pub(crate) fn hull(ranges: &[Range], inverse: bool, by: Experiment) -> Estimate {
    let seen = ranges.iter().filter_map(|range| match range {
        Range::Seen { low, high } => Some((*low, *high)),
        _ => None,
    });
    let bound = ranges.iter().filter_map(|range| match range {
        Range::Above(low) => Some(*low),
        _ => None,
    });
    let hulled = seen.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
    let bounds: Vec<f64> = bound.collect();
    let unseen = ranges.contains(&Range::Unseen);
    match (hulled, bounds.is_empty() && !unseen) {
        (Some((low, high)), true) if high - low <= DETERMINED.ln() => {
            Estimate::Determined { low: low.exp(), high: high.exp() }
        }
        (Some((low, high)), true) => Estimate::Between { low: low.exp(), high: high.exp(), by: Some(by) },
        (None, _) if bounds.is_empty() => Estimate::Undetermined { why: Why::TooFew, by: Some(by) },
        (_, _) if unseen => Estimate::Undetermined { why: Why::Confounded, by: Some(by) },
        (hulled, _) if inverse => {
            let high =
                bounds.iter().copied().chain(hulled.map(|seen| seen.1)).fold(f64::NEG_INFINITY, f64::max);
            Estimate::AtMost { high: high.exp() }
        }
        (hulled, _) => {
            let low = bounds.iter().copied().chain(hulled.map(|seen| seen.0)).fold(f64::INFINITY, f64::min);
            Estimate::AtLeast { low: low.exp() }
        }
    }
}
