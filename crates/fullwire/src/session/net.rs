//! A network probe within a session: its window here, the peer's records and windows from there.

use crate::output::progress::Progress;
use crate::peer::iperf::Bridge;
use crate::peer::reached::Reached;
use crate::repeats;
use crate::session::Session;
use anyhow::{Context, Result};
use fullwire_model::host::Route;
use fullwire_model::mtu::MtuPlan;
use fullwire_model::net::{NetInterval, NetPlan, NetResult};
use fullwire_model::{GapReason, PathName, Peer, Window, WindowKind};
use fullwire_present::format;
use fullwire_probe::mtu::{self, Far, Local};
use fullwire_probe::net::{self, ConnectOptions, NetError, ResponderSizes};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};

/// What the kernel sends to itself leaves through this one.
const LOOPBACK_INTERFACE: &str = "lo";
/// Each stream of a comparison (frame sizes, address families) runs this long, its warm-up a quarter more.
const SHORT_STREAM_NS: u64 = 600_000_000;
/// Storage is no farther away than this round trip.
const STORAGE_ECHO_NS: u64 = 500_000_000;

/// Measures a peer; what fails is a gap of the run and is returned as well.
pub(crate) fn measure(
    session: &mut Session,
    plan: &NetPlan,
    reached: &Reached,
    progress: &Progress,
) -> Result<(), NetError> {
    let name = &reached.name;
    let plan = NetPlan { target: reached.address.as_str().into(), ..plan.clone() };
    let mut told = |event: net::Progress| match event {
        net::Progress::Phase(phase) => progress.doing(&format!("{name}: {phase}")),
        net::Progress::Running { interval, .. } => {
            if let Some(interval) = &interval {
                progress.line(|| figures(interval));
            }
            progress.tick();
        }
    };
    let probe = session.new_probe();
    let measured =
        session.watched(probe, WindowKind::Net, name, || net::measure(&plan, &reached.options, &mut told));
    let report = measured.inspect_err(|error| session.gap(name, gap_reason(error), error.to_string()))?;
    session.run.gaps.extend(report.gaps);
    keep(session, name, NetResult { probe, ..report.result });
    if let Some(peer) = report.peer {
        let told = |window: Window| Window { target: name.clone(), probe, ..window };
        let windows = peer.windows.into_iter().map(told).collect();
        let loopback = peer.loopback || session.run.net.last().is_some_and(|result| result.path.loopback);
        merge_peer(session, Peer { target: name.clone(), windows, loopback, ..peer });
    }
    Ok(())
}

/// Measures a peer this often, and keeps the result in the middle with the figures of all. Ends early when told to stop: that
/// is a gap and no failure, what was measured until then counts.
pub(crate) fn measure_repeatedly(
    session: &mut Session,
    plan: &NetPlan,
    reached: &Reached,
    repeats: u32,
    progress: &Progress,
    stop: &AtomicBool,
) -> Result<(), NetError> {
    let mut made = 0;
    let mut outcome = Ok(());
    for repeat in 0..repeats.max(1) {
        if repeat > 0 && stop.load(Ordering::Relaxed) {
            break;
        }
        let before = session.run.net.len();
        outcome = measure(session, plan, reached, progress);
        made += session.run.net.len() - before;
        if outcome.is_err() {
            break;
        }
    }
    repeats::fold(&mut session.run, &reached.name, made, repeats);
    match outcome {
        Err(NetError::Interrupted) => Ok(()),
        other => other,
    }
}

/// One interval, as far as this end sees it.
fn figures(interval: &NetInterval) -> String {
    let rate = format::rate(interval.throughput_bytes_per_s);
    let rtt = interval.p50_ns.or(interval.rtt_ns).map(|ns| format!("  {:>9}", format::time(ns as f64)));
    let resent = interval.retransmits.filter(|&resent| resent > 0);
    let resent = resent.map(|resent| format!("  {resent} resent")).unwrap_or_default();
    format!("{:>8.1} s  {rate:>12}{}{resent}", interval.t_s, rtt.unwrap_or_default())
}

/// Measures a real iperf server, as far as its protocol goes.
pub(crate) fn measure_bridge(
    session: &mut Session,
    plan: &NetPlan,
    bridge: Bridge,
    progress: &Progress,
    stop: &AtomicBool,
) -> Result<()> {
    let ran = || {
        bridge.measure(plan, stop, |interval| {
            progress.line(|| figures(interval));
            progress.tick();
        })
    };
    let probe = session.new_probe();
    let result = session.watched(probe, WindowKind::Net, &plan.target, ran)?;
    keep(session, &plan.target, NetResult { probe, ..result });
    Ok(())
}

