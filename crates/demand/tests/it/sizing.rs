//! The arithmetic of the sizing verdict, worked by hand.

use crate::close;
use fullwire_demand::redo::sizing::{Delay, size};
use fullwire_model::demand::Demand;
use fullwire_model::latency::Latency;
use fullwire_model::net::{NetMode, NetResult};

/// 60 MB/s at the peak, 78 MB/s with 30 % headroom, writes of 8000 bytes.
fn demand() -> Demand {
    Demand {
        source: "logs.txt".into(),
        redo_peak_bytes_per_s: Some(60e6),
        redo_required_bytes_per_s: Some(78e6),
        redo_write_mean_bytes: Some(8000.0),
        ..Demand::default()
    }
}

fn streamed(bytes_per_s: f64, streams: u32) -> NetResult {
    NetResult {
        mode: NetMode::Async,
        streams,
        throughput_bytes_per_s: bytes_per_s,
        rtt_idle_ns: Some(latency(20_000_000, 25_000_000, 30_000_000)),
        ..NetResult::default()
    }
}

fn synchronous(payload_bytes: u64) -> NetResult {
    NetResult {
        mode: NetMode::Sync,
        payload_bytes,
        latency_ns: Some(latency(500_000, 700_000, 2_000_000)),
        ..NetResult::default()
    }
}

fn latency(p50: u64, p90: u64, p99: u64) -> Latency {
    Latency { p50, p90, p99, ..Latency::default() }
}

#[test]
fn a_path_that_is_enough() {
    let sizing = size(&demand(), &[streamed(100e6, 1), streamed(90e6, 4)], Some(10e9));
    assert_eq!(sizing.measured_bytes_per_s, Some(100e6), "the best measurement counts");
    assert_eq!((sizing.async_is_enough, sizing.streams_needed), (Some(true), Some(1)));
    // 78 MB/s x 20 ms.
    close(sizing.buffer_needed_bytes, 1.56e6, 1e-12);
    // 10 GB over the 40 MB/s that the peak leaves.
    close(sizing.gap_closes_s, 250.0, 1e-12);
}

#[test]
fn a_path_that_is_not() {
    let sizing = size(&demand(), &[streamed(50e6, 2)], Some(10e9));
    assert_eq!(sizing.async_is_enough, Some(false));
    // Two connections carry 25 MB/s each: 78 / 25 = 3.12.
    assert_eq!(sizing.streams_needed, Some(4));
    assert_eq!(sizing.gap_closes_s, None);
    assert!(sizing.gaps.iter().any(|gap| gap.detail.contains("never closes")), "{:?}", sizing.gaps);
}

#[test]
fn exactly_enough_is_enough() {
    let sizing = size(&demand(), &[streamed(78e6, 1)], None);
    assert_eq!((sizing.async_is_enough, sizing.streams_needed), (Some(true), Some(1)));
}

#[test]
fn a_reverse_measurement_says_nothing_of_the_way_out() {
    let back = NetResult { reverse: true, ..streamed(500e6, 1) };
    let sizing = size(&demand(), &[back], None);
    assert_eq!((sizing.measured_bytes_per_s, sizing.async_is_enough), (None, None));
    assert!(sizing.gaps.iter().any(|gap| gap.subject == "throughput"), "{:?}", sizing.gaps);
}

#[test]
fn the_commit_delay_is_of_the_nearest_message_size() {
    let far = NetResult { latency_ns: Some(latency(9, 9, 9)), ..synchronous(64) };
    let sizing = size(&demand(), &[far, synchronous(8192)], None);
    let expected = Delay { p50: 500_000, p90: 700_000, p99: 2_000_000 };
    assert_eq!(sizing.commit_delay_noaffirm_ns, Some(expected));
    assert_eq!(sizing.commit_delay_affirm_ns, None, "the peer did not write");
    assert!(sizing.gaps.iter().any(|gap| gap.detail.contains("--write")), "{:?}", sizing.gaps);
}

#[test]
fn another_message_size_is_told() {
    let sizing = size(&demand(), &[synchronous(64)], None);
    let told = "measured with messages of 64 bytes, the database writes 8000: measure with --length 8000";
    assert!(sizing.gaps.iter().any(|gap| gap.detail == told), "{:?}", sizing.gaps);
}

#[test]
fn a_path_that_carried_nothing_gives_no_number_of_streams() {
    let sizing = size(&demand(), &[streamed(0.0, 1)], Some(1e9));
    assert_eq!((sizing.async_is_enough, sizing.streams_needed), (Some(false), None));
    assert_eq!(sizing.gap_closes_s, None);
}

#[test]
fn nothing_measured_is_a_gap_each() {
    let sizing = size(&demand(), &[], None);
    let subjects: Vec<&str> = sizing.gaps.iter().map(|gap| gap.subject.as_str()).collect();
    assert_eq!(subjects, ["throughput", "commit delay"]);
}
