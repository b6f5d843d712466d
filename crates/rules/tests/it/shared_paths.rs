//! Paths that several streams share: with one another, with what others send, with a filter.

use crate::attribution::{eth0, judged, loud, stream};
use serde_json::{Value, json};

/// Of a policer that lends half a second's worth the short stream has no even slices, and two streams bring no more.
#[test]
fn a_rate_that_several_streams_share_is_the_paths_though_no_slice_is_even() {
    let code = |of_two: f64, lost: u64| {
        let lossy = |streams: u32, rate: f64| {
            let tcp =
                json!({"segments_out": 1861, "retransmits": lost, "rtt_min_ns": 11_000, "rtt_ns": 791_000});
            stream(
                json!({"streams": streams, "reverse": true, "throughput_bytes_per_s": rate, "duration_s": 1.0, "tcp": tcp,
                          "rtt_idle_ns": {"count": 100, "p50": 200_000}, "rtt_loaded_ns": {"count": 100, "p90": 800_000}}),
            )
        };
        let run =
            json!({"command": {"expect_bytes_per_s": 14.5e6}, "net": [lossy(1, 2.27e6), lossy(2, of_two)]});
        judged(run).bottleneck.code
    };
    assert_eq!(code(2.3e6, 386), "path-shaper");
    // Each of two gets what one does: it is no rate of the path.
    assert_ne!(code(4.5e6, 386), "path-shaper");
    assert_ne!(code(2.3e6, 0), "path-shaper");
}

/// A router drops 1 % of what goes forward: one stream gets 3.5 MB/s, and two get twice as much, so that no rate of the path
/// holds either, though the probe's round trip grows and the slices of two are even. A shaper gives two what it gives one.
#[test]
fn where_two_streams_carry_twice_what_one_does_no_shaper_is_named() {
    let said = |of_two: f64| {
        let lossy = |streams: u32, slices: &[f64], [sent, again]: [u64; 2]| {
            let rate = slices.iter().sum::<f64>() / slices.len() as f64;
            let each = slices.iter().zip(1..);
            let intervals: Vec<Value> = each
                .map(
                    |(rate, at)| json!({ "t_s": 0.25 * f64::from(at), "throughput_bytes_per_s": rate * 1e6 }),
                )
                .collect();
            let seconds = 0.25 * slices.len() as f64;
            let tcp = json!({ "segments_out": sent, "retransmits": again, "rtt_min_ns": 4_000_000, "rtt_ns": 5_400_000,
                "busy_s": seconds * f64::from(streams), "congestion": "cubic" });
            stream(
                json!({ "streams": streams, "throughput_bytes_per_s": rate * 1e6, "duration_s": seconds, "tcp": tcp,
                "intervals": intervals, "rtt_idle_ns": { "count": 36, "p50": 4_400_000 },
                "rtt_loaded_ns": { "count": 36, "p90": 36_000_000 } }),
            )
        };
        let one = [3.45, 4.68, 2.72, 4.24, 2.82, 2.45, 3.68, 4.01, 3.46];
        let two = [6.69, 6.63, 6.79, 7.37, 7.93, 6.5].map(|rate| rate * of_two / 2.0);
        let nets = [lossy(1, &one, [5475, 55]), lossy(2, &two, [6686, 56])];
        let judged = judged(json!({ "command": { "expect_bytes_per_s": 125e6 }, "net": nets }));
        judged.findings.into_iter().map(|finding| finding.code).collect::<Vec<_>>()
    };
    let twice = said(2.0);
    assert!(twice.iter().any(|code| code == "packet-loss"), "{twice:?}");
    assert!(!twice.iter().any(|code| code == "path-shaper"), "{twice:?}");
    let once = said(1.0);
    assert!(once.iter().any(|code| code == "path-shaper"), "{once:?}");
}