/// Keeps a result under the name that the user gave the peer, with where it ran as the kernel's route says.
fn keep(session: &mut Session, name: &PathName, mut result: NetResult) {
    result.target.clone_from(name);
    result.plan.target.clone_from(name);
    let remote =
        result.path.remote.parse::<SocketAddr>().map(|remote| remote.ip().to_canonical().to_string());
    let to_it = |route: &&Route| route.looked_up && remote.as_deref() == Ok(&*route.destination);
    if let Some(route) = session.run.host.routes.iter().find(to_it) {
        result.path.interface.clone_from(&route.interface);
        result.path.gateway.clone_from(&route.gateway);
        // An address of this host's own, whatever interface it belongs to.
        result.path.loopback |= route.interface == LOOPBACK_INTERFACE;
    }
    session.run.net.push(result);
}

fn gap_reason(error: &NetError) -> GapReason {
    match error {
        NetError::Timeout { .. } | NetError::Lost { .. } => GapReason::Timeout,
        NetError::KeyRequired | NetError::WrongKey | NetError::KeyUnexpected | NetError::Refused(_) => {
            GapReason::Denied
        }
        NetError::Interrupted => GapReason::Skipped,
        NetError::Protocol(_) | NetError::Foreign { .. } | NetError::Version { .. } => GapReason::Malformed,
        _ => GapReason::Absent,
    }
}

/// A peer is listed once: its records as last reported, and every window.
fn merge_peer(session: &mut Session, mut peer: Peer) {
    let known = session.run.peers.iter_mut().find(|known| known.target == peer.target);
    match known {
        Some(known) => {
            known.loopback |= peer.loopback;
            known.host = peer.host.or(known.host.take());
            known.windows.append(&mut peer.windows);
        }
        None => session.run.peers.push(peer),
    }
}

/// Names a peer in the run before anything is measured, with what its path should carry.
pub(crate) fn introduce(session: &mut Session, target: &PathName, expect_bytes_per_s: Option<f64>) {
    session.run.peers.push(Peer { target: target.clone(), expect_bytes_per_s, ..Peer::default() });
}

/// Looks which addresses and source ports of a peer answer. What cannot be looked at is measured all the same.
pub(crate) fn reach(
    session: &mut Session,
    reached: &Reached,
    source: &str,
    progress: &Progress,
    stop: &AtomicBool,
) {
    let own = |&address: &IpAddr| is_own(address, &local_end(session, address));
    if reached.loopback || reached.addresses().is_ok_and(|addresses| addresses.iter().any(own)) {
        return;
    }
    progress.doing(&format!("{}: trying its addresses", reached.name));
    let found = net::reach(&reached.address, source, Some(stop)).ok();
    let known = session.run.peers.iter_mut().find(|known| known.target == reached.name);
    if let (Some(known), Some(found)) = (known, found) {
        known.reach = Some(found);
    }
}

/// Streams over each family while they differ: what else the host does slows one of them for a moment.
const ROUNDS: usize = 3;

/// Of the faster one's rate: from here on both carry alike, and one stream of each is enough.
const ALIKE: f64 = 0.8;

/// Where a peer answers over IPv4 and over IPv6: a short stream over each, as the same name may lead over two networks. Where they
/// differ, again in the other order; the fastest of each counts.
pub(crate) fn both_families(
    session: &mut Session,
    reached: &Reached,
    progress: &Progress,
    stop: &AtomicBool,
) {
    let known = session.run.peers.iter_mut().find(|known| known.target == reached.name);
    let Some(found) = known.and_then(|known| known.reach.as_mut()) else { return };
    if found.addresses.iter().filter(|address| address.connect_min_ns.is_some()).count() < 2 {
        return;
    }
    for round in 0..ROUNDS {
        let mut addresses: Vec<_> = found.addresses.iter_mut().collect();
        if round % 2 == 1 {
            addresses.reverse();
        }
        for address in addresses {
            progress.doing(&format!("{}: over {}", reached.name, address.address));
            let stream = short_stream(reached, &address.address, 0, progress, stop);
            let rates = [address.bytes_per_s, stream.map(|result| result.throughput_bytes_per_s)];
            address.bytes_per_s = rates.into_iter().flatten().reduce(f64::max);
        }
        let rates = || found.addresses.iter().filter_map(|address| address.bytes_per_s);
        let fastest = rates().fold(0.0, f64::max);
        if rates().all(|rate| rate >= ALIKE * fastest) {
            return;
        }
    }
}

/// Of a host that is dead, or that answers neither.
const NO_ANSWER: &str = "nothing answered, neither a responder nor ICMP echo: the path MTU is not known";

/// Why there is no path MTU.
const INTERRUPTED: &str = "interrupted before its path MTU was measured";

