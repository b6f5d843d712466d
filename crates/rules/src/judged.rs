//! A run with what is computed from it once, before any rule looks at it.

use crate::ceiling::{self, REFUTED};
use crate::characteristic::characteristics;
use crate::experiment::{open_of_network, open_of_storage};
use crate::facts::stream::{self, steady_bytes_per_s};
use crate::measurement::{Measurement, Path, paths};
use crate::verdict::{GOOD, is_wire};
use fullwire_model::assessment::{Ceiling, Mechanism};
use fullwire_model::characteristic::{Characteristic, Course, Estimate, Experiment, Quantity};
use fullwire_model::net::NetResult;
use fullwire_model::quantity::Unit;
use fullwire_model::{MeasurementId, PathName, Run};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Deref;

thresholds! {
    /// The speed that a virtual adapter states may be twice what is behind it (own choice).
    const HALF: f64 = 0.5;
    /// Of a stream's rate: if the path carries at least so much more, that is not chance (own choice).
    const MORE: f64 = 1.2;
}

/// What rules look at: the run, its paths with their measurements and signals, the ceilings of these.
pub struct Facts<'a> {
    run: Cow<'a, Run>,
    pub(crate) paths: Vec<Path>,
    pub(crate) ceilings: Vec<Ceiling>,
    /// What each path is like.
    pub(crate) characteristics: BTreeMap<PathName, Characteristic>,
}

impl<'a> Facts<'a> {
    /// Computes what the rules share. What has no number yet gets one, so that each window is known by its probe.
    pub fn of(run: &'a Run) -> Self {
        let run = run.with_probe_ids();
        let mut paths = paths(&run);
        let characteristics = with_open(&run, characteristics(&run));
        for path in &mut paths {
            let known = characteristics.get(&path.target);
            for measurement in &mut path.measurements {
                measurement.held_by = known.and_then(|known| known.acts_in(&measurement.id));
            }
        }
        let mut ceilings = ceiling::ceilings(&run);
        for ceiling in &mut ceilings {
            ceiling.refuted = most_of(&paths, ceiling) > REFUTED;
        }
        Self { run, paths, ceilings, characteristics }
    }

    /// The facts of one window of a recording: it has neither measured paths nor ceilings of them.
    pub(crate) fn of_recording(run: &'a Run) -> Self {
        Self {
            run: Cow::Borrowed(run),
            paths: Vec::new(),
            ceilings: Vec::new(),
            characteristics: BTreeMap::new(),
        }
    }

    /// The value of a ceiling of this kind over a network result, bytes per second.
    pub(crate) fn ceiling_of(&self, result: &NetResult, kind: &str) -> Option<&Ceiling> {
        let id = self.run.name_of(result);
        let of_result = self.ceilings.iter().filter(|one| one.path == result.target && one.measurement == id);
        of_result.filter(|one| one.kind == kind).min_by(|one, other| one.value.total_cmp(&other.value))
    }

    /// A bound on a result lets most of its wire through: the good share of one that can be believed, half of one that
    /// is an estimate; or all that the path carries, as several streams show that are held together. It is a fact about the path and not yet a fault, unless the database needs more.
    pub(crate) fn lets_most_through(&self, result: &NetResult, bound_bytes_per_s: f64) -> bool {
        let id = self.run.name_of(result);
        let of_path = self.paths.iter().filter(|path| path.is_called(&result.target));
        let own = of_path.flat_map(|path| &path.measurements).find(|one| one.id == id);
        if own.is_some_and(Measurement::falls_short) {
            return false;
        }
        let together = own.filter(|own| own.held_by == Some(Quantity::PathRate));
        if together.is_some_and(|own| bound_bytes_per_s >= own.bytes_per_s) {
            return true;
        }
        let of_result = self.ceilings.iter().filter(|ceiling| {
            ceiling.path == result.target && ceiling.measurement == id && ceiling.unit == Unit::BytesPerS
        });
        let wires =
            of_result.filter(|one| one.mechanism == Mechanism::Wire && !one.removable && !one.refuted);
        let lowest = wires.min_by(|one, other| one.value.total_cmp(&other.value));
        lowest.is_some_and(|wire| bound_bytes_per_s >= if wire.soft { HALF } else { GOOD } * wire.value)
    }

