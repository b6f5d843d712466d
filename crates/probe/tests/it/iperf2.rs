//! The bridge to iperf 2: our client with a real server, a real client with our server, and what bad peers do.

use crate::ports::free_port;
use crate::real::RealServer;
use fullwire_model::net::{NetInterval, NetMode, NetPlan, Payload};
use fullwire_probe::iperf2::{Iperf2Limits, Iperf2Server, measure};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const INSTALL: &str = "iperf runs: install it (Debian: apt-get install iperf)";

/// Our server, ended with the test.
struct OurServer {
    server: Arc<Iperf2Server>,
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl OurServer {
    fn start(limits: Iperf2Limits) -> Self {
        let server = Arc::new(Iperf2Server::bind("127.0.0.1:0".parse().unwrap(), limits).unwrap());
        let (address, stop) = (server.local_addr().unwrap(), Arc::new(AtomicBool::new(false)));
        let (flag, running) = (Arc::clone(&stop), Arc::clone(&server));
        let thread = std::thread::spawn(move || running.run(&flag).unwrap());
        Self { server, address, stop, thread: Some(thread) }
    }

    /// Bytes that a real client reports in its last line of CSV (its field before the rate).
    fn real_client(&self, options: &[&str]) -> u64 {
        let port = self.address.port().to_string();
        let output = Command::new("timeout")
            .args(["-s", "KILL", "20", "iperf", "-c", "127.0.0.1", "-y", "C", "-p", &port])
            .args(options)
            .output()
            .expect(INSTALL);
        let text = String::from_utf8_lossy(&output.stdout);
        let bytes = text.lines().last().and_then(|line| line.rsplit(',').nth(1)?.parse().ok());
        bytes.unwrap_or_else(|| panic!("iperf {options:?}: {output:?}"))
    }
}

impl Drop for OurServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().unwrap().join();
    }
}

#[test]
fn our_client_measures_with_a_real_server_in_every_direction() {
    let never = AtomicBool::new(false);
    let variants: [fn(&mut NetPlan); 5] = [
        |_| {},
        |plan| plan.streams = 3,
        |plan| plan.reverse = true,
        |plan| (plan.reverse, plan.streams) = (true, 3),
        |plan| plan.bidir = true,
    ];
    for vary in variants {
        let server = RealServer::iperf2();
        let mut plan = server.plan();
        vary(&mut plan);
        let mut ticks = 0;
        let result = measure(&plan, &never, |_| ticks += 1).unwrap();
        assert!(result.throughput_bytes_per_s > 1e7, "{plan:?}: {}", result.throughput_bytes_per_s);
        assert!((0.9..2.0).contains(&result.duration_s), "{}", result.duration_s);
        assert!(ticks >= 3 && result.intervals.len() == ticks);
        assert_eq!(result.reverse_throughput_bytes_per_s.is_some(), plan.bidir);
        assert!(result.reverse_throughput_bytes_per_s.is_none_or(|rate| rate > 1e7));
        assert_eq!((result.tcp.is_some(), result.peer_tcp.is_some()), (!plan.reverse, plan.reverse));
        assert_eq!(result.incomplete, None, "{plan:?}");
    }
}

/// The server's own count of the same bytes is the judge of ours. Its own leaves out the four bytes in which it
/// looks for a header.
#[test]
fn what_we_call_arrived_is_what_the_real_server_counted() {
    // Reports by a line of CSV at the end of each connection. 2.1.8 does so for single streams only: after several at once its
    // reporter waits forever, and with it every later connection.
    let mut server = RealServer::iperf2_with(&["-y", "C"], Stdio::piped());
    let plan = NetPlan { duration_ns: 0, duration_bytes: 64 << 20, payload: Payload::Zero, ..server.plan() };
    let result = measure(&plan, &AtomicBool::new(false), |_| {}).unwrap();
    assert_eq!((result.bytes, result.incomplete), (64 << 20, None));
    let mut csv = String::new();
    let mut stdout = server.child.stdout.take().unwrap();
    let mut byte = [0];
    while byte != *b"\n" && stdout.read(&mut byte).unwrap() == 1 {
        csv.push(char::from(byte[0]));
    }
    let counted = csv.trim().rsplit(',').nth(1).and_then(|field| field.parse::<u64>().ok());
    assert_eq!(counted, Some((64 << 20) - 4), "{csv}");
}

