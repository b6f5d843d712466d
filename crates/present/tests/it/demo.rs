//! A run as a DBA would make it: a primary with a degraded bond and a lost path to its array, a standby behind a
//! window that is too small. The values are of one piece: rates, buckets and shares agree.

#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "made-up positive values")]

use fullwire_model::disk::{
    DiskInterval, DiskResult, DiskStepResult, Engine, LayerStats, Operation, Pattern, Sweep, Sync,
};
use fullwire_model::host::{
    Bond, BondSlave, Database, Disk, DmMap, FcHost, Host, MapPath, Mount, MultipathMap, Nic, PathGroup,
    Queue, ScsiDevice, Space,
};
use fullwire_model::latency::{Latency, LatencyRecorder};
use fullwire_model::mtu::{Confirmation, Hop, MtuResult};
use fullwire_model::net::{CpuUse, NetInterval, NetMode, NetPath, NetResult, Parts, TcpSummary};
use fullwire_model::{Command, Gap, GapReason, Peer, Run};

pub(crate) const PEER: &str = "db2.example.com:5555";
pub(crate) const DIR: &str = "/u01/oradata";

/// Bytes per second of the standby's path: 51 % of a gigabit.
const RATE: f64 = 59.8e6;

/// The whole run.
pub(crate) fn run() -> Run {
    let started: jiff::Timestamp = "2026-11-20T15:33:39Z".parse().unwrap();
    let command = Command {
        name: "assess".into(),
        arguments: vec!["--peer".into(), PEER.into()],
        ..Command::default()
    };
    let peer = Peer { target: PEER.into(), host: Some(standby()), ..Peer::default() };
    Run {
        schema: fullwire_model::RUN_SCHEMA.into(),
        run_id: "20261120-153339-7f3a".into(),
        tool_version: "0.1.0".into(),
        started,
        finished: started + jiff::SignedDuration::from_secs(48),
        command,
        tag: Some("before jumbo".into()),
        host: host(),
        peers: vec![peer],
        net: vec![stream(), message()],
        mtu: vec![mtu()],
        disk: vec![storage(), sweep()],
        gaps: vec![
            Gap::new("ethtool rings of eth0", GapReason::Denied, "needs CAP_NET_ADMIN"),
            Gap::new("ethtool rings of eth1", GapReason::Denied, "needs CAP_NET_ADMIN"),
            Gap::new("multipathd show maps json", GapReason::Denied, "needs root"),
            Gap::new("proc/pressure/io", GapReason::Absent, "the kernel was built without PSI"),
        ],
        ..Run::default()
    }
}

fn standby() -> Host {
    Host { hostname: "db2".into(), ..Host::default() }
}

/// Repeatable noise between -1 and 1.
fn wobble(seed: usize) -> f64 {
    ((seed as f64 * 12.9898).sin() * 43_758.545).fract()
}

/// A distribution around a median with a tail, and a low mode of cache hits when wanted.
fn latency(median_ns: f64, hits: f64) -> Latency {
    let mut recorder = LatencyRecorder::new();
    for sample in 0..4000 {
        let (spread, tail) = (wobble(sample), wobble(sample + 7919));
        let base = if wobble(sample + 104_729).abs() < hits { median_ns * 0.18 } else { median_ns };
        let long = if tail > 0.98 { 6.0 * tail } else { 1.0 };
        recorder.record((base * (spread * 0.35).exp() * long) as u64);
    }
    recorder.finish()
}

fn stream() -> NetResult {
    let interval = |second: usize| NetInterval {
        t_s: second as f64,
        throughput_bytes_per_s: RATE * (1.0 + 0.03 * wobble(second)),
        rtt_ns: Some((5_100_000.0 * (1.0 + 0.08 * wobble(second + 50))) as u64),
        retransmits: Some(0),
        cwnd_bytes: Some(311_296),
        ..NetInterval::default()
    };
    NetResult {
        target: PEER.into(),
        mode: NetMode::Async,
        streams: 1,
        payload_bytes: 1 << 20,
        duration_s: 20.0,
        bytes: 1_196_000_000,
        messages: 1140,
        throughput_bytes_per_s: RATE,
        intervals: (1..=20).map(interval).collect(),
        tcp: Some(TcpSummary {
            mss_bytes: 1448,
            rtt_min_ns: 5_020_000,
            rtt_ns: 5_100_000,
            busy_s: 20.0,
            rwnd_limited_s: 18.6,
            sndbuf_bytes: fullwire_model::PerStream(2_626_560),
            rcvbuf_bytes: fullwire_model::PerStream(425_984),
            ..TcpSummary::default()
        }),
        cpu: CpuUse { client_s: 0.9, server_s: 1.4, ..CpuUse::default() },
        path: path(),
        rtt_idle_ns: Some(latency(5_020_000.0, 0.0)),
        rtt_loaded_ns: Some(latency(5_400_000.0, 0.0)),
        ..NetResult::default()
    }
}

