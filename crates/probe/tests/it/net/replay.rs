//! A recorded greeting: it opens no test, and it earns no place.

use super::{Served, ms, quick};
use fullwire_model::net::{NetMode, NetPlan};
use fullwire_probe::net::{Access, ConnectOptions, Limits, ServeConfig, measure};
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

const SEATS: usize = 32;

fn honest(served: &Served) -> Result<u64, String> {
    let options = ConnectOptions { key: Some("s3cret".into()), ..quick() };
    let plan = NetPlan { duration_ns: ms(50), mode: NetMode::Rtt, ..NetPlan::default() };
    let measured = measure(&served.plan(plan), &options, &mut |_| {});
    measured.map(|report| report.result.messages).map_err(|error| error.to_string())
}

/// What a client with the key says first, taken down by someone in between.
fn recorded(served: &Served) -> Vec<u8> {
    let between = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = between.local_addr().unwrap().to_string();
    let client = std::thread::spawn(move || {
        let options = ConnectOptions { key: Some("s3cret".into()), ..quick() };
        let _ = measure(&NetPlan { target: target.into(), ..NetPlan::default() }, &options, &mut |_| {});
    });
    let (mut socket, _) = between.accept().unwrap();
    let mut said = Vec::new();
    socket.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let mut buffer = [0; 1024];
    while let Ok(length) = socket.read(&mut buffer) {
        said.extend_from_slice(&buffer[..length]);
        if length == 0 {
            break;
        }
    }
    drop(socket);
    client.join().unwrap();
    assert!(said.len() > 30, "a preamble and a handshake");
    assert_ne!(served.address.to_string(), "");
    said
}

fn replay(address: SocketAddr, said: &[u8]) -> TcpStream {
    let mut socket = TcpStream::connect(address).unwrap();
    socket.write_all(said).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    // The verdict and the answer to the handshake: it was taken for a beginning.
    let mut answer = [0; 40];
    socket.read_exact(&mut answer).expect("the recorded message is answered");
    socket
}

#[test]
fn replayed_greetings_do_not_keep_honest_clients_out() {
    let limits = Limits { connections: SEATS, ..Limits::default() };
    let config = ServeConfig { access: Access::Key("s3cret".into()), limits, ..ServeConfig::default() };
    let served = Served::start(config);
    let said = recorded(&served);
    let held: Vec<TcpStream> = (0..SEATS).map(|_| replay(served.address, &said)).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let flood = {
        let (address, stop) = (served.address, Arc::clone(&stop));
        std::thread::spawn(move || {
            let mut silent = Vec::new();
            while !stop.load(Relaxed) {
                silent.extend(TcpStream::connect(address));
                // Two hundred a second: a seat is one's own for a seventh of a second.
                std::thread::sleep(Duration::from_millis(5));
            }
        })
    };
    std::thread::sleep(Duration::from_millis(300));
    let served_well = (0..10).filter(|_| honest(&served).is_ok()).count();
    stop.store(true, Relaxed);
    flood.join().unwrap();
    assert!(served_well >= 9, "{served_well} of 10 honest clients were served");
    drop(held);
}

#[test]
fn a_replayed_greeting_is_shown_out_as_soon_as_any_other_silence() {
    let served = Served::keyed("s3cret");
    let mut socket = replay(served.address, &recorded(&served));
    socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let begun = Instant::now();
    let mut rest = [0; 1024];
    loop {
        match socket.read(&mut rest) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::ConnectionReset, "it still has its seat");
                break;
            }
        }
    }
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    // A client with the key may take its time once it has proved it.
    assert!(honest(&served).unwrap() > 0);
}
