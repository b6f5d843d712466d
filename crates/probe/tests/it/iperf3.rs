//! The bridge to iperf3: our client with a real server, a real client with our server, and what bad peers do.

use crate::ports::free_port;
use crate::real::RealServer;
use fullwire_model::net::{NetMode, NetPlan};
use fullwire_probe::iperf3::{Iperf3Limits, Iperf3Server, measure};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const COOKIE: &[u8; 37] = b"abcdefghijklmnopqrstuvwxyz2345672345\0";

/// Our server, ended with the test.
struct OurServer {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl OurServer {
    fn start() -> Self {
        let server = Iperf3Server::bind("127.0.0.1:0".parse().unwrap(), Iperf3Limits::default()).unwrap();
        let (address, stop) = (server.local_addr().unwrap(), Arc::new(AtomicBool::new(false)));
        let flag = Arc::clone(&stop);
        let thread = std::thread::spawn(move || server.run(&flag).unwrap());
        Self { address, stop, thread: Some(thread) }
    }

    /// A real client's JSON.
    fn real_client(&self, options: &[&str]) -> Value {
        let port = self.address.port().to_string();
        let output = Command::new("iperf3")
            .args(["-c", "127.0.0.1", "-p", &port, "-J"])
            .args(options)
            .output()
            .expect("iperf3 runs: install it (Debian: apt-get install iperf3)");
        let text = String::from_utf8_lossy(&output.stdout);
        let json: Value = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("iperf3 {options:?}: {error}: {text} {output:?}"));
        assert!(json.get("error").is_none(), "iperf3 {options:?}: {}", json["error"]);
        json
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).unwrap()
    }
}

impl Drop for OurServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().unwrap().join();
    }
}

fn number(json: &Value, path: &[&str]) -> f64 {
    let found = path.iter().fold(json, |value, key| &value[*key]);
    found.as_f64().unwrap_or_else(|| panic!("{path:?} is {found}"))
}

#[test]
fn our_client_measures_with_a_real_server_in_every_direction() {
    let server = RealServer::iperf3();
    let never = AtomicBool::new(false);
    let variants: [fn(&mut NetPlan); 4] =
        [|_| {}, |plan| plan.streams = 3, |plan| plan.reverse = true, |plan| plan.bidir = true];
    for vary in variants {
        let mut plan = server.plan();
        vary(&mut plan);
        let mut ticks = 0;
        let result = measure(&plan, &never, |_| ticks += 1).unwrap();
        assert!(result.throughput_bytes_per_s > 1e7, "{plan:?}: {}", result.throughput_bytes_per_s);
        assert!((0.9..2.0).contains(&result.duration_s), "{}", result.duration_s);
        assert!(ticks >= 3 && result.intervals.len() == ticks);
        assert_eq!(result.reverse_throughput_bytes_per_s.is_some(), plan.bidir);
        assert_eq!(result.tcp.is_some(), !plan.reverse);
    }
}

#[test]
fn our_client_counts_datagrams_with_a_real_server() {
    let server = RealServer::iperf3();
    for reverse in [false, true] {
        let plan = NetPlan { mode: NetMode::Udp, rate_bytes_per_s: 2e6, reverse, ..server.plan() };
        let result = measure(&plan, &AtomicBool::new(false), |_| {}).unwrap();
        let udp = result.udp.unwrap();
        // 2 MB/s in 1448-byte datagrams for a second.
        assert!((1000..1600).contains(&udp.sent), "{udp:?}");
        assert!(udp.lost * 50 < udp.sent, "{udp:?}");
        assert!((1.6e6..2.3e6).contains(&result.throughput_bytes_per_s), "{}", result.throughput_bytes_per_s);
    }
}

