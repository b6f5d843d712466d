//! A live iperf3 server and what strangers send it: cookie, parameters, states, results.
#![no_main]

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

// The first byte says how far the stranger keeps to the protocol: not at all, to the cookie, to the length as well.
fuzz_target!(|bytes: &[u8]| {
    let Some((manner, rest)) = bytes.split_first() else { return };
    let length = u32::try_from(rest.len()).unwrap().to_be_bytes();
    match manner % 3 {
        0 => stranger::say(port(), &[rest]),
        1 => stranger::say(port(), &[&[b'a'; 37], rest]),
        _ => stranger::say(port(), &[&[b'a'; 37], &length, rest]),
    }
});
