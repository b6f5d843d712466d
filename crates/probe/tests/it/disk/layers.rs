//! The layer arithmetic on stacks of records, and against what iostat printed.

use crate::skips::given;
use fullwire_model::counters::{Counters, DiskCounters, NfsCounters, NfsOperation};
use fullwire_model::disk::{LayerStats, Operation};
use fullwire_model::host::{Disk, Host, Partition, Queue};
use fullwire_probe::disk::layers::{
    Others, Span, Under, device_layers, disk_delta, disk_stats, foreign_bytes_per_s, nfs_stats,
};
use proptest::prelude::*;

fn disk(name: &str, kind: &str, slaves: &[&str], holders: &[&str]) -> Disk {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Disk {
        name: name.into(),
        kind: kind.into(),
        slaves: names(slaves),
        holders: names(holders),
        ..Disk::default()
    }
}

/// A logical volume on a multipath map with two paths.
fn multipath_host() -> Host {
    Host {
        disks: vec![
            disk("dm-1", "lvm", &["dm-0"], &[]),
            disk("dm-0", "multipath", &["sda", "sdb"], &["dm-1"]),
            disk("sda", "disk", &[], &["dm-0"]),
            disk("sdb", "disk", &[], &["dm-0"]),
        ],
        ..Host::default()
    }
}

fn reads(reads: u64, bytes: u64, ms: u64) -> DiskCounters {
    DiskCounters { reads, read_bytes: bytes, read_ms: ms, weighted_ms: ms, ..DiskCounters::default() }
}

fn counters(at_s: u64, disks: &[(&str, DiskCounters)]) -> Counters {
    let disks = disks.iter().map(|(name, counters)| ((*name).to_owned(), counters.clone())).collect();
    Counters { monotonic_ns: at_s * 1_000_000_000, disks, ..Counters::default() }
}

/// 100 reads of 1 MiB that the map passes on as 200 requests, 150 on one path and 50 on the other.
fn multipath_span() -> (Counters, Counters) {
    let none = || reads(7, 7, 7);
    let from = counters(10, &[("dm-1", none()), ("dm-0", none()), ("sda", none()), ("sdb", none())]);
    let and = |count: u64, mib: u64, ms: u64| reads(7 + count, 7 + (mib << 20), 7 + ms);
    let to = counters(
        12,
        &[
            ("dm-1", and(100, 100, 900)),
            ("dm-0", and(200, 100, 800)),
            ("sda", and(150, 75, 600)),
            ("sdb", and(50, 25, 150)),
        ],
    );
    (from, to)
}

#[test]
fn every_layer_of_a_multipath_stack_is_seen() {
    let (host, (from, to)) = (multipath_host(), multipath_span());
    let layers = device_layers(&host, "dm-1", &[Span { from: &from, to: &to }]);
    let kinds: Vec<(&str, &str)> =
        layers.iter().map(|layer| (layer.name.as_str(), layer.kind.as_str())).collect();
    assert_eq!(kinds, [("dm-1", "lvm"), ("dm-0", "multipath"), ("sda", "path"), ("sdb", "path")]);
    assert!((layers[2].iops - 75.0).abs() < 1e-9 && (layers[3].iops - 25.0).abs() < 1e-9);
    assert!((layers[1].mean_request_bytes - 524_288.0).abs() < 1e-9);
    assert!((layers[2].await_ns - 4e6).abs() < 1e-6);
    assert!((layers[2].queue_mean - 0.3).abs() < 1e-9);
}

#[test]
fn requests_are_counted_at_the_bottom_and_bytes_at_the_top() {
    let (host, (from, to)) = (multipath_host(), multipath_span());
    let under = Under { host: &host, device: "dm-1", nfs_mount: None, others: Others::default() };
    let seen = under.conservation(&[Span { from: &from, to: &to }], Operation::Read, 100, 100 << 20);
    assert_eq!(seen.requests_per_io, Some(2.0));
    assert_eq!(seen.bytes_ratio, Some(1.0));
    let written = under.conservation(&[Span { from: &from, to: &to }], Operation::Write, 100, 100 << 20);
    assert_eq!(written.bytes_ratio, Some(0.0));
}

/// Another program flushes 120 times meanwhile, 1 ms each: a read without data on a path for each.
#[test]
fn a_flush_is_no_read_though_the_paths_count_one() {
    let (host, (mut from, mut to)) = (multipath_host(), multipath_span());
    let map = |counters: &mut Counters, flushes: u64| {
        let map = counters.disks.get_mut("dm-0").expect("the map");
        (map.flushes, map.flush_ms) = (Some(flushes), Some(flushes));
    };
    map(&mut from, 5);
    map(&mut to, 125);
    let path = to.disks.get_mut("sda").expect("a path");
    (path.reads, path.read_ms) = (path.reads + 120, path.read_ms + 120);
    let span = [Span { from: &from, to: &to }];
    let under = Under { host: &host, device: "dm-1", nfs_mount: None, others: Others::default() };
    let seen = under.conservation(&span, Operation::Read, 100, 100 << 20);
    assert_eq!(seen.requests_per_io, Some(2.0));
    let layers = device_layers(&host, "dm-1", &span);
    assert_eq!(layers[2].of(Operation::Read), (75.0, 4e6), "its own reads of 4 ms, 75 a second");
    assert_eq!(layers[3].of(Operation::Read), (25.0, 3e6), "no flush went there");
}

