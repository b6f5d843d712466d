//! What a rule says of the measurements that it is about.

use crate::ceiling::network::loss;
use crate::facts::{self, Target, interface, side::Side, stream};
use fullwire_model::assessment::{Explanation, Mechanism};
use fullwire_model::disk::{DiskResult, DiskStepResult};
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::quantity::Unit;
use fullwire_model::{MeasurementId, PathName, Run, Window, WindowKind};

/// Of one network result.
pub(crate) fn result(run: &Run, result: &NetResult, mechanism: Mechanism) -> Explanation {
    Explanation::of_path(&result.target, mechanism).only([run.name_of(result)])
}

/// What the rate of a stream holds: itself, and datagrams the same way that were sent faster.
pub(crate) fn rate(run: &Run, of: &NetResult, bytes_per_s: f64) -> Explanation {
    let faster = stream::datagrams(run).filter(|one| {
        let sent = one.udp.as_ref().map(|udp| udp.sent_bytes_per_s);
        (&one.target, one.reverse) == (&of.target, of.reverse) && sent > Some(bytes_per_s)
    });
    Explanation::of_path(&of.target, Mechanism::PathRate)
        .only([run.name_of(of)].into_iter().chain(faster.map(|one| run.name_of(one))))
}

/// What a CPU quota of either end cost a stream: one that keeps a queue on its way filled lacked nothing.
pub(crate) fn throttled(run: &Run, of: &NetResult, share: f64) -> Explanation {
    let felt = if stream::stands_in_queue(of) { 0.0 } else { share };
    result(run, of, Mechanism::CpuStarved).active(felt)
}

/// Of the network results of a path whose data goes from the peer (or toward it, as do those in both directions). A path without
/// any is explained whole.
pub(crate) fn direction(
    run: &Run,
    path: &PathName,
    from_peer: bool,
    mechanism: Mechanism,
) -> Vec<Explanation> {
    let goes = |one: &&NetResult| one.reverse == from_peer || goes_both_ways(one);
    let mut results = run.net_of(path).peekable();
    if results.peek().is_none() {
        return vec![Explanation::of_path(path, mechanism)];
    }
    results.filter(goes).map(|one| result(run, one, mechanism)).collect()
}

fn goes_both_ways(of: &NetResult) -> bool {
    of.reverse_throughput_bytes_per_s.is_some()
}

/// Of one storage step.
pub(crate) fn step(of: &DiskResult, step: &DiskStepResult, mechanism: Mechanism) -> Explanation {
    Explanation::of_path(&of.target, mechanism).only([of.name_of(step)])
}

/// Of those steps of a target that are of a kind; nothing where there is none.
pub(crate) fn steps(
    of: &DiskResult,
    mechanism: Mechanism,
    wanted: impl Fn(&DiskStepResult) -> bool,
) -> Option<Explanation> {
    let ids: Vec<MeasurementId> =
        of.measurements().filter(|(_, one)| wanted(one)).map(|(id, _)| id).collect();
    (!ids.is_empty()).then(|| Explanation::of_path(&of.target, mechanism).only(ids))
}

/// Of every path that was measured: what is so of the whole host at all times.
pub(crate) fn every_path(run: &Run, mechanism: Mechanism) -> Vec<Explanation> {
    measured(run).into_iter().map(|path| Explanation::of_path(path, mechanism)).collect()
}

/// Of the paths in whose probes something was seen. What was seen before any load from fullwire was there during all.
pub(crate) fn paths_of_windows(
    run: &Run,
    mechanism: Mechanism,
    seen: impl Fn(&Window) -> bool,
) -> Vec<Explanation> {
    let windows: Vec<&Window> = run.windows.iter().filter(|window| seen(window)).collect();
    if windows.iter().any(|window| window.kind == WindowKind::Idle) {
        return every_path(run, mechanism);
    }
    let of_probe =
        measured(run).into_iter().filter(|path| windows.iter().any(|window| window.is_about(path)));
    of_probe.map(|path| Explanation::of_path(path, mechanism)).collect()
}

/// Of every path that goes through an interface.
pub(crate) fn paths_over(run: &Run, side: &Side, nic: &str, mechanism: Mechanism) -> Vec<Explanation> {
    let paths = side.paths_over(run, nic);
    paths.into_iter().map(|path| Explanation::of_path(path, mechanism)).collect()
}

/// Of every network result whose data arrives by an interface: what is lost there was sent by the other end.
pub(crate) fn arriving(run: &Run, side: &Side, nic: &str, mechanism: Mechanism) -> Vec<Explanation> {
    let paths = side.paths_over(run, nic);
    let arrives =
        |one: &&NetResult| paths.contains(&one.target) && (goes_both_ways(one) || !leaves_by(side, one));
    run.net.iter().filter(arrives).map(|one| result(run, one, mechanism)).collect()
}

