//! The best that each measured path has carried on this host before.

use crate::Deltas;
use crate::figure::{Figure, figures};
use fullwire_model::comparison::Direction;
use fullwire_model::quantity::Unit;
use fullwire_model::{EarlierBest, Run, median};

/// With fewer earlier runs no one knows what is usual.
const FEWEST_RUNS: usize = 3;
/// A rate that was reached once may have been a cache or a burst of a cloud; the second best was reached twice.
const PLACE: usize = 1;

/// For each rate of a run the best of earlier runs that asked the same question: a rate that two of them reached.
pub fn best(run: &Run, earlier: &[&Run]) -> Vec<EarlierBest> {
    let deltas = Deltas::default();
    let before: Vec<(&Run, Vec<Figure>)> =
        earlier.iter().map(|run| (*run, figures(run, &deltas).0)).collect();
    let rates = figures(run, &deltas).0.into_iter().filter(is_rate);
    rates.filter_map(|rate| of_rate(&rate, &before)).collect()
}

fn is_rate(figure: &Figure) -> bool {
    let unit = matches!(figure.kind.unit, Unit::BytesPerS | Unit::IoPerS);
    unit && figure.kind.better == Direction::Higher && figure.kind.name != "throughput back"
}

fn of_rate(rate: &Figure, before: &[(&Run, Vec<Figure>)]) -> Option<EarlierBest> {
    let same = |other: &&Figure| {
        other.path == rate.path && other.kind.name == rate.kind.name && !other.unsteady && rate.is_like(other)
    };
    let mut reached: Vec<(f64, &Run)> = before
        .iter()
        .filter_map(|(run, figures)| Some((median(&figures.iter().find(same)?.values)?, *run)))
        .collect();
    if reached.len() < FEWEST_RUNS {
        return None;
    }
    reached.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let (value, run) = reached[PLACE];
    Some(EarlierBest {
        path: rate.path.clone(),
        measurement: rate.measurement.clone(),
        value,
        unit: rate.kind.unit,
        runs: u32::try_from(reached.len()).unwrap_or(u32::MAX),
        run_id: run.run_id.clone(),
        at: run.started,
    })
}
