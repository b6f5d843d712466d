//! What a client that means harm can take: disk, memory, CPU, bytes that no limit counts.

use super::hostile::{assert_serves, connect, framed, is_shown_out, read_reply, welcomed};
use super::{Served, ms, quick};
use crate::disk::space::Mounted;
use crate::skips::given;
use fullwire_model::net::{NetMode, NetPlan};
use fullwire_probe::net::wire::{
    Kind, Preamble, Ready, Reply, Request, TestRequest, VERSION, encode, token_from_text,
};
use fullwire_probe::net::{Limits, NetError, ServeConfig, measure};
use std::io::Write as _;
use std::net::{TcpStream, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};

const MIB: u64 = 1 << 20;

fn ask(served: &Served, plan: NetPlan) -> (TcpStream, Reply) {
    let mut control = welcomed(served);
    let request = Request::Test(Box::new(TestRequest { plan, counters: false }));
    control.write_all(&framed(&encode(&request).unwrap())).unwrap();
    let reply = read_reply(&mut control);
    (control, reply)
}

fn ready(served: &Served, plan: NetPlan) -> (TcpStream, Ready) {
    match ask(served, plan) {
        (control, Reply::Ready(ready)) => (control, ready),
        (_, other) => panic!("not ready: {other:?}"),
    }
}

fn lane(served: &Served, token: &str) -> TcpStream {
    let mut socket = connect(served);
    socket.write_all(&Preamble { version: VERSION, kind: Kind::Data }.encode()).unwrap();
    socket.write_all(&token_from_text(token).unwrap()).unwrap();
    socket
}

fn free_bytes(path: &Path) -> u64 {
    let space = rustix::fs::statvfs(path).expect("space");
    space.f_bavail * space.f_frsize
}

fn written(streams: u32) -> NetPlan {
    NetPlan { mode: NetMode::Sync, write: true, length_bytes: 8192, streams, ..NetPlan::default() }
}

#[test]
fn files_of_clients_leave_the_file_system_its_margin() {
    let mounted = given!(Mounted::new(512 * MIB));
    let served = Served::start(ServeConfig { write_dir: Some(mounted.path()), ..ServeConfig::default() });
    let before = free_bytes(&mounted.path());
    let mut held = Vec::new();
    for _ in 0..6 {
        held.push(ask(&served, written(28)));
        let free = free_bytes(&mounted.path());
        assert!(free >= before / 8 * 7 - 4 * MIB, "{free} of {before} bytes are free");
    }
    assert!(matches!(held[0].1, Reply::Ready(_)), "{:?}", held[0].1);
    let Reply::Refused(why) = &held[5].1 else { panic!("all were served: {:?}", held[5].1) };
    assert!(why.contains("too full for"), "{why}");
    drop(held);
    let deadline = Instant::now() + Duration::from_secs(5);
    while free_bytes(&mounted.path()) + 2 * MIB < before {
        assert!(Instant::now() < deadline, "the space does not come back");
        std::thread::sleep(Duration::from_millis(50));
    }
    let plan = NetPlan { duration_ns: ms(200), ..written(2) };
    assert!(served.measure(plan).expect("there is room again").result.messages > 0);
}

