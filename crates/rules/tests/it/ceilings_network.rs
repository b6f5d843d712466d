//! Ceilings of network paths: each with a figure computed by hand.

use fullwire_model::Run;
use fullwire_model::assessment::{Assessment, Ceiling, Role, Verdict};
use fullwire_rules::assess;
use serde_json::{Value, json};

const PEER: &str = "10.0.0.2:5555";
/// Payload of 1 Gbit/s at MTU 1500 with time stamps.
const GIGABIT: f64 = 117.685e6;

fn merge(into: &mut Value, changes: Value) {
    match (into, changes) {
        (Value::Object(into), Value::Object(changes)) => {
            for (key, value) in changes {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, value) => *into = value,
    }
}

/// A transfer over eth0 at 1 ms of round trip.
fn stream(changes: Value) -> Value {
    let mut result = json!({
        "target": PEER, "mode": "async", "streams": 1, "payload_bytes": 1_048_576, "duration_s": 3.0, "bytes": 150_000_000, "messages": 143,
        "throughput_bytes_per_s": 5e7,
        "path": {"local": "10.0.0.1:51382", "remote": PEER, "interface": "eth0"},
        "tcp": {"mss_bytes": 1448, "segments_out": 207_000, "rtt_min_ns": 1_000_000, "rtt_ns": 1_100_000,
                "busy_s": 3.0, "pmtu_bytes": 1500, "timestamps": true, "sack": true, "window_scale": [7, 7]},
    });
    merge(&mut result, changes);
    result
}

fn nic(name: &str, changes: Value) -> Value {
    let mut nic = json!({"name": name, "kind": "physical", "up": true, "speed_mbit_per_s": 1000,
                         "mtu_bytes": 1500, "addresses": []});
    merge(&mut nic, changes);
    nic
}

fn judged(run: Value) -> Assessment {
    let run: Run = serde_json::from_value(run).unwrap();
    assess(&run)
}

#[track_caller]
fn ceiling<'a>(assessment: &'a Assessment, kind: &str) -> &'a Ceiling {
    let of_kind: Vec<&Ceiling> = assessment.ceilings.iter().filter(|one| one.kind == kind).collect();
    assert_eq!(of_kind.len(), 1, "{kind}: {:?}", assessment.ceilings);
    of_kind[0]
}

#[track_caller]
fn near(ceiling: &Ceiling, expected: f64) {
    let off = (ceiling.value / expected - 1.0).abs();
    assert!(off < 1e-4, "{} is {}, not {expected}", ceiling.kind, ceiling.value);
}

/// 10 Gbit/s in a slot of the first generation with one lane: 250 MB/s, of which 256 of 280 bytes are payload.
fn narrow_slot() -> Value {
    json!({"speed_mbit_per_s": 10_000, "pci_address": "0000:3b:00.0",
           "pcie": {"speed_gt_per_s": 2.5, "width": 1, "max_speed_gt_per_s": 8.0, "max_width": 8}})
}

#[test]
fn a_slot_bounds_the_interface_with_the_headers_of_its_packets() {
    let assessment =
        judged(json!({"host": {"nics": [nic("eth0", narrow_slot())]}, "net": [stream(json!({}))]}));
    let slot = ceiling(&assessment, "pcie-link");
    near(slot, 250e6 * 256.0 / 280.0);
    assert!(slot.bound_only && !slot.soft && !slot.removable);
    let mut read = narrow_slot();
    merge(&mut read, json!({"pcie": {"max_payload_bytes": 128}}));
    let assessment = judged(json!({"host": {"nics": [nic("eth0", read)]}, "net": [stream(json!({}))]}));
    near(ceiling(&assessment, "pcie-link"), 250e6 * 128.0 / 152.0);
}

#[test]
fn a_slot_carries_the_verdict_only_once_it_is_reached() {
    let at = |rate: f64| {
        let net = stream(json!({"throughput_bytes_per_s": rate}));
        judged(json!({"host": {"nics": [nic("eth0", narrow_slot())]}, "net": [net]}))
    };
    assert_eq!(at(220e6).verdict, Verdict::FullWire);
    // 130 MB/s are 57 % of the slot and 11 % of the interface: the interface is what it is compared with.
    let short = at(130e6);
    let decides = short.ceilings.iter().position(|one| one.kind == "nic-goodput");
    assert_eq!(short.paths[0].measurements[0].ceiling, decides);
}

