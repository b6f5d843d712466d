//! Peers: what reaches the ports of a responder when somebody means it ill.

use super::Attack;
use super::mangle::{Chance, mangled, with_odd_number};
use super::server::{KEY, Server};
use crate::tool::{Desk, Running};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Attackers at once.
const ATTACKERS: u64 = 4;
/// An honest client comes so often.
const HONEST: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(250);

/// What honest clients say, to be mangled.
struct Said {
    /// The client's side of a control connection without a key, and of one with it.
    open: Vec<u8>,
    keyed: Vec<u8>,
}

/// Attacks two responders, one with a key and one without; says what was done.
pub(super) fn attack(attack: Attack) -> String {
    let servers = [Server::start(true), Server::start(false)];
    let said = Said { open: recorded(&servers[1], false), keyed: recorded(&servers[0], true) };
    assert!(said.open.len() > 200 && said.keyed.len() > 200, "{} {}", said.open.len(), said.keyed.len());
    let until = attack.begin();
    let (attacks, served, most) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for number in 0..ATTACKERS {
            let (servers, said, attacks) = (&servers, &said, &attacks);
            scope.spawn(move || {
                let mut chance = Chance::new(attack.seed + number);
                while until.goes_on() {
                    once(servers, said, &mut chance);
                    attacks.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let mut next = Instant::now() + HONEST / 2;
        while until.goes_on() {
            for (server, keyed) in servers.iter().zip([true, false]) {
                most.fetch_max(server.is_within_limits(), Ordering::Relaxed);
                if Instant::now() >= next {
                    server.serves(keyed, "under attack");
                    served.fetch_add(1, Ordering::Relaxed);
                }
            }
            if Instant::now() >= next {
                next = Instant::now() + HONEST;
            }
            std::thread::sleep(LOOK);
        }
    });
    for (server, keyed) in servers.into_iter().zip([true, false]) {
        server.serves(keyed, "after the attack");
        server.recovers();
    }
    format!(
        "{} attacks by peers, {} honest clients served meanwhile, at most {} MiB held",
        attacks.into_inner(),
        served.into_inner(),
        most.into_inner() >> 20
    )
}

/// What a real client says to a responder on its control connection.
fn recorded(server: &Server, keyed: bool) -> Vec<u8> {
    let between = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = between.local_addr().unwrap().to_string();
    let target = server.control;
    let recorder = std::thread::spawn(move || {
        let (client, _) = between.accept().unwrap();
        let responder = TcpStream::connect(target).unwrap();
        let (mut from, mut to) = (responder.try_clone().unwrap(), client.try_clone().unwrap());
        let back = std::thread::spawn(move || {
            let _ = std::io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Write);
        });
        let (mut said, mut client, mut responder) = (Vec::new(), client, responder);
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = client.read(&mut buffer) {
            said.extend_from_slice(&buffer[..length]);
            if responder.write_all(&buffer[..length]).is_err() {
                break;
            }
        }
        let _ = responder.shutdown(Shutdown::Write);
        back.join().unwrap();
        said
    });
    let desk = Desk::new();
    let mut command = desk.command();
    // Its lanes do not find their way through the one connection: what it asked for is recorded all the same.
    command.args(["net", &address, "--duration", "100ms", "--no-store"]);
    if keyed {
        command.env("FULLWIRE_KEY", KEY);
    }
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let _ = Running(child).ends_within(Duration::from_secs(15));
    // On a busy host it may not have come so far; then there is nothing more to wait for.
    let _ = TcpStream::connect(&address);
    recorder.join().unwrap()
}

fn once(servers: &[Server; 2], said: &Said, chance: &mut Chance) {
    let server = chance.one_of(servers);
    let control = [server.control, server.control, servers[1].control][chance.below(3)];
    let ports = [server.control, server.iperf3, server.iperf2, server.scrapes];
    match chance.below(12) {
        0 => speak(*chance.one_of(&ports), &[&chance.bytes(4096)], chance),
        1 | 2 => speak(servers[1].control, &[&mangled(&said.open, chance)], chance),
        3 => {
            // The greeting is whole, the requests are not.
            let (greeting, requests) = said.open.split_at(12);
            let from = chance.below(requests.len());
            let odd = with_odd_number(requests, from, chance);
            let mut framed = Vec::new();
            reframe(&odd, &mut framed);
            speak(servers[1].control, &[greeting, &framed], chance);
        }
        4 => speak(servers[0].control, &[&said.keyed], chance),
        5 => speak(control, &[&mangled(&said.keyed, chance)], chance),
        6 => iperf3(server.iperf3, chance),
        7 => iperf2(server.iperf2, chance),
        8 => http(server.scrapes, chance),
        9 => crowd(*chance.one_of(&ports), chance),
        10 => datagrams(server.iperf3, chance),
        _ => killed_client(&servers[1], chance),
    }
}

/// A message of another length needs another length in front, or only the first check is ever tried.
fn reframe(message: &[u8], framed: &mut Vec<u8>) {
    let body = message.get(6..).unwrap_or_default();
    let body = &body[..body.len().min(60_000)];
    framed.extend(u16::try_from(body.len() + 4).unwrap().to_be_bytes());
    framed.extend(u32::try_from(body.len()).unwrap().to_be_bytes());
    framed.extend_from_slice(body);
}

fn dial(to: SocketAddr) -> Option<TcpStream> {
    let stream = TcpStream::connect_timeout(&to, Duration::from_secs(2)).ok()?;
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    Some(stream)
}

/// Says it, in pieces and slowly at times, hears a little, and leaves in one of several ways.
fn speak(to: SocketAddr, words: &[&[u8]], chance: &mut Chance) {
    let Some(mut stream) = dial(to) else { return };
    let slow = chance.below(8) == 0;
    for piece in words {
        for part in piece.chunks(if slow { 64 } else { 1 << 16 }).take(64) {
            if stream.write_all(part).is_err() {
                return;
            }
            if slow {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        let _ = stream.read(&mut [0; 4096]);
    }
    match chance.below(4) {
        0 => drop(stream.shutdown(Shutdown::Write)),
        1 => std::thread::sleep(Duration::from_millis(20)),
        _ => {}
    }
    let _ = stream.read(&mut [0; 4096]);
}

/// What iperf3 3.12 asks for, by its own debug output.
const IPERF3: &str = r#"{"tcp":true,"omit":0,"time":1,"num":0,"blockcount":0,"parallel":1,"len":131072,"pacing_timer":1000,"client_version":"3.12"}"#;

fn iperf3(to: SocketAddr, chance: &mut Chance) {
    let cookie = [b'a' + u8::try_from(chance.below(26)).unwrap(); 37];
    let kind = *chance.one_of(&["\"tcp\"", "\"udp\"", "\"sctp\""]);
    let asked = IPERF3.replace("\"tcp\"", kind);
    let from = chance.below(asked.len());
    let parameters = match chance.below(3) {
        0 => mangled(asked.as_bytes(), chance),
        1 => asked.into_bytes(),
        _ => with_odd_number(asked.as_bytes(), from, chance),
    };
    let length = match chance.below(6) {
        0 => u32::MAX,
        1 => 0,
        _ => u32::try_from(parameters.len()).unwrap(),
    };
    let after = mangled(&[9, 2, 4, 13, 14, 15, 16, 0xff, 0xfe, 12], chance);
    speak(to, &[&cookie, &length.to_be_bytes(), &parameters, &after], chance);
}

fn iperf2(to: SocketAddr, chance: &mut Chance) {
    let mut header = 0x4401_0078_u32.to_be_bytes().to_vec();
    header.extend(mangled(&[0; 256], chance));
    speak(to, &[&header, &chance.bytes(1 << 16)], chance);
}

fn http(to: SocketAddr, chance: &mut Chance) {
    let path = *chance.one_of(&[
        "/metrics", "/probe?target=127.0.0.1:22", "/probe?target=%00%ff", "/../../etc/shadow",
        "/%2e%2e/%2e%2e/etc/shadow", "*",
    ]);
    let long = "x".repeat(1 << chance.below(16));
    let method = chance.one_of(&["GET", "POST", "CONNECT", "\0\0"]);
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {long}\r\nX-Prometheus-Scrape-Timeout-Seconds: 1e308\r\n\r\n"
    );
    speak(to, &[&mangled(request.as_bytes(), chance)], chance);
}

/// Many that say nothing, and stay for a while.
fn crowd(to: SocketAddr, chance: &mut Chance) {
    let silent: Vec<TcpStream> = (0..chance.below(128)).filter_map(|_| dial(to)).collect();
    std::thread::sleep(Duration::from_millis(200));
    drop(silent);
}

fn datagrams(to: SocketAddr, chance: &mut Chance) {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    for _ in 0..chance.below(200) {
        // Nobody may listen: that is what is tried.
        let _ = socket.send_to(&chance.bytes(1400), to);
    }
}

/// A client that is killed in the middle, with files being written for it.
fn killed_client(server: &Server, chance: &mut Chance) {
    let desk = Desk::new();
    let mut command = desk.command();
    let mode = *chance.one_of(&["sync", "async", "udp", "rtt"]);
    command.args(["net", &server.control.to_string(), "--duration", "1s", "--mode", mode, "--no-store"]);
    command.args(["--streams", "4", "--timeout", "3s"]);
    if mode == "sync" {
        command.arg("--write");
    }
    if mode == "udp" {
        command.args(["--rate", "50Mbit"]);
    }
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut running = Running(child);
    let _ = running.ends_within(Duration::from_millis(100 + chance.below(1500) as u64));
}