/// A clone answers for the peer's address in turn with the peer, so that nothing of the way back arrives.
#[test]
fn a_peer_whose_address_another_host_has_is_not_called_unreachable_first() {
    let code = |macs: &[&str]| {
        let window =
            json!({"kind": "net", "subject": "10.0.0.2:5555", "neighbour_macs": { "10.0.0.2": macs }});
        let nothing = stream(json!({"reverse": true, "bytes": 0, "throughput_bytes_per_s": 0.0}));
        let route = json!({"destination": "10.0.0.2", "interface": "eth0", "looked_up": true});
        judged(json!({"host": {"nics": [eth0("virtual")], "routes": [route]}, "windows": [window], "net": [nothing]}))
            .bottleneck
            .code
    };
    let [one, other] = ["02:00:00:00:00:0a", "02:00:00:00:00:0b"];
    assert_eq!(code(&[one, other, one]), "address-duplicate");
    assert_eq!(code(&[one, other]), "peer-unreachable", "a cluster moves it once");
}

/// A shaper whose queue stays short: one stream and two come to the same 2.1 MB/s of 6, as evenly as by a clock, no packet is
/// lost, and no CPU is busy.
#[test]
fn an_even_rate_that_several_streams_share_is_the_paths_without_a_queue() {
    let code = |of_two: f64, cpu: f64| {
        let even = |streams: u32, rate: f64| {
            let slices: Vec<Value> = [0.99, 1.0, 1.01, 1.0, 0.99, 1.01, 1.0, 1.0]
                .iter()
                .zip(1..)
                .map(|(share, at)| json!({ "t_s": 0.25 * f64::from(at), "throughput_bytes_per_s": rate * share }))
                .collect();
            let tcp = json!({ "segments_out": 2900, "rtt_min_ns": 30_130_000, "rtt_ns": 37_176_000, "busy_s": 2.0 });
            stream(json!({ "streams": streams, "throughput_bytes_per_s": rate, "duration_s": 2.0, "tcp": tcp,
                "intervals": slices, "cpu": { "client_thread_peak": cpu },
                "rtt_idle_ns": { "count": 100, "p50": 31_400_000 }, "rtt_loaded_ns": { "count": 100, "p90": 37_000_000 } }))
        };
        let run =
            json!({ "command": { "expect_bytes_per_s": 6.03e6 }, "net": [even(1, 2.1e6), even(2, of_two)] });
        judged(run).bottleneck.code
    };
    assert_eq!(code(2.11e6, 0.1), "path-shaper");
    assert_ne!(code(4.2e6, 0.1), "path-shaper", "each of two gets what one does");
    assert_ne!(code(2.11e6, 0.9), "path-shaper", "a busy CPU carries no more either");
}

/// The way back had not grown in its second, as its acknowledgements wait behind what others send: they are the answer.
#[test]
fn a_stream_that_nothing_limits_and_that_still_grew_leaves_the_word_to_one_that_others_hold() {
    let slices = |rates: [f64; 6]| -> Vec<Value> {
        let each = rates.iter().zip(1..);
        each.map(|(rate, at)| json!({ "t_s": 0.25 * f64::from(at), "throughput_bytes_per_s": rate * 1e6 }))
            .collect()
    };
    let counted =
        |at_ns: u64, bytes: u64| json!({"monotonic_ns": at_ns, "nics": {"eth0": {"tx_bytes": bytes}}});
    let idle = json!({"kind": "idle", "from": counted(0, 0), "to": counted(1_000_000_000, 12_600_000)});
    let tcp = json!({ "rtt_min_ns": 30_000_000, "rtt_ns": 130_000_000, "busy_s": 1.5 });
    let shared = stream(json!({ "throughput_bytes_per_s": 1.07e6, "duration_s": 1.5, "tcp": tcp,
        "intervals": slices([1.1, 1.0, 1.1, 1.0, 1.1, 1.1]) }));
    let growing =
        stream(json!({ "throughput_bytes_per_s": 0.39e6, "duration_s": 1.5, "reverse": true, "tcp": tcp,
        "intervals": slices([0.05, 0.1, 0.2, 0.4, 0.7, 1.2]) }));
    let run = json!({ "host": { "nics": [eth0("virtual")], "routes": [{"destination": "10.0.0.0/24", "interface": "eth0"}] },
        "command": { "expect_bytes_per_s": 12.0e6 }, "windows": [idle], "net": [shared, growing] });
    let judged = judged(run);
    assert_eq!(judged.bottleneck.code, "competing-traffic", "{:?}", loud(&judged));
}

