//! What each path is like, fitted to all its figures at once. It knows no rule: rules read it.

mod fit;
mod network;
mod parameter;
pub(crate) mod sharp;
pub(crate) mod storage;

use crate::facts::stream;
use crate::measurement::steady_bytes_per_s;
use fullwire_model::characteristic::Characteristic;
use fullwire_model::disk::DiskResult;
use fullwire_model::net::NetResult;
use fullwire_model::{MeasurementId, Run};
use std::collections::BTreeMap;

/// The characteristic of every path that has figures, by its subject.
pub fn characteristics(run: &Run) -> BTreeMap<String, Characteristic> {
    let mut peers: BTreeMap<&str, Vec<network::Figure>> = BTreeMap::new();
    for (id, result) in run.net_measurements().filter(|(_, result)| is_told(run, result)) {
        peers.entry(&result.target).or_default().push(figure(id, result));
    }
    let peers = peers.into_iter().map(|(peer, figures)| (peer.to_owned(), network::characteristic(&figures)));
    let targets = run.disk.iter().map(|result| (result.target.clone(), of_target(result)));
    peers.chain(targets).collect()
}

/// Streams that went as fast as they could and no longer grew when they ended.
fn is_told(run: &Run, result: &NetResult) -> bool {
    stream::is_flat_out(result)
        && !stream::is_growing(result)
        && !stream::window_still_grows(run, result)
        && result.throughput_bytes_per_s > 0.0
        && result.reverse_throughput_bytes_per_s.is_none()
        && result.plan.sockbuf_bytes == 0
}

/// What two streams of one path differ by (own choice, from runs on quiet hosts).
const BETWEEN: f64 = 0.03;

fn figure(id: MeasurementId, result: &NetResult) -> network::Figure {
    let slices = (result.intervals.len() as f64 / 2.0).max(1.0);
    let of_slices = stream::variation(result).unwrap_or(0.0) / slices.sqrt();
    network::Figure {
        id,
        reverse: result.reverse,
        flows: f64::from(result.streams.max(1)),
        bytes_per_s: steady_bytes_per_s(result),
        sigma: (of_slices.powi(2) + BETWEEN.powi(2)).sqrt(),
    }
}

fn of_target(result: &DiskResult) -> Characteristic {
    if result.caveats.iter().any(|caveat| caveat.void) {
        return Characteristic::default();
    }
    storage::characteristic(&storage::figures(result.measurements(), result.generator_io_per_s))
}
