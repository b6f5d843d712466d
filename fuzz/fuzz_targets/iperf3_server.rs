//! A live iperf3 server and what strangers send it: cookie, parameters, states, results.
#![no_main]

#[allow(dead_code, reason = "the other server's stranger is in it as well")]
#[path = "../cases/stranger.rs"]
mod stranger;

use fullwire_probe::iperf3::{Iperf3Limits, Iperf3Server};
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

static NEVER: AtomicBool = AtomicBool::new(false);

fn port() -> u16 {
    static PORT: OnceLock<u16> = OnceLock::new();
    *PORT.get_or_init(|| {
        let limits = Iperf3Limits {
            tests: 16,
            tests_per_address: 0,
            duration: Duration::from_secs(1),
            ..Iperf3Limits::default()
        };
        let server = Iperf3Server::bind("0.0.0.0:0".parse().unwrap(), limits).unwrap();
        let port = server.local_addr().unwrap().port();
        std::thread::spawn(move || server.run(&NEVER).expect("the server goes on"));
        port
    })
}

fuzz_target!(|bytes: &[u8]| stranger::to_iperf3(port(), bytes));
