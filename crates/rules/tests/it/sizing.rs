//! The arithmetic of the sizing verdict, worked by hand.

use fullwire_model::demand::{Demand, HistogramBucket, WaitHistogram};
use fullwire_model::latency::Latency;
use fullwire_model::net::{NetMode, NetResult, Parts};
use fullwire_rules::sizing::{Carried, Delay, Need, RedoGap, RedoPath, async_transport, size};

/// Within a share of what is expected.
fn close(value: Option<f64>, expected: f64, share: f64) {
    let value = value.unwrap();
    assert!((value - expected).abs() <= share * expected.abs(), "{value} is not {expected}");
}

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

fn gap(bytes: f64) -> RedoGap {
    RedoGap { bytes, ..RedoGap::default() }
}

fn latency(p50: u64, p90: u64, p99: u64) -> Latency {
    Latency { p50, p90, p99, ..Latency::default() }
}

#[test]
fn a_path_that_is_enough() {
    let sizing = size(&demand(), &[streamed(100e6, 1), streamed(90e6, 4)], Some(gap(10e9)));
    assert_eq!(sizing.measured_bytes_per_s, Some(100e6), "the best measurement counts");
    let carried = sizing.async_transport.unwrap();
    assert!(carried.is_enough());
    assert_eq!((carried.connections, carried.carried_bytes_per_s), (1, 100e6));
    close(Some(carried.share), 1.282_051, 1e-6);
    // 3 x 78 MB/s x 20 ms.
    close(sizing.buffer_needed_bytes, 4.68e6, 1e-12);
    // 10 GB over the 40 MB/s that the peak leaves.
    close(sizing.gap_closes_s, 250.0, 1e-12);
    assert_eq!(sizing.gap_limited_by, Some("network"));
    let told = "the rate of archive read and apply is not known: closing the gap may take longer";
    assert!(sizing.gaps.iter().any(|gap| gap.detail == told), "{:?}", sizing.gaps);
}

#[test]
fn a_path_that_is_not() {
    let sizing = size(&demand(), &[streamed(50e6, 2)], Some(gap(10e9)));
    assert!(!sizing.async_transport.unwrap().is_enough());
    assert_eq!(sizing.gap_closes_s, None);
    assert!(sizing.gaps.iter().any(|gap| gap.detail.contains("never closes")), "{:?}", sizing.gaps);
}

#[test]
fn exactly_enough_is_enough() {
    let sizing = size(&demand(), &[streamed(78e6, 1)], None);
    assert_eq!(sizing.async_transport.map(|carried| (carried.is_enough(), carried.share)), Some((true, 1.0)));
}

/// A database of two threads has two connections, whatever was measured with.
#[test]
fn async_transport_has_one_connection_for_each_thread() {
    let need = |threads| Need { required_bytes_per_s: 60e6, threads };
    let path = |connections| RedoPath { bytes_per_s: 100e6, connections };
    let carries = |threads, connections| {
        let Carried { connections, carried_bytes_per_s, .. } =
            async_transport(need(threads), path(connections));
        (connections, carried_bytes_per_s)
    };
    assert_eq!(carries(1, 4), (1, 25e6));
    assert_eq!(carries(2, 4), (2, 50e6));
    assert_eq!(carries(2, 1), (2, 100e6), "no more than was measured");
    assert!(async_transport(Need::default(), path(1)).share.abs() < f64::EPSILON);
}

#[test]
fn a_reverse_measurement_says_nothing_of_the_way_out() {
    let back = NetResult { reverse: true, ..streamed(500e6, 1) };
    let sizing = size(&demand(), &[back], None);
    assert_eq!((sizing.measured_bytes_per_s, sizing.async_transport), (None, None));
    assert!(sizing.gaps.iter().any(|gap| gap.subject == "throughput"), "{:?}", sizing.gaps);
}

#[test]
fn the_commit_delay_is_of_the_nearest_message_size() {
    let far = NetResult { latency_ns: Some(latency(9, 9, 9)), ..synchronous(64) };
    let sizing = size(&demand(), &[far, synchronous(8192)], None);
    let expected = Delay { p50: 500_000, p90: 700_000, p99: 2_000_000 };
    let noaffirm = sizing.sync_noaffirm.unwrap();
    assert_eq!((noaffirm.remote_ns, noaffirm.added_ns, noaffirm.local), (expected, expected, "unknown"));
    assert_eq!(sizing.sync_affirm, None, "the peer did not write");
    assert!(
        sizing.gaps.iter().any(|gap| gap.detail.contains("at most the whole remote time")),
        "{:?}",
        sizing.gaps
    );
    assert!(sizing.gaps.iter().any(|gap| gap.detail.contains("--write")), "{:?}", sizing.gaps);
}

