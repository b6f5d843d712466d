//! The worked figures of storage: the founding measurements, by the arithmetic that the ceilings use.

use fullwire_rules::ceiling::network::frame::Stack;
use fullwire_rules::ceiling::storage::link::{
    PROTOCOL_SHARE, fibre_channel_bytes_per_s, network_storage_bytes_per_s, serial_lane_bytes_per_s,
};
use fullwire_rules::ceiling::storage::queue::{
    commits_per_s, depth_bound_io_per_s, largest_request_bytes, mean_queue, raid_io_per_s,
    request_bound_bytes_per_s, requests_for, spindle_io_per_s, write_penalty,
};
use proptest::prelude::*;

const MIB: f64 = 1_048_576.0;

#[track_caller]
fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} ± {tolerance}");
}

#[test]
fn one_mib_against_two_kib_reads() {
    // One in flight: size over latency. 1 GiB took 95.98 s in small reads and 6.77 s in large ones.
    near(2048.0 * depth_bound_io_per_s(1, 0.183e6) / MIB, 10.67, 0.01);
    near(depth_bound_io_per_s(1, 6.611e6), 151.26, 0.01);
}

#[test]
fn splits() {
    assert_eq!(requests_for(1 << 20, 512 << 10), 2);
    // 32 KiB requests of the multipath driver: 32 of them for 1 MiB.
    assert_eq!(requests_for(1 << 20, 32 << 10), 32);
    assert_eq!(requests_for(1 << 20, 64 * 512), 32);
    // The file system's read-ahead: 256 sectors whatever is asked.
    assert_eq!(requests_for(1 << 20, 256 * 512), 8);
}

#[test]
fn little_agrees_with_iostat() {
    near(mean_queue(308.0, 14.49e6), 4.46, 0.005);
    near(mean_queue(308.0, 14.49e6) / 4.48, 1.0, 0.005);
    // The saturated disk: 101.7 waiting at 37.5 a second are 2.71 s each.
    near(mean_queue(37.5, 2_717e6), 101.9, 0.05);
}

#[test]
fn a_stripe_moves_the_wait_and_does_not_remove_it() {
    // Six readers of 2 KiB: one LUN 5,100 a second, two of 2,380 each 4,760.
    near(mean_queue(5_100.0, 0.98e6), 4.97, 0.03);
    near(mean_queue(2_380.0, 1.25e6), 2.98, 0.01);
    // Six readers of 512 KiB: the same total, so the link is the limit.
    near(mean_queue(311.0, 19.3e6), 5.99, 0.02);
    near(request_bound_bytes_per_s(524_288.0, 311.0) / MIB, 155.5, 0.01);
}

#[test]
fn spindles_follow_their_formula() {
    near(spindle_io_per_s(2.0, 3.8), 147.0, 0.1);
    near(spindle_io_per_s(2.0, 3.8) * 8.0 / 1024.0, 1.15, 0.005);
    near(spindle_io_per_s(3.0, 4.9), 112.4, 0.05);
    near(spindle_io_per_s(3.0, 4.9) * 8.0, 900.0, 1.5);
    // The source prints 13.2 ms and 75 IOPS, which leaves out its own 1 ms: 14.2 ms, 70 IOPS.
    near(spindle_io_per_s(4.2, 9.0), 70.4, 0.05);
}

#[test]
fn raid_ten_against_raid_five() {
    let (ten, five) = (raid_io_per_s(8, 140.0, 0.7, 2.0), raid_io_per_s(8, 140.0, 0.7, 4.0));
    near(ten, 8.0 * 140.0 / 1.3, 1e-9);
    near(five, 8.0 * 140.0 / 1.9, 1e-9);
    near(ten / five, 1.46, 0.005);
    assert_eq!(
        (write_penalty("raid10"), write_penalty("raid5"), write_penalty("raid6")),
        (Some(2.0), Some(4.0), Some(6.0))
    );
}

#[test]
fn links() {
    near(serial_lane_bytes_per_s(6.0), 600e6, 1.0);
    near(serial_lane_bytes_per_s(12.0), 1_200e6, 1.0);
    near(serial_lane_bytes_per_s(22.5), 2_400e6, 1.0);
    for (gbit, mb) in [(4.0, 400.0), (8.0, 800.0), (16.0, 1_600.0), (32.0, 3_200.0), (64.0, 6_400.0)] {
        near(fibre_channel_bytes_per_s(gbit) / 1e6, mb, 1e-9);
    }
    // 10 Gbit/s Ethernet, before the protocol's own headers: 1,177 and 1,238 MB/s.
    let ethernet = |mtu| network_storage_bytes_per_s(&Stack::tcp(mtu), 10e9, 1) / PROTOCOL_SHARE / 1e6;
    near(ethernet(1500), 1_177.0, 0.5);
    near(ethernet(9000), 1_238.0, 0.5);
}

#[test]
fn queues_and_flushes() {
    near(depth_bound_io_per_s(8, 20e6), 400.0, 1e-9);
    near(commits_per_s(20e6), 50.0, 1e-9);
    // NVMe's 128 segments of 4 KiB are 512 KiB; virtio's 254 are 1016 KiB.
    assert_eq!(largest_request_bytes(4 << 20, Some(128), 4096), 512 << 10);
    assert_eq!(largest_request_bytes(4 << 20, Some(254), 4096), 1016 << 10);
    assert_eq!(largest_request_bytes(128 << 10, None, 4096), 128 << 10);
}

proptest! {
    #[test]
    fn little_is_its_own_inverse(depth in 1u64..4096, latency_ns in 1.0e3f64..1.0e10) {
        let rate = depth_bound_io_per_s(depth, latency_ns);
        let back = mean_queue(rate, latency_ns);
        prop_assert!((back - depth as f64).abs() / depth as f64 <= 1e-9);
    }

    #[test]
    fn requests_cover_the_block(block in 1u64..1 << 40, limit in 0u64..1 << 30) {
        let requests = requests_for(block, limit);
        prop_assert!(requests >= 1);
        prop_assert!(u128::from(requests) * u128::from(limit.max(1)) >= u128::from(block));
    }

    #[test]
    fn more_writes_never_raise_a_raid_sets_rate(share in 0.0f64..1.0, less in 0.0f64..1.0, penalty in 1.0f64..6.0) {
        let (reads, fewer) = (share.max(less), share.min(less));
        prop_assert!(raid_io_per_s(4, 100.0, reads, penalty) >= raid_io_per_s(4, 100.0, fewer, penalty));
    }
}