fn path() -> NetPath {
    NetPath {
        local: "10.1.0.11".into(),
        remote: "10.2.0.12".into(),
        interface: "bond0".into(),
        gateway: Some("10.1.0.1".into()),
        loopback: false,
    }
}

fn message() -> NetResult {
    let interval = |second: usize| NetInterval {
        t_s: second as f64,
        throughput_bytes_per_s: 1.49e6 * (1.0 + 0.02 * wobble(second)),
        p50_ns: Some((5_480_000.0 * (1.0 + 0.04 * wobble(second))) as u64),
        p99_ns: Some((8_900_000.0 * (1.0 + 0.2 * wobble(second + 9))) as u64),
        ..NetInterval::default()
    };
    NetResult {
        target: PEER.into(),
        mode: NetMode::Sync,
        streams: 1,
        payload_bytes: 8192,
        duration_s: 10.0,
        bytes: 14_900_000,
        messages: 1819,
        throughput_bytes_per_s: 1.49e6,
        latency_ns: Some(latency(5_480_000.0, 0.0)),
        parts_ns: Some(Parts {
            network: latency(5_060_000.0, 0.0),
            remote_write: Some(latency(410_000.0, 0.0)),
        }),
        intervals: (1..=10).map(interval).collect(),
        path: path(),
        ..NetResult::default()
    }
}

fn mtu() -> MtuResult {
    MtuResult {
        target: PEER.into(),
        path_mtu_bytes: Some(1500),
        reverse_path_mtu_bytes: Some(1500),
        interface_mtu_bytes: Some(9000),
        peer_interface_mtu_bytes: Some(9000),
        hops: vec![
            Hop { ttl: 1, address: "10.1.0.1".into(), mtu_bytes: Some(1500), rtt_ns: Some(310_000) },
            Hop { ttl: 2, address: String::new(), mtu_bytes: None, rtt_ns: None },
            Hop { ttl: 3, address: "10.2.0.12".into(), mtu_bytes: Some(9000), rtt_ns: Some(5_010_000) },
        ],
        frames_per_block: [("8192".to_owned(), 6), ("32768".to_owned(), 23)].into(),
        goodput_fraction: Some(0.9415),
        confirmed_by: Confirmation::Peer,
        interface: "bond0".into(),
        remote: "10.2.0.12".into(),
        ..MtuResult::default()
    }
}

fn step(
    profile: &str,
    write: bool,
    pattern: Pattern,
    block: u64,
    depth: u32,
    rate: f64,
    median: f64,
) -> DiskStepResult {
    let duration_s = 10.0;
    let interval = |second: usize| DiskInterval {
        t_s: second as f64,
        throughput_bytes_per_s: rate * (1.0 + 0.05 * wobble(second + depth as usize)),
        iops: rate / block as f64,
        p50_ns: (median * (1.0 + 0.05 * wobble(second))) as u64,
        p99_ns: (median * 2.6 * (1.0 + 0.2 * wobble(second + 3))) as u64,
        max_ns: (median * 9.0 * (1.0 + 0.5 * wobble(second + 5))) as u64,
        ..DiskInterval::default()
    };
    let layer = |name: &str, kind: &str, share: f64| LayerStats {
        name: name.into(),
        kind: kind.into(),
        iops: rate * share / block as f64,
        bytes_per_s: rate * share,
        mean_request_bytes: block as f64,
        await_ns: median * 0.95,
        queue_mean: f64::from(depth) * share * 0.95,
        utilisation: 0.97,
        ..LayerStats::default()
    };
    DiskStepResult {
        profile: profile.into(),
        operation: if write { Operation::Write } else { Operation::Read },
        pattern,
        block_bytes: block,
        queue_depth: depth,
        threads: 1,
        engine: Engine::IoUring,
        direct: true,
        sync: if write { Sync::Dsync } else { Sync::None },
        ios: (rate * duration_s / block as f64) as u64,
        bytes: (rate * duration_s) as u64,
        duration_s,
        iops: rate / block as f64,
        throughput_bytes_per_s: rate,
        latency_ns: latency(median, if pattern == Pattern::Random { 0.2 } else { 0.0 }),
        intervals: (1..=10).map(interval).collect(),
        noise: Some(0.04),
        device_bytes_over_program_bytes: Some(1.002),
        steady: Some(true),
        layers: vec![
            layer("dm-3", "lvm", 1.0),
            layer("dm-2", "multipath", 1.0),
            layer("sdb", "path", 0.5),
            layer("sdc", "path", 0.5),
        ],
        ..DiskStepResult::default()
    }
}

