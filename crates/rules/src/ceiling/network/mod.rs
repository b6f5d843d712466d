//! What a network path can carry: its interfaces, its line, its windows, one CPU.

pub mod bond;
pub mod commit;
pub mod frame;
pub mod loss;
pub mod window;

mod derive;
mod nic;
mod tcp;

pub use fullwire_model::rfc6349;

use super::REFUTED;
use super::made::Made;
use crate::facts::{interface, route, stream};
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
    if result.mode == NetMode::Interconnect {
        return of_interconnect(run, result);
    }
    let mut made: Vec<Option<Made>> = vec![one_cpu(result), asked(result), in_flight(result)];
    if !result.path.loopback {
        let stack = stack_of(run, result);
        made.push(declared(run, result, &stack));
        made.extend(nic::ceilings(run, result, &stack));
        made.extend(shapers(run, result, &stack));
        made.extend(tcp::ceilings(run, result));
        made.push(cloud_flow(run, result));
    }
    let id = run.name_of(result);
    made.into_iter().flatten().map(|made| made.ceiling(&result.target, &id)).collect()
}

/// An interconnect goes both ways at the same time, and more one way than the other: each direction is held against what
/// bounds it, in exchanges per second.
fn of_interconnect(run: &Run, result: &NetResult) -> Vec<Ceiling> {
    let (Some(per_s), Some(ways)) = (result.exchanges_per_s(), result.exchange_bytes()) else {
        return Vec::new();
    };
    let (out, back) = ((ways[0], "out"), (ways[1], "back"));
    let heavier = if back.0 > out.0 { back } else { out };
    let cpu = one_cpu(&NetResult { throughput_bytes_per_s: per_s, ..result.clone() }).map(Made::events);
    let mut made = vec![cpu, exchanges_in_flight(result)];
    if !result.path.loopback {
        let stack = stack_of(run, result);
        let both = [declared(run, result, &stack), cloud_flow(run, result)];
        // An interface carries each direction at its full speed: the heavier one is bounded first.
        let both = both.into_iter().chain(nic::ceilings(run, result, &stack));
        made.extend(both.map(|made| made.map(|made| made.per_exchange(heavier.0, heavier.1))));
        for ((bytes, way), reverse) in [(out, false), (back, true)] {
            let one_way = NetResult { reverse: result.reverse != reverse, ..result.clone() };
            let shaped = shapers(run, &one_way, &stack).into_iter();
            made.extend(shaped.map(|made| made.map(|made| made.per_exchange(bytes, way))));
        }
    }
    let id = run.name_of(result);
    made.into_iter().flatten().map(|made| made.ceiling(&result.target, &id)).collect()
}

/// Each stream waits for the answer to its request. A measured figure.
fn exchanges_in_flight(result: &NetResult) -> Option<Made> {
    let latency = result.latency_ns.as_ref().filter(|latency| latency.min > 0)?;
    let streams = f64::from(result.streams.max(1));
    Some(
        Made::network(
            "one-in-flight",
            "requests wait for their answer".into(),
            streams * 1e9 / latency.min as f64,
        )
        .events()
        .formula("streams ÷ smallest latency")
        .input("messages_in_flight", streams, "plan")
        .input("latency_min_ns", latency.min as f64, "probe")
        .soft(true)
        .removable(),
    )
}

/// How the packets of a result are wrapped, as far as the host reports it: MTU of the path, address family, time
/// stamps, tags.
pub(crate) fn stack_of(run: &Run, result: &NetResult) -> Stack {
    let nic = interface::nic_toward(run, result);
    let of_tcp = result.tcp.as_ref().map(|tcp| tcp.pmtu_bytes).filter(|mtu| *mtu >= 576);
    let of_nic = nic.and_then(|nic| nic.mtu_bytes);
    let known: Vec<u64> = of_tcp.into_iter().chain(of_nic).collect();
    let mtu = frame::path_mtu_bytes(&known).unwrap_or(1500);
    let timestamps = result.tcp.as_ref().is_none_or(|tcp| tcp.timestamps || tcp.mss_bytes == 0);
    Stack {
        mtu_bytes: mtu,
        ipv6: route::ip(route::remote(result)).is_some_and(|address| address.is_ipv6()),
        udp: result.mode.is_datagrams(),
        timestamps,
        vlan_tags: nic.map_or(0, |nic| vlan_tags(&run.host, nic)),
        vxlan: nic.is_some_and(|nic| nic.kind == "vxlan"),
    }
}

fn vlan_tags(host: &Host, nic: &Nic) -> u64 {
    interface::stack(host, &nic.name)
        .iter()
        .filter(|name| host.nic(name).is_some_and(|n| n.vlan_id.is_some()))
        .count() as u64
}

/// What the user says that the path carries. A line's rate counts IP packets; their headers are no payload.
fn declared(run: &Run, result: &NetResult, stack: &Stack) -> Option<Made> {
    let rate = stream::declared(run, &result.target)?;
    let share = stack.payload_bytes() as f64 / stack.mtu_bytes as f64;
    Some(
        Made::network("declared", format!("--expect for {}", result.target), rate * share)
            .formula("declared rate × payload ÷ mtu")
            .input("declared_bytes_per_s", rate, "--expect")
            .input("payload_bytes", stack.payload_bytes() as f64, "MTU less IP and TCP headers")
            .input("mtu_bytes", stack.mtu_bytes as f64, "TCP_INFO or interface"),
    )
}