/// A policer drops far more of what it holds than a network of containers ever does of what it does not want.
#[test]
fn only_a_filter_that_drops_enough_to_hold_a_stream_withholds_a_promise() {
    let promised = |drops: u64| {
        let ingress = json!({"kind": "clsact", "parent": "ingress", "packets": 300_000, "drops": drops});
        let at = |ns: u64| json!({"monotonic_ns": ns, "qdiscs": {"eth0": [ingress]}});
        let window = json!({"kind": "idle", "from": at(0), "to": at(1_000_000_000)});
        let window_held = json!({"throughput_bytes_per_s": 6.4e6, "path": {"interface": "eth0"},
            "tcp": {"rtt_min_ns": 10_000_000, "snd_wnd_bytes": 65_535, "rwnd_limited_s": 2.9, "window_scale": [0, 0]}});
        let run = json!({"host": {"nics": [eth0("physical")], "routes": [{"destination": "10.0.0.0/24", "interface": "eth0"}]},
            "command": {"expect_bytes_per_s": 11e6}, "windows": [window], "net": [stream(window_held)]});
        judged(run).paths[0].causes[0].after.is_some()
    };
    assert!(promised(20), "strays");
    assert!(!promised(3_000), "a policer's");
}

/// Two streams bring no more than one because the wire is full, and its own queue drops what is too much.
#[test]
fn a_full_wire_that_drops_is_no_shaper() {
    let full = |streams: u32| {
        let tcp =
            json!({"segments_out": 243_000, "retransmits": 700, "rtt_min_ns": 200_000, "rtt_ns": 3_000_000});
        stream(json!({"streams": streams, "throughput_bytes_per_s": 117.4e6, "tcp": tcp,
                      "rtt_idle_ns": {"count": 100, "p50": 200_000}, "rtt_loaded_ns": {"count": 100, "p90": 3_000_000}}))
    };
    let says = |kind: &str| {
        let judged = judged(json!({"host": {"nics": [eth0(kind)]}, "net": [full(1), full(2)]}));
        loud(&judged).iter().any(|text| text.starts_with("path-shaper"))
    };
    assert!(!says("physical"), "1 Gbit/s");
    assert!(says("virtual"), "10 Gbit/s, of which a tenth arrives");
}

/// The peer sends 6.5 MB/s of its own beside the test: that leaves by the same interface as the test does, so that only what
/// came before it tells how much it is.
#[test]
fn what_the_peer_sends_beside_the_test_is_counted_before_it() {
    let window = |kind: &str, field: &str, bytes: u64| {
        json!({ "kind": kind, "subject": if kind == "net" { "10.0.0.2:5555" } else { "" }, "probe": if kind == "net" { 2 } else { 0 },
            "from": { "monotonic_ns": 1_000_000_000_u64, "nics": { "eth0": { field: 0 } } },
            "to": { "monotonic_ns": 3_000_000_000_u64, "nics": { "eth0": { field: bytes } } } })
    };
    let nic = |address: &str| json!({ "nics": [{ "name": "eth0", "kind": "physical", "up": true, "addresses": [address], "mtu_bytes": 1500 }] });
    let run: fullwire_model::Run = serde_json::from_value(json!({
        "host": nic("10.0.0.1/24"),
        "net": [{ "target": "10.0.0.2:5555", "probe": 2, "mode": "async", "streams": 1, "reverse": true, "duration_s": 2.0, "bytes": 4_000_000,
            "throughput_bytes_per_s": 2e6, "path": { "local": "10.0.0.1", "remote": "10.0.0.2", "interface": "eth0" } }],
        "windows": [window("idle", "rx_bytes", 13_000_000), window("net", "rx_bytes", 19_000_000)],
        "peers": [{ "target": "10.0.0.2:5555", "host": nic("10.0.0.2/24"), "windows": [window("net", "tx_bytes", 15_000_000)] }]
    }))
    .expect("a run");
    let found = fullwire_rules::assess(&run).findings.into_iter().find(|one| one.code == "competing-traffic");
    let others = found.expect("the others").measured.expect("their rate");
    assert!((others - 6.5e6).abs() < 1e3, "{others}");
}
