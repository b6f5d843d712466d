//! What reaches an open port in life: the regression classes of a decade of iperf3 and similar ones.
//! Each must cost no one else anything.

use super::{Served, ms, quick};
use fullwire_model::net::{NetMode, NetPlan};
use fullwire_probe::net::wire::{
    Kind, PREAMBLE_BYTES, Preamble, Reply, Request, TOKEN_BYTES, TestRequest, VERSION, Verdict, encode,
    take_message,
};
use fullwire_probe::net::{ConnectOptions, NetError, ServeConfig, measure};
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub(super) fn connect(served: &Served) -> TcpStream {
    let socket = TcpStream::connect(served.address).expect("the port accepts");
    socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    socket
}

/// A control connection without a key, welcomed.
pub(super) fn welcomed(served: &Served) -> TcpStream {
    let mut socket = connect(served);
    socket.write_all(&Preamble { version: VERSION, kind: Kind::OpenControl }.encode()).unwrap();
    let mut verdict = [0; PREAMBLE_BYTES];
    socket.read_exact(&mut verdict).unwrap();
    assert_eq!(Verdict::decode(verdict).unwrap(), (VERSION, Verdict::Welcome));
    socket
}

pub(super) fn framed(body: &[u8]) -> Vec<u8> {
    let mut bytes = u16::try_from(body.len()).unwrap().to_be_bytes().to_vec();
    bytes.extend_from_slice(body);
    bytes
}

pub(super) fn message(json: &str) -> Vec<u8> {
    let mut body = u32::try_from(json.len()).unwrap().to_be_bytes().to_vec();
    body.extend_from_slice(json.as_bytes());
    framed(&body)
}

/// Reads until the peer ends; true if it did so in time.
pub(super) fn is_shown_out(socket: &mut TcpStream) -> bool {
    let mut buffer = [0; 4096];
    loop {
        match socket.read(&mut buffer) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe),
        }
    }
}

/// Others are served in under a second.
pub(super) fn assert_serves(served: &Served, while_what: &str) {
    let begun = Instant::now();
    let plan = NetPlan { mode: NetMode::Rtt, duration_ns: ms(50), ..NetPlan::default() };
    let result = served.measure(plan).unwrap_or_else(|error| panic!("{while_what}: {error}")).result;
    assert!(result.messages > 0, "{while_what}");
    assert!(begun.elapsed() < Duration::from_secs(1), "{while_what}: took {:?}", begun.elapsed());
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Who comes from iperf looks at these lines.
#[test]
fn an_iperf_at_the_wrong_port_is_told_to_whoever_serves() {
    let lines = Arc::new(Mutex::new(String::new()));
    let told = Arc::clone(&lines);
    let log = Arc::new(move |line: &str| told.lock().expect("no panic").push_str(line));
    let served = Served::start(ServeConfig { log, ..ServeConfig::default() });
    let mut socket = connect(&served);
    socket.write_all(b"abcdefghijklmnopqrstuvwxyz234567abcd\0").unwrap();
    assert!(is_shown_out(&mut socket));
    let said = lines.lock().expect("no panic").clone();
    assert!(said.contains("--iperf3-port"), "{said:?}");
}

#[test]
fn wrong_bytes_are_shown_out_at_once() {
    let served = Served::open();
    let data = Preamble { version: VERSION, kind: Kind::Data }.encode();
    let mut unknown_kind = data;
    unknown_kind[9] = 9;
    let guessed = [&data[..], &[7; TOKEN_BYTES]].concat();
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("HTTP", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec()),
        ("TLS", vec![0x16, 3, 1, 0, 200, 1, 0, 0]),
        ("an iperf3 cookie", b"abcdefghijklmnopqrstuvwxyz234567abcd\0".to_vec()),
        ("zeros", vec![0; 64]),
        ("an unknown kind", unknown_kind.to_vec()),
        ("a guessed token", guessed),
    ];
    for (what, bytes) in cases {
        let mut socket = connect(&served);
        socket.write_all(&bytes).unwrap();
        let begun = Instant::now();
        assert!(is_shown_out(&mut socket), "{what}");
        assert!(begun.elapsed() < Duration::from_secs(2), "{what}: {:?}", begun.elapsed());
    }
    assert_serves(&served, "after wrong bytes");
}

