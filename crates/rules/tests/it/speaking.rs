//! Which stream speaks for a path, where one of them still grew.

use super::attribution::{PEER, eth0, judged, stream};
use fullwire_model::assessment::Role;
use serde_json::{Value, json};

/// It doubled its window until it reached the line, as two streams show that go the same way and had the time.
#[test]
fn a_stream_that_still_grew_does_not_speak_beside_one_that_had_grown() {
    let slices = |rates: &[f64]| -> Vec<Value> {
        let slice =
            |(i, rate): (usize, &f64)| json!({"t_s": 0.25 * (i + 1) as f64, "throughput_bytes_per_s": rate});
        rates.iter().enumerate().map(slice).collect()
    };
    let peer = json!({"target": PEER, "host": {"routes": [
        {"destination": "10.0.0.0/24", "interface": "eth0", "window_bytes": 280_000}]}});
    let growing = |rates: &[f64]| {
        stream(json!({
            "duration_s": 2.0, "throughput_bytes_per_s": 7.9e6, "intervals": slices(rates),
            "path": {"local": "10.0.0.1"},
            "tcp": {"rtt_min_ns": 20_000_000, "busy_s": 2.0, "rwnd_limited_s": 1.9, "snd_wnd_bytes": 280_000},
        }))
    };
    let two = stream(json!({
        "streams": 2, "duration_s": 2.0, "throughput_bytes_per_s": 10.7e6, "intervals": slices(&[10.7e6; 8]),
        "tcp": {"rtt_min_ns": 20_000_000, "busy_s": 4.0},
    }));
    let speaks = |one: Value| {
        let run = json!({"command": {"expect_bytes_per_s": 11.25e6}, "peers": [peer], "net": [one, two]});
        judged(run).paths[0].measurement.to_string()
    };
    assert_eq!(
        speaks(growing(&[3.8e6, 3.8e6, 4.2e6, 11e6, 10.8e6, 10.8e6, 10.8e6, 10.8e6])),
        "async 2 streams"
    );
    // One that stays slow is what one connection gets.
    assert_eq!(speaks(growing(&[7.9e6; 8])), "async");
}

/// Segments that overtake one another end slow start: what such a stream reaches in its time is what one connection gets, though two
/// together reach the line.
#[test]
fn a_stream_that_reordering_slows_speaks_though_it_still_grew() {
    let slices = |rates: [f64; 6]| -> Vec<Value> {
        let each = rates.iter().zip(1..);
        each.map(|(rate, at)| json!({ "t_s": 0.25 * f64::from(at), "throughput_bytes_per_s": rate * 1e6 }))
            .collect()
    };
    let tcp = json!({ "segments_out": 5550, "retransmits": 3, "reorder_seen": 3763, "rtt_min_ns": 10_092_000, "rtt_ns": 22_680_000 });
    let one = stream(json!({ "throughput_bytes_per_s": 3.6e6, "duration_s": 1.5, "tcp": tcp,
        "intervals": slices([1.6, 2.6, 3.5, 4.1, 5.2, 5.9]) }));
    let two = stream(json!({ "throughput_bytes_per_s": 11.6e6, "streams": 2, "duration_s": 1.5, "tcp": tcp,
        "intervals": slices([11.0, 11.6, 12.0, 11.7, 11.4, 11.6]) }));
    let run = json!({ "host": { "nics": [eth0("physical")] }, "command": { "expect_bytes_per_s": 12.0e6 }, "net": [one, two] });
    let judged = judged(run);
    let primary = judged.paths[0].causes.iter().find(|cause| cause.role == Role::Primary).expect("a cause");
    assert_eq!(
        (primary.code.as_str(), primary.measurement.to_string().as_str()),
        ("packet-reordering", "async")
    );
}