#[test]
fn ports_of_one_card_share_its_slot() {
    let slot = json!({"speed_gt_per_s": 8.0, "width": 16, "max_speed_gt_per_s": 8.0, "max_width": 16,
                      "max_payload_bytes": 512});
    let port = |name: &str, address: &str| {
        nic(
            name,
            json!({"speed_mbit_per_s": 100_000, "pci_address": address, "pcie": slot, "master": "bond0"}),
        )
    };
    let bond = |second: &str| {
        let member = |name: &str| json!({"name": name, "mii_status": "up", "speed_mbit_per_s": 100_000});
        let bond = json!({"name": "bond0", "mode": "802.3ad", "xmit_hash_policy": "layer3+4",
                          "slaves": [member("p0"), member("p1")]});
        let nics = json!([
            nic("eth0", json!({"kind": "vlan", "lower": ["bond0"], "speed_mbit_per_s": null})),
            nic("bond0", json!({"kind": "bond", "speed_mbit_per_s": null})),
            port("p0", "0000:3b:00.0"),
            port("p1", second)
        ]);
        judged(json!({"host": {"nics": nics, "bonds": [bond]}, "net": [stream(json!({"streams": 8}))]}))
    };
    // 126.03 Gbit/s of line, 512 of 536 bytes payload.
    let one_card = 126.030_769e9 / 8.0 * 512.0 / 536.0;
    near(ceiling(&bond("0000:3b:00.1"), "pcie-link"), one_card);
    near(ceiling(&bond("0000:af:00.0"), "pcie-link"), 2.0 * one_card);
}

#[test]
fn what_a_guest_sees_of_slots_and_ports_is_an_estimate() {
    let with = |host: Value| {
        let mut all = json!({"nics": [nic("eth0", narrow_slot())]});
        merge(&mut all, host);
        judged(json!({"host": all, "net": [stream(json!({}))]}))
    };
    for guest in [json!({"os": {"virtualization": "hyperv"}}), json!({"cpu": {"flags": ["hypervisor"]}})] {
        let assessment = with(guest);
        assert!(ceiling(&assessment, "pcie-link").soft && ceiling(&assessment, "nic-goodput").soft);
        assert_ne!(assessment.verdict, Verdict::Poor);
    }
    // A container on bare metal has the port itself.
    let contained = with(json!({"os": {"virtualization": "container:docker"}}));
    assert!(!ceiling(&contained, "nic-goodput").soft);
    let declared = judged(json!({
        "command": {"expect_bytes_per_s": 125e6}, "host": {"os": {"virtualization": "kvm"}, "nics": [nic("eth0", json!({}))]},
        "net": [stream(json!({"throughput_bytes_per_s": 117e6}))]
    }));
    assert_eq!(declared.verdict, Verdict::FullWire);
}

#[test]
fn the_peer_is_held_to_the_same() {
    let peer = json!({"target": PEER, "host": {
        "os": {"virtualization": "vmware"},
        "nics": [nic("ens1", {
            let mut slot = narrow_slot();
            merge(&mut slot, json!({"addresses": ["10.0.0.2/24"]}));
            slot
        })],
    }});
    let assessment = judged(
        json!({"host": {"nics": [nic("eth0", json!({}))]}, "peers": [peer], "net": [stream(json!({}))]}),
    );
    let at_peer = |kind: &str| {
        let subject = format!("ens1 at {PEER}");
        assessment.ceilings.iter().find(|one| one.kind == kind && one.subject == subject).unwrap()
    };
    near(at_peer("pcie-link"), 250e6 * 256.0 / 280.0);
    assert!(at_peer("pcie-link").soft && at_peer("nic-goodput").soft);
}

/// A bond of two gigabit links that carries the path, changed by `changes`.
fn bonded(changes: Value, net: Value) -> Assessment {
    let member = |name: &str| json!({"name": name, "mii_status": "up", "speed_mbit_per_s": 1000});
    let mut bond = json!({"name": "eth0", "mode": "802.3ad", "xmit_hash_policy": "layer2+3",
                          "slaves": [member("p0"), member("p1")]});
    merge(&mut bond, changes);
    let nics = json!([nic("eth0", json!({"kind": "bond"})), nic("p0", json!({})), nic("p1", json!({}))]);
    judged(json!({"host": {"nics": nics, "bonds": [bond]}, "net": [stream(net)]}))
}

