//! The characteristic of a storage target.
//!
//! A closed loop of d I/Os in flight completes min(d ÷ L, R) a second (Little's law; Denning and Buzen, "The Operational
//! Analysis of Queueing Network Models", 1978, asymptotic bounds). R is what is served at the same time ÷ L, or a limit of
//! requests or of bytes. Of one block size, these give the same curve: only two sizes that reach the same limit in one of
//! the two units tell them apart.

use super::fit::{Fitted, Limit, Point, Range, contradicts, fit};
use super::parameter::{cases, hull, lower, parameter};
use crate::facts;
use fullwire_model::MeasurementId;
use fullwire_model::characteristic::{Characteristic, Experiment, Parameter, Quantity};
use fullwire_model::disk::{DiskStepResult, Operation, Sync};
use fullwire_model::quantity::Unit;

/// One closed-loop figure of a target.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    /// The id of the measurement.
    pub(crate) id: MeasurementId,
    /// What shares a latency: `random read 8k`.
    pub(crate) kind: String,
    /// Reads and writes may have limits of their own.
    pub(crate) operation: Operation,
    /// I/Os in flight.
    pub(crate) depth: f64,
    /// Bytes of one I/O.
    pub(crate) block_bytes: f64,
    /// I/Os a second.
    pub(crate) io_per_s: f64,
    /// Standard deviation of the logarithm of the rate.
    pub(crate) sigma: f64,
    /// Requests that the device sees for one I/O.
    pub(crate) requests_per_io: f64,
    /// What the program that makes the load could do, I/Os a second.
    pub(crate) generator_io_per_s: Option<f64>,
    /// Single I/Os with pauses, their rate that of one after the other: no limit of a rate holds them.
    pub(crate) alone: bool,
    /// It was measured long enough to tell whether it looks as if someone had set its rate, and it does.
    pub(crate) set: bool,
}

/// A device that serves a few I/Os at a time looks like a limit that someone set in one case of twenty (own choice).
const SET: f64 = -3.0;

/// The scatter between two measurements of the same thing on one host: of metal, and of a guest (own choice, from runs
/// on quiet hosts; the noise of repeats replaces it where there are some).
const BETWEEN: f64 = 0.03;
/// Of the variance between slices that their I/Os do not explain, this remains in the mean (own choice).
const UNEVEN: f64 = 0.25;
/// More than this is not known to be any better (own choice).
const MOST_SIGMA: f64 = 0.5;

/// The figures of steps that were driven as fast as the storage went.
pub(crate) fn figures<'a>(
    steps: impl IntoIterator<Item = (MeasurementId, &'a DiskStepResult)>,
    generator_io_per_s: Option<f64>,
) -> Vec<Figure> {
    let closed =
        |step: &DiskStepResult| step.ios > 0 && step.iops > 0.0 && step.rate_per_s == 0.0 && !step.concurrent;
    // What only fills the page cache says nothing of the storage.
    let reaches = |step: &DiskStepResult| match step.operation {
        Operation::Read => true,
        Operation::Write => step.direct || step.sync != Sync::None,
        Operation::Mixed | Operation::Copy => false,
    };
    let usable = |step: &DiskStepResult| closed(step) && reaches(step);
    let steps = steps.into_iter().filter(|(_, step)| usable(step));
    steps.map(|(id, step)| figure(id, step, generator_io_per_s)).collect()
}

fn figure(id: MeasurementId, step: &DiskStepResult, generator_io_per_s: Option<f64>) -> Figure {
    let threads = f64::from(step.threads.max(1));
    Figure {
        id,
        kind: kind(step),
        operation: step.operation,
        depth: f64::from(step.queue_depth.max(1)) * threads,
        block_bytes: step.block_bytes.max(1) as f64,
        io_per_s: step.iops,
        sigma: sigma(step),
        requests_per_io: step.requests_per_io.filter(|requests| *requests > 0.0).unwrap_or(1.0),
        generator_io_per_s: generator_io_per_s.map(|rate| rate * threads),
        alone: false,
        set: false,
    }
}

/// Standard deviations from the median to the 90th percentile of a normal distribution.
const TO_P90: f64 = 1.2816;
/// An I/O that finds an idle host and device may take longer than one after another, by about this share (own choice).
const WAKING: f64 = 0.12;