/// A server that sends without end when the test is over, and one that answers with these results.
fn hostile_server(results: &'static str) -> NetPlan {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let mut control = listener.accept().unwrap().0;
        control.read_exact(&mut [0; 37]).unwrap();
        control.write_all(&[9]).unwrap();
        let mut length = [0; 4];
        control.read_exact(&mut length).unwrap();
        control.read_exact(&mut vec![0; u32::from_be_bytes(length) as usize]).unwrap();
        control.write_all(&[10]).unwrap();
        let mut stream = listener.accept().unwrap().0;
        stream.read_exact(&mut [0; 37]).unwrap();
        control.write_all(&[1, 2]).unwrap();
        let endless = std::thread::spawn(move || {
            while stream.write_all(&[0; 64]).is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        control.read_exact(&mut [0]).unwrap();
        control.write_all(&[13]).unwrap();
        control.read_exact(&mut length).unwrap();
        control.read_exact(&mut vec![0; u32::from_be_bytes(length) as usize]).unwrap();
        let length = u32::try_from(results.len()).unwrap().to_be_bytes();
        control.write_all(&[&length, results.as_bytes(), &[14]].concat()).unwrap();
        endless.join().unwrap();
    });
    NetPlan {
        target: format!("iperf3://127.0.0.1:{port}").into(),
        streams: 1,
        duration_ns: 1_000_000_000,
        reverse: true,
        ..NetPlan::default()
    }
}

#[test]
fn a_server_that_never_ends_its_stream_does_not_hold_us() {
    let plan = hostile_server(r#"{"cpu_util_total":1,"streams":[{"id":1,"bytes":1}]}"#);
    let (say, hear) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let _ = say.send(measure(&plan, &AtomicBool::new(false), |_| {}));
    });
    let result = hear.recv_timeout(Duration::from_secs(60)).expect("it ends").unwrap();
    assert!(result.bytes > 0 && result.duration_s < 3.0, "{result:?}");
}

/// What did not come is no figure of 0.
#[test]
fn a_server_that_does_not_say_what_arrived_makes_no_result() {
    for results in [r#"{"cpu_util_total":1,"streams":[]}"#, "{}", "[]"] {
        let error = measure(&hostile_server(results), &AtomicBool::new(false), |_| {}).unwrap_err();
        assert!(error.to_string().contains("does not say what arrived"), "{results}: {error}");
    }
}

#[test]
fn what_iperf3_cannot_do_is_said() {
    let plan = NetPlan { target: "127.0.0.1".into(), mode: NetMode::Sync, ..NetPlan::default() };
    let error = measure(&plan, &AtomicBool::new(false), |_| {}).unwrap_err();
    assert!(error.to_string().contains("synchronous"), "{error}");
    let plan = NetPlan { target: format!("127.0.0.1:{}", free_port()).into(), ..NetPlan::default() };
    let error = measure(&plan, &AtomicBool::new(false), |_| {}).unwrap_err();
    assert!(error.to_string().contains("iperf3 -s"), "{error}");
}

#[test]
fn a_real_client_is_served_in_every_direction() {
    let server = OurServer::start();
    // One as fast as it can; the others leave the CPUs to the tests beside.
    for options in
        [&["-b", "0"][..], &["-P", "3"], &["-R"], &["-O", "1"], &["-w", "256K"], &["-N", "-l", "8K"]]
    {
        let json = server.real_client(&[&["-t", "1", "-b", "300M"], options].concat());
        assert!(number(&json, &["end", "sum_received", "bits_per_second"]) > 1e8, "{options:?}");
    }
    let json = server.real_client(&["-t", "1", "-b", "300M", "--bidir"]);
    assert!(number(&json, &["end", "sum_received", "bits_per_second"]) > 1e7);
    assert!(number(&json, &["end", "sum_received_bidir_reverse", "bits_per_second"]) > 1e7);
    // Neither the warm-up nor what comes after the end is part of the receiver's time or bytes.
    for datagrams in [&[][..], &["-u"]] {
        let json = server.real_client(&[&["-b", "80M", "-O", "1", "-t", "1"], datagrams].concat());
        let received = &json["end"]["streams"][0][if datagrams.is_empty() { "receiver" } else { "udp" }];
        let rate = json["end"].get("sum_received").unwrap_or(received)["bits_per_second"].as_f64().unwrap();
        assert!((72e6..88e6).contains(&rate), "{datagrams:?}: {}", json["end"]);
    }
    // The end is said before the last byte has arrived: all that was ordered counts, and at most a block more of each stream.
    for (options, ordered, block) in [
        (&["-n", "50M"][..], 50 << 20, 128 << 10),
        (&["-k", "40", "-l", "1M", "-P", "2"], 40 << 20, 1 << 20),
        // A window that is full at the end: most is then still on its way.
        (&["-n", "4M", "-l", "64K", "-w", "2M"], 4 << 20, 64 << 10),
    ] {
        let json = server.real_client(options);
        let received = number(&json, &["end", "sum_received", "bytes"]);
        let most = f64::from(ordered + 2 * block);
        assert!((f64::from(ordered)..=most).contains(&received), "{options:?}: {received}");
    }
}

