//! The network part of the worked figures: the input as given, the answer as given.

use super::attribution::{assert_blames, judged, merge};
use super::fixtures::case;
use fullwire_model::assessment::Layer;
use fullwire_rules::ceiling::network::frame::{self, Stack};
use fullwire_rules::ceiling::network::{bond, commit, loss, rfc6349, window};
use proptest::prelude::*;
use serde_json::json;

const GBIT: f64 = 1e9;
const MIB: f64 = 1_048_576.0;

fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} ± {tolerance}");
}

#[test]
fn goodput_of_gigabit_ethernet() {
    let with = Stack::tcp(1500);
    assert_eq!((with.payload_bytes(), with.wire_bytes()), (1448, 1538));
    near(with.goodput_fraction() * 100.0, 94.148, 0.0005);
    near(with.goodput_bytes_per_s(GBIT) / 1e6, 117.685, 0.0005);
    near(with.goodput_bytes_per_s(GBIT) / MIB, 112.233, 0.0005);

    let without = Stack { timestamps: false, ..with };
    near(without.goodput_fraction() * 100.0, 94.928, 0.0005);
    // The source cuts 118.6606 and 113.1636 off after three digits.
    near(without.goodput_bytes_per_s(GBIT) / 1e6, 118.660_6, 0.000_05);
    near(without.goodput_bytes_per_s(GBIT) / MIB, 113.163_6, 0.000_05);
    // oratcptest's ASYNC average in its own Mbyte.
    near(113.140 / (without.goodput_bytes_per_s(GBIT) / MIB) * 100.0, 99.98, 0.005);

    let jumbo = Stack::tcp(9000);
    near(jumbo.goodput_fraction() * 100.0, 99.004, 0.0005);
    near(jumbo.goodput_bytes_per_s(GBIT) / 1e6, 123.755, 0.0005);
}

#[test]
fn goodput_fractions_of_every_stack() {
    let tcp = Stack::tcp;
    let v6 = |mtu| Stack { ipv6: true, ..Stack::tcp(mtu) };
    let udp = |mtu_bytes| Stack { mtu_bytes, udp: true, ..Stack::default() };
    let tagged = |stack: Stack| Stack { vlan_tags: 1, ..stack };
    let table = [
        (tcp(1500), 0.941_482),
        (tagged(tcp(1500)), 0.939_040),
        (Stack { timestamps: false, ..tcp(1500) }, 0.949_285),
        (v6(1500), 0.928_479),
        (tagged(v6(1500)), 0.926_070),
        (tcp(9000), 0.990_042),
        (tagged(tcp(9000)), 0.989_604),
        (v6(9000), 0.987_829),
        (udp(1500), 0.957_087),
        (udp(9000), 0.992_697),
    ];
    for (stack, fraction) in table {
        near(stack.goodput_fraction(), fraction, 5e-7);
    }
    let tunnelled = Stack { vxlan: true, ..tcp(1500) };
    assert_eq!(tunnelled.wire_bytes(), 1588);
    near(tunnelled.goodput_fraction(), 0.9118, 5e-4);
}

#[test]
fn frames_of_a_database_block() {
    let udp = |mtu_bytes| Stack { mtu_bytes, udp: true, ..Stack::default() };
    assert_eq!(udp(1500).frames_per_block(8192), 6);
    assert_eq!(udp(1500).frames_per_block(2048), 2);
    assert_eq!(udp(9000).frames_per_block(8192), 1);
    assert_eq!(udp(9000).frames_per_block(32_768), 4);
    assert_eq!(Stack::tcp(1500).frames_per_block(8192), 6);
    assert_eq!(Stack::tcp(1500).frames_per_block(2048), 2);
    assert_eq!(Stack::tcp(9000).frames_per_block(8192), 1);
}

#[test]
fn the_smallest_mtu_is_that_of_the_path() {
    assert_eq!(frame::path_mtu_bytes(&[9000, 1500, 9000]), Some(1500));
    assert_eq!(frame::path_mtu_bytes(&[9000]), Some(9000));
}

#[test]
fn jumbo_frames_alone_gain_five_percent() {
    // 39 to 42 % were measured; the rest was CPU for each packet.
    near(Stack::tcp(1500).gain_of_mtu(9000), 1.0516, 0.0005);
}

