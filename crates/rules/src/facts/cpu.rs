//! CPUs while a probe ran.

use super::{CPU_BUSY, stream};
use fullwire_model::counters::CpuTime;
use fullwire_model::net::NetResult;
use fullwire_model::{Run, Window, WindowKind};

thresholds! {
    /// Of all CPU time, from which on what others take is felt by a measurement: without them it could do two thirds more (own
    /// choice).
    pub(crate) const TAKEN: f64 = 0.4;
    /// Of its time, from which on a measurement that waits for a CPU feels it: without that it could be 15 % more.
    pub(crate) const WAITED: f64 = 0.13;
}

/// The share of all CPU time that other programs took while hardly any was idle; `ours_s`: what the test itself used. What the
/// kernel does may be for the test, and who yields to all others takes nothing from it: programs of the usual priority and above count.
pub(crate) fn taken(time: &CpuTime, ours_s: f64) -> Option<f64> {
    let busy = time.ratio(time.busy_ns())?;
    let others = others(time, ours_s)?;
    (busy >= CPU_BUSY && others >= TAKEN).then_some(others)
}

/// The share of its time that a measurement waited for CPUs that other programs had, of `cpus`: they ran for as long at least. What
/// its own threads take from each other is no one's fault.
pub(crate) fn waited_for(time: &CpuTime, ours_s: f64, cpus: u32, waited: f64) -> Option<f64> {
    let others = others(time, ours_s)? * f64::from(cpus.max(1));
    (waited >= WAITED && others >= waited).then_some(waited)
}

/// The share of all CPU time that other programs took.
fn others(time: &CpuTime, ours_s: f64) -> Option<f64> {
    let [user_s, system_s, all_s] = [time.user_ns, time.system_ns, time.total_ns()].map(|ns| ns as f64 / 1e9);
    (all_s > 0.0).then(|| user_s.min(user_s + system_s - ours_s) / all_s)
}

/// The share of its time for which the thread of a stream's ends that waited most was ready and had no CPU. One that keeps a queue on
/// its way filled lacked nothing. `None`: nothing counts it.
pub(crate) fn stream_waited(result: &NetResult) -> Option<f64> {
    let ends = [result.cpu.client_thread_wait, result.cpu.server_thread_wait];
    let most = ends.into_iter().flatten().reduce(f64::max)?;
    Some(if stream::stands_in_queue(result) { 0.0 } else { most })
}

/// What windows come to together.
pub(crate) fn sum<'a>(windows: impl IntoIterator<Item = &'a Window>) -> CpuTime {
    windows.into_iter().fold(CpuTime::default(), |sum, window| sum.plus(&window.cpu()))
}

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
