//! CPUs while a probe ran.

use super::stream;
use fullwire_model::net::NetResult;
use fullwire_model::{Run, Window, WindowKind};

/// The busiest CPU during the probe, as far as known: of our threads, of the hosts of both ends.
pub(crate) fn cpu_peak(run: &Run, result: &NetResult) -> f64 {
    let threads = [result.cpu.client_thread_peak, result.cpu.server_thread_peak].into_iter().flatten();
    let own = stream::windows_around(run, result);
    let own =
        own.into_iter().filter_map(|window| Some(while_probed(run, result, window, busiest_cpu(window)?)));
    let peers = stream::peer_windows_around(run, result).into_iter().filter_map(busiest_cpu);
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
pub(crate) fn cpu_bound(run: &Run, result: &NetResult) -> bool {
    cpu_peak(run, result) >= 0.75
}

/// The largest share of its time that one CPU worked.
pub(crate) fn busiest_cpu(window: &Window) -> Option<f64> {
    let shares = window.to.cpus.iter().filter_map(|(number, to)| {
        let grown = to.since(window.from.cpus.get(number)?);
        grown.ratio(grown.busy_ns())
    });
    let whole = window.cpu();
    shares.chain(whole.ratio(whole.busy_ns())).max_by(f64::total_cmp)
}

/// The CPUs of a list as the kernel prints it: `0-3,8`. More than any machine has are cut.
pub(crate) fn cpu_list(list: &str) -> std::collections::BTreeSet<u32> {
    const MOST: u32 = 8192;
    let ranges = list.trim().split(',').filter_map(|part| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        Some((from.trim().parse::<u32>().ok()?, to.trim().parse::<u32>().ok()?))
    });
    ranges.flat_map(|(from, to)| from..=to.min(from.saturating_add(MOST))).collect()
}
