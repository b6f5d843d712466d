//! What belongs together in a run: both ends of a path, the interface that carries it, counters over windows.

use crate::facts;
use fullwire_model::counters::{Counters, NicCounters};
use fullwire_model::host::{Bond, Host, Nic, Qdisc, Route};
use fullwire_model::mtu::MtuResult;
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::{Run, Window, WindowKind};
use std::net::{IpAddr, SocketAddr};

/// One end: a host with the windows over which its counters were read.
pub(crate) struct Side<'a> {
    pub(crate) host: &'a Host,
    pub(crate) windows: Vec<&'a Window>,
    /// The target of the peer that it is; `None`: this host.
    pub(crate) peer: Option<&'a str>,
}

/// This host, then every peer that told of itself. A peer that is this host is not judged twice.
pub(crate) fn sides(run: &Run) -> Vec<Side<'_>> {
    let own = Side { host: &run.host, windows: run.windows.iter().collect(), peer: None };
    let peers = run.peers.iter().filter(|peer| !peer.loopback).filter_map(|peer| {
        let host = peer.host.as_ref()?;
        Some(Side { host, windows: peer.windows.iter().collect(), peer: Some(&peer.target) })
    });
    std::iter::once(own).chain(peers).collect()
}

impl Side<'_> {
    /// A device or setting with the host it is on: `eth0`, `eth0 at 10.0.0.2:5555`.
    pub(crate) fn name(&self, what: &str) -> String {
        match self.peer {
            None => what.to_owned(),
            Some(peer) => format!("{what} at {peer}"),
        }
    }

    /// `file`, or `file at PEER`: where evidence was read.
    pub(crate) fn source(&self, file: &str) -> String {
        self.name(file)
    }

    /// Growth of a counter over all windows, with their seconds; `None`: in no window at both ends.
    pub(crate) fn growth(&self, read: impl Fn(&Counters) -> Option<u64>) -> Option<Growth> {
        let mut total: Option<Growth> = None;
        for window in &self.windows {
            if let (Some(from), Some(to)) = (read(&window.from), read(&window.to)) {
                let growth = total.get_or_insert_default();
                growth.count += to.saturating_sub(from);
                growth.seconds += window.seconds();
            }
        }
        total
    }

    /// Growth of a counter of `/proc/net/{snmp,snmp6,netstat}`.
    pub(crate) fn snmp(&self, name: &str) -> Option<Growth> {
        self.growth(|counters| counters.snmp.get(name).copied())
    }

    /// Growth of an interface's counter.
    pub(crate) fn nic(&self, nic: &str, read: impl Fn(&NicCounters) -> u64) -> Option<Growth> {
        self.growth(|counters| counters.nics.get(nic).map(&read))
    }

    /// The paths that an interface of this side carries, by subject.
    pub(crate) fn paths_over(&self, run: &Run, nic: &str) -> Vec<String> {
        let mut subjects = Vec::new();
        for result in run.net.iter().filter(|result| !result.path.loopback) {
            let top = match self.peer {
                None => nic_toward(run, result).map(|nic| nic.name.as_str()),
                Some(peer) if peer == result.target => peer_nic(run, result).map(|nic| nic.name.as_str()),
                Some(_) => None,
            };
            let carried = top.is_some_and(|top| stack(self.host, top).contains(&nic));
            if carried && !subjects.contains(&result.target) {
                subjects.push(result.target.clone());
            }
        }
        subjects
    }
}

/// How much a counter grew.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Growth {
    pub(crate) count: u64,
    pub(crate) seconds: f64,
}

/// An interface and all below it: VLAN, bond, its members.
pub(crate) fn stack<'a>(host: &'a Host, top: &'a str) -> Vec<&'a str> {
    let mut names = vec![top];
    let mut next = 0;
    while let Some(name) = names.get(next).copied() {
        next += 1;
        let lower = host.nic(name).into_iter().flat_map(|nic| nic.lower.iter().map(String::as_str));
        let slaves = host.bond(name).into_iter().flat_map(|bond| bond.slaves.iter().map(|s| s.name.as_str()));
        for below in lower.chain(slaves).collect::<Vec<_>>() {
            if !names.contains(&below) {
                names.push(below);
            }
        }
    }
    names
}

/// The interface of this host that carries a result.
pub(crate) fn nic_toward<'a>(run: &'a Run, result: &NetResult) -> Option<&'a Nic> {
    let named = run.host.nic(&result.path.interface);
    let routed = || run.host.nic(&looked_up(run, remote(result))?.interface);
    named.or_else(routed).or_else(|| nic_with_address(&run.host, &result.path.local))
}

/// The peer's interface: the one that has the address that was spoken to.
pub(crate) fn peer_nic<'a>(run: &'a Run, result: &NetResult) -> Option<&'a Nic> {
    let host = run.peer(&result.target)?.host.as_ref()?;
    nic_with_address(host, remote(result))
}

/// The interface that has an address.
pub(crate) fn nic_with_address<'a>(host: &'a Host, address: &str) -> Option<&'a Nic> {
    let wanted = ip(address)?;
    host.nics.iter().find(|nic| {
        nic.addresses.iter().any(|own| network(own).is_some_and(|(address, _)| address == wanted))
    })
}

