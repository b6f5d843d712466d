//! A network test made several times: the result in the middle stands for all, with the figures of each.
//!
//! A result belongs to the window at its place (`facts::stream` of the rules), so the windows of the others go with them.

use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::{Run, Window, WindowKind};

/// Folds the last `count` results of a target into the one in the middle. Fewer, when a repeat failed, are folded as they
/// are.
pub(crate) fn fold(run: &mut Run, target: &str, count: usize) {
    let places: Vec<usize> =
        (0..run.net.len()).filter(|index| run.net[*index].target == target).collect();
    let Some(first) = places.len().checked_sub(count).filter(|_| count > 1) else { return };
    let middle = middle(places[first..].iter().map(|index| (*index, &run.net[*index])).collect());
    let all: Vec<NetResult> = places[first..].iter().map(|index| run.net[*index].clone()).collect();
    let kept = &mut run.net[middle];
    kept.repeats_bytes_per_s = all.iter().map(|result| result.throughput_bytes_per_s).collect();
    kept.repeats_p50_ns = all.iter().filter_map(|result| Some(result.latency_ns.as_ref()?.p50)).collect();
    let kept_place = places.iter().position(|index| *index == middle).unwrap_or(first);
    drop_windows(run, target, first, kept_place, places.len());
    let mut index = 0;
    run.net.retain(|_| {
        let gone = places[first..].contains(&index) && index != middle;
        index += 1;
        !gone
    });
}

/// By the rate of a stream, by the median latency of messages.
fn middle(mut results: Vec<(usize, &NetResult)>) -> usize {
    let figure = |result: &NetResult| match result.mode {
        NetMode::Async | NetMode::Udp => result.throughput_bytes_per_s,
        NetMode::Sync | NetMode::Rtt => result.latency_ns.as_ref().map_or(0.0, |latency| latency.p50 as f64),
    };
    results.sort_by(|one, other| figure(one.1).total_cmp(&figure(other.1)));
    results[results.len() / 2].0
}

fn drop_windows(run: &mut Run, target: &str, first: usize, kept: usize, results: usize) {
    let thin = |windows: &mut Vec<Window>| {
        let is = |window: &Window| window.kind == WindowKind::Net && window.subject == target;
        // Where not every result has its window, their places say nothing.
        if windows.iter().filter(|window| is(window)).count() != results {
            return;
        }
        let mut place = 0;
        windows.retain(|window| {
            if !is(window) {
                return true;
            }
            place += 1;
            place - 1 < first || place - 1 == kept
        });
    };
    thin(&mut run.windows);
    if let Some(peer) = run.peers.iter_mut().find(|peer| peer.target == target) {
        thin(&mut peer.windows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::Peer;

    #[test]
    fn the_result_in_the_middle_stands_for_all_with_its_own_window() {
        let result = |rate: f64| NetResult {
            target: "db2".into(),
            throughput_bytes_per_s: rate,
            ..NetResult::default()
        };
        let window = |ns: u64| {
            let mut window = Window { kind: WindowKind::Net, subject: "db2".into(), ..Window::default() };
            window.to.monotonic_ns = ns;
            window
        };
        let windows: Vec<Window> = [1, 2, 3, 4].map(window).into();
        let mut run = Run {
            net: [50.0, 10.0, 30.0, 20.0].map(result).into(),
            windows: [vec![Window::default()], windows.clone()].concat(),
            peers: vec![Peer { target: "db2".into(), windows, ..Peer::default() }],
            ..Run::default()
        };
        fold(&mut run, "db2", 3);
        assert_eq!(run.net.iter().map(|one| one.throughput_bytes_per_s).collect::<Vec<_>>(), [50.0, 20.0]);
        assert_eq!(run.net[1].repeats_bytes_per_s, [10.0, 30.0, 20.0]);
        let ends: Vec<u64> = run.windows.iter().map(|window| window.to.monotonic_ns).collect();
        assert_eq!(ends, [0, 1, 4]);
        assert_eq!(run.peers[0].windows.len(), 2);
    }
}
