use super::{Served, ms, quick};
use crate::skips::with_own_cpus;

use fullwire_model::counters::Counters;
use fullwire_model::host::Host;
use fullwire_model::net::{NetMode, NetPlan, Payload};
use fullwire_probe::net::{
    Allowance, ConnectOptions, FactsAsk, Limits, NetError, PeerFacts, Progress, ServeConfig, measure,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

#[test]
fn a_stream_is_counted_by_its_receiver_with_both_ends_own_accounts() {
    let served = Served::open();
    let plan = NetPlan { duration_ns: ms(600), interval_ns: ms(200), streams: 2, ..NetPlan::default() };
    let result = served.measure(plan).unwrap().result;
    assert_eq!(result.incomplete, None);
    assert!(result.bytes > 0 && result.throughput_bytes_per_s > 1e6, "{}", result.throughput_bytes_per_s);
    let by_interval: f64 = result.intervals.iter().map(|slice| slice.throughput_bytes_per_s).sum();
    let mean = by_interval / result.intervals.len() as f64;
    assert!(
        (0.5..2.0).contains(&(mean / result.throughput_bytes_per_s)),
        "slices {mean}, whole {}",
        result.throughput_bytes_per_s
    );
    let (tcp, peer) = (result.tcp.unwrap(), result.peer_tcp.unwrap());
    assert!(tcp.mss_bytes > 500 && tcp.busy_s > 0.0 && tcp.segments_out > 0 && !tcp.congestion.is_empty());
    assert!(peer.rcvbuf_bytes.0 > 0);
    assert!(result.path.loopback);
    assert!(result.rtt_idle_ns.unwrap().count > 10 && result.rtt_loaded_ns.unwrap().count > 10);
    assert!(result.cpu.client_s > 0.0 && result.cpu.server_s > 0.0);
}

#[test]
fn zero_copy_says_that_loopback_copies_after_all() {
    let served = Served::open();
    let result = served
        .measure(NetPlan { duration_ns: ms(300), zerocopy: true, ..NetPlan::default() })
        .unwrap()
        .result;
    assert!(result.bytes > 0 && result.incomplete.is_none());
    assert_eq!(result.zerocopy_effective, Some(false));
}

#[test]
fn bytes_end_a_stream_exactly_where_they_should_in_either_direction() {
    let served = Served::open();
    for reverse in [false, true] {
        let plan = NetPlan { duration_bytes: 30_000_000, streams: 3, reverse, ..NetPlan::default() };
        let result = served.measure(plan).unwrap().result;
        assert_eq!((result.bytes, result.incomplete), (30_000_000, None), "reverse {reverse}");
    }
}

#[test]
fn both_ways_at_once_moves_bytes_both_ways() {
    let served = Served::open();
    let result =
        served.measure(NetPlan { duration_ns: ms(400), bidir: true, ..NetPlan::default() }).unwrap().result;
    assert!(result.throughput_bytes_per_s > 1e6 && result.reverse_throughput_bytes_per_s.unwrap() > 1e6);
}

#[test]
fn one_message_in_flight_keeps_the_identity_of_throughput_and_latency() {
    let served = Served::open();
    let plan =
        NetPlan { mode: NetMode::Sync, length_bytes: 8020, duration_ns: ms(500), ..NetPlan::default() };
    let result = served.measure(plan).unwrap().result;
    let latency = result.latency_ns.unwrap();
    let in_flight = result.throughput_bytes_per_s * latency.mean / 1e9;
    assert!((in_flight / 8020.0 - 1.0).abs() < 0.05, "{in_flight} bytes in flight");
    assert_eq!(latency.count, result.messages);
    assert!(result.parts_ns.unwrap().network.p50 <= latency.p50);
}

#[test]
fn a_written_message_splits_into_wire_and_disk_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let config = ServeConfig { write_dir: Some(folder.path().into()), ..ServeConfig::default() };
    let served = Served::start(config);
    let plan = NetPlan {
        mode: NetMode::Sync,
        length_bytes: 8192,
        write: true,
        duration_ns: ms(400),
        ..NetPlan::default()
    };
    let result = served.measure(plan).unwrap().result;
    let parts = result.parts_ns.unwrap();
    let (write, whole) = (parts.remote_write.unwrap(), result.latency_ns.unwrap());
    assert!(
        write.mean + parts.network.mean <= whole.mean * 1.05,
        "{} + {} > {}",
        write.mean,
        parts.network.mean,
        whole.mean
    );
    assert!(write.mean > 0.0 && result.remote_write_direct.is_some());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left in the directory");
}