#[test]
fn several_spans_add_up() {
    let (from, to) = multipath_span();
    let twice = [Span { from: &from, to: &to }, Span { from: &from, to: &to }];
    assert_eq!(disk_delta(&twice, "sda").expect("there").reads, 300);
    assert_eq!(disk_delta(&twice, "sdc"), None);
}

/// A neighbour commits while the step reads: 100 reads of 30 ms and 300 writes of 2 ms.
#[test]
fn reads_and_writes_are_timed_apart() {
    let delta =
        DiskCounters { reads: 100, read_ms: 3000, writes: 300, write_ms: 600, ..DiskCounters::default() };
    let layer = disk_stats("sda", "disk", &delta, 1.0);
    assert!((layer.await_ns - 9e6).abs() < 1e-6, "{layer:?}");
    assert_eq!(layer.of(Operation::Read), (100.0, 30e6));
    assert_eq!(layer.of(Operation::Write), (300.0, 2e6));
    assert_eq!(layer.of(Operation::Mixed), (400.0, 9e6));
    let only_reads = disk_stats("sda", "disk", &DiskCounters { writes: 0, write_ms: 0, ..delta }, 1.0);
    assert_eq!(only_reads.of(Operation::Write), (100.0, 30e6), "nothing was written: the mean of all");
    let earlier = LayerStats { iops: 400.0, await_ns: 9e6, ..LayerStats::default() };
    assert_eq!(earlier.of(Operation::Read), (400.0, 9e6), "a run of an earlier version");
}

#[test]
fn a_partition_counts_with_its_disk_at_the_bottom() {
    let mut part = disk("sda1", "partition", &[], &[]);
    part.partition = Some(Partition { disk: "sda".into(), number: 1, start_bytes: 1 << 20 });
    let host = Host { disks: vec![part, disk("sda", "disk", &[], &[])], ..Host::default() };
    let from = counters(0, &[("sda1", reads(0, 0, 0)), ("sda", reads(0, 0, 0))]);
    let to = counters(1, &[("sda1", reads(10, 81_920, 5)), ("sda", reads(20, 81_920, 5))]);
    let under = Under { host: &host, device: "sda1", nfs_mount: None, others: Others::default() };
    let seen = under.conservation(&[Span { from: &from, to: &to }], Operation::Read, 10, 81_920);
    assert_eq!(seen.requests_per_io, Some(2.0));
}

/// Ten reads of 1 MiB, while another program reads 256 KiB 88 times: each of ours is one request, and not ten.
#[test]
fn the_reads_of_others_are_not_pieces_of_ours() {
    let host = Host { disks: vec![disk("sda", "disk", &[], &[])], ..Host::default() };
    let under = |others| Under { host: &host, device: "sda", nfs_mount: None, others };
    let unknown = Others::default();
    let from = counters(0, &[("sda", reads(0, 0, 0))]);
    let before = counters(1, &[("sda", reads(100, 100 << 18, 900))]);
    let known = under(unknown).others(Span { from: &from, to: &before });
    assert_eq!((known.read_bytes, known.write_bytes), (Some(262_144.0), None));
    let after = counters(2, &[("sda", reads(98, (10 << 20) + (88 << 18), 900))]);
    let spans = [Span { from: &from, to: &after }];
    let seen = |others| {
        under(others).conservation(&spans, Operation::Read, 10, 10 << 20).requests_per_io.expect("counted")
    };
    assert!((seen(known) - 1.0).abs() < 1e-9 && (seen(unknown) - 9.8).abs() < 1e-9);
    let few = counters(1, &[("sda", reads(10, 10 << 18, 90))]);
    assert_eq!(under(unknown).others(Span { from: &from, to: &few }), unknown, "ten say nothing");
}

#[test]
fn counters_that_stand_still_prove_nothing() {
    let mut quiet = disk("sda", "disk", &[], &[]);
    quiet.queue = Some(Queue { iostats: Some(false), ..Queue::default() });
    let host = Host { disks: vec![quiet], ..Host::default() };
    let (from, to) = (counters(0, &[("sda", reads(0, 0, 0))]), counters(1, &[("sda", reads(0, 0, 0))]));
    let under = Under { host: &host, device: "sda", nfs_mount: None, others: Others::default() };
    let seen = under.conservation(&[Span { from: &from, to: &to }], Operation::Read, 10, 81_920);
    assert_eq!((seen.requests_per_io, seen.bytes_ratio), (None, None));
}

