//! A generated host with 2,000 processes, 1,024 block devices and 64 interfaces.

use crate::tree::Tree;
use fullwire_observe::{Ask, CountersAsk, counters, host};
use std::fmt::Write as _;
use std::time::Instant;

const PROCESSES: u32 = 2000;
const DISKS: u32 = 1024;
const NICS: u32 = 64;

const MEMORY_LIMIT_BYTES: u64 = 100 << 20;

fn processes(tree: &Tree) {
    tree.process(1, 0, "systemd", "/sbin/init").process(2, 0, "ora_pmon_BIG", "ora_pmon_BIG");
    for pid in 3..=PROCESSES {
        tree.process(pid, 1, "oracle_bgproc", &format!("oracleBIG|(LOCAL={pid})"));
    }
}

fn disks(tree: &Tree) {
    let mut diskstats = String::new();
    for number in 0..DISKS {
        let name = format!("sd{number}");
        let directory = format!("/sys/block/{name}");
        for (file, text) in [
            ("dev", format!("8:{number}")),
            ("size", "41943040".to_owned()),
            ("ro", "0".to_owned()),
            ("removable", "0".to_owned()),
            ("queue/scheduler", "[mq-deadline] none".to_owned()),
            ("queue/nr_requests", "256".to_owned()),
            ("queue/max_sectors_kb", "1280".to_owned()),
            ("queue/logical_block_size", "512".to_owned()),
            ("queue/rotational", "0".to_owned()),
        ] {
            tree.file(&format!("{directory}/{file}"), &text);
        }
        tree.link(&format!("/sys/class/block/{name}"), &format!("../../block/{name}"));
        let _ = writeln!(diskstats, "   8 {number} {name} 1 0 8 1 2 0 16 1 0 2 2 0 0 0 0 0 0");
    }
    tree.file("/proc/diskstats", &diskstats);
}

fn nics(tree: &Tree) {
    for number in 1..=NICS {
        let directory = format!("/sys/class/net/eth{number}");
        for (file, text) in [
            ("ifindex", number.to_string()),
            ("flags", "0x1003".to_owned()),
            ("type", "1".to_owned()),
            ("address", format!("02:00:00:00:00:{number:02x}")),
            ("operstate", "up".to_owned()),
            ("carrier", "1".to_owned()),
            ("mtu", "9000".to_owned()),
            ("speed", "25000".to_owned()),
            ("duplex", "full".to_owned()),
            ("tx_queue_len", "1000".to_owned()),
            ("queues/rx-0/rps_cpus", "0".to_owned()),
            ("statistics/rx_bytes", "5".to_owned()),
            ("statistics/tx_bytes", "6".to_owned()),
            ("statistics/rx_missed_errors", "7".to_owned()),
        ] {
            tree.file(&format!("{directory}/{file}"), &text);
        }
        tree.file(&format!("/sys/devices/pci/0000:00:{number:02x}.0/numa_node"), "1");
        tree.link(&format!("{directory}/device"), &format!("../../../devices/pci/0000:00:{number:02x}.0"));
    }
}

/// Memory that this process has now, bytes.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("our own status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("every process has one");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
}

#[test]
fn a_large_host_is_read_whole() {
    let tree = Tree::new();
    processes(&tree);
    disks(&tree);
    nics(&tree);
    let root = tree.root();
    let before = resident_bytes();
    let started = Instant::now();
    let host = host(&root, &Ask::default());
    let host_took = started.elapsed();
    let started = Instant::now();
    let counters = counters(&root, &CountersAsk::default());
    let grown = resident_bytes().saturating_sub(before);
    println!("host {host_took:?}, counters {:?}, {grown} bytes", started.elapsed());

    assert_eq!(host.disks.len(), DISKS as usize);
    assert_eq!(host.nics.len(), NICS as usize);
    assert_eq!((counters.disks.len(), counters.nics.len()), (DISKS as usize, NICS as usize));
    let nic = host.nic("eth64").expect("the last one");
    assert_eq!((nic.kind.as_str(), nic.speed_mbit_per_s, nic.numa_node), ("physical", Some(25_000), Some(1)));
    assert_eq!(counters.nics["eth1"].rx_missed_errors, 7);
    assert_eq!(host.databases.len(), 1);
    let busiest = host.processes.iter().max_by_key(|process| process.cpu_ns).expect("some");
    assert_eq!(busiest.pid, PROCESSES, "every process was looked at");
    assert!(grown < MEMORY_LIMIT_BYTES, "{grown} bytes");
}
