//! What the rules would say of the demonstration run.

use super::{DIR, PEER, RATE};
use fullwire_model::assessment::{
    Advice, Assessment, Bottleneck, Cause, Ceiling, Derivation, Evidence, Finding, Input, Layer,
    PathAssessment, PathKind, Severity, Unknown, Verdict,
};
use fullwire_model::quantity::Unit;

/// What the rules would say of it.
pub(crate) fn assessment() -> Assessment {
    Assessment {
        verdict: Verdict::Poor,
        bottleneck: window(),
        paths: paths(),
        ceilings: ceilings(),
        findings: findings(),
        unknowns: vec![
            Unknown { code: "nic-ring-small".into(), reason: "the rings of eth0 could not be read".into() },
            Unknown {
                code: "multipath-no-path-retry".into(),
                reason: "multipathd did not tell its configuration".into(),
            },
        ],
        passed: ["tcp-retransmits", "nic-half-duplex", "cpu-steal", "memory-swapping"]
            .map(str::to_owned)
            .into(),
    }
}

fn window() -> Bottleneck {
    Bottleneck {
        layer: Layer::Network,
        code: "tcp-receive-window".into(),
        subject: "net.ipv4.tcp_rmem".into(),
        explained: true,
    }
}

fn paths() -> Vec<PathAssessment> {
    vec![
        PathAssessment {
            kind: PathKind::Network,
            subject: PEER.into(),
            verdict: Verdict::Poor,
            measurement: "async".into(),
            measured: Some(RATE),
            demand: Some(42e6),
            ceiling: Some(117.68e6),
            unit: Unit::BytesPerS,
            bottleneck: window(),
        },
        PathAssessment {
            kind: PathKind::Storage,
            subject: DIR.into(),
            verdict: Verdict::Good,
            measurement: "ora-scan sequential read 1M depth 8".into(),
            measured: Some(1.43e9),
            demand: None,
            ceiling: Some(1.6e9),
            unit: Unit::BytesPerS,
            bottleneck: Bottleneck {
                layer: Layer::Storage,
                code: "fc-link".into(),
                subject: "host5".into(),
                explained: false,
            },
        },
    ]
}

fn ceiling(
    path: &str,
    layer: Layer,
    subject: &str,
    kind: &str,
    value: f64,
    formula: &str,
    inputs: &[(&str, f64, &str)],
) -> Ceiling {
    let input = |(name, value, source): &(&str, f64, &str)| Input {
        name: (*name).into(),
        value: *value,
        source: (*source).into(),
    };
    Ceiling {
        layer,
        path: path.into(),
        subject: subject.into(),
        kind: kind.into(),
        value,
        unit: Unit::BytesPerS,
        derivation: Derivation { formula: formula.into(), inputs: inputs.iter().map(input).collect() },
        ..Ceiling::default()
    }
}

fn ceilings() -> Vec<Ceiling> {
    let mtu = ("mtu_bytes", 1500.0, "path MTU, counted by the peer");
    let speed = ("speed_bit_per_s", 1e9, "/sys/class/net/bond0/speed");
    let mut wire = ceiling(
        PEER,
        Layer::Network,
        "bond0",
        "nic-goodput",
        117.68e6,
        "speed × (mtu − 52) ÷ (mtu + 38) ÷ 8",
        &[speed, mtu],
    );
    wire.measurement = String::new();
    let cpu = ("cpu_s_per_gb", 1.17, "getrusage of the sending thread");
    let mut one_cpu =
        ceiling(PEER, Layer::Host, "db1.example.com", "one-cpu", 854.7e6, "10^9 ÷ cpu_s_per_gb", &[cpu]);
    one_cpu.soft = true;
    let inputs = [
        ("rcv_window_bytes", 311_296.0, "TCP_INFO tcpi_snd_wnd"),
        ("rtt_ns", 5_100_000.0, "TCP_INFO tcpi_rtt"),
    ];
    let mut tcp = ceiling(
        PEER,
        Layer::Network,
        "net.ipv4.tcp_rmem",
        "tcp-receive-window",
        61.04e6,
        "rcv_window ÷ rtt",
        &inputs,
    );
    tcp.removable = true;
    let speed = ("speed_gbit_per_s", 16.0, "/sys/class/fc_host/host5/speed");
    let link =
        ceiling(DIR, Layer::Storage, "host5", "fc-link", 1.6e9, "payload rate of 16GFC (FC-PI-5)", &[speed]);
    let lanes = [
        ("gt_per_s", 8.0, "/sys/bus/pci/devices/0000:3b:00.0/current_link_speed"),
        ("lanes", 8.0, "current_link_width"),
    ];
    let slot = ceiling(
        DIR,
        Layer::Host,
        "0000:3b:00.0",
        "pcie-slot",
        6.3e9,
        "gt_per_s × lanes × 128/130 ÷ 8 × 0.8",
        &lanes,
    );
    vec![wire, one_cpu, tcp, link, slot]
}

