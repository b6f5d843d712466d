//! What a network path can carry: its interfaces, its line, its windows, one CPU.

pub mod bond;
pub mod commit;
pub mod frame;
pub mod loss;
pub mod window;

mod derive;

pub use fullwire_model::rfc6349;

use crate::network::ends;
use derive::Made;
use frame::Stack;
use fullwire_model::Run;
use fullwire_model::assessment::{Ceiling, Layer};
use fullwire_model::host::{Host, Nic};
use fullwire_model::net::{NetMode, NetResult};

/// Ceilings of every network path. Loopback has no wire: only the CPU bounds it.
pub(super) fn ceilings(run: &Run) -> Vec<Ceiling> {
    run.net.iter().flat_map(|result| of_result(run, result)).collect()
}

fn of_result(run: &Run, result: &NetResult) -> Vec<Ceiling> {
    let mut made: Vec<Option<Made>> = vec![one_cpu(result), asked(result), in_flight(result)];
    if !result.path.loopback {
        let stack = stack_of(run, result);
        made.push(declared(run, result, &stack));
        made.push(interface(&run.host, ends::nic_toward(run, result), result, &stack, None));
        if let Some(peer) = run.peer(&result.target).and_then(|peer| peer.host.as_ref()) {
            let nic = ends::peer_nic(run, result);
            made.push(interface(peer, nic, result, &stack, Some(&result.target)));
        }
        made.push(pcie(ends::nic_toward(run, result)));
        made.extend(shapers(run, result, &stack));
        made.push(receive_window(run, result));
        made.push(unscaled_window(run, result));
    }
    let label = result.label();
    made.into_iter().flatten().map(|made| made.ceiling(&result.target, &label)).collect()
}

/// How the packets of a result are wrapped, as far as the host tells: MTU of the path, address family, time
/// stamps, tags.
pub(crate) fn stack_of(run: &Run, result: &NetResult) -> Stack {
    let nic = ends::nic_toward(run, result);
    let of_tcp = result.tcp.as_ref().map(|tcp| tcp.pmtu_bytes).filter(|mtu| *mtu >= 576);
    let of_nic = nic.and_then(|nic| nic.mtu_bytes);
    let mtu = of_tcp.into_iter().chain(of_nic).min().unwrap_or(1500);
    let timestamps = result.tcp.as_ref().is_none_or(|tcp| tcp.timestamps || tcp.mss_bytes == 0);
    Stack {
        mtu_bytes: mtu,
        ipv6: ends::ip(ends::remote(result)).is_some_and(|address| address.is_ipv6()),
        udp: result.mode == NetMode::Udp,
        timestamps,
        vlan_tags: nic.map_or(0, |nic| vlan_tags(&run.host, nic)),
        vxlan: nic.is_some_and(|nic| nic.kind == "vxlan"),
    }
}

fn vlan_tags(host: &Host, nic: &Nic) -> u64 {
    ends::stack(host, &nic.name)
        .iter()
        .filter(|name| host.nic(name).is_some_and(|n| n.vlan_id.is_some()))
        .count() as u64
}

/// What the user says that the path carries. A line's rate counts IP packets; their headers are no payload.
fn declared(run: &Run, result: &NetResult, stack: &Stack) -> Option<Made> {
    let rate = ends::declared(run, &result.target)?;
    let share = stack.payload_bytes() as f64 / stack.mtu_bytes as f64;
    Some(
        Made::new("declared", format!("--expect for {}", result.target), rate * share)
            .formula("declared rate × payload ÷ mtu")
            .input("declared_bytes_per_s", rate, "--expect")
            .input("payload_bytes", stack.payload_bytes() as f64, "MTU less IP and TCP headers")
            .input("mtu_bytes", stack.mtu_bytes as f64, "TCP_INFO or interface"),
    )
}

/// The interface's speed as goodput: of a physical one, of a bond by its mode, of others softly.
fn interface(
    host: &Host,
    nic: Option<&Nic>,
    result: &NetResult,
    stack: &Stack,
    peer: Option<&str>,
) -> Option<Made> {
    let nic = nic?;
    let names = ends::stack(host, &nic.name);
    let at = |name: &str| peer.map_or(name.to_owned(), |peer| format!("{name} at {peer}"));
    if let Some(bond) = names.iter().find_map(|name| host.bond(name)) {
        return bonded(host, bond, result, stack, &at(&bond.name));
    }
    let lowest =
        names.iter().rev().find_map(|name| host.nic(name).filter(|n| n.speed_mbit_per_s.is_some()))?;
    let speed = lowest.speed_mbit_per_s.filter(|speed| *speed > 0)?;
    let made = Made::new("nic-goodput", at(&lowest.name), stack.goodput_bytes_per_s(speed as f64 * 1e6))
        .formula("speed × payload ÷ wire bytes of a frame")
        .input("speed_bit_per_s", speed as f64 * 1e6, at(&format!("/sys/class/net/{}/speed", lowest.name)));
    Some(made.stack(stack).soft(!ends::believable(lowest)))
}