/// Single I/Os with pauses between them: their time alone, if an explanation gives it.
pub(crate) fn alone<'a>(
    steps: impl IntoIterator<Item = (MeasurementId, &'a DiskStepResult)>,
    left: &[Quantity],
) -> Vec<Figure> {
    let timed = steps.into_iter().filter(|(_, step)| step.latency_ns.p50 > 0 && !left.is_empty());
    let between = if left.contains(&Quantity::Latency) { WAKING } else { BETWEEN };
    timed
        .map(|(id, step)| {
            let median = step.latency_ns.p50 as f64;
            let spread = (step.latency_ns.p90 as f64 / median - 1.0) / TO_P90;
            let of_mean = spread.powi(2) / step.latency_ns.count.max(1) as f64;
            Figure {
                io_per_s: 1e9 / facts::time_ns(step),
                sigma: (of_mean + between.powi(2)).sqrt().min(MOST_SIGMA),
                alone: true,
                ..figure(id, step, None)
            }
        })
        .collect()
}

/// What a step shares with those that differ from it in depth or profile alone.
pub(crate) fn kind(step: &DiskStepResult) -> String {
    let label = step.label();
    let bare = label.strip_prefix(&format!("{} ", step.profile)).unwrap_or(&label);
    let in_flight = u64::from(step.queue_depth.max(1)) * u64::from(step.threads.max(1));
    bare.replace(&format!(" depth {in_flight}"), "")
}

/// The scatter of the mean over slices, the count of I/Os, and what two measurements differ by. Slices that differ by more
/// than their few I/Os explain are of more than one state: their mean is of none.
fn sigma(step: &DiskStepResult) -> f64 {
    let rates: Vec<f64> = step.intervals.iter().map(|slice| slice.iops).collect();
    let slices = rates.len().max(1) as f64;
    let mean = rates.iter().sum::<f64>() / slices;
    let square = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / (slices - 1.0).max(1.0);
    let variation = if mean > 0.0 { square.sqrt() / mean } else { 0.0 };
    let ios = step.ios.max(1) as f64;
    let of_states = (variation.powi(2) - slices / ios).max(0.0) * UNEVEN;
    // The first and the last I/O of a step are counted whole or not at all.
    let of_count = 0.5 / ios;
    let repeated = step.noise.unwrap_or(0.0) / 2.0;
    let all = variation.powi(2) / slices + of_states + of_count.powi(2) + repeated.powi(2) + BETWEEN.powi(2);
    all.sqrt().min(MOST_SIGMA)
}

/// What a limit may hold: reads, writes, or both together.
const SCOPES: [(&str, Option<Operation>); 3] =
    [("read", Some(Operation::Read)), ("write", Some(Operation::Write)), ("all", None)];

/// Where the parameters of a target stand in the fit.
struct Layout {
    kinds: Vec<String>,
    /// Scopes in which more than one depth or size was measured: in the others every limit looks like a latency.
    told: [bool; SCOPES.len()],
    /// Scopes that have figures.
    used: [bool; SCOPES.len()],
}

impl Layout {
    fn of(figures: &[Figure]) -> Self {
        let mut kinds: Vec<String> = figures.iter().map(|figure| figure.kind.clone()).collect();
        kinds.sort();
        kinds.dedup();
        let inside = |scope: usize| {
            let operation = SCOPES[scope].1;
            figures.iter().filter(move |figure| operation.is_none_or(|one| figure.operation == one))
        };
        let varied = |scope: usize| {
            let mut own = inside(scope);
            own.clone().any(|figure| figure.depth > 1.0 || figure.alone)
                || own.next().is_some_and(|first| {
                    own.any(|other| other.block_bytes.to_bits() != first.block_bytes.to_bits())
                })
        };
        // A limit of both is one only where both were measured.
        let both = inside(0).next().is_some() && inside(1).next().is_some();
        let used = |scope: usize| inside(scope).next().is_some() && (scope < 2 || both);
        Self { kinds, told: [0, 1, 2].map(|scope| used(scope) && varied(scope)), used: [0, 1, 2].map(used) }
    }

    fn count(&self) -> usize {
        2 * (self.kinds.len() + SCOPES.len())
    }

    /// −ln of the latency of one I/O.
    fn latency(&self, kind: &str) -> usize {
        self.kinds.iter().position(|own| own == kind).unwrap_or(0)
    }

    /// The rate at which a kind of I/O alone stops growing: what is served at a time ÷ latency.
    fn plateau(&self, kind: &str) -> usize {
        self.kinds.len() + self.latency(kind)
    }

    fn requests(&self, scope: usize) -> usize {
        2 * self.kinds.len() + scope
    }

    fn bytes(&self, scope: usize) -> usize {
        SCOPES.len() + self.requests(scope)
    }
}