fn findings() -> Vec<Finding> {
    let evidence = |text: &str, source: &str| Evidence { text: text.into(), source: source.into() };
    vec![
        Finding {
            code: "bond-slave-down".into(),
            severity: Severity::Critical,
            layer: Layer::Network,
            subject: "bond0".into(),
            message: "slave eth1 of bond0 is down: 1 of 2 links are left".into(),
            measured: None,
            limit: None,
            unit: None,
            evidence: vec![evidence("Slave Interface: eth1, MII Status: down, Link Failure Count: 3", "/proc/net/bonding/bond0")],
            advice: Advice {
                why: "The bond has lost redundancy; the next failure takes the database off the network.".into(),
                now: vec!["ethtool eth1    # link, partner, speed".into(), "ip link set eth1 up    # if it was set down by hand".into()],
                persist: vec!["replace the cable or transceiver, or enable the switch port".into()],
                undo: Vec::new(),
                expect: "all 2 slaves up; run `fullwire check --only network` again".into(),
            },
            limits: false,
            cause: Cause::Fault,
            path: None,
            measurement: None,
        },
        Finding {
            code: "tcp-receive-window".into(),
            severity: Severity::Warning,
            layer: Layer::Network,
            subject: "net.ipv4.tcp_rmem".into(),
            message: "the peer's receive window of 304 KiB holds one stream at 61.0 MB/s over a round trip of 5.1 ms; the wire needs 586 KiB".into(),
            measured: Some(311_296.0),
            limit: Some(600_168.0),
            unit: Some(Unit::Bytes),
            evidence: vec![
                evidence("rwnd_limited 18.6 s of 20.0 s busy", "TCP_INFO"),
                evidence("tcp_rmem = 4096 87380 425984", "db2: /proc/sys/net/ipv4/tcp_rmem"),
            ],
            advice: Advice {
                why: "A stream cannot send more than one window in each round trip, however fast the wire is.".into(),
                now: vec!["sysctl -w net.ipv4.tcp_rmem='4096 131072 6291456'    # on db2".into()],
                persist: vec!["echo \"net.ipv4.tcp_rmem = 4096 131072 6291456\" > /etc/sysctl.d/97-fullwire-tcp_rmem.conf".into()],
                undo: vec!["sysctl -w net.ipv4.tcp_rmem='4096 87380 425984'".into()],
                expect: "about 117 MB/s on one stream; prove it with `fullwire net db2.example.com:5555`".into(),
            },
            limits: true,
            cause: Cause::Setting,
            path: Some(PEER.into()),
            measurement: None,
        },
        Finding {
            code: "multipath-path-failed".into(),
            severity: Severity::Warning,
            layer: Layer::Storage,
            subject: "mpathb".into(),
            message: "1 of 4 paths of mpathb has failed: sde (6:0:1:1)".into(),
            measured: Some(3.0),
            limit: Some(4.0),
            unit: Some(Unit::Count),
            evidence: vec![evidence("sde dm failed, checker faulty, 2 failures", "dm status of mpathb")],
            advice: Advice {
                why: "The map has no redundancy left on one controller.".into(),
                now: vec!["multipath -ll mpathb".into()],
                persist: Vec::new(),
                undo: Vec::new(),
                expect: "4 paths active".into(),
            },
            limits: false,
            cause: Cause::Fault,
            path: None,
            measurement: None,
        },
    ]
}
