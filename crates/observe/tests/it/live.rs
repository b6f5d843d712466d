//! This very host.

use fullwire_model::host::Host;
use fullwire_observe::{Ask, CountersAsk, CpuTimes, Root, counters, host};
use std::path::Path;
use std::time::Instant;

fn live() -> (Root, Host) {
    let root = Root::live().expect("the root directory can be opened");
    let host = host(&root, &Ask { peers: vec!["127.0.0.1".parse().expect("an address")], ..Ask::default() });
    (root, host)
}

#[test]
fn a_live_host_is_read() {
    let started = Instant::now();
    let (root, host) = live();
    println!("host {:?}", started.elapsed());
    assert!(!host.captured);
    assert!(!host.hostname.is_empty() && !host.os.kernel_release.is_empty() && host.os.page_bytes >= 4096);
    assert!(host.cpu.online >= 1 && host.memory.total_bytes > host.memory.available_bytes);
    assert!(host.sysctl_number("net.core.rmem_max").is_some_and(|bytes| bytes > 0));
    assert!(host.sysctl_numbers("net.ipv4.tcp_rmem").is_some_and(|three| three.len() == 3));
    let loopback = host.nic("lo").expect("every host has one");
    assert_eq!((loopback.kind.as_str(), loopback.mtu_bytes), ("loopback", Some(65_536)));
    let route = host.routes.iter().find(|route| route.looked_up).expect("asked for");
    assert_eq!((route.destination.as_str(), route.interface.as_str()), ("127.0.0.1", "lo"));

    let started = Instant::now();
    let counters = counters(&root, &CountersAsk::default());
    println!("counters {:?}", started.elapsed());
    assert!(counters.monotonic_ns > 0 && counters.cpu.total_ns() > 0);
    assert_eq!(counters.cpus.len(), host.cpu.online as usize);
    assert!(counters.load.is_some() && counters.snmp.contains_key("TcpRetransSegs"));
    let sleeps = Path::new("/sys/devices/system/cpu/cpu0/cpuidle/state0/usage").exists();
    assert_eq!(counters.idle_states.values().any(|&entries| entries > 0), sleeps);
    assert!(counters.nics["lo"].rx_packets > 0 || counters.nics["lo"].tx_packets == 0);
}

#[test]
fn counters_grow() {
    let (root, _) = live();
    let first = counters(&root, &CountersAsk::default());
    // Two ticks of a CPU, and ten datagrams.
    let started = Instant::now();
    while started.elapsed().as_millis() < 60 {
        std::hint::black_box(started.elapsed());
    }
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    for _ in 0..10 {
        socket.send_to(b"x", socket.local_addr().unwrap()).unwrap();
    }
    let second = counters(&root, &CountersAsk::default());
    assert!(second.monotonic_ns >= first.monotonic_ns + 60_000_000);
    assert!(second.cpu.total_ns() > first.cpu.total_ns());
    assert!(second.snmp["IpInReceives"] >= first.snmp["IpInReceives"] + 10);
    assert!(second.nics["lo"].rx_packets >= first.nics["lo"].rx_packets + 10);
}

#[test]
fn our_own_threads_are_among_the_busiest() {
    let (root, _) = live();
    let busy_since = Some(CpuTimes::read(&root));
    let started = Instant::now();
    while started.elapsed().as_millis() < 60 {
        std::hint::black_box(started.elapsed());
    }
    let ask = CountersAsk { threads: 200, busy_since, ..CountersAsk::default() };
    let threads = counters(&root, &ask).threads;
    assert!(threads.iter().any(|thread| thread.pid == std::process::id()), "{threads:?}");
}

#[test]
fn settings_do_not_change_between_two_readings() {
    let ((_, first), (_, second)) = (live(), live());
    assert_eq!(first.cpu, second.cpu);
    assert_eq!(first.sysctls.len(), second.sysctls.len());
    let names = |host: &Host| {
        host.nics.iter().map(|nic| (nic.name.clone(), nic.kind.clone(), nic.mtu_bytes)).collect::<Vec<_>>()
    };
    assert_eq!(names(&first), names(&second));
}
