//! How a result stands: against the wire, against the CPU, over time.

use super::ends;
use crate::ceiling;
use fullwire_model::net::NetResult;
use fullwire_model::{Run, Window, WindowKind};

/// The share of its lowest believable wire ceiling that a result reached; `None`: there is none.
pub(super) fn wire_share(run: &Run, result: &NetResult) -> Option<f64> {
    let label = result.label();
    let hard = ceiling::ceilings(run).into_iter().filter(|ceiling| {
        ceiling.path == result.target && ceiling.measurement == label && !ceiling.soft && !ceiling.removable
    });
    let lowest = hard.map(|ceiling| ceiling.value).min_by(f64::total_cmp)?;
    (lowest > 0.0).then(|| crate::path::steady_bytes_per_s(result) / lowest)
}

/// The path is as full as its wire: what TCP shows there (a queue, a drop now and then) is how it finds the
/// rate, and no fault.
pub(super) fn at_full_wire(run: &Run, result: &NetResult) -> bool {
    wire_share(run, result).is_some_and(|share| share >= crate::verdict::FULL_WIRE)
}

/// The busiest CPU during the probe, as far as known: of our threads, of the hosts of both ends.
pub(super) fn cpu_peak(run: &Run, result: &NetResult) -> f64 {
    let threads = [result.cpu.client_thread_peak, result.cpu.server_thread_peak].into_iter().flatten();
    let own = ends::windows_around(run, result);
    let own =
        own.into_iter().filter_map(|window| Some(while_probed(run, result, window, busiest_cpu(window)?)));
    let peers = ends::peer_windows_around(run, result).into_iter().filter_map(busiest_cpu);
    threads.chain(own).chain(peers).fold(0.0, f64::max)
}

/// A window is longer than its probe, for connections are made and the idle round trip is taken in it: the share of
/// a CPU that was used in the probe itself, when the rest of the window was as busy as the idle one.
fn while_probed(run: &Run, result: &NetResult, window: &Window, share: f64) -> f64 {
    let (whole_s, probe_s) = (window.seconds(), result.duration_s);
    let before = run.windows.iter().find(|window| window.kind == WindowKind::Idle).and_then(busiest_cpu);
    match before {
        Some(before) if probe_s > 0.0 && probe_s < whole_s => {
            ((share * whole_s - before * (whole_s - probe_s)) / probe_s).clamp(0.0, 1.0)
        }
        _ => share,
    }
}

/// One CPU is (nearly) all used: what happens then is the machine's limit, not the network's.
pub(super) fn cpu_bound(run: &Run, result: &NetResult) -> bool {
    cpu_peak(run, result) >= 0.75
}

/// The largest share of its time that one CPU worked.
pub(super) fn busiest_cpu(window: &Window) -> Option<f64> {
    let shares = window.to.cpus.iter().filter_map(|(number, to)| {
        let grown = to.since(window.from.cpus.get(number)?);
        (grown.total_ns() > 0).then(|| grown.busy_ns() as f64 / grown.total_ns() as f64)
    });
    let whole = window.to.cpu.since(&window.from.cpu);
    let whole = (whole.total_ns() > 0).then(|| whole.busy_ns() as f64 / whole.total_ns() as f64);
    shares.chain(whole).max_by(f64::total_cmp)
}

/// Share of the time with data to send in which the peer's window held it back.
pub(super) fn receiver_limited(result: &NetResult) -> Option<f64> {
    let tcp = result.tcp.as_ref().filter(|tcp| tcp.busy_s > 0.0)?;
    Some(tcp.rwnd_limited_s / tcp.busy_s)
}

/// The same for the own send buffer.
pub(super) fn buffer_limited(result: &NetResult) -> Option<f64> {
    let tcp = result.tcp.as_ref().filter(|tcp| tcp.busy_s > 0.0)?;
    Some(tcp.sndbuf_limited_s / tcp.busy_s)
}

/// The sender saw packets overtake one another: holes that closed by themselves. Segments sent again though the
/// first copy had arrived are a sign only beside them: a receiver that got no CPU brings them about as well, but not
/// for one segment in twenty, and not with as many that arrive ahead of their turn.
pub(super) fn is_reordered(run: &Run, result: &NetResult) -> bool {
    let Some(tcp) = &result.tcp else { return false };
    let often = tcp.reorder_seen >= (tcp.segments_out / 500).max(20);
    let in_vain = tcp.reorder_seen >= 20 && tcp.dsack_dups >= tcp.segments_out / 100;
    let ahead = result.peer_tcp.as_ref().map_or(0, |peer| peer.out_of_order_packets);
    let overwhelming = tcp.reorder_seen >= tcp.segments_out / 20 && ahead >= (tcp.segments_out / 100).max(20);
    overwhelming || ((often || in_vain) && !cpu_bound(run, result))
}

/// Standard deviation over mean of the rate in the intervals of the second half, of a run of few intervals in all but
/// the first; `None`: too few.
pub(super) fn variation(result: &NetResult) -> Option<f64> {
    let rates: Vec<f64> = result.intervals.iter().map(|slice| slice.throughput_bytes_per_s).collect();
    // The last slice is often a short one, the first one is slow start.
    let start = (rates.len() / 2).min(rates.len().saturating_sub(4)).max(1);
    let half = rates.get(start..rates.len().saturating_sub(1)).filter(|half| half.len() >= 3)?;
    let mean = half.iter().sum::<f64>() / half.len() as f64;
    let square = half.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / half.len() as f64;
    (mean > 0.0).then(|| square.sqrt() / mean)
}

/// Round trip idle and under load, ns: of a separate connection where there was one, else TCP's own. Under load the
/// 90th percentile: a probe that waits for each answer asks least often when the queue is longest, so its median
/// tells of the time before the queue was full.
pub(super) fn round_trips(run: &Run, result: &NetResult) -> Option<(f64, f64)> {
    let idle = ends::rtt_ns(run, result)?;
    let idle = result.rtt_idle_ns.as_ref().filter(|l| l.count > 0).map_or(idle, |latency| latency.p50 as f64);
    let loaded = result.rtt_loaded_ns.as_ref().filter(|l| l.count > 0).map(|latency| latency.p90 as f64);
    Some((idle, loaded.or_else(|| smoothed(result))?))
}

fn smoothed(result: &NetResult) -> Option<f64> {
    let mut seen: Vec<u64> = result.intervals.iter().filter_map(|slice| slice.rtt_ns).collect();
    seen.sort_unstable();
    seen.get(seen.len() / 2).copied().or_else(|| Some(result.tcp.as_ref()?.rtt_ns)).map(|ns| ns as f64)
}
