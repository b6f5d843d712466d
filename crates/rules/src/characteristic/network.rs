//! The characteristic of a path between two hosts.
//!
//! n flows carry min(n × what each reaches, what the direction carries). Windows, buffers and losses hold each flow; a line,
//! a shaper or a CPU holds the direction. Of one flow alone these look the same.

use super::fit::{Fitted, Limit, Point, contradicts, fit};
use super::parameter::{cases, hull, lower, parameter};
use fullwire_model::MeasurementId;
use fullwire_model::characteristic::{Characteristic, Experiment, Quantity};
use fullwire_model::quantity::Unit;

/// The rate of some flows in one direction.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    /// The id of the measurement.
    pub(crate) id: MeasurementId,
    /// The peer sends.
    pub(crate) reverse: bool,
    /// Flows at a time.
    pub(crate) flows: f64,
    /// What all of them carried, bytes per second.
    pub(crate) bytes_per_s: f64,
    /// Standard deviation of the logarithm of the rate.
    pub(crate) sigma: f64,
    /// Of an experiment, the limits whose predictions it met; empty: nothing was predicted, or none was met.
    pub(crate) left: Vec<Quantity>,
}

/// Indices of the parameters: of each flow and of each direction, then of both directions alike.
const FLOW: usize = 0;
const DIRECTION: usize = 2;
const BOTH: usize = 4;

/// The parameters that these figures determine.
pub(crate) fn characteristic(figures: &[Figure]) -> Characteristic {
    let mut figures = figures.to_vec();
    figures.sort_by(|one, other| {
        let key = |figure: &Figure| (figure.reverse, figure.flows.to_bits(), figure.bytes_per_s.to_bits());
        key(one).cmp(&key(other))
    });
    let told = [false, true].map(|reverse| {
        let mut own = figures.iter().filter(|figure| figure.reverse == reverse);
        own.next().is_some_and(|first| own.any(|other| other.flows > first.flows))
    });
    let points: Vec<Point> = figures.iter().map(|figure| point(figure, told)).collect();
    let fitted = fit(&points, BOTH + 1);
    let quantity = |limit: usize| Some(if limit == 0 { Quantity::FlowRate } else { Quantity::PathRate });
    let ids: Vec<&MeasurementId> = figures.iter().map(|figure| &figure.id).collect();
    let mut parameters = Vec::new();
    for (way, name) in ["forward", "backward"].into_iter().enumerate() {
        if figures.iter().any(|figure| usize::from(figure.reverse) == way) {
            let flow: Vec<_> = fitted.iter().map(|one: &Fitted| one.ranges[FLOW + way]).collect();
            let path: Vec<_> =
                fitted.iter().map(|one| lower(one.ranges[DIRECTION + way], one.ranges[BOTH])).collect();
            let by = if way == 0 { Experiment::Several } else { Experiment::SeveralReverse };
            parameters.push(parameter(Quantity::FlowRate, name, Unit::BytesPerS, hull(&flow, false, by)));
            parameters.push(parameter(Quantity::PathRate, name, Unit::BytesPerS, hull(&path, false, by)));
        }
    }
    Characteristic {
        parameters,
        cases: cases(&ids, &fitted, quantity),
        contradictory: contradicts(&fitted),
        ..Characteristic::default()
    }
}

/// The limits of a figure: what each flow reaches, what the direction carries, what both directions carry alike.
fn point(figure: &Figure, told: [bool; 2]) -> Point {
    let way = usize::from(figure.reverse);
    let limit =
        |parameter, offset: f64, may_act| Limit { parameter: Some(parameter), offset, may_act, prior: 0.0 };
    let left = |quantity| figure.left.is_empty() || figure.left.contains(&quantity);
    let of_path = left(Quantity::PathRate);
    let limits = vec![
        limit(FLOW + way, figure.flows.ln(), left(Quantity::FlowRate)),
        limit(DIRECTION + way, 0.0, of_path && (told[way] || figure.flows > 1.0)),
        limit(BOTH, 0.0, of_path && (told[0] || told[1])),
    ];
    Point { y: figure.bytes_per_s.ln(), sigma: figure.sigma, limits }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::characteristic::Estimate;

    fn id(name: &str) -> MeasurementId {
        serde_json::from_value(name.into()).expect("an id is a text")
    }

    fn figure(name: &str, reverse: bool, flows: f64, bytes_per_s: f64) -> Figure {
        Figure { id: id(name), reverse, flows, bytes_per_s, sigma: 0.03, left: Vec::new() }
    }

    /// Drops of a policer make streams of a second uneven; that two carry what one does was predicted of the path alone.
    #[test]
    fn an_experiment_leaves_what_predicted_its_outcome() {
        let uneven =
            |name: &str, flows, bytes_per_s| Figure { sigma: 0.2, ..figure(name, true, flows, bytes_per_s) };
        let one = uneven("one", 1.0, 11.2e6);
        let two = Figure { left: vec![Quantity::PathRate], ..uneven("two", 2.0, 11.5e6) };
        assert_eq!(characteristic(&[one, two]).acts_in(&id("one")), Some(Quantity::PathRate));
    }

    #[test]
    fn two_flows_that_carry_twice_are_held_each() {
        let found = characteristic(&[figure("one", false, 1.0, 3e6), figure("two", false, 2.0, 6.1e6)]);
        assert_eq!(found.acts_in(&id("one")), Some(Quantity::FlowRate));
        assert!(
            matches!(found.estimate(Quantity::PathRate, "forward"), Some(Estimate::AtLeast { low }) if low > 5e6)
        );
    }

    #[test]
    fn two_flows_that_carry_what_one_does_are_held_together_and_so_is_the_way_back_at_that_rate() {
        let figures = [
            figure("one", false, 1.0, 10.7e6),
            figure("two", false, 2.0, 10.8e6),
            figure("back", true, 1.0, 10.75e6),
        ];
        let found = characteristic(&figures);
        for name in ["one", "two", "back"] {
            assert_eq!(found.acts_in(&id(name)), Some(Quantity::PathRate), "{name}");
        }
    }

    #[test]
    fn of_two_flows_alone_it_is_not_known_what_holds_them() {
        let found = characteristic(&[figure("two", false, 2.0, 7.2e6)]);
        let each = found.share_of(&id("two"), &[Quantity::FlowRate]);
        assert!((each - 0.5).abs() < 0.01, "{each}");
        let flow = found.estimate(Quantity::FlowRate, "forward");
        assert!(matches!(flow, Some(Estimate::AtLeast { low }) if low < 3.6e6), "{flow:?}");
    }

    #[test]
    fn of_one_flow_back_at_another_rate_nothing_is_known_of_the_direction() {
        let figures = [
            figure("one", false, 1.0, 10.7e6),
            figure("two", false, 2.0, 10.8e6),
            figure("back", true, 1.0, 1.5e6),
        ];
        let found = characteristic(&figures);
        let back = found.estimate(Quantity::PathRate, "backward");
        assert!(matches!(back, Some(Estimate::AtLeast { low }) if low < 1.5e6), "{back:?}");
    }
}