#[test]
fn malformed_requests_end_the_connection_and_nothing_else() {
    let served = Served::open();
    let deep = format!("{{\"test\":{}", "[".repeat(50_000));
    let plan = |field: &str| format!("{{\"test\":{{\"plan\":{{{field}}}}}}}");
    let cases = [
        ("an announced length of 4 GiB", framed(&[0xff; 4])),
        ("a length just above the limit", framed(&(64 * 1024u32 + 1).to_be_bytes())),
        ("an empty frame", vec![0, 0]),
        ("an empty message", message("")),
        ("not JSON", message("\u{1}\u{2}\u{3}")),
        ("deep nesting", message(&deep)),
        ("an unknown request", message("{\"format-disk\":{}}")),
        ("a wrong type", message(&plan("\"streams\":\"many\""))),
        ("a negative number", message(&plan("\"streams\":-1"))),
        ("a number beyond 64 bits", message(&plan("\"duration_ns\":99999999999999999999999999"))),
        ("1e309", message(&plan("\"rate_bytes_per_s\":1e309"))),
        ("a key twice", message(&plan("\"streams\":1,\"streams\":2"))),
        ("a lone surrogate", message(&plan("\"target\":\"\\ud800\""))),
    ];
    for (what, bytes) in cases {
        let mut socket = welcomed(&served);
        // It may hang up while we still write.
        let _ = socket.write_all(&bytes);
        assert!(is_shown_out(&mut socket), "{what}");
        assert_serves(&served, what);
    }
}

#[test]
fn impossible_plans_are_refused_in_words() {
    let served = Served::open();
    let refused = |plan: &str| {
        let mut socket = welcomed(&served);
        socket.write_all(&message(&format!("{{\"test\":{{\"plan\":{plan}}}}}"))).unwrap();
        match read_reply(&mut socket) {
            Reply::Refused(why) => why,
            other => panic!("{plan}: {other:?}"),
        }
    };
    assert!(refused("{\"streams\":4000000000}").contains("streams"));
    assert!(refused("{\"length_bytes\":18446744073709551615}").contains("longer"));
    assert!(refused("{\"duration_ns\":18446744073709551615}").contains("allowed"));
    assert!(
        refused("{\"mode\":\"sync\",\"write\":true,\"length_bytes\":67108864,\"streams\":100}")
            .contains("--write-dir")
    );
    assert_serves(&served, "after refusals");
}

pub(super) fn read_reply(socket: &mut TcpStream) -> Reply {
    let mut plain = Vec::new();
    loop {
        let mut length = [0; 2];
        socket.read_exact(&mut length).unwrap();
        let mut body = vec![0; usize::from(u16::from_be_bytes(length))];
        socket.read_exact(&mut body).unwrap();
        plain.extend(body);
        if let Some(message) = take_message(&mut plain, 1 << 20).unwrap() {
            return serde_json::from_slice(&message).unwrap();
        }
    }
}

#[test]
fn silent_and_slow_peers_hold_up_nobody_and_are_shown_out_in_time() {
    let served = Served::open();
    let before = threads();
    let silent: Vec<TcpStream> = (0..300).map(|_| connect(&served)).collect();
    let mut slow = connect(&served);
    let preamble = Preamble { version: VERSION, kind: Kind::OpenControl }.encode();
    slow.write_all(&preamble[..1]).unwrap();
    assert_serves(&served, "300 silent peers");
    // Other tests of this process start their own threads and end them; those of silent peers would stay.
    let settles = Instant::now();
    while threads() > before + 2 && settles.elapsed() < Duration::from_secs(4) {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(threads() <= before + 2, "{} threads for silent peers", threads());
    let begun = Instant::now();
    for byte in &preamble[1..] {
        std::thread::sleep(Duration::from_millis(600));
        if slow.write_all(&[*byte]).is_err() {
            break;
        }
    }
    assert!(is_shown_out(&mut slow), "one byte at a time is no way to begin");
    assert!(begun.elapsed() < Duration::from_secs(9), "{:?}", begun.elapsed());
    for mut socket in silent {
        assert!(is_shown_out(&mut socket));
    }
}

#[test]
fn a_peer_that_asks_for_a_test_and_leaves_it_at_that_is_forgotten() {
    let served = Served::open();
    let before = descriptors();
    let request = Request::Test(Box::new(TestRequest {
        plan: NetPlan { duration_ns: ms(60_000), ..NetPlan::default() },
        counters: false,
    }));
    let bytes = framed(&encode(&request).unwrap());
    let idle: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut socket = welcomed(&served);
            socket.write_all(&bytes).unwrap();
            assert!(matches!(read_reply(&mut socket), Reply::Ready(_)));
            socket
        })
        .collect();
    assert_serves(&served, "20 tests without lanes");
    drop(idle);
    let deadline = Instant::now() + Duration::from_secs(3);
    while descriptors() > before + 2 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(descriptors() <= before + 2, "{} descriptors, {before} before", descriptors());
}

