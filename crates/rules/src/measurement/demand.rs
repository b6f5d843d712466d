//! What the database needs, compared with the measurements that can show it.
//!
//! A need is compared with the step that does best for it, never against one that does the same with less in flight, and
//! against the one path that is known to serve the database: a figure of another path says nothing about it.

use crate::facts::{in_flight, is_synced, route};
use fullwire_model::demand::Demand;
use fullwire_model::demand::transport::{Carried, Need, most_carried};
use fullwire_model::disk::{DiskResult, DiskStepResult, Operation, Pattern};
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::quantity::Unit;
use fullwire_model::{PathName, Run};

/// Which of several paths serves the database.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Serves<'a> {
    /// This one; its target.
    One(&'a PathName),
    /// One of this many; which one is not known.
    OneOf(usize),
    /// None was measured.
    Nothing,
}

fn only(mut targets: Vec<&PathName>) -> Serves<'_> {
    targets.sort_unstable();
    targets.dedup();
    match targets.as_slice() {
        [] => Serves::Nothing,
        [one] => Serves::One(one),
        several => Serves::OneOf(several.len()),
    }
}

/// The peer that redo is shipped to: the standby that a report's `log_archive_dest_N` names, otherwise the only one that a
/// stream was sent to.
pub(crate) fn redo_peer(run: &Run) -> Serves<'_> {
    // Loopback is no way to a standby, unless it is what the user named as one.
    let named = run.command.name == "redo";
    let streamed = run.net.iter().filter(|one| one.mode == NetMode::Async && (named || !one.path.loopback));
    let targets: Vec<&PathName> = streamed.map(|result| &result.target).collect();
    let parameters = run.reports.iter().flat_map(|report| &report.init_parameters);
    let destinations: Vec<&str> = parameters
        .filter(|(name, _)| name.starts_with("log_archive_dest_"))
        .map(|(_, value)| value.as_str())
        .collect();
    let is_standby = |target: &&PathName| destinations.iter().any(|value| names_standby(value, target));
    let standbys: Vec<&PathName> = targets.iter().copied().filter(is_standby).collect();
    only(if standbys.is_empty() { targets } else { standbys })
}

/// The service of an archive destination (`SERVICE=stby SYNC`) is this target.
pub(crate) fn names_standby(destination: &str, target: &PathName) -> bool {
    let words = destination.split(|c: char| c.is_whitespace() || c == ',');
    let pairs = words.filter_map(|word| word.split_once('='));
    let mut services = pairs.filter(|(key, _)| key.eq_ignore_ascii_case("service"));
    services.any(|(_, value)| names(&value.trim_matches(['"', '\'']).to_lowercase(), target.as_str()))
}

/// A service (a host, `//host:1521/name`, or an alias that is the host's short name) is this target.
fn names(service: &str, target: &str) -> bool {
    let bare = service.trim_start_matches('/').split('/').next().unwrap_or_default();
    let host = route::host_of(target).to_lowercase();
    let service = route::host_of(bare);
    let is_address = route::ip(&host).is_some();
    service == host || (!is_address && host.split('.').next() == Some(service))
}

/// What redo transport carries by this result, where it is the one by which it carries most to the standby.
pub(crate) fn redo_carried(run: &Run, result: &NetResult) -> Option<Carried> {
    let (carried, best) = redo(run)?;
    (best.target == result.target && best.probe == result.probe).then_some(carried)
}

/// What redo transport carries to the standby, and the result that shows it.
pub(crate) fn redo(run: &Run) -> Option<(Carried, &NetResult)> {
    let need = Need::of(run.demand.as_ref()?)?;
    let Serves::One(target) = redo_peer(run) else { return None };
    most_carried(need, run.net_of(target))
}

/// The storage target that the database's files are on: by the mounts that they are known to be on, otherwise the only one.
pub(crate) fn storage_target(run: &Run) -> Serves<'_> {
    let locations = run.host.databases.iter().flat_map(|database| database.locations.keys());
    let mounts: Vec<&str> =
        locations.filter_map(|location| Some(run.host.mount_of(location)?.target.as_str())).collect();
    let holds = |result: &&DiskResult| mounts.contains(&result.mount_point.as_str());
    let known: Vec<&PathName> = run.disk.iter().filter(holds).map(|result| &result.target).collect();
    only(if known.is_empty() { run.disk.iter().map(|one| &one.target).collect() } else { known })
}

