//! A path's ceilings as a ladder, with what was measured beside each.

use super::results::{self, Table};
use fullwire_model::Run;
use fullwire_model::assessment::{Assessment, Bottleneck, Ceiling, PathAssessment, PathKind, Verdict};
use fullwire_model::disk::DiskStepResult;
use fullwire_model::net::NetResult;
use fullwire_model::quantity::Unit;

/// A path with all that is known of it.
#[derive(Debug, Clone)]
pub struct PathSection<'a> {
    /// Network or storage.
    pub kind: PathKind,
    /// The peer or target.
    pub subject: &'a str,
    /// Both ends are this host.
    pub loopback: bool,
    /// How near it comes to its ceiling.
    pub verdict: Verdict,
    /// What limits it.
    pub bottleneck: &'a Bottleneck,
    /// One for each measurement, the one that the verdict rests on first.
    pub ladders: Vec<Ladder<'a>>,
    /// What was measured, in numbers.
    pub tables: Vec<Table>,
    /// What must be said before a number is believed.
    pub caveats: Vec<&'a str>,
}

/// One measurement beside its ceilings.
#[derive(Debug, Clone)]
pub struct Ladder<'a> {
    /// `async`, `ora-lgwr sequential write 8k depth 1`.
    pub measurement: String,
    /// The verdict rests on this one.
    pub judged: bool,
    /// The figure; `None`: the probe failed.
    pub measured: Option<f64>,
    /// Its unit.
    pub unit: Unit,
    /// What the database needs.
    pub demand: Option<f64>,
    /// The ceilings, highest first.
    pub rungs: Vec<Rung<'a>>,
    /// The bar of the measured figure, 0 to 1 of the ladder's width.
    pub bar: f64,
}

/// One ceiling.
#[derive(Debug, Clone)]
pub struct Rung<'a> {
    /// The ceiling with its derivation.
    pub ceiling: &'a Ceiling,
    /// What was measured of it, 1 is all; `None`: they cannot be compared.
    pub share: Option<f64>,
    /// Its bar, 0 to 1 of the ladder's width; 1 also for what lies beyond.
    pub bar: f64,
    /// It lies beyond the ladder's width.
    pub beyond: bool,
    /// The verdict rests on it.
    pub decides: bool,
    /// It names the bottleneck.
    pub limits: bool,
}

/// A measurement in both units that ceilings come in.
struct Figure {
    label: String,
    bytes_per_s: f64,
    io_per_s: Option<f64>,
    unit: Unit,
}

impl Figure {
    fn of_net(result: &NetResult) -> Self {
        let io_per_s = (result.duration_s > 0.0).then(|| result.messages as f64 / result.duration_s);
        let bytes_per_s = result.throughput_bytes_per_s;
        Self { label: result.label(), bytes_per_s, io_per_s, unit: Unit::BytesPerS }
    }

    fn of_step(step: &DiskStepResult) -> Self {
        let unit = match step.pattern {
            fullwire_model::disk::Pattern::Random => Unit::IoPerS,
            fullwire_model::disk::Pattern::Sequential => Unit::BytesPerS,
        };
        let bytes_per_s = step.throughput_bytes_per_s;
        Self { label: step.label(), bytes_per_s, io_per_s: Some(step.iops), unit }
    }

    fn value_in(&self, unit: Unit) -> Option<f64> {
        match unit {
            Unit::BytesPerS => Some(self.bytes_per_s),
            Unit::IoPerS => self.io_per_s,
            _ => None,
        }
    }
}

/// Every path of the assessment.
pub(super) fn sections<'a>(run: &'a Run, assessment: &'a Assessment) -> Vec<PathSection<'a>> {
    assessment.paths.iter().map(|path| section(run, assessment, path)).collect()
}

/// The peer of a path is this host.
pub(super) fn is_loopback(run: &Run, subject: &str) -> bool {
    run.peer(subject).is_some_and(|peer| peer.loopback)
        || run.net.iter().any(|result| result.target == subject && result.path.loopback)
}