fn bonded(
    host: &Host,
    bond: &fullwire_model::host::Bond,
    result: &NetResult,
    stack: &Stack,
    subject: &str,
) -> Option<Made> {
    let nics: Vec<&Nic> = bond.slaves.iter().filter_map(|slave| host.nic(&slave.name)).collect();
    let speed = bond.slaves.iter().filter_map(|slave| slave.speed_mbit_per_s).filter(|s| *s > 0).min()?;
    let flows = u64::from(result.streams.max(1));
    let links = bond::reachable_links(&bond.mode, &bond.xmit_hash_policy, ends::carrying(bond).max(1), flows);
    let believable = !nics.is_empty() && nics.iter().all(|nic| nic.kind == "physical");
    let file = format!("/proc/net/bonding/{}", bond.name);
    Some(
        Made::new(
            "bond-goodput",
            subject.to_owned(),
            stack.goodput_bytes_per_s(speed as f64 * 1e6) * links as f64,
        )
        .formula("reachable links × slave speed × payload ÷ wire bytes of a frame")
        .input(
            "reachable_links",
            links as f64,
            format!("mode {} {}, {file}", bond.mode, bond.xmit_hash_policy),
        )
        .input("slave_speed_bit_per_s", speed as f64 * 1e6, file)
        .stack(stack)
        .soft(!believable),
    )
}

/// The slot of the interface. Only the line code is taken off: the true ceiling lies some 10 to 20 % lower.
fn pcie(nic: Option<&Nic>) -> Option<Made> {
    let nic = nic?;
    let link = nic.pcie.as_ref().filter(|link| link.width > 0 && link.speed_gt_per_s > 0.0)?;
    let file = format!("/sys/class/net/{}/device/current_link_*", nic.name);
    Some(
        Made::new("pcie", nic.name.clone(), frame::pcie_bit_per_s(link.speed_gt_per_s, link.width) / 8.0)
            .formula("lanes × transfers a second × line code ÷ 8")
            .input("lanes", f64::from(link.width), file.clone())
            .input("transfers_gt_per_s", link.speed_gt_per_s, file),
    )
}

/// Queueing disciplines that set a rate on the sender's way out. They count frames with their header.
fn shapers(run: &Run, result: &NetResult, stack: &Stack) -> Vec<Option<Made>> {
    let peer_host = run.peer(&result.target).and_then(|peer| peer.host.as_ref());
    let (host, nic) = if result.reverse {
        (peer_host, ends::peer_nic(run, result))
    } else {
        (Some(&run.host), ends::nic_toward(run, result))
    };
    let (Some(host), Some(nic)) = (host, nic) else { return Vec::new() };
    let share = stack.payload_bytes() as f64 / (stack.mtu_bytes + 14) as f64;
    let links = host.bond(&nic.name).map_or(1, |bond| {
        bond::reachable_links(
            &bond.mode,
            &bond.xmit_hash_policy,
            ends::carrying(bond),
            u64::from(result.streams),
        )
    });
    ends::shapers(host, &nic.name)
        .into_iter()
        .map(|(device, qdisc, rate)| {
            let links = if device == nic.name { 1 } else { links.max(1) };
            let made =
                Made::new("qdisc-rate", format!("{} on {device}", qdisc.kind), rate * share * links as f64)
                    .formula("rate × payload ÷ (mtu + 14) × links")
                    .input("rate_bytes_per_s", rate, format!("tc -d qdisc show dev {device}"))
                    .input("links", links as f64, "devices that the flows can reach")
                    .stack(stack);
            // One class of several bounds only what is sorted into it.
            Some(made.soft(qdisc.kind == "htb" || qdisc.kind == "hfsc").removable())
        })
        .collect()
}