/// Of every stream through an interface, with a bound where one can be computed.
pub(crate) fn streams_over(
    run: &Run,
    side: &Side,
    nic: &str,
    mechanism: Mechanism,
    bound: impl Fn(&NetResult) -> Option<f64>,
) -> Vec<Explanation> {
    let paths = side.paths_over(run, nic);
    let streams = stream::results(run, NetMode::Async).filter(|one| paths.contains(&one.target));
    let explained = streams.map(|one| {
        let explanation = result(run, one, mechanism);
        match bound(one) {
            Some(value) => explanation.bounded(value, Unit::BytesPerS, 0.1),
            None => explanation,
        }
    });
    explained.collect()
}

/// Of every measured target that is on a device.
pub(crate) fn targets_on(run: &Run, device: &str, mechanism: Mechanism) -> Vec<Explanation> {
    let on = facts::targets(run).into_iter().filter(|target| target.stands_on(device));
    on.map(|target| Explanation::of_path(target.name(), mechanism)).collect()
}

/// Of every measured target in a file system.
pub(crate) fn targets_in(run: &Run, mount_point: &str, mechanism: Mechanism) -> Vec<Explanation> {
    let inside = run.disk.iter().filter(|result| result.mount_point == mount_point);
    inside.map(|result| Explanation::of_path(&result.target, mechanism)).collect()
}

/// Of those steps in a file system that go through the page cache and are of a kind. A target without steps is explained whole.
pub(crate) fn buffered_in(
    run: &Run,
    mount_point: &str,
    mechanism: Mechanism,
    wanted: impl Fn(&DiskStepResult) -> bool,
) -> Vec<Explanation> {
    let inside = run.disk.iter().filter(|result| result.mount_point == mount_point);
    let explained = inside.filter_map(|result| match result.steps.as_slice() {
        [] => Some(Explanation::of_path(&result.target, mechanism)),
        _ => steps(result, mechanism, |step| !step.direct && wanted(step)),
    });
    explained.collect()
}

/// How far the formula of CUBIC's mean window may be off, upward and downward: a short test sees a part of its cycle.
const CUBIC_TOLERANCE: f64 = 2.0;

/// Loss that a stream suffers, with the rate that TCP keeps at it. A congestion control that does not slow down at a loss
/// is not held by it.
pub(crate) fn lossy(run: &Run, of: &NetResult, mechanism: Mechanism, share: f64) -> Explanation {
    let explanation = result(run, of, mechanism);
    match loss_bound(run, of, share) {
        Some(bound) => explanation.bounded(bound, Unit::BytesPerS, CUBIC_TOLERANCE),
        None => explanation,
    }
}

/// The rate that TCP keeps where this share of its segments is lost, bytes per second; `None`: its control takes no notice.
pub(crate) fn loss_bound(run: &Run, of: &NetResult, share: f64) -> Option<f64> {
    let tcp = of.tcp.as_ref().filter(|_| stream::slows_at_loss(of))?;
    // The formula is of the mean round trip; where segments overtake one another the smallest is of a lucky one.
    let rtt_ns = tcp.rtt_ns.max(tcp.rtt_min_ns) as f64;
    let streams = f64::from(of.streams.max(1));
    let events = stream::loss_events(run, of).filter(|events| *events > 0.0).map_or(share, |e| e.min(share));
    let bound = loss::cubic_bytes_per_s(tcp.mss_bytes, rtt_ns, events) * streams;
    if share < loss::BY_TIMEOUTS {
        return Some(bound);
    }
    // Somewhere between a TCP that never waits for a timeout and one that always does.
    let slowest = loss::padhye_bytes_per_s(tcp.mss_bytes, rtt_ns, share) * streams;
    let rate = stream::fallen_to(of).unwrap_or(of.throughput_bytes_per_s);
    Some(rate.clamp(slowest.min(bound), bound))
}

/// What a link of this many Mbit/s carries of a stream.
pub(crate) fn goodput(run: &Run, of: &NetResult, mbit_per_s: u64) -> f64 {
    crate::ceiling::network::stack_of(run, of).goodput_bytes_per_s(mbit_per_s as f64 * 1e6)
}

/// The paths and targets that were measured.
fn measured(run: &Run) -> Vec<&PathName> {
    let net = run.net.iter().map(|result| &result.target);
    let peers = run.peers.iter().map(|peer| &peer.target);
    let disk = run.disk.iter().map(|result| &result.target);
    let mut all: Vec<&PathName> = Vec::new();
    for path in net.chain(peers).chain(disk) {
        if !all.contains(&path) {
            all.push(path);
        }
    }
    all
}

/// What an interface sends, when the side is the one that sends the stream.
pub(crate) fn leaves_by(side: &Side, of: &NetResult) -> bool {
    of.reverse == side.peer.is_some()
}

/// The slowest member's speed that an interface has, Mbit/s.
pub(crate) fn speed_of(side: &Side, nic: &str) -> Option<u64> {
    let names = interface::stack(side.host, nic);
    names.iter().rev().find_map(|name| side.host.nic(name)?.speed_mbit_per_s).filter(|speed| *speed > 0)
}

/// A target's explanation, for those that carry a reference to it.
pub(crate) fn target(of: &Target<'_>, mechanism: Mechanism) -> Explanation {
    Explanation::of_path(of.name(), mechanism)
}