/// Measures the path MTU to a peer.
pub(crate) fn path_mtu(
    session: &mut Session,
    plan: &MtuPlan,
    reached: &Reached,
    progress: &Progress,
    stop: &AtomicBool,
) -> Result<()> {
    progress.doing(&format!("{}: path MTU", reached.name));
    let address =
        *reached.addresses()?.first().with_context(|| format!("{} has no address", reached.name))?;
    let local = local_end(session, address);
    let is_own = is_own(address, &local);
    let mut responder = ResponderSizes::connect(&reached.address, &reached.options).ok();
    if let Some(host) = responder.as_ref().and_then(ResponderSizes::host) {
        merge_peer(
            session,
            Peer {
                target: reached.name.clone(),
                host: Some(host.clone()),
                loopback: is_own,
                ..Peer::default()
            },
        );
    }
    let answers = responder.is_some();
    let probe = session.new_probe();
    let mut result = session.watched(probe, WindowKind::Mtu, &reached.name, || {
        let far = responder.as_mut().map_or(Far::Nobody, |peer| Far::Responder(peer));
        mtu::measure(plan, address, &local, far, stop)
    });
    drop(responder);
    let mut stream = |segment| jumbo_stream(reached, segment, progress, stop);
    let wanted = plan.gain && answers && !is_own;
    let stream = wanted.then_some(&mut stream as &mut dyn FnMut(u64) -> Option<NetResult>);
    // Loopback has no frames.
    if !is_own {
        mtu::weigh_jumbo(&mut result, address.is_ipv6(), stream);
    }
    if result.path_mtu_bytes.is_none() {
        // What was not waited for did not fail to answer.
        if stop.load(Ordering::Relaxed) {
            session.gap(&reached.name, GapReason::Skipped, INTERRUPTED);
            return Ok(());
        }
        session.no_path_mtu(&reached.name, GapReason::Timeout, NO_ANSWER);
    }
    session.run.mtu.push(result);
    Ok(())
}

/// Measures the path MTU to the servers of a storage target that does not answer: where large packets are dropped, a mount
/// or a login succeeds and the first large transfer hangs.
pub(crate) fn storage_path_mtu(
    session: &mut Session,
    target: &PathName,
    progress: &Progress,
    stop: &AtomicBool,
) {
    for service in fullwire_rules::storage_services(&session.run, target) {
        let address = service.ip();
        progress.doing(&format!("{address}: path MTU"));
        let name = PathName::from(address.to_string());
        let plan = MtuPlan { target: name.clone(), timeout_ns: STORAGE_ECHO_NS, ..MtuPlan::default() };
        let local = local_end(session, address);
        let probe = session.new_probe();
        let result = session.watched(probe, WindowKind::Mtu, &name, || {
            mtu::measure(&plan, address, &local, Far::Service(service), stop)
        });
        if result.path_mtu_bytes.is_none() && stop.load(Ordering::Relaxed) {
            session.gap(&name, GapReason::Skipped, INTERRUPTED);
            return;
        }
        session.run.mtu.push(result);
    }
}

/// A short stream with segments of at most this many bytes; 0: as large as the path takes.
fn jumbo_stream(
    reached: &Reached,
    mss_bytes: u64,
    progress: &Progress,
    stop: &AtomicBool,
) -> Option<NetResult> {
    progress.doing(&format!("{}: gain from jumbo frames", reached.name));
    short_stream(reached, &reached.address, mss_bytes, progress, stop)
}

/// A short stream to this address of a peer.
fn short_stream(
    reached: &Reached,
    address: &str,
    mss_bytes: u64,
    progress: &Progress,
    stop: &AtomicBool,
) -> Option<NetResult> {
    let plan = NetPlan {
        target: address.into(),
        mss_bytes,
        duration_ns: SHORT_STREAM_NS,
        warmup_ns: SHORT_STREAM_NS / 4,
        ..NetPlan::default()
    };
    let options = ConnectOptions { facts: false, ..reached.options.clone() };
    let measured = net::measure(&plan, &options, &mut |_| progress.tick()).ok()?;
    (!stop.load(Ordering::Relaxed)).then_some(measured.result)
}

/// An address of this host: what is sent to it leaves through loopback.
fn is_own(address: IpAddr, local: &Local) -> bool {
    address.is_loopback() || local.interface == LOOPBACK_INTERFACE
}

/// The interface that the kernel's route to this address leaves through.
fn local_end(session: &Session, address: IpAddr) -> Local {
    let host = &session.run.host;
    let wanted = address.to_string();
    let looked_up = host.routes.iter().find(|route| route.looked_up && route.destination == wanted);
    let interface = looked_up.map(|route| route.interface.clone()).unwrap_or_default();
    let interface_mtu_bytes = host.nic(&interface).and_then(|nic| nic.mtu_bytes);
    Local { interface, interface_mtu_bytes }
}
