//! A network test made several times: the result in the middle stands for all, with the figures of each.
//!
//! The windows around the others go with them: a result and its windows carry the number of their probe.

use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::{PathName, ProbeId, Run, Window};

/// Folds the last `count` results of a target into the one in the middle. Fewer than were asked for, when a repeat failed or the
/// user stopped them, are folded as they are; of a repeat that the user cut short the figure would be that of its first moments, so that
/// it does not count beside whole ones.
pub(crate) fn fold(run: &mut Run, target: &PathName, count: usize, asked: u32) {
    let places: Vec<usize> = (0..run.net.len()).filter(|index| run.net[*index].target == *target).collect();
    let Some(first) = places.len().checked_sub(count).filter(|_| count > 0) else { return };
    let is_cut =
        |index: &&usize| run.net[**index].incomplete.is_some() && run.net[**index].broke_after_s.is_none();
    let mut whole: Vec<usize> = places[first..].iter().filter(|one| !is_cut(one)).copied().collect();
    if whole.is_empty() {
        whole = places[first..].to_vec();
    } else if whole.len() < asked as usize {
        for index in &whole {
            run.net[*index].repeats_asked = Some(asked);
        }
    }
    if count == 1 {
        return;
    }
    let middle = middle(whole.iter().map(|index| (*index, &run.net[*index])).collect());
    let all: Vec<NetResult> = whole.iter().map(|index| run.net[*index].clone()).collect();
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
    for peer in run.peers.iter_mut().filter(|peer| peer.target == *target) {
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
        fold(&mut run, &"db2".into(), 3, 3);
        assert_eq!(run.net[1].repeats_asked, None, "all were made");
        assert_eq!(run.net.iter().map(|one| one.throughput_bytes_per_s).collect::<Vec<_>>(), [50.0, 20.0]);
        assert_eq!(run.net[1].repeats_bytes_per_s, [10.0, 30.0, 20.0]);
        let probes = |windows: &[Window]| windows.iter().map(|window| window.probe).collect::<Vec<_>>();
        let kept = [0, 1, 4].map(ProbeId::new);
        assert_eq!(probes(&run.windows), kept);
        assert_eq!(probes(&run.peers[0].windows), kept);
    }
    /// The third of five was cut: it is neither the one in the middle nor part of the spread.
    #[test]
    fn a_repeat_that_was_cut_short_does_not_count_beside_whole_ones() {
        let result = |(rate, incomplete): (f64, Option<&str>)| NetResult {
            target: "db2".into(),
            throughput_bytes_per_s: rate,
            incomplete: incomplete.map(str::to_owned),
            ..NetResult::default()
        };
        let folded = |results: &[(f64, Option<&str>)]| {
            let mut run = Run { net: results.iter().copied().map(result).collect(), ..Run::default() };
            fold(&mut run, &"db2".into(), results.len(), 5);
            let [one] = &run.net[..] else { panic!("{} results", run.net.len()) };
            (one.throughput_bytes_per_s, one.repeats_bytes_per_s.clone(), one.repeats_asked)
        };
        let cut = Some("interrupted");
        assert_eq!(folded(&[(50.0, None), (60.0, None), (55.0, cut)]), (60.0, vec![50.0, 60.0], Some(5)));
        assert_eq!(folded(&[(50.0, None)]), (50.0, vec![], Some(5)));
        assert_eq!(folded(&[(50.0, None), (9.0, cut)]), (50.0, vec![50.0], Some(5)));
        assert_eq!(folded(&[(9.0, cut)]), (9.0, vec![], None));
    }
}