#[test]
fn without_a_write_directory_nothing_is_written() {
    let served = Served::open();
    let plan = NetPlan {
        mode: NetMode::Sync,
        length_bytes: 512,
        write: true,
        duration_ns: ms(100),
        ..NetPlan::default()
    };
    match served.measure(plan) {
        Err(NetError::Refused(why)) => assert!(why.contains("--write-dir"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn empty_messages_time_the_round_trip_and_under_load_both_are_told() {
    let served = Served::open();
    let plan = NetPlan { mode: NetMode::Rtt, duration_ns: ms(400), under_load: true, ..NetPlan::default() };
    let allowance = Allowance::of(0);
    let options = ConnectOptions { allowance: Some(allowance.clone()), ..quick() };
    let result = measure(&served.plan(plan), &options, &mut |_| {}).unwrap().result;
    assert!(result.latency_ns.unwrap().count > 100);
    assert!(result.rtt_idle_ns.unwrap().count > 10 && result.rtt_loaded_ns.is_some());
    // The load is a stream, though the messages are empty.
    let moved_bytes = allowance.moved_bytes();
    assert!(moved_bytes > 50_000_000, "{moved_bytes}");
}

#[test]
fn several_in_flight_are_faster_than_one_and_none_is_lost() {
    with_own_cpus(|| {
        let served = Served::open();
        let plan = |depth| NetPlan {
            mode: NetMode::Sync,
            length_bytes: 4096,
            duration_bytes: 4096 * 3000,
            depth,
            random_length: true,
            ..NetPlan::default()
        };
        for depth in [1, 16] {
            let result = served.measure(plan(depth)).unwrap().result;
            assert!(result.bytes >= 4096 * 3000 && result.incomplete.is_none(), "{} bytes", result.bytes);
            assert_eq!(result.latency_ns.unwrap().count, result.messages);
        }
    });
}

#[test]
fn an_open_loop_keeps_its_rate_and_counts_from_the_intended_start() {
    with_own_cpus(|| {
        let served = Served::open();
        let plan = NetPlan {
            mode: NetMode::Sync,
            length_bytes: 1000,
            open_loop_per_s: 500.0,
            duration_ns: ms(1000),
            ..NetPlan::default()
        };
        let result = served.measure(plan).unwrap().result;
        // The first goes at once. A busy machine ends it late, and what was due until then was sent.
        let due = 500.0 * result.duration_s.max(1.0) + 2.0;
        assert!(
            (450.0..=due).contains(&(result.messages as f64)),
            "{} messages of {due} at 500/s",
            result.messages
        );
        assert!(result.late_messages.is_some());
    });
}

#[test]
fn a_rate_is_kept() {
    with_own_cpus(|| {
        let served = Served::open();
        for (reverse, streams) in [(false, 1), (true, 2)] {
            let rate_bytes_per_s = 20e6;
            let plan =
                NetPlan { rate_bytes_per_s, duration_ns: ms(4000), reverse, streams, ..NetPlan::default() };
            let result = served.measure(plan).unwrap().result;
            let share = result.throughput_bytes_per_s / rate_bytes_per_s;
            assert!((0.97..=1.03).contains(&share), "{share} of the rate");
        }
    });
}

#[test]
fn a_warm_up_is_left_out_of_bytes_time_and_samples() {
    with_own_cpus(|| {
        let served = Served::open();
        let plan = NetPlan {
            rate_bytes_per_s: 20e6,
            warmup_ns: ms(500),
            duration_ns: ms(1000),
            interval_ns: ms(250),
            ..NetPlan::default()
        };
        let result = served.measure(plan).unwrap().result;
        assert!((0.9..1.3).contains(&result.duration_s), "{} s", result.duration_s);
        assert!(
            (result.bytes as f64 / 20e6 / result.duration_s - 1.0).abs() < 0.05,
            "{} bytes",
            result.bytes
        );
        assert!((3..=6).contains(&result.intervals.len()), "{} slices", result.intervals.len());
    });
}

#[test]
fn a_stop_is_heard_while_the_peer_takes_its_time() {
    let facts = Arc::new(|_: &FactsAsk| {
        std::thread::sleep(Duration::from_secs(16));
        PeerFacts::default()
    });
    let served = Served::start(ServeConfig { facts: Some(facts), ..ServeConfig::default() });
    let stop = Arc::new(AtomicBool::new(false));
    let options = fullwire_probe::net::ConnectOptions { facts: true, stop: Some(stop.clone()), ..quick() };
    let plan = served.plan(NetPlan { duration_ns: ms(100), ..NetPlan::default() });
    let begun = Instant::now();
    let outcome = measure(&plan, &options, &mut |progress| {
        if matches!(progress, Progress::Phase("observing the peer")) {
            stop.store(true, SeqCst);
        }
    });
    assert!(matches!(outcome, Err(NetError::Interrupted)), "{outcome:?}");
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

#[test]
fn datagrams_at_a_rate_and_an_interconnects_exchange() {
    with_own_cpus(|| {
        let served = Served::open();
        let plan =
            NetPlan { mode: NetMode::Udp, length_bytes: 8192, duration_ns: ms(500), ..NetPlan::default() };
        let interconnect = NetPlan { mode: NetMode::Interconnect, ..plan.clone() };
        let exchange = served.measure(interconnect).unwrap().result;
        let udp = exchange.udp.as_ref().unwrap();
        assert!(udp.sent > 100 && udp.lost <= udp.sent / 100, "{udp:?}");
        assert_eq!(exchange.latency_ns.as_ref().unwrap().count, udp.sent - udp.lost);
        let (out, back) = (exchange.throughput_bytes_per_s, exchange.reverse_throughput_bytes_per_s.unwrap());
        assert!((1.9..2.1).contains(&(back / out)), "twice as many blocks come as go: {out} {back}");
        let moved = (udp.sent - udp.lost) * 8192;
        assert!(((out + back) * exchange.duration_s / moved as f64 - 1.0).abs() < 0.01, "{out} {back}");
        assert!(exchange.exchanges_per_s().unwrap() > 100.0 && udp.jitter_ns.is_none());
        for reverse in [false, true] {
            let stream =
                served.measure(NetPlan { rate_bytes_per_s: 5e6, reverse, ..plan.clone() }).unwrap().result;
            let udp = stream.udp.unwrap();
            assert!(udp.sent > 200 && udp.small_loss.is_some() && udp.duplicated == 0, "{udp:?}");
            assert!(stream.bytes >= (udp.sent - udp.lost) * 8192, "{} bytes", stream.bytes);
            assert!((udp.sent_bytes_per_s / 5e6 - 1.0).abs() < 0.2 && udp.jitter_ns.is_some(), "{udp:?}");
        }
        let both =
            served.measure(NetPlan { rate_bytes_per_s: 5e6, bidir: true, ..plan.clone() }).unwrap().result;
        for (udp, rate) in [
            (both.udp, both.throughput_bytes_per_s),
            (both.reverse_udp, both.reverse_throughput_bytes_per_s.unwrap()),
        ] {
            let udp = udp.unwrap();
            assert!(
                udp.sent > 200 && udp.jitter_ns.is_some() && (rate / 5e6 - 1.0).abs() < 0.2,
                "{udp:?} {rate}"
            );
        }
        let unpaced = served.measure(plan).unwrap().result;
        let udp = unpaced.udp.unwrap();
        assert!(udp.sent_bytes_per_s > 2e7 && unpaced.throughput_bytes_per_s > 5e6, "{udp:?}");
    });
}

#[test]
fn the_peers_host_and_its_counters_come_with_the_result() {
    let calls = Arc::new(AtomicU64::new(0));
    let count = calls.clone();
    let facts = Arc::new(move |ask: &FactsAsk| match ask {
        FactsAsk::Host { client } => {
            assert_eq!(client, "127.0.0.1");
            PeerFacts { host: Some(Host { hostname: "standby".into(), ..Host::default() }), counters: None }
        }
        FactsAsk::Counters => {
            let monotonic_ns = 1 + count.fetch_add(1, SeqCst);
            PeerFacts { host: None, counters: Some(Counters { monotonic_ns, ..Counters::default() }) }
        }
    });
    let served = Served::start(ServeConfig { facts: Some(facts), ..ServeConfig::default() });
    let options = fullwire_probe::net::ConnectOptions { facts: true, ..quick() };
    let plan = served.plan(NetPlan { duration_ns: ms(100), ..NetPlan::default() });
    let peer = measure(&plan, &options, &mut |_| {}).unwrap().peer.unwrap();
    assert_eq!(peer.host.unwrap().hostname, "standby");
    let window = &peer.windows[0];
    assert_eq!((window.from.monotonic_ns, window.to.monotonic_ns, &window.target), (1, 2, &plan.target));
}

#[test]
fn told_to_stop_it_ends_at_once_with_what_there_is() {
    let served = Served::open();
    let stop = Arc::new(AtomicBool::new(false));
    let options = fullwire_probe::net::ConnectOptions { stop: Some(stop.clone()), ..quick() };
    let plan = served.plan(NetPlan { duration_ns: ms(60_000), ..NetPlan::default() });
    let begun = Instant::now();
    let report = measure(&plan, &options, &mut |progress| {
        if matches!(progress, Progress::Running { elapsed_s, .. } if elapsed_s > 0.3) {
            stop.store(true, SeqCst);
        }
    });
    let result = report.unwrap().result;
    assert_eq!(result.incomplete.as_deref(), Some("interrupted"));
    assert!(result.bytes > 0 && begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn limits_are_named_and_bind() {
    let limits = Limits { streams: 2, bytes: 50_000_000, ..Limits::default() };
    let served = Served::start(ServeConfig { limits, ..ServeConfig::default() });
    let refused = served.measure(NetPlan { streams: 3, ..NetPlan::default() }).unwrap_err();
    assert!(refused.to_string().contains("at most 2 are allowed"), "{refused}");
    let result = served.measure(NetPlan { duration_ns: ms(20_000), ..NetPlan::default() }).unwrap().result;
    assert!(result.incomplete.unwrap().contains("50000000"));
}

#[test]
fn a_wish_that_the_kernel_refuses_is_an_error_that_says_so() {
    let served = Served::open();
    let congestion =
        served.measure(NetPlan { congestion: "nonesuch".into(), ..NetPlan::default() }).unwrap_err();
    assert!(congestion.to_string().contains("nonesuch"), "{congestion}");
    let source = served.measure(NetPlan { source: "192.0.2.1".into(), ..NetPlan::default() }).unwrap_err();
    assert!(source.to_string().contains("192.0.2.1"), "{source}");
    let file = Payload::File("/nonexistent".into());
    let payload = served.measure(NetPlan { payload: file, ..NetPlan::default() }).unwrap_err();
    assert!(payload.to_string().contains("/nonexistent"), "{payload}");
}

/// A run that names it could not be read back as it is, and would not be kept.
#[test]
fn a_result_does_not_name_the_file_that_was_sent() {
    let file = Payload::File(std::env::current_exe().unwrap().display().to_string());
    let plan = NetPlan { payload: file, duration_ns: 100_000_000, ..NetPlan::default() };
    let report = Served::open().measure(plan).unwrap();
    assert_eq!(report.result.plan.payload, Payload::File(String::new()));
}
