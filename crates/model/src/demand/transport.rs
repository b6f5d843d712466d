//! What a measured path carries of the redo that a database ships: the one place that says whether it is enough.

use crate::demand::Demand;
use crate::net::{NetMode, NetResult};
use serde::{Deserialize, Serialize};

/// What ASYNC transport must carry.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Need {
    /// Bytes per second, with headroom.
    pub required_bytes_per_s: f64,
    /// Threads of redo: instances of a cluster.
    pub threads: u64,
}

impl Need {
    /// What a database needs; `None`: its redo rate is not known.
    pub fn of(demand: &Demand) -> Option<Self> {
        let required_bytes_per_s = demand.redo_required_bytes_per_s.filter(|rate| *rate > 0.0)?;
        Some(Self { required_bytes_per_s, threads: demand.redo_threads.unwrap_or(1) })
    }
}

/// A measured path.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RedoPath {
    /// All connections together, bytes per second.
    pub bytes_per_s: f64,
    /// Connections that were measured.
    pub connections: u64,
}

/// What a path carries of what is needed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Carried {
    /// Connections that transport uses: one for each thread of redo.
    pub connections: u64,
    /// What they carry, bytes per second.
    pub carried_bytes_per_s: f64,
    /// What is needed, bytes per second.
    pub required_bytes_per_s: f64,
    /// `carried / required`: 1 is just enough.
    pub share: f64,
}

impl Carried {
    /// The one place that says so.
    pub fn is_enough(&self) -> bool {
        self.carried_bytes_per_s >= self.required_bytes_per_s
    }
}

/// What ASYNC transport carries on a path. Each thread of redo has one connection, and no setting gives it more: of a
/// measurement with more connections only their share counts.
pub fn async_transport(need: Need, path: RedoPath) -> Carried {
    let (threads, measured) = (need.threads.max(1), path.connections.max(1));
    let connections = threads.min(measured);
    let carried = path.bytes_per_s * connections as f64 / measured as f64;
    let share = if need.required_bytes_per_s > 0.0 { carried / need.required_bytes_per_s } else { 0.0 };
    Carried {
        connections: threads,
        carried_bytes_per_s: carried,
        required_bytes_per_s: need.required_bytes_per_s,
        share,
    }
}

/// A share of many connections is an estimate: what fewer showed counts where it is so near.
const AS_MUCH: f64 = 0.95;

/// Of several measurements of one path the one by which transport carries most; of those that carry as much, the one whose
/// connections are nearest to those of transport. What was paced, or went the other way, does not count.
pub fn most_carried<'a>(
    need: Need,
    results: impl IntoIterator<Item = &'a NetResult>,
) -> Option<(Carried, &'a NetResult)> {
    let streamed = results.into_iter().filter(|result| {
        let plan = &result.plan;
        let free = plan.rate_bytes_per_s == 0.0 && plan.delay_ns == 0;
        result.mode == NetMode::Async && !result.reverse && free
    });
    let of_result = |result: &'a NetResult| {
        let path =
            RedoPath { bytes_per_s: result.throughput_bytes_per_s, connections: result.streams.into() };
        (async_transport(need, path), result)
    };
    let carried: Vec<(Carried, &NetResult)> = streamed.map(of_result).collect();
    let most = carried.iter().map(|(carried, _)| carried.carried_bytes_per_s).fold(0.0, f64::max);
    let as_much = carried.into_iter().filter(|(carried, _)| carried.carried_bytes_per_s >= AS_MUCH * most);
    as_much.min_by_key(|(carried, result)| u64::from(result.streams).abs_diff(carried.connections))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streams(streams: u32, throughput_bytes_per_s: f64) -> NetResult {
        NetResult { streams, throughput_bytes_per_s, ..NetResult::default() }
    }

    #[test]
    fn one_thread_of_redo_has_one_connection_however_many_were_measured() {
        let results = [streams(1, 300e6), streams(8, 1000e6)];
        let carried = |threads| {
            let need = Need { required_bytes_per_s: 400e6, threads };
            most_carried(need, &results)
                .map(|(carried, _)| (carried.carried_bytes_per_s, carried.is_enough()))
        };
        assert_eq!(carried(1), Some((300e6, false)));
        let (_, of_one) = most_carried(
            Need { required_bytes_per_s: 400e6, threads: 1 },
            &[streams(8, 2440e6), streams(1, 300e6)],
        )
        .map(|(carried, result)| (carried, result.streams))
        .unwrap();
        assert_eq!(of_one, 1, "305 MB/s is an estimate of what one connection gets, 300 MB/s was measured");
        assert_eq!(carried(4), Some((500e6, true)));
        let both = [streams(1, 22.5e6), streams(2, 23.3e6)];
        let (two, of_two) = most_carried(Need { required_bytes_per_s: 23e6, threads: 2 }, &both).unwrap();
        assert_eq!((two.is_enough(), of_two.streams), (true, 2));
    }

    #[test]
    fn what_was_paced_or_went_the_other_way_does_not_count() {
        let mut paced = streams(1, 900e6);
        paced.plan.rate_bytes_per_s = 900e6;
        let back = NetResult { reverse: true, ..streams(1, 800e6) };
        let need = Need { required_bytes_per_s: 1.0, threads: 1 };
        assert_eq!(most_carried(need, [&paced, &back]), None);
    }
}
