//! A live iperf 2 server and the headers and streams that strangers send it.
#![no_main]

#[allow(dead_code, reason = "the other server's stranger is in it as well")]
#[path = "../cases/stranger.rs"]
mod stranger;

use fullwire_probe::iperf2::{Iperf2Limits, Iperf2Server};
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

static NEVER: AtomicBool = AtomicBool::new(false);

fn port() -> u16 {
    static PORT: OnceLock<u16> = OnceLock::new();
    *PORT.get_or_init(|| {
        let duration = Duration::from_secs(1);
        let limits = Iperf2Limits {
            connections: 256,
            connections_per_address: 0,
            duration,
            idle: Duration::from_millis(200),
            ..Iperf2Limits::default()
        };
        let server = Iperf2Server::bind("0.0.0.0:0".parse().unwrap(), limits).unwrap();
        let port = server.local_addr().unwrap().port();
        std::thread::spawn(move || server.run(&NEVER).expect("the server goes on"));
        port
    })
}

fuzz_target!(|bytes: &[u8]| stranger::to_iperf2(port(), bytes));