/// The limits of a figure, in the order of [`quantity`].
fn point(figure: &Figure, layout: &Layout) -> Point {
    let limit = |parameter, factor: f64, may_act| Limit {
        parameter: Some(parameter),
        offset: factor.ln(),
        may_act,
        prior: 0.0,
    };
    let own = usize::from(figure.operation != Operation::Read);
    let mut limits = vec![
        limit(layout.latency(&figure.kind), figure.depth, true),
        // At least one is served at a time: of a single I/O that is its latency.
        Limit {
            prior: if figure.set { SET } else { 0.0 },
            ..limit(layout.plateau(&figure.kind), 1.0, layout.told[own] && figure.depth > 1.0)
        },
    ];
    let scopes = if figure.alone { &[][..] } else { &[own, SCOPES.len() - 1] };
    for scope in scopes.iter().copied() {
        let told = layout.told[scope];
        limits.push(limit(layout.requests(scope), 1.0 / figure.requests_per_io, told));
        limits.push(limit(layout.bytes(scope), 1.0 / figure.block_bytes, told));
    }
    if let Some(rate) = figure.generator_io_per_s {
        limits.push(Limit { parameter: None, offset: rate.ln(), may_act: true, prior: 0.0 });
    }
    Point { y: figure.io_per_s.ln(), sigma: figure.sigma, limits }
}

fn quantity(limit: usize) -> Option<Quantity> {
    match limit {
        0 => Some(Quantity::Latency),
        1 => Some(Quantity::ServedAtOnce),
        2 | 4 => Some(Quantity::RequestRate),
        3 | 5 => Some(Quantity::ByteRate),
        _ => None,
    }
}

/// The parameters that these figures determine.
pub(crate) fn characteristic(figures: &[Figure]) -> Characteristic {
    let mut figures = figures.to_vec();
    // Neither the order of the steps nor their names decide.
    figures.sort_by(|one, other| {
        let key = |figure: &Figure| (figure.kind.clone(), figure.depth.to_bits(), figure.io_per_s.to_bits());
        key(one).cmp(&key(other))
    });
    let layout = Layout::of(&figures);
    let points: Vec<Point> = figures.iter().map(|figure| point(figure, &layout)).collect();
    let fitted = fit(&points, layout.count());
    let ids: Vec<&MeasurementId> = figures.iter().map(|figure| &figure.id).collect();
    Characteristic {
        parameters: parameters(&layout, &fitted),
        cases: cases(&ids, &fitted, quantity),
        contradictory: contradicts(&fitted),
        ..Characteristic::default()
    }
}

fn parameters(layout: &Layout, fitted: &[Fitted]) -> Vec<Parameter> {
    let mut all = Vec::new();
    for kind in &layout.kinds {
        let of = |at: usize| fitted.iter().map(move |one| one.ranges[at]);
        let latency: Vec<Range> = of(layout.latency(kind)).map(latency_ns).collect();
        all.push(parameter(Quantity::Latency, kind, Unit::Ns, hull(&latency, true, Experiment::SingleIos)));
        let together = of(layout.plateau(kind)).zip(of(layout.latency(kind)));
        let served: Vec<Range> = together.map(|(plateau, latency)| served(plateau, latency)).collect();
        let served = hull(&served, false, Experiment::OtherBlock);
        all.push(parameter(Quantity::ServedAtOnce, kind, Unit::Count, served));
    }
    let together = SCOPES.len() - 1;
    for (scope, (name, _)) in SCOPES.iter().enumerate().filter(|(at, _)| layout.used[*at] && *at < together) {
        let of = |own: usize, both: usize| -> Vec<Range> {
            fitted.iter().map(|one| lower(one.ranges[own], one.ranges[both])).collect()
        };
        let requests = of(layout.requests(scope), layout.requests(together));
        let requests = hull(&requests, false, Experiment::OtherBlock);
        all.push(parameter(Quantity::RequestRate, name, Unit::IoPerS, requests));
        let bytes = hull(&of(layout.bytes(scope), layout.bytes(together)), false, Experiment::OtherBlock);
        all.push(parameter(Quantity::ByteRate, name, Unit::BytesPerS, bytes));
    }
    all
}

/// −ln seconds as ln nanoseconds; a rate that is at least this is a latency of at most its inverse.
fn latency_ns(range: Range) -> Range {
    const NS: f64 = 20.723_265_836_946_41; // ln 10^9
    match range {
        Range::Seen { low, high } => Range::Seen { low: NS - high, high: NS - low },
        Range::Above(low) => Range::Above(NS - low),
        Range::Unseen => Range::Unseen,
    }
}

/// What is served at a time: the rate of the plateau times the latency of one, and at least one.
fn served(plateau: Range, latency: Range) -> Range {
    match (plateau, latency) {
        (Range::Seen { low, high }, Range::Seen { low: fastest, high: slowest }) => {
            Range::Seen { low: (low - slowest).max(0.0), high: (high - fastest).max(0.0) }
        }
        (Range::Above(low), Range::Seen { high, .. }) => Range::Above((low - high).max(0.0)),
        _ => Range::Unseen,
    }
}
