//! The I/O paths of a run: what was measured of each, in the units that ceilings are stated in.

pub(crate) mod demand;
pub(crate) mod signals;

use crate::facts::{self, Target, in_flight, stream};
use fullwire_model::assessment::PathKind;
use fullwire_model::characteristic::Quantity;
use fullwire_model::disk::{DiskResult, DiskStepResult, Operation, Pattern};
use fullwire_model::net::NetResult;
use fullwire_model::quantity::Unit;
use fullwire_model::subject::Subject;
use fullwire_model::{MeasurementId, PathName, Question, Run, assessment::Ceiling};
use signals::Signals;

/// A peer or a storage target, with all that was measured there.
pub(crate) struct Path {
    pub(crate) kind: PathKind,
    pub(crate) target: PathName,
    pub(crate) loopback: bool,
    pub(crate) measurements: Vec<Measurement>,
}

impl Path {
    /// What a finding about the whole path is about.
    pub(crate) fn thing(&self) -> Subject {
        self.kind.of(&self.target)
    }

    /// The path of this target, as a result or a ceiling names it.
    pub(crate) fn is_called(&self, target: &PathName) -> bool {
        self.target == *target
    }

    /// Its ceilings, each with its index.
    pub(crate) fn ceilings<'a>(
        &self,
        all: &'a [Ceiling],
    ) -> impl Iterator<Item = (usize, &'a Ceiling)> + Clone {
        all.iter().enumerate().filter(|(_, ceiling)| self.is_called(&ceiling.path))
    }
}

/// One figure of a probe.
pub(crate) struct Measurement {
    /// As in [`Ceiling::measurement`]: unique within the path, and the same in two runs of one plan.
    pub(crate) id: MeasurementId,
    /// `None`: the probe failed.
    pub(crate) question: Option<Question>,
    /// The figure is that of the longer run of a stream that still grew.
    pub(crate) for_longer: bool,
    pub(crate) bytes_per_s: f64,
    pub(crate) io_per_s: Option<f64>,
    /// The unit in which it is shown when no ceiling decides.
    pub(crate) unit: Unit,
    /// What the database needs, in `unit`.
    pub(crate) demand: Option<f64>,
    /// What the database can have of it, as a share of `demand`: 1 is just enough.
    pub(crate) demand_share: Option<f64>,
    /// What measurements share that differ in streams or I/Os in flight alone; `None`: there can be no such.
    pub(crate) kind: Option<Question>,
    /// The probe went as fast as it could, and its result means what it seems to: it may be compared with
    /// the wire. Paced, one-in-flight and cached measurements may not.
    pub(crate) flat_out: bool,
    /// The load went to its limit: more of it would not have given more.
    pub(crate) driven: bool,
    /// I/Os or streams that the load kept in flight.
    pub(crate) in_flight: u64,
    /// How far its repeats scatter, as a share of it; `None`: nothing was repeated.
    pub(crate) noise: Option<f64>,
    pub(crate) signals: Signals,
    /// What storage was asked; `None`: it is of a network.
    pub(crate) operation: Option<Operation>,
    /// The parameter of the path that holds it in the likeliest explanation of all figures; `None`: not known.
    pub(crate) held_by: Option<Quantity>,
}

impl Measurement {
    /// Stands for the figure of a probe that failed.
    pub(crate) fn nothing() -> Self {
        Self {
            id: MeasurementId::default(),
            question: None,
            for_longer: false,
            bytes_per_s: 0.0,
            io_per_s: None,
            unit: Unit::BytesPerS,
            demand: None,
            demand_share: None,
            kind: None,
            flat_out: false,
            driven: false,
            in_flight: 0,
            noise: None,
            signals: Signals::default(),
            operation: None,
            held_by: None,
        }
    }

    /// What it is called.
    pub(crate) fn label(&self) -> String {
        let asked = self.question.as_ref().map(Question::to_string).unwrap_or_default();
        if self.for_longer { format!("{asked}, run for longer") } else { asked }
    }

    /// Of storage, the result does not mean what it seems to: memory answered, or others took their share.
    pub(crate) fn is_void(&self) -> bool {
        self.operation.is_some() && !self.flat_out
    }

    /// The database needs more than this can give; what was not driven to its limit may give more.
    pub(crate) fn falls_short(&self) -> bool {
        self.driven && self.demand_share.is_some_and(|share| share < 1.0)
    }

    /// The figure in a ceiling's unit; `None`: they cannot be compared.
    pub(crate) fn value_in(&self, unit: Unit) -> Option<f64> {
        match unit {
            Unit::BytesPerS => Some(self.bytes_per_s),
            Unit::IoPerS | Unit::PerS => self.io_per_s,
            _ => None,
        }
    }

    /// A bound in the unit that the figure is shown in: I/Os and bytes by the size that was measured.
    pub(crate) fn in_own_unit(&self, value: f64, unit: Unit) -> Option<f64> {
        let share = self.value_in(unit)? / value;
        self.value_in(self.unit).filter(|_| share > 0.0).map(|own| own / share)
    }

    /// What each of those in flight would take if the figure were this.
    pub(crate) fn each_ms_at(&self, value: f64) -> Option<f64> {
        let io_per_s = self.value_in(Unit::IoPerS)? * value / self.value_in(self.unit)?;
        Some(self.in_flight as f64 / io_per_s * 1e3)
    }