fn storage() -> DiskResult {
    DiskResult {
        target: DIR.into(),
        target_kind: "directory".into(),
        file_system: "xfs".into(),
        mount_point: "/u01".into(),
        device: "dm-3".into(),
        device_number: "253:3".into(),
        steps: vec![
            step("ora-scan", false, Pattern::Sequential, 1 << 20, 8, 1.43e9, 5_600_000.0),
            step("ora-read", false, Pattern::Random, 8192, 32, 512e6, 490_000.0),
            step("ora-lgwr", true, Pattern::Sequential, 8192, 1, 21.5e6, 372_000.0),
        ],
        ..DiskResult::default()
    }
}

fn sweep() -> DiskResult {
    let depths = [1_u32, 2, 4, 8, 16, 32, 64];
    let rate = |depth: u32| 700e6 * f64::from(depth) / (f64::from(depth) + 11.0);
    let steps = depths.iter().map(|&depth| {
        let median = f64::from(depth) * 8192.0 / rate(depth) * 1e9;
        DiskStepResult {
            intervals: Vec::new(),
            ..step("custom", false, Pattern::Random, 8192, depth, rate(depth), median)
        }
    });
    DiskResult {
        target: "/dev/mapper/mpathb".into(),
        target_kind: "device".into(),
        device: "dm-2".into(),
        steps: steps.collect(),
        sweep: Some(Sweep {
            over: vec!["depth".into()],
            knee_depth: Some(64),
            still_growing: true,
            ..Sweep::default()
        }),
        ..DiskResult::default()
    }
}

/// The primary.
pub(crate) fn host() -> Host {
    let mut host = Host { hostname: "db1.example.com".into(), ..Host::default() };
    host.os.pretty_name = "Oracle Linux Server 8.9".into();
    host.os.architecture = "x86_64".into();
    host.os.kernel_release = "5.15.0-200.131.27.el8uek".into();
    host.os.virtualization = Some("none".into());
    host.os.uptime_s = Some(7_430_000.0);
    (host.cpu.online, host.cpu.sockets) = (64, Some(2));
    host.cpu.model = "Intel Xeon Gold 6338".into();
    host.memory.total_bytes = Some(512 << 30);
    host.memory.available_bytes = Some(211 << 30);
    host.clock.source = Some("tsc".into());
    host.clock.synchronised = Some(true);
    host.sysctls.insert("net.ipv4.tcp_congestion_control".into(), "cubic".into());
    host.nics = vec![nic("eth0", true), nic("eth1", false), bond_nic()];
    host.bonds = vec![bond()];
    host.disks = disks();
    host.multipath = vec![multipath()];
    host.fc_hosts = vec![fc("host5", 16.0), fc("host6", 16.0)];
    host.mounts = vec![
        mount("/u01", "/dev/mapper/data-oradata", "xfs", "253:3", 0.71),
        mount("/", "/dev/sda2", "ext4", "8:2", 0.42),
    ];
    let locations = [(DIR.to_owned(), "data".to_owned()), ("/u01/redo".to_owned(), "redo".to_owned())].into();
    host.databases =
        vec![Database { kind: "oracle".into(), name: "ORCL".into(), locations, ..Database::default() }];
    host
}