#[test]
fn amount_rate_and_warm_up_are_kept_in_both_directions() {
    let never = AtomicBool::new(false);
    for reverse in [false, true] {
        let server = RealServer::iperf2();
        let plan = NetPlan { reverse, duration_ns: 0, duration_bytes: 32 << 20, streams: 2, ..server.plan() };
        let result = measure(&plan, &never, |_| {}).unwrap();
        assert_eq!((result.bytes, result.incomplete), (32 << 20, None), "reverse {reverse}");
        let server = RealServer::iperf2();
        let plan =
            NetPlan { reverse, rate_bytes_per_s: 2e7, streams: 2, warmup_ns: 500_000_000, ..server.plan() };
        let result = measure(&plan, &never, |_| {}).unwrap();
        assert!((0.9..1.5).contains(&result.duration_s), "{}", result.duration_s);
        let rate = result.throughput_bytes_per_s;
        assert!((1.7e7..2.3e7).contains(&rate), "reverse {reverse}: {rate}");
    }
}

#[test]
fn what_iperf_2_cannot_do_is_said() {
    let never = AtomicBool::new(false);
    let plan = NetPlan { target: "127.0.0.1".into(), mode: NetMode::Sync, ..NetPlan::default() };
    let error = measure(&plan, &never, |_| {}).unwrap_err();
    assert!(error.to_string().contains("synchronous"), "{error}");
    let plan = NetPlan { target: format!("iperf2://127.0.0.1:{}", free_port()).into(), ..NetPlan::default() };
    let error = measure(&plan, &never, |_| {}).unwrap_err();
    assert!(error.to_string().contains("iperf -s"), "{error}");
}

/// Like a server before 2.1: it takes the request for data as data.
#[test]
fn a_server_that_cannot_send_is_named_and_costs_no_more_than_the_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("iperf2://{}", listener.local_addr().unwrap());
    let plan = NetPlan {
        target: target.into(),
        reverse: true,
        duration_ns: 60_000_000_000,
        timeout_ns: 500_000_000,
        ..NetPlan::default()
    };
    let error = measure(&plan, &AtomicBool::new(false), |_| {}).unwrap_err();
    assert!(error.to_string().contains("2.1"), "{error}");
}