#[test]
fn an_nfs_mount_is_a_layer() {
    let at = |at_s: u64, reads: u64, kib_each: u64| {
        let operation = NfsOperation { operations: reads, execute_ms: reads * 3, ..NfsOperation::default() };
        let nfs = NfsCounters {
            server_read_bytes: (reads * kib_each) << 10,
            operations: [("READ".to_owned(), operation)].into(),
            ..NfsCounters::default()
        };
        Counters {
            monotonic_ns: at_s * 1_000_000_000,
            nfs: [("/data".to_owned(), nfs)].into(),
            ..Counters::default()
        }
    };
    let (from, to) = (at(0, 0, 4), at(2, 512, 4));
    let spans = [Span { from: &from, to: &to }];
    let layer = nfs_stats("/data", &spans).expect("there");
    assert!((layer.iops - 256.0).abs() < 1e-9);
    assert!((layer.mean_request_bytes - 4096.0).abs() < 1e-9);
    assert!((layer.await_ns - 3e6).abs() < 1e-6);
    assert!((layer.queue_mean - 0.768).abs() < 1e-9);
    let host = Host::default();
    let under = Under { host: &host, device: "", nfs_mount: Some("/data"), others: Others::default() };
    let seen = under.conservation(&spans, Operation::Read, 2, 2 << 20);
    assert_eq!((seen.requests_per_io, seen.bytes_ratio), (Some(256.0), Some(1.0)));
    assert_eq!(foreign_bytes_per_s("", Some("/data"), spans[0]), Some(1_048_576.0));
    let few = at(2, 30, 64);
    let housekeeping = Span { from: &from, to: &few };
    assert_eq!(foreign_bytes_per_s("", Some("/data"), housekeeping), Some(0.0), "15 requests a second");
}

/// `iostat -xs` prints tps, kB/s, rqm/s, await, areq-sz and aqu-sz of each device: ours follow from the same counters.
#[test]
fn figures_agree_with_iostat() {
    let sample = given!(crate::skips::shared("samples/iostat/iostat-xs-sysstat12.txt"));
    let text = std::fs::read_to_string(sample).expect("a readable sample");
    let mut compared = 0;
    for line in text.lines().filter(|line| line.starts_with("sd")) {
        let figures: Vec<f64> =
            line.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
        let [tps, kb_per_s, merged, await_ms, areq_kb, aqu, util] = figures[..] else { continue };
        // Two decimals of a small figure say little.
        if tps < 5.0 {
            continue;
        }
        let layer = from_rates(tps, kb_per_s, merged, await_ms, aqu, util);
        let close = |ours: f64, theirs: f64| (ours - theirs).abs() <= 0.006 + theirs * 0.002;
        assert!(close(layer.mean_request_bytes / 1024.0, areq_kb), "{line}: {layer:?}");
        assert!(close(layer.await_ns / 1e6, await_ms), "{line}: {layer:?}");
        assert!(close(layer.queue_mean, aqu), "{line}: {layer:?}");
        assert!(close(layer.utilisation * 100.0, util), "{line}: {layer:?}");
        compared += 1;
    }
    assert!(compared > 5, "only {compared} lines compared");
}

/// The counters that a device with these rates has after 10,000 s.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "printed rates")]
fn from_rates(tps: f64, kb_per_s: f64, merged: f64, await_ms: f64, aqu: f64, util: f64) -> LayerStats {
    const SPAN_S: f64 = 1e4;
    let delta = DiskCounters {
        reads: (tps * SPAN_S) as u64,
        reads_merged: (merged * SPAN_S) as u64,
        read_bytes: (kb_per_s * 1024.0 * SPAN_S) as u64,
        read_ms: (tps * SPAN_S * await_ms) as u64,
        weighted_ms: (aqu * SPAN_S * 1e3) as u64,
        busy_ms: (util / 100.0 * SPAN_S * 1e3) as u64,
        ..DiskCounters::default()
    };
    disk_stats("sda", "disk", &delta, SPAN_S)
}

proptest! {
    /// Whatever the counters do (wrap, do not grow, jump), every figure is a number and none is negative.
    #[test]
    fn figures_are_finite(before: [u64; 6], after: [u64; 6], from_ns: u64, to_ns: u64) {
        let at = |ns: u64, [reads, read_bytes, read_ms, writes, busy_ms, weighted_ms]: [u64; 6]| {
            let disk = DiskCounters { reads, read_bytes, read_ms, writes, busy_ms, weighted_ms, ..DiskCounters::default() };
            Counters { monotonic_ns: ns, disks: [("sda".to_owned(), disk)].into(), ..Counters::default() }
        };
        let (from, to) = (at(from_ns, before), at(to_ns, after));
        let host = Host { disks: vec![disk("sda", "disk", &[], &[])], ..Host::default() };
        for layer in device_layers(&host, "sda", &[Span { from: &from, to: &to }]) {
            let figures = [layer.iops, layer.bytes_per_s, layer.mean_request_bytes, layer.await_ns, layer.queue_mean, layer.utilisation];
            prop_assert!(figures.iter().all(|figure| figure.is_finite() && *figure >= 0.0), "{:?}", layer);
        }
    }
}
