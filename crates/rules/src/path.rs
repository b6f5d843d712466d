//! The I/O paths of a run: what was measured of each, in the units that ceilings are stated in.

use crate::ceiling::network::window;
use fullwire_model::assessment::PathKind;
use fullwire_model::disk::{DiskResult, DiskStepResult, Operation, Pattern};
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::quantity::Unit;
use fullwire_model::{Run, assessment::Ceiling};

/// A peer or a storage target, with all that was measured there.
pub(crate) struct Path {
    pub(crate) kind: PathKind,
    pub(crate) subject: String,
    pub(crate) loopback: bool,
    pub(crate) measurements: Vec<Measurement>,
}

/// One figure of a probe.
pub(crate) struct Measurement {
    /// As in [`Ceiling::measurement`].
    pub(crate) label: String,
    pub(crate) bytes_per_s: f64,
    pub(crate) io_per_s: Option<f64>,
    /// The unit that it is told in when no ceiling decides.
    pub(crate) unit: Unit,
    /// What the database needs, in `unit`.
    pub(crate) demand: Option<f64>,
    /// The probe went as fast as it could, and its result means what it seems to: it may be held against
    /// the wire. Paced, one-in-flight and cached measurements may not.
    pub(crate) flat_out: bool,
}

impl Measurement {
    /// The figure in a ceiling's unit; `None`: they cannot be compared.
    pub(crate) fn value_in(&self, unit: Unit) -> Option<f64> {
        match unit {
            Unit::BytesPerS => Some(self.bytes_per_s),
            Unit::IoPerS => self.io_per_s,
            _ => None,
        }
    }

    /// The share of a ceiling that was reached; `None`: it bounds something else.
    pub(crate) fn share_of(&self, ceiling: &Ceiling) -> Option<f64> {
        let bounds_this = ceiling.measurement.is_empty() || ceiling.measurement == self.label;
        let value = self.value_in(ceiling.unit)?;
        (bounds_this && ceiling.value > 0.0).then(|| value / ceiling.value)
    }
}

/// Every path of the run: peers in the order of their results, then storage targets.
pub(crate) fn paths(run: &Run) -> Vec<Path> {
    let mut found: Vec<Path> = Vec::new();
    for result in &run.net {
        let measurement = of_net(run, result);
        match found.iter_mut().find(|path| path.subject == result.target) {
            Some(path) => path.measurements.push(measurement),
            None => found.push(network_path(run, &result.target, result.path.loopback, vec![measurement])),
        }
    }
    for peer in &run.peers {
        if !found.iter().any(|path| path.subject == peer.target) {
            found.push(network_path(run, &peer.target, peer.loopback, Vec::new()));
        }
    }
    found.extend(run.disk.iter().map(storage_path(run)));
    found
}

fn network_path(run: &Run, subject: &str, loopback: bool, measurements: Vec<Measurement>) -> Path {
    let loopback = loopback || run.peer(subject).is_some_and(|peer| peer.loopback);
    Path { kind: PathKind::Network, subject: subject.to_owned(), loopback, measurements }
}

fn of_net(run: &Run, result: &NetResult) -> Measurement {
    let demand = run.demand.as_ref().and_then(|demand| demand.redo_required_bytes_per_s);
    let flat_out = is_flat_out(result);
    Measurement {
        label: result.label(),
        bytes_per_s: steady_bytes_per_s(result),
        io_per_s: (result.duration_s > 0.0).then(|| result.messages as f64 / result.duration_s),
        unit: Unit::BytesPerS,
        demand: demand.filter(|_| flat_out && !result.reverse),
        flat_out,
    }
}

/// The rate once slow start is over, bytes a second: a stream that doubles its window every round trip says
/// nothing of the wire before that. The whole run's rate where intervals are missing or it was no stream.
pub(crate) fn steady_bytes_per_s(result: &NetResult) -> f64 {
    let Some(tcp) = result.tcp.as_ref().filter(|_| is_flat_out(result)) else {
        return result.throughput_bytes_per_s;
    };
    let product = window::bdp_bytes(result.throughput_bytes_per_s, tcp.rtt_min_ns as f64);
    let ramp_s = 2.0 * window::slow_start_ns(product, tcp.mss_bytes, tcp.rtt_min_ns as f64) / 1e9;
    let (mut bytes, mut seconds, mut since) = (0.0, 0.0, 0.0);
    for slice in &result.intervals {
        let length_s = (slice.t_s - since).max(0.0);
        if since >= ramp_s {
            bytes += slice.throughput_bytes_per_s * length_s;
            seconds += length_s;
        }
        since = slice.t_s;
    }
    // Less than half a run left after the ramp is no ground to judge on.
    if ramp_s > 0.0 && seconds >= 0.5 * result.duration_s && seconds > 0.0 {
        (bytes / seconds).max(result.throughput_bytes_per_s)
    } else {
        result.throughput_bytes_per_s
    }
}

/// A stream that nothing paced.
pub(crate) fn is_flat_out(result: &NetResult) -> bool {
    let plan = &result.plan;
    result.mode == NetMode::Async && plan.rate_bytes_per_s == 0.0 && plan.delay_ns == 0
}

fn storage_path(run: &Run) -> impl Fn(&DiskResult) -> Path {
    move |result| Path {
        kind: PathKind::Storage,
        subject: result.target.clone(),
        loopback: false,
        measurements: result.steps.iter().map(|step| of_step(run, result, step)).collect(),
    }
}

fn of_step(run: &Run, result: &DiskResult, step: &DiskStepResult) -> Measurement {
    let void = result.caveats.iter().any(|caveat| caveat.void);
    let unit = if step.pattern == Pattern::Random { Unit::IoPerS } else { Unit::BytesPerS };
    Measurement {
        label: step.label(),
        bytes_per_s: step.throughput_bytes_per_s,
        io_per_s: Some(step.iops),
        unit,
        demand: disk_demand(run, step, unit),
        flat_out: !void,
    }
}

fn disk_demand(run: &Run, step: &DiskStepResult, unit: Unit) -> Option<f64> {
    let demand = run.demand.as_ref()?;
    match (step.operation, unit) {
        (Operation::Read, Unit::IoPerS) => demand.read_io_per_s,
        (Operation::Read, _) => demand.read_bytes_per_s,
        (Operation::Write, Unit::IoPerS) => demand.write_io_per_s,
        (Operation::Write, _) => demand.write_bytes_per_s,
        (Operation::Mixed, _) => None,
    }
}
