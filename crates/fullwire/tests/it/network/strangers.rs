//! Ports without a key next to one that has a key: what strangers do there must not take the keyed one down.

use crate::tool::{Desk, PROGRAM, Running, listen_and_hear, stdout};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A responder with few descriptors, keyed, that serves iperf3 clients too: its address, and theirs.
fn scarce(desk: &Desk) -> (Running, String, String) {
    let bridge = crate::ports::free_port();
    let mut shell = desk.program("sh");
    shell
        .args([
            "-c",
            "ulimit -n 256; exec \"$0\" serve --listen 127.0.0.1:0 --key s3cret-s3cret --iperf3-port \"$1\"",
        ])
        .arg(PROGRAM)
        .arg(bridge.to_string());
    let (running, address, _) = listen_and_hear(shell, 1);
    (running, address, format!("127.0.0.1:{bridge}"))
}

#[test]
fn a_flooded_iperf3_port_leaves_the_keyed_one_its_descriptors() {
    let desk = Desk::new();
    let (running, address, bridge) = scarce(&desk);
    let silent: Vec<TcpStream> = (0..300).filter_map(|_| TcpStream::connect(&bridge).ok()).collect();
    assert!(silent.len() > 200);
    std::thread::sleep(Duration::from_millis(500));
    let descriptors = std::fs::read_dir(format!("/proc/{}/fd", running.0.id())).unwrap().count();
    assert!(descriptors < 128, "{descriptors} of 256 descriptors");
    for _ in 0..5 {
        let begun = Instant::now();
        let target = [
            "net", &address, "--key", "s3cret-s3cret", "--mode", "rtt", "--duration", "200ms", "--no-store",
            "--json",
        ];
        let output = desk.run(&target);
        assert!(output.status.success(), "{output:?}");
        assert!(stdout(&output).contains("latency_ns"));
        assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    }
    drop(silent);
}

#[test]
fn a_port_without_a_key_says_so_and_is_on_loopback_unless_asked() {
    let desk = Desk::new();
    let free = std::net::TcpListener::bind("0.0.0.0:0").unwrap().local_addr().unwrap().port().to_string();
    for (arguments, expected) in [
        (&["--key", "s3cret-s3cret"][..], format!("iperf3 clients on 127.0.0.1:{free}: no key needed")),
        (&["--open"], format!("iperf3 clients on 0.0.0.0:{free}: no key needed")),
        (
            &["--key", "s3cret-s3cret", "--iperf-listen", "127.0.0.2"],
            format!("iperf3 clients on 127.0.0.2:{free}: no key needed"),
        ),
    ] {
        let mut command = desk.command();
        command.args(["serve", "--listen", "0.0.0.0:0", "--iperf3-port", &free]).args(arguments);
        let (_running, _, said) = listen_and_hear(command, 1);
        assert_eq!(said, [expected]);
    }
}