#[test]
fn a_bond_sends_by_its_own_policy_and_receives_by_the_switchs() {
    let sends = bonded(json!({}), json!({"streams": 8}));
    near(ceiling(&sends, "bond-goodput"), GIGABIT);
    assert!(!ceiling(&sends, "bond-goodput").soft);
    let receives = bonded(json!({}), json!({"streams": 8, "reverse": true}));
    near(ceiling(&receives, "bond-goodput"), 2.0 * GIGABIT);
    assert!(ceiling(&receives, "bond-goodput").soft);
    // One conversation stays on one link of a LACP group, whichever end sends it.
    let one = bonded(json!({}), json!({"reverse": true}));
    near(ceiling(&one, "bond-goodput"), GIGABIT);
    assert!(!ceiling(&one, "bond-goodput").soft);
}

#[test]
fn modes_of_bonds_and_teams() {
    let links = |mode: &str, changes: Value, net: Value| {
        let mut all = json!({"mode": mode, "xmit_hash_policy": "layer3+4"});
        merge(&mut all, changes);
        let assessment = bonded(all, net);
        let bond = ceiling(&assessment, "bond-goodput");
        ((bond.value / GIGABIT).round(), bond.soft)
    };
    let eight = || json!({"streams": 8});
    let back = || json!({"streams": 8, "reverse": true});
    assert_eq!(links("802.3ad", json!({}), eight()), (2.0, false));
    assert_eq!(links("balance-tlb", json!({"tlb_dynamic_lb": true}), eight()), (1.0, false));
    assert_eq!(links("balance-tlb", json!({"tlb_dynamic_lb": false}), eight()), (2.0, false));
    assert_eq!(links("balance-tlb", json!({}), back()), (1.0, false));
    assert_eq!(links("active-backup", json!({}), back()), (1.0, false));
    assert_eq!(links("balance-rr", json!({}), back()), (2.0, true));
    // Of a team nothing says by what its runner hashes.
    assert_eq!(links("loadbalance", json!({}), eight()), (2.0, true));
}

#[test]
fn eight_flows_hit_nearly_both_links() {
    let assessment = bonded(json!({"xmit_hash_policy": "layer3+4"}), json!({"streams": 8}));
    let inputs = &ceiling(&assessment, "bond-goodput").derivation.inputs;
    let mean = inputs.iter().find(|input| input.name == "links_on_average").unwrap();
    assert!((mean.value - 1.992).abs() < 0.001);
}

/// Both ends' buffers, and what TCP counted.
fn with_buffers(rmem: &str, wmem: &str, net: Value) -> Assessment {
    let peer = json!({"target": PEER, "host": {"sysctls": {"net.ipv4.tcp_rmem": rmem}}});
    let host = json!({"nics": [nic("eth0", json!({}))], "sysctls": {"net.ipv4.tcp_wmem": wmem}});
    judged(json!({"host": host, "peers": [peer], "net": [stream(net)]}))
}

#[test]
fn half_of_a_receive_buffer_is_window() {
    // 128 KiB at 1 ms: 64 KiB each, 65.536 MB/s.
    let assessment = with_buffers("4096 131072 131072", "4096 16384 4194304", json!({}));
    let window = ceiling(&assessment, "tcp-window");
    near(window, 65.536e6);
    assert!(window.soft && window.removable);
    let four = with_buffers("4096 131072 131072", "4096 16384 4194304", json!({"streams": 4}));
    near(ceiling(&four, "tcp-window"), 4.0 * 65.536e6);
    // The window that was seen is worth more than the estimate.
    let seen =
        with_buffers("4096 131072 131072", "4096 16384 4194304", json!({"tcp": {"snd_wnd_bytes": 100_000}}));
    near(ceiling(&seen, "tcp-window"), 100e6);
    // Without autotuning a buffer stays at the second value.
    let fixed = json!({"target": PEER, "host": {"sysctls": {
        "net.ipv4.tcp_rmem": "4096 65536 6291456", "net.ipv4.tcp_moderate_rcvbuf": "0"}}});
    let host = json!({"nics": [nic("eth0", json!({}))]});
    let assessment = judged(json!({"host": host, "peers": [fixed], "net": [stream(json!({}))]}));
    near(ceiling(&assessment, "tcp-window"), 32.768e6);
    // A program's own buffer has nothing to do with the setting.
    let own =
        with_buffers("4096 131072 131072", "4096 16384 4194304", json!({"plan": {"sockbuf_bytes": 65_536}}));
    assert!(own.ceilings.iter().all(|one| one.kind != "tcp-window" && one.kind != "tcp-send-window"));
}

