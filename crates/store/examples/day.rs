//! Writes the recording of a large host as `fullwire record` would have: a fifth of the disks works, and one of them is slow for half a
//! minute in the afternoon. `cargo xtask bench record` measures how fast it is opened and judged.
//!
//! ```text
//! day FILE DISKS SECONDS
//! ```

use fullwire_model::counters::{Counters, CpuTime, DiskCounters, NicCounters};
use fullwire_model::host::{Disk, Host};
use fullwire_model::recording::Sample;
use fullwire_store::recording::{Begin, RecordingWriter};
use jiff::{SignedDuration, Timestamp};
use std::error::Error;
use std::path::Path;

/// From when to when a disk is slow, s after the begin, and which of those that work.
const SLOW: std::ops::Range<u64> = 50_000..50_030;
const SLOW_DISK: u64 = 35;

/// Counters of the kernel besides those of disks: some hundred, of which a part changes each second.
const NAMES: u64 = 240;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, disks, seconds] = words.as_slice() else { return Err("usage: day FILE DISKS SECONDS".into()) };
    let (disks, seconds): (u64, u64) = (disks.parse()?, seconds.parse()?);
    let start: Timestamp = "2026-11-21T00:00:00Z".parse()?;
    let begin = Begin {
        interval_ns: 1_000_000_000,
        tool_version: env!("CARGO_PKG_VERSION").into(),
        zone: "UTC".into(),
        boot_id: "made".into(),
    };
    let mut writer = RecordingWriter::create(Path::new(file), &begin)?;
    let mut counters = first(disks);
    let mut chance = Chance(1);
    for second in 0..seconds {
        advance(&mut counters, second, &mut chance);
        let sample = Sample {
            boottime_ns: counters.monotonic_ns,
            wall: start + SignedDuration::from_secs(i64::try_from(second)?),
            took_ns: 3_000_000,
            counters: counters.clone(),
        };
        if second == 0 {
            writer.host(&sample, &host(disks))?;
        }
        writer.sample(&sample, &[])?;
    }
    Ok(())
}

/// A generator whose numbers are the same on each machine (splitmix64).
struct Chance(u64);

impl Chance {
    fn between(&mut self, least: u64, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        least + (mixed ^ (mixed >> 31)) % (most - least + 1)
    }
}

/// `sdaaa`, `sdaab`, ...
fn name(disk: u64) -> String {
    let letter = |value: u64| char::from(b'a' + u8::try_from(value % 26).unwrap_or(0));
    format!("sd{}{}{}", letter(disk / 676), letter(disk / 26), letter(disk))
}

fn host(disks: u64) -> Host {
    let disk = |number: u64| Disk {
        name: name(number),
        number: format!("8:{}", number * 16),
        kind: "disk".into(),
        size_bytes: 1 << 40,
        ..Disk::default()
    };
    let mut host =
        Host { hostname: "large".into(), disks: (0..disks).map(disk).collect(), ..Host::default() };
    host.cpu.online = 32;
    host
}

fn first(disks: u64) -> Counters {
    let disk = DiskCounters {
        reads: 1_000_000,
        read_bytes: 8_000_000_000,
        read_ms: 1_000_000,
        writes: 1_000_000,
        write_bytes: 8_000_000_000,
        write_ms: 1_000_000,
        busy_ms: 2_000_000,
        weighted_ms: 2_000_000,
        flushes: Some(0),
        flush_ms: Some(0),
        ..DiskCounters::default()
    };
    Counters {
        monotonic_ns: 1_000_000_000_000,
        disks: (0..disks).map(|number| (name(number), disk.clone())).collect(),
        nics: [("eth0".to_owned(), NicCounters::default())].into(),
        cpus: (0..32).map(|cpu| (cpu, CpuTime::default())).collect(),
        snmp: (0..NAMES).map(|number| (format!("TcpExtCounter{number}"), 0)).collect(),
        vmstat: (0..NAMES).map(|number| (format!("pgcounter{number}"), 0)).collect(),
        procs_running: Some(3),
        procs_blocked: Some(0),
        ..Counters::default()
    }
}

/// One second of work.
fn advance(counters: &mut Counters, second: u64, chance: &mut Chance) {
    counters.monotonic_ns += 1_000_000_000;
    for time in counters.cpus.values_mut() {
        time.user_ns += 200_000_000;
        time.system_ns += 100_000_000;
        time.idle_ns += 700_000_000;
    }
    counters.cpu.user_ns += 6_400_000_000;
    counters.cpu.system_ns += 3_200_000_000;
    counters.cpu.idle_ns += 22_400_000_000;
    for (index, value) in counters.snmp.values_mut().chain(counters.vmstat.values_mut()).enumerate() {
        *value += if index % 4 == 0 { chance.between(0, 500) } else { 0 };
    }
    for nic in counters.nics.values_mut() {
        nic.rx_bytes += chance.between(50_000_000, 60_000_000);
        nic.rx_packets += 40_000;
        nic.tx_bytes += 50_000_000;
        nic.tx_packets += 40_000;
    }
    for (disk, number) in counters.disks.values_mut().zip(0..).step_by(5) {
        let slow = SLOW.contains(&second) && number == SLOW_DISK;
        let (reads, writes, ms) =
            if slow { (3, 5, 120) } else { (chance.between(20, 80), chance.between(10, 60), 1) };
        disk.reads += reads;
        disk.read_bytes += reads * 8192;
        disk.read_ms += reads * ms;
        disk.writes += writes;
        disk.write_bytes += writes * 16384;
        disk.write_ms += writes * ms;
        disk.busy_ms += ((reads + writes) * ms).min(1000);
        disk.weighted_ms += (reads + writes) * ms;
    }
}