fn nic(name: &str, up: bool) -> Nic {
    Nic {
        name: name.into(),
        kind: "physical".into(),
        operstate: if up { "up" } else { "down" }.into(),
        carrier: Some(up),
        speed_mbit_per_s: up.then_some(1000),
        mtu_bytes: Some(9000),
        driver: "ixgbe".into(),
        master: Some("bond0".into()),
        ..Nic::default()
    }
}

fn bond_nic() -> Nic {
    Nic {
        name: "bond0".into(),
        kind: "bond".into(),
        operstate: "up".into(),
        speed_mbit_per_s: Some(1000),
        mtu_bytes: Some(9000),
        ..Nic::default()
    }
}

fn bond() -> Bond {
    let slave = |name: &str, status: &str, failures| BondSlave {
        name: name.into(),
        mii_status: status.into(),
        link_failures: Some(failures),
        ..BondSlave::default()
    };
    Bond {
        name: "bond0".into(),
        mode: "active-backup".into(),
        active_slave: Some("eth0".into()),
        slaves: vec![slave("eth0", "up", 0), slave("eth1", "down", 3)],
        ..Bond::default()
    }
}

fn disks() -> Vec<Disk> {
    let path = |name: &str, number: &str, address: &str| Disk {
        name: name.into(),
        number: number.into(),
        kind: "disk".into(),
        size_bytes: 4_398_046_511_104,
        vendor: "PURE".into(),
        model: "FlashArray".into(),
        transport: "fc".into(),
        queue: Some(Queue { rotational: Some(false), scheduler: Some("none".into()), ..Queue::default() }),
        scsi: Some(ScsiDevice { address: address.into(), queue_depth: Some(64), ..ScsiDevice::default() }),
        ..Disk::default()
    };
    let map = |name: &str, number: &str, kind: &str, dm: &str, slaves: &[&str]| Disk {
        name: name.into(),
        number: number.into(),
        kind: kind.into(),
        size_bytes: 4_398_046_511_104,
        slaves: slaves.iter().map(|&name| name.to_owned()).collect(),
        dm: Some(DmMap { name: dm.into(), ..DmMap::default() }),
        ..Disk::default()
    };
    let mut root = path("sda", "8:0", "0:2:0:0");
    (root.vendor, root.model, root.transport) = ("DELL".into(), "PERC H755".into(), "sas".into());
    root.size_bytes = 479_559_942_144;
    vec![
        root,
        path("sdb", "8:16", "5:0:0:1"),
        path("sdc", "8:32", "6:0:0:1"),
        path("sdd", "8:48", "5:0:1:1"),
        path("sde", "8:64", "6:0:1:1"),
        map("dm-2", "253:2", "multipath", "mpathb", &["sdb", "sdc", "sdd", "sde"]),
        map("dm-3", "253:3", "lvm", "data-oradata", &["dm-2"]),
    ]
}

fn multipath() -> MultipathMap {
    let path = |device: &str, address: &str, failed: bool| MapPath {
        device: device.into(),
        address: address.into(),
        dm_state: if failed { "failed" } else { "active" }.into(),
        checker_state: if failed { "faulty" } else { "ready" }.into(),
        failures: failed.then_some(2),
        ..MapPath::default()
    };
    let group = |state: &str, priority, paths| PathGroup {
        selector: "service-time 0".into(),
        state: state.into(),
        priority: Some(priority),
        paths,
    };
    MultipathMap {
        name: "mpathb".into(),
        device: "dm-2".into(),
        groups: vec![
            group("active", 50, vec![path("sdb", "5:0:0:1", false), path("sdc", "6:0:0:1", false)]),
            group("enabled", 10, vec![path("sdd", "5:0:1:1", false), path("sde", "6:0:1:1", true)]),
        ],
        ..MultipathMap::default()
    }
}

fn fc(name: &str, speed: f64) -> FcHost {
    FcHost {
        name: name.into(),
        port_state: "Online".into(),
        speed_gbit_per_s: Some(speed),
        ..FcHost::default()
    }
}

fn mount(target: &str, source: &str, fs_type: &str, number: &str, used: f64) -> Mount {
    let total = 4_000_000_000_000_u64;
    let free = (total as f64 * (1.0 - used)) as u64;
    let space = Space { total_bytes: total, free_bytes: free, available_bytes: free, ..Space::default() };
    Mount {
        source: source.into(),
        target: target.into(),
        fs_type: fs_type.into(),
        number: number.into(),
        space: Some(space),
        ..Mount::default()
    }
}