#[test]
fn a_stop_ends_a_test_at_once_in_either_direction() {
    for reverse in [false, true] {
        let server = RealServer::iperf2();
        let plan = NetPlan { reverse, duration_ns: 30_000_000_000, ..server.plan() };
        let stop = AtomicBool::new(false);
        let started = Instant::now();
        let told = |slice: &NetInterval| stop.store(slice.throughput_bytes_per_s > 0.0, Ordering::Relaxed);
        let result = measure(&plan, &stop, told).unwrap();
        assert!(result.bytes > 0 && started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    }
}

#[test]
fn a_real_client_is_served_in_every_direction() {
    let server = OurServer::start(Iperf2Limits::default());
    assert!(server.real_client(&["-t", "1"]) > 10_000_000);
    // The others leave the CPUs to the tests beside.
    for options in [&["-P", "3"][..], &["-X"], &["-C"], &["-R"]] {
        let moved = server.real_client(&[&["-t", "1", "-b", "300m"], options].concat());
        assert!(moved > 10_000_000, "{options:?}: {moved}");
    }
    let duplex = server.real_client(&["-t", "1", "-b", "300m", "--full-duplex"]);
    assert!(duplex > 10_000_000, "{duplex}");
}

/// What a real client prints in all.
fn printed(port: u16, options: &[&str]) -> String {
    let output = Command::new("timeout")
        .args(["-s", "KILL", "30", "iperf", "-c", "127.0.0.1", "-p", &port.to_string()])
        .args(options)
        .output()
        .expect(INSTALL);
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_real_client_sends_datagrams_and_gets_their_account() {
    let server = OurServer::start(Iperf2Limits::default());
    let text = printed(server.address.port(), &["-u", "-b", "10M", "-t", "1"]);
    assert!(!text.contains("did not receive ack"), "{text}");
    assert!(text.contains("Server Report"), "{text}");
    // 10 Mbit/s in datagrams of 1470 bytes are about 890 in a second, none of them lost on loopback.
    let account = text.lines().find(|line| line.contains(" ms ") && line.contains('/')).unwrap_or_default();
    assert!(account.contains("0/") && text.contains("Sent 89"), "{text}");
}

#[test]
fn a_real_clients_dual_tests_get_their_connection_back() {
    for way in ["-d", "-r"] {
        let server = OurServer::start(Iperf2Limits::default());
        let back = free_port().to_string();
        let text = printed(server.address.port(), &[way, "-t", "1", "-L", &back]);
        assert!(!text.contains("did not occur"), "{way}: {text}");
        assert!(text.matches("bits/sec").count() >= 2, "{way}: {text}");
    }
}

#[test]
fn a_real_clients_dual_tests_by_datagrams_come_back_at_their_rate() {
    for way in ["-d", "-r"] {
        let server = OurServer::start(Iperf2Limits::default());
        let back = free_port().to_string();
        let text =
            printed(server.address.port(), &["-u", "-b", "5M", way, "-t", "1", "-L", &back, "-f", "k"]);
        assert!(!text.contains("did not occur") && !text.contains("did not receive ack"), "{way}: {text}");
        // The client's own report of the datagrams that came back: 446 of 1,470 bytes a second are 5.24 Mbit/s.
        let ours = text.lines().rfind(|line| line.contains(" ms ") && line.contains('/')).unwrap_or_default();
        let words: Vec<&str> = ours.split_whitespace().collect();
        let rate = words
            .iter()
            .position(|word| *word == "Kbits/sec")
            .and_then(|at| words[at - 1].parse::<f64>().ok());
        assert!(text.matches(" ms ").count() == 2, "{way}: {text}");
        assert!(rate.is_some_and(|rate| (4_000.0..6_000.0).contains(&rate)), "{way}: {text}");
    }
}

#[test]
fn our_client_sends_datagrams_to_a_real_server() {
    let server = RealServer::iperf2_with(&["-u"], Stdio::null());
    let never = AtomicBool::new(false);
    let plan = NetPlan { mode: NetMode::Udp, rate_bytes_per_s: 1e6, ..server.plan() };
    let result = measure(&plan, &never, |_| {}).unwrap();
    let udp = result.udp.unwrap();
    assert!(udp.sent > 600 && udp.lost <= udp.sent / 50, "{udp:?}");
    assert!((result.throughput_bytes_per_s / 1e6 - 1.0).abs() < 0.1, "{}", result.throughput_bytes_per_s);
    // The farewell is stamped too: without it the server's jitter was a sixteenth of the whole test.
    assert!(udp.jitter_ns.is_some_and(|ns| ns < 20_000_000), "{udp:?}");
    let nobody = NetPlan { target: format!("iperf2://127.0.0.1:{}", free_port()).into(), ..plan };
    let error = measure(&nobody, &never, |_| {}).unwrap_err().to_string();
    assert!(error.contains("iperf -s -u"), "{error}");
}

#[test]
fn our_count_is_the_real_client_s() {
    let server = OurServer::start(Iperf2Limits::default());
    let sent = server.real_client(&["-n", "50M"]);
    let deadline = Instant::now() + Duration::from_secs(5);
    while server.server.received_bytes() < sent && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!((sent, server.server.received_bytes()), (50 << 20, 50 << 20));
}

/// Each holds its socket open while a real client is served.
#[test]
fn bad_peers_cost_nobody_else_anything_and_are_closed() {
    let limits = Iperf2Limits { idle: Duration::from_millis(300), ..Iperf2Limits::default() };
    let server = OurServer::start(limits);
    let say = |bytes: &[u8]| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(bytes).unwrap();
        stream
    };
    let held = [
        say(b"0123"),
        say(b"GET / HTTP/1.0\r\n\r\n"),
        say(&[0xff; 64]),
        say(&0x4001_0002_u32.to_be_bytes()),
        say(&0xc001_0079_u32.to_be_bytes()),
        say(&[&0x0080_0000_u32.to_be_bytes()[..], &[0xff; 100]].concat()),
    ];
    let started = Instant::now();
    assert!(server.real_client(&["-t", "1"]) > 10_000_000);
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    for (index, mut stream) in held.into_iter().enumerate() {
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        // An end or a reset; never data, never silence.
        match stream.read(&mut [0; 64]) {
            Ok(read) => assert_eq!(read, 0, "peer {index}"),
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "peer {index}"),
        }
    }
}