/// What the database needs of a step, in the unit that the step is shown in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Needed {
    pub(crate) value: f64,
    /// What the step and the load next to it reached, of that.
    pub(crate) share: f64,
}

thresholds! {
    /// Random reads that take longer on average are of no use to a session that waits for them: what a spinning disk takes
    /// (the bound of `single-block-read-slow`).
    const SLOWEST_READ_NS: f64 = 10e6;
    /// Blocks of more than this many times the mean request are another kind of I/O, and so are those of less than its
    /// inverse.
    const SIZE_APART: f64 = 2.0;
}

/// What the database needs of this kind of I/O, where this step does it best. Other programs' load on the device was
/// served next to it, and the database's own may be among it: it counts.
pub(crate) fn of_step(run: &Run, result: &DiskResult, step: &DiskStepResult) -> Option<Needed> {
    if storage_target(run) != Serves::One(&result.target) {
        return None;
    }
    let need = StorageNeed::of(run.demand.as_ref()?, step)?;
    let same = |other: &&DiskStepResult| {
        other.operation == step.operation && other.pattern == step.pattern && need.is_met_by(other)
    };
    let steps = result.steps.iter().filter(same);
    let best = steps.max_by(|one, other| need.rate(one).total_cmp(&need.rate(other)))?;
    if (best.probe, best.member) != (step.probe, step.member) {
        return None;
    }
    Some(Needed { value: need.value, share: (need.rate(step) + need.beside(step)) / need.value })
}

/// A need of storage: requests or bytes per second, of a mean size.
struct StorageNeed {
    value: f64,
    unit: Unit,
    mean_bytes: Option<f64>,
}

impl StorageNeed {
    fn of(demand: &Demand, step: &DiskStepResult) -> Option<Self> {
        let (io_per_s, bytes_per_s) = match step.operation {
            Operation::Read => (demand.read_io_per_s, demand.read_bytes_per_s),
            Operation::Write => (demand.write_io_per_s, demand.write_bytes_per_s),
            Operation::Mixed | Operation::Copy => return None,
        };
        let (value, unit) = match step.pattern {
            Pattern::Random => (io_per_s?, Unit::IoPerS),
            Pattern::Sequential => (bytes_per_s?, Unit::BytesPerS),
            Pattern::Unknown => return None,
        };
        let mean_bytes = io_per_s.zip(bytes_per_s).map(|(io, bytes)| bytes / io).filter(|b| b.is_finite());
        (value > 0.0).then_some(Self { value, unit, mean_bytes })
    }

    /// The step does such I/O: flat out, in time, and no harder per request or per byte than the database's.
    fn is_met_by(&self, step: &DiskStepResult) -> bool {
        let block = step.block_bytes as f64;
        let fits = self.mean_bytes.is_none_or(|mean| match self.unit {
            Unit::IoPerS => block <= SIZE_APART * mean,
            _ => SIZE_APART * block >= mean,
        });
        let waited_for = step.operation == Operation::Read && self.unit == Unit::IoPerS;
        let in_time = !waited_for || step.latency_ns.mean <= SLOWEST_READ_NS || in_flight(step) == 1;
        fits && in_time && step.rate_per_s == 0.0 && !is_synced(step)
    }

    fn rate(&self, step: &DiskStepResult) -> f64 {
        if self.unit == Unit::IoPerS { step.iops } else { step.throughput_bytes_per_s }
    }

    fn beside(&self, step: &DiskStepResult) -> f64 {
        let foreign = step.foreign_bytes_per_s.unwrap_or(0.0);
        match (self.unit, self.mean_bytes) {
            (Unit::IoPerS, Some(mean)) if mean > 0.0 => foreign / mean,
            (Unit::IoPerS, _) => 0.0,
            _ => foreign,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_names_its_host() {
        assert!(names("stby.example.com", "stby.example.com:5555"));
        assert!(names("stby", "ssh://oracle@stby.example.com"));
        assert!(names("//10.0.0.2:1521/orcl", "10.0.0.2:5555"));
        assert!(!names("stby", "10.0.0.2:5555"));
        assert!(!names("stby", "stby2:5555"));
        assert!(!names("10", "10.0.0.2"));
    }
}
