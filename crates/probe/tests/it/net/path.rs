//! Paths with set properties: network namespaces of our own, which takes root.

use crate::skips::{given, skipped};
use fullwire_model::net::{NetMode, NetPlan, NetResult};
use std::process::Command;

/// A pair of namespaces with a cable between them, removed when dropped.
struct Wire {
    names: [String; 2],
}

impl Wire {
    /// `None` without root or `ip`.
    fn new(tag: &str) -> Option<Self> {
        let names = ["a", "b"].map(|end| format!("fw{tag}{end}{}", std::process::id() % 10_000));
        let wire = Self { names };
        let made = ip(&["netns", "add", &wire.names[0]]) && ip(&["netns", "add", &wire.names[1]]);
        if !made {
            skipped("needs root and iproute2");
            return None;
        }
        let [a, b] = &wire.names;
        assert!(ip(&["-n", a, "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", b]));
        for (name, address) in [(a, "10.99.0.1/24"), (b, "10.99.0.2/24")] {
            assert!(ip(&["-n", name, "addr", "add", address, "dev", "eth0"]));
            assert!(ip(&["-n", name, "link", "set", "eth0", "up"]));
        }
        Some(wire)
    }

    /// Runs a program at one end.
    fn run(&self, end: usize, program: &str, arguments: &[&str]) -> bool {
        let mut words = vec!["netns", "exec", &self.names[end], program];
        words.extend_from_slice(arguments);
        ip(&words)
    }

    /// Measures from the first end to the second: this test program again, in each namespace.
    fn measure(&self, plan: &NetPlan) -> NetResult {
        let me = std::env::current_exe().unwrap();
        let end = |end: usize, role: &str| {
            let mut command = Command::new("ip");
            command.args(["netns", "exec", &self.names[end]]).arg(&me);
            command.args(["--exact", "net::path::an_end_of_a_wire", "--nocapture", "--test-threads=1"]);
            command
                .env("FULLWIRE_TEST_END", role)
                .env("FULLWIRE_TEST_PLAN", serde_json::to_string(plan).unwrap());
            command
        };
        let mut responder = end(1, "serve").stdout(std::process::Stdio::null()).spawn().unwrap();
        let output = end(0, "measure").output().unwrap();
        let _ = responder.kill();
        let _ = responder.wait();
        let text = String::from_utf8_lossy(&output.stdout);
        let json = text.lines().find_map(|line| line.split_once("RESULT ").map(|(_, json)| json));
        serde_json::from_str(
            json.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr))),
        )
        .unwrap()
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        for name in &self.names {
            ip(&["netns", "del", name]);
        }
    }
}

fn ip(words: &[&str]) -> bool {
    Command::new("ip").args(words).output().is_ok_and(|output| output.status.success())
}

/// Not its own test: one end of a wire when the tests below call this program in a namespace.
#[test]
fn an_end_of_a_wire() {
    use fullwire_probe::net::{ConnectOptions, Responder, ServeConfig, measure};
    let Ok(role) = std::env::var("FULLWIRE_TEST_END") else { return };
    if role == "serve" {
        let config = ServeConfig { listen: "10.99.0.2:5555".into(), once: true, ..ServeConfig::default() };
        Responder::bind(config).unwrap().run(&std::sync::atomic::AtomicBool::new(false));
        return;
    }
    let plan: NetPlan = serde_json::from_str(&std::env::var("FULLWIRE_TEST_PLAN").unwrap()).unwrap();
    let plan = NetPlan { target: "10.99.0.2".into(), ..plan };
    let options = ConnectOptions { facts: false, ..ConnectOptions::default() };
    let report = (0..50)
        .find_map(|_| {
            let outcome = measure(&plan, &options, &mut |_| {});
            if matches!(outcome, Err(fullwire_probe::net::NetError::Connect { .. })) {
                std::thread::sleep(std::time::Duration::from_millis(100));
                return None;
            }
            Some(outcome)
        })
        .expect("the responder listens");
    println!("RESULT {}", serde_json::to_string(&report.unwrap().result).unwrap());
}

#[test]
fn a_token_bucket_sets_the_rate_and_the_queue_shows_in_the_round_trip() {
    let wire = given!(Wire::new("tbf"));
    assert!(wire.run(
        0,
        "tc",
        &[
            "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", "200mbit", "burst", "64kb", "latency",
            "50ms"
        ]
    ));
    let result =
        wire.measure(&NetPlan { duration_ns: 3_000_000_000, warmup_ns: 500_000_000, ..NetPlan::default() });
    assert_eq!(result.incomplete, None);
    // 200 Mbit/s of frames as the queue counts them, with 14 bytes of Ethernet header, carry this much payload.
    let expected = 200e6 / 8.0 * 1448.0 / 1514.0;
    let share = result.throughput_bytes_per_s / expected;
    assert!((0.97..=1.03).contains(&share), "{} of {expected} bytes/s", result.throughput_bytes_per_s);
    let (idle, loaded) = (result.rtt_idle_ns.unwrap(), result.rtt_loaded_ns.unwrap());
    assert!(loaded.p50 > 3 * idle.p50 && loaded.p50 > 1_000_000, "idle {} loaded {}", idle.p50, loaded.p50);
}

#[test]
fn a_black_hole_ends_with_a_partial_result_and_says_what_was_seen() {
    let wire = given!(Wire::new("hole"));
    // What is longer than 1000 bytes vanishes without a word, in both directions, as behind a filter that eats ICMP.
    for end in [0, 1] {
        assert!(wire.run(end, "ethtool", &["-K", "eth0", "tso", "off", "gso", "off", "gro", "off"]));
        assert!(wire.run(
            end,
            "iptables",
            &["-A", "INPUT", "-m", "length", "--length", "1000:65535", "-j", "DROP"]
        ));
    }
    let plan = NetPlan { duration_ns: 60_000_000_000, timeout_ns: 2_000_000_000, ..NetPlan::default() };
    let begun = std::time::Instant::now();
    let result = wire.measure(&plan);
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    let why = result.incomplete.expect("it ended before its time");
    assert!(why.contains("no data moved") && why.contains("0.00 MB acknowledged"), "{why}");
    assert_eq!(result.bytes, 0);
    assert!(result.tcp.unwrap().retransmits > 0);
}

#[test]
fn lost_fragments_are_told_from_lost_packets() {
    let wire = given!(Wire::new("frag"));
    assert!(wire.run(1, "iptables", &["-t", "raw", "-A", "PREROUTING", "-f", "-j", "DROP"]));
    let result = wire.measure(&NetPlan {
        mode: NetMode::Interconnect,
        length_bytes: 8192,
        duration_ns: 2_000_000_000,
        ..NetPlan::default()
    });
    let udp = result.udp.unwrap();
    assert!(udp.lost > 0 && udp.lost >= udp.sent / 4, "{udp:?}");
    assert!(udp.small_loss.unwrap().abs() < f64::EPSILON, "{udp:?}");
}
