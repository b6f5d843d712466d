//! `serve --metrics-listen`: what Prometheus gets, and what anyone else does not.

use crate::skips::{installed, skipped};
use crate::tool::{Desk, Running, free_address, stderr, stdout};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const KEY: &str = "a-key-of-the-test-that-nobody-guesses";

/// A responder with a kept run; where it listens for clients and for scrapes.
struct Served {
    desk: Desk,
    _running: Running,
    responder: String,
    scrapes: String,
}

fn served(arguments: &[&str]) -> Served {
    let desk = Desk::new();
    let check = ["check", "--window", "0s", "--fail-on", "never", "--store", "runs"];
    assert!(desk.run(&check).status.success());
    let (responder, scrapes) = (free_address(), free_address());
    let mut command = desk.command();
    command.args(["serve", "--listen", &responder, "--metrics-listen", &scrapes, "--metrics-store", "runs"]);
    command.args(arguments).env("FULLWIRE_KEY", KEY);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let said: Vec<String> =
        BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap).take(2).collect();
    assert!(said[1].starts_with("metrics on http://127.0.0.1:"), "{said:?}");
    Served { desk, _running: Running(child), responder, scrapes }
}

/// Sends these bytes and hears the answer to its end.
fn asked(address: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // A server that refuses early does not read to the end.
    let _ = stream.write_all(bytes);
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

fn get(address: &str, path: &str, headers: &str) -> String {
    asked(address, format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n").as_bytes())
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer}")).1
}

#[test]
fn a_scrape_gets_the_last_run_in_the_format_that_it_asks_for() {
    let served = served(&[]);
    let older = get(&served.scrapes, "/metrics", "");
    assert!(older.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4"), "{older}");
    assert!(body(&older).contains("\nfullwire_run_kept 1\n") && body(&older).ends_with("# EOF\n"));
    let strict =
        get(&served.scrapes, "/metrics", "Accept: application/openmetrics-text;version=1.0.0,*/*;q=0.1\r\n");
    assert!(strict.contains("Content-Type: application/openmetrics-text; version=1.0.0"), "{strict}");
    assert!(strict.contains("# TYPE fullwire_run info\n"), "the types of OpenMetrics");
    if installed("promtool") {
        let mut child = served.desk.program("promtool");
        let mut child =
            child.args(["check", "metrics"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(body(&older).as_bytes()).unwrap();
        let checked = child.wait_with_output().unwrap();
        assert!(checked.status.success(), "{}", stderr(&checked));
    }
    let parse = "import sys; from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse; \
                 print(len(list(parse(sys.stdin.read()))))";
    let mut python = Command::new("/usr/bin/python3");
    let mut child = python
        .args(["-c", parse])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(body(&strict).as_bytes()).unwrap();
    let parsed = child.wait_with_output().unwrap();
    if parsed.status.success() {
        assert!(stdout(&parsed).trim().parse::<usize>().unwrap() > 50);
    } else {
        assert!(stderr(&parsed).contains("No module named"), "{}", stderr(&parsed));
        skipped("needs python3-prometheus-client");
    }
}

/// Whoever asks again and again has nothing judged again and again: the time that it took is that of the first.
#[test]
fn scrapes_of_one_second_are_judged_once() {
    let served = served(&[]);
    let took = || {
        let answer = get(&served.scrapes, "/metrics", "");
        let line = answer.lines().find(|line| line.starts_with("fullwire_scrape_duration_seconds "));
        line.unwrap_or_else(|| panic!("{answer}")).to_owned()
    };
    let all: Vec<String> = (0..20).map(|_| took()).collect();
    let judged = all.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(judged < 10, "{all:?}");
}

#[test]
fn a_host_without_a_run_says_so_and_answers() {
    let desk = Desk::new();
    let (responder, scrapes) = (free_address(), free_address());
    let mut command = desk.command();
    command.args([
        "serve", "--listen", &responder, "--metrics-listen", &scrapes, "--metrics-store", "none.db", "--open",
    ]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let _lines: Vec<_> = BufReader::new(child.stdout.take().unwrap()).lines().take(2).collect();
    let _running = Running(child);
    let answer = get(&scrapes, "/metrics", "");
    assert!(
        answer.contains("\nfullwire_run_kept 0\n") && !answer.contains("fullwire_run_timestamp_seconds"),
        "{answer}"
    );
}

#[test]
fn a_scrape_gets_the_end_of_a_recording_where_that_is_asked_for() {
    let desk = Desk::new();
    let recorded = desk.run(&["record", "--for", "600ms", "--interval", "200ms", "-o", "a.fwr"]);
    assert!(recorded.status.success(), "{}", stderr(&recorded));
    let (responder, scrapes) = (free_address(), free_address());
    let mut command = desk.command();
    command.args(["serve", "--open", "--listen", &responder, "--metrics-listen", &scrapes]);
    let mut child = command
        .args(["--metrics-recording", "a.fwr"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let _lines: Vec<_> = BufReader::new(child.stdout.take().unwrap()).lines().take(2).collect();
    let _running = Running(child);
    let answer = get(&scrapes, "/metrics", "");
    assert!(answer.contains("command=\"record\"") && answer.contains("\nfullwire_run_kept 1\n"), "{answer}");
}

#[test]
fn a_probe_reaches_allowed_targets_alone() {
    let target = free_address();
    let service = std::net::TcpListener::bind(&target).unwrap();
    let refused = free_address();
    let served = served(&["--probe-allow", &target, "--probe-allow", &refused]);
    let probe = |query: &str| get(&served.scrapes, &format!("/probe?{query}"), "");
    for query in
        ["target=127.0.0.1:22&module=connect", "target=ssh://127.0.0.1&module=rtt", "target=&module=connect"]
    {
        assert!(probe(query).starts_with("HTTP/1.1 403 "), "{query}");
    }
    assert!(probe("module=rtt").starts_with("HTTP/1.1 400 "));
    assert!(probe(&format!("target={target}&module=disk")).starts_with("HTTP/1.1 400 "));
    let connected = probe(&format!("target={target}&module=connect"));
    assert!(connected.contains(&format!("fullwire_probe_success{{target=\"{target}\"}} 1\n")), "{connected}");
    assert!(connected.contains("\nfullwire_probe_connect_seconds{"), "{connected}");
    drop(service);
    let failed = probe(&format!("target={refused}&module=connect"));
    assert!(failed.contains("} 0\n") && !failed.contains("fullwire_probe_connect_seconds"), "{failed}");
}

#[test]
fn round_trips_and_the_mtu_of_a_responder_are_measured_in_the_scrapers_time() {
    let desk = Desk::new();
    let address = free_address();
    let mut command = desk.command();
    command.args(["serve", "--listen", &address]).env("FULLWIRE_KEY", KEY);
    let _far = crate::tool::listen(command);
    let served = served(&["--probe-allow", &address]);
    assert_ne!(served.responder, address);
    let began = Instant::now();
    let headers = "X-Prometheus-Scrape-Timeout-Seconds: 3\r\n";
    let rtt = get(&served.scrapes, &format!("/probe?target={address}&module=rtt"), headers);
    assert!(rtt.contains("fullwire_probe_success{") && rtt.contains("} 1\n"), "{rtt}");
    assert!(rtt.contains("\nfullwire_net_latency_p50_seconds{target="), "{rtt}");
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    let mtu = get(&served.scrapes, &format!("/probe?target={address}&module=mtu"), "");
    assert!(mtu.contains("\nfullwire_mtu_path_mtu_bytes{target="), "{mtu}");
}

#[test]
fn nobody_holds_the_server_up() {
    let served = served(&[]);
    let address = &served.scrapes;
    // Who says nothing holds a seat for two seconds, no longer; who comes meanwhile is told to come again or waits.
    let silent: Vec<TcpStream> = (0..20).map(|_| TcpStream::connect(address).unwrap()).collect();
    let began = Instant::now();
    while !get(address, "/metrics", "").starts_with("HTTP/1.1 200") {
        assert!(began.elapsed() < Duration::from_secs(20), "still refused");
        std::thread::sleep(Duration::from_millis(100));
    }
    drop(silent);
    let long = format!("GET /metrics HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
    assert!(!asked(address, long.as_bytes()).contains("200 OK"), "a head of a megabyte");
    assert!(asked(address, b"POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
    assert!(!asked(address, b"\xff\xfe\r\n\r\n").contains("200 OK"), "what is no request");
    assert!(get(address, "/metrics/../etc/passwd", "").starts_with("HTTP/1.1 404 "));
    assert!(get(address, "/metrics", "").starts_with("HTTP/1.1 200 "), "it is still there");
}
