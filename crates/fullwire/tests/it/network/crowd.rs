//! A responder with a thousand clients, hostile ones among them: what it costs, and what a new client notices.

use crate::tool::{Desk, serve};
use fullwire_model::net::NetPlan;
use fullwire_probe::net::wire::{
    Kind, PREAMBLE_BYTES, Preamble, Request, TestRequest, VERSION, Verdict, encode,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const CLIENTS: usize = 950;
const HOSTILE: usize = 50;
const MOST_MEMORY_KIB: u64 = 64 << 10;

/// A control connection that has been welcomed.
fn welcomed(address: &str) -> TcpStream {
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    socket.write_all(&Preamble { version: VERSION, kind: Kind::OpenControl }.encode()).unwrap();
    let mut verdict = [0; PREAMBLE_BYTES];
    socket.read_exact(&mut verdict).unwrap();
    assert_eq!(Verdict::decode(verdict).unwrap(), (VERSION, Verdict::Welcome));
    socket
}

/// A client that has requested a test: the responder has a thread for it and waits for its connections.
fn asking(address: &str) -> TcpStream {
    let mut socket = welcomed(address);
    let plan = NetPlan { duration_ns: 60_000_000_000, ..NetPlan::default() };
    let message = encode(&Request::Test(Box::new(TestRequest { plan, counters: false }))).unwrap();
    socket.write_all(&u16::try_from(message.len()).unwrap().to_be_bytes()).unwrap();
    socket.write_all(&message).unwrap();
    socket.read_exact(&mut [0; 2]).unwrap();
    socket
}

/// Peak of the resident memory of a process, KiB (`VmHWM` of proc(5)).
fn peak_memory_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_thousand_clients_and_hostile_ones_cost_little_and_a_new_one_is_served_at_once() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
    let desk = Desk::new();
    let (responder, address) = serve(&desk, &["--open", "--max-clients-per-address", "0"]);

    let clients: Vec<TcpStream> = (0..CLIENTS).map(|_| asking(&address)).collect();
    let hostile: Vec<TcpStream> = (0..HOSTILE)
        .map(|index| {
            let mut socket = TcpStream::connect(&address).unwrap();
            // Silent ones, and those that begin and leave it at that.
            socket
                .write_all(&Preamble { version: VERSION, kind: Kind::OpenControl }.encode()[..index % 9])
                .unwrap();
            socket
        })
        .collect();
    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            let begun = Instant::now();
            drop(welcomed(&address));
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    assert!(times[198] < Duration::from_millis(100), "p99 of a handshake: {:?}", times[198]);
    let memory = peak_memory_kib(responder.0.id());
    assert!(memory < MOST_MEMORY_KIB, "{memory} KiB");
    drop((clients, hostile));
}