#[test]
fn a_real_client_s_datagrams_are_counted() {
    let server = OurServer::start();
    for options in [
        &["-u", "-b", "16M"][..],
        &["-u", "-b", "16M", "-R"],
        &["-u", "-b", "8M", "-P", "2"],
        &["-u", "-b", "16M", "--udp-counters-64bit"],
    ] {
        let json = server.real_client(&[&["-t", "1"], options].concat());
        let packets = number(&json, &["end", "sum", "packets"]);
        assert!(packets > 30.0, "{options:?}: {packets}");
        assert!(number(&json, &["end", "sum", "lost_percent"]) < 2.0, "{options:?}");
    }
}

/// Each holds its socket open while a real client is served.
#[test]
fn bad_peers_cost_nobody_else_anything() {
    let server = OurServer::start();
    let mut held = Vec::new();
    let mut say = |bytes: &[u8]| {
        let mut stream = server.connect();
        stream.write_all(bytes).unwrap();
        held.push(stream);
    };
    let with_json = |text: &str| {
        let length = u32::try_from(text.len()).unwrap().to_be_bytes();
        [&COOKIE[..], &length, text.as_bytes()].concat()
    };
    say(b"");
    say(&COOKIE[..10]);
    say(b"GET / HTTP/1.0\r\nHost: db1\r\nUser-Agent: scanner\r\n\r\n");
    say(COOKIE);
    say(&[&COOKIE[..], &u32::MAX.to_be_bytes()].concat());
    say(&[&COOKIE[..], &0_u32.to_be_bytes()].concat());
    say(&[&COOKIE[..], &4096_u32.to_be_bytes(), b"{"].concat());
    say(&with_json(r#"{"tcp":true,"title":5}"#));
    say(&with_json(r#"{"tcp":true,"parallel":1000000,"len":-1}"#));
    say(&with_json(r#"{"tcp":true,"time":1}"#));
    say(&with_json(&"[".repeat(4000)));
    let started = Instant::now();
    let json = server.real_client(&["-t", "1"]);
    assert!(number(&json, &["end", "sum_received", "bits_per_second"]) > 1e8);
    // One second of test; the rest is what the bad ones could have cost.
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}

#[test]
fn bad_parameters_are_refused_with_iperf_s_own_codes() {
    let server = OurServer::start();
    for (text, code) in [
        (r#"{"tcp":true,"parallel":1000000}"#, 6),
        (r#"{"tcp":true,"len":-1}"#, 7),
        (r#"{"tcp":true,"title":5}"#, 114),
    ] {
        let mut stream = server.connect();
        let length = u32::try_from(text.len()).unwrap().to_be_bytes();
        stream.write_all(&[&COOKIE[..], &length, text.as_bytes()].concat()).unwrap();
        let mut answer = [0_u8; 10];
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        stream.read_exact(&mut answer).unwrap();
        assert_eq!((answer[0], answer[1], &answer[2..6]), (9, 0xfe, &u32::to_be_bytes(code)[..]), "{text}");
    }
}

/// A server with its own limits, ended with the test.
fn limited(limits: Iperf3Limits) -> OurServer {
    let server = Iperf3Server::bind("127.0.0.1:0".parse().unwrap(), limits).unwrap();
    let (address, stop) = (server.local_addr().unwrap(), Arc::new(AtomicBool::new(false)));
    let flag = Arc::clone(&stop);
    let thread = std::thread::spawn(move || server.run(&flag).unwrap());
    OurServer { address, stop, thread: Some(thread) }
}

/// Asks for a test as a client does, up to the point where its streams are waited for.
fn until_streams_are_waited_for(server: &OurServer, params: &str) -> TcpStream {
    waits_for_streams(server, params).0
}

/// The same, with the cookie that streams begin with.
fn waits_for_streams(server: &OurServer, params: &str) -> (TcpStream, [u8; 37]) {
    let mut control = server.connect();
    control.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let mut cookie = *COOKIE;
    for byte in &mut cookie[..36] {
        *byte = u8::try_from(fastrand::alphanumeric()).unwrap();
    }
    let length = u32::try_from(params.len()).unwrap().to_be_bytes();
    control.write_all(&[&cookie[..], &length, params.as_bytes()].concat()).unwrap();
    let mut states = [0; 2];
    control.read_exact(&mut states).unwrap();
    assert_eq!(states, [9, 10], "it asked for parameters, and then for streams");
    (control, cookie)
}

#[test]
fn a_test_without_datagrams_leaves_nothing_in_the_way_of_the_next_one() {
    let server = limited(Iperf3Limits { tests_per_address: 64, ..Iperf3Limits::default() });
    for _ in 0..20 {
        drop(until_streams_are_waited_for(&server, r#"{"udp":true,"parallel":8,"time":1}"#));
    }
    std::thread::sleep(Duration::from_millis(500));
    for _ in 0..2 {
        let json = server.real_client(&["-u", "-b", "8M", "-t", "1"]);
        assert!(number(&json, &["end", "sum", "packets"]) > 30.0);
    }
}

#[test]
fn rate_and_bytes_are_limited_both_ways() {
    let server = limited(Iperf3Limits { rate_bytes_per_s: 2e6, ..Iperf3Limits::default() });
    for options in [&["-t", "2"][..], &["-t", "2", "-R"], &["-t", "2", "-P", "4"]] {
        let json = server.real_client(options);
        let bytes = number(&json, &["end", "sum_received", "bytes"]);
        // What is in progress at the end drains at that rate, too, for up to three seconds.
        assert!((1e6..11e6).contains(&bytes), "{options:?}: {bytes} bytes in 2 s at 2 MB/s");
    }
    let server = limited(Iperf3Limits { bytes: 4 << 20, ..Iperf3Limits::default() });
    let port = server.address.port().to_string();
    for options in [&["-t", "5"][..], &["-t", "5", "-R"], &["-t", "5", "-u", "-b", "1G"]] {
        let started = Instant::now();
        let output = Command::new("iperf3")
            .args(["-c", "127.0.0.1", "-p", &port, "-J"])
            .args(options)
            .output()
            .expect("iperf3 runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("\"error\""), "{options:?} was not ended: {text}");
        assert!(started.elapsed() < Duration::from_secs(5), "{options:?}: {:?}", started.elapsed());
    }
}

/// A place of a test holds the streams that it announced. More would be held without a limit, and the port beside could accept
/// nobody.
#[test]
fn a_test_holds_no_more_connections_than_it_announced() {
    let server = limited(Iperf3Limits::default());
    let params = r#"{"tcp":true,"parallel":2,"time":60}"#;
    let (mut control, cookie) = waits_for_streams(&server, params);
    let stream = || {
        let mut stream = server.connect();
        stream.write_all(&cookie).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    };
    let _own = [stream(), stream()];
    let mut states = [0; 2];
    control.read_exact(&mut states).unwrap();
    assert_eq!(states, [1, 2], "it runs");
    // Each of the others begins a test of its own, or is told that there is no place for one.
    for mut other in (0..60).map(|_| stream()).collect::<Vec<_>>() {
        let mut state = [0];
        other.read_exact(&mut state).expect("it is not held in silence");
        assert!([9, 0xff].contains(&state[0]), "{state:?}");
    }
}

#[test]
fn one_address_takes_so_many_tests_and_all_so_many_streams() {
    let server = limited(Iperf3Limits { tests_per_address: 2, streams: 20, ..Iperf3Limits::default() });
    let held: Vec<_> =
        (0..2).map(|_| until_streams_are_waited_for(&server, r#"{"tcp":true,"time":1}"#)).collect();
    let mut third = server.connect();
    third.write_all(&[b'x'; 37]).unwrap();
    let mut answer = [0];
    third.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    third.read_exact(&mut answer).unwrap();
    assert_eq!(answer, [0xff], "access is denied");
    drop(held);
    let text = r#"{"tcp":true,"parallel":21}"#;
    let length = u32::try_from(text.len()).unwrap().to_be_bytes();
    let request = [&[b'y'; 36][..], &[0], &length, text.as_bytes()].concat();
    // Until the server has seen both of them leave, it denies this one access.
    let begun = std::time::Instant::now();
    let mut answer = [0; 6];
    while begun.elapsed() < Duration::from_secs(10) {
        let mut greedy = server.connect();
        greedy.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        greedy.write_all(&request).unwrap();
        if greedy.read_exact(&mut answer).is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!((answer[0], answer[1], answer[5]), (9, 0xfe, 6), "too many streams");
}