#[test]
fn a_token_is_good_once() {
    let served = Served::open();
    let plan = NetPlan { duration_ns: ms(3000), mode: NetMode::Rtt, streams: 2, ..NetPlan::default() };
    let mut control = welcomed(&served);
    let request = Request::Test(Box::new(TestRequest { plan, counters: false }));
    control.write_all(&framed(&encode(&request).unwrap())).unwrap();
    let Reply::Ready(ready) = read_reply(&mut control) else { panic!("not ready") };
    let token = fullwire_probe::net::wire::token_from_text(&ready.tokens[0]).unwrap();
    let show = || {
        let mut socket = connect(&served);
        socket.write_all(&Preamble { version: VERSION, kind: Kind::Data }.encode()).unwrap();
        socket.write_all(&token).unwrap();
        socket
    };
    let mut first = show();
    first.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let waits = first.read(&mut [0]).expect_err("the first one is let in and waits");
    assert_eq!(waits.kind(), ErrorKind::WouldBlock);
    assert!(is_shown_out(&mut show()), "the second one is not");
}

#[test]
fn keys_and_versions_that_do_not_fit_are_named() {
    let keyed = Served::keyed("s3cret");
    let open = Served::open();
    let with = |served: &Served, key: Option<&str>| {
        let options = ConnectOptions { key: key.map(str::to_owned), ..quick() };
        let plan = NetPlan { duration_ns: ms(50), mode: NetMode::Rtt, ..NetPlan::default() };
        measure(&served.plan(plan), &options, &mut |_| {})
    };
    assert!(with(&keyed, Some("s3cret")).unwrap().result.messages > 0);
    assert!(matches!(with(&keyed, Some("guess")), Err(NetError::WrongKey)));
    assert!(matches!(with(&keyed, None), Err(NetError::KeyRequired)));
    assert!(matches!(with(&open, Some("s3cret")), Err(NetError::KeyUnexpected)));
    for version in [VERSION - 1, VERSION + 1] {
        let mut socket = connect(&open);
        socket.write_all(&Preamble { version, kind: Kind::OpenControl }.encode()).unwrap();
        let mut verdict = [0; PREAMBLE_BYTES];
        socket.read_exact(&mut verdict).unwrap();
        assert_eq!(Verdict::decode(verdict).unwrap(), (VERSION, Verdict::Version));
        assert!(is_shown_out(&mut socket));
    }
}

#[test]
fn another_service_behind_the_port_is_told_apart() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let target = listener.local_addr().unwrap().to_string();
    let web = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
    });
    let error =
        measure(&NetPlan { target: target.into(), ..NetPlan::default() }, &quick(), &mut |_| {}).unwrap_err();
    assert!(matches!(error, NetError::Foreign { .. }), "{error}");
    web.join().unwrap();
}

#[test]
fn it_stops_promptly_in_every_state() {
    let preamble = Preamble { version: VERSION, kind: Kind::SecureControl }.encode();
    let mut served = Served::keyed("k");
    let _silent = connect(&served);
    let mut half = connect(&served);
    half.write_all(&preamble[..5]).unwrap();
    let mut shaking = connect(&served);
    shaking.write_all(&preamble).unwrap();
    assert!(served.stop() < Duration::from_secs(1), "with guests in the lobby");

    let mut served = Served::open();
    let mut waiting = welcomed(&served);
    let request = Request::Test(Box::default());
    waiting.write_all(&framed(&encode(&request).unwrap())).unwrap();
    assert!(matches!(read_reply(&mut waiting), Reply::Ready(_)));
    assert!(served.stop() < Duration::from_secs(1), "with a test that waits for its lanes");

    for plan in [
        NetPlan { duration_ns: ms(30_000), ..NetPlan::default() },
        NetPlan { duration_ns: ms(30_000), reverse: true, streams: 2, ..NetPlan::default() },
        NetPlan { duration_ns: ms(30_000), mode: NetMode::Rtt, ..NetPlan::default() },
        NetPlan { duration_ns: ms(30_000), mode: NetMode::Udp, rate_bytes_per_s: 1e6, ..NetPlan::default() },
        NetPlan { duration_ns: ms(30_000), mode: NetMode::Interconnect, ..NetPlan::default() },
    ] {
        let mut served = Served::open();
        let running = served.plan(plan);
        let what = format!("{:?} reverse {}", running.mode, running.reverse);
        let client = std::thread::spawn(move || measure(&running, &quick(), &mut |_| {}));
        std::thread::sleep(Duration::from_millis(700));
        let took = served.stop();
        assert!(took < Duration::from_secs(2), "{what}: {took:?}");
        let result = client.join().unwrap().unwrap().result;
        assert!(result.incomplete.is_some(), "{what}: {:?}", result.incomplete);
    }
}

