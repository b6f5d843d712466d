//! A live iperf 2 server and the headers and streams that strangers send it.
#![no_main]

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

// Half of the strangers begin like the real client, so that what follows is read as a header.
fuzz_target!(|bytes: &[u8]| {
    let Some((manner, rest)) = bytes.split_first() else { return };
    match manner % 2 {
        0 => stranger::say(port(), &[rest]),
        _ => stranger::say(port(), &[&0x4401_0078_u32.to_be_bytes(), rest]),
    }
});