/// The peer's largest buffer as a window over the round trip.
fn receive_window(run: &Run, result: &NetResult) -> Option<Made> {
    let receiver = if result.reverse { &run.host } else { run.peer(&result.target)?.host.as_ref()? };
    let largest = *receiver.sysctl_numbers("net.ipv4.tcp_rmem")?.get(2)?;
    let rtt = ends::rtt_ns(run, result)?;
    let flows = f64::from(result.streams.max(1));
    let value = flows * window::window_bytes_per_s(largest as f64, rtt);
    let made = Made::new("tcp-window", "net.ipv4.tcp_rmem of the receiver".into(), value)
        .formula("streams × largest receive buffer ÷ round trip")
        .input("buffer_bytes", largest as f64, "net.ipv4.tcp_rmem, third value")
        .input("rtt_ns", rtt, "smallest round trip, TCP_INFO")
        .input("streams", flows, "plan");
    (result.mode == NetMode::Async).then(|| made.layer(Layer::Host).removable())
}

/// Without window scaling no window exceeds 65,535 bytes.
fn unscaled_window(run: &Run, result: &NetResult) -> Option<Made> {
    let tcp = result.tcp.as_ref().filter(|tcp| tcp.mss_bytes > 0)?;
    let off = |host: &Host| host.sysctl_number("net.ipv4.tcp_window_scaling") == Some(0);
    let peer = run.peer(&result.target).and_then(|peer| peer.host.as_ref());
    let switched_off = || off(&run.host) || peer.is_some_and(off);
    if tcp.window_scale.is_some() || !switched_off() {
        return None;
    }
    let rtt = ends::rtt_ns(run, result)?;
    let flows = f64::from(result.streams.max(1));
    let value = flows * window::window_bytes_per_s(window::UNSCALED_WINDOW_BYTES as f64, rtt);
    let made = Made::new("unscaled-window", "net.ipv4.tcp_window_scaling".into(), value)
        .formula("streams × 65,535 bytes ÷ round trip")
        .input("rtt_ns", rtt, "smallest round trip, TCP_INFO")
        .input("streams", flows, "plan");
    (result.mode == NetMode::Async).then(|| made.removable())
}

/// One thread on one CPU: what it moved, scaled to all of that CPU. A measured figure.
fn one_cpu(result: &NetResult) -> Option<Made> {
    let here = result.cpu.client_thread_peak.filter(|peak| *peak > 0.0);
    let there = result.cpu.server_thread_peak.filter(|peak| *peak > 0.0);
    let (peak, end) = match (here, there) {
        (Some(here), Some(there)) if there > here => (there, "the peer"),
        (Some(here), _) => (here, "this host"),
        (None, Some(there)) => (there, "the peer"),
        (None, None) => return None,
    };
    let made =
        Made::new("one-cpu", format!("one CPU of {end}"), result.throughput_bytes_per_s / peak.min(1.0))
            .formula("throughput ÷ share of one CPU that the busiest thread used")
            .input("throughput_bytes_per_s", result.throughput_bytes_per_s, "probe")
            .input("thread_peak", peak, format!("busiest thread of fullwire, {end}"));
    (result.throughput_bytes_per_s > 0.0).then(|| made.layer(Layer::Host).soft(true).removable())
}

/// The rate that the test itself was asked to keep.
fn asked(result: &NetResult) -> Option<Made> {
    let rate = result.plan.rate_bytes_per_s;
    (rate > 0.0).then(|| {
        Made::new("asked-rate", "--rate".into(), rate)
            .formula("as asked")
            .input("rate_bytes_per_s", rate, "--rate")
            .layer(Layer::None)
            .removable()
    })
}

/// So many messages wait for their acknowledgement at a time: length ÷ smallest latency. A measured figure.
fn in_flight(result: &NetResult) -> Option<Made> {
    let latency = result.latency_ns.as_ref().filter(|latency| latency.min > 0)?;
    let in_flight = f64::from(result.streams.max(1)) * f64::from(result.plan.depth.max(1));
    let value = in_flight * commit::one_in_flight_bytes_per_s(result.payload_bytes, latency.min as f64);
    let applies = result.mode == NetMode::Sync && result.payload_bytes > 0;
    applies.then(|| {
        Made::new("one-in-flight", "messages wait for their acknowledgement".into(), value)
            .formula("streams × depth × length ÷ smallest latency")
            .input("messages_in_flight", in_flight, "plan")
            .input("length_bytes", result.payload_bytes as f64, "plan")
            .input("latency_min_ns", latency.min as f64, "probe")
            .soft(true)
            .removable()
    })
}