fn section<'a>(run: &'a Run, assessment: &'a Assessment, path: &'a PathAssessment) -> PathSection<'a> {
    let disk =
        run.disk.iter().filter(|result| path.kind == PathKind::Storage && result.target == path.subject);
    let net = run.net.iter().filter(|result| path.kind == PathKind::Network && result.target == path.subject);
    let mut figures: Vec<Figure> = net.clone().map(Figure::of_net).collect();
    figures.extend(disk.clone().flat_map(|result| &result.steps).map(Figure::of_step));
    let ceilings: Vec<&Ceiling> = assessment.ceilings.iter().filter(|c| c.path == path.subject).collect();
    let mut ladders: Vec<Ladder<'a>> =
        figures.iter().map(|figure| ladder(path, &ceilings, Some(figure), &figure.label)).collect();
    if ladders.is_empty() {
        ladders.push(ladder(path, &ceilings, None, &path.measurement));
    }
    ladders.sort_by_key(|ladder| !ladder.judged);
    let tables =
        results::nets(net, &ceilings).into_iter().chain(disk.clone().flat_map(results::disk)).collect();
    PathSection {
        kind: path.kind,
        subject: &path.subject,
        loopback: path.kind == PathKind::Network && is_loopback(run, &path.subject),
        verdict: path.verdict,
        bottleneck: &path.bottleneck,
        ladders,
        tables,
        caveats: disk.flat_map(|result| &result.caveats).map(|caveat| caveat.text.as_str()).collect(),
    }
}

fn ladder<'a>(
    path: &PathAssessment,
    ceilings: &[&'a Ceiling],
    figure: Option<&Figure>,
    label: &str,
) -> Ladder<'a> {
    let judged = label == path.measurement;
    let unit = if judged { path.unit } else { figure.map_or(path.unit, |figure| figure.unit) };
    let measured = figure.and_then(|figure| figure.value_in(unit));
    let bounds_this = |ceiling: &&&'a Ceiling| ceiling.measurement.is_empty() || ceiling.measurement == label;
    let mut rungs: Vec<Rung<'a>> =
        ceilings.iter().filter(bounds_this).map(|ceiling| rung(path, ceiling, figure, judged)).collect();
    rungs.sort_by(|one, other| height(other, measured).total_cmp(&height(one, measured)));
    let demand = path.demand.filter(|_| judged);
    let width = width(&rungs, measured);
    for rung in &mut rungs {
        let height = height(rung, measured);
        rung.bar = (height / width).clamp(0.0, 1.0);
        rung.beyond = height > width * 1.0001;
    }
    let bar = measured.map_or(0.0, |_| (1.0 / width).clamp(0.0, 1.0));
    Ladder { measurement: label.to_owned(), judged, measured, unit, demand, rungs, bar }
}

fn rung<'a>(path: &PathAssessment, ceiling: &'a Ceiling, figure: Option<&Figure>, judged: bool) -> Rung<'a> {
    let value = figure.and_then(|figure| figure.value_in(ceiling.unit));
    let is_wire = path.ceiling.is_some_and(|wire| (wire - ceiling.value).abs() <= wire.abs() * 1e-9);
    let named = &path.bottleneck;
    Rung {
        ceiling,
        share: value.filter(|_| ceiling.value > 0.0).map(|value| value / ceiling.value),
        bar: 0.0,
        beyond: false,
        decides: judged && is_wire && !ceiling.soft && !ceiling.removable && ceiling.unit == path.unit,
        limits: named.code == ceiling.kind && named.subject == ceiling.subject,
    }
}

/// A rung's height in multiples of the measured figure, so that ceilings in bytes and in I/Os stand on one
/// ladder; its plain value when nothing was measured.
fn height(rung: &Rung<'_>, measured: Option<f64>) -> f64 {
    match (rung.share, measured) {
        (Some(share), Some(_)) if share > 0.0 => 1.0 / share,
        (_, Some(_)) => f64::MAX,
        _ => rung.ceiling.value,
    }
}

/// The ladder is as wide as the ceiling that decides (else the lowest one), or the figure that exceeds it.
fn width(rungs: &[Rung<'_>], measured: Option<f64>) -> f64 {
    let heights = |wanted: fn(&Rung<'_>) -> bool| {
        rungs.iter().filter(|rung| wanted(rung)).map(|rung| height(rung, measured)).reduce(f64::min)
    };
    let own = if measured.is_some() { 1.0 } else { f64::MIN_POSITIVE };
    heights(|rung| rung.decides).or_else(|| heights(|_| true)).unwrap_or(1.0).max(own)
}