/// The client has left before its files are made: no more of them are.
#[test]
fn files_are_not_prepared_for_a_client_that_left() {
    let mounted = given!(Mounted::new(512 * MIB));
    let served = Served::start(ServeConfig { write_dir: Some(mounted.path()), ..ServeConfig::default() });
    let before = free_bytes(&mounted.path());
    let mut control = welcomed(&served);
    let request = Request::Test(Box::new(TestRequest { plan: written(50), counters: false }));
    control.write_all(&framed(&encode(&request).unwrap())).unwrap();
    drop(control);
    // At no moment, not only at the end: they would be removed again.
    let begun = std::time::Instant::now();
    while begun.elapsed() < Duration::from_secs(1) {
        assert!(free_bytes(&mounted.path()) + 2 * MIB >= before, "files of nobody are there");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_serves(&served, "after a client that left");
}

/// A datagram now and then, forever: the test ends all the same, and so does its thread.
#[test]
fn datagrams_do_not_keep_a_test_alive() {
    for mode in [NetMode::Udp, NetMode::Interconnect] {
        let served = Served::open();
        let plan = NetPlan {
            mode,
            rate_bytes_per_s: if mode == NetMode::Udp { 1e6 } else { 0.0 },
            duration_ns: ms(200),
            ..NetPlan::default()
        };
        let (mut control, ready) = ready(&served, plan);
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(("127.0.0.1", ready.udp_ports[0])).unwrap();
        let token = token_from_text(&ready.tokens[0]).unwrap();
        socket.send(&[b"FWHI", &token[..]].concat()).unwrap();
        assert!(matches!(read_reply(&mut control), Reply::Go));
        drop(control);
        let mut datagram = [0; 64];
        datagram[..4].copy_from_slice(b"FWDG");
        let begun = Instant::now();
        // Refused: no one has that port any more.
        while socket.send(&datagram).is_ok() {
            assert!(begun.elapsed() < Duration::from_secs(4), "the lane is still there");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn the_lane_of_small_messages_is_no_way_round_a_limited_rate() {
    let limits = Limits { rate_bytes_per_s: 1e6, ..Limits::default() };
    let served = Served::start(ServeConfig { limits, ..ServeConfig::default() });
    let refused = served.measure(NetPlan {
        mode: NetMode::Sync,
        under_load: true,
        rate_bytes_per_s: 5e5,
        ..NetPlan::default()
    });
    let error = refused.unwrap_err();
    assert!(matches!(&error, NetError::Refused(why) if why.contains("--under-load")), "{error}");

    let plan = NetPlan { rate_bytes_per_s: 5e5, duration_ns: ms(20_000), ..NetPlan::default() };
    let (mut control, ready) = ready(&served, plan);
    let _main = lane(&served, &ready.tokens[0]);
    let mut side = lane(&served, &ready.tokens[1]);
    assert!(matches!(read_reply(&mut control), Reply::Go));
    let drained = side.try_clone().unwrap();
    std::thread::spawn(move || std::io::copy(&mut &drained, &mut std::io::sink()));
    let mut message = vec![0; 16 + (1 << 20)];
    message[8..16].copy_from_slice(&(1_u64 << 20).to_be_bytes());
    let begun = Instant::now();
    while side.write_all(&message).is_ok() {
        assert!(begun.elapsed() < Duration::from_secs(4), "still taken");
    }
    let Reply::Report(report) = read_reply(&mut control) else { panic!("no report") };
    let why = report.incomplete.expect("cut short");
    assert!(why.contains("bytes/s allowed"), "{why}");
}

#[test]
fn memory_and_lanes_are_shared_by_all_tests_and_given_back() {
    let askers = || NetPlan {
        mode: NetMode::Sync,
        reverse: true,
        streams: 128,
        length_bytes: 64,
        ..NetPlan::default()
    };
    for limits in
        [Limits { memory_bytes: 90 * MIB, ..Limits::default() }, Limits { lanes: 200, ..Limits::default() }]
    {
        let served = Served::start(ServeConfig { limits, ..ServeConfig::default() });
        let first = ready(&served, askers());
        let (_, Reply::Refused(why)) = ask(&served, askers()) else { panic!("both were let in") };
        assert!(why.contains("limit of streams"), "{why}");
        assert_serves(&served, "while one client has most of it");
        drop(first);
        let deadline = Instant::now() + Duration::from_secs(3);
        while !matches!(ask(&served, askers()).1, Reply::Ready(_)) {
            assert!(Instant::now() < deadline, "it does not come back");
        }
    }
    // By default, eight clients with all that one may ask for fit the packaged unit's 512 MiB.
    let served = Served::open();
    let held: Vec<_> = (0..8).map(|_| ask(&served, askers())).collect();
    let in_use = held.iter().filter(|(_, reply)| matches!(reply, Reply::Ready(_))).count();
    assert!((1..=5).contains(&in_use), "{in_use} tests of 75 MiB");
}

#[test]
fn a_rate_next_to_nothing_is_a_rate() {
    let served = Served::open();
    for plan in [
        NetPlan { rate_bytes_per_s: 1e-300, reverse: true, ..NetPlan::default() },
        NetPlan { rate_bytes_per_s: 1e-300, mode: NetMode::Udp, reverse: true, ..NetPlan::default() },
        NetPlan { open_loop_per_s: 1e-300, mode: NetMode::Sync, reverse: true, ..NetPlan::default() },
        NetPlan {
            rate_bytes_per_s: 1e-300,
            depth: 4,
            mode: NetMode::Sync,
            reverse: true,
            ..NetPlan::default()
        },
    ] {
        let plan = NetPlan { duration_ns: ms(300), length_bytes: 64, ..plan };
        let measured = measure(&served.plan(plan), &quick(), &mut |_| {});
        let said = format!("{measured:?}");
        assert!(!said.contains("bug"), "{said}");
    }
}

#[test]
fn a_peer_does_not_choose_what_the_kernel_loads() {
    let served = Served::open();
    let plan = NetPlan { congestion: "nowhere-to-be-found".into(), ..NetPlan::default() };
    let (mut control, reply) = ask(&served, plan);
    let Reply::Refused(why) = reply else { panic!("{reply:?}") };
    assert!(why.contains("tcp_available_congestion_control"), "{why}");
    let allowed = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap();
    let name = allowed.split_whitespace().next().unwrap().to_owned();
    let plan = NetPlan { congestion: name, busy_poll_us: 4_000_000, ..NetPlan::default() };
    let request = Request::Test(Box::new(TestRequest { plan, counters: false }));
    control.write_all(&framed(&encode(&request).unwrap())).unwrap();
    assert!(matches!(read_reply(&mut control), Reply::Ready(_)));
    drop(control);
    assert!(is_shown_out(&mut lane(&served, &"00".repeat(32))));
}