#[test]
fn oratcptest_sync_identities() {
    let rates = [21.832, 25.967, 27.846, 28.155, 27.917];
    let latencies = [0.351, 0.295, 0.275, 0.272, 0.274];
    for (rate, latency) in rates.iter().zip(latencies) {
        let departure = commit::in_flight_departure(rate * MIB, latency * 1e6, 8020, 1);
        assert!(departure < 0.05, "{rate} MiB/s x {latency} ms departs by {departure}");
    }
    assert!(commit::in_flight_departure(26.335 * MIB, 0.291e6, 8020, 1) < 0.05);
    assert!(commit::in_flight_departure(26.335 * MIB, 0.291e6, 4096, 1) > 0.05);
}

#[test]
fn windows_and_products() {
    near(window::window_bytes_per_s(65_536.0, 100e6) * 8.0 / 1e6, 5.24, 0.005);
    near(window::bdp_bytes(10.0 * GBIT / 8.0, 0.2e6), 250e3, 1.0);
    near(window::bdp_bytes(10.0 * GBIT / 8.0, 1e6), 1.25e6, 1.0);
    near(window::bdp_bytes(10.0 * GBIT / 8.0, 20e6), 25e6, 1.0);
    near(window::bdp_bytes(100.0 * GBIT / 8.0, 10e6), 125e6, 1.0);
    near(window::bdp_bytes(GBIT / 8.0, 100e6), 12.5e6, 1.0);
    // 622 Mbit/s x 30 ms x 3, rounded up to 64 KiB.
    let exact = 3.0 * window::bdp_bytes(622e6 / 8.0, 30e6);
    near(exact, 6_997_500.0, 1.0);
    assert_eq!(window::buffer_for_bytes(exact / 3.0), 107 * 65_536);
    assert_eq!(window::window_of_buffer_bytes(6_291_456, 1), 3_145_728);
    assert_eq!(window::window_of_buffer_bytes(65_536, -2), 16_384);
    assert_eq!(window::flight_of_send_buffer_bytes(4_194_304), 2_097_152);
}

#[test]
fn slow_start_of_a_batch() {
    // 1 MiB from ten segments: 14,480 + 28,960 + ... needs seven round trips.
    assert_eq!(window::cold_round_trips(1 << 20, 1448), 7);
    assert_eq!(window::cold_round_trips(8192, 1448), 1);
}

#[test]
fn mathis_explains_loss() {
    near(loss::mathis_loss_for(1448, 1e6, 10.0 * GBIT / 8.0), 2e-6, 0.1e-6);
    near(loss::mathis_loss_for(1448, 20e6, 10.0 * GBIT / 8.0), 5e-9, 0.1e-9);
    near(loss::mathis_loss_for(8948, 20e6, 10.0 * GBIT / 8.0), 1.9e-7, 0.05e-7);
    near(loss::mathis_bytes_per_s(1448, 20e6, 1e-5) * 8.0 / 1e9, 0.22, 0.01);
    near(loss::mathis_bytes_per_s(8948, 20e6, 1e-5) * 8.0 / 1e9, 1.38, 0.01);
}

#[test]
fn bonds_by_mode_and_hash() {
    assert_eq!(bond::reachable_links("balance-rr", "layer2", 2, 1), 2);
    assert_eq!(bond::reachable_links("802.3ad", "layer2", 2, 8), 1);
    assert_eq!(bond::reachable_links("802.3ad", "layer2+3", 2, 8), 1);
    assert_eq!(bond::reachable_links("802.3ad", "layer3+4", 2, 8), 2);
    assert_eq!(bond::reachable_links("802.3ad", "layer3+4", 2, 1), 1);
    assert_eq!(bond::reachable_links("active-backup", "layer3+4", 2, 8), 1);
    for (links, flows, expected) in
        [(2, 2, 1.50), (2, 4, 1.88), (2, 8, 1.99), (4, 4, 2.73), (4, 8, 3.60), (4, 16, 3.96)]
    {
        near(bond::expected_links(links, flows), expected, 0.006);
    }
}

#[test]
fn synchronous_commits() {
    near(commit::one_in_flight_bytes_per_s(8192, 0.5e6) / MIB, 15.6, 0.05);
}

#[test]
fn measures_of_rfc_6349() {
    near(rfc6349::transfer_time_ratio(50e6, 100e6), 2.0, 1e-9);
    near(rfc6349::tcp_efficiency_percent(100_000, 2_000), 98.0, 1e-9);
    near(rfc6349::tcp_efficiency_percent(0, 0), 100.0, 1e-9);
    near(rfc6349::buffer_delay_percent(32e6, 25e6), 28.0, 1e-9);
}

