//! The storage figures of the founding documents, by our arithmetic.

use super::MIB;
use fullwire_model::counters::DiskCounters;
use fullwire_model::disk::LayerStats;
use fullwire_probe::disk::layers::disk_stats;

const SECTOR: f64 = 512.0;

/// A device that was read like this for 1000 s.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "figures of a few digits")]
fn read(requests_per_s: f64, sectors_per_s: f64, await_ms: f64, queue: f64) -> LayerStats {
    let counters = DiskCounters {
        reads: (requests_per_s * 1e3) as u64,
        read_bytes: (sectors_per_s * SECTOR * 1e3) as u64,
        read_ms: (requests_per_s * 1e3 * await_ms) as u64,
        weighted_ms: (queue * 1e6) as u64,
        ..DiskCounters::default()
    };
    disk_stats("sda", "disk", &counters, 1e3)
}

/// The mean queue that a layer's rate and await say by Little's law.
fn little_queue(layer: &LayerStats) -> f64 {
    layer.iops * layer.await_ns / 1e9
}

fn near(measured: f64, expected: f64, tolerance: f64) {
    assert!((measured - expected).abs() <= tolerance, "{measured} instead of {expected}");
}

#[test]
fn four_gib_read_and_four_written() {
    let both = DiskCounters { read_bytes: 4 << 30, write_bytes: 4 << 30, ..DiskCounters::default() };
    let mib_per_s = |seconds| disk_stats("sda", "disk", &both, seconds).bytes_per_s / MIB as f64;
    near(mib_per_s(92.274), 88.8, 0.05);
    near(mib_per_s(80.162), 102.2, 0.05);
    near(mib_per_s(80.162) / mib_per_s(92.274), 1.15, 0.005);
}

#[test]
fn one_gib_by_large_and_by_small_blocks() {
    let once = DiskCounters { read_bytes: 1 << 30, ..DiskCounters::default() };
    let mib_per_s = |seconds| disk_stats("sda", "disk", &once, seconds).bytes_per_s / MIB as f64;
    near(mib_per_s(6.77), 151.26, 0.01);
    near(mib_per_s(95.98), 10.67, 0.005);
    near(mib_per_s(6.77) / mib_per_s(95.98), 14.2, 0.05);
}

#[test]
fn a_mebibyte_that_is_split_in_two() {
    let layer = read(303.0, 311_296.0, 1.0, 1.0);
    near(layer.mean_request_bytes / SECTOR, 1027.4, 0.05);
    near(layer.mean_request_bytes / 1024.0, 513.7, 0.05);
    let mebibytes_per_s = layer.bytes_per_s / MIB as f64;
    near(layer.iops / mebibytes_per_s, 2.0, 0.01);
}

#[test]
fn requests_as_small_as_asked() {
    near(read(5467.0, 21_868.0, 1.0, 1.0).mean_request_bytes, 2048.0, 0.5);
}

#[test]
fn read_ahead_sets_the_request() {
    near(read(100.0, 25_600.0, 1.0, 1.0).mean_request_bytes, 131_072.0, 0.5);
}

#[test]
fn littles_law_of_an_iostat_line() {
    let layer = read(308.0, 319_488.0, 14.49, 4.48);
    near(little_queue(&layer), 4.46, 0.005);
    near(layer.queue_mean, 4.48, 0.005);
}

#[test]
fn a_saturated_disk() {
    let layer = read(37.5, 748.0, 2717.0, 101.7);
    near(layer.queue_mean / layer.iops, 2.71, 0.005);
    near(little_queue(&layer), layer.queue_mean, 0.3);
}

/// A stripe over two units moves the wait, it does not remove it.
#[test]
fn six_small_readers_on_one_unit_and_on_a_stripe() {
    let one = read(5100.0, 5100.0 * 4.0, 0.98, 4.97);
    let legs = [read(2380.0, 2380.0 * 4.0, 1.25, 3.0), read(2380.0, 2380.0 * 4.0, 1.25, 3.0)];
    near(little_queue(&one), one.queue_mean, 0.05);
    near(little_queue(&legs[0]), legs[0].queue_mean, 0.05);
    assert!(legs.iter().map(|leg| leg.iops).sum::<f64>() < one.iops);
}

/// The same total on one unit and on two: the link is the limit.
#[test]
fn six_large_readers_on_one_unit_and_on_a_stripe() {
    let one = read(311.0, 311.0 * 1024.0, 19.3, 5.99);
    let legs = [read(152.0, 152.0 * 1024.0, 19.6, 3.0), read(153.0, 153.0 * 1024.0, 19.6, 3.0)];
    near(little_queue(&one), 5.99, 0.02);
    near(legs[0].bytes_per_s + legs[1].bytes_per_s, one.bytes_per_s, one.bytes_per_s * 0.02);
}

#[test]
fn multipath_that_caps_requests() {
    let requests = |mb_per_s: f64| mb_per_s * 1e6 / (64.0 * SECTOR);
    for mb_per_s in [159.7, 151.0] {
        let layer = read(requests(mb_per_s), mb_per_s * 1e6 / SECTOR, 1.0, 1.0);
        near(layer.mean_request_bytes, 32_768.0, 10.0);
    }
}