#[test]
fn half_of_a_send_buffer_is_in_flight() {
    // 4 MiB at 1 ms: 2 MiB each, 2,097 MB/s.
    let assessment = with_buffers("4096 131072 131072", "4096 16384 4194304", json!({}));
    let buffer = ceiling(&assessment, "tcp-send-window");
    near(buffer, 2_097.152e6);
    assert!(buffer.soft && buffer.removable);
    let seen = json!({"intervals": [{"t_s": 1.0, "in_flight_bytes": 3_000_000}]});
    near(
        ceiling(&with_buffers("4096 131072 131072", "4096 16384 4194304", seen), "tcp-send-window"),
        3_000e6,
    );
}

#[test]
fn behind_a_window_the_send_buffer_comes_next() {
    // The window of 64 KiB allows 65.5 MB/s, the send buffer of 160 KiB 81.9 MB/s, the wire 117.7 MB/s.
    let net =
        json!({"throughput_bytes_per_s": 65e6, "tcp": {"rwnd_limited_s": 2.9, "snd_wnd_bytes": 65_536}});
    let assessment = with_buffers("4096 131072 131072", "4096 16384 163840", net);
    let causes = &assessment.paths[0].causes;
    let order: Vec<(&str, Role)> = causes.iter().map(|cause| (cause.code.as_str(), cause.role)).collect();
    assert_eq!(
        order,
        [("receive-window", Role::Primary), ("tcp-send-window", Role::Next), ("nic-goodput", Role::Next)]
    );
    let after = causes[0].after.as_ref().unwrap();
    // So small a buffer carries up to twice its size, which is more than the wire.
    assert_eq!((after.value.round(), after.limited_by.as_str()), (117_685_306.0, "nic-goodput"));
}

#[test]
fn a_rate_near_a_buffers_estimate_is_no_sign_of_it_where_tcp_counted_otherwise() {
    // 80 MB/s of 81.9 that the send buffer allows, which limited the stream for no time at all.
    let net = json!({"throughput_bytes_per_s": 80e6});
    let assessment = with_buffers("4096 131072 16777216", "4096 16384 163840", net);
    assert_ne!(assessment.bottleneck.code, "tcp-send-window");
    let held = json!({"throughput_bytes_per_s": 80e6, "tcp": {"sndbuf_limited_s": 0.5}});
    let assessment = with_buffers("4096 131072 16777216", "4096 16384 163840", held);
    assert_eq!(assessment.bottleneck.code, "tcp-send-window");
}

#[test]
fn routes_lock_and_clamp() {
    let locked =
        json!({"destination": "10.0.0.2", "interface": "eth0", "looked_up": true, "cwnd_locked": 10});
    let host = json!({"nics": [nic("eth0", json!({}))], "routes": [locked]});
    let assessment = judged(json!({"host": host, "net": [stream(json!({"throughput_bytes_per_s": 5e6}))]}));
    // Ten segments of 1448 bytes in 1 ms.
    near(ceiling(&assessment, "route-cwnd-lock"), 14.48e6);
    let clamped = json!({"destination": "10.0.0.0/24", "interface": "ens1", "window_bytes": 50_000});
    let looked_up =
        json!({"destination": "10.0.0.1", "interface": "ens1", "looked_up": true, "window_bytes": 50_000});
    let peer = json!({"target": PEER, "host": {"routes": [clamped, looked_up]}});
    let run =
        json!({"host": {"nics": [nic("eth0", json!({}))]}, "peers": [peer], "net": [stream(json!({}))]});
    near(ceiling(&judged(run), "route-window-clamp"), 50e6);
}

#[test]
fn windows_without_scale_end_at_64_kib() {
    let host = json!({"nics": [nic("eth0", json!({}))], "sysctls": {"net.ipv4.tcp_window_scaling": "0"}});
    let net = stream(json!({"tcp": {"window_scale": null}}));
    near(ceiling(&judged(json!({"host": host, "net": [net]})), "unscaled-window"), 65.535e6);
}