/// The address in `10.0.0.2`, `10.0.0.2:5555`, `[fe80::1]:5555`.
pub(crate) fn ip(text: &str) -> Option<IpAddr> {
    let of_socket = || text.parse::<SocketAddr>().ok().map(|socket| socket.ip());
    text.parse().ok().or_else(of_socket)
}

/// The peer's address: as connected, else as the user wrote it.
pub(crate) fn remote(result: &NetResult) -> &str {
    if result.path.remote.is_empty() { host_of(&result.target) } else { &result.path.remote }
}

/// The kernel's own answer for an address.
pub(crate) fn looked_up<'a>(run: &'a Run, address: &str) -> Option<&'a Route> {
    asked(&run.host, address)
}

fn asked<'a>(host: &'a Host, address: &str) -> Option<&'a Route> {
    let wanted = ip(address)?;
    host.routes.iter().find(|route| {
        route.looked_up
            && route.destination.split('/').next().and_then(|text| text.parse().ok()) == Some(wanted)
    })
}

/// By the kernel's own answer for the address, else by the longest prefix of the table.
pub(crate) fn route_to<'a>(host: &'a Host, address: &str) -> Option<&'a Route> {
    let by_table = || {
        let wanted: IpAddr = address.parse().ok()?;
        let length = |destination: &str| match destination {
            "default" => Some(0),
            prefix if contains(prefix, wanted) => Some(network(prefix)?.1),
            _ => None,
        };
        let routes = host.routes.iter().filter(|route| !route.looked_up);
        routes
            .filter_map(|route| Some((length(&route.destination)?, route)))
            .max_by_key(|(length, _)| *length)
    };
    asked(host, address).or_else(|| Some(by_table()?.1))
}

/// The interface by which this host reaches an address.
pub(crate) fn nic_to<'a>(run: &'a Run, address: &str) -> Option<&'a Nic> {
    run.host.nic(&route_to(&run.host, address)?.interface)
}

/// The clamp of the window on the receiver's route back to the sender, bytes: it wins over every buffer.
pub(crate) fn window_clamp<'a>(run: &'a Run, result: &NetResult) -> Option<(u64, &'a Route)> {
    let sender = if result.reverse { remote(result) } else { &result.path.local };
    let route = route_to(receiver(run, result)?, sender)?;
    route.window_bytes.filter(|bytes| *bytes > 0).map(|bytes| (bytes, route))
}

/// `10.0.0.1/24` as address and prefix length.
pub(crate) fn network(text: &str) -> Option<(IpAddr, u32)> {
    let (address, length) = text.split_once('/')?;
    Some((address.parse().ok()?, length.parse().ok()?))
}

/// An address lies within the network of an interface's address.
pub(crate) fn contains(own: &str, address: IpAddr) -> bool {
    let Some((own, length)) = network(own) else { return false };
    let bits = |address: IpAddr| match address {
        IpAddr::V4(v4) => (u128::from(u32::from(v4)), 32),
        IpAddr::V6(v6) => (u128::from(v6), 128),
    };
    let ((own, width), (other, other_width)) = (bits(own), bits(address));
    if width != other_width || length == 0 || length > width {
        return false;
    }
    own >> (width - length) == other >> (width - length)
}

/// Results of a mode that did not stay on this host.
pub(crate) fn results(run: &Run, mode: NetMode) -> impl Iterator<Item = &NetResult> {
    run.net.iter().filter(move |result| result.mode == mode && !result.path.loopback)
}

/// Windows of this host around the probe that made a result.
pub(crate) fn windows_around<'a>(run: &'a Run, result: &'a NetResult) -> Vec<&'a Window> {
    of_probe(run, result, run.windows_of(WindowKind::Net, &result.target).collect())
}

/// Windows of the peer around the same.
pub(crate) fn peer_windows_around<'a>(run: &'a Run, result: &NetResult) -> Vec<&'a Window> {
    let told = run.peer(&result.target).into_iter().flat_map(|peer| &peer.windows);
    of_probe(run, result, told.filter(|window| window.kind == WindowKind::Net).collect())
}

/// Each probe of a target opens one window: the one at the result's place. All, where their numbers differ.
fn of_probe<'a>(run: &Run, result: &NetResult, windows: Vec<&'a Window>) -> Vec<&'a Window> {
    let mut probes = run.net.iter().filter(|other| other.target == result.target);
    let count = probes.clone().count();
    match probes.position(|other| std::ptr::eq(other, result)).and_then(|place| windows.get(place)) {
        Some(window) if windows.len() == count => vec![window],
        _ => windows,
    }
}