#[test]
fn as_many_as_may_are_served_and_the_next_is_told() {
    let limits = fullwire_probe::net::Limits { tests: 1, ..fullwire_probe::net::Limits::default() };
    let served = Served::start(ServeConfig { limits, ..ServeConfig::default() });
    let mut first = welcomed(&served);
    let request = Request::Test(Box::default());
    first.write_all(&framed(&encode(&request).unwrap())).unwrap();
    assert!(matches!(read_reply(&mut first), Reply::Ready(_)));
    let error = served.measure(NetPlan::default()).unwrap_err();
    assert!(matches!(&error, NetError::Refused(why) if why.contains("limit of clients")), "{error}");
}

#[test]
fn one_address_may_take_so_many_places_and_gives_them_back() {
    let limits =
        fullwire_probe::net::Limits { tests_per_address: 2, ..fullwire_probe::net::Limits::default() };
    let served = Served::start(ServeConfig { limits, ..ServeConfig::default() });
    let request = framed(&encode(&Request::Test(Box::default())).unwrap());
    let mut held: Vec<TcpStream> = (0..2).map(|_| welcomed(&served)).collect();
    for socket in &mut held {
        socket.write_all(&request).unwrap();
        assert!(matches!(read_reply(socket), Reply::Ready(_)));
    }
    let error = served.measure(NetPlan::default()).unwrap_err();
    assert!(matches!(&error, NetError::Refused(why) if why.contains("your address")), "{error}");
    drop(held);
    let deadline = Instant::now() + Duration::from_secs(3);
    let plan = || NetPlan { mode: NetMode::Rtt, duration_ns: ms(50), ..NetPlan::default() };
    while served.measure(plan()).is_err() {
        assert!(Instant::now() < deadline, "the places do not come free");
    }
}

/// Serves one test of one stream and then tells this of it. Where it listens.
fn tells(account: &'static str) -> std::net::SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut control, _) = listener.accept().unwrap();
        control.read_exact(&mut [0; PREAMBLE_BYTES]).unwrap();
        control.write_all(&Verdict::Welcome.encode()).unwrap();
        let _ = control.read(&mut [0; 4096]).unwrap();
        // The stream, and round trips beside it, which get no answer.
        let token = "0".repeat(2 * TOKEN_BYTES);
        let ready = format!("{{\"ready\":{{\"tokens\":[\"{token}\",\"{token}\"]}}}}");
        control.write_all(&message(&ready)).unwrap();
        let mut lanes: Vec<TcpStream> = (0..2).map(|_| listener.accept().unwrap().0).collect();
        control.write_all(&message("\"go\"")).unwrap();
        std::io::copy(&mut lanes[0], &mut std::io::sink()).unwrap();
        drop(lanes);
        control.write_all(&message(&format!("{{\"report\":{account}}}"))).unwrap();
        let _ = control.read(&mut [0; 4096]);
    });
    address
}

#[test]
fn a_responder_that_counts_more_than_was_sent_to_it_is_not_believed() {
    let measured = |account| {
        let plan = NetPlan {
            target: tells(account).to_string().into(),
            mode: NetMode::Async,
            streams: 1,
            duration_ns: ms(200),
            rate_bytes_per_s: 10e6,
            ..NetPlan::default()
        };
        measure(&plan, &quick(), &mut |_| {})
    };
    let honest = measured(r#"{"in_bytes":1000,"in_s":0.2}"#).unwrap().result;
    assert_eq!(honest.bytes, 1000, "less may have arrived");
    for account in [
        r#"{"in_bytes":1000000000000,"in_s":0.2}"#,
        r#"{"in_bytes":1000,"in_s":0.2,"samples":[{"span_s":0.1,"in_bytes":1000000000000}]}"#,
    ] {
        let error = measured(account).expect_err(account);
        assert!(matches!(error, NetError::FalseAccount(_)), "{error}");
        assert!(error.to_string().contains("more than was sent to it"), "{error}");
    }
}
