//! The history of one plan on one host: its noise, and where it changed.

use crate::figure::figures;
use crate::options::Deltas;
use crate::settings;
use crate::statistics::change_points;
use fullwire_model::comparison::{Direction, SettingChange};
use fullwire_model::history::{Change, Point, Series};
use fullwire_model::{Run, median};

/// Fewer runs are no series.
pub const SHORTEST: usize = 3;
/// Chance of calling a change in a series that has none.
const ALPHA: f64 = 0.01;

/// The primary figure of every path of these runs as a series, oldest first. Runs of other plans than the newest one's
/// are left out, and those of experiments: what they set is no change of the path.
pub fn series(runs: &[&Run], deltas: &Deltas) -> Vec<Series> {
    let mut ordered: Vec<&Run> = runs.iter().copied().filter(|run| !run.command.experiment).collect();
    ordered.sort_by_key(|run| run.started);
    let all: Vec<_> = ordered.iter().map(|run| figures(run, deltas).0).collect();
    let (mut found, mut done): (Vec<Series>, Vec<_>) = (Vec::new(), Vec::new());
    // The newest question of each path and figure decides.
    for figure in all.iter().rev().flatten().filter(|figure| figure.kind.rank <= 3) {
        let key = (&figure.path, &figure.measurement, figure.kind.name);
        if done.contains(&key) {
            continue;
        }
        let mut own = Vec::new();
        for (index, figures) in all.iter().enumerate() {
            let same = figures.iter().find(|other| {
                other.path == figure.path
                    && other.measurement == figure.measurement
                    && other.kind.name == figure.kind.name
                    && figure.question.difference(&other.question).is_none()
            });
            if let Some(value) = same.and_then(|same| median(&same.values)).filter(|value| *value > 0.0) {
                own.push((index, value));
            }
        }
        if own.len() < SHORTEST {
            continue;
        }
        let points: Vec<Point> = own
            .iter()
            .map(|(index, value)| Point {
                run_id: ordered[*index].run_id.clone(),
                at: ordered[*index].started,
                value: *value,
            })
            .collect();
        let logs: Vec<f64> = own.iter().map(|(_, value)| value.ln()).collect();
        let changes = changes(&logs, figure.kind.delta, figure.kind.better, |at| {
            settings::differences(&ordered[own[at - 1].0].host, &ordered[own[at].0].host)
                .into_iter()
                .map(|difference| difference.change)
                .filter(|change| !change.identity)
                .collect()
        });
        let better_of = |one: f64, other: f64| match figure.kind.better {
            Direction::Higher => one > other,
            Direction::Lower => one < other,
        };
        let best = (1..points.len()).fold(0, |best, index| {
            if better_of(points[index].value, points[best].value) { index } else { best }
        });
        done.push(key);
        found.push(Series {
            path: figure.path.clone(),
            label: format!("{} {}", figure.measurement, figure.kind.name),
            unit: figure.kind.unit,
            better: figure.kind.better,
            points,
            changes,
            noise_floor: noise_floor(&logs),
            best,
        });
    }
    found
}

fn changes(
    logs: &[f64],
    delta: f64,
    better: Direction,
    settings: impl Fn(usize) -> Vec<SettingChange>,
) -> Vec<Change> {
    change_points(logs, ALPHA, delta.ln_1p())
        .into_iter()
        .map(|point| Change {
            at: point.index,
            shift: point.shift.exp_m1(),
            better: (point.shift > 0.0) == (better == Direction::Higher),
            settings: settings(point.index),
        })
        .collect()
}

/// Median distance of neighbours, as a share.
fn noise_floor(logs: &[f64]) -> Option<f64> {
    let steps: Vec<f64> = logs.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    median(&steps).map(f64::exp_m1)
}
