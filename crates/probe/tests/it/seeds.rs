//! Seeds of the fuzz targets of protocols: each is decoded, or said to a live server, with every build. They are real
//! clients' messages (iperf3 3.12, iperf 2.1.8, our own) and what broke others; `fuzz/README.md` says how they were made.

#[path = "../../../../fuzz/cases/iperf3_json.rs"]
mod iperf3_json;
#[path = "../../../../fuzz/cases/net_wire.rs"]
mod net_wire;
#[path = "../../../../fuzz/cases/stranger.rs"]
mod stranger;

use fullwire_probe::iperf2::{Iperf2Limits, Iperf2Server};
use fullwire_probe::iperf3::{Iperf3Limits, Iperf3Server};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Name and bytes of each seed of a target.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seeds: Vec<_> = entries
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(path).unwrap())
        })
        .collect();
    seeds.sort_unstable();
    seeds
}

#[test]
fn our_own_messages_are_read_and_foreign_bytes_are_not() {
    let seeds = seeds("net_wire");
    assert!(seeds.len() >= 30, "{}", seeds.len());
    for (name, bytes) in seeds {
        let messages = net_wire::decode_all(&bytes);
        let expected = match name.as_str() {
            "session" => 3,
            "two-frames-one-message" => 1,
            name if name.starts_with("request-") || name.starts_with("reply-") => 1,
            _ => 0,
        };
        assert_eq!(messages, expected, "{name}");
    }
}

#[test]
fn what_real_iperf3_clients_ask_is_read() {
    for (name, bytes) in seeds("iperf3_json") {
        let is_read = iperf3_json::read(&bytes);
        assert!(is_read || name == "parameters-negative", "{name}");
    }
}

#[test]
fn every_stranger_of_iperf_is_borne_by_a_live_server() {
    let stop = AtomicBool::new(false);
    let duration = Duration::from_secs(1);
    let limits = Iperf3Limits { tests: 16, tests_per_address: 0, duration, ..Iperf3Limits::default() };
    let iperf3 = Iperf3Server::bind("0.0.0.0:0".parse().unwrap(), limits).unwrap();
    let idle = Duration::from_millis(200);
    let limits = Iperf2Limits { connections_per_address: 0, duration, idle, ..Iperf2Limits::default() };
    let iperf2 = Iperf2Server::bind("0.0.0.0:0".parse().unwrap(), limits).unwrap();
    let ports = (iperf3.local_addr().unwrap().port(), iperf2.local_addr().unwrap().port());
    std::thread::scope(|scope| {
        let servers = [scope.spawn(|| iperf3.run(&stop)), scope.spawn(|| iperf2.run(&stop))];
        for (_, bytes) in seeds("iperf3_server") {
            stranger::to_iperf3(ports.0, &bytes);
        }
        for (_, bytes) in seeds("iperf2_server") {
            stranger::to_iperf2(ports.1, &bytes);
        }
        // A connection is still taken by both; then they end as they were told, without a panic.
        for port in [ports.0, ports.1] {
            std::net::TcpStream::connect(("127.0.0.1", port)).expect("it still listens");
        }
        stop.store(true, Ordering::Relaxed);
        for server in servers {
            server.join().expect("no panic").expect("it goes on until it is told to stop");
        }
    });
}