#[test]
fn one_flow_at_aws() {
    let at = |rate: f64, streams: u32| {
        let net = stream(json!({"throughput_bytes_per_s": rate, "streams": streams}));
        let host = json!({"os": {"cloud": "aws", "virtualization": "kvm"}, "nics": [nic("eth0", json!({}))]});
        ceiling(&judged(json!({"host": host, "net": [net]})), "cloud-flow").clone()
    };
    near(&at(600e6, 1), 625e6);
    near(&at(1_200e6, 1), 1_250e6);
    near(&at(1_200e6, 4), 2_500e6);
    assert!(at(600e6, 1).soft);
    let elsewhere = json!({"os": {"cloud": "gcp"}, "nics": [nic("eth0", json!({}))]});
    let assessment = judged(json!({"host": elsewhere, "net": [stream(json!({}))]}));
    assert!(assessment.ceilings.iter().all(|one| one.kind != "cloud-flow"));
}

#[test]
fn what_the_test_itself_allows() {
    let with = |net: Value| judged(json!({"host": {"nics": [nic("eth0", json!({}))]}, "net": [stream(net)]}));
    // 50 MB/s with half of a CPU.
    near(
        ceiling(&with(json!({"cpu": {"client_thread_peak": 0.5, "server_thread_peak": 0.4}})), "one-cpu"),
        100e6,
    );
    near(ceiling(&with(json!({"plan": {"rate_bytes_per_s": 25e6}})), "asked-rate"), 25e6);
    // 8 KiB every 0.5 ms at best; 16 MB/s at 0.512 ms are one in flight, 24 MB/s half as much again.
    let sync = |rate: f64| {
        json!({"mode": "sync", "payload_bytes": 8192, "throughput_bytes_per_s": rate,
               "latency_ns": {"count": 100, "min": 500_000, "mean": 512_000.0}})
    };
    let departure = |assessment: &Assessment| {
        let inputs = &ceiling(assessment, "one-in-flight").derivation.inputs;
        inputs.iter().find(|input| input.name == "little_departure").unwrap().value
    };
    let honest = with(sync(16e6));
    near(ceiling(&honest, "one-in-flight"), 16.384e6);
    assert!(departure(&honest) < 1e-9);
    assert!((departure(&with(sync(24e6))) - 0.5).abs() < 1e-9);
}

#[test]
fn declared_lines_and_shapers() {
    let line = judged(json!({
        "command": {"expect_bytes_per_s": 125e6}, "host": {"nics": [nic("eth0", json!({}))]}, "net": [stream(json!({}))]
    }));
    near(ceiling(&line, "declared"), 125e6 * 1448.0 / 1500.0);
    let tbf = json!({"qdiscs": [{"kind": "tbf", "parent": "root", "rate_bytes_per_s": 25e6}]});
    let shaped = judged(json!({"host": {"nics": [nic("eth0", tbf)]}, "net": [stream(json!({}))]}));
    let shaper = ceiling(&shaped, "qdisc-rate");
    near(shaper, 25e6 * 1448.0 / 1514.0);
    // The formula uses each input that is listed, and lists each that it uses.
    assert_eq!(shaper.derivation.formula, "rate × payload ÷ (mtu + 14) × links");
    let names: Vec<&str> = shaper.derivation.inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(names, ["rate_bytes_per_s", "links", "payload_bytes", "mtu_bytes"]);
    let value = |name: &str| shaper.derivation.inputs.iter().find(|input| input.name == name).unwrap().value;
    let computed =
        value("rate_bytes_per_s") * value("payload_bytes") / (value("mtu_bytes") + 14.0) * value("links");
    near(shaper, computed);
}

/// A coordinator asks for the ceiling of thousands of runs, and for nothing else.
#[test]
fn the_ceiling_alone_is_that_of_the_whole_judgement() {
    let mut compared = 0;
    for case in
        fullwire_rules::rules().flat_map(crate::fixtures::fires).filter(|case| case.run.net.len() == 1)
    {
        let whole = fullwire_rules::assess(&case.run).paths.first().and_then(|path| path.ceiling);
        assert_eq!(fullwire_rules::ceiling(&case.run), whole, "{case}");
        compared += usize::from(whole.is_some());
    }
    assert!(compared > 20, "only {compared} runs have a ceiling");
}
