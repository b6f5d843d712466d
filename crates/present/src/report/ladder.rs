//! A path's ceilings as a ladder, with what was measured next to each.

use super::answer;
use super::causes::{self, FAR};
use super::characteristic;
use super::chart::Chart;
use super::figures::{disks, nets};
use super::results::{self, Table};
use crate::bonnie_table::bonnie_table;
use fullwire_model::assessment::{
    Assessment, Ceiling, MeasurementAssessment, PathAssessment, PathKind, Verdict,
};
use fullwire_model::quantity::Unit;
use fullwire_model::{PathName, Run};

/// A path with all that is known of it.
#[derive(Debug, Clone)]
pub struct PathSection<'a> {
    /// Network or storage.
    pub kind: PathKind,
    /// The peer or target.
    pub target: &'a PathName,
    /// Both ends are this host.
    pub loopback: bool,
    /// How near it comes to its ceiling.
    pub verdict: Verdict,
    /// Its measurement broke: the figures are of the time before.
    pub broke: bool,
    /// What limits it, where the headline does not say so.
    pub explanation: Vec<String>,
    /// What it is like by all its figures, and what would settle what they leave open.
    pub characteristic: Vec<String>,
    /// One for each measurement, the one that the verdict rests on first; none where only round trips were measured.
    pub ladders: Vec<Ladder<'a>>,
    /// What was measured, in numbers.
    pub tables: Vec<Table>,
    /// bonnie++'s table, in its own layout.
    pub bonnie: Vec<String>,
    /// What must be said before a number is believed.
    pub caveats: Vec<&'a str>,
}

/// One measurement with its ceilings.
#[derive(Debug, Clone)]
pub struct Ladder<'a> {
    /// `async`, `ora-lgwr sequential write 8k depth 1`.
    pub measurement: String,
    /// The verdict rests on this one.
    pub judged: bool,
    /// The figure; `None`: the probe failed.
    pub measured: Option<f64>,
    /// How far its repeats scatter either way, as a share of it; `None`: it was measured once.
    pub noise: Option<f64>,
    /// What is said where nothing is known of its scatter; empty: something is, or another tool measured it.
    pub passes: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// The share of the ceiling that decides.
    pub share: Option<f64>,
    /// What the database needs.
    pub demand: Option<f64>,
    /// The ceilings, highest first.
    pub rungs: Vec<Rung<'a>>,
    /// Ceilings that lie too far above the figure to be drawn.
    pub far: usize,
    /// The bar of the measured figure, 0 to 1 of the ladder's width.
    pub bar: f64,
    /// The bar of the demand.
    pub demand_bar: f64,
}

/// One ceiling.
#[derive(Debug, Clone)]
pub struct Rung<'a> {
    /// The ceiling with its derivation.
    pub ceiling: &'a Ceiling,
    /// Its value in the unit of the figure, where they can be compared.
    pub value: f64,
    /// The unit of the value.
    pub unit: Unit,
    /// Its bar, 0 to 1 of the ladder's width; 1 also for what is beyond.
    pub bar: f64,
    /// It is beyond the ladder's width.
    pub beyond: bool,
    /// The verdict rests on it.
    pub decides: bool,
    /// It is what limits.
    pub limits: bool,
    /// How many times this was measured, where that shows that an input is wrong.
    pub refuted: Option<f64>,
}

impl PathSection<'_> {
    /// It is among this path's own charts.
    pub(crate) fn has(&self, chart: &Chart) -> bool {
        chart.path == *self.target
    }
}

impl Rung<'_> {
    /// What it means that more was measured: a promise is kept, anything else has a wrong input.
    pub(crate) fn exceeded(&self) -> &'static str {
        if self.ceiling.kind.starts_with("declared") { "exceeded" } else { "refuted" }
    }
}

/// Every path of the assessment.
pub(super) fn sections<'a>(run: &'a Run, assessment: &'a Assessment) -> Vec<PathSection<'a>> {
    let explained = |index| assessment.explained.contains(&index);
    let paths = assessment.paths.iter().enumerate();
    paths.map(|(index, path)| section(run, assessment, path, explained(index))).collect()
}

fn section<'a>(
    run: &'a Run,
    assessment: &'a Assessment,
    path: &'a PathAssessment,
    in_headline: bool,
) -> PathSection<'a> {
    let mut ladders: Vec<Ladder<'a>> =
        path.measurements.iter().map(|measured| ladder(assessment, path, measured)).collect();
    if run.has_no_rate(path.kind, &path.target) {
        ladders.clear();
    } else if ladders.is_empty() {
        ladders.push(ladder(assessment, path, &MeasurementAssessment::default()));
    }
    ladders.sort_by_key(|ladder| !ladder.judged);
    if !["import", "file"].contains(&run.command.name.as_str()) {
        let once = |ladder: &&mut Ladder<'_>| ladder.noise.is_none() && ladder.measured.is_some();
        ladders.iter_mut().filter(once).for_each(|ladder| ladder.passes = "one pass");
    }
    PathSection {
        kind: path.kind,
        target: &path.target,
        loopback: path.kind == PathKind::Network && run.is_loopback(&path.target),
        verdict: path.verdict,
        broke: answer::is_broken(assessment, path),
        explanation: if in_headline { Vec::new() } else { causes::sentences(path, assessment) },
        characteristic: characteristic::lines(path),
        ladders,
        tables: tables(run, assessment, path),
        bonnie: disks(run, path)
            .filter_map(|one| Some(bonnie_table(one.bonnie.as_ref()?, one.imported_from.is_empty())))
            .collect(),
        caveats: disks(run, path).flat_map(|one| &one.caveats).map(|caveat| caveat.text.as_str()).collect(),
    }
}