/// Round trip without load, ns: the smallest that anything saw.
pub(crate) fn rtt_ns(run: &Run, result: &NetResult) -> Option<f64> {
    let of_tcp = result.tcp.as_ref().map(|tcp| tcp.rtt_min_ns);
    let of_peer = result.peer_tcp.as_ref().map(|tcp| tcp.rtt_min_ns);
    let idle = result.rtt_idle_ns.as_ref().map(|latency| latency.min);
    let probes = run.net.iter().filter(|other| other.target == result.target && other.mode == NetMode::Rtt);
    let of_probes = probes.filter_map(|other| other.latency_ns.as_ref().map(|latency| latency.min));
    of_probes.chain(of_tcp).chain(of_peer).chain(idle).filter(|ns| *ns > 0).min().map(|ns| ns as f64)
}

/// The host that sends, where its facts are known.
pub(crate) fn sender<'a>(run: &'a Run, result: &NetResult) -> Option<&'a Host> {
    if result.reverse { run.peer(&result.target)?.host.as_ref() } else { Some(&run.host) }
}

/// The host that receives a stream, where it is known: this one, or the peer as it told of itself.
pub(crate) fn receiver<'a>(run: &'a Run, result: &NetResult) -> Option<&'a Host> {
    if result.reverse { Some(&run.host) } else { run.peer(&result.target)?.host.as_ref() }
}

/// What the receiver of a stream is called.
pub(crate) fn receiver_name(result: &NetResult) -> &str {
    if result.reverse { "this host" } else { &result.target }
}

/// What the user says that the path carries, bytes a second.
pub(crate) fn declared(run: &Run, target: &str) -> Option<f64> {
    run.peer(target).and_then(|peer| peer.expect_bytes_per_s).or(run.command.expect_bytes_per_s)
}

/// Share of the sent bytes that were sent again; segments where the kernel does not count bytes.
pub(crate) fn resent_share(result: &NetResult) -> Option<f64> {
    let tcp = result.tcp.as_ref()?;
    if tcp.segments_out == 0 {
        return None;
    }
    Some(tcp.retransmits as f64 / tcp.segments_out as f64)
}

/// A speed that a verdict may rest on: of a physical interface with a link.
pub(crate) fn believable(nic: &Nic) -> bool {
    nic.kind == "physical" && nic.speed_mbit_per_s.is_some_and(|speed| speed > 0)
}

/// The members of a bond that carry: link up and, with LACP, in the active aggregator.
pub(crate) fn carrying(bond: &Bond) -> u64 {
    let carries = |slave: &&fullwire_model::host::BondSlave| {
        let grouped = bond.mode != "802.3ad"
            || bond.aggregator_id.is_none()
            || slave.aggregator_id == bond.aggregator_id;
        slave.mii_status == "up" && grouped
    };
    bond.slaves.iter().filter(carries).count() as u64
}

/// The disciplines on an interface and those below it that set a rate, each with its device.
pub(crate) fn shapers<'a>(host: &'a Host, top: &'a str) -> Vec<(&'a str, &'a Qdisc, f64)> {
    let devices = stack(host, top).into_iter().filter_map(|name| host.nic(name));
    devices
        .flat_map(|nic| nic.qdiscs.iter().map(move |qdisc| (nic.name.as_str(), qdisc)))
        .filter_map(|(device, qdisc)| {
            Some((device, qdisc, qdisc.rate_bytes_per_s.filter(|rate| *rate > 0.0)?))
        })
        .collect()
}

/// The host of a target without scheme, user and port: what two spellings of one peer share.
pub(crate) fn host_of(target: &str) -> &str {
    let bare = target.split_once("://").map_or(target, |(_, rest)| rest);
    let bare = bare.rsplit_once('@').map_or(bare, |(_, rest)| rest);
    if let Some(v6) = bare.strip_prefix('[') {
        return v6.split(']').next().unwrap_or(v6);
    }
    match bare.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') && port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => bare,
    }
}

/// The path that a path-MTU result belongs to: a peer that was measured, the storage that this host serves, or the target
/// itself.
pub(crate) fn path_of(run: &Run, result: &MtuResult) -> String {
    let host = host_of(&result.target);
    let measured = run.net.iter().map(|net| &net.target).chain(run.peers.iter().map(|peer| &peer.target));
    let peer = measured.clone().find(|target| host_of(target) == host).map(String::as_str);
    let storage = || {
        let serves = |target: &facts::Target| target.servers(run).any(|server| host_of(server) == host);
        facts::targets(run).into_iter().find(serves).map(|target| target.name())
    };
    peer.or_else(storage).unwrap_or(&result.target).to_owned()
}

/// `12.3 MB/s (98 Mbit/s)`.
pub(crate) fn rate(bytes_per_s: f64) -> String {
    let bits = bytes_per_s * 8.0;
    let bits =
        if bits >= 1e9 { format!("{:.2} Gbit/s", bits / 1e9) } else { format!("{:.1} Mbit/s", bits / 1e6) };
    format!("{:.1} MB/s ({bits})", bytes_per_s / 1e6)
}

/// `10.2 ms`, `85 µs`.
pub(crate) fn time(ns: f64) -> String {
    match ns {
        ns if ns >= 1e9 => format!("{:.2} s", ns / 1e9),
        ns if ns >= 1e6 => format!("{:.1} ms", ns / 1e6),
        ns => format!("{:.0} µs", ns / 1e3),
    }
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
