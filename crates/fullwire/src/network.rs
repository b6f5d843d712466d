//! A network probe within a session: its window here, the peer's records and windows from there.

use crate::progress::Progress;
use crate::reach::Reached;
use crate::session::Session;
use anyhow::{Context, Result};
use fullwire_model::mtu::MtuPlan;
use fullwire_model::net::{NetInterval, NetPlan, NetResult};
use fullwire_model::{GapReason, Peer, Window, WindowKind};
use fullwire_probe::iperf3::{self, Iperf3Error};
use fullwire_probe::mtu::{self, Local, SizePeer};
use fullwire_probe::net::{self, NetError, ResponderSizes};
use std::net::IpAddr;
use std::sync::atomic::AtomicBool;

/// Measures a peer; what fails is a gap of the run and is returned as well.
pub(crate) fn measure(
    session: &mut Session,
    plan: &NetPlan,
    reached: &Reached,
    progress: &Progress,
    on_interval: &mut dyn FnMut(&NetInterval),
) -> Result<(), NetError> {
    let from = session.counters();
    let name = &reached.name;
    let plan = NetPlan { target: reached.address.clone(), ..plan.clone() };
    let mut told = |event: net::Progress| match event {
        net::Progress::Phase(phase) => progress.doing(&format!("{name}: {phase}")),
        net::Progress::Running { interval, .. } => {
            progress.tick();
            if let Some(interval) = interval {
                on_interval(&interval);
            }
        }
    };
    let measured = net::measure(&plan, &reached.options, &mut told);
    session.add_window(WindowKind::Net, name, from);
    match measured {
        Ok(mut report) => {
            session.run.gaps.extend(report.gaps);
            place(session, &mut report.result);
            report.result.target.clone_from(name);
            report.result.plan.target.clone_from(name);
            session.run.net.push(report.result);
            if let Some(peer) = report.peer {
                let told = |mut window: Window| {
                    window.subject.clone_from(name);
                    window
                };
                let windows = peer.windows.into_iter().map(told).collect();
                merge_peer(session, Peer { target: name.clone(), windows, ..peer });
            }
            Ok(())
        }
        Err(error) => {
            session.gap(name, gap_reason(&error), error.to_string());
            Err(error)
        }
    }
}

/// Where the connection ran, as the kernel's route to its far end says.
fn place(session: &Session, result: &mut NetResult) {
    let (remote, _) = crate::peer::split(&result.path.remote);
    let address =
        remote.parse::<IpAddr>().map(|address| address.to_canonical().to_string()).unwrap_or(remote);
    let host = &session.run.host;
    if let Some(route) = host.routes.iter().find(|route| route.looked_up && route.destination == address) {
        result.path.interface.clone_from(&route.interface);
        result.path.gateway.clone_from(&route.gateway);
    }
}

/// Measures a real iperf3 server, as far as its protocol goes.
pub(crate) fn measure_iperf3(
    session: &mut Session,
    plan: &NetPlan,
    progress: &Progress,
    stop: &AtomicBool,
) -> Result<(), Iperf3Error> {
    let from = session.counters();
    let mut result = iperf3::measure(plan, stop, |_| progress.tick())?;
    session.add_window(WindowKind::Net, &plan.target, from);
    place(session, &mut result);
    session.run.net.push(result);
    Ok(())
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

/// A peer is listed once: its records as last told, and every window.
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
pub(crate) fn introduce(session: &mut Session, target: &str, expect_bytes_per_s: Option<f64>) {
    session.run.peers.push(Peer { target: target.to_owned(), expect_bytes_per_s, ..Peer::default() });
}

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
    let from = session.counters();
    let mut responder = ResponderSizes::connect(&reached.address, &reached.options).ok();
    if let Some(host) = responder.as_ref().and_then(ResponderSizes::host) {
        merge_peer(
            session,
            Peer { target: reached.name.clone(), host: Some(host.clone()), ..Peer::default() },
        );
    }
    let peer = responder.as_mut().map(|peer| peer as &mut dyn SizePeer);
    let result = mtu::measure(plan, address, &local, peer, stop);
    session.add_window(WindowKind::Mtu, &reached.name, from);
    session.run.mtu.push(result);
    Ok(())
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