    /// How a measurement of a path went, where its mean hides something.
    pub(crate) fn course(&self, path: &PathName, measurement: &MeasurementId) -> Option<&Course> {
        self.characteristics.get(path)?.course(measurement)
    }

    /// Whether the losses of a stream come with its rate, as those of a full queue or a policer do: at half the rate they were
    /// gone. `Some(false)`: they were still there; `None`: it was not tried, or does not tell.
    pub(crate) fn loss_follows_rate(&self, result: &NetResult) -> Option<bool> {
        let known = self.characteristics.get(&result.target)?;
        let about = self.run.name_of(result);
        let mut tried = known.experiments.iter();
        let one = tried.find(|one| one.experiment == Experiment::HalfRate && one.about == about)?;
        match one.left[..] {
            [Quantity::PathRate] => Some(true),
            [Quantity::RandomLoss] => Some(false),
            _ => None,
        }
    }

    /// What the path carries the way of a stream, by all its figures.
    pub(crate) fn path_rate(&self, result: &NetResult) -> Option<Estimate> {
        let way = if result.reverse { "backward" } else { "forward" };
        self.characteristics.get(&result.target)?.estimate(Quantity::PathRate, way)
    }

    /// The path carries more the same way: whatever limits this stream is not its rate.
    pub(crate) fn path_carries_more(&self, result: &NetResult) -> bool {
        let path = self.path_rate(result).and_then(Estimate::at_least);
        path.is_some_and(|path| path > MORE * steady_bytes_per_s(result))
    }

    /// What the line under a result carries, bytes per second: what was declared, or the lowest payload rate of the wires that
    /// can be believed and of what shapes before them; `None`: not known. What a virtual adapter states is no speed of a line.
    pub(crate) fn line_bytes_per_s(&self, result: &NetResult) -> Option<f64> {
        let id = self.run.name_of(result);
        let of_result = self
            .ceilings
            .iter()
            .filter(|one| one.path == result.target && one.measurement == id && one.unit == Unit::BytesPerS);
        let bounds = of_result.filter(|one| {
            !one.soft && !one.refuted && matches!(one.mechanism, Mechanism::Wire | Mechanism::OwnShaper)
        });
        let lowest = || bounds.map(|one| one.value).min_by(f64::total_cmp);
        stream::declared(self, &result.target).or_else(lowest)
    }

    /// The share of its lowest believable wire ceiling that a result reached; `None`: there is none.
    pub(crate) fn wire_share(&self, result: &NetResult) -> Option<f64> {
        let id = self.run.name_of(result);
        let rate = steady_bytes_per_s(result);
        let of_result = self.ceilings.iter().filter(|ceiling| {
            ceiling.path == result.target && ceiling.measurement == id && ceiling.value > 0.0
        });
        let shares = of_result.map(|ceiling| (ceiling, rate / ceiling.value));
        shares
            .filter(|(ceiling, share)| is_wire(ceiling, *share))
            .map(|(_, share)| share)
            .max_by(f64::total_cmp)
    }
}

/// What each path is like, with the explanations that its figures leave open.
fn with_open(run: &Run, mut known: BTreeMap<PathName, Characteristic>) -> BTreeMap<PathName, Characteristic> {
    for (path, one) in &mut known {
        let target = run.disk_of(path).next();
        one.open = match target {
            Some(result) if result.imported_from.is_empty() => open_of_storage(result, &run.tried, one),
            Some(_) => Vec::new(),
            None if one.cases.is_empty() => Vec::new(),
            None => open_of_network(run, path, one),
        };
    }
    known
}

/// The largest share of a ceiling that any measurement of its path reaches.
fn most_of(paths: &[Path], ceiling: &Ceiling) -> f64 {
    let of_path = paths.iter().filter(|path| path.is_called(&ceiling.path));
    let shares = of_path.flat_map(|path| &path.measurements).filter_map(|one| one.share_of(ceiling));
    shares.fold(0.0, f64::max)
}

impl Deref for Facts<'_> {
    type Target = Run;

    fn deref(&self) -> &Run {
        &self.run
    }
}