fn tables(run: &Run, assessment: &Assessment, path: &PathAssessment) -> Vec<Table> {
    let ceilings: Vec<&Ceiling> = assessment.ceilings_of(path).map(|(_, ceiling)| ceiling).collect();
    let nets = results::nets(&nets(run, path), &ceilings);
    nets.into_iter().chain(disks(run, path).flat_map(|result| results::disk(result, path))).collect()
}

/// The judged figure is drawn in the unit of the path's verdict, any other one in its own.
fn ladder<'a>(
    assessment: &'a Assessment,
    path: &PathAssessment,
    figure: &MeasurementAssessment,
) -> Ladder<'a> {
    let judged = figure.id == path.measurement;
    let unit = if judged { path.unit } else { figure.unit };
    let measured = figure.value_in(unit);
    let (mut rungs, far) = rungs(assessment, path, figure, unit);
    rungs.sort_by(|one, other| height(figure, other.ceiling).total_cmp(&height(figure, one.ceiling)));
    let width = width(&rungs, figure);
    for rung in &mut rungs {
        let height = height(figure, rung.ceiling);
        rung.bar = (height / width).clamp(0.0, 1.0);
        rung.beyond = height > width * 1.0001;
    }
    let bar = measured.filter(|measured| *measured > 0.0).map_or(0.0, |_| (1.0 / width).clamp(0.0, 1.0));
    let demand = figure.demand.filter(|_| unit == figure.unit);
    let of_measured = demand.zip(measured).filter(|(_, measured)| *measured > 0.0);
    Ladder {
        measurement: figure.id.to_string(),
        judged,
        measured,
        noise: figure.noise(),
        passes: "",
        unit,
        share: figure.share,
        demand,
        rungs,
        far,
        bar,
        demand_bar: of_measured.map_or(0.0, |(demand, measured)| (bar * demand / measured).min(1.0)),
    }
}

/// The ceilings of a measurement that are near enough to be drawn, and how many are not.
fn rungs<'a>(
    assessment: &'a Assessment,
    path: &PathAssessment,
    figure: &MeasurementAssessment,
    unit: Unit,
) -> (Vec<Rung<'a>>, usize) {
    let bounds = |ceiling: &Ceiling| ceiling.measurement.is_none() || ceiling.measurement == figure.id;
    let own = assessment.ceilings_of(path).filter(|(_, ceiling)| bounds(ceiling));
    // Without a figure the lowest ceiling says what is near.
    let lowest = own.clone().map(|(_, ceiling)| ceiling.value).fold(f64::MAX, f64::min);
    let is_near = |ceiling: &Ceiling| {
        if is_above_zero(figure) { height(figure, ceiling) < FAR } else { ceiling.value < FAR * lowest }
    };
    let (near, far): (Vec<Rung<'a>>, Vec<Rung<'a>>) = own
        .map(|(index, ceiling)| Rung {
            ceiling,
            value: in_unit(figure, ceiling, unit).unwrap_or(ceiling.value),
            unit: if in_unit(figure, ceiling, unit).is_some() { unit } else { ceiling.unit },
            bar: 0.0,
            beyond: false,
            decides: figure.ceiling == Some(index),
            limits: figure.limited_by == Some(index),
            refuted: share(figure, ceiling).filter(|_| ceiling.refuted),
        })
        .partition(|rung| rung.decides || is_near(rung.ceiling));
    (near, far.len())
}

/// A ceiling in the unit that the figure is shown in: I/Os and bytes by the size that was measured.
fn in_unit(figure: &MeasurementAssessment, ceiling: &Ceiling, unit: Unit) -> Option<f64> {
    if ceiling.unit == unit {
        return Some(ceiling.value);
    }
    let share = share(figure, ceiling).filter(|share| *share > 0.0)?;
    figure.value_in(unit).map(|value| value / share)
}

fn is_above_zero(figure: &MeasurementAssessment) -> bool {
    figure.value.is_some_and(|value| value > 0.0)
}

/// What was measured of a ceiling, 1 is all; `None`: they cannot be compared.
fn share(figure: &MeasurementAssessment, ceiling: &Ceiling) -> Option<f64> {
    figure.value_in(ceiling.unit).filter(|_| ceiling.value > 0.0).map(|value| value / ceiling.value)
}

/// A rung's height in multiples of the measured figure, so that ceilings in bytes and in I/Os are on one
/// ladder; its plain value when nothing was measured.
fn height(figure: &MeasurementAssessment, ceiling: &Ceiling) -> f64 {
    match share(figure, ceiling) {
        Some(share) if share > 0.0 => 1.0 / share,
        None if is_above_zero(figure) => f64::MAX,
        _ => ceiling.value,
    }
}

/// The ladder is as wide as the ceiling that decides (else the lowest one), or the figure that exceeds it.
fn width(rungs: &[Rung<'_>], figure: &MeasurementAssessment) -> f64 {
    let heights = |wanted: fn(&Rung<'_>) -> bool| {
        rungs.iter().filter(|rung| wanted(rung)).map(|rung| height(figure, rung.ceiling)).reduce(f64::min)
    };
    let own = if is_above_zero(figure) { 1.0 } else { f64::MIN_POSITIVE };
    let lowest = || heights(|rung| rung.refuted.is_none());
    heights(|rung| rung.decides).or_else(lowest).unwrap_or(1.0).max(own)
}