/// What is payload of the rate of a queueing discipline, which counts frames with their header.
pub(crate) fn shaped_payload_bytes_per_s(stack: &Stack, rate: f64) -> f64 {
    rate * stack.payload_bytes() as f64 / (stack.mtu_bytes + 14) as f64
}

/// Queueing disciplines that set a rate on the sender's way out.
fn shapers(run: &Run, result: &NetResult, stack: &Stack) -> Vec<Option<Made>> {
    let peer_host = run.peer(&result.target).and_then(|peer| peer.host.as_ref());
    let (host, nic) = if result.reverse {
        (peer_host, interface::peer_nic(run, result))
    } else {
        (Some(&run.host), interface::nic_toward(run, result))
    };
    let (Some(host), Some(nic)) = (host, nic) else { return Vec::new() };
    let links = host
        .bond(&nic.name)
        .map_or(1, |bond| bond::sending(bond, interface::carrying(bond), u64::from(result.streams)).count);
    interface::shapers(host, &nic.name)
        .into_iter()
        .map(|(device, qdisc, rate)| {
            let shaped = shaped_payload_bytes_per_s(stack, rate);
            // On the bond itself it holds all links together.
            let links = if device == nic.name { 1 } else { links.max(1) };
            let together = device == nic.name && host.bond(device).is_some();
            let made =
                Made::network("qdisc-rate", format!("{} on {device}", qdisc.kind), shaped * links as f64)
                    .input("rate_bytes_per_s", rate, format!("tc -d qdisc show dev {device}"));
            let made = if together {
                made.formula("rate × payload ÷ (mtu + 14)")
            } else {
                made.formula("rate × payload ÷ (mtu + 14) × links").input(
                    "links",
                    links as f64,
                    "devices that the flows can reach",
                )
            };
            let made = made
                .input("payload_bytes", stack.payload_bytes() as f64, "MTU less IP and TCP headers")
                .input("mtu_bytes", stack.mtu_bytes as f64, "TCP_INFO or interface");
            // One class of several bounds only what is sorted into it.
            Some(made.soft(qdisc.kind == "htb" || qdisc.kind == "hfsc").removable())
        })
        .collect()
}

/// What one flow gets at AWS, Gbit/s: 5, within a cluster placement group 10, with ENA Express 25.
const AWS_FLOW_GBIT_PER_S: [f64; 3] = [5.0, 10.0, 25.0];

/// The cloud's limit for one flow. The instance does not tell which one applies: the lowest that was not exceeded.
fn cloud_flow(run: &Run, result: &NetResult) -> Option<Made> {
    run.host.os.cloud.as_deref().filter(|cloud| *cloud == "aws")?;
    let flows = f64::from(result.streams.max(1));
    let limits = AWS_FLOW_GBIT_PER_S.into_iter();
    let bound = |gbit: f64| flows * gbit * 1e9 / 8.0;
    let gbit = limits.into_iter().find(|gbit| result.throughput_bytes_per_s <= REFUTED * bound(*gbit))?;
    Some(
        Made::network("cloud-flow", "one flow at AWS".into(), bound(gbit))
            .formula("streams × limit of a flow ÷ 8")
            .input("streams", flows, "plan")
            .input("flow_gbit_per_s", gbit, "Amazon EC2 User Guide, instance network bandwidth: 5, 10 or 25")
            .soft(true),
    )
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
        Made::network("one-cpu", format!("one CPU of {end}"), result.throughput_bytes_per_s / peak.min(1.0))
            .formula("throughput ÷ share of one CPU that the busiest thread used")
            .input("throughput_bytes_per_s", result.throughput_bytes_per_s, "probe")
            .input("thread_peak", peak, format!("busiest thread of fullwire, {end}"));
    (result.throughput_bytes_per_s > 0.0).then(|| made.layer(Layer::Host).soft(true).removable())
}

/// The rate that was set for the test itself.
fn asked(result: &NetResult) -> Option<Made> {
    let rate = result.plan.rate_bytes_per_s;
    (rate > 0.0).then(|| {
        Made::network("asked-rate", "--rate".into(), rate)
            .formula("as asked")
            .input("rate_bytes_per_s", rate, "--rate")
            .layer(Layer::None)
            .removable()
    })
}

/// This many messages wait for their acknowledgement at a time: length ÷ smallest latency. A measured figure.
fn in_flight(result: &NetResult) -> Option<Made> {
    let latency = result.latency_ns.as_ref().filter(|latency| latency.min > 0)?;
    let in_flight = f64::from(result.streams.max(1)) * f64::from(result.plan.depth.max(1));
    let value = in_flight * commit::one_in_flight_bytes_per_s(result.payload_bytes, latency.min as f64);
    let applies = result.mode == NetMode::Sync && result.payload_bytes > 0;
    let departure = commit::in_flight_departure(
        result.throughput_bytes_per_s,
        latency.mean,
        result.payload_bytes,
        u64::from(result.streams.max(1)) * u64::from(result.plan.depth.max(1)),
    );
    applies.then(|| {
        Made::network("one-in-flight", "messages wait for their acknowledgement".into(), value)
            .formula("streams × depth × length ÷ smallest latency")
            .input("messages_in_flight", in_flight, "plan")
            .input("length_bytes", result.payload_bytes as f64, "plan")
            .input("latency_min_ns", latency.min as f64, "probe")
            .input("little_departure", departure, "throughput × mean latency against what is in flight")
            .soft(true)
            .removable()
    })
}
