//! What each path is like, fitted to all its figures at once. It knows no rule: rules read it.

pub(crate) mod course;
mod fit;
mod network;
mod parameter;
pub(crate) mod sharp;
pub(crate) mod storage;
mod tried;

use crate::facts::stream::steady_bytes_per_s;
use crate::facts::{self, cpu, stream};
use fullwire_model::characteristic::{Characteristic, Experiment};
use fullwire_model::disk::DiskResult;
use fullwire_model::experiment::Tried;
use fullwire_model::net::NetResult;
use fullwire_model::{MeasurementId, PathName, Run};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) use tried::{is_done, waits_for_a_rate};

/// The characteristic of every path that has figures, by its subject.
pub fn characteristics(run: &Run) -> BTreeMap<PathName, Characteristic> {
    let peers: BTreeSet<&PathName> = run.net.iter().map(|result| &result.target).collect();
    let peers = peers.into_iter().map(|peer| (peer.to_owned(), of_peer(run, peer)));
    let targets = run.disk.iter().map(|result| (result.target.clone(), of_target(result, &run.tried)));
    peers.chain(targets).collect()
}

/// The characteristic of the path to a peer.
pub(crate) fn of_peer(run: &Run, peer: &PathName) -> Characteristic {
    let planned = run.net_measurements().filter(|(_, result)| result.target == *peer);
    let planned = planned.filter(|(id, result)| is_told(result) && !stream::still_grows(run, id, result));
    let planned = planned.map(|(id, result)| (stream::longer(run, &id, result).unwrap_or(result), id));
    let planned = planned.map(|(result, id)| figure(id, result));
    let own: Vec<&Tried> = run.tried.iter().filter(|tried| tried.path == *peer).collect();
    let tried = own.iter().filter_map(|tried| Some((tried, tried.net.as_ref()?)));
    // The longer run of a stream stands for it.
    let tried = tried
        .filter(|(tried, result)| tried.experiment != Experiment::Longer && is_told(result))
        .map(|(tried, result)| (tried, tried::id(tried, &result.question()), result))
        .filter(|(_, id, result)| !stream::still_grows(run, id, result))
        .map(|(tried, id, result)| network::Figure {
            left: tried::outcome(tried).left,
            ..figure(id, result)
        });
    let figures: Vec<network::Figure> = planned.chain(tried).collect();
    let mut found = network::characteristic(&figures);
    found.parameters.extend(tried::losses(&own));
    found.experiments = own.iter().map(|tried| tried::outcome(tried)).collect();
    let all = run.net_measurements().filter(|(_, result)| result.target == *peer);
    found.courses = all.filter_map(|(id, result)| course::of_stream(id, result)).collect();
    found
}

/// Streams that went as fast as they could, and came to a rate.
fn is_told(result: &NetResult) -> bool {
    stream::is_flat_out(result)
        && !stream::still_falls(result)
        && result.throughput_bytes_per_s > 0.0
        && result.reverse_throughput_bytes_per_s.is_none()
        && result.plan.sockbuf_bytes == 0
        && !share_a_cpu(result)
}

/// Of the time, from which on flows that wait for a CPU might carry half as much again without that.
const SHARED: f64 = 1.0 / 3.0;

/// Several flows whose threads take the CPUs from each other: that they carry no more than one says nothing of the path.
fn share_a_cpu(result: &NetResult) -> bool {
    result.streams > 1 && cpu::stream_waited(result).is_some_and(|waited| waited >= SHARED)
}

/// What two streams of one path differ by (own choice, from runs on quiet hosts).
const BETWEEN: f64 = 0.03;

/// The standard deviation of a stream's rate from one measurement to the next, as a share of it: of its repeats, or of its
/// slices and what two streams of one path differ by.
fn noise(result: &NetResult) -> f64 {
    let repeats: Vec<f64> =
        result.repeats_bytes_per_s.iter().map(|rate| rate / result.throughput_bytes_per_s).collect();
    let count = repeats.len() as f64;
    let slices = (result.intervals.len() as f64 / 2.0).max(1.0);
    let of_slices = stream::scatter(result).unwrap_or(0.0) / slices.sqrt();
    let of_repeats = if repeats.len() > 1 {
        let mean = repeats.iter().sum::<f64>() / count;
        (repeats.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (count - 1.0) / count).sqrt()
    } else {
        0.0
    };
    of_slices.hypot(BETWEEN).max(of_repeats)
}

fn figure(id: MeasurementId, result: &NetResult) -> network::Figure {
    network::Figure {
        id,
        reverse: result.reverse,
        flows: f64::from(result.streams.max(1)),
        bytes_per_s: steady_bytes_per_s(result),
        sigma: noise(result),
        left: Vec::new(),
    }
}

/// The characteristic of a storage target.
pub(crate) fn of_target(result: &DiskResult, tried: &[Tried]) -> Characteristic {
    if facts::says_nothing(result) {
        return Characteristic::default();
    }
    let mut figures = storage::figures(result.measurements(), result.generator_io_per_s);
    let own: Vec<&Tried> = tried.iter().filter(|tried| tried.path == result.target).collect();
    for tried in &own {
        let Some(step) = &tried.disk else { continue };
        let named = [(tried::id(tried, &step.question()), step)];
        if tried.experiment == Experiment::SingleIos {
            figures.extend(storage::alone(named, &tried::outcome(tried).left));
            continue;
        }
        let set = tried.experiment == Experiment::Longer && course::is_set(step);
        let more = storage::figures(named, result.generator_io_per_s);
        figures.extend(more.into_iter().map(|figure| storage::Figure { set, ..figure }));
    }
    let mut found = storage::characteristic(&figures);
    found.experiments = own.iter().map(|tried| tried::outcome(tried)).collect();
    found.courses = result.measurements().filter_map(|(id, step)| course::of_step(id, step)).collect();
    found.longest_s = result.steps.iter().map(|step| step.duration_s).reduce(f64::max);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::net::NetInterval;

    /// A stream at a set rate waits for one segment to be sent again: 3.2 MB/s arrive in one slice and 10.2 in the next. One that
    /// is as uneven in other order is not known as well.
    #[test]
    fn what_comes_late_is_no_noise_of_a_rate() {
        let of = |rates: [f64; 8]| {
            let slices = (1..).zip(rates);
            let slices = slices.map(|(at, rate)| NetInterval {
                t_s: f64::from(at) / 4.0,
                throughput_bytes_per_s: rate * 1e6,
                ..NetInterval::default()
            });
            noise(&NetResult { intervals: slices.collect(), ..NetResult::default() })
        };
        let late = of([6.6, 6.7, 6.7, 6.7, 6.7, 3.2, 10.2, 6.7]);
        assert!((late - BETWEEN).abs() < 0.005, "{late}");
        assert!(of([6.6, 6.7, 6.7, 3.2, 3.2, 10.2, 10.2, 6.7]) > 3.0 * BETWEEN);
    }
}
