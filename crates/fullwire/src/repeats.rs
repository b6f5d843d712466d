//! A network test made several times: the result in the middle stands for all, with the figures of each.
//!
//! The windows around the others go with them: a result and its windows carry the number of their probe.

use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::{ProbeId, Run, Window};

/// Folds the last `count` results of a target into the one in the middle. Fewer, when a repeat failed, are folded as they
/// are.
pub(crate) fn fold(run: &mut Run, target: &str, count: usize) {
    let places: Vec<usize> = (0..run.net.len()).filter(|index| run.net[*index].target == target).collect();
    let Some(first) = places.len().checked_sub(count).filter(|_| count > 1) else { return };
    let middle = middle(places[first..].iter().map(|index| (*index, &run.net[*index])).collect());
    let all: Vec<NetResult> = places[first..].iter().map(|index| run.net[*index].clone()).collect();
    let kept = &mut run.net[middle];
    kept.repeats_bytes_per_s = all.iter().map(|result| result.throughput_bytes_per_s).collect();
    kept.repeats_p50_ns = all.iter().filter_map(|result| Some(result.latency_ns.as_ref()?.p50)).collect();
    let gone: Vec<ProbeId> = places[first..]
        .iter()
        .filter(|index| **index != middle)
        .map(|index| run.net[*index].probe)
        .filter(|probe| !probe.is_none())
        .collect();
    let mut index = 0;
    run.net.retain(|_| {
        let dropped = places[first..].contains(&index) && index != middle;
        index += 1;
        !dropped
    });
    let around_kept = |window: &Window| !gone.contains(&window.probe);
    run.windows.retain(around_kept);
    for peer in run.peers.iter_mut().filter(|peer| peer.target == target) {
        peer.windows.retain(around_kept);
    }
}

/// By the rate of a stream, by the median latency of messages.
fn middle(mut results: Vec<(usize, &NetResult)>) -> usize {
    let figure = |result: &NetResult| match result.mode {
        NetMode::Async | NetMode::Udp => result.throughput_bytes_per_s,
        NetMode::Interconnect => result.exchanges_per_s().unwrap_or(0.0),
        NetMode::Sync | NetMode::Rtt => result.latency_ns.as_ref().map_or(0.0, |latency| latency.p50 as f64),
    };
    results.sort_by(|one, other| figure(one.1).total_cmp(&figure(other.1)));
    results[results.len() / 2].0
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::Peer;

    #[test]
    fn the_result_in_the_middle_stands_for_all_with_its_own_window() {
        let result = |(probe, rate): (u64, f64)| NetResult {
            probe: ProbeId::new(probe),
            target: "db2".into(),
            throughput_bytes_per_s: rate,
            ..NetResult::default()
        };
        let window = |probe: u64| Window { probe: ProbeId::new(probe), ..Window::default() };
        let windows: Vec<Window> = [0, 1, 2, 3, 4].map(window).into();
        let mut run = Run {
            net: [(1, 50.0), (2, 10.0), (3, 30.0), (4, 20.0)].map(result).into(),
            windows: windows.clone(),
            peers: vec![Peer { target: "db2".into(), windows, ..Peer::default() }],
            ..Run::default()
        };
        fold(&mut run, "db2", 3);
        assert_eq!(run.net.iter().map(|one| one.throughput_bytes_per_s).collect::<Vec<_>>(), [50.0, 20.0]);
        assert_eq!(run.net[1].repeats_bytes_per_s, [10.0, 30.0, 20.0]);
        let probes = |windows: &[Window]| windows.iter().map(|window| window.probe).collect::<Vec<_>>();
        let kept = [0, 1, 4].map(ProbeId::new);
        assert_eq!(probes(&run.windows), kept);
        assert_eq!(probes(&run.peers[0].windows), kept);
    }
}
