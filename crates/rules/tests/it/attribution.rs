//! Whole runs as the fault bench leaves them: the layer, the code, the verdict; and healthy ones without a word.

use fullwire_model::Run;
use fullwire_model::assessment::{Assessment, Layer, Role, Severity, Verdict};
use fullwire_model::quantity::Unit;
use fullwire_rules::assess;
use serde_json::{Value, json};

pub(crate) const PEER: &str = "10.0.0.2:5555";

/// A bulk transfer to the peer over eth0, changed by `changes`.
pub(crate) fn stream(changes: Value) -> Value {
    let mut result = json!({
        "target": PEER, "mode": "async", "streams": 1, "payload_bytes": 1_048_576, "duration_s": 3.0,
        "bytes": 300_000_000, "messages": 286, "throughput_bytes_per_s": 1e8,
        "path": {"local": "10.0.0.1:51382", "remote": "10.0.0.2:5555", "interface": ""},
        "tcp": {"mss_bytes": 1448, "segments_out": 207_000, "rtt_min_ns": 200_000, "rtt_ns": 400_000,
                "busy_s": 3.0, "pmtu_bytes": 1500, "timestamps": true, "sack": true, "window_scale": [7, 7]},
    });
    merge(&mut result, changes);
    result
}

pub(crate) fn merge(into: &mut Value, changes: Value) {
    match (into, changes) {
        (Value::Object(into), Value::Object(changes)) => {
            for (key, value) in changes {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, value) => *into = value,
    }
}

pub(crate) fn eth0(kind: &str) -> Value {
    json!({"name": "eth0", "kind": kind, "up": true, "carrier": true, "duplex": "full", "mtu_bytes": 1500,
           "speed_mbit_per_s": if kind == "physical" { 1000 } else { 10_000 }, "addresses": ["10.0.0.1/24"]})
}

pub(crate) fn judged(run: Value) -> Assessment {
    let run: Run = serde_json::from_value(run).unwrap();
    assess(&run)
}

/// The names of all findings that a reader would act on, with their messages.
pub(crate) fn loud(assessment: &Assessment) -> Vec<String> {
    let loud = assessment.findings.iter().filter(|finding| finding.severity >= Severity::Warning);
    loud.map(|finding| format!("{} {}", finding.code, finding.message)).collect()
}

pub(crate) fn assert_blames(assessment: &Assessment, layer: Layer, code: &str, never: &[&str]) {
    let bottleneck = &assessment.bottleneck;
    assert_eq!((bottleneck.layer, bottleneck.code.as_str()), (layer, code), "{:?}", loud(assessment));
    assert!(bottleneck.explained);
    assert_ne!(assessment.verdict, Verdict::FullWire);
    for text in loud(assessment) {
        let wrong = never.iter().find(|word| text.to_lowercase().contains(*word));
        assert!(wrong.is_none(), "wrongly says {wrong:?}: {text}");
    }
}

fn assert_quiet(assessment: &Assessment) {
    assert_eq!(loud(assessment), Vec::<String>::new());
    assert_ne!(assessment.verdict, Verdict::Poor, "{:?}", assessment.paths);
}

#[test]
fn a_gigabit_wire_at_its_goodput_is_full_wire() {
    let net = stream(json!({"throughput_bytes_per_s": 117.4e6}));
    let assessment = judged(json!({"host": {"nics": [eth0("physical")]}, "net": [net]}));
    assert_eq!(assessment.verdict, Verdict::FullWire);
    assert_eq!(assessment.bottleneck.code, "nic-goodput");
    assert_eq!(assessment.bottleneck.layer, Layer::Network);
    let ceiling = assessment.paths[0].ceiling.unwrap();
    assert!((ceiling / 1e6 - 117.685).abs() < 0.001, "{ceiling}");
    assert_quiet(&assessment);
}

/// Segments of a quarter: as many packets as now carry four times as much, whatever a virtual adapter says that it could.
#[test]
fn full_segments_promise_no_more_than_as_many_packets_carry() {
    let net = stream(json!({"throughput_bytes_per_s": 1e6, "tcp": {"mss_bytes": 362}}));
    let assessment = judged(json!({"host": {"nics": [eth0("veth")]}, "net": [net]}));
    assert_eq!(assessment.bottleneck.code, "tcp-mss-small");
    let after = assessment.paths[0].causes[0].after.as_ref().expect("a promise");
    assert!((after.value - 4e6).abs() < 1.0, "{after:?}");
}

/// A line of 110 Mbit/s of which others take 15; a quarter of the segments overtakes the rest by 2 ms, in a queue of 100 ms.
#[test]
fn what_others_take_of_a_told_line_explains_it_and_what_fills_a_queue_is_not_held_by_reordering() {
    let window = |ends: [(u64, u64); 2], way: &str| {
        let at = |(second, bytes): (u64, u64)| json!({"monotonic_ns": second * 1_000_000_000, "nics": {"eth0": {way: bytes}}});
        json!({"kind": "net", "subject": PEER, "probe": 2, "from": at(ends[0]), "to": at(ends[1])})
    };
    let shared = |reordering_packets: u64| {
        let net = stream(json!({
            "probe": 2, "bytes": 32_600_000, "throughput_bytes_per_s": 10.86e6, "path": {"local": "10.0.0.1", "interface": "eth0"},
            "tcp": {"rtt_min_ns": 10_000_000, "rtt_ns": 110_000_000, "segments_out": 22_500, "reorder_seen": 8000,
                    "reordering_packets": reordering_packets},
        }));
        let peer = json!({"target": PEER, "expect_bytes_per_s": 13.27e6, "host": {"nics": [{"name": "eth0", "addresses": ["10.0.0.2/24"]}]},
                          "windows": [window([(1, 0), (4, 41_800_000)], "rx_bytes")]});
        judged(json!({"host": {"nics": [eth0("physical")]}, "net": [net], "peers": [peer],
                      "windows": [window([(1, 0), (4, 34_000_000)], "tx_bytes")]}))
    };
    assert_eq!(shared(182).bottleneck.code, "competing-traffic");
    // As far apart as the queue is long: there is none.
    let loud = loud(&shared(800));
    assert!(loud.iter().any(|finding| finding.starts_with("packet-reordering")), "{loud:?}");
}

#[test]
fn a_virtual_speed_is_not_believed_and_one_cpu_is_no_fault() {
    let net = stream(json!({
        "throughput_bytes_per_s": 6e8, "cpu": {"client_thread_peak": 0.55, "server_thread_peak": 0.97},
        "tcp": {"rwnd_limited_s": 2.1, "snd_wnd_bytes": 3_000_000, "retransmits": 30, "segments_out": 1_200_000},
        "rtt_idle_ns": {"count": 9, "p50": 60_000, "min": 50_000}, "rtt_loaded_ns": {"count": 9, "p50": 60_000_000},
    }));
    let assessment = judged(json!({"host": {"nics": [eth0("veth")]}, "net": [net]}));
    assert_quiet(&assessment);
    assert_eq!(assessment.verdict, Verdict::Unknown);
    assert_eq!((assessment.bottleneck.layer, assessment.bottleneck.code.as_str()), (Layer::Host, "one-cpu"));
}

#[test]
fn a_full_declared_line_that_queues_and_drops_is_full_wire() {
    let net = stream(json!({
        "throughput_bytes_per_s": 23.6e6, "tcp": {"retransmits": 700, "segments_out": 83_000, "rtt_ns": 29_000_000},
        "intervals": (1..=10).map(|i| json!({"t_s": f64::from(i) * 0.5, "throughput_bytes_per_s": 23.6e6, "rtt_ns": 29_000_000})).collect::<Vec<_>>(),
        "rtt_idle_ns": {"count": 9, "p50": 200_000, "min": 150_000}, "rtt_loaded_ns": {"count": 9, "p50": 30_000_000},
    }));
    let run =
        json!({"command": {"expect_bytes_per_s": 25e6}, "host": {"nics": [eth0("veth")]}, "net": [net]});
    let assessment = judged(run);
    assert_quiet(&assessment);
    assert_eq!(assessment.verdict, Verdict::FullWire);
    assert_eq!(assessment.bottleneck.code, "declared");
}

#[test]
fn slow_start_on_a_long_fat_pipe_is_not_held_against_it() {
    let rate = |i: i32| if i <= 2 { 4e6 } else { 24e6 };
    let slices: Vec<Value> = (1..=10)
        .map(|i| json!({"t_s": i, "throughput_bytes_per_s": rate(i), "rtt_ns": 52_000_000}))
        .collect();
    let net = stream(json!({
        "duration_s": 10.0, "throughput_bytes_per_s": 20e6, "intervals": slices,
        "tcp": {"rtt_min_ns": 40_000_000, "rtt_ns": 52_000_000},
    }));
    let assessment = judged(json!({"command": {"expect_bytes_per_s": 25e6}, "net": [net]}));
    assert_quiet(&assessment);
    assert_eq!(assessment.verdict, Verdict::FullWire, "{:?}", assessment.paths);
}

#[test]
fn loopback_is_the_hosts_own_ceiling() {
    let net = stream(
        json!({"target": "127.0.0.1:5555", "throughput_bytes_per_s": 4e9, "path": {"loopback": true, "remote": "127.0.0.1:5555"}, "cpu": {"client_thread_peak": 0.99}}),
    );
    let assessment = judged(json!({"net": [net]}));
    assert_quiet(&assessment);
    assert_eq!(assessment.verdict, Verdict::Unknown);
    assert_eq!(assessment.bottleneck.layer, Layer::Host);
    assert!(assessment.ceilings.iter().all(|ceiling| ceiling.kind == "one-cpu"));
}

#[test]
fn a_forgotten_shaper_is_named() {
    let mut nic = eth0("veth");
    merge(&mut nic, json!({"qdiscs": [{"kind": "tbf", "parent": "root", "rate_bytes_per_s": 25e6}]}));
    let net = stream(
        json!({"throughput_bytes_per_s": 23.7e6, "tcp": {"retransmits": 300, "segments_out": 50_000}}),
    );
    let assessment = judged(json!({"host": {"nics": [nic]}, "net": [net]}));
    assert_blames(&assessment, Layer::Network, "qdisc-shaper", &[]);
}

/// Before the load, two CPUs that other programs use up.
fn saturated() -> Value {
    json!({
        "kind": "idle", "from": {"procs_running": 9, "cpu": {"idle_ns": 0}},
        "to": {"monotonic_ns": 1_000_000_000_u64, "procs_running": 8,
               "cpu": {"user_ns": 1_980_000_000_u64, "idle_ns": 20_000_000}},
    })
}

#[test]
fn a_shaper_whose_rate_is_measured_is_named_on_a_busy_host_as_well() {
    let mut nic = eth0("veth");
    merge(&mut nic, json!({"qdiscs": [{"kind": "tbf", "parent": "root", "rate_bytes_per_s": 25e6}]}));
    let host = json!({"nics": [nic], "cpu": {"online": 2}});
    let shaped = |rate: f64| {
        judged(json!({"host": host.clone(), "windows": [saturated()],
                      "net": [stream(json!({"throughput_bytes_per_s": rate}))]}))
    };
    assert_blames(&shaped(23.9e6), Layer::Network, "qdisc-shaper", &[]);
    assert_blames(&shaped(20e6), Layer::Host, "cpu-saturated", &[]);
}

#[test]
fn a_rate_that_was_set_and_arrived_is_no_fault_of_a_busy_host() {
    let datagrams = json!({
        "target": PEER, "mode": "udp", "payload_bytes": 1400, "duration_s": 2.0, "bytes": 25_000_000,
        "throughput_bytes_per_s": 12.5e6, "path": {"local": "10.0.0.1", "remote": "10.0.0.2", "interface": "eth0"},
        "udp": {"sent": 17_857, "sent_bytes_per_s": 12.5e6}, "plan": {"mode": "udp", "rate_bytes_per_s": 12.5e6},
    });
    let host = json!({"nics": [eth0("veth")], "cpu": {"online": 2}});
    let assessment = judged(json!({"host": host, "windows": [saturated()], "net": [datagrams]}));
    assert_eq!(assessment.bottleneck.code, "asked-rate");
    assert_eq!(assessment.verdict, Verdict::Unknown);
}

/// 2.9 of 3.05 ms: nothing that this host does takes them. The quick write is no warning, and what is left of each message sets
/// the promise.
#[test]
fn a_message_that_waits_for_the_disk_of_the_peer_does_not_wait_for_a_cpu() {
    let latency = |ns: u64| json!({"count": 400, "min": ns / 2, "mean": ns as f64, "p50": ns, "p90": ns, "p99": ns, "max": ns});
    let messages = json!({
        "target": PEER, "mode": "sync", "payload_bytes": 8000, "duration_s": 2.0, "bytes": 5_240_000, "messages": 655,
        "throughput_bytes_per_s": 2.62e6, "path": {"local": "10.0.0.1", "remote": "10.0.0.2", "interface": "eth0"},
        "latency_ns": latency(3_050_000), "plan": {"mode": "sync", "write": true},
        "parts_ns": {"network": latency(150_000), "remote_write": latency(2_900_000)},
    });
    let host = json!({"nics": [eth0("veth")], "cpu": {"online": 2}});
    let assessment = judged(json!({"host": host, "windows": [saturated()], "net": [messages]}));
    assert_eq!(
        (assessment.bottleneck.layer, assessment.bottleneck.code.as_str()),
        (Layer::Storage, "remote-write-slow")
    );
    let after = assessment.paths[0].causes[0].after.as_ref().unwrap();
    // 150 us each, one after the other.
    assert!((after.value - 1e9 / 150_000.0).abs() < 1.0, "{after:?}");
    // How long anything waits for a CPU is not known.
    let cpu = assessment.paths[0].causes.iter().find(|cause| cause.code == "cpu-saturated");
    assert!(cpu.is_none_or(|cause| cause.after.is_none()), "{cpu:?}");
}

#[test]
fn a_small_receive_window_is_named_and_the_line_is_not() {
    let net = stream(
        json!({"throughput_bytes_per_s": 5e6, "tcp": {"rtt_min_ns": 10_000_000, "rtt_ns": 10_300_000, "snd_wnd_bytes": 64_000, "rwnd_limited_s": 2.9}}),
    );
    let peer = json!({"target": PEER, "host": {"sysctls": {"net.ipv4.tcp_rmem": "4096 65536 65536"}}});
    let assessment = judged(json!({"host": {"nics": [eth0("veth")]}, "peers": [peer], "net": [net]}));
    assert_blames(&assessment, Layer::Network, "receive-window", &["loss", "retrans"]);
    assert_eq!(assessment.verdict, Verdict::Poor);
}

#[test]
fn a_window_that_several_measurements_show_is_one_finding() {
    let window = |streams: u32| {
        let bytes = 64_000 * u64::from(streams);
        let tcp = json!({"rtt_min_ns": 10_000_000, "rtt_ns": 10_300_000, "snd_wnd_bytes": bytes, "rwnd_limited_s": 2.9});
        stream(json!({"throughput_bytes_per_s": 5e6 * f64::from(streams), "streams": streams, "tcp": tcp}))
    };
    let peer = json!({"target": PEER, "host": {"sysctls": {"net.ipv4.tcp_rmem": "4096 65536 65536"}}});
    let host = json!({"nics": [eth0("veth")]});
    let assessment = judged(json!({"host": host, "peers": [peer], "net": [window(1), window(2)]}));
    let windows: Vec<_> = assessment.findings.iter().filter(|one| one.code == "receive-window").collect();
    assert_eq!(windows.len(), 1, "its remedy is given once");
    let explained: Vec<_> = windows[0].explains.iter().flat_map(|one| &one.measurements).collect();
    let explained: Vec<String> = explained.iter().map(ToString::to_string).collect();
    assert_eq!(explained, ["async", "async 2 streams"]);
    let causes: Vec<_> = assessment.paths[0].measurements.iter().map(|one| one.causes.first()).collect();
    assert!(causes.iter().all(|cause| cause.is_some_and(|code| code == "receive-window")), "{causes:?}");
}

/// Two streams carry together what one does, and as much comes back: no loss of each stream sets that.
#[test]
fn what_an_emulator_loses_is_no_cause_where_all_streams_share_one_rate() {
    let carried = |streams: u32, bytes_per_s: f64| {
        stream(json!({"streams": streams, "throughput_bytes_per_s": bytes_per_s,
            "tcp": {"rtt_min_ns": 8_000_000, "rtt_ns": 8_100_000, "congestion": "cubic"}}))
    };
    let mut nic = eth0("veth");
    nic["qdiscs"] = json!([{"kind": "netem", "handle": "1:", "parent": "root", "loss": 0.001}]);
    let primary = |two: f64| {
        let net = [carried(1, 10.7e6), carried(2, two)];
        let assessment = judged(json!({"host": {"nics": [nic.clone()]}, "net": net}));
        let causes = assessment.paths[0].causes.clone().into_iter();
        causes.filter(|cause| cause.role == Role::Primary).map(|cause| cause.code).collect::<Vec<_>>()
    };
    assert!(!primary(10.8e6).contains(&"qdisc-netem".to_owned()), "{:?}", primary(10.8e6));
    assert_eq!(primary(21.2e6), ["qdisc-netem"], "each stream loses its own");
}

#[test]
fn window_scaling_wins_over_the_window_that_it_causes() {
    let net = stream(
        json!({"throughput_bytes_per_s": 6e6, "tcp": {"rtt_min_ns": 10_000_000, "snd_wnd_bytes": 65_535, "rwnd_limited_s": 2.9, "window_scale": null}}),
    );
    let host = json!({"nics": [eth0("veth")], "sysctls": {"net.ipv4.tcp_window_scaling": "0"}});
    let assessment = judged(json!({"host": host, "net": [net]}));
    assert_blames(&assessment, Layer::Network, "tcp-window-scaling", &["loss", "retrans"]);
}

/// The receiver has room for more than it can say: nothing on the way lowers its window, and it does not grow. One stream, which it
/// holds, speaks before two that fill the line.
#[test]
fn an_unscaled_window_is_neither_lowered_on_the_way_nor_still_growing() {
    let carried = |streams: u32, bytes_per_s: f64| {
        let window = 65_535 * u64::from(streams);
        let tcp = json!({"rtt_min_ns": 10_100_000, "rtt_ns": 10_300_000, "snd_wnd_bytes": window, "rwnd_limited_s": 2.9, "window_scale": null});
        let changes = json!({"streams": streams, "throughput_bytes_per_s": bytes_per_s, "tcp": tcp, "peer_tcp": {"rcv_wnd_bytes": 464_808}});
        stream(changes)
    };
    let peer = json!({"target": PEER, "host": {"sysctls": {"net.ipv4.tcp_rmem": "4096 131072 16777216"}}});
    let host = json!({"nics": [eth0("veth")], "sysctls": {"net.ipv4.tcp_window_scaling": "0"}});
    let assessment =
        judged(json!({"host": host, "peers": [peer], "net": [carried(1, 6.27e6), carried(2, 12e6)]}));
    assert_blames(&assessment, Layer::Network, "tcp-window-scaling", &["on the way"]);
    let window = assessment.findings.iter().find(|one| one.code == "receive-window").expect("a consequence");
    assert!(!window.message.contains("on the way"), "{}", window.message);
    assert_eq!(assessment.paths[0].causes[0].measurement.to_string(), "async");
}

#[test]
fn a_starved_receiver_wins_over_the_shut_window() {
    let net = stream(
        json!({"throughput_bytes_per_s": 3e7, "tcp": {"snd_wnd_bytes": 3_000_000, "rwnd_limited_s": 2.4}, "cpu": {"server_s": 0.2, "server_thread_peak": 0.08}}),
    );
    let cgroup = |periods: u64, throttled: u64| json!([{"path": "/standby", "nr_periods": periods, "nr_throttled": throttled}]);
    let window = json!({"kind": "net", "subject": PEER, "from": {"cgroups": cgroup(10, 2)}, "to": {"cgroups": cgroup(42, 33)}});
    let run = json!({"host": {"nics": [eth0("veth")]}, "peers": [{"target": PEER, "windows": [window]}], "net": [net]});
    assert_blames(&judged(run), Layer::Host, "peer-cpu-starved", &["loss"]);
}

#[test]
fn loss_and_reordering_are_told_apart() {
    let lossy = json!({"throughput_bytes_per_s": 6e6, "tcp": {"segments_out": 12_500, "retransmits": 128, "rtt_min_ns": 4_000_000, "rtt_ns": 4_100_000}});
    assert_blames(&judged(json!({"net": [stream(lossy)]})), Layer::Network, "packet-loss", &[]);
    let late = json!({"throughput_bytes_per_s": 5e7, "tcp": {"segments_out": 100_000, "retransmits": 9_000, "dsack_dups": 8_000, "reorder_seen": 4_000, "rtt_min_ns": 4_000_000}});
    assert_blames(
        &judged(json!({"net": [stream(late)]})),
        Layer::Network,
        "packet-reordering",
        &["lost on the way"],
    );
}

#[test]
fn each_direction_has_its_own_cause_and_the_poorer_one_is_named() {
    let lossy = |reverse: bool| {
        stream(json!({"throughput_bytes_per_s": 6e6, "reverse": reverse,
                      "tcp": {"segments_out": 12_500, "retransmits": 128, "rtt_min_ns": 4_000_000, "rtt_ns": 4_100_000}}))
    };
    // The other way runs at gigabits against a window that is shut now and then.
    let shut = |reverse: bool| {
        stream(
            json!({"throughput_bytes_per_s": 8e8, "reverse": reverse, "cpu": {"server_s": 0.1, "client_s": 0.1},
                      "tcp": {"rtt_min_ns": 2_000_000, "snd_wnd_bytes": 8_388_096, "rwnd_limited_s": 1.2}}),
        )
    };
    for reverse in [false, true] {
        let assessment = judged(json!({"net": [lossy(reverse), shut(!reverse)]}));
        assert_blames(&assessment, Layer::Network, "packet-loss", &[]);
        assert!(loud(&assessment).iter().any(|text| text.starts_with("receiver-not-draining")));
    }
}

#[test]
fn a_slow_standby_disk_is_storage() {
    let latency = |ns: u64| json!({"count": 100, "min": ns, "p50": ns, "p99": ns});
    let net = stream(json!({
        "mode": "sync", "plan": {"mode": "sync", "write": true}, "latency_ns": latency(30_200_000),
        "parts_ns": {"network": latency(200_000), "remote_write": latency(30_000_000)},
    }));
    assert_blames(
        &judged(json!({"net": [net]})),
        Layer::Storage,
        "remote-write-slow",
        &["loss", "retrans", "mtu"],
    );
}

#[test]
fn what_nothing_explains_is_called_unexplained_with_what_was_excluded() {
    let net = stream(json!({"throughput_bytes_per_s": 3e7}));
    let assessment = judged(json!({"host": {"nics": [eth0("physical")]}, "net": [net]}));
    assert_eq!(assessment.verdict, Verdict::Poor);
    assert!(!assessment.bottleneck.explained);
    let finding = assessment.findings.iter().find(|finding| finding.code == "unexplained").unwrap();
    assert_eq!(finding.severity, Severity::Info);
    assert!(finding.evidence[0].text.contains("packet-loss"), "{:?}", finding.evidence);
}

#[test]
fn a_rule_that_limits_no_figure_rules_nothing_out() {
    let net = stream(json!({"throughput_bytes_per_s": 3e7}));
    let host = json!({"nics": [eth0("physical")], "sysctls": {"kernel.panic_on_oops": "1"}});
    // An Oracle host, to which the rule applies.
    let command = json!({"sga_bytes": 1_073_741_824});
    let assessment = judged(json!({"command": command, "host": host, "net": [net]}));
    // Hygiene passed and is listed as passed, but it is no explanation that was ruled out.
    assert!(assessment.passed.iter().any(|code| code == "panic-on-oops"), "{:?}", assessment.passed);
    let finding = assessment.findings.iter().find(|finding| finding.code == "unexplained").unwrap();
    let text = finding.evidence.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(", ");
    for code in text.split([',', ':', ' ']).filter(|word| fullwire_rules::rule(word).is_some()) {
        assert!(!fullwire_rules::rule(code).unwrap().limits.is_empty(), "{code} explains no figure: {text}");
    }
    assert!(!text.contains("panic-on-oops") && text.contains("packet-loss"), "{text}");
}

#[test]
fn an_earlier_figure_stands_beside_the_path_and_decides_nothing() {
    let guest = |rate: f64, shaped: bool| {
        let net = stream(json!({"throughput_bytes_per_s": rate}));
        let best = json!({"path": PEER, "measurement": "async", "value": 100e6, "unit": "bytes_per_s", "runs": 7,
                          "run_id": "1m82", "at": "2026-10-02T08:00:00Z"});
        let mut nic = eth0("virtual");
        if shaped {
            merge(
                &mut nic,
                json!({"qdiscs": [{"kind": "tbf", "parent": "root", "rate_bytes_per_s": rate / 0.95}]}),
            );
        }
        judged(json!({"host": {"nics": [nic]}, "net": [net], "best": [best]}))
    };
    let plain = guest(62e6, false);
    assert_eq!(plain.verdict, Verdict::Unknown, "{:?}", plain.paths[0]);
    assert_eq!(plain.paths[0].ceiling, None);
    let earlier = plain.paths[0].earlier.as_ref().unwrap();
    assert_eq!((earlier.value, earlier.run_id.as_str()), (100e6, "1m82"));
    // A shaper that someone lowers stays a fault, however near the path is to what it carried.
    for rate in [96e6, 75e6, 62e6] {
        let shaped = guest(rate, true);
        assert_eq!(shaped.verdict, Verdict::Poor, "{rate}: {:?}", shaped.paths[0].causes);
        assert_eq!(shaped.bottleneck.code, "qdisc-shaper");
    }
}

#[test]
fn the_path_that_falls_furthest_short_names_the_runs_bottleneck() {
    let good = stream(json!({"throughput_bytes_per_s": 117e6}));
    let bad = stream(
        json!({"target": "10.0.0.3:5555", "throughput_bytes_per_s": 4e6, "tcp": {"segments_out": 8_000, "retransmits": 180, "rtt_min_ns": 4_000_000}, "path": {"remote": "10.0.0.3:5555"}}),
    );
    let assessment = judged(json!({"host": {"nics": [eth0("physical")]}, "net": [good, bad]}));
    assert_eq!(
        assessment.paths.iter().map(|path| path.verdict).collect::<Vec<_>>(),
        [Verdict::FullWire, Verdict::Poor]
    );
    assert_eq!(assessment.verdict, Verdict::Poor);
    assert_eq!(assessment.bottleneck.code, "packet-loss");
    assert_eq!(assessment.shortest, Some(1));
}

#[test]
fn a_figure_comes_in_both_units_with_what_explains_it_and_not_what_comes_next() {
    let mut nic = eth0("physical");
    merge(&mut nic, json!({"qdiscs": [{"kind": "tbf", "parent": "root", "rate_bytes_per_s": 80e6}]}));
    let net = stream(
        json!({"throughput_bytes_per_s": 5e6, "tcp": {"rtt_min_ns": 10_000_000, "rtt_ns": 10_300_000, "snd_wnd_bytes": 64_000, "rwnd_limited_s": 2.9}}),
    );
    let assessment = judged(json!({"host": {"nics": [nic]}, "net": [net]}));
    let path = &assessment.paths[0];
    let figure = &path.measurements[0];
    assert_eq!(figure.value_in(Unit::BytesPerS), Some(5e6));
    let messages = figure.value_in(Unit::IoPerS).unwrap();
    assert!((messages - 286.0 / 3.0).abs() < 1e-9, "{messages}");
    assert_eq!(figure.noise(), None, "one pass says nothing of its scatter");
    assert!(path.causes.iter().any(|cause| cause.role == Role::Next), "{:?}", path.causes);
    for cause in &path.causes {
        assert_eq!(figure.causes.contains(&cause.code), cause.role != Role::Next, "{}", cause.code);
    }
}

#[test]
fn an_empty_run_is_judged_without_a_panic() {
    assert_eq!(judged(json!({})).verdict, Verdict::Unknown);
}

/// Streams over a bond of two links, each shaped to 100 Mbit/s; one link sent it all.
fn over_one_of_two_links(policy: &str) -> Assessment {
    let link = |name: &str| {
        json!({"name": name, "kind": "virtual", "up": true, "mtu_bytes": 1500, "speed_mbit_per_s": 10_000, "master": "bond0",
               "qdiscs": [{"kind": "tbf", "parent": "root", "handle": "8001:", "rate_bytes_per_s": 12_500_000}]})
    };
    let member = |name: &str| {
        json!({"name": name, "mii_status": "up", "speed_mbit_per_s": 10_000, "duplex": "full", "aggregator_id": 1,
               "partner_mac": "36:b5:e1:d1:99:5b"})
    };
    let bond = json!({"name": "bond0", "mode": "802.3ad", "xmit_hash_policy": policy, "miimon_ms": 100, "mii_status": "up",
                      "slaves": [member("eth1"), member("eth2")], "lacp_rate": "fast", "aggregator_id": 1, "ad_num_ports": 2,
                      "partner_mac": "36:b5:e1:d1:99:5b"});
    let top = json!({"name": "bond0", "kind": "bond", "up": true, "mtu_bytes": 1500, "speed_mbit_per_s": 20_000,
                     "addresses": ["10.0.0.1/24"]});
    let sent = |bytes: u64| json!({"tx_bytes": bytes});
    let held =
        |count: u64| json!([{"kind": "tbf", "parent": "root", "handle": "8001:", "overlimits": count}]);
    let at = |t: u64, bytes: u64, held_back: u64| {
        json!({"monotonic_ns": t, "nics": {"eth1": sent(bytes), "eth2": sent(0)},
               "qdiscs": {"eth1": held(held_back), "eth2": held(0)}})
    };
    let window = json!({"kind": "net", "subject": PEER, "from": at(0, 0, 0), "to": at(3_000_000_000, 37_500_000, 9_000)});
    let net = stream(
        json!({"streams": 8, "throughput_bytes_per_s": 11.9e6, "bytes": 35_700_000, "path": {"interface": "bond0"}}),
    );
    let host = json!({"nics": [top, link("eth1"), link("eth2")], "bonds": [bond]});
    judged(json!({"host": host, "net": [net], "windows": [window]}))
}

/// Both links together carry twice the rate of one, whatever speed their adapters state.
#[test]
fn streams_on_one_link_of_a_bond_are_promised_what_its_shaped_links_carry() {
    for policy in ["layer2", "layer3+4"] {
        let assessment = over_one_of_two_links(policy);
        let path = &assessment.paths[0];
        assert_eq!(path.bottleneck.code, "bond-hash-one-link", "{policy}: {:?}", loud(&assessment));
        let after = path.causes[0].after.as_ref().expect("what both links carry");
        assert_eq!(after.limited_by, "qdisc-rate", "{policy}");
        assert!((after.value / 1e6 - 23.9).abs() < 0.2, "{policy}: {}", after.value);
    }
}

/// The buffer that is advised holds what the line carries, and not what a virtual adapter states.
#[test]
fn a_window_is_sized_by_the_shaped_line() {
    let mut nic = eth0("virtual");
    merge(
        &mut nic,
        json!({"qdiscs": [{"kind": "tbf", "parent": "root", "handle": "1:", "rate_bytes_per_s": 50_000_000}]}),
    );
    let net = stream(json!({
        "throughput_bytes_per_s": 4.47e6,
        "tcp": {"rtt_min_ns": 10_000_000, "rtt_ns": 10_300_000, "snd_wnd_bytes": 78_600, "rwnd_limited_s": 3.0},
    }));
    let receiver = json!({"sysctls": {"net.ipv4.tcp_rmem": "4096 131072 131072"}});
    let assessment = judged(json!({
        "host": {"nics": [nic]}, "net": [net], "peers": [{"target": PEER, "host": receiver}],
    }));
    let found =
        assessment.findings.iter().find(|one| one.code == "receive-window").expect("held all the time");
    assert_eq!(assessment.paths[0].bottleneck.code, "receive-window", "{:?}", loud(&assessment));
    let advice = serde_json::to_string(&found.advice).unwrap();
    assert!(advice.contains("131072 6291456") && !advice.contains("1250"), "{advice}");
}

/// One second each on a busy guest: a second run would say something else.
#[test]
fn a_limit_of_each_flow_is_not_claimed_within_the_noise() {
    let uneven = |mean: f64, spread: f64| -> Vec<Value> {
        let rate = |n: u32| mean * (1.0 + if n.is_multiple_of(2) { spread } else { -spread });
        (1..=10).map(|n| json!({"t_s": f64::from(n) / 10.0, "throughput_bytes_per_s": rate(n)})).collect()
    };
    let code = |spread: f64| {
        let one = stream(
            json!({"throughput_bytes_per_s": 97.2e6, "duration_s": 1.0, "intervals": uneven(97.2e6, spread)}),
        );
        let two = stream(json!({"streams": 2, "throughput_bytes_per_s": 178.6e6, "duration_s": 1.0,
                                "intervals": uneven(178.6e6, spread)}));
        let assessment = judged(json!({"host": {"nics": [eth0("virtual")]}, "net": [one, two]}));
        assessment.findings.iter().any(|one| one.code == "flow-limit")
    };
    assert!(code(0.01), "steady rates tell them apart");
    assert!(!code(0.3), "rates that vary by a third do not");
}