    /// The share of a ceiling that was reached; `None`: it bounds something else.
    pub(crate) fn share_of(&self, ceiling: &Ceiling) -> Option<f64> {
        let bounds_this = ceiling.measurement.is_none() || ceiling.measurement == self.id;
        let value = self.value_in(ceiling.unit)?;
        (bounds_this && ceiling.value > 0.0).then(|| value / ceiling.value)
    }
}

/// Every path of the run: peers in the order of their results, then storage targets.
pub(crate) fn paths(run: &Run) -> Vec<Path> {
    let mut found: Vec<Path> = Vec::new();
    for (id, result) in run.net_measurements() {
        let measurement = of_net(run, id, result);
        match found.iter_mut().find(|path| path.is_called(&result.target)) {
            Some(path) => path.measurements.push(measurement),
            None => found.push(network_path(run, &result.target, result.path.loopback, vec![measurement])),
        }
    }
    for peer in &run.peers {
        if !found.iter().any(|path| path.is_called(&peer.target)) {
            found.push(network_path(run, &peer.target, peer.loopback, Vec::new()));
        }
    }
    found.extend(facts::targets(run).iter().map(|target| storage_path(run, target)));
    found
}

/// Half of what the repeats lie apart, as a share of the figure; `None`: one pass, of which the scatter is not known.
fn noise_of_repeats(result: &NetResult) -> Option<f64> {
    let repeats = &result.repeats_bytes_per_s;
    let least = repeats.iter().copied().fold(f64::INFINITY, f64::min);
    let most = repeats.iter().copied().fold(0.0, f64::max);
    let middle = result.throughput_bytes_per_s;
    (repeats.len() > 1 && middle > 0.0).then(|| (most - least) / (2.0 * middle))
}

fn network_path(run: &Run, target: &PathName, loopback: bool, measurements: Vec<Measurement>) -> Path {
    let loopback = loopback || run.peer(target).is_some_and(|peer| peer.loopback);
    Path { kind: PathKind::Network, target: target.clone(), loopback, measurements }
}

fn of_net(run: &Run, id: MeasurementId, result: &NetResult) -> Measurement {
    let flat_out = stream::is_flat_out(result);
    let carried = demand::redo_carried(run, result);
    let longer = stream::longer(run, &id, result);
    Measurement {
        question: Some(result.question()),
        for_longer: longer.is_some(),
        noise: noise_of_repeats(result),
        signals: Signals::of_stream(run, result),
        operation: None,
        held_by: None,
        bytes_per_s: stream::steady_bytes_per_s(longer.unwrap_or(result)),
        io_per_s: (result.duration_s > 0.0).then(|| result.messages as f64 / result.duration_s),
        unit: result.mode.unit(),
        demand: carried.map(|carried| carried.required_bytes_per_s),
        demand_share: carried.map(|carried| carried.share),
        kind: flat_out.then(|| result.question().alone()),
        flat_out,
        // A stream that still grew when it ended, or whose window did, has met no limit.
        driven: flat_out && !stream::still_grows(run, &id, result),
        in_flight: u64::from(result.streams.max(1)),
        id,
    }
}

fn storage_path(run: &Run, target: &Target<'_>) -> Path {
    Path {
        kind: PathKind::Storage,
        target: target.result.target.clone(),
        loopback: false,
        measurements: target.result.measurements().map(|(id, step)| of_step(run, target, id, step)).collect(),
    }
}

fn of_step(run: &Run, target: &Target<'_>, id: MeasurementId, step: &DiskStepResult) -> Measurement {
    let result = target.result;
    let void = result.caveats.iter().any(|caveat| caveat.void);
    let unit = unit_of(step);
    let needed = demand::of_step(run, result, step).filter(|_| !void);
    Measurement {
        id,
        question: Some(step.question()),
        for_longer: false,
        noise: step.noise,
        signals: Signals::of_step(target, step),
        operation: Some(step.operation),
        held_by: None,
        bytes_per_s: step.throughput_bytes_per_s,
        io_per_s: Some(step.iops),
        unit,
        demand: needed.map(|needed| needed.value),
        demand_share: needed.map(|needed| needed.share),
        kind: Some(step.question().alone()),
        flat_out: !void,
        driven: !void && is_driven(result, step),
        in_flight: in_flight(step),
    }
}

/// Random I/Os and commits are counted; of a scan the bytes matter, and of large durable writes beside each other.
fn unit_of(step: &DiskStepResult) -> Unit {
    let one_by_one = facts::in_flight(step) == 1 || step.block_bytes <= facts::LARGEST_BLOCK_BYTES;
    let commit = facts::is_synced(step) && one_by_one;
    if step.pattern == Pattern::Random || commit { Unit::IoPerS } else { Unit::BytesPerS }
}

/// The rate has stopped growing: more in flight would not have given more. Another step of the same kind with half as
/// much in flight, or less, reached nearly as much, or one with twice as much, or more, reached hardly more.
pub(crate) fn is_driven(result: &DiskResult, step: &DiskStepResult) -> bool {
    const NEARLY: f64 = 0.85;
    let own = in_flight(step);
    let alike = result.steps.iter().filter(|other| facts::is_alike(other, step) && other.rate_per_s == 0.0);
    let mut stopped = alike.filter(|other| {
        let shallower = 2 * in_flight(other) <= own && other.iops >= NEARLY * step.iops;
        let deeper = in_flight(other) >= 2 * own && NEARLY * other.iops <= step.iops;
        shallower || deeper
    });
    step.iops > 0.0 && step.rate_per_s == 0.0 && stopped.next().is_some()
}