#[test]
fn another_message_size_is_told() {
    let sizing = size(&demand(), &[synchronous(64)], None);
    let told = "measured with messages of 64 bytes, but the database writes 8000: measure with --length 8000";
    assert!(sizing.gaps.iter().any(|gap| gap.detail == told), "{:?}", sizing.gaps);
}

#[test]
fn a_path_that_carried_nothing_gives_no_number_of_streams() {
    let sizing = size(&demand(), &[streamed(0.0, 1)], Some(gap(1e9)));
    assert_eq!(sizing.async_transport.map(|carried| carried.is_enough()), Some(false));
    assert_eq!(sizing.gap_closes_s, None);
}

#[test]
fn nothing_measured_is_a_gap_each() {
    let sizing = size(&demand(), &[], None);
    let subjects: Vec<&str> = sizing.gaps.iter().map(|gap| gap.subject.as_str()).collect();
    assert_eq!(subjects, ["throughput", "commit delay"]);
}

#[test]
fn the_slowest_of_network_archive_read_and_apply_closes_the_gap() {
    let gap = RedoGap { bytes: 10e9, archive_read_bytes_per_s: Some(500e6), apply_bytes_per_s: Some(80e6) };
    let sizing = size(&demand(), &[streamed(100e6, 1)], Some(gap));
    // 80 - 60 MB/s.
    close(sizing.gap_closes_s, 500.0, 1e-12);
    assert_eq!(sizing.gap_limited_by, Some("apply"));
    assert!(sizing.gaps.iter().all(|gap| gap.subject != "gap"), "{:?}", sizing.gaps);
}

/// A round trip of 1.0 ms and a remote write of 0.8 ms against a local log write of 1.2 ms: AFFIRM adds 0.6 ms, NOAFFIRM
/// nothing (rules review, 4.7).
fn with_write() -> NetResult {
    let network = latency(1_000_000, 1_100_000, 3_000_000);
    NetResult {
        latency_ns: Some(latency(1_800_000, 2_000_000, 5_000_000)),
        parts_ns: Some(Parts { network, remote_write: Some(latency(800_000, 900_000, 2_000_000)) }),
        ..synchronous(8000)
    }
}

#[test]
fn sync_adds_what_the_local_log_write_does_not_cover() {
    let demand = Demand { log_write_mean_ns: Some(1.2e6), ..demand() };
    let sizing = size(&demand, &[with_write()], None);
    let (affirm, noaffirm) = (sizing.sync_affirm.unwrap(), sizing.sync_noaffirm.unwrap());
    assert_eq!(
        (affirm.remote_ns.p50, affirm.added_ns.p50, affirm.added_ns.p99),
        (1_800_000, 600_000, 3_800_000)
    );
    assert_eq!(
        (noaffirm.remote_ns.p50, noaffirm.added_ns.p50, noaffirm.added_ns.p99),
        (1_000_000, 0, 1_800_000)
    );
    assert_eq!((affirm.local, noaffirm.local), ("mean", "mean"));
}

#[test]
fn with_a_histogram_each_quantile_is_taken_by_itself() {
    let bucket = |upto_us, pct| HistogramBucket { upto_us, pct };
    // Half below 1 ms, 45 % from 1 to 2 ms, 5 % from 2 to 4 ms: p50 1.0, p90 1 + 40/45 = 1.889, p99 2 + 2 x 4/5 = 3.6 ms.
    let buckets = vec![
        bucket(Some(1000.0), 50.0),
        bucket(Some(2000.0), 45.0),
        bucket(Some(4000.0), 5.0),
        bucket(None, 0.0),
    ];
    let demand = Demand {
        log_write_mean_ns: Some(1.2e6),
        log_write_histogram: Some(WaitHistogram { waits: Some(1000), buckets }),
        ..demand()
    };
    let affirm = size(&demand, &[with_write()], None).sync_affirm.unwrap();
    assert_eq!(affirm.local, "histogram");
    let added = |ns: u64, expected: u64| assert!(ns.abs_diff(expected) <= 1, "{ns} {expected}");
    added(affirm.added_ns.p50, 800_000);
    added(affirm.added_ns.p90, 111_111);
    added(affirm.added_ns.p99, 1_400_000);
}