#[test]
fn a_full_server_closes_the_next_connection() {
    let server = OurServer::start(Iperf2Limits { connections: 1, ..Iperf2Limits::default() });
    let mut first = TcpStream::connect(server.address).unwrap();
    first.write_all(b"0123").unwrap();
    while server.server.received_bytes() < 4 {
        std::thread::yield_now();
    }
    let mut second = TcpStream::connect(server.address).unwrap();
    second.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    assert_eq!(second.read(&mut [0; 8]).unwrap(), 0);
    first.write_all(&[b'4'; 100]).unwrap();
}

#[test]
fn what_a_connection_may_move_is_limited() {
    let limits = Iperf2Limits { bytes: 4 << 20, connections_per_address: 2, ..Iperf2Limits::default() };
    let server = Iperf2Server::bind("127.0.0.1:0".parse().unwrap(), limits).unwrap();
    let address = server.local_addr().unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| server.run(&stop).unwrap());
        let mut socket = TcpStream::connect(address).unwrap();
        let block = vec![0; 1 << 20];
        let mut sent = 0_u64;
        while sent < 1 << 30 && socket.write_all(&block).is_ok() {
            sent += 1 << 20;
        }
        let received = server.received_bytes();
        // The place of the first is free when its thread has ended: until then one more is refused.
        let mut held = Vec::new();
        let deadline = Instant::now() + Duration::from_secs(20);
        while held.len() < 2 {
            let before = server.received_bytes();
            let mut one = TcpStream::connect(address).unwrap();
            let _ = one.write_all(b"0123");
            one.set_read_timeout(Some(Duration::from_millis(5))).unwrap();
            let is_open = |socket: &mut TcpStream| {
                socket.read(&mut [0]).is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
            };
            while server.received_bytes() == before && is_open(&mut one) {
                assert!(Instant::now() < deadline, "nothing is taken any more");
            }
            if server.received_bytes() > before {
                held.push(one);
            }
        }
        let mut third = TcpStream::connect(address).unwrap();
        third.set_read_timeout(Some(Duration::from_secs(3))).unwrap();
        let closed = matches!(third.read(&mut [0]), Ok(0));
        drop(held);
        stop.store(true, Ordering::Relaxed);
        assert!(received <= (4 << 20) + (1 << 20), "{received} bytes were taken");
        assert!(closed, "a third connection of the address was taken");
    });
}

/// A port that takes connections and closes them is no server on which nothing arrives.
#[test]
fn a_port_that_closes_at_once_is_no_throughput_of_0() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("iperf2://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().for_each(drop));
    let begun = Instant::now();
    let plan = NetPlan { target: target.into(), duration_ns: 1_000_000_000, ..NetPlan::default() };
    match measure(&plan, &AtomicBool::new(false), |_| {}) {
        // What the kernel had acknowledged before the port closed is all that can be said.
        Ok(result) => assert!(result.bytes > 0 && result.incomplete.is_some(), "{result:?}"),
        Err(error) => assert!(error.to_string().contains("is it an iperf 2 server?"), "{error}"),
    }
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
}