#[test]
fn pci_express_by_generation() {
    near(frame::pcie_bit_per_s(2.5, 4) / 1e9, 8.0, 1e-9);
    near(frame::pcie_bit_per_s(8.0, 8) / 1e9, 63.015, 0.001);
    // 8 GT/s x4 is 3.938 GB/s with the headers of its packets, of which 128, 256 or 512 bytes of payload leave 84, 91
    // and 96 per cent.
    let payload = |bytes| frame::pcie_payload_bytes_per_s(8.0, 4, bytes) / 1e9;
    near(frame::pcie_bit_per_s(8.0, 4) / 8e9, 3.9385, 0.0001);
    near(payload(128), 3.3166, 0.0001);
    near(payload(256), 3.6009, 0.0001);
    near(payload(512), 3.7621, 0.0001);
}

proptest! {
    #[test]
    fn a_larger_mtu_never_carries_less(mtu in 576_u64..9_000, more in 0_u64..1_000) {
        prop_assert!(Stack::tcp(mtu + more).goodput_fraction() >= Stack::tcp(mtu).goodput_fraction());
    }

    #[test]
    fn frames_hold_the_block(mtu in 576_u64..9_216, block in 1_u64..1_000_000, udp: bool, ipv6: bool) {
        let stack = Stack { mtu_bytes: mtu, udp, ipv6, timestamps: true, ..Stack::default() };
        prop_assert!(stack.frames_per_block(block) * mtu >= block);
    }

    #[test]
    fn a_bond_uses_no_more_than_it_has(links in 1_u64..16, flows in 1_u64..64) {
        let used = bond::expected_links(links, flows);
        prop_assert!(used <= links.min(flows) as f64 + 1e-9 && used >= 1.0 - 1e-9);
    }
}

/// A summary of few samples has all percentiles, each of the samples that there are.
#[test]
fn percentiles_of_few_samples_are_of_those_samples() {
    use fullwire_model::latency::{Latency, LatencyRecorder};
    let mut recorder = LatencyRecorder::new();
    assert_eq!(recorder.finish(), Latency::default(), "without samples everything is 0");
    recorder.record_all(&[1000, 2000]);
    let latency = recorder.finish();
    assert_eq!((latency.count, latency.min, latency.p50), (2, 1000, 1000));
    assert!(latency.p99 >= 2000 && latency.p99 == latency.p9999, "{latency:?}");
    assert_eq!(latency.p9999, latency.max);
}

/// A window that began at the line's rate takes a second to come down to what the loss keeps.
#[test]
fn a_stream_that_losses_slow_down_is_judged_by_what_it_fell_to() {
    let mut run = serde_json::to_value(&case("packet-loss", "fires/a-window-that-comes-down").run).unwrap();
    merge(&mut run, json!({"command": {"expect_bytes_per_s": 9.65e6}}));
    let assessment = judged(run.clone());
    assert_blames(&assessment, Layer::Network, "packet-loss", &[]);
    assert_eq!(assessment.paths[0].measured, Some(1.5e6));
    // Two streams that fall as well come to the same by chance: none has come to a rate that the path could have.
    let mut beside = run["net"][0].clone();
    merge(&mut beside, json!({"streams": 2, "throughput_bytes_per_s": 4.4e6}));
    let mut both = run.clone();
    both["net"].as_array_mut().unwrap().push(beside);
    assert_blames(&judged(both), Layer::Network, "packet-loss", &["a shaper, policer"]);
    // A second half that begins higher and then stays level is no fall that goes on.
    let mut level = run.clone();
    level["net"][0]["throughput_bytes_per_s"] = json!(1.3e6);
    for (at, rate) in [2.4e6, 1.8e6, 0.1e6, 0.97e6, 0.8e6, 0.82e6].into_iter().enumerate() {
        level["net"][0]["intervals"][at]["throughput_bytes_per_s"] = json!(rate);
    }
    assert!(judged(level).paths[0].measured > Some(1.2e6));
    // Without a loss the fall has another reason, and the mean is the figure.
    run["net"][0]["tcp"]["retransmits"] = json!(0);
    assert!(judged(run).paths[0].measured > Some(4e6));
}
